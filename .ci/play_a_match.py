"""Plays a match with an installed seven_rocks_env, as a user without torch would."""

import importlib.util

import numpy as np

from seven_rocks_env import seven_rocks_v0
from seven_rocks_env.policies import make_policy

assert importlib.util.find_spec("torch") is None, "this check is for an environment without torch"

env = seven_rocks_v0.env()
env.reset(seed=1)
policies = [make_policy("greedy"), make_policy("random")]
rng = np.random.default_rng(1)
returns = dict.fromkeys(env.agents, 0.0)
for agent in env.agent_iter():
    _, reward, terminated, truncated, _ = env.last()
    returns[agent] += reward
    if terminated or truncated:
        env.step(None)
    else:
        policy = policies[env.possible_agents.index(agent) % 2]
        env.step(int(policy.act(env.unwrapped.views(), rng)[0]))

first, second = env.unwrapped.scores
assert max(first, second) >= 250, (first, second)
assert returns["player_0"] == first - second == -returns["player_1"], returns
print(f"greedy {first}, random {second}: {len(env.unwrapped.history.rounds)} rounds")
