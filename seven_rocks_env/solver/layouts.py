"""Layouts that play alike, numbered, with what each placement makes of them.

For the rest of the round a layout is the multiset of its open sites, each a pip value and what it
counts, and how far the spinner is: which site is which does not matter, nor what lies further in.
There are 5,223 such layouts. They are found by placing every tile at every site,
from the empty table on, with the functions of ``rules``, so nothing about the game is said again.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled

NUM_PIPS = 7
POINTS = 5  # all credits and deductions are multiples of it; the search counts in these

# What the search needs of a layout, in one cache line.
LAYOUT = np.dtype(
    [
        ("next", np.int16, (rules.NUM_SITES, NUM_PIPS)),  # number, by site and other half placed
        ("value", np.int8, (rules.NUM_SITES,)),  # pip value; CLOSED also for a site like another
        ("open", np.int8),  # the pip values that fit somewhere, a bit each
        ("credit", np.int8),  # for the placement that led here, in fives
        ("unused", np.int8, (2,)),
    ]
)
assert LAYOUT.itemsize == 64

_SITE_KINDS = 3 * NUM_PIPS + 1  # by value and counted pips (none, the value, twice the value)
_STAGES = 5
_NUM_KEYS = _STAGES * _SITE_KINDS**rules.NUM_SITES
_MAX_LAYOUTS = 1 << 13  # as many numbers as a key has room for
_UNKNOWN = -1


@compiled
def sites_alike(layout, site, other):
    """True if it makes no difference for the rest of the round at which of two sites to place."""
    if _site_kind(layout, site) != _site_kind(layout, other):
        return False
    # A line that ends in a blank looks like the free side of the blank spinner, which opens arms.
    started = rules.site_tile(layout, site) != rules.NO_TILE
    other_started = rules.site_tile(layout, other) != rules.NO_TILE
    return started == other_started or rules.line_sides_taken(layout)


@compiled
def _site_kind(layout, site):
    value = rules.site_value(layout, site)
    if value >= rules.CLOSED:
        return 0
    pips = rules.site_pips(layout, site)
    return 1 + 3 * value + (pips // value if value > 0 else 0)


@compiled
def _stage(layout):
    """How far the spinner is: the open sites do not show whether it opens arms, or is to come."""
    if layout == rules.EMPTY_LAYOUT:
        return 0
    if rules.spinner_value(layout) == rules.NO_SPINNER:
        return 1
    stage = 2
    for side in range(2):
        if rules.site_tile(layout, side) != rules.NO_TILE:
            stage += 1
    return stage


@compiled
def _layout_key(layout):
    """The same small integer for all layouts that play alike, and for no others."""
    # Sorted, since it does not matter which site is which.
    kinds = np.empty(rules.NUM_SITES, np.int64)
    for site in range(rules.NUM_SITES):
        kind = _site_kind(layout, site)
        place = site
        while place > 0 and kinds[place - 1] > kind:
            kinds[place] = kinds[place - 1]
            place -= 1
        kinds[place] = kind
    key = _stage(layout)
    for site in range(rules.NUM_SITES):
        key = key * _SITE_KINDS + kinds[site]
    return key


@compiled
def _describe(layout, entry):
    entry["open"] = rules.open_pips(layout)
    entry["credit"] = rules.credit_for(rules.end_sum(layout)) // POINTS
    for site in range(rules.NUM_SITES):
        value = rules.site_value(layout, site)
        for earlier in range(site):
            if sites_alike(layout, earlier, site):
                value = rules.CLOSED
        entry["value"][site] = value


@compiled
def _number(layout, numbers, found, count, entries):
    """The number of ``layout``, a new one if none like it has been found; and the new count."""
    key = _layout_key(layout)
    if numbers[key] == _UNKNOWN:
        numbers[key] = count
        found[count] = layout
        _describe(layout, entries[count])
        count += 1
    return numbers[key], count


@compiled
def _explore(numbers, found, entries):
    _, count = _number(rules.EMPTY_LAYOUT, numbers, found, 0, entries)
    for tile in range(rules.NUM_TILES):
        layout = rules.place(rules.EMPTY_LAYOUT, tile, 0)
        _, count = _number(layout, numbers, found, count, entries)
    done = 1
    while done < count:
        for site in range(rules.NUM_SITES):
            value = entries[done]["value"][site]
            if value >= rules.CLOSED:
                continue
            for other in range(NUM_PIPS):
                layout = rules.place(found[done], rules.TILE_OF[value, other], site)
                number, count = _number(layout, numbers, found, count, entries)
                entries[done]["next"][site, other] = number
        done += 1
    return count


@cache
def layout_tables() -> tuple[np.ndarray, np.ndarray]:
    """Number the layouts; made once a process, in some milliseconds.

    Returns:
        ``layouts`` (5223,) of ``LAYOUT``, and ``numbers`` (n,) int16 for ``layout_number``. The
        empty layout is number 0; its ``next`` is not given, since a lead has no half to fit. Both
        arrays are read-only.
    """
    numbers = np.full(_NUM_KEYS, _UNKNOWN, np.int16)
    found = np.zeros(_MAX_LAYOUTS, np.int64)
    entries = np.zeros(_MAX_LAYOUTS, LAYOUT)
    count = _explore(numbers, found, entries)
    layouts = entries[:count].copy()
    for table in (layouts, numbers):
        table.flags.writeable = False
    return layouts, numbers


@compiled
def layout_number(numbers, layout):
    """The number in ``layout_tables`` of a layout of ``rules``."""
    return np.int64(numbers[_layout_key(layout)])
