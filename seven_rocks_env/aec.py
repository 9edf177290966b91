"""Seven Rocks as a PettingZoo AEC environment."""

from __future__ import annotations

import copy
import operator
from collections.abc import Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from seven_rocks_env import observation as obs
from seven_rocks_env import rules
from seven_rocks_env.board import Layout
from seven_rocks_env.engine import (
    ILLEGAL,
    ROUND_OVER,
    is_terminated,
    is_truncated,
    legal_one,
    mask_one,
    observe_one,
    step_one,
)
from seven_rocks_env.env_state import AGENTS, NUM_WORDS, EnvState, resampled
from seven_rocks_env.history import History, Round, round_of
from seven_rocks_env.ledger import LedgerEntry, ledger_of
from seven_rocks_env.options import ResetOptions, read_options
from seven_rocks_env.policies import Views
from seven_rocks_env.record import to_text
from seven_rocks_env.render import board_text
from seven_rocks_env.settings import Episode, Reward, Settings, check_choice
from seven_rocks_env.words import action_words, legal_words

_SEAT = {agent: seat for seat, agent in enumerate(AGENTS)}
_PARTNERSHIP = tuple(int(rules.partnership_of(seat)) for seat in range(rules.NUM_SEATS))

Observation = dict[str, np.ndarray]


