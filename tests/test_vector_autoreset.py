"""The vector environment at the end of an episode, in each mode, beside single environments."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from seven_rocks_env import SevenRocksEnv, SevenRocksVectorEnv, rules
from seven_rocks_env.policies import Views
from tests.envs import BLOCKED, DOMINO, name
from tests.games import needs_compiler, tiles_of
from tests.vectors import HighestAction, dealt, moves_of, own_hand, sampled, unchanged, values

SAME_STEP, NEXT_STEP, DISABLED = (
    AutoresetMode.SAME_STEP,
    AutoresetMode.NEXT_STEP,
    AutoresetMode.DISABLED,
)
MODES = [SAME_STEP, NEXT_STEP, DISABLED]


# --- the same as single environments -------------------------------------------------------------


class DealtEnv(SevenRocksEnv):
    """The single environment, on the deals and lots that a random stream draws."""

    def __init__(self, stream: np.ndarray, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._source = rounds_from(stream)
        self._coming: deque[Any] = deque()
        self._is_first = True

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        if not self._is_first:
            for _ in range(int(self.aec._games["round"][0]) + 1):
                self._coming.popleft()
        self._is_first = False
        while len(self._coming) < 40:
            self._coming.append(next(self._source))
        hands, lots = zip(*self._coming, strict=True)
        return super().reset(
            seed=seed,
            options={"hands": hands[0], "opener": lots[0], "deals": hands[1:], "openers": lots[1:]},
        )


def stream_of(seed: int, row: int) -> np.ndarray:
    return np.random.SeedSequence(seed, spawn_key=(row,)).generate_state(4, np.uint64)


def rounds_from(stream: np.ndarray) -> Iterator[tuple[list[Any], int]]:
    """The hands and the lot of each round that ``stream`` deals."""
    game = np.zeros(1, rules.STATE)[0]
    rules.new_match(game, stream, 250, 0, 0)
    while True:
        game["phase"] = rules.READY  # the lot falls, however the round before ended
        rules.next_round(game)
        yield [tiles_of(int(held)) for held in game["hands"]], int(game["opener"])


@needs_compiler
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    "keywords",
    [
        {"episode": "round"},
        {"seats": (1, 3), "episode": "round", "skip_forced": True},
        {"seats": (2,), "target_score": 60, "flatten": True},
        {"seats": (0, 2), "target_score": 60, "reward": "win", "observation": "history"},
        {"seats": (3,), "target_score": 200, "max_rounds": 2, "skip_forced": True},
    ],
    ids=name,
)
def test_it_returns_what_gymnasiums_vector_of_single_environments_does(
    keywords: dict[str, Any], mode: AutoresetMode
) -> None:
    keywords = {**keywords, "opponents": HighestAction()}
    if len(keywords.get("seats", (0,))) == 1:
        keywords["partner"] = HighestAction()
    env = SevenRocksVectorEnv(5, autoreset_mode=mode, **keywords)
    sync = SyncVectorEnv(
        [lambda row=row: DealtEnv(stream_of(1, row), **keywords) for row in range(5)],
        autoreset_mode=mode,
    )

    rng = np.random.default_rng(2)
    assert values(env.reset(seed=1)) == values(sync.reset(seed=1))
    ended = illegal = 0
    for _ in range(120):
        actions = sampled(env.action_masks(), rng)
        actions[rng.random(5) < 0.01] = -1
        one, other = env.step(actions), sync.step(actions)
        assert values(one) == values(other)
        over = one[2] | one[3]
        ended += over.sum()
        illegal += (one[1] == -1).sum()
        if mode == DISABLED and over.any():
            mask, same = {"reset_mask": over.copy()}, {"reset_mask": over.copy()}
            assert values(env.reset(options=mask)) == values(sync.reset(options=same))
    assert ended >= 10
    assert illegal >= 1


# --- the end of an episode, in each mode ---------------------------------------------------------


IN_DOMINO, IN_BLOCKED = moves_of(DOMINO)[::4], moves_of(BLOCKED)[::4]  # of seat 3


class Scripted:
    """Plays the round that begins with the same lead; other rounds as ``HighestAction``."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        actions = HighestAction().act(views, rng)
        for row, state in enumerate(views.states):
            for script in (DOMINO, BLOCKED):
                number = int(state["num_actions"])
                if number and state["actions"][0] == moves_of(script)[0]:
                    chosen = moves_of(script)[number]
                    if views.action_mask[row, chosen]:
                        actions[row] = chosen
        return actions


