"""A training run: play, learn, watch, save."""

from __future__ import annotations

from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
import torch

from seven_rocks_agents.checkpoint import Checkpoint, CheckpointError, save_checkpoint
from seven_rocks_agents.config import Config, parse_dict
from seven_rocks_agents.interruption import Interruption
from seven_rocks_agents.logs import Logs
from seven_rocks_agents.network import ActorCritic
from seven_rocks_agents.policy import (
    CHECKPOINTS,
    NetworkPolicy,
    load_network,
    observation_layout,
)
from seven_rocks_agents.ppo import Learner
from seven_rocks_agents.rollout import Collector, Rollout
from seven_rocks_agents.workers import Workers
from seven_rocks_env import rules
from seven_rocks_env.evaluation import compare
from seven_rocks_env.policies import GreedyPolicy

Number = TypeVar("Number", int, float)

# Until this part of max_minutes is over a run is not called slow: it may have had to compile.
GRACE = 0.1


class Trainer:
    """Everything a run consists of.

    Args:
        config: What the run is told.

    Attributes:
        network: What learns.
        collectors: Play, one for each worker.
        rollout: What they have played since the last update.
        learner: Improves the network.
        updates: How many updates are done.
        minutes: What they took.
        metrics: The newest value of each metric.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        torch.set_num_threads(1)  # the initial weights' last bits depend on it
        weights, play, shuffling = np.random.SeedSequence(config.seed).spawn(3)
        self.network = ActorCritic(config.network, np.random.default_rng(weights))
        self.rollout = Rollout.empty(config.rollout.num_steps, config.rollout.num_envs)
        share = config.rollout.num_envs // config.num_workers
        self.collectors = [
            Collector(
                self.rollout.part(slice(share * worker, share * (worker + 1))),
                config.rollout.reward_scale,
                seeds,
            )
            for worker, seeds in enumerate(play.spawn(config.num_workers))
        ]
        self.learner = Learner(self.network, config.ppo, np.random.default_rng(shuffling))
        self.updates = 0
        self.minutes = 0.0
        self.metrics: dict[str, float] = {}

    @property
    def steps(self) -> int:
        """Decisions learnt from."""
        return self.updates * self.config.steps_per_update

    @property
    def progress(self) -> float:
        """Part of the run that is done, at least 1 at its end.

        Updates count, unless ``max_minutes`` runs out faster.
        """
        updates = self.updates / self.config.num_updates
        if self.config.max_minutes is None:
            return updates
        time = self.minutes / self.config.max_minutes
        return updates if time < GRACE else max(updates, time)

    def update(self, workers: Workers) -> dict[str, float]:
        """Play a rollout, learn from it, evaluate if it is time to.

        Args:
            workers: As many as the config says.

        Returns:
            The update's metrics by name, those of an evaluation only if there was one.
        """
        start = perf_counter()
        workers.map(lambda collector: collector.collect(self.network), self.collectors)
        played = perf_counter()
        losses = self.learner.update(self.rollout, workers, self.progress)
        learnt = perf_counter()

        self.updates += 1
        every = self.config.evaluation.every_updates
        evaluation = self._evaluate() if every and self.updates % every == 0 else {}
        self.minutes += (perf_counter() - start) / 60
        metrics = {
            "update": self.updates,
            "steps": self.steps,
            "minutes": self.minutes,
            "steps_per_second": self.config.steps_per_update / (learnt - start),
            "playing_share": (played - start) / (learnt - start),
            **losses,
            **evaluation,
        }
        self.metrics |= metrics
        return metrics

    def _evaluate(self) -> dict[str, float]:
        config = self.config.evaluation
        policy = NetworkPolicy(self.network)
        comparison = compare(policy, GreedyPolicy(), config.num_deals, config.seed)
        low, high = comparison.interval()
        return {"margin_on_greedy": comparison.mean, "margin_low": low, "margin_high": high}

    def to_checkpoint(self) -> Checkpoint:
        """All that ``from_checkpoint`` needs to go on exactly as this run would."""
        games = {
            f"games.{worker}": torch.from_numpy(_bytes_of(collector.batch.states))
            for worker, collector in enumerate(self.collectors)
        }
        state = {
            "config": self.config.to_dict(),
            "observation": observation_layout(),
            "updates": self.updates,
            "minutes": self.minutes,
            "metrics": self.metrics,
            "shuffling": self.learner.rng.bit_generator.state,
            "play": [collector.rng.bit_generator.state for collector in self.collectors],
        }
        training = games | self.learner.optimizer_tensors()
        return Checkpoint(dict(self.network.state_dict()), training, state)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, path: Path) -> Trainer:
        """The run saved in ``checkpoint``, which was read from ``path``.

        Raises:
            CheckpointError: If it does not fit this version.
        """
        network = load_network(checkpoint, path)
        state = checkpoint.state
        try:
            trainer = cls(parse_dict(state["config"]))
            trainer.network.load_state_dict(network.state_dict())
            trainer.updates = _count("updates", state["updates"], int)
            trainer.minutes = _count("minutes", state["minutes"], float)
            trainer.metrics = state["metrics"]
            trainer.learner.rng.bit_generator.state = state["shuffling"]
            for worker, collector in enumerate(trainer.collectors):
                collector.rng.bit_generator.state = state["play"][worker]
                games = checkpoint.training[f"games.{worker}"].numpy()
                collector.batch.restore(games.view(rules.STATE)[:, 0])
            trainer.learner.restore_optimizer(checkpoint.training)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"{path} does not fit this version: {error!r}") from error
        return trainer


def train(trainer: Trainer, run_folder: Path, logs: Logs) -> bool:
    """Train to the end, or until Ctrl-C, saving on the way.

    Args:
        trainer: The run, new or resumed.
        run_folder: Where its checkpoints go.
        logs: Where its metrics go.

    Returns:
        True if the run is complete, False if it was interrupted; it is saved either way.
    """
    config = trainer.config
    checkpoints = run_folder / CHECKPOINTS
    with Workers(config.num_workers) as workers, Interruption() as interruption:
        stopping = trainer.progress >= 1
        while not stopping:
            logs.write(trainer.update(workers))
            stopping = trainer.progress >= 1 or interruption.requested
            if stopping or trainer.updates % config.checkpoint.every_updates == 0:
                save_checkpoint(
                    checkpoints, trainer.updates, trainer.to_checkpoint(), config.checkpoint.keep
                )
    return trainer.progress >= 1


def _count(name: str, value: Any, kind: type[Number]) -> Number:
    """``value``, if it is a ``kind`` and not negative."""
    if not isinstance(value, kind) or isinstance(value, bool) or not 0 <= value < inf:
        raise ValueError(f"{name} must be a non-negative {kind.__name__}, got {value!r}")
    return value


def _bytes_of(states: np.ndarray) -> np.ndarray:
    """``states`` (n,) as a copy, (n, bytes of a state) uint8."""
    return states.copy().view(np.uint8).reshape(len(states), -1)
