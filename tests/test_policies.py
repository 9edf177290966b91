"""The policies that need no learning, what they get to see, and how they are found by name."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import stats

from seven_rocks_env import observation as obs
from seven_rocks_env import rules
from seven_rocks_env.policies import (
    ExpertPolicy,
    GreedyPolicy,
    IsmctsPolicy,
    OpenHandPolicy,
    PimcPolicy,
    Policy,
    RandomPolicy,
    RolloutPolicy,
    Views,
    as_policy,
    make_policy,
)
from tests.games import (
    PASS,
    UNLIKELY,
    Move,
    action,
    hand,
    legal,
    needs_compiler,
    play,
    random_round,
    round_with,
)
from tests.plain_rules import Tile


def views_of(*games: np.void) -> Views:
    return Views.of(np.stack(games))


def random_games(seeds: range) -> list[np.void]:
    """All positions of some rounds in which somebody is on turn."""
    games = [game for seed in seeds for game in random_round(seed)]
    return [game for game in games if game["phase"] == rules.PLAYING]


# --- views ---------------------------------------------------------------------------------------


def test_views_show_the_seat_on_turn_its_own_hand_and_no_other() -> None:
    games = random_games(range(1, 5))
    views = views_of(*games)

    assert len(views) == len(views.states) == len(games)
    for game, state in zip(games, views.states, strict=True):
        seat = int(game["seat"])
        assert [int(state["hands"][other]) for other in range(4)] == [
            int(game["hands"][other]) if other == seat else 0 for other in range(4)
        ]
        assert not state["stream"].any()


def test_views_hold_observation_and_mask_of_the_seat_on_turn() -> None:
    games = random_games(range(5, 8))
    views = views_of(*games)
    integers = np.empty(obs.SIZE, np.int8)

    for index, game in enumerate(games):
        obs.encode(game, int(game["seat"]), integers)
        assert np.array_equal(views.integers[index], integers)
        assert set(np.flatnonzero(views.action_mask[index])) == legal(game)
    assert np.array_equal(views.observation, views.integers * obs.SCALE)
    assert views.observation.dtype == np.float32


def test_views_for_a_cheat_show_all_hands_but_not_the_deals_to_come() -> None:
    games = random_games(range(16, 18))
    views = Views.of(np.stack(games), all_hands=True)
    hidden = views_of(*games)

    assert np.array_equal(views.states["hands"], np.stack([game["hands"] for game in games]))
    assert not views.states["stream"].any()
    assert np.array_equal(views.integers, hidden.integers)
    assert np.array_equal(views.action_mask, hidden.action_mask)


def test_making_views_leaves_the_games_as_they_are() -> None:
    states = np.stack(random_games(range(8, 10)))
    before = states.tobytes()
    Views.of(states)

    assert states.tobytes() == before


# --- random --------------------------------------------------------------------------------------


@needs_compiler
def test_random_plays_every_legal_action_equally_often_and_no_other() -> None:
    rng = np.random.default_rng(1)
    games = [game for game in random_games(range(11, 13)) if len(legal(game)) > 1]
    assert len(games) >= 20
    for game in games:
        actions = sorted(legal(game))
        views = Views.of(np.repeat(np.stack([game]), 4_000))
        chosen = RandomPolicy().act(views, rng)
        counts = np.bincount(chosen, minlength=113)
        assert counts[actions].sum() == 4_000
        assert stats.chisquare(counts[actions]).pvalue > UNLIKELY


def test_random_passes_where_it_must() -> None:
    game = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]])
    play(game, action((4, 5), 0))

    assert RandomPolicy().act(views_of(game, game), np.random.default_rng(0)).tolist() == [112, 112]


def test_random_takes_its_chance_from_the_generator_alone() -> None:
    views = views_of(*random_games(range(12, 16)))
    first, second, third = (
        RandomPolicy().act(views, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )

    assert np.array_equal(first, second)
    assert not np.array_equal(first, third)


# --- greedy --------------------------------------------------------------------------------------

GREEDY = [
    # the tiles played, the hand of the next seat, the placements that greedy chooses from
    pytest.param(
        [],
        [(5, 5), (4, 6), (6, 6), (1, 4)],
        [((4, 6), 0), ((5, 5), 0)],
        id="the most points, here 10 with 10 pips: [4|6] and [5|5] tie",
    ),
    pytest.param([], [(1, 4), (6, 6), (0, 6)], [((1, 4), 0)], id="any points before more pips"),
    pytest.param(
        [((5, 5), 0)],
        [(2, 5), (0, 5), (3, 5)],
        [((0, 5), 0), ((0, 5), 1)],
        id="10 points rather than none, on either side",
    ),
    pytest.param(
        [((3, 6), 0)],
        [(0, 6), (1, 6), (6, 6)],
        [((6, 6), 1)],
        id="15 points with an open double",
    ),
    pytest.param(
        [((3, 6), 0), ((6, 6), 1)],
        [(2, 6), (2, 3), (1, 2)],
        [((2, 6), 1)],
        id="5 points inwards",
    ),
    pytest.param(
        [((5, 5), 0), ((0, 5), 0)],
        [(0, 1), (5, 6), (3, 5)],
        [((5, 6), 1)],
        id="no points anywhere: the most pips",
    ),
    pytest.param(
        [((3, 3), 0)],
        [(3, 5), (2, 6)],
        [((3, 5), 0), ((3, 5), 1)],
        id="two sites alike: either",
    ),
    pytest.param(
        [((3, 3), 0), ((0, 3), 1), ((3, 5), 0)],
        [(3, 4), (1, 2)],
        [((3, 4), 2), ((3, 4), 3)],
        id="two arms alike: either",
    ),
    pytest.param(
        [((1, 3), 0)],
        [(1, 6), (3, 4), (0, 0)],
        [((3, 4), 1)],
        id="5 points with 7 pips before none with as many",
    ),
    pytest.param(
        [((2, 4), 0)],
        [(4, 5), (2, 6), (1, 4), (3, 4)],
        [((2, 6), 0)],
        id="10 points before 5 with more pips",
    ),
]


@pytest.mark.parametrize(("moves", "tiles", "chosen"), GREEDY)
def test_greedy_takes_most_points_then_most_pips_then_any(
    moves: list[Move], tiles: list[Tile], chosen: list[Move]
) -> None:
    hands: list[list[Tile]] = [[tile, (0, 0)] for tile, _ in moves]
    game = round_with([*hands, tiles, [(0, 0)], [(0, 0)], [(0, 0)]][:4])
    play(game, *(action(tile, site) for tile, site in moves))

    assert game["hands"][game["seat"]] == hand(*tiles)
    views = Views.of(np.repeat(np.stack([game]), 2_000))
    played = GreedyPolicy().act(views, np.random.default_rng(0))
    counts = np.bincount(played, minlength=113)
    best = [action(*placement) for placement in chosen]
    assert counts[best].sum() == 2_000
    assert counts[best].min() > 0.9 * 2_000 / len(best)


def test_greedy_passes_where_it_must() -> None:
    game = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]])
    play(game, action((4, 5), 0))

    assert GreedyPolicy().act(views_of(game), np.random.default_rng(0)).tolist() == [PASS]


@pytest.mark.parametrize("policy", [RandomPolicy(), GreedyPolicy()])
def test_what_is_chosen_is_legal_in_every_one_of_many_games(policy: Policy) -> None:
    games = random_games(range(20, 30))
    chosen = policy.act(views_of(*games), np.random.default_rng(3))

    assert chosen.shape == (len(games),)
    assert all(rules.is_legal(game, a) for game, a in zip(games, chosen, strict=True))


# --- by name -------------------------------------------------------------------------------------


class Own:
    """A policy as a user may write one."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        return views.action_mask.argmax(axis=1)


