"""Two cores without waiting: whole pieces of work side by side, in threads of Python.

Torch's own threads meet at the end of every operation and wait there actively; when another
program needs a core, that costs far more than it gains. Pieces of work of several milliseconds,
each with Torch on one thread, meet once, and since a piece is the same whoever does it, results
don't depend on the number of cores. Torch and the compiled games release Python's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Workers:
    """A fixed number of threads; a context manager that ends them.

    Puts the process's Torch on one thread.

    Args:
        count: How many; with 1 the work is done by the caller.
    """

    def __init__(self, count: int) -> None:
        torch.set_num_threads(1)
        self.count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def map(self, work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
        """The results of ``work`` on each of ``pieces``, in their order, when all are there."""
        if self._pool is None:
            return [work(piece) for piece in pieces]
        return list(self._pool.map(work, pieces))
