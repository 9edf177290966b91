"""What PettingZoo and Gymnasium ask of an environment, and nothing in it to warn about."""

import time
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.passive_env_checker import check_action_space, check_observation_space
from pettingzoo import AECEnv
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.test.state_test import test_state_space as check_state_space
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import BaseWrapper

from seven_rocks_env import SevenRocksEnv, seven_rocks_v0
from tests.envs import AGENTS, KEYWORDS, name

ID = "seven_rocks_env/SevenRocks-v0"
MAKERS = (seven_rocks_v0.env, seven_rocks_v0.raw_env)

# PettingZoo says this of every environment outside of its own list whose observation is a dict.
PETTINGZOO_REMARKS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}


@pytest.fixture
def remarks() -> list[Any]:
    """Messages of PettingZoo's own logger."""
    EnvLogger.flush()
    EnvLogger.suppress_output()
    yield EnvLogger.mqueue
    EnvLogger.unsuppress_output()
    EnvLogger.flush()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_api_test_passes_with_no_remark_but_on_dict_observations(
    make: Callable[..., AECEnv], keywords: dict[str, Any], remarks: list[Any]
) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        api_test(make(**keywords), num_cycles=100)

    assert {str(warning.message) for warning in warned} == PETTINGZOO_REMARKS
    assert remarks == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_seed_test_passes(keywords: dict[str, Any]) -> None:
    seed_test(lambda: seven_rocks_v0.env(**keywords), num_cycles=60)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", MAKERS)
