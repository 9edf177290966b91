"""The results of ``seven-rocks solve``: rows of CSV, and the file in which they are kept."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from seven_rocks_env import rules
from seven_rocks_env.cli.arguments import CommandError
from seven_rocks_env.deals import Deal, hands_text
from seven_rocks_env.notation import tile_text
from seven_rocks_env.solver import Solution

COLUMNS = ("deal", "opener", "value", "lead", "exact", "low", "high", "nodes", "cpu_seconds")
LEADS = "leads"
HANDS = "hands"


def header(actions: bool) -> str:
    """The first line, without its line break; with ``actions`` there are values of leads."""
    return ",".join((*COLUMNS, *([LEADS] if actions else []), HANDS))


def row(number: int, deal: Deal, solution: Solution, seconds: float, actions: bool) -> str:
    """The line of deal ``number``, without its line break. What is not known stays empty."""
    lead = solution.best_action
    cells = [
        number,
        deal.opener,
        "" if solution.value is None else solution.value,
        "" if lead is None else _tile(lead),
        "true" if solution.exact else "false",
        *solution.bounds,
        solution.nodes,
        f"{seconds:.3f}",
    ]
    if actions:
        cells.append(" ".join(f"{_tile(a)}={v}" for a, v in solution.action_values.items()))
    cells.append(hands_text(deal.hands))
    return ",".join(map(str, cells))


def _tile(lead: int) -> str:
    return tile_text(lead // rules.NUM_SITES)


def open_results(name: str, actions: bool, deals: Sequence[Deal]) -> tuple[TextIO, int]:
    """The file ``name`` ready for the next row, and how many rows it holds.

    A file that is there already must begin with results of ``deals`` and lack some; what follows
    its last whole row is cut off.

    Raises:
        CommandError: If it is anything else, or cannot be written; then it is as it was.
    """
    path = Path(name)
    try:
        if not path.exists():
            file = path.open("x", encoding="utf-8", newline="\n")
            print(header(actions), file=file, flush=True)
            return file, 0
        if not path.is_file():  # a device may never end
            raise CommandError(f"{name} is no regular file; give another --output")
        content = path.read_bytes()
        content = content[: content.rfind(b"\n") + 1]
        done = _rows_done(name, content, actions, deals)
        file = path.open("r+", encoding="utf-8", newline="\n")
        file.truncate(len(content))
        file.seek(0, io.SEEK_END)
        return file, done
    except OSError as error:
        raise CommandError(f"cannot write {name}: {error.strerror}") from None


def _rows_done(name: str, content: bytes, actions: bool, deals: Sequence[Deal]) -> int:
    first, *rows = content.decode("utf-8", "replace").splitlines() or [""]
    columns = header(actions)
    wanted = [[str(n), str(deal.opener), hands_text(deal.hands)] for n, deal in enumerate(deals, 1)]
    names = columns.split(",")
    found = [
        [cells[0], cells[1], cells[-1]] if len(cells) == len(names) else cells
        for cells in (line.split(",") for line in rows)
    ]
    if first != columns or found != wanted[: len(found)]:
        raise CommandError(
            f"{name} is there already and does not hold results of these deals with these columns; "
            "give another --output"
        )
    if len(found) == len(wanted):
        raise CommandError(f"{name} is there already and complete; give another --output")
    return len(found)
