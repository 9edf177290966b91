"""What the documentation says of shapes, indices and names is what the code does."""

import re
from pathlib import Path
from typing import Any

import pytest

from seven_rocks_env import Batch, SevenRocksEnv, observation, rules, seven_rocks_v0

TEXT = (Path(__file__).parents[1] / "docs" / "environment.md").read_text(encoding="utf-8")
TABLE = re.compile(
    r"<!-- observation table: [^>]*-->\n(?P<table>.*)<!-- end of observation table -->", re.DOTALL
)


def test_the_observation_table_is_the_generated_one() -> None:
    match = TABLE.search(TEXT)

    assert match is not None
    assert match["table"] == observation.markdown_table()


def test_the_observation_table_names_every_index_once() -> None:
    indices: list[int] = []
    for line in observation.markdown_table().splitlines()[2:]:
        first, _, last = line.split("|")[1].strip().partition("..")
        indices += range(int(first), int(last or first) + 1)

    assert indices == list(range(378))


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("observation: float32 (378,)", observation.SIZE),
        ("action_mask: int8 (113,)", rules.NUM_ACTIONS),
        ("Discrete(113)", int(seven_rocks_v0.raw_env().action_space("player_0").n)),
        ("float32 `(462,)`", seven_rocks_v0.raw_env().state_space.shape[0]),
        ("int8 `(97, 2)`", rules.MAX_ACTIONS),
    ],
)
def test_shapes(words: str, number: int) -> None:
    env = seven_rocks_v0.raw_env(observation="history")
    env.reset(seed=0)
    seen = env.observe("player_0")

    assert words in TEXT
    assert str(number) in words
    assert seen["observation"].shape == (378,)
    assert seen["action_mask"].shape == (113,)
    assert seen["history"].shape == (97, 2)
    assert env.state().shape == (462,)


@pytest.mark.parametrize("documented", [seven_rocks_v0.raw_env, SevenRocksEnv], ids=repr)
def test_the_class_docstring_says_the_shapes_of_the_observation(documented: Any) -> None:
    assert '{"observation": float32 (378,), "action_mask": int8 (113,)}' in documented.__doc__


@pytest.mark.parametrize("entry", re.findall(r"^\| `([a-z_]+)(?:\(\w*\))?`", TEXT, re.MULTILINE))
def test_every_option_and_call_in_a_table_exists(entry: str) -> None:
    options = {"hands", "opener", "scores", "deals", "openers"}

    assert entry in options or hasattr(seven_rocks_v0.raw_env, entry) or hasattr(Batch(1), entry)


@pytest.mark.parametrize("keyword", re.findall(r"^\| `(\w+)=", TEXT, re.MULTILINE))
def test_every_keyword_in_a_table_is_one(keyword: str) -> None:
    values = {"reward": "win", "episode": "round", "max_rounds": 3, "skip_forced": True}

    assert seven_rocks_v0.raw_env(**{keyword: values[keyword]})
