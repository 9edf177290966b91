"""Other engines in random legal play, for ``batch_speed.py``; each is left out if not installed.

A step is a player's action; deals are part of the work but count as none.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

Rate = Callable[[], float]


def spades(rounds: int = 1000) -> Rate:
    """OpenSpiel's spades, in C++, with its C++ players and loop, without observations."""
    import pyspiel

    game = pyspiel.load_game("spades")
    actions_a_round = game.max_game_length()  # 4 bids and 52 cards in every round
    players = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(4)]

    def rate() -> float:
        start = time.process_time()
        for seed in range(rounds):
            pyspiel.evaluate_bots(game.new_initial_state(), players, seed)
        return rounds * actions_a_round / (time.process_time() - start)

    return rate


def team_dominoes(rounds: int = 100) -> Rate:
    """OpenSpiel's four-player dominoes, in Python, without observations."""
    import open_spiel.python.games  # noqa: F401  # registers them
    import pyspiel

    game = pyspiel.load_game("python_team_dominoes")
    choose = random.Random(0)

    def rate() -> float:
        actions = 0
        start = time.process_time()
        for _ in range(rounds):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions += not state.is_chance_node()
                state.apply_action(choose.choice(state.legal_actions()))
        return actions / (time.process_time() - start)

    return rate


def pgx_game(name: str, steps: int, num_envs: int = 1024) -> Rate:
    """A game of pgx on the CPU: compiled, vectorised, with observations, masks and auto-reset."""
    import jax
    import pgx
    from jax import numpy as jnp
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def play(states: Any, key: Any) -> Any:
        choose_key, reset_key = jax.random.split(key)
        logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(choose_key, logits)
        return step(states, actions, jax.random.split(reset_key, num_envs))

    @jax.jit
    def play_on(states: Any, key: Any) -> Any:
        key, own = jax.random.split(key)
        keys = jax.random.split(own, steps)
        return jax.lax.scan(lambda states, key: (play(states, key), None), states, keys)[0], key

    start_keys = jax.random.split(jax.random.key(0), num_envs)
    at = jax.jit(jax.vmap(env.init))(start_keys), jax.random.key(1)

    def rate() -> float:
        nonlocal at
        start = time.process_time()
        at = jax.block_until_ready(play_on(*at))
        return num_envs * steps / (time.process_time() - start)

    return rate


# The two that pgx is fastest in and that is most like ours: tiles, hidden hands.
ENGINES: dict[str, Callable[[], Rate]] = {
    "OpenSpiel spades": spades,
    "OpenSpiel python_team_dominoes": team_dominoes,
    "pgx tic_tac_toe": lambda: pgx_game("tic_tac_toe", steps=500),
    "pgx sparrow_mahjong": lambda: pgx_game("sparrow_mahjong", steps=50),
}
