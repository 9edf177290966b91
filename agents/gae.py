"""Advantages in a game of two partnerships, of which one's gain is the other's loss."""

from __future__ import annotations

import numpy as np


def generalized_advantages(
    rewards: np.ndarray,
    values: np.ndarray,
    signs: np.ndarray,
    dones: np.ndarray,
    discount: float,
    gae_lambda: float,
) -> np.ndarray:
    """Generalised advantage estimation over every decision of a round (Schulman et al., 2016).

    The decisions of all four seats form one trajectory, seen from partnership 0: the value of a
    position is the acting seat's, with its sign turned where that seat is of partnership 1. The
    advantages go back to the acting seats in the same way.

    Args:
        rewards: ``(steps, envs)`` float32, what each step paid partnership 0.
        values: ``(steps + 1, envs)`` float32, before each step and after the last one, from the
            side of the seat on turn.
        signs: ``(steps + 1, envs)`` float32, 1 where the seat on turn is of partnership 0, else -1.
        dones: ``(steps, envs)`` bool, steps that ended an episode: nothing after them counts.
        discount: Discount per decision, gamma.
        gae_lambda: Decay of the estimator, lambda.

    Returns:
        ``(steps, envs)`` float32, from the side of the acting seat.
    """
    values = values * signs
    carries = np.float32(1) - dones
    advantages = np.empty_like(rewards)
    following = np.zeros_like(rewards[0])
    for step in reversed(range(len(rewards))):
        error = rewards[step] + discount * carries[step] * values[step + 1] - values[step]
        following = error + discount * gae_lambda * carries[step] * following
        advantages[step] = following
    return advantages * signs[:-1]
