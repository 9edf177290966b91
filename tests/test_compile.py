"""The decorator that compiles: changed rules are played at once, and random words wrap around."""

import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import seven_rocks_env
from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from tests.games import needs_compiler

PACKAGE = Path(seven_rocks_env.__file__).parent

# What [0|1] and [6|6] cost at the end of a round, and how much came from the cache. The costs are
# worked out in state.py from pips that are counted in tiles.py.
SCRIPT = """
from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
print(rules.hand_deduction(1 << 1), rules.hand_deduction(1 << 27))
print(sum(rules.hand_deduction.stats.cache_hits.values()))
"""


def printed_in(folder: Path) -> list[list[int]]:
    """What ``SCRIPT`` prints with the package in ``folder``, in a process of its own."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")
    }
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [list(map(int, line.split())) for line in run.stdout.splitlines()]


@needs_compiler
def test_editing_a_function_reaches_its_callers_in_other_files(tmp_path: Path) -> None:
    package = tmp_path / "seven_rocks_env"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(PACKAGE / "_compile.py", package)
    shutil.copytree(PACKAGE / "rules", package / "rules", ignore=lambda *_: ["__pycache__"])
    assert printed_in(tmp_path) == [[0, 10], [0]]
    assert printed_in(tmp_path) == [[0, 10], [1]], "the second process compiles nothing"

    tiles = package / "rules" / "tiles.py"
    source = tiles.read_text(encoding="utf-8")
    assert source.count("pips += PIPS[lowest_bit(hand)]") == 1
    tiles.write_text(
        source.replace("pips += PIPS[lowest_bit(hand)]", "pips += 3 * PIPS[lowest_bit(hand)]"),
        "utf-8",
    )
    assert printed_in(tmp_path) == [[5, 35], [0]]


@needs_compiler
def test_a_compiled_function_of_somebody_else_is_noticed_when_edited(tmp_path: Path) -> None:
    user = tmp_path / "user.py"
    source = (
        "from seven_rocks_env._compile import compiled\n"
        "@compiled\n"
        "def more(number):\n"
        "    return number + 1\n"
        "print(more(1), sum(more.stats.cache_hits.values()))\n"
    )
    printed = []
    for text in (source, source, source.replace("+ 1", "+ 50")):
        if not user.exists() or user.read_text("utf-8") != text:
            user.write_text(text, "utf-8")
        run = subprocess.run(
            [sys.executable, str(user)], capture_output=True, text=True, check=True
        )
        printed.append(run.stdout.split())
    assert printed == [["2", "0"], ["2", "1"], ["51", "0"]]


def test_random_words_wrap_around_without_a_warning_whether_compiled_or_not() -> None:
    stream = np.array([2**64 - 1, 0, 0, 1], np.uint64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        word = rules.next_word(stream)

    # The sum of the first and the last word is zero, all but its 65th bit.
    assert int(word) == 2**64 - 1


@needs_compiler
def test_without_a_place_for_the_cache_it_compiles_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*args: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    def seven() -> int:
        return 7

    monkeypatch.setattr("numba.core.caching.CacheImpl.__init__", refuse)
    function = compiled(seven)

    assert function() == 7
    assert function.stats.cache_path is None
