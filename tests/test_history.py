import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seven_rocks_env import rules, seven_rocks_v0
from seven_rocks_env.history import History, HistoryError, Round, replay, round_of
from tests.matches import play_match, random_hands

STREAM = (1, 2, 3, 4)
# Tiles 0..6, 7..13, 14..20, 21..27: seat 0 holds all tiles with a blank.
DEALT = (0x7F, 0x7F << 7, 0x7F << 14, 0x7F << 21)

seeds = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=25)
@given(seeds, st.integers(1, 400))
def test_replay_gives_every_state_to_the_byte(seed: int, length: int) -> None:
    history, seen = play_match(seed, max_actions=length)
    assert [states.tobytes() for states in replay(history)] == seen


@settings(deadline=None, max_examples=25)
@given(seeds, st.sets(st.integers(0, 3)), st.dictionaries(st.integers(0, 3), st.integers(0, 3)))
def test_replay_gives_every_state_of_given_deals_and_openers(
    seed: int, dealt: set[int], openers: dict[int, int]
) -> None:
    rng = np.random.default_rng(seed)
    deals = {number: random_hands(rng) for number in sorted(dealt)}
    history, seen = play_match(
        seed, deals=deals, openers=openers, scores=(-40, 115), target=400, max_rounds=5
    )
    assert [states.tobytes() for states in replay(history)] == seen
    for number, hands in deals.items():
        assert history.rounds[number].hands == hands


@pytest.mark.parametrize("skip_forced", [False, True])
def test_replay_gives_every_state_that_the_environment_had(skip_forced: bool) -> None:
    rng = np.random.default_rng(7)

    def deal() -> list[list[int]]:
        return rng.permutation(rules.NUM_TILES).reshape(4, 7).tolist()

    env = seven_rocks_v0.raw_env(target_score=100, skip_forced=skip_forced)
    options = {"hands": deal(), "opener": 2, "deals": [deal(), deal()], "openers": [1, 3, 0]}
    env.reset(seed=8, options=options | {"scores": (-15, 40)})
    while env.agents and not any(env.terminations.values()):
        last = list(replay(env.history))[-1]
        assert last.tobytes() == env.get_state().game
        env.step(int(rng.choice(np.flatnonzero(env.action_mask()))))
    last = list(replay(env.history))[-1]
    assert last.tobytes() == env.get_state().game
    assert tuple(last["scores"][0]) == env.scores


def test_each_state_of_a_replay_is_its_own_copy() -> None:
    history, seen = play_match(1, max_rounds=1)
    assert [states.tobytes() for states in list(replay(history))] == seen


def test_round_of_finds_the_dealt_hands_at_any_point_of_the_round() -> None:
    history, seen = play_match(2, max_rounds=1)
    (whole,) = history.rounds
    assert len(seen) == len(whole.actions) + 1
    for number, state in enumerate(seen):
        part = round_of(np.frombuffer(state, rules.STATE)[0])
        assert part == dataclasses.replace(whole, actions=whole.actions[:number])


def test_a_history_without_rounds_has_no_states() -> None:
    assert list(replay(History(250, (0, 0), STREAM, ()))) == []


def history_of(*rounds: Round, **changes: object) -> History:
    history = History(250, (0, 0), STREAM, rounds)
    return dataclasses.replace(history, **changes)  # type: ignore[arg-type]


def test_an_illegal_action_is_refused_in_words() -> None:
    # Seat 0 leads [0|0]; seat 1, without a blank, can only pass.
    history = history_of(Round(DEALT, 0, (0, 28)))
    with pytest.raises(HistoryError) as caught:
        list(replay(history))
    assert (caught.value.round, caught.value.move) == (1, 2)
    assert caught.value.reason == (
        "seat 1 may not play [1|1] at line side A (action 28); legal: a pass (action 112)"
    )
    assert str(caught.value) == f"round 1, move 2: {caught.value.reason}"


TWO_ROUNDS = play_match(3, max_rounds=2)[0]
FIRST, SECOND = TWO_ROUNDS.rounds
AFTER_DOMINO = next(
    history
    for history, _ in (play_match(seed, max_rounds=2) for seed in range(10, 100))
    if history.rounds[0].actions[-1] != rules.PASS
)
WON = play_match(4, target=5)[0]
PLAYED_ON = dataclasses.replace(WON.rounds[-1], actions=(*WON.rounds[-1].actions, 112))
UNFINISHED = dataclasses.replace(FIRST, actions=FIRST.actions[:-1])
WRONG_OPENER = dataclasses.replace(
    AFTER_DOMINO.rounds[1], opener=(AFTER_DOMINO.rounds[1].opener + 1) % 4
)


@pytest.mark.parametrize(
    ("history", "round_number", "move", "reason"),
    [
        (history_of(target=252), None, None, "multiple of five, got 252"),
        (history_of(target=0), None, None, "from 5 to 635, got 0"),
        (history_of(target=640), None, None, "from 5 to 635, got 640"),
        (history_of(scores=(0, 3)), None, None, "multiples of five, .* got 3"),
        (history_of(scores=(250, 0)), None, None, "below the target of 250 .* got 250"),
        (history_of(scores=(0, -(2**31))), None, None, "at least -1073741824, got -2147483648"),
        (history_of(stream=(0, 0, 0, 0)), None, None, "not all zero"),
        (history_of(stream=(0, 0, 0, 2**64)), None, None, "four 64-bit words"),
        (history_of(Round(DEALT, 4, ())), 1, None, "opener must be a seat from 0 to 3, got 4"),
        (history_of(Round(DEALT[:3], 0, ())), 1, None, "four hands, got 3"),  # type: ignore[arg-type]
        (history_of(Round((0x3F, *DEALT[1:]), 0, ())), 1, None, "seat 0 must hold 7 tiles, got 6"),
        (
            history_of(Round((DEALT[0], DEALT[0], *DEALT[2:]), 0, ())),
            1,
            None,
            r"\[0\|0\] is dealt twice",
        ),
        (history_of(Round((*DEALT[:3], 2**28), 0, ())), 1, None, "seat 3 must be a set of"),
        (history_of(Round(DEALT, 0, (0, 113))), 1, 2, "action 113, which is not an integer in"),
        (history_of(Round(DEALT, 0, (112,))), 1, 1, "seat 0 may not play a pass"),
        (
            dataclasses.replace(WON, rounds=(*WON.rounds[:-1], PLAYED_ON)),
            len(WON.rounds),
            len(PLAYED_ON.actions),
            "the round is over",
        ),
        (history_of(UNFINISHED, SECOND), 2, None, "round 1 is not over yet"),
        (history_of(AFTER_DOMINO.rounds[0], WRONG_OPENER), 2, None, "dominoed and has to open"),
        (
            dataclasses.replace(WON, rounds=(*WON.rounds, SECOND)),
            len(WON.rounds) + 1,
            None,
            "the match has been won",
        ),
    ],
)
def test_what_the_rules_do_not_allow_is_refused(
    history: History, round_number: int | None, move: int | None, reason: str
) -> None:
    with pytest.raises(HistoryError, match=reason) as caught:
        list(replay(history))
    assert (caught.value.round, caught.value.move) == (round_number, move)
