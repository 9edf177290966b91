"""The plain rules against the worked positions and the examples in the rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plain_rules import PASS, TILES, PlainLayout, PlainMatch, Tile, rounded_to_five

Move = tuple[Tile, int]

POSITIONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "positions.json").read_text(encoding="utf-8")
)["positions"]

# The first move is the lead. From [1|1] on, site 0 is the line that [1|1] was placed on.
LONG_LINE: list[Move] = [
    ((1, 4), 0),
    ((1, 1), 0),
    ((4, 4), 0),
    ((3, 4), 0),
    ((1, 2), 1),
    ((1, 5), 2),
    ((5, 5), 2),
    ((0, 5), 2),
    ((1, 3), 3),
]

MOVES: dict[str, list[Move]] = {
    "opening plain tile": LONG_LINE[:1],
    "first double placed on a line": LONG_LINE[:2],
    "outer later double": LONG_LINE[:3],
    "after the straight continuation": LONG_LINE[:4],
    "second line side taken": LONG_LINE[:5],
    "first side arm started": LONG_LINE[:6],
    "side arm continued past a double": LONG_LINE[:8],
    "second side arm started": LONG_LINE[:9],
    "opening double": [((2, 2), 0)],
    "opening double blank": [((0, 0), 0)],
    "first double placed on a six": [((3, 6), 0), ((6, 6), 1)],
}

ANY_DEAL: list[list[Tile]] = [TILES[7 * seat : 7 * seat + 7] for seat in range(4)]


def layout_of(moves: list[Move]) -> PlainLayout:
    layout = PlainLayout()
    layout.lead(moves[0][0])
    for tile, site in moves[1:]:
        layout.place(tile, site)
    return layout


def action(tile: Tile, site: int) -> int:
    return 4 * TILES.index(tile) + site


def test_every_worked_position_is_rebuilt() -> None:
    assert len(POSITIONS) == 11
    assert {position["name"] for position in POSITIONS} == set(MOVES)


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["name"])
def test_position_agrees_with_the_worked_one(position: dict[str, Any]) -> None:
    rebuilt = layout_of(MOVES[position["name"]]).to_dict()

    assert {"name": position["name"], **rebuilt} == position


def test_line_to_check_by_hand() -> None:
    match = PlainMatch([[(5, 5), (6, 6)], [(0, 5), (1, 6)], [(2, 5), (4, 4)], [(3, 5), (4, 6)]], 0)
    #         tile, site, end sum, score of its partnership afterwards
    line = [
        ((5, 5), 0, 10, 10),
        ((0, 5), 0, 10, 10),
        ((2, 5), 1, 2, 10),
        ((3, 5), 2, 5, 15),
    ]
    for seat, (tile, site, end_sum, score) in enumerate(line):
        match.play(action(tile, site))
        assert match.layout.end_sum() == end_sum
        assert match.scores[seat % 2] == score

    assert match.ledger == [
        (0, 0, 0, "credit", 10, 10),
        (0, 1, 1, "credit", 10, 10),
        (0, 3, 1, "credit", 5, 15),
    ]


@pytest.mark.parametrize(
    ("moves", "sites"),
    [
        pytest.param(
            [((1, 4), 0), ((4, 6), 1), ((1, 3), 0)],
            {0: ((1, 3), "high end", 3), 1: ((4, 6), "high end", 6)},
            id="a line keeps the number of the lead's half it grew from",
        ),
        pytest.param(
            [((1, 4), 0), ((4, 6), 1), ((6, 6), 1)],
            {0: ((1, 4), "low end", 1), 1: ((6, 6), "line side B", 6)},
            id="a spinner placed on site 1 has the line on site 0 afterwards",
        ),
        pytest.param(
            [((3, 3), 0), ((0, 3), 1)],
            {0: ((3, 3), "line side A", 3), 1: ((0, 3), "low end", 0)},
            id="line side B of a led double can be taken first and opens no arms",
        ),
        pytest.param(
            [((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((3, 6), 3)],
            {
                0: ((3, 5), "high end", 5),
                1: ((0, 3), "low end", 0),
                2: ((3, 3), "side arm A", 3),
                3: ((3, 6), "high end", 6),
            },
            id="arm B can be started before arm A",
        ),
    ],
)
def test_open_sites_by_number(moves: list[Move], sites: dict[int, tuple[Tile, str, int]]) -> None:
    assert layout_of(moves).sites() == sites


def test_there_is_no_open_site_before_the_lead() -> None:
    assert PlainLayout().sites() == {}


ARMS_OF_DOUBLE_BLANK: list[Move] = [
    ((0, 0), 0),
    ((0, 6), 0),
    ((0, 5), 1),
    ((0, 4), 2),
    ((0, 3), 3),
    ((6, 6), 0),
    ((5, 5), 1),
    ((4, 4), 2),
]


@pytest.mark.parametrize(
    ("last", "end_sum", "credit"),
    [
        pytest.param(((3, 3), 3), 36, 0, id="largest sum"),
        pytest.param(((3, 5), 3), 35, 35, id="largest sum that scores"),
    ],
)
def test_largest_sums(last: Move, end_sum: int, credit: int) -> None:
    layout = layout_of([*ARMS_OF_DOUBLE_BLANK, last])

    assert (layout.end_sum(), layout.credit()) == (end_sum, credit)


def test_lead_may_be_any_tile_of_the_hand_at_site_0() -> None:
    match = PlainMatch(ANY_DEAL, opener=3)

    # Seat 3 holds [3|6] to [6|6], the last seven of the 28.
    assert match.turn == 3
    assert match.legal_actions() == {84, 88, 92, 96, 100, 104, 108}


def test_placement_at_either_of_two_equal_sites_is_legal() -> None:
    match = PlainMatch([[(2, 2), (0, 1)], [(2, 5), (0, 0)], [(1, 1)], [(3, 3)]], opener=0)
    match.play(action((2, 2), 0))

    assert match.legal_actions() == {action((2, 5), 0), action((2, 5), 1)}


@pytest.mark.parametrize(
    "illegal",
    [
        pytest.param(PASS, id="pass while a tile fits"),
        pytest.param(action((0, 0), 0), id="tile that does not fit"),
        pytest.param(action((2, 5), 2), id="side arm before both line sides are taken"),
        pytest.param(action((2, 6), 0), id="tile of another hand"),
    ],
)
def test_illegal_action_is_refused(illegal: int) -> None:
    match = PlainMatch([[(2, 2), (0, 1)], [(2, 5), (0, 0)], [(2, 6)], [(3, 3)]], opener=0)
    match.play(action((2, 2), 0))

    with pytest.raises(AssertionError):
        match.play(illegal)


@pytest.mark.parametrize(
    ("pips", "deducted"),
    [(0, 0), (1, 0), (2, 0), (3, 5), (4, 5), (5, 5), (6, 5), (7, 5), (8, 10), (42, 40), (43, 45)],
)
def test_pips_are_rounded_to_the_nearest_five(pips: int, deducted: int) -> None:
    assert rounded_to_five(pips) == deducted


def blocked_match() -> PlainMatch:
    """Only 4 and 5 are open after the lead, and nobody is left with either."""
    match = PlainMatch([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]], opener=0)
    match.play(action((4, 5), 0))
    for _ in range(4):
        match.play(PASS)
    return match


def test_round_is_blocked_by_the_fourth_pass_in_a_row() -> None:
    match = PlainMatch([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]], opener=0)
    match.play(action((4, 5), 0))
    for passes in range(4):
        assert (match.passes, match.ended) == (passes, None)
        assert match.legal_actions() == {PASS}
        match.play(PASS)

    assert (match.passes, match.ended, match.winner) == (4, "blocked", None)
    assert match.turn == 0
    assert match.legal_actions() == set()


def test_placement_starts_the_count_of_passes_anew() -> None:
    match = PlainMatch([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(5, 6), (2, 2)]], opener=0)
    for step in (action((4, 5), 0), PASS, PASS, action((5, 6), 1)):
        match.play(step)

    assert (match.passes, match.ended) == (0, None)


def test_settlement_rounds_each_hand_by_itself() -> None:
    match = blocked_match()

    # 3 and 3 pips with seats 0 and 2: twice 5. 2 and 4 pips with seats 1 and 3: nothing and 5.
    assert match.ledger == [
        (0, 0, 0, "deduction", -5, -5),
        (0, 2, 0, "deduction", -5, -10),
        (0, 3, 1, "deduction", -5, -5),
    ]
    assert match.scores == [-10, -5]


def test_settlement_after_a_domino_spares_only_the_player_who_dominoed() -> None:
    match = PlainMatch([[(6, 6)], [(1, 4)], [(3, 4)], [(2, 6)]], opener=1, scores=(100, 200))
    match.play(action((1, 4), 0))

    assert (match.ended, match.turn, match.winner) == ("domino", 1, None)
    assert match.ledger == [
        (0, 1, 1, "credit", 5, 205),
        (0, 0, 0, "deduction", -10, 90),
        (0, 2, 0, "deduction", -5, 85),
        (0, 3, 1, "deduction", -10, 195),
    ]


@pytest.mark.parametrize(
    ("hand", "score", "ended", "winner", "scores"),
    [
        pytest.param([(5, 5)], 240, "won", 0, [250, 0], id="250 on the last tile"),
        pytest.param([(5, 5), (0, 1)], 245, "won", 0, [255, 0], id="above 250 in mid-round"),
        pytest.param([(5, 5)], 235, "domino", None, [235, -15], id="245 on the last tile"),
        pytest.param([(5, 5), (0, 1)], 235, None, None, [245, 0], id="245 in mid-round"),
    ],
)
def test_match_is_won_at_once_at_250_and_not_settled(
    hand: list[Tile], score: int, ended: str | None, winner: int | None, scores: list[int]
) -> None:
    match = PlainMatch([hand, [(2, 6)], [(4, 6)], [(3, 4)]], opener=0, scores=(score, 0))
    match.play(action((5, 5), 0))

    assert (match.ended, match.winner, match.scores) == (ended, winner, scores)


def test_nothing_follows_a_won_match() -> None:
    match = PlainMatch([[(5, 5)], [(2, 6)], [(4, 6)], [(3, 4)]], opener=0, scores=(240, 0))
    match.play(action((5, 5), 0))

    assert match.ledger == [(0, 0, 0, "credit", 10, 250)]
    assert match.legal_actions() == set()
    with pytest.raises(AssertionError):
        match.next_round(ANY_DEAL, lot=0)


def test_player_who_dominoed_opens_the_next_round_whatever_the_lot() -> None:
    match = PlainMatch([[(6, 6)], [(1, 4)], [(3, 4)], [(2, 6)]], opener=1)
    match.play(action((1, 4), 0))
    match.next_round(ANY_DEAL, lot=3)

    assert (match.round, match.opener, match.turn) == (1, 1, 1)


def test_lot_draws_the_opener_after_a_blocked_round() -> None:
    match = blocked_match()
    match.next_round(ANY_DEAL, lot=3)

    assert (match.round, match.opener, match.turn) == (1, 3, 3)


def test_next_round_keeps_scores_and_ledger_and_clears_the_table() -> None:
    match = blocked_match()
    match.next_round(ANY_DEAL, lot=3)
    match.play(action((5, 5), 0))

    assert (match.ended, match.passes, match.layout.tiles) == (None, 0, [(5, 5)])
    assert match.scores == [-10, 5]
    assert match.ledger[-1] == (1, 3, 1, "credit", 10, 5)
