"""A game: who opens, whose turn it is, what is legal, and what the record keeps."""

import numpy as np
import pytest
from scipy import stats

from seven_rocks_env import rules
from tests.games import (
    PASS,
    UNLIKELY,
    Move,
    action,
    blocked_round,
    hand,
    legal,
    needs_compiler,
    new_match,
    play,
    random_round,
    round_with,
)
from tests.plain_rules import Tile

FULL_HANDS: list[list[Tile]] = [list(rules.TILES[7 * seat : 7 * seat + 7]) for seat in range(4)]


def dominoed_round(seat: int) -> np.void:
    """A round that ended with the lead, the last tile of ``seat``; nobody scored."""
    return play(round_with([[(0, 1)]] * 4, opener=seat), action((0, 1), 0))


# --- opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize("opener", range(4))
def test_the_opener_may_lead_any_tile_of_the_hand_at_site_0(opener: int) -> None:
    game = round_with(FULL_HANDS, opener)

    assert game["seat"] == opener
    assert legal(game) == {28 * opener + 4 * tile for tile in range(7)}


@pytest.mark.parametrize("opener", range(4))
def test_turns_go_clockwise_whether_placed_or_passed(opener: int) -> None:
    hands: list[list[Tile]] = [[(0, 3)], [(2, 2)], [(0, 3)], [(2, 2)]]
    hands[opener] = [(4, 5), (0, 1)]
    hands[(opener + 2) % 4] = [(5, 6), (1, 2)]
    game = round_with(hands, opener)
    seats = [int(game["seat"])]
    for chosen in (action((4, 5), 0), PASS, action((5, 6), 1), PASS, PASS):
        play(game, chosen)
        seats.append(int(game["seat"]))

    assert seats == [(opener + turn) % 4 for turn in range(6)]
    assert [rules.seat_of_action(game, number) for number in range(5)] == seats[:5]


def openers_drawn(phase: int, seat: int, rounds: int) -> np.ndarray:
    """How often each seat opens the round after one that ended in ``phase`` with ``seat``."""
    game = new_match(seed=1)
    openers = np.zeros(4, np.int64)
    for _ in range(rounds):
        game["phase"] = phase
        game["seat"] = seat
        rules.next_round(game)
        openers[game["opener"]] += 1
    return openers


drawn_anew = pytest.mark.parametrize(
    "phase", [rules.READY, rules.BLOCKED], ids=["in the first round", "after a block"]
)


@drawn_anew
def test_the_lot_may_fall_on_every_seat(phase: int) -> None:
    assert openers_drawn(phase, seat=0, rounds=50).all()


@needs_compiler
@drawn_anew
def test_the_lot_falls_on_every_seat_equally_often(phase: int) -> None:
    openers = openers_drawn(phase, seat=2, rounds=20_000)

    assert stats.chisquare(openers).pvalue > UNLIKELY


@pytest.mark.parametrize("seat", range(4))
def test_the_player_who_dominoed_opens_the_next_round_whatever_the_lot(seat: int) -> None:
    assert openers_drawn(rules.DOMINO, seat, rounds=50)[seat] == 50


@pytest.mark.parametrize("seat", range(4))
def test_the_opener_after_a_domino_that_was_played(seat: int) -> None:
    game = dominoed_round(seat)
    rules.next_round(game)

    assert (game["phase"], game["opener"], game["seat"]) == (rules.PLAYING, seat, seat)


@needs_compiler
def test_the_opener_after_a_block_that_was_played_is_drawn_anew() -> None:
    openers = np.zeros(4, np.int64)
    blocked = blocked_round()
    for seed in range(4000):
        game = blocked.copy()
        game["stream"] = new_match(seed)["stream"]
        rules.next_round(game)
        openers[game["opener"]] += 1

    assert stats.chisquare(openers).pvalue > UNLIKELY


@needs_compiler
def test_no_tile_gives_its_holder_the_lead() -> None:
    game = new_match(seed=2)
    leads = np.zeros(28, np.int64)
    for _ in range(20_000):
        rules.next_round(game)
        for tile in range(28):
            leads[tile] += int(game["hands"][game["opener"]]) >> tile & 1

    # Each tile is in the opener's hand in a quarter of the rounds.
    error = np.sqrt(20_000 * 0.25 * 0.75)
    assert np.abs(leads - 5_000).max() < 4 * error


# --- what is legal -------------------------------------------------------------------------------

