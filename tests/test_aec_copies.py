"""Copies, clones, pickles and saved states of a game in progress play on as the original would."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from seven_rocks_env import seven_rocks_v0
from tests.envs import (
    AGENTS,
    BLOCKED,
    DOMINO,
    name,
    plain,
    play_moves,
    play_random,
    played_out,
    random_action,
    shown,
)
from tests.games import PASS, action

MAKERS = (seven_rocks_v0.env, seven_rocks_v0.raw_env)
SEED = 1


@pytest.fixture(autouse=True)
def quiet() -> Any:
    """PettingZoo's logger prints what it warns of."""
    EnvLogger.suppress_output()
    yield
    EnvLogger.unsuppress_output()


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def pickled_out_of_band(value: Any) -> Any:
    """Arrays go beside the pickle and come back read-only, as from Ray's object store."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[buffer.raw().tobytes() for buffer in buffers])


def empty_twin(env: AECEnv) -> AECEnv:
    """An environment with the same keywords, before its first reset."""
    settings = vars(env.unwrapped.settings)
    with_history = "history" in env.observe("player_0")
    make = seven_rocks_v0.raw_env if env is env.unwrapped else seven_rocks_v0.env
    return make(**settings, observation="history" if with_history else "features")


def into_a_new_environment(env: AECEnv) -> AECEnv:
    twin = empty_twin(env)
    twin.set_state(env.get_state())
    return twin


def into_an_environment_in_mid_game(env: AECEnv) -> AECEnv:
    twin = empty_twin(env)
    twin.reset(seed=99, options={"scores": (-20, -30)})
    play_random(twin, seed=99, steps=7)
    twin.last()
    twin.set_state(pickled(env.get_state()))
    return twin


def into_an_environment_after_an_illegal_action(env: AECEnv) -> AECEnv:
    twin = empty_twin(env)
    twin.reset(seed=99)
    try:
        twin.step(PASS)
    except ValueError:
        assert twin is twin.unwrapped
    else:
        twin.step(None)
    twin.set_state(env.get_state())
    return twin


COPIES: dict[str, Callable[[Any], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": pickled,
    "pickle out of band": pickled_out_of_band,
    "clone": lambda env: env.clone(),
    "set_state in a new environment": into_a_new_environment,
    "set_state in mid-game": into_an_environment_in_mid_game,
    "set_state after an illegal action": into_an_environment_after_an_illegal_action,
}


def played_on(env: AECEnv, seed: int) -> list[Any]:
    """The episode to its end, and the beginning of the next one."""
    trace = played_out(env, seed)
    env.reset()
    return [*trace, shown(env), shown(play_random(env, seed=seed, steps=5))]


# Keywords, and how many plies lie between two that are copied.
MATCHES: list[tuple[dict[str, Any], int]] = [
    ({"target_score": 60, "observation": "history"}, 1),
    ({"target_score": 100, "skip_forced": True, "reward": "win"}, 3),
    ({"max_rounds": 3, "target_score": 635}, 5),
    ({}, 61),
]
OPTIONS = {"deals": [BLOCKED.hands, DOMINO.hands], "openers": [3, 2, 1], "scores": (0, -5)}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(("keywords", "stride"), MATCHES, ids=str)
def test_a_copy_from_any_ply_plays_on_as_the_original_and_leaves_it_alone(
    make: Callable[..., AECEnv], keywords: dict[str, Any], stride: int
) -> None:
    env, twin = make(**keywords), make(**keywords)
    for one in (env, twin):
        one.reset(seed=SEED, options=OPTIONS)
    rng = np.random.default_rng(SEED)
    chosen: list[int | None] = []
    while True:
        if len(chosen) % stride == 0 or len(env.agents) < 4:
            twin.reset(seed=SEED, options=OPTIONS)
            for number in chosen:
                twin.step(number)
            expected = played_on(twin, seed=len(chosen))
            before = env.get_state(), shown(env)
            for way, make_copy in COPIES.items():
                copied = make_copy(env)
                assert type(copied) is type(env), way
                assert (copied.get_state(), shown(copied)) == before, way
                assert played_on(copied, seed=len(chosen)) == expected, way
                assert (env.get_state(), shown(env)) == before, way
        if not env.agents:
            break
        chosen.append(random_action(env, rng))
        env.step(chosen[-1])

    assert len(env.unwrapped.history.rounds) >= 2


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("keywords", [{"target_score": 100}, {"max_rounds": 3}], ids=name)
def test_going_back_in_the_same_environment_to_any_ply_and_in_any_order(
    make: Callable[..., AECEnv], keywords: dict[str, Any]
) -> None:
    env = make(**keywords)
    env.reset(seed=SEED)
    rng = np.random.default_rng(SEED)
    saved = [(env.get_state(), shown(env), env.unwrapped.record)]
    while env.agents:
        env.step(random_action(env, rng))
        saved.append((env.get_state(), shown(env), env.unwrapped.record))

    for ply in np.random.default_rng(2).permutation(len(saved)):
        state, seen, record = saved[ply]
        env.set_state(state)
        assert (env.get_state(), shown(env), env.unwrapped.record) == (state, seen, record)
        play_random(env, seed=int(ply), steps=3)


def test_playing_on_in_the_original_does_not_change_the_copies_either() -> None:
    env = seven_rocks_v0.env()
    env.reset(seed=SEED)
    play_random(env, seed=SEED, steps=20)
    copies = {way: make_copy(env) for way, make_copy in COPIES.items()}
    state = env.get_state()
    before = shown(env)

    play_random(env, seed=SEED)
    env.reset()

    for way, copied in copies.items():
        assert shown(copied) == before, way
    env.set_state(state)
    assert shown(env) == before


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("way", ["deepcopy", "pickle", "pickle out of band", "clone"])
def test_an_environment_can_be_copied_before_its_first_reset(
    make: Callable[..., AECEnv], way: str
) -> None:
    env = make(target_score=50)
    copied = COPIES[way](env)

    env.reset(seed=SEED)
    copied.reset(seed=SEED)

    assert played_out(copied, 1) == played_out(env, 1)


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "clone"])
def test_a_copy_keeps_keywords_and_sampling_from_its_spaces(way: str) -> None:
    env = seven_rocks_v0.env(target_score=50, render_mode="ansi", observation="history")
    env.reset(seed=SEED)
    env.action_space("player_1").seed(5)
    copied = COPIES[way](env)

    assert copied.unwrapped.settings == env.unwrapped.settings
    assert copied.render("player_1") == env.render("player_1")
    assert copied.observation_space("player_1") == env.observation_space("player_1")
    samples = [copied.action_space("player_1").sample() for _ in range(9)]
    assert [env.action_space("player_1").sample() for _ in range(9)] == samples


class Renamed(seven_rocks_v0.raw_env):
    """A subclass, as users make them."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.extra = [1]

    def observe(self, agent: str) -> Any:
        return {**super().observe(agent), "extra": len(self.extra)}


