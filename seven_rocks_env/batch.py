"""Many games at once: arrays in, arrays out, one compiled call a step."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from seven_rocks_env import observation, rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.engine import (
    action_reward,
    is_terminated,
    is_truncated,
    margin,
    play_on,
    round_over,
)
from seven_rocks_env.history import HistoryError, check_state
from seven_rocks_env.settings import Episode, Reward, Settings, check_choice, check_integer
from seven_rocks_env.words import action_words, legal_words


class Batch:
    """``num_envs`` games in lockstep, in buffers that are allocated once and reused.

    Every game has its own random stream, made from ``seed`` and its index, so that game ``i`` is
    the same in a batch of any size.

    Args:
        num_envs: Number of games, at least 1.
        seed: Seed of all deals and lots; ``None`` takes one from the operating system.
        target_score, episode, reward, max_rounds, skip_forced: See ``Settings``.
        autoreset: Start the next episode in the same step that ended one. Without it a game that
            has ended stays as it is, and its further actions are ignored.

    Attributes:
        states: ``(num_envs,)`` of ``rules.STATE``.
        observation: ``(num_envs, observation.SIZE)`` int8, of the seat on turn.
        action_mask: ``(num_envs, 113)`` int8, of the seat on turn; all zeros in an ended game.
        seat: ``(num_envs,)`` int8, the seat on turn.
        rewards: ``(num_envs, 4)`` float32, what the last step paid each seat.
        terminations: ``(num_envs,)`` bool, episodes that the last step ended.
        truncations: ``(num_envs,)`` bool, matches that the last step cut off at ``max_rounds``.
        final_scores: ``(num_envs, 2)`` int32, scores at the end of the last finished episode.

    Raises:
        ValueError: If an argument is not allowed; it names the argument and what is allowed.
    """

    def __init__(
        self,
        num_envs: int,
        seed: int | None = None,
        *,
        target_score: int = 250,
        episode: Episode = "match",
        reward: Reward = "score_difference",
        max_rounds: int | None = None,
        skip_forced: bool = False,
        autoreset: bool = True,
    ) -> None:
        check_integer("num_envs", num_envs, 1)
        check_choice("autoreset", autoreset, (False, True))
        self.settings = Settings(target_score, episode, reward, max_rounds, skip_forced)
        self.num_envs = num_envs
        self.autoreset = autoreset
        self.states = np.zeros(num_envs, rules.STATE)
        self.observation = np.zeros((num_envs, observation.SIZE), np.int8)
        self.action_mask = np.zeros((num_envs, rules.NUM_ACTIONS), np.int8)
        self.seat = np.zeros(num_envs, np.int8)
        self.rewards = np.zeros((num_envs, rules.NUM_SEATS), np.float32)
        self.terminations = np.zeros(num_envs, np.bool_)
        self.truncations = np.zeros(num_envs, np.bool_)
        self.final_scores = np.zeros((num_envs, 2), np.int32)
        self.reset(seed)

    def reset(
        self,
        seed: int | None = None,
        *,
        hands: ArrayLike | None = None,
        openers: ArrayLike | None = None,
    ) -> None:
        """Start a new episode in every game.

        Args:
            seed: As in the constructor.
            hands: ``(num_envs, 4)`` integers, the tiles of each hand as bits: the first deal.
            openers: ``(num_envs,)`` seats that open the first round.

        Raises:
            ValueError: If a deal is not all 28 tiles, 7 to a hand, or an opener no seat; then
                nothing has changed.
        """
        deals = _checked_deals(hands, self.num_envs)
        seats = _checked_openers(openers, self.num_envs)
        streams = _streams(seed, self.num_envs)
        _reset(self.states, streams, self.settings.target_score, deals, seats)
        self._begin()

    def restore(self, states: np.ndarray) -> None:
        """Go on from saved games; every other buffer is as after a reset.

        Args:
            states: ``(num_envs,)`` of ``rules.STATE``, copied from the ``states`` of a batch with
                the same settings, each in the middle of a round.

        Raises:
            ValueError: If the shape or type is wrong, or if play cannot lead to a state; then
                nothing has changed.
        """
        if states.shape != self.states.shape or states.dtype != rules.STATE:
            raise ValueError(
                f"states must be ({self.num_envs},) of rules.STATE, "
                f"got {states.dtype} of shape {states.shape}"
            )
        for index, state in enumerate(states):
            try:
                check_state(state)
            except HistoryError as error:
                raise ValueError(f"state {index} is no game: {error}") from None
        self.states[:] = states
        self._begin()

    def _begin(self) -> None:
        self.rewards[:] = 0
        self.terminations[:] = False
        self.truncations[:] = False
        self.final_scores[:] = 0
        _look(self.states, self.observation, self.action_mask, self.seat)

    def step(self, actions: np.ndarray) -> None:
        """Play one action in every game and refresh all buffers.

        Args:
            actions: ``(num_envs,)`` integers, legal for the seat on turn.

        Raises:
            ValueError: If the shape or type is wrong or an action is illegal; it names the first
                offending games, and no game has changed.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(
                f"actions must be ({self.num_envs},) integers, "
                f"got {actions.dtype} of shape {actions.shape}"
            )
        actions = np.ascontiguousarray(actions, np.int64)
        if not _all_legal(self.states, actions):
            raise ValueError(self._complaint(actions))
        settings = self.settings
        _step(
            self.states,
            actions,
            settings.episode == "round",
            settings.max_rounds or 0,
            settings.skip_forced,
            settings.reward == "win",
            self.autoreset,
            self.observation,
            self.action_mask,
            self.seat,
            self.rewards,
            self.terminations,
            self.truncations,
            self.final_scores,
        )

    def _complaint(self, actions: np.ndarray) -> str:
        wrong = [
            i
            for i in range(self.num_envs)
            if not _all_legal(self.states[i : i + 1], actions[i : i + 1])
        ]
        first = wrong[0]
        state = self.states[first]
        return (
            f"illegal actions in {len(wrong)} of {self.num_envs} games, at indices {wrong[:8]}; "
            f"in game {first} seat {state['seat']} may not play "
            f"{action_words(actions[first], state['layout'])}; legal: {legal_words(state)}"
        )


