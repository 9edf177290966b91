"""The search policies: what they may know, what they find, and that threads change nothing."""

import multiprocessing
import os
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from seven_rocks_env import beliefs, rules
from seven_rocks_env.policies import (
    IsmctsPolicy,
    OpenHandPolicy,
    PimcPolicy,
    Policy,
    RolloutPolicy,
    Views,
)
from seven_rocks_env.policies.searching import MAX_CHOICES, distinct_actions
from seven_rocks_env.solver import solve
from tests.games import (
    PASS,
    Move,
    action,
    legal,
    needs_compiler,
    play,
    random_round,
    round_with,
    words_of,
)
from tests.plain_rules import Tile

SEARCHES: list[Callable[[], Policy]] = [
    lambda: RolloutPolicy(3),
    lambda: RolloutPolicy(3, "greedy"),
    lambda: RolloutPolicy(3, "random"),
    lambda: PimcPolicy(2, 8),
    lambda: IsmctsPolicy(20),
]
IDS = ["rollout:3", "rollout:3:greedy", "rollout:3:random", "pimc:2:8", "ismcts:20"]


def tiles_left(game: np.void) -> int:
    return sum(int(hand).bit_count() for hand in game["hands"])


def positions(seeds: range, most: int = 28, least: int = 1) -> list[np.void]:
    """Positions of random rounds with ``least`` to ``most`` tiles left and a choice to make."""
    return [
        game
        for seed in seeds
        for game in random_round(seed)
        if game["phase"] == rules.PLAYING
        and least <= tiles_left(game) <= most
        and len(legal(game)) > 1
    ]


def decide(policy: Policy, games: list[np.void], seed: int = 0) -> list[int]:
    views = Views.of(np.stack(games), all_hands=isinstance(policy, OpenHandPolicy))
    return policy.act(views, np.random.default_rng(seed)).tolist()


def with_other_hidden_hands(game: np.void, seed: int) -> np.void:
    other = game.copy()
    beliefs.resample(other, int(game["seat"]), words_of(seed))
    return other


# --- choices -------------------------------------------------------------------------------------

DISTINCT = [
    # the tiles played, the hand of the next seat, its distinct placements
    pytest.param([], [(0, 1), (2, 2)], [((0, 1), 0), ((2, 2), 0)], id="the lead"),
    pytest.param(
        [((3, 3), 0)], [(3, 5), (2, 6)], [((3, 5), 0)], id="both sides of a spinner are alike"
    ),
    pytest.param(
        [((3, 3), 0), ((3, 5), 0), ((3, 4), 1)],
        [(1, 3), (4, 5)],
        [((1, 3), 2), ((4, 5), 0), ((4, 5), 1)],
        id="both arms are alike, two ends are not",
    ),
    pytest.param(
        [((2, 6), 0), ((2, 4), 0), ((4, 6), 0)],
        [(3, 6), (1, 1)],
        [((3, 6), 0)],
        id="two plain ends of the same value are alike",
    ),
    pytest.param(
        [((0, 0), 0), ((0, 3), 0), ((3, 5), 0), ((0, 5), 0)],
        [(0, 6), (2, 3)],
        [((0, 6), 0), ((0, 6), 1)],
        id="a line that ends in a blank and the free side of the blank spinner are not",
    ),
]


@pytest.mark.parametrize(("moves", "tiles", "distinct"), DISTINCT)
def test_placements_that_play_alike_are_one_choice(
    moves: list[Move], tiles: list[Tile], distinct: list[Move]
) -> None:
    hands: list[list[Tile]] = [[(1, 6)] for _ in range(4)]
    hands[len(moves) % 4] = list(tiles)
    for number, (tile, _) in enumerate(moves):
        hands[number % 4].append(tile)
    game = play(round_with(hands), *(action(*move) for move in moves))
    actions = np.empty(MAX_CHOICES, np.int64)
    count = distinct_actions(game, actions)

    assert actions[:count].tolist() == [action(*move) for move in distinct]


def test_a_pass_is_the_only_choice_where_nothing_fits() -> None:
    game = play(round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]]), action((4, 5), 0))
    actions = np.empty(MAX_CHOICES, np.int64)

    assert distinct_actions(game, actions) == 1
    assert actions[0] == PASS


