"""The vector environment: many games of the single one, with the policies' moves batched."""

import copy
import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from seven_rocks_env import Batch, SevenRocksEnv, SevenRocksVectorEnv
from seven_rocks_env.policies import GreedyPolicy, RandomPolicy, Views
from tests.envs import BLOCKED, name
from tests.games import PASS
from tests.vectors import HighestAction, dealt, own_hand, sampled, unchanged, values

ID = "seven_rocks_env/SevenRocks-v0"


def trace_of(env: SevenRocksVectorEnv, steps: int, **reset: Any) -> list[Any]:
    """What ``reset`` and ``steps`` steps of random play return, as plain values."""
    rng = np.random.default_rng(0)
    trace = [values(env.reset(**reset))]
    for _ in range(steps):
        trace.append(values(env.step(sampled(env.action_masks(), rng))))
    return trace


# --- illegal actions -----------------------------------------------------------------------------

BLOCKED_LEADS = {0, 8, 20, 28, 40, 52, 88}  # what seat 3 may lead


def before_a_lead(num_envs: int, **keywords: Any) -> SevenRocksVectorEnv:
    env = SevenRocksVectorEnv(num_envs, seats=(3,), **keywords)
    env.reset(seed=0, options=dealt(*[BLOCKED] * num_envs))
    return env


@pytest.mark.parametrize("bad", [112, 5, 113, -1, 2**62], ids=str)
def test_terminate_ends_the_game_with_minus_one(bad: int) -> None:
    env = before_a_lead(3)

    seen, rewards, terminated, truncated, info = env.step([40, bad, 40])

    assert rewards[1] == -1
    assert terminated.tolist() == [False, True, False]
    assert not truncated.any()
    assert info["final_info"]["illegal_action"].tolist() == [False, True, False]
    assert info["final_info"]["_illegal_action"].tolist() == [False, True, False]
    assert len(own_hand(info["final_obs"][1]["observation"])) == 7
    assert not info["final_obs"][1]["action_mask"].any()
    assert "illegal_action" not in info
    assert seen["action_mask"].any(axis=1).all()


@pytest.mark.parametrize("bad", [112, 5, 113, -1, 2**62], ids=str)
def test_raise_names_the_first_games_and_changes_nothing(bad: int) -> None:
    env = before_a_lead(3, illegal_action="raise")
    before = unchanged(env)

    with pytest.raises(
        ValueError,
        match=r"illegal actions in 2 of 3 games, at indices \[1, 2\]; "
        r"in game 1 seat 3 may not play .*; legal: \[0\|0\] at the lead",
    ):
        env.step([40, bad, bad])

    assert unchanged(env) == before
    assert "illegal_action" not in env.step([40, 40, 40])[4]


def test_random_plays_a_legal_action_instead_and_says_so() -> None:
    env = before_a_lead(101, illegal_action="random", partner="greedy")

    actions = np.array([40] + [-1] * 100)
    info = env.step(actions)[4]

    assert info["illegal_action"].tolist() == [False] + [True] * 100
    assert info["_illegal_action"].tolist() == [False] + [True] * 100
    assert actions.tolist() == [40] + [-1] * 100
    assert env.tables.states["actions"][0, 0] == 40
    assert set(env.tables.states["actions"][1:, 0].tolist()) == BLOCKED_LEADS


# --- seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keywords",
    [
        {"partner": "random", "opponents": "random", "episode": "round"},
        {"seats": (1, 3), "illegal_action": "random", "target_score": 50},
        {"autoreset_mode": "NextStep", "flatten": True, "skip_forced": True, "max_rounds": 1},
    ],
    ids=name,
)
def test_a_seed_fixes_deals_lots_and_the_policies_chance(keywords: dict[str, Any]) -> None:
    env, other = SevenRocksVectorEnv(4, **keywords), SevenRocksVectorEnv(4, **keywords)

    assert trace_of(env, 30, seed=6) == trace_of(other, 30, seed=6)
    assert trace_of(env, 30) == trace_of(other, 30)
    assert trace_of(env, 30, seed=6) == trace_of(other, 30, seed=6)
    assert trace_of(env, 30, seed=[6, 7, 8, 9]) == trace_of(env, 30, seed=[6, 7, 8, 9])
    assert trace_of(env, 30, seed=6) != trace_of(other, 30, seed=7)


def test_a_game_has_the_deals_of_the_batch_with_its_seed() -> None:
    env = SevenRocksVectorEnv(3)

    env.reset(seed=7)
    assert (env.tables.states["stream"] == Batch(3, seed=7).states["stream"]).all()
    assert (env.tables.states["opener"] == Batch(3, seed=7).states["opener"]).all()
    env.reset(seed=[7, 8, 9])
    for row in range(3):
        single = Batch(1, seed=7 + row).states[0]
        assert env.tables.states["stream"][row].tolist() == single["stream"].tolist()


