"""The Gymnasium environment: one seat or one partnership against given policies."""

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from seven_rocks_env import SevenRocksEnv
from seven_rocks_env.policies import GreedyPolicy, RandomPolicy, Views
from tests.envs import AGENTS, BLOCKED, DOMINO, Script, name, plain
from tests.games import PASS, action

ID = "seven_rocks_env/SevenRocks-v0"
SEATS = [(0,), (1,), (2,), (3,), (0, 2), (1, 3)]
KEYWORDS: list[dict[str, Any]] = [
    {},
    {"seats": (1, 3)},
    {"seats": (2,), "flatten": True},
    {"observation": "history", "illegal_action": "random"},
    {"reward": "win", "target_score": 50, "partner": "greedy"},
    {"episode": "round", "skip_forced": True, "opponents": "random"},
    {"max_rounds": 1, "illegal_action": "random"},
]


def own_action(env: SevenRocksEnv, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(env.action_masks())))


def played_out(env: Any, rng_seed: int, *, seed: int | None = None, **options: Any) -> list[Any]:
    """An episode of random actions: what ``reset`` and each ``step`` returned, as plain values."""
    rng = np.random.default_rng(rng_seed)
    trace: list[Any] = [env.reset(seed=seed, options=options)]
    over = False
    while not over:
        trace.append(env.step(own_action(env.unwrapped, rng)))
        over = trace[-1][2] or trace[-1][3]
    return plain(trace)


# --- Gymnasium's own checks ----------------------------------------------------------------------


@pytest.mark.parametrize("render_mode", [None, "ansi"])
@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_check_env_passes_without_a_warning(
    keywords: dict[str, Any], render_mode: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(ID, render_mode=render_mode, **keywords)
        check_env(env.unwrapped)
        played_out(env, 0, seed=0)  # under the passive checker

    assert "Round 1: seat" in capsys.readouterr().out  # the human mode, which check_env tries


@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_observations_are_in_the_space(keywords: dict[str, Any]) -> None:
    env = SevenRocksEnv(**keywords)
    rng = np.random.default_rng(1)
    seen, _ = env.reset(seed=1)
    for _ in range(200):
        assert env.observation_space.contains(seen)
        seen, reward, terminated, truncated, _ = env.step(own_action(env, rng))
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        if terminated or truncated:
            assert env.observation_space.contains(seen)
            seen, _ = env.reset()


def test_flatten_leaves_the_box_of_the_same_numbers() -> None:
    env, flat = SevenRocksEnv(), SevenRocksEnv(flatten=True)

    assert flat.observation_space == env.observation_space["observation"]
    assert (flat.reset(seed=2)[0] == env.reset(seed=2)[0]["observation"]).all()
    rng = np.random.default_rng(2)
    chosen = own_action(env, rng)
    one, other = env.step(chosen), flat.step(chosen)
    assert (other[0] == one[0]["observation"]).all()
    assert other[1:4] == one[1:4]
    assert plain(other[4]) == plain(one[4])


# --- seats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", SEATS, ids=str)
def test_the_learner_is_asked_at_its_seats_and_nowhere_else(seats: tuple[int, ...]) -> None:
    env = SevenRocksEnv(seats=seats)
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=3)
    asked = set()
    over = False
    while not over:
        assert env.aec.agent_selection == AGENTS[info["seat"]]
        asked.add(info["seat"])
        _, _, terminated, truncated, info = env.step(own_action(env, rng))
        over = terminated or truncated
    assert asked == set(seats)
    assert info["seat"] in seats


