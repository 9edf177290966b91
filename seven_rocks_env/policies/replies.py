"""What one-ply judgement goes by: where unseen tiles may be, and what replies would credit."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled

POINTS = 5  # all credits are multiples of it
NUM_CREDITS = 8  # 0, 5 .. 35 points
MAX_POINTS = POINTS * (NUM_CREDITS - 1)
_NUM_PIPS = 7

_PIP_BITS = (1 << rules.LOW) | (1 << rules.HIGH)


def _tiles_where(condition: np.ndarray) -> int:
    return sum(1 << int(tile) for tile in np.flatnonzero(condition))


# The tiles with more pips than so many, and those whose lead is credited more than so many points.
_HEAVIER = np.array([_tiles_where(pips < rules.PIPS) for pips in range(13)], dtype=np.int64)
_BETTER_LEADS = np.array(
    [_tiles_where((rules.PIPS % POINTS == 0) & (points < rules.PIPS)) for points in range(11)],
    dtype=np.int64,
)

# What is remembered of a seat while the round is gone through.
_PLACED = 0  # how many tiles
DECLINED = 1  # the tiles that would have been credited more than the one placed
KEPT = 2  # the heavier tiles that fitted where an uncredited one was placed


@compiled
def _remember(seen, layout, after, tile, by_credit):
    """Note in ``seen`` (3,) what a seat would rather have placed at ``layout`` than ``tile``."""
    credit = rules.credit_for(rules.end_sum(after))
    seen[_PLACED] += 1
    if layout == rules.EMPTY_LAYOUT:
        seen[DECLINED] |= _BETTER_LEADS[credit]
        return
    # The first entries are the highest.
    entries = scoring_replies(layout, by_credit) & ((1 << (NUM_CREDITS - 1 - credit // POINTS)) - 1)
    while entries:
        seen[DECLINED] |= by_credit[rules.lowest_bit(entries)]
        entries &= entries - 1
    if credit == 0:
        seen[KEPT] |= fitting_tiles(layout) & _HEAVIER[rules.PIPS[tile]]


@compiled
def remember_round(game, seat, seen, by_credit):
    """Go through the round and note what each of the other seats has shown by its placements.

    Args:
        game: A record in the middle of a round; of its hands only that of ``seat`` is read.
        seat: The seat that judges.
        seen: ``(4, 3)`` int64, zeros, written by relative seat: the number of tiles placed, and
            the sets of tiles that ``DECLINED`` and ``KEPT`` say.
        by_credit: ``(NUM_CREDITS,)`` int64, overwritten.

    Returns:
        The set of tiles that ``seat`` does not see.
    """
    layout = rules.EMPTY_LAYOUT
    unseen = rules.ALL_TILES & ~int(game["hands"][seat])
    for number in range(game["num_actions"]):
        action = int(game["actions"][number])
        if action == rules.PASS:
            continue
        tile = action // rules.NUM_SITES
        unseen &= ~(1 << tile)
        after = rules.place(layout, tile, action % rules.NUM_SITES)
        relative = (rules.seat_of_action(game, number) - seat) % rules.NUM_SEATS
        if relative != 0:
            _remember(seen[relative], layout, after, tile, by_credit)
        layout = after
    return unseen


@compiled
def locate_tiles(game, seat, declined, kept, missing, by_credit):
    """Where the tiles may be that ``seat`` does not see.

    A seat that may hold a tile does so in proportion to its number of tiles, less if it would
    rather have placed that tile at an earlier turn.

    Args:
        game: A record in the middle of a round; of its hands only that of ``seat`` is read.
        seat: The seat that judges.
        declined: Likelihood, 0 to 1, of a seat's not placing a tile with which it would have been
            credited more than it was.
        kept: The same of a tile heavier than the one placed, where that was not credited.
        missing: ``(28, 4)`` float64; for every tile not seen, the probability that the seat 1, 2
            or 3 places to the left does *not* hold it is written. Column 0 is not.
        by_credit: ``(NUM_CREDITS,)`` int64, overwritten.

    Returns:
        The set of tiles not seen.
    """
    seen = np.zeros((rules.NUM_SEATS, 3), np.int64)
    unseen = remember_round(game, seat, seen, by_credit)
    tiles = unseen
    while tiles:
        tile = rules.lowest_bit(tiles)
        tiles &= tiles - 1
        total = 0.0
        for relative in range(1, rules.NUM_SEATS):
            other = (seat + relative) % rules.NUM_SEATS
            odds = float(rules.HAND_SIZE - seen[relative, _PLACED])
            if int(game["ruled_out"][other]) & _PIP_BITS[tile]:
                odds = 0.0
            if (seen[relative, DECLINED] >> tile) & 1:
                odds *= declined
            if (seen[relative, KEPT] >> tile) & 1:
                odds *= kept
            missing[tile, relative] = odds
            total += odds
        share = 1.0 / total if total > 0.0 else 0.0
        for relative in range(1, rules.NUM_SEATS):
            missing[tile, relative] = 1.0 - missing[tile, relative] * share
    return unseen


@compiled
def fitting_tiles(layout):
    """The tiles that fit somewhere."""
    tiles = 0
    for site in range(rules.NUM_SITES):
        tiles |= rules.FITTING_TILES[rules.site_value(layout, site)]
    return tiles


@compiled
def plays_as_before(layout, site):
    """True if this side of the spinner is free and the site before it is a like one."""
    return (
        site > 0
        and rules.site_tile(layout, site) == rules.NO_TILE
        and rules.site_tile(layout, site - 1) == rules.NO_TILE
        and rules.site_value(layout, site) == rules.site_value(layout, site - 1)
    )


@compiled
def _file_under(by_credit, written, points, tile):
    entry = NUM_CREDITS - 1 - points // POINTS
    if not (written >> entry) & 1:
        by_credit[entry] = 0
    by_credit[entry] |= 1 << tile
    return written | (1 << entry)


@compiled
def scoring_replies(layout, by_credit):
    """Sort the tiles that would be credited at ``layout`` by what they would be credited.

    A tile that fits several sites is under each of its credits.

    Args:
        layout: Not the empty one.
        by_credit: ``(NUM_CREDITS,)`` int64: entry ``NUM_CREDITS - 1 - c`` receives the set of tiles
            that can get ``POINTS * c``, if there is one; so the first is the highest.

    Returns:
        The set of the entries written, a bit each.
    """
    written = 0
    total = rules.end_sum(layout)
    for site in range(rules.NUM_SITES):
        value = rules.site_value(layout, site)
        if value >= rules.CLOSED or plays_as_before(layout, site):
            continue
        # What is counted besides the tile's outer half is the same whatever the tile.
        if rules.site_tile(layout, site) != rules.NO_TILE:
            rest = total - rules.site_pips(layout, site)
        else:  # the spinner may count no more
            half = 1 if value == 0 else 0
            rest = rules.end_sum(rules.place(layout, rules.TILE_OF[value, half], site)) - half
        for half in range((-rest) % POINTS, _NUM_PIPS, POINTS):
            if half != value and rest + half > 0:
                written = _file_under(by_credit, written, rest + half, rules.TILE_OF[value, half])
        # With a double that lies elsewhere this would be 40, which no tile can get.
        points = rest + 2 * value
        if points % POINTS == 0 and 0 < points <= MAX_POINTS:
            written = _file_under(by_credit, written, points, rules.TILE_OF[value, value])
    return written
