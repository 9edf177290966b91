"""No agent can tell the true game from one with other hidden hands; ``state()`` shows them all."""

import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from seven_rocks_env import rules, seven_rocks_v0
from seven_rocks_env.history import replay
from seven_rocks_env.record import parse
from tests.envs import (
    AGENTS,
    BLOCKED,
    DOMINO,
    name,
    plain,
    play_moves,
    play_random,
    play_until_over,
    random_action,
    shown,
)
from tests.games import tiles_of

MATCHES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    # keywords, options
    ({"target_score": 60}, {}),
    ({"target_score": 100, "observation": "history"}, {"scores": (-35, 40)}),
    ({"episode": "round"}, {}),
    ({"episode": "round", "skip_forced": True}, BLOCKED.options()),
    ({"max_rounds": 3, "skip_forced": True}, {"deals": [BLOCKED.hands, DOMINO.hands]}),
    ({"reward": "win", "target_score": 30}, DOMINO.options()),
]


def hands_of(env: AECEnv) -> list[int]:
    """The hands at this moment, the true ones."""
    return game_of(env.unwrapped.get_state())["hands"].tolist()


def game_of(state: Any) -> np.void:
    return np.frombuffer(state.game, rules.STATE)[0]


def known_to(env: AECEnv, agent: str) -> dict[str, Any]:
    """All that ``agent`` can get from ``env``, and what everybody can."""
    raw = env.unwrapped
    known = {
        "observation": env.observe(agent),
        "info": env.infos.get(agent),
        "rewards": env.rewards,
        "cumulative rewards": env._cumulative_rewards,
        "terminations": env.terminations,
        "truncations": env.truncations,
        "agents": env.agents,
        "on turn": env.agent_selection,
        "scores": raw.scores,
        "layout": raw.layout.to_dict(),
        "ledger": [vars(entry) for entry in raw.ledger],
        "render": [env.render(), env.render(agent)],
    }
    if agent == env.agent_selection:
        views = raw.views()
        known["views"] = [views.integers, views.action_mask, views.states, views.observation]
    return plain(known)


@pytest.mark.parametrize(("keywords", "options"), MATCHES)
def test_no_agent_can_tell_a_resampled_game_from_the_true_one(
    keywords: dict[str, Any], options: dict[str, Any]
) -> None:
    env = seven_rocks_v0.env(render_mode="ansi", **keywords)
    other = seven_rocks_v0.env(render_mode="ansi", **keywords)
    env.reset(seed=1, options=options)
    play = np.random.default_rng(1)
    sample = np.random.default_rng(2)
    different = dict.fromkeys(AGENTS, 0)
    while True:
        for agent in AGENTS:
            state = env.resample(agent, sample)
            other.set_state(state)

            assert known_to(other, agent) == known_to(env, agent)
            seat = AGENTS.index(agent)
            assert hands_of(other)[seat] == hands_of(env)[seat]
            history = parse(other.unwrapped.record)
            assert history == other.unwrapped.history
            *_, replayed = replay(history)
            assert replayed.tobytes() == state.game
            different[agent] += hands_of(other) != hands_of(env)
        if not env.agents:
            break
        env.step(random_action(env, play))

    assert min(different.values()) > 10


@pytest.mark.parametrize("agent", AGENTS)
def test_a_resampled_game_deals_every_tile_once_and_respects_every_pass(agent: str) -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(seed=0, options=BLOCKED.options())
    play_moves(env, BLOCKED.moves[:12])  # seats 1 and 2 have passed: they hold no four
    rng = np.random.default_rng(0)
    seat = AGENTS.index(agent)
    for _ in range(50):
        state = env.resample(agent, rng)
        hands = game_of(state)["hands"].tolist()
        assert [len(tiles_of(hand)) for hand in hands] == [4, 5, 5, 4]
        assert sorted(tile for hand in hands for tile in tiles_of(hand)) == sorted(
            tile for hand in hands_of(env) for tile in tiles_of(hand)
        )
        assert hands[seat] == hands_of(env)[seat]
        for passed in (1, 2):
            assert not any(4 in tile for tile in tiles_of(hands[passed]))


def test_every_hidden_tile_can_turn_up_in_every_hidden_hand() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(seed=0, options=DOMINO.options())
    rng = np.random.default_rng(0)
    found: list[set[Any]] = [set(), set(), set(), set()]
    for _ in range(100):
        for seat, hand in enumerate(game_of(env.resample("player_1", rng))["hands"].tolist()):
            found[seat].update(tiles_of(hand))

    assert len(found[1]) == 7
    for hidden in (0, 2, 3):
        assert found[hidden] == set(rules.TILES) - found[1]


@pytest.mark.parametrize("seed", [3, 4])  # the first is the environment's own
def test_a_resampled_game_does_not_give_away_what_will_be_dealt(seed: int) -> None:
    env = seven_rocks_v0.raw_env()
    options = {"deals": [DOMINO.hands, BLOCKED.hands], "openers": [1, 2]}
    env.reset(seed=3, options=BLOCKED.options(**options))
    play_moves(env, BLOCKED.moves)
    true = env.get_state()

    state = env.resample("player_2", np.random.default_rng(seed))

    assert not set(state.stream) & set(true.stream)
    assert not set(game_of(state)["stream"].tolist()) & set(game_of(true)["stream"].tolist())
    assert state.np_random["state"] != true.np_random["state"]
    assert (state.options.hands, state.options.opener) == (None, None)
    assert (state.options.deals, state.options.openers) == ((), ())
    data = pickle.dumps(state)
    for word in [*true.stream, *game_of(true)["stream"].tolist()]:
        assert word.to_bytes(8, "little") not in data
    for number in true.np_random["state"].values():
        assert number.to_bytes(16, "little") not in data


