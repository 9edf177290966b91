"""Reset: seeds, given deals, openers and scores, and nothing left behind of the episode before."""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from seven_rocks_env import rules, seven_rocks_v0
from tests.envs import (
    AGENTS,
    BLOCKED,
    DOMINO,
    KEYWORDS,
    greedy_action,
    name,
    play_moves,
    play_random,
    play_until_over,
    played_out,
    retire,
    shown,
)

MAKERS = (seven_rocks_v0.env, seven_rocks_v0.raw_env)

# The tiles in order, seven to a seat.
IN_ORDER = (
    ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6)),
    ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 2)),
    ((2, 3), (2, 4), (2, 5), (2, 6), (3, 3), (3, 4), (3, 5)),
    ((3, 6), (4, 4), (4, 5), (4, 6), (5, 5), (5, 6), (6, 6)),
)
NUMBERS = [list(range(first, first + 7)) for first in (0, 7, 14, 21)]
SETS = tuple(127 << first for first in (0, 7, 14, 21))  # of tiles, as histories keep them


def started(
    make: Callable[..., AECEnv] = seven_rocks_v0.raw_env,
    seed: int | None = 0,
    options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Any:
    env = make(**keywords)
    env.reset(seed=seed, options=options)
    return env


def dealt(env: AECEnv) -> list[tuple[tuple[int, ...], int]]:
    """Hands and opener of every round so far."""
    return [(played.hands, played.opener) for played in env.unwrapped.history.rounds]


# --- good options --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hands",
    [
        pytest.param(IN_ORDER, id="pairs"),
        pytest.param([[(high, low) for low, high in hand] for hand in IN_ORDER], id="high first"),
        pytest.param([[[low, high] for low, high in hand] for hand in IN_ORDER], id="lists"),
        pytest.param(NUMBERS, id="numbers"),
        pytest.param([hand[::-1] for hand in NUMBERS], id="in any order"),
        pytest.param([set(hand) for hand in NUMBERS], id="sets"),
        pytest.param(np.arange(28).reshape(4, 7), id="an array of numbers"),
        pytest.param(np.arange(28, dtype=np.uint8).reshape(4, 7), id="an array of uint8"),
        pytest.param(np.array(IN_ORDER), id="an array of pairs"),
        pytest.param([list(map(np.array, hand)) for hand in NUMBERS], id="single-number arrays"),
        pytest.param([[*NUMBERS[0][:6], (6, 0)], *NUMBERS[1:]], id="numbers and pairs mixed"),
        pytest.param((iter(hand) for hand in NUMBERS), id="iterators"),
    ],
)
def test_hands_can_be_given_as_pairs_or_numbers(hands: Any) -> None:
    env = started(options={"hands": hands, "opener": 2})

    assert dealt(env) == [(SETS, 2)]
    assert env.action_mask().nonzero()[0].tolist() == [4 * tile for tile in range(14, 21)]


@pytest.mark.parametrize("opener", [0, 1, 2, 3, np.int8(1), np.array(3)], ids=repr)
def test_the_opener_can_be_given(opener: Any) -> None:
    env = started(options={"opener": opener})

    assert env.agent_selection == AGENTS[int(opener)]
    assert env.history.rounds[0].hands == started().history.rounds[0].hands


@pytest.mark.parametrize(
    ("target_score", "scores"),
    [
        (250, (0, 0)),
        (250, (245, 245)),
        (250, [-5, 245]),
        (250, np.array([-1000, 100])),
        (250, (np.int16(15), np.int64(-15))),
        (5, (0, -5)),
        (635, (630, -(10**9))),
    ],
    ids=str,
)
def test_scores_can_be_given(target_score: int, scores: Any) -> None:
    env = started(options={"scores": scores}, target_score=target_score)

    assert env.scores == (int(scores[0]), int(scores[1]))
    assert {type(score) for score in env.scores} == {int}
    assert env.rewards == dict.fromkeys(AGENTS, 0.0)
    assert env.ledger == []


@pytest.mark.parametrize(
    "options",
    [
        None,
        {},
        {"options": 1},
        {"hand": 1, "Scores": "x", 7: None},
        dict.fromkeys(("hands", "opener", "scores", "deals", "openers")),
        {"deals": [], "openers": ()},
    ],
    ids=str,
)
def test_no_options_or_unknown_ones_change_nothing(options: Any) -> None:
    assert played_out(started(options=options), 1) == played_out(started(), 1)


