"""The deals that searches look at: what is known for certain, and what placements have shown."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from seven_rocks_env import rules
from seven_rocks_env.policies import IsmctsPolicy, PimcPolicy, RolloutPolicy
from seven_rocks_env.policies.expert import WEIGHTS
from seven_rocks_env.policies.sampling import believe, sample_deal
from tests.games import (
    UNLIKELY,
    UNREACHABLE,
    action,
    needs_compiler,
    play,
    random_round,
    round_with,
    words_of,
)
from tests.plain_rules import Tile

SAMPLES = 4000

# Seat 0 led [1|2], seat 1 placed [2|3]: it would rather have placed [1|3], [2|4] or [2|2], each of
# which is credited 5 points; and [2|6], which has more pips.
HANDS: list[list[Tile]] = [
    [(1, 2), (5, 5), (0, 0), (0, 1), (0, 2), (0, 3), (0, 4)],
    [(2, 3), (5, 6), (6, 6), (1, 1), (1, 4), (1, 5), (1, 6)],
    [(3, 4), (3, 3), (3, 5), (3, 6), (4, 4), (4, 5), (4, 6)],
    [(1, 3), (2, 4), (2, 2), (2, 6), (0, 5), (0, 6), (2, 5)],
]
DECLINED, KEPT = (2, 4), (2, 6)


def seat_2_to_play() -> np.void:
    game = round_with(HANDS, target=UNREACHABLE)
    return play(game, action((1, 2), 0), action((2, 3), 1))


def samples_of(game: np.void, infer: bool, count: int, seed: int = 1) -> np.ndarray:
    """``(count, 4)``: the hands of sampled deals."""
    belief = believe(game, infer)
    stream = words_of(seed)
    hands = np.empty((count, 4), np.int64)
    for number in range(count):
        sampled = game.copy()
        sample_deal(sampled, belief, stream)
        hands[number] = sampled["hands"]
    return hands


def times_held(hands: np.ndarray, seat: int, tile: Tile) -> int:
    return int((hands[:, seat] >> rules.TILE_INDEX[tile] & 1).sum())


@pytest.mark.parametrize("infer", [False, True])
def test_sampled_deals_are_consistent_with_what_the_seat_knows(infer: bool) -> None:
    for game in random_round(3):
        if game["phase"] != rules.PLAYING:
            continue
        seat = int(game["seat"])
        for hands in samples_of(game, infer, 3).tolist():
            assert hands[seat] == game["hands"][seat]
            assert sum(hands) == sum(game["hands"].tolist()), "the same tiles are left, each once"
            for other in range(4):
                assert hands[other].bit_count() == int(game["hands"][other]).bit_count()
                for pip in range(7):
                    if game["ruled_out"][other] >> pip & 1:
                        assert not hands[other] & rules.FITTING_TILES[pip]


@needs_compiler
def test_without_inference_every_consistent_deal_is_equally_likely() -> None:
    hands = samples_of(seat_2_to_play(), False, SAMPLES)
    for tile in (DECLINED, KEPT, (0, 0)):
        # 19 tiles are not seen, 6 of them at seat 1.
        held = times_held(hands, 1, tile)
        assert stats.binomtest(held, SAMPLES, 6 / 19).pvalue > UNLIKELY


@needs_compiler
def test_with_inference_a_seat_hardly_holds_what_it_would_rather_have_placed() -> None:
    uniform = samples_of(seat_2_to_play(), False, SAMPLES)
    inferred = samples_of(seat_2_to_play(), True, SAMPLES)

    def odds(hands: np.ndarray, tile: Tile) -> float:
        held = times_held(hands, 1, tile)
        return held / (len(hands) - held)

    # The other seats' tiles shift the odds a little, too.
    assert odds(inferred, DECLINED) < 1.3 * WEIGHTS.declined * odds(uniform, DECLINED)
    assert odds(inferred, KEPT) < 1.3 * WEIGHTS.kept * odds(uniform, KEPT)
    assert odds(inferred, (0, 0)) > odds(uniform, (0, 0))


def test_sampling_goes_by_its_stream_alone() -> None:
    game = seat_2_to_play()
    assert samples_of(game, True, 5).tolist() == samples_of(game, True, 5).tolist()
    assert samples_of(game, True, 5).tolist() != samples_of(game, True, 5, seed=2).tolist()


@pytest.mark.parametrize("make", [RolloutPolicy, PimcPolicy, IsmctsPolicy])
def test_inference_is_on_or_off(make: Any) -> None:
    with pytest.raises(ValueError, match="infer must be one of False, True, got 'no'"):
        make(5, infer="no")
