"""The layout: which sites are open, what fits there, and what the ends count."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from seven_rocks_env import rules
from tests.games import Move
from tests.plain_rules import Tile

POSITIONS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "positions.json").read_text(encoding="utf-8")
)["positions"]


def layout_of(moves: Iterable[Move]) -> int:
    """The layout after ``moves``, the first of which is the lead."""
    layout = rules.EMPTY_LAYOUT
    for tile, site in moves:
        value = rules.site_value(layout, site)
        assert value == rules.ANY or value in tile, f"{tile} does not fit site {site}"
        layout = rules.place(layout, rules.TILE_INDEX[tile], site)
    return int(layout)


def open_values(layout: int) -> dict[int, int]:
    """The pip value that fits at each open site, by the site's number."""
    values = {site: int(rules.site_value(layout, site)) for site in range(4)}
    return {site: value for site, value in values.items() if value != rules.CLOSED}


def spinner_of(layout: int) -> Tile | None:
    value = int(rules.spinner_value(layout))
    return None if value == rules.NO_SPINNER else (value, value)


def outer_tile(layout: int, site: int) -> Tile | None:
    tile = int(rules.site_tile(layout, site))
    return None if tile == rules.NO_TILE else rules.TILES[tile]


# --- sites ---------------------------------------------------------------------------------------

SITES: list[Any] = [
    # moves, the value that fits at each open site, the spinner
    pytest.param(
        [((1, 4), 0)],
        {0: 1, 1: 4},
        None,
        id="a plain lead opens its low half as site 0 and its high half as site 1",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 6), 1)],
        {0: 1, 1: 6},
        None,
        id="the other end of a plain lead keeps its own half, with the high end continued",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 6), 0)],
        {0: 6, 1: 4},
        None,
        id="the other end of a plain lead keeps its own half, with the low end continued",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 6), 1), ((1, 3), 0), ((0, 6), 1)],
        {0: 3, 1: 0},
        None,
        id="each end keeps its number as its line grows",
    ),
    pytest.param(
        [((3, 3), 0)],
        {0: 3, 1: 3},
        (3, 3),
        id="a led double opens two line sides and no arms",
    ),
    pytest.param(
        [((3, 3), 0), ((3, 5), 0)],
        {0: 5, 1: 3},
        (3, 3),
        id="line side A alone opens no arms",
    ),
    pytest.param(
        [((3, 3), 0), ((3, 5), 1)],
        {0: 3, 1: 5},
        (3, 3),
        id="line side B alone opens no arms",
    ),
    pytest.param(
        [((3, 3), 0), ((3, 5), 0), ((5, 6), 0), ((0, 6), 0)],
        {0: 0, 1: 3},
        (3, 3),
        id="a long line on one side alone opens no arms",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0)],
        {0: 5, 1: 0, 2: 3, 3: 3},
        (3, 3),
        id="the second line side of a led double opens both arms",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0)],
        {0: 4, 1: 1},
        (1, 1),
        id="a first double placed on the low end has the line on site 0",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 4), 1)],
        {0: 1, 1: 4},
        (4, 4),
        id="a first double placed on the high end has the line on site 0",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 6), 1), ((1, 3), 0), ((3, 3), 0)],
        {0: 6, 1: 3},
        (3, 3),
        id="a spinner at the low end of a long line has the line's far end on site 0",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 6), 1), ((1, 3), 0), ((6, 6), 1)],
        {0: 3, 1: 6},
        (6, 6),
        id="a spinner at the high end of a long line has the line's far end on site 0",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 4), 1), ((1, 5), 0)],
        {0: 5, 1: 4},
        (4, 4),
        id="continuing the line that the spinner was placed on opens no arms",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 4), 1), ((4, 5), 1)],
        {0: 1, 1: 5, 2: 4, 3: 4},
        (4, 4),
        id="the free line side of a spinner placed on a line opens both arms",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((3, 6), 3)],
        {0: 5, 1: 0, 2: 3, 3: 6},
        (3, 3),
        id="arm B may be started before arm A",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((3, 6), 2), ((3, 4), 3), ((4, 6), 2)],
        {0: 5, 1: 0, 2: 4, 3: 4},
        (3, 3),
        id="started arms go on like lines",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0)],
        {0: 4, 1: 1},
        (1, 1),
        id="a second double is no spinner and goes on straight only",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0), ((3, 4), 0)],
        {0: 3, 1: 1},
        (1, 1),
        id="a second double that was continued has no side left",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((0, 0), 1), ((5, 5), 0)],
        {0: 5, 1: 0, 2: 3, 3: 3},
        (3, 3),
        id="doubles at both ends of the line open nothing more",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((3, 6), 2), ((6, 6), 2)],
        {0: 5, 1: 0, 2: 6, 3: 3},
        (3, 3),
        id="a double on an arm opens nothing more",
    ),
]