def test_deals_are_those_of_the_following_rounds_and_then_drawn() -> None:
    deals = [BLOCKED.hands, NUMBERS]
    env = started(options=DOMINO.options(deals=deals), target_score=635)
    plain = started(target_score=635)

    play_moves(env, DOMINO.moves)
    assert dealt(env)[1] == (numbers_of(BLOCKED.hands), 3)
    play_moves(env, BLOCKED.moves)
    assert dealt(env)[2][0] == SETS
    play_random(env, seed=1)
    play_random(plain, seed=1)
    assert dealt(env)[3][0] == dealt(plain)[3][0]


def numbers_of(hands: Any) -> tuple[int, ...]:
    return tuple(sum(1 << rules.TILE_INDEX[tile] for tile in hand) for hand in hands)


def test_openers_are_used_only_after_blocked_rounds() -> None:
    options = DOMINO.options(deals=[BLOCKED.hands, BLOCKED.hands], openers=[0, 1, 2])
    env = started(options=options)

    play_moves(env, DOMINO.moves)
    assert env.agent_selection == "player_3"  # who dominoed, and not seat 0
    play_moves(env, BLOCKED.moves)
    assert env.agent_selection == "player_1"


def test_openers_need_no_deals_nor_deals_openers() -> None:
    drawn = play_moves(started(options=BLOCKED.options()), BLOCKED.moves)
    openers = play_moves(started(options=BLOCKED.options(openers=[2])), BLOCKED.moves)
    deals = play_moves(started(options=BLOCKED.options(deals=[NUMBERS])), BLOCKED.moves)

    assert dealt(openers)[1] == (dealt(drawn)[1][0], 2)
    assert dealt(deals)[1] == (SETS, dealt(drawn)[1][1])


def test_given_hands_and_drawn_ones_mix() -> None:
    plain = started(seed=5)
    opener_only = started(seed=5, options={"opener": 1})
    hands_only = started(seed=5, options={"hands": NUMBERS})

    assert dealt(opener_only) == [(dealt(plain)[0][0], 1)]
    assert dealt(hands_only) == [(SETS, dealt(plain)[0][1])]


def test_options_hold_for_one_episode() -> None:
    env = started(options=DOMINO.options(scores=(10, 20), deals=[NUMBERS], openers=[1]))
    other = started()

    env.reset()
    other.reset()

    assert played_out(env, 2) == played_out(other, 2)


def test_the_callers_options_are_neither_changed_nor_kept() -> None:
    hands = [list(hand) for hand in NUMBERS]
    deals = [[list(hand) for hand in NUMBERS]]
    scores = np.array([5, 10])
    options = {"hands": hands, "deals": deals, "scores": scores, "openers": [2]}
    env = started(options=options)

    for given in (hands, deals[0]):
        assert given == NUMBERS
        given.clear()
    options["openers"].clear()
    scores[:] = 0
    twin = started(
        options={"hands": NUMBERS, "deals": [NUMBERS], "scores": (5, 10), "openers": [2]}
    )

    assert played_out(env, 3) == played_out(twin, 3)


# --- bad options ---------------------------------------------------------------------------------

