"""Many games at once: the same games as one by one, with resets, truncation and refusals."""

from typing import Any

import numpy as np
import pytest

from seven_rocks_env import observation as obs
from seven_rocks_env import rules
from seven_rocks_env.batch import Batch
from tests.games import PASS, action, hand, legal

DEAL = [hand(*rules.TILES[7 * seat : 7 * seat + 7]) for seat in range(4)]


def choose(batch: Batch) -> np.ndarray:
    """A legal action for every game that depends on the game's state alone; 0 in an ended game."""
    legal_up_to = batch.action_mask.cumsum(axis=1)
    counts = np.maximum(legal_up_to[:, -1], 1)
    number = (5 * batch.states["num_actions"].astype(int) + batch.states["round"]) % counts
    return (legal_up_to > number[:, None]).argmax(axis=1)


def playing(batch: Batch) -> np.ndarray:
    return batch.states["phase"] == rules.PLAYING


def played_out(**settings: Any) -> tuple[Batch, np.ndarray]:
    """A batch without autoreset, played to the end of every game, and each seat's total reward."""
    batch = Batch(12, seed=3, autoreset=False, **settings)
    returns = np.zeros((12, 4))
    while playing(batch).any():
        batch.step(choose(batch))
        returns += batch.rewards
    return batch, returns


# --- one game and many ---------------------------------------------------------------------------


def test_game_i_is_the_same_in_a_batch_of_any_size() -> None:
    batches = [Batch(size, seed=1) for size in (1, 3, 8)]
    for _ in range(150):
        for batch in batches:
            batch.step(choose(batch))
        for batch in batches[:2]:
            n = batch.num_envs
            assert batch.states.tobytes() == batches[2].states[:n].tobytes()
            assert np.array_equal(batch.observation, batches[2].observation[:n])
            assert np.array_equal(batch.rewards, batches[2].rewards[:n])


def test_a_game_in_a_batch_is_played_by_the_rules() -> None:
    batch = Batch(4, seed=2, target_score=100)
    games = [state.copy() for state in batch.states]
    for _ in range(150):
        actions = choose(batch)
        batch.step(actions)
        for index, game in enumerate(games):
            rules.play(game, actions[index])
            if game["phase"] == rules.WON:
                rules.new_match(game, game["stream"].copy(), 100, 0, 0)
            if game["phase"] != rules.PLAYING:
                rules.next_round(game)
            assert game.tobytes() == batch.states[index].tobytes()


def test_the_buffers_show_the_seat_on_turn_and_stay_the_same_arrays() -> None:
    batch = Batch(5, seed=4)
    names = ("states", "observation", "action_mask", "seat", "rewards", "terminations")
    names += ("truncations", "final_scores")
    buffers = {name: getattr(batch, name) for name in names}
    integers = np.empty(obs.SIZE, np.int8)
    for _ in range(100):
        for index, state in enumerate(batch.states):
            assert batch.seat[index] == state["seat"]
            assert set(np.flatnonzero(batch.action_mask[index])) == legal(state)
            obs.encode(state, int(state["seat"]), integers)
            assert np.array_equal(batch.observation[index], integers)
        batch.step(choose(batch))

    assert all(getattr(batch, name) is buffer for name, buffer in buffers.items())


def test_the_seed_fixes_everything_and_other_seeds_and_games_differ() -> None:
    batch, same, other = Batch(6, seed=5), Batch(6, seed=5), Batch(6, seed=6)
    assert batch.states.tobytes() == same.states.tobytes()
    assert len({state["hands"].tobytes() for state in (*batch.states, *other.states)}) == 12

    for _ in range(40):
        same.step(choose(same))
    same.reset(5)
    assert batch.states.tobytes() == same.states.tobytes()
    assert np.array_equal(batch.observation, same.observation)
    assert np.array_equal(batch.action_mask, same.action_mask)


def test_without_a_seed_every_batch_is_another_one() -> None:
    assert Batch(1).states["hands"].tolist() != Batch(1).states["hands"].tolist()


