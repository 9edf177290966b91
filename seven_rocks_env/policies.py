"""Policies: the protocol that players follow, and those that need no learning.

A policy plays many games at once. It gets ``Views``, made from what the seats on turn may know and
nothing else, and a generator for its own chance, and returns an action for each game.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from seven_rocks_env import observation as obs
from seven_rocks_env import rules
from seven_rocks_env._compile import compiled


@dataclass(frozen=True)
class Views:
    """What the seats on turn see in ``n`` games.

    Attributes:
        integers: ``(n, observation.SIZE)`` int8, the observation as integers.
        action_mask: ``(n, 113)`` int8, the legal actions.
        states: ``(n,)`` of ``rules.STATE`` with the other hands and the random stream erased; what
            ``beliefs.resample`` needs.
    """

    integers: np.ndarray
    action_mask: np.ndarray
    states: np.ndarray

    @classmethod
    def of(cls, states: np.ndarray) -> Views:
        """The views of the seats on turn in ``states`` (n,) of ``rules.STATE``."""
        views = cls(
            np.empty((len(states), obs.SIZE), np.int8),
            np.empty((len(states), rules.NUM_ACTIONS), np.int8),
            states.copy(),
        )
        _fill(views.states, views.integers, views.action_mask)
        return views

    @cached_property
    def observation(self) -> np.ndarray:
        """``(n, observation.SIZE)`` float32, as the environments give it."""
        return self.integers * obs.SCALE

    def __len__(self) -> int:
        return len(self.states)


@compiled
def _fill(states, integers, masks):
    for index in range(states.shape[0]):
        game = states[index]
        seat = int(game["seat"])
        rules.hide_from(game, seat)
        rules.legal_actions(game, masks[index])
        obs.encode(game, seat, integers[index])


class Policy(Protocol):
    """What plays: anything with this method."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """Choose a legal action in each of ``n`` games.

        Args:
            views: What the seats on turn see.
            rng: The only source of chance that the policy may use.

        Returns:
            ``(n,)`` integers.
        """
        ...


class RandomPolicy:
    """Every legal action is equally likely."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``Policy.act``."""
        legal = views.action_mask.cumsum(axis=1, dtype=np.int16)
        chosen = rng.integers(0, legal[:, -1])
        return (legal > chosen[:, None]).argmax(axis=1)


class GreedyPolicy:
    """Take the most points now; among those get rid of the most pips, then leave it to chance."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``Policy.act``."""
        actions = np.empty(len(views), np.int64)
        _greedy(views.states, views.action_mask, rng.random(len(views)), actions)
        return actions


@compiled
def _greedy(states, masks, chances, actions):
    """Write the greedy action of each state; ``chances`` (n,), in [0, 1), break the ties."""
    best_actions = np.empty(rules.NUM_ACTIONS, np.int64)
    for index in range(states.shape[0]):
        game = states[index]
        best_actions[0] = rules.PASS
        count = 1
        best_value = -1
        for action in range(rules.PASS):
            if masks[index, action]:
                tile = action // rules.NUM_SITES
                layout = rules.place(game["layout"], tile, action % rules.NUM_SITES)
                credit = rules.credit_for(rules.end_sum(layout))
                value = 16 * credit + rules.PIPS[tile]  # 12 is the most pips on a tile
                if value > best_value:
                    best_value = value
                    count = 0
                if value == best_value:
                    best_actions[count] = action
                    count += 1
        actions[index] = best_actions[int(chances[index] * count)]


BUILT_IN: dict[str, type[Policy]] = {"random": RandomPolicy, "greedy": GreedyPolicy}


def make_policy(name: str) -> Policy:
    """The policy called ``name``: ``random``, ``greedy``, or your own as ``module:attribute``.

    An attribute that is a class or function is called without arguments.

    Raises:
        ValueError: If there is no such policy; it lists what is allowed.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]()
    module_name, _, attribute = name.partition(":")
    if not attribute or not module_name or module_name.startswith("."):
        raise ValueError(
            f"no policy is called {name!r}; use {', '.join(BUILT_IN)}, or module:attribute"
        )
    try:
        policy: Any = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"policy {name!r} cannot be loaded: {error}") from error
    if callable(policy) and (isinstance(policy, type) or not hasattr(policy, "act")):
        policy = policy()
    if not hasattr(policy, "act"):
        raise ValueError(f"policy {name!r} has no method act(views, rng)")
    return policy


def as_policy(name: str, given: str | Policy) -> Policy:
    """The policy that the argument ``name`` gives, by its name or as an object.

    Raises:
        ValueError: If it gives neither; it names the argument.
    """
    if isinstance(given, str):
        return make_policy(given)
    if isinstance(given, type) or not callable(getattr(given, "act", None)):
        raise ValueError(
            f"{name} must be a policy's name or an object with act(views, rng), got {given!r}"
        )
    return given
