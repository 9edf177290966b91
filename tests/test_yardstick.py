"""The C yardstick of the benchmarks plays the same games as the rules, byte by byte.

It shares no line with them, so it is also one more program that has to agree with them.
"""

import shutil

import numpy as np
import pytest
from random_play import PlayRandom, build_yardstick, first_rounds, play_random

from seven_rocks_env import rules
from tests.games import needs_compiler

pytestmark = [
    needs_compiler,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
]


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> PlayRandom:
    return build_yardstick(tmp_path_factory.mktemp("yardstick"))


def assert_equal_games(states: np.ndarray, others: np.ndarray) -> None:
    for field in rules.STATE.names:
        np.testing.assert_array_equal(states[field], others[field], field)
    assert states.tobytes() == others.tobytes()


def test_after_every_action_of_some_hundred_rounds(in_c: PlayRandom) -> None:
    states = first_rounds(64, seed=1)
    others = states.copy()
    blocked = dominoed = matches = 0
    for _ in range(500):
        before = states.copy()
        play_random(states, 1)
        in_c(others, 1)
        assert_equal_games(states, others)
        dealt = states["num_actions"] == 0
        won = states["round"] < before["round"]
        stuck = sum(game["passes"] == 3 and not rules.can_place(game) for game in before[dealt])
        blocked += stuck
        dominoed += np.count_nonzero(dealt & ~won) - stuck
        matches += np.count_nonzero(won)

    assert blocked > 100
    assert dominoed > 500
    assert matches > 50


@pytest.mark.parametrize("target", [5, 50, 250])
def test_over_many_matches(in_c: PlayRandom, target: int) -> None:
    states = first_rounds(64, seed=target, target=target)
    others = states.copy()
    for _ in range(20):
        play_random(states, 1000)
        in_c(others, 1000)
        assert_equal_games(states, others)
