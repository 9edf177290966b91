"""Speed of the rules and of the batch, beside C and other engines, all in one run.

    python benchmarks/batch_speed.py

Prints steps per second under random legal play: median and range over repeats in turn, and ratios
of figures from the same repeat. Seconds are CPU seconds of all threads, since others may use the
machine, except where one thread is compared with two: by the clock on the wall, which needs an idle
machine, and by the CPU time of the thread that calls, which does not: it does what only one thread
can do and then its half, as large as the other thread's. The C yardstick needs gcc, the others
``python -m pip install -e ".[bench]"``; what is missing is left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
from other_engines import ENGINES, Rate
from random_play import PlayRandom, build_yardstick, choose, first_rounds, play_random

from seven_rocks_env import Batch

GAMES, STEPS = 1024, 1000  # of one measurement of the rules
BATCH_STEPS = 2**20  # of one measurement of the batch, all games together
PARTS = ("rules", "batch", "threads", "others")

COMPILED, YARDSTICK = "rules, compiled", "rules, C yardstick"
THREADS = {
    f"{num_envs:,} games, {threads} thread{'s' if threads > 1 else ''}, {name}": (
        num_envs,
        threads,
        clock,
    )
    for num_envs in (4096, 16384)
    for name, clock in (("wall clock", time.perf_counter), ("calling thread", time.thread_time))
    for threads in (1, 2)
}
BATCHES = {
    f"batch of {num_envs:,}, {dtype}": (num_envs, dtype)
    for num_envs in (1024, 4096)
    for dtype in ("int8", "float32")
}
OURS = "batch of 4,096, int8"


def rules_rate(play: PlayRandom) -> Rate:
    """Steps per CPU second without observations."""
    states = first_rounds(GAMES, seed=0)

    def rate() -> float:
        start = time.process_time()
        play(states, STEPS)
        return GAMES * STEPS / (time.process_time() - start)

    return rate


def check_same_games(play: PlayRandom, other: PlayRandom) -> None:
    """Both must have made equal bytes of the same games, after any number of steps."""
    states = first_rounds(64, seed=1)
    others = states.copy()
    for steps in [1] * 200 + [1000]:
        play(states, steps)
        other(others, steps)
        if states.tobytes() != others.tobytes():
            raise SystemExit("the yardstick plays other games than the rules: compare nothing")


def batch_rate(
    num_envs: int, dtype: str, num_threads: int, clock: Callable[[], float], choosing: list[float]
) -> Rate:
    """Steps per second of ``clock`` in ``Batch.step``; those of choosing go to ``choosing``."""
    batch = Batch(num_envs, 0, observation_dtype=dtype, num_threads=num_threads)
    stream = np.arange(1, 5, dtype=np.uint64)
    actions = np.zeros(num_envs, np.int64)
    rounds = BATCH_STEPS // num_envs

    def rate() -> float:
        stepping = chosen = 0.0
        for _ in range(rounds):
            start = clock()
            choose(batch.action_mask, stream, actions)
            middle = clock()
            batch.step(actions)
            chosen += middle - start
            stepping += clock() - middle
        choosing.append(rounds * num_envs / chosen)
        return rounds * num_envs / stepping

    return rate


def prepare(parts: list[str]) -> tuple[dict[str, Rate], list[float]]:
    """What is to be measured, by name, and where the speed of choosing actions will be put."""
    rates: dict[str, Rate] = {}
    choosing: list[float] = []
    if "rules" in parts:
        rates[COMPILED] = rules_rate(play_random)
        with tempfile.TemporaryDirectory() as folder:
            try:
                yardstick = build_yardstick(Path(folder))
            except FileNotFoundError as error:
                print(f"left out: {YARDSTICK}: {error}")
            else:
                check_same_games(play_random, yardstick)
                rates[YARDSTICK] = rules_rate(yardstick)
    if "batch" in parts:
        for name, (num_envs, dtype) in BATCHES.items():
            rates[name] = batch_rate(num_envs, dtype, 1, time.process_time, choosing)
    if "threads" in parts:
        for name, (num_envs, threads, clock) in THREADS.items():
            rates[name] = batch_rate(num_envs, "int8", threads, clock, choosing)
    if "others" in parts:
        for name, make in ENGINES.items():
            try:
                rates[name] = make()
            except ImportError as error:
                print(f"left out: {name}: {error}")
    return rates, choosing


def summary(values: list[float], digits: int) -> str:
    """Median and range."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:>13,.{digits}f}  ({low:,.{digits}f} to {high:,.{digits}f})"


def main() -> None:
    """Run and print everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9, metavar="N", help="default: 9")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    arguments = parser.parse_args()

    print(f"Python {platform.python_version()}, Numba {numba.__version__}, ", end="")
    print(f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    rates, choosing = prepare(arguments.only)
    for rate in rates.values():
        rate()  # compiles
    choosing.clear()
    measured: dict[str, list[float]] = {name: [] for name in rates}
    for _ in range(arguments.repeats):
        for name, rate in rates.items():
            measured[name].append(rate())
    print(f"load average {os.getloadavg()[0]:.2f} after {arguments.repeats} repeats")

    for name, values in measured.items():
        unit = "second" if "wall clock" in name else "CPU second"
        print(f"{name:40}{summary(values, 0)} steps per {unit}")
    if choosing:
        print(f"{'choosing, not part of these':40}{summary(choosing, 0)} actions per second")
    pairs = [(COMPILED, YARDSTICK), *zip(list(THREADS)[1::2], list(THREADS)[::2], strict=True)]
    for one, other in [*pairs, *((OURS, name) for name in ENGINES)]:
        if one in measured and other in measured:
            ratios = [a / b for a, b in zip(measured[one], measured[other], strict=True)]
            print(f"{one} / {other}: {summary(ratios, 2).strip()}")


if __name__ == "__main__":
    main()
