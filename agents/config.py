"""What a training run is told: typed, documented and checked values, read from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

from jsonargparse import ArgumentError, ArgumentParser, Namespace
from jsonargparse.typing import (
    ClosedUnitInterval,
    NonNegativeFloat,
    NonNegativeInt,
    OpenUnitInterval,
    PositiveFloat,
    PositiveInt,
)


@dataclass(frozen=True)
class NetworkConfig:
    """The actor-critic network.

    Attributes:
        hidden_sizes: Units of each hidden layer.
    """

    hidden_sizes: tuple[PositiveInt, ...] = (256, 256)


@dataclass(frozen=True)
class RolloutConfig:
    """Self-play between two updates.

    Attributes:
        num_envs: Games played at once.
        num_steps: Decisions taken in each game before an update.
        reward_scale: Points of score difference that make a reward of 1.
    """

    num_envs: PositiveInt = 1024
    num_steps: PositiveInt = 32
    reward_scale: PositiveFloat = 30.0


@dataclass(frozen=True)
class PPOConfig:
    """Proximal policy optimisation. Values called final are reached, linearly, at the end.

    Attributes:
        learning_rate: Adam's step size at the start.
        final_learning_rate: Adam's step size at the end.
        entropy_coefficient: Weight of the entropy bonus at the start.
        final_entropy_coefficient: Weight of the entropy bonus at the end.
        discount: Discount of rewards per decision, gamma; a round is short, so 1 loses nothing.
        gae_lambda: Decay of generalised advantage estimation, lambda.
        clip_range: How far the probability ratio may move from 1 before its gradient is cut off.
        value_coefficient: Weight of the value loss.
        num_epochs: Passes over each rollout.
        minibatch_size: Decisions in each gradient step; divides num_envs x num_steps.
        max_grad_norm: Gradients with a larger Euclidean norm are scaled down to it.
    """

    learning_rate: PositiveFloat = 3e-3
    final_learning_rate: NonNegativeFloat = 5e-5
    entropy_coefficient: NonNegativeFloat = 0.02
    final_entropy_coefficient: NonNegativeFloat = 0.001
    discount: ClosedUnitInterval = 1.0
    gae_lambda: ClosedUnitInterval = 0.9
    clip_range: OpenUnitInterval = 0.2
    value_coefficient: NonNegativeFloat = 0.5
    num_epochs: PositiveInt = 2
    minibatch_size: PositiveInt = 2048
    max_grad_norm: PositiveFloat = 0.5


@dataclass(frozen=True)
class EvaluationConfig:
    """Duplicate deals against the built-in policies.

    Attributes:
        every_updates: Updates between two evaluations against greedy; 0 for none.
        num_deals: Deals of each of these.
        seed: Seed of these deals.
        final_num_deals: Deals against each opponent in the report at the end.
        final_seed: Seed of the report's deals; nothing else may use it.
    """

    every_updates: NonNegativeInt = 20
    num_deals: PositiveInt = 500
    seed: NonNegativeInt = 1001
    final_num_deals: PositiveInt = 10_000
    final_seed: NonNegativeInt = 2002


@dataclass(frozen=True)
class CheckpointConfig:
    """What is saved on the way.

    Attributes:
        every_updates: Updates between two checkpoints; the last update is always saved.
        keep: Checkpoints that are kept, the newest.
    """

    every_updates: PositiveInt = 50
    keep: PositiveInt = 3


@dataclass(frozen=True)
class Config:
    """A training run.

    Attributes:
        seed: Fixes deals, play and learning.
        total_steps: Decisions to learn from, in whole rollouts; forced actions are not decisions.
        max_minutes: Minutes of training after which a run ends that has not reached total_steps.
            A machine too slow for that anneals faster and its result depends on its speed.
        num_workers: Threads that play and compute gradients side by side. Results depend on this
            number but not on how many cores there are.
        network: The actor-critic network.
        rollout: Self-play between two updates.
        ppo: The learning.
        evaluation: Duplicate deals against the built-in policies.
        checkpoint: What is saved on the way.
    """

    seed: NonNegativeInt = 1
    total_steps: PositiveInt = 6_000_000
    max_minutes: PositiveFloat | None = None
    num_workers: PositiveInt = 2
    network: NetworkConfig = field(default_factory=NetworkConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    checkpoint: CheckpointConfig = field(default_factory=CheckpointConfig)

    def __post_init__(self) -> None:
        _check_finite(self)
        steps = self.steps_per_update
        minibatch = self.ppo.minibatch_size
        if self.total_steps < steps:
            raise ValueError(
                f"total_steps must be at least one rollout, rollout.num_envs x rollout.num_steps "
                f"= {steps}, got {self.total_steps}"
            )
        if self.rollout.num_envs % self.num_workers:
            raise ValueError(
                f"rollout.num_envs must be a multiple of num_workers = {self.num_workers}, "
                f"got {self.rollout.num_envs}"
            )
        if minibatch > steps or steps % minibatch or minibatch % self.num_workers:
            raise ValueError(
                f"ppo.minibatch_size must divide rollout.num_envs x rollout.num_steps = {steps} "
                f"and be a multiple of num_workers = {self.num_workers}, got {minibatch}"
            )
        if self.evaluation.num_deals < 2 or self.evaluation.final_num_deals < 2:
            raise ValueError(
                "evaluation.num_deals and evaluation.final_num_deals must be at least 2, "
                f"got {self.evaluation.num_deals} and {self.evaluation.final_num_deals}"
            )
        if self.evaluation.seed == self.evaluation.final_seed:
            raise ValueError(
                "evaluation.final_seed must differ from evaluation.seed, "
                f"got {self.evaluation.seed} for both"
            )

    @property
    def steps_per_update(self) -> int:
        """Decisions in one rollout."""
        return self.rollout.num_envs * self.rollout.num_steps

    @property
    def num_updates(self) -> int:
        """Updates in the whole run."""
        return self.total_steps // self.steps_per_update

    def to_dict(self) -> dict[str, Any]:
        """All values, nested as in YAML; ``parse_dict`` reads them back."""
        return asdict(self)


def _check_finite(group: Any, prefix: str = "") -> None:
    for item in fields(group):
        value = getattr(group, item.name)
        if is_dataclass(value):
            _check_finite(value, f"{prefix}{item.name}.")
        elif isinstance(value, float) and not isfinite(value):
            raise ValueError(f"{prefix}{item.name} must be finite, got {value}")


def _plain(value: Any) -> Any:
    """``value`` with Python's own numbers.

    The parser's are subclasses of them, which NumPy takes for float64 where it computes in float32
    with Python's own.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _plain(getattr(value, f.name)) for f in fields(value)})
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


