"""The board as plain text, for terminals and logs."""

from __future__ import annotations

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.board import Layout
from seven_rocks_env.words import LINE_ENDS, SPINNER_SIDES, site_words, tile_words

WIDTH = 96

_FOLD = 2  # columns of the corner where a long chain turns back
_LEFT, _RIGHT = _FOLD, WIDTH - _FOLD  # columns between which tiles lie
_BAND = 4  # rows from one row of tiles to the next: a double is three high
_PARTNERS = ("0 & 2", "1 & 3")


def board_text(game: np.void, hand_of: int | None = None) -> str:
    """Draw what lies on the table and say how the game stands.

    The line runs from left to right, with the spinner's line side A (before there is a spinner the
    low end of the lead) at the left. Doubles lie crosswise, the spinner is marked ``[*]``, and its
    side arms A and B leave it upwards and downwards. Chains too long for the width turn back.

    Args:
        game: A record of ``rules.STATE``.
        hand_of: The seat whose hand is shown; by default no hand is.

    Returns:
        Lines of at most 96 characters, without a line break at the end.

    Raises:
        ValueError: If ``hand_of`` is no seat.
    """
    if hand_of is not None and hand_of not in range(rules.NUM_SEATS):
        raise ValueError(f"hand_of must be a seat from 0 to 3, or None, got {hand_of!r}")
    if game["phase"] == rules.READY:
        return "No round has been dealt yet."
    layout = Layout.of(game)
    lines = [_headline(game), "", *(_drawing(layout) or ["  (no tile on the table)"]), ""]
    lines += [_open_line(game), _sum_line(game), *_score_lines(game)]
    if hand_of is not None:
        lines.append(f"Hand of seat {hand_of}:  {_hand_words(int(game['hands'][hand_of]))}")
    return "\n".join(lines)


# --- how the game stands ------------------------------------------------------------------------


def _headline(game: np.void) -> str:
    seat = int(game["seat"])
    number = int(game["round"]) + 1
    phase = game["phase"]
    if phase == rules.PLAYING:
        what = f"seat {seat} to {'play' if game['num_actions'] else 'lead'}"
    elif phase == rules.WON:
        what = f"the match is won by seats {_PARTNERS[game['winner']]}"
    elif phase == rules.BLOCKED:
        what = "over, blocked"
    else:
        what = f"over, domino by seat {seat}"
    return f"Round {number}: {what}{_last_action(game)}"


def _last_action(game: np.void) -> str:
    number = int(game["num_actions"]) - 1
    if number < 0:
        return ""
    if game["passes"] > 1:
        return f" (the last {game['passes']} passed)"
    seat = rules.seat_of_action(game, number)
    action = int(game["actions"][number])
    if action == rules.PASS:
        return f" (seat {seat} passed)"
    credit = f" for {game['credit']}" if game["credit"] else ""
    return f" (seat {seat} placed {tile_words(action // rules.NUM_SITES)}{credit})"


def _open_line(game: np.void) -> str:
    layout = int(game["layout"])
    places = [
        f"{rules.site_value(layout, site)} at {site_words(site, layout)}"
        for site in range(rules.NUM_SITES)
        if rules.site_value(layout, site) < rules.CLOSED
    ]
    return f"Open ends:  {', '.join(places) or 'any tile may be led'}"


def _sum_line(game: np.void) -> str:
    layout = int(game["layout"])
    pips = [
        rules.site_pips(layout, site)
        for site in range(rules.NUM_SITES)
        if rules.site_tile(layout, site) != rules.NO_TILE
    ]
    if rules.spinner_value(layout) != rules.NO_SPINNER and not rules.line_sides_taken(layout):
        pips.append(rules.spinner_pips(layout))
    terms = f"{' + '.join(map(str, pips))} = " if len(pips) > 1 else ""
    return f"End sum:    {terms}{rules.end_sum(layout)}"


def _score_lines(game: np.void) -> list[str]:
    placed = [0] * rules.NUM_SEATS
    for number in game["placed_at"]:
        if number != rules.NOT_PLACED:
            placed[rules.seat_of_action(game, int(number))] += 1
    lines = []
    for partnership, partners in enumerate(_PARTNERS):
        left = [
            f"{rules.HAND_SIZE - placed[seat]} in hand {seat}"
            for seat in range(rules.NUM_SEATS)
            if rules.partnership_of(seat) == partnership
        ]
        score = f"{game['scores'][partnership]} of {game['target']}"
        lines.append(f"Seats {partners}: {score:>12},  {', '.join(left)}")
    return lines


