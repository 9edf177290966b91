"""The double-six set: 28 tiles, numbered (0,0), (0,1) ... (0,6), (1,1) ... (6,6).

A hand is a set of tiles: an integer in which bit ``t`` stands for tile ``t``.
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env._compile import compiled
from seven_rocks_env.rules.bits import lowest_bit

NUM_TILES = 28
NUM_SEATS = 4
HAND_SIZE = 7

TILES: tuple[tuple[int, int], ...] = tuple(
    (low, high) for low in range(7) for high in range(low, 7)
)
TILE_INDEX: dict[tuple[int, int], int] = {tile: index for index, tile in enumerate(TILES)}
ALL_TILES = (1 << NUM_TILES) - 1

# By its two halves, in either order.
TILE_OF = np.array(
    [[TILE_INDEX[min(a, b), max(a, b)] for b in range(7)] for a in range(7)], dtype=np.int64
)

LOW = np.array([low for low, _ in TILES], dtype=np.int64)
HIGH = np.array([high for _, high in TILES], dtype=np.int64)
PIPS = LOW + HIGH
IS_DOUBLE = LOW == HIGH


@compiled
def hand_pips(hand):
    """Sum of both halves of every tile in ``hand``."""
    pips = 0
    while hand:
        pips += PIPS[lowest_bit(hand)]
        hand &= hand - 1
    return pips
