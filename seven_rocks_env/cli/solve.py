"""``seven-rocks solve``: what deals are worth when all hands lie open."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from statistics import median
from typing import TextIO

from seven_rocks_env.cli.arguments import integer_from, positive_number, read_deals
from seven_rocks_env.cli.progress import DealsProgress
from seven_rocks_env.cli.results import header, open_results, row
from seven_rocks_env.deals import Deal
from seven_rocks_env.solver import Solution, solve
from seven_rocks_env.threads import available_cores


def add_parser(commands: argparse._SubParsersAction) -> None:
    """Add the command to ``commands``."""
    parser = commands.add_parser(
        "solve",
        help="the exact values of deals",
        description="Solve deals with open hands and print a row of CSV each: what partnership 0 "
        "(seats 0 and 2) will net less what partnership 1 will, in points, settlement included, "
        "if everybody plays perfectly, and a best lead.",
    )
    parser.add_argument(
        "deals",
        metavar="DEALS",
        help="a file of deals as `seven-rocks deal` prints them, or the record of a match, whose "
        "rounds are solved from their deals; - is standard input",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="write the rows there; a file left by a run that was stopped is gone on with, any "
        "other is refused",
    )
    parser.add_argument(
        "--actions", action="store_true", help="the value of every lead; takes three times as long"
    )
    parser.add_argument(
        "--max-nodes",
        metavar="N",
        type=integer_from(1),
        help="leave a deal after so many positions, with what was proven by then",
    )
    parser.add_argument(
        "--max-seconds",
        metavar="S",
        type=positive_number,
        help="leave a deal after so many seconds by the clock, likewise",
    )
    parser.add_argument(
        "--threads",
        metavar="N",
        type=integer_from(1),
        default=available_cores(),
        help="deals solved at once; by default one a core (%(default)s)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Solve the deals that are not solved yet, write each row when it is due, and sum up."""
    deals = read_deals(arguments.deals)
    if arguments.output is None:
        print(header(arguments.actions), flush=True)
        return _solve_rest(arguments, deals, 0, None)
    file, done = open_results(arguments.output, arguments.actions, deals)
    with file:
        return _solve_rest(arguments, deals, done, file)


def _solve_rest(
    arguments: argparse.Namespace, deals: Sequence[Deal], done: int, file: TextIO | None
) -> int:
    """Solve the deals after the first ``done``, into ``file`` or standard output."""
    started = time.monotonic()
    times: list[float] = []
    num_exact = 0
    try:
        with (
            DealsProgress(len(deals), done, rows_follow=file is None) as progress,
            closing(_solutions(deals[done:], arguments)) as solutions,
        ):
            for number, (solution, seconds) in enumerate(solutions, start=done + 1):
                line = row(number, deals[number - 1], solution, seconds, arguments.actions)
                print(line, file=file, flush=True)
                times.append(seconds)
                num_exact += solution.exact
                progress.advance()
    except KeyboardInterrupt:
        go_on = "" if file is None else "; the same command goes on from there"
        print(f"stopped after {done + len(times)} of {len(deals)} deals{go_on}", file=sys.stderr)
        raise
    finally:
        if times:
            print(
                f"deals solved: {len(times)}, exactly: {num_exact}; CPU seconds a deal: median "
                f"{median(times):.2f}, most {max(times):.2f}; seconds by the clock: "
                f"{time.monotonic() - started:.1f}",
                file=sys.stderr,
            )
    return 0


def _solutions(
    deals: Sequence[Deal], arguments: argparse.Namespace
) -> Generator[tuple[Solution, float], None, None]:
    """The solutions of ``deals`` in order, each with its CPU time in seconds."""

    def solved(deal: Deal) -> tuple[Solution, float]:
        started = time.thread_time()
        # With a new solver each, so that nodes do not depend on what a thread solved before.
        solution = solve(
            deal.state(),
            actions=arguments.actions,
            max_nodes=arguments.max_nodes,
            max_seconds=arguments.max_seconds,
        )
        return solution, time.thread_time() - started

    # Compile, or load what is compiled, outside of the first deals' time and limits.
    solve(deals[0].state(), max_nodes=1)
    pool = ThreadPoolExecutor(arguments.threads, "seven_rocks")
    try:
        yield from pool.map(solved, deals)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
