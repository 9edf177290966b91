"""The moves of a position: generated, looked up in the table, and put in the order to search them.

A move is a word, so that sorting moves is sorting integers:

========= ==========================================================
bits      meaning
========= ==========================================================
0 .. 1    site, as ``layouts`` numbers them
2 .. 6    tile, as ``position`` numbers them
8 .. 11   credit, in fives
12 .. 14  the seat that places next
16 .. 31  number of the layout that results
32 .. 39  hint for the position that results
40 ..     how promising the move is
========= ==========================================================
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.solver.layouts import NUM_PIPS
from seven_rocks_env.solver.position import (
    MAX_CREDIT,
    NO_SEAT,
    OUT_OF_REACH,
    follower,
    hand_of,
    need_left,
    position_key,
    settlement,
    sign_of,
)
from seven_rocks_env.solver.transposition import (
    LOWEST,
    NOTHING,
    hint,
    look_up,
    lower_bound,
    upper_bound,
)

# How promising a move is. The history of a move counts up to ``_MAX_HISTORY``.
_PER_CREDIT = 128  # for each five points, less those that the next seat can get at once
_PER_PIP = 2
_HINTED = 1 << 14
_MAX_HISTORY = 256
_HISTORY_SHIFT = 4
_MIN_TILES_FOR_REPLY = 10  # with fewer, looking at the reply costs more than it saves


@compiled
def move_word(number, seat, credit, tile, site):
    """A move, without hint and promise."""
    return number << 16 | seat << 12 | credit << 8 | tile << 2 | site


@compiled
def move_id(move):
    """What tells a move from the others of its position: 1 .. 112."""
    return (move & 127) + 1


@compiled
def move_tile(move):
    """The tile placed."""
    return (move >> 2) & 31


@compiled
def move_credit(move):
    """The credit, in fives."""
    return (move >> 8) & 15


@compiled
def move_seat(move):
    """The seat that places next."""
    return (move >> 12) & 7


@compiled
def move_layout(move):
    """The number of the layout that results."""
    return (move >> 16) & 0xFFFF


@compiled
def move_hint(move):
    """The hint for the position that results."""
    return (move >> 32) & 255


@compiled
def _fitting(search, here, tiles, seat, site):
    """The tiles of ``seat`` that fit ``site`` of the layout ``here``."""
    value = here["value"][site]
    if value >= NUM_PIPS:
        return np.int64(0)
    hand = hand_of(tiles, seat) << (rules.HAND_SIZE * seat)
    return hand & search["fits"][1 << value]


@compiled
def _best_credit(search, layouts, tiles, number, seat):
    """The most that ``seat`` can be credited for one placement, in fives."""
    here = layouts[number]
    most = 0
    for site in range(rules.NUM_SITES):
        fitting = _fitting(search, here, tiles, seat, site)
        while fitting:
            tile = rules.lowest_bit(fitting)
            fitting &= fitting - 1
            after = layouts[here["next"][site, search["tile_pips"][tile] - here["value"][site]]]
            most = max(most, np.int64(after["credit"]))
    return most


@compiled
def final_score(search, layouts, tiles, move, seat, need):
    """What ``move`` of ``seat`` and the rest of the round net, if that shows at once.

    Args:
        search: Prepared for the deal.
        layouts: From ``layout_tables``.
        tiles: Those left after the move.
        move: As ``move_word`` makes it.
        seat: Who makes the move.
        need: (2,) int64, what each partnership needed for the target before it.

    Returns:
        Whether it shows, and the score; if it does not, the score of the move alone.
    """
    credit = move_credit(move)
    score = sign_of(seat) * credit
    if credit >= need[rules.partnership_of(seat)]:
        return True, score
    after = move_seat(move)
    if after == NO_SEAT:
        return True, score + settlement(search, tiles)
    hand = hand_of(tiles, after)
    if hand & (hand - 1) == 0 and need[rules.partnership_of(after)] == OUT_OF_REACH:
        # The next seat places its last tile.
        score += sign_of(after) * _best_credit(search, layouts, tiles, move_layout(move), after)
        return True, score + settlement(search, tiles & ~(hand << (rules.HAND_SIZE * after)))
    return False, score


@compiled
def _history_slot(search, here, move):
    pips = search["tile_pips"][move_tile(move)]
    return move_tile(move) << 1 | (pips > 2 * here["value"][move & 3])


@compiled
def learn(search, layouts, depth, move):
    """Remember that the move with the id ``move`` settled the position and those before did not.

    Histories are relative: a move loses what it fails, so that they stay comparable (Winands et
    al., "The relative history heuristic", 2004).
    """
    history = search["history"]
    here = layouts[search["layout"][depth]]
    slot = _history_slot(search, here, move - 1)
    history[slot] += (_MAX_HISTORY - history[slot]) >> _HISTORY_SHIFT
    for index in range(search["next"][depth] - 1):
        slot = _history_slot(search, here, search["moves"][depth, index])
        history[slot] -= history[slot] >> _HISTORY_SHIFT


@compiled
def _promise(search, layouts, here, tiles, seat, hinted, move):
    """How promising ``move`` is; ``tiles`` are those left after it."""
    if move_id(move) == hinted:
        return np.int64(_HINTED)
    promise = (
        _PER_CREDIT * move_credit(move)
        + _PER_PIP * search["tile_pips"][move_tile(move)]
        + search["history"][_history_slot(search, here, move)]
    )
    if rules.hand_size(tiles) >= _MIN_TILES_FOR_REPLY - 1:
        after = move_seat(move)
        reply = _best_credit(search, layouts, tiles, move_layout(move), after)
        promise += _PER_CREDIT * (MAX_CREDIT + sign_of(seat) * sign_of(after) * reply)
    return promise


@compiled
def settles(seat, best, gamma):
    """True if ``best`` is enough for ``seat`` to settle whether the value reaches ``gamma``."""
    return best < gamma if rules.partnership_of(seat) else best >= gamma


@compiled
def need_after(search, depth, left, side, credit):
    """What partnership ``side`` needs once the seat on turn has got ``credit``, ``left`` left."""
    need = search["need"][depth, side]
    if need < OUT_OF_REACH and rules.partnership_of(search["seat"][depth]) == side:
        need -= credit
    return need_left(left, side, need)


@compiled
def generate(search, layouts, table, depth):
    """Write the moves at ``depth``, the most promising first.

    Moves whose score shows, or is known from the table well enough for the question, are not
    written but counted in ``best`` at once. If that settles the question, no more are looked at
    (enhanced transposition cutoffs: Schaeffer and Plaat, "New advances in alpha-beta searching",
    1996).
    """
    tiles = search["tiles"][depth]
    seat = search["seat"][depth]
    gamma = search["gamma"][depth]
    moves = search["moves"][depth]
    here = layouts[search["layout"][depth]]
    sign = sign_of(seat)
    best = LOWEST * sign
    search["best_move"][depth] = 0
    search["next"][depth] = 0
    count = 0
    for site in range(rules.NUM_SITES):
        fitting = _fitting(search, here, tiles, seat, site)
        while fitting:
            tile = rules.lowest_bit(fitting)
            fitting &= fitting - 1
            left = tiles & ~(1 << tile)
            number = np.int64(here["next"][site, search["tile_pips"][tile] - here["value"][site]])
            credit = np.int64(layouts[number]["credit"])
            after = follower(search, layouts, left, number, seat)
            move = move_word(number, after, credit, tile, site)
            known, score = final_score(search, layouts, left, move, seat, search["need"][depth])
            if not known:
                key = position_key(
                    left,
                    number,
                    after,
                    need_after(search, depth, left, 0, credit),
                    need_after(search, depth, left, 1, credit),
                )
                facts = look_up(table, search["num_buckets"], search["generation"], key)
                if facts != NOTHING:
                    if score + lower_bound(facts) >= gamma:
                        known = True
                        score += lower_bound(facts)
                    elif score + upper_bound(facts) < gamma:
                        known = True
                        score += upper_bound(facts)
                    move |= hint(facts) << 32
            if not known:
                hinted = search["hint"][depth]
                move |= _promise(search, layouts, here, left, seat, hinted, move) << 40
                place = count
                while place > 0 and moves[place - 1] < move:
                    moves[place] = moves[place - 1]
                    place -= 1
                moves[place] = move
                count += 1
            elif sign * score > sign * best:
                best = score
                search["best_move"][depth] = move_id(move)
                if settles(seat, best, gamma):
                    search["best"][depth] = best
                    search["count"][depth] = 0
                    return
    search["best"][depth] = best
    search["count"][depth] = count
