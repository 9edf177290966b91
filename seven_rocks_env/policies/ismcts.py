"""``ismcts``: one tree over all that the seat cannot tell apart, a new sampled deal every time."""

from __future__ import annotations

from math import log, sqrt

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

_EXPERT = PLAYERS.index("expert")
_NONE = -1

# Points that a choice is given the benefit of, by the square root of log(available) / visits.
EXPLORATION = 60.0

# A node's replies are those of expert play until it has been visited so often: replies that were
# tried once or twice say less than that.
RIPE = 60

# A node is what the actions since the root have led to, whatever the hidden hands are.
_NODE = np.dtype(
    [
        ("total", np.int64),  # points netted for partnership 0 in all visits
        ("visits", np.int32),
        ("available", np.int32),  # times its action was legal when its parent was visited
        ("first_child", np.int32),
        ("sibling", np.int32),
        ("action", np.int8),
    ],
    align=True,
)


@compiled
def _child(nodes, parent, action):
    """The child of ``parent`` by ``action``, or ``_NONE``."""
    child = int(nodes[parent]["first_child"])
    while child != _NONE and nodes[child]["action"] != action:
        child = int(nodes[child]["sibling"])
    return child


@compiled
def _clear(node):
    node["total"] = 0
    node["visits"] = 0
    node["available"] = 1
    node["first_child"] = _NONE
    node["sibling"] = _NONE


@compiled
def _expand(nodes, parent, child, action):
    """Make ``child`` the child of ``parent`` by ``action``."""
    node = nodes[child]
    _clear(node)
    node["action"] = action
    node["sibling"] = nodes[parent]["first_child"]
    nodes[parent]["first_child"] = child


@compiled
def _select(nodes, parent, actions, count, sign, exploration):
    """The child with the highest upper confidence bound, all ``actions`` having one."""
    best = _NONE
    highest = 0.0
    for choice in range(count):
        child = _child(nodes, parent, actions[choice])
        node = nodes[child]
        node["available"] += 1
        visits = float(node["visits"])
        bound = sign * node["total"] / visits
        bound += exploration * sqrt(log(float(node["available"])) / visits)
        if best == _NONE or bound > highest:
            best = child
            highest = bound
    return best


@compiled
def _descend(nodes, num_nodes, game, path, exploration, ripe):
    """Play ``game`` down the tree until a node is new or not ripe, or the round over.

    Args:
        nodes: ``(n,)`` of ``_NODE``.
        num_nodes: Nodes in use; the next one may be taken.
        game: A record with all hands, played on in place.
        path: ``(MAX_ACTIONS + 1,)`` int64, written: the nodes met, the root first.
        exploration: See ``EXPLORATION``.
        ripe: See ``RIPE``.

    Returns:
        Length of ``path``, and the nodes now in use.
    """
    actions = np.empty(MAX_CHOICES, np.int64)
    missing = np.empty(MAX_CHOICES, np.int64)
    node = 0
    path[0] = 0
    length = 1
    used = num_nodes
    while game["phase"] == rules.PLAYING and used == num_nodes:
        if node > 0 and nodes[node]["visits"] < ripe:
            break
        count = distinct_actions(game, actions)
        num_missing = 0
        for choice in range(count):
            if _child(nodes, node, actions[choice]) == _NONE:
                missing[num_missing] = actions[choice]
                num_missing += 1
        if num_missing:
            action = missing[rules.draw(game["stream"], num_missing)]
            for choice in range(count):
                child = _child(nodes, node, actions[choice])
                if child != _NONE:
                    nodes[child]["available"] += 1
            _expand(nodes, node, used, action)
            node = used
            used += 1
        else:
            sign = 1 - 2 * rules.partnership_of(int(game["seat"]))
            node = _select(nodes, node, actions, count, sign, exploration)
            action = int(nodes[node]["action"])
        rules.play(game, action)
        path[length] = node
        length += 1
    return length, used


@compiled
def _search(views, games, nodes, stream, exploration, ripe, infer):
    """The action for ``views[0]``; ``games`` (1,) of ``rules.STATE`` is overwritten.

    ``nodes`` (iterations + 1,) is the tree's memory: an iteration adds at most one.
    """
    view = views[0]
    path = np.empty(rules.MAX_ACTIONS + 1, np.int64)
    belief = believe(view, infer)
    before = margin(view)
    _clear(nodes[0])
    used = 1
    for _ in range(nodes.shape[0] - 1):
        games[0] = view
        game = games[0]
        sample_deal(game, belief, stream)
        length, used = _descend(nodes, used, game, path, exploration, ripe)
        play_out(game, _EXPERT, 0)
        net = margin(game) - before
        for step in range(length):
            node = nodes[path[step]]
            node["visits"] += 1
            node["total"] += net

    actions = np.empty(MAX_CHOICES, np.int64)
    visits = np.zeros(MAX_CHOICES, np.int64)
    count = distinct_actions(view, actions)
    for choice in range(count):
        child = _child(nodes, 0, actions[choice])
        if child != _NONE:
            visits[choice] = nodes[child]["visits"]
    return best_choice(view, actions, count, visits)


class IsmctsPolicy(SearchPolicy):
    """Single-observer information set Monte Carlo tree search.

    From Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012): every
    iteration samples a deal and walks down one tree, whose nodes are the actions since the root;
    an action competes by an upper confidence bound that counts how often it was legal. Leaves
    are valued by expert play of all seats; partners share their values. The most visited choice
    is played.

    Args:
        num_iterations: Iterations a decision, from 1 to 1,000,000.
        exploration: See ``EXPLORATION``.
        ripe: See ``RIPE``.
        infer: See ``sampling.believe``.
        num_threads: See ``SearchPolicy``.

    Raises:
        ValueError: If an argument is not allowed.
    """

    def __init__(
        self,
        num_iterations: int,
        *,
        exploration: float = EXPLORATION,
        ripe: int = RIPE,
        infer: bool = True,
        num_threads: int | None = None,
    ) -> None:
        super().__init__(num_threads)
        check_integer("num_iterations", num_iterations, 1, MAX_DEALS)
        check_integer("ripe", ripe, 1, MAX_DEALS)
        if not 0 <= exploration < float("inf"):
            raise ValueError(f"exploration must be a number of points from 0 on, got {exploration}")
        check_choice("infer", infer, (False, True))
        self.num_iterations = int(num_iterations)
        self.exploration = float(exploration)
        self.ripe = int(ripe)
        self.infer = infer

    def new_search(self) -> Search:
        """See ``SearchPolicy.new_search``."""
        games = np.empty(1, rules.STATE)
        nodes = np.empty(self.num_iterations + 1, _NODE)
        return lambda views, stream: _search(
            views, games, nodes, stream, self.exploration, self.ripe, self.infer
        )
