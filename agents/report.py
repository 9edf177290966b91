"""The table at the end of a run: what the trained partnership wins, on deals kept back for it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from seven_rocks_agents.config import EvaluationConfig
from seven_rocks_agents.workers import Workers
from seven_rocks_env.evaluation import compare
from seven_rocks_env.policies import Policy, make_policy

OPPONENTS = ("random", "greedy", "expert")
REPORT = "evaluation.json"


@dataclass(frozen=True)
class Result:
    """What the partnership won against one opponent.

    Attributes:
        opponent: Name of the policy that played both seats of the other partnership.
        margin: Mean margin, points a round.
        low: Lower end of its 95% confidence interval.
        high: Upper end.
        deals: Deals, each played twice with the partnerships swapped.
        seed: Seed of the deals.
    """

    opponent: str
    margin: float
    low: float
    high: float
    deals: int
    seed: int


def evaluate(policy: Policy, config: EvaluationConfig, workers: Workers) -> list[Result]:
    """Play ``policy`` against each of ``OPPONENTS`` on the deals kept back for the report."""

    def against(opponent: str) -> Result:
        comparison = compare(
            policy, make_policy(opponent), config.final_num_deals, config.final_seed
        )
        return Result(
            opponent,
            comparison.mean,
            *comparison.interval(),
            config.final_num_deals,
            config.final_seed,
        )

    return workers.map(against, OPPONENTS)


def as_table(results: list[Result]) -> Table:
    """``results`` for the terminal."""
    table = Table(title="The trained partnership, most likely actions")
    table.add_column("against")
    table.add_column("points a round", justify="right")
    table.add_column("95% interval", justify="right")
    table.add_column("deals, each played twice", justify="right")
    for result in results:
        table.add_row(
            result.opponent,
            f"{result.margin:+.2f}",
            f"{result.low:+.2f} .. {result.high:+.2f}",
            str(result.deals),
        )
    return table


def write_report(results: list[Result], run_folder: Path, steps: int, minutes: float) -> Path:
    """Write ``results`` as JSON, with the decisions and minutes of training; return the file."""
    path = run_folder / REPORT
    content = {
        "steps": steps,
        "training_minutes": minutes,
        "results": [asdict(result) for result in results],
    }
    path.write_text(json.dumps(content, indent=2) + "\n")
    return path
