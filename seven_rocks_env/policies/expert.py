"""``expert``: one-ply judgement with few weights, in microseconds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env._compile import compiled
from seven_rocks_env.policies.protocol import Views
from seven_rocks_env.policies.replies import (
    NUM_CREDITS,
    POINTS,
    fitting_tiles,
    locate_tiles,
    plays_as_before,
    scoring_replies,
)

_FIRST_UNSEEN = 21  # tiles that a seat does not see at the lead


class Weights(NamedTuple):
    """What the expert values, in points; what is likely is as ``replies.locate_tiles`` has it.

    Attributes:
        left: The best credit that the left-hand opponent can then get: it plays next.
        partner: The best credit that the partner can get, if nothing comes between.
        right: The same of the right-hand opponent, after whom it is the own turn again.
        pips: Each pip of the placed tile, which else may have to be paid for.
        late_pips: As much more at the end of the round, in proportion to the tiles placed.
        double: A double gone, which fits one value alone.
        fits: Each own tile that then fits somewhere.
        left_passes: That the left-hand opponent cannot place.
        partner_passes: That the partner cannot; it is the worse for it.
        right_passes: That the right-hand opponent cannot.
        declined: How likely others are to leave out a higher credit; see ``replies.locate_tiles``.
        kept: How likely others are to keep a heavier tile.
    """

    left: float
    partner: float
    right: float
    pips: float
    late_pips: float
    double: float
    fits: float
    left_passes: float
    partner_passes: float
    right_passes: float
    declined: float
    kept: float


# Found by benchmarks/tune_expert.py; what it was called with is said there.
WEIGHTS = Weights(
    left=1.02,
    partner=0.58,
    right=0.28,
    pips=0.14,
    late_pips=0.15,
    double=2.94,
    fits=0.73,
    left_passes=7.22,
    partner_passes=-4.28,
    right_passes=5.83,
    declined=0.21,
    kept=0.41,
)

_WIN = 500.0  # more than all else together; to win the match ends the round


@compiled
def _none_held(tiles, missing, left, partner, right):
    """The probabilities given, each times that of the seat's holding none of ``tiles``."""
    while tiles:
        tile = rules.lowest_bit(tiles)
        tiles &= tiles - 1
        left *= missing[tile, 1]
        partner *= missing[tile, 2]
        right *= missing[tile, 3]
    return left, partner, right


@compiled
def _replies_value(after, unseen, missing, by_credit, needs, weights):
    """What the others may be credited at the layout ``after``."""
    value = 0.0
    none_left = none_partner = none_right = 1.0
    counted = 0
    entries = scoring_replies(after, by_credit)
    while entries:
        entry = rules.lowest_bit(entries)
        entries &= entries - 1
        points = POINTS * (NUM_CREDITS - 1 - entry)
        left, partner, right = none_left, none_partner, none_right
        tiles = by_credit[entry] & unseen & ~counted
        counted |= tiles
        none_left, none_partner, none_right = _none_held(
            tiles, missing, none_left, none_partner, none_right
        )
        ours = points + (_WIN if points >= needs[0] else 0.0)
        theirs = points + (_WIN if points >= needs[1] else 0.0)
        value += weights.partner * (partner - none_partner) * ours
        value -= weights.left * (left - none_left) * theirs
        value -= weights.right * (right - none_right) * theirs
    return value


@compiled
def _passes_value(fitting, unseen, missing, weights):
    """What it is worth that the others may have none of the ``fitting`` tiles."""
    left, partner, right = _none_held(fitting & unseen, missing, 1.0, 1.0, 1.0)
    return (
        weights.left_passes * left + weights.partner_passes * partner + weights.right_passes * right
    )


@compiled
def _placement_value(layout, tile, site, hand, unseen, missing, by_credit, needs, weights):
    """What it is worth to place ``tile`` of ``hand`` at ``site``.

    ``needs`` is what wins the match for the own and for the other partnership.
    """
    after = rules.place(layout, tile, site)
    credit = rules.credit_for(rules.end_sum(after))
    hand &= ~(1 << tile)
    if credit > 0 and credit >= needs[0]:
        return _WIN + credit
    if hand == 0:
        return float(credit)  # the round is over, and all else the same wherever the tile goes
    needs = (needs[0] - credit, needs[1])
    fitting = fitting_tiles(after)
    late = 1.0 - rules.hand_size(unseen) / _FIRST_UNSEEN
    value = credit + (weights.pips + weights.late_pips * late) * rules.PIPS[tile]
    if rules.IS_DOUBLE[tile]:
        value += weights.double
    value += _replies_value(after, unseen, missing, by_credit, needs, weights)
    value += _passes_value(fitting, unseen, missing, weights)
    value += weights.fits * rules.hand_size(hand & fitting)
    return value


@compiled
def weighed_action(game, weights):
    """What the seat on turn plays by ``weights``; see ``expert_action``."""
    seat = int(game["seat"])
    layout = int(game["layout"])
    hand = int(game["hands"][seat])
    choices = 0
    best = rules.PASS
    for site in range(rules.NUM_SITES):
        tiles = rules.legal_tiles(game, site)
        if tiles and not plays_as_before(layout, site):
            choices += rules.hand_size(tiles)
            best = rules.NUM_SITES * rules.lowest_bit(tiles) + site
    if choices <= 1:
        return best

    missing = np.empty((rules.NUM_TILES, rules.NUM_SEATS))
    by_credit = np.empty(NUM_CREDITS, np.int64)
    unseen = locate_tiles(game, seat, weights.declined, weights.kept, missing, by_credit)
    own = rules.partnership_of(seat)
    target = int(game["target"])
    needs = (target - int(game["scores"][own]), target - int(game["scores"][1 - own]))
    best_value = -np.inf
    for site in range(rules.NUM_SITES):
        tiles = 0 if plays_as_before(layout, site) else rules.legal_tiles(game, site)
        while tiles:
            tile = rules.lowest_bit(tiles)
            tiles &= tiles - 1
            value = _placement_value(
                layout, tile, site, hand, unseen, missing, by_credit, needs, weights
            )
            if value > best_value:
                best_value = value
                best = rules.NUM_SITES * tile + site
    return best


@compiled
def expert_action(game, chance):
    """What ``ExpertPolicy`` plays for the seat on turn; it leaves nothing to ``chance``."""
    return weighed_action(game, WEIGHTS)


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