BAD_OPTIONS: list[Any] = [
    ("hands", 5, "hands must be a list, got 5"),
    ("hands", "x", "hands must be a list, got 'x'"),
    ("hands", {0: NUMBERS[0]}, "hands must be a list, got {"),
    ("hands", [], "hands must be four hands, got 0"),
    ("hands", NUMBERS[:3], "hands must be four hands, got 3"),
    ("hands", [*NUMBERS, []], "hands must be four hands, got 5"),
    ("hands", [1, 2, 3, 4], "hands[0] must be a list, got 1"),
    ("hands", [NUMBERS[0], "0123456", *NUMBERS[2:]], "hands[1] must be a list, got '0123456'"),
    ("hands", [NUMBERS[0][:6], *NUMBERS[1:]], "hands[0] must hold 7 tiles, got 6"),
    ("hands", [*NUMBERS[:3], [*NUMBERS[3], 0]], "hands[3] must hold 7 tiles, got 8"),
    (
        "hands",
        [NUMBERS[0], NUMBERS[0], *NUMBERS[2:]],
        "hands: every tile must be dealt once, but [0|0] is in the hands of seats 0 and 1",
    ),
    (
        "hands",
        [*NUMBERS[:3], [21, 22, 23, 24, 25, 26, 26]],
        "hands: every tile must be dealt once, but [5|6] is in the hands of seats 3 and 3",
    ),
    (
        "hands",
        [[*NUMBERS[0][:6], 28], *NUMBERS[1:]],
        "hands[0]: a tile is a number from 0 to 27 or two pip values from 0 to 6, got 28",
    ),
    (
        "hands",
        [*NUMBERS[:2], [*NUMBERS[2][:6], -1], NUMBERS[3]],
        "hands[2]: a tile is a number from 0 to 27 or two pip values from 0 to 6, got -1",
    ),
    ("hands", [[0.0, *NUMBERS[0][1:]], *NUMBERS[1:]], "hands[0]: a tile is a number"),
    ("hands", [["0|0", *NUMBERS[0][1:]], *NUMBERS[1:]], "hands[0]: a tile is a number"),
    ("hands", [[None, *NUMBERS[0][1:]], *NUMBERS[1:]], "hands[0]: a tile is a number"),
    ("hands", [[False, *NUMBERS[0][1:]], *NUMBERS[1:]], "hands[0]: a tile is a number"),
    ("hands", [[(0, 7), *NUMBERS[0][1:]], *NUMBERS[1:]], "from 0 to 6, got (0, 7)"),
    ("hands", [[(0,), *NUMBERS[0][1:]], *NUMBERS[1:]], "from 0 to 6, got (0,)"),
    ("hands", [[(0, 0, 0), *NUMBERS[0][1:]], *NUMBERS[1:]], "from 0 to 6, got (0, 0, 0)"),
    ("hands", [[(0, "0"), *NUMBERS[0][1:]], *NUMBERS[1:]], "from 0 to 6, got (0, '0')"),
    ("hands", np.arange(28.0).reshape(4, 7), "hands[0]: a tile is a number from 0 to 27"),
    ("hands", np.arange(28), "hands[0] must be a list, got "),
    ("hands", np.array(5), "hands must be a list, got array(5)"),
    ("opener", 4, "opener must be a seat from 0 to 3, got 4"),
    ("opener", -1, "opener must be a seat from 0 to 3, got -1"),
    ("opener", "player_0", "opener must be an integer, got 'player_0'"),
    ("opener", 1.0, "opener must be an integer, got 1.0"),
    ("opener", True, "opener must be an integer, got True"),
    ("opener", [0], "opener must be an integer, got [0]"),
    ("scores", 5, "scores must be a list, got 5"),
    ("scores", np.array(5), "scores must be a list, got array(5)"),
    ("scores", {"0": 5, "1": 5}, "scores must be a list, got {"),
    ("scores", (5,), "scores must be two numbers, one a partnership, got (5,)"),
    ("scores", (0, 5, 10, 15), "scores must be two numbers, one a partnership"),
    ("scores", (0, 3), "scores must be multiples of five, below the target of 250"),
    ("scores", (250, 0), "scores must be multiples of five, below the target of 250"),
    ("scores", (0, 2**70 * 5), "scores must be multiples of five, below the target of 250"),
    ("scores", (-(2**70) * 5, 0), "below the target of 250 and at least -1073741824, got -590295"),
    ("scores", (0, 5.0), "scores must be an integer, got 5.0"),
    ("scores", (0, None), "scores must be an integer, got None"),
    ("deals", 3, "deals must be a list, got 3"),
    ("deals", NUMBERS, "deals[0][0] must be a list, got 0"),
    ("deals", [NUMBERS, NUMBERS[:2]], "deals[1] must be four hands, got 2"),
    ("deals", [NUMBERS, None], "deals[1] must be a list, got None"),
    ("deals", [[*NUMBERS[:3], NUMBERS[3][:6]]], "deals[0][3] must hold 7 tiles, got 6"),
    ("openers", 3, "openers must be a list, got 3"),
    ("openers", [0, 4], "openers[1] must be a seat from 0 to 3, got 4"),
    ("openers", [0, None], "openers[1] must be an integer, got None"),
    ("openers", "01", "openers must be a list, got '01'"),
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("option", "value", "message"), BAD_OPTIONS)
def test_a_bad_option_is_refused_by_name_and_nothing_changes(
    make: Callable[..., AECEnv], option: str, value: Any, message: str
) -> None:
    env = started(make)
    play_random(env, seed=4, steps=10)
    before = env.get_state(), shown(env)

    with pytest.raises(ValueError) as error:
        env.reset(seed=9, options={"opener": 1, option: value})

    assert message in str(error.value)
    assert (env.get_state(), shown(env)) == before


