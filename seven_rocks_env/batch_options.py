"""What a batch may start from: seeds, deals, openers, scores, checked before anything changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from seven_rocks_env import rules
from seven_rocks_env.settings import MIN_SCORE, check_integer


def streams_of(seed: int | None, num_envs: int) -> np.ndarray:
    """A random stream for each game, ``(num_envs, 4)`` uint64, by the seed and its index alone."""
    if seed is not None:
        check_integer("seed", seed, 0)
    entropy = np.random.SeedSequence(seed).entropy
    return np.stack(
        [
            np.random.SeedSequence(entropy, spawn_key=(index,)).generate_state(4, np.uint64)
            for index in range(num_envs)
        ]
    )


def checked_deals(hands: ArrayLike | None, num_envs: int) -> np.ndarray:
    """``(num_envs, 4)`` int64 hands, or ``(0, 4)`` if none are given."""
    if hands is None:
        return np.zeros((0, rules.NUM_SEATS), np.int64)
    deals = _integers("hands", hands, (num_envs, rules.NUM_SEATS))
    sizes = np.bitwise_count(deals)
    wrong = (sizes != rules.HAND_SIZE).any(axis=1) | (
        np.bitwise_or.reduce(deals, axis=1) != rules.ALL_TILES
    )
    if wrong.any():
        raise ValueError(
            f"each deal must hold all 28 tiles once, 7 to a hand; deal {wrong.argmax()} does not"
        )
    return deals


def checked_openers(openers: ArrayLike | None, num_envs: int) -> np.ndarray:
    """``(num_envs,)`` int64 seats, or ``(0,)`` if none are given."""
    if openers is None:
        return np.zeros(0, np.int64)
    seats = np.asarray(openers)
    if (
        seats.shape != (num_envs,)
        or not np.issubdtype(seats.dtype, np.integer)
        or seats.min() < 0
        or seats.max() >= rules.NUM_SEATS
    ):
        raise ValueError(f"openers must be {num_envs} seats from 0 to 3, got {openers!r}")
    return np.ascontiguousarray(seats, np.int64)


def checked_scores(scores: ArrayLike | None, num_envs: int, target_score: int) -> np.ndarray:
    """``(num_envs, 2)`` int64 points, or ``(0, 2)`` if none are given."""
    if scores is None:
        return np.zeros((0, 2), np.int64)
    points = _integers("scores", scores, (num_envs, 2))
    wrong = ((points % 5 != 0) | (points < MIN_SCORE) | (points >= target_score)).any(axis=1)
    if wrong.any():
        raise ValueError(
            f"scores must be multiples of five, below the target of {target_score} and at least "
            f"{MIN_SCORE}; those of game {wrong.argmax()} are not"
        )
    return points


def _integers(name: str, values: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    array = np.asarray(values)
    if array.shape != shape or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"{name} must be {shape} integers, got {array.dtype} of shape {array.shape}"
        )
    return np.ascontiguousarray(array, np.int64)
