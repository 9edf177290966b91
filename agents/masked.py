"""The categorical distribution over actions, of which some are illegal."""

from __future__ import annotations

import torch
from torch import Tensor

ILLEGAL_LOGIT = -1e9  # its exponential is 0 in float32, yet 0 times it is 0 and not NaN


def masked_log_probs(logits: Tensor, action_mask: Tensor) -> Tensor:
    """Log-probabilities of all actions, with the illegal ones at probability exactly 0.

    Args:
        logits: ``(..., actions)`` float32.
        action_mask: ``(..., actions)`` bool; at least one True in each row.

    Returns:
        ``(..., actions)`` float32. No gradient reaches the logits of illegal actions.
    """
    return logits.masked_fill(~action_mask, ILLEGAL_LOGIT).log_softmax(dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Entropy in nats, ``(...,)``, of ``log_probs`` ``(..., actions)``; illegal actions add 0."""
    return -(log_probs.exp() * log_probs).sum(dim=-1)


def sample(log_probs: Tensor, uniform: Tensor) -> Tensor:
    """Draw an action from each row by inverting its cumulative distribution.

    Args:
        log_probs: ``(n, actions)`` float32, from ``masked_log_probs``.
        uniform: ``(n,)`` float32 random numbers in [0, 1).

    Returns:
        ``(n,)`` int64. The cumulative sum does not rise at an action of probability 0, so that
        none is ever the first to exceed the threshold.
    """
    cumulative = log_probs.exp().cumsum(dim=-1)
    threshold = uniform[:, None] * cumulative[:, -1:]
    return (cumulative > threshold).to(torch.uint8).argmax(dim=-1)
