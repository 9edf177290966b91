"""Random legal play by the compiled rules, and the same by ``yardstick.c``.

Both choose from the game's own random stream: ``draw`` one of the legal placements, counted by
site and by tile within a site; a forced pass draws nothing. So both play the same games.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled

PlayRandom = Callable[[np.ndarray, int], None]

_FLAGS = ["-std=c11", "-O3", "-march=native", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]


def build_yardstick(folder: Path) -> PlayRandom:
    """Compile ``yardstick.c`` into ``folder``: a function that does what ``play_random`` does.

    Raises:
        FileNotFoundError: If there is no gcc.
        subprocess.CalledProcessError: If gcc fails.
    """
    gcc = shutil.which("gcc")
    if gcc is None:
        raise FileNotFoundError("there is no gcc to compile yardstick.c")
    library = folder / "yardstick.so"
    source = Path(__file__).with_name("yardstick.c")
    subprocess.run([gcc, *_FLAGS, "-o", str(library), str(source)], check=True)
    function = ctypes.CDLL(str(library)).play_random
    function.restype = None
    function.argtypes = [
        np.ctypeslib.ndpointer(rules.STATE, ndim=1, flags="C_CONTIGUOUS,ALIGNED,WRITEABLE"),
        ctypes.c_int64,
        ctypes.c_int64,
    ]
    return lambda states, steps: function(states, len(states), steps)


def first_rounds(num_games: int, seed: int, target: int = 250) -> np.ndarray:
    """``(num_games,)`` of ``rules.STATE``: matches to ``target``, the first round dealt."""
    states = np.zeros(num_games, rules.STATE)
    streams = np.random.default_rng(seed).integers(1, 2**64, (num_games, 4), np.uint64)
    for game, stream in zip(states, streams, strict=True):
        rules.new_match(game, stream, target, 0, 0)
        rules.next_round(game)
    return states


@compiled
def random_action(game):
    """A legal action of the seat on turn, each equally likely, drawn from the game's stream."""
    count = 0
    for site in range(rules.NUM_SITES):
        count += rules.hand_size(rules.legal_tiles(game, site))
    if count == 0:
        return rules.PASS
    chosen = rules.draw(game["stream"], count)
    site = 0
    tiles = rules.legal_tiles(game, site)
    while chosen >= rules.hand_size(tiles):
        chosen -= rules.hand_size(tiles)
        site += 1
        tiles = rules.legal_tiles(game, site)
    for _ in range(chosen):
        tiles &= tiles - 1
    return rules.NUM_SITES * rules.lowest_bit(tiles) + site


@compiled
def play_random(states, steps):
    """Play ``steps`` actions in each game; deal the next round in the step that ended one."""
    for index in range(states.shape[0]):
        game = states[index]
        for _ in range(steps):
            rules.play(game, random_action(game))
            if game["phase"] == rules.PLAYING:
                continue
            if game["phase"] == rules.WON:
                rules.new_match(game, game["stream"], game["target"], 0, 0)
            rules.next_round(game)


@compiled
def choose(masks, stream, actions):
    """Write a random action for each mask (n, 113) into ``actions`` (n,), each equally likely."""
    for index in range(masks.shape[0]):
        mask = masks[index]
        count = 0
        for action in range(rules.NUM_ACTIONS):
            count += mask[action]
        chosen = rules.draw(stream, count)
        action = -1
        while chosen >= 0:
            action += 1
            chosen -= mask[action]
        actions[index] = action
