"""What the README shows is what the code does."""

import re
from pathlib import Path

import numpy as np
import pytest

from seven_rocks_env import seven_rocks_v0
from seven_rocks_env.policies import make_policy

README = Path(__file__).parent.parent.joinpath("README.md").read_text()
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def board() -> str:
    """Seat 0's view after 15 random actions of the first round from seed 0."""
    env = seven_rocks_v0.raw_env(render_mode="ansi")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(15):
        env.step(int(make_policy("random").act(env.views(), rng)[0]))
    text = env.render("player_0")
    assert isinstance(text, str)
    return text


def test_the_board_is_one_that_the_environment_renders() -> None:
    assert board() in README


def test_there_are_snippets_for_play_gymnasium_batch_and_evaluation() -> None:
    assert len(SNIPPETS) == 4


@pytest.mark.filterwarnings("error")
def test_the_snippets_run_one_after_the_other_without_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    namespace: dict[str, object] = {}
    for snippet in SNIPPETS:
        exec(snippet, namespace)
    printed = capsys.readouterr().out
    assert '[SevenRocks "1"]' in printed


@pytest.mark.parametrize("command", ["python train.py", "python -m pytest"])
def test_each_of_the_two_commands_sets_up_with_the_constraints(command: str) -> None:
    (line,) = [line for line in README.splitlines() if line.endswith(f"&& {command}")]
    assert line.startswith("python -m pip install -c constraints.txt -e ")
