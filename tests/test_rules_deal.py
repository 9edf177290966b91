"""Deals, lots and the random numbers they are made of."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from seven_rocks_env import rules
from tests.games import UNLIKELY, UNREACHABLE, needs_compiler, new_match, random_action, words_of

MASK_64 = 2**64 - 1


def reference_words(words: list[int]) -> Iterator[int]:
    """xoshiro256++ 1.0 as its authors define it, on Python integers."""

    def rotated(word: int, count: int) -> int:
        return (word << count | word >> 64 - count) & MASK_64

    s0, s1, s2, s3 = words
    while True:
        yield (rotated(s0 + s3 & MASK_64, 23) + s0) & MASK_64
        shifted = s1 << 17 & MASK_64
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = rotated(s3, 45)


def reference_draws(words: list[int], bound: int) -> Iterator[int]:
    """Of each word the upper 32 bits, times the bound, unless that would favour some numbers."""
    for word in reference_words(words):
        number, rest = divmod((word >> 32) * bound, 2**32)
        if rest >= 2**32 % bound:
            yield number


def deals(count: int, seed: int) -> np.ndarray:
    """``(count, 28)``: the seat that holds each tile in deals that follow one another."""
    game = new_match(seed)
    hands = np.empty((count, 4), np.int64)
    for number in range(count):
        rules.next_round(game)
        hands[number] = game["hands"]
    held = hands[:, None, :] >> np.arange(28)[None, :, None] & 1
    assert (held.sum(axis=2) == 1).all(), "every tile is dealt once"
    assert (held.sum(axis=1) == 7).all(), "every seat gets seven tiles"
    return held.argmax(axis=2)


# --- random numbers ------------------------------------------------------------------------------


def test_the_random_words_start_as_published() -> None:
    stream = np.array([1, 2, 3, 4], np.uint64)

    # The first outputs of the authors' own program from the same state.
    assert [int(rules.next_word(stream)) for _ in range(6)] == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
    ]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_random_words_are_those_of_the_reference(seed: int) -> None:
    stream = words_of(seed)
    reference = reference_words(stream.tolist())

    assert [int(rules.next_word(stream)) for _ in range(300)] == [
        next(reference) for _ in range(300)
    ]


@pytest.mark.parametrize("bound", [1, 2, 4, 27, 28, 3 * 2**30, 2**32 - 1])
def test_draws_are_those_of_the_reference(bound: int) -> None:
    stream = words_of(3)
    reference = reference_draws(stream.tolist(), bound)

    assert [int(rules.draw(stream, bound)) for _ in range(300)] == [
        next(reference) for _ in range(300)
    ]


@needs_compiler
@pytest.mark.parametrize("bound", [2, 3, 4, 7, 22, 28])
def test_draws_are_uniform(bound: int) -> None:
    stream = words_of(4)
    drawn = np.bincount([rules.draw(stream, bound) for _ in range(10_000 * bound)])

    assert len(drawn) == bound
    assert stats.chisquare(drawn).pvalue > UNLIKELY


@needs_compiler
def test_draws_are_uniform_where_many_words_must_be_rejected() -> None:
    # Without rejection every third number would come up twice as often as the others.
    stream = words_of(5)
    drawn = np.array([rules.draw(stream, 3 * 2**30) for _ in range(30_000)])

    assert stats.chisquare(np.bincount(drawn % 3)).pvalue > UNLIKELY
    assert stats.chisquare(np.bincount(drawn >> 30)).pvalue > UNLIKELY


# --- deals ---------------------------------------------------------------------------------------


def test_every_deal_is_all_28_tiles_seven_to_a_seat_and_any_tile_may_be_anywhere() -> None:
    holders = deals(100, seed=6)  # which checks each deal

    assert [set(holders[:, tile]) for tile in range(28)] == [{0, 1, 2, 3}] * 28


@needs_compiler
def test_every_tile_is_dealt_to_every_seat_equally_often() -> None:
    holders = deals(40_000, seed=7)
    counts = np.stack([(holders == seat).sum(axis=0) for seat in range(4)])
    chi_square = ((counts - 10_000) ** 2 / 10_000).sum()

    # Every deal gives each seat seven tiles, which scales the statistic by 28/27.
    assert stats.chi2.sf(chi_square * 27 / 28, 27 * 3) > UNLIKELY


@needs_compiler
def test_every_two_tiles_are_dealt_to_one_hand_equally_often() -> None:
    holders = deals(40_000, seed=8)
    held = np.stack([holders == seat for seat in range(4)]).astype(np.float32)
    together = np.einsum("snt,snu->tu", held, held)[np.triu_indices(28, k=1)]
    chance = 6 / 27
    errors = (together - 40_000 * chance) / np.sqrt(40_000 * chance * (1 - chance))

    assert len(errors) == 378
    assert np.abs(errors).max() < 4
    assert 0.8 < np.mean(errors**2) < 1.2


@needs_compiler
def test_a_deal_says_nothing_about_the_next() -> None:
    holders = deals(20_000, seed=9)
    for tile in (0, 13, 27):
        table = np.zeros((4, 4), np.int64)
        np.add.at(table, (holders[:-1, tile], holders[1:, tile]), 1)
        assert stats.chi2_contingency(table).pvalue > UNLIKELY


@needs_compiler
def test_the_lot_says_nothing_about_the_deal() -> None:
    game = new_match(seed=10)
    table = np.zeros((4, 4), np.int64)
    for _ in range(20_000):
        rules.next_round(game)
        holder = [hand & 1 for hand in game["hands"].tolist()].index(1)
        table[game["opener"], holder] += 1

    assert stats.chi2_contingency(table).pvalue > UNLIKELY


# --- the same stream -----------------------------------------------------------------------------


def rounds_played(seed: int, how: int, rounds: int) -> list[tuple[list[int], list[int]]]:
    """The hands of each round and the stream after its deal, in a match played at random."""
    rng = np.random.default_rng(how)
    game = new_match(seed, target=UNREACHABLE)
    dealt = []
    for _ in range(rounds):
        rules.next_round(game)
        dealt.append((game["hands"].tolist(), game["stream"].tolist()))
        while game["phase"] == rules.PLAYING:
            rules.play(game, random_action(game, rng))
    return dealt


def test_the_same_stream_gives_the_same_deals_and_lots_however_the_rounds_are_played() -> None:
    assert rounds_played(seed=11, how=1, rounds=8) == rounds_played(seed=11, how=2, rounds=8)


def test_the_lot_is_drawn_in_rounds_that_do_not_need_it_too() -> None:
    after = {}
    for phase in (rules.DOMINO, rules.BLOCKED):
        game = new_match(seed=12)
        game["phase"] = phase
        rules.next_round(game)
        game["phase"] = rules.BLOCKED
        rules.next_round(game)
        after[phase] = (game["hands"].tolist(), int(game["opener"]))

    assert after[rules.DOMINO] == after[rules.BLOCKED]


def test_other_streams_give_other_deals() -> None:
    first_deals = set()
    for seed in range(50):
        game = new_match(seed)
        rules.next_round(game)
        first_deals.add(tuple(game["hands"].tolist()))

    assert len(first_deals) == 50


def test_one_word_of_the_stream_is_enough_to_change_the_deals() -> None:
    dealt = []
    for word in range(4):
        game = new_match(seed=13)
        game["stream"][word] += np.uint64(1)
        dealt.append([])
        for _ in range(3):
            rules.next_round(game)
            dealt[-1].append(game["hands"].tolist())

    assert all(dealt[word] != dealt[other] for word in range(4) for other in range(word))