LEGAL = [
    # the tiles played (by seats 0, 1, ... in order), the hand of the next seat, its legal actions
    pytest.param(
        [((1, 4), 0)],
        [(1, 2), (4, 6), (1, 1), (2, 6)],
        {((1, 2), 0), ((4, 6), 1), ((1, 1), 0)},
        id="a tile goes where a half of it is equal to the open value",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 6), 1)],
        [(1, 6), (4, 4)],
        {((1, 6), 0), ((1, 6), 1)},
        id="a tile that fits both ends may go to either",
    ),
    pytest.param(
        [((3, 3), 0)],
        [(3, 5), (0, 0)],
        {((3, 5), 0), ((3, 5), 1)},
        id="both line sides are legal though equivalent, the arms are not yet",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1)],
        [(3, 5), (0, 1)],
        {((3, 5), 0), ((0, 1), 1)},
        id="the arms are closed with one line side free",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0)],
        [(3, 6), (2, 2)],
        {((3, 6), 2), ((3, 6), 3)},
        id="both arms are legal with both line sides taken",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((3, 6), 2)],
        [(3, 4), (2, 2)],
        {((3, 4), 3)},
        id="the other arm alone may save a player from passing",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((3, 6), 2)],
        [(6, 6), (0, 5)],
        {((6, 6), 2), ((0, 5), 0), ((0, 5), 1)},
        id="a later double goes straight on",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0)],
        [(4, 5), (1, 6), (0, 0)],
        {((4, 5), 0), ((1, 6), 1)},
        id="a second double offers no arms",
    ),
    pytest.param(
        [((1, 4), 0)], [(2, 2), (0, 6)], None, id="a player without a fitting tile passes"
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1)],
        [(1, 1), (2, 6)],
        None,
        id="a player without a fitting tile passes beside a spinner too",
    ),
]


@pytest.mark.parametrize(("moves", "tiles", "placements"), LEGAL)
def test_legal_actions(moves: list[Move], tiles: list[Tile], placements: set[Move] | None) -> None:
    hands: list[list[Tile]] = [[(5, 6), tile] for tile, _ in moves]
    hands.append(tiles)
    hands += [[(5, 6)]] * (5 - len(hands))
    game = round_with(hands[:4])
    if len(moves) == 4:  # the first seat is on turn again
        game["hands"][0] = hand(moves[0][0], *tiles)
    play(game, *(action(tile, site) for tile, site in moves))
    expected = {PASS} if placements is None else {action(*placement) for placement in placements}

    assert legal(game) == expected
    assert {chosen for chosen in range(-3, 120) if rules.is_legal(game, chosen)} == expected
    assert rules.can_place(game) == (placements is not None)


def test_nothing_is_legal_before_the_first_deal_and_after_the_end_of_a_round() -> None:
    won = play(round_with([[(5, 5)]] * 4, scores=(240, 0)), action((5, 5), 0))

    for game in (new_match(), dominoed_round(2), blocked_round(), won):
        assert legal(game) == set()
        assert not any(rules.is_legal(game, chosen) for chosen in range(113))


# --- what the record keeps -----------------------------------------------------------------------


def test_the_record_keeps_the_actions_of_the_round_and_when_each_tile_was_placed() -> None:
    game = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(5, 6), (2, 2)]])
    actions = [action((4, 5), 0), PASS, PASS, action((5, 6), 1)]
    play(game, *actions)

    assert game["num_actions"] == 4
    assert game["actions"].tolist() == [*actions, *[rules.NO_ACTION] * 93]
    placed = {rules.TILES[tile]: int(at) for tile, at in enumerate(game["placed_at"]) if at >= 0}
    assert placed == {(4, 5): 0, (5, 6): 3}
    assert game["hands"].tolist() == [hand((1, 2)), hand((1, 1)), hand((0, 3)), hand((2, 2))]


def test_a_pass_rules_out_the_values_that_were_open() -> None:
    game = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(5, 6), (2, 2)]])
    play(game, action((4, 5), 0), PASS, PASS, action((5, 6), 1), PASS)

    values = [{value for value in range(7) if pips >> value & 1} for pips in game["ruled_out"]]
    assert values == [{4, 6}, {4, 5}, {4, 5}, set()]


def test_later_passes_rule_out_more_and_forget_nothing() -> None:
    game = round_with([[(4, 5), (0, 5), (0, 6)], [(1, 1)], [(4, 6), (2, 2)], [(3, 3)]])
    play(game, action((4, 5), 0), PASS, action((4, 6), 0), PASS, action((0, 6), 0), PASS)

    values = [{value for value in range(7) if pips >> value & 1} for pips in game["ruled_out"]]
    assert values == [set(), {0, 4, 5}, set(), {5, 6}]


def test_a_pass_beside_open_arms_rules_out_the_spinners_value() -> None:
    game = round_with([[(3, 3), (1, 1)], [(0, 3), (1, 2)], [(3, 5), (1, 2)], [(1, 6)]])
    play(game, action((3, 3), 0), action((0, 3), 0), action((3, 5), 1), PASS)

    assert game["ruled_out"].tolist() == [0, 0, 0, 0b101001]


@pytest.mark.parametrize("seat", range(4))
def test_hiding_leaves_a_seat_its_own_hand_and_all_that_is_public(seat: int) -> None:
    game = list(random_round(seed=3))[9]
    hidden = game.copy()
    rules.hide_from(hidden, seat)

    assert hidden["hands"].tolist() == [
        int(game["hands"][other]) if other == seat else 0 for other in range(4)
    ]
    assert not hidden["stream"].any()
    for name in rules.STATE.names:
        if name not in ("hands", "stream"):
            assert np.array_equal(hidden[name], game[name]), name
