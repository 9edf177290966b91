"""The exact solver against plain minimax, against itself by symmetry, and at its limits."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from seven_rocks_env import rules
from seven_rocks_env.history import replay
from seven_rocks_env.policies import GreedyPolicy, RandomPolicy, Views
from seven_rocks_env.record import parse
from seven_rocks_env.solver import Solver, solve
from seven_rocks_env.solver.layouts import POINTS, layout_number, layout_tables
from tests.exhaustive import action_values, best_of, position_of


def new_round(rng):
    """A (1,) array of ``rules.STATE``: a random deal, nothing placed."""
    state = np.zeros(1, rules.STATE)
    stream = rng.integers(1, 2**63, 4).astype(np.uint64)
    rules.new_match(state[0], stream, 10**6, 0, 0)
    rules.next_round(state[0])
    return state


@cache
def rounds(seed, count):
    """All positions of ``count`` rounds, greedy and random play by turns: (n,) tuples of states."""
    rng = np.random.default_rng(seed)
    played = []
    for number in range(count):
        policy = RandomPolicy() if number % 2 else GreedyPolicy()
        state = new_round(rng)
        positions = [state.copy()]
        while state[0]["phase"] == rules.PLAYING:
            rules.play(state[0], int(policy.act(Views.of(state), rng)[0]))
            positions.append(state.copy())
        played.append(tuple(positions))
    return tuple(played)


def tiles_left(state):
    return sum(int(hand).bit_count() for hand in state[0]["hands"])


def late_positions(seed, count, most=12, least=0):
    """Positions of random and greedy rounds with ``least`` to ``most`` tiles left."""
    return [
        state
        for positions in rounds(seed, count)
        for state in positions[:-1]
        if least <= tiles_left(state) <= most
    ]


def check_exhaustively(state, solution, target=None):
    values = action_values(position_of(state[0], target), {})
    assert solution.action_values == values
    assert solution.value == best_of(values, int(state[0]["seat"]))
    assert values[solution.best_action] == solution.value
    assert solution.bounds == (solution.value, solution.value)
    assert solution.exact


def forget_work(solution):
    return replace(solution, nodes=0)


# --- values --------------------------------------------------------------------------------------


def test_values_of_late_positions_are_those_of_plain_minimax():
    solver = Solver()
    states = late_positions(seed=1, count=60)
    assert len(states) >= 500
    for state in states:
        check_exhaustively(state, solver.solve(state))


def test_values_with_a_target_are_those_of_plain_minimax():
    rng = np.random.default_rng(2)
    solver = Solver()
    won = 0
    for state in late_positions(seed=3, count=40, most=11):
        state = state.copy()
        state[0]["scores"] = 5 * rng.integers(20, 30, 2)
        target = int(state[0]["scores"].max()) + 5 * int(rng.integers(1, 6))
        solution = solver.solve(state, target)
        check_exhaustively(state, solution, target)
        won += solution.action_values != solver.solve(state).action_values
    assert won > 50


def test_rounds_that_end_blocked():
    blocked = [
        positions for positions in rounds(4, 150) if positions[-1][0]["phase"] == rules.BLOCKED
    ]
    assert len(blocked) >= 5
    for positions in blocked:
        for state in positions[-5:-1]:
            check_exhaustively(state, solve(state))
        last = positions[-2]
        change = positions[-1][0]["scores"] - last[0]["scores"]
        solution = solve(last)
        assert solution.value == change[0] - change[1]
        assert solution.action_values == {rules.PASS: solution.value}
        assert solution.best_action == rules.PASS


ROUND = """[SevenRocks "1"]
[Target "45"]
[Scores "0 0"]
[Stream "f6323dfa279193f0 c7193daacc71e931 3859e7ab678a3aed 7c697755a19d2cfb"]

Round 1
Hand 0: 1|1 2|4 2|6 3|4 3|6 4|5 4|6
Hand 1: 0|2 0|5 1|6 2|3 3|3 3|5 6|6
Hand 2: 0|3 0|4 0|6 1|2 1|4 1|5 2|5
Hand 3: 0|0 0|1 1|3 2|2 4|4 5|5 5|6
Opener 2

 1. 2:0|3             2. 3:1|3@high        3. 0:1|1@high        4. 1:0|5@lineA
 5. 2:2|5@lineA       6. 3:0|1@lineB       7. 0:2|6@lineA       8. 1:6|6@lineA
 9. 2:1|4@armB       10. 3:4|4@armB +20   11. 0:4|6@armB       12. 1:1|6@lineA
