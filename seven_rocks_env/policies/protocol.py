"""The protocol that policies follow, and what they get to see.

A policy plays many games at once. It gets ``Views``, made from what the seats on turn may know and
nothing else, and a generator for its own chance, and returns an action for each game. A policy that
is meant to cheat, as a yardstick, says so by its attribute ``sees_all_hands``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from seven_rocks_env import observation as obs
from seven_rocks_env import rules
from seven_rocks_env._compile import compiled


@dataclass(frozen=True)
class Views:
    """What the seats on turn see in ``n`` games.

    Attributes:
        action_mask: ``(n, 113)`` int8, the legal actions.
        states: ``(n,)`` of ``rules.STATE`` with the other hands and the random stream erased; what
            ``beliefs.resample`` needs. For a policy that ``sees_all_hands`` all hands are there.
    """

    action_mask: np.ndarray
    states: np.ndarray

    @classmethod
    def of(cls, states: np.ndarray, *, all_hands: bool = False) -> Views:
        """The views of the seats on turn in ``states`` (n,) of ``rules.STATE``.

        ``all_hands`` leaves the other hands in ``Views.states``: for policies that cheat.
        """
        views = cls(np.empty((len(states), rules.NUM_ACTIONS), np.int8), states.copy())
        _hide(views.states, views.action_mask, all_hands)
        return views

    @cached_property
    def integers(self) -> np.ndarray:
        """``(n, observation.SIZE)`` int8, the observation as integers."""
        integers = np.empty((len(self), obs.SIZE), np.int8)
        _encode(self.states, integers)
        return integers

    @cached_property
    def observation(self) -> np.ndarray:
        """``(n, observation.SIZE)`` float32, as the environments give it."""
        return self.integers * obs.SCALE

    def __len__(self) -> int:
        return len(self.states)


@compiled
def _hide(states, masks, all_hands):
    for index in range(states.shape[0]):
        game = states[index]
        if all_hands:
            game["stream"][:] = 0
        else:
            rules.hide_from(game, int(game["seat"]))
        rules.legal_actions(game, masks[index])


@compiled
def _encode(states, integers):
    for index in range(states.shape[0]):
        obs.encode(states[index], int(states[index]["seat"]), integers[index])


class Policy(Protocol):
    """What plays: anything with this method.

    A policy with a true attribute ``sees_all_hands`` cheats: ``evaluation`` shows it all four
    hands, and whatever else takes policies refuses it.
    """

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """Choose a legal action in each of ``n`` games.

        Args:
            views: What the seats on turn see.
            rng: The only source of chance that the policy may use.

        Returns:
            ``(n,)`` integers.
        """
        ...


def sees_all_hands(policy: Policy) -> bool:
    """True if ``policy`` cheats: see ``Policy``."""
    return bool(getattr(policy, "sees_all_hands", False))
