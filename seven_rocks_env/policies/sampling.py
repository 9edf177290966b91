"""The deals that a search looks at: all that the seat knows, and what the others' choices say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from seven_rocks_env import beliefs, rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.policies.expert import WEIGHTS
from seven_rocks_env.policies.replies import DECLINED, KEPT, NUM_CREDITS, remember_round

_MAX_TRIES = 64  # of a deal that fits what was shown; the last one is taken as it is


class Belief(NamedTuple):
    """What a seat believes of the hidden hands; see ``believe``."""

    groups: np.ndarray  # from beliefs.tile_groups
    sizes: np.ndarray
    ways: np.ndarray  # from beliefs.count_deals
    shown: np.ndarray  # (4, 3) int64, from replies.remember_round


@compiled
def believe(view, infer):
    """The belief of the seat on turn in ``view``.

    Args:
        view: A record in the middle of a round; of its hands only that of the seat is read.
        infer: Go by what the others' placements say about their hands, too. Without it every
            consistent deal is equally likely.
    """
    seat = int(view["seat"])
    groups, sizes = beliefs.tile_groups(view, seat)
    shown = np.zeros((rules.NUM_SEATS, 3), np.int64)
    if infer:
        remember_round(view, seat, shown, np.empty(NUM_CREDITS, np.int64))
    return Belief(groups, sizes, beliefs.count_deals(groups, sizes), shown)


@compiled
def sample_deal(game, belief, stream):
    """Deal ``game`` the hands that the seat on turn does not see, and a random stream.

    A uniform sample is taken with the likelihood that the others would have kept back the tiles
    that it gives them, with the weights that ``expert`` has for that; else another is drawn. Where
    every deal is unlikely, which is frequent after random play, the last of many samples is taken.
    """
    seat = int(game["seat"])
    for _ in range(_MAX_TRIES):
        beliefs.sample_deal(game, seat, belief.groups, belief.sizes, belief.ways, stream)
        likelihood = 1.0
        for relative in range(1, rules.NUM_SEATS):
            hand = int(game["hands"][(seat + relative) % rules.NUM_SEATS])
            likelihood *= WEIGHTS.declined ** rules.hand_size(
                hand & belief.shown[relative, DECLINED]
            )
            likelihood *= WEIGHTS.kept ** rules.hand_size(hand & belief.shown[relative, KEPT])
        if rules.draw(stream, 1 << 24) < likelihood * (1 << 24):
            return
