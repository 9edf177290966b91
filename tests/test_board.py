import json
from pathlib import Path

import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.board import Layout
from tests.matches import game_after, play_match

POSITIONS = json.loads((Path(__file__).parent / "data" / "positions.json").read_text("utf-8"))
MOVES = {
    "outer later double": "1|4 1|1@low 4|4@lineA",
    "after the straight continuation": "1|4 1|1@low 4|4@lineA 3|4@lineA",
    "opening double": "2|2",
    "second line side taken": "1|4 1|1@low 4|4@lineA 3|4@lineA 1|2@lineB",
    "first side arm started": "1|4 1|1@low 4|4@lineA 3|4@lineA 1|2@lineB 1|5@armA",
    "side arm continued past a double": (
        "1|4 1|1@low 4|4@lineA 3|4@lineA 1|2@lineB 1|5@armA 5|5@armA 0|5@armA"
    ),
    "second side arm started": (
        "1|4 1|1@low 4|4@lineA 3|4@lineA 1|2@lineB 1|5@armA 5|5@armA 0|5@armA 1|3@armB"
    ),
    "opening plain tile": "1|4",
    "first double placed on a line": "1|4 1|1@low",
    "first double placed on a six": "3|6 6|6@high",
    "opening double blank": "0|0",
}


@pytest.mark.parametrize("position", POSITIONS["positions"], ids=lambda position: position["name"])
def test_layout_is_the_worked_position(position: dict[str, object]) -> None:
    found = Layout.of(game_after(MOVES[str(position["name"])])).to_dict()
    expected = {key: value for key, value in position.items() if key != "name"}
    assert json.dumps(found) == json.dumps(expected)  # the order of keys and lists as well


def test_there_are_eleven_worked_positions() -> None:
    assert [position["name"] for position in POSITIONS["positions"]] == list(MOVES)


def test_empty_layout() -> None:
    game = np.zeros(1, rules.STATE)[0]
    rules.start_round(game, 0)
    layout = Layout.of(game)
    assert layout.start is None
    assert layout.chain("low end") == ()
    assert layout.to_dict() == {
        "placed": None,
        "tiles": [],
        "spinner": None,
        "connections": [],
        "open_sites": [],
        "contributions": [],
        "end_sum": 0,
        "credit": 0,
    }


@pytest.mark.parametrize(
    ("moves", "start", "chains"),
    [
        ("2|5", (2, 5), {"low end": (), "high end": ()}),
        (
            "2|5 2|3@low 3|4@low 1|5@high",
            (2, 5),
            {"low end": ((2, 3), (3, 4)), "high end": ((5, 1),)},
        ),
        # The line that [5|5] is placed on is its line side A, though it was the high end.
        (
            "2|5 2|3@low 5|5@high 4|5@lineB",
            (5, 5),
            {"line side A": ((5, 2), (2, 3)), "line side B": ((5, 4),), "side arm A": ()},
        ),
        (
            "2|5 2|3@low 5|5@high 4|5@lineB 0|5@armB 0|0@armB 0|1@armB",
            (5, 5),
            {"side arm A": (), "side arm B": ((5, 0), (0, 0), (0, 1))},
        ),
    ],
)
def test_chains_go_from_the_start_outwards(
    moves: str, start: tuple[int, int], chains: dict[str, tuple[tuple[int, int], ...]]
) -> None:
    layout = Layout.of(game_after(moves))
    assert layout.start == start
    assert {at: layout.chain(at) for at in chains} == chains


def test_a_pass_leaves_the_layout_as_it_is() -> None:
    game = game_after("0|0 0|6@lineA 0|5@lineB")
    before = Layout.of(game)
    game["hands"][3] = 1 << rules.TILE_INDEX[3, 4]
    assert rules.is_legal(game, rules.PASS)
    rules.play(game, rules.PASS)
    assert Layout.of(game) == before


@pytest.mark.parametrize("seed", range(3))
def test_layout_agrees_with_the_rules_all_through_a_match(seed: int) -> None:
    for state in play_match(seed)[1]:
        game = np.frombuffer(state, rules.STATE)[0]
        layout = Layout.of(game)
        word = int(game["layout"])
        assert layout.end_sum == sum(end.pips for end in layout.contributions)
        assert layout.end_sum == rules.end_sum(word)
        if game["actions"][game["num_actions"] - 1] != rules.PASS:
            assert layout.credit == game["credit"]
        values = [rules.site_value(word, site) for site in range(rules.NUM_SITES)]
        assert sorted(site.value for site in layout.open_sites) == sorted(
            value for value in values if value < rules.CLOSED
        )
        assert len(layout.connections) == max(len(layout.tiles) - 1, 0)
        assert all(outer.pips == inner.pips for outer, inner in layout.connections)
        assert layout.spinner == next((t for t in layout.tiles if t[0] == t[1]), None)
        sides = ("low end", "high end", "line side A", "line side B", "side arm A", "side arm B")
        reached = [tuple(sorted(pips)) for at in sides for pips in layout.chain(at)]
        assert sorted(reached + [layout.start] * bool(layout.tiles)) == sorted(layout.tiles)
