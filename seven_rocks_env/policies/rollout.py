"""``rollout``: play every choice out on sampled deals and take the one with the best mean."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.engine import margin
from seven_rocks_env.policies.playouts import PLAYERS, play_out
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


@compiled
def _search(views, games, stream, num_deals, player, infer):
    """The action for ``views[0]``; ``games`` (2,) of ``rules.STATE`` is overwritten."""
    view = views[0]
    sign = 1 - 2 * rules.partnership_of(int(view["seat"]))
    actions = np.empty(MAX_CHOICES, np.int64)
    sums = np.zeros(MAX_CHOICES, np.int64)
    count = distinct_actions(view, actions)
    belief = believe(view, infer)
    for _ in range(num_deals):
        games[0] = view
        sample_deal(games[0], belief, stream)
        for choice in range(count):
            games[1] = games[0]
            rules.play(games[1], actions[choice])
            play_out(games[1], player, 0)
            sums[choice] += sign * margin(games[1])
    return best_choice(view, actions, count, sums)


class RolloutPolicy(SearchPolicy):
    """One-ply search with playouts (Tesauro and Galperin, "On-line policy improvement", 1996).

    Deals consistent with the seat's view are sampled; on every one of them every choice is played
    and the round played out, all seats by the same simple policy, with the same chance.

    Args:
        num_deals: Deals a decision, from 1 to 1,000,000.
        player: Who plays out: ``"random"``, ``"greedy"`` or ``"expert"``.
        infer: See ``sampling.believe``.
        num_threads: See ``SearchPolicy``.

    Raises:
        ValueError: If an argument is not allowed.
    """

    def __init__(
        self,
        num_deals: int,
        player: str = "expert",
        *,
        infer: bool = True,
        num_threads: int | None = None,
    ) -> None:
        super().__init__(num_threads)
        check_integer("num_deals", num_deals, 1, MAX_DEALS)
        check_choice("player", player, PLAYERS)
        check_choice("infer", infer, (False, True))
        self.num_deals = int(num_deals)
        self.player = player
        self.infer = infer

    def new_search(self) -> Search:
        """See ``SearchPolicy.new_search``."""
        games = np.empty(2, rules.STATE)
        player = PLAYERS.index(self.player)
        return lambda views, stream: _search(
            views, games, stream, self.num_deals, player, self.infer
        )
