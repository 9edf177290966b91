"""Faults that games of this kind are known for, each looked for through the AEC environment.

Those of copies, leaks, resets and rewards have files of their own.
"""

from typing import Any

import numpy as np
import pytest

from seven_rocks_env import observation, seven_rocks_v0
from seven_rocks_env.rules import TILES
from tests.envs import AGENTS, BLOCKED, DOMINO, Script, plain, play_moves
from tests.games import PASS, Move, action
from tests.plain_rules import Tile


def deal(*held: list[Tile]) -> tuple[tuple[Tile, ...], ...]:
    """Hands that hold the tiles given, one list a seat, and are filled up in order."""
    spare = [tile for tile in TILES if not any(tile in hand for hand in held)]
    return tuple((*hand, *(spare.pop(0) for _ in range(7 - len(hand)))) for hand in held)


def placed(moves: list[Move], **options: Any) -> Any:
    """An environment in which seat 0 and the following ones have made ``moves``."""
    env = seven_rocks_v0.raw_env()
    hands = deal(*([tile for tile, _ in moves[seat::4]] for seat in range(4)))
    env.reset(options={"hands": hands, "opener": 0, **options})
    return play_moves(env, moves)


# --- what counts and what is open ----------------------------------------------------------------

SUMS: list[Any] = [
    pytest.param([((5, 5), 0)], [10], [10], id="a lone spinner counts once"),
    pytest.param([((6, 6), 0)], [12], [0], id="a lone double six counts 12 and scores nothing"),
    pytest.param([((0, 0), 0)], [0], [0], id="a sum of zero scores nothing"),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0), ((2, 5), 1), ((3, 5), 2)],
        [10, 10, 2, 5],
        [10, 10, 0, 5],
        id="a spinner counts until both line sides are taken, an arm from its first tile on",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0), ((3, 4), 0)],
        [5, 6, 10, 5],
        [5, 0, 10, 5],
        id="an outer double counts both halves, and nothing once it is continued",
    ),
    pytest.param(
        [((2, 3), 0), ((3, 6), 1)],
        [5, 8],
        [5, 0],
        id="the untouched low end of a plain lead counts its own half",
    ),
    pytest.param(
        [((2, 3), 0), ((2, 6), 0)],
        [5, 9],
        [5, 0],
        id="the untouched high end of a plain lead counts its own half",
    ),
    pytest.param(
        [((3, 6), 0), ((6, 6), 1), ((3, 4), 0)],
        [9, 15, 16],
        [0, 15, 0],
        id="a spinner placed on a line counts both halves while its other line side is free",
    ),
]


@pytest.mark.parametrize(("moves", "sums", "credits"), SUMS)
def test_end_sums_and_credits(moves: list[Move], sums: list[int], credits: list[int]) -> None:
    for number, (end_sum, credit) in enumerate(zip(sums, credits, strict=True), start=1):
        env = placed(moves[:number])
        seat = (number - 1) % 4
        assert env.layout.end_sum == end_sum
        assert env.rewards[AGENTS[seat]] == env.rewards[AGENTS[(seat + 2) % 4]] == credit
        assert env.rewards[AGENTS[(seat + 1) % 4]] == -credit
        assert observation.view(env.observe("player_0")["observation"])["end_sum"] * 36 == end_sum
    assert [entry.points for entry in env.ledger] == [credit for credit in credits if credit]


OPEN: list[Any] = [
    pytest.param(
        [((3, 3), 0)],
        (3, 3),
        [((3, 3), "line side A"), ((3, 3), "line side B")],
        id="a led double has no arms yet",
    ),
    pytest.param(
        [((3, 3), 0), ((3, 5), 0)],
        (3, 3),
        [((3, 3), "line side B"), ((3, 5), "high end")],
        id="nor with one line side taken",
    ),
    pytest.param(
        [((3, 3), 0), ((3, 5), 0), ((0, 3), 1)],
        (3, 3),
        [
            ((0, 3), "low end"),
            ((3, 3), "side arm A"),
            ((3, 3), "side arm B"),
            ((3, 5), "high end"),
        ],
        id="both arms open with the second line side",
    ),
    pytest.param(
        [((1, 4), 0), ((4, 4), 1), ((4, 5), 1)],
        (4, 4),
        [((1, 4), "low end"), ((4, 4), "side arm A"), ((4, 4), "side arm B"), ((4, 5), "high end")],
        id="the first double is the spinner though it was not led",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0)],
        (1, 1),
        [((1, 1), "line side B"), ((4, 4), "line side B")],
        id="a second double is no spinner",
    ),
    pytest.param(
        [((1, 4), 0), ((1, 1), 0), ((4, 4), 0), ((3, 4), 0)],
        (1, 1),
        [((1, 1), "line side B"), ((3, 4), "low end")],
        id="and goes on straight only",
    ),
]


