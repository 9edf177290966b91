"""Plain minimax on the rules, of every action of every position: what the solver has to equal."""

from typing import Any

from seven_rocks_env import rules

Position = tuple[tuple[int, ...], int, int, int, tuple[int, int]]
Values = dict[int, int]


def position_of(game: Any, target: int | None = None) -> Position:
    """Hands, layout, seat, passes in a row, and what each partnership needs for ``target``."""
    hands = tuple(int(hand) for hand in game["hands"])
    needs = [10**6 if target is None else target - int(score) for score in game["scores"]]
    return (hands, int(game["layout"]), int(game["seat"]), int(game["passes"]), tuple(needs))


def best_of(values: Values, seat: int) -> int:
    """The best value for ``seat``; values count for partnership 0."""
    return min(values.values()) if seat % 2 else max(values.values())


def settled(hands: tuple[int, ...]) -> int:
    """What the settlement nets partnership 0 and costs partnership 1."""
    return sum((1 if seat % 2 else -1) * rules.hand_deduction(hands[seat]) for seat in range(4))


def action_values(position: Position, memo: dict[Position, Values]) -> Values:
    """The value of every legal action, in points."""
    if position in memo:
        return memo[position]
    hands, layout, seat, passes, needs = position
    values = {}
    for site in range(rules.NUM_SITES):
        fitting = hands[seat] & int(rules.FITTING_TILES[rules.site_value(layout, site)])
        for tile in range(rules.NUM_TILES):
            if fitting >> tile & 1:
                values[4 * tile + site] = _after_placement(position, tile, site, memo)
    if not values:
        if passes == 3:
            values[rules.PASS] = settled(hands)
        else:
            after = (hands, layout, (seat + 1) % 4, passes + 1, needs)
            values[rules.PASS] = best_of(action_values(after, memo), (seat + 1) % 4)
    memo[position] = values
    return values


def _after_placement(position: Position, tile: int, site: int, memo: dict[Position, Values]) -> int:
    hands, layout, seat, _, needs = position
    layout = rules.place(layout, tile, site)
    credit = rules.credit_for(rules.end_sum(layout))
    points = -credit if seat % 2 else credit
    if credit >= needs[seat % 2]:
        return points
    left = list(hands)
    left[seat] &= ~(1 << tile)
    if left[seat] == 0:
        return points + settled(tuple(left))
    still = list(needs)
    still[seat % 2] -= credit
    after = (tuple(left), layout, (seat + 1) % 4, 0, (still[0], still[1]))
    return points + best_of(action_values(after, memo), (seat + 1) % 4)
