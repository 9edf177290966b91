"""The compiled engine and the plain rules play the same matches and must agree after every action.

The plain rules were written from the rules alone, by somebody who had not seen the engine.
"""

from collections import Counter
from collections.abc import Callable

import numpy as np

from seven_rocks_env import rules
from seven_rocks_env.history import History, Round, round_of
from seven_rocks_env.ledger import ledger_of
from tests.games import PASS, legal, needs_compiler, new_match, random_action, tiles_of
from tests.plain_rules import PlainMatch, credit_for

Chooser = Callable[[np.void, np.random.Generator], int]

PHASES = {
    None: rules.PLAYING,
    "domino": rules.DOMINO,
    "blocked": rules.BLOCKED,
    "won": rules.WON,
}

EVENTS = [
    "pass",
    "three passes in a row without a block",
    "arms alone save from passing",
    "two sites fit the same tile",
    "plain lead",
    "double lead",
    "lead that scores",
    "spinner placed at the low end",
    "spinner placed at the high end",
    "later double at the end of a line",
    "both arms started",
    "round of one side only: no spinner inside",
    "domino",
    "domino on a scoring tile",
    "block",
    "250 in mid-round",
    "250 on the last tile",
    "negative score",
    "opener after a domino",
    "opener after a block",
    "seat 0 opens a match",
    "seat 1 opens a match",
    "seat 2 opens a match",
    "seat 3 opens a match",
]


