"""The arguments of ``train.py``: a new run from a config, or an old one resumed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from jsonargparse import ArgumentParser

from seven_rocks_agents.checkpoint import latest_checkpoint, load_checkpoint
from seven_rocks_agents.config import add_config_arguments, config_from, find_config
from seven_rocks_agents.policy import CHECKPOINTS
from seven_rocks_agents.trainer import Trainer

DEFAULT_CONFIG = "configs/quick.yaml"
CONFIG_COPY = "config.json"
PROGRAM = "train.py"
USAGE = (
    "train.py [--config FILE] [--run_dir RUN_DIR] [--resume RUN_DIR] [--NAME VALUE ...] [--help]"
)


def start_run(arguments: Sequence[str], home: Path) -> tuple[Trainer, Path]:
    """The run that ``arguments`` ask for, and its folder.

    A mistake in them ends the program with a message that names it.

    Args:
        arguments: Of the command line.
        home: The folder of ``train.py``, in which configs are found too.
    """
    parser = _parser()
    early = argparse.ArgumentParser(PROGRAM, USAGE, add_help=False, allow_abbrev=False)
    early.add_argument("--config", action="append")
    early.add_argument("--resume", type=Path)
    known, rest = early.parse_known_args(arguments)
    helping = "--help" in rest or "-h" in rest
    try:
        if known.resume is not None and not helping:
            if known.config is not None or rest:
                raise ValueError("--resume goes on with a run as it is: give nothing else with it")
            return _resumed(known.resume), known.resume
        if known.config is not None and len(known.config) > 1:
            raise ValueError(f"--config can be given once, got {', '.join(known.config)}")
        config_path = find_config(known.config[0] if known.config else DEFAULT_CONFIG, home)
        parsed = parser.parse_args(["--config", str(config_path), *rest])
        if parsed.resume is not None and not helping:
            raise ValueError(f"resume is no value of a config: give --resume {parsed.resume}")
        config = config_from(parser, parsed)
        trainer = Trainer(config)
        run_folder = _new_folder(parsed.run_dir, config_path.stem)
        with open(run_folder / CONFIG_COPY, "x") as file:  # of two runs at once, one gets it
            file.write(json.dumps(config.to_dict(), indent=2) + "\n")
    except (OSError, MemoryError, ValueError) as error:
        parser.error(str(error))
    return trainer, run_folder


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog=PROGRAM,
        usage=USAGE,
        description="Train a partnership by self-play, then measure it on duplicate deals. Every "
        f"value of a config can be given here too. What is neither here nor in the config, "
        f"{DEFAULT_CONFIG} if no other is given, has the default below.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--resume", metavar="RUN_DIR", help="Go on with the run in this folder; no other options."
    )
    parser.add_argument(
        "--run_dir", help="Folder for a new run, not in use; otherwise runs/<config>-<time>."
    )
    add_config_arguments(parser)
    return parser


def _resumed(run_folder: Path) -> Trainer:
    path = latest_checkpoint(run_folder / CHECKPOINTS)
    return Trainer.from_checkpoint(load_checkpoint(path), path)


def _new_folder(wanted: str | None, name: str) -> Path:
    folder = Path(wanted or f"runs/{name}-{datetime.now():%Y%m%d-%H%M%S}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        resumable = (folder / CHECKPOINTS).is_dir()
        hint = f", or go on with --resume {folder}" if resumable else ""
        raise ValueError(f"run_dir {folder} is not empty; give another one{hint}")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
