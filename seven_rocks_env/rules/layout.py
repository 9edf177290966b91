"""The layout: what lies on the table, as one integer, and the rules of placing and counting.

Only the outer ends matter for play, so a layout is a word of four sites and the spinner:

===========  ===================================================================
bits         meaning
===========  ===================================================================
9 s .. + 3   site ``s``: the pip value that fits there, ``CLOSED``, or ``ANY`` for the lead
9 s + 4 .. 8 site ``s``: the tile that is the outer end there, ``NO_TILE`` if none lies there yet
36 .. 38     pip value of the spinner, ``NO_SPINNER`` before there is one
===========  ===================================================================

Before there is a spinner, site 0 is the end at the low half of the lead and site 1 the end at its
high half. From the spinner on, 0 and 1 are its line sides A and B, 2 and 3 its side arms A and B.
Layouts are values: ``place`` returns a new one, so a placement can be tried before it is made.
"""

from __future__ import annotations

import numpy as np

from seven_rocks_env._compile import compiled
from seven_rocks_env.rules.tiles import ALL_TILES, HIGH, IS_DOUBLE, LOW, NUM_TILES, TILES

NUM_SITES = 4
CLOSED = 7
ANY = 8
NO_TILE = 31
NO_SPINNER = 7

# The tiles that fit a site, by the site's value: 0..6, CLOSED, ANY.
FITTING_TILES = np.array(
    [sum(1 << index for index, tile in enumerate(TILES) if value in tile) for value in range(7)]
    + [0, ALL_TILES],
    dtype=np.int64,
)

# Of an outer tile, by its number and up to NO_TILE.
_HALVES_COUNTED = np.zeros(NO_TILE + 1, np.int64)
_HALVES_COUNTED[:NUM_TILES] = 1 + IS_DOUBLE

_SITE_BITS = 9
_SPINNER_SHIFT = NUM_SITES * _SITE_BITS


def _empty_layout() -> int:
    layout = NO_SPINNER << _SPINNER_SHIFT
    for site in range(NUM_SITES):
        value = ANY if site == 0 else CLOSED
        layout |= (value | NO_TILE << 4) << (_SITE_BITS * site)
    return layout


EMPTY_LAYOUT = _empty_layout()


@compiled
def site_value(layout, site):
    """Pip value that fits at ``site`` (0..6), ``CLOSED``, or ``ANY`` for the lead."""
    return (layout >> (_SITE_BITS * site)) & 15


@compiled
def site_tile(layout, site):
    """The outer tile at ``site``, or ``NO_TILE`` where nothing lies yet."""
    return (layout >> (_SITE_BITS * site + 4)) & 31


@compiled
def spinner_value(layout):
    """Pip value of the spinner, or ``NO_SPINNER``."""
    return (layout >> _SPINNER_SHIFT) & 7


@compiled
def _with_site(layout, site, value, tile):
    shift = _SITE_BITS * site
    return (layout & ~(511 << shift)) | ((value | (tile << 4)) << shift)


@compiled
def _with_spinner(layout, value):
    return (layout & ~(7 << _SPINNER_SHIFT)) | (value << _SPINNER_SHIFT)


@compiled
def line_sides_taken(layout):
    """True once tiles lie on both line sides of the spinner (or at both ends of a plain lead)."""
    return site_tile(layout, 0) != NO_TILE and site_tile(layout, 1) != NO_TILE


@compiled
def place(layout, tile, site):
    """The layout after ``tile`` is placed at ``site``; the placement must fit."""
    low = LOW[tile]
    high = HIGH[tile]
    spinner = spinner_value(layout)

    if layout == EMPTY_LAYOUT:
        if low == high:
            layout = _with_spinner(layout, low)
            layout = _with_site(layout, 0, low, NO_TILE)
            return _with_site(layout, 1, low, NO_TILE)
        layout = _with_site(layout, 0, low, tile)
        return _with_site(layout, 1, high, tile)

    if spinner == NO_SPINNER and low == high:
        # The first double: the line it was placed on is its line side A, whichever end that was.
        other_end = 1 - site
        layout = _with_site(layout, 0, site_value(layout, other_end), site_tile(layout, other_end))
        layout = _with_site(layout, 1, low, NO_TILE)
        return _with_spinner(layout, low)

    had_line_sides = line_sides_taken(layout)
    layout = _with_site(layout, site, low + high - site_value(layout, site), tile)
    if spinner != NO_SPINNER and not had_line_sides and line_sides_taken(layout):
        layout = _with_site(layout, 2, spinner, NO_TILE)
        layout = _with_site(layout, 3, spinner, NO_TILE)
    return layout


@compiled
def site_pips(layout, site):
    """Pips that the outer end at ``site`` counts: none if not started, both halves of a double."""
    return site_value(layout, site) * _HALVES_COUNTED[site_tile(layout, site)]


@compiled
def spinner_pips(layout):
    """Pips that the spinner itself counts: both halves until both of its line sides are taken."""
    spinner = spinner_value(layout)
    if spinner == NO_SPINNER or line_sides_taken(layout):
        return 0
    return 2 * spinner


@compiled
def end_sum(layout):
    """Sum of all counted ends."""
    total = spinner_pips(layout)
    for site in range(NUM_SITES):
        total += site_pips(layout, site)
    return total


@compiled
def credit_for(total):
    """Points credited for an end sum: the sum itself if it is a multiple of five, else 0."""
    return total if total % 5 == 0 else 0


@compiled
def open_pips(layout):
    """The pip values that fit somewhere, as a 7-bit set."""
    pips = 0
    for site in range(NUM_SITES):
        value = site_value(layout, site)
        if value < CLOSED:
            pips |= 1 << value
    return pips


assert NUM_TILES <= NO_TILE
