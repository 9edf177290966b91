"""Policies: the protocol that players follow, those that need no learning, and their names.

``basic`` and ``expert`` judge what they see; ``rollout``, ``pimc`` and ``ismcts`` search over deals
sampled from ``beliefs``; ``openhand`` cheats, as a ceiling for the others.
"""

from seven_rocks_env.policies.basic import GreedyPolicy, RandomPolicy
from seven_rocks_env.policies.expert import ExpertPolicy
from seven_rocks_env.policies.ismcts import IsmctsPolicy
from seven_rocks_env.policies.naming import BUILT_IN, as_policy, make_policy
from seven_rocks_env.policies.openhand import OpenHandPolicy
from seven_rocks_env.policies.pimc import PimcPolicy
from seven_rocks_env.policies.protocol import Policy, Views, sees_all_hands
from seven_rocks_env.policies.rollout import RolloutPolicy

__all__ = [
    "BUILT_IN",
    "ExpertPolicy",
    "GreedyPolicy",
    "IsmctsPolicy",
    "OpenHandPolicy",
    "PimcPolicy",
    "Policy",
    "RandomPolicy",
    "RolloutPolicy",
    "Views",
    "as_policy",
    "make_policy",
    "sees_all_hands",
]
