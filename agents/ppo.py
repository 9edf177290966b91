"""Proximal policy optimisation (Schulman et al., 2017): the loss, and the update of a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seven_rocks_agents.config import PPOConfig
from seven_rocks_agents.gae import generalized_advantages
from seven_rocks_agents.masked import entropy, masked_log_probs
from seven_rocks_agents.network import ActorCritic
from seven_rocks_agents.rollout import Rollout
from seven_rocks_agents.workers import Workers


@dataclass(frozen=True)
class Samples:
    """Decisions to learn from, flat; every field has ``n`` rows.

    Attributes:
        observations: ``(n, observation.SIZE)`` int8.
        action_masks: ``(n, 113)`` bool.
        actions: ``(n,)`` int64.
        log_probs: ``(n,)`` float32, log-probability of the action when it was taken.
        advantages: ``(n,)`` float32.
        returns: ``(n,)`` float32, what the value should have been.
    """

    observations: Tensor
    action_masks: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor

    def __getitem__(self, rows: Tensor) -> Samples:
        return Samples(**{name: field[rows] for name, field in vars(self).items()})


@dataclass(frozen=True)
class Losses:
    """The parts of the PPO loss and what one watches, each a mean over the decisions.

    Attributes:
        total: What is minimised.
        policy_loss: Clipped surrogate, negated.
        value_loss: Half the mean squared error of the value.
        entropy: In nats.
        kl: Estimated divergence of the policy from the one that played, in nats.
        clip_fraction: Decisions whose probability ratio was outside the clip range.
    """

    total: Tensor
    policy_loss: Tensor
    value_loss: Tensor
    entropy: Tensor
    kl: Tensor
    clip_fraction: Tensor


def ppo_losses(
    logits: Tensor,
    values: Tensor,
    samples: Samples,
    clip_range: float,
    value_coefficient: float,
    entropy_coefficient: float,
) -> Losses:
    """The clipped surrogate loss with value loss and entropy bonus.

    Args:
        logits: ``(n, 113)`` float32, from the network as it is now.
        values: ``(n,)`` float32, likewise.
        samples: The ``n`` decisions.
        clip_range: Bounds the probability ratio to 1 - clip_range .. 1 + clip_range.
        value_coefficient: Weight of the value loss.
        entropy_coefficient: Weight of the entropy bonus.
    """
    log_probs = masked_log_probs(logits, samples.action_masks)
    log_ratio = log_probs.gather(1, samples.actions[:, None]).squeeze(1) - samples.log_probs
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
    policy = -torch.min(ratio * samples.advantages, clipped * samples.advantages).mean()
    value = 0.5 * (values - samples.returns).square().mean()
    bonus = entropy(log_probs).mean()
    with torch.no_grad():
        kl = (ratio - 1 - log_ratio).mean()  # unbiased and never negative (Schulman, 2020)
        clip_fraction = (ratio != clipped).float().mean()
    total = policy + value_coefficient * value - entropy_coefficient * bonus
    return Losses(total, policy, value, bonus, kl, clip_fraction)


class Learner:
    """Improves a network by PPO, each minibatch shared out among workers.

    Args:
        network: Is changed in place.
        config: How.
        rng: Shuffles the decisions.
    """

    def __init__(self, network: ActorCritic, config: PPOConfig, rng: np.random.Generator) -> None:
        self.network = network
        self.config = config
        self.rng = rng
        self.optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate, eps=1e-5)

    def update(self, rollout: Rollout, workers: Workers, progress: float) -> dict[str, float]:
        """Learn from ``rollout``.

        Args:
            rollout: What the network has just played.
            workers: Compute the gradients.
            progress: Part of the run that is done, from 0 to 1, for what is annealed.

        Returns:
            Means over the update of the losses and what else is worth a curve, by name.
        """
        config = self.config
        learning_rate = anneal(config.learning_rate, config.final_learning_rate, progress)
        entropy_coefficient = anneal(
            config.entropy_coefficient, config.final_entropy_coefficient, progress
        )
        self.optimizer.param_groups[0]["lr"] = learning_rate
        samples, explained = prepare(rollout, config.discount, config.gae_lambda)
        count = len(samples.actions)
        totals: dict[str, float] = {}

        for _ in range(config.num_epochs):
            order = torch.from_numpy(self.rng.permutation(count))
            for rows in order.split(config.minibatch_size):
                stats = self._step(samples, rows, workers, entropy_coefficient)
                for name, stat in stats.items():
                    totals[name] = totals.get(name, 0.0) + stat

        steps = config.num_epochs * (count // config.minibatch_size)
        means = {name: total / steps for name, total in totals.items()}
        return means | {
            "explained_variance": explained,
            "learning_rate": learning_rate,
            "entropy_coefficient": entropy_coefficient,
        }

    def _step(
        self, samples: Samples, rows: Tensor, workers: Workers, entropy_coefficient: float
    ) -> dict[str, float]:
        """One step of Adam on the mean gradient of the decisions ``rows``."""
        config = self.config
        parameters = list(self.network.parameters())

        def gradients(part: Tensor) -> tuple[tuple[Tensor, ...], dict[str, float]]:
            decisions = samples[part]
            logits, values = self.network(decisions.observations)
            losses = ppo_losses(
                logits,
                values,
                decisions,
                config.clip_range,
                config.value_coefficient,
                entropy_coefficient,
            )
            stats = {name: loss.item() for name, loss in vars(losses).items() if name != "total"}
            return torch.autograd.grad(losses.total, parameters), stats

        results = workers.map(gradients, rows.chunk(workers.count))
        for index, parameter in enumerate(parameters):
            parameter.grad = torch.stack([grads[index] for grads, _ in results]).mean(dim=0)
        norm = torch.nn.utils.clip_grad_norm_(parameters, config.max_grad_norm)
        if not norm.isfinite():
            raise FloatingPointError(
                "learning has diverged: a gradient is not finite; try a smaller ppo.learning_rate"
            )
        self.optimizer.step()
        means = {
            name: float(np.mean([stats[name] for _, stats in results])) for name in results[0][1]
        }
        return means | {"gradient_norm": norm.item()}

    def optimizer_tensors(self) -> dict[str, Tensor]:
        """Adam's moments and counters, for a checkpoint."""
        return {
            f"optimizer.{index}.{name}": tensor
            for index, moments in self.optimizer.state_dict()["state"].items()
            for name, tensor in moments.items()
        }

    def restore_optimizer(self, tensors: dict[str, Tensor]) -> None:
        """Take up what ``optimizer_tensors`` gave; ``tensors`` may hold others too."""
        state: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            if kind == "optimizer":
                index, _, key = rest.partition(".")
                state.setdefault(int(index), {})[key] = tensor.clone()
        self.optimizer.load_state_dict(self.optimizer.state_dict() | {"state": state})


def prepare(rollout: Rollout, discount: float, gae_lambda: float) -> tuple[Samples, float]:
    """The decisions of ``rollout``, flat, with advantages of mean 0 and deviation 1.

    Returns:
        The samples, and how much of the returns' variance the values explain, at most 1.
    """
    advantages = generalized_advantages(
        rollout.rewards, rollout.values, rollout.signs, rollout.dones, discount, gae_lambda
    )
    returns = advantages + rollout.values[:-1]
    explained = 1 - advantages.var() / max(returns.var(), 1e-8)
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    samples = Samples(
        observations=_flat(rollout.observations),
        action_masks=_flat(rollout.action_masks).view(torch.bool),
        actions=_flat(rollout.actions),
        log_probs=_flat(rollout.log_probs),
        advantages=_flat(advantages),
        returns=_flat(returns),
    )
    return samples, float(explained)


def anneal(start: float, end: float, progress: float) -> float:
    """The value on the straight line from ``start`` to ``end`` at ``progress`` (0 to 1)."""
    return start + (end - start) * progress


def _flat(array: np.ndarray) -> Tensor:
    return torch.from_numpy(array.reshape(-1, *array.shape[2:]))
