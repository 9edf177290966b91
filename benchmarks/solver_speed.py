"""How long the exact solver takes: ``python benchmarks/solver_speed.py``.

Positions are reached by greedy and by random play in turn, from fixed seeds. Times are CPU seconds
of one core; nodes are the same on every machine.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.policies import GreedyPolicy, Policy, RandomPolicy, Views
from seven_rocks_env.solver import Solver


def positions(placed: int, count: int, seed: int) -> list[np.ndarray]:
    """``count`` positions, each a (1,) array of ``rules.STATE``, after ``placed`` tiles."""
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while len(found) < count:
        state = np.zeros(1, rules.STATE)
        stream = rng.integers(1, 2**63, 4).astype(np.uint64)
        rules.new_match(state[0], stream, 10**6, 0, 0)
        rules.next_round(state[0])
        policy: Policy = RandomPolicy() if len(found) % 2 else GreedyPolicy()
        while state[0]["phase"] == rules.PLAYING:
            if np.count_nonzero(state[0]["placed_at"] != rules.NOT_PLACED) == placed:
                found.append(state)
                break
            rules.play(state[0], int(policy.act(Views.of(state), rng)[0]))
    return found


def report(name: str, figures: list[float], unit: str) -> str:
    """Median, 90% quantile and maximum of ``figures``."""
    median, most, largest = np.quantile(figures, (0.5, 0.9, 1.0))
    return f"{name} {median:>10,.2f} {most:>10,.2f} {largest:>10,.2f} {unit}"


def main() -> None:
    """Solve and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--placed", type=int, nargs="+", default=[12, 8, 4, 0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mebibytes", type=int, default=1)
    parser.add_argument("--actions", action="store_true", help="find the value of every action")
    arguments = parser.parse_args()

    start = time.process_time()
    Solver().solve(positions(20, 1, 0)[0])
    print(f"first solution, compiled or loaded: {time.process_time() - start:.1f} s")
    print("tiles placed                     median        90%        max")
    for placed in arguments.placed:
        solver = Solver(arguments.mebibytes)
        times, nodes = [], []
        for state in positions(placed, arguments.count, arguments.seed):
            start = time.process_time()
            solution = solver.solve(state, actions=arguments.actions)
            times.append(1e3 * (time.process_time() - start))
            nodes.append(solution.nodes)
        print(report(f"{placed:>12} CPU time  ", times, "ms"))
        print(report(f"{placed:>12} nodes     ", [n / 1e3 for n in nodes], "thousand"), flush=True)


if __name__ == "__main__":
    main()
