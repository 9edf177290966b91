"""The games in ``golden`` play, look and are written as they were; see ``golden/make.py``."""

from pathlib import Path

import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.history import History, replay
from seven_rocks_env.record import parse, to_text
from tests.golden.make import GAMES, sums_of

FOLDER = Path(__file__).parent / "golden"
NAMES = [game.__name__ for game in GAMES]


def load(name: str) -> History:
    return parse((FOLDER / f"{name}.txt").read_text("utf-8"))


def last_state(name: str) -> np.void:
    *_, states = replay(load(name))
    return states[0]


@pytest.mark.parametrize("name", NAMES)
def test_record_is_written_as_it_was(name: str) -> None:
    assert to_text(load(name)) == (FOLDER / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_observations_and_masks_are_as_they_were(name: str) -> None:
    assert sums_of(load(name)) == (FOLDER / f"{name}.sums").read_text("utf-8").splitlines()


def test_whole_match_is_won_after_several_rounds() -> None:
    game = last_state("whole_match")
    assert game["phase"] == rules.WON
    assert game["round"] >= 2
    assert game["scores"][game["winner"]] >= 250


def test_blocked_round_is_blocked() -> None:
    game = last_state("blocked_round")
    assert game["phase"] == rules.BLOCKED
    assert game["actions"][game["num_actions"] - 4 : game["num_actions"]].tolist() == [112] * 4


def test_match_won_on_the_last_tile_is_not_settled() -> None:
    history = load("won_on_the_last_tile")
    *_, before, after = replay(history)
    game = after[0]
    assert game["phase"] == rules.WON
    assert game["hands"][game["seat"]] == 0
    assert (game["hands"] != 0).sum() == 3
    gain = game["scores"] - before[0]["scores"]
    assert gain[game["winner"]] == game["credit"] > 0
    assert gain[1 - game["winner"]] == 0


def test_negative_scores_are_negative_and_the_match_goes_on() -> None:
    game = last_state("negative_scores")
    assert game["phase"] == rules.PLAYING
    assert (game["scores"] < 0).all()
