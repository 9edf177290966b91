"""A game: opening, turns, what is legal, credits, the target, both ends of a round, settlement."""

import numpy as np
import pytest
from scipy import stats

from seven_rocks_env import rules
from tests.games import (
    PASS,
    UNLIKELY,
    Move,
    action,
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

# After the lead [4|5] nobody holds a 4 or a 5.
BLOCKED_HANDS: list[list[Tile]] = [[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]]


def blocked_round(hands: list[list[Tile]] = BLOCKED_HANDS, opener: int = 0) -> np.void:
    """A round that ended by four passes after the lead [4|5]."""
    return play(round_with(hands, opener), action((4, 5), 0), PASS, PASS, PASS, PASS)


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


@needs_compiler
@pytest.mark.parametrize("phase", [rules.READY, rules.BLOCKED], ids=["at first", "after a block"])
def test_the_lot_falls_on_every_seat_equally_often(phase: int) -> None:
    openers = openers_drawn(phase, seat=2, rounds=20_000)

    assert stats.chisquare(openers).pvalue > UNLIKELY


def test_every_seat_opens_first_rounds() -> None:
    assert openers_drawn(rules.READY, seat=0, rounds=50).all()


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


# --- credits -------------------------------------------------------------------------------------


def test_the_line_to_check_by_hand() -> None:
    game = round_with([[(5, 5), (6, 6)], [(0, 5), (1, 6)], [(2, 5), (4, 4)], [(3, 5), (4, 6)]])
    credits = []
    for chosen in (action((5, 5), 0), action((0, 5), 0), action((2, 5), 1), action((3, 5), 2)):
        play(game, chosen)
        credits.append(int(game["credit"]))

    assert credits == [10, 10, 0, 5]
    assert game["scores"].tolist() == [10, 15]


@pytest.mark.parametrize(("seat", "scores"), [(0, [5, 0]), (1, [0, 5]), (2, [5, 0]), (3, [0, 5])])
def test_the_lead_is_credited_to_the_partnership_of_the_player(
    seat: int, scores: list[int]
) -> None:
    game = play(round_with([[(1, 4), (0, 0)]] * 4, seat), action((1, 4), 0))

    assert game["credit"] == 5
    assert game["scores"].tolist() == scores


@pytest.mark.parametrize("lead", [(0, 0), (0, 1), (6, 6)])
def test_zero_and_other_sums_are_not_credited(lead: Tile) -> None:
    game = play(round_with([[lead, (1, 2)]] * 4), action(lead, 0))

    assert game["credit"] == 0
    assert game["scores"].tolist() == [0, 0]


def test_a_pass_is_credited_nothing_though_the_ends_would_score() -> None:
    game = play(round_with([[(4, 6), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]]), action((4, 6), 0))
    play(game, PASS)

    assert rules.end_sum(game["layout"]) == 10
    assert game["credit"] == 0
    assert game["scores"].tolist() == [10, 0]


# --- the target ----------------------------------------------------------------------------------

TARGET = [
    # hand of seat 0, score before, phase, winner, scores after [5|5] is led
    pytest.param([(5, 5), (0, 1)], 240, rules.WON, 0, [250, 0], id="250 in mid-round wins at once"),
    pytest.param([(5, 5), (0, 1)], 245, rules.WON, 0, [255, 0], id="so does more than 250"),
    pytest.param([(5, 5)], 240, rules.WON, 0, [250, 0], id="250 on the last tile is not settled"),
    pytest.param([(5, 5)], 245, rules.WON, 0, [255, 0], id="nor is more than 250"),
    pytest.param(
        [(5, 5), (0, 1)], 235, rules.PLAYING, rules.NO_WINNER, [245, 0], id="245 plays on"
    ),
    pytest.param(
        [(5, 5)],
        235,
        rules.DOMINO,
        rules.NO_WINNER,
        [235, -15],
        id="245 on the last tile is credited, then settled",
    ),
]


@pytest.mark.parametrize(("tiles", "score", "phase", "winner", "scores"), TARGET)
def test_the_target_is_checked_right_after_each_credit(
    tiles: list[Tile], score: int, phase: int, winner: int, scores: list[int]
) -> None:
    game = round_with([tiles, [(2, 6)], [(4, 6)], [(3, 4)]], scores=(score, 0))
    play(game, action((5, 5), 0))

    assert (game["phase"], game["winner"], game["credit"]) == (phase, winner, 10)
    assert game["scores"].tolist() == scores


@pytest.mark.parametrize("seat", range(4))
def test_either_player_wins_for_the_partnership(seat: int) -> None:
    game = round_with([[(5, 5), (0, 1)]] * 4, seat, scores=(240, 240))
    play(game, action((5, 5), 0))

    assert (game["phase"], game["winner"], game["seat"]) == (rules.WON, seat % 2, seat)


def test_a_placement_that_scores_nothing_does_not_win() -> None:
    game = round_with([[(5, 6), (0, 1)]] * 4, scores=(245, 245))
    play(game, action((5, 6), 0))

    assert (game["phase"], game["winner"]) == (rules.PLAYING, rules.NO_WINNER)


def test_the_target_is_the_one_the_match_was_started_with() -> None:
    game = play(round_with([[(1, 4), (0, 1)]] * 4, target=5), action((1, 4), 0))

    assert (game["phase"], game["winner"]) == (rules.WON, 0)


# --- the end of a round --------------------------------------------------------------------------


def test_a_round_is_blocked_by_the_fourth_pass_in_a_row_and_not_before() -> None:
    game = play(round_with(BLOCKED_HANDS), action((4, 5), 0))
    for passes in range(4):
        assert (game["phase"], game["passes"]) == (rules.PLAYING, passes)
        assert legal(game) == {PASS}
        play(game, PASS)

    assert (game["phase"], game["passes"], game["winner"]) == (rules.BLOCKED, 4, rules.NO_WINNER)


def test_a_placement_starts_the_count_of_passes_anew() -> None:
    game = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(5, 6), (6, 6), (2, 2)]])
    play(game, action((4, 5), 0), PASS, PASS, action((5, 6), 1))
    assert game["passes"] == 0

    play(game, PASS, PASS, PASS)
    assert (game["phase"], game["passes"]) == (rules.PLAYING, 3)

    play(game, action((6, 6), 1), PASS, PASS, PASS)
    assert (game["phase"], game["passes"]) == (rules.PLAYING, 3)

    play(game, PASS)
    assert (game["phase"], game["passes"]) == (rules.BLOCKED, 4)


