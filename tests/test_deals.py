"""Deals as text: lines of deals, records, and what is wrong with a text that is neither."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seven_rocks_env import Batch, rules
from seven_rocks_env.deals import Deal, DealsError, draw, parse, to_text
from seven_rocks_env.record import RecordError
from tests.matches import random_hands
from tests.test_record import EXAMPLE

LINE = (
    "2: 1|1 2|4 2|6 3|4 3|6 4|5 4|6 / 0|2 0|5 1|6 2|3 3|3 3|5 6|6"
    " / 0|3 0|4 0|6 1|2 1|4 1|5 2|5 / 0|0 0|1 1|3 2|2 4|4 5|5 5|6"
)

deals = st.builds(
    lambda seed, opener: Deal(random_hands(np.random.default_rng(seed)), opener),
    st.integers(0, 2**32 - 1),
    st.integers(0, 3),
)


def test_a_deal_is_written_in_this_way() -> None:
    in_order = Deal((0x7F, 0x7F << 7, 0x7F << 14, 0x7F << 21), 3)
    assert to_text(in_order) == (
        "3: 0|0 0|1 0|2 0|3 0|4 0|5 0|6 / 1|1 1|2 1|3 1|4 1|5 1|6 2|2"
        " / 2|3 2|4 2|5 2|6 3|3 3|4 3|5 / 3|6 4|4 4|5 4|6 5|5 5|6 6|6"
    )


@given(st.lists(deals, min_size=1, max_size=5))
def test_deals_come_back_from_their_text(dealt: list[Deal]) -> None:
    assert parse("\n".join(map(to_text, dealt))) == dealt


@given(deals, st.randoms(use_true_random=False))
def test_the_order_of_the_tiles_in_a_hand_means_nothing(deal: Deal, shuffler) -> None:
    hands = [hand.split() for hand in to_text(deal).partition(":")[2].split("/")]
    for hand in hands:
        shuffler.shuffle(hand)
    assert parse(f"{deal.opener}:" + "/".join(map(" ".join, hands))) == [deal]


def test_spaces_blank_lines_comments_and_a_byte_order_mark_mean_nothing() -> None:
    tight = LINE.replace(" / ", "/").replace(": ", ":").replace(" ", "  ")
    text = f"\ufeff# two deals\r\n\r\n  {tight}  # 1: 0|0\r\n\t\n{LINE}"
    assert parse(text) == parse(f"{LINE}\n{LINE}\n")


def test_the_deals_of_a_record_are_those_of_its_rounds() -> None:
    first, second = parse(EXAMPLE)
    assert to_text(first) == LINE
    assert to_text(second).startswith("2: 0|0 1|2 1|3 2|3 2|4 5|5 6|6 / 0|4 0|5 ")


@pytest.mark.parametrize("comment", ["; by hand\n", "{ by\nhand }\n\n", "\ufeff"])
def test_a_record_may_begin_with_a_comment(comment: str) -> None:
    assert parse(comment + EXAMPLE) == parse(EXAMPLE)


def test_a_deal_is_the_state_before_its_lead() -> None:
    (deal,) = parse(LINE)
    (game,) = deal.state()
    assert tuple(game["hands"]) == deal.hands
    assert (game["seat"], game["opener"], game["phase"]) == (2, 2, rules.PLAYING)
    assert game["layout"] == rules.EMPTY_LAYOUT


def test_deals_are_drawn_as_a_batch_draws_them() -> None:
    games = Batch(5, seed=7).states
    drawn = list(draw(5, 7))
    assert [deal.hands for deal in drawn] == list(map(tuple, games["hands"].tolist()))
    assert [deal.opener for deal in drawn] == games["opener"].tolist()
    assert list(draw(2, 7)) == drawn[:2]


@pytest.mark.parametrize("count, seed, name", [(0, 1, "count"), (1, -1, "seed"), (1.5, 1, "count")])
def test_only_some_deals_are_drawn_from_seeds_from_0(count, seed, name) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        list(draw(count, seed))


FORM = "a deal is OPENER: HAND / HAND / HAND / HAND, "

# Text of the line, what it is replaced by, and the fault.
FAULTS = [
    ("2: ", "", FORM + "found no colon"),
    (": ", " ", FORM + "found no colon"),
    ("2: ", "4: ", "the opener must be a seat from 0 to 3, found '4'"),
    ("2: ", "-1: ", "the opener must be a seat from 0 to 3, found '-1'"),
    ("2: ", ": ", "the opener must be a seat from 0 to 3, found ''"),
    ("2: ", "2: 0: ", "'0:' is no tile"),
    (" / 0|0 0|1 1|3 2|2 4|4 5|5 5|6", "", FORM + "with four hands, found 3"),
    ("/ 0|0", "/ / 0|0", FORM + "with four hands, found 5"),
    ("2|4 2|6", "4|2 2|6", "'4|2' is no tile; tiles are 0|0, 0|1 to 6|6, the low half first"),
    ("2|4 2|6", "2|7 2|6", "'2|7' is no tile"),
    ("2|4 2|6", "2|4,2|6", "'2|4,2|6' is no tile"),
    ("2|4 2|6", "2|4", "the hand of seat 0 must hold 7 tiles, got 6"),
    ("2|3 3|3", "2|4 2|3 3|3", "the hand of seat 1 must hold 7 tiles, got 8"),
    ("0|6 1|2", "", "the hand of seat 2 must hold 7 tiles, got 5"),
    ("0|0 0|1", "0|2 0|1", "every tile must be dealt once, but [0|2] is dealt twice"),
    ("0|0 0|1", "0|1 0|1", "seat 3 is dealt 0|1 twice"),
]


@pytest.mark.parametrize("old, new, reason", FAULTS)
def test_a_line_that_is_no_deal_is_refused_with_its_number(old: str, new: str, reason: str) -> None:
    assert LINE.count(old) == 1
    with pytest.raises(DealsError) as caught:
        parse(f"# deals\n\n{LINE}\n{LINE.replace(old, new)}\n{LINE}\n")
    assert reason in caught.value.reason
    assert caught.value.line == 4
    assert str(caught.value) == f"line 4: {caught.value.reason}"


@pytest.mark.parametrize("text", ["", "\n \n", "# 2: 0|0", EXAMPLE[: EXAMPLE.index("Round 1")]])
def test_a_text_without_a_deal_is_refused(text: str) -> None:
    with pytest.raises(DealsError, match="there is no deal; write deals as OPENER: HAND / HAND"):
        parse(text)


def test_a_false_record_is_refused_as_a_record() -> None:
    with pytest.raises(RecordError, match="line 15, round 1, move 10: the end sum 20 credits"):
        parse(EXAMPLE.replace("armB +20", "armB +15"))


@settings(max_examples=100)
@given(st.data())
def test_a_damaged_line_is_read_or_refused_but_never_anything_else(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(LINE)))
    stop = data.draw(st.integers(start, min(start + 12, len(LINE))))
    piece = data.draw(st.text("#:/| 0123456789\n[;", max_size=4) | st.text(max_size=3))
    damaged = LINE[:start] + piece + LINE[stop:]
    with suppress(DealsError, RecordError):
        read = parse(damaged)
        assert parse("\n".join(map(to_text, read))) == read
