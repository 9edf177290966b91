"""The state of an AEC environment in mid-game, whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seven_rocks_env.history import Round
from seven_rocks_env.options import ResetOptions
from seven_rocks_env.settings import Settings


@dataclass(frozen=True)
class EnvState:
    """A game in progress, whole: what ``get_state`` gives and ``set_state`` takes.

    It can be pickled and compared. Its contents are the environment's own business.
    """

    settings: Settings
    game: bytes
    stream: tuple[int, ...]
    options: ResetOptions
    past: tuple[Round, ...]
    agents: tuple[str, ...]
    agent_selection: str
    skipped_selection: str | None
    rewards: tuple[tuple[str, float], ...]
    cumulative_rewards: tuple[tuple[str, float], ...]
    terminations: tuple[tuple[str, bool], ...]
    truncations: tuple[tuple[str, bool], ...]
    np_random: Mapping[str, Any]