@pytest.mark.parametrize("seats", SEATS, ids=str)
def test_masks_and_observations_are_those_of_the_seat_on_turn(seats: tuple[int, ...]) -> None:
    env = SevenRocksEnv(seats=seats, target_score=100)
    rng = np.random.default_rng(4)
    seen, info = env.reset(seed=4)
    over = False
    while not over:
        expected = env.aec.observe(AGENTS[info["seat"]])
        assert plain(seen) == plain(expected)
        assert (info["action_mask"] == expected["action_mask"]).all()
        assert (env.action_masks() == expected["action_mask"].astype(bool)).all()
        assert env.action_masks().dtype == bool
        assert env.action_masks().any()
        seen, _, terminated, truncated, info = env.step(own_action(env, rng))
        over = terminated or truncated
    assert not info["action_mask"].any()
    assert not env.action_masks().any()


def test_a_single_seat_has_a_partner_that_plays_its_own_policy() -> None:
    played: dict[str, set[int]] = {"partner": set(), "opponents": set()}

    class Watched(RandomPolicy):
        def __init__(self, name: str) -> None:
            self.name = name

        def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            played[self.name].update(views.states["seat"].tolist())
            return super().act(views, rng)

    env = SevenRocksEnv(seats=(1,), partner=Watched("partner"), opponents=Watched("opponents"))
    played_out(env, 5, seed=5)

    assert played == {"partner": {3}, "opponents": {0, 2}}


def test_policies_see_the_hand_of_the_seat_that_they_play_and_no_other() -> None:
    class Nosy(GreedyPolicy):
        def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            (state,) = views.states
            assert np.flatnonzero(state["hands"]).tolist() == [state["seat"]]
            assert not state["stream"].any()
            return super().act(views, rng)

    played_out(SevenRocksEnv(partner=Nosy(), opponents=Nosy()), 6, seed=6)


# --- rewards -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", SEATS, ids=str)
@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"skip_forced": True},
        {"episode": "round"},
        {"episode": "round", "skip_forced": True},
        {"max_rounds": 2},
        {"reward": "win"},
        {"reward": "win", "max_rounds": 2, "skip_forced": True},
    ],
    ids=name,
)
def test_rewards_add_up_to_the_final_margin_or_the_win(
    seats: tuple[int, ...], keywords: dict[str, Any]
) -> None:
    env = SevenRocksEnv(seats=seats, target_score=150, **keywords)
    rng = np.random.default_rng(7)
    for episode in range(4):
        _, info = env.reset(seed=episode, options={"scores": (20, -15)})
        assert "missed_rewards" not in info
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, _ = env.step(own_action(env, rng))
            total += reward
            over = terminated or truncated
        own, other = env.aec.scores if seats[0] % 2 == 0 else env.aec.scores[::-1]
        margin = 35 if seats[0] % 2 == 0 else -35
        if keywords.get("reward") == "win":
            assert total == (0 if max(own, other) < 150 else 1 if own >= 150 else -1)
        else:
            assert total == own - other - margin


def test_a_reward_is_what_the_partnership_earned_since_the_last_decision() -> None:
    env = SevenRocksEnv(seats=(3,), partner=Scripted(DOMINO), opponents=Scripted(DOMINO))
    env.reset(options=DOMINO.options())

    rewards = [env.step(action(*move))[1] for move in DOMINO.moves[::4]]

    # The last one holds 10 for the tile and 20 that the opponents lose in the settlement.
    assert rewards == [0, -5, 5, -10, -10, 0, 30]


def test_the_first_reward_holds_what_happened_before_the_first_decision() -> None:
    env = SevenRocksEnv(seats=(0,), partner=Scripted(BLOCKED), opponents=Scripted(BLOCKED))
    env.reset(options=BLOCKED.options())

    # Before it seat 3 has led for five points, after it the partner places for five points.
    assert env.step(action((2, 4), 1))[1] == -5 + 5


