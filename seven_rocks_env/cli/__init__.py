"""The command line, ``seven-rocks COMMAND``: a file a command, each with ``add_parser``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from seven_rocks_env.cli import deal, solve
from seven_rocks_env.cli.arguments import CommandError, Parser

PROGRAM = "seven-rocks"

# What a shell reports of a program that a signal has ended.
INTERRUPTED = 130
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` name, by default those of the process.

    Returns:
        The exit status: 2 after a mistake in the arguments or in a file that they name, 1 after
        another error of the system's, each told in one line; 130 after Ctrl-C; 141 if nobody reads
        on.

    Raises:
        SystemExit: After help, and after a mistake that the parser finds.
    """
    parser = Parser(prog=PROGRAM, description="Deals of Seven Rocks, and what they are worth.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (deal, solve):
        command.add_parser(commands)
    parsed = parser.parse_args(arguments)
    try:
        status = int(parsed.run(parsed))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return BROKEN_PIPE
    except CommandError as error:
        return _failed(parsed.prog, str(error), 2)
    except OSError as error:
        return _failed(parsed.prog, str(error), 1)
    return status


def _failed(program: str, problem: str, status: int) -> int:
    print(f"{program}: error: {problem}", file=sys.stderr)
    return status


def run() -> None:
    """The console script: ``main``, and the end of the process."""
    status = main()
    if status in (INTERRUPTED, BROKEN_PIPE):
        # Threads are still at their deals, and Python would wait for them.
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)