def before_the_end_of_game_1(mode: AutoresetMode, **keywords: Any) -> SevenRocksVectorEnv:
    """Seat 3 has made three decisions in both games; its fourth, a pass, ends game 1."""
    env = SevenRocksVectorEnv(
        2,
        autoreset_mode=mode,
        seats=(3,),
        partner=Scripted(),
        opponents=Scripted(),
        episode="round",
        **keywords,
    )
    env.reset(seed=0, options=dealt(DOMINO, BLOCKED))
    decisions = list(zip(IN_DOMINO, IN_BLOCKED, strict=False))
    rewards = [env.step(both)[1].tolist() for both in decisions[:3]]
    # BLOCKED pays five points to either side, both before seat 3's second decision.
    assert rewards == [[0, 0], [-5, 0], [5, 0]]
    return env


LEFT_IN_BLOCKED = [(0, 0), (0, 2), (1, 1), (2, 2)]  # of seat 3


def test_same_step_returns_the_end_beside_the_start_of_the_next_episode() -> None:
    env = before_the_end_of_game_1(SAME_STEP)

    seen, rewards, terminated, truncated, info = env.step([IN_DOMINO[3], IN_BLOCKED[3]])

    assert rewards.tolist() == [-10, 65 - 40]  # the partnerships' settlements
    assert terminated.tolist() == [False, True]
    assert truncated.tolist() == [False, False]
    assert len(own_hand(seen["observation"][1])) == 7
    assert seen["action_mask"].any(axis=1).tolist() == [True, True]
    assert (info["action_mask"] == seen["action_mask"]).all()
    assert info["_final_obs"].tolist() == info["_final_info"].tolist() == [False, True]
    assert info["final_obs"][0] is None
    assert own_hand(info["final_obs"][1]["observation"]) == LEFT_IN_BLOCKED
    assert not info["final_obs"][1]["action_mask"].any()
    assert info["final_info"]["seat"].tolist() == [0, 3]
    assert info["final_info"]["_seat"].tolist() == [False, True]

    _, rewards, terminated, _, info = env.step([IN_DOMINO[4], env.action_masks()[1].argmax()])
    assert rewards[0] == -10
    assert not terminated.any()
    assert "final_obs" not in info
    assert "final_info" not in info


def test_next_step_returns_the_end_and_then_ignores_an_action() -> None:
    env = before_the_end_of_game_1(NEXT_STEP, illegal_action="raise")

    seen, rewards, terminated, _, info = env.step([IN_DOMINO[3], IN_BLOCKED[3]])

    assert rewards.tolist() == [-10, 65 - 40]
    assert terminated.tolist() == [False, True]
    assert own_hand(seen["observation"][1]) == LEFT_IN_BLOCKED
    assert seen["action_mask"].any(axis=1).tolist() == [True, False]
    assert env.action_masks().any(axis=1).tolist() == [True, False]
    assert "final_obs" not in info

    seen, rewards, terminated, _, info = env.step([IN_DOMINO[4], -1])
    assert rewards.tolist() == [-10, 0]
    assert terminated.tolist() == [False, False]
    assert len(own_hand(seen["observation"][1])) == 7
    assert seen["action_mask"].any(axis=1).tolist() == [True, True]


def test_disabled_waits_for_the_reset_of_the_games_in_the_mask() -> None:
    env = before_the_end_of_game_1(DISABLED)

    seen, rewards, terminated, _, _ = env.step([IN_DOMINO[3], IN_BLOCKED[3]])

    assert rewards.tolist() == [-10, 65 - 40]
    assert terminated.tolist() == [False, True]
    assert own_hand(seen["observation"][1]) == LEFT_IN_BLOCKED
    before = unchanged(env)
    with pytest.raises(ResetNeeded, match=r"games \[1\] have ended: reset them with"):
        env.step([IN_DOMINO[4], 0])
    assert unchanged(env) == before

    options = {"reset_mask": np.array([False, True])}
    again, info = env.reset(options=options)
    assert list(options) == ["reset_mask"]
    assert (again["observation"][0] == seen["observation"][0]).all()
    assert (again["action_mask"][0] == seen["action_mask"][0]).all()
    assert len(own_hand(again["observation"][1])) == 7
    assert info["_seat"].tolist() == info["_action_mask"].tolist() == [False, True]
    assert not info["action_mask"][0].any()
    _, rewards, _, _, _ = env.step([IN_DOMINO[4], env.action_masks()[1].argmax()])
    assert rewards[0] == -10