def test_render_test_passes(
    make: Callable[..., AECEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    render_test(make)

    assert "Round 1: seat" in capsys.readouterr().out


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", MAKERS)
def test_performance_benchmark_runs(
    make: Callable[..., AECEnv],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seconds = count(step=0.01)  # at every look at the clock; the benchmark takes five
    monkeypatch.setattr(time, "time", lambda: next(seconds))

    performance_benchmark(make())

    assert "turns per second" in capsys.readouterr().out


# --- spaces --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_spaces_pass_the_checks(make: Callable[..., AECEnv], keywords: dict[str, Any]) -> None:
    env = make(**keywords)

    for agent in AGENTS:
        check_observation_space(env.observation_space(agent))
        check_action_space(env.action_space(agent))
    check_state_space(env)


def test_spaces_are_those_documented() -> None:
    env = seven_rocks_v0.env(observation="history")

    for agent in AGENTS:
        space = env.observation_space(agent)
        assert list(space) == ["action_mask", "history", "observation"]
        assert space["observation"].shape == (378,)
        assert space["observation"].dtype == np.float32
        assert space["action_mask"] == spaces.Box(0, 1, (113,), np.int8)
        assert space["history"].shape == (97, 2)
        assert space["history"].dtype == np.int8
        assert env.action_space(agent) == spaces.Discrete(113)
    assert env.state_space.shape == (462,)
    assert env.state_space.dtype == np.float32


def test_without_history_the_observation_has_two_parts() -> None:
    assert list(seven_rocks_v0.env().observation_space("player_0")) == [
        "action_mask",
        "observation",
    ]


@pytest.mark.parametrize("make", MAKERS)
def test_spaces_are_the_same_objects_at_every_call(make: Callable[..., AECEnv]) -> None:
    env = make()
    before = [
        (env.observation_space(agent), env.action_space(agent), env.state_space) for agent in AGENTS
    ]
    env.reset(seed=0)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))

    for agent, (observation_space, action_space, state_space) in zip(AGENTS, before, strict=True):
        assert env.observation_space(agent) is observation_space
        assert env.action_space(agent) is action_space
        assert env.state_space is state_space


def test_agents_have_space_objects_of_their_own_with_random_numbers_of_their_own() -> None:
    env = seven_rocks_v0.env()

    assert len({id(env.observation_space(agent)) for agent in AGENTS}) == 4
    assert len({id(env.action_space(agent)) for agent in AGENTS}) == 4
    assert env.observation_space("player_0") == env.observation_space("player_3")
    env.action_space("player_0").seed(1)
    env.action_space("player_1").seed(1)
    env.action_space("player_0").sample()
    assert env.action_space("player_1").sample() == seeded_sample(1)


def seeded_sample(seed: int) -> Any:
    space = spaces.Discrete(113, seed=seed)
    return space.sample()


# --- names and registries ------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
def test_agents_are_four_players_in_order(make: Callable[..., AECEnv]) -> None:
    env = make()

    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert env.max_num_agents == 4
    env.reset(seed=0)
    assert env.agents == ["player_0", "player_1", "player_2", "player_3"]
    assert env.num_agents == 4


@pytest.mark.parametrize("make", MAKERS)
def test_metadata(make: Callable[..., AECEnv]) -> None:
    env = make()

    assert env.metadata["render_modes"] == ["ansi", "human"]
    assert env.metadata["name"] == "seven_rocks_v0"
    assert env.metadata["is_parallelizable"] is False
    assert str(env) == "seven_rocks_v0"


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27")
def test_pettingzoo_makes_the_wrapped_environment_by_its_id() -> None:
    env = pettingzoo.make("aec", ID, target_score=50)

    assert type(env) is type(seven_rocks_v0.env())
    assert env.unwrapped.settings.target_score == 50
    assert ID in pettingzoo.aec_registry
    assert ID not in pettingzoo.parallel_registry


@pytest.mark.filterwarnings("error")
def test_gymnasium_makes_the_single_agent_environment_by_its_id() -> None:
    env = gymnasium.make(ID, seats=(1, 3), target_score=50)

    assert isinstance(env.unwrapped, SevenRocksEnv)
    assert env.unwrapped.seats == (1, 3)
    assert env.unwrapped.aec.settings.target_score == 50


def test_raw_env_is_not_wrapped_and_env_is() -> None:
    raw = seven_rocks_v0.raw_env()

    assert raw.unwrapped is raw
    assert isinstance(seven_rocks_v0.env(), BaseWrapper)
    assert type(seven_rocks_v0.env().unwrapped) is type(raw)


# --- keywords ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"target_score": 0}, "target_score must be from 5 to 635, got 0"),
        ({"target_score": 640}, "target_score must be from 5 to 635, got 640"),
        ({"target_score": 251}, "target_score must be a multiple of five, got 251"),
        ({"target_score": 250.0}, "target_score must be an integer, got 250.0"),
        ({"target_score": True}, "target_score must be an integer, got True"),
        ({"target_score": None}, "target_score must be an integer, got None"),
        ({"episode": "game"}, "episode must be one of 'match', 'round', got 'game'"),
        ({"reward": "score"}, "reward must be one of 'score_difference', 'win', got 'score'"),
        ({"reward": "win", "episode": "round"}, 'reward="win" needs episode="match"'),
        ({"max_rounds": 0}, "max_rounds must be from 1 to 2147483647, got 0"),
        ({"max_rounds": 1.5}, "max_rounds must be an integer, got 1.5"),
        ({"max_rounds": True}, "max_rounds must be an integer, got True"),
        ({"skip_forced": "no"}, "skip_forced must be one of False, True, got 'no'"),
        ({"skip_forced": None}, "skip_forced must be one of False, True, got None"),
        ({"observation": "all"}, "observation must be one of 'features', 'history', got 'all'"),
        ({"render_mode": "rgb_array"}, "render_mode must be one of None, 'ansi', 'human'"),
    ],
)
@pytest.mark.parametrize("make", [*MAKERS, SevenRocksEnv])
def test_a_bad_keyword_is_refused_with_what_is_allowed(
    make: Callable[..., Any], keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError) as error:
        make(**keywords)

    assert message in str(error.value)


@pytest.mark.parametrize("make", MAKERS)
def test_an_unknown_or_positional_keyword_is_a_type_error(make: Callable[..., AECEnv]) -> None:
    with pytest.raises(TypeError, match="max_cycles"):
        make(max_cycles=100)
    with pytest.raises(TypeError):
        make(250)
