"""The batch where programs use it: on several threads, in other processes, and copied."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import seven_rocks_env
from seven_rocks_env.batch import Batch
from tests.games import needs_compiler
from tests.test_batch import choose

PACKAGE = Path(seven_rocks_env.__file__).parent


def played(num_threads: int = 2, seed: int = 1) -> bytes:
    """What shows of a batch after some play."""
    batch = Batch(50, seed, num_threads=num_threads, skip_forced=True)
    for _ in range(60):
        batch.step(choose(batch))
    shown = (batch.states, batch.observation, batch.action_mask, batch.rewards, batch.final_scores)
    return b"".join(array.tobytes() for array in shown)


@pytest.mark.parametrize("num_threads", [2, 3, 50, 64])
def test_the_number_of_threads_does_not_matter(num_threads: int) -> None:
    assert played(num_threads) == played(1)


def test_several_threads_step_batches_of_their_own() -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(played, [1, 2, 2, 3], [1, 2, 1, 2]))

    assert results == [played(1, 1), played(1, 2), played(1, 1), played(1, 2)]


@needs_compiler
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_other_processes_play_the_same_games(method: str) -> None:
    here = played()  # threads have started: a forked process must not wait for them
    with ProcessPoolExecutor(2, mp_context=get_context(method)) as pool:
        assert list(pool.map(played, [2, 1])) == [here, here]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_batch_whose_threads_run_goes_on_in_a_forked_process() -> None:
    batch = Batch(50, seed=1, num_threads=2)
    batch.step(choose(batch))
    child = os.fork()
    if child == 0:
        batch.step(choose(batch))
        os._exit(batch.states["num_actions"].sum() % 251)
    batch.step(choose(batch))

    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == batch.states["num_actions"].sum() % 251 == 100


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_a_copy_of_a_batch_shares_nothing_and_plays_on_alike(
    copied: Callable[[Batch], Batch], dtype: type
) -> None:
    batch = Batch(8, seed=6, num_threads=2, observation_dtype=dtype)
    for _ in range(20):
        batch.step(choose(batch))
    other = copied(batch)
    for _ in range(30):
        batch.step(choose(batch))
    assert other.states.tobytes() != batch.states.tobytes()
    for _ in range(30):
        other.step(choose(other))

    assert other.states.tobytes() == batch.states.tobytes()
    assert np.array_equal(other.observation, batch.observation)
    assert other.rewards.tobytes() == batch.rewards.tobytes()


# A cold compile cache for a step of two games: a few seconds a process.
SCRIPT = """
import numpy as np
from seven_rocks_env import Batch
batch = Batch(2, seed=1)
batch.step(batch.action_mask.argmax(axis=1))
print(batch.states["hands"].tolist())
"""


@needs_compiler
def test_processes_that_start_at_once_share_an_empty_cache(tmp_path: Path) -> None:
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    outputs = [start.communicate() for start in starts]

    batch = Batch(2, seed=1)
    batch.step(batch.action_mask.argmax(axis=1))
    assert outputs == [(f"{batch.states['hands'].tolist()}\n", "")] * 3
    assert list(tmp_path.rglob("*.nbi"))
