"""Environments for the tests: scripted and random play, and all that shows of one as plain values.

"Plain" values can be compared with ==: every array in them is its type, shape and bytes.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from seven_rocks_env.policies import GreedyPolicy
from tests.games import PASS, Move, action
from tests.plain_rules import Tile

AGENTS = ("player_0", "player_1", "player_2", "player_3")

KEYWORDS: list[dict[str, Any]] = [
    {},
    {"observation": "history", "target_score": 50},
    {"episode": "round"},
    {"episode": "round", "skip_forced": True},
    {"skip_forced": True, "target_score": 100},
    {"max_rounds": 2},
    {"reward": "win", "target_score": 100},
    {"reward": "win", "max_rounds": 3, "skip_forced": True},
    {"target_score": 5},
    {"target_score": 635, "max_rounds": 4},
]


def name(keywords: dict[str, Any]) -> str:
    """``keywords`` as the id of a test case."""
    return ",".join(f"{key}={value}" for key, value in keywords.items()) or "defaults"


# --- playing -------------------------------------------------------------------------------------


def random_action(env: AECEnv, rng: np.random.Generator) -> int | None:
    """A legal action of the agent on turn, or None once it has ended."""
    observation, _, terminated, truncated, _ = env.last()
    if terminated or truncated:
        return None
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def greedy_action(env: AECEnv, rng: np.random.Generator) -> int | None:
    """The action of the greedy policy for the agent on turn, or None once it has ended."""
    agent = env.agent_selection
    if env.terminations[agent] or env.truncations[agent]:
        return None
    return int(GreedyPolicy().act(env.unwrapped.views(), rng)[0])


def play_random(env: AECEnv, seed: int, steps: int = 10**6) -> AECEnv:
    """Play up to ``steps`` random actions, dead steps included, and return ``env``."""
    rng = np.random.default_rng(seed)
    while env.agents and steps > 0:
        env.step(random_action(env, rng))
        steps -= 1
    return env


def play_until_over(env: AECEnv, seed: int) -> AECEnv:
    """Play at random until the agents have ended, but for the dead steps, and return ``env``."""
    rng = np.random.default_rng(seed)
    while (chosen := random_action(env, rng)) is not None:
        env.step(chosen)
    return env


def play_moves(env: AECEnv, moves: Iterable[Move | None]) -> AECEnv:
    """Play ``moves``, a tile at a site each or None for a pass, and return ``env``."""
    for move in moves:
        env.step(PASS if move is None else action(*move))
    return env


def retire(env: AECEnv) -> AECEnv:
    """Take the dead steps of an episode that has ended, and return ``env``."""
    while env.agents:
        env.step(None)
    return env


# --- what shows ----------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def shown(env: AECEnv) -> dict[str, Any]:
    """Everything that ``env`` shows now, to whomever."""
    return plain(
        {
            "agents": env.agents,
            "agent_selection": env.agent_selection,
            "observations": {agent: env.observe(agent) for agent in AGENTS},
            "rewards": env.rewards,
            "cumulative rewards": env._cumulative_rewards,
            "terminations": env.terminations,
            "truncations": env.truncations,
            "infos": env.infos,
            "scores": env.unwrapped.scores,
            "state": env.state(),
        }
    )


def played_out(env: AECEnv, seed: int) -> list[Any]:
    """Play to the end at random.

    Returns:
        What the agent on turn gets at each step, and then everything that ``env`` shows.
    """
    rng = np.random.default_rng(seed)
    trace: list[Any] = [shown(env)]
    while env.agents:
        trace.append((env.agent_selection, plain(env.last())))
        env.step(random_action(env, rng))
    return [*trace, shown(env), env.unwrapped.record, env.unwrapped.ledger]


def digest(env: AECEnv, seed: int, steps: int) -> str:
    """Of what the agent on turn gets at each of ``steps`` random steps, and of the record."""
    rng = np.random.default_rng(seed)
    seen = hashlib.sha256()
    for _ in range(steps):
        if not env.agents:
            env.reset()
        seen.update(repr((env.agent_selection, plain(env.last()))).encode())
        env.step(random_action(env, rng))
    seen.update(env.unwrapped.record.encode())
    return seen.hexdigest()


# --- rounds to play by script --------------------------------------------------------------------


@dataclass(frozen=True)
class Script:
    """A round: who holds and plays what; None is a pass."""

    hands: tuple[tuple[Tile, ...], ...]
    opener: int
    moves: tuple[Move | None, ...]

    def turned(self, places: int) -> "Script":
        """The same round with everybody ``places`` seats further on."""
        hands = tuple(self.hands[(seat - places) % 4] for seat in range(4))
        return Script(hands, (self.opener + places) % 4, self.moves)

    def options(self, **more: Any) -> dict[str, Any]:
        """The options of ``reset`` that deal it."""
        return {"hands": self.hands, "opener": self.opener, **more}


# Seat 3 leads and dominoes: 30 points are credited to 0 & 2, 20 to 1 & 3, the last 10 of them for
# seat 3's last tile. Left are [3|4], [0|0] and [3|3] [5|5]: 5, 0 and 15 points.
DOMINO = Script(
    hands=(
        ((0, 1), (1, 1), (1, 3), (1, 4), (3, 4), (3, 5), (5, 6)),
        ((0, 0), (0, 3), (0, 4), (1, 5), (2, 2), (2, 4), (4, 6)),
        ((0, 5), (1, 6), (2, 3), (2, 5), (3, 3), (4, 5), (5, 5)),
        ((0, 2), (0, 6), (1, 2), (2, 6), (3, 6), (4, 4), (6, 6)),
    ),
    opener=3,
    moves=(
        ((2, 6), 0),
        ((5, 6), 1),
        ((2, 2), 0),
        ((2, 5), 0),
        ((0, 2), 1),
        ((0, 1), 1),
        ((2, 4), 0),
        ((1, 6), 1),
        ((6, 6), 1),
        ((1, 4), 0),
        ((4, 6), 1),
        ((2, 3), 3),
        ((4, 4), 1),
        ((1, 3), 3),
        ((1, 5), 0),
        ((4, 5), 1),
        ((1, 2), 2),
        ((3, 5), 1),
        ((0, 3), 1),
        ((0, 5), 0),
        ((0, 6), 0),
        ((1, 1), 3),
        ((0, 4), 1),
        None,
        ((3, 6), 0),
    ),
)

# Seat 3 leads; after ten placements only fours fit, and all fours lie on the table. The lead and
# [3|4] were worth 5 points, one for each side; left are hands of 35, 30, 29 and 8 pips.
BLOCKED = Script(
    hands=(
        ((0, 4), (0, 6), (1, 6), (2, 4), (2, 5), (5, 5), (6, 6)),
        ((1, 2), (1, 3), (2, 3), (3, 3), (3, 5), (3, 6), (4, 6)),
        ((0, 1), (0, 3), (1, 5), (2, 6), (3, 4), (4, 5), (5, 6)),
        ((0, 0), (0, 2), (0, 5), (1, 1), (1, 4), (2, 2), (4, 4)),
    ),
    opener=3,
    moves=(
        ((1, 4), 0),
        ((2, 4), 1),
        ((2, 3), 1),
        ((3, 4), 1),
        ((4, 4), 1),
        ((1, 6), 0),
        ((4, 6), 0),
        ((4, 5), 0),
        ((0, 5), 0),
        ((0, 4), 0),
        None,
        None,
        None,
        None,
    ),
)
