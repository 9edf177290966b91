"""Seven Rocks as a Gymnasium environment: one seat or one partnership against given policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.aec import AGENTS, raw_env
from seven_rocks_env.policies import Policy, as_policy
from seven_rocks_env.settings import Episode, Reward, check_choice, check_integer

_LEARNER_SEATS = ((0,), (1,), (2,), (3,), (0, 2), (1, 3))
ILLEGAL_REWARD = -1.0


class SevenRocksEnv(gymnasium.Env[Any, Any]):
    """The learner plays one seat or both seats of a partnership, policies play the others.

    ================  ============================================================================
    action            ``Discrete(113)``: ``4 * tile + site``, or 112 to pass
    observation       ``{"observation": float32 (378,), "action_mask": int8 (113,)}`` of the
                      learner's seat on turn; with ``flatten=True`` the first of these alone
    info              ``"action_mask"``, and ``"seat"``: the seat that the observation belongs to
    reward            what the learner's partnership has earned since the learner's last decision;
                      the first reward of an episode includes what happened before the first one
    termination       a partnership has reached the target, or the single round is over
    truncation        ``max_rounds`` rounds were played without a winner
    ================  ============================================================================

    Args:
        seats: The learner's seats: one, or a partnership, ``(0, 2)`` or ``(1, 3)``.
        partner: Policy of the learner's partner if the learner plays one seat: a name as in
            ``policies.make_policy``, or a ``Policy``; by default ``"random"``.
        opponents: Policy of the other partnership, given likewise.
        target_score, episode, reward, max_rounds, skip_forced, observation, render_mode: See
            ``raw_env``.
        flatten: Observe a plain ``Box`` instead of a ``Dict``; the mask is in the info and in
            ``action_masks()``.
        illegal_action: What an illegal action does: ``"terminate"`` ends the episode with -1,
            ``"raise"`` raises ValueError and changes nothing, ``"random"`` plays a random legal
            action instead. The info then holds ``"illegal_action": True``.

    Raises:
        ValueError: If an argument is not allowed; it names the argument and what is allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's signature
        "render_modes": raw_env.metadata["render_modes"],
        "render_fps": raw_env.metadata["render_fps"],
    }

    def __init__(
        self,
        *,
        seats: Sequence[int] = (0,),
        partner: str | Policy | None = None,
        opponents: str | Policy = "greedy",
        target_score: int = 250,
        episode: Episode = "match",
        reward: Reward = "score_difference",
        max_rounds: int | None = None,
        skip_forced: bool = False,
        observation: Literal["features", "history"] = "features",
        flatten: bool = False,
        illegal_action: Literal["terminate", "raise", "random"] = "terminate",
        render_mode: str | None = None,
    ) -> None:
        seats = tuple(seats) if hasattr(seats, "__iter__") else seats
        check_choice("seats", seats, _LEARNER_SEATS)
        for seat in seats:
            check_integer("seats", seat, 0, 3)
        self.seats = tuple(map(int, seats))
        check_choice("flatten", flatten, (False, True))
        check_choice("illegal_action", illegal_action, ("terminate", "raise", "random"))
        if partner is not None and len(self.seats) > 1:
            raise ValueError(f"partner needs a learner with one seat, got seats={self.seats}")
        if flatten and observation == "history":
            raise ValueError('flatten=True needs observation="features"')
        self.render_mode = render_mode
        self.flatten = flatten
        self.illegal_action = illegal_action
        self.aec = raw_env(
            target_score=target_score,
            episode=episode,
            reward=reward,
            max_rounds=max_rounds,
            skip_forced=skip_forced,
            observation=observation,
            render_mode=render_mode,
        )
        own = rules.partnership_of(self.seats[0])
        by_partnership = {
            own: as_policy("partner", "random" if partner is None else partner),
            1 - own: as_policy("opponents", opponents),
        }
        self.policies = {
            seat: by_partnership[rules.partnership_of(seat)]
            for seat in range(rules.NUM_SEATS)
            if seat not in self.seats
        }
        self.observation_space = self.aec.observation_space(AGENTS[self.seats[0]])
        if flatten:
            self.observation_space = self.observation_space["observation"]  # type: ignore[index]
        self.action_space = self.aec.action_space(AGENTS[self.seats[0]])
        self._seat = self.seats[0]
        self._earned = 0.0
        self._policy_rng = np.random.default_rng(0)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode and play it up to the learner's first decision.

        Args:
            seed: Fixes the deals, the lots and the other policies' chance.
            options: As of ``raw_env.reset``.

        Returns:
            Observation and info. An episode that was over before the learner could act is
            reported as an entry of ``info["missed_rewards"]``, its reward, and another is started
            with the same scores.

        Raises:
            ValueError: If an option is malformed; then the game has not changed.
        """
        super().reset(seed=seed)
        self.aec.reset(seed=int(self.np_random.integers(2**63)), options=options)
        self._policy_rng = np.random.default_rng(self.np_random.integers(2**63))
        missed: list[float] = []
        self._earned = 0.0
        while self._play_others():
            missed.append(self._earned)
            self._earned = 0.0
            self.aec.reset(options={"scores": (options or {}).get("scores")})
        observation, info = self._observation_and_info()
        if missed:
            info["missed_rewards"] = missed
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play ``action`` for the learner's seat on turn, then the other seats.

        Raises:
            ValueError: If the action is illegal and ``illegal_action="raise"``.
            gymnasium.error.ResetNeeded: Before ``reset`` and after the end of an episode.
        """
        if not self.aec.agents or self._is_over():
            raise gymnasium.error.ResetNeeded("no episode is in progress: call reset() first")
        illegal = self.illegal_action != "raise" and not self.aec.is_legal(action)
        if illegal and self.illegal_action == "terminate":
            self.aec.terminations = dict.fromkeys(AGENTS, True)
            observation, info = self._observation_and_info()
            info["illegal_action"] = True
            return observation, ILLEGAL_REWARD, True, False, info
        if illegal:
            action = self._policy_rng.choice(np.flatnonzero(self.aec.action_mask()))

        self._act(action)
        self._play_others()
        reward, self._earned = self._earned, 0.0
        observation, info = self._observation_and_info()
        if illegal:
            info["illegal_action"] = True
        agent = AGENTS[self.seats[0]]
        return (
            observation,
            reward,
            self.aec.terminations[agent],
            self.aec.truncations[agent],
            info,
        )

    def action_masks(self) -> np.ndarray:
        """The legal actions, (113,) bool, as sb3-contrib's maskable algorithms ask for them."""
        return self.aec.observe(AGENTS[self._seat])["action_mask"].astype(bool)

    def render(self) -> Any:
        """The board as text, with the learner's hand; see ``raw_env.render``."""
        return self.aec.render(AGENTS[self._seat])

    def _is_over(self) -> bool:
        return any(self.aec.terminations.values()) or any(self.aec.truncations.values())

    def _act(self, action: Any) -> None:
        self.aec.step(action)
        self._earned += self.aec.rewards[AGENTS[self.seats[0]]]

    def _play_others(self) -> bool:
        """Play until the learner is on turn; True if the episode ended first."""
        while not self._is_over():
            policy = self.policies.get(self._seat_on_turn())
            if policy is None:
                self._seat = self._seat_on_turn()
                return False
            self._act(int(policy.act(self.aec.views(), self._policy_rng)[0]))
        return True

    def _seat_on_turn(self) -> int:
        return AGENTS.index(self.aec.agent_selection)

    def _observation_and_info(self) -> tuple[Any, dict[str, Any]]:
        """Of the learner's seat that is on turn or, after the end, acted last."""
        observation = self.aec.observe(AGENTS[self._seat])
        info = {"action_mask": observation["action_mask"].copy(), "seat": self._seat}
        return (observation["observation"] if self.flatten else observation), info
