"""Policies by name, as options and the command line give them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from seven_rocks_env.policies.basic import GreedyPolicy, RandomPolicy
from seven_rocks_env.policies.expert import ExpertPolicy
from seven_rocks_env.policies.ismcts import IsmctsPolicy
from seven_rocks_env.policies.openhand import OpenHandPolicy
from seven_rocks_env.policies.pimc import PimcPolicy
from seven_rocks_env.policies.protocol import Policy, sees_all_hands
from seven_rocks_env.policies.rollout import RolloutPolicy

# What makes each, and its arguments as they are written; those in brackets may be left out.
BUILT_IN: dict[str, tuple[Callable[..., Policy], tuple[str, ...]]] = {
    "random": (RandomPolicy, ()),
    "greedy": (GreedyPolicy, ()),
    "expert": (ExpertPolicy, ()),
    "rollout": (RolloutPolicy, (":N", "[:policy]")),
    "pimc": (PimcPolicy, (":N", "[:tiles]")),
    "ismcts": (IsmctsPolicy, (":N",)),
    "openhand": (OpenHandPolicy, ()),
}


def make_policy(name: str) -> Policy:
    """The policy called ``name``, a built-in one or your own as ``module:attribute``.

    Built-in are ``random``, ``greedy``, ``expert``, ``rollout:N`` or ``rollout:N:policy``,
    ``pimc:N`` or ``pimc:N:tiles``, ``ismcts:N`` and ``openhand``. Arguments are those of their
    classes. Their names go before those of modules. An attribute that is a class or function is
    called without arguments.

    Raises:
        ValueError: If there is no such policy, or an argument is not allowed; it lists what is.
    """
    kind, *arguments = name.split(":")
    if kind in BUILT_IN:
        return _make_built_in(kind, arguments)
    module_name, _, attribute = name.partition(":")
    if not attribute or not module_name or module_name.startswith("."):
        raise ValueError(
            f"no policy is called {name!r}; use {', '.join(map(_usage, BUILT_IN))}, "
            "or module:attribute"
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


def _usage(kind: str) -> str:
    return kind + "".join(BUILT_IN[kind][1])


def _make_built_in(kind: str, arguments: list[str]) -> Policy:
    make, allowed = BUILT_IN[kind]
    name = ":".join([kind, *arguments])
    needed = sum(not argument.startswith("[") for argument in allowed)
    if not needed <= len(arguments) <= len(allowed):
        raise ValueError(f"policy {name!r} must be written {_usage(kind)}")
    values = [int(text) if text.isascii() and text.isdecimal() else text for text in arguments]
    try:
        return make(*values)
    except ValueError as error:
        raise ValueError(f"policy {name!r}, written {_usage(kind)}: {error}") from None


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