def test_a_subclass_is_copied_with_its_attributes() -> None:
    env = Renamed(target_score=50)
    env.reset(seed=SEED)
    copied = env.clone()

    copied.extra.append(2)

    assert type(copied) is Renamed
    assert copied.observe("player_0")["extra"] == 2
    assert env.observe("player_0")["extra"] == 1


# --- saved states --------------------------------------------------------------------------------


def test_a_saved_state_can_be_pickled_and_compared() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(seed=SEED)
    state = env.get_state()

    assert pickled(state) == state
    assert copy.deepcopy(state) == state
    env.step(int(env.action_mask().argmax()))
    assert env.get_state() != state


def test_a_saved_state_can_be_used_again_and_again() -> None:
    env = seven_rocks_v0.env(target_score=50)
    env.reset(seed=SEED)
    play_random(env, seed=SEED, steps=9)
    state = env.get_state()
    twin = seven_rocks_v0.env(target_score=50)
    traces = []
    for one in (env, twin, env):
        one.set_state(state)
        traces.append(played_on(one, seed=3))

    assert traces[0] == traces[1] == traces[2]


def test_two_environments_set_to_one_state_share_nothing() -> None:
    env, twin = seven_rocks_v0.raw_env(), seven_rocks_v0.raw_env()
    env.reset(seed=SEED)
    twin.set_state(env.get_state())
    before = shown(env)

    play_random(twin, seed=SEED, steps=30)
    twin.rewards["player_0"] = 99.0
    twin.terminations["player_0"] = True
    twin.agents.remove("player_1")

    assert shown(env) == before


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("foreign", [None, 0, b"", {}, (), "state", np.zeros(208, np.uint8)])
def test_set_state_refuses_what_is_no_state(make: Callable[..., AECEnv], foreign: Any) -> None:
    env = make()
    env.reset(seed=SEED)
    before = env.get_state(), shown(env)

    with pytest.raises(ValueError, match=r"state must come from get_state\(\) or resample\(\)"):
        env.set_state(foreign)

    assert (env.get_state(), shown(env)) == before


@pytest.mark.parametrize(
    "keywords",
    [
        {"target_score": 255},
        {"episode": "round"},
        {"reward": "win"},
        {"max_rounds": 5},
        {"skip_forced": True},
    ],
    ids=name,
)
@pytest.mark.parametrize("make", MAKERS)
def test_set_state_refuses_a_game_with_other_keywords(
    make: Callable[..., AECEnv], keywords: dict[str, Any]
) -> None:
    env, other = make(), make(**keywords)
    env.reset(seed=SEED)
    other.reset(seed=SEED)
    before = env.get_state(), shown(env)

    with pytest.raises(ValueError) as error:
        env.set_state(other.get_state())

    assert repr(next(iter(keywords.values()))) in str(error.value)
    assert (env.get_state(), shown(env)) == before


