"""The ledger: every credit and every deduction of a match as an entry of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.history import History, replay


@dataclass(frozen=True)
class LedgerEntry:
    """One change of a score.

    Attributes:
        round: Number of the round, from 0.
        seat: The player who placed the tile, or whose hand was left over.
        partnership: 0 for seats 0 and 2, 1 for seats 1 and 3.
        kind: ``"credit"`` for a placement, ``"deduction"`` for a hand at the end of a round.
        points: What was added to the score; negative for a deduction, never zero.
        score: The partnership's score after it.
    """

    round: int
    seat: int
    partnership: int
    kind: Literal["credit", "deduction"]
    points: int
    score: int


def ledger_of(history: History) -> list[LedgerEntry]:
    """Every entry of ``history`` in the order in which they were made.

    Hands that are settled at the same time come in the order of their seats.

    Raises:
        seven_rocks_env.history.HistoryError: If the rules do not allow ``history``.
    """
    return [entry for states in replay(history) for entry in entries_of(states[0])]


def entries_of(game: np.void) -> list[LedgerEntry]:
    """The entries that the last action of ``game``, a record of ``rules.STATE``, has made."""
    changes: list[tuple[int, Literal["credit", "deduction"], int]] = []
    if game["credit"]:
        seat = rules.seat_of_action(game, int(game["num_actions"]) - 1)
        changes.append((seat, "credit", int(game["credit"])))
    if game["phase"] in (rules.DOMINO, rules.BLOCKED):
        for seat, hand in enumerate(game["hands"]):
            deduction = rules.hand_deduction(int(hand))
            if deduction:
                changes.append((seat, "deduction", -deduction))

    scores = [int(score) for score in game["scores"]]
    for seat, _, points in changes:
        scores[rules.partnership_of(seat)] -= points
    entries = []
    for seat, kind, points in changes:
        partnership = rules.partnership_of(seat)
        scores[partnership] += points
        entries.append(
            LedgerEntry(int(game["round"]), seat, partnership, kind, points, scores[partnership])
        )
    return entries