@pytest.mark.parametrize("make", MAKERS)
def test_a_reset_refused_among_the_dead_steps_changes_nothing(make: Callable[..., AECEnv]) -> None:
    env = started(make, episode="round")
    play_until_over(env, seed=4)
    env.step(None)
    before = env.get_state(), shown(env)

    with pytest.raises(ValueError, match="opener"):
        env.reset(options={"opener": 4})

    assert (env.get_state(), shown(env)) == before
    assert retire(env).agents == []


@pytest.mark.parametrize("options", [5, "x", [("opener", 1)], True])
def test_options_that_are_no_dict_are_refused(options: Any) -> None:
    env = started()
    before = env.get_state()

    with pytest.raises(ValueError, match="options must be a dict"):
        env.reset(options=options)

    assert env.get_state() == before


@pytest.mark.parametrize("seed", [-1, 1.5, "x", np.float64(3), np.int64(-1)], ids=repr)
def test_a_bad_seed_is_refused_and_nothing_changes(seed: Any) -> None:
    env = started()
    play_random(env, seed=4, steps=10)
    before = env.get_state(), shown(env)

    with pytest.raises(gymnasium.error.Error, match=r"[Ss]eed must be"):
        env.reset(seed=seed)

    assert (env.get_state(), shown(env)) == before


# --- seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_the_same_seed_gives_the_same_episodes(
    make: Callable[..., AECEnv], keywords: dict[str, Any]
) -> None:
    one, other = started(make, seed=6, **keywords), started(make, seed=6, **keywords)

    for episode in range(3):
        assert played_out(one, episode) == played_out(other, episode)
        one.reset()
        other.reset()
    one.reset(seed=6)
    other = started(make, seed=6, **keywords)
    assert played_out(one, 0) == played_out(other, 0)


@pytest.mark.parametrize("seed", [np.int64(7), np.int32(7), np.uint8(7), np.uint64(7)], ids=repr)
def test_a_numpy_integer_is_the_same_seed(seed: Any) -> None:
    assert dealt(started(seed=seed)) == dealt(started(seed=7))


@pytest.mark.parametrize("seed", [0, 2**32, 2**64 - 1, 2**200], ids=str)
def test_large_seeds_are_fine(seed: int) -> None:
    assert dealt(started(seed=seed)) == dealt(started(seed=seed))


def test_different_seeds_and_following_episodes_give_different_deals() -> None:
    deals = {dealt(started(seed=seed))[0] for seed in range(200)}
    env = started(seed=0)
    for _ in range(200):
        env.reset()
        deals.add(dealt(env)[0])

    assert len(deals) == 400


def test_without_any_seed_environments_differ() -> None:
    assert dealt(started(seed=None)) != dealt(started(seed=None))


def test_how_an_episode_was_played_does_not_change_the_following_one() -> None:
    played, abandoned, hardly_begun = started(seed=8), started(seed=8), started(seed=8)
    play_random(played, seed=1)
    play_random(abandoned, seed=2, steps=30)
    for env in (played, abandoned, hardly_begun):
        env.reset()

    assert played_out(played, 3) == played_out(abandoned, 3) == played_out(hardly_begun, 3)


def test_looking_does_not_use_up_random_numbers() -> None:
    looked_at, left_alone = started(seed=9, render_mode="ansi"), started(seed=9)
    rng = np.random.default_rng(0)
    for agent in AGENTS:
        looked_at.observe(agent)
        looked_at.resample(agent, rng)
        looked_at.render(agent)
        looked_at.observation_space(agent).sample()
        looked_at.action_space(agent).sample()
    looked_at.views()
    looked_at.get_state()
    looked_at.clone()

    assert played_out(looked_at, 1) == played_out(left_alone, 1)
    looked_at.reset()
    left_alone.reset()
    assert dealt(looked_at) == dealt(left_alone)


