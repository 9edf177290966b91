"""The questions: which windows to search until a position's value and its best action are known.

The roots are the placements to compare, each with proven bounds of its value. A question is a
``gamma`` and some of the roots: does the best of them reach it? Questions follow each other as in
MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms", 1996):
the next one is asked just beside the last answer, until the bounds meet.
"""

from __future__ import annotations

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.solver.moves import move_credit
from seven_rocks_env.solver.position import sign_of
from seven_rocks_env.solver.search import advance
from seven_rocks_env.solver.transposition import HIGHEST, LOWEST

_ALL = -1


@compiled
def value_bounds(search):
    """The proven bounds of the position's value, in fives."""
    sign = sign_of(search["seat"][0])
    low = search["root_low"][0]
    high = search["root_high"][0]
    for root in range(1, search["num_roots"]):
        if sign * search["root_low"][root] > sign * low:
            low = search["root_low"][root]
        if sign * search["root_high"][root] > sign * high:
            high = search["root_high"][root]
    return low, high


@compiled
def _ask(search, low, high, only):
    """Put a question on the stack, about root ``only`` or about all.

    Its ``gamma`` lies above ``low`` and not above ``high``, and as near the last answer as can be.
    """
    gamma = search["last"]
    if gamma <= low:
        gamma = low + 1
    elif gamma > high:
        gamma = high
    to_lower = rules.partnership_of(search["seat"][0])
    best = HIGHEST if to_lower else LOWEST
    count = 0
    for root in range(search["num_roots"]):
        if only not in (_ALL, root):
            continue
        if to_lower and search["root_low"][root] >= gamma:
            best = min(best, search["root_low"][root])
        elif not to_lower and search["root_high"][root] < gamma:
            best = max(best, search["root_high"][root])
        else:
            search["asked"][count] = root
            search["moves"][0, count] = search["root"][root]
            count += 1
    search["gamma"][0] = gamma
    search["best"][0] = best
    search["count"][0] = count
    search["next"][0] = 0
    search["depth"] = 0


@compiled
def _candidate(search, value):
    """The first root, by credit and then by number, that may be worth ``value``, the best."""
    best = -1
    for root in range(search["num_roots"]):
        possible = search["root_low"][root] <= value <= search["root_high"][root]
        credit = move_credit(search["root"][root])
        if possible and (best < 0 or credit > move_credit(search["root"][best])):
            best = root
    return best


@compiled
def _next_question(search, all_roots):
    """Ask about what is not known yet; False if everything is."""
    low, high = value_bounds(search)
    if low < high:
        _ask(search, low, high, _ALL)
        return True
    if search["chosen"] < 0:
        root = _candidate(search, low)
        if search["root_low"][root] < search["root_high"][root]:
            # It cannot be better than ``low``, the value: ask if it is as good.
            gamma = low + rules.partnership_of(search["seat"][0])
            _ask(search, gamma - 1, gamma, root)
            return True
        search["chosen"] = root
    if all_roots:
        for root in range(search["num_roots"]):
            if search["root_low"][root] < search["root_high"][root]:
                _ask(search, search["root_low"][root], search["root_high"][root], root)
                return True
    return False


@compiled
def find_value(search, layouts, table):
    """Ask and search, without limit, until the position's value is known; return it, in fives."""
    low, high = value_bounds(search)
    while low < high:
        _ask(search, low, high, _ALL)
        advance(search, layouts, table)
        search["last"] = search["best"][0]
        low, high = value_bounds(search)
    return low


@compiled
def run(search, layouts, table, all_roots):
    """Ask and search until everything is known or ``max_nodes`` have been searched.

    Args:
        search: With roots, see ``deal.prepare_position``.
        layouts: From ``layout_tables``.
        table: From ``transposition.new_table``.
        all_roots: Find the exact value of every root, not only of the best one.

    Returns:
        True if everything is known: then ``chosen`` is the best root.
    """
    while True:
        if search["depth"] < 0 and not _next_question(search, all_roots):
            return True
        if not advance(search, layouts, table):
            return False
        search["last"] = search["best"][0]
