"""Playing: whose turn it is, what is legal, what is paid, how an episode ends."""

import itertools
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from seven_rocks_env import rules, seven_rocks_v0
from seven_rocks_env.history import replay
from tests.envs import (
    AGENTS,
    BLOCKED,
    DOMINO,
    KEYWORDS,
    greedy_action,
    name,
    plain,
    play_moves,
    play_random,
    play_until_over,
    random_action,
    retire,
    shown,
)
from tests.games import PASS, action

MAKERS = (seven_rocks_v0.env, seven_rocks_v0.raw_env)
PLAYERS = {"random": random_action, "greedy": greedy_action}
FAR_BEHIND = (-(10**9), -1000)

# Keywords that go together, with starting scores that are allowed for them.
COMBINATIONS = [
    {
        "episode": episode,
        "reward": reward,
        "skip_forced": skip_forced,
        "max_rounds": max_rounds,
    }
    for episode, reward, skip_forced, max_rounds in itertools.product(
        ("match", "round"), ("score_difference", "win"), (False, True), (None, 1, 3)
    )
    if (episode, reward) != ("round", "win")
]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    """PettingZoo's logger prints what it warns of."""
    EnvLogger.suppress_output()
    yield
    EnvLogger.unsuppress_output()


def reset(env: AECEnv, seed: int = 0) -> AECEnv:
    env.reset(seed=seed)
    return env


# --- masks and observations ----------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("player", PLAYERS)
def test_the_mask_is_exact_at_every_step_and_zero_off_turn(
    make: Callable[..., AECEnv], player: str
) -> None:
    env = make()
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    passes = 0
    while not env.terminations[env.agent_selection]:
        states = env.unwrapped.views().states
        legal = [rules.is_legal(states[0], number) for number in range(113)]
        for agent in AGENTS:
            expected = legal if agent == env.agent_selection else [False] * 113
            assert env.observe(agent)["action_mask"].tolist() == expected
        assert env.unwrapped.action_mask().tolist() == legal
        assert env.infos[env.agent_selection]["action_mask"].tolist() == legal
        assert legal[PASS] == (sum(legal) == 1 and not any(legal[:PASS]))
        passes += legal[PASS]
        env.step(PLAYERS[player](env, rng))

    assert passes > 0
    for agent in AGENTS:
        assert not env.observe(agent)["action_mask"].any()
    assert not env.unwrapped.action_mask().any()


@pytest.mark.parametrize("make", MAKERS)
def test_only_the_agent_on_turn_has_a_mask_in_its_infos(make: Callable[..., AECEnv]) -> None:
    env = make(target_score=50)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    while env.agents:
        over = env.terminations[env.agent_selection]
        for agent in env.agents:
            on_turn = agent == env.agent_selection and not over
            assert list(env.infos[agent]) == (["action_mask"] if on_turn else [])
        env.step(random_action(env, rng))


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("scores", [(0, 0), (630, 630), (-635, 630), FAR_BEHIND], ids=str)
@pytest.mark.parametrize("target_score", [5, 635])
def test_observations_and_states_are_in_their_spaces_at_every_step(
    player: str, scores: tuple[int, int], target_score: int
) -> None:
    if max(scores) >= target_score:
        scores = (0, -5)
    env = seven_rocks_v0.raw_env(
        observation="history", target_score=target_score, episode="match", max_rounds=8
    )
    env.reset(seed=3, options={"scores": scores})
    rng = np.random.default_rng(3)
    while env.agents:
        for agent in AGENTS:
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.state_space.contains(env.state())
        env.step(PLAYERS[player](env, rng))
    assert env.state_space.contains(env.state())