13. 2:1|5@armA       14. 3:5|6@armB       15. 0:4|5@armA +10   16. 1:0|2@lineB
17. 2:0|4@armA       18. 3:5|5@armB       19. 0:2|4@lineB +15  20. 1:3|5@armB
21. 2:0|6@armA       22. 3:pass           23. 0:3|6@armA       24. 1:3|3@armB
"""


def test_domino_is_credited_and_settled_hand_by_hand():
    *_, state = replay(parse(ROUND))
    # [1|2] at line side A makes 15. Left: 3|4 costs partnership 0 five; 2|3 (5) and 0|0 2|2 (4)
    # cost partnership 1 five each.
    solution = solve(state)
    one_two = rules.NUM_SITES * rules.TILE_INDEX[1, 2]
    assert solution.value == 15 - 5 + 5 + 5
    assert solution.best_action == one_two
    check_exhaustively(state, solution)


def test_a_winning_credit_ends_the_round_unsettled():
    *_, state = replay(parse(ROUND))
    scores = [int(score) for score in state[0]["scores"]]
    assert scores == [25, 20]
    assert solve(state, target=40).value == 15
    assert solve(state, target=45).value == 15 - 5 + 5 + 5


def test_a_lead_with_equivalent_sites_is_the_best_of_its_replies():
    state = new_round(np.random.default_rng(5))
    solution = solve(state, max_nodes=20_000)
    assert solution.bounds[0] <= solution.bounds[1]
    late = rounds(6, 1)[0][6]
    whole = solve(late)
    for action, value in whole.action_values.items():
        after = late.copy()
        rules.play(after[0], action)
        change = after[0]["scores"] - late[0]["scores"]
        assert value == change[0] - change[1] + solve(after, actions=False).value


def rotated(state, seats):
    """The same position with everybody ``seats`` places further on."""
    turned = state.copy()
    game = turned[0]
    game["hands"] = np.roll(game["hands"], seats)
    game["ruled_out"] = np.roll(game["ruled_out"], seats)
    game["opener"] = (game["opener"] + seats) % rules.NUM_SEATS
    game["seat"] = (game["seat"] + seats) % rules.NUM_SEATS
    game["scores"] = np.roll(game["scores"], seats)
    return turned


@pytest.mark.parametrize("target", (None, 30))
def test_rotated_seats_change_at_most_the_sign(target):
    for state in late_positions(seed=7, count=4, most=20, least=14):
        state = state.copy()
        state[0]["scores"] = (10, 20)
        values = solve(state, target).action_values
        for seats, sign in ((1, -1), (2, 1), (3, -1)):
            turned = solve(rotated(state, seats), target).action_values
            assert turned == {action: sign * value for action, value in values.items()}


def test_layouts_with_one_number_fit_and_count_the_same():
    layouts, numbers = layout_tables()
    for positions in rounds(8, 30):
        for state in positions:
            layout = int(state[0]["layout"])
            entry = layouts[layout_number(numbers, layout)]
            assert entry["open"] == rules.open_pips(layout)
            assert POINTS * entry["credit"] == rules.credit_for(rules.end_sum(layout))


# --- the same answers always ---------------------------------------------------------------------


@pytest.mark.parametrize("target", (None, 100))
def test_a_solver_used_before_answers_as_a_new_one(target):
    states = late_positions(seed=9, count=6, most=19)
    order = np.random.default_rng(10).permutation(len(states))
    solver = Solver(1)
    for index in order:
        solver.solve(states[index], None if index % 2 else 100)
        reused = solver.solve(states[index], target)
        assert forget_work(reused) == forget_work(Solver(1).solve(states[index], target))


def test_table_of_one_mebibyte_and_of_sixteen_give_the_same_values():
    state = rounds(11, 1)[0][4]
    assert forget_work(Solver(1).solve(state)) == forget_work(Solver(16).solve(state))


def test_solving_twice_gives_the_same_nodes():
    state = rounds(12, 1)[0][7]
    assert solve(state) == solve(state)
    assert solve(state, max_nodes=500) == solve(state, max_nodes=500)


def test_without_action_values_the_best_action_is_the_same():
    for state in late_positions(seed=13, count=6, most=18):
        every = solve(state)
        best = solve(state, actions=False)
        assert (best.value, best.best_action) == (every.value, every.best_action)
        assert best.action_values.items() <= every.action_values.items()
        assert best.exact


def test_the_state_is_not_changed_and_may_be_a_record():
    state = rounds(14, 1)[0][12]
    before = state.tobytes()
    assert solve(state[0]) == solve(state)
    assert state.tobytes() == before


def test_solvers_in_two_threads():
    states = late_positions(seed=15, count=4, most=18, least=15)
    expected = [solve(state) for state in states]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(solve, states)) == expected


# --- limits and errors ---------------------------------------------------------------------------


def test_a_node_limit_gives_bounds_that_hold():
    for state in late_positions(seed=16, count=2, most=20, least=17):
        exact = solve(state)
        for max_nodes in (1, 10, 100, 1000, 3000):
            limited = solve(state, max_nodes=max_nodes)
            low, high = limited.bounds
            assert low <= exact.value <= high
            assert limited.nodes <= max_nodes
            assert limited.exact == (exact.nodes <= max_nodes)
            assert limited.value == (low if low == high else None)
            assert limited.action_values.items() <= exact.action_values.items()
            assert limited.best_action in (None, exact.best_action)
        assert solve(state, max_nodes=exact.nodes) == exact


def test_a_limit_does_not_spoil_the_solver():
    solver = Solver()
    state = rounds(17, 1)[0][6]
    for max_nodes in (7, 70, 700):
        solver.solve(state, max_nodes=max_nodes)
    assert forget_work(solver.solve(state)) == forget_work(solve(state))


def test_a_time_limit_gives_bounds():
    state = new_round(np.random.default_rng(18))
    limited = solve(state, max_seconds=1e-6)
    assert not limited.exact
    assert limited.value is None
    assert limited.best_action is None
    assert limited.bounds[0] < limited.bounds[1]
    assert solve(rounds(17, 1)[0][12], max_seconds=60).exact


@pytest.mark.parametrize(
    "keywords, message",
    (
        ({"max_nodes": 0}, "max_nodes must be at least 1, got 0"),
        ({"max_nodes": 1.5}, "max_nodes must be an integer, got 1.5"),
        ({"max_seconds": 0}, "max_seconds must be a number above 0, got 0"),
        ({"max_seconds": float("nan")}, "max_seconds must be a number above 0"),
        ({"max_seconds": "1"}, "max_seconds must be a number above 0"),
        ({"target": 12}, "target must be a multiple of five above the scores 0 and 0, got 12"),
        ({"target": 0}, "target must be a multiple of five above the scores"),
        ({"target": 2.5}, "target must be an integer or None, got 2.5"),
    ),
)
def test_bad_arguments_are_named(keywords, message):
    state = new_round(np.random.default_rng(19))
    with pytest.raises(ValueError, match=message):
        solve(state, **keywords)


def test_states_out_of_play_are_refused():
    rng = np.random.default_rng(20)
    state = np.zeros(1, rules.STATE)
    rules.new_match(state[0], rng.integers(1, 2**63, 4).astype(np.uint64), 250, 0, 0)
    with pytest.raises(ValueError, match="no round has been dealt yet"):
        solve(state)
    with pytest.raises(ValueError, match="the round is over"):
        solve(rounds(21, 1)[0][-1])
    hidden = rounds(21, 1)[0][5].copy()
    rules.hide_from(hidden[0], 0)
    with pytest.raises(ValueError, match="must hold all four hands"):
        solve(hidden)
    with pytest.raises(ValueError, match="one record of"):
        solve(np.zeros(2, rules.STATE))
    with pytest.raises(ValueError, match="one record of"):
        solve(3)


@pytest.mark.parametrize("mebibytes", (0, 3, 2048, 1.0))
def test_bad_table_sizes_are_refused(mebibytes):
    with pytest.raises(ValueError, match="mebibytes must be"):
        Solver(mebibytes)


# --- compiling -----------------------------------------------------------------------------------


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_importing_compiles_nothing():
    code = (
        "import seven_rocks_env.solver\n"
        "from seven_rocks_env.solver import deal, layouts, questions\n"
        "for function in (deal.prepare_deal, layouts._explore, questions.run):\n"
        "    assert not function.signatures\n"
    )
    run_python(code)


def test_plain_python_gives_the_same_solution():
    state = late_positions(seed=22, count=1, most=9)[0]
    code = (
        "import numpy as np\n"
        "from seven_rocks_env import rules\n"
        "from seven_rocks_env.solver import solve\n"
        f"state = np.frombuffer(bytes.fromhex('{state.tobytes().hex()}'), rules.STATE)\n"
        "print(solve(state))\n"
    )
    assert run_python(code, NUMBA_DISABLE_JIT="1").strip() == str(solve(state))
