"""Games for the tests: laid out from literal tiles, or played at random."""

from collections.abc import Iterator, Sequence

import numba
import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.history import Round
from tests.plain_rules import PlainLayout, Tile

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


BLOCKED_HANDS: list[list[Tile]] = [[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]]


def blocked_round(hands: Sequence[Sequence[Tile]] = BLOCKED_HANDS) -> np.void:
    """A round of which nothing but the lead [4|5] was played, since nobody has a 4 or a 5."""
    return play(round_with(hands), action((4, 5), 0), PASS, PASS, PASS, PASS)


def ruled_out_by_passes(past: Round) -> list[set[int]]:
    """The values that were open, by the plain rules, when each seat passed."""
    layout = PlainLayout()
    ruled_out: list[set[int]] = [set(), set(), set(), set()]
    for number, chosen in enumerate(past.actions):
        if chosen == PASS:
            values = {value for _, _, value in layout.sites().values()}
            ruled_out[(past.opener + number) % 4] |= values
        elif layout.tiles:
            layout.place(rules.TILES[chosen // 4], chosen % 4)
        else:
            layout.lead(rules.TILES[chosen // 4])
    return ruled_out
