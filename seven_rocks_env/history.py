"""What happened in a match, as plain values, and playing it again exactly as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seven_rocks_env import rules, settings
from seven_rocks_env.words import action_words, legal_words, tile_words

# Of a state, what its deal and its actions alone determine.
_ROUND_FIELDS = [
    "layout",
    "hands",
    "phase",
    "opener",
    "seat",
    "passes",
    "credit",
    "num_actions",
    "ruled_out",
    "placed_at",
    "actions",
]
_LOW_SCORE = -1000


@dataclass(frozen=True)
class Round:
    """One round: what was dealt and what was played.

    Attributes:
        hands: The four hands as dealt, each a set of tiles (bit ``t`` stands for tile ``t``).
        opener: The seat that led.
        actions: The actions in order (0..112), seat after seat from the opener on.
    """

    hands: tuple[int, int, int, int]
    opener: int
    actions: tuple[int, ...]


@dataclass(frozen=True)
class History:
    """A match, or as much of it as has been played.

    Attributes:
        target: Points that win the match.
        scores: Points of partnerships {0, 2} and {1, 3} before the first round.
        stream: The four 64-bit words of the random stream before the first deal.
        rounds: The rounds in order; only the last one may be unfinished.
    """

    target: int
    scores: tuple[int, int]
    stream: tuple[int, int, int, int]
    rounds: tuple[Round, ...]


class HistoryError(ValueError):
    """A history that the rules do not allow.

    Attributes:
        reason: What was wrong and what is allowed.
        round: Number of the round from 1, or None if the fault is in no round.
        move: Number of the action in its round from 1, or None if the fault is in no action.
    """

    def __init__(self, reason: str, round: int | None = None, move: int | None = None) -> None:
        places = [f"round {round}"] * (round is not None) + [f"move {move}"] * (move is not None)
        super().__init__(f"{', '.join(places)}: {reason}" if places else reason)
        self.reason = reason
        self.round = round
        self.move = move


def round_of(game: np.void) -> Round:
    """The round that is in ``game``, at any point of it and after its end.

    Args:
        game: A record of ``rules.STATE`` in which a round has been dealt.
    """
    dealt = np.empty(rules.NUM_SEATS, np.int64)
    rules.dealt_hands(game, dealt)
    first, second, third, fourth = dealt.tolist()
    actions = tuple(game["actions"][: game["num_actions"]].tolist())
    return Round((first, second, third, fourth), int(game["opener"]), actions)


def replay(history: History) -> Iterator[np.ndarray]:
    """Play ``history`` again.

    Yields:
        After every deal and after every action a new ``(1,)`` array of ``rules.STATE``, equal to
        the byte to what the original game had there.

    Raises:
        HistoryError: Where the rules do not allow what comes next.
    """
    table = Table(history.target, history.scores, history.stream)
    for dealt in history.rounds:
        table.deal(dealt.hands, dealt.opener)
        yield table.states.copy()
        for action in dealt.actions:
            table.play(action)
            yield table.states.copy()


class Table:
    """A match that is played again deal by deal and action by action, each checked.

    Args:
        target: See ``History``.
        scores: See ``History``.
        stream: See ``History``.

    Attributes:
        states: ``(1,)`` of ``rules.STATE``, changed in place.

    Raises:
        HistoryError: If an argument is not allowed; it says what is.
    """

    def __init__(
        self, target: int, scores: tuple[int, int], stream: tuple[int, int, int, int]
    ) -> None:
        check_target(target)
        check_scores(scores, target)
        check_stream(stream)
        self.states = np.zeros(1, rules.STATE)
        rules.new_match(self.game, np.array(stream, np.uint64), target, *scores)

    @property
    def game(self) -> np.void:
        """The record in ``states``."""
        return self.states[0]

    def deal(self, hands: tuple[int, ...], opener: int) -> None:
        """Start the next round with the given hands and opener.

        The random stream moves on as for any deal, so that later deals and lots are the same.

        Raises:
            HistoryError: If no round may start now, or the hands or the opener are not allowed;
                then nothing has changed.
        """
        number = int(self.game["round"]) + 2
        phase = self.game["phase"]
        if phase == rules.PLAYING:
            raise HistoryError(f"round {number - 1} is not over yet", number)
        if phase == rules.WON:
            raise HistoryError("the match has been won in the round before", number)
        fault = _fault_of_deal(hands)
        if fault:
            raise HistoryError(fault, number)
        if not 0 <= opener < rules.NUM_SEATS:
            raise HistoryError(f"the opener must be a seat from 0 to 3, got {opener}", number)
        if phase == rules.DOMINO and opener != self.game["seat"]:
            raise HistoryError(
                f"seat {self.game['seat']} dominoed and has to open, not seat {opener}", number
            )
        rules.next_round(self.game)
        self.game["hands"][:] = hands
        rules.start_round(self.game, opener)

    def play(self, action: int) -> None:
        """Play ``action`` for the seat on turn.

        Raises:
            HistoryError: If it is illegal; it names the legal ones, and nothing has changed.
        """
        game = self.game
        if not rules.is_legal(game, action):
            reason = (
                f"seat {game['seat']} may not play {action_words(action, int(game['layout']))}; "
                f"legal: {legal_words(game)}"
                if game["phase"] == rules.PLAYING
                else "the round is over"
            )
            raise HistoryError(reason, int(game["round"]) + 1, int(game["num_actions"]) + 1)
        rules.play(game, action)


def check_state(game: np.void) -> None:
    """Check a state that comes from outside, which compiled code would trust.

    Args:
        game: A record of ``rules.STATE`` in the middle of a round.

    Raises:
        HistoryError: If no play of the round leads to it.
    """
    if game["phase"] != rules.PLAYING:
        raise HistoryError(f"a round must be in play, got phase {game['phase']}")
    check_target(int(game["target"]))
    check_scores((int(game["scores"][0]), int(game["scores"][1])), int(game["target"]))
    check_stream(tuple(map(int, game["stream"])))
    replayed = _round_again(game)
    for name in _ROUND_FIELDS:
        if not np.array_equal(replayed[name], game[name]):
            raise HistoryError(f"its actions do not lead to its {name}")


def scores_before_round(game: np.void) -> tuple[int, int]:
    """The scores at which the round in ``game`` began.

    Args:
        game: A record of ``rules.STATE`` in the middle of a round.
    """
    first, second = (game["scores"] - _round_again(game)["scores"] + _LOW_SCORE).tolist()
    return first, second


def _round_again(game: np.void) -> np.void:
    """The round in ``game``, played again from scores so low that no target ends it."""
    dealt = round_of(game)
    table = Table(settings.MAX_TARGET_SCORE, (_LOW_SCORE, _LOW_SCORE), (1, 2, 3, 4))
    table.deal(dealt.hands, dealt.opener)
    for action in dealt.actions:
        table.play(action)
    return table.game


def check_target(target: int) -> None:
    """Raise HistoryError unless a match may be played up to ``target`` points."""
    try:
        settings.Settings(target_score=target)
    except ValueError as error:
        raise HistoryError(str(error)) from None


def check_scores(scores: tuple[int, int], target: int) -> None:
    """Raise HistoryError unless a match up to ``target`` may start from ``scores``."""
    try:
        settings.check_scores(scores, target)
    except ValueError as error:
        raise HistoryError(str(error)) from None


def check_stream(stream: tuple[int, ...]) -> None:
    """Raise HistoryError unless ``stream`` is four 64-bit words, not all of them zero."""
    if len(stream) != 4 or not all(0 <= word < 2**64 for word in stream) or not any(stream):
        raise HistoryError(
            f"the random stream must be four 64-bit words that are not all zero, got {stream}"
        )


def _fault_of_deal(hands: tuple[int, ...]) -> str | None:
    if len(hands) != rules.NUM_SEATS:
        return f"a deal is four hands, got {len(hands)}"
    dealt = 0
    for seat, hand in enumerate(hands):
        if not 0 <= hand <= rules.ALL_TILES:
            return f"the hand of seat {seat} must be a set of the tiles 0 to 27, got {hand}"
        size = rules.hand_size(hand)
        if size != rules.HAND_SIZE:
            return f"the hand of seat {seat} must hold 7 tiles, got {size}"
        for tile in range(rules.NUM_TILES):
            if (dealt & hand) >> tile & 1:
                return f"every tile must be dealt once, but {tile_words(tile)} is dealt twice"
        dealt |= hand
    return None