@pytest.fixture
def own_module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("my_policies")
    module.Own = Own
    module.made = Own()
    module.make = lambda: Own()
    module.NOTHING = 3
    module.Useless = dict
    module.make_nothing = lambda: None
    monkeypatch.setitem(sys.modules, "my_policies", module)
    return module


@pytest.mark.parametrize(
    ("name", "kind", "attributes"),
    [
        ("random", RandomPolicy, {}),
        ("greedy", GreedyPolicy, {}),
        ("expert", ExpertPolicy, {}),
        ("rollout:100", RolloutPolicy, {"num_deals": 100, "player": "expert"}),
        ("rollout:7:greedy", RolloutPolicy, {"num_deals": 7, "player": "greedy"}),
        ("rollout:1:random", RolloutPolicy, {"num_deals": 1, "player": "random"}),
        ("pimc:20", PimcPolicy, {"num_deals": 20}),
        ("pimc:20:0", PimcPolicy, {"num_deals": 20, "solved_tiles": 0}),
        ("pimc:3:20", PimcPolicy, {"num_deals": 3, "solved_tiles": 20}),
        ("ismcts:1000", IsmctsPolicy, {"num_iterations": 1000}),
        ("openhand", OpenHandPolicy, {"sees_all_hands": True}),
    ],
)
def test_built_in_policies_by_name(name: str, kind: type, attributes: dict[str, Any]) -> None:
    policy = make_policy(name)

    assert isinstance(policy, kind)
    assert {key: getattr(policy, key) for key in attributes} == attributes


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rollout", r"'rollout' must be written rollout:N\[:policy\]"),
        ("rollout:1:greedy:2", r"must be written rollout:N\[:policy\]"),
        ("rollout:", "num_deals must be an integer, got ''"),
        ("rollout:0", "num_deals must be from 1 to 1000000, got 0"),
        ("rollout:-5", "num_deals must be an integer, got '-5'"),
        ("rollout:x", "num_deals must be an integer, got 'x'"),
        ("rollout:100:nobody", "player must be one of 'random', 'greedy', 'expert', got 'nobody'"),
        ("pimc", r"must be written pimc:N\[:tiles\]"),
        ("pimc:0", "num_deals must be from 1 to 1000000, got 0"),
        ("pimc:20:99", "solved_tiles must be from 0 to 20, got 99"),
        ("pimc:20:few", "solved_tiles must be an integer, got 'few'"),
        ("ismcts", "must be written ismcts:N"),
        ("ismcts:0", "num_iterations must be from 1 to 1000000, got 0"),
        ("openhand:1", "'openhand:1' must be written openhand"),
        ("random:RandomPolicy", "'random:RandomPolicy' must be written random"),
        ("Rollout:1", "'Rollout:1' cannot be loaded"),
    ],
)
def test_a_built_in_policy_with_a_bad_argument_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_policy(name)