def test_the_history_lists_the_actions_of_the_round_by_relative_seat() -> None:
    env = seven_rocks_v0.raw_env(observation="history", max_rounds=2)
    env.reset(seed=0, options=BLOCKED.options())
    play_moves(env, BLOCKED.moves[:11])

    partner_of_the_opener = env.observe("player_1")["history"]

    assert partner_of_the_opener[:11, 0].tolist() == [2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert partner_of_the_opener[0, 1] == action((1, 4), 0)
    assert partner_of_the_opener[10, 1] == PASS
    assert (partner_of_the_opener[11:] == -1).all()
    play_moves(env, BLOCKED.moves[11:])
    assert (env.observe("player_1")["history"] == -1).all()


def test_returned_arrays_are_the_callers_to_keep() -> None:
    env = seven_rocks_v0.env(observation="history")
    env.reset(seed=4)
    first, info = env.last()[0], env.last()[4]
    before = plain(first), plain(info), plain(env.state())

    play_random(env, seed=4, steps=40)

    assert (plain(first), plain(info)) == before[:2]


# --- order ---------------------------------------------------------------------------------------


def test_turns_go_round_from_seat_to_seat_within_a_round() -> None:
    env = seven_rocks_v0.env()
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    turns: dict[int, list[int]] = {}
    for agent in env.agent_iter():
        if not env.terminations[agent]:
            turns.setdefault(len(env.unwrapped.history.rounds), []).append(AGENTS.index(agent))
        env.step(random_action(env, rng))

    assert len(turns) > 3
    for number, seats in turns.items():
        opener = env.unwrapped.history.rounds[number - 1].opener
        assert seats == [(opener + turn) % 4 for turn in range(len(seats))]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_all_agents_end_at_once_with_python_flags_and_float_rewards(
    make: Callable[..., AECEnv], keywords: dict[str, Any]
) -> None:
    env = make(**keywords)
    env.reset(seed=6)
    rng = np.random.default_rng(6)
    while True:
        flags = [*env.terminations.values(), *env.truncations.values()]
        assert {type(flag) for flag in flags} == {bool}
        assert {type(reward) for reward in env.rewards.values()} == {float}
        assert type(env.last()[1]) is float
        assert len(set(env.terminations.values())) == len(set(env.truncations.values())) == 1
        if any(flags):
            break
        env.step(random_action(env, rng))

    for left, agent in zip((4, 3, 2, 1), AGENTS, strict=True):
        observation, _, terminated, truncated, info = env.last()
        assert env.agents == list(AGENTS[-left:])
        assert env.agent_selection == agent
        assert terminated or truncated
        assert not observation["action_mask"].any()
        assert info == {}
        env.step(None)
    assert env.agents == []
    assert env.rewards == env.terminations == env.truncations == env.infos == {}


def test_a_match_ends_by_termination_and_max_rounds_by_truncation() -> None:
    won = play_until_over(
        reset(seven_rocks_v0.raw_env(target_score=50, max_rounds=1000), 7), seed=7
    )
    stopped = play_until_over(reset(seven_rocks_v0.raw_env(max_rounds=2), 7), seed=7)
    one_round = play_until_over(
        reset(seven_rocks_v0.raw_env(episode="round", max_rounds=2), 7), seed=7
    )

    assert (won.terminations["player_0"], won.truncations["player_0"]) == (True, False)
    assert max(won.scores) >= 50
    assert (stopped.terminations["player_0"], stopped.truncations["player_0"]) == (False, True)
    assert len(stopped.history.rounds) == 2
    assert (one_round.terminations["player_0"], one_round.truncations["player_0"]) == (True, False)
    assert len(one_round.history.rounds) == 1


def test_a_match_won_in_the_last_allowed_round_is_not_truncated() -> None:
    env = seven_rocks_v0.raw_env(max_rounds=1)
    env.reset(options=DOMINO.options(scores=(0, 230)))
    play_moves(env, DOMINO.moves)

    assert env.terminations == dict.fromkeys(AGENTS, True)
    assert env.truncations == dict.fromkeys(AGENTS, False)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_max_rounds_plays_that_many_rounds(rounds: int) -> None:
    env = play_until_over(
        reset(seven_rocks_v0.raw_env(max_rounds=rounds, target_score=635), 8), seed=8
    )

    assert len(env.history.rounds) == rounds
    assert all(env.truncations.values())


# --- rewards -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("keywords", COMBINATIONS, ids=name)
def test_rewards_of_last_add_up_to_the_final_margin_or_the_win(
    make: Callable[..., AECEnv], player: str, keywords: dict[str, Any]
) -> None:
    env = make(target_score=150, **keywords)
    env.reset(seed=9, options={"scores": (40, -25)})
    rng = np.random.default_rng(9)
    received = dict.fromkeys(AGENTS, 0.0)
    paid = dict.fromkeys(AGENTS, 0.0)
    while env.agents:
        agent = env.agent_selection
        received[agent] += env.last()[1]
        env.step(PLAYERS[player](env, rng))
        for other, reward in env.rewards.items():
            paid[other] += reward
        if len(env.agents) == 4:
            assert sum(env.rewards.values()) == 0
            assert env.rewards["player_0"] == env.rewards["player_2"]
            assert env.rewards["player_1"] == env.rewards["player_3"]

    first, second = env.unwrapped.scores
    if keywords["reward"] == "win":
        margin = 0.0 if max(first, second) < 150 else 1.0 if first >= 150 else -1.0
    else:
        margin = float(first - second - 65)
    assert received == dict(zip(AGENTS, (margin, -margin, margin, -margin), strict=True))
    assert paid == received


def test_each_action_pays_what_it_changed_and_the_last_one_the_settlement_too() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options())
    paid = []
    for move in DOMINO.moves:
        play_moves(env, [move])
        paid.append(env.rewards["player_0"])

    assert paid == [0] * 6 + [-5, 10, 0, 0, -5, 0, 0, 10, 0, 0, 0, 10] + [0] * 6 + [-30]
    assert env.scores == (10, 20)


