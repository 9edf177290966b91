"""The state of a game and everything that can happen to it: deal, lots, turns, scoring, settlement.

A game is one record of ``STATE``; a batch is an array of them. Copying a record clones the game,
``tobytes()`` saves it, equal bytes are equal games. Functions take a record (``states[i]``) and
change it in place; actions are trusted, so check them with ``is_legal`` first.
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env._compile import compiled
from seven_rocks_env.rules.bits import hand_size, lowest_bit
from seven_rocks_env.rules.layout import (
    EMPTY_LAYOUT,
    FITTING_TILES,
    NUM_SITES,
    credit_for,
    end_sum,
    open_pips,
    place,
    site_value,
)
from seven_rocks_env.rules.stream import draw
from seven_rocks_env.rules.tiles import HAND_SIZE, NUM_SEATS, NUM_TILES, hand_pips

NUM_ACTIONS = NUM_SITES * NUM_TILES + 1
PASS = NUM_ACTIONS - 1
MAX_ACTIONS = 97  # in a round: at most 25 placements, and three passes between any two of them

# Phases of a game.
READY = 0  # no round dealt yet
PLAYING = 1
DOMINO = 2  # the round is over and settled: the player on turn placed the last tile of the hand
BLOCKED = 3  # the round is over and settled: four passes in a row
WON = 4  # the match is over: a partnership has reached the target

NO_WINNER = -1
NOT_PLACED = -1
NO_ACTION = -1

# Fields go from wide to narrow and fill a multiple of eight bytes: aligned and without padding,
# whose bytes would be left to chance.
STATE = np.dtype(
    [
        ("stream", np.uint64, (4,)),  # random stream of deals and lots
        ("layout", np.int64),  # see layout.py
        ("hands", np.int32, (NUM_SEATS,)),  # tiles left, a bit each
        ("scores", np.int32, (2,)),  # raw points of partnerships {0, 2} and {1, 3}
        ("target", np.int32),  # points that win the match
        ("round", np.int32),  # number of the round, from 0; -1 before the first
        ("phase", np.int8),
        ("winner", np.int8),  # partnership, or NO_WINNER
        ("opener", np.int8),  # seat that led this round
        ("seat", np.int8),  # seat on turn; after the end of a round, the seat that acted last
        ("passes", np.int8),  # in a row, up to now
        ("credit", np.int8),  # points credited by the last action
        ("num_actions", np.int8),  # in this round
        ("ruled_out", np.int8, (NUM_SEATS,)),  # pip values each seat has shown not to hold
        ("placed_at", np.int8, (NUM_TILES,)),  # number of the action that placed the tile
        ("actions", np.int8, (MAX_ACTIONS,)),  # of this round in order, then NO_ACTION
    ]
)
assert STATE.itemsize == 208


@compiled
def partnership_of(seat):
    """0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat & 1


@compiled
def round_to_five(pips):
    """``pips`` rounded to the nearest multiple of five (remainders 1 and 2 down, 3 and 4 up)."""
    return (pips + 2) // 5 * 5


@compiled
def hand_deduction(hand):
    """Points that a hand left at the end of a round costs its partnership."""
    return round_to_five(hand_pips(hand))


@compiled
def new_match(game, stream, target, score_0, score_1):
    """Make ``game`` a match in which no round has been dealt yet."""
    for word in range(4):
        game["stream"][word] = stream[word]
    game["target"] = target
    game["scores"][0] = score_0
    game["scores"][1] = score_1
    game["round"] = -1
    game["phase"] = READY
    game["winner"] = NO_WINNER
    game["seat"] = 0


@compiled
def next_round(game):
    """Deal the next round and choose its opener.

    Every round draws a deal and a lot, whether or not the lot is needed: so matches that start
    from the same stream meet the same deals and lots, however differently they are played.
    """
    # The deal is shuffled in the field that start_round clears, since a batch must not allocate.
    tiles = game["placed_at"]
    for position in range(NUM_TILES):
        tiles[position] = position
    for seat in range(NUM_SEATS):
        hand = 0
        for card in range(HAND_SIZE):
            position = HAND_SIZE * seat + card
            if seat < NUM_SEATS - 1:
                chosen = position + draw(game["stream"], NUM_TILES - position)
                tile = int(tiles[chosen])
                tiles[chosen] = tiles[position]
            else:
                tile = int(tiles[position])
            hand |= 1 << tile
        game["hands"][seat] = hand
    opener = draw(game["stream"], NUM_SEATS)
    if game["phase"] == DOMINO:
        opener = int(game["seat"])
    game["round"] += 1
    start_round(game, opener)


@compiled
def start_round(game, opener):
    """Clear the table for the hands that are in ``game`` and give ``opener`` the lead."""
    game["layout"] = EMPTY_LAYOUT
    game["phase"] = PLAYING
    game["opener"] = opener
    game["seat"] = opener
    game["passes"] = 0
    game["credit"] = 0
    game["num_actions"] = 0
    game["ruled_out"][:] = 0
    game["placed_at"][:] = NOT_PLACED
    game["actions"][:] = NO_ACTION


