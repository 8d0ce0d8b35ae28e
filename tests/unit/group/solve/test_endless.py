"""What is squeezed is told from what can give way, as a linear program tells it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from engine import World
from engine.group import work as wk
from engine.group.solve.endless import most_approach
from engine.group.solve.impulses import least_change, solve_step
from tests.groups import Group, H, gathered, jacobian
from tests.scenes import body, floor, scene

pytestmark = pytest.mark.plain
GAP = 1e-4
"""[m], the lower end of the band of these boxes"""
ACCELERATION = 0.1
"""Of what presses [m/s^2]."""
BEGUN = 0.02
"""When it has come to touch what it presses [s]."""
FASTEST = 1.0
"""[m/s], of all that might satisfy the points: five hundred times as fast as the plate is then."""


def row(count: int, friction: float, wall: bool) -> Group:
    """Boxes in a row on the floor, up to a wall if there is one; a plate has begun to press from the other side."""
    pitch = 0.2 + GAP
    boxes = [body(f"box {i}", {"box": [0.2, 0.2, 0.2]}, (i * pitch, 0, 0.1 + GAP), mass=1.0) for i in range(count)]
    presses = {"accelerated": {"acceleration": [-ACCELERATION, 0.0, 0.0]}}
    plate = body("plate", {"box": [0.2, 1, 1]}, (count * pitch, 0, 0.6), motion=presses)
    stops = [body("wall", {"box": [0.2, 1, 1]}, (-pitch, 0, 0.6), motion="fixed")] if wall else []
    world = World(scene(floor(), *stops, *boxes, plate, friction=friction, restitution=0.0))
    world.advance_to(BEGUN)
    return gathered(world)


def is_feasible(group: Group) -> bool:
    """Are there velocities that keep every gap in its band?"""
    normals = jacobian(group.work)[::3]
    asked = group.column(wk.TARGET) - group.note(wk.PRESCRIBED_THEN)
    found = linprog(np.zeros(normals.shape[1]), A_ub=-normals, b_ub=-asked, bounds=(-FASTEST, FASTEST))
    assert found.status in (0, 2)
    return found.status == 0


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("count", [1, 3, 6])
@pytest.mark.parametrize("wall", [True, False])
def test_a_row_is_squeezed_where_there_is_a_wall_behind_it(count: int, friction: float, wall: bool) -> None:
    group = row(count, friction, wall)
    work = group.work
    solve_step(group.model, group.state, work, BEGUN, H, True, least_change(group.model.settings))
    assert group.bodies == count
    assert is_feasible(group) is not wall
    found = 1 + group.world.row(f"box {count - 1}") if wall else 0
    # The floor's friction takes up at first what grows in a row: then it is found when more has been pressed.
    assert work.sizes[wk.SQUEEZED] in ({found} if friction == 0.0 or count == 1 else {0, found})


def test_how_fast_a_point_approaches() -> None:
    group = row(1, 0.0, wall=True)
    work, points = group.work, group.points
    work.contacts[:points, wk.TARGET] = -0.01
    work.notes[:points, wk.PRESCRIBED_THEN] = 0.0
    work.twists[0, wk.V_END : wk.V_END + 6] = (0.0, 0.0, -0.3, 0.0, 0.0, 0.0)
    assert most_approach(work) == pytest.approx(0.29)
    work.twists[0, wk.V_END : wk.V_END + 6] = (0.0, 0.0, 0.3, 0.0, 0.0, 0.0)
    assert most_approach(work) == pytest.approx(0.0)
