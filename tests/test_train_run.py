"""Whole runs: what they learn, and that they can be stopped, resumed and repeated exactly."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from rich.console import Console  # noqa: E402

from seven_rocks_agents.checkpoint import latest_checkpoint, load_checkpoint  # noqa: E402
from seven_rocks_agents.config import parse_dict  # noqa: E402
from seven_rocks_agents.logs import Logs  # noqa: E402
from seven_rocks_agents.masked import masked_log_probs  # noqa: E402
from seven_rocks_agents.policy import CHECKPOINTS, NetworkPolicy  # noqa: E402
from seven_rocks_agents.ppo import prepare  # noqa: E402
from seven_rocks_agents.trainer import Trainer, train  # noqa: E402
from seven_rocks_agents.workers import Workers  # noqa: E402
from seven_rocks_env import rules  # noqa: E402
from seven_rocks_env.batch import Batch  # noqa: E402
from seven_rocks_env.policies import Views  # noqa: E402

ROOT = Path(__file__).parents[1]
TRAIN = [sys.executable, str(ROOT / "train.py")]


def small_config(**values):
    return parse_dict(
        {
            "total_steps": 6 * 256,
            "network": {"hidden_sizes": [16]},
            "rollout": {"num_envs": 16, "num_steps": 16},
            "ppo": {"minibatch_size": 64},
            "evaluation": {"every_updates": 4, "num_deals": 4},
            "checkpoint": {"every_updates": 2, "keep": 9},
        }
        | values
    )


def run_to_the_end(trainer, folder):
    folder.mkdir(exist_ok=True)
    quiet = Console(quiet=True)
    with Logs(folder, quiet, trainer.config.num_updates, trainer.updates) as logs:
        assert train(trainer, folder, logs)
    return latest_checkpoint(folder / CHECKPOINTS)


def tensors_of(checkpoint):
    return [
        (checkpoint / name).read_bytes() for name in ("model.safetensors", "training.safetensors")
    ]


def test_a_rollout_holds_what_was_played():
    trainer = Trainer(small_config(rollout={"num_envs": 16, "num_steps": 64}))
    scale = trainer.config.rollout.reward_scale
    with Workers(2) as workers:
        workers.map(lambda collector: collector.collect(trainer.network), trainer.collectors)
    out = trainer.rollout
    assert np.take_along_axis(out.action_masks, out.actions[..., None], axis=2).all()
    assert (out.action_masks.sum(axis=2) > 1).all()  # no forced actions
    assert set(np.unique(out.signs)) == {-1, 1}
    points = out.rewards * scale
    np.testing.assert_allclose(points, 5 * np.round(points / 5), atol=1e-4)
    assert out.dones.sum() > 16

    logits, values = trainer.network(torch.from_numpy(out.observations[3]))
    log_probs = masked_log_probs(logits, torch.from_numpy(out.action_masks[3]).bool())
    chosen = log_probs.gather(1, torch.from_numpy(out.actions[3])[:, None])[:, 0]
    np.testing.assert_allclose(out.values[3], values.detach(), atol=1e-5)
    np.testing.assert_allclose(out.log_probs[3], chosen.detach(), atol=1e-5)


def test_what_is_learnt_from_is_normalised_and_complete():
    trainer = Trainer(small_config())
    for collector in trainer.collectors:
        collector.collect(trainer.network)
    samples, _ = prepare(trainer.rollout, discount=1.0, gae_lambda=0.95)
    assert len(samples.actions) == 256
    assert samples.advantages.mean().item() == pytest.approx(0, abs=1e-5)
    assert samples.advantages.std(correction=0).item() == pytest.approx(1, abs=1e-3)


def test_the_parts_of_two_workers_are_one_minibatch():
    losses = []
    for count in (1, 2):
        trainer = Trainer(small_config())
        for collector in trainer.collectors:
            collector.collect(trainer.network)
        with Workers(count) as workers:
            trainer.learner.update(trainer.rollout, workers, 0.0)
        losses.append(torch.cat([p.detach().flatten() for p in trainer.network.parameters()]))
    torch.testing.assert_close(losses[0], losses[1], rtol=1e-3, atol=2e-5)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_resumed_run_ends_with_the_same_bits(tmp_path, workers):
    config = small_config(num_workers=workers)
    whole = run_to_the_end(Trainer(config), tmp_path / "whole")
    middle = tmp_path / "whole" / CHECKPOINTS / "checkpoint_000002"
    resumed = Trainer.from_checkpoint(load_checkpoint(middle), middle)
    assert resumed.updates == 2
    end = run_to_the_end(resumed, tmp_path / "resumed")
    assert tensors_of(end) == tensors_of(whole)
    assert tensors_of(end) != tensors_of(middle)


def test_resuming_continues_the_metrics_where_the_checkpoint_was(tmp_path):
    run_to_the_end(Trainer(small_config()), tmp_path)
    middle = tmp_path / CHECKPOINTS / "checkpoint_000002"
    trainer = Trainer.from_checkpoint(load_checkpoint(middle), middle)
    with Logs(tmp_path, Console(quiet=True), 6, trainer.updates) as logs, Workers(2) as workers:
        logs.write(trainer.update(workers))
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["update"] for line in lines] == [1, 2, 3]


def test_a_finished_run_has_nothing_left_to_do(tmp_path):
    end = run_to_the_end(Trainer(small_config()), tmp_path)
    again = Trainer.from_checkpoint(load_checkpoint(end), end)
    assert run_to_the_end(again, tmp_path) == end


def test_max_minutes_ends_a_slow_run_early(tmp_path):
    trainer = Trainer(small_config(max_minutes=1e-6))
    end = run_to_the_end(trainer, tmp_path)
    assert end.name == "checkpoint_000001"
    assert trainer.progress >= 1


def test_time_counts_only_when_it_runs_faster_than_the_updates():
    trainer = Trainer(small_config(max_minutes=10))
    trainer.updates, trainer.minutes = 3, 4.0
    assert trainer.progress == 0.5
    trainer.minutes = 6.0
    assert trainer.progress == 0.6
    trainer.updates, trainer.minutes = 0, 0.9
    assert trainer.progress == 0


def test_sampling_and_most_likely_play():
    trainer = Trainer(small_config())
    states = Batch(64, 3).states
    views = Views.of(states)
    rng = np.random.default_rng(0)
    best = NetworkPolicy(trainer.network)
    first = best.act(views, rng)
    assert (best.act(views, rng) == first).all()
    assert rng.random() == np.random.default_rng(0).random()
    sampled = NetworkPolicy(trainer.network, sampling=True).act(views, rng)
    assert (sampled != first).any()
    for actions in (first, sampled):
        assert all(rules.is_legal(states[i], actions[i]) for i in range(64))


def start(*arguments, hash_seed):
    plain = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    return subprocess.Popen(
        [*TRAIN, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=plain | {"PYTHONHASHSEED": str(hash_seed)},
    )


def test_train_py_beats_random_and_repeats_itself_through_an_interruption(tmp_path):
    config = ["--config", "configs/tiny.yaml"]
    whole = start(*config, "--run_dir", str(tmp_path / "whole"), hash_seed=1)
    cut = start(*config, "--run_dir", str(tmp_path / "cut"), hash_seed=2)

    assert "Training in" in cut.stdout.readline()
    assert "update 1/" in cut.stdout.readline()
    cut.send_signal(signal.SIGINT)
    said, _ = cut.communicate(timeout=500)
    assert cut.returncode == 130
    assert f"python train.py --resume {tmp_path / 'cut'}" in said
    resumed = start("--resume", str(tmp_path / "cut"), hash_seed=3)

    for process in (whole, resumed):
        said, _ = process.communicate(timeout=500)
        assert process.returncode == 0, said
        assert "random" in said
        assert "evaluation.json" in said
    ends = [latest_checkpoint(tmp_path / name / CHECKPOINTS) for name in ("whole", "cut")]
    assert tensors_of(ends[0]) == tensors_of(ends[1])

    reports = [
        json.loads((tmp_path / name / "evaluation.json").read_text()) for name in ("whole", "cut")
    ]
    assert reports[0]["results"] == reports[1]["results"]
    against_random, against_greedy, against_expert = reports[0]["results"]
    assert against_random["opponent"] == "random"
    assert against_random["low"] > 0
    assert against_expert["opponent"] == "expert"
    assert against_expert["margin"] < against_greedy["margin"]
    assert against_greedy["low"] < against_greedy["margin"] < against_greedy["high"]

    network = NetworkPolicy.load(tmp_path / "whole").network
    weights = load_checkpoint(ends[0]).model
    assert torch.equal(network.state_dict()["policy_head.weight"], weights["policy_head.weight"])


def test_a_run_folder_belongs_to_one_process(tmp_path):
    config = ["--config", "configs/tiny.yaml", "--run_dir", str(tmp_path / "run")]
    run = start(*config, "--total_steps", "100_000_000", hash_seed=1)
    assert "Training in" in run.stdout.readline()
    while not any((tmp_path / "run" / CHECKPOINTS).glob("checkpoint_*")):
        assert "update" in run.stdout.readline()
    try:
        for arguments, refusal in (
            (["--resume", str(tmp_path / "run")], "is in use by another process"),
            (config, "is not empty"),
        ):
            other = start(*arguments, hash_seed=1)
            said, _ = other.communicate(timeout=100)
            assert refusal in said
            assert other.returncode != 0
    finally:
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=500)
    assert run.returncode == 130


def test_initial_weights_do_not_depend_on_the_number_of_threads():
    weights = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        network = Trainer(parse_dict({"network": {"hidden_sizes": [256, 256]}})).network
        weights.append(
            b"".join(tensor.numpy().tobytes() for tensor in network.state_dict().values())
        )
    assert weights[0] == weights[1]
