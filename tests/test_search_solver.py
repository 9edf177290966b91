"""The solver where search policies lean on it: sites that look alike but are not."""

from seven_rocks_env import rules
from seven_rocks_env.solver.layouts import layout_number, layout_tables


def test_the_free_side_of_the_blank_spinner_is_not_like_a_line_that_ends_in_a_blank() -> None:
    layout = rules.EMPTY_LAYOUT
    for tile in [(0, 0), (0, 3), (3, 5), (0, 5)]:
        layout = rules.place(layout, rules.TILE_INDEX[tile], 0)
    layouts, numbers = layout_tables()

    # Both fit a blank and count nothing, but only the free side opens the arms.
    assert layouts[layout_number(numbers, layout)]["value"].tolist() == [0, 0, 7, 7]
