"""How tiles, hands and moves are written in records: ``2|5``, ``0|1 2|5``, ``3:2|5@lineA``."""

from __future__ import annotations

import re

from seven_rocks_env import rules

PASS = "pass"
NO_TILES = "none"

_LINE_SITES = ("low", "high")  # before there is a spinner
_SPINNER_SITES = ("lineA", "lineB", "armA", "armB")
_TILES = {f"{low}|{high}": tile for tile, (low, high) in enumerate(rules.TILES)}
_MOVE = re.compile(r"(?P<seat>[0-3]):(?P<tile>[^@]*)(@(?P<site>.*))?")


def site_names(layout: int) -> tuple[str, ...]:
    """What the sites from 0 on are called when ``layout`` lies on the table; none for the lead."""
    if layout == rules.EMPTY_LAYOUT:
        return ()
    spun = rules.spinner_value(layout) != rules.NO_SPINNER
    return _SPINNER_SITES if spun else _LINE_SITES


def tile_text(tile: int) -> str:
    """``tile`` (0..27) as ``2|5``."""
    return "{}|{}".format(*rules.TILES[tile])


def read_tile(text: str) -> int:
    """The number of the tile that is written ``text``.

    Raises:
        ValueError: If no tile is written so.
    """
    if text not in _TILES:
        raise ValueError(f"{text!r} is no tile; tiles are 0|0, 0|1 to 6|6, the low half first")
    return _TILES[text]


def hand_text(hand: int) -> str:
    """A hand (a set of tiles, bit ``t`` for tile ``t``) as ``0|1 2|5``, or ``none``."""
    tiles = [tile_text(tile) for tile in range(rules.NUM_TILES) if hand >> tile & 1]
    return " ".join(tiles) or NO_TILES


def move_text(seat: int, action: int, layout: int) -> str:
    """A move as text: ``3:2|5@lineA``, ``3:pass``, or to lead ``3:2|5``; see ``read_move``."""
    if action == rules.PASS:
        return f"{seat}:{PASS}"
    tile, site = divmod(action, rules.NUM_SITES)
    names = site_names(layout)
    at = f"@{names[site]}" if names else ""
    return f"{seat}:{tile_text(tile)}{at}"


def read_move(text: str, layout: int) -> tuple[int, int]:
    """The seat and the action that are written ``text``, the action not yet checked for legality.

    Args:
        text: As written by ``move_text``.
        layout: The layout on the table before the move, which decides what the sites are called.

    Raises:
        ValueError: If no move is written so.
    """
    match = _MOVE.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is no move; write moves as 3:2|5@lineA or 3:{PASS}")
    seat = int(match["seat"])
    if match["tile"] == PASS and match["site"] is None:
        return seat, rules.PASS
    tile = read_tile(match["tile"])
    names = site_names(layout)
    if not names:
        if match["site"] is not None:
            raise ValueError(f"the lead has no site: write it {seat}:{match['tile']}")
        return seat, rules.NUM_SITES * tile
    if match["site"] not in names:
        found = "none" if match["site"] is None else f"@{match['site']}"
        raise ValueError(f"the site must be one of @{', @'.join(names)}, found {found}")
    return seat, rules.NUM_SITES * tile + names.index(match["site"])
