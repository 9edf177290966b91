import re
from collections import Counter

import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.board import Layout
from seven_rocks_env.notation import tile_text
from seven_rocks_env.render import board_text
from tests.matches import game_after, play_match


def drawing(moves: str) -> str:
    """The part of the text that draws the tiles."""
    return board_text(game_after(moves)).split("\n\n", 1)[1].rsplit("\n\n", 1)[0]


def test_whole_text_with_a_hand() -> None:
    game = game_after(
        "1|4 1|1@low 4|4@lineA 3|4@lineA 1|2@lineB 1|5@armA 5|5@armA 0|5@armA 1|3@armB"
    )
    assert (
        "\n" + board_text(game, hand_of=1)
        == """
Round 1: seat 1 to play (seat 0 placed [1|3])

                        [5]
                +--[1|5][-][5|0]
                |       [5]
                |
       [4]     [1]
  [3|4][-][4|1][*][1|2]
       [4]     [1]
                |
                +--[1|3]

Open ends:  3 at line side A, 2 at line side B, 0 at side arm A, 3 at side arm B
End sum:    3 + 2 + 0 + 3 = 8
Seats 0 & 2:    35 of 250,  4 in hand 0, 5 in hand 2
Seats 1 & 3:    20 of 250,  5 in hand 1, 5 in hand 3
Hand of seat 1:  [2|5] [2|6] [3|3] [3|5] [3|6]"""
    )


def test_before_the_lead() -> None:
    game = np.zeros(1, rules.STATE)[0]
    rules.new_match(game, np.array([1, 2, 3, 4], np.uint64), 100, -15, 95)
    assert board_text(game) == "No round has been dealt yet."
    rules.next_round(game)
    rules.start_round(game, 3)
    assert (
        "\n" + board_text(game)
        == """
Round 1: seat 3 to lead

  (no tile on the table)

Open ends:  any tile may be led
End sum:    0
Seats 0 & 2:   -15 of 100,  7 in hand 0, 7 in hand 2
Seats 1 & 3:    95 of 100,  7 in hand 1, 7 in hand 3"""
    )


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("2|5", "  [2|5]"),
        ("2|5 5|6@high 2|3@low", "  [3|2][2|5][5|6]"),
        ("4|4", "  [4]\n  [*]\n  [4]"),
        ("2|5 5|5@high", "       [5]\n  [2|5][*]\n       [5]"),
        ("2|5 2|2@low", "       [2]\n  [5|2][*]\n       [2]"),
        (
            "4|4 0|4@lineA 3|4@lineB 4|5@armA",
            """
        +--[4|5]
        |
       [4]
  [0|4][*][4|3]
       [4]""",
        ),
        (
            "4|4 0|4@lineA 3|4@lineB 4|5@armB",
            """
       [4]
  [0|4][*][4|3]
       [4]
        |
        +--[4|5]""",
        ),
    ],
)
def test_drawing(moves: str, expected: str) -> None:
    assert drawing(moves) == expected.lstrip("\n")


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        (  # to the right
            "3|6 2|6@high 1|2@high 1|4@high 4|6@high 1|6@high 1|5@high 2|5@high 2|3@high 3|4@high "
            "4|5@high 0|5@high 0|3@high 3|5@high 5|6@high 0|6@high 0|2@high 2|4@high 0|4@high "
            "0|1@high 1|3@high",
            """
  [3|6][6|2][2|1][1|4][4|6][6|1][1|5][5|2][2|3][3|4][4|5][5|0][0|3][3|5][5|6][6|0][0|2][2|4]-+
                                                                                             |
                                                                             [3|1][1|0][0|4]-+""",
        ),
        (  # to the left
            "6|6 0|6@lineA 0|5@lineA 5|6@lineA 4|6@lineA 0|4@lineA 0|3@lineA 3|6@lineA 2|6@lineA "
            "2|2@lineA 1|2@lineA 1|5@lineA 5|5@lineA 2|5@lineA 2|3@lineA 3|3@lineA 3|5@lineA "
            "4|5@lineA 3|4@lineA 1|3@lineA 0|1@lineA 0|2@lineA 2|4@lineA 4|4@lineA 1|4@lineA",
            """
                 [4]
+-[1|0][0|2][2|4][-][4|1]
|                [4]
|
|                     [3]          [5]          [2]                                        [6]
+-[1|3][3|4][4|5][5|3][-][3|2][2|5][-][5|1][1|2][-][2|6][6|3][3|0][0|4][4|6][6|5][5|0][0|6][*]
                      [3]          [5]          [2]                                        [6]""",
        ),
        (  # a side arm
            "3|3 1|3@lineA 1|5@lineA 2|3@lineB 2|5@lineA 3|5@armB 0|2@lineA 0|6@lineA 6|6@lineA "
            "0|3@armA 5|6@armB 2|6@armB 2|2@lineB 4|6@lineA 1|2@armB 1|4@armB 0|4@armA 2|4@armA "
            "4|5@armB 4|4@lineA 3|4@lineA 5|5@armB 0|5@armB 0|1@armB 1|6@armB",
            """
                                            +--[3|0][0|4][4|2]
                                            |
       [4]     [6]                         [3]     [2]
  [3|4][-][4|6][-][6|0][0|2][2|5][5|1][1|3][*][3|2][-]
       [4]     [6]                         [3]     [2]
                                            |
                                            |                                [5]
                                            +--[3|5][5|6][6|2][2|1][1|4][4|5][-][5|0][0|1]-+
                                                                             [5]           |
                                                                                           |
                                                                                     [6|1]-+""",
        ),
    ],
    ids=["right", "left", "arm"],
)
def test_chains_too_long_for_the_width_turn_back(moves: str, expected: str) -> None:
    assert drawing(moves) == expected.lstrip("\n")


