"""The record: a match as compact text that people can read and write; see ``docs/record.md``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.history import (
    History,
    HistoryError,
    Round,
    Table,
    check_scores,
    check_stream,
    check_target,
)
from seven_rocks_env.notation import hand_text, move_text, read_move, read_tile

VERSION = "1"

# The random stream of a record that names none: what SplitMix64 gives first from the seed 0.
DEFAULT_STREAM = (
    0xE220A8397B1DCDAF,
    0x6E789E6AA1B965F4,
    0x06C45D188009454F,
    0xF88BB8A8724C81EC,
)

_REQUIRED_TAGS = ("SevenRocks", "Target", "Scores")
_TAGS = (*_REQUIRED_TAGS, "Stream")
_MOVES_A_LINE = rules.NUM_SEATS  # so that a seat keeps its column through a round
_MOVE_WIDTH = 21
_LONGEST_TOKEN = 200  # more than any has, and short enough for an error message

_COMMENT = re.compile(r"\{[^{}]*\}|;[^\n]*")
_TOKEN = re.compile(r"\[[^\]\n]*\]|\S+")
_TAG = re.compile(r'\[(?P<name>\w+) +"(?P<value>[^"]*)"\]')
_MOVE_NUMBER = re.compile(r"[0-9]+\.")
_SEAT = re.compile(r"[0-3]")
_INTEGER = re.compile(r"-?[0-9]{1,10}")
_WORD = re.compile(r"[0-9a-f]{16}")


class RecordError(ValueError):
    """A text that is no record of a match played by the rules.

    Attributes:
        reason: What was wrong and what is allowed.
        line: Number of the line from 1.
        round: Number of the round from 1, or None if the fault is in no round.
        move: Number of the move in its round from 1, or None if the fault is in no move.
    """

    def __init__(
        self, reason: str, line: int, round: int | None = None, move: int | None = None
    ) -> None:
        places = [f"line {line}"]
        places += [f"round {round}"] * (round is not None) + [f"move {move}"] * (move is not None)
        super().__init__(f"{', '.join(places)}: {reason}")
        self.reason = reason
        self.line = line
        self.round = round
        self.move = move


def to_text(history: History) -> str:
    """``history`` as a record, in lines of at most 88 characters.

    Raises:
        seven_rocks_env.history.HistoryError: If the rules do not allow ``history``.
    """
    table = Table(history.target, history.scores, history.stream)
    values = (
        VERSION,
        str(history.target),
        "{} {}".format(*history.scores),
        " ".join(f"{word:016x}" for word in history.stream),
    )
    lines = [f'[{name} "{value}"]' for name, value in zip(_TAGS, values, strict=True)]
    for number, dealt in enumerate(history.rounds, start=1):
        table.deal(dealt.hands, dealt.opener)
        lines += ["", *_deal_lines(number, dealt)]
        moves: list[str] = []
        for action in dealt.actions:
            move = move_text(int(table.game["seat"]), action, int(table.game["layout"]))
            table.play(action)
            credit = _credit_text(table.game)
            moves.append(f"{len(moves) + 1:>2}. {move} {credit}".rstrip().ljust(_MOVE_WIDTH))
        if moves:
            lines.append("")
        for first in range(0, len(moves), _MOVES_A_LINE):
            lines.append("".join(moves[first : first + _MOVES_A_LINE]).rstrip())
        if table.game["phase"] != rules.PLAYING:
            lines += ["", *_end_lines(table.game)]
    return "\n".join(lines) + "\n"


def parse(text: str) -> History:
    """The history that ``text`` records.

    Raises:
        RecordError: If ``text`` is malformed, if a move is illegal, or if what it claims (turns,
            credits, the end of a round, settlement, scores) is not what the rules say.
    """
    return _Reader(text).history()


def _deal_lines(number: int, dealt: Round) -> list[str]:
    hands = [f"Hand {seat}: {hand_text(hand)}" for seat, hand in enumerate(dealt.hands)]
    return [f"Round {number}", *hands, f"Opener {dealt.opener}"]


def _credit_text(game: np.void) -> str:
    return f"+{game['credit']}" if game["credit"] else ""


def _end_lines(game: np.void) -> list[str]:
    """How the round in ``game`` ended, the settlement and the scores."""
    scores = "Scores {} {}".format(*game["scores"])
    if game["phase"] == rules.WON:
        winner = game["winner"]
        return [f"Won by {winner}&{winner + 2}", scores]
    end = "Blocked" if game["phase"] == rules.BLOCKED else f"Domino by {game['seat']}"
    settlement = [
        f"Left {seat}: {hand_text(int(hand))} ({rules.hand_pips(int(hand))}) "
        f"-{rules.hand_deduction(int(hand))}"
        for seat, hand in enumerate(game["hands"])
    ]
    return [end, *settlement, scores]


class _Reader:
    """Reads a record from its first token to its last."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, int]] = []  # with their lines
        self.position = 0
        self.line = 1  # of the token taken last
        self.round: int | None = None
        self.move: int | None = None
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        text = _COMMENT.sub(_blank, text)
        for number, line in enumerate(text.split("\n"), start=1):
            if "{" in line or "}" in line:
                raise RecordError("a brace opens or closes a comment that has no other end", number)
            for match in _TOKEN.finditer(line):
                if len(match[0]) > _LONGEST_TOKEN:
                    raise RecordError(f"a word of {len(match[0])} characters is too long", number)
                self.tokens.append((match[0], number))

    def history(self) -> History:
        target, scores, stream = self._tags()
        self.table = Table(target, scores, stream)
        rounds: list[Round] = []
        while self._next() is not None:
            rounds.append(self._round(len(rounds) + 1))
        return History(target, scores, stream, tuple(rounds))

    # --- tokens --------------------------------------------------------------------------------

    def _next(self) -> str | None:
        """The next token, which stays there; None at the end."""
        return self.tokens[self.position][0] if self.position < len(self.tokens) else None

    def _take(self, expected: str) -> str:
        if self._next() is None:
            raise self._error(f"expected {expected}, found the end of the record")
        token, self.line = self.tokens[self.position]
        self.position += 1
        return token

    def _take_words(self, line: str) -> None:
        """Take the tokens of ``line``, of which every one must be there."""
        for word in line.split():
            found = self._take(repr(line))
            if found != word:
                instead = "" if line.startswith(word) else f" in place of {word!r}"
                raise self._error(f"expected {line!r}, found {found!r}{instead}")

    def _error(self, reason: str) -> RecordError:
        return RecordError(reason, self.line, self.round, self.move)

    @contextmanager
    def _by_the_rules(self) -> Iterator[None]:
        """Turn what the notation and the rules refuse into errors that say where it is."""
        try:
            yield
        except HistoryError as error:
            raise self._error(error.reason) from None
        except RecordError:
            raise
        except ValueError as error:
            raise self._error(str(error)) from None

    # --- parts ---------------------------------------------------------------------------------

    def _tags(self) -> tuple[int, tuple[int, int], tuple[int, int, int, int]]:
        tags = self._read_tags()
        end = self.line

        value, self.line = tags["Target"]
        (target,) = self._numbers("Target", value, 1)
        with self._by_the_rules():
            check_target(target)

        value, self.line = tags["Scores"]
        score_0, score_1 = self._numbers("Scores", value, 2)
        with self._by_the_rules():
            check_scores((score_0, score_1), target)

        stream = DEFAULT_STREAM
        if "Stream" in tags:
            value, self.line = tags["Stream"]
            words = value.split()
            if len(words) != 4 or not all(map(_WORD.fullmatch, words)):
                raise self._error(
                    f"Stream must be four words of 16 hexadecimal digits, got {value!r}"
                )
            stream = (int(words[0], 16), int(words[1], 16), int(words[2], 16), int(words[3], 16))
            with self._by_the_rules():
                check_stream(stream)

        self.line = end
        return target, (score_0, score_1), stream

    def _read_tags(self) -> dict[str, tuple[str, int]]:
        """The values of the tags and the lines that they are in, by name."""
        tags: dict[str, tuple[str, int]] = {}
        while (token := self._next()) is not None and token.startswith("["):
            self._take("a tag")
            match = _TAG.fullmatch(token)
            if not match:
                raise self._error(f'{token!r} is no tag; write tags as [Target "250"]')
            name = match["name"]
            if name not in _TAGS or name in tags:
                fault = "there twice" if name in tags else "not known"
                raise self._error(f"tag {name} is {fault}; the tags are {', '.join(_TAGS)}")
            if not tags and name != _TAGS[0]:
                raise self._error(f'a record begins with [{_TAGS[0]} "{VERSION}"], not {token}')
            if name == _TAGS[0] and match["value"] != VERSION:
                raise self._error(f"format {match['value']!r} is not known, only {VERSION!r}")
            tags[name] = match["value"], self.line
        for name in _REQUIRED_TAGS:
            if name not in tags:
                raise self._error(f"tag {name} is missing")
        return tags

    def _numbers(self, name: str, value: str, count: int) -> list[int]:
        words = value.split()
        if len(words) != count or not all(map(_INTEGER.fullmatch, words)):
            numbers = "one number" if count == 1 else f"{count} numbers"
            raise self._error(f"{name} must be {numbers}, got {value!r}")
        return [int(word) for word in words]

    def _round(self, number: int) -> Round:
        game = self.table.game
        self._take_words(f"Round {number}")
        self.round = number
        hands = [self._hand(seat) for seat in range(rules.NUM_SEATS)]
        self._take_words("Opener")
        opener = self._take("the seat that opens")
        if not _SEAT.fullmatch(opener):
            raise self._error(f"the opener must be a seat from 0 to 3, found {opener!r}")
        with self._by_the_rules():
            self.table.deal(tuple(hands), int(opener))

        actions: list[int] = []
        while (token := self._next()) is not None and _MOVE_NUMBER.fullmatch(token):
            actions.append(self._action(len(actions) + 1))
        if game["phase"] != rules.PLAYING:
            for line in _end_lines(game):
                self._take_words(line)
        elif (token := self._next()) is not None:
            self._take("")
            raise self._error(
                f"the round is not over: expected move {len(actions) + 1}. or the end of the "
                f"record, found {token!r}"
            )
        self.round = None
        return Round((hands[0], hands[1], hands[2], hands[3]), int(opener), tuple(actions))

    def _hand(self, seat: int) -> int:
        self._take_words(f"Hand {seat}:")
        hand = 0
        for _ in range(rules.HAND_SIZE):
            token = self._take(f"seven tiles of seat {seat}")
            with self._by_the_rules():
                tile = read_tile(token)
            if hand >> tile & 1:
                raise self._error(f"seat {seat} is dealt {token} twice")
            hand |= 1 << tile
        return hand

    def _action(self, number: int) -> int:
        """Read move ``number`` of the round and play it."""
        game = self.table.game
        self.move = number
        self._take_words(f"{number}.")
        token = self._take("a move")
        with self._by_the_rules():
            seat, action = read_move(token, int(game["layout"]))
            if game["phase"] == rules.PLAYING and seat != game["seat"]:
                raise self._error(f"it is the turn of seat {game['seat']}, not of seat {seat}")
            self.table.play(action)

        claimed = ""
        following = self._next()
        if following is not None and following.startswith(("+", "-")):
            claimed = self._take("a credit")
        credit = _credit_text(game)
        if claimed != credit:
            what = (
                "a pass" if action == rules.PASS else f"the end sum {rules.end_sum(game['layout'])}"
            )
            raise self._error(f"{what} credits {credit or 'nothing'}, found {claimed or 'nothing'}")
        self.move = None
        return action


def _blank(comment: re.Match[str]) -> str:
    """Nothing but the line breaks of a comment, so that lines keep their numbers."""
    return " " + "\n" * comment[0].count("\n")