@pytest.mark.parametrize(("moves", "spinner", "sites"), OPEN)
def test_open_sites(moves: list[Move], spinner: Tile, sites: list[tuple[Tile, str]]) -> None:
    layout = placed(moves).layout

    assert layout.spinner == spinner
    assert [(site.tile, site.at) for site in layout.open_sites] == sites


# --- passes --------------------------------------------------------------------------------------


def test_a_seat_that_can_only_start_an_arm_may_not_pass() -> None:
    only_arms = [(3, 5), (1, 1), (1, 3), (1, 4), (1, 6), (3, 3), (3, 4)]
    env = seven_rocks_v0.raw_env()
    env.reset(options={"hands": deal([(5, 5)], [(0, 5)], [(2, 5)], only_arms), "opener": 0})
    play_moves(env, [((5, 5), 0), ((0, 5), 0), ((2, 5), 1)])

    legal = env.last()[0]["action_mask"].nonzero()[0].tolist()

    assert legal == [action((3, 5), 2), action((3, 5), 3)]
    with pytest.raises(ValueError, match=r"a pass \(action 112\); legal: \[3\|5\] at side arm A"):
        env.step(PASS)


def test_the_arms_are_not_legal_a_move_earlier() -> None:
    only_arms = [(3, 5), (1, 1), (1, 3), (1, 4), (1, 6), (3, 3), (3, 4)]
    env = seven_rocks_v0.raw_env()
    env.reset(options={"hands": deal([(0, 5)], only_arms, [], [(5, 5)]), "opener": 3})
    play_moves(env, [((5, 5), 0), ((0, 5), 0)])

    assert env.last()[0]["action_mask"].nonzero()[0].tolist() == [action((3, 5), 1)]


def test_a_round_goes_on_after_three_passes_and_is_over_after_four_in_a_row() -> None:
    env = seven_rocks_v0.raw_env(episode="round")
    env.reset(options=BLOCKED.options())
    play_moves(env, BLOCKED.moves[:13])
    assert not any(env.terminations.values())
    assert env.scores == (5, 5)

    play_moves(env, BLOCKED.moves[13:])

    assert all(env.terminations.values())
    assert env.scores == (-60, -35)
    assert env.rewards["player_0"] == -65 + 40


# Seven passes: four singly, and three in a row before the last tile of seat 1.
SEVEN_PASSES = Script(
    hands=(
        ((0, 2), (0, 3), (2, 6), (3, 4), (3, 6), (4, 5), (5, 5)),
        ((0, 1), (0, 5), (1, 1), (1, 2), (1, 3), (1, 6), (3, 5)),
        ((0, 0), (0, 4), (0, 6), (1, 4), (2, 4), (5, 6), (6, 6)),
        ((1, 5), (2, 2), (2, 3), (2, 5), (3, 3), (4, 4), (4, 6)),
    ),
    opener=3,
    moves=(
        ((4, 6), 0),
        ((2, 6), 1),
        ((1, 2), 1),
        ((1, 4), 1),
        ((4, 4), 1),
        ((4, 5), 0),
        ((3, 5), 0),
        ((2, 4), 1),
        ((2, 5), 1),
        ((3, 4), 0),
        ((0, 5), 1),
        ((0, 6), 1),
        None,
        ((3, 6), 1),
        ((1, 3), 1),
        ((0, 4), 0),
        ((1, 5), 1),
        ((0, 2), 0),
        None,
        ((5, 6), 1),
        ((2, 2), 0),
        None,
        ((1, 6), 1),
        None,
        ((2, 3), 0),
        ((0, 3), 0),
        ((0, 1), 0),
        None,
        None,
        None,
        ((1, 1), 1),
    ),
)