def skewed_moves(rng: np.random.Generator) -> str:
    """25 placements of which some sites get far more than others."""
    weights = 10.0 ** rng.uniform(-4, 0, rules.NUM_SITES)
    names = (("low", "high"), ("lineA", "lineB", "armA", "armB"))
    layout = rules.EMPTY_LAYOUT
    left = set(range(rules.NUM_TILES))
    moves: list[str] = []
    while len(moves) < 25:
        fitting = [
            (tile, site)
            for site in range(rules.NUM_SITES)
            for tile in sorted(left)
            if rules.FITTING_TILES[rules.site_value(layout, site)] >> tile & 1
        ]
        if not fitting:
            break
        chances = np.array([weights[site] for _, site in fitting])
        tile, site = fitting[rng.choice(len(fitting), p=chances / chances.sum())]
        spun = int(rules.spinner_value(layout) != rules.NO_SPINNER)
        moves.append(tile_text(tile) + (f"@{names[spun][site]}" if moves else ""))
        left.remove(tile)
        layout = rules.place(layout, tile, site)
    return " ".join(moves)


def assert_draws_every_tile_once(game: np.void) -> None:
    text = board_text(game)
    lines = text.split("\n")
    assert max(map(len, lines)) <= 96
    assert all(line == line.rstrip() for line in lines)
    drawn = "\n".join(lines[1:])
    tiles = Layout.of(game).tiles
    plain = [tuple(sorted((int(a), int(b)))) for a, b in re.findall(r"\[(\d)\|(\d)\]", drawn)]
    assert Counter(plain) == Counter(tile for tile in tiles if tile[0] != tile[1])
    doubles = [tile[0] for tile in tiles if tile[0] == tile[1]]
    assert Counter(map(int, re.findall(r"\[(\d)\]", drawn))) == Counter(2 * doubles)
    assert drawn.count("[-]") + drawn.count("[*]") == len(doubles)
    assert drawn.count("[*]") == min(len(doubles), 1)


@pytest.mark.parametrize("seed", range(2))
def test_every_tile_is_drawn_once_all_through_a_match(seed: int) -> None:
    for state in play_match(seed)[1]:
        assert_draws_every_tile_once(np.frombuffer(state, rules.STATE)[0])


def test_every_tile_is_drawn_once_however_long_a_chain_is() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        assert_draws_every_tile_once(game_after(skewed_moves(rng)))


def test_no_hand_is_shown_or_told_that_was_not_asked_for() -> None:
    for state in play_match(6, max_rounds=2)[1]:
        game = np.frombuffer(state, rules.STATE)[0]
        for seat in range(rules.NUM_SEATS):
            view = game.copy()
            rules.hide_from(view, seat)
            assert board_text(view, seat) == board_text(game, seat)
            assert board_text(view) == board_text(game)
            assert board_text(game, seat).startswith(f"{board_text(game)}\nHand of seat {seat}:")


def headline(game: np.void) -> str:
    return board_text(game).split("\n")[0]


def test_headline_tells_passes_and_the_end_of_the_round() -> None:
    game = game_after("0|0 0|6@lineA 0|5@lineB")
    game["hands"][3] = game["hands"][0] = 1 << rules.TILE_INDEX[3, 4]
    assert headline(game) == "Round 1: seat 3 to play (seat 2 placed [0|5])"
    rules.play(game, rules.PASS)
    assert headline(game) == "Round 1: seat 0 to play (seat 3 passed)"
    rules.play(game, rules.PASS)
    assert headline(game) == "Round 1: seat 1 to play (the last 2 passed)"
    rules.play(game, rules.PASS)
    rules.play(game, rules.PASS)
    assert headline(game) == "Round 1: over, blocked (the last 4 passed)"

    game = game_after("5|5 0|5@lineA")
    assert headline(game) == "Round 1: seat 2 to play (seat 1 placed [0|5] for 10)"
    game["hands"][2] = 1 << rules.TILE_INDEX[2, 5]
    rules.play(game, rules.NUM_SITES * rules.TILE_INDEX[2, 5] + 1)
    assert headline(game) == "Round 1: over, domino by seat 2 (seat 2 placed [2|5])"

    game = game_after("5|5")
    game["target"] = 20
    game["hands"][1] = game["hands"][3] = 1 << rules.TILE_INDEX[0, 5]
    game["scores"][1] = 10
    rules.play(game, rules.NUM_SITES * rules.TILE_INDEX[0, 5])
    assert headline(game) == (
        "Round 1: the match is won by seats 1 & 3 (seat 1 placed [0|5] for 10)"
    )


def test_a_hand_that_is_empty() -> None:
    game = game_after("5|5")
    game["hands"][2] = 0
    assert board_text(game, 2).endswith("Hand of seat 2:  empty")


@pytest.mark.parametrize("seat", [-1, 4, "0"])
def test_a_hand_of_no_seat_is_refused(seat: object) -> None:
    with pytest.raises(ValueError, match=f"hand_of must be a seat from 0 to 3, .* got {seat!r}"):
        board_text(game_after("5|5"), seat)  # type: ignore[arg-type]
