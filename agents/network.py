"""The network that plays all four seats: observation in, action logits and value out."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import numpy as np
import torch
from torch import Tensor, nn

from seven_rocks_agents.config import NetworkConfig
from seven_rocks_env import observation, rules

CREDITS = observation.FEATURE["credits"].slice  # in the order of the placements' actions
CREDIT_SCALE = 10.0  # lets one weight among so many move as fast as all of them together


class ActorCritic(nn.Module):
    """A multilayer perceptron with a policy head and a value head.

    One network serves all seats, since observations are relative to the seat. Weights start
    orthogonal (Saxe et al., 2014), the policy head's small, so that play starts almost uniform.

    What each placement would credit is in the observation; one learned number, the same for all
    placements and 0 at first, carries it straight to the placement's logit. Otherwise the network
    has to find out 112 times over that points are good.

    Args:
        config: Its size.
        rng: Draws the initial weights.
    """

    def __init__(self, config: NetworkConfig, rng: np.random.Generator) -> None:
        super().__init__()
        self.scale: Tensor
        self.register_buffer("scale", torch.from_numpy(observation.SCALE), persistent=False)
        sizes = (observation.SIZE, *config.hidden_sizes)
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [_linear(inputs, outputs, sqrt(2), rng), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.policy_head = _linear(sizes[-1], rules.NUM_ACTIONS, 0.01, rng)
        self.value_head = _linear(sizes[-1], 1, 1.0, rng)
        self.credit_weight = nn.Parameter(torch.zeros(1))

    def forward(self, integers: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            integers: ``(n, observation.SIZE)`` int8 observations of the seats on turn.

        Returns:
            Logits of all actions, ``(n, 113)`` float32, the illegal ones not yet masked; and what
            the seat's partnership will still gain on the other, ``(n,)`` float32, in units of
            ``reward_scale`` points.
        """
        features = integers * self.scale
        hidden = self.trunk(features)
        logits = self.policy_head(hidden)
        logits[:, : rules.PASS] += self.credit_weight * CREDIT_SCALE * features[:, CREDITS]
        return logits, self.value_head(hidden).squeeze(-1)


def _linear(inputs: int, outputs: int, gain: float, rng: np.random.Generator) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    generator = torch.Generator().manual_seed(int(rng.integers(2**63)))
    nn.init.orthogonal_(layer.weight, gain, generator=generator)
    nn.init.zeros_(layer.bias)
    return layer
