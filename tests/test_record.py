import dataclasses
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seven_rocks_env.history import History, HistoryError, Round, replay
from seven_rocks_env.record import DEFAULT_STREAM, RecordError, parse, to_text
from tests.matches import play_match, random_hands

DOCS = (Path(__file__).parents[1] / "docs" / "record.md").read_text("utf-8")
EXAMPLE = next(
    block for block in re.findall(r"```text\n(.*?)```", DOCS, re.DOTALL) if "Round" in block
)

seeds = st.integers(0, 2**32 - 1)


def test_the_example_in_the_documentation_is_a_record_as_it_is_written() -> None:
    assert to_text(parse(EXAMPLE)) == EXAMPLE


def test_a_history_is_written_in_this_way() -> None:
    hands = (0x7F, 0x7F << 7, 0x7F << 14, 0x7F << 21)
    history = History(250, (-20, 5), (1, 2, 3, 2**64 - 1), (Round(hands, 0, (0, 112, 112)),))
    assert to_text(history) == (
        '[SevenRocks "1"]\n'
        '[Target "250"]\n'
        '[Scores "-20 5"]\n'
        '[Stream "0000000000000001 0000000000000002 0000000000000003 ffffffffffffffff"]\n'
        "\n"
        "Round 1\n"
        "Hand 0: 0|0 0|1 0|2 0|3 0|4 0|5 0|6\n"
        "Hand 1: 1|1 1|2 1|3 1|4 1|5 1|6 2|2\n"
        "Hand 2: 2|3 2|4 2|5 2|6 3|3 3|4 3|5\n"
        "Hand 3: 3|6 4|4 4|5 4|6 5|5 5|6 6|6\n"
        "Opener 0\n"
        "\n"
        " 1. 0:0|0             2. 1:pass            3. 2:pass\n"
    )


def assert_round_trip(history: History, seen: list[bytes]) -> None:
    text = to_text(history)
    assert max(map(len, text.splitlines())) <= 88
    read = parse(text)
    assert read == history
    assert to_text(read) == text
    assert [states.tobytes() for states in replay(read)] == seen


@settings(deadline=None, max_examples=20)
@given(seeds, st.integers(0, 500))
def test_a_match_cut_off_anywhere_comes_back_from_its_record(seed: int, length: int) -> None:
    assert_round_trip(*play_match(seed, max_actions=length))


@settings(deadline=None, max_examples=20)
@given(
    seeds,
    st.sets(st.integers(0, 3)),
    st.dictionaries(st.integers(0, 3), st.integers(0, 3)),
    st.tuples(st.integers(-200, 19), st.integers(-200, 19)),
)
def test_a_match_on_given_deals_comes_back_from_its_record(
    seed: int, dealt: set[int], openers: dict[int, int], fives: tuple[int, int]
) -> None:
    rng = np.random.default_rng(seed)
    assert_round_trip(
        *play_match(
            seed,
            target=100,
            scores=(5 * fives[0], 5 * fives[1]),
            deals={number: random_hands(rng) for number in sorted(dealt)},
            openers=openers,
            max_rounds=5,
        )
    )


def test_line_breaks_spaces_and_comments_mean_nothing() -> None:
    crlf = EXAMPLE.replace("\n", "  \r\n")
    assert parse(crlf) == parse(EXAMPLE)
    head, rounds = EXAMPLE.split("\n\n", 1)
    assert parse(f"{head}\n{' '.join(rounds.split())}") == parse(EXAMPLE)
    stretched = head + "\n" + "\n".join(rounds.split())
    assert parse(stretched) == parse(EXAMPLE)
    noted = EXAMPLE.replace("3:4|4@armB +20", "3:4|4@armB{well\nplayed; or not} +20 ; {\n")
    assert parse(noted) == parse(EXAMPLE)


def test_a_record_without_stream_gets_the_documented_one() -> None:
    lines = EXAMPLE.splitlines()
    history = parse("\n".join(lines[:3] + lines[4:]))
    assert history == dataclasses.replace(parse(EXAMPLE), stream=DEFAULT_STREAM)
    stream = " ".join(f"{word:016x}" for word in DEFAULT_STREAM)
    assert f'[Stream "{stream}"]' in DOCS
    assert f'[Stream "{stream}"]' in to_text(history)


def test_tags_after_the_first_come_in_any_order() -> None:
    lines = EXAMPLE.splitlines()
    assert parse("\n".join([lines[0], lines[3], lines[2], lines[1], *lines[4:]])) == parse(EXAMPLE)


def test_a_record_of_tags_alone_is_a_match_without_rounds() -> None:
    assert parse('[SevenRocks "1"] [Target "45"] [Scores "0 -5"]') == History(
        45, (0, -5), DEFAULT_STREAM, ()
    )