def test_a_refused_state_is_no_reset() -> None:
    env = seven_rocks_v0.env()

    with pytest.raises(ValueError):
        env.set_state(None)

    with pytest.raises(AssertionError, match="reset"):
        env.step(0)


def test_states_go_from_raw_to_wrapped_and_whatever_is_shown_or_drawn() -> None:
    raw = seven_rocks_v0.raw_env(render_mode="ansi", target_score=50)
    env = seven_rocks_v0.env(observation="history", target_score=50)
    raw.reset(seed=SEED)
    play_random(raw, seed=SEED, steps=10)
    env.set_state(raw.get_state())

    assert env.get_state() == raw.get_state()
    play_random(raw, seed=2)
    play_random(env, seed=2)
    assert env.unwrapped.record == raw.record


def test_agent_iter_goes_on_after_a_set_state() -> None:
    env = seven_rocks_v0.env(target_score=50)
    env.reset(seed=SEED)
    state = env.get_state()
    rng = np.random.default_rng(SEED)
    turns = 0
    for turns, _ in enumerate(env.agent_iter(), start=1):
        if turns == 15:
            env.set_state(state)
        else:
            env.step(random_action(env, rng))

    assert turns > 15
    assert env.agents == []


# --- masks that are out of date or written to ----------------------------------------------------


def two_moments() -> tuple[AECEnv, Any, Any]:
    """An environment, a state in which only a pass is legal, and one in which none is."""
    env = seven_rocks_v0.env()
    env.reset(options=BLOCKED.options())
    placing = env.get_state()
    play_moves(env, BLOCKED.moves[:10])
    return env, env.get_state(), placing


def test_after_set_state_the_mask_seen_before_it_is_not_what_counts() -> None:
    env, passing, placing = two_moments()

    env.set_state(placing)
    env.last()
    env.set_state(passing)
    env.step(PASS)
    assert not any(env.terminations.values())

    env.set_state(passing)
    env.last()
    env.set_state(placing)
    env.step(PASS)
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": 0, "player_1": 0, "player_2": 0, "player_3": -1}


def test_after_an_illegal_action_set_state_takes_the_game_up_again() -> None:
    env = seven_rocks_v0.env()
    env.reset(options=BLOCKED.options())
    state = env.get_state()
    env.step(PASS)
    env.step(None)

    env.set_state(state)
    play_moves(env, BLOCKED.moves[:1])

    assert env.agents == list(AGENTS)
    assert not any(env.terminations.values())
    assert env.infos["player_0"]["action_mask"].sum() == 3
    assert env.last()[1] == -5


def test_a_game_ended_by_an_illegal_action_can_be_copied_too() -> None:
    env = seven_rocks_v0.env()
    env.reset(options=BLOCKED.options())
    env.step(PASS)
    for way, make_copy in COPIES.items():
        copied = make_copy(env)
        rewards = {}
        for agent in copied.agent_iter():
            rewards[agent] = copied.last()[1]
            copied.step(None)
        assert rewards == {"player_0": 0, "player_1": 0, "player_2": 0, "player_3": -1}, way
        copied.reset(seed=3)
        assert len(copied.agents) == 4, way


@pytest.mark.parametrize("make", MAKERS)
def test_writing_into_what_was_handed_out_does_not_touch_the_game(
    make: Callable[..., AECEnv],
) -> None:
    env = make(observation="history")
    env.reset(seed=SEED)
    before = env.get_state(), {agent: plain(env.observe(agent)) for agent in AGENTS}
    raw = env.unwrapped
    handed_out = [
        *(array for agent in AGENTS for array in env.observe(agent).values()),
        *env.last()[0].values(),
        env.last()[4]["action_mask"],
        env.state(),
        raw.action_mask(),
        raw.views().integers,
        raw.views().action_mask,
    ]
    for array in handed_out:
        array[:] = 1
    views = raw.views()
    for field in views.states.dtype.names:
        views.states[field] = 1

    assert env.get_state() == before[0]
    assert {agent: plain(env.observe(agent)) for agent in AGENTS} == before[1]


@pytest.mark.parametrize("written", [0, 1])
def test_writing_into_the_mask_does_not_change_what_is_legal(written: int) -> None:
    env = seven_rocks_v0.env()
    env.reset(options=BLOCKED.options())
    observation, _, _, _, info = env.last()
    observation["action_mask"][:] = written
    info["action_mask"][:] = written
    env.infos[env.agent_selection]["action_mask"][:] = written

    env.step(action((1, 4), 0))
    assert not any(env.terminations.values())
    env.last()[0]["action_mask"][:] = written
    env.step(action((1, 4), 0))
    assert all(env.terminations.values())