def test_points_are_paid_once() -> None:
    env = seven_rocks_v0.env(episode="round")
    env.reset(options=DOMINO.options())
    play_moves(env, DOMINO.moves[:7])  # the last of them is worth 5 to seat 1

    received = []
    for move in DOMINO.moves[7:11]:
        received.append(env.last()[1])
        assert env.last()[1] == received[-1]
        play_moves(env, [move])

    assert received == [-5, 5 - 10, -5 + 10, 5 - 10]
    assert env.last()[1] == 10 - 5


def test_a_pass_pays_nothing() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=BLOCKED.options())
    play_moves(env, BLOCKED.moves[:11])

    assert env.rewards == dict.fromkeys(AGENTS, 0.0)


def test_a_win_pays_one_at_its_end_only() -> None:
    env = seven_rocks_v0.raw_env(reward="win")
    env.reset(options=DOMINO.options(scores=(0, 230)))
    play_moves(env, DOMINO.moves[:-1])
    assert env._cumulative_rewards == dict.fromkeys(AGENTS, 0.0)

    play_moves(env, DOMINO.moves[-1:])

    assert env.rewards == {"player_0": -1, "player_1": 1, "player_2": -1, "player_3": 1}


# --- forced actions ------------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", [{}, {"episode": "round"}, {"max_rounds": 3}], ids=name)
@pytest.mark.parametrize("seed", range(5))
def test_skip_forced_is_the_same_as_playing_forced_actions_by_hand(
    seed: int, keywords: dict[str, Any]
) -> None:
    short = seven_rocks_v0.raw_env(skip_forced=True, **keywords)
    long = seven_rocks_v0.raw_env(**keywords)
    short.reset(seed=seed)
    long.reset(seed=seed)
    rng = np.random.default_rng(seed)
    forced = 0
    while short.agents:
        over = long.terminations[long.agent_selection] or long.truncations[long.agent_selection]
        if not over and long.action_mask().sum() == 1:
            long.step(int(long.action_mask().argmax()))
            forced += 1
            continue
        assert over or short.action_mask().sum() > 1
        assert but_for_rewards(shown(short)) == but_for_rewards(shown(long))
        chosen = random_action(short, rng)
        short.step(chosen)
        long.step(chosen)

    assert forced > 0
    assert short.record == long.record


def but_for_rewards(shown: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shown.items() if "rewards" not in key}


# --- illegal actions -----------------------------------------------------------------------------

# After three moves of BLOCKED seat 2 holds [0|1] [0|3] [1|5] [2|6] [3|4] [4|5] [5|6], and a one and
# a three are open: the ends of [1|4] [4|2] [2|3].
LEGAL = (
    "legal: [0|1] at low end (action 4), [0|3] at high end (action 13), "
    "[1|5] at low end (action 44), [3|4] at high end (action 77)"
)
BAD: list[Any] = [
    (112, "a pass (action 112)"),
    (5, "[0|1] at high end (action 5)"),
    (20, "[0|5] at low end (action 20)"),
    (3, "[0|0] at site 3 (action 3)"),
    (44 + 2, "[1|5] at site 2 (action 46)"),
    (113, "action 113, which is not an integer in 0..112"),
    (-1, "action -1, which is not an integer in 0..112"),
    (2**80, f"action {2**80}, which is not an integer in 0..112"),
    (4.0, "action 4.0, which is not an integer in 0..112"),
    (2.5, "action 2.5, which is not an integer in 0..112"),
    (float("nan"), "action nan, which is not an integer in 0..112"),
    ("x", "action 'x', which is not an integer in 0..112"),
    ("4", "action '4', which is not an integer in 0..112"),
    (None, "action None, which is not an integer in 0..112"),
    (True, "action True, which is not an integer in 0..112"),
    (np.bool_(True), "which is not an integer in 0..112"),
    (np.float32(4), "which is not an integer in 0..112"),
    (np.array([4]), "action array([4]), which is not an integer in 0..112"),
    (np.array(4.0), "action array(4.), which is not an integer in 0..112"),
    ([4], "action [4], which is not an integer in 0..112"),
    ((0, 1), "action (0, 1), which is not an integer in 0..112"),
    ({}, "action {}, which is not an integer in 0..112"),
]
GOOD: list[Any] = [4, np.int8(4), np.uint8(4), np.int32(4), np.int64(4), np.array(4)]


