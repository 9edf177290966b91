"""Which of two policies is better: duplicate deals, the mean margin and its interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from statistics import NormalDist

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.batch import Batch
from seven_rocks_env.policies import Policy, Views, as_policy, sees_all_hands
from seven_rocks_env.settings import check_integer


@dataclass(frozen=True)
class Comparison:
    """What one policy, playing both seats of a partnership, won or lost against another.

    Attributes:
        margins: ``(num_deals,)`` float64, points a round by which the first policy beat the second
            on each deal: the mean of the two tables.
    """

    margins: np.ndarray = field(repr=False)

    @property
    def mean(self) -> float:
        """Mean margin in points a round."""
        return float(self.margins.mean())

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of the mean's normal confidence interval; deals are the independent units."""
        error = float(self.margins.std(ddof=1)) / sqrt(len(self.margins))
        reach = NormalDist().inv_cdf(0.5 + confidence / 2) * error
        return self.mean - reach, self.mean + reach

    def __str__(self) -> str:
        low, high = self.interval()
        return (
            f"{self.mean:+.2f} points a round, 95% interval {low:+.2f} to {high:+.2f}, "
            f"{len(self.margins)} duplicate deals"
        )


def play_rounds(batch: Batch, policies: tuple[Policy, Policy], rng: np.random.Generator) -> None:
    """Play every game of ``batch`` to its end, partnership ``p`` by ``policies[p]``.

    ``batch`` must have been made with ``autoreset=False``.
    """
    while True:
        playing = batch.states["phase"] == rules.PLAYING
        if not playing.any():
            return
        actions = np.zeros(batch.num_envs, np.int64)
        for partnership, policy in enumerate(policies):
            on_turn = np.flatnonzero(playing & (batch.seat % 2 == partnership))
            if on_turn.size:
                views = Views.of(batch.states.take(on_turn), all_hands=sees_all_hands(policy))
                actions[on_turn] = policy.act(views, rng)
        batch.step(actions)


def compare(policy: str | Policy, other: str | Policy, num_deals: int, seed: int) -> Comparison:
    """Play ``policy`` against ``other`` on duplicate deals, one round each.

    Every deal is played at two tables, with the same hands and opener and the partnerships
    swapped, so that the luck of the deal cancels.

    Args:
        policy: Plays one partnership: a ``Policy``, or a name as in ``policies.make_policy``. It
            may be one that sees all hands, as ``openhand`` does.
        other: Plays the other.
        num_deals: Deals, at least 2; twice as many rounds are played.
        seed: Fixes deals, openers and the policies' own chance.

    Raises:
        ValueError: If ``num_deals`` is less than 2, or a policy is none.
    """
    check_integer("num_deals", num_deals, 2)
    policy = as_policy("policy", policy, all_hands=True)
    other = as_policy("other", other, all_hands=True)
    margins = np.zeros(num_deals)
    for table in range(2):
        batch = Batch(num_deals, seed, episode="round", autoreset=False)
        seated = (policy, other) if table == 0 else (other, policy)
        play_rounds(batch, seated, np.random.default_rng([seed, table]))
        margin = batch.final_scores[:, 0] - batch.final_scores[:, 1]
        margins += margin / 2 if table == 0 else -margin / 2
    return Comparison(margins)