class Scripted:
    """Plays the script's move, by the number of the action in the round."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        move = self.script.moves[int(views.states["num_actions"][0])]
        return np.array([PASS if move is None else action(*move)])


# --- episodes that are over before the learner is asked ------------------------------------------


@pytest.mark.parametrize(("reward", "missed"), [("score_difference", -5.0), ("win", -1.0)])
def test_an_episode_that_others_win_first_is_reported(reward: str, missed: float) -> None:
    env = SevenRocksEnv(opponents="greedy", reward=reward)

    _, info = env.reset(seed=0, options=BLOCKED.options(scores=(0, 245)))

    assert info["missed_rewards"][0] == missed
    assert len(env.aec.agents) == 4
    assert info["action_mask"].any()
    assert env.aec.history.scores == (0, 245)


@pytest.mark.parametrize("reward", ["score_difference", "win"])
@pytest.mark.parametrize("seats", [(0,), (1,), (1, 3)], ids=str)
def test_no_reward_is_lost_when_episodes_are_missed(
    seats: tuple[int, ...], reward: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = SevenRocksEnv(
        seats=seats,
        opponents="greedy",
        partner="greedy" if len(seats) == 1 else None,
        reward=reward,
    )
    paid: list[float] = []
    step = env.aec.step

    def watched_step(number: Any) -> None:
        step(number)
        paid.append(env.aec.rewards[AGENTS[seats[0]]])

    monkeypatch.setattr(env.aec, "step", watched_step)
    rng = np.random.default_rng(8)
    received, missed = 0.0, 0
    for seed in range(40):
        _, info = env.reset(seed=seed, options={"scores": (245, 245)})
        received += sum(info.get("missed_rewards", []))
        missed += len(info.get("missed_rewards", []))
        over = False
        while not over:
            _, got, terminated, truncated, _ = env.step(own_action(env, rng))
            received += got
            over = terminated or truncated

    assert missed >= 5
    assert received == sum(paid)


# --- illegal actions -----------------------------------------------------------------------------

BAD = [112, 5, 113, -1, 2**80, 2.5, "x", None, True, np.int64(112), np.float32(4), np.array([4])]


def before_a_lead(**keywords: Any) -> SevenRocksEnv:
    """Seat 3 is to lead and may play actions 0, 8, 20, 28, 40, 52 and 88."""
    env = SevenRocksEnv(seats=(3,), **keywords)
    env.reset(seed=0, options=BLOCKED.options())
    return env


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_terminate_ends_the_episode_with_minus_one(bad: Any) -> None:
    env = before_a_lead()
    before = env.aec.get_state().game

    seen, reward, terminated, truncated, info = env.step(bad)

    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] is True
    assert not info["action_mask"].any()
    assert not seen["action_mask"].any()
    assert not env.action_masks().any()
    assert env.observation_space.contains(seen)
    assert env.aec.get_state().game == before
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    assert env.step(own_action(env, np.random.default_rng(0)))[2] is False


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_raise_names_the_action_and_changes_nothing(bad: Any) -> None:
    env = before_a_lead(illegal_action="raise")
    before = env.aec.get_state()

    with pytest.raises(ValueError, match=r"player_3 may not play .*; legal: \[0\|0\] at the lead"):
        env.step(bad)

    assert env.aec.get_state() == before
    assert "illegal_action" not in env.step(40)[4]


@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_random_plays_a_legal_action_instead_and_says_so(bad: Any) -> None:
    leads = set()
    for seed in range(60):
        env = SevenRocksEnv(seats=(3,), illegal_action="random")
        env.reset(seed=seed, options=BLOCKED.options())
        info = env.step(bad)[4]
        assert info["illegal_action"] is True
        leads.add(env.aec.history.rounds[0].actions[0])

    assert leads == {0, 8, 20, 28, 40, 52, 88}


def test_random_is_the_same_for_the_same_seed() -> None:
    traces = []
    for _ in range(2):
        env = SevenRocksEnv(illegal_action="random")
        env.reset(seed=9)
        traces.append(plain([env.step(-1) for _ in range(10)]))

    assert traces[0] == traces[1]


@pytest.mark.parametrize("illegal_action", ["terminate", "raise", "random"])
@pytest.mark.parametrize("good", [40, np.int32(40), np.int64(40), np.array(40)], ids=repr)
def test_any_integer_type_is_accepted(illegal_action: Any, good: Any) -> None:
    env = before_a_lead(illegal_action=illegal_action)

    info = env.step(good)[4]

    assert "illegal_action" not in info
    assert env.aec.history.rounds[0].actions[0] == 40


# --- seeds and copies ----------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_a_seed_fixes_deals_lots_and_the_policies_chance(keywords: dict[str, Any]) -> None:
    env, other = SevenRocksEnv(**keywords), SevenRocksEnv(**keywords)

    assert played_out(env, 1, seed=10) == played_out(other, 1, seed=10)
    assert played_out(env, 2) == played_out(other, 2)
    assert played_out(env, 1, seed=10) != played_out(other, 1, seed=11)


def test_options_are_those_of_the_aec_environment() -> None:
    env = SevenRocksEnv(seats=(3,))
    env.reset(seed=0, options=DOMINO.options(scores=(-5, 10)))
    assert env.aec.scores == (-5, 10)
    assert env.aec.agent_selection == "player_3"
    assert env.aec.history.rounds[0].opener == 3

    with pytest.raises(ValueError, match="opener must be a seat from 0 to 3, got 4"):
        env.reset(options={"opener": 4})


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_copy_in_mid_game_plays_on_alike(way: Any, wrapped: bool) -> None:
    env = gymnasium.make(ID, target_score=100) if wrapped else SevenRocksEnv(target_score=100)
    rng = np.random.default_rng(12)
    env.reset(seed=12)
    for _ in range(3):
        env.step(own_action(env.unwrapped, rng))
    copied = way(env)

    actions = np.random.default_rng(13)
    traces: list[Any] = []
    for one in (copied, env):
        one.unwrapped.action_space.seed(0)
        steps = [one.step(own_action(one.unwrapped, copy.deepcopy(actions))) for _ in range(3)]
        traces.append(plain([*steps, one.reset()]))
    assert traces[0] == traces[1]


# --- wrappers and vectors ------------------------------------------------------------------------


def test_gymnasiums_wrappers_fit_around_it() -> None:
    env = gymnasium.make(ID, target_score=100)
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.wrappers.FlattenObservation(env))
    rng = np.random.default_rng(14)
    seen, _ = env.reset(seed=14)
    assert env.observation_space.contains(seen)
    assert seen.shape == (378 + 113,)
    total, over = 0.0, False
    while not over:
        seen, reward, terminated, truncated, info = env.step(own_action(env.unwrapped, rng))
        assert env.observation_space.contains(seen)
        total += reward
        over = terminated or truncated
    assert info["episode"]["r"] == total


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_vector_of_it_loses_no_reward_at_its_automatic_resets(mode: AutoresetMode) -> None:
    venv = gymnasium.make_vec(
        ID,
        num_envs=3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        target_score=50,
    )
    margins: list[float] = []
    for env in venv.envs:
        watch_the_end(env.unwrapped, margins)
    rng = np.random.default_rng(15)
    venv.reset(seed=15)
    totals = np.zeros(3)
    received: list[float] = []
    resetting = np.zeros(3, bool)
    for _ in range(300):
        masks = [env.unwrapped.action_masks() for env in venv.envs]
        actions = [int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks]
        _, rewards, terminated, truncated, _ = venv.step(actions)
        totals += np.where(resetting, 0, rewards)
        if mode == AutoresetMode.NEXT_STEP:
            assert not rewards[resetting].any()
        for index in np.flatnonzero(terminated | truncated):
            received.append(totals[index])
            totals[index] = 0
        if mode == AutoresetMode.NEXT_STEP:
            resetting = terminated | truncated
    assert len(received) > 10
    assert received == margins[: len(received)]


def test_a_vector_of_it_reports_missed_episodes() -> None:
    venv = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="sync")

    _, info = venv.reset(seed=0, options=BLOCKED.options(scores=(0, 245)))

    assert info["_missed_rewards"].tolist() == [True, True]
    assert [missed[0] for missed in info["missed_rewards"]] == [-5.0, -5.0]


def watch_the_end(env: SevenRocksEnv, margins: list[float]) -> None:
    """Append the final margin of every episode to ``margins`` when it ends."""
    step = env.step

    def watched_step(chosen: Any) -> Any:
        result = step(chosen)
        if result[2]:
            first, second = env.aec.scores
            margins.append(float(first - second))
        return result

    env.step = watched_step  # type: ignore[method-assign]


# --- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "policy",
    ["greedy", "seven_rocks_env.policies:GreedyPolicy", GreedyPolicy()],
    ids=["name", "module:attribute", "object"],
)
def test_a_policy_can_be_given_by_name_or_as_an_object(policy: Any) -> None:
    env = SevenRocksEnv(partner=policy, opponents=policy)

    assert played_out(env, 1, seed=16) == played_out(
        SevenRocksEnv(partner="greedy", opponents="greedy"), 1, seed=16
    )


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"seats": (0, 1)}, "seats must be one of (0,), (1,), (2,), (3,), (0, 2), (1, 3), got"),
        ({"seats": (2, 0)}, "seats must be one of"),
        ({"seats": (0, 1, 2, 3)}, "seats must be one of"),
        ({"seats": ()}, "seats must be one of"),
        ({"seats": (4,)}, "seats must be one of"),
        ({"seats": 0}, "seats must be one of"),
        ({"seats": None}, "seats must be one of"),
        ({"seats": "02"}, "seats must be one of"),
        ({"opponents": "nobody"}, "no policy is called 'nobody'; use random, greedy"),
        ({"partner": "no.such:thing"}, "policy 'no.such:thing' cannot be loaded"),
        (
            {"opponents": None},
            "opponents must be a policy's name or an object with act(views, rng)",
        ),
        ({"seats": (0, 2), "partner": "greedy"}, "partner needs a learner with one seat"),
        ({"partner": RandomPolicy}, "partner must be a policy's name or an object with act"),
        ({"opponents": 3}, "opponents must be a policy's name or an object with act"),
        ({"flatten": "yes"}, "flatten must be one of False, True, got 'yes'"),
        ({"flatten": True, "observation": "history"}, 'needs observation="features"'),
        ({"illegal_action": "ignore"}, "illegal_action must be one of 'terminate', 'raise', 'ran"),
    ],
    ids=str,
)
def test_a_bad_argument_is_refused_with_what_is_allowed(
    keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError) as error:
        SevenRocksEnv(**keywords)

    assert message in str(error.value)


@pytest.mark.parametrize("seats", [[0, 2], np.array([0, 2]), range(0, 4, 2)], ids=str)
def test_seats_can_be_any_sequence(seats: Any) -> None:
    assert SevenRocksEnv(seats=seats).seats == (0, 2)


def test_a_policy_that_plays_illegally_is_an_error_that_names_the_action() -> None:
    class Illegal:
        def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
            return np.array([PASS])

    with pytest.raises(ValueError, match="player_3 may not play a pass"):
        SevenRocksEnv(opponents=Illegal()).reset(options=BLOCKED.options())


@pytest.mark.parametrize("use", [lambda env: env.step(0), lambda env: env.action_masks()])
def test_a_reset_is_asked_for_first(use: Any) -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        use(SevenRocksEnv())


def test_a_reset_is_asked_for_after_the_end() -> None:
    env = SevenRocksEnv(episode="round")
    played_out(env, 1, seed=17)

    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_render_shows_the_learners_hand() -> None:
    env = SevenRocksEnv(seats=(3,), render_mode="ansi")
    env.reset(options=BLOCKED.options())

    assert "Hand of seat 3:  [0|0] [0|2] [0|5] [1|1] [1|4] [2|2] [4|4]" in env.render()
    assert "[5|5]" not in env.render()
