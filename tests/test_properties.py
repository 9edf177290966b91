"""What holds at every point of every game, whatever is dealt and played."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seven_rocks_env import rules
from tests.games import PASS, UNREACHABLE, legal, new_match

ALL_TILES = 2**28 - 1


@dataclass(frozen=True)
class AnyRound:
    """A round to be played: the deal, and which of its legal actions each action will be."""

    deal: list[int]
    opener: int
    scores: tuple[int, int]
    target: int
    choices: list[int]

    def dealt(self, target: int | None = None) -> np.void:
        game = new_match(seed=sum(self.deal[:7]), scores=self.scores, target=target or self.target)
        rules.next_round(game)
        for seat in range(4):
            game["hands"][seat] = sum(1 << tile for tile in self.deal[7 * seat : 7 * seat + 7])
        rules.start_round(game, self.opener)
        return game

    def play(self, game: np.void) -> Iterator[int]:
        """Play the round of ``game`` to its end; each action comes after it has been played."""
        for choice in self.choices:
            if game["phase"] != rules.PLAYING:
                return
            actions = sorted(legal(game))
            action = actions[choice % len(actions)]
            rules.play(game, action)
            yield action


def for_any_round(test: Callable[[AnyRound], None]) -> Callable[[], None]:
    """Run ``test`` on rounds of all sorts, always the same ones."""
    score = st.integers(-30, 49).map(lambda fives: 5 * fives)
    rounds = st.builds(
        AnyRound,
        deal=st.permutations(range(28)),
        opener=st.integers(0, 3),
        scores=st.tuples(score, score),
        target=st.sampled_from([250, UNREACHABLE]),
        choices=st.lists(st.integers(0, 27), min_size=97, max_size=97),
    )
    return settings(max_examples=60, deadline=None, derandomize=True)(given(rounds)(test))


@for_any_round
def test_hands_and_table_are_all_28_tiles_once(any_round: AnyRound) -> None:
    game = any_round.dealt()
    for _ in any_round.play(game):
        places = [int(hand) for hand in game["hands"]]
        places += [1 << tile for tile in np.flatnonzero(game["placed_at"] != rules.NOT_PLACED)]
        assert sum(places) == ALL_TILES
        assert np.bitwise_or.reduce(places) == ALL_TILES


@for_any_round
def test_scores_are_multiples_of_five(any_round: AnyRound) -> None:
    game = any_round.dealt()
    for _ in any_round.play(game):
        assert (game["scores"] % 5 == 0).all()


@for_any_round
def test_a_round_ends_within_25_placements_and_97_actions(any_round: AnyRound) -> None:
    game = any_round.dealt()
    actions = list(any_round.play(game))

    assert game["phase"] in (rules.DOMINO, rules.BLOCKED, rules.WON)
    assert game["num_actions"] == len(actions) <= 97
    assert sum(action != PASS for action in actions) <= 25


@for_any_round
def test_the_mask_is_what_is_legal_and_never_empty_in_play(any_round: AnyRound) -> None:
    game = any_round.dealt()
    mask = np.full(113, 7, np.int8)
    for _ in any_round.play(game):
        count = rules.legal_actions(game, mask)
        assert mask.tolist() == [rules.is_legal(game, action) for action in range(113)]
        assert mask.sum() == count
        assert (count > 0) == (game["phase"] == rules.PLAYING)
        assert mask[PASS] == (game["phase"] == rules.PLAYING and not rules.can_place(game))


@for_any_round
def test_a_score_changes_by_the_credit_of_the_end_sum(any_round: AnyRound) -> None:
    game = any_round.dealt()
    before, seat = game["scores"].copy(), int(game["seat"])
    for action in any_round.play(game):
        end_sum = rules.end_sum(game["layout"])
        assert 0 <= end_sum <= 36
        assert game["credit"] == (0 if action == PASS or end_sum % 5 else end_sum)
        before[seat % 2] += game["credit"]
        if game["phase"] in (rules.PLAYING, rules.WON):
            assert game["scores"].tolist() == before.tolist()
        else:
            assert (game["scores"] <= before).all()
        before, seat = game["scores"].copy(), int(game["seat"])


@for_any_round
def test_no_seat_holds_a_value_that_it_was_shown_not_to_hold(any_round: AnyRound) -> None:
    game = any_round.dealt()
    for _ in any_round.play(game):
        for hand, ruled_out in zip(game["hands"], game["ruled_out"], strict=True):
            for value in range(7):
                assert not (ruled_out >> value & 1 and hand & rules.FITTING_TILES[value])


@for_any_round
def test_a_copy_plays_on_as_the_original_into_the_next_rounds(any_round: AnyRound) -> None:
    game = any_round.dealt(target=UNREACHABLE)
    for number, _ in enumerate(any_round.play(game)):
        if number == any_round.choices[0]:
            break
    restored = np.frombuffer(game.tobytes(), rules.STATE).copy()[0]
    copy = game.copy()
    assert restored == game
    for _ in range(3):
        for each in (game, copy, restored):
            list(any_round.play(each))
            rules.next_round(each)
        assert game.tobytes() == copy.tobytes() == restored.tobytes()


@for_any_round
def test_a_copy_does_not_change_with_the_original(any_round: AnyRound) -> None:
    game = any_round.dealt()
    copy, before = game.copy(), game.tobytes()
    list(any_round.play(game))

    assert copy.tobytes() == before != game.tobytes()


def test_the_record_has_no_byte_that_is_not_a_field() -> None:
    fields = [rules.STATE.fields[name] for name in rules.STATE.names]
    offsets = [offset for _, offset, *_ in fields]
    ends = [offset + dtype.itemsize for dtype, offset, *_ in fields]

    assert offsets == [0, *ends[:-1]]
    assert ends[-1] == rules.STATE.itemsize == 208
    for dtype, offset, *_ in fields:
        assert offset % dtype.base.itemsize == 0, "aligned"


def test_the_longest_round_fits_the_record() -> None:
    # 25 placements, and between any two of them as many passes as do not end the round.
    assert 25 + 24 * 3 == rules.MAX_ACTIONS == len(new_match()["actions"])
    assert np.iinfo(rules.STATE["actions"].base).max >= rules.PASS
    assert np.iinfo(rules.STATE["num_actions"]).max >= rules.MAX_ACTIONS
