"""How tiles, sites and actions are called, in errors, records and pictures."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules

LINE_ENDS = ("low end", "high end")  # sites 0 and 1 before there is a spinner
SPINNER_SIDES = ("line side A", "line side B", "side arm A", "side arm B")  # sites 0..3 after


def tile_words(tile: int) -> str:
    """``tile`` (0..27) as a domino, ``[2|5]``."""
    return "[{}|{}]".format(*rules.TILES[tile])


def site_words(site: int, layout: int) -> str:
    """What ``site`` (0..3) is called when ``layout`` lies on the table."""
    if layout == rules.EMPTY_LAYOUT and site == 0:
        return "the lead"
    if rules.spinner_value(layout) != rules.NO_SPINNER:
        return SPINNER_SIDES[site]
    return LINE_ENDS[site] if site < len(LINE_ENDS) else f"site {site}"


def action_words(action: int, layout: int) -> str:
    """``action`` in words and number, as ``[2|5] at line side A (action 64)``."""
    if action == rules.PASS:
        return f"a pass (action {action})"
    if not 0 <= action < rules.PASS:
        return f"action {action}, which is not an integer in 0..{rules.PASS}"
    tile, site = divmod(int(action), rules.NUM_SITES)
    return f"{tile_words(tile)} at {site_words(site, layout)} (action {action})"


def legal_words(game: np.void) -> str:
    """The legal actions of the seat on turn in words and numbers."""
    mask = np.zeros(rules.NUM_ACTIONS, np.int8)
    rules.legal_actions(game, mask)
    return ", ".join(action_words(int(a), game["layout"]) for a in np.flatnonzero(mask)) or "none"
