"""The compiled step that the batch and the AEC environment share.

A record costs microseconds to hand to compiled code, an array of one record a fraction of that;
therefore what Python calls at every step takes ``games``, (1,) of ``rules.STATE``.
"""

from __future__ import annotations

from seven_rocks_env import observation, rules
from seven_rocks_env._compile import compiled

# What step_one returns instead of the seat on turn.
ILLEGAL = -1
ROUND_OVER = 4


@compiled
def margin(game):
    """Score of partnership 0 minus score of partnership 1."""
    return int(game["scores"][0]) - int(game["scores"][1])


@compiled
def round_over(game):
    """True between the end of a round and the next deal."""
    return game["phase"] != rules.PLAYING


@compiled
def play_on(game, action, skip_forced, mask):
    """Play ``action`` and, if asked, the forced actions after it, up to the end of the round.

    ``mask`` (113,) receives the legal actions of the seat then on turn: none once the round ended.
    """
    rules.play(game, action)
    count = rules.legal_actions(game, mask)
    while skip_forced and count == 1:
        forced = rules.PASS
        for candidate in range(rules.PASS):
            if mask[candidate]:
                forced = candidate
        rules.play(game, forced)
        count = rules.legal_actions(game, mask)


@compiled
def is_terminated(game, one_round):
    """True if the episode has come to its own end: the match won, or the single round over."""
    return game["phase"] == rules.WON or (one_round and round_over(game))


@compiled
def is_truncated(game, one_round, max_rounds):
    """True if the match stops without a winner after ``max_rounds`` (0: no limit)."""
    return (
        max_rounds > 0
        and round_over(game)
        and game["round"] + 1 >= max_rounds
        and not is_terminated(game, one_round)
    )


@compiled
def action_reward(game, margin_before, pay_wins):
    """What partnership 0 earns by the actions since ``margin_before``; partnership 1 loses it."""
    if not pay_wins:
        return margin(game) - margin_before
    if game["phase"] != rules.WON:
        return 0
    return 1 if game["winner"] == 0 else -1


@compiled
def step_one(games, action, skip_forced, pay_wins, mask):
    """Play ``action`` if it is legal.

    Returns:
        The seat on turn, ``ROUND_OVER``, or ``ILLEGAL``; and the reward
        of partnership 0.
    """
    game = games[0]
    if not rules.is_legal(game, action):
        return ILLEGAL, 0
    before = margin(game)
    play_on(game, action, skip_forced, mask)
    status = ROUND_OVER if round_over(game) else int(game["seat"])
    return status, action_reward(game, before, pay_wins)


@compiled
def observe_one(games, seat, alive, integers, features, mask):
    """Write what ``seat`` sees: ``integers`` int8 and ``features`` float32, both (SIZE,).

    ``mask`` (113,) receives its legal actions if it is ``alive`` and on turn.
    """
    game = games[0]
    observation.encode(game, seat, integers)
    observation.scaled(integers, features)
    if alive and game["seat"] == seat:
        rules.legal_actions(game, mask)


@compiled
def deal_rounds(games, count):
    """Deal ``count`` rounds, one after the other."""
    for _ in range(count):
        rules.next_round(games[0])


@compiled
def legal_one(games, action):
    """True if ``action`` is legal for the seat on turn."""
    return rules.is_legal(games[0], action)


@compiled
def mask_one(games, mask):
    """Write the legal actions of the seat on turn into ``mask`` (113,)."""
    rules.legal_actions(games[0], mask)
