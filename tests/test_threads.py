"""Work on several threads: every part is done, and what goes wrong in one is told."""

import pickle
import threading
import time

import pytest

from seven_rocks_env.threads import Threads, available_cores, shares


@pytest.mark.parametrize(
    ("count", "num_parts", "sizes"),
    [(10, 1, [10]), (10, 2, [5, 5]), (10, 3, [3, 3, 4]), (2, 3, [0, 1, 1])],
)
def test_shares_are_of_almost_equal_size_and_in_order(
    count: int, num_parts: int, sizes: list[int]
) -> None:
    parts = [list(range(count))[part] for part in shares(count, num_parts)]

    assert [len(part) for part in parts] == sizes
    assert [number for part in parts for number in part] == list(range(count))


@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_all_parts_are_done_when_it_returns(num_threads: int) -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.01 * number)
        done.append(number)

    threads = Threads(num_threads)
    for _ in range(2):
        done.clear()
        threads.run(work, [(number,) for number in range(num_threads)])
        assert sorted(done) == list(range(num_threads))


def test_the_caller_s_thread_takes_the_first_part_and_others_the_rest() -> None:
    names: dict[int, str] = {}

    def work(number: int) -> None:
        names[number] = threading.current_thread().name

    Threads(2).run(work, [(0,), (1,)])

    assert names[0] == threading.current_thread().name
    assert names[1].startswith("seven_rocks")


@pytest.mark.parametrize("bad", [0, 1])
def test_an_exception_comes_to_the_caller_after_the_other_parts_have_ended(bad: int) -> None:
    ended: list[int] = []

    def work(number: int) -> None:
        if number == bad:
            raise ZeroDivisionError(number)
        time.sleep(0.05)
        ended.append(number)

    threads = Threads(2)
    with pytest.raises(ZeroDivisionError, match=str(bad)):
        threads.run(work, [(0,), (1,)])
    assert ended == [1 - bad]
    bad = 2
    threads.run(work, [(0,), (1,)])


def test_a_pickled_one_starts_threads_of_its_own() -> None:
    threads = Threads(2)
    threads.run(abs, [(1,), (2,)])
    copied = pickle.loads(pickle.dumps(threads))
    copied.run(abs, [(1,), (2,)])

    assert copied.num_threads == 2


def test_there_is_a_core_at_least() -> None:
    assert available_cores() >= 1
