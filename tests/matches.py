"""Whole matches for the tests, dealt as the environment deals them."""

from collections.abc import Mapping, Sequence

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.history import History, Round, Table, round_of
from seven_rocks_env.notation import read_move
from seven_rocks_env.policies import Policy, RandomPolicy, Views

Hands = tuple[int, int, int, int]
RANDOM = (RandomPolicy(), RandomPolicy())


def random_hands(rng: np.random.Generator) -> Hands:
    tiles = rng.permutation(rules.NUM_TILES).reshape(rules.NUM_SEATS, rules.HAND_SIZE)
    first, second, third, fourth = (sum(1 << int(tile) for tile in hand) for hand in tiles)
    return first, second, third, fourth


def play_match(
    seed: int,
    *,
    target: int = 250,
    scores: tuple[int, int] = (0, 0),
    deals: Mapping[int, Hands] = {},
    openers: Mapping[int, int] = {},
    policies: Sequence[Policy] = RANDOM,
    max_rounds: int = 1000,
    max_actions: int = 10**6,
) -> tuple[History, list[bytes]]:
    """Play a match and keep every state as bytes.

    ``deals`` and ``openers`` are given by round, from 0, as users give them to ``reset``: an opener
    is used unless the round before ended by domino. ``policies[p]`` plays partnership ``p``. The
    match stops after ``max_rounds`` rounds or ``max_actions`` actions in all.
    """
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**64, 4, np.uint64)
    states = np.zeros(1, rules.STATE)
    game = states[0]
    rules.new_match(game, words, target, *scores)
    seen: list[bytes] = []
    rounds: list[Round] = []
    while game["phase"] != rules.WON and len(rounds) < max_rounds and max_actions > 0:
        after_domino = game["phase"] == rules.DOMINO
        rules.next_round(game)
        if len(rounds) in deals:
            game["hands"][:] = deals[len(rounds)]
        if len(rounds) in openers and not after_domino:
            rules.start_round(game, openers[len(rounds)])
        seen.append(states.tobytes())
        while game["phase"] == rules.PLAYING and max_actions > 0:
            policy = policies[rules.partnership_of(int(game["seat"]))]
            rules.play(game, int(policy.act(Views.of(states), rng)[0]))
            seen.append(states.tobytes())
            max_actions -= 1
        rounds.append(round_of(game))
    stream = (int(words[0]), int(words[1]), int(words[2]), int(words[3]))
    return History(target, scores, stream, tuple(rounds)), seen


def game_after(moves: str) -> np.void:
    """A round after placements as ``"1|4 1|1@low 4|4@lineA"``, one a seat, seat 0 leading.

    The hands are made to fit the moves. Nobody passes.
    """
    layout = rules.EMPTY_LAYOUT
    actions = []
    for move in moves.split():
        _, action = read_move(f"0:{move}", layout)
        actions.append(action)
        layout = rules.place(layout, *divmod(action, rules.NUM_SITES))
    hands: list[list[int]] = [[], [], [], []]
    for number, action in enumerate(actions):
        hands[number % rules.NUM_SEATS].append(action // rules.NUM_SITES)
    spare = sorted(set(range(rules.NUM_TILES)) - {tile for hand in hands for tile in hand})
    for hand in hands:
        while len(hand) < rules.HAND_SIZE:
            hand.append(spare.pop())
    table = Table(250, (0, 0), (1, 2, 3, 4))
    table.deal(tuple(sum(1 << tile for tile in hand) for hand in hands), 0)
    for action in actions:
        table.play(action)
    return table.game