def test_a_blocked_round_brings_nobody_a_bonus() -> None:
    game = blocked_round([[(4, 5), (0, 0)], [(0, 1)], [(0, 2)], [(1, 1)]])

    # 0, 1, 2 and 2 pips are left: nothing to deduct, and nothing is added either.
    assert game["phase"] == rules.BLOCKED
    assert game["scores"].tolist() == [0, 0]


def test_a_round_ends_with_somebodys_last_tile() -> None:
    game = round_with([[(0, 1), (2, 2)], [(1, 3)], [(2, 3)], [(2, 3)]])
    play(game, action((0, 1), 0), action((1, 3), 1))

    assert (game["phase"], game["seat"], game["winner"]) == (rules.DOMINO, 1, rules.NO_WINNER)


def test_a_domino_on_a_scoring_tile_is_credited_and_then_settled() -> None:
    game = round_with([[(6, 6)], [(1, 4)], [(3, 4)], [(2, 6)]], opener=1, scores=(100, 200))
    play(game, action((1, 4), 0))

    assert (game["phase"], game["credit"]) == (rules.DOMINO, 5)
    # Partnership 0 loses 10 and 5 (12 and 7 pips); partnership 1 gains 5, then loses 10 (8 pips).
    assert game["scores"].tolist() == [85, 195]


