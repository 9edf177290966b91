"""Positions as the search sees them, and the record that a search lives in.

A position is the tiles left, the number of the layout and the seat on turn. Tiles are numbered by
who was dealt them: bit ``7 s + i`` is tile ``i`` of seat ``s``, so one integer is all four hands.
Seats that cannot place are skipped: a pass changes nothing else, and when nobody can place the
round is blocked. Points count in fives, and always for partnership 0 and against partnership 1.
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.solver.layouts import NUM_PIPS

FULL_HAND = (1 << rules.HAND_SIZE) - 1
NO_SEAT = 4
OUT_OF_REACH = 255  # what a partnership needs for the target, in fives, if it cannot get it
MAX_CREDIT = 7  # in fives: 35 is the largest sum that scores

_MAX_DEPTH = rules.NUM_TILES + 1
_MAX_MOVES = rules.HAND_SIZE * rules.NUM_SITES
_HISTORIES = 2 * rules.NUM_TILES  # a tile may be placed by either half

# All of a search but the layouts and the table. See moves.py for what a move is.
SEARCH = np.dtype(
    [
        # The deal.
        ("dealt", np.int32, (rules.NUM_SEATS,)),  # tiles of each seat, as a hand of rules
        ("tile_pips", np.int64, (rules.NUM_TILES,)),
        ("fits", np.int64, (1 << NUM_PIPS,)),  # the tiles that fit a set of pip values
        ("deduction", np.int64, (rules.NUM_SEATS, FULL_HAND + 1)),  # what a hand left nets
        ("generation", np.int64),
        ("num_buckets", np.int64),
        # The placements to compare, and what is asked about them: see questions.py.
        ("num_roots", np.int64),
        ("root", np.int64, (_MAX_MOVES,)),  # moves
        ("root_low", np.int64, (_MAX_MOVES,)),  # proven bounds of their values
        ("root_high", np.int64, (_MAX_MOVES,)),
        ("asked", np.int64, (_MAX_MOVES,)),  # the roots that the moves at depth 0 are
        ("last", np.int64),  # the answer to the last question
        ("chosen", np.int64),  # the best root, -1 while it is not known
        # The search: how far it is and what it has learned about moves.
        ("nodes", np.int64),  # positions searched
        ("max_nodes", np.int64),
        ("depth", np.int64),  # of the position to search next; -1 if there is none
        ("history", np.int64, (_HISTORIES,)),
        # The stack, by depth.
        ("tiles", np.int64, (_MAX_DEPTH,)),
        ("layout", np.int64, (_MAX_DEPTH,)),
        ("seat", np.int64, (_MAX_DEPTH,)),
        ("need", np.int64, (_MAX_DEPTH, 2)),  # of each partnership for the target, in fives
        ("gamma", np.int64, (_MAX_DEPTH,)),  # the question: is the value at least this?
        ("best", np.int64, (_MAX_DEPTH,)),
        ("best_move", np.int64, (_MAX_DEPTH,)),
        ("hint", np.int64, (_MAX_DEPTH,)),
        ("first_node", np.int64, (_MAX_DEPTH,)),
        ("count", np.int64, (_MAX_DEPTH,)),  # of moves
        ("next", np.int64, (_MAX_DEPTH,)),  # the move to search next
        ("moves", np.int64, (_MAX_DEPTH, _MAX_MOVES)),
    ],
    align=True,
)


@compiled
def sign_of(seat):
    """1 if points of ``seat`` count for, -1 if they count against partnership 0."""
    return 1 - 2 * rules.partnership_of(seat)


@compiled
def hand_of(tiles, seat):
    """The tiles of ``seat`` among ``tiles``, a bit each from bit 0 on."""
    return (tiles >> (rules.HAND_SIZE * seat)) & FULL_HAND


@compiled
def next_seat(tiles, fitting, seat):
    """The first seat after ``seat`` that holds one of ``fitting``, or ``NO_SEAT``."""
    able = tiles & fitting
    if able == 0:
        return np.int64(NO_SEAT)
    later = able >> (rules.HAND_SIZE * (seat + 1))
    if later:
        return seat + 1 + rules.lowest_bit(later) // rules.HAND_SIZE
    return rules.lowest_bit(able) // rules.HAND_SIZE


@compiled
def follower(search, layouts, tiles, number, seat):
    """Who places next after ``seat`` left ``tiles`` and layout ``number``; ``NO_SEAT`` at the end.

    The round has ended if ``seat`` has no tile left (domino) or no seat can place (blocked).
    """
    if hand_of(tiles, seat) == 0:
        return np.int64(NO_SEAT)
    return next_seat(tiles, search["fits"][layouts[number]["open"]], seat)


@compiled
def settlement(search, tiles):
    """What the settlement nets if ``tiles`` are left."""
    deduction = search["deduction"]
    total = 0
    for seat in range(rules.NUM_SEATS):
        total += deduction[seat, hand_of(tiles, seat)]
    return total


@compiled
def need_left(tiles, side, need):
    """``need``, or ``OUT_OF_REACH`` if partnership ``side`` has too few of ``tiles`` to get it."""
    if need < OUT_OF_REACH:
        hands = hand_of(tiles, side) | hand_of(tiles, side + 2) << rules.HAND_SIZE
        if need > MAX_CREDIT * rules.hand_size(hands):
            return np.int64(OUT_OF_REACH)
    return need


@compiled
def position_key(tiles, number, seat, need_0, need_1):
    """All that the rest of the round depends on, but for the deal, as one integer."""
    return tiles | number << 28 | seat << 41 | need_0 << 43 | need_1 << 51
