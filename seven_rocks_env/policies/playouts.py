"""Playouts: the rest of a round, all seats played by one of the simple policies."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.policies.basic import greedy_action
from seven_rocks_env.policies.expert import expert_action

PLAYERS = ("random", "greedy", "expert")  # by the number that compiled code knows them by
_RANDOM, _GREEDY, _EXPERT = range(len(PLAYERS))


@compiled
def _draw_chance(stream):
    return np.int64(rules.next_word(stream) >> np.uint64(11)) * 2.0**-53


@compiled
def tiles_in_hands(game):
    """Number of tiles in all hands of ``game``."""
    tiles = 0
    for seat in range(rules.NUM_SEATS):
        tiles += rules.hand_size(int(game["hands"][seat]))
    return tiles


@compiled
def _random_action(game, chance):
    line, arms = rules.placements(game)
    chosen = int(chance * (rules.hand_size(line) + rules.hand_size(arms)))
    while line | arms:
        tile, site, line, arms = rules.take_placement(line, arms)
        if chosen == 0:
            return rules.NUM_SITES * tile + site
        chosen -= 1
    return rules.PASS


@compiled
def playout_action(game, player, chance):
    """What number ``player`` of ``PLAYERS`` plays for the seat on turn."""
    if player == _RANDOM:
        return _random_action(game, chance)
    if player == _GREEDY:
        return greedy_action(game, chance)
    return expert_action(game, chance)


@compiled
def play_out(game, player, tiles_left):
    """Play ``game`` on, in place, until the round is over or few tiles are left.

    The players' chance comes from the record's own stream, which a round in play does not use; so
    copies of one sampled deal meet the same chance.

    Args:
        game: A record in which every hand is known, or the end of a round.
        player: Number of the policy in ``PLAYERS`` that plays all seats.
        tiles_left: Stop when all hands together hold no more than this; 0 never stops early.
    """
    tiles = tiles_in_hands(game)
    while game["phase"] == rules.PLAYING and tiles > tiles_left:
        action = playout_action(game, player, _draw_chance(game["stream"]))
        rules.play(game, action)
        tiles -= action != rules.PASS
