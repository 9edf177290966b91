"""``seven-rocks deal``: draw deals."""

from __future__ import annotations

import argparse

import numpy as np

from seven_rocks_env import deals
from seven_rocks_env.cli.arguments import integer_from


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command to ``commands``."""
    parser = commands.add_parser(
        "deal",
        help="draw deals",
        description="Print deals, a line each: the opener and the hands of seats 0 to 3. They are "
        "the first deals of the games of seven_rocks_env.Batch(N, seed=SEED).",
    )
    parser.add_argument("count", metavar="N", type=integer_from(1), help="how many")
    parser.add_argument(
        "--seed", type=integer_from(0), help="the same deals at every call; by default others"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the deals below a comment that says how to get them again."""
    seed = arguments.seed
    if seed is None:
        seed = int(np.random.default_rng().integers(2**63))
    print(f"{deals.COMMENT} seven-rocks deal {arguments.count} --seed {seed}")
    for deal in deals.draw(arguments.count, seed):
        print(deals.to_text(deal))
    return 0