def test_choices_are_legal_and_lead_to_all_that_legal_actions_lead_to() -> None:
    actions = np.empty(MAX_CHOICES, np.int64)
    for game in positions(range(40, 44), most=9):
        count = distinct_actions(game, actions)
        choices = actions[:count].tolist()
        assert choices == sorted(set(choices))
        assert set(choices) <= legal(game)
        assert {a // 4 for a in choices} == {a // 4 for a in legal(game)}


# --- what they may know --------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("make", SEARCHES, ids=IDS)
def test_neither_hidden_hands_nor_the_stream_of_the_game_matter(make: Callable) -> None:
    games = positions(range(50, 53))
    others = [with_other_hidden_hands(game, seed) for seed, game in enumerate(games)]
    assert any(
        not np.array_equal(game["hands"], other["hands"])
        for game, other in zip(games, others, strict=True)
    )

    assert decide(make(), games) == decide(make(), others)


@needs_compiler
@pytest.mark.parametrize("make", SEARCHES, ids=IDS)
def test_views_are_left_as_they_are(make: Callable) -> None:
    views = Views.of(np.stack(positions(range(53, 54))))
    before = views.states.tobytes()
    make().act(views, np.random.default_rng(0))

    assert views.states.tobytes() == before


# --- threads, batches, chance --------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize(
    "make",
    [
        lambda threads: RolloutPolicy(3, num_threads=threads),
        lambda threads: PimcPolicy(2, 8, num_threads=threads),
        lambda threads: IsmctsPolicy(20, num_threads=threads),
        lambda threads: OpenHandPolicy(num_threads=threads),
    ],
    ids=["rollout", "pimc", "ismcts", "openhand"],
)
def test_the_number_of_threads_changes_nothing(make: Callable) -> None:
    games = positions(range(60, 63), most=18)

    assert decide(make(1), games) == decide(make(2), games) == decide(make(5), games)


@needs_compiler
@pytest.mark.parametrize("make", SEARCHES, ids=IDS)
def test_what_is_played_does_not_depend_on_the_games_after_it(make: Callable) -> None:
    games = positions(range(63, 65))
    together = decide(make(), games)

    assert [decide(make(), games[: index + 1])[index] for index in (0, 3, 7)] == [
        together[index] for index in (0, 3, 7)
    ]


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_policy_goes_on_after_a_fork_and_through_pickle() -> None:
    games = positions(range(64, 65))
    policy = RolloutPolicy(3, num_threads=2)
    before = decide(policy, games)
    fork = multiprocessing.get_context("fork")
    played = fork.SimpleQueue()
    child = fork.Process(target=lambda: played.put(decide(policy, games)))
    child.start()
    child.join(timeout=60)

    assert child.exitcode == 0
    assert played.get() == before
    assert decide(pickle.loads(pickle.dumps(policy)), games) == before


@needs_compiler
@pytest.mark.parametrize("make", SEARCHES, ids=IDS)
def test_chance_comes_from_the_generator_alone(make: Callable) -> None:
    games = positions(range(65, 69), least=16)
    first, same, other = (decide(make(), games, seed) for seed in (1, 1, 2))

    assert first == same
    assert first != other


@needs_compiler
@pytest.mark.parametrize("make", SEARCHES, ids=IDS)
def test_what_is_chosen_is_legal(make: Callable) -> None:
    games = positions(range(70, 73))

    assert all(
        rules.is_legal(game, chosen)
        for game, chosen in zip(games, decide(make(), games), strict=True)
    )


@pytest.mark.parametrize("make", [*SEARCHES, OpenHandPolicy], ids=[*IDS, "openhand"])
def test_where_there_is_no_choice_nothing_is_searched(make: Callable) -> None:
    must_pass = round_with([[(4, 5), (1, 2)], [(1, 1)], [(0, 3)], [(2, 2)]])
    play(must_pass, action((4, 5), 0))
    alike = round_with([[(3, 3), (6, 6)], [(3, 5), (1, 2)], [(0, 3)], [(2, 2)]])
    play(alike, action((3, 3), 0))
    policy = make()
    policy.new_search = None

    assert decide(policy, [must_pass, alike]) == [PASS, action((3, 5), 0)]