def test_a_game_does_not_depend_on_the_number_of_games() -> None:
    traces = []
    for num_envs in (2, 5):
        env = SevenRocksVectorEnv(
            num_envs, partner=HighestAction(), opponents=HighestAction(), episode="round"
        )
        env.reset(seed=8)
        trace = []
        for _ in range(25):
            seen, rewards, terminated, *_ = env.step(env.action_masks().argmax(axis=1))
            trace.append(values((seen["observation"][:2], rewards[:2], terminated[:2])))
        traces.append(trace)

    assert traces[0] == traces[1]


def test_games_without_a_seed_go_on_with_their_streams() -> None:
    env, other = SevenRocksVectorEnv(2), SevenRocksVectorEnv(2)
    for one in (env, other):
        one.reset(seed=9)
    before = other.tables.states["stream"].copy()

    env.reset(seed=[10, None], options={"reset_mask": np.array([True, False])})
    assert env.tables.states["stream"][1].tolist() == before[1].tolist()
    assert env.tables.states["stream"][0].tolist() != before[0].tolist()

    env.reset(seed=[10, None])
    other.reset()
    assert env.tables.states["stream"][1].tolist() == other.tables.states["stream"][1].tolist()
    assert env.tables.states["stream"][1].tolist() != before[1].tolist()


def test_two_environments_without_a_seed_differ() -> None:
    env, other = SevenRocksVectorEnv(2), SevenRocksVectorEnv(2)
    env.reset()
    other.reset()

    assert (env.tables.states["stream"] != other.tables.states["stream"]).any(axis=1).all()


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_plays_on_alike(way: Any) -> None:
    env = SevenRocksVectorEnv(3, opponents="random", target_score=50)
    trace_of(env, 10, seed=11)
    copied = way(env)

    assert trace_of(copied, 20) == trace_of(env, 20)


# --- what is handed out and to whom --------------------------------------------------------------


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
@pytest.mark.parametrize("flatten", [False, True])
def test_returned_arrays_are_the_callers_to_keep(mode: str, flatten: bool) -> None:
    keywords: dict[str, Any] = {"autoreset_mode": mode, "flatten": flatten, "episode": "round"}
    env, other = SevenRocksVectorEnv(3, **keywords), SevenRocksVectorEnv(3, **keywords)
    rng = np.random.default_rng(12)
    kept: list[Any] = [env.reset(seed=12)]
    other.reset(seed=12)
    written = [values(kept[0])]
    for _ in range(20):
        actions = sampled(env.action_masks(), rng)
        kept.append(env.step(actions))
        written.append(values(kept[-1]))
        overwritten = other.step(actions)
        assert values(overwritten) == written[-1]
        for array in arrays_in((*overwritten, actions, other.action_masks())):
            array[...] = 0

    assert [values(result) for result in kept] == written


def arrays_in(result: Any) -> Iterator[np.ndarray]:
    if isinstance(result, np.ndarray) and result.dtype != object:
        yield result
    elif isinstance(result, (dict, tuple, np.ndarray)):
        for item in result.values() if isinstance(result, dict) else result:
            yield from arrays_in(item)


@pytest.mark.parametrize(
    "keywords",
    [{}, {"seats": (1, 3), "flatten": True}, {"observation": "history", "target_score": 50}],
    ids=name,
)
def test_observations_are_in_the_space(keywords: dict[str, Any]) -> None:
    env = SevenRocksVectorEnv(3, **keywords)
    single = SevenRocksEnv(**keywords)
    rng = np.random.default_rng(13)

    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    assert env.action_space == gymnasium.spaces.MultiDiscrete([113] * 3)
    seen, info = env.reset(seed=13)
    for _ in range(50):
        assert env.observation_space.contains(seen)
        assert (info["action_mask"] == env.action_masks()).all()
        assert env.action_masks().dtype == bool
        seen, _, _, _, info = env.step(sampled(env.action_masks(), rng))


def test_policies_are_asked_once_for_all_games_in_which_their_seats_are_on_turn() -> None:
    calls: list[tuple[str, int]] = []

    class Watched(RandomPolicy):
        def __init__(self, name: str, seats: set[int]) -> None:
            self.name = name
            self.seats = seats

        def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            calls.append((self.name, len(views)))
            for state in views.states:
                assert int(state["seat"]) in self.seats
                assert np.flatnonzero(state["hands"]).tolist() == [state["seat"]]
                assert not state["stream"].any()
            return super().act(views, rng)

    env = SevenRocksVectorEnv(
        50, seats=(1,), partner=Watched("partner", {3}), opponents=Watched("opponents", {0, 2})
    )
    env.reset(seed=14, options={"openers": [1] * 50})
    assert calls == []

    env.step(env.action_masks().argmax(axis=1))

    assert calls == [("opponents", 50), ("partner", 50), ("opponents", 50)]