def credit_of(game: np.void, action: int) -> int:
    if action == PASS:
        return 0
    layout = rules.place(game["layout"], action // 4, action % 4)
    return int(rules.credit_for(rules.end_sum(layout)))


def greedy(game: np.void, rng: np.random.Generator) -> int:
    """Take the most points."""
    return max(sorted(legal(game)), key=lambda action: credit_of(game, action))


def half_greedy(game: np.void, rng: np.random.Generator) -> int:
    return greedy(game, rng) if rng.random() < 0.5 else random_action(game, rng)


def patient(game: np.void, rng: np.random.Generator) -> int:
    """Avoid points in the first round, so that they come on last tiles; then make up for it."""
    if game["round"] > 0:
        return greedy(game, rng)
    actions = sorted(legal(game))
    rng.shuffle(actions)
    return min(actions, key=lambda action: credit_of(game, action))


class Comparison:
    """Matches played by both, and what happened in them."""

    def __init__(self) -> None:
        self.rounds = 0
        self.matches = 0
        self.actions = 0
        self.events: Counter[str] = Counter()

    def play_match(self, seed: int, scores: tuple[int, int], choose: Chooser) -> None:
        rng = np.random.default_rng(seed)
        game = new_match(seed, scores)
        stream = tuple(game["stream"].tolist())
        rules.next_round(game)
        plain = PlainMatch(self.hands(game), int(game["opener"]), scores)
        self.events[f"seat {plain.opener} opens a match"] += 1
        past: list[Round] = []
        while True:
            self.play_round(game, plain, choose, rng)
            past.append(round_of(game))
            if plain.ended == "won":
                break
            ended = plain.ended
            rules.next_round(game)
            # After a domino the lot must not matter: tell the plain rules another one.
            lot = int(game["opener"]) if ended == "blocked" else (plain.turn + 1) % 4
            plain.next_round(self.hands(game), lot)
            self.events[f"opener after a {'block' if ended == 'blocked' else ended}"] += 1
        self.matches += 1

        ledger = ledger_of(History(plain.target, scores, stream, tuple(past)))
        assert [
            (entry.round, entry.seat, entry.partnership, entry.kind, entry.points, entry.score)
            for entry in ledger
        ] == plain.ledger

    def play_round(
        self, game: np.void, plain: PlainMatch, choose: Chooser, rng: np.random.Generator
    ) -> None:
        self.compare(game, plain)
        while plain.ended is None:
            action = choose(game, rng)
            self.count_before(game, action)
            rules.play(game, action)
            plain.play(action)
            self.actions += 1
            self.compare(game, plain)
            self.count_after(game, action)
        self.rounds += 1

    def hands(self, game: np.void) -> list[list[tuple[int, int]]]:
        return [tiles_of(hand) for hand in game["hands"].tolist()]

    def compare(self, game: np.void, plain: PlainMatch) -> None:
        assert game["phase"] == PHASES[plain.ended]
        assert legal(game) == plain.legal_actions()
        assert (game["round"], game["opener"]) == (plain.round, plain.opener)
        assert (game["seat"], game["passes"]) == (plain.turn, plain.passes)
        assert game["scores"].tolist() == plain.scores
        assert game["winner"] == (rules.NO_WINNER if plain.winner is None else plain.winner)
        assert self.hands(game) == [sorted(hand) for hand in plain.hands]
        end_sum = plain.layout.end_sum()
        assert rules.end_sum(game["layout"]) == end_sum
        placed = plain.layout.tiles and plain.passes == 0
        assert game["credit"] == (credit_for(end_sum) if placed else 0)

    def count_before(self, game: np.void, action: int) -> None:
        layout = game["layout"]
        actions = legal(game)
        tile, site = divmod(action, 4)
        if action == PASS:
            self.events["pass"] += 1
            return
        if game["passes"] == 3:
            self.events["three passes in a row without a block"] += 1
        if all(legal_action % 4 >= 2 for legal_action in actions):
            self.events["arms alone save from passing"] += 1
        if len({legal_action // 4 for legal_action in actions}) < len(actions):
            self.events["two sites fit the same tile"] += 1
        if game["num_actions"] == 0:
            self.events["double lead" if rules.IS_DOUBLE[tile] else "plain lead"] += 1
            self.events["lead that scores"] += credit_of(game, action) > 0
        elif rules.IS_DOUBLE[tile]:
            if rules.spinner_value(layout) == rules.NO_SPINNER:
                self.events[f"spinner placed at the {('low', 'high')[site]} end"] += 1
            else:
                self.events["later double at the end of a line"] += 1

    def count_after(self, game: np.void, action: int) -> None:
        layout, phase = game["layout"], game["phase"]
        last_tile = action != PASS and game["hands"][game["seat"]] == 0
        if game["scores"].min() < 0:
            self.events["negative score"] += 1
        if phase == rules.PLAYING:
            return
        if rules.NO_TILE not in (rules.site_tile(layout, 2), rules.site_tile(layout, 3)):
            self.events["both arms started"] += 1
        if not rules.line_sides_taken(layout):
            self.events["round of one side only: no spinner inside"] += 1
        if phase == rules.DOMINO:
            self.events["domino"] += 1
            self.events["domino on a scoring tile"] += game["credit"] > 0
        elif phase == rules.BLOCKED:
            self.events["block"] += 1
        else:
            self.events["250 on the last tile" if last_tile else "250 in mid-round"] += 1


@needs_compiler
def test_the_engine_and_the_plain_rules_agree(
    record_property: Callable[[str, object], None],
) -> None:
    """About 2,000 rounds in 290 matches; ``-s`` shows what happened in them."""
    compared = Comparison()
    for seed in range(80):
        compared.play_match(seed, (0, 0), random_action)
    for seed in range(100, 150):
        compared.play_match(seed, (0, 0), half_greedy)
    for seed in range(200, 250):
        compared.play_match(seed, (-40, 35), greedy)
    for seed in range(300, 410):
        compared.play_match(seed, (240, 235), patient)

    record_property("rounds", compared.rounds)
    record_property("matches", compared.matches)
    print(f"{compared.rounds} rounds, {compared.matches} matches, {compared.actions} actions")
    print(*(f"{count} x {event}" for event, count in compared.events.most_common()), sep="\n")
    assert compared.rounds >= 2_000
    assert compared.matches >= 50
    assert [event for event in EVENTS if compared.events[event] == 0] == []


def test_the_engine_and_the_plain_rules_agree_without_the_compiler_too() -> None:
    compared = Comparison()
    for seed in range(500, 506):
        compared.play_match(seed, (100, 120), half_greedy)
