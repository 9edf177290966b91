"""The state of an AEC environment in mid-game, whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from seven_rocks_env import beliefs, rules
from seven_rocks_env.engine import deal_rounds
from seven_rocks_env.history import Round, scores_before_round
from seven_rocks_env.options import ResetOptions
from seven_rocks_env.settings import Settings

AGENTS = tuple(f"player_{seat}" for seat in range(rules.NUM_SEATS))
NUM_WORDS = 4  # of a random stream


@dataclass(frozen=True)
class EnvState:
    """A game in progress, whole: what ``get_state`` gives and ``set_state`` takes.

    It can be pickled and compared. Its contents are the environment's own business.
    """

    settings: Settings
    game: bytes
    stream: tuple[int, ...]
    options: ResetOptions
    past: tuple[Round, ...]
    agents: tuple[str, ...]
    agent_selection: str
    skipped_selection: str | None
    rewards: tuple[tuple[str, float], ...]
    cumulative_rewards: tuple[tuple[str, float], ...]
    terminations: tuple[tuple[str, bool], ...]
    truncations: tuple[tuple[str, bool], ...]
    np_random: Mapping[str, Any]


def resampled(state: EnvState, seat: int, rng: np.random.Generator) -> EnvState:
    """``state`` with all that ``seat`` cannot know drawn anew; see ``raw_env.resample``."""
    # Complemented, since a caller who seeds alike would draw the words that reset() drew.
    words = ~rng.integers(0, 2**64, size=NUM_WORDS, dtype=np.uint64)
    games = np.frombuffer(state.game, rules.STATE).copy()
    if games["phase"][0] == rules.PLAYING:  # once the round is over, all hands are open
        stream = rng.integers(0, 2**64, size=NUM_WORDS, dtype=np.uint64)
        beliefs.resample(games[0], seat, stream)

    # The record must replay, so the new stream begins where the match began.
    fresh = np.zeros(1, rules.STATE)
    rules.new_match(fresh[0], words, state.settings.target_score, 0, 0)
    deal_rounds(fresh, len(state.past) + 1)
    games["stream"] = fresh["stream"]

    return replace(
        state,
        game=games.tobytes(),
        stream=tuple(map(int, words)),
        options=ResetOptions(scores=state.options.scores),
        np_random=np.random.PCG64(rng.integers(0, 2**64, dtype=np.uint64)).state,
    )


def begun_with_its_round(games: np.ndarray, settings: Settings) -> EnvState:
    """The state of an environment with nothing but the round in play: what a batch knows of a game.

    Its record begins with this round, at the scores that the round began with.

    Args:
        games: ``(1,)`` of ``rules.STATE``, in the middle of a round.
        settings: What the episode is and what it pays.
    """
    game = games[0]
    stream = _stream_before_deal(game)
    return EnvState(
        settings=settings,
        game=games.tobytes(),
        stream=stream,
        options=ResetOptions(scores=scores_before_round(game)),
        past=(),
        agents=AGENTS,
        agent_selection=AGENTS[game["seat"]],
        skipped_selection=None,
        rewards=tuple((agent, 0.0) for agent in AGENTS),
        cumulative_rewards=tuple((agent, 0.0) for agent in AGENTS),
        terminations=tuple((agent, False) for agent in AGENTS),
        truncations=tuple((agent, False) for agent in AGENTS),
        np_random=np.random.PCG64(stream).state,
    )


def _stream_before_deal(game: np.void) -> tuple[int, ...]:
    """The random stream from which the deal of ``game`` was drawn."""
    before = game["stream"].copy()
    again = np.zeros(1, rules.STATE)
    while not np.array_equal(again["stream"][0], game["stream"]):
        rules.undo_word(before)
        rules.new_match(again[0], before, int(game["target"]), 0, 0)
        rules.next_round(again[0])
    return tuple(map(int, before))
