"""The options of ``reset``: given deals, openers and scores, checked before anything changes."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seven_rocks_env import rules
from seven_rocks_env.settings import check_scores

Hands = tuple[int, int, int, int]


@dataclass(frozen=True)
class ResetOptions:
    """What a user fixed about the episode to come.

    Attributes:
        hands: The first deal, four sets of tiles, or None to draw it.
        opener: The seat that opens the first round, or None to draw the lot.
        scores: The partnerships' scores at the start, in points.
        deals: Deals of the second and later rounds; those after the last are drawn.
        openers: For the same rounds the seat that the lot falls on, where one is needed.
    """

    hands: Hands | None = None
    opener: int | None = None
    scores: tuple[int, int] = (0, 0)
    deals: tuple[Hands, ...] = ()
    openers: tuple[int, ...] = ()

    def deal_of(self, round_number: int) -> Hands | None:
        """The given deal of round ``round_number`` (from 0), if there is one."""
        if round_number == 0:
            return self.hands
        return self.deals[round_number - 1] if round_number <= len(self.deals) else None

    def lot_of(self, round_number: int) -> int | None:
        """The given lot of round ``round_number`` (from 0), if there is one."""
        if round_number == 0:
            return self.opener
        return self.openers[round_number - 1] if round_number <= len(self.openers) else None


def read_options(options: Mapping[str, Any] | None, target_score: int) -> ResetOptions:
    """Check the ``options`` of ``reset``; keys that are not ours are ignored.

    Args:
        options: May hold ``hands`` (four lists of seven tiles, each a pair of pips or a number
            0..27), ``opener`` (seat), ``scores`` (two multiples of five below the target),
            ``deals`` (list of hands for the following rounds) and ``openers`` (list of seats: the
            lots of the same rounds, each used only if the round before it was blocked).
        target_score: Points that win the match.

    Raises:
        ValueError: If an option is malformed; it names the option and what is allowed.
    """
    if options is None:
        return ResetOptions()
    if not isinstance(options, Mapping):
        raise ValueError(f"options must be a dict, got {options!r}")
    given = {key: value for key, value in options.items() if value is not None}
    return ResetOptions(
        hands=_hands("hands", given["hands"]) if "hands" in given else None,
        opener=_seat("opener", given["opener"]) if "opener" in given else None,
        scores=_scores(given["scores"], target_score) if "scores" in given else (0, 0),
        deals=tuple(
            _hands(f"deals[{index}]", deal)
            for index, deal in enumerate(_sequence("deals", given.get("deals", ())))
        ),
        openers=tuple(
            _seat(f"openers[{index}]", seat)
            for index, seat in enumerate(_sequence("openers", given.get("openers", ())))
        ),
    )


def _is_list(value: Any) -> bool:
    """True for what can be iterated, but for texts, dicts and arrays of a single number."""
    listed = hasattr(value, "__iter__") and not isinstance(value, (str, bytes, Mapping))
    return listed and getattr(value, "ndim", 1) > 0


def _sequence(name: str, value: Any) -> list[Any]:
    if not _is_list(value):
        raise ValueError(f"{name} must be a list, got {value!r}")
    return list(value)


def _integer(name: str, value: Any) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be an integer, got {value!r}") from None


def _seat(name: str, value: Any) -> int:
    seat = _integer(name, value)
    if not 0 <= seat < rules.NUM_SEATS:
        raise ValueError(f"{name} must be a seat from 0 to 3, got {seat}")
    return seat


def _scores(value: Any, target_score: int) -> tuple[int, int]:
    scores = [_integer("scores", score) for score in _sequence("scores", value)]
    if len(scores) != 2:
        raise ValueError(f"scores must be two numbers, one a partnership, got {value!r}")
    check_scores(scores, target_score)
    return scores[0], scores[1]


def _tile(name: str, value: Any) -> int:
    """Number of a tile that is given as a number or as a pair of pips in either order."""
    try:
        if _is_list(value):
            pips = sorted(_integer(name, pip) for pip in value)
            tile = rules.TILE_INDEX.get(tuple(pips), -1)  # type: ignore[arg-type]
        else:
            tile = _integer(name, value)
    except ValueError:
        tile = -1
    if not 0 <= tile < rules.NUM_TILES:
        raise ValueError(
            f"{name}: a tile is a number from 0 to 27 or two pip values from 0 to 6, got {value!r}"
        )
    return tile


def _hands(name: str, value: Any) -> Hands:
    hands = [_sequence(f"{name}[{seat}]", hand) for seat, hand in enumerate(_sequence(name, value))]
    if len(hands) != rules.NUM_SEATS:
        raise ValueError(f"{name} must be four hands, got {len(hands)}")
    sets = []
    owner: dict[int, int] = {}
    for seat, hand in enumerate(hands):
        if len(hand) != rules.HAND_SIZE:
            raise ValueError(f"{name}[{seat}] must hold 7 tiles, got {len(hand)}")
        tiles = [_tile(f"{name}[{seat}]", tile) for tile in hand]
        for tile in tiles:
            if tile in owner:
                low, high = rules.TILES[tile]
                raise ValueError(
                    f"{name}: every tile must be dealt once, but [{low}|{high}] is in the hands "
                    f"of seats {owner[tile]} and {seat}"
                )
            owner[tile] = seat
        sets.append(sum(1 << tile for tile in tiles))
    return sets[0], sets[1], sets[2], sets[3]