@pytest.mark.parametrize("mode", [SAME_STEP, DISABLED], ids=lambda mode: mode.value)
def test_a_given_deal_is_for_the_games_in_the_mask(mode: AutoresetMode) -> None:
    env = before_the_end_of_game_1(mode)

    options = {**dealt(BLOCKED, DOMINO), "reset_mask": np.array([False, True])}
    env.reset(options=options)

    rewards = [env.step([IN_DOMINO[3], IN_DOMINO[0]])[1].tolist()]
    rewards += [env.step([IN_DOMINO[4], IN_DOMINO[1]])[1].tolist()]
    assert rewards == [[-10, 0], [-10, -5]]


def episodes_in(mode: AutoresetMode) -> list[list[Any]]:
    """The first eight returns and missed rewards of each game, a list a game, in order."""
    env = SevenRocksVectorEnv(
        3,
        autoreset_mode=mode,
        target_score=10,
        partner=HighestAction(),
        opponents=HighestAction(),
    )
    happened: list[list[Any]] = [[], [], []]
    returns = np.zeros(3)

    def note_missed(info: dict[str, Any]) -> None:
        for row in np.flatnonzero(info.get("_missed_rewards", [])):
            happened[row] += [("missed", reward) for reward in info["missed_rewards"][row]]

    note_missed(env.reset(seed=5)[1])
    while min(map(len, happened)) < 8:
        _, rewards, terminated, _, info = env.step(env.action_masks().argmax(axis=1))
        returns += rewards
        for row in np.flatnonzero(terminated):
            happened[row].append(("played", returns[row]))
            returns[row] = 0
        note_missed(info)
        if mode == DISABLED and terminated.any():
            note_missed(env.reset(options={"reset_mask": terminated})[1])
    return [events[:8] for events in happened]


def test_all_modes_play_the_same_episodes_and_miss_the_same_ones() -> None:
    episodes = episodes_in(SAME_STEP)

    assert episodes == episodes_in(NEXT_STEP) == episodes_in(DISABLED)
    assert {kind for events in episodes for kind, _ in events} == {"played", "missed"}


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_record_episode_statistics_counts_the_final_margins(mode: AutoresetMode) -> None:
    env = RecordEpisodeStatistics(
        SevenRocksVectorEnv(4, autoreset_mode=mode, seats=(1, 3), target_score=50)
    )
    rng = np.random.default_rng(3)
    env.reset(seed=3)
    ended = 0
    for _ in range(250):
        masks = env.unwrapped.action_masks()
        seen, _, terminated, truncated, info = env.step(sampled(masks, rng))
        over = terminated | truncated
        for row in np.flatnonzero(over):
            last = info["final_obs"][row] if mode == SAME_STEP else values_of_row(seen, row)
            own, other = np.rint(250 * last["observation"][374:376])
            assert info["episode"]["r"][row] == own - other
            ended += 1
        if mode == DISABLED and over.any():
            env.reset(options={"reset_mask": over})
    assert ended >= 8
    assert env.episode_count == ended


def values_of_row(seen: dict[str, np.ndarray], row: int) -> dict[str, np.ndarray]:
    return {key: value[row] for key, value in seen.items()}


# --- episodes that are over before the learner is asked ------------------------------------------


@pytest.mark.parametrize(("reward", "missed"), [("score_difference", -5.0), ("win", -1.0)])
def test_an_episode_that_others_win_first_is_reported(reward: str, missed: float) -> None:
    env = SevenRocksVectorEnv(2, opponents="greedy", reward=reward)

    options = {**dealt(BLOCKED, BLOCKED), "scores": [[0, 245], [0, 0]]}
    _, info = env.reset(seed=0, options=options)

    assert info["_missed_rewards"].tolist() == [True, False]
    assert info["missed_rewards"][0][0] == missed
    assert info["missed_rewards"][1] is None
    assert info["action_mask"].any(axis=1).all()
    assert env.tables.states["scores"].tolist()[0] == [0, 245]  # the next one starts from there
