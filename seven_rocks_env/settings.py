"""The keywords that say what an episode is and what it pays, checked in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Episode = Literal["match", "round"]
Reward = Literal["score_difference", "win"]

MAX_TARGET_SCORE = 635  # observations count points in fives, in int8
MAX_ROUNDS = 2**31 - 1
MIN_SCORE = -(2**30)  # far from where the int32 score of a state would wrap around


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Raise ValueError unless ``value`` is one of ``allowed``, of the same type."""
    if not any(type(value) is type(item) and value == item for item in allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def check_integer(name: str, value: object, low: int, high: int | None = None) -> None:
    """Raise ValueError unless ``value`` is an integer (not a bool) from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} must be an integer, got {value!r}")
    if value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be {allowed}, got {value}")


def check_scores(scores: Sequence[int], target_score: int) -> None:
    """Raise ValueError unless a match up to ``target_score`` may start from ``scores``."""
    for score in scores:
        if score % 5 or not MIN_SCORE <= score < target_score:
            raise ValueError(
                "scores must be multiples of five, below the target of "
                f"{target_score} and at least {MIN_SCORE}, got {score}"
            )


@dataclass(frozen=True)
class Settings:
    """What an episode is and what it pays.

    Attributes:
        target_score: Points that win the match at once; a positive multiple of five.
        episode: ``"match"`` goes on until a partnership has won; ``"round"`` is one round.
        reward: ``"score_difference"`` pays after each action the change of the own partnership's
            score minus the other's, in points; ``"win"`` pays +1 or -1 when the match is won.
        max_rounds: Truncate a match that nobody has won after this many rounds.
        skip_forced: Play an action by itself when it is the only legal one.

    Raises:
        ValueError: If a value is not allowed; it names the keyword and what is allowed.
    """

    target_score: int = 250
    episode: Episode = "match"
    reward: Reward = "score_difference"
    max_rounds: int | None = None
    skip_forced: bool = False

    def __post_init__(self) -> None:
        check_integer("target_score", self.target_score, 5, MAX_TARGET_SCORE)
        if self.target_score % 5:
            raise ValueError(f"target_score must be a multiple of five, got {self.target_score}")
        check_choice("episode", self.episode, ("match", "round"))
        check_choice("reward", self.reward, ("score_difference", "win"))
        check_choice("skip_forced", self.skip_forced, (False, True))
        if self.max_rounds is not None:
            check_integer("max_rounds", self.max_rounds, 1, MAX_ROUNDS)
        if self.reward == "win" and self.episode == "round":
            raise ValueError('reward="win" needs episode="match": a single round has no winner')