@pytest.mark.parametrize("last_line", [11, 12, 13, 18, 27, 34, 35])
def test_a_record_may_stop_after_any_deal_move_and_round(last_line: int) -> None:
    text = "\n".join(EXAMPLE.splitlines()[:last_line])
    history = parse(text)
    assert to_text(history).split() == text.split()


# Text of the example, what it is replaced by, and the fault: line, round, move, reason.
FAULTS = [
    ('[SevenRocks "1"]', "", 2, None, None, 'a record begins with [SevenRocks "1"], not'),
    ('[SevenRocks "1"]', '[SevenRocks "2"]', 1, None, None, "format '2' is not known"),
    ('[Target "45"]', '[Goal "45"]', 2, None, None, "tag Goal is not known; the tags are Seven"),
    ('[Target "45"]', "[Target 45]", 2, None, None, "'[Target 45]' is no tag"),
    ('[Target "45"]', '[SevenRocks "1"]', 2, None, None, "tag SevenRocks is there twice"),
    ('[Target "45"]', "", 4, None, None, "tag Target is missing"),
    ('[Target "45"]', '[Target "x"]', 2, None, None, "Target must be one number, got 'x'"),
    ('[Target "45"]', '[Target "44"]', 2, None, None, "multiple of five, got 44"),
    ('[Target "45"]', '[Target "640"]', 2, None, None, "from 5 to 635, got 640"),
    ('[Scores "0 0"]', '[Scores "0"]', 3, None, None, "Scores must be 2 numbers, got '0'"),
    ('[Scores "0 0"]', '[Scores "0 1"]', 3, None, None, "multiples of five"),
    ('[Scores "0 0"]', '[Scores "45 0"]', 3, None, None, "below the target of 45"),
    ("f6323dfa", "F6323DFA", 4, None, None, "four words of 16 hexadecimal digits"),
    (
        "f6323dfa279193f0 c7193daacc71e931 3859e7ab678a3aed 7c697755a19d2cfb",
        " ".join(["0" * 16] * 4),
        4,
        None,
        None,
        "not all zero",
    ),
    ("Round 1", "Round 2", 6, None, None, "expected 'Round 1', found '2' in place of '1'"),
    ("Round 1", "Game 1", 6, None, None, "expected 'Round 1', found 'Game'"),
    ("Round 1", "{ Round 1", 6, None, None, "comment that has no other end"),
    ("Round 1", "Round 1 }", 6, None, None, "comment that has no other end"),
    ("Hand 1: 0|2", "Hand 2: 0|2", 8, 1, None, "expected 'Hand 1:', found '2:'"),
    ("Hand 1: 0|2", "Hand 1:", 9, 1, None, "'Hand' is no tile"),
    ("Hand 1: 0|2", "Hand 1: 2|0", 8, 1, None, "the low half first"),
    ("Hand 1: 0|2", "Hand 1: 0|7", 8, 1, None, "'0|7' is no tile"),
    ("Hand 1: 0|2", "Hand 1: 0|5", 8, 1, None, "seat 1 is dealt 0|5 twice"),
    ("Hand 3: 0|0", "Hand 3: 0|2", 11, 1, None, "[0|2] is dealt twice"),
    ("Opener 2\n\n 1. 2:0|3 ", "Opener 4\n\n 1. 2:0|3 ", 11, 1, None, "from 0 to 3, found '4'"),
    ("Opener 2\n\n 1. 2:1|4 ", "Opener 0\n\n 1. 0:0|0 ", 33, 2, None, "seat 2 dominoed and has"),
    ("10. 3:4|4", "11. 3:4|4", 15, 1, 10, "expected '10.', found '11.'"),
    (" 5. 2:2|5", " 5. 3:2|5", 14, 1, 5, "it is the turn of seat 2, not of seat 3"),
    (" 5. 2:2|5", " 5. 2-2|5", 14, 1, 5, "'2-2|5@lineA' is no move"),
    (" 5. 2:2|5", " 5. 2:5|2", 14, 1, 5, "'5|2' is no tile"),
    (" 5. 2:2|5@lineA", " 5. 2:2|5", 14, 1, 5, "@armA, @armB, found none"),
    (" 5. 2:2|5@lineA", " 5. 2:2|5@low", 14, 1, 5, "@lineA, @lineB, @armA, @armB, found @low"),
    (" 2. 3:1|3@high", " 2. 3:1|3@lineA", 13, 1, 2, "@low, @high, found @lineA"),
    (" 1. 2:0|3 ", " 1. 2:0|3@low ", 13, 1, 1, "the lead has no site: write it 2:0|3"),
    (
        " 5. 2:2|5@lineA",
        " 5. 2:2|5@lineB",
        14,
        1,
        5,
        "seat 2 may not play [2|5] at line side B (action 65); legal: ",
    ),
    (" 5. 2:2|5@lineA", " 5. 2:1|4@armA", 14, 1, 5, "may not play [1|4] at side arm A"),
    (" 5. 2:2|5@lineA", " 5. 2:pass", 14, 1, 5, "seat 2 may not play a pass"),
    ("22. 3:pass", "22. 3:0|0@lineB", 18, 1, 22, "may not play [0|0] at line side B"),
    ("armB +20", "armB +15", 15, 1, 10, "the end sum 20 credits +20, found +15"),
    ("armB +20", "armB", 15, 1, 10, "the end sum 20 credits +20, found nothing"),
    ("2:2|5@lineA", "2:2|5@lineA +5", 14, 1, 5, "credits nothing, found +5"),
    ("22. 3:pass", "22. 3:pass +0", 18, 1, 22, "a pass credits nothing, found +0"),
    ("Domino by 2", "Domino by 1", 21, 1, None, "expected 'Domino by 2', found '1'"),
    ("Domino by 2", "Blocked", 21, 1, None, "expected 'Domino by 2', found 'Blocked'"),
    ("Domino by 2", "26. 3:pass\nDomino by 2", 21, 1, 26, "the round is over"),
    (
        "25. 2:1|2@lineA +15\n\nDomino by 2",
        "Domino by 2",
        19,
        1,
        None,
        "the round is not over: expected move 25. or the end of the record, found 'Domino'",
    ),
    ("3|4 (7) -5", "3|4 (7) -10", 22, 1, None, "expected 'Left 0: 3|4 (7) -5', found '-10'"),
    ("3|4 (7) -5", "3|4 (8) -5", 22, 1, None, "found '(8)' in place of '(7)'"),
    ("Left 1: 2|3", "Left 1: 2|2", 23, 1, None, "found '2|2' in place of '2|3'"),
    ("Scores 35 10", "Scores 35 15", 26, 1, None, "expected 'Scores 35 10', found '15'"),
    ("Scores 35 10", "", 28, 1, None, "expected 'Scores 35 10', found 'Round'"),
    ("Round 2", "Round 3", 28, None, None, "expected 'Round 2', found '3'"),
    ("Won by 0&2", "Won by 1&3", 38, 2, None, "expected 'Won by 0&2', found '1&3'"),
    ("Won by 0&2", "Domino by 2", 38, 2, None, "expected 'Won by 0&2', found 'Domino'"),
    ("Scores 45 10", "", 38, 2, None, "'Scores 45 10', found the end of the record"),
    ("Scores 45 10", "Scores 45 10\nRound 3", 40, 3, None, "expected 'Hand 0:', found the end"),
]