def _hand_words(hand: int) -> str:
    tiles = [tile_words(tile) for tile in range(rules.NUM_TILES) if hand >> tile & 1]
    return " ".join(tiles) or "empty"


# --- the drawing --------------------------------------------------------------------------------


class _Canvas:
    """Characters at rows and columns; rows may be negative."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[int, str]] = {}

    def write(self, row: int, column: int, text: str) -> None:
        self.rows.setdefault(row, {}).update(enumerate(text, start=column))

    def write_upright(self, first: int, last: int, column: int) -> None:
        """A stroke between two rows, themselves left out."""
        for row in range(min(first, last) + 1, max(first, last)):
            self.write(row, column, "|")

    def lines(self) -> list[str]:
        lines: list[str] = []
        for row in sorted(self.rows):
            cells = self.rows[row]
            line = "".join(cells.get(column, " ") for column in range(max(cells) + 1))
            # One row of nothing but strokes is enough.
            if not (lines and line == lines[-1] and not line.strip(" |")):
                lines.append(line)
        return lines


def _width(pips: tuple[int, int]) -> int:
    return 3 if pips[0] == pips[1] else 5


def _draw_tile(canvas: _Canvas, row: int, column: int, pips: tuple[int, int], mark: str) -> None:
    left, right = pips
    if left != right:
        canvas.write(row, column, f"[{left}|{right}]")
        return
    canvas.write(row - 1, column, f"[{left}]")
    canvas.write(row, column, f"[{mark}]")
    canvas.write(row + 1, column, f"[{left}]")


def _draw_chain(
    canvas: _Canvas,
    chain: tuple[tuple[int, int], ...],
    row: int,
    edge: int,
    to_the_right: bool,
    turn: int,
) -> None:
    """Draw ``chain`` from column ``edge`` on; at the margin it turns back, ``turn`` rows on."""
    for inner, outer in chain:
        width = _width((inner, outer))
        if not _LEFT <= (edge + width if to_the_right else edge - width) <= _RIGHT:
            corner, stroke = ("-+", edge + 1) if to_the_right else ("+-", edge - _FOLD)
            for at in (row, row + turn):
                canvas.write(at, edge if to_the_right else edge - _FOLD, corner)
            canvas.write_upright(row, row + turn, stroke)
            row += turn
            to_the_right = not to_the_right
        if to_the_right:
            _draw_tile(canvas, row, edge, (inner, outer), "-")
            edge += width
        else:
            edge -= width
            _draw_tile(canvas, row, edge, (outer, inner), "-")


def _draw_arm(canvas: _Canvas, chain: tuple[tuple[int, int], ...], column: int, turn: int) -> None:
    """Draw a side arm of the spinner in the middle of which ``column`` is."""
    if not chain:
        return
    length = sum(map(_width, chain))
    room_right, room_left = _RIGHT - column - 3, column - 2 - _LEFT
    to_the_right = length <= room_right or (length > room_left and room_right >= room_left)
    canvas.write_upright(turn // _BAND, turn, column)
    canvas.write(turn, column if to_the_right else column - 2, "+--" if to_the_right else "--+")
    _draw_chain(canvas, chain, turn, column + 3 if to_the_right else column - 2, to_the_right, turn)


def _drawing(layout: Layout) -> list[str]:
    if layout.start is None:
        return []
    spun = layout.spinner is not None
    sides = SPINNER_SIDES if spun else LINE_ENDS
    left, right, *arms = (layout.chain(side) for side in sides)
    start = _width(layout.start)

    # Left to right as far as it goes; the ends of a line too long for that turn back.
    column = _LEFT + sum(map(_width, left))
    if column + start + sum(map(_width, right)) > _RIGHT:
        middle = (_LEFT + _RIGHT) // 2
        column = min(column, max(middle, _RIGHT - start - sum(map(_width, right))))

    canvas = _Canvas()
    _draw_tile(canvas, 0, column, layout.start, "*")
    around_arm = 2 * _BAND if spun else _BAND
    _draw_chain(canvas, left, 0, column, False, -around_arm)
    _draw_chain(canvas, right, 0, column + start, True, around_arm)
    for chain, turn in zip(arms, (-_BAND, _BAND), strict=False):
        _draw_arm(canvas, chain, column + 1, turn)
    return canvas.lines()
