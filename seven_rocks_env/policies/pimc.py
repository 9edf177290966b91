"""``pimc``: sampled deals solved exactly as if all hands lay open, after a playout if need be."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.engine import margin
from seven_rocks_env.policies.playouts import PLAYERS, play_out, tiles_in_hands
from seven_rocks_env.policies.sampling import believe, sample_deal
from seven_rocks_env.policies.searching import (
    MAX_CHOICES,
    MAX_DEALS,
    Search,
    SearchPolicy,
    best_choice,
    distinct_actions,
)
from seven_rocks_env.settings import check_choice, check_integer
from seven_rocks_env.solver.sampled import (
    action_values,
    begin_deal,
    new_workspace,
    position_value,
)

MAX_TILES = 20
_EXPERT = PLAYERS.index("expert")


@compiled
def _search(views, games, work, stream, num_deals, solved_tiles, infer):
    """The action for ``views[0]``; ``games`` (2,) of ``rules.STATE`` is overwritten."""
    view = views[0]
    sign = 1 - 2 * rules.partnership_of(int(view["seat"]))
    actions = np.empty(MAX_CHOICES, np.int64)
    values = np.empty(MAX_CHOICES, np.int64)
    sums = np.zeros(MAX_CHOICES, np.int64)
    count = distinct_actions(view, actions)
    belief = believe(view, infer)
    before = margin(view)
    for _ in range(num_deals):
        games[0] = view
        sample_deal(games[0], belief, stream)
        begin_deal(work, games[0]["hands"])
        if tiles_in_hands(games[0]) <= solved_tiles:
            action_values(work, games[0], actions, count, values)
        else:
            for choice in range(count):
                games[1] = games[0]
                rules.play(games[1], actions[choice])
                play_out(games[1], _EXPERT, solved_tiles)
                values[choice] = margin(games[1]) - before
                if games[1]["phase"] == rules.PLAYING:
                    values[choice] += position_value(work, games[1])
        for choice in range(count):
            sums[choice] += sign * values[choice]
    return best_choice(view, actions, count, sums)


class PimcPolicy(SearchPolicy):
    """Perfect information Monte Carlo search.

    From Ginsberg, "GIB: steps toward an expert-level bridge-playing program" (1999): deals
    consistent with the seat's view are sampled, and every choice is valued on every one of them by
    the exact solver, which sees all hands. Before few enough tiles are left for that, expert
    play of all seats leads there.

    Args:
        num_deals: Deals a decision, from 1 to 1,000,000.
        solved_tiles: Solve positions with at most so many tiles in all hands, 0 to 20.
        infer: See ``sampling.believe``.
        num_threads: See ``SearchPolicy``.

    Raises:
        ValueError: If an argument is not allowed.
    """

    def __init__(
        self,
        num_deals: int,
        solved_tiles: int = 8,
        *,
        infer: bool = True,
        num_threads: int | None = None,
    ) -> None:
        super().__init__(num_threads)
        check_integer("num_deals", num_deals, 1, MAX_DEALS)
        check_integer("solved_tiles", solved_tiles, 0, MAX_TILES)
        check_choice("infer", infer, (False, True))
        self.num_deals = int(num_deals)
        self.solved_tiles = int(solved_tiles)
        self.infer = infer

    def new_search(self) -> Search:
        """See ``SearchPolicy.new_search``."""
        games = np.empty(2, rules.STATE)
        work = new_workspace(self.solved_tiles)
        return lambda views, stream: _search(
            views, games, work, stream, self.num_deals, self.solved_tiles, self.infer
        )