# --- rewards -------------------------------------------------------------------------------------


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("episode", ["match", "round"])
def test_score_differences_add_up_to_the_final_margin(episode: str, skip_forced: bool) -> None:
    batch, returns = played_out(episode=episode, skip_forced=skip_forced)
    margins = batch.final_scores[:, 0] - batch.final_scores[:, 1]

    assert np.array_equal(batch.final_scores, batch.states["scores"])
    assert np.array_equal(returns, margins[:, None] * [1, -1, 1, -1])
    assert (margins != 0).any()


@pytest.mark.parametrize("skip_forced", [False, True])
def test_wins_add_up_to_one_for_the_winners(skip_forced: bool) -> None:
    batch, returns = played_out(reward="win", skip_forced=skip_forced)
    won = np.where(batch.states["winner"] == 0, 1, -1)

    assert set(won) == {1, -1}
    assert np.array_equal(returns, won[:, None] * [1, -1, 1, -1])


def test_a_credit_is_paid_in_the_step_that_earned_it_and_never_again() -> None:
    hands = [
        hand((5, 5), (6, 6), (0, 1), (0, 2), (0, 3), (0, 4), (0, 6)),
        hand((4, 6), (1, 1), (1, 2), (1, 3), (1, 4), (1, 6), (2, 2)),
        hand((0, 5), (0, 0), (2, 3), (2, 4), (2, 6), (3, 3), (3, 4)),
        hand((1, 5), (2, 5), (3, 5), (4, 5), (5, 6), (3, 6), (4, 4)),
    ]
    batch = Batch(1, seed=0)
    batch.reset(0, hands=[hands], openers=[0])
    paid = []
    for chosen in (action((5, 5), 0), PASS, action((0, 5), 0), action((1, 5), 1)):
        batch.step(np.array([chosen]))
        paid.append(batch.rewards[0].tolist())

    # Sums 10, 10 (a pass), 10 and 1.
    assert paid == [[10, -10, 10, -10], [0, 0, 0, 0], [10, -10, 10, -10], [0, 0, 0, 0]]


# --- forced actions ------------------------------------------------------------------------------


@pytest.mark.parametrize("episode", ["match", "round"])
def test_skipping_forced_actions_gives_the_same_games(episode: str) -> None:
    by_hand, _ = played_out(episode=episode)
    skipped, _ = played_out(episode=episode, skip_forced=True)

    assert skipped.states.tobytes() == by_hand.states.tobytes()
    assert np.array_equal(skipped.final_scores, by_hand.final_scores)


def test_with_forced_actions_skipped_every_seat_on_turn_has_a_choice() -> None:
    batch = Batch(8, seed=7, skip_forced=True)
    for _ in range(100):
        assert (batch.action_mask.sum(axis=1) >= 2).all()
        batch.step(choose(batch))


# --- the end of an episode -----------------------------------------------------------------------


@pytest.mark.parametrize("episode", ["match", "round"])
def test_autoreset_starts_the_next_episode_in_the_step_that_ended_one(episode: str) -> None:
    batch = Batch(6, seed=8, episode=episode, target_score=60)
    kept = Batch(6, seed=8, episode=episode, target_score=60, autoreset=False)
    ended = np.zeros(6, bool)
    while not ended.all():
        actions = choose(batch)
        final_scores = batch.final_scores.copy()
        batch.step(actions)
        kept.step(np.where(ended, 0, actions))
        assert np.array_equal(batch.rewards[~ended], kept.rewards[~ended])
        for index in np.flatnonzero(~ended):
            state, last = batch.states[index], kept.states[index]
            if not batch.terminations[index]:
                assert state.tobytes() == last.tobytes()
                assert np.array_equal(batch.final_scores[index], final_scores[index])
                continue
            ended[index] = True
            assert kept.terminations[index]
            assert batch.final_scores[index].tolist() == last["scores"].tolist()
            assert state["scores"].tolist() == [0, 0]
            assert (state["round"], state["phase"], state["num_actions"]) == (0, rules.PLAYING, 0)
            assert batch.action_mask[index].sum() == 7
            assert obs.view(batch.observation[index])["hand"].sum() == 7
        assert not batch.truncations.any()


