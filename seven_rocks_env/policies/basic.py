"""The simplest policies: ``random`` and ``greedy``."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.policies.protocol import Views


class RandomPolicy:
    """Every legal action is equally likely."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``Policy.act``."""
        legal = views.action_mask.cumsum(axis=1, dtype=np.int16)
        chosen = rng.integers(0, np.maximum(legal[:, -1], 1))  # nothing is legal in an ended game
        return (legal > chosen[:, None]).argmax(axis=1)


class GreedyPolicy:
    """Take the most points now; among those get rid of the most pips, then leave it to chance."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``Policy.act``."""
        actions = np.empty(len(views), np.int64)
        _greedy(views.states, rng.random(len(views)), actions)
        return actions


@compiled
def _greedy(states, chances, actions):
    for index in range(states.shape[0]):
        actions[index] = greedy_action(states[index], chances[index])


@compiled
def _greedy_value(layout, tile, site):
    credit = rules.credit_for(rules.end_sum(rules.place(layout, tile, site)))
    return 16 * credit + rules.PIPS[tile]  # 12 is the most pips on a tile


@compiled
def greedy_action(game, chance):
    """What ``GreedyPolicy`` plays for the seat on turn; ``chance``, in [0, 1), breaks the ties."""
    layout = game["layout"]
    best_value = -1
    count = 0
    line, arms = rules.placements(game)
    while line | arms:
        tile, site, line, arms = rules.take_placement(line, arms)
        value = _greedy_value(layout, tile, site)
        if value > best_value:
            best_value = value
            count = 0
        count += value == best_value
    chosen = int(chance * count)
    line, arms = rules.placements(game)
    while line | arms:
        tile, site, line, arms = rules.take_placement(line, arms)
        if _greedy_value(layout, tile, site) == best_value:
            if chosen == 0:
                return rules.NUM_SITES * tile + site
            chosen -= 1
    return rules.PASS
