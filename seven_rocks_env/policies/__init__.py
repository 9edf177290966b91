"""Policies: the protocol that players follow, those that need no learning, and their names."""

from seven_rocks_env.policies.basic import GreedyPolicy, RandomPolicy
from seven_rocks_env.policies.naming import BUILT_IN, as_policy, make_policy
from seven_rocks_env.policies.protocol import Policy, Views, sees_all_hands

__all__ = [
    "BUILT_IN",
    "GreedyPolicy",
    "Policy",
    "RandomPolicy",
    "Views",
    "as_policy",
    "make_policy",
    "sees_all_hands",
]
