"""Seven Rocks: a partnership domino game as an environment for reinforcement learning."""

import gymnasium
import pettingzoo

from seven_rocks_env import seven_rocks_v0
from seven_rocks_env.batch import Batch
from seven_rocks_env.gym_env import SevenRocksEnv
from seven_rocks_env.vector_env import SevenRocksVectorEnv

__all__ = ["Batch", "SevenRocksEnv", "SevenRocksVectorEnv", "seven_rocks_v0"]
__version__ = "0.1.0"

_ID = "seven_rocks_env/SevenRocks-v0"

if _ID not in gymnasium.registry:
    gymnasium.register(
        id=_ID,
        entry_point="seven_rocks_env.gym_env:SevenRocksEnv",
        vector_entry_point="seven_rocks_env.vector_env:SevenRocksVectorEnv",
    )
if hasattr(pettingzoo, "register") and _ID not in pettingzoo.aec_registry:  # since 1.27
    pettingzoo.register("aec", _ID, "seven_rocks_env.seven_rocks_v0:env")
