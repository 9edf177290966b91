import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.history import History
from seven_rocks_env.ledger import LedgerEntry, entries_of, ledger_of
from seven_rocks_env.record import parse
from tests.matches import game_after, play_match, random_hands

# The line to check by hand, and a settlement, from scores -20 and 100.
RECORD = """
[SevenRocks "1"]
[Target "250"]
[Scores "-20 100"]

Round 1
Hand 0: 5|5 0|0 0|1 0|2 0|3 0|4 0|6
Hand 1: 0|5 1|1 1|2 1|3 1|4 1|5 1|6
Hand 2: 2|5 2|2 2|3 2|4 2|6 3|3 3|4
Hand 3: 3|5 3|6 4|4 4|5 4|6 5|6 6|6
Opener 0

1. 0:5|5 +10   2. 1:0|5@lineA +10   3. 2:2|5@lineB   4. 3:3|5@armA +5
"""


def test_every_credit_is_an_entry_and_a_placement_without_credit_is_none() -> None:
    assert ledger_of(parse(RECORD)) == [
        LedgerEntry(0, 0, 0, "credit", 10, -10),
        LedgerEntry(0, 1, 1, "credit", 10, 110),
        LedgerEntry(0, 3, 1, "credit", 5, 115),
    ]


def settled(hands: tuple[int, int, int, int], phase: int, seat: int) -> np.void:
    """A game that has just been settled, with 100 points each before."""
    game = game_after("2|3")
    game["credit"] = 0
    game["hands"][:] = hands
    game["scores"][:] = 100
    game["seat"] = seat
    game["round"] = 4
    rules.settle(game)
    game["phase"] = phase
    return game


def tiles(*pairs: tuple[int, int]) -> int:
    return sum(1 << rules.TILE_INDEX[pair] for pair in pairs)


def test_partners_hands_of_three_pips_are_two_deductions_of_five() -> None:
    hands = (tiles((0, 3)), 0, tiles((1, 2)), tiles((4, 4), (0, 0)))
    assert entries_of(settled(hands, rules.DOMINO, seat=1)) == [
        LedgerEntry(4, 0, 0, "deduction", -5, 95),
        LedgerEntry(4, 2, 0, "deduction", -5, 90),
        LedgerEntry(4, 3, 1, "deduction", -10, 90),
    ]


def test_hands_that_round_to_zero_write_no_entry() -> None:
    hands = (tiles((0, 2)), tiles((0, 0)), tiles((0, 1)), tiles((6, 6)))
    assert entries_of(settled(hands, rules.BLOCKED, seat=2)) == [
        LedgerEntry(4, 3, 1, "deduction", -10, 90),
    ]


def test_a_domino_that_scores_is_credited_before_the_settlement() -> None:
    game = settled((tiles((0, 5)), 0, tiles((6, 6)), tiles((1, 2))), rules.DOMINO, seat=1)
    game["opener"] = 1  # so that seat 1 made the last action
    game["credit"] = 15
    game["scores"][1] += 15
    assert entries_of(game) == [
        LedgerEntry(4, 1, 1, "credit", 15, 115),
        LedgerEntry(4, 0, 0, "deduction", -5, 95),
        LedgerEntry(4, 2, 0, "deduction", -10, 85),
        LedgerEntry(4, 3, 1, "deduction", -5, 110),
    ]


def test_a_match_that_was_won_ends_with_the_winning_credit() -> None:
    history, seen = play_match(5)
    game = np.frombuffer(seen[-1], rules.STATE)[0]
    assert game["phase"] == rules.WON
    last = ledger_of(history)[-1]
    assert last.kind == "credit"
    assert last.partnership == game["winner"]
    assert last.score >= 250
    assert last.round == game["round"]


def test_a_history_without_rounds_has_no_entries() -> None:
    assert ledger_of(History(250, (5, 10), (1, 2, 3, 4), ())) == []


@pytest.mark.parametrize("seed", range(5))
def test_entries_and_the_scores_at_the_start_sum_to_the_scores(seed: int) -> None:
    start = (-35, 60)
    hands = random_hands(np.random.default_rng(seed))
    history, seen = play_match(seed, scores=start, deals={1: hands}, max_actions=50 + 100 * seed)
    game = np.frombuffer(seen[-1], rules.STATE)[0]
    totals = list(start)
    for entry in ledger_of(history):
        assert entry.points % 5 == 0
        assert entry.points > 0 if entry.kind == "credit" else entry.points < 0
        assert entry.partnership == entry.seat % 2
        totals[entry.partnership] += entry.points
        assert totals[entry.partnership] == entry.score
    assert totals == game["scores"].tolist()
