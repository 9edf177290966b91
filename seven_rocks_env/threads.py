"""Work on several cores: compiled functions hold no lock of Python's, so threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shares(count: int, num_parts: int) -> list[slice]:
    """``count`` things in order, cut into ``num_parts`` parts of almost equal size."""
    bounds = [count * part // num_parts for part in range(num_parts + 1)]
    return [slice(start, stop) for start, stop in pairwise(bounds)]


def _wait_for(futures: Sequence[Future[None]]) -> None:
    """Wait for all ``futures``, whatever is pressed: the threads write to the caller's arrays."""
    try:
        wait(futures)
    except KeyboardInterrupt:
        _wait_for(futures)
        raise


class Threads:
    """Calls a function on several parts of some work at once; the caller's thread takes the first.

    The threads start with the first work that needs them, anew in a process that was forked.

    Args:
        num_threads: How many calls run at once.
    """

    def __init__(self, num_threads: int) -> None:
        self.num_threads = num_threads
        self._pool: ThreadPoolExecutor | None = None
        self._process = -1

    def run(self, function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]) -> None:
        """Call ``function(*part)`` for each of ``parts`` and return when all calls have ended."""
        rest: list[Future[None]] = []
        try:
            rest += (self._executor().submit(function, *part) for part in parts[1:])
            function(*parts[0])
        finally:
            _wait_for(rest)
        for future in rest:
            future.result()

    def _executor(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.num_threads - 1, "seven_rocks")
            self._process = os.getpid()
        return self._pool

    def __getstate__(self) -> dict[str, Any]:
        return {"num_threads": self.num_threads, "_pool": None, "_process": -1}
