"""Each policy against each: ``python benchmarks/policy_table.py expert pimc:100 openhand``.

Prints a Markdown table of margins on duplicate deals with 95% intervals, CPU time, and the share of
the way from ``expert`` to ``openhand``. Results are kept in a file as they come in; started again,
it goes on where it was, and more policies or deals are added to it.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from seven_rocks_env.evaluation import Comparison, compare
from seven_rocks_env.policies import Policy, Views, make_policy, sees_all_hands

BLOCK = 50  # deals between two savings; block b has the deals of seed + b
FLOOR, CEILING = "expert", "openhand"


class Timed:
    """A policy that counts its decisions and their CPU time, of all threads."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.sees_all_hands = sees_all_hands(policy)
        self.seconds = 0.0
        self.decisions = 0

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``Policy.act``; forced moves count in the time but not as decisions."""
        start = time.process_time()
        actions = self.policy.act(views, rng)
        self.seconds += time.process_time() - start
        self.decisions += int(np.count_nonzero(views.action_mask.sum(axis=1) > 1))
        return actions


class Results:
    """What has been measured, in a JSON file: margins by pair, time by policy."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.data: dict[str, Any] = {"seed": seed, "block": BLOCK, "margins": {}, "time": {}}
        if path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            if (kept["seed"], kept["block"]) != (seed, BLOCK):
                raise SystemExit(f"{path} has other deals: its seed is {kept['seed']}")
            self.data = kept

    def margins(self, policy: str, other: str) -> list[float]:
        """By deal, in points that ``policy`` won by."""
        first, second = sorted((policy, other))
        margins = self.data["margins"].get(f"{first} {second}", [])
        return margins if policy == first else [-margin for margin in margins]

    def milliseconds(self, policy: str) -> float:
        """CPU time a decision."""
        seconds, decisions = self.data["time"].get(policy, (0.0, 0))
        return 1e3 * seconds / max(decisions, 1)

    def add_block(self, policy: str, other: str, num_deals: int) -> int:
        """Play the next deals of a pair, save, and return how many were played."""
        first, second = sorted((policy, other))
        margins = self.data["margins"].setdefault(f"{first} {second}", [])
        block, within = divmod(len(margins), BLOCK)
        if within:  # the last block was a part of one: play it again, whole
            del margins[-within:]
        count = min(BLOCK, num_deals - BLOCK * block)
        players = [Timed(make_policy(name)) for name in (first, second)]
        compared = compare(*players, count, self.data["seed"] + block)
        margins += compared.margins.tolist()
        for name, player in zip((first, second), players, strict=True):
            kept = self.data["time"].get(name, (0.0, 0))
            self.data["time"][name] = (kept[0] + player.seconds, kept[1] + player.decisions)
        self._save()
        return count - within

    def _save(self) -> None:
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(self.data), encoding="utf-8")
        partial.replace(self.path)


def cell(margins: list[float]) -> str:
    """Mean and half the width of the 95% interval."""
    if len(margins) < 2:
        return ""
    compared = Comparison(np.array(margins))
    low, high = compared.interval()
    return f"{compared.mean:+.1f} ± {(high - low) / 2:.1f}"


def share(results: Results, policy: str) -> str:
    """How far ``policy`` has come from the floor to the ceiling, by its margin over the floor."""
    if policy == FLOOR:
        return "0%"
    whole = results.margins(CEILING, FLOOR)
    own = results.margins(policy, FLOOR)
    return f"{np.mean(own) / np.mean(whole):.0%}" if whole and own else ""


def table(results: Results, policies: list[str]) -> str:
    """Rows won by so much over columns."""
    head = ["points a round over", *policies, "CPU ms a decision", f"{FLOOR} to {CEILING}"]
    lines = [head, ["---"] * len(head)]
    for policy in policies:
        against = [cell(results.margins(policy, other)) for other in policies]
        time_taken = f"{results.milliseconds(policy):.3g}"
        lines.append([f"`{policy}`", *against, time_taken, share(results, policy)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Measure what is missing and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "policies", nargs="+", metavar="POLICY", help="a name; see docs/policies.md"
    )
    parser.add_argument("--deals", type=int, default=1000, help="deals a pair; %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="of the first deals; %(default)s")
    parser.add_argument(
        "--pair",
        nargs=3,
        action="append",
        default=[],
        metavar=("POLICY", "OTHER", "DEALS"),
        help="give one pair its own number of deals, 0 to leave it out; may be given again",
    )
    parser.add_argument("--results", type=Path, default=Path("policy_table.json"))
    arguments = parser.parse_args()

    own_numbers = {frozenset(pair[:2]): int(pair[2]) for pair in arguments.pair}
    numbers = {
        pair: own_numbers.get(frozenset(pair), arguments.deals)
        for pair in combinations(arguments.policies, 2)
    }
    if any(number == 1 or number < 0 for number in numbers.values()):
        parser.error("a pair needs at least 2 deals, or 0 to be left out")
    for name in arguments.policies:
        try:
            make_policy(name)
        except ValueError as error:
            parser.error(str(error))

    for name in arguments.policies:  # compile before anything is timed
        compare(name, "random", 2, seed=0)
    results = Results(arguments.results, arguments.seed)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        for (policy, other), number in numbers.items():
            done = min(len(results.margins(policy, other)), number)
            task = progress.add_task(f"{policy} against {other}", total=number, completed=done)
            while done < number:
                done += results.add_block(policy, other, number)
                progress.update(task, completed=done)
    print(table(results, arguments.policies))


if __name__ == "__main__":
    main()