@pytest.mark.parametrize(
    "options",
    [
        None,
        {"deals": [IN_ORDER, BLOCKED.hands, DOMINO.hands, NUMBERS], "openers": [3, 2, 1, 0]},
        DOMINO.options(deals=[BLOCKED.hands], openers=[1, 2]),
    ],
    ids=["drawn", "given from the second on", "given"],
)
def test_two_matches_from_one_seed_meet_the_same_deals_however_they_are_played(
    options: dict[str, Any] | None,
) -> None:
    random = play_random(started(seed=10, options=options), seed=1)
    greedy = started(seed=10, options=options)
    rng = np.random.default_rng(0)
    while greedy.agents:
        greedy.step(greedy_action(greedy, rng))

    rounds = min(len(random.history.rounds), len(greedy.history.rounds))
    assert rounds >= 3
    assert random.history.rounds[0].actions != greedy.history.rounds[0].actions
    for number in range(rounds):
        assert dealt(random)[number][0] == dealt(greedy)[number][0]


def test_two_matches_from_one_seed_meet_the_same_lots_after_blocked_rounds() -> None:
    openers = {
        seed: dealt(play_moves(started(seed=seed, options=BLOCKED.options()), BLOCKED.moves))[1][1]
        for seed in range(40)
    }
    for seed, opener in openers.items():
        options = BLOCKED.turned(1).options()
        env = play_moves(started(seed=seed, options=options), BLOCKED.moves)
        assert dealt(env)[1][1] == opener
    assert set(openers.values()) == {0, 1, 2, 3}


# --- nothing left behind -------------------------------------------------------------------------


def in_mid_game(env: AECEnv) -> None:
    play_random(env, seed=5, steps=17)


def at_the_end(env: AECEnv) -> None:
    play_random(env, seed=5)


def among_the_dead_steps(env: AECEnv) -> None:
    play_until_over(env, seed=5)
    env.step(None)
    env.step(None)


def after_an_illegal_action(env: AECEnv) -> None:
    play_random(env, seed=5, steps=17)
    try:
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    except ValueError:
        assert env is env.unwrapped


def after_an_illegal_action_and_dead_steps(env: AECEnv) -> None:
    after_an_illegal_action(env)
    if env.terminations["player_0"]:
        retire(env)


def after_given_deals(env: AECEnv) -> None:
    env.reset(options=DOMINO.options(scores=(5, 10), deals=[BLOCKED.hands], openers=[0, 1]))
    play_random(env, seed=5, steps=30)


def after_a_set_state(env: AECEnv) -> None:
    state = env.get_state()
    play_random(env, seed=5)
    env.set_state(state)


BEFORE = (
    in_mid_game,
    at_the_end,
    among_the_dead_steps,
    after_an_illegal_action,
    after_an_illegal_action_and_dead_steps,
    after_given_deals,
    after_a_set_state,
)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize(
    "keywords",
    [{}, {"skip_forced": True, "observation": "history"}, {"reward": "win"}],
    ids=name,
)
def test_a_reset_leaves_nothing_behind(
    make: Callable[..., AECEnv], before: Callable[[AECEnv], None], keywords: dict[str, Any]
) -> None:
    EnvLogger.suppress_output()
    keywords = {"target_score": 60, **keywords}
    env = started(make, seed=11, **keywords)
    before(env)
    EnvLogger.unsuppress_output()

    env.reset(seed=12)
    fresh = started(make, seed=12, **keywords)

    assert env.get_state() == fresh.get_state()
    assert played_out(env, 6) == played_out(fresh, 6)
    env.reset()
    fresh.reset()
    assert played_out(env, 7) == played_out(fresh, 7)


@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_the_environments_keywords_survive_a_reset(keywords: dict[str, Any]) -> None:
    env = started(seven_rocks_v0.env, **keywords)
    settings = env.unwrapped.settings
    parts = list(env.observe("player_0"))
    for seed in range(3):
        play_random(env, seed=seed)
        env.reset(seed=seed, options={"scores": (0, 0)})
        assert env.unwrapped.settings is settings
        assert env.unwrapped.history.target == keywords.get("target_score", 250)
        assert list(env.observe("player_0")) == parts