def add_config_arguments(parser: ArgumentParser) -> None:
    """Add ``--config`` and an option for every value of ``Config`` to ``parser``."""
    parser.add_argument(
        "--config", action="config", help="A YAML file with any of the values below."
    )
    parser.add_class_arguments(Config)


def config_from(parser: ArgumentParser, parsed: Namespace) -> Config:
    """The config in what ``parser`` has parsed; it may hold other arguments too.

    Raises:
        ValueError: If values don't fit together; it names the key and what is allowed.
    """
    for item in fields(Config):
        value = parsed[item.name]
        if item.default is MISSING and not isinstance(value, Namespace):
            raise ValueError(f"{item.name} must hold keys of its own, got {value!r}")
    values = parser.instantiate(parsed)
    return _plain(Config(**{item.name: values[item.name] for item in fields(Config)}))


def parse_dict(values: Mapping[str, Any]) -> Config:
    """The config with these ``values``, nested as in YAML; the others keep their defaults.

    Raises:
        ValueError: If a key is unknown or a value not allowed; it names the key.
    """
    parser = ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(Config)
    try:
        return config_from(parser, parser.parse_object(dict(values)))
    except ArgumentError as error:
        raise ValueError(str(error)) from error


def find_config(name: str, home: Path) -> Path:
    """The config file ``name``: as seen from here, else from ``home``, the checkout.

    Raises:
        ValueError: If there is none; it says where it was looked for.
    """
    places = [Path(name), home / name]
    for place in places:
        if place.is_file():
            return place
    looked = " or ".join(dict.fromkeys(str(place.resolve()) for place in places))
    raise ValueError(f"there is no config file {looked}")
