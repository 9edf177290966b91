"""Self-play: the network plays every seat of many rounds at once into buffers made once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from seven_rocks_agents.masked import masked_log_probs, sample
from seven_rocks_agents.network import ActorCritic
from seven_rocks_env import observation, rules
from seven_rocks_env.batch import Batch


@dataclass(frozen=True)
class Rollout:
    """What happened in ``envs`` games over ``steps`` decisions each.

    Attributes:
        observations: ``(steps, envs, observation.SIZE)`` int8, of the seat on turn.
        action_masks: ``(steps, envs, 113)`` int8, its legal actions.
        actions: ``(steps, envs)`` int64, what it did.
        log_probs: ``(steps, envs)`` float32, the log-probability with which it did so.
        values: ``(steps + 1, envs)`` float32, the critic's value from its side.
        signs: ``(steps + 1, envs)`` float32, 1 if it is of partnership 0, else -1.
        rewards: ``(steps, envs)`` float32, what the step paid partnership 0, scaled.
        dones: ``(steps, envs)`` bool, steps that ended a round.
    """

    observations: np.ndarray
    action_masks: np.ndarray
    actions: np.ndarray
    log_probs: np.ndarray
    values: np.ndarray
    signs: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray

    @classmethod
    def empty(cls, num_steps: int, num_envs: int) -> Rollout:
        """Buffers for ``num_steps`` decisions in each of ``num_envs`` games."""
        shape = (num_steps, num_envs)
        longer = (num_steps + 1, num_envs)
        return cls(
            observations=np.zeros((*shape, observation.SIZE), np.int8),
            action_masks=np.zeros((*shape, rules.NUM_ACTIONS), np.int8),
            actions=np.zeros(shape, np.int64),
            log_probs=np.zeros(shape, np.float32),
            values=np.zeros(longer, np.float32),
            signs=np.zeros(longer, np.float32),
            rewards=np.zeros(shape, np.float32),
            dones=np.zeros(shape, np.bool_),
        )

    def part(self, envs: slice) -> Rollout:
        """The games ``envs`` of it: views, not copies."""
        return Rollout(**{name: buffer[:, envs] for name, buffer in vars(self).items()})


class Collector:
    """Plays some of a run's games into its part of a rollout.

    Args:
        rollout: Where to; its number of games is the collector's.
        reward_scale: Points of score difference that make a reward of 1.
        seeds: Fixes deals and the sampling of actions.

    Attributes:
        batch: The games, one round an episode, forced actions played at once.
        rng: Samples the actions.
    """

    def __init__(
        self, rollout: Rollout, reward_scale: float, seeds: np.random.SeedSequence
    ) -> None:
        self.rollout = rollout
        self.reward_scale = reward_scale
        deals, play = seeds.spawn(2)
        self.batch = Batch(
            rollout.actions.shape[1],
            int(deals.generate_state(1, np.uint64)[0]),
            episode="round",
            reward="score_difference",
            skip_forced=True,
            num_threads=1,  # the trainer runs a collector on every core
        )
        self.rng = np.random.default_rng(play)

    @torch.no_grad()
    def collect(self, network: ActorCritic) -> None:
        """Fill the rollout, going on where the last call has left the games."""
        out = self.rollout
        batch = self.batch
        seen = torch.from_numpy(batch.observation)
        legal = torch.from_numpy(batch.action_mask).view(torch.bool)
        for step in range(len(out.actions)):
            logits, values = network(seen)
            log_probs = masked_log_probs(logits, legal)
            uniform = self.rng.random(batch.num_envs, np.float32)
            actions = sample(log_probs, torch.from_numpy(uniform))

            out.observations[step] = batch.observation
            out.action_masks[step] = batch.action_mask
            out.actions[step] = actions
            out.log_probs[step] = log_probs.gather(1, actions[:, None])[:, 0]
            out.values[step] = values
            out.signs[step] = 1 - 2 * (batch.seat & 1)

            batch.step(out.actions[step])
            np.divide(batch.rewards[:, 0], self.reward_scale, out=out.rewards[step])
            out.dones[step] = batch.terminations

        _, values = network(seen)
        out.values[-1] = values
        out.signs[-1] = 1 - 2 * (batch.seat & 1)
