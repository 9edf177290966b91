"""Hands and other sets of tiles are the bits of an integer: their size, and going through them.

A loop over a set reads ``while tiles: tile = lowest_bit(tiles); tiles &= tiles - 1``: it takes as
long as the set is large, where a test of all 28 bits would not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def lowest_bit(bits):
    """Index of the lowest bit set in ``bits``, which is positive."""
    return (int(bits) & -int(bits)).bit_length() - 1


def hand_size(hand):
    """Number of tiles in ``hand``."""
    return int(hand).bit_count()


# To the processor each is one instruction, which Numba has no name for.
@intrinsic
def _trailing_zeros(typing_context: Any, bits: Any) -> Any:
    def generate(context, builder, signature, arguments):
        zero_is_undefined = ir.Constant(ir.IntType(1), 1)
        return builder.cttz(arguments[0], zero_is_undefined)

    return types.int64(types.int64), generate


@intrinsic
def _population_count(typing_context: Any, bits: Any) -> Any:
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@overload(lowest_bit)
def _lowest_bit(bits):
    return lambda bits: _trailing_zeros(np.int64(bits))


@overload(hand_size)
def _hand_size(hand):
    return lambda hand: _population_count(np.int64(hand))
