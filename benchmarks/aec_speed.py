"""Speed of the AEC environment beside PettingZoo's own small games, all in one run.

    python -m pip install -c constraints.txt -e ".[bench]" && python benchmarks/aec_speed.py

Prints steps per CPU second under random legal play with ``last()`` (median and range of several
rounds in turn), and the time from the first import to the first step, with a cold and with a warm
compile cache.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo.classic import connect_four_v3, tictactoe_v3

from seven_rocks_env import seven_rocks_v0

REPEATS = 7
STEPS = 15_000

FIRST_STEP = """
import time
start = time.perf_counter()
from seven_rocks_env import seven_rocks_v0
env = seven_rocks_v0.env()
env.reset(seed=1)
observation, *_ = env.last()
env.step(int(observation["action_mask"].argmax()))
print(time.perf_counter() - start)
"""


def steps_per_cpu_second(env: Any) -> float:
    """Play at random, whole games after each other."""
    choose = random.Random(0)
    steps = 0
    env.reset(seed=0)
    start = time.process_time()
    while steps < STEPS:
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(choose.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            steps += 1
        env.reset()
    return steps / (time.process_time() - start)


def first_step_seconds(cache: str) -> float:
    """Time from the first import to the first step in a process of its own."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    run = [sys.executable, "-c", FIRST_STEP]
    return float(subprocess.run(run, env=environment, check=True, capture_output=True).stdout)


def summary(values: list[float], unit: str, digits: int = 0) -> str:
    """Median and range."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:,.{digits}f} {unit} ({low:,.{digits}f} to {high:,.{digits}f})"


def main() -> None:
    """Run and print everything."""
    envs: dict[str, Callable[[], Any]] = {
        f"{name} {kind}": getattr(module, kind)
        for name, module in [
            ("seven_rocks_v0", seven_rocks_v0),
            ("tictactoe_v3", tictactoe_v3),
            ("connect_four_v3", connect_four_v3),
        ]
        for kind in ("raw_env", "env")
    }
    rates: dict[str, list[float]] = {name: [] for name in envs}
    for _ in range(REPEATS):
        for name, make in envs.items():
            rates[name].append(steps_per_cpu_second(make()))
    print(f"load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    for name, values in rates.items():
        print(f"{name:24}{summary(values, 'steps per CPU second')}")
    for kind in ("raw_env", "env"):
        for other in ("tictactoe_v3", "connect_four_v3"):
            ours, theirs = rates[f"seven_rocks_v0 {kind}"], rates[f"{other} {kind}"]
            ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
            print(f"{kind} / {other} {kind}: {summary(ratios, 'times', 2)}")

    with tempfile.TemporaryDirectory() as cache:
        print(f"import to first step, cold cache: {first_step_seconds(cache):.2f} s")
        warm = [first_step_seconds(cache) for _ in range(5)]
        print(f"import to first step, warm cache: {summary(warm, 's', 2)}")


if __name__ == "__main__":
    main()
