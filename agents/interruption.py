"""Ctrl-C as a request to stop when the work in hand is done."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Interruption:
    """A context manager under which the first Ctrl-C is a request and the second ends at once.

    Outside of the main thread, where signals cannot be caught, it does nothing.

    Attributes:
        requested: Whether there was a Ctrl-C.
    """

    def __init__(self) -> None:
        self.requested = False
        self._catches = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Interruption:
        if self._catches:
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        if self._catches:
            signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        signal.signal(signal.SIGINT, self._before)
        print("\nStopping after this update; Ctrl-C again stops at once.", flush=True)
