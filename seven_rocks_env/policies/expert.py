"""``expert``: one-ply judgement with few weights, in microseconds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.policies.protocol import Views
from seven_rocks_env.policies.replies import NUM_CREDITS, POINTS, scoring_replies, unseen_tiles


class Weights(NamedTuple):
    """What the expert values, in points."""

    left: float
    partner: float
    right: float
    own: float
    pips: float
    late_pips: float
    double: float
    fits: float
    values: float
    left_passes: float
    partner_passes: float
    right_passes: float
    left_last: float


WEIGHTS = Weights(0.8, 0.4, 0.2, 0.2, 0.3, 0.0, 2.0, 1.0, 0.5, 5.0, -3.0, 2.0, 0.0)
_WIN = 500.0


@compiled
def _value(
    layout, tile, site, hand, unseen, missing, by_credit, own_need, their_need, stage, weights
):
    after = rules.place(layout, tile, site)
    credit = rules.credit_for(rules.end_sum(after))
    value = float(credit)
    if credit > 0 and credit >= own_need:
        return _WIN + value
    hand &= ~(1 << tile)
    if hand == 0:
        return value
    own_need -= credit

    none_left = none_partner = none_right = 1.0
    own = 0
    counted = 0
    entries = scoring_replies(after, by_credit)
    while entries:
        entry = rules.lowest_bit(entries)
        entries &= entries - 1
        points = POINTS * (NUM_CREDITS - 1 - entry)
        tiles = by_credit[entry]
        if own == 0 and tiles & hand:
            own = points
        tiles &= unseen & ~counted
        counted |= tiles
        left, partner, right = none_left, none_partner, none_right
        while tiles:
            held = rules.lowest_bit(tiles)
            tiles &= tiles - 1
            none_left *= missing[held, 0]
            none_partner *= missing[held, 1]
            none_right *= missing[held, 2]
        theirs = points + (_WIN if points >= their_need else 0.0)
        ours = points + (_WIN if points >= own_need else 0.0)
        value -= weights.left * (left - none_left) * theirs
        value += weights.partner * (partner - none_partner) * ours
        value -= weights.right * (right - none_right) * theirs
    value += weights.own * own

    fitting = 0
    for other in range(rules.NUM_SITES):
        fitting |= rules.FITTING_TILES[rules.site_value(after, other)]
    left = partner = right = 1.0
    tiles = fitting & unseen
    while tiles:
        held = rules.lowest_bit(tiles)
        tiles &= tiles - 1
        left *= missing[held, 0]
        partner *= missing[held, 1]
        right *= missing[held, 2]
    value += weights.left_passes * left
    value += weights.partner_passes * partner
    value += weights.right_passes * right
    value += weights.left_last * left * stage

    pips = rules.PIPS[tile]
    value += (weights.pips + weights.late_pips * stage) * pips
    if rules.IS_DOUBLE[tile]:
        value += weights.double
    value += weights.fits * rules.hand_size(hand & fitting)
    for number in range(7):
        if hand & rules.FITTING_TILES[number]:
            value += weights.values
    return value


@compiled
def choose(game, weights):
    """What ``weights`` make the seat on turn play; see ``expert_action``."""
    seat = int(game["seat"])
    layout = int(game["layout"])
    hand = int(game["hands"][seat])
    choices = 0
    only = rules.PASS
    for site in range(rules.NUM_SITES):
        tiles = hand & rules.FITTING_TILES[rules.site_value(layout, site)]
        if tiles:
            choices += rules.hand_size(tiles)
            only = rules.NUM_SITES * rules.lowest_bit(tiles) + site
    if choices <= 1:
        return only

    missing = np.empty((rules.NUM_TILES, 3))
    by_credit = np.empty(NUM_CREDITS, np.int64)
    unseen = unseen_tiles(game, seat, missing)
    stage = 1.0 - rules.hand_size(unseen) / 21.0
    partnership = rules.partnership_of(seat)
    target = int(game["target"])
    own_need = target - int(game["scores"][partnership])
    their_need = target - int(game["scores"][1 - partnership])
    best = only
    best_value = -np.inf
    for site in range(rules.NUM_SITES):
        tiles = hand & rules.FITTING_TILES[rules.site_value(layout, site)]
        while tiles:
            tile = rules.lowest_bit(tiles)
            tiles &= tiles - 1
            value = _value(
                layout,
                tile,
                site,
                hand,
                unseen,
                missing,
                by_credit,
                own_need,
                their_need,
                stage,
                weights,
            )
            if value > best_value:
                best_value = value
                best = rules.NUM_SITES * tile + site
    return best


@compiled
def expert_action(game, chance):
    """What ``ExpertPolicy`` plays for the seat on turn; it leaves nothing to ``chance``."""
    return choose(game, WEIGHTS)


@compiled
def _act(states, actions):
    for index in range(states.shape[0]):
        actions[index] = expert_action(states[index], 0.0)


class ExpertPolicy:
    """Weighs what each placement earns, allows and leaves, without looking further."""

    def act(self, views: Views, rng: np.random.Generator) -> np.ndarray:
        """See ``Policy.act``."""
        actions = np.empty(len(views), np.int64)
        _act(views.states, actions)
        return actions