@pytest.mark.parametrize(("old", "new", "line", "round_number", "move", "reason"), FAULTS)
def test_a_false_record_is_refused_with_line_move_and_reason(
    old: str, new: str, line: int, round_number: int | None, move: int | None, reason: str
) -> None:
    assert EXAMPLE.count(old) == 1
    with pytest.raises(RecordError) as caught:
        parse(EXAMPLE.replace(old, new))
    error = caught.value
    assert reason in error.reason
    assert (error.line, error.round, error.move) == (line, round_number, move)
    assert isinstance(error, ValueError)
    assert str(error).startswith(f"line {line}")
    assert str(error).endswith(error.reason)
    assert ("move" in str(error).partition(":")[0]) == (move is not None)


def test_a_round_after_a_match_was_won_is_refused() -> None:
    third = EXAMPLE[EXAMPLE.index("Round 2") : EXAMPLE.index("\n 1. 2:1|4")]
    with pytest.raises(RecordError, match="line 45, round 3: the match has been won"):
        parse(EXAMPLE + third.replace("Round 2", "Round 3"))


@pytest.mark.parametrize("text", ["", "\n\n", "; nothing", "1. e4 e5"])
def test_a_text_that_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match="line 1: tag SevenRocks is missing"):
        parse(text)


def test_a_history_against_the_rules_is_not_written() -> None:
    history = parse(EXAMPLE)
    first = dataclasses.replace(history.rounds[0], actions=(0,))
    with pytest.raises(HistoryError, match="round 1, move 1: seat 2 may not play"):
        to_text(dataclasses.replace(history, rounds=(first,)))


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_a_damaged_record_is_read_or_refused_but_never_anything_else(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(EXAMPLE)))
    stop = data.draw(st.integers(start, min(start + 12, len(EXAMPLE))))
    pieces = st.text('[]{};"|:.@+-()0123456789 \n', max_size=4) | st.sampled_from(EXAMPLE.split())
    damaged = EXAMPLE[:start] + data.draw(pieces) + EXAMPLE[stop:]
    history = None
    with suppress(RecordError):
        history = parse(damaged)
    if history is not None:
        assert parse(to_text(history)) == history
