"""One seed, one game: in every instance, in every process, compiled or not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from seven_rocks_env import seven_rocks_v0
from tests.envs import digest, play_random

SEED = 3
LONG, SHORT = 1500, 40  # steps
SCRIPT = """
import sys
from seven_rocks_env import seven_rocks_v0
from tests.envs import digest

env = seven_rocks_v0.env(observation="history")
env.reset(seed=int(sys.argv[1]))
print(digest(env, int(sys.argv[1]), int(sys.argv[2])))
"""


def digest_here(steps: int) -> str:
    env = seven_rocks_v0.env(observation="history")
    env.reset(seed=SEED)
    return digest(env, SEED, steps)


def digest_in_process(steps: int, **variables: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(SEED), str(steps)],
        cwd=Path(__file__).parents[1],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_trace_is_the_same_in_processes_with_other_hash_seeds() -> None:
    processes = [
        digest_in_process(LONG, PYTHONHASHSEED=hash_seed) for hash_seed in ("0", "1", "4242")
    ]
    expected = digest_here(LONG)

    assert [process.communicate(timeout=300)[0].strip() for process in processes] == [expected] * 3


def test_a_trace_is_the_same_without_the_compiler() -> None:
    process = digest_in_process(SHORT, NUMBA_DISABLE_JIT="1")

    assert process.communicate(timeout=300)[0].strip() == digest_here(SHORT)


def test_a_trace_is_the_same_in_another_instance_whatever_happened_before() -> None:
    env = seven_rocks_v0.env(observation="history")
    env.reset(seed=99)
    play_random(env, seed=99, steps=50)
    env.reset(seed=SEED)

    assert digest(env, SEED, LONG) == digest_here(LONG)


def test_wrapped_and_raw_environments_give_the_same_trace() -> None:
    raw = seven_rocks_v0.raw_env(observation="history")
    raw.reset(seed=SEED)

    assert digest(raw, SEED, LONG) == digest_here(LONG)


@pytest.mark.parametrize("seed", [SEED + 1, SEED + 2])
def test_other_seeds_give_other_traces(seed: int) -> None:
    env = seven_rocks_v0.env(observation="history")
    env.reset(seed=seed)

    assert digest(env, SEED, SHORT) != digest_here(SHORT)