@pytest.mark.parametrize(("moves", "values", "spinner"), SITES)
def test_open_sites(moves: list[Move], values: dict[int, int], spinner: Tile | None) -> None:
    layout = layout_of(moves)

    assert open_values(layout) == values
    assert spinner_of(layout) == spinner


def test_before_the_lead_any_tile_fits_at_site_0_and_nothing_elsewhere() -> None:
    assert open_values(rules.EMPTY_LAYOUT) == {0: rules.ANY}
    assert spinner_of(rules.EMPTY_LAYOUT) is None
    assert rules.FITTING_TILES[rules.ANY] == 2**28 - 1
    assert rules.FITTING_TILES[rules.CLOSED] == 0


@pytest.mark.parametrize("value", range(7))
def test_the_tiles_that_fit_are_those_with_a_half_of_the_value(value: int) -> None:
    fitting = {
        tile for index, tile in enumerate(rules.TILES) if rules.FITTING_TILES[value] >> index & 1
    }

    assert fitting == {tuple(sorted((value, other))) for other in range(7)}


@pytest.mark.parametrize(
    ("moves", "values"),
    [
        ([((1, 4), 0)], {1, 4}),
        ([((3, 3), 0)], {3}),
        ([((3, 3), 0), ((0, 3), 1), ((3, 5), 0)], {0, 3, 5}),
        ([((3, 3), 0), ((0, 3), 1), ((3, 5), 0), ((3, 6), 2), ((3, 4), 3)], {0, 4, 5, 6}),
    ],
)
def test_open_pips_are_the_values_of_all_open_sites(moves: list[Move], values: set[int]) -> None:
    pips = rules.open_pips(layout_of(moves))

    assert {value for value in range(7) if pips >> value & 1} == values


def test_the_tiles_are_numbered_by_low_half_then_high_half() -> None:
    assert rules.TILES[:8] == ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (1, 1))
    assert rules.TILES[25:] == ((5, 5), (5, 6), (6, 6))
    assert len(set(rules.TILES)) == 28


# --- counting ------------------------------------------------------------------------------------

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

SUMS: list[Any] = [
    # moves, end sum, credit
    pytest.param([((2, 3), 0)], 5, 5, id="a plain lead counts both halves"),
    pytest.param([((2, 4), 0)], 6, 0, id="a plain lead of six scores nothing"),
    pytest.param(
        [((2, 3), 0), ((3, 6), 1)], 8, 0, id="the untouched low end of a lead counts its own half"
    ),
    pytest.param(
        [((2, 3), 0), ((2, 6), 0)], 9, 0, id="the untouched high end of a lead counts its own half"
    ),
    pytest.param([((5, 5), 0)], 10, 10, id="a led double counts both halves, once"),
    pytest.param([((6, 6), 0)], 12, 0, id="a led double six counts 12, not 24"),
    pytest.param([((0, 0), 0)], 0, 0, id="a sum of zero scores nothing"),
    pytest.param(
        [((0, 1), 0), ((0, 0), 0), ((1, 2), 0), ((0, 2), 0)], 0, 0, id="zero in mid-round as well"
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0)], 10, 10, id="a spinner counts on with line side A taken"
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 1)], 10, 10, id="a spinner counts on with line side B taken"
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0), ((0, 3), 0)], 13, 0, id="and however long that line grows"
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0), ((2, 5), 1)],
        2,
        0,
        id="a spinner with both line sides taken counts nothing, nor do its unstarted arms",
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0), ((2, 5), 1), ((3, 5), 2)],
        5,
        5,
        id="a started arm counts its outer end",
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0), ((2, 5), 1), ((3, 5), 3)],
        5,
        5,
        id="arm B started alone counts its outer end",
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0), ((2, 5), 1), ((3, 5), 2), ((4, 5), 3)],
        9,
        0,
        id="all four ends count",
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0), ((2, 5), 1), ((3, 5), 2), ((3, 3), 2)],
        8,
        0,
        id="an outer double on an arm counts both halves",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0)], 6, 0, id="a first double placed on a line is the spinner"
    ),
    pytest.param(
        [((3, 6), 0), ((6, 6), 1)], 15, 15, id="a spinner placed on a line counts both halves"
    ),
    pytest.param(
        [((3, 6), 0), ((6, 6), 1), ((3, 4), 0)],
        16,
        0,
        id="it counts on while only its own line is continued",
    ),
    pytest.param(
        [((3, 6), 0), ((6, 6), 1), ((2, 6), 1)],
        5,
        5,
        id="it stops counting when its free line side is taken",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0)], 10, 10, id="an outer double counts both halves"
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0), ((3, 4), 0)],
        5,
        5,
        id="a double counts nothing once it is continued",
    ),
    pytest.param(
        [((3, 3), 0), ((3, 6), 0), ((3, 5), 1), ((6, 6), 0), ((5, 5), 1)],
        22,
        0,
        id="doubles at both ends count both halves each",
    ),
    pytest.param([*ARMS_OF_DOUBLE_BLANK, ((3, 3), 3)], 36, 0, id="the largest sum"),
    pytest.param([*ARMS_OF_DOUBLE_BLANK, ((3, 5), 3)], 35, 35, id="the largest sum that scores"),
]