def _streams(seed: int | None, num_envs: int) -> np.ndarray:
    entropy = np.random.SeedSequence(seed).entropy
    return np.stack(
        [
            np.random.SeedSequence(entropy, spawn_key=(index,)).generate_state(4, np.uint64)
            for index in range(num_envs)
        ]
    )


def _checked_deals(hands: ArrayLike | None, num_envs: int) -> np.ndarray:
    """``(num_envs, 4)`` int64 hands, or ``(0, 4)`` if none are given."""
    if hands is None:
        return np.zeros((0, rules.NUM_SEATS), np.int64)
    deals = np.asarray(hands)
    if deals.shape != (num_envs, rules.NUM_SEATS) or not np.issubdtype(deals.dtype, np.integer):
        raise ValueError(
            f"hands must be ({num_envs}, 4) integers, got {deals.dtype} of shape {deals.shape}"
        )
    deals = np.ascontiguousarray(deals, np.int64)
    sizes = np.bitwise_count(deals)
    wrong = (sizes != rules.HAND_SIZE).any(axis=1) | (
        np.bitwise_or.reduce(deals, axis=1) != rules.ALL_TILES
    )
    if wrong.any():
        raise ValueError(
            f"each deal must hold all 28 tiles once, 7 to a hand; deal {wrong.argmax()} does not"
        )
    return deals


def _checked_openers(openers: ArrayLike | None, num_envs: int) -> np.ndarray:
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


@compiled
def _reset(states, streams, target, deals, openers):
    for index in range(states.shape[0]):
        game = states[index]
        rules.new_match(game, streams[index], target, 0, 0)
        rules.next_round(game)
        if deals.shape[0] > 0:
            for seat in range(rules.NUM_SEATS):
                game["hands"][seat] = deals[index, seat]
        if openers.shape[0] > 0:
            rules.start_round(game, openers[index])


@compiled
def _look(states, observations, masks, seats):
    for index in range(states.shape[0]):
        game = states[index]
        rules.legal_actions(game, masks[index])
        seats[index] = game["seat"]
        observation.encode(game, int(game["seat"]), observations[index])


@compiled
def _all_legal(states, actions):
    for index in range(states.shape[0]):
        game = states[index]
        if not round_over(game) and not rules.is_legal(game, actions[index]):
            return False
    return True


@compiled
def _step(
    states,
    actions,
    one_round,
    max_rounds,
    skip_forced,
    pay_wins,
    autoreset,
    observations,
    masks,
    seats,
    rewards,
    terminations,
    truncations,
    final_scores,
):
    for index in range(states.shape[0]):
        game = states[index]
        rewards[index, :] = 0
        terminations[index] = False
        truncations[index] = False
        if round_over(game):
            continue  # an episode that ended, without autoreset

        before = margin(game)
        play_on(game, actions[index], skip_forced, masks[index])
        reward = action_reward(game, before, pay_wins)
        for seat in range(rules.NUM_SEATS):
            rewards[index, seat] = reward if rules.partnership_of(seat) == 0 else -reward

        if round_over(game):
            terminations[index] = is_terminated(game, one_round)
            truncations[index] = is_truncated(game, one_round, max_rounds)
            ended = terminations[index] or truncations[index]
            if ended:
                final_scores[index, 0] = game["scores"][0]
                final_scores[index, 1] = game["scores"][1]
                if autoreset:
                    rules.new_match(game, game["stream"], game["target"], 0, 0)
            if autoreset or not ended:
                rules.next_round(game)
                rules.legal_actions(game, masks[index])
        seats[index] = game["seat"]
        observation.encode(game, int(game["seat"]), observations[index])
