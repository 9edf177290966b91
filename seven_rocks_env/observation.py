"""What a seat sees, as numbers: one table, and the encoder that fills it.

``FEATURES`` is the only place that says what is where. Seats are relative to the observer (0 self,
1 left-hand opponent, 2 partner, 3 right-hand opponent), so that all four can share one network.
Every feature is a small integer; the float32 observation is that integer times the feature's scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled


@dataclass(frozen=True)
class Feature:
    """One named piece of the observation.

    Attributes:
        name: Key in ``view(observation)``.
        start: Index of its first number in the flat observation.
        shape: Shape of the named view; seats, where there are any, come first.
        low: Smallest integer value.
        high: Largest integer value; values beyond ``low`` and ``high`` saturate.
        divisor: The float32 observation is the integer divided by this.
        meaning: What it says, for the documentation.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    low: int
    high: int
    divisor: int
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers it takes."""
        return prod(self.shape)

    @property
    def slice(self) -> slice:
        """Where it is in the flat observation."""
        return slice(self.start, self.start + self.size)


def _table(*rows: tuple[str, tuple[int, ...], int, int, int, str]) -> tuple[Feature, ...]:
    features: list[Feature] = []
    start = 0
    for name, shape, low, high, divisor, meaning in rows:
        features.append(Feature(name, start, shape, low, high, divisor, meaning))
        start += features[-1].size
    return tuple(features)


FEATURES = _table(
    ("hand", (28,), 0, 1, 1, "own tiles"),
    ("placed_by", (4, 28), 0, 1, 1, "tiles on the table, by the seat that placed them"),
    ("placed_when", (28,), 0, 97, 28, "number of the action that placed the tile, from 1; else 0"),
    ("site_open", (4,), 0, 1, 1, "a tile may be placed at the site, if it fits"),
    ("site_started", (4,), 0, 1, 1, "a tile lies at the site as its outer end"),
    ("site_double", (4,), 0, 1, 1, "the outer tile at the site is a double"),
    ("site_value", (4, 7), 0, 1, 1, "pip value that fits at the site, one-hot; no bit if not open"),
    ("spinner", (7,), 0, 1, 1, "pip value of the spinner, one-hot; no bit before there is one"),
    ("end_sum", (1,), 0, 36, 36, "sum of the counted ends"),
    ("end_sum_mod_5", (5,), 0, 1, 1, "remainder of the end sum by five, one-hot"),
    ("hand_sizes", (4,), 0, 7, 7, "tiles left in each hand"),
    ("ruled_out", (4, 7), 0, 1, 1, "pip values that the seat's passes have shown it not to hold"),
    ("passes", (1,), 0, 4, 4, "passes in a row, up to now"),
    ("opener", (4,), 0, 1, 1, "seat that led the round, one-hot"),
    ("turn", (4,), 0, 1, 1, "seat on turn, one-hot; no bit when the round is over"),
    (
        "credits",
        (28, 4),
        0,
        7,
        4,
        "what placing the tile at the site would credit, in fives; 0 if illegal or not on turn",
    ),
    ("scores", (2,), -128, 127, 50, "own and other partnership's score, in fives"),
    ("to_target", (2,), -128, 127, 50, "points each partnership still needs to win, in fives"),
)

SIZE = FEATURES[-1].slice.stop
FEATURE = {feature.name: feature for feature in FEATURES}

SCALE = np.concatenate(
    [np.full(f.size, np.float32(1) / np.float32(f.divisor), np.float32) for f in FEATURES]
)
LOW = np.concatenate([np.full(f.size, f.low, np.int8) for f in FEATURES])
HIGH = np.concatenate([np.full(f.size, f.high, np.int8) for f in FEATURES])

_HAND = FEATURE["hand"].start
_PLACED_BY = FEATURE["placed_by"].start
_PLACED_WHEN = FEATURE["placed_when"].start
_SITE_OPEN = FEATURE["site_open"].start
_SITE_STARTED = FEATURE["site_started"].start
_SITE_DOUBLE = FEATURE["site_double"].start
_SITE_VALUE = FEATURE["site_value"].start
_SPINNER = FEATURE["spinner"].start
_END_SUM = FEATURE["end_sum"].start
_END_SUM_MOD_5 = FEATURE["end_sum_mod_5"].start
_HAND_SIZES = FEATURE["hand_sizes"].start
_RULED_OUT = FEATURE["ruled_out"].start
_PASSES = FEATURE["passes"].start
_OPENER = FEATURE["opener"].start
_TURN = FEATURE["turn"].start
_CREDITS = FEATURE["credits"].start
_SCORES = FEATURE["scores"].start
_TO_TARGET = FEATURE["to_target"].start


def view(observation: np.ndarray) -> dict[str, np.ndarray]:
    """The named pieces of ``observation``.

    Args:
        observation: Array of shape ``(..., SIZE)``, int8 or float32.

    Returns:
        For each feature's name a view of its numbers, of shape ``(..., *feature.shape)``.

    Raises:
        ValueError: If the last axis is not ``SIZE`` long.
    """
    shape = getattr(observation, "shape", type(observation).__name__)
    if shape[-1:] != (SIZE,):
        raise ValueError(f"an observation has {SIZE} numbers on its last axis, got {shape}")
    leading = observation.shape[:-1]
    return {f.name: observation[..., f.slice].reshape(leading + f.shape) for f in FEATURES}


def markdown_table() -> str:
    """The table of features as Markdown, for the documentation."""
    lines = [
        "| index | name | shape | integers | divided by | meaning |",
        "|---|---|---|---|---|---|",
    ]
    for f in FEATURES:
        index = f"{f.start}..{f.slice.stop - 1}" if f.size > 1 else f"{f.start}"
        shape = " x ".join(map(str, f.shape))
        lines.append(
            f"| {index} | `{f.name}` | {shape} | {f.low}..{f.high} | {f.divisor} | {f.meaning} |"
        )
    return "\n".join(lines) + "\n"


@compiled
def _relative(seat, observer):
    return (seat - observer) % rules.NUM_SEATS


@compiled
def _in_fives(points):
    return min(max(points // 5, -128), 127)


@compiled
def encode(game, seat, out):
    """Write what ``seat`` sees of ``game`` as integers into ``out`` (SIZE,) int8.

    Of the hands it reads the observer's alone: the others' sizes come from what they have placed.
    """
    out[:] = 0
    layout = game["layout"]

    # Branches that no processor foresees would cost more than what they save.
    hand = int(game["hands"][seat])
    for tile in range(rules.NUM_TILES):
        out[_HAND + tile] = (hand >> tile) & 1
    for other in range(rules.NUM_SEATS):
        relative = _relative(other, seat)
        out[_HAND_SIZES + relative] = rules.HAND_SIZE
        ruled_out = int(game["ruled_out"][other])
        for pip in range(7):
            out[_RULED_OUT + 7 * relative + pip] = (ruled_out >> pip) & 1

    for number in range(game["num_actions"]):
        action = int(game["actions"][number])
        if action != rules.PASS:
            tile = action // rules.NUM_SITES
            relative = _relative(rules.seat_of_action(game, number), seat)
            out[_PLACED_BY + rules.NUM_TILES * relative + tile] = 1
            out[_PLACED_WHEN + tile] = number + 1
            out[_HAND_SIZES + relative] -= 1

    for site in range(rules.NUM_SITES):
        value = rules.site_value(layout, site)
        if value != rules.CLOSED:
            out[_SITE_OPEN + site] = 1
            if value != rules.ANY:
                out[_SITE_VALUE + 7 * site + value] = 1
        tile = rules.site_tile(layout, site)
        if tile != rules.NO_TILE:
            out[_SITE_STARTED + site] = 1
            out[_SITE_DOUBLE + site] = rules.IS_DOUBLE[tile]
    spinner = rules.spinner_value(layout)
    if spinner != rules.NO_SPINNER:
        out[_SPINNER + spinner] = 1
    end_sum = rules.end_sum(layout)
    out[_END_SUM] = end_sum
    out[_END_SUM_MOD_5 + end_sum % 5] = 1

    out[_PASSES] = game["passes"]
    out[_OPENER + _relative(int(game["opener"]), seat)] = 1
    if game["phase"] == rules.PLAYING:
        turn = int(game["seat"])
        out[_TURN + _relative(turn, seat)] = 1
        if turn == seat:
            _encode_credits(game, out)

    for relative in range(2):
        score = int(game["scores"][rules.partnership_of(seat + relative)])
        out[_SCORES + relative] = _in_fives(score)
        out[_TO_TARGET + relative] = _in_fives(int(game["target"]) - score)


@compiled
def _encode_credits(game, out):
    layout = game["layout"]
    line, arms = rules.placements(game)
    while line | arms:
        tile, site, line, arms = rules.take_placement(line, arms)
        credit = rules.credit_for(rules.end_sum(rules.place(layout, tile, site)))
        out[_CREDITS + rules.NUM_SITES * tile + site] = credit // 5


@compiled
def scaled(integers, out):
    """Write the float32 observation of ``integers`` (SIZE,) int8 into ``out`` (SIZE,) float32."""
    for index in range(SIZE):
        out[index] = integers[index] * SCALE[index]


@compiled
def encode_history(game, seat, out):
    """Write the round's public actions in order into ``out`` (97, 2) int8.

    A row is (relative seat, action); rows that have not happened yet are (-1, -1).
    """
    out[:] = -1
    for number in range(int(game["num_actions"])):
        out[number, 0] = _relative(rules.seat_of_action(game, number), seat)
        out[number, 1] = game["actions"][number]
