"""Train a partnership of Seven Rocks by self-play: ``python train.py --help``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from seven_rocks_agents.command_line import start_run
from seven_rocks_agents.logs import Logs
from seven_rocks_agents.policy import NetworkPolicy
from seven_rocks_agents.report import as_table, evaluate, write_report
from seven_rocks_agents.trainer import train
from seven_rocks_agents.workers import Workers


def main(arguments: Sequence[str]) -> int:
    """Train, evaluate, say where the results are; the exit status is 130 after Ctrl-C."""
    trainer, run_folder = start_run(arguments, Path(__file__).parent)
    config = trainer.config
    console = Console()
    at = f", from update {trainer.updates}" if trainer.updates else ""
    console.print(f"Training in {run_folder}{at}", soft_wrap=True)
    with Logs(run_folder, console, config.num_updates, trainer.updates) as logs:
        finished = train(trainer, run_folder, logs)
    go_on = f"Saved. Go on with: python train.py --resume {run_folder}"
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
