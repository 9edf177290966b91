"""From a state of ``rules`` to what the search needs: the deal, the position, the roots."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.solver.layouts import NUM_PIPS, POINTS, layout_number
from seven_rocks_env.solver.moves import final_score, move_layout, move_tile, move_word
from seven_rocks_env.solver.position import (
    FULL_HAND,
    NO_SEAT,
    OUT_OF_REACH,
    follower,
    need_left,
    next_seat,
    settlement,
    sign_of,
)
from seven_rocks_env.solver.transposition import HIGHEST, LOWEST


@compiled
def prepare_deal(search, hands):
    """Make the tables of the deal of ``hands`` (4,).

    They may be the tiles dealt, or those left in the middle of a round: then no earlier position
    can be searched.
    """
    fits = search["fits"]
    fits[:] = 0
    search["history"][:] = 0
    for seat in range(rules.NUM_SEATS):
        search["dealt"][seat] = hands[seat]
        dealt = np.int64(hands[seat])
        number = rules.HAND_SIZE * seat
        while dealt:
            tile = rules.lowest_bit(dealt)
            dealt &= dealt - 1
            search["tile_pips"][number] = rules.PIPS[tile]
            for value in range(NUM_PIPS):
                if (rules.FITTING_TILES[value] >> tile) & 1:
                    fits[1 << value] |= 1 << number
            number += 1
        _prepare_deductions(search, seat)
    for pips in range(1, 1 << NUM_PIPS):
        fits[pips] = fits[pips & (pips - 1)] | fits[pips & -pips]


@compiled
def _prepare_deductions(search, seat):
    hands = np.zeros(FULL_HAND + 1, np.int64)  # by the set of the search's tiles
    dealt = np.int64(search["dealt"][seat])
    index = 0
    while dealt:
        for subset in range(1 << index, 2 << index):
            hands[subset] = hands[subset - (1 << index)] | (dealt & -dealt)
        dealt &= dealt - 1
        index += 1
    for subset in range(1 << index):
        points = rules.hand_deduction(hands[subset])
        search["deduction"][seat, subset] = -sign_of(seat) * points // POINTS


@compiled
def target_needs(scores, target, needs):
    """Write what each partnership needs for ``target`` into ``needs`` (2,) int64, in fives."""
    for side in range(2):
        needs[side] = min((target - int(scores[side])) // POINTS, OUT_OF_REACH)


@compiled
def _search_tile(search, seat, tile):
    """The search's number of ``tile``, which was dealt to ``seat``."""
    earlier = np.int64(search["dealt"][seat]) & ((1 << tile) - 1)
    return rules.HAND_SIZE * seat + rules.hand_size(earlier)


@compiled
def prepare_position(search, layouts, numbers, game, needs, root_of_action):
    """Make the legal placements of ``game`` the roots, those that play alike one root.

    If the seat on turn must pass, they are those of the next seat that can place; if nobody can,
    the one root stands for the settlement.

    Args:
        search: Prepared for the deal of ``game``.
        layouts: From ``layout_tables``.
        numbers: From ``layout_tables``.
        game: A record in the middle of a round.
        needs: (2,) int64, what each partnership needs for the target, in fives.
        root_of_action: (113,) int64, written: the root that a placement belongs to, or -1.
    """
    root_of_action[:] = -1
    search["nodes"] = 0
    search["depth"] = -1
    search["last"] = 0
    search["chosen"] = -1
    tiles = 0
    for seat in range(rules.NUM_SEATS):
        hand = np.int64(game["hands"][seat])
        while hand:
            tiles |= 1 << _search_tile(search, seat, rules.lowest_bit(hand))
            hand &= hand - 1

    layout = np.int64(game["layout"])
    on_turn = np.int64(game["seat"])
    seat = on_turn
    if layout != rules.EMPTY_LAYOUT:
        before = (on_turn + rules.NUM_SEATS - 1) % rules.NUM_SEATS
        seat = next_seat(tiles, search["fits"][rules.open_pips(layout)], before)
    if seat == NO_SEAT:
        search["seat"][0] = on_turn
        search["num_roots"] = 1
        search["root_low"][0] = settlement(search, tiles)
        search["root_high"][0] = search["root_low"][0]
        return

    search["seat"][0] = seat
    search["tiles"][0] = tiles
    search["num_roots"] = 0
    for side in range(2):
        search["need"][0, side] = need_left(tiles, side, needs[side])
    for tile in range(rules.NUM_TILES):
        if not (np.int64(game["hands"][seat]) >> tile) & 1:
            continue
        for site in range(rules.NUM_SITES):
            if (rules.FITTING_TILES[rules.site_value(layout, site)] >> tile) & 1:
                number = layout_number(numbers, rules.place(layout, tile, site))
                root = _root(search, layouts, _search_tile(search, seat, tile), number)
                root_of_action[rules.NUM_SITES * tile + site] = root


@compiled
def _root(search, layouts, tile, number):
    """The root that places ``tile`` so that layout ``number`` results, a new one if need be."""
    count = search["num_roots"]
    for root in range(count):
        move = search["root"][root]
        if move_layout(move) == number and move_tile(move) == tile:
            return root
    seat = search["seat"][0]
    left = search["tiles"][0] & ~(1 << tile)
    credit = np.int64(layouts[number]["credit"])
    move = move_word(number, follower(search, layouts, left, number, seat), credit, tile, 0)
    known, score = final_score(search, layouts, left, move, seat, search["need"][0])
    search["root"][count] = move
    search["root_low"][count] = score if known else LOWEST
    search["root_high"][count] = score if known else HIGHEST
    search["num_roots"] = count + 1
    return count
