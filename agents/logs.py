"""What a run says while it trains: a progress bar or lines, ``metrics.jsonl``, TensorBoard."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text
from torch.utils.tensorboard import SummaryWriter

METRICS = "metrics.jsonl"
TENSORBOARD = "tensorboard"
SECONDS_BETWEEN_LINES = 10.0


class Logs:
    """Receives the metrics of each update; a context manager.

    On a terminal it shows a progress bar, elsewhere a line now and then and for each evaluation.

    Args:
        run_folder: Where the files go.
        console: Where it shows.
        num_updates: Updates in the whole run.
        done: Updates that are done; what the files say of later ones, which a run that was cut off
            has left behind, is dropped.
    """

    def __init__(self, run_folder: Path, console: Console, num_updates: int, done: int) -> None:
        self._path = run_folder / METRICS
        self._folder = run_folder / TENSORBOARD
        self._console = console
        self._num_updates = num_updates
        self._done = done
        self._line_due = 0.0
        self._margin = ""
        self._line = Text()
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.completed}/{task.total} updates"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[speed]}"),
            console=console,
        )
        self._task = self._bar.add_task("", total=num_updates, completed=done, speed="")
        self._live = Live(Group(self._bar, self._line), console=console)

    def __enter__(self) -> Logs:
        if self._path.exists():
            lines = self._path.read_text().splitlines()
            kept = self._path.with_suffix(".tmp")
            kept.write_text("".join(f"{line}\n" for line in lines[: self._done]))
            kept.replace(self._path)
        self._file = self._path.open("a")
        self._board = SummaryWriter(str(self._folder), purge_step=self._done + 1)
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()
        self._board.close()
        self._file.close()

    def write(self, metrics: dict[str, float]) -> None:
        """Record and show ``metrics`` of one update."""
        self._file.write(json.dumps(metrics) + "\n")
        self._file.flush()
        update = int(metrics["update"])
        for name, value in metrics.items():
            group = "evaluation" if name.startswith("margin") else "training"
            self._board.add_scalar(f"{group}/{name}", value, update)
        self._show(update, metrics)

    def _show(self, update: int, metrics: dict[str, float]) -> None:
        evaluated = "margin_on_greedy" in metrics
        if evaluated:
            self._margin = "  on greedy {margin_on_greedy:+.1f}".format(**metrics)
        speed = "{steps_per_second:,.0f} steps/s".format(**metrics)
        line = "policy {policy_loss:+.4f}  value {value_loss:.3f}".format(**metrics)
        line = f"loss: {line}  entropy {metrics['entropy']:.3f}"
        line += self._margin
        self._bar.update(self._task, completed=update, speed=speed)
        self._line.plain = line

        now = monotonic()
        if not self._console.is_terminal and (evaluated or now >= self._line_due):
            self._line_due = now + SECONDS_BETWEEN_LINES
            self._console.print(
                f"update {update}/{self._num_updates}  {speed}  {line}",
                highlight=False,
                soft_wrap=True,
            )
