"""The command line: deals drawn, solved, kept in files, and mistakes told in one line."""

import csv
import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seven_rocks_env.cli import main, results
from seven_rocks_env.cli.progress import DealsProgress
from seven_rocks_env.deals import Deal, parse, to_text
from seven_rocks_env.solver import solve
from tests.games import needs_compiler
from tests.test_record import EXAMPLE

pytestmark = needs_compiler

DEALS = """\
# seven-rocks deal 3 --seed 1
2: 0|3 0|5 1|4 2|3 2|5 3|6 6|6 / 0|2 1|1 1|2 1|3 1|6 3|3 4|5 / 0|0 0|4 0|6 1|5 2|2 3|4 4|6 / 0|1 2|4 2|6 3|5 4|4 5|5 5|6
3: 0|5 1|1 1|2 1|3 1|6 3|5 4|5 / 0|1 2|3 2|4 2|6 4|6 5|5 6|6 / 0|2 0|3 0|6 2|5 3|3 4|4 5|6 / 0|0 0|4 1|4 1|5 2|2 3|4 3|6
1: 0|5 1|4 1|6 3|4 3|5 5|5 6|6 / 0|0 0|3 1|5 2|5 3|3 3|6 4|4 / 0|1 1|2 2|3 2|6 4|5 4|6 5|6 / 0|2 0|4 0|6 1|1 1|3 2|2 2|4
"""  # noqa: E501
FIRST, SECOND, THIRD = parse(DEALS)
COMMAND = str(Path(sys.executable).with_name("seven-rocks"))
QUICK = ("--max-nodes", "2000")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "deals.txt"
    path.write_text(DEALS)
    return str(path)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def untimed(text: str) -> list[dict[str, str]]:
    """Rows but for their times, which differ."""
    return [{**row, "cpu_seconds": ""} for row in rows(text)]


