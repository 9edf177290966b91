"""Points and ends: credits, the target, domino and block, the settlement, the next round."""

import pytest

from seven_rocks_env import rules
from tests.games import (
    BLOCKED_HANDS,
    PASS,
    action,
    blocked_round,
    hand,
    legal,
    play,
    round_with,
)
from tests.plain_rules import Tile

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
