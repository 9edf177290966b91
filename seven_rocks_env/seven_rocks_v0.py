"""``seven_rocks_v0.env()`` and ``seven_rocks_v0.raw_env()``, as PettingZoo's users expect them."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper

from seven_rocks_env.aec import raw_env
from seven_rocks_env.wrappers import CloningWrapper, IllegalActionWrapper

__all__ = ["ILLEGAL_REWARD", "env", "raw_env"]

ILLEGAL_REWARD = -1.0


def env(**kwargs: Any) -> CloningWrapper:
    """The environment in PettingZoo's wrappers.

    An illegal action ends the game for all four agents and pays -1 to the offender alone: partner
    and opponents get nothing for it, so in that case the rewards do not sum to zero. An action
    outside of ``Discrete(113)`` is an AssertionError, a wrong order of calls too.

    Args:
        **kwargs: See ``raw_env``.

    Raises:
        ValueError: If a keyword is not allowed.
    """
    illegal = IllegalActionWrapper(raw_env(**kwargs), illegal_reward=ILLEGAL_REWARD)
    return CloningWrapper(AssertOutOfBoundsWrapper(illegal))