SETTLEMENTS = [
    # what seats 0 to 3 have left when the round is blocked, scores afterwards
    pytest.param([[(1, 2)], [], [(0, 3)], []], [-10, 0], id="3 and 3 pips cost 5 each, not 5"),
    pytest.param([[(0, 2)], [], [(1, 1)], []], [0, 0], id="2 and 2 pips cost nothing, not 5"),
    pytest.param([[], [(1, 2)], [], [(0, 3)]], [0, -10], id="the same for seats 1 and 3"),
    pytest.param([[(1, 2), (0, 3)], [], [], []], [-5, 0], id="3 and 3 pips in one hand cost 5"),
    pytest.param([[(0, 2), (1, 1)], [], [], []], [-5, 0], id="2 and 2 pips in one hand cost 5"),
    pytest.param([[(2, 3)], [], [], [(3, 3)]], [-5, -5], id="each partnership pays for its own"),
    pytest.param(
        [[(6, 6), (3, 6)], [(2, 2)], [(1, 6)], [(1, 3), (2, 6)]],
        [-25, -15],
        id="21 and 7 pips cost 20 and 5, 4 and 12 cost 5 and 10",
    ),
]


@pytest.mark.parametrize(("left", "scores"), SETTLEMENTS)
def test_each_hand_is_rounded_and_deducted_by_itself(
    left: list[list[Tile]], scores: list[int]
) -> None:
    # A blank is left with everybody, so that nobody has dominoed.
    hands = [[(0, 0), *tiles] for tiles in left]
    game = blocked_round([[(4, 5), *hands[0]], *hands[1:]])

    assert game["phase"] == rules.BLOCKED
    assert game["scores"].tolist() == scores


@pytest.mark.parametrize(
    ("pips", "deducted"),
    [
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 5),
        (4, 5),
        (5, 5),
        (6, 5),
        (7, 5),
        (8, 10),
        (9, 10),
        (10, 10),
        (42, 40),
        (43, 45),
        (57, 55),
        (63, 65),
    ],
)
def test_pips_are_rounded_to_the_nearest_five(pips: int, deducted: int) -> None:
    assert rules.round_to_five(pips) == deducted


@pytest.mark.parametrize(
    ("tiles", "pips", "deducted"),
    [
        ([], 0, 0),
        ([(0, 0)], 0, 0),
        ([(6, 6)], 12, 10),
        ([(6, 6), (0, 1)], 13, 15),
        ([(6, 6), (5, 6), (5, 5), (4, 6), (4, 5), (3, 6), (4, 4)], 69, 70),
    ],
)
def test_a_hand_costs_all_its_pips_rounded_once(
    tiles: list[Tile], pips: int, deducted: int
) -> None:
    assert rules.hand_pips(hand(*tiles)) == pips
    assert rules.hand_size(hand(*tiles)) == len(tiles)
    assert rules.hand_deduction(hand(*tiles)) == deducted


def test_after_a_domino_the_partner_pays_and_the_player_does_not() -> None:
    game = round_with([[(0, 1)], [], [(4, 4)], [(5, 6)]])
    play(game, action((0, 1), 0))

    assert game["phase"] == rules.DOMINO
    assert game["scores"].tolist() == [-10, -10]


def test_a_settlement_may_make_scores_negative_and_they_are_kept() -> None:
    game = blocked_round()
    assert game["scores"].tolist() == [-10, -5]

    rules.next_round(game)
    assert game["scores"].tolist() == [-10, -5]


def test_the_next_round_is_dealt_on_a_clear_table() -> None:
    game = blocked_round()
    rules.next_round(game)

    assert (game["round"], game["phase"], game["passes"]) == (1, rules.PLAYING, 0)
    assert (game["credit"], game["num_actions"]) == (0, 0)
    assert game["layout"] == rules.EMPTY_LAYOUT
    assert [rules.hand_size(int(tiles)) for tiles in game["hands"]] == [7, 7, 7, 7]
    assert not game["ruled_out"].any()
    assert (game["placed_at"] == rules.NOT_PLACED).all()
    assert (game["actions"] == rules.NO_ACTION).all()


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
