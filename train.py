"""Train a partnership of Seven Rocks by self-play: ``python train.py --help``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console

from seven_rocks_agents.command_line import start_run
from seven_rocks_agents.logs import Logs
from seven_rocks_agents.policy import NetworkPolicy
from seven_rocks_agents.report import as_table, evaluate, write_report
from seven_rocks_agents.trainer import Trainer, train
from seven_rocks_agents.workers import Workers

LOCK = "in_use.lock"


def main(arguments: Sequence[str]) -> int:
    """Train, evaluate, say where the results are.

    Returns:
        The exit status: 130 after Ctrl-C, 1 after an error that is not in the arguments.
    """
    trainer, run_folder = start_run(arguments, Path(__file__).parent)
    console = Console()
    try:
        with FileLock(run_folder / LOCK, timeout=0):
            return run(trainer, run_folder, console)
    except Timeout:
        problem = f"{run_folder} is in use by another process"
    except (OSError, MemoryError, FloatingPointError) as error:
        problem = str(error)
    console.print(f"error: {problem}", markup=False, soft_wrap=True)
    return 1


def run(trainer: Trainer, run_folder: Path, console: Console) -> int:
    """Train in ``run_folder``, which is ours alone, and report; return the exit status."""
    config = trainer.config
    at = f", from update {trainer.updates}" if trainer.updates else ""
    console.print(f"Training in {run_folder}{at}", soft_wrap=True)
    with Logs(run_folder, console, config.num_updates, trainer.updates) as logs:
        finished = train(trainer, run_folder, logs)
    go_on = f"Saved. Go on with: python train.py --resume {shlex.quote(str(run_folder))}"
    if not finished:
        console.print(go_on, soft_wrap=True)
        return 130

    console.print("Evaluating ...")
    try:
        with Workers(config.num_workers) as workers:
            results = evaluate(NetworkPolicy(trainer.network), config.evaluation, workers)
    except KeyboardInterrupt:
        console.print(go_on, soft_wrap=True)
        return 130
    console.print(as_table(results))
    report = write_report(results, run_folder, trainer.steps, trainer.minutes)
    if trainer.updates < config.num_updates:
        console.print(f"max_minutes ended the run before its {config.total_steps:,} decisions.")
    console.print(
        f"{trainer.steps:,} decisions in {trainer.minutes:.1f} minutes. Results: {report}\n"
        f"Checkpoints, metrics.jsonl, TensorBoard: {run_folder}",
        soft_wrap=True,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
