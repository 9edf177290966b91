"""Deals as text: a line each, which people can read and write; see ``docs/solver.md``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seven_rocks_env import record, rules
from seven_rocks_env.batch_options import streams_of
from seven_rocks_env.history import HistoryError, Table
from seven_rocks_env.notation import hand_text, read_tile
from seven_rocks_env.options import Hands
from seven_rocks_env.settings import MAX_TARGET_SCORE, check_integer

COMMENT = "#"

_FORM = "OPENER: HAND / HAND / HAND / HAND"
_RECORD_BEGINS = ("[", "{", ";")  # with a tag or a comment; no line of deals begins so


class DealsError(ValueError):
    """A text that holds no deals.

    Attributes:
        reason: What was wrong and what is allowed.
        line: Number of the line from 1.
    """

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"line {line}: {reason}")
        self.reason = reason
        self.line = line


@dataclass(frozen=True)
class Deal:
    """A round before the lead.

    Attributes:
        hands: The four hands, each a set of tiles (bit ``t`` stands for tile ``t``).
        opener: The seat that leads.
    """

    hands: Hands
    opener: int

    def state(self) -> np.ndarray:
        """The round with the opener on turn, ``(1,)`` of ``rules.STATE``, at no points.

        Raises:
            seven_rocks_env.history.HistoryError: If the hands are not all 28 tiles, seven each, or
                the opener is no seat.
        """
        table = Table(MAX_TARGET_SCORE, (0, 0), record.DEFAULT_STREAM)
        table.deal(self.hands, self.opener)
        return table.states


def draw(count: int, seed: int) -> Iterator[Deal]:
    """The first deals of the games of ``Batch(count, seed)``, in order.

    Raises:
        ValueError: If ``count`` is less than 1 or ``seed`` is negative.
    """
    check_integer("count", count, 1)
    check_integer("seed", seed, 0)
    game = np.zeros(1, rules.STATE)[0]
    for stream in streams_of(seed, count):
        rules.new_match(game, stream, MAX_TARGET_SCORE, 0, 0)
        rules.next_round(game)
        first, second, third, fourth = game["hands"].tolist()
        yield Deal((first, second, third, fourth), int(game["opener"]))


def hands_text(hands: Hands) -> str:
    """``hands`` from seat 0 to seat 3 as ``0|1 ... / ... / ... / ...``."""
    return " / ".join(map(hand_text, hands))


def to_text(deal: Deal) -> str:
    """``deal`` as a line, ``2: 0|1 ... / ... / ... / ...``, without a line break."""
    return f"{deal.opener}: {hands_text(deal.hands)}"


def parse(text: str) -> list[Deal]:
    """The deals in ``text``: its lines, or if it is a record of a match, those of its rounds.

    Raises:
        DealsError: If a line is no deal, or there is none.
        seven_rocks_env.record.RecordError: If ``text`` begins as a record and is none.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith(_RECORD_BEGINS):
        deals = [Deal(dealt.hands, dealt.opener) for dealt in record.parse(text).rounds]
    else:
        lines = (line.partition(COMMENT)[0].strip() for line in text.split("\n"))
        deals = [_deal(line, number) for number, line in enumerate(lines, start=1) if line]
    if not deals:
        raise DealsError(f"there is no deal; write deals as {_FORM}, a line each", 1)
    return deals


def _deal(line: str, number: int) -> Deal:
    opener, colon, rest = line.partition(":")
    if not colon:
        raise DealsError(f"a deal is {_FORM}, found no colon", number)
    seats = list(map(str, range(rules.NUM_SEATS)))
    if opener.strip() not in seats:
        raise DealsError(f"the opener must be a seat from 0 to 3, found {opener!r}", number)
    hands = rest.split("/")
    if len(hands) != rules.NUM_SEATS:
        raise DealsError(f"a deal is {_FORM}, with four hands, found {len(hands)}", number)
    try:
        first, second, third, fourth = (_hand(seat, hand) for seat, hand in enumerate(hands))
        deal = Deal((first, second, third, fourth), int(opener))
        deal.state()
    except HistoryError as error:
        raise DealsError(error.reason, number) from None
    except ValueError as error:
        raise DealsError(str(error), number) from None
    return deal


def _hand(seat: int, text: str) -> int:
    hand = 0
    for word in text.split():
        tile = read_tile(word)
        if hand >> tile & 1:
            raise ValueError(f"seat {seat} is dealt {word} twice")
        hand |= 1 << tile
    return hand