def status_of(*arguments: str) -> int:
    """The exit status, whether the parser ends the process or the command returns."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return int(str(ended.code))


def test_the_deals_of_a_seed_are_printed_below_the_command_that_gives_them(capsys: Capture) -> None:
    assert main(["deal", "3", "--seed", "1"]) == 0
    assert capsys.readouterr().out == DEALS


def test_deals_without_a_seed_come_with_one_that_gives_them_again(capsys: Capture) -> None:
    main(["deal", "2"])
    printed = capsys.readouterr().out
    words = printed.splitlines()[0].split()
    assert words[:4] == ["#", "seven-rocks", "deal", "2"]
    main(words[2:])
    assert capsys.readouterr().out == printed


def test_a_row_says_what_the_deal_is_worth(file: str, capsys: Capture) -> None:
    assert main(["solve", file]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0] == (
        "deal,opener,value,lead,exact,low,high,nodes,cpu_seconds,hands"
    )
    names = ("deal", "opener", "value", "lead", "exact", "low", "high")
    assert [tuple(row[name] for name in names) for row in rows(printed.out)] == [
        ("1", "2", "-5", "4|6", "true", "-5", "-5"),
        ("2", "3", "5", "0|0", "true", "5", "5"),
        ("3", "1", "-25", "3|3", "true", "-25", "-25"),
    ]
    assert [row["hands"] for row in rows(printed.out)] == [
        line.partition(": ")[2] for line in DEALS.splitlines()[1:]
    ]
    assert all(int(row["nodes"]) > 0 and float(row["cpu_seconds"]) > 0 for row in rows(printed.out))
    assert printed.err.startswith("deals solved: 3, exactly: 3; CPU seconds a deal: median ")
    assert printed.err.count("\n") == 1, "no progress where standard error is no terminal"


def test_rows_do_not_depend_on_the_threads(file: str, capsys: Capture) -> None:
    found = []
    for threads in ("1", "2", "5"):
        main(["solve", file, "--max-nodes", "100000", "--threads", threads])
        found.append(untimed(capsys.readouterr().out))
    assert found[0] == found[1] == found[2]


def test_a_row_agrees_with_the_solver_and_with_the_deal_seen_from_the_next_seat(
    tmp_path: Path, capsys: Capture
) -> None:
    solution = solve(SECOND.state(), actions=False)
    turned = Deal((*SECOND.hands[3:], *SECOND.hands[:3]), (SECOND.opener + 1) % 4)
    path = tmp_path / "turned.txt"
    path.write_text(to_text(turned))
    main(["solve", str(path)])
    (row,) = rows(capsys.readouterr().out)
    assert (int(row["value"]), row["lead"]) == (-solution.value, "0|0")
    assert solution.best_action == 0


def test_with_actions_every_lead_has_its_value(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(to_text(FIRST)))
    assert main(["solve", "-", "--actions"]) == 0
    (row,) = rows(capsys.readouterr().out)
    assert row["leads"] == "0|0=-5 0|4=-20 0|6=-10 1|5=-20 2|2=-25 3|4=-5 4|6=-5"
    assert (row["value"], row["lead"]) == ("-5", "4|6")


def test_a_deal_left_at_a_limit_has_bounds_and_no_value(file: str, capsys: Capture) -> None:
    assert main(["solve", file, *QUICK]) == 0
    printed = capsys.readouterr()
    for row, value in zip(rows(printed.out), (-5, 5, -25), strict=True):
        assert (row["exact"], row["value"], row["lead"]) == ("false", "", "")
        assert int(row["low"]) <= value <= int(row["high"])
        assert int(row["nodes"]) >= 2000
    assert "deals solved: 3, exactly: 0;" in printed.err

    assert main(["solve", file, "--max-seconds", "1e-9"]) == 0
    assert [row["exact"] for row in rows(capsys.readouterr().out)] == ["false"] * 3


def test_the_rounds_of_a_record_are_solved_from_their_deals(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "match.txt"
    path.write_text(EXAMPLE)
    main(["solve", str(path), *QUICK])
    found = rows(capsys.readouterr().out)
    assert [row["hands"] for row in found] == [
        to_text(deal).partition(": ")[2] for deal in parse(EXAMPLE)
    ]
    assert [row["opener"] for row in found] == ["2", "2"]


def test_results_go_to_a_file_and_are_never_overwritten(
    file: str, tmp_path: Path, capsys: Capture
) -> None:
    output = tmp_path / "values.csv"
    command = ["solve", file, "--output", str(output), *QUICK]
    assert main(command) == 0
    assert capsys.readouterr().out == ""
    assert [row["deal"] for row in rows(output.read_text())] == ["1", "2", "3"]

    before = output.read_bytes()
    assert main(command) == 2
    assert capsys.readouterr().err.endswith(
        "values.csv is there already and complete; give another --output\n"
    )
    assert output.read_bytes() == before


@pytest.mark.parametrize("lost", [1, 30, 170, 400])
def test_a_run_that_was_cut_off_is_gone_on_with_after_its_last_whole_row(
    file: str, tmp_path: Path, capsys: Capture, lost: int
) -> None:
    output = tmp_path / "values.csv"
    command = ["solve", file, "--output", str(output), *QUICK]
    main(command)
    whole = output.read_text()
    kept = whole[:-lost]
    output.write_text(kept)
    num_kept = max(kept.count("\n") - 1, 0)
    capsys.readouterr()

    assert main(command) == 0
    assert untimed(output.read_text()) == untimed(whole)
    assert output.read_text().splitlines()[: num_kept + 1] == whole.splitlines()[: num_kept + 1]
    assert f"deals solved: {3 - num_kept}," in capsys.readouterr().err


HEADER = results.header(actions=False)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a diary\n",
        b"\xff\xfe\x00\n",
        HEADER.encode(),
        f"{results.header(actions=True)}\n".encode(),
        f"{HEADER}\n1,2,-5,4|6,true,-5,-5,9,0.1,{to_text(SECOND)[3:]}\n".encode(),
        f"{HEADER}\n1,3,-5,4|6,true,-5,-5,9,0.1,{to_text(FIRST)[3:]}\n".encode(),
        f"{HEADER}\n2,3,5,0|0,true,5,5,9,0.1,{to_text(SECOND)[3:]}\n".encode(),
        f"{HEADER}\n1,2\n".encode(),
        f"{HEADER}\n\n".encode(),
    ],
)
def test_a_file_with_anything_else_is_refused_and_stays_as_it_is(
    file: str, tmp_path: Path, capsys: Capture, content: bytes
) -> None:
    output = tmp_path / "values.csv"
    output.write_bytes(content)
    assert main(["solve", file, "--output", str(output), *QUICK]) == 2
    assert "does not hold results of these deals with these columns" in capsys.readouterr().err
    assert output.read_bytes() == content


@pytest.mark.parametrize("name", [".", "/dev/zero"])
def test_what_is_no_file_is_no_output(file: str, capsys: Capture, name: str) -> None:
    assert main(["solve", file, "--output", name, *QUICK]) == 2
    assert f"{name} is no regular file; give another --output" in capsys.readouterr().err


def test_ctrl_c_keeps_the_rows_and_says_so(
    file: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: DealsProgress) -> None:
        raise KeyboardInterrupt

    output = tmp_path / "values.csv"
    command = ["solve", file, "--output", str(output), *QUICK]
    with monkeypatch.context() as patch:
        patch.setattr(DealsProgress, "advance", interrupt)
        assert main(command) == 130
    assert [row["deal"] for row in rows(output.read_text())] == ["1"]
    assert "stopped after 1 of 3 deals; the same command goes on" in capsys.readouterr().err
    assert main(command) == 0
    assert [row["deal"] for row in rows(output.read_text())] == ["1", "2", "3"]


def test_the_installed_command_stops_at_ctrl_c_with_whole_rows(tmp_path: Path) -> None:
    deals = tmp_path / "deals.txt"
    deals.write_bytes(subprocess.check_output([COMMAND, "deal", "100", "--seed", "2"]))
    output = tmp_path / "values.csv"
    process = subprocess.Popen(
        [COMMAND, "solve", str(deals), "--output", str(output)],
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background of a shell would leave it deaf to Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (output.exists() and output.read_text().count("\n") > 1):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)

    assert process.returncode == 130
    found = output.read_text()
    assert found.endswith("\n")
    assert 1 <= len(rows(found)) < 100
    assert f"stopped after {len(rows(found))} of 100 deals" in errors
    assert "Traceback" not in errors


def test_a_malformed_file_is_refused_whole(file: str, tmp_path: Path, capsys: Capture) -> None:
    Path(file).write_text(DEALS + "2: 0|0\n")
    output = tmp_path / "values.csv"
    assert main(["solve", file, "--output", str(output)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        f"seven-rocks solve: error: {file}, line 5: "
        "a deal is OPENER: HAND / HAND / HAND / HAND, with four hands, found 1\n"
    )
    assert not output.exists()


MISTAKES = [
    ([], "seven-rocks: error: the following arguments are required: COMMAND"),
    (["play"], "seven-rocks: error: argument COMMAND: invalid choice: 'play'"),
    (["solve"], "seven-rocks solve: error: the following arguments are required: DEALS"),
    (["solve", "nowhere"], "seven-rocks solve: error: cannot read nowhere: No such file"),
    (["solve", "."], "seven-rocks solve: error: cannot read .: Is a directory"),
    (["solve", "-"], "seven-rocks solve: error: standard input, line 1: there is no deal"),
    (["solve", "-", "--act"], "seven-rocks: error: unrecognized arguments: --act"),
    (["solve", "-", "--threads", "0"], "--threads: must be an integer of at least 1, got '0'"),
    (["solve", "-", "--max-nodes", "x"], "--max-nodes: must be an integer of at least 1, got 'x'"),
    (["solve", "-", "--max-seconds", "0"], "--max-seconds: must be a number above 0, got '0'"),
    (["solve", "-", "--max-seconds", "nan"], "--max-seconds: must be a number above 0, got 'nan'"),
    (["deal", "0"], "seven-rocks deal: error: argument N: must be an integer of at least 1"),
    (["deal", "1", "--seed", "-1"], "--seed: must be an integer of at least 0, got '-1'"),
]


@pytest.mark.parametrize("arguments, message", MISTAKES)
def test_a_mistake_is_told_in_one_line(
    arguments: list[str], message: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert status_of(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err
    assert printed.err.count("\n") == 1


def test_a_file_that_is_no_text_is_refused(file: str, capsys: Capture) -> None:
    Path(file).write_bytes(b"2: \xff")
    assert main(["solve", file]) == 2
    assert capsys.readouterr().err.endswith("deals.txt is not text in UTF-8\n")


def test_an_output_that_cannot_be_written_is_told_before_anything_is_solved(
    file: str, tmp_path: Path, capsys: Capture
) -> None:
    output = tmp_path / "no" / "values.csv"
    assert main(["solve", file, "--output", str(output)]) == 2
    assert capsys.readouterr().err == (
        f"seven-rocks solve: error: cannot write {output}: No such file or directory\n"
    )


def test_there_is_a_bar_on_a_terminal(
    file: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["solve", file, *QUICK]) == 0
    printed = capsys.readouterr()
    assert len(rows(printed.out)) == 3
    assert "3/3" in printed.err
    assert "a second" in printed.err
