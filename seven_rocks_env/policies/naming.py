"""Policies by name, as options and the command line give them."""

from __future__ import annotations

import importlib
from typing import Any

from seven_rocks_env.policies.basic import GreedyPolicy, RandomPolicy
from seven_rocks_env.policies.protocol import Policy

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