@pytest.mark.parametrize("name", ["rollout", "pimc"])
def test_a_built_in_name_goes_before_a_module_of_the_same_name(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module = ModuleType(name)
    module.Own = Own
    monkeypatch.setitem(sys.modules, name, module)

    with pytest.raises(ValueError, match="num_deals must be an integer, got 'Own'"):
        make_policy(f"{name}:Own")


@pytest.mark.parametrize("given", ["openhand", OpenHandPolicy()], ids=["name", "object"])
def test_a_policy_that_sees_all_hands_is_refused_where_nobody_shows_them(given: Any) -> None:
    with pytest.raises(ValueError, match="opponents must be a policy that sees its own hand alone"):
        as_policy("opponents", given)

    assert isinstance(as_policy("policy", given, all_hands=True), OpenHandPolicy)


@pytest.mark.parametrize("attribute", ["Own", "made", "make"])
def test_ones_own_policy_as_a_class_an_object_or_a_function(
    own_module: ModuleType, attribute: str
) -> None:
    policy = make_policy(f"my_policies:{attribute}")

    assert isinstance(policy, Own)
    assert (policy is own_module.made) == (attribute == "made")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "clever",
            r"no policy is called 'clever'; use random, greedy, expert, rollout:N\[:policy\], "
            r"pimc:N\[:tiles\], ismcts:N, openhand, or module:attribute",
        ),
        ("", "no policy is called ''"),
        ("no_such_module:x", "'no_such_module:x' cannot be loaded: No module named"),
        ("my_policies:missing", "'my_policies:missing' cannot be loaded"),
        (":Own", "no policy is called ':Own'"),
        ("my_policies:", "no policy is called 'my_policies:'"),
        (".my_policies:Own", "no policy is called '.my_policies:Own'"),
        ("my_policies:NOTHING", r"'my_policies:NOTHING' has no method act\(views, rng\)"),
        ("my_policies:Useless", r"'my_policies:Useless' has no method act\(views, rng\)"),
        ("my_policies:make_nothing", r"'my_policies:make_nothing' has no method act"),
    ],
)
def test_a_name_that_leads_to_no_policy_is_refused(
    own_module: ModuleType, name: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make_policy(name)


def test_an_error_in_ones_own_policy_is_not_hidden(own_module: ModuleType) -> None:
    def broken() -> Any:
        raise KeyError("a fault of the user's own")

    own_module.broken = broken
    with pytest.raises(KeyError, match="a fault of the user's own"):
        make_policy("my_policies:broken")