def before_the_fourth_move(make: Callable[..., AECEnv]) -> AECEnv:
    env = make()
    env.reset(seed=0, options=BLOCKED.options())
    return play_moves(env, BLOCKED.moves[:3])


@pytest.mark.parametrize(("bad", "words"), BAD, ids=repr)
def test_raw_env_refuses_an_illegal_action_in_words_and_changes_nothing(
    bad: Any, words: str
) -> None:
    env = before_the_fourth_move(seven_rocks_v0.raw_env)
    before = env.get_state(), shown(env)

    with pytest.raises(ValueError) as error:
        env.step(bad)

    assert str(error.value).startswith("player_2 may not play ")
    assert words in str(error.value)
    assert str(error.value).endswith(LEGAL)
    assert (env.get_state(), shown(env)) == before


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("good", GOOD, ids=repr)
def test_any_integer_type_is_accepted(make: Callable[..., AECEnv], good: Any) -> None:
    env = before_the_fourth_move(make)

    env.step(good)

    assert env.unwrapped.layout.tiles[-1] == (0, 1)
    assert env.agent_selection == "player_3"


def test_raw_env_refuses_a_placement_from_a_seat_that_has_to_pass() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=BLOCKED.options())
    play_moves(env, BLOCKED.moves[:10])

    with pytest.raises(ValueError) as error:
        env.step(action((1, 2), 0))

    assert str(error.value) == (
        "player_1 may not play [1|2] at line side A (action 32); legal: a pass (action 112)"
    )


@pytest.mark.parametrize("bad", [112, 5, 20, 3, 46, True, np.int64(112), np.array(5)], ids=repr)
def test_env_ends_the_game_at_an_illegal_action_and_pays_the_offender_alone(bad: Any) -> None:
    env = before_the_fourth_move(seven_rocks_v0.env)
    game = env.get_state().game

    env.step(bad)

    assert env.rewards == {"player_0": 0, "player_1": 0, "player_2": -1, "player_3": 0}
    assert env.terminations == dict.fromkeys(AGENTS, True)
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert env.infos == {agent: {} for agent in AGENTS}
    assert env.get_state().game == game
    for agent in AGENTS:
        assert not env.observe(agent)["action_mask"].any()
    # Player 3 has still to be told of the five points that its own lead was worth.
    rewards = {}
    for agent in env.agent_iter():
        rewards[agent] = env.last()[1]
        env.step(None)
    assert rewards == {"player_0": 0, "player_1": 0, "player_2": -1, "player_3": 5}
    assert env.agents == []


@pytest.mark.parametrize(
    "bad", [113, -1, 2**62, 2.5, "x", None, np.float32(4), np.array([4]), np.bool_(True)], ids=repr
)
def test_env_refuses_what_is_no_action_and_changes_nothing(bad: Any) -> None:
    env = before_the_fourth_move(seven_rocks_v0.env)
    before = env.get_state(), shown(env)

    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(bad)

    assert (env.get_state(), shown(env)) == before


def test_env_says_nothing_about_legal_actions_and_warns_of_an_illegal_one() -> None:
    env = before_the_fourth_move(seven_rocks_v0.env)
    EnvLogger.flush()

    env.step(4)
    assert EnvLogger.mqueue == []
    env.step(112)
    assert "Illegal move made" in EnvLogger.mqueue[0]


@pytest.mark.parametrize("make", MAKERS)
def test_only_none_is_accepted_from_an_agent_that_has_ended(make: Callable[..., AECEnv]) -> None:
    env = make(episode="round")
    env.reset(options=DOMINO.options())
    play_moves(env, DOMINO.moves)
    before = shown(env)

    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(4)

    assert shown(env) == before


