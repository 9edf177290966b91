"""The progress bar of a command that goes through deals."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class DealsProgress:
    """A context manager that shows on standard error, if that is a terminal, how far it is.

    Args:
        num_deals: Deals in all.
        done: Deals that were done before.
        rows_follow: Whether rows are printed to standard output meanwhile. If that is the terminal
            too they go above the bar.
    """

    def __init__(self, num_deals: int, done: int, rows_follow: bool) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("deals  {task.fields[rate]}"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
            redirect_stdout=rows_follow and sys.stdout.isatty(),
            redirect_stderr=False,
        )
        self._bar = self._progress.add_task("", total=num_deals, completed=done, rate="")
        self._started = time.monotonic()
        self._count = 0

    def __enter__(self) -> DealsProgress:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self) -> None:
        """One more deal is done."""
        self._count += 1
        rate = self._count / (time.monotonic() - self._started)
        self._progress.update(self._bar, advance=1, rate=f"{rate:.1f} a second")