def test_the_deals_to_come_of_a_resampled_game_are_drawn_anew_each_time() -> None:
    env, other = seven_rocks_v0.raw_env(), seven_rocks_v0.raw_env()
    env.reset(seed=4, options=BLOCKED.options(deals=[DOMINO.hands]))
    play_moves(env, BLOCKED.moves[:13])
    rng = np.random.default_rng(4)
    deals = set()
    for _ in range(20):
        other.set_state(env.resample("player_0", rng))
        other.step(rules.PASS)
        deals.add(other.history.rounds[1].hands)
        other.reset()
        deals.add(other.history.rounds[0].hands)

    play_moves(env, BLOCKED.moves[13:])
    assert len(deals) == 40
    assert env.history.rounds[1].hands not in deals


def test_the_same_generator_gives_the_same_sample() -> None:
    env = seven_rocks_v0.env()
    env.reset(seed=5)
    play_random(env, seed=5, steps=30)

    one, other = (env.resample("player_3", np.random.default_rng(7)) for _ in range(2))

    assert one == other
    assert one != env.resample("player_3", np.random.default_rng(8))


@pytest.mark.parametrize("keywords", [{"episode": "round"}, {"max_rounds": 2}], ids=name)
def test_once_a_round_is_settled_its_hands_are_open_and_stay(keywords: dict[str, Any]) -> None:
    env = seven_rocks_v0.raw_env(**keywords)
    env.reset(seed=6)
    play_until_over(env, seed=6)

    state = env.resample("player_0", np.random.default_rng(6))

    assert game_of(state)["hands"].tolist() == hands_of(env)


@pytest.mark.parametrize("agent", ["player_4", None, 0])
def test_resample_refuses_an_unknown_agent(agent: Any) -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(seed=0)

    with pytest.raises(ValueError, match="the agents are player_0"):
        env.resample(agent, np.random.default_rng(0))


@pytest.mark.parametrize("skip_forced", [False, True])
def test_looking_does_not_change_the_game(skip_forced: bool) -> None:
    env = seven_rocks_v0.env(target_score=60, render_mode="ansi", skip_forced=skip_forced)
    env.reset(seed=7)
    play = np.random.default_rng(7)
    sample = np.random.default_rng(7)
    while env.agents:
        before = env.get_state(), shown(env)
        for agent in AGENTS:
            known_to(env, agent)
            env.resample(agent, sample)
        env.last()
        env.unwrapped.history  # noqa: B018
        env.clone()
        assert (env.get_state(), shown(env)) == before
        env.step(random_action(env, play))


# --- views ---------------------------------------------------------------------------------------


def test_views_hold_the_hand_of_the_seat_on_turn_and_no_other() -> None:
    env = seven_rocks_v0.raw_env(target_score=60)
    env.reset(seed=8)
    play = np.random.default_rng(8)
    while not env.terminations[env.agent_selection]:
        seat = AGENTS.index(env.agent_selection)
        views = env.views()
        expected = [hand if owner == seat else 0 for owner, hand in enumerate(hands_of(env))]
        assert views.states["hands"].tolist() == [expected]
        assert not views.states["stream"].any()
        assert plain(views.observation[0]) == plain(env.observe(AGENTS[seat])["observation"])
        env.step(random_action(env, play))


# --- state() -------------------------------------------------------------------------------------


def test_state_is_the_observation_on_turn_and_the_other_hands_in_its_order() -> None:
    env = seven_rocks_v0.env(target_score=100)
    env.reset(seed=9)
    play = np.random.default_rng(9)
    while env.agents:
        seat = AGENTS.index(env.agent_selection)
        if env.terminations[env.agent_selection]:
            seat = int(game_of(env.get_state())["seat"])
        state = env.state()
        own = env.observe(AGENTS[seat])["observation"]
        assert env.state_space.contains(state)
        assert (state[:378] == own).all()
        for place in range(1, 4):
            shown_hand = state[378 + 28 * (place - 1) : 378 + 28 * place]
            tiles = tiles_of(hands_of(env)[(seat + place) % 4])
            assert [rules.TILES[tile] for tile in np.flatnonzero(shown_hand)] == tiles
        env.step(random_action(env, play))


@pytest.mark.parametrize("places", [1, 2, 3])
def test_state_does_not_depend_on_where_at_the_table_one_sits(places: int) -> None:
    env, turned = seven_rocks_v0.raw_env(), seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options())
    turned.reset(options=DOMINO.turned(places).options())

    for move in DOMINO.moves[:-1]:
        assert (env.state() == turned.state()).all()
        play_moves(env, [move])
        play_moves(turned, [move])


def test_state_by_hand() -> None:
    env = seven_rocks_v0.raw_env()
    env.reset(options=DOMINO.options())  # seat 3 leads

    state = env.state()

    hands = [np.flatnonzero(state[start : start + 28]) for start in (0, 378, 406, 434)]
    assert [tuple(rules.TILES[tile] for tile in hand) for hand in hands] == [
        ((0, 2), (0, 6), (1, 2), (2, 6), (3, 6), (4, 4), (6, 6)),  # seat 3
        ((0, 1), (1, 1), (1, 3), (1, 4), (3, 4), (3, 5), (5, 6)),  # seat 0, at its left
        ((0, 0), (0, 3), (0, 4), (1, 5), (2, 2), (2, 4), (4, 6)),  # seat 1, its partner
        ((0, 5), (1, 6), (2, 3), (2, 5), (3, 3), (4, 5), (5, 5)),  # seat 2, at its right
    ]
