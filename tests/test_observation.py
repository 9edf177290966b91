"""What a seat sees: the table, every feature against a plain recomputation, and nothing more."""

import copy

import numpy as np
import pytest

from seven_rocks_env import observation as obs
from seven_rocks_env import rules
from seven_rocks_env.history import Round, round_of
from tests.games import (
    PASS,
    UNREACHABLE,
    action,
    new_match,
    play,
    random_round,
    round_with,
    ruled_out_by_passes,
    tiles_of,
)
from tests.plain_rules import TILES, PlainMatch, is_double

SCORES = (-35, 215)


def encoded(game: np.void, seat: int) -> np.ndarray:
    integers = np.full(obs.SIZE, 99, np.int8)
    obs.encode(game, seat, integers)
    return integers


def features(game: np.void, seat: int) -> dict[str, np.ndarray]:
    return obs.view(encoded(game, seat))


def plain_of(past: Round) -> PlainMatch:
    """The round played by the plain rules; it began with ``SCORES``."""
    plain = PlainMatch([tiles_of(dealt) for dealt in past.hands], past.opener, SCORES)
    for chosen in past.actions:
        plain.play(chosen)
    return plain


def in_fives(points: int) -> int:
    return max(-128, min(127, points // 5))


def plain_features(past: Round, observer: int) -> dict[str, np.ndarray]:
    """The features of the round, which began with ``SCORES``, by the plain rules."""
    plain = plain_of(past)
    expected = {feature.name: np.zeros(feature.shape, int) for feature in obs.FEATURES}
    order = [(observer + step) % 4 for step in range(4)]
    spinner = plain.layout.spinner

    for tile in plain.hands[observer]:
        expected["hand"][TILES.index(tile)] = 1
    for number, chosen in enumerate(past.actions):
        player = order.index((plain.opener + number) % 4)
        if chosen != PASS:
            expected["placed_by"][player, chosen // 4] = 1
            expected["placed_when"][chosen // 4] = number + 1

    if not plain.layout.tiles:
        expected["site_open"][0] = 1
    for site, (tile, _, value) in plain.layout.sites().items():
        expected["site_open"][site] = 1
        expected["site_started"][site] = tile != spinner
        expected["site_double"][site] = tile != spinner and is_double(tile)
        expected["site_value"][site, value] = 1
    if spinner:
        expected["spinner"][spinner[0]] = 1
    expected["end_sum"][0] = plain.layout.end_sum()
    expected["end_sum_mod_5"][plain.layout.end_sum() % 5] = 1

    expected["hand_sizes"][:] = [len(plain.hands[seat]) for seat in order]
    expected["passes"][0] = plain.passes
    expected["opener"][order.index(plain.opener)] = 1
    if plain.ended is None:
        expected["turn"][order.index(plain.turn)] = 1
        if plain.turn == observer:
            for chosen in plain.legal_actions() - {PASS}:
                tile, site = TILES[chosen // 4], chosen % 4
                after = copy.deepcopy(plain.layout)
                if after.tiles:
                    after.place(tile, site)
                else:
                    after.lead(tile)
                expected["credits"][TILES.index(tile), site] = after.credit() // 5
    scores = [plain.scores[observer % 2], plain.scores[1 - observer % 2]]
    expected["scores"][:] = [in_fives(score) for score in scores]
    expected["to_target"][:] = [in_fives(plain.target - score) for score in scores]

    for seat, values in enumerate(ruled_out_by_passes(past)):
        expected["ruled_out"][order.index(seat), list(values)] = 1
    return expected


# --- the table -----------------------------------------------------------------------------------


def test_the_table_covers_the_flat_observation_without_gaps_or_overlaps() -> None:
    covered = [index for f in obs.FEATURES for index in range(f.slice.start, f.slice.stop)]

    assert covered == list(range(obs.SIZE))
    assert obs.SIZE == 378
    assert [f.size for f in obs.FEATURES] == [int(np.prod(f.shape)) for f in obs.FEATURES]
    assert list(obs.FEATURE) == [f.name for f in obs.FEATURES]
    assert len(obs.FEATURE) == len(obs.FEATURES)


def test_bounds_and_scale_are_those_of_the_table() -> None:
    for f in obs.FEATURES:
        assert (obs.LOW[f.slice] == f.low).all()
        assert (obs.HIGH[f.slice] == f.high).all()
        assert (obs.SCALE[f.slice] == np.float32(1) / np.float32(f.divisor)).all()
    assert (obs.LOW.dtype, obs.HIGH.dtype, obs.SCALE.dtype) == (np.int8, np.int8, np.float32)
    assert obs.LOW.shape == obs.HIGH.shape == obs.SCALE.shape == (obs.SIZE,)


@pytest.mark.parametrize("leading", [(), (5,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_named_views_of_one_observation_or_of_many(
    leading: tuple[int, ...], dtype: type[np.generic]
) -> None:
    observation = np.zeros((*leading, obs.SIZE), dtype)
    views = obs.view(observation)

    assert {name: view.shape for name, view in views.items()} == {
        f.name: (*leading, *f.shape) for f in obs.FEATURES
    }
    for name, view in views.items():
        view[...] = 1
        assert observation.sum() == np.prod(leading, dtype=int) * obs.FEATURE[name].size
        view[...] = 0


@pytest.mark.parametrize("shape", [(), (obs.SIZE - 1,), (obs.SIZE, 2)])
def test_a_view_of_anything_else_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="an observation has 378 numbers on its last axis"):
        obs.view(np.zeros(shape, np.int8))


def test_the_table_in_the_documentation_has_a_row_for_every_feature() -> None:
    rows = obs.markdown_table().splitlines()[2:]

    assert len(rows) == len(obs.FEATURES)
    assert rows[0] == "| 0..27 | `hand` | 28 | 0..1 | 1 | own tiles |"
    assert rows[-1].startswith("| 376..377 | `to_target` | 2 | -128..127 | 50 |")


# --- a literal observation -----------------------------------------------------------------------


def one_hot(index: int, size: int) -> list[int]:
    return [int(place == index) for place in range(size)]


def test_what_the_seat_on_turn_sees_in_the_line_to_check_by_hand() -> None:
    game = round_with(
        [[(5, 5), (6, 6)], [(0, 5), (1, 6)], [(2, 5), (4, 4)], [(3, 5), (2, 2), (1, 3)]],
        scores=(-20, 235),
    )
    play(game, action((5, 5), 0), action((0, 5), 0), action((2, 5), 1))
    seen = features(game, seat=3)

    assert seen["hand"].nonzero()[0].tolist() == [9, 13, 20]  # [1|3], [2|2], [3|5]
    assert np.argwhere(seen["placed_by"]).tolist() == [[1, 25], [2, 5], [3, 16]]
    assert {tile: int(when) for tile, when in enumerate(seen["placed_when"]) if when} == {
        25: 1,
        5: 2,
        16: 3,
    }
    assert seen["site_open"].tolist() == [1, 1, 1, 1]
    assert seen["site_started"].tolist() == [1, 1, 0, 0]
    assert seen["site_double"].tolist() == [0, 0, 0, 0]
    assert seen["site_value"].argmax(axis=1).tolist() == [0, 2, 5, 5]
    assert seen["spinner"].tolist() == one_hot(5, 7)
    assert seen["end_sum"].tolist() == [2]
    assert seen["end_sum_mod_5"].tolist() == one_hot(2, 5)
    assert seen["hand_sizes"].tolist() == [7, 6, 6, 6]
    assert not seen["ruled_out"].any()
    assert seen["passes"].tolist() == [0]
    assert seen["opener"].tolist() == one_hot(1, 4)
    assert seen["turn"].tolist() == one_hot(0, 4)
    # [3|5] on either arm makes 5; [2|2] on line side B makes 4, nothing.
    assert {(t, s): int(seen["credits"][t, s]) for t, s in np.argwhere(seen["credits"])} == {
        (20, 2): 1,
        (20, 3): 1,
    }
    assert seen["scores"].tolist() == [49, -2]  # 235 + 10 and -20 + 10 points
    assert seen["to_target"].tolist() == [1, 52]


def test_passes_show_what_a_seat_lacks() -> None:
    game = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(5, 6), (2, 2)]])
    play(game, action((4, 5), 0), PASS, PASS, action((5, 6), 1), PASS)
    seen = features(game, seat=2)

    # Relative to seat 2: itself lacks 4 and 5, its partner 4 and 6, its right neighbour 4 and 5.
    assert np.argwhere(seen["ruled_out"]).tolist() == [
        [0, 4],
        [0, 5],
        [2, 4],
        [2, 6],
        [3, 4],
        [3, 5],
    ]
    assert seen["passes"].tolist() == [1]
    assert seen["turn"].tolist() == one_hot(3, 4)
    assert not seen["credits"].any()


# --- every feature, everywhere -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_every_feature_is_what_the_plain_rules_say(seed: int) -> None:
    for game in random_round(seed, SCORES, target=250):
        for seat in range(4):
            seen = features(game, seat)
            expected = plain_features(round_of(game), seat)
            assert seen.keys() == expected.keys()
            for name in expected:
                assert np.array_equal(seen[name], expected[name]), (name, seat)


def test_some_of_these_rounds_are_won_and_some_blocked_and_all_seats_open() -> None:
    rounds = [list(random_round(seed, SCORES, target=250))[-1] for seed in range(24)]

    assert {int(game["phase"]) for game in rounds} == {rules.DOMINO, rules.BLOCKED, rules.WON}
    assert {int(game["opener"]) for game in rounds} == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", range(20, 24))
def test_every_number_is_within_its_bounds(seed: int) -> None:
    for game in random_round(seed):
        for seat in range(4):
            integers = encoded(game, seat)
            assert (integers >= obs.LOW).all()
            assert (integers <= obs.HIGH).all()


@pytest.mark.parametrize(
    ("scores", "seen", "to_target"),
    [
        ((245, -5), [49, -1], [1, 51]),
        ((-380, -390), [-76, -78], [126, 127]),
        ((-640, -645), [-128, -128], [127, 127]),
        ((-100_000, 0), [-128, 0], [127, 50]),
    ],
)
def test_scores_count_in_fives_and_saturate(
    scores: tuple[int, int], seen: list[int], to_target: list[int]
) -> None:
    game = new_match(scores=scores)
    rules.next_round(game)

    for seat in range(4):
        views = features(game, seat)
        order = 1 if seat % 2 == 0 else -1
        assert views["scores"].tolist() == seen[::order]
        assert views["to_target"].tolist() == to_target[::order]


def test_scores_and_targets_beyond_the_largest_saturate_above() -> None:
    game = new_match(scores=(700, 635), target=UNREACHABLE)
    rules.next_round(game)

    assert features(game, 0)["scores"].tolist() == [127, 127]
    assert features(game, 0)["to_target"].tolist() == [127, 127]


def test_the_float_observation_is_the_integers_times_the_scale() -> None:
    for game in random_round(seed=25):
        integers = encoded(game, int(game["seat"]))
        floats = np.empty(obs.SIZE, np.float32)
        obs.scaled(integers, floats)
        assert np.array_equal(floats, integers * obs.SCALE)
        assert np.abs(floats).max() <= 97 / 28


# --- what a seat does not see --------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30, 38))
def test_hidden_hands_and_the_random_stream_are_not_in_the_observation(seed: int) -> None:
    for game in random_round(seed, SCORES, target=250):
        for seat in range(4):
            hidden = game.copy()
            rules.hide_from(hidden, seat)
            assert encoded(hidden, seat).tobytes() == encoded(game, seat).tobytes()


@pytest.mark.parametrize("seed", range(40, 48))
def test_the_table_turned_by_a_seat_looks_the_same_to_the_next_seat(seed: int) -> None:
    for game in random_round(seed, SCORES, target=250):
        past = round_of(game)
        turned = new_match(scores=SCORES[::-1])
        turned["hands"] = np.roll(past.hands, 1)
        rules.start_round(turned, (past.opener + 1) % 4)
        play(turned, *past.actions)
        for seat in range(4):
            assert np.array_equal(encoded(turned, (seat + 1) % 4), encoded(game, seat))


# --- the actions in order ------------------------------------------------------------------------


def test_the_history_of_a_round_from_its_deal_on() -> None:
    game = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(5, 6), (2, 2)]], opener=0)
    history = np.full((97, 2), 99, np.int8)
    obs.encode_history(game, 2, history)
    assert (history == -1).all()

    play(game, action((4, 5), 0), PASS, PASS, action((5, 6), 1))
    obs.encode_history(game, 2, history)
    assert history[:4].tolist() == [[2, action((4, 5), 0)], [3, PASS], [0, PASS], [1, 105]]
    assert (history[4:] == -1).all()


@pytest.mark.parametrize("seed", range(50, 53))
def test_the_history_holds_every_action_with_its_seat(seed: int) -> None:
    history = np.empty((97, 2), np.int8)
    for game in random_round(seed):
        past = round_of(game)
        for seat in range(4):
            obs.encode_history(game, seat, history)
            rows = [
                [(past.opener + number - seat) % 4, chosen]
                for number, chosen in enumerate(past.actions)
            ]
            assert history.tolist() == rows + [[-1, -1]] * (97 - len(rows))
