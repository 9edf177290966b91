"""The solver as it is called from Python: checks, limits, and results in points."""

from __future__ import annotations

import math
import operator
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.settings import check_integer
from seven_rocks_env.solver import deal, questions
from seven_rocks_env.solver.layouts import POINTS, layout_tables
from seven_rocks_env.solver.position import OUT_OF_REACH, SEARCH
from seven_rocks_env.solver.transposition import BUCKET, MAX_GENERATION, new_table

MAX_MEBIBYTES = 1024
_ENTRY_BYTES = 16

# Between two looks at the clock, and at whether the user has pressed Ctrl-C.
_NODES_PER_LOOK = 10_000
_UNLIMITED = 1 << 62


@dataclass(frozen=True)
class Solution:
    """What a position is worth. All values are in points, for partnership 0 and against 1.

    Attributes:
        value: What partnership 0 will still net less what partnership 1 will, from this position
            to the end of the round, both playing perfectly; None if a limit came first.
        bounds: The lowest and the highest that the value can be, both proven; equal if it is known.
        best_action: A best action for the seat on turn: of several, the one credited most at once,
            of those the lowest. None if a limit came first.
        action_values: The exact value by action, in ascending order of actions; with
            ``actions=False`` only the values that happened to come out, the best action's included.
        nodes: Positions searched.
        exact: True if no limit came before all that was asked for.
    """

    value: int | None
    bounds: tuple[int, int]
    best_action: int | None
    action_values: dict[int, int]
    nodes: int
    exact: bool