def test_flags_and_rewards_of_an_end_are_gone_in_the_next_step() -> None:
    batch = Batch(1, seed=9, episode="round")
    while not batch.terminations[0]:
        batch.step(choose(batch))
    final_scores = batch.final_scores.copy()
    assert batch.rewards[0, 0] == final_scores[0, 0] - final_scores[0, 1] - before_the_end(seed=9)

    batch.step(choose(batch))
    assert not batch.terminations[0]
    assert (
        batch.rewards[0].tolist()
        == (np.array([1, -1, 1, -1]) * (batch.states["scores"][0] @ [1, -1])).tolist()
    )
    assert np.array_equal(batch.final_scores, final_scores)


def before_the_end(seed: int) -> float:
    """The margin before the last action of the round that ``seed`` gives."""
    batch = Batch(1, seed=seed, episode="round", autoreset=False)
    while playing(batch)[0]:
        margin = float(batch.states["scores"][0] @ [1, -1])
        batch.step(choose(batch))
    return margin


def test_without_autoreset_an_ended_game_stays_and_ignores_its_actions() -> None:
    batch = Batch(6, seed=10, episode="round", autoreset=False)
    while playing(batch).all():
        batch.step(choose(batch))
    ended = ~playing(batch)
    assert np.array_equal(batch.terminations, ended)
    assert not batch.action_mask[ended].any()
    assert not obs.view(batch.observation[ended])["turn"].any()
    before = batch.states[ended].tobytes()

    batch.step(np.where(ended, -5, choose(batch)))
    assert batch.states[ended].tobytes() == before
    assert not batch.terminations[ended].any()
    assert not batch.rewards[ended].any()


def test_a_match_is_cut_off_after_max_rounds() -> None:
    batch, _ = played_out(max_rounds=2)

    assert (batch.states["round"] == 1).all()
    assert (batch.states["phase"] != rules.WON).all()

    again = Batch(12, seed=3, autoreset=False, max_rounds=2)
    while playing(again).any():
        was_playing = playing(again)
        again.step(choose(again))
        assert np.array_equal(again.truncations, was_playing & ~playing(again))
        assert not again.terminations.any()


def test_a_match_that_is_won_in_its_last_round_is_terminated_not_truncated() -> None:
    batch = Batch(1, seed=11, target_score=5, max_rounds=1, autoreset=False)
    while playing(batch)[0]:
        batch.step(choose(batch))

    assert batch.states["phase"][0] == rules.WON
    assert (batch.terminations[0], batch.truncations[0]) == (True, False)


def test_autoreset_after_a_truncation() -> None:
    batch = Batch(3, seed=12, max_rounds=1)
    truncated = 0
    for _ in range(120):
        batch.step(choose(batch))
        truncated += batch.truncations.sum()
        assert (batch.states["round"] == 0).all()
        assert (batch.states["scores"][batch.truncations] == 0).all()

    assert truncated >= 6


# --- observations as floats ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, "float32", np.dtype("f4")])
def test_float32_observations_are_the_integers_times_their_scale(dtype: Any) -> None:
    floats, integers = Batch(5, seed=3, observation_dtype=dtype), Batch(5, seed=3)
    seen = floats.observation
    for _ in range(60):
        assert seen.dtype == np.float32
        assert np.array_equal(seen, integers.observation * obs.SCALE)
        floats.step(choose(floats))
        integers.step(choose(integers))
    assert floats.observation is seen, "the buffer is made once"


# --- given deals, openers and scores --------------------------------------------------------------


def test_given_hands_and_openers_are_played() -> None:
    batch = Batch(3, seed=13)
    deals = [np.roll(DEAL, shift).tolist() for shift in range(3)]
    batch.reset(13, hands=deals, openers=[3, 0, 2])

    assert batch.states["hands"].tolist() == deals
    assert batch.states["opener"].tolist() == batch.seat.tolist() == [3, 0, 2]
    assert legal(batch.states[0]) == {84, 88, 92, 96, 100, 104, 108}


