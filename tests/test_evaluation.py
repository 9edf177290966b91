"""Comparing two policies on duplicate deals."""

from math import sqrt

import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.batch import Batch
from seven_rocks_env.evaluation import Comparison, compare, play_rounds
from seven_rocks_env.policies import GreedyPolicy, Policy, RandomPolicy, Views
from tests.games import needs_compiler


class LowestAction:
    """Plays the lowest legal action."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return views.action_mask.argmax(axis=1)


class HighestAction:
    """Plays the highest legal action."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return 112 - views.action_mask[:, ::-1].argmax(axis=1)


class Recorder:
    """Plays at random and keeps all that it is shown."""

    sees_all_hands = False

    def __init__(self) -> None:
        self.states: list[np.ndarray] = []

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        self.states.append(views.states.copy())
        return RandomPolicy().act(views, rng)


@pytest.mark.parametrize("policy", [LowestAction(), HighestAction()])
def test_two_policies_that_play_alike_are_exactly_even_on_every_deal(policy: Policy) -> None:
    compared = compare(policy, policy, num_deals=40, seed=1)

    assert compared.margins.tolist() == [0.0] * 40
    assert compared.mean == 0
    assert compared.interval() == (0, 0)


@needs_compiler
def test_greedy_beats_random_by_its_known_margin() -> None:
    compared = compare(GreedyPolicy(), RandomPolicy(), num_deals=4_000, seed=2)
    low, high = compared.interval()

    assert compared.mean == pytest.approx(38.7, abs=2)
    assert 0 < high - low < 4


def test_the_margin_changes_its_sign_with_the_order_of_the_policies() -> None:
    there = compare(LowestAction(), HighestAction(), num_deals=30, seed=3)
    back = compare(HighestAction(), LowestAction(), num_deals=30, seed=3)

    assert there.margins.tolist() == (-back.margins).tolist()
    assert there.mean != 0


def test_both_tables_play_the_same_deal_with_the_partnerships_swapped() -> None:
    margins = []
    for seated in ((LowestAction(), HighestAction()), (HighestAction(), LowestAction())):
        batch = Batch(20, 4, episode="round", autoreset=False)
        play_rounds(batch, seated, np.random.default_rng(0))
        margins.append(batch.final_scores @ [1, -1])
    compared = compare(LowestAction(), HighestAction(), num_deals=20, seed=4)

    assert compared.margins.tolist() == ((margins[0] - margins[1]) / 2).tolist()


def test_the_seed_fixes_the_result() -> None:
    first, same, other = (
        compare(GreedyPolicy(), RandomPolicy(), num_deals=30, seed=seed) for seed in (5, 5, 6)
    )

    assert first.margins.tolist() == same.margins.tolist()
    assert first.margins.tolist() != other.margins.tolist()


def test_every_deal_of_a_comparison_is_another_one() -> None:
    recorder = Recorder()
    compare(recorder, recorder, num_deals=20, seed=7)
    leads = [
        tuple(state["hands"].tolist())
        for states in recorder.states
        for state in states
        if state["num_actions"] == 0
    ]

    # Each opener's hand is met twice, once at either table.
    assert len(leads) == 40
    assert len(set(leads)) == 20


def test_policies_are_shown_their_own_seats_and_no_hidden_hand() -> None:
    even, odd = Recorder(), Recorder()
    batch = Batch(10, 8, episode="round", autoreset=False)
    play_rounds(batch, (even, odd), np.random.default_rng(0))

    for partnership, recorder in enumerate((even, odd)):
        states = np.concatenate(recorder.states)
        assert (states["seat"] % 2 == partnership).all()
        assert (states["phase"] == rules.PLAYING).all()
        assert not states["stream"].any()
        assert ((states["hands"] != 0).sum(axis=1) == 1).all()


def test_a_policy_that_sees_all_hands_is_shown_them_and_its_opponents_are_not() -> None:
    cheat, honest = Recorder(), Recorder()
    cheat.sees_all_hands = True
    batch = Batch(10, 8, episode="round", autoreset=False)
    play_rounds(batch, (cheat, honest), np.random.default_rng(0))

    shown = np.concatenate(cheat.states)
    placed = (shown["placed_at"] != rules.NOT_PLACED).sum(axis=1)
    held = np.array([[int(hand).bit_count() for hand in hands] for hands in shown["hands"]])
    assert np.array_equal(held.sum(axis=1) + placed, np.full(len(shown), 28))
    assert not shown["stream"].any()
    assert ((np.concatenate(honest.states)["hands"] != 0).sum(axis=1) == 1).all()


def test_comparing_accepts_a_policy_that_sees_all_hands() -> None:
    cheat = Recorder()
    cheat.sees_all_hands = True

    assert len(compare(cheat, "random", num_deals=2, seed=1).margins) == 2


def test_all_rounds_are_played_to_their_ends() -> None:
    batch = Batch(50, 9, episode="round", autoreset=False)
    play_rounds(batch, (RandomPolicy(), GreedyPolicy()), np.random.default_rng(0))

    assert (batch.states["phase"] != rules.PLAYING).all()
    assert np.array_equal(batch.final_scores, batch.states["scores"])


def test_mean_and_interval_of_a_small_sample() -> None:
    compared = Comparison(np.array([10.0, 20.0, 30.0, 40.0]))
    error = sqrt((225 + 25 + 25 + 225) / 3) / 2

    assert compared.mean == 25
    assert compared.interval() == pytest.approx((25 - 1.959964 * error, 25 + 1.959964 * error))
    assert compared.interval(0.5) == pytest.approx((25 - 0.67449 * error, 25 + 0.67449 * error))


@pytest.mark.parametrize("num_deals", [0, 1, -3, 2.0, True])
def test_a_number_of_deals_that_gives_no_interval_is_refused(num_deals: int) -> None:
    with pytest.raises(ValueError, match="num_deals must be"):
        compare(GreedyPolicy(), GreedyPolicy(), num_deals, seed=0)