class Solver:
    """Solves positions one after the other in the same memory.

    What was proven about a deal is used for later positions of the same deal, and never changes a
    result other than ``nodes``. A solver is for one thread at a time; several solvers run in
    parallel, since the search holds no lock of Python's.

    Args:
        mebibytes: Size of the table of positions, a power of two from 1 to 1024. The whole of it
            serves whole deals; later positions use less, which is faster.

    Raises:
        ValueError: If ``mebibytes`` is not such a number.
    """

    def __init__(self, mebibytes: int = 1) -> None:
        check_integer("mebibytes", mebibytes, 1, MAX_MEBIBYTES)
        if mebibytes & (mebibytes - 1):
            raise ValueError(f"mebibytes must be a power of two, got {mebibytes}")
        self._num_buckets = mebibytes * 2**20 // (_ENTRY_BYTES * BUCKET)
        self._table = new_table(self._num_buckets)
        self._search = np.zeros(1, SEARCH)
        self._hands = np.zeros(rules.NUM_SEATS, np.int64)
        self._root_of_action = np.zeros(rules.NUM_ACTIONS, np.int64)

    def solve(
        self,
        state: Any,
        target: int | None = None,
        *,
        actions: bool = True,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
    ) -> Solution:
        """Solve a position in the middle of a round. See ``solve`` for arguments and errors."""
        game = _checked_game(state, self._hands)
        needs = _needs(game, target)
        if max_nodes is not None:
            check_integer("max_nodes", max_nodes, 1)
        if max_seconds is not None:
            _check_seconds(max_seconds)

        search = self._search[0]
        self._prepare(game)
        layouts, numbers = layout_tables()
        deal.prepare_position(search, layouts, numbers, game, needs, self._root_of_action)
        exact = self._run(layouts, actions, max_nodes, max_seconds)
        return self._solution(game, exact)

    def _prepare(self, game: np.void) -> None:
        search = self._search[0]
        tiles = sum(int(hand).bit_count() for hand in game["hands"])
        num_buckets = max(self._num_buckets >> (rules.NUM_TILES - tiles) // 2, 1)
        if np.array_equal(search["dealt"], self._hands) and num_buckets <= search["num_buckets"]:
            return
        if search["generation"] == MAX_GENERATION:
            self._table[:] = 0
            search["generation"] = 0
        search["generation"] += 1
        search["num_buckets"] = num_buckets
        deal.prepare_deal(search, self._hands)

    def _run(
        self,
        layouts: np.ndarray,
        actions: bool,
        max_nodes: int | None,
        max_seconds: float | None,
    ) -> bool:
        """Search until everything is known or a limit is reached; True in the first case."""
        search = self._search[0]
        stop_at = math.inf if max_seconds is None else time.monotonic() + max_seconds
        last_node = _UNLIMITED if max_nodes is None else max_nodes
        while True:
            search["max_nodes"] = min(search["nodes"] + _NODES_PER_LOOK, last_node)
            if questions.run(search, layouts, self._table, actions):
                return True
            if search["nodes"] >= last_node or time.monotonic() >= stop_at:
                return False

    def _solution(self, game: np.void, exact: bool) -> Solution:
        search = self._search[0]
        low, high = (POINTS * int(bound) for bound in questions.value_bounds(search))
        value = low if low == high else None
        placements = np.flatnonzero(self._root_of_action >= 0)
        best_action: int | None
        if not rules.can_place(game):
            best_action = None if value is None else rules.PASS
            values = {} if value is None else {rules.PASS: value}
        else:
            best_action = None
            values = {}
            for action in placements:
                root = self._root_of_action[action]
                if best_action is None and root == search["chosen"]:
                    best_action = int(action)
                if search["root_low"][root] == search["root_high"][root]:
                    values[int(action)] = POINTS * int(search["root_low"][root])
        return Solution(value, (low, high), best_action, values, int(search["nodes"]), exact)


def solve(
    state: Any,
    target: int | None = None,
    *,
    actions: bool = True,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
) -> Solution:
    """The exact value of the rest of a round, all hands open and both sides playing perfectly.

    Args:
        state: A record of ``rules.STATE`` in the middle of a round, or a (1,) array of one. It is
            not changed. Its own target is ignored.
        target: Points that win the match, or None. With a target, a credit that brings a
            partnership to it ends the round there, unsettled, and the scores in ``state`` matter.
            The value is still points netted until the end, the winning credit included: a win
            is worth nothing by itself.
        actions: Find the exact value of every legal action; False is faster and finds the value
            of the position and a best action only.
        max_nodes: Stop after searching so many positions.
        max_seconds: Stop after so many seconds by the clock.

    Returns:
        The ``Solution``. If a limit came first, its ``exact`` is False and ``bounds`` hold what
        was proven until then.

    Raises:
        ValueError: If ``state`` is not in the middle of a round or hands are hidden in it; if
            ``target`` is not a multiple of five above both scores; or if a limit is not positive.
    """
    return Solver().solve(
        state, target, actions=actions, max_nodes=max_nodes, max_seconds=max_seconds
    )


_NOT_PLAYING = {
    rules.READY: "no round has been dealt yet",
    rules.DOMINO: "the round is over",
    rules.BLOCKED: "the round is over",
    rules.WON: "the match is over",
}


def _checked_game(state: Any, hands: np.ndarray) -> np.void:
    """A copy of the record in ``state``, and the hands as dealt into ``hands`` (4,)."""
    array = np.array(state)
    if array.dtype != rules.STATE or array.size != 1:
        raise ValueError(
            "state must be one record of rules.STATE, "
            f"got an array of {array.dtype} with shape {array.shape}"
        )
    game = array.reshape(1)[0]
    phase = int(game["phase"])
    if phase != rules.PLAYING:
        reason = _NOT_PLAYING.get(phase, f"its phase is {phase}")
        raise ValueError(f"state must be in the middle of a round, but {reason}")
    rules.dealt_hands(game, hands)
    known = all(int(hand).bit_count() == rules.HAND_SIZE for hand in hands)
    if not known or np.bitwise_or.reduce(hands) != rules.ALL_TILES or not game["hands"].all():
        raise ValueError(
            "state must hold all four hands, but what its seats hold and have placed is not the "
            "28 tiles, seven each; a view of one seat needs beliefs.resample first"
        )
    return game


def _needs(game: np.void, target: int | None) -> np.ndarray:
    """What each partnership needs for ``target``, in fives, (2,) int64."""
    if target is None:
        return np.full(2, OUT_OF_REACH, np.int64)
    try:
        target = operator.index(target)
    except TypeError:
        raise ValueError(f"target must be an integer or None, got {target!r}") from None
    scores = [int(score) for score in game["scores"]]
    if target % POINTS or target <= max(scores):
        raise ValueError(
            f"target must be a multiple of five above the scores {scores[0]} and {scores[1]}, "
            f"got {target}"
        )
    needs = np.empty(2, np.int64)
    deal.target_needs(game["scores"], target, needs)
    return needs


def _check_seconds(max_seconds: Any) -> None:
    number = isinstance(max_seconds, (int, float)) and not isinstance(max_seconds, bool)
    if not number or not max_seconds > 0:
        raise ValueError(f"max_seconds must be a number above 0, got {max_seconds!r}")
