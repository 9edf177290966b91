"""Many games of Seven Rocks as one Gymnasium vector environment, the policies' moves batched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from seven_rocks_env import rules
from seven_rocks_env.batch_options import (
    checked_deals,
    checked_openers,
    checked_scores,
    streams_of,
)
from seven_rocks_env.gym_env import ILLEGAL_REWARD, SevenRocksEnv
from seven_rocks_env.policies import RandomPolicy, Views
from seven_rocks_env.settings import check_choice, check_integer
from seven_rocks_env.tables import Tables

_OPTIONS = ("hands", "openers", "scores", "reset_mask")
_NO_HANDS = np.zeros((0, rules.NUM_SEATS), np.int64)
_NO_OPENERS = np.zeros(0, np.int64)
_NO_SCORES = np.zeros((0, 2), np.int64)


class SevenRocksVectorEnv(VectorEnv[Any, Any, np.ndarray]):
    """``num_envs`` games of ``SevenRocksEnv`` in lockstep: a step is one decision in each game.

    ================  ============================================================================
    action            ``(n,)`` integers: ``4 * tile + site``, or 112 to pass
    observation       ``{"observation": float32 (n, 378), "action_mask": int8 (n, 113)}``, each row
                      of the learner's seat on turn; with ``flatten=True`` the first alone
    info              ``"action_mask"`` int8 (n, 113), ``"seat"`` int64 (n,), and the keys of the
                      single environment where it has them, each with its mask ``"_key"`` (n,) bool
    reward            float64 (n,), see ``SevenRocksEnv``
    termination       bool (n,), as is truncation
    ================  ============================================================================

    All returned arrays are the caller's to keep. Each game has its own random stream for deals and
    lots, so that they do not depend on ``num_envs``. The policies draw from one generator, and
    their chance (the ties of ``"greedy"``) does depend on it.

    There is nothing to render: watch a game in ``SevenRocksEnv``.

    Args:
        num_envs: Number of games, at least 1.
        autoreset_mode: When a game that has ended starts its next episode. ``SAME_STEP``: at once;
            the end is in ``info["final_obs"]`` and ``info["final_info"]``. ``NEXT_STEP``: in the
            next step, which ignores the action and pays 0. ``DISABLED``: when
            ``reset(options={"reset_mask": mask})`` asks for it.
        **keywords: As of ``SevenRocksEnv``, but for ``render_mode``.

    Attributes:
        tables: The games themselves; their scores are ``tables.states["scores"]``.

    Raises:
        ValueError: If an argument is not allowed; it names the argument and what is allowed.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **keywords: Any,
    ) -> None:
        check_integer("num_envs", num_envs, 1)
        modes = tuple(AutoresetMode)
        check_choice("autoreset_mode", autoreset_mode, (*modes, *(mode.value for mode in modes)))
        check_choice("render_mode", keywords.get("render_mode"), (None,))
        single = SevenRocksEnv(**keywords)
        self.num_envs = int(num_envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.seats = single.seats
        self.policies = single.policies
        self.flatten = single.flatten
        self.illegal_action = single.illegal_action
        self.settings = single.aec.settings
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._with_history = keywords.get("observation") == "history"
        self.tables = Tables(self.num_envs, self.settings, self.seats, self.policies)
        self.tables.states["stream"] = streams_of(None, self.num_envs)
        self._all_rows = np.arange(self.num_envs)
        self._masks = np.zeros((self.num_envs, rules.NUM_ACTIONS), np.int8)
        self._ready = False  # every game waits for the learner, or is over

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every game and play it up to the learner's first decision.

        Args:
            seed: Fixes the deals, the lots and the policies' chance of this and all following
                episodes. With an integer, game ``i`` has the random stream of game ``i`` of
                ``Batch(n, seed)``; of ``num_envs`` integers each game has that of
                ``Batch(1, seed[i])``. Without one the streams go on.
            options: May hold ``hands`` (n, 4) integers, the tiles of each hand of the first deal
                as bits, ``openers`` (n,) seats, ``scores`` (n, 2) at the start, and
                ``reset_mask``, (n,) bool array: the games to reset, while the others stay.

        Returns:
            Observation and info; where games stay, with their last observation and no info.
            Episodes that were over before the learner could act are reported in
            ``info["missed_rewards"]``, a list of rewards for each game that had any, and others
            were started with the same scores.

        Raises:
            ValueError: If an argument is malformed; then no game has changed.
            gymnasium.error.ResetNeeded: If there is a ``reset_mask`` before the first reset, or
                after a policy has raised an exception in mid-game.
        """
        seeds = self._checked_seeds(seed)
        options = {key: value for key, value in (options or {}).items() if value is not None}
        for key in options:
            check_choice("a key of options", key, _OPTIONS)
        hands = checked_deals(options.get("hands"), self.num_envs)
        openers = checked_openers(options.get("openers"), self.num_envs)
        scores = checked_scores(options.get("scores"), self.num_envs, self.settings.target_score)
        rows = self._checked_rows(options.get("reset_mask"))

        self._ready = False
        self._seed(seeds, rows)
        missed = self._start(rows, scores, hands, openers)
        self._ready = True
        seen = self._observe(self._all_rows)
        self._masks = seen["action_mask"].copy()
        return self._shown(seen), self._info(rows, self._masks[rows], missed=missed)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play ``actions`` (n,) for the learner's seats on turn, then the other seats.

        Raises:
            ValueError: If the shape or type is wrong or, with ``illegal_action="raise"``, an
                action is illegal; it names the first offending games, and no game has changed.
            gymnasium.error.ResetNeeded: Before ``reset``, and with ``AutoresetMode.DISABLED``
                while a game has ended.
        """
        if not self._ready:
            raise ResetNeeded("no episode is in progress: call reset() first")
        actions = self._checked_actions(actions)
        tables = self.tables
        was_over = tables.over
        if self.autoreset_mode == AutoresetMode.DISABLED and was_over.any():
            raise ResetNeeded(
                f"games {np.flatnonzero(was_over)[:8].tolist()} have ended: "
                'reset them with options={"reset_mask": mask}'
            )

        known = actions.clip(0, rules.PASS)
        illegal = ~was_over & ((known != actions) | (self._masks[self._all_rows, known] == 0))
        if illegal.any() and self.illegal_action == "raise":
            raise ValueError(self._complaint(np.flatnonzero(illegal), actions))
        self._ready = False  # unless all goes well: a policy that raises leaves games in mid-turn
        ending = illegal & (self.illegal_action == "terminate")
        replaced = np.flatnonzero(illegal & ~ending)
        if replaced.size:
            views = Views.of(tables.states[replaced])
            actions[replaced] = RandomPolicy().act(views, self.np_random)
        tables.terminated |= ending
        acting = np.flatnonzero(~was_over & ~ending)
        tables.play(acting, actions[acting])
        missed = self._start(np.flatnonzero(was_over))

        rewards = np.zeros(self.num_envs)
        rewards[acting] = tables.earned[acting]
        rewards[ending] = ILLEGAL_REWARD
        tables.earned[acting] = 0
        terminated, truncated = tables.terminated.copy(), tables.truncated.copy()
        final = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and (ended := tables.over).any():
            final = self._final(np.flatnonzero(ended), illegal & ended)
            illegal &= ~ended
            missed = self._start(np.flatnonzero(ended))
        self._ready = True
        seen = self._observe(self._all_rows)
        self._masks = seen["action_mask"].copy()
        info = self._info(self._all_rows, self._masks, illegal=illegal, missed=missed)
        return self._shown(seen), rewards, terminated, truncated, {**final, **info}

    def action_masks(self) -> np.ndarray:
        """The legal actions, (n, 113) bool; all zeros in a game that is over."""
        return self._masks.astype(bool)

    def _start(
        self,
        rows: np.ndarray,
        scores: np.ndarray = _NO_SCORES,
        hands: np.ndarray = _NO_HANDS,
        openers: np.ndarray = _NO_OPENERS,
    ) -> dict[int, list[float]]:
        """Start an episode in ``rows`` and play all games up to the learner's decisions.

        Returns:
            For each game that had any, the rewards of episodes that the learner missed.
        """
        missed: dict[int, list[float]] = {}
        self.tables.deal(rows, scores, hands, openers)
        while True:
            self.tables.play_others(self.np_random)
            rows = rows[self.tables.over[rows]]
            if not rows.size:
                return missed
            for row in rows.tolist():
                missed.setdefault(row, []).append(float(self.tables.earned[row]))
            self.tables.deal(rows, scores, _NO_HANDS, _NO_OPENERS)

    # --- what is returned ----------------------------------------------------------------------

    def _observe(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        return self.tables.observe(rows, history=self._with_history)

    def _shown(self, seen: dict[str, np.ndarray]) -> Any:
        return seen["observation"] if self.flatten else seen

    def _info(
        self,
        rows: np.ndarray,
        masks: np.ndarray,
        *,
        illegal: np.ndarray | None = None,
        missed: Mapping[int, list[float]] | None = None,
    ) -> dict[str, Any]:
        """The info of ``rows`` (k,), with their ``masks`` (k, 113), in Gymnasium's format."""
        info: dict[str, Any] = {}
        self._add(info, "action_mask", rows, masks)
        self._add(info, "seat", rows, self.tables.seat[rows])
        if illegal is not None and illegal.any():
            self._add(info, "illegal_action", np.flatnonzero(illegal), illegal[illegal])
        if missed:
            self._add(info, "missed_rewards", np.array(list(missed)), _objects(missed.values()))
        return info

    def _final(self, rows: np.ndarray, illegal: np.ndarray) -> dict[str, Any]:
        """The last observation and info of the episodes that ended in ``rows`` (k,)."""
        seen = self._observe(rows)
        last = [
            self._shown({key: value[index] for key, value in seen.items()})
            for index in range(rows.size)
        ]
        final: dict[str, Any] = {}
        self._add(final, "final_obs", rows, _objects(last))
        final["final_info"] = self._info(rows, seen["action_mask"], illegal=illegal)
        final["_final_info"] = final["_final_obs"].copy()
        return final

    def _add(self, info: dict[str, Any], key: str, rows: np.ndarray, values: np.ndarray) -> None:
        """Put ``values`` (k, ...) of ``rows`` (k,) into ``info``, as ``VectorEnv._add_info``."""
        nothing = None if values.dtype == object else 0
        info[key] = np.full((self.num_envs, *values.shape[1:]), nothing, values.dtype)
        info[key][rows] = values
        info[f"_{key}"] = np.zeros(self.num_envs, np.bool_)
        info[f"_{key}"][rows] = True

    # --- checks --------------------------------------------------------------------------------

    def _checked_actions(self, given: Any) -> np.ndarray:
        actions = np.asarray(given)
        if actions.shape != (self.num_envs,) or not np.issubdtype(actions.dtype, np.integer):
            raise ValueError(
                f"actions must be ({self.num_envs},) integers, "
                f"got {actions.dtype} of shape {actions.shape}"
            )
        return actions.astype(np.int64)

    def _checked_seeds(
        self, seed: int | Sequence[int | None] | None
    ) -> int | list[int | None] | None:
        if seed is None:
            return None
        if not hasattr(seed, "__iter__"):
            check_integer("seed", seed, 0)
            return int(seed)  # type: ignore[arg-type]
        seeds = list(seed)  # type: ignore[arg-type]
        if len(seeds) != self.num_envs:
            raise ValueError(
                f"seed must be an integer or a list of num_envs={self.num_envs} integers, "
                f"got {len(seeds)} of them"
            )
        for one in seeds:
            if one is not None:
                check_integer("seed", one, 0)
        return [one if one is None else int(one) for one in seeds]

    def _checked_rows(self, mask: Any) -> np.ndarray:
        """The games to reset, (k,) int64."""
        if mask is None:
            return self._all_rows
        shape, dtype = np.shape(mask), getattr(mask, "dtype", type(mask))
        if shape != (self.num_envs,) or dtype != np.bool_ or not mask.any():
            raise ValueError(
                f"reset_mask must be a ({self.num_envs},) bool array, true for at least one game, "
                f"got {mask!r}"
            )
        if not self._ready:
            raise ResetNeeded("reset_mask needs games that are in progress: reset them all first")
        return np.flatnonzero(mask)

    def _seed(self, seeds: int | list[int | None] | None, rows: np.ndarray) -> None:
        streams = self.tables.states["stream"]
        if isinstance(seeds, int):
            super().reset(seed=seeds)
            streams[rows] = streams_of(seeds, self.num_envs)[rows]
        elif seeds is not None:
            if None not in seeds:
                self.np_random = np.random.default_rng(seeds)  # type: ignore[arg-type]
            for row in rows:
                if seeds[row] is not None:
                    streams[row] = streams_of(seeds[row], 1)[0]

    def _complaint(self, wrong: np.ndarray, actions: np.ndarray) -> str:
        first = int(wrong[0])
        return (
            f"illegal actions in {wrong.size} of {self.num_envs} games, at indices "
            f"{wrong[:8].tolist()}; {self.tables.complaint(first, actions[first])}"
        )


def _objects(values: Iterable[Any]) -> np.ndarray:
    """``values`` as a (k,) array of objects, whatever is inside of them."""
    listed = list(values)
    objects = np.empty(len(listed), object)
    for index, value in enumerate(listed):
        objects[index] = value
    return objects
