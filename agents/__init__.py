"""Agents that learn to play Seven Rocks: PPO self-play and the policies that come of it."""

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ImportError(
        "seven_rocks_agents needs PyTorch and more: python -m pip install -e '.[train]'"
    )
