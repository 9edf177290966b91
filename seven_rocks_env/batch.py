"""Many games at once: arrays in, arrays out, one compiled call a step."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from seven_rocks_env import kernels, observation, rules
from seven_rocks_env.aec import raw_env
from seven_rocks_env.batch_options import (
    checked_deals,
    checked_openers,
    checked_scores,
    streams_of,
)
from seven_rocks_env.env_state import begun_with_its_round
from seven_rocks_env.history import HistoryError, check_state
from seven_rocks_env.settings import Episode, Reward, Settings, check_choice, check_integer
from seven_rocks_env.threads import Threads, available_cores, shares
from seven_rocks_env.words import action_words, legal_words

# With fewer games to a thread, waking it takes as long as what it saves.
_GAMES_PER_THREAD = 1024


class Batch:
    """``num_envs`` games in lockstep, in buffers that are allocated once and reused.

    Every game has its own random stream, made from ``seed`` and its index, so that game ``i`` is
    the same in a batch of any size, stepped by any number of threads.

    ``batch[i]`` is an environment of its own, a ``raw_env`` with game ``i`` in progress; its record
    begins with the round in play. ``batch[i] = env`` puts the game of an environment into the
    batch. ``copy.deepcopy`` and ``pickle`` clone and save a whole batch; to go back to where games
    were, keep ``batch.states.copy()`` for ``restore``.

    Args:
        num_envs: Number of games, at least 1.
        seed: Seed of all deals and lots; ``None`` takes one from the operating system.
        target_score, episode, reward, max_rounds, skip_forced: See ``Settings``.
        autoreset: Start the next episode in the same step that ended one. Without it a game that
            has ended stays as it is, and its further actions are ignored.
        observation_dtype: ``int8`` for the integers of the table in ``observation``; ``float32``
            for those times its scale, as the environments give them.
        num_threads: Threads that step the games; by default one a core, each with 1,024 games or
            more. The results do not depend on it.

    Attributes:
        states: ``(num_envs,)`` of ``rules.STATE``.
        observation: ``(num_envs, observation.SIZE)`` of ``observation_dtype``, of the seat on turn.
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
        observation_dtype: DTypeLike = np.int8,
        num_threads: int | None = None,
    ) -> None:
        check_integer("num_envs", num_envs, 1)
        check_choice("autoreset", autoreset, (False, True))
        floats = _is_float32(observation_dtype)
        if num_threads is None:
            num_threads = max(1, min(available_cores(), num_envs // _GAMES_PER_THREAD))
        check_integer("num_threads", num_threads, 1)
        self.settings = Settings(target_score, episode, reward, max_rounds, skip_forced)
        self.num_envs = num_envs
        self.autoreset = autoreset
        self.num_threads = num_threads
        self.states = np.zeros(num_envs, rules.STATE)
        self._integers = np.zeros((num_envs, observation.SIZE), np.int8)
        # No rows if nobody asked for them: the compiled loops write both, or the integers alone.
        self._features = np.zeros((num_envs if floats else 0, observation.SIZE), np.float32)
        self.observation = self._features if floats else self._integers
        self.action_mask = np.zeros((num_envs, rules.NUM_ACTIONS), np.int8)
        self.seat = np.zeros(num_envs, np.int8)
        self.rewards = np.zeros((num_envs, rules.NUM_SEATS), np.float32)
        self.terminations = np.zeros(num_envs, np.bool_)
        self.truncations = np.zeros(num_envs, np.bool_)
        self.final_scores = np.zeros((num_envs, 2), np.int32)
        self._threads = Threads(num_threads)
        self._parts = shares(num_envs, num_threads)
        self.reset(seed)

    def reset(
        self,
        seed: int | None = None,
        *,
        hands: ArrayLike | None = None,
        openers: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> None:
        """Start a new episode in every game.

        Args:
            seed: As in the constructor.
            hands: ``(num_envs, 4)`` integers, the tiles of each hand as bits: the first deal.
            openers: ``(num_envs,)`` seats that open the first round.
            scores: ``(num_envs, 2)`` points of the partnerships at the start, by default 0.

        Raises:
            ValueError: If a deal is not all 28 tiles, 7 to a hand, an opener no seat, or a score
                not a multiple of five below the target; then nothing has changed.
        """
        target = self.settings.target_score
        given = (
            checked_scores(scores, self.num_envs, target),
            checked_deals(hands, self.num_envs),
            checked_openers(openers, self.num_envs),
        )
        self.states["stream"] = streams_of(seed, self.num_envs)
        kernels.start(self.states, target, *given)
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
                if state["target"] != self.settings.target_score:
                    raise HistoryError(f"its target is {state['target']}, not the batch's")
                check_state(state)
            except HistoryError as error:
                raise ValueError(f"state {index} is no game: {error}") from None
        self.states[:] = states
        self._begin()

    def __len__(self) -> int:
        return self.num_envs

    def __getitem__(self, index: int) -> raw_env:
        """An environment of its own with game ``index`` in progress.

        Raises:
            IndexError: If there is no such game.
            ValueError: If the game has ended and was not followed by another.
        """
        row = range(self.num_envs)[index]
        game = self.states[row : row + 1]
        if game["phase"][0] != rules.PLAYING:
            raise ValueError(f"game {row} has ended: there is nothing to play on")
        env = raw_env(**asdict(self.settings))
        env.set_state(begun_with_its_round(game, self.settings))
        return env

    def __setitem__(self, index: int, env: Any) -> None:
        """Put the game of ``env`` in place of game ``index``, as if it had just been reset.

        Args:
            index: Of the game to give up.
            env: A ``raw_env`` with the batch's settings and an episode in progress, wrapped or not.
                Deals that its ``reset`` was given for later rounds stay behind.

        Raises:
            IndexError: If there is no such game.
            ValueError: If the settings are others or the episode has ended; then nothing has
                changed.
        """
        row = range(self.num_envs)[index]
        state = env.unwrapped.get_state()
        if state.settings != self.settings:
            raise ValueError(f"env plays a game with {state.settings}, not {self.settings}")
        if any(ended for _, ended in state.terminations + state.truncations):
            raise ValueError("env has no game to put: its episode has ended")
        game = np.frombuffer(state.game, rules.STATE)
        self.states[row : row + 1] = game
        self._begin(slice(row, row + 1))

    def _begin(self, part: slice = slice(None)) -> None:
        for results in (self.rewards, self.terminations, self.truncations, self.final_scores):
            results[part] = 0
        kernels.look(
            self.states[part],
            self._integers[part],
            self._features[part],
            self.action_mask[part],
            self.seat[part],
        )

    def step(self, actions: np.ndarray) -> None:
        """Play one action in every game and refresh all buffers.

        Ctrl-C in the middle of a step may leave some games a step behind the others.

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
        if not kernels.all_legal(self.states, actions):
            raise ValueError(self._complaint(actions))
        self._threads.run(kernels.step, [self._arguments(actions, part) for part in self._parts])

    def _arguments(self, actions: np.ndarray, part: slice) -> tuple[Any, ...]:
        """Of ``kernels.step`` for some of the games."""
        settings = self.settings
        return (
            self.states[part],
            actions[part],
            settings.episode == "round",
            settings.max_rounds or 0,
            settings.skip_forced,
            settings.reward == "win",
            self.autoreset,
            self._integers[part],
            self._features[part],
            self.action_mask[part],
            self.seat[part],
            self.rewards[part],
            self.terminations[part],
            self.truncations[part],
            self.final_scores[part],
        )

    def _complaint(self, actions: np.ndarray) -> str:
        wrong = [
            i
            for i in range(self.num_envs)
            if not kernels.all_legal(self.states[i : i + 1], actions[i : i + 1])
        ]
        first = wrong[0]
        state = self.states[first]
        return (
            f"illegal actions in {len(wrong)} of {self.num_envs} games, at indices {wrong[:8]}; "
            f"in game {first} seat {state['seat']} may not play "
            f"{action_words(actions[first], state['layout'])}; legal: {legal_words(state)}"
        )


def _is_float32(observation_dtype: DTypeLike) -> bool:
    for dtype in (np.int8, np.float32):
        if observation_dtype in (dtype, np.dtype(dtype).name):
            return dtype == np.float32
    raise ValueError(f"observation_dtype must be int8 or float32, got {observation_dtype!r}")
