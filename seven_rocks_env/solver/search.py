"""The search: is the value of a position at least ``gamma``? Alpha-beta with a null window.

The answer is a bound of the value ("fail soft"): a lower one if it is yes, an upper one if it is
no. The stack lies in the ``SEARCH`` record, so a search can stop at any position and go on later.
"""

from __future__ import annotations

from seven_rocks_env._compile import compiled
from seven_rocks_env.solver.moves import (
    generate,
    learn,
    move_credit,
    move_hint,
    move_id,
    move_layout,
    move_seat,
    move_tile,
    need_after,
    settles,
)
from seven_rocks_env.solver.position import position_key, sign_of
from seven_rocks_env.solver.transposition import HIGHEST, LOWEST, store


@compiled
def _descend(search, depth):
    """Put the position after the next move at ``depth`` on the stack."""
    move = search["moves"][depth, search["next"][depth]]
    search["next"][depth] += 1
    credit = move_credit(move)
    left = search["tiles"][depth] & ~(1 << move_tile(move))
    below = depth + 1
    search["tiles"][below] = left
    search["layout"][below] = move_layout(move)
    search["seat"][below] = move_seat(move)
    search["hint"][below] = move_hint(move)
    search["gamma"][below] = search["gamma"][depth] - sign_of(search["seat"][depth]) * credit
    for side in range(2):
        search["need"][below, side] = need_after(search, depth, left, side, credit)


@compiled
def _take_result(search, depth, result):
    """Count the ``result`` of the move at ``depth`` that was searched last."""
    index = search["next"][depth] - 1
    move = search["moves"][depth, index]
    sign = sign_of(search["seat"][depth])
    score = result + sign * move_credit(move)
    if sign * score > sign * search["best"][depth]:
        search["best"][depth] = score
        search["best_move"][depth] = move_id(move)
    if depth == 0:
        root = search["asked"][index]
        if score >= search["gamma"][0]:
            search["root_low"][root] = max(score, search["root_low"][root])
        else:
            search["root_high"][root] = min(score, search["root_high"][root])


@compiled
def _record(search, layouts, table, depth):
    """Keep what has been proven about the position at ``depth``."""
    best = search["best"][depth]
    gamma = search["gamma"][depth]
    move = 0
    if settles(search["seat"][depth], best, gamma):
        move = search["best_move"][depth]
        learn(search, layouts, depth, move)
    key = position_key(
        search["tiles"][depth],
        search["layout"][depth],
        search["seat"][depth],
        search["need"][depth, 0],
        search["need"][depth, 1],
    )
    store(
        table,
        search["num_buckets"],
        search["generation"],
        key,
        best if best >= gamma else LOWEST,
        HIGHEST if best >= gamma else best,
        move,
        search["nodes"] - search["first_node"][depth] + 1,
    )


@compiled
def advance(search, layouts, table):
    """Go on with the search on the stack until it ends or ``max_nodes`` have been searched.

    Position 0 is the root, whose moves are given; it is neither looked up nor stored.

    Returns:
        True if the search has ended: then ``best`` at depth 0 is the answer.
    """
    depth = search["depth"]
    entering = depth > 0
    while True:
        if entering:
            if search["nodes"] >= search["max_nodes"]:
                search["depth"] = depth
                return False
            search["nodes"] += 1
            search["first_node"][depth] = search["nodes"]
            generate(search, layouts, table, depth)
        if search["next"][depth] < search["count"][depth] and not settles(
            search["seat"][depth], search["best"][depth], search["gamma"][depth]
        ):
            _descend(search, depth)
            depth += 1
            entering = True
            continue
        if depth == 0:
            search["depth"] = -1
            return True
        _record(search, layouts, table, depth)
        result = search["best"][depth]
        depth -= 1
        _take_result(search, depth, result)
        entering = False