@pytest.mark.parametrize("skip_forced", [False, True])
def test_four_passes_that_are_not_in_a_row_block_nothing(skip_forced: bool) -> None:
    env = seven_rocks_v0.raw_env(episode="round", skip_forced=skip_forced)
    env.reset(options=SEVEN_PASSES.options())
    moves = list(SEVEN_PASSES.moves)
    while moves:
        assert not any(env.terminations.values())
        play_moves(env, moves[:1])
        played = env.history.rounds[0].actions
        moves = moves[len(played) - len(SEVEN_PASSES.moves) + len(moves) :]

    assert all(env.terminations.values())
    assert played.count(PASS) == 7
    assert "Domino by 1" in env.record
    assert env.scores == (-5, 35)


# --- the end of a round --------------------------------------------------------------------------


def test_a_last_tile_that_scores_is_credited_and_then_settled() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options())
    play_moves(env, DOMINO.moves)

    changes = [(entry.seat, entry.kind, entry.points, entry.score) for entry in env.ledger]
    assert changes[-3:] == [
        (3, "credit", 10, 20),
        (0, "deduction", -5, 25),
        (2, "deduction", -15, 10),
    ]
    assert env.scores == (10, 20)
    assert env.agents == list(AGENTS)


def test_the_target_reached_on_the_last_tile_wins_unsettled() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options(scores=(0, 230)))
    play_moves(env, DOMINO.moves)

    assert all(env.terminations.values())
    assert env.scores == (30, 250)
    assert env.ledger[-1].kind == "credit"
    assert env.rewards["player_3"] == 10
    assert "Won by 1&3" in env.record


def test_five_points_short_of_the_target_on_the_last_tile_is_settled() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options(scores=(0, 225)))
    play_moves(env, DOMINO.moves)

    assert not any(env.terminations.values())
    assert env.scores == (10, 245)


@pytest.mark.parametrize(
    ("scores", "moves", "final"),
    [((240, 245), 7, (240, 250)), ((240, 0), 8, (250, 5)), ((-100, 240), 11, (-90, 250))],
)
def test_the_target_reached_in_mid_round_ends_the_match_at_once(
    scores: tuple[int, int], moves: int, final: tuple[int, int]
) -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options(scores=scores))
    play_moves(env, DOMINO.moves[: moves - 1])
    assert not any(env.terminations.values())

    play_moves(env, DOMINO.moves[moves - 1 : moves])

    assert all(env.terminations.values())
    assert env.scores == final


def test_each_hand_is_rounded_by_itself_and_as_a_whole() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=BLOCKED.options())
    play_moves(env, BLOCKED.moves)

    # 35, 30, 29 and 8 pips; seat 0's are 6 + 7 + 10 + 12, and tile by tile would be 30 points.
    deductions = [entry for entry in env.ledger if entry.kind == "deduction"]
    assert [(entry.seat, entry.points) for entry in deductions] == [
        (0, -35),
        (1, -30),
        (2, -30),
        (3, -10),
    ]
    env.reset(options=DOMINO.options())
    play_moves(env, DOMINO.moves)
    # 7 and 16 pips of partners are 5 and 15 points; together they would be 25.
    assert [entry.points for entry in env.ledger if entry.kind == "deduction"] == [-5, -15]


# --- openers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", range(4))
def test_whoever_dominoes_opens_the_next_round_whatever_the_lot(places: int) -> None:
    for seed in range(8):
        env = seven_rocks_v0.raw_env()
        script = DOMINO.turned(places)
        env.reset(seed=seed, options=script.options())
        play_moves(env, script.moves)
        assert env.agent_selection == AGENTS[(3 + places) % 4]
        assert env.history.rounds[1].opener == (3 + places) % 4
        assert len(env.action_mask().nonzero()[0]) == 7


