"""Single games of a batch: out as environments, played on there, and back again."""

from typing import Any

import numpy as np
import pytest

from seven_rocks_env import rules, seven_rocks_v0
from seven_rocks_env.batch import Batch
from seven_rocks_env.history import replay
from tests.games import play
from tests.test_batch import choose, playing

SETTINGS: list[dict[str, Any]] = [
    {},
    {"episode": "round", "skip_forced": True},
    {"target_score": 100, "reward": "win", "max_rounds": 3},
]


def in_mid_match(**settings: Any) -> Batch:
    batch = Batch(6, seed=8, **settings)
    for _ in range(47):
        batch.step(choose(batch))
    return batch


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_game_plays_on_as_an_environment_as_it_would_have_in_the_batch(
    settings: dict[str, Any],
) -> None:
    batch = in_mid_match(**settings)
    envs = list(batch)
    ended: set[int] = set()
    for _ in range(60):
        actions = choose(batch)
        batch.step(actions)
        for index, env in enumerate(envs):
            if index in ended:
                continue
            env.step(int(actions[index]))
            assert list(env.rewards.values()) == batch.rewards[index].tolist()
            assert env.terminations["player_0"] == batch.terminations[index]
            assert env.truncations["player_0"] == batch.truncations[index]
            if env.terminations["player_0"] or env.truncations["player_0"]:
                assert env.scores == tuple(batch.final_scores[index])
                ended.add(index)
            else:
                assert env.agent_selection == f"player_{batch.seat[index]}"
                assert np.array_equal(env.action_mask(), batch.action_mask[index])
    if settings:
        assert ended


def test_playing_on_as_an_environment_leaves_the_batch_as_it_is() -> None:
    batch = in_mid_match()
    before = batch.states.tobytes()
    env = batch[2]
    env.step(int(env.action_mask().argmax()))

    assert batch.states.tobytes() == before


def test_the_record_of_such_an_environment_begins_with_the_round_in_play() -> None:
    batch = in_mid_match()
    assert (batch.states["round"] > 0).all(), "every match is past its first round"
    for index, env in enumerate(batch):
        *_, last = replay(env.history)
        assert len(env.history.rounds) == 1
        assert last["round"] == [0]
        last["round"] = batch.states["round"][index]
        assert last.tobytes() == batch.states[index].tobytes()
        assert env.ledger == [] or env.ledger[-1].score in env.scores


def test_the_last_game_has_a_negative_index_too() -> None:
    batch = in_mid_match()
    assert batch[-1].get_state().game == batch.states[5].tobytes()


def test_a_game_is_put_back_with_all_that_is_seen_of_it() -> None:
    batch, whole = in_mid_match(), in_mid_match()
    for index in (0, 3, -1):
        env = batch[index]
        env.step(int(choose(batch)[index]))
        batch[index] = env
    actions = choose(whole)
    for index in (0, 3, 5):
        play(whole.states[index], int(actions[index]))
    whole.restore(whole.states)

    assert batch.states.tobytes() == whole.states.tobytes()
    assert np.array_equal(batch.observation, whole.observation)
    assert np.array_equal(batch.action_mask, whole.action_mask)
    assert np.array_equal(batch.seat, whole.seat)


def test_a_game_that_is_put_back_has_paid_nothing_yet() -> None:
    batch = in_mid_match(episode="round")
    while not batch.terminations.any():
        batch.step(choose(batch))
    index = int(batch.terminations.argmax())
    others = np.arange(6) != index
    kept = batch.rewards[others].copy()
    batch[index] = batch[index]

    assert not batch.terminations[index]
    assert not batch.rewards[index].any()
    assert not batch.final_scores[index].any()
    assert np.array_equal(batch.rewards[others], kept)


def test_a_wrapped_environment_is_put_as_well() -> None:
    batch = Batch(2, seed=1)
    env = seven_rocks_v0.env()
    env.reset(seed=5)
    batch[1] = env

    assert batch.states[1].tobytes() == env.unwrapped.get_state().game


@pytest.mark.parametrize("index", [6, -7])
def test_a_game_that_is_not_there(index: int) -> None:
    batch = in_mid_match()
    with pytest.raises(IndexError):
        batch[index]
    with pytest.raises(IndexError):
        batch[index] = batch[0]


def test_an_ended_game_is_not_given_out_and_an_ended_episode_is_not_put() -> None:
    batch = Batch(1, seed=2, episode="round", autoreset=False)
    env = batch[0]
    while playing(batch)[0]:
        action = int(choose(batch)[0])
        batch.step(np.array([action]))
        env.step(action)

    with pytest.raises(ValueError, match="game 0 has ended"):
        batch[0]
    other = Batch(1, seed=3, episode="round")
    before = other.states.tobytes()
    with pytest.raises(ValueError, match="its episode has ended"):
        other[0] = env
    assert other.states.tobytes() == before


def test_an_episode_that_an_illegal_action_ended_is_not_put() -> None:
    env = seven_rocks_v0.env()
    env.reset(seed=3)
    env.step(int((env.observe(env.agent_selection)["action_mask"] == 0).argmax()))
    batch = Batch(2, seed=1)

    with pytest.raises(ValueError, match="its episode has ended"):
        batch[0] = env


def test_a_game_with_other_settings_is_refused() -> None:
    batch = in_mid_match()
    before = batch.states.tobytes()
    env = seven_rocks_v0.raw_env(target_score=100)
    env.reset(seed=1)

    with pytest.raises(ValueError, match="target_score=100"):
        batch[0] = env
    assert batch.states.tobytes() == before


def test_a_stream_goes_back_word_by_word() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        stream = rng.integers(0, 2**64, 4, np.uint64)
        earlier = stream.copy()
        rules.next_word(stream)
        assert stream.tolist() != earlier.tolist()
        rules.undo_word(stream)
        assert stream.tolist() == earlier.tolist()
