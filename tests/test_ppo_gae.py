"""Advantages in self-play, against loops that follow one partnership at a time."""

import numpy as np
import pytest

from seven_rocks_agents.gae import generalized_advantages

STEPS, ENVS = 40, 6


def trajectory():
    rng = np.random.default_rng(5)
    return {
        "rewards": rng.normal(size=(STEPS, ENVS)).astype(np.float32),
        "values": rng.normal(size=(STEPS + 1, ENVS)).astype(np.float32),
        "signs": rng.choice([-1, 1], size=(STEPS + 1, ENVS)).astype(np.float32),
        "dones": rng.random((STEPS, ENVS)) < 0.15,
    }


def of_partnership(partnership, rewards, values, signs, dones, discount, gae_lambda):
    """What the decisions of one partnership were worth to it; NaN at those of the other."""
    side = 1 if partnership == 0 else -1
    advantages = np.full((STEPS, ENVS), np.nan)
    for env in range(ENVS):
        for step in range(STEPS):
            if signs[step, env] != side:
                continue
            total = 0.0
            weight = 1.0
            for later in range(step, STEPS):
                worth = values[later, env] * (1 if signs[later, env] == side else -1)
                following = values[later + 1, env] * (1 if signs[later + 1, env] == side else -1)
                if dones[later, env]:
                    following = 0.0
                error = side * rewards[later, env] + discount * following - worth
                total += weight * error
                weight *= discount * gae_lambda
                if dones[later, env]:
                    break
            advantages[step, env] = total
    return advantages


@pytest.mark.parametrize("discount, gae_lambda", [(1.0, 0.95), (0.9, 0.5), (1.0, 1.0), (1.0, 0.0)])
def test_advantages_match_a_loop_over_each_partnership(discount, gae_lambda):
    data = trajectory()
    advantages = generalized_advantages(**data, discount=discount, gae_lambda=gae_lambda)
    for partnership in (0, 1):
        expected = of_partnership(partnership, **data, discount=discount, gae_lambda=gae_lambda)
        own = ~np.isnan(expected)
        np.testing.assert_allclose(advantages[own], expected[own], rtol=1e-4, atol=1e-4)


def test_with_lambda_1_the_return_is_what_the_partnership_gained_on_the_other():
    data = trajectory()
    advantages = generalized_advantages(**data, discount=1.0, gae_lambda=1.0)
    returns = advantages + data["values"][:-1]
    for env in range(ENVS):
        end = np.flatnonzero(data["dones"][:, env])[0]
        for step in range(end + 1):
            gain = data["rewards"][step : end + 1, env].sum() * data["signs"][step, env]
            assert returns[step, env] == pytest.approx(gain, abs=1e-4)


def test_nothing_after_the_end_of_a_round_counts():
    data = trajectory()
    data["dones"][10] = True
    before = generalized_advantages(**data, discount=1.0, gae_lambda=0.95)
    data["rewards"][11:] += 100
    data["values"][11:] -= 100
    after = generalized_advantages(**data, discount=1.0, gae_lambda=0.95)
    np.testing.assert_array_equal(before[:11], after[:11])
    assert (before[11:] != after[11:]).any()