# --- before the first reset, and after the end ---------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.state(),
        lambda env: env.views(),
        lambda env: env.history,
        lambda env: env.ledger,
        lambda env: env.record,
        lambda env: env.get_state(),
        lambda env: env.resample("player_0", np.random.default_rng(0)),
    ],
)
def test_raw_env_asks_for_a_reset_first(use: Callable[[Any], Any]) -> None:
    env = seven_rocks_v0.raw_env()

    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) first"):
        use(env)
    env.reset(seed=0)


@pytest.mark.parametrize(
    "use",
    [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.state(),
        lambda env: env.render(),
        lambda env: env.agent_iter(),
        lambda env: env.last(),
        lambda env: env.agents,
        lambda env: env.rewards,
        lambda env: env.num_agents,
    ],
)
def test_env_asks_for_a_reset_first(use: Callable[[Any], Any]) -> None:
    env = seven_rocks_v0.env()

    with pytest.raises((AssertionError, AttributeError), match="before"):
        use(env)
    env.reset(seed=0)


@pytest.mark.parametrize(
    "look",
    [
        lambda env: env.scores,
        lambda env: env.layout,
        lambda env: env.record,
        lambda env: env.state(),
        lambda env: env.render(),
    ],
)
def test_before_the_reset_there_is_nothing_to_look_at(look: Callable[[AECEnv], object]) -> None:
    env = seven_rocks_v0.raw_env(render_mode="ansi")

    assert env.agents == []
    with pytest.raises(gymnasium.error.ResetNeeded):
        look(env)


def test_a_step_after_the_end_is_an_error_of_raw_env_and_a_warning_of_env() -> None:
    raw = play_random(reset(seven_rocks_v0.raw_env(episode="round")), seed=0)
    env = play_random(reset(seven_rocks_v0.env(episode="round")), seed=0)
    EnvLogger.flush()

    with pytest.raises(gymnasium.error.ResetNeeded):
        raw.step(None)
    env.step(None)

    assert "step() called after all agents are terminated" in EnvLogger.mqueue[0]
    assert raw.agents == env.agents == []


@pytest.mark.parametrize("make", MAKERS)
def test_after_the_end_everything_can_still_be_looked_at(make: Callable[..., AECEnv]) -> None:
    env = make(episode="round", observation="history", render_mode="ansi")
    env.reset(options=DOMINO.options())
    play_moves(env, DOMINO.moves)
    retire(env)

    raw = env.unwrapped
    assert raw.scores == (10, 20)
    assert raw.ledger[-1].score == 10
    assert raw.layout.tiles[-1] == (3, 6)
    assert "Domino by 3" in raw.record
    assert "domino by seat 3" in env.render()
    assert env.observe("player_0")["action_mask"].sum() == 0
    assert env.state().shape == (462,)
    assert not raw.action_mask().any()


@pytest.mark.parametrize("agent", ["player_4", "", None, 0])
@pytest.mark.parametrize("make", MAKERS)
def test_an_unknown_agent_is_refused_by_name(make: Callable[..., AECEnv], agent: Any) -> None:
    env = reset(make())

    with pytest.raises(ValueError, match="the agents are player_0, player_1, player_2, player_3"):
        env.observe(agent)


# --- the record of play --------------------------------------------------------------------------


@pytest.mark.parametrize("keywords", KEYWORDS, ids=name)
def test_the_history_replays_to_the_game(keywords: dict[str, Any]) -> None:
    env = play_until_over(reset(seven_rocks_v0.raw_env(**keywords), 10), seed=10)

    *_, last = replay(env.history)

    assert last.tobytes() == env.get_state().game
    assert env.ledger[-1].score == env.scores[env.ledger[-1].partnership]


def test_human_mode_prints_every_step_and_how_each_round_ended(
    capsys: pytest.CaptureFixture[str],
) -> None:
    env = seven_rocks_v0.raw_env(render_mode="human", max_rounds=2)
    env.reset(seed=5)
    steps = 0
    while not any(env.truncations.values()):
        env.step(int(env.action_mask().argmax()))
        steps += 1
    printed = capsys.readouterr().out

    assert printed.count("Round 1: over") == printed.count("Round 2: over") == 1
    assert printed.count("End sum:") == steps + 1
