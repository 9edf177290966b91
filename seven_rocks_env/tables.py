"""Many games at which policies play every seat but the learner's, for the vector environment.

A step of ``Batch`` is one action in every game. Here games wait for the learner while others go
on, so each call names its rows; what happens in a row is the step that all environments share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from seven_rocks_env import observation, rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.engine import (
    ILLEGAL,
    ROUND_OVER,
    is_terminated,
    is_truncated,
    observe_one,
    step_one,
)
from seven_rocks_env.kernels import start_game
from seven_rocks_env.policies import Policy, Views
from seven_rocks_env.settings import Settings
from seven_rocks_env.words import action_words, legal_words


class Tables:
    """``num_envs`` games that stop whenever the learner is on turn or the episode is over.

    Args:
        num_envs: Number of games.
        settings: What an episode is and what it pays.
        seats: The learner's seats, all of one partnership.
        policies: Who plays each of the other seats.

    Attributes:
        states: ``(num_envs,)`` of ``rules.STATE``. Deals and lots are drawn from its ``stream``.
        seat: ``(num_envs,)`` int64, the learner's seat that is on turn or acted last.
        earned: ``(num_envs,)`` float64, what the learner's partnership earned since it was last
            set to zero.
        terminated, truncated: ``(num_envs,)`` bool, how an episode ended.
    """

    def __init__(
        self,
        num_envs: int,
        settings: Settings,
        seats: Sequence[int],
        policies: Mapping[int, Policy],
    ) -> None:
        self.settings = settings
        self.states = np.zeros(num_envs, rules.STATE)
        self.seat = np.full(num_envs, seats[0], np.int64)
        self.earned = np.zeros(num_envs)
        self.terminated = np.zeros(num_envs, np.bool_)
        self.truncated = np.zeros(num_envs, np.bool_)
        self._sign = 1 if rules.partnership_of(seats[0]) == 0 else -1
        # Each policy once, with the seats that it plays as (4,) bool.
        self._others = [
            (policy, np.array([policies.get(seat) is policy for seat in range(rules.NUM_SEATS)]))
            for policy in {id(policy): policy for policy in policies.values()}.values()
        ]
        self._is_learner = np.isin(np.arange(rules.NUM_SEATS), seats)

    @property
    def over(self) -> np.ndarray:
        """``(num_envs,)`` bool, games whose episode has ended."""
        return self.terminated | self.truncated

    def deal(
        self, rows: np.ndarray, scores: np.ndarray, hands: np.ndarray, openers: np.ndarray
    ) -> None:
        """Start an episode in ``rows``, up to the first turn.

        Args:
            rows: ``(k,)`` int64, indices of games.
            scores: ``(num_envs, 2)`` int64, points at the start, or ``(0, 2)`` for none.
            hands: ``(num_envs, 4)`` int64 tiles as bits, or ``(0, 4)`` to draw them.
            openers: ``(num_envs,)`` int64 seats, or ``(0,)`` to draw the lots.
        """
        _deal(self.states, rows, self.settings.target_score, scores, hands, openers)
        self.earned[rows] = 0
        self.terminated[rows] = False
        self.truncated[rows] = False

    def play(self, rows: np.ndarray, actions: np.ndarray) -> int:
        """Play one of ``actions`` (k,) int64 in each of ``rows`` (k,) int64.

        Returns:
            How many were played: all, or those before the first illegal one.
        """
        settings = self.settings
        return _play(
            self.states,
            rows,
            actions,
            settings.episode == "round",
            settings.max_rounds or 0,
            settings.skip_forced,
            settings.reward == "win",
            self._sign,
            self.earned,
            self.terminated,
            self.truncated,
        )

    def play_others(self, rng: np.random.Generator) -> None:
        """Play until in every game the learner is on turn or the episode is over.

        Raises:
            ValueError: If a policy returns something else than a legal action for each game.
        """
        rows = np.flatnonzero(~self.over)
        while rows.size:
            for policy, plays in self._others:
                own = rows[plays[self.states["seat"][rows]] & ~self.over[rows]]
                if own.size:
                    self._play_policy(policy, own, rng)
            rows = rows[~self.over[rows]]
            asked = self._is_learner[self.states["seat"][rows]]
            self.seat[rows[asked]] = self.states["seat"][rows[asked]]
            rows = rows[~asked]

    def _play_policy(self, policy: Policy, rows: np.ndarray, rng: np.random.Generator) -> None:
        actions = np.asarray(policy.act(Views.of(self.states.take(rows)), rng))
        if actions.shape != rows.shape or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(
                f"policy {policy!r} must return ({rows.size},) integers, "
                f"got {actions.dtype} of shape {actions.shape}"
            )
        played = self.play(rows, np.ascontiguousarray(actions, np.int64))
        if played < rows.size:
            raise ValueError(f"policy {policy!r}: {self.complaint(rows[played], actions[played])}")

    def complaint(self, row: int, action: int) -> str:
        """Why ``action`` is illegal in game ``row``."""
        game = self.states[row]
        return (
            f"in game {row} seat {game['seat']} may not play "
            f"{action_words(action, game['layout'])}; legal: {legal_words(game)}"
        )

    def observe(self, rows: np.ndarray, *, history: bool) -> dict[str, np.ndarray]:
        """What the learner sees in each of ``rows`` (k,) int64, in new arrays.

        Returns:
            ``"observation"`` float32 (k, 378), ``"action_mask"`` int8 (k, 113), all zeros in a
            game that is over, and with ``history`` also ``"history"`` int8 (k, 97, 2).
        """
        features = np.empty((rows.size, observation.SIZE), np.float32)
        masks = np.zeros((rows.size, rules.NUM_ACTIONS), np.int8)
        _observe(self.states, rows, self.seat, self.over, features, masks)
        seen = {"observation": features, "action_mask": masks}
        if history:
            seen["history"] = np.empty((rows.size, rules.MAX_ACTIONS, 2), np.int8)
            _histories(self.states, rows, self.seat, seen["history"])
        return seen


@compiled
def _deal(states, rows, target, scores, hands, openers):
    for row in rows:
        start_game(states[row], row, target, scores, hands, openers)


@compiled
def _play(
    states,
    rows,
    actions,
    one_round,
    max_rounds,
    skip_forced,
    pay_wins,
    sign,
    earned,
    terminated,
    truncated,
):
    mask = np.empty(rules.NUM_ACTIONS, np.int8)
    for index in range(rows.shape[0]):
        row = rows[index]
        status, reward = step_one(
            states[row : row + 1], actions[index], skip_forced, pay_wins, mask
        )
        if status == ILLEGAL:
            return index
        earned[row] += sign * reward
        if status == ROUND_OVER:
            game = states[row]
            terminated[row] = is_terminated(game, one_round)
            truncated[row] = is_truncated(game, one_round, max_rounds)
            if not (terminated[row] or truncated[row]):
                rules.next_round(game)
    return rows.shape[0]


@compiled
def _observe(states, rows, seats, over, features, masks):
    integers = np.empty(observation.SIZE, np.int8)
    for index in range(rows.shape[0]):
        row = rows[index]
        observe_one(
            states[row : row + 1],
            seats[row],
            not over[row],
            integers,
            features[index],
            masks[index],
        )


@compiled
def _histories(states, rows, seats, histories):
    for index in range(rows.shape[0]):
        row = rows[index]
        observation.encode_history(states[row], seats[row], histories[index])
