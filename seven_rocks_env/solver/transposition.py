"""The transposition table: bounds that were proven for positions, in a fixed amount of memory.

A table is a one-dimensional int64 array of buckets, each of ``BUCKET`` entries of two words: the
position's key and its facts, packed:

========== =====================================================
bits       meaning
========== =====================================================
0 .. 9     lower bound of the value, in fives, plus ``_OFFSET``
10 .. 19   upper bound, in the same way
20 .. 27   the placement that settled it last, 0 if none did
28 .. 33   effort: binary logarithm of the positions searched
34 .. 61   generation: the deal that the entry belongs to
========== =====================================================

An entry of an earlier generation counts as empty, so a table need not be cleared between deals.
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env._compile import compiled

BUCKET = 4  # 64 bytes, a cache line
WORDS = 2 * BUCKET
LOWEST = -512  # of the bounds: less than any value
HIGHEST = 511
MAX_GENERATION = (1 << 28) - 1
NOTHING = -1

_OFFSET = 512
_GENERATION_SHIFT = 34
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 by the golden ratio: Fibonacci hashing


def new_table(num_buckets: int) -> np.ndarray:
    """An empty table of ``num_buckets`` buckets, a power of two, that starts at a cache line."""
    words = np.zeros(WORDS * (num_buckets + 1), np.int64)
    start = -(words.ctypes.data // words.itemsize) % WORDS
    return words[start : start + WORDS * num_buckets]


@compiled
def lower_bound(facts):
    """The proven lower bound in ``facts``, in fives."""
    return (facts & 1023) - _OFFSET


@compiled
def upper_bound(facts):
    """The proven upper bound in ``facts``, in fives."""
    return ((facts >> 10) & 1023) - _OFFSET


@compiled
def hint(facts):
    """The placement that settled the position last, 0 if none did."""
    return (facts >> 20) & 255


@compiled
def _effort(facts):
    return (facts >> 28) & 63


@compiled
def _logarithm(number):
    logarithm = 0
    while number > 1:
        number >>= 1
        logarithm += 1
    return logarithm


@compiled
def _bucket(num_buckets, key):
    """Where in the table the bucket of ``key`` starts."""
    word = (np.uint64(key) * _MULTIPLIER) >> np.uint64(32)
    return WORDS * (np.int64(word) & (num_buckets - 1))


@compiled
def look_up(table, num_buckets, generation, key):
    """The facts about ``key``, or ``NOTHING`` if there are none of this ``generation``."""
    start = _bucket(num_buckets, key)
    for word in range(start, start + WORDS, 2):
        if table[word] == key and table[word + 1] >> _GENERATION_SHIFT == generation:
            return table[word + 1]
    return np.int64(NOTHING)


@compiled
def store(table, num_buckets, generation, key, low, high, move, nodes):
    """Keep the bounds ``low`` and ``high`` of ``key``, which took ``nodes`` positions to prove.

    They join what is known of ``key``, or else take the place of what took the least effort.
    """
    start = _bucket(num_buckets, key)
    chosen = start
    least = 64
    for word in range(start, start + WORDS, 2):
        facts = table[word + 1]
        current = facts >> _GENERATION_SHIFT == generation
        if current and table[word] == key:
            chosen = word
            low = max(low, lower_bound(facts))
            high = min(high, upper_bound(facts))
            if move == 0:
                move = hint(facts)
            break
        effort = _effort(facts) if current else -1
        if effort < least:
            least = effort
            chosen = word
    table[chosen] = key
    table[chosen + 1] = (
        (low + _OFFSET)
        | (high + _OFFSET) << 10
        | move << 20
        | _logarithm(nodes) << 28
        | generation << _GENERATION_SHIFT
    )