# --- registration --------------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", [{}, {"vectorization_mode": "vector_entry_point"}], ids=name)
@pytest.mark.parametrize("mode", [None, *AutoresetMode], ids=str)
def test_make_vec_gives_it_without_a_warning(
    keywords: dict[str, Any], mode: AutoresetMode | None
) -> None:
    if mode is not None:
        keywords = {**keywords, "autoreset_mode": mode}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec(ID, num_envs=64, seats=(0, 2), opponents="random", **keywords)
        _, info = env.reset(seed=15)
        env.step(info["action_mask"].argmax(axis=1))
        env.close()

    assert isinstance(env, SevenRocksVectorEnv)
    assert env.num_envs == 64
    assert env.metadata["autoreset_mode"] is (mode or AutoresetMode.SAME_STEP)
    assert env.spec is not None
    assert env.spec.id == ID


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [0, [40, 40], [[40, 40, 40]], [40.0] * 3, [True] * 3, ["40"] * 3, [None] * 3, None, []],
    ids=repr,
)
def test_actions_of_another_shape_or_type_are_refused_and_change_nothing(bad: Any) -> None:
    env = before_a_lead(3)
    before = unchanged(env)

    with pytest.raises(ValueError, match=r"actions must be \(3,\) integers, got "):
        env.step(bad)

    assert unchanged(env) == before


@pytest.mark.parametrize("good", [np.int8, np.int32, np.uint8, np.int64, list])
def test_any_integer_type_is_accepted(good: Any) -> None:
    env = before_a_lead(2)

    assert "final_info" not in env.step(good([40, 40]))[4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"seed": 1.5}, "seed must be an integer, got 1.5"),
        ({"seed": [1]}, "seed must be an integer or a list of num_envs=2 integers, got 1 of them"),
        ({"seed": [1, -1]}, "seed must be at least 0, got -1"),
        ({"seed": "12"}, "seed must be an integer, got '1'"),
        ({"options": {"opener": 3}}, "a key of options must be one of 'hands', 'openers', 'sco"),
        ({"options": {"hands": BLOCKED.hands}}, "hands must be (2, 4) integers"),
        ({"options": {"hands": np.zeros((2, 4), int)}}, "each deal must hold all 28 tiles once"),
        ({"options": {"openers": [0, 4]}}, "openers must be 2 seats from 0 to 3, got [0, 4]"),
        ({"options": {"scores": [0, 0]}}, "scores must be (2, 2) integers"),
        ({"options": {"scores": [[0, 0], [0, 250]]}}, "below the target of 250"),
        ({"options": {"reset_mask": [True, False]}}, "reset_mask must be a (2,) bool array"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, "reset_mask must be a (2,) bool array"),
        ({"options": {"reset_mask": np.ones(2, int)}}, "reset_mask must be a (2,) bool array"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, "true for at least one game"),
    ],
    ids=str,
)
def test_a_malformed_reset_is_refused_and_changes_nothing(
    arguments: dict[str, Any], message: str
) -> None:
    env = before_a_lead(2)
    before = unchanged(env)

    with pytest.raises(ValueError) as error:
        env.reset(**{"seed": 1, **arguments})

    assert message in str(error.value)
    assert unchanged(env) == before
    assert "final_info" not in env.step([40, 40])[4]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"num_envs": 0}, "num_envs must be at least 1, got 0"),
        ({"num_envs": 2.0}, "num_envs must be an integer, got 2.0"),
        ({"autoreset_mode": "same_step"}, "autoreset_mode must be one of <AutoresetMode.NEXT_STEP"),
        ({"autoreset_mode": None}, "'NextStep', 'SameStep', 'Disabled', got None"),
        ({"render_mode": "ansi"}, "render_mode must be one of None, got 'ansi'"),
        ({"seats": (0, 1)}, "seats must be one of (0,), (1,)"),
        ({"illegal_action": "ignore"}, "illegal_action must be one of 'terminate', 'raise', 'ran"),
    ],
    ids=str,
)
def test_a_bad_argument_is_refused_with_what_is_allowed(
    keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError) as error:
        SevenRocksVectorEnv(**keywords)

    assert message in str(error.value)


def test_a_reset_is_asked_for_first() -> None:
    env = SevenRocksVectorEnv(2)

    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        env.step([0, 0])
    with pytest.raises(ResetNeeded, match="reset them all first"):
        env.reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (np.array([PASS, PASS]), r"in game \d seat 0 may not play a pass \(action 112\)"),
        (np.array([0]), r"must return \(2,\) integers, got int64 of shape \(1,\)"),
        (np.array([0.0, 0.0]), r"must return \(2,\) integers, got float64 of shape \(2,\)"),
        (None, r"must return \(2,\) integers, got object of shape \(\)"),
    ],
    ids=str,
)
def test_a_policy_that_plays_illegally_is_an_error_after_which_all_games_are_reset(
    returned: Any, message: str
) -> None:
    class Failing(GreedyPolicy):
        fails = True

        def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            return returned if self.fails else super().act(views, rng)

    policy = Failing()
    env = SevenRocksVectorEnv(2, seats=(3,), opponents=policy)
    env.reset(seed=16, options=dealt(BLOCKED, BLOCKED))
    with pytest.raises(ValueError, match=message):
        env.step([40, 40])
    with pytest.raises(ResetNeeded):
        env.step([40, 40])

    policy.fails = False
    env.reset(seed=16)
    env.step(env.action_masks().argmax(axis=1))
