"""Trained networks as policies that play anywhere the built-in ones do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from seven_rocks_agents.checkpoint import (
    MANIFEST,
    Checkpoint,
    CheckpointError,
    latest_checkpoint,
    load_checkpoint,
)
from seven_rocks_agents.config import parse_dict
from seven_rocks_agents.masked import masked_log_probs, sample
from seven_rocks_agents.network import ActorCritic
from seven_rocks_env import observation
from seven_rocks_env.policies import Views

CHECKPOINTS = "checkpoints"  # the folder in a run's folder


class NetworkPolicy:
    """Plays by a network: its most likely action, or a sample.

    Args:
        network: What to play by; later changes to its weights change the play.
        sampling: Draw from the network's distribution instead of taking its most likely action.
    """

    def __init__(self, network: ActorCritic, *, sampling: bool = False) -> None:
        self.network = network
        self.sampling = sampling

    @classmethod
    def load(cls, path: str | Path, *, sampling: bool = False) -> NetworkPolicy:
        """The policy in a checkpoint's folder, or the newest in a run's folder.

        Raises:
            CheckpointError: If there is none that can be used; it names the file.
        """
        folder = Path(path)
        if not (folder / MANIFEST).exists():
            folder = latest_checkpoint(folder / CHECKPOINTS)
        return cls(load_network(load_checkpoint(folder), folder), sampling=sampling)

    @torch.no_grad()
    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``seven_rocks_env.policies.Policy.act``."""
        logits, _ = self.network(torch.from_numpy(views.integers))
        legal = torch.from_numpy(views.action_mask).view(torch.bool)
        log_probs = masked_log_probs(logits, legal)
        if not self.sampling:
            return log_probs.argmax(dim=-1).numpy()
        uniform = rng.random(len(views), np.float32)
        return sample(log_probs, torch.from_numpy(uniform)).numpy()


def observation_layout() -> list[list[object]]:
    """Name and shape of each feature that networks are trained on, for JSON."""
    return [[feature.name, list(feature.shape)] for feature in observation.FEATURES]


def load_network(checkpoint: Checkpoint, path: Path) -> ActorCritic:
    """The network in ``checkpoint``, which was read from ``path``.

    Raises:
        CheckpointError: If it does not fit this version's observation or network.
    """
    if checkpoint.state.get("observation") != observation_layout():
        raise CheckpointError(f"{path} was made for another version's observation")
    try:
        config = parse_dict(checkpoint.state["config"])
        network = ActorCritic(config.network, np.random.default_rng(0))
        network.load_state_dict(checkpoint.model)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"{path} does not fit this version: {error}") from error
    return network
