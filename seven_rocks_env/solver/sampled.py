"""The solver for compiled searches: many small positions of many deals, without limits or checks.

A ``Workspace`` is what one thread needs for it. Values are in points, for partnership 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.solver import deal, questions
from seven_rocks_env.solver.layouts import POINTS, layout_tables
from seven_rocks_env.solver.position import SEARCH
from seven_rocks_env.solver.transposition import BUCKET, MAX_GENERATION, WORDS, new_table

_ENTRIES = 1 << 16  # 1 MiB, for positions of 28 tiles; half as many for every two tiles less


class Workspace(NamedTuple):
    """The memory of one thread; make it with ``new_workspace``."""

    search: np.ndarray  # (1,) of SEARCH
    table: np.ndarray
    layouts: np.ndarray  # from layout_tables
    numbers: np.ndarray
    needs: np.ndarray  # (2,) int64
    root_of_action: np.ndarray  # (113,) int64


def new_workspace(most_tiles: int) -> Workspace:
    """Memory to solve positions with up to ``most_tiles`` tiles left."""
    num_buckets = max(_ENTRIES // BUCKET >> (rules.NUM_TILES - most_tiles) // 2, 1)
    return Workspace(
        np.zeros(1, SEARCH),
        new_table(num_buckets),
        *layout_tables(),
        np.empty(2, np.int64),
        np.empty(rules.NUM_ACTIONS, np.int64),
    )


@compiled
def begin_deal(work, hands):
    """Get ready for positions in which each seat holds some of ``hands`` (4,)."""
    search = work.search[0]
    if search["generation"] == MAX_GENERATION:
        work.table[:] = 0
        search["generation"] = 0
    search["generation"] += 1
    search["num_buckets"] = work.table.shape[0] // WORDS
    deal.prepare_deal(search, hands)


@compiled
def _prepare(work, game):
    deal.target_needs(game["scores"], int(game["target"]), work.needs)
    deal.prepare_position(
        work.search[0], work.layouts, work.numbers, game, work.needs, work.root_of_action
    )
    work.search[0]["max_nodes"] = np.int64(1) << 62


@compiled
def position_value(work, game):
    """What the rest of the round nets; ``game`` must be in play and of the deal begun last."""
    _prepare(work, game)
    return POINTS * questions.find_value(work.search[0], work.layouts, work.table)


@compiled
def action_values(work, game, actions, count, values):
    """Write what the rest of the round nets after each of ``count`` placements into ``values``."""
    _prepare(work, game)
    search = work.search[0]
    questions.run(search, work.layouts, work.table, True)
    for choice in range(count):
        values[choice] = POINTS * search["root_low"][work.root_of_action[actions[choice]]]
