"""What one-ply judgement needs to know: where unseen tiles may be, and what replies would credit."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled

POINTS = 5  # all credits are multiples of it
NUM_CREDITS = 8  # 0, 5 .. 35 points
_NUM_PIPS = 7

_TILE_OF = np.array(
    [[rules.TILE_INDEX[min(a, b), max(a, b)] for b in range(_NUM_PIPS)] for a in range(_NUM_PIPS)],
    dtype=np.int64,
)
_PIP_BITS = (1 << rules.LOW) | (1 << rules.HIGH)


@compiled
def unseen_tiles(game, seat, missing):
    """Where the tiles may be that ``seat`` does not see.

    Args:
        game: A record in the middle of a round; of its hands only that of ``seat`` is read.
        seat: The seat that judges.
        missing: ``(28, 3)`` float64; for every tile not seen, the probabilities that the left-hand
            opponent, the partner and the right-hand opponent do *not* hold it are written. Each
            seat that may hold a tile does so in proportion to its number of tiles.

    Returns:
        The set of tiles not seen.
    """
    placed = 0
    first = second = third = rules.HAND_SIZE
    turn = (int(game["opener"]) - seat) & 3
    for number in range(game["num_actions"]):
        action = int(game["actions"][number])
        if action != rules.PASS:
            placed |= 1 << (action // rules.NUM_SITES)
            first -= turn == 1
            second -= turn == 2
            third -= turn == 3
        turn = (turn + 1) & 3
    unseen = rules.ALL_TILES & ~placed & ~int(game["hands"][seat])
    not_first = int(game["ruled_out"][(seat + 1) & 3])
    not_second = int(game["ruled_out"][(seat + 2) & 3])
    not_third = int(game["ruled_out"][(seat + 3) & 3])
    tiles = unseen
    while tiles:
        tile = rules.lowest_bit(tiles)
        tiles &= tiles - 1
        pips = _PIP_BITS[tile]
        one = 0 if not_first & pips else first
        two = 0 if not_second & pips else second
        three = 0 if not_third & pips else third
        share = 1.0 / max(one + two + three, 1)
        missing[tile, 0] = 1.0 - one * share
        missing[tile, 1] = 1.0 - two * share
        missing[tile, 2] = 1.0 - three * share
    return unseen


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
    for site in range(rules.NUM_SITES):
        value = rules.site_value(layout, site)
        if value >= rules.CLOSED:
            continue
        # What is counted without the tile's outer half does not depend on the tile.
        half = 1 if value == 0 else 0
        total = rules.end_sum(rules.place(layout, _TILE_OF[value, half], site)) - half
        for half in range((-total) % POINTS, _NUM_PIPS, POINTS):
            if half != value and total + half > 0:
                entry = NUM_CREDITS - 1 - (total + half) // POINTS
                if not (written >> entry) & 1:
                    by_credit[entry] = 0
                by_credit[entry] |= 1 << _TILE_OF[value, half]
                written |= 1 << entry
        total += 2 * value
        if total % POINTS == 0 and total > 0:
            entry = NUM_CREDITS - 1 - total // POINTS
            if not (written >> entry) & 1:
                by_credit[entry] = 0
            by_credit[entry] |= 1 << _TILE_OF[value, value]
            written |= 1 << entry
    return written
