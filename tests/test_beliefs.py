"""Samples of the hidden hands against all deals that a seat's knowledge allows, listed plainly."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pytest
from scipy import stats

from seven_rocks_env import beliefs, rules
from seven_rocks_env.history import round_of
from tests.games import (
    PASS,
    UNLIKELY,
    needs_compiler,
    random_round,
    ruled_out_by_passes,
    tiles_of,
    words_of,
)
from tests.plain_rules import Tile

Deal = tuple[frozenset[Tile], ...]  # the hands of the three hidden seats, from the left-hand one on


@dataclass(frozen=True)
class Knowledge:
    """What one seat knows of the other hands, from its own hand and what was done at the table."""

    holders: dict[Tile, tuple[int, ...]]  # hidden seats (0, 1, 2) that may hold each unseen tile
    sizes: tuple[int, int, int]

    @classmethod
    def of(cls, game: np.void, seat: int) -> "Knowledge":
        past = round_of(game)
        lacks = ruled_out_by_passes(past)
        left = [7, 7, 7, 7]
        seen = tiles_of(int(game["hands"][seat]))
        for number, action in enumerate(past.actions):
            if action != PASS:
                left[(past.opener + number) % 4] -= 1
                seen.append(rules.TILES[action // 4])
        hidden = [(seat + step) % 4 for step in (1, 2, 3)]
        return cls(
            {
                tile: tuple(i for i in range(3) if not lacks[hidden[i]] & set(tile))
                for tile in rules.TILES
                if tile not in seen
            },
            (left[hidden[0]], left[hidden[1]], left[hidden[2]]),
        )

    @cached_property
    def can_rule_out(self) -> bool:
        return any(len(seats) < 3 for seats in self.holders.values())

    def count(self, known: tuple[Tile, int] | None = None) -> int:
        """How many deals there are, of those in which the ``known`` tile is with its seat."""
        holders = [
            tuple(seat for seat in seats if known is None or tile != known[0] or seat == known[1])
            for tile, seats in self.holders.items()
        ]

        @cache
        def ways(dealt: int, left: tuple[int, ...]) -> int:
            if dealt == len(holders):
                return 1
            return sum(
                ways(dealt + 1, (*left[:seat], left[seat] - 1, *left[seat + 1 :]))
                for seat in holders[dealt]
                if left[seat] > 0
            )

        return ways(0, self.sizes)

    def deals(self) -> Iterator[Deal]:
        """Every deal, one by one."""
        tiles = list(self.holders)
        hands: list[set[Tile]] = [set(), set(), set()]

        def complete(dealt: int) -> Iterator[Deal]:
            if dealt == len(tiles):
                yield tuple(frozenset(hand) for hand in hands)
                return
            for seat in self.holders[tiles[dealt]]:
                if len(hands[seat]) < self.sizes[seat]:
                    hands[seat].add(tiles[dealt])
                    yield from complete(dealt + 1)
                    hands[seat].remove(tiles[dealt])

        return complete(0)


def hidden_hands(game: np.void, seat: int) -> Deal:
    return tuple(frozenset(tiles_of(int(game["hands"][(seat + step) % 4]))) for step in (1, 2, 3))


def counted(game: np.void, seat: int) -> int:
    groups, sizes = beliefs.tile_groups(game, seat)
    return int(beliefs.count_deals(groups, sizes)[0, sizes[0], sizes[1]])


def positions(rounds: range, min_deals: int, max_deals: int) -> list[tuple[np.void, int]]:
    """The first position of each round in which some seat can rule out something by passes.

    Only positions that allow ``min_deals`` to ``max_deals`` deals; the seat varies.
    """
    found = []
    for seed in rounds:
        for game in random_round(seed):
            seat = (seed + int(game["num_actions"])) % 4
            if game["phase"] != rules.PLAYING or not game["ruled_out"].any():
                continue
            knowledge = Knowledge.of(game, seat)
            if knowledge.can_rule_out and min_deals <= knowledge.count() <= max_deals:
                found.append((game, seat))
                break
    return found


# --- how many deals there are --------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_before_the_lead_the_other_21_tiles_may_lie_anyhow(seat: int) -> None:
    game = next(random_round(seed=1))

    assert counted(game, seat) == 399_072_960  # 21! / 7!^3


@pytest.mark.parametrize("seed", range(12))
def test_as_many_deals_are_counted_as_there_are(seed: int) -> None:
    for game in random_round(seed):
        for seat in range(4):
            assert counted(game, seat) == Knowledge.of(game, seat).count()


@pytest.mark.parametrize("seed", range(12))
def test_the_true_deal_is_always_among_them(seed: int) -> None:
    for game in random_round(seed):
        for seat in range(4):
            holders = Knowledge.of(game, seat).holders
            for hidden, hand in enumerate(hidden_hands(game, seat)):
                assert all(hidden in holders[tile] for tile in hand)


# --- samples -------------------------------------------------------------------------------------


@needs_compiler
def test_every_deal_is_sampled_equally_often_in_late_positions() -> None:
    late = positions(range(100, 160), min_deals=20, max_deals=500)
    assert len(late) >= 20
    assert {seat for _, seat in late} == {0, 1, 2, 3}

    for number, (game, seat) in enumerate(late):
        deals = list(Knowledge.of(game, seat).deals())
        assert len(deals) == counted(game, seat)
        stream = words_of(number)
        sampled: Counter[Deal] = Counter()
        for _ in range(20 * len(deals)):
            beliefs.resample(game, seat, stream)
            sampled[hidden_hands(game, seat)] += 1
        assert set(sampled) <= set(deals)
        assert stats.chisquare([sampled[deal] for deal in deals]).pvalue > UNLIKELY / len(late)


@needs_compiler
def test_every_tile_is_sampled_with_each_seat_at_its_rate_in_early_positions() -> None:
    samples = 20_000
    early = positions(range(200, 212), min_deals=10**5, max_deals=10**8)
    assert len(early) >= 4

    for number, (game, seat) in enumerate(early):
        stream = words_of(number)
        held = np.zeros((3, 28), np.int64)
        for _ in range(samples):
            beliefs.resample(game, seat, stream)
            for hidden in range(3):
                held[hidden] += int(game["hands"][(seat + hidden + 1) % 4]) >> np.arange(28) & 1
        knowledge = Knowledge.of(game, seat)
        for tile in knowledge.holders:
            for hidden in range(3):
                share = knowledge.count(known=(tile, hidden)) / knowledge.count()
                error = np.sqrt(samples * share * (1 - share))
                found = held[hidden, rules.TILE_INDEX[tile]]
                assert abs(found - samples * share) <= 4.5 * error


def test_a_sample_keeps_all_that_the_seat_knows() -> None:
    for seed in range(300, 304):
        stream = words_of(seed)
        for game in random_round(seed):
            for seat in range(4):
                sample = game.copy()
                beliefs.resample(sample, seat, stream)

                knowledge = Knowledge.of(game, seat)
                hands = hidden_hands(sample, seat)
                assert tuple(len(hand) for hand in hands) == knowledge.sizes
                assert frozenset().union(*hands) == set(knowledge.holders)
                for hidden, hand in enumerate(hands):
                    assert all(hidden in knowledge.holders[tile] for tile in hand)
                sample["hands"] = [
                    sample["hands"][other] if other == seat else game["hands"][other]
                    for other in range(4)
                ]
                sample["stream"] = game["stream"]
                assert sample.tobytes() == game.tobytes()


def test_a_sample_depends_on_what_the_seat_sees_and_on_nothing_else() -> None:
    for game in random_round(seed=310):
        for seat in range(4):
            sample, hidden = game.copy(), game.copy()
            rules.hide_from(hidden, seat)
            beliefs.resample(sample, seat, words_of(1))
            beliefs.resample(hidden, seat, words_of(1))

            assert sample.tobytes() == hidden.tobytes()


def test_a_sample_has_a_random_stream_of_its_own() -> None:
    game = next(random_round(seed=311))
    true_stream = game["stream"].tolist()
    stream = words_of(2)
    streams = [true_stream]
    for _ in range(5):
        beliefs.resample(game, 0, stream)
        streams.append(game["stream"].tolist())

    words = [word for each in streams for word in each]
    assert len(set(words)) == len(words) == 24


def test_a_seat_that_knows_everything_gets_the_true_hands() -> None:
    certain = 0
    for seed in range(320, 340):
        for game in random_round(seed):
            for seat in range(4):
                if counted(game, seat) == 1:
                    certain += 1
                    sample = game.copy()
                    beliefs.resample(sample, seat, words_of(seed))
                    assert sample["hands"].tolist() == game["hands"].tolist()

    assert certain >= 10
