"""Games for the tests: laid out from literal tiles, or played at random."""

from collections.abc import Iterable, Iterator, Sequence

import numba
import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.history import round_of
from tests.plain_rules import PlainMatch, Tile

Move = tuple[Tile, int]

PASS = rules.PASS
UNREACHABLE = 10**6  # a target that no round comes near
UNLIKELY = 1e-3  # how often a statistical test would fail by chance, were its seed drawn anew

needs_compiler = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="too much play for uncompiled rules"
)


def action(tile: Tile, site: int) -> int:
    return rules.NUM_SITES * rules.TILE_INDEX[tile] + site


def hand(*tiles: Tile) -> int:
    return sum(1 << rules.TILE_INDEX[tile] for tile in tiles)


def tiles_of(hand: int) -> list[Tile]:
    return [tile for index, tile in enumerate(rules.TILES) if hand >> index & 1]


def layout_of(moves: Iterable[Move]) -> int:
    """The layout after ``moves``, the first of which is the lead."""
    layout = rules.EMPTY_LAYOUT
    for tile, site in moves:
        value = rules.site_value(layout, site)
        assert value == rules.ANY or value in tile, f"{tile} does not fit site {site}"
        layout = rules.place(layout, rules.TILE_INDEX[tile], site)
    return int(layout)


def words_of(seed: int) -> np.ndarray:
    """A random stream."""
    return np.random.SeedSequence(seed).generate_state(4, np.uint64)


def new_match(seed: int = 0, scores: Sequence[int] = (0, 0), target: int = 250) -> np.void:
    """A match before its first deal."""
    game = np.zeros(1, rules.STATE)[0]
    rules.new_match(game, words_of(seed), target, scores[0], scores[1])
    return game


def round_with(
    hands: Sequence[Sequence[Tile]],
    opener: int = 0,
    scores: Sequence[int] = (0, 0),
    target: int = 250,
) -> np.void:
    """A round that begins with ``hands``, of any size, and ``opener`` to lead."""
    game = new_match(scores=scores, target=target)
    for seat, tiles in enumerate(hands):
        game["hands"][seat] = hand(*tiles)
    game["round"] = 0
    rules.start_round(game, opener)
    return game


def legal(game: np.void) -> set[int]:
    mask = np.empty(rules.NUM_ACTIONS, np.int8)
    rules.legal_actions(game, mask)
    return set(np.flatnonzero(mask).tolist())


def play(game: np.void, *actions: int) -> np.void:
    """Play ``actions``, each of which must be legal, and return ``game``."""
    for chosen in actions:
        assert rules.is_legal(game, chosen), f"action {chosen} is not legal for {game['seat']}"
        rules.play(game, chosen)
    return game


def random_action(game: np.void, rng: np.random.Generator) -> int:
    return int(rng.choice(sorted(legal(game))))


def random_round(
    seed: int, scores: Sequence[int] = (0, 0), target: int = UNREACHABLE
) -> Iterator[np.void]:
    """One round of random play: a copy of the game after the deal and after every action."""
    rng = np.random.default_rng(seed)
    game = new_match(seed, scores, target)
    rules.next_round(game)
    yield game.copy()
    while game["phase"] == rules.PLAYING:
        rules.play(game, random_action(game, rng))
        yield game.copy()


def plain_of(
    game: np.void, scores: Sequence[int] = (0, 0), target: int = UNREACHABLE
) -> PlainMatch:
    """The round in ``game`` played again by the plain rules; it began with ``scores``."""
    past = round_of(game)
    plain = PlainMatch([tiles_of(dealt) for dealt in past.hands], past.opener, scores, target)
    for chosen in past.actions:
        plain.play(chosen)
    return plain
