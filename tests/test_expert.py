"""The expert: obvious positions, only what its seat may know, and by how much it beats greedy."""

import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.evaluation import compare
from seven_rocks_env.policies import GreedyPolicy, Views, replies
from seven_rocks_env.policies.expert import ExpertPolicy, expert_action
from tests.games import (
    PASS,
    UNREACHABLE,
    action,
    hand,
    legal,
    needs_compiler,
    play,
    random_round,
    round_with,
    tiles_of,
)
from tests.plain_rules import Tile


def positions(seeds: range) -> list[np.void]:
    """All positions of rounds of random play in which somebody is on turn."""
    games = [game for seed in seeds for game in random_round(seed)]
    return [game for game in games if game["phase"] == rules.PLAYING]


def choice(game: np.void) -> tuple[Tile, int] | None:
    """The tile and site that the expert chooses, or None for a pass."""
    chosen = int(expert_action(game, 0.0))
    return None if chosen == PASS else (rules.TILES[chosen // 4], chosen % 4)


def lead_and_answer(
    lead: Tile, own: list[Tile], scores: tuple[int, int] = (0, 0), target: int = UNREACHABLE
) -> np.void:
    """Seat 0 has led ``lead``; seat 1, on turn, holds ``own``."""
    return play(round_with([[lead, (0, 0)], own, [], []], 0, scores, target), action(lead, 0))


# --- obvious positions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lead", "own", "chosen"),
    [
        ((2, 6), [(3, 6), (1, 6), (1, 2)], ((3, 6), 1)),  # 2 + 3; else 2 + 1 and 1 + 6
        ((1, 4), [(1, 6), (1, 5), (1, 2)], ((1, 6), 0)),  # 6 + 4; else 5 + 4 and 2 + 4
        ((1, 2), [(2, 2), (2, 3), (1, 4)], ((2, 2), 1)),  # 1 + 4; else 1 + 3 and 4 + 2
    ],
)
def test_a_credit_is_taken(lead: Tile, own: list[Tile], chosen: tuple[Tile, int]) -> None:
    assert choice(lead_and_answer(lead, own)) == chosen


def test_the_only_placement_is_played_and_a_pass_where_there_is_none() -> None:
    assert choice(lead_and_answer((1, 2), [(2, 5), (3, 3)])) == ((2, 5), 1)
    assert choice(lead_and_answer((1, 2), [(5, 5), (3, 3)])) is None


@pytest.mark.parametrize(
    ("lead", "chosen"),
    [
        # [0|4] leaves 3 and 4, for [3|3] and [3|6] 10 points; [1|3] leaves 0 and 1, for [1|5] 5.
        ((0, 3), ((1, 3), 1)),
        # [1|3] leaves 3 and 4 again; [0|4] leaves 1 and 0.
        ((1, 4), ((0, 4), 1)),
    ],
)
def test_of_equal_placements_the_one_is_chosen_that_leaves_the_left_hand_opponent_less(
    lead: Tile, chosen: tuple[Tile, int]
) -> None:
    assert choice(lead_and_answer(lead, [(0, 4), (1, 3)])) == chosen


def test_the_left_hand_opponent_is_left_without_a_move() -> None:
    hands: list[list[Tile]] = [
        [(1, 6), (3, 6), (1, 3), (2, 3), (1, 2)],
        [(2, 2), (4, 4)],
        [(0, 0), (0, 2)],
        [(0, 4), (0, 5)],
    ]
    lead, continued = action((1, 6), 0), action((3, 6), 1)
    game = play(
        round_with(hands, target=UNREACHABLE),
        *(lead, PASS, PASS, PASS),
        *(continued, PASS, PASS, PASS),
    )
    assert choice(game) == ((1, 3), 0)  # 3 at both ends, which the others do not have

    unknown = game.copy()
    unknown["ruled_out"][1] = 0
    assert choice(unknown) == ((1, 2), 0)


# --- the match -----------------------------------------------------------------------------------


def test_a_credit_that_wins_the_match_is_taken_whatever_it_leaves() -> None:
    otherwise = 0
    for game in positions(range(40, 80)):
        own = rules.partnership_of(int(game["seat"]))
        layout = int(game["layout"])
        credit = {
            chosen: int(
                rules.credit_for(rules.end_sum(rules.place(layout, chosen // 4, chosen % 4)))
            )
            for chosen in legal(game) - {PASS}
        }
        most = max(credit.values(), default=0)
        if most > 0:
            otherwise += credit[int(expert_action(game, 0.0))] < most
            game["target"] = 250
            game["scores"][own] = 250 - most
            assert credit[int(expert_action(game, 0.0))] == most
    assert otherwise > 0


def test_a_credit_that_may_let_the_opponents_win_is_left_alone() -> None:
    # [0|4] is credited 5, but then [1|6] gets 10; after [0|0] nothing gets more than 5.
    own: list[Tile] = [(0, 0), (0, 4)]
    assert choice(lead_and_answer((0, 1), own)) == ((0, 4), 0)
    assert choice(lead_and_answer((0, 1), own, (235, 0), 250)) == ((0, 4), 0)
    assert choice(lead_and_answer((0, 1), own, (240, 0), 250)) == ((0, 0), 0)


# --- only what the seat may know -----------------------------------------------------------------


def test_hidden_hands_make_no_difference() -> None:
    rng = np.random.default_rng(1)
    for game in positions(range(12)):
        seat = int(game["seat"])
        others = [other for other in range(4) if other != seat]
        chosen = expert_action(game, 0.0)
        erased = game.copy()
        rules.hide_from(erased, seat)
        swapped = game.copy()
        unseen = rng.permutation([t for o in others for t in tiles_of(int(game["hands"][o]))])
        sizes = [rules.hand_size(int(game["hands"][other])) for other in others]
        for other, tiles in zip(others, np.split(unseen, np.cumsum(sizes)[:-1]), strict=True):
            swapped["hands"][other] = hand(*((int(low), int(high)) for low, high in tiles))
        assert expert_action(erased, 0.0) == expert_action(swapped, 0.0) == chosen


def test_the_own_hand_makes_a_difference() -> None:
    assert choice(lead_and_answer((2, 6), [(3, 6), (1, 6)])) == ((3, 6), 1)
    assert choice(lead_and_answer((2, 6), [(2, 4), (1, 6)])) == ((2, 4), 0)


def test_choices_are_legal_and_always_the_same() -> None:
    games = positions(range(20, 32))
    before = np.stack(games).tobytes()
    chosen = [int(expert_action(game, 0.0)) for game in games]

    assert all(action in legal(game) for action, game in zip(chosen, games, strict=True))
    assert [int(expert_action(game, 0.999)) for game in games] == chosen
    assert np.stack(games).tobytes() == before
    for seed in range(2):
        acted = ExpertPolicy().act(Views.of(np.stack(games)), np.random.default_rng(seed))
        assert acted.tolist() == chosen


# --- what it goes by -----------------------------------------------------------------------------


def test_replies_are_credited_as_the_rules_credit_them() -> None:
    by_credit = np.empty(replies.NUM_CREDITS, np.int64)
    for game in positions(range(50, 58)):
        layout = int(game["layout"])
        if layout == rules.EMPTY_LAYOUT:
            continue
        expected: dict[int, int] = {}
        for site in range(rules.NUM_SITES):
            fitting = int(rules.FITTING_TILES[rules.site_value(layout, site)])
            for tile in range(rules.NUM_TILES):
                if fitting >> tile & 1:
                    after = rules.place(layout, tile, site)
                    points = int(rules.credit_for(rules.end_sum(after)))
                    expected[points] = expected.get(points, 0) | 1 << tile
        expected.pop(0, None)
        written = int(replies.scoring_replies(layout, by_credit))
        found = {
            replies.POINTS * (replies.NUM_CREDITS - 1 - entry): int(by_credit[entry])
            for entry in range(replies.NUM_CREDITS)
            if written >> entry & 1
        }
        assert found == expected


def missing_of(game: np.void, declined: float = 1.0, kept: float = 1.0) -> np.ndarray:
    missing = np.full((rules.NUM_TILES, 4), np.nan)
    by_credit = np.empty(replies.NUM_CREDITS, np.int64)
    seat = int(game["seat"])
    replies.locate_tiles(game, seat, declined, kept, missing, by_credit)
    return missing[:, 1:]


def test_no_reply_is_credited_more_than_any_tile_can_be() -> None:
    # The ends [3|5], [4|4], [5|5] and [6|6] count 35; another double six would make them 40.
    layout = rules.EMPTY_LAYOUT
    for chosen in [76, 93, 72, 100, 57, 69, 14, 83, 97, 2, 26, 110, 89]:
        if chosen != PASS:
            layout = rules.place(layout, chosen // 4, chosen % 4)
    assert rules.end_sum(layout) == 35
    by_credit = np.zeros(replies.NUM_CREDITS, np.int64)

    assert 0 <= replies.scoring_replies(layout, by_credit) < 1 << replies.NUM_CREDITS


def test_unseen_tiles_are_at_a_seat_in_proportion_to_its_hand() -> None:
    # Seat 1 judges. Seat 0 has placed one of seven tiles, seats 2 and 3 none.
    missing = missing_of(lead_and_answer((1, 2), [(2, 5)]))
    tile = rules.TILE_INDEX[4, 4]
    assert missing[tile] == pytest.approx([1 - 7 / 20, 1 - 7 / 20, 1 - 6 / 20])
    assert np.isnan(missing[rules.TILE_INDEX[1, 2]]).all()  # placed
    assert np.isnan(missing[rules.TILE_INDEX[2, 5]]).all()  # the own


def test_a_pass_shows_where_tiles_are_not() -> None:
    hands: list[list[Tile]] = [[(1, 2), (2, 5)], [(3, 3)], [(3, 4)], [(2, 6)]]
    game = play(round_with(hands, target=UNREACHABLE), action((1, 2), 0), PASS, PASS)
    # Seat 3 judges: neither seat 1 nor seat 2 holds a 1 or a 2.
    missing = missing_of(game)
    assert missing[rules.TILE_INDEX[2, 4]] == pytest.approx([0, 1, 1])
    assert missing[rules.TILE_INDEX[4, 4]] == pytest.approx([1 - 6 / 20, 1 - 7 / 20, 1 - 7 / 20])


def test_a_credit_not_taken_shows_where_the_tile_hardly_is() -> None:
    # Seat 0 led [1|2], seat 1 then placed [2|3]: it would rather have placed [1|3] (2 + 3), [2|4]
    # (1 + 4) or [2|2] (1 + 4), had it one of them; and [2|6], since it has more pips.
    hands: list[list[Tile]] = [[(1, 2), (5, 5)], [(2, 3), (5, 6)], [(3, 4)], [(0, 0)]]
    game = play(round_with(hands, target=UNREACHABLE), action((1, 2), 0), action((2, 3), 1))
    declined = missing_of(game, declined=0.0)
    for tile in ((1, 3), (2, 4), (2, 2)):
        assert declined[rules.TILE_INDEX[tile], 2] == 1
    assert declined[rules.TILE_INDEX[2, 6], 2] == pytest.approx(1 - 6 / 19)
    kept = missing_of(game, kept=0.0)
    assert kept[rules.TILE_INDEX[2, 6], 2] == 1
    assert kept[rules.TILE_INDEX[6, 6], 2] == pytest.approx(1 - 6 / 19)


def test_a_lead_shows_that_no_better_one_was_there() -> None:
    # [2|3] is credited 5, [5|5] and [4|6] would have been credited 10.
    missing = missing_of(lead_and_answer((2, 3), [(2, 5)]), declined=0.0)
    for tile in ((5, 5), (4, 6)):
        assert missing[rules.TILE_INDEX[tile], 2] == 1
    assert missing[rules.TILE_INDEX[1, 4], 2] == pytest.approx(1 - 6 / 20)


# --- strength ------------------------------------------------------------------------------------


@needs_compiler
def test_it_beats_greedy_by_more_than_ten_points_a_round() -> None:
    assert compare(ExpertPolicy(), GreedyPolicy(), 1500, seed=4000).interval(0.99)[0] > 10