@compiled
def legal_tiles(game, site):
    """The tiles that the seat on turn may place at ``site``, a bit each."""
    hand = int(game["hands"][game["seat"]])
    return hand & FITTING_TILES[site_value(game["layout"], site)]


@compiled
def placements(game):
    """The legal placements of the seat on turn, as two sets to take from with ``take_placement``.

    Bit ``32 * (site % 2) + tile``: the first set is of the sites 0 and 1, the second of 2 and 3.
    One loop over two sets ends less often than four, and no processor foresees where loops end.
    """
    line = legal_tiles(game, 0) | legal_tiles(game, 1) << 32
    arms = legal_tiles(game, 2) | legal_tiles(game, 3) << 32
    return line, arms


@compiled
def take_placement(line, arms):
    """Tile and site of the first of ``placements``, and the two sets without it."""
    if line:
        bit = lowest_bit(line)
        return bit & 31, bit >> 5, line & (line - 1), arms
    bit = lowest_bit(arms)
    return bit & 31, 2 + (bit >> 5), line, arms & (arms - 1)


@compiled
def can_place(game):
    """True if the seat on turn holds a tile that fits somewhere."""
    for site in range(NUM_SITES):
        if legal_tiles(game, site):
            return True
    return False


@compiled
def is_legal(game, action):
    """True if ``action`` is legal for the seat on turn; nothing is legal between rounds."""
    if game["phase"] != PLAYING or action < 0 or action > PASS:
        return False
    if action == PASS:
        return not can_place(game)
    return (legal_tiles(game, action % NUM_SITES) >> (action // NUM_SITES)) & 1 == 1


@compiled
def legal_actions(game, mask):
    """Write 1 for every legal action and 0 for the others into ``mask`` (113,); count the ones."""
    mask[:] = 0
    if game["phase"] != PLAYING:
        return 0
    line, arms = placements(game)
    count = hand_size(line) + hand_size(arms)
    while line | arms:
        tile, site, line, arms = take_placement(line, arms)
        mask[NUM_SITES * tile + site] = 1
    if count == 0:
        mask[PASS] = 1
        return 1
    return count


@compiled
def play(game, action):
    """Play a legal ``action`` for the seat on turn: place or pass, credit, and end the round.

    Afterwards ``phase`` says whether the round goes on. A round that ended by domino or block has
    been settled; a match that was won has not, as the rules want it.
    """
    seat = int(game["seat"])
    number = int(game["num_actions"])
    game["actions"][number] = action
    game["num_actions"] = number + 1

    if action == PASS:
        game["credit"] = 0
        game["ruled_out"][seat] |= open_pips(game["layout"])
        game["passes"] += 1
        if game["passes"] == NUM_SEATS:
            settle(game)
            game["phase"] = BLOCKED
            return
    else:
        tile = action // NUM_SITES
        game["hands"][seat] &= ~(1 << tile)
        game["placed_at"][tile] = number
        game["passes"] = 0
        layout = place(game["layout"], tile, action % NUM_SITES)
        game["layout"] = layout
        credit = credit_for(end_sum(layout))
        game["credit"] = credit
        partnership = partnership_of(seat)
        game["scores"][partnership] += credit
        if credit > 0 and game["scores"][partnership] >= game["target"]:
            game["phase"] = WON
            game["winner"] = partnership
            return
        if game["hands"][seat] == 0:
            settle(game)
            game["phase"] = DOMINO
            return

    game["seat"] = (seat + 1) % NUM_SEATS


@compiled
def settle(game):
    """Deduct every remaining hand, rounded by itself, from the score of its partnership."""
    for seat in range(NUM_SEATS):
        game["scores"][partnership_of(seat)] -= hand_deduction(int(game["hands"][seat]))


@compiled
def seat_of_action(game, number):
    """The seat that made action ``number`` of this round; turns never skip a seat."""
    return (int(game["opener"]) + number) % NUM_SEATS


@compiled
def dealt_hands(game, hands):
    """Write what each seat holds or has placed in this round into ``hands`` (4,) int64."""
    for seat in range(NUM_SEATS):
        hands[seat] = game["hands"][seat]
    for tile in range(NUM_TILES):
        number = int(game["placed_at"][tile])
        if number != NOT_PLACED:
            hands[seat_of_action(game, number)] |= 1 << tile


@compiled
def hide_from(game, seat):
    """Erase from ``game`` what ``seat`` may not know: the other hands and the random stream.

    What is left is the seat's own view, from which all that a policy gets is derived.
    """
    for other in range(NUM_SEATS):
        if other != seat:
            game["hands"][other] = 0
    game["stream"][:] = 0