class raw_env(AECEnv[str, Observation, int]):  # noqa: N801 - PettingZoo's name for it
    """Four players in two partnerships, ``player_0`` and ``player_2`` against the other two.

    ================  ============================================================================
    agents            ``player_0`` .. ``player_3``, the seats in order; all end at once
    action            ``Discrete(113)``: ``4 * tile + site``, or 112 to pass
    observation       ``{"observation": float32 (378,), "action_mask": int8 (113,)}``; see
                      ``seven_rocks_env.observation`` for what each number means. The mask of an
                      agent that is not on turn is all zeros. With ``observation="history"`` also
                      ``"history"``: int8 (97, 2), this round's actions as (relative seat, action)
    infos             the agent on turn has its mask under ``"action_mask"`` as well
    reward            after each action, for every agent; the four sum to zero
    termination       a partnership has reached the target, or the single round is over
    truncation        ``max_rounds`` rounds were played without a winner
    ================  ============================================================================

    A round that ends is settled, and the next one dealt, in the step that ended it.

    Args:
        target_score: Points that win the match at once, a multiple of five from 5 to 635.
        episode: ``"match"`` or ``"round"``.
        reward: ``"score_difference"`` pays the change of the own partnership's score minus the
            other's, in points; ``"win"`` pays +1 or -1 when the match is won, and needs a match.
        max_rounds: Truncate after this many rounds; ``None`` for no limit.
        skip_forced: Play actions that are the only legal one without asking.
        observation: ``"features"``, or ``"history"`` for the third key.
        render_mode: ``None``, ``"ansi"`` (``render`` returns text) or ``"human"`` (prints the text
            after every step, and at the end of every round).

    Attributes:
        state_space: ``Box(float32, (462,))``, the space of ``state()``.

    Raises:
        ValueError: If an argument is not allowed; it names the argument and what is allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's signature
        "name": "seven_rocks_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        target_score: int = 250,
        episode: Episode = "match",
        reward: Reward = "score_difference",
        max_rounds: int | None = None,
        skip_forced: bool = False,
        observation: Literal["features", "history"] = "features",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.settings = Settings(target_score, episode, reward, max_rounds, skip_forced)
        check_choice("observation", observation, ("features", "history"))
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.render_mode = render_mode
        self._with_history = observation == "history"

        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.observation_spaces = {agent: self._observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(rules.NUM_ACTIONS) for agent in AGENTS}
        hidden = np.ones((rules.NUM_SEATS - 1) * rules.NUM_TILES, np.float32)
        self.state_space = spaces.Box(
            np.concatenate([obs.LOW * obs.SCALE, 0 * hidden]),
            np.concatenate([obs.HIGH * obs.SCALE, hidden]),
            dtype=np.float32,
        )

        self._np_random: np.random.Generator | None = None
        self._games = np.zeros(1, rules.STATE)
        self._options = ResetOptions()
        self._stream: tuple[int, ...] = ()
        self._past: tuple[Round, ...] = ()

    def _observation_space(self) -> spaces.Dict:
        parts: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(obs.LOW * obs.SCALE, obs.HIGH * obs.SCALE, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (rules.NUM_ACTIONS,), np.int8),
        }
        if self._with_history:
            parts["history"] = spaces.Box(-1, rules.PASS, (rules.MAX_ACTIONS, 2), np.int8)
        return spaces.Dict(parts)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of ``agent``'s observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of ``agent``'s actions, the same object at every call."""
        return self.action_spaces[agent]

    # --- playing -------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a new episode.

        Args:
            seed: Fixes the deals and lots of this and all following episodes. Without one the
                random numbers go on from where the episodes before have left them.
            options: Given deals, openers and scores; see ``options.read_options``.

        Raises:
            ValueError: If an option is malformed; then nothing has changed.
        """
        checked = read_options(options, self.settings.target_score)
        if isinstance(seed, np.integer):
            seed = int(seed)
        if seed is not None or self._np_random is None:
            self._np_random, _ = gymnasium.utils.seeding.np_random(seed)
        words = self._np_random.integers(0, 2**64, size=NUM_WORDS, dtype=np.uint64)

        self._options = checked
        self._stream = tuple(map(int, words))
        self._past = ()
        self._games = np.zeros(1, rules.STATE)
        rules.new_match(self._games[0], words, self.settings.target_score, *checked.scores)

        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._skip_agent_selection: str | None = None
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._deal()

    def _deal(self) -> None:
        """Deal the next round: drawn, and then replaced where the options give it."""
        game = self._games[0]
        after_domino = game["phase"] == rules.DOMINO
        rules.next_round(game)
        hands = self._options.deal_of(int(game["round"]))
        lot = self._options.lot_of(int(game["round"]))
        if hands is not None:
            game["hands"][:] = hands
        if lot is not None and not after_domino:
            rules.start_round(game, lot)
        self.agent_selection = AGENTS[game["seat"]]
        self.infos[self.agent_selection] = {"action_mask": self.action_mask()}

    def step(self, action: int | None) -> None:
        """Play ``action`` for the agent on turn; ``None`` for an agent that has ended.

        Raises:
            ValueError: If the action is illegal; it names the action and the legal ones, and
                nothing has changed.
            gymnasium.error.ResetNeeded: Before the first ``reset``, and when no agent is left.
        """
        if not self.agents:
            raise ResetNeeded("no episode is in progress: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]
            return

        settings = self.settings
        mask = np.empty(rules.NUM_ACTIONS, np.int8)
        status, reward = step_one(
            self._games,
            self._action_number(action),
            settings.skip_forced,
            settings.reward == "win",
            mask,
        )
        if status == ILLEGAL:
            raise ValueError(self._complaint(action))

        self._cumulative_rewards[agent] = 0.0
        for seat, name in enumerate(AGENTS):
            pay = float(reward if _PARTNERSHIP[seat] == 0 else -reward)
            self.rewards[name] = pay
            self._cumulative_rewards[name] += pay
        self.infos[agent] = {}
        if status == ROUND_OVER:
            self._end_round()
        else:
            self.agent_selection = AGENTS[status]
            self.infos[self.agent_selection] = {"action_mask": mask}
        if self.render_mode == "human":
            self.render()

    def _end_round(self) -> None:
        """End the episode, or deal the next round."""
        game = self._games[0]
        one_round = self.settings.episode == "round"
        terminated = bool(is_terminated(game, one_round))
        truncated = bool(is_truncated(game, one_round, self.settings.max_rounds or 0))
        if terminated or truncated:
            self.terminations = dict.fromkeys(AGENTS, terminated)
            self.truncations = dict.fromkeys(AGENTS, truncated)
            self.agent_selection = AGENTS[game["seat"]]
            self._deads_step_first()
        else:
            if self.render_mode == "human":
                self.render()  # the end of the round, before its table is cleared
            self._past += (round_of(game),)
            self._deal()

    def is_legal(self, action: Any) -> bool:
        """True if the rules let the agent on turn play ``action``, whatever that is."""
        return bool(legal_one(self._games, self._action_number(action)))

    def _action_number(self, action: Any) -> int:
        """``action`` as an int; whatever is no number of an action becomes ``ILLEGAL``."""
        try:
            number = operator.index(action)
        except TypeError:
            return ILLEGAL
        known = 0 <= number < rules.NUM_ACTIONS and not isinstance(action, bool)
        return number if known else ILLEGAL

    def _complaint(self, action: Any) -> str:
        game = self._games[0]
        number = self._action_number(action)
        words = (
            f"action {action!r}, which is not an integer in 0..{rules.PASS}"
            if number == ILLEGAL
            else action_words(number, game["layout"])
        )
        return f"{self.agent_selection} may not play {words}; legal: {legal_words(game)}"

    # --- looking -------------------------------------------------------------------------------

    def _seat_of(self, agent: str) -> int:
        if agent not in _SEAT:
            raise ValueError(f"there is no agent {agent!r}; the agents are {', '.join(AGENTS)}")
        self._check_reset()
        return _SEAT[agent]

    def _check_reset(self) -> None:
        if self._np_random is None:
            raise ResetNeeded("no episode is in progress: call reset() first")

    def _is_over(self, agent: str) -> bool:
        return self.terminations.get(agent, True) or self.truncations.get(agent, True)

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees now, whoever is on turn; the arrays are the caller's to keep."""
        seat = self._seat_of(agent)
        integers = np.empty(obs.SIZE, np.int8)
        features = np.empty(obs.SIZE, np.float32)
        mask = np.zeros(rules.NUM_ACTIONS, np.int8)
        observe_one(self._games, seat, not self._is_over(agent), integers, features, mask)
        observation = {"observation": features, "action_mask": mask}
        if self._with_history:
            observation["history"] = np.empty((rules.MAX_ACTIONS, 2), np.int8)
            obs.encode_history(self._games[0], seat, observation["history"])
        return observation

    def action_mask(self) -> np.ndarray:
        """The legal actions of the seat on turn, (113,) int8: all zeros when the round is over."""
        mask = np.empty(rules.NUM_ACTIONS, np.int8)
        mask_one(self._games, mask)
        return mask

    def state(self) -> np.ndarray:
        """All that there is to see, (462,) float32, for critics that may see it.

        The observation of the seat on turn, then the other three hands in its order (left-hand
        opponent, partner, right-hand opponent), 28 numbers each.
        """
        on_turn = int(self._games["seat"][0])
        own = self.observe(AGENTS[on_turn])["observation"]
        hands = self._games["hands"][0]
        others = [hands[(on_turn + step) % rules.NUM_SEATS] for step in range(1, rules.NUM_SEATS)]
        tiles = (np.array(others)[:, None] >> np.arange(rules.NUM_TILES)) & 1
        return np.concatenate([own, tiles.astype(np.float32).ravel()])

    def views(self) -> Views:
        """What a ``Policy`` gets in order to act for the agent on turn: one row."""
        self._check_reset()
        return Views.of(self._games)

    @property
    def scores(self) -> tuple[int, int]:
        """Points of the partnerships {0, 2} and {1, 3}."""
        self._check_reset()
        first, second = self._games["scores"][0]
        return int(first), int(second)

    @property
    def history(self) -> History:
        """Deals, openers and actions of the episode so far."""
        self._check_reset()
        rounds = (*self._past, round_of(self._games[0]))
        stream = (self._stream[0], self._stream[1], self._stream[2], self._stream[3])
        return History(self.settings.target_score, self._options.scores, stream, rounds)

    @property
    def ledger(self) -> list[LedgerEntry]:
        """Every credit and deduction of the episode so far, in order."""
        return ledger_of(self.history)

    @property
    def layout(self) -> Layout:
        """The tiles on the table, as people see them."""
        self._check_reset()
        return Layout.of(self._games[0])

    @property
    def record(self) -> str:
        """The episode so far as text, all hands included; see ``docs/record.md``."""
        return to_text(self.history)

    def render(self, agent: str | None = None) -> str | None:  # type: ignore[override]
        """The board, the end sum and the scores, and the hand of ``agent`` if one is named.

        Returns:
            The text if ``render_mode`` is ``"ansi"``; otherwise None, and ``"human"`` prints it.
        """
        self._check_reset()
        if self.render_mode is None:
            gymnasium.logger.warn('render() needs render_mode="ansi" or "human"')
            return None
        hand_of = None if agent is None else self._seat_of(agent)
        text = board_text(self._games[0], hand_of)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing to release."""

    # --- copies --------------------------------------------------------------------------------

    def clone(self) -> raw_env:
        """A copy that shares nothing and plays on exactly as this environment would."""
        return copy.deepcopy(self)

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)
        # An array that was pickled out of band is read-only, and somebody else's.
        self._games = self._games.copy()

    def get_state(self) -> EnvState:
        """The game in progress, whole, random numbers included.

        Raises:
            gymnasium.error.ResetNeeded: Before the first ``reset``.
        """
        self._check_reset()
        assert self._np_random is not None
        return EnvState(
            settings=self.settings,
            game=self._games.tobytes(),
            stream=self._stream,
            options=self._options,
            past=self._past,
            agents=tuple(self.agents),
            agent_selection=self.agent_selection,
            skipped_selection=self._skip_agent_selection,
            rewards=tuple(self.rewards.items()),
            cumulative_rewards=tuple(self._cumulative_rewards.items()),
            terminations=tuple(self.terminations.items()),
            truncations=tuple(self.truncations.items()),
            np_random=dict(self._np_random.bit_generator.state),
        )

    def set_state(self, state: EnvState) -> None:
        """Go on from ``state``, exactly as the environment that gave it would have.

        Raises:
            ValueError: If ``state`` is none, or comes from an environment with other keywords.
        """
        if not isinstance(state, EnvState):
            raise ValueError(
                f"state must come from get_state() or resample(), got a {type(state).__name__}"
            )
        if state.settings != self.settings:
            raise ValueError(f"state is of a game with {state.settings}, not {self.settings}")
        if self._np_random is None:
            self._np_random = np.random.Generator(np.random.PCG64())
        self._np_random.bit_generator.state = dict(state.np_random)
        self._games = np.frombuffer(state.game, rules.STATE).copy()
        self._stream = state.stream
        self._options = state.options
        self._past = state.past
        self.agents = list(state.agents)
        self.agent_selection = state.agent_selection
        self._skip_agent_selection = state.skipped_selection
        self.rewards = dict(state.rewards)
        self._cumulative_rewards = dict(state.cumulative_rewards)
        self.terminations = dict(state.terminations)
        self.truncations = dict(state.truncations)
        self.infos = {agent: {} for agent in self.agents}
        if self.agents and not self._is_over(self.agent_selection):
            self.infos[self.agent_selection] = {"action_mask": self.action_mask()}

    def resample(self, agent: str, rng: np.random.Generator) -> EnvState:
        """A game that ``agent`` cannot tell from this one, for ``set_state``.

        The hidden hands are drawn uniformly from the deals that are consistent with the agent's
        hand, the layout, the hand sizes and what each pass has shown; the deals and lots to come
        are drawn anew too, given ones included.

        Args:
            agent: Whose knowledge is kept.
            rng: Source of the sample.

        Raises:
            ValueError: If there is no such agent.
        """
        return resampled(self.get_state(), self._seat_of(agent), rng)