def test_after_a_block_each_seat_is_as_likely_to_open_whoever_opened_before() -> None:
    for places in range(4):
        openers = np.zeros(4, int)
        script = BLOCKED.turned(places)
        env = seven_rocks_v0.raw_env()
        env.reset(seed=places)
        for _ in range(200):
            env.reset(options=script.options())
            play_moves(env, script.moves)
            openers[AGENTS.index(env.agent_selection)] += 1
        assert openers.min() > 30
        assert openers.max() < 70


def test_each_seat_is_as_likely_to_open_a_match() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(seed=0)
    openers = np.zeros(4, int)
    for _ in range(1000):
        env.reset()
        openers[AGENTS.index(env.agent_selection)] += 1

    assert openers.min() > 210
    assert openers.max() < 290


# --- seats and scores in the observation ---------------------------------------------------------


@pytest.mark.parametrize("script", [DOMINO, BLOCKED, SEVEN_PASSES])
@pytest.mark.parametrize("places", [1, 2, 3])
def test_partner_and_opponents_look_the_same_from_every_seat(script: Script, places: int) -> None:
    turned_script = script.turned(places)
    env, turned = (seven_rocks_v0.raw_env(observation="history") for _ in range(2))
    scores = (35, -60)
    env.reset(options=script.options(scores=scores))
    turned.reset(options=turned_script.options(scores=scores[:: -1 if places % 2 else 1]))
    for move in script.moves[:-1]:
        play_moves(env, [move])
        play_moves(turned, [move])
        for seat in range(4):
            expected = plain(env.observe(AGENTS[seat]))
            assert plain(turned.observe(AGENTS[(seat + places) % 4])) == expected
            assert turned.rewards[AGENTS[(seat + places) % 4]] == env.rewards[AGENTS[seat]]


def test_partners_and_opponents_by_hand() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options(scores=(5, -10)))
    play_moves(env, DOMINO.moves[:3])  # [2|6] by seat 3, [5|6] by seat 0, [2|2] by seat 1

    placed_by = [
        [
            [TILES[tile] for tile in tiles.nonzero()[0]]
            for tiles in observation.view(env.observe(agent)["observation"])["placed_by"]
        ]
        for agent in AGENTS
    ]
    assert placed_by == [
        # by oneself, by the left-hand opponent, by the partner, by the right-hand opponent
        [[(5, 6)], [(2, 2)], [], [(2, 6)]],
        [[(2, 2)], [], [(2, 6)], [(5, 6)]],
        [[], [(2, 6)], [(5, 6)], [(2, 2)]],
        [[(2, 6)], [(5, 6)], [(2, 2)], []],
    ]
    own_scores = [
        (observation.view(env.observe(agent)["observation"])["scores"] * 50).round().tolist()
        for agent in AGENTS
    ]
    assert own_scores == [[1, -2], [-2, 1], [1, -2], [-2, 1]]


def test_the_score_is_in_the_observation_and_nothing_else_depends_on_it() -> None:
    seen = []
    for scores in ((0, 0), (5, 0), (0, 5), (-5, 245), (245, -5)):
        env = seven_rocks_v0.raw_env()
        env.reset(options=DOMINO.options(scores=scores))
        seen.append(observation.view(env.observe("player_1")["observation"]))

    assert [(view["scores"] * 50).round().tolist() for view in seen] == [
        [0, 0],
        [0, 1],
        [1, 0],
        [49, -1],
        [-1, 49],
    ]
    assert [(view["to_target"] * 50).round().tolist() for view in seen] == [
        [50, 50],
        [50, 49],
        [49, 50],
        [1, 51],
        [51, 1],
    ]
    for view in seen[1:]:
        for feature in observation.FEATURES:
            if feature.name not in ("scores", "to_target"):
                assert (view[feature.name] == seen[0][feature.name]).all()


def test_all_scores_of_a_match_to_the_highest_target_can_be_told_apart() -> None:
    seen = set()
    for score in range(-635, 635, 5):
        env = seven_rocks_v0.raw_env(target_score=635)
        env.reset(seed=0, options={"scores": (score, 0)})
        seen.add(env.observe("player_0")["observation"].tobytes())

    assert len(seen) == 254
