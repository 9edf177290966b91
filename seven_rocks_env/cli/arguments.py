"""What the commands share: mistakes told in one line, numbers checked, deals read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from seven_rocks_env import deals
from seven_rocks_env.record import RecordError

STANDARD_INPUT = "-"


class CommandError(Exception):
    """A mistake in the arguments, or in a file that they name, in words for the user."""


class Parser(argparse.ArgumentParser):
    """A parser that takes whole names only and tells a mistake in one line."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(allow_abbrev=False, **keywords)
        self.set_defaults(prog=self.prog)

    def error(self, message: str) -> NoReturn:
        """End the process with status 2."""
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")


def integer_from(low: int) -> Callable[[str], int]:
    """A type of argument: integers of at least ``low``."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low:
            raise argparse.ArgumentTypeError(f"must be an integer of at least {low}, got {text!r}")
        return number

    return read


def positive_number(text: str) -> float:
    """A type of argument: numbers above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise argparse.ArgumentTypeError(f"must be a number above 0, got {text!r}")
    return number


def read_deals(name: str) -> list[deals.Deal]:
    """The deals in the file ``name``, or for ``-`` in standard input.

    Raises:
        CommandError: If it cannot be read, or holds no deals.
    """
    try:
        text = sys.stdin.read() if name == STANDARD_INPUT else Path(name).read_text("utf-8")
        return deals.parse(text)
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CommandError(f"{name} is not text in UTF-8") from None
    except (deals.DealsError, RecordError) as error:
        place = "standard input" if name == STANDARD_INPUT else name
        raise CommandError(f"{place}, {error}") from None