# --- strength ------------------------------------------------------------------------------------


def exact_best(game: np.void) -> set[int]:
    """The best actions if all hands lay open."""
    solution = solve(game, target=int(game["target"]))
    return {a for a, value in solution.action_values.items() if value == solution.value}


def last_tile_positions(count: int) -> list[np.void]:
    """The seat on turn has one or more placements of its last tile, and they differ in value."""
    found: list[np.void] = []
    seed = 100
    while len(found) < count:
        for game in positions(range(seed, seed + 1), most=16):
            own = int(game["hands"][game["seat"]])
            if own.bit_count() == 1 and exact_best(game) != legal(game):
                found.append(game)
        seed += 1
    return found[:count]


@needs_compiler
@pytest.mark.parametrize(
    "make",
    [lambda: RolloutPolicy(1), lambda: PimcPolicy(1, 0), lambda: PimcPolicy(1, 20)],
    ids=["rollout:1", "pimc:1:0", "pimc:1:20"],
)
def test_the_last_tile_is_placed_where_it_scores_most(make: Callable) -> None:
    # Whatever the others hold, the settlement is the same for every site.
    games = last_tile_positions(10)
    for game, chosen in zip(games, decide(make(), games), strict=True):
        assert chosen in exact_best(game)


def known_deals(count: int) -> list[np.void]:
    """Late positions in which the seat on turn can tell all four hands."""
    found: list[np.void] = []
    seed = 200
    while len(found) < count:
        for game in positions(range(seed, seed + 1), most=12):
            groups, sizes = beliefs.tile_groups(game, int(game["seat"]))
            ways = beliefs.count_deals(groups, sizes)
            if ways[0, sizes[0], sizes[1]] == 1 and exact_best(game) != legal(game):
                found.append(game)
        seed += 1
    return found[:count]


@needs_compiler
def test_pimc_is_exact_where_only_one_deal_is_possible() -> None:
    for game in known_deals(15):
        target = int(game["target"])
        assert decide(PimcPolicy(1, 20), [game]) == [solve(game, target).best_action]


@needs_compiler
def test_pimc_knows_that_the_target_ends_the_round() -> None:
    changed = 0
    for game in known_deals(40):
        game["scores"] = (245, 240)
        game["target"] = 250
        solution = solve(game, 250)
        assert decide(PimcPolicy(1, 20), [game]) == [solution.best_action]
        changed += solution.best_action != solve(game).best_action
    assert changed >= 3


@needs_compiler
def test_ismcts_finds_the_best_action_where_only_one_deal_is_possible() -> None:
    games = known_deals(15)
    chosen = decide(IsmctsPolicy(3_000), games)

    assert sum(c in exact_best(g) for c, g in zip(chosen, games, strict=True)) >= 14


@needs_compiler
def test_openhand_plays_the_solver_s_best_action() -> None:
    games = positions(range(80, 84), most=16)
    chosen = decide(OpenHandPolicy(), games)

    assert chosen == [solve(game, int(game["target"])).best_action for game in games]


# --- tactics -------------------------------------------------------------------------------------

TACTICS = [
    # scores, the hand that leads, the lead
    pytest.param(
        (245, 240), [(4, 6), (1, 6), (2, 6), (0, 3), (2, 4), (3, 3), (1, 2)], (4, 6), id="win now"
    ),
    pytest.param(
        (240, 245), [(0, 5), (0, 6), (1, 1), (2, 6), (5, 5), (3, 3), (1, 2)], (5, 5), id="10 wins"
    ),
]


@needs_compiler
@pytest.mark.parametrize(("scores", "tiles", "lead"), TACTICS)
@pytest.mark.parametrize(
    "make",
    [lambda: RolloutPolicy(60), lambda: PimcPolicy(60, 8), lambda: IsmctsPolicy(1_500)],
    ids=["rollout", "pimc", "ismcts"],
)
def test_the_obvious_lead_is_found(
    make: Callable, scores: tuple[int, int], tiles: list[Tile], lead: Tile
) -> None:
    others = [tile for tile in rules.TILES if tile not in tiles]
    game = round_with([tiles, others[:7], others[7:14], others[14:]], scores=scores)

    assert decide(make(), [game]) == [action(lead, 0)]
