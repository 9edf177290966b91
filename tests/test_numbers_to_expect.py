"""What play comes to on average, against the numbers to expect that stand in the rules.

Those were measured over 20,000 rounds with an independent implementation, which played on until
the round was over: here too the target is out of reach of a single round.
"""

import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.batch import Batch
from seven_rocks_env.evaluation import play_rounds
from seven_rocks_env.policies import GreedyPolicy, Policy, RandomPolicy, Views
from tests.games import PASS, needs_compiler

pytestmark = needs_compiler

ROUNDS = 20_000
MATCHES = 2_000


class CountingPolicy:
    """Random play that counts the legal placements wherever there is one."""

    def __init__(self) -> None:
        self.placements: list[np.ndarray] = []

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        can_place = views.action_mask[:, PASS] == 0
        self.placements.append(views.action_mask[can_place].sum(axis=1, dtype=np.int64))
        return RandomPolicy().act(views, rng)


class Rounds:
    """``ROUNDS`` rounds played to their ends by one policy in all seats."""

    def __init__(self, policy: Policy) -> None:
        batch = Batch(ROUNDS, seed=1, episode="round", target_score=635, autoreset=False)
        play_rounds(batch, (policy, policy), np.random.default_rng(1))
        states = batch.states
        deducted = np.zeros((ROUNDS, 2), np.int64)
        for number, hands in enumerate(states["hands"].tolist()):
            for seat, hand in enumerate(hands):
                deducted[number, seat % 2] += rules.hand_deduction(hand)
        self.actions = states["num_actions"]
        self.passes = (states["actions"] == PASS).sum(axis=1)
        self.blocked = states["phase"] == rules.BLOCKED
        self.net = states["scores"].mean(axis=1)
        self.credited = (states["scores"] + deducted).sum(axis=1)
        assert not (states["phase"] == rules.WON).any()


def rounds_a_match(policy: Policy) -> np.ndarray:
    batch = Batch(MATCHES, seed=2, autoreset=False)
    play_rounds(batch, (policy, policy), np.random.default_rng(2))
    assert (batch.states["phase"] == rules.WON).all()
    return batch.states["round"] + 1


def assert_mean(figures: np.ndarray, expected: float, rounding: float) -> None:
    """Two samples of the same size agree within four standard errors, and ``rounding``."""
    error = figures.std() / np.sqrt(len(figures))
    assert figures.mean() == pytest.approx(expected, abs=rounding + 4 * np.sqrt(2) * error)


def test_random_play() -> None:
    policy = CountingPolicy()
    rounds = Rounds(policy)

    assert_mean(rounds.actions, 26.0, rounding=0.05)
    assert_mean(rounds.passes, 2.3, rounding=0.05)
    assert_mean(rounds.blocked, 0.12, rounding=0.005)
    assert_mean(rounds.credited / 2, 25.4, rounding=0.05)
    assert_mean(rounds.net, 12.9, rounding=0.05)
    assert_mean(np.concatenate(policy.placements), 3.4, rounding=0.05)


def test_random_matches_take_about_16_rounds() -> None:
    assert_mean(rounds_a_match(RandomPolicy()), 16, rounding=0.5)


def test_greedy_play() -> None:
    """How ties are broken matters: always taking the lowest site comes to 6 points a round less."""
    rounds = Rounds(GreedyPolicy())

    assert_mean(rounds.credited, 116.9, rounding=0.05)
    assert_mean(rounds.net, 49.9, rounding=0.05)
    assert_mean(rounds_a_match(GreedyPolicy()), 4.6, rounding=0.05)
