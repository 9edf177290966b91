"""The exact solver: the value of a round when all hands lie open and everybody plays perfectly.

``solve`` is all that most users need; ``Solver`` keeps its memory for many positions. Inside,
``layouts`` numbers the layouts that play alike, ``deal`` prepares a position, ``questions`` narrows
its value down, ``search`` answers one question, with ``moves`` and the ``transposition`` table.
Nothing is compiled before the first position is solved.
"""

from seven_rocks_env.solver.exact import Solution, Solver, solve

__all__ = ["Solution", "Solver", "solve"]
