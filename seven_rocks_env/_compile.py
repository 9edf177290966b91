"""The one decorator under which the package compiles: cached, free of the GIL, safe to edit.

Numba's cache looks only at the file that holds a compiled function. Ours call each other across
files, so a changed rule would go on being played from the caches of its callers; therefore every
cache entry carries a digest of all the files that compile anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


@cache
def _source_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"_compile import" in source or b"numba" in source:
            digest.update(source)
    return digest.hexdigest()


def compiled(function: Function) -> Function:
    """Compile ``function`` on its first call with Numba, without the GIL, and cache the result.

    Where no cache can be written each process compiles anew; ``NUMBA_CACHE_DIR`` names a place.
    Under ``NUMBA_DISABLE_JIT=1`` the function stays plain Python, for debuggers and coverage.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        # Compiled uint64 words wrap around silently; NumPy's scalars do the same with a warning.
        return np.errstate(over="ignore")(function)
    dispatcher: Any
    try:
        dispatcher = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the installation nor the user's cache folder can be written
        dispatcher = numba.njit(nogil=True)(function)
    cache_file = getattr(dispatcher._cache, "_cache_file", None)
    if cache_file is not None:
        cache_file._source_stamp = (cache_file._source_stamp, _source_digest())
    return dispatcher
