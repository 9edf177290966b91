"""The layout as people see it: which tile lies where, what is open and what counts.

A state keeps the outer ends only, as they are all that play needs; the rest is worked out here from
the actions of the round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.words import LINE_ENDS, SPINNER_SIDES

Tile = tuple[int, int]

_LOW_END, _HIGH_END = LINE_ENDS
_INNER_SIDE, _OUTER_SIDE = SPINNER_SIDES[:2]  # of a double that is not the spinner
_OPPOSITE = {
    _LOW_END: _HIGH_END,
    _HIGH_END: _LOW_END,
    _INNER_SIDE: _OUTER_SIDE,
    _OUTER_SIDE: _INNER_SIDE,
}


class Side(NamedTuple):
    """A side of a tile at which another can lie.

    Attributes:
        tile: The tile, its low half first.
        at: ``"low end"`` or ``"high end"`` of a plain tile, ``"line side A"`` or ``"line side B"``
            of a double, ``"side arm A"`` or ``"side arm B"`` of the spinner.
    """

    tile: Tile
    at: str

    @property
    def pips(self) -> int:
        """Pip value of the half, or of either half of a double."""
        return self.tile[0] if self.at == _LOW_END else self.tile[1]


class OpenSite(NamedTuple):
    """A side that the next tile may be placed against; ``value`` is the pip value that fits."""

    tile: Tile
    at: str
    value: int


class Contribution(NamedTuple):
    """The pips that an end adds to the end sum.

    ``at`` is the open side; of a spinner, which counts once for all its sides, its first free one.
    """

    tile: Tile
    at: str
    pips: int


@dataclass(frozen=True)
class Layout:
    """The tiles on the table.

    Attributes:
        tiles: In the order in which they were placed, the low half first.
        spinner: The first double of the round, or None.
        connections: For every tile after the lead the side that it was placed against and the side
            of its own that touches it.
        open_sites: Sorted by tile, then by side.
        contributions: The ends that count, those that count zero pips included; sorted likewise.
        end_sum: Sum of the contributions, in pips.
    """

    tiles: tuple[Tile, ...]
    spinner: Tile | None
    connections: tuple[tuple[Side, Side], ...]
    open_sites: tuple[OpenSite, ...]
    contributions: tuple[Contribution, ...]
    end_sum: int

    @classmethod
    def of(cls, game: np.void) -> Layout:
        """The layout of the round that is in ``game``, a record of ``rules.STATE``."""
        tiles: list[Tile] = []
        connections: list[tuple[Side, Side]] = []
        layout = rules.EMPTY_LAYOUT
        for action in game["actions"][: game["num_actions"]]:
            if action == rules.PASS:
                continue
            tile, site = divmod(int(action), rules.NUM_SITES)
            if tiles:
                value = rules.site_value(layout, site)
                connections.append((_outer_side(layout, site), _inner_side(tile, value)))
            tiles.append(rules.TILES[tile])
            layout = rules.place(layout, tile, site)
        return cls(
            tuple(tiles),
            _spinner(layout),
            tuple(connections),
            _open_sites(layout) if tiles else (),
            _contributions(layout) if tiles else (),
            int(rules.end_sum(layout)),
        )

    @property
    def start(self) -> Tile | None:
        """The tile from which the chains go out: the spinner, before there is one the lead."""
        return self.spinner or (self.tiles[0] if self.tiles else None)

    @property
    def credit(self) -> int:
        """Points that the last placement was credited; 0 before the lead."""
        return int(rules.credit_for(self.end_sum))

    def chain(self, at: str) -> tuple[tuple[int, int], ...]:
        """The tiles from one side of ``start`` outwards.

        Args:
            at: A side of ``start``, see ``Side``.

        Returns:
            The halves of each tile, the one nearer to ``start`` first.
        """
        if self.start is None:
            return ()
        joined = dict(self.connections) | {inner: outer for outer, inner in self.connections}
        chain = []
        side = Side(self.start, at)
        while side in joined:
            inner = joined[side]
            side = Side(inner.tile, _OPPOSITE[inner.at])
            chain.append((inner.pips, side.pips))
        return tuple(chain)

    def to_dict(self) -> dict[str, Any]:
        """The layout as lists, dicts, strings and integers that ``json`` can write.

        ``placed`` is the tile placed last (None before the lead), ``credit`` its credit.
        """
        return {
            "placed": list(self.tiles[-1]) if self.tiles else None,
            "tiles": [list(tile) for tile in self.tiles],
            "spinner": list(self.spinner) if self.spinner else None,
            "connections": [
                [{"tile": list(side.tile), "at": side.at} for side in connection]
                for connection in self.connections
            ],
            "open_sites": [
                {"tile": list(site.tile), "at": site.at, "value": site.value}
                for site in self.open_sites
            ],
            "contributions": [
                {"tile": list(end.tile), "pips": end.pips} for end in self.contributions
            ],
            "end_sum": self.end_sum,
            "credit": self.credit,
        }


def _spinner(layout: int) -> Tile | None:
    value = int(rules.spinner_value(layout))
    return None if value == rules.NO_SPINNER else (value, value)


def _inner_side(tile: int, value: int) -> Side:
    """The side of ``tile`` that touches a site of ``value``."""
    if rules.IS_DOUBLE[tile]:
        return Side(rules.TILES[tile], _INNER_SIDE)
    return Side(rules.TILES[tile], LINE_ENDS[rules.TILES[tile].index(value)])


def _outer_side(layout: int, site: int) -> Side:
    """The side that is open at ``site``."""
    tile = int(rules.site_tile(layout, site))
    if tile == rules.NO_TILE:
        spinner = _spinner(layout)
        assert spinner is not None
        return Side(spinner, SPINNER_SIDES[site])
    if rules.IS_DOUBLE[tile]:
        return Side(rules.TILES[tile], _OUTER_SIDE)
    return _inner_side(tile, int(rules.site_value(layout, site)))


def _open_sites(layout: int) -> tuple[OpenSite, ...]:
    open_sites = []
    for site in range(rules.NUM_SITES):
        value = int(rules.site_value(layout, site))
        if value != rules.CLOSED:
            open_sites.append(OpenSite(*_outer_side(layout, site), value))
    return tuple(sorted(open_sites))


def _contributions(layout: int) -> tuple[Contribution, ...]:
    contributions = []
    for site in range(rules.NUM_SITES):
        if rules.site_tile(layout, site) != rules.NO_TILE:
            pips = int(rules.site_pips(layout, site))
            contributions.append(Contribution(*_outer_side(layout, site), pips))
    spinner = _spinner(layout)
    if spinner and not rules.line_sides_taken(layout):
        free = 1 if rules.site_tile(layout, 0) != rules.NO_TILE else 0
        pips = int(rules.spinner_pips(layout))
        contributions.append(Contribution(spinner, SPINNER_SIDES[free], pips))
    return tuple(sorted(contributions))
