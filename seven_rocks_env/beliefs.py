"""What the hidden hands may be: exactly uniform samples of the deals consistent with a seat's view.

A seat knows its hand, the table, how many tiles each hand holds, and from each pass the pip values
that the passer lacked. The unseen tiles fall into groups of tiles that the same seats may hold;
counting, group by group, the ways to finish a deal gives the exact probability of each choice, so
a sample needs one pass and no retries.
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled

_HIDDEN_SEATS = 3
_NUM_GROUPS = 1 << _HIDDEN_SEATS  # by the set of hidden seats that may hold the tile
_SIZES = rules.HAND_SIZE + 1


def _binomials() -> np.ndarray:
    table = np.zeros((22, 22), dtype=np.int64)
    for n in range(22):
        table[n, 0] = 1
        for k in range(1, n + 1):
            table[n, k] = table[n - 1, k - 1] + table[n - 1, k]
    return table


_BINOMIAL = _binomials()


@compiled
def unseen_tiles(game, seat):
    """The tiles, a bit each, that are neither on the table nor in the hand of ``seat``."""
    unseen = rules.ALL_TILES & ~int(game["hands"][seat])
    for tile in range(rules.NUM_TILES):
        if game["placed_at"][tile] != rules.NOT_PLACED:
            unseen &= ~(1 << tile)
    return unseen


@compiled
def _excluded_tiles(pips):
    tiles = 0
    for pip in range(7):
        if (pips >> pip) & 1:
            tiles |= rules.FITTING_TILES[pip]
    return tiles


@compiled
def tile_groups(game, seat):
    """Sort the unseen tiles by who may hold them.

    Returns:
        ``groups`` (8,) int64: for each set of hidden seats (bit ``i`` is the seat ``i + 1`` places
        after ``seat``) the unseen tiles that exactly those seats may hold; and ``sizes`` (3,)
        int64: how many tiles each of those seats holds.
    """
    unseen = unseen_tiles(game, seat)
    groups = np.zeros(_NUM_GROUPS, dtype=np.int64)
    sizes = np.full(_HIDDEN_SEATS, rules.HAND_SIZE, dtype=np.int64)
    for tile in range(rules.NUM_TILES):
        number = int(game["placed_at"][tile])
        if number != rules.NOT_PLACED:
            relative = (rules.seat_of_action(game, number) - seat) % rules.NUM_SEATS
            if relative > 0:
                sizes[relative - 1] -= 1
        elif (unseen >> tile) & 1:
            holders = 0
            for hidden in range(_HIDDEN_SEATS):
                other = (seat + hidden + 1) % rules.NUM_SEATS
                excluded = _excluded_tiles(int(game["ruled_out"][other]))
                if not (excluded >> tile) & 1:
                    holders |= 1 << hidden
            groups[holders] |= 1 << tile
    return groups, sizes


@compiled
def _may_take(holders, hidden, count):
    return count == 0 or (holders >> hidden) & 1 == 1


@compiled
def count_deals(groups, sizes):
    """Count the consistent deals.

    Returns:
        ``ways`` (9, 8, 8) int64: ``ways[g, a, b]`` deals of the tiles of groups ``g`` and later in
        which the first two hidden seats take ``a`` and ``b`` of them and the third the rest.
        ``ways[0, sizes[0], sizes[1]]`` counts all deals.
    """
    ways = np.zeros((_NUM_GROUPS + 1, _SIZES, _SIZES), dtype=np.int64)
    ways[_NUM_GROUPS, 0, 0] = 1
    left = 0
    for group in range(_NUM_GROUPS - 1, -1, -1):
        tiles = rules.hand_size(groups[group])
        left += tiles
        for first in range(sizes[0] + 1):
            for second in range(sizes[1] + 1):
                if left - first - second < 0 or left - first - second > sizes[2]:
                    continue
                total = 0
                for a in range(min(tiles, first) + 1):
                    for b in range(min(tiles - a, second) + 1):
                        total += (
                            _group_ways(group, tiles, a, b)
                            * (ways[group + 1, first - a, second - b])
                        )
                ways[group, first, second] = total
    return ways


@compiled
def _group_ways(holders, tiles, a, b):
    """Ways to give ``a`` and ``b`` of a group's tiles to the first two hidden seats."""
    if (
        _may_take(holders, 0, a)
        and _may_take(holders, 1, b)
        and _may_take(holders, 2, tiles - a - b)
    ):
        return _BINOMIAL[tiles, a] * _BINOMIAL[tiles - a, b]
    return 0


@compiled
def _take(tiles, count, stream):
    """A uniformly random set of ``count`` of ``tiles``."""
    left = rules.hand_size(tiles)
    taken = 0
    for tile in range(rules.NUM_TILES):
        if (tiles >> tile) & 1:
            if rules.draw(stream, left) < count:
                taken |= 1 << tile
                count -= 1
            left -= 1
    return taken


@compiled
def sample_hands(groups, sizes, ways, stream):
    """One consistent deal, uniformly: the hands (3,) int64 of the hidden seats."""
    hands = np.zeros(_HIDDEN_SEATS, dtype=np.int64)
    first = sizes[0]
    second = sizes[1]
    for group in range(_NUM_GROUPS):
        tiles = groups[group]
        if tiles == 0:
            continue
        size = rules.hand_size(tiles)
        ticket = rules.draw(stream, ways[group, first, second])
        taken_a, taken_b = -1, -1
        for a in range(min(size, first) + 1):
            for b in range(min(size - a, second) + 1):
                share = _group_ways(group, size, a, b) * ways[group + 1, first - a, second - b]
                if taken_a < 0 and ticket < share:
                    taken_a, taken_b = a, b
                ticket -= share
        hand_a = _take(tiles, taken_a, stream)
        hand_b = _take(tiles & ~hand_a, taken_b, stream)
        hands[0] |= hand_a
        hands[1] |= hand_b
        hands[2] |= tiles & ~hand_a & ~hand_b
        first -= taken_a
        second -= taken_b
    return hands


@compiled
def resample(game, seat, stream):
    """Replace in ``game`` the hands that ``seat`` does not see, and the random stream.

    The new hands are uniform over the deals consistent with the view of ``seat``. The stream
    becomes the next words of ``stream``, since the true one would give away the deals to come.
    """
    groups, sizes = tile_groups(game, seat)
    sample_deal(game, seat, groups, sizes, count_deals(groups, sizes), stream)


@compiled
def sample_deal(game, seat, groups, sizes, ways, stream):
    """Do what ``resample`` does, given what ``tile_groups`` and ``count_deals`` say of ``game``."""
    hands = sample_hands(groups, sizes, ways, stream)
    for hidden in range(_HIDDEN_SEATS):
        game["hands"][(seat + hidden + 1) % rules.NUM_SEATS] = hands[hidden]
    for word in range(4):
        game["stream"][word] = rules.next_word(stream)
