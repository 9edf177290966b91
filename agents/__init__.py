"""Agents that learn to play Seven Rocks: PPO self-play and the policies that come of it."""
