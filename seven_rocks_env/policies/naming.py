"""Policies by name, as options and the command line give them."""

from __future__ import annotations

import importlib
from typing import Any

from seven_rocks_env.policies.basic import GreedyPolicy, RandomPolicy
from seven_rocks_env.policies.protocol import Policy, sees_all_hands

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


def as_policy(name: str, given: str | Policy, *, all_hands: bool = False) -> Policy:
    """The policy that the argument ``name`` gives, by its name or as an object.

    Args:
        name: The argument's name, for errors.
        given: What was given.
        all_hands: The caller shows all hands to a policy that ``sees_all_hands``.

    Raises:
        ValueError: If it gives neither, or a policy that sees all hands where nobody shows them;
            it names the argument.
    """
    if isinstance(given, str):
        policy = make_policy(given)
    elif isinstance(given, type) or not callable(getattr(given, "act", None)):
        raise ValueError(
            f"{name} must be a policy's name or an object with act(views, rng), got {given!r}"
        )
    else:
        policy = given
    if sees_all_hands(policy) and not all_hands:
        raise ValueError(
            f"{name} must be a policy that sees its own hand alone, got {given!r}, which sees all; "
            "only evaluation.compare shows them"
        )
    return policy