def test_given_scores_are_played_from_and_the_next_episode_starts_at_zero() -> None:
    batch = Batch(3, seed=13, episode="round")
    drawn = batch.states["hands"].tolist()
    batch.reset(13, scores=[[0, 10], [245, -50], [5, 240]])

    assert batch.states["scores"].tolist() == [[0, 10], [245, -50], [5, 240]]
    assert batch.states["hands"].tolist() == drawn
    own = [row[seat % 2] for row, seat in zip(batch.states["scores"], batch.seat, strict=True)]
    assert obs.view(batch.observation)["scores"][:, 0].tolist() == [points // 5 for points in own]
    ended = np.zeros(3, bool)
    while not ended.all():
        batch.step(choose(batch))
        assert not batch.states["scores"][batch.terminations].any()
        ended |= batch.terminations


def test_given_hands_leave_the_lots_and_the_later_deals_as_they_are() -> None:
    drawn, given = Batch(3, seed=14), Batch(3, seed=15)
    given.reset(14, hands=[DEAL] * 3)

    assert given.states["opener"].tolist() == drawn.states["opener"].tolist()
    assert given.states["stream"].tolist() == drawn.states["stream"].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hands": [DEAL]}, r"hands must be \(2, 4\) integers, got int64 of shape \(1, 4\)"),
        (
            {"hands": [DEAL[:3]] * 2},
            r"hands must be \(2, 4\) integers, got int64 of shape \(2, 3\)",
        ),
        ({"hands": [DEAL, [DEAL[0], *DEAL[:3]]]}, "deal 1 does not"),
        ({"hands": [[2**28 - 1, 0, 0, 0], DEAL]}, "deal 0 does not"),
        ({"hands": [DEAL, [DEAL[0] | 1 << 28, *DEAL[1:]]]}, "deal 1 does not"),
        ({"hands": [DEAL, [-1, *DEAL[1:]]]}, "deal 1 does not"),
        ({"hands": [np.array(DEAL) + 0.5] * 2}, r"hands must be \(2, 4\) integers, got float64"),
        ({"openers": [0]}, "openers must be 2 seats from 0 to 3"),
        ({"openers": [0, 4]}, "openers must be 2 seats from 0 to 3"),
        ({"openers": [-1, 0]}, "openers must be 2 seats from 0 to 3"),
        ({"openers": [0.5, 0]}, "openers must be 2 seats from 0 to 3"),
        ({"hands": [DEAL] * 2, "openers": [0, 4]}, "openers must be 2 seats from 0 to 3"),
        ({"scores": [[0, 0]]}, r"scores must be \(2, 2\) integers, got int64 of shape \(1, 2\)"),
        ({"scores": [[0, 0], [0, 3]]}, "scores must be multiples of five, .*those of game 1"),
        ({"scores": [[250, 0], [0, 0]]}, "below the target of 250 .*those of game 0"),
        ({"scores": [[0, 0], [0, -(2**31)]]}, "at least -1073741824; those of game 1"),
        ({"openers": [0, 1], "scores": [[0, 0], [0, 3]]}, "scores must be multiples of five"),
    ],
)
def test_a_bad_deal_or_opener_is_refused_and_nothing_changes(
    options: dict[str, Any], message: str
) -> None:
    batch = Batch(2, seed=16)
    batch.step(choose(batch))
    before = batch.states.tobytes()

    with pytest.raises(ValueError, match=message):
        batch.reset(17, **options)
    assert batch.states.tobytes() == before


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("illegal", [-1, 113, PASS, 4 * 3 + 2, 2**40])
def test_an_illegal_action_is_refused_and_no_game_changes(illegal: int) -> None:
    batch = Batch(5, seed=18)
    batch.step(choose(batch))
    before = [batch.states.tobytes(), batch.observation.tobytes(), batch.rewards.tobytes()]
    actions = choose(batch)
    actions[3] = illegal
    assert not rules.is_legal(batch.states[3], illegal)

    with pytest.raises(ValueError, match=r"illegal actions in 1 of 5 games, at indices \[3\]") as e:
        batch.step(actions)
    assert f"in game 3 seat {batch.seat[3]} may not play" in str(e.value)
    assert str(illegal) in str(e.value)
    for chosen in legal(batch.states[3]):
        assert f"(action {chosen})" in str(e.value)
    assert before == [batch.states.tobytes(), batch.observation.tobytes(), batch.rewards.tobytes()]


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(2, int),
        np.zeros((3, 1), int),
        np.zeros(3, float),
        np.zeros(3, bool),
        0,
        [None, None, None],
    ],
    ids=["too few", "two axes", "floats", "truth values", "a number", "nothing"],
)
def test_actions_of_the_wrong_shape_or_type_are_refused(actions: Any) -> None:
    batch = Batch(3, seed=19)

    with pytest.raises(ValueError, match=r"actions must be \(3,\) integers"):
        batch.step(actions)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_any_integer_type_will_do_for_actions(dtype: type[np.integer]) -> None:
    batch, same = Batch(3, seed=20), Batch(3, seed=20)
    batch.step(choose(batch))
    same.step(choose(same).astype(dtype))

    assert batch.states.tobytes() == same.states.tobytes()


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("num_envs", 0),
        ("num_envs", 2.0),
        ("num_envs", True),
        ("autoreset", "yes"),
        ("num_threads", 0),
        ("num_threads", 1.5),
        ("observation_dtype", np.float64),
        ("observation_dtype", "foo"),
        ("seed", "abc"),
        ("seed", -1),
        ("seed", True),
        ("target_score", 0),
        ("target_score", -5),
        ("target_score", 252),
        ("target_score", 640),
        ("target_score", 250.0),
        ("target_score", True),
        ("episode", "game"),
        ("episode", None),
        ("reward", "points"),
        ("max_rounds", 0),
        ("max_rounds", 1.5),
        ("max_rounds", True),
        ("skip_forced", "yes"),
        ("skip_forced", None),
    ],
)
def test_a_setting_that_is_not_allowed_is_named(keyword: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{keyword} must be"):
        Batch(**{"num_envs": 1, keyword: value})


def test_a_single_round_cannot_be_won() -> None:
    with pytest.raises(ValueError, match='reward="win" needs episode="match"'):
        Batch(1, reward="win", episode="round")


@pytest.mark.parametrize("target_score", [5, 635])
def test_the_smallest_and_the_largest_target(target_score: int) -> None:
    assert Batch(1, seed=0, target_score=target_score).states["target"][0] == target_score


# --- saved games ---------------------------------------------------------------------------------


def in_mid_match() -> Batch:
    batch = Batch(6, seed=8)
    for _ in range(40):
        batch.step(choose(batch))
    return batch


def test_a_batch_goes_on_from_saved_games() -> None:
    batch = in_mid_match()
    other = Batch(6, seed=9)
    other.restore(batch.states.copy())
    for _ in range(60):
        for each in (batch, other):
            each.step(choose(each))

    assert other.states.tobytes() == batch.states.tobytes()
    assert np.array_equal(other.observation, batch.observation)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("opener", 99, "state 3 is no game"),
        ("seat", 99, "its actions do not lead to its seat"),
        ("num_actions", -100, "state 3 is no game"),
        ("num_actions", 1, "state 3 is no game"),
        ("hands", (0, 0, 0, 0), "must hold 7 tiles"),
        ("layout", 0, "its actions do not lead to its layout"),
        ("placed_at", 120, "state 3 is no game"),
        ("actions", 112, "state 3 is no game"),
        ("phase", rules.WON, "a round must be in play"),
        ("target", 100, "its target is 100, not the batch's"),
        ("scores", (3, 0), "scores must be multiples of five"),
        ("stream", (0, 0, 0, 0), "not all zero"),
    ],
)
def test_a_saved_game_that_no_play_leads_to_is_refused(field: str, value: Any, reason: str) -> None:
    batch = in_mid_match()
    saved = batch.states.copy()
    saved[field][3] = value
    other = Batch(6, seed=9)
    before = other.states.tobytes()

    with pytest.raises(ValueError, match=reason):
        other.restore(saved)
    assert other.states.tobytes() == before