@pytest.mark.parametrize(("moves", "end_sum", "credit"), SUMS)
def test_end_sum_and_credit(moves: list[Move], end_sum: int, credit: int) -> None:
    layout = layout_of(moves)

    assert rules.end_sum(layout) == end_sum
    assert rules.credit_for(end_sum) == credit


def test_only_positive_multiples_of_five_are_credited_and_in_full() -> None:
    credited = {total: int(rules.credit_for(total)) for total in range(37)}

    assert {total: points for total, points in credited.items() if points} == {
        5: 5,
        10: 10,
        15: 15,
        20: 20,
        25: 25,
        30: 30,
        35: 35,
    }


# --- the worked positions ------------------------------------------------------------------------


def site_of(layout: int, tile: Tile, at: str) -> int:
    """The number of the site that is the place ``at`` of ``tile``."""
    if at in (arms := {"side arm A": 2, "side arm B": 3}):
        return arms[at]
    if tile == spinner_of(layout):
        return {"line side A": 0, "line side B": 1}[at]
    pips = tile[1] if at == "high end" else tile[0]
    sites = [
        site
        for site, value in open_values(layout).items()
        if outer_tile(layout, site) == tile and value == pips
    ]
    assert len(sites) == 1
    return sites[0]


def layout_at(position: dict[str, Any]) -> int:
    """The layout of a worked position, each tile placed where its connection says."""
    tiles = [tuple(tile) for tile in position["tiles"]]
    layout = layout_of([(tiles[0], 0)])
    for tile, (earlier, _) in zip(tiles[1:], position["connections"], strict=True):
        site = site_of(layout, tuple(earlier["tile"]), earlier["at"])
        layout = rules.place(layout, rules.TILE_INDEX[tile], site)
    return int(layout)


def contributions(layout: int) -> list[tuple[Tile, int]]:
    counted = [
        (tile, int(rules.site_pips(layout, site)))
        for site in range(4)
        if (tile := outer_tile(layout, site))
    ]
    spinner = spinner_of(layout)
    if spinner and not rules.line_sides_taken(layout):
        counted.append((spinner, int(rules.spinner_pips(layout))))
    return sorted(counted)


def test_there_are_eleven_worked_positions() -> None:
    assert len(POSITIONS) == 11


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position["name"])
def test_worked_position(position: dict[str, Any]) -> None:
    layout = layout_at(position)
    spinner = spinner_of(layout)

    assert spinner == (position["spinner"] and tuple(position["spinner"]))
    assert sorted(
        (outer_tile(layout, site) or spinner, value) for site, value in open_values(layout).items()
    ) == sorted((tuple(site["tile"]), site["value"]) for site in position["open_sites"])
    assert contributions(layout) == sorted(
        (tuple(counted["tile"]), counted["pips"]) for counted in position["contributions"]
    )
    assert rules.end_sum(layout) == position["end_sum"]
    assert rules.credit_for(position["end_sum"]) == position["credit"]
