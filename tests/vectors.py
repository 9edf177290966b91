"""For the tests of the vector environment: a policy without chance, given deals, plain values."""

from typing import Any

import numpy as np

from seven_rocks_env import SevenRocksVectorEnv, rules
from seven_rocks_env.policies import Views
from tests.envs import Script, plain
from tests.games import PASS, action, hand
from tests.plain_rules import Tile


class HighestAction:
    """Plays without chance, so that a game does not depend on the games beside it."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return PASS - views.action_mask[:, ::-1].argmax(axis=1)


def sampled(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action in each game; 0 where nothing is legal."""
    return np.where(masks, rng.random(masks.shape), 0).argmax(axis=1)


def moves_of(script: Script) -> list[int]:
    return [PASS if move is None else action(*move) for move in script.moves]


def dealt(*scripts: Script) -> dict[str, Any]:
    """The options of ``reset`` that deal a script in each game."""
    return {
        "hands": [[hand(*tiles) for tiles in script.hands] for script in scripts],
        "openers": [script.opener for script in scripts],
    }


def own_hand(features: np.ndarray) -> list[Tile]:
    return [rules.TILES[tile] for tile in np.flatnonzero(features[:28])]


def values(result: Any) -> Any:
    """``plain``, also of arrays of objects."""
    if isinstance(result, np.ndarray) and result.dtype == object:
        return [values(item) for item in result]
    if isinstance(result, dict):
        return {key: values(item) for key, item in result.items()}
    if isinstance(result, (list, tuple)):
        return [values(item) for item in result]
    return plain(result)


def unchanged(env: SevenRocksVectorEnv) -> Any:
    """All that a refused call might have changed."""
    tables = env.tables
    games = (tables.states, tables.seat, tables.earned, tables.terminated, tables.truncated)
    return values((games, env.action_masks(), env.np_random.bit_generator.state))
