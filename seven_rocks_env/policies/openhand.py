"""``openhand``: perfect play with all hands in sight, the ceiling for everybody who sees one."""

from __future__ import annotations

from seven_rocks_env.policies.searching import Search, SearchPolicy
from seven_rocks_env.solver import Solver


class OpenHandPolicy(SearchPolicy):
    """Cheats: sees all four hands and plays the exact solution of the deal to the round's end.

    It takes the others for perfect players who see all hands, too. Only
    ``evaluation`` shows it all hands; elsewhere it is refused.

    Args:
        num_threads: See ``SearchPolicy``.
    """

    sees_all_hands = True

    def new_search(self) -> Search:
        """See ``SearchPolicy.new_search``."""
        solver = Solver()

        def search(views, stream):  # type: ignore[no-untyped-def]
            target = int(views["target"][0])
            return solver.solve(views, target, actions=False).best_action

        return search
