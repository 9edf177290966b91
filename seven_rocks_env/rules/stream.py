"""The random stream of a game: xoshiro256++ (Blackman and Vigna, 2019), four words of the state.

Because the stream is part of the state, a copy of a game goes on exactly as the original would.
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env._compile import compiled


@compiled
def _rotate_left(word, count):
    return (word << np.uint64(count)) | (word >> np.uint64(64 - count))


@compiled
def next_word(stream):
    """Advance ``stream`` (4,) uint64, not all zero, in place and return 64 random bits."""
    word = _rotate_left(stream[0] + stream[3], 23) + stream[0]
    shifted = stream[1] << np.uint64(17)
    stream[2] ^= stream[0]
    stream[3] ^= stream[1]
    stream[1] ^= stream[2]
    stream[0] ^= stream[3]
    stream[2] ^= shifted
    stream[3] = _rotate_left(stream[3], 45)
    return word


@compiled
def undo_word(stream):
    """Take back what ``next_word`` did to ``stream`` (4,) uint64, in place."""
    third = _rotate_left(stream[3], 64 - 45)  # the exclusive or of the words 1 and 3 as they were
    stream[0] ^= third
    mixed = stream[1] ^ stream[2]  # word 1 as it was, and shifted left by 17
    word = mixed
    for shift in (17, 34, 51):
        word ^= mixed << np.uint64(shift)
    stream[2] = stream[1] ^ stream[0] ^ word
    stream[1] = word
    stream[3] = third ^ word


@compiled
def draw(stream, bound):
    """A uniform integer in 0 .. ``bound`` - 1, ``bound`` at most 2**32 - 1.

    Multiplication with rejection, exactly uniform (Lemire, "Fast random integer generation in an
    interval", 2019).
    """
    low_half = np.uint64(0xFFFFFFFF)
    width = np.uint64(bound)
    product = (next_word(stream) >> np.uint64(32)) * width
    if product & low_half < width:
        unfair = np.uint64(0x100000000) % width
        while product & low_half < unfair:
            product = (next_word(stream) >> np.uint64(32)) * width
    return np.int64(product >> np.uint64(32))
