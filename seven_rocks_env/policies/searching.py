"""What the search policies share: the choices of a decision, and decisions on all cores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.policies.protocol import Views
from seven_rocks_env.settings import check_integer
from seven_rocks_env.solver.layouts import sites_alike
from seven_rocks_env.threads import Threads, available_cores

MAX_DEALS = 1_000_000  # or iterations, of a decision
MAX_CHOICES = rules.HAND_SIZE * rules.NUM_SITES
_UNDECIDED = -1

# Chooses for one game, (1,) of ``rules.STATE``, with a random stream (4,) uint64 of its own.
Search = Callable[[np.ndarray, np.ndarray], int]


@compiled
def distinct_actions(game, actions):
    """Write the legal actions of the seat on turn, of those that play alike the lowest alone.

    Args:
        game: A record in the middle of a round.
        actions: ``(MAX_CHOICES,)`` int64, written, in ascending order.

    Returns:
        How many there are, at least one.
    """
    layout = int(game["layout"])
    hand = int(game["hands"][game["seat"]])
    sites = 0
    for site in range(rules.NUM_SITES):
        if hand & rules.FITTING_TILES[rules.site_value(layout, site)]:
            sites |= 1 << site
            for earlier in range(site):
                if sites_alike(layout, earlier, site):
                    sites &= ~(1 << site)
    count = 0
    while hand and sites:
        tile = rules.lowest_bit(hand)
        hand &= hand - 1
        for site in range(rules.NUM_SITES):
            fitting = rules.FITTING_TILES[rules.site_value(layout, site)]
            if (sites >> site) & (fitting >> tile) & 1:
                actions[count] = rules.NUM_SITES * tile + site
                count += 1
    if count == 0:
        actions[0] = rules.PASS
        count = 1
    return count


@compiled
def best_choice(game, actions, count, values):
    """The one of ``count`` placements with the highest value.

    Equal values are decided by what is credited at once, then for the lower action.
    """
    layout = int(game["layout"])
    best = -1
    most = 0
    for choice in range(count):
        tile, site = divmod(actions[choice], rules.NUM_SITES)
        credit = rules.credit_for(rules.end_sum(rules.place(layout, tile, site)))
        if (
            best < 0
            or values[choice] > values[best]
            or (values[choice] == values[best] and credit > most)
        ):
            best = choice
            most = credit
    return actions[best]


@compiled
def _decide_forced(states, actions):
    choices = np.empty(MAX_CHOICES, np.int64)
    for index in range(states.shape[0]):
        count = distinct_actions(states[index], choices)
        actions[index] = choices[0] if count == 1 else _UNDECIDED


class SearchPolicy:
    """Searches wherever there is a choice, each game with a random stream of its own.

    The streams are drawn first, in the order of the games; so what is played in a game depends
    neither on the number of threads nor on the games after it.

    Args:
        num_threads: Decisions searched at once; by default one a core.

    Raises:
        ValueError: If an argument is not allowed.
    """

    def __init__(self, num_threads: int | None = None) -> None:
        if num_threads is None:
            num_threads = available_cores()
        check_integer("num_threads", num_threads, 1)
        self._threads = Threads(num_threads)

    def new_search(self) -> Search:
        """A function that searches, in memory of its own, for one thread."""
        raise NotImplementedError

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``Policy.act``."""
        streams = rng.integers(2**64, size=(len(views), 4), dtype=np.uint64)
        actions = np.empty(len(views), np.int64)
        _decide_forced(views.states, actions)
        undecided = np.flatnonzero(actions == _UNDECIDED).tolist()
        games = iter(undecided)  # the threads take them one by one, since some take much longer

        def work() -> None:
            search = self.new_search()
            try:
                for index in games:
                    actions[index] = search(views.states[index : index + 1], streams[index])
            except BaseException:  # Ctrl-C too
                for _ in games:  # leaves the other threads nothing to do
                    pass
                raise

        if undecided:
            self._threads.run(work, [()] * min(self._threads.num_threads, len(undecided)))
        return actions
