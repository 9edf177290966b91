"""Saving and loading a run: tensors as safetensors, the rest as JSON, nothing that can execute.

A checkpoint is a folder, ``checkpoint_000123``, that appears whole or not at all: its files are
written and flushed under another name, and the folder is renamed. A manifest holds the digest of
each file, so that damage, or files from two different saves, never go unnoticed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as tensors_from_bytes
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

FORMAT = "seven_rocks_agents checkpoint 1"
MANIFEST = "manifest.json"
MODEL = "model.safetensors"
TRAINING = "training.safetensors"
STATE = "state.json"

_PREFIX = "checkpoint_"
_UNFINISHED = ".unfinished_"


class CheckpointError(ValueError):
    """A checkpoint is missing, damaged, or not one of ours; the message names the file."""


@dataclass(frozen=True)
class Checkpoint:
    """What is saved.

    Attributes:
        model: The network's weights, all that play needs besides ``state``.
        training: All other tensors: optimiser, games.
        state: What JSON can hold: config, counters, random states, metrics.
    """

    model: dict[str, Tensor]
    training: dict[str, Tensor]
    state: dict[str, Any]


def save_checkpoint(folder: Path, number: int, checkpoint: Checkpoint, keep: int) -> Path:
    """Write ``checkpoint`` as ``folder/checkpoint_<number>`` and drop all but the newest ``keep``.

    Args:
        folder: Where a run's checkpoints are; made if need be.
        number: Of the update after which it is saved; later ones are larger.
        checkpoint: What to save.
        keep: How many to keep, at least 1.

    Returns:
        The checkpoint's folder.

    Raises:
        OSError: If it cannot be written, the disk being full for example, or is there already; the
            earlier ones are as they were.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in folder.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(leftover)
    final = folder / f"{_PREFIX}{number:06d}"
    if final.exists():
        raise FileExistsError(f"{final} exists already")
    contents = {
        MODEL: tensors_to_bytes(checkpoint.model),
        TRAINING: tensors_to_bytes(checkpoint.training),
        STATE: _json_bytes(checkpoint.state),
    }
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    contents[MANIFEST] = _json_bytes({"format": FORMAT, "sha256": digests})

    unfinished = folder / f"{_UNFINISHED}{number:06d}"
    try:
        unfinished.mkdir()
        for name, content in contents.items():
            with open(unfinished / name, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        _flush_folder(unfinished)
        unfinished.rename(final)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    _flush_folder(folder)
    for old in _checkpoints(folder)[:-keep]:
        doomed = folder / f"{_UNFINISHED}{old.name}"  # half deleted, it must not look like one
        old.rename(doomed)
        shutil.rmtree(doomed)
    return final


def latest_checkpoint(folder: Path) -> Path:
    """The newest checkpoint in ``folder``.

    Raises:
        CheckpointError: If there is none.
    """
    found = _checkpoints(folder)
    if not found:
        raise CheckpointError(f"there is no checkpoint in {folder}")
    return found[-1]


def load_checkpoint(path: Path) -> Checkpoint:
    """Read the checkpoint in the folder ``path``; nothing in it is executed.

    Raises:
        CheckpointError: If a file is missing, damaged or not one of ours; it names the file.
    """
    manifest = _json_object(path / MANIFEST, _read(path / MANIFEST))
    if manifest.get("format") != FORMAT:
        raise CheckpointError(
            f"{path / MANIFEST} is not of the format {FORMAT!r} but {manifest.get('format')!r}"
        )
    digests = manifest.get("sha256")
    if not isinstance(digests, dict):
        raise CheckpointError(f"{path / MANIFEST} is damaged: it holds no digests")
    contents = {}
    for name in (MODEL, TRAINING, STATE):
        contents[name] = _read(path / name)
        if hashlib.sha256(contents[name]).hexdigest() != digests.get(name):
            raise CheckpointError(f"{path / name} is damaged: its digest is not the manifest's")
    return Checkpoint(
        model=_tensors(path / MODEL, contents[MODEL]),
        training=_tensors(path / TRAINING, contents[TRAINING]),
        state=_json_object(path / STATE, contents[STATE]),
    )


def _checkpoints(folder: Path) -> list[Path]:
    """The checkpoints in ``folder``, oldest first."""
    numbered = {
        int(path.name.removeprefix(_PREFIX)): path
        for path in folder.glob(f"{_PREFIX}*")
        if path.name.removeprefix(_PREFIX).isdecimal()
    }
    return [numbered[number] for number in sorted(numbered)]


def _json_bytes(value: dict[str, Any]) -> bytes:
    return json.dumps(value, indent=1, allow_nan=False).encode()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from error


def _json_object(path: Path, content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except ValueError as error:  # malformed JSON or malformed UTF-8
        raise CheckpointError(f"{path} is damaged: {error}") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{path} is damaged: it holds no JSON object")
    return value


def _tensors(path: Path, content: bytes) -> dict[str, Tensor]:
    try:
        return tensors_from_bytes(content)
    except SafetensorError as error:
        raise CheckpointError(f"{path} is damaged: {error}") from error


def _flush_folder(folder: Path) -> None:
    """Make the names in ``folder`` survive a crash, where the system has a way to."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
