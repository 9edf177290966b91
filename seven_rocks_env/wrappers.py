"""PettingZoo's usual wrappers, made safe for environments that can be cloned and set back."""

from __future__ import annotations

import copy
from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from seven_rocks_env.aec import Observation
from seven_rocks_env.env_state import EnvState


class IllegalActionWrapper(TerminateIllegalWrapper[str, Observation, int]):
    """End the game when an agent plays an illegal action, and pay that agent alone.

    PettingZoo's wrapper judges an action by the mask that it handed out last, which is another
    game's after ``set_state`` and which the caller may have written to. This one asks the game.
    """

    def step(self, action: Any) -> None:
        """Play ``action``; an illegal one ends the game for all."""
        raw: Any = self.unwrapped
        agent = raw.agent_selection
        if raw.terminations[agent] or raw.truncations[agent] or raw.is_legal(action):
            self.env.step(action)
            return
        self._prev_obs = {"action_mask": (0,)}  # the verdict, so that PettingZoo ends the game
        super().step(0)
        raw.infos = {agent: {} for agent in raw.agents}


class CloningWrapper(OrderEnforcingWrapper[str, Observation, int]):
    """The outermost wrapper: enforces the order of calls, and copies whole stacks of wrappers."""

    def clone(self) -> CloningWrapper:
        """A copy, wrapped alike, that plays on exactly as this environment would."""
        return copy.deepcopy(self)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, termination, truncation and info of the agent on turn.

        No wrapper in between changes any of them, so this asks the environment itself.
        """
        if not self._has_reset:
            return super().last(observe)  # raises what PettingZoo's users expect
        raw: Any = self.unwrapped
        return raw.last(observe)

    def set_state(self, state: EnvState) -> None:
        """Go on from ``state``; as good as a ``reset``. See ``raw_env.set_state``."""
        raw: Any = self.unwrapped
        raw.set_state(state)
        self._has_reset = True
        self._has_updated = True

    def render(self, agent: str | None = None) -> Any:
        """See ``raw_env.render``."""
        if agent is None:
            return super().render()
        raw: Any = self.unwrapped
        return raw.render(agent)

    def __str__(self) -> str:
        return str(self.env)
