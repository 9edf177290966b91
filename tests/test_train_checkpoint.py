"""Checkpoints: whole or not there, and nothing else is accepted."""

import json
import pickle
import shutil
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from seven_rocks_agents import checkpoint as checkpoints  # noqa: E402
from seven_rocks_agents.checkpoint import (  # noqa: E402
    Checkpoint,
    CheckpointError,
    latest_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from seven_rocks_agents.command_line import start_run  # noqa: E402
from seven_rocks_agents.config import parse_dict  # noqa: E402
from seven_rocks_agents.policy import CHECKPOINTS, NetworkPolicy  # noqa: E402
from seven_rocks_agents.trainer import Trainer  # noqa: E402

FILES = ("manifest.json", "model.safetensors", "state.json", "training.safetensors")


def some_checkpoint(value=1.0):
    return Checkpoint(
        model={"weight": torch.full((2, 3), value)},
        training={"games": torch.arange(5, dtype=torch.uint8)},
        state={"updates": 3, "big": 2**127 - 1},
    )


@pytest.fixture
def run(tmp_path):
    """The folder of a run with one checkpoint."""
    config = parse_dict(
        {
            "total_steps": 64,
            "network": {"hidden_sizes": [8]},
            "rollout": {"num_envs": 8, "num_steps": 4},
            "ppo": {"minibatch_size": 16},
        }
    )
    save_checkpoint(tmp_path / CHECKPOINTS, 0, Trainer(config).to_checkpoint(), keep=1)
    return tmp_path


def test_what_is_loaded_is_what_was_saved(tmp_path):
    path = save_checkpoint(tmp_path, 7, some_checkpoint(), keep=1)
    assert path == tmp_path / "checkpoint_000007"
    assert sorted(file.name for file in path.iterdir()) == list(FILES)
    loaded = load_checkpoint(path)
    assert loaded.state == some_checkpoint().state
    assert torch.equal(loaded.model["weight"], torch.ones(2, 3))
    assert torch.equal(loaded.training["games"], torch.arange(5, dtype=torch.uint8))


def test_the_newest_are_kept(tmp_path):
    for number in (2, 9, 10, 1_000_000):
        save_checkpoint(tmp_path, number, some_checkpoint(), keep=2)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["checkpoint_000010", "checkpoint_1000000"]
    assert latest_checkpoint(tmp_path).name == "checkpoint_1000000"


def test_a_checkpoint_is_never_overwritten(tmp_path):
    save_checkpoint(tmp_path, 1, some_checkpoint(), keep=1)
    with pytest.raises(FileExistsError, match="checkpoint_000001"):
        save_checkpoint(tmp_path, 1, some_checkpoint(2.0), keep=1)
    assert load_checkpoint(tmp_path / "checkpoint_000001").model["weight"].max() == 1


def test_a_save_that_fails_leaves_the_earlier_ones(tmp_path, monkeypatch):
    save_checkpoint(tmp_path, 1, some_checkpoint(), keep=1)

    def disk_full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints.os, "fsync", disk_full)
        with pytest.raises(OSError, match="No space left"):
            save_checkpoint(tmp_path, 2, some_checkpoint(2.0), keep=1)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint_000001"]
    load_checkpoint(latest_checkpoint(tmp_path))


def test_what_a_killed_save_left_behind_is_no_checkpoint(tmp_path):
    save_checkpoint(tmp_path, 1, some_checkpoint(), keep=3)
    shutil.copytree(tmp_path / "checkpoint_000001", tmp_path / ".unfinished_000002")
    (tmp_path / ".unfinished_000002" / "state.json").unlink()
    assert latest_checkpoint(tmp_path).name == "checkpoint_000001"
    save_checkpoint(tmp_path, 2, some_checkpoint(), keep=3)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "checkpoint_000001",
        "checkpoint_000002",
    ]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", ["truncated", "a bit flipped", "emptied", "missing", "pickled"])
def test_damage_is_refused_by_name(run, name, harm):
    path = run / CHECKPOINTS / "checkpoint_000000"
    file = path / name
    content = bytearray(file.read_bytes())
    if harm == "truncated":
        file.write_bytes(content[:-5])
    elif harm == "a bit flipped":
        content[len(content) // 2] ^= 4
        file.write_bytes(content)
    elif harm == "emptied":
        file.write_bytes(b"")
    elif harm == "missing":
        file.unlink()
    else:
        file.write_bytes(pickle.dumps({"weights": [1.0]}))
    with pytest.raises(CheckpointError) as refused:
        Trainer.from_checkpoint(load_checkpoint(path), path)
    # A flipped bit in the manifest may spoil another file's digest.
    assert str(path) in str(refused.value)
    assert name in str(refused.value) or (name, harm) == ("manifest.json", "a bit flipped")


def test_files_from_two_saves_are_refused(tmp_path):
    first = save_checkpoint(tmp_path, 1, some_checkpoint(1.0), keep=2)
    second = save_checkpoint(tmp_path, 2, some_checkpoint(2.0), keep=2)
    shutil.copy(first / "model.safetensors", second)
    with pytest.raises(CheckpointError, match=r"checkpoint_000002.model\.safetensors"):
        load_checkpoint(second)


def test_a_foreign_checkpoint_is_refused(tmp_path):
    path = save_checkpoint(tmp_path / CHECKPOINTS, 1, some_checkpoint(), keep=1)
    with pytest.raises(CheckpointError, match="observation"):
        NetworkPolicy.load(path)
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(manifest | {"format": "another 3"}))
    with pytest.raises(CheckpointError, match=r"manifest\.json.*another 3"):
        NetworkPolicy.load(tmp_path)


def test_weights_of_another_shape_are_refused(run):
    path = run / CHECKPOINTS / "checkpoint_000000"
    saved = load_checkpoint(path)
    saved.state["config"]["network"]["hidden_sizes"] = [9]
    with pytest.raises(CheckpointError, match="checkpoint_000000"):
        Trainer.from_checkpoint(saved, path)


def test_resuming_without_a_checkpoint_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        start_run(["--resume", str(tmp_path / "nothing")], Path("."))
    assert "there is no checkpoint in" in capsys.readouterr().err
