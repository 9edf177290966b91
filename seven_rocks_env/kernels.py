"""The compiled loops of ``Batch``, each over the games that its arrays hold.

A thread gets slices of the arrays. Games share nothing, so it does not matter how they are cut.
"""

from __future__ import annotations

from seven_rocks_env import observation, rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.engine import (
    action_reward,
    is_terminated,
    is_truncated,
    margin,
    play_on,
    round_over,
)


@compiled
def start(states, target, scores, deals, openers):
    """Start an episode in every game; see ``start_game``."""
    for index in range(states.shape[0]):
        start_game(states[index], index, target, scores, deals, openers)


@compiled
def start_game(game, index, target, scores, deals, openers):
    """Start an episode in ``game`` from row ``index`` of what is given; each may have no rows."""
    rules.new_match(game, game["stream"], target, 0, 0)
    if scores.shape[0] > 0:
        for partnership in range(2):
            game["scores"][partnership] = scores[index, partnership]
    rules.next_round(game)
    if deals.shape[0] > 0:
        for seat in range(rules.NUM_SEATS):
            game["hands"][seat] = deals[index, seat]
    if openers.shape[0] > 0:
        rules.start_round(game, openers[index])


@compiled
def look(states, integers, features, masks, seats):
    """Write what the seat on turn sees and may do, ``features`` (n, SIZE) unless it has no rows."""
    for index in range(states.shape[0]):
        rules.legal_actions(states[index], masks[index])
        _see(states[index], index, integers, features, seats)


@compiled
def _see(game, index, integers, features, seats):
    seats[index] = game["seat"]
    observation.encode(game, int(game["seat"]), integers[index])
    if features.shape[0] > 0:
        observation.scaled(integers[index], features[index])


@compiled
def all_legal(states, actions):
    """True if every game that is not over could play its action."""
    for index in range(states.shape[0]):
        game = states[index]
        if not round_over(game) and not rules.is_legal(game, actions[index]):
            return False
    return True


@compiled
def step(
    states,
    actions,
    one_round,
    max_rounds,
    skip_forced,
    pay_wins,
    autoreset,
    integers,
    features,
    masks,
    seats,
    rewards,
    terminations,
    truncations,
    final_scores,
):
    """Play one legal action in every game that is not over, and write all that ``Batch`` shows."""
    for index in range(states.shape[0]):
        game = states[index]
        rewards[index, :] = 0
        terminations[index] = False
        truncations[index] = False
        if round_over(game):
            continue  # an episode that ended, without autoreset

        before = margin(game)
        play_on(game, actions[index], skip_forced, masks[index])
        reward = action_reward(game, before, pay_wins)
        for seat in range(rules.NUM_SEATS):
            rewards[index, seat] = reward if rules.partnership_of(seat) == 0 else -reward

        if round_over(game):
            terminations[index] = is_terminated(game, one_round)
            truncations[index] = is_truncated(game, one_round, max_rounds)
            ended = terminations[index] or truncations[index]
            if ended:
                final_scores[index, 0] = game["scores"][0]
                final_scores[index, 1] = game["scores"][1]
                if autoreset:
                    rules.new_match(game, game["stream"], game["target"], 0, 0)
            if autoreset or not ended:
                rules.next_round(game)
                rules.legal_actions(game, masks[index])
        _see(game, index, integers, features, seats)
