"""Make the golden games: ``python -m tests.golden.make``, from the root of the checkout.

Needed when the observation, the record or a rule has changed on purpose. Each game is found by
seeded play and stored as a record; beside it, in ``.sums``, is a line for every state, after each
deal and each action: the first eight hex digits of SHA-256 of the four seats' observations (int8)
and of the action mask.
"""

import hashlib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np

from seven_rocks_env import observation, rules
from seven_rocks_env.history import History, replay
from seven_rocks_env.policies import GreedyPolicy, RandomPolicy
from seven_rocks_env.record import to_text
from tests.matches import play_match

FOLDER = Path(__file__).parent
MIXED = (GreedyPolicy(), RandomPolicy())


def sums_of(history: History) -> list[str]:
    """A line for every state of ``history``."""
    seen = np.empty((rules.NUM_SEATS, observation.SIZE), np.int8)
    mask = np.empty(rules.NUM_ACTIONS, np.int8)
    lines = []
    for states in replay(history):
        for seat in range(rules.NUM_SEATS):
            observation.encode(states[0], seat, seen[seat])
        rules.legal_actions(states[0], mask)
        digests = (hashlib.sha256(array.tobytes()).hexdigest()[:8] for array in (seen, mask))
        lines.append(" ".join(digests))
    return lines


def first(
    games: Iterator[tuple[History, list[bytes]]], wanted: Callable[[np.void], bool]
) -> History:
    """The first of ``games`` whose last state is ``wanted``."""
    return next(
        history for history, seen in games if wanted(np.frombuffer(seen[-1], rules.STATE)[0])
    )


def whole_match() -> History:
    games = (play_match(seed, policies=MIXED) for seed in count())
    return first(games, lambda game: bool(game["phase"] == rules.WON))


def blocked_round() -> History:
    games = (play_match(seed, max_rounds=1) for seed in count())
    return first(games, lambda game: bool(game["phase"] == rules.BLOCKED))


def won_on_the_last_tile() -> History:
    games = (play_match(seed, scores=(210, 205), policies=MIXED, max_rounds=2) for seed in count())
    return first(
        games,
        lambda game: bool(game["phase"] == rules.WON and game["hands"][game["seat"]] == 0),
    )


def negative_scores() -> History:
    games = (play_match(seed, scores=(-10, -115), max_actions=90) for seed in count())
    return first(
        games,
        lambda game: bool(
            game["phase"] == rules.PLAYING and game["round"] == 3 and (game["scores"] < 0).all()
        ),
    )


GAMES = (whole_match, blocked_round, won_on_the_last_tile, negative_scores)


def main() -> None:
    for game in GAMES:
        name, history = game.__name__, game()
        (FOLDER / f"{name}.txt").write_text(to_text(history), "utf-8", newline="\n")
        sums = sums_of(history)
        (FOLDER / f"{name}.sums").write_text("\n".join(sums) + "\n", "utf-8", newline="\n")
        print(f"{name}: {len(history.rounds)} rounds, {len(sums)} states")


if __name__ == "__main__":
    main()
