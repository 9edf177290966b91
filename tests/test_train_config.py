"""Configs: what is read, and that mistakes are named."""

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

pytest.importorskip("jsonargparse")
pytest.importorskip("torch")

from seven_rocks_agents.command_line import start_run
from seven_rocks_agents.config import Config, find_config, parse_dict

ROOT = Path(__file__).parents[1]


def keys(group=Config(), prefix=""):  # noqa: B008
    for item in fields(group):
        value = getattr(group, item.name)
        yield from (
            keys(value, f"{prefix}{item.name}.")
            if is_dataclass(value)
            else [f"{prefix}{item.name}"]
        )


def run_with(tmp_path, yaml, *arguments):
    file = tmp_path / "some.yaml"
    file.write_text(yaml)
    return start_run(["--config", str(file), "--run_dir", str(tmp_path / "run"), *arguments], ROOT)


SMALL = "total_steps: 64\nrollout: {num_envs: 8, num_steps: 4}\nppo: {minibatch_size: 16}\n"


def test_values_come_from_the_file_and_the_command_line_wins(tmp_path):
    yaml = SMALL + "seed: 7\n"
    trainer, folder = run_with(tmp_path, yaml, "--ppo.learning_rate=0.5", "--seed", "8")
    config = trainer.config
    assert (config.seed, config.ppo.learning_rate, config.rollout.num_envs) == (8, 0.5, 8)
    assert config.ppo.discount == Config().ppo.discount
    assert folder == tmp_path / "run"


def test_a_config_goes_through_json_unchanged(tmp_path):
    trainer, folder = run_with(tmp_path, SMALL)
    assert parse_dict(trainer.config.to_dict()) == trainer.config
    again, _ = start_run(
        ["--config", str(folder / "config.json"), "--run_dir", str(tmp_path / "again")], ROOT
    )
    assert again.config == trainer.config


def test_numbers_are_plain_wherever_they_come_from(tmp_path):
    trainer, _ = run_with(tmp_path, SMALL + "seed: 3\n", "--ppo.discount=0.9")
    config = trainer.config
    for numbers in (config, parse_dict(config.to_dict())):
        assert type(numbers.seed) is type(numbers.network.hidden_sizes[0]) is int
        assert type(numbers.ppo.discount) is type(numbers.ppo.gae_lambda) is float


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda p: p.name)
def test_every_config_here_is_valid_and_says_what_it_reaches(path, tmp_path):
    trainer, _ = start_run(["--config", str(path), "--run_dir", str(tmp_path / "run")], ROOT)
    assert trainer.config.num_updates >= 1
    assert path.read_text().startswith("# ")


@pytest.mark.parametrize(
    "yaml, named, allowed",
    [
        ("sed: 3", "sed", "not accepted"),
        ("ppo: {learning_rat: 0.1}", "learning_rat", "not accept"),
        ("ppo: {learning_rate: fast}", "ppo.learning_rate", "float"),
        ("ppo: {learning_rate: -0.1}", "ppo.learning_rate", ">0"),
        ("ppo: {learning_rate: .inf}", "ppo.learning_rate", "finite"),
        ("ppo: {gae_lambda: 1.5}", "ppo.gae_lambda", "<=1"),
        ("seed: 1.5", "seed", "integer"),
        ("rollout: {num_envs: 0}", "rollout.num_envs", ">0"),
        ("rollout: {num_envs: 9}", "rollout.num_envs", "multiple of num_workers = 2"),
        ("ppo: {minibatch_size: 64}", "ppo.minibatch_size", "divide"),
        ("ppo: {minibatch_size: 12}", "ppo.minibatch_size", "divide"),
        ("total_steps: 31", "total_steps", "at least one rollout"),
        ("network: {hidden_sizes: [64, 0]}", "network.hidden_sizes", ">0"),
        ("network:", "network", "keys of its own"),
        ("evaluation: {final_seed: 1001}", "evaluation.final_seed", "differ"),
        ("evaluation: {num_deals: 1}", "evaluation.num_deals", "at least 2"),
        ("ppo: 3", "ppo", "keys of its own"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path, capsys, yaml, named, allowed):
    top, _, _ = yaml.partition(":")
    lines = [line for line in SMALL.splitlines() if not line.startswith(f"{top}:")]
    if top == "rollout":
        yaml = yaml.replace("}", ", num_steps: 4}")
    with pytest.raises(SystemExit) as ended:
        run_with(tmp_path, "\n".join([*lines, yaml]))
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert named in message
    assert allowed in message
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "arguments, named",
    [
        (["--ppo.learning_rate=-1"], "ppo.learning_rate"),
        (["--ppo.nothing=1"], "ppo.nothing"),
        (["--seed", "x"], "seed"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_mistakes_on_the_command_line_are_named(tmp_path, capsys, arguments, named):
    with pytest.raises(SystemExit):
        run_with(tmp_path, SMALL, *arguments)
    assert named in capsys.readouterr().err


def test_help_shows_every_key_with_its_documentation(capsys):
    with pytest.raises(SystemExit) as ended:
        start_run(["--help"], ROOT)
    assert ended.value.code == 0
    lines = " ".join(capsys.readouterr().out.split())
    for key in keys():
        assert f"--{key} " in lines
        documented = lines.rsplit(f"--{key} ", 1)[1].split("(type:", 1)[0]
        assert len(documented.split()) > 3, f"{key} is not documented"


def test_a_config_is_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_config("configs/tiny.yaml", ROOT) == ROOT / "configs/tiny.yaml"


def test_a_new_run_does_not_go_into_a_used_folder(tmp_path, capsys):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes").write_text("mine")
    with pytest.raises(SystemExit):
        run_with(tmp_path, SMALL)
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["notes"]


def test_resume_takes_no_other_values(tmp_path, capsys):
    with pytest.raises(SystemExit):
        start_run(["--resume", str(tmp_path), "--seed", "2"], ROOT)
    assert "--resume" in capsys.readouterr().err


def test_resume_is_no_value_of_a_config(tmp_path, capsys):
    with pytest.raises(SystemExit):
        run_with(tmp_path, SMALL + "\nresume: somewhere\n")
    assert "resume is no value of a config" in capsys.readouterr().err


def test_one_config_can_be_given_not_two(tmp_path, capsys):
    with pytest.raises(SystemExit):
        run_with(tmp_path, SMALL, "--config", "configs/tiny.yaml")
    assert "--config can be given once" in capsys.readouterr().err
