"""Contact impulses: where they are asked for, and what they are, by matrices made here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.group import work as wk
from engine.group.solve.contact_impulses import find_contact_impulses, lacks_forces
from engine.group.solve.impulses import least_change, solve_step
from tests.groups import G, Group, H, inverse_mass, jacobian, resting
from tests.scenes import body, floor

pytestmark = pytest.mark.plain
ENVELOPE = 1e-4
LEAN = np.radians(18.0)
RADIUS = 0.01


def rod(speed: float, friction: float, **more: Any) -> Group:
    """A rod of 2 m with its mass in the middle leans over to +x and slides along x on its lower end, which is round."""
    height = float(np.cos(LEAN)) + RADIUS + 0.5 * ENVELOPE
    made = body(
        "rod",
        {"capsule": {"radius": RADIUS, "length": 2.0}},
        (0.0, 0.0, height),
        velocity=[speed, 0.0, 0.0],
        orientation={"axis": [0.0, 1.0, 0.0], "degrees": float(np.degrees(LEAN))},
        mass=0.2,
        attached=[{"mass": 0.8, "position": [0.0, 0.0, 0.0]}],
    )
    return resting(floor(), made, envelope=ENVELOPE, friction=friction, restitution=0.0, **more)


def solve(group: Group) -> bool:
    """Solve a step; may it be that no forces exist in it?"""
    solve_step(group.model, group.state, group.work, 0.0, H, False, least_change(group.model.settings))
    return bool(lacks_forces(group.work))


@pytest.mark.parametrize(
    ("speed", "friction", "asked"),
    [
        (-3.0, 0.75, True),
        (3.0, 0.75, False),  # drawn: friction turns it away from the floor
        (-3.0, 0.3, False),  # not enough friction
        (0.0, 0.75, False),  # it stands
        (-0.5 * G * H, 0.75, False),  # what it slides by ends within the step
    ],
)
def test_it_is_asked_only_where_friction_overwhelms_what_a_force_lifts(
    speed: float, friction: float, asked: bool
) -> None:
    assert solve(rod(speed, friction)) is asked


def test_a_contact_impulse_stops_what_slides_and_no_more() -> None:
    """K p = -u, within the cone; the velocities at the start are those before it and M^-1 J^T p."""
    group = rod(-3.0, 0.75)
    before = np.concatenate([group.body(wk.V), group.body(wk.W)], axis=1).ravel().copy()
    assert solve(group)
    find_contact_impulses(group.model, group.state, group.work, 0.0, H)
    assert not lacks_forces(group.work), "once a step"
    J = jacobian(group.work)
    K = J @ inverse_mass(group.work) @ J.T
    p = group.column(wk.IMPULSE_AT, 3)[0]
    assert p == pytest.approx(np.linalg.solve(K, -J @ before), abs=1e-6)
    assert 0.0 < np.hypot(p[1], p[2]) < 0.75 * p[0]
    after = np.concatenate([group.body(wk.V), group.body(wk.W)], axis=1).ravel()
    assert after == pytest.approx(before + inverse_mass(group.work) @ J.T @ p, abs=1e-9)
    on_body_a = p @ group.column(wk.NORMAL_AT, 9)[0].reshape(3, 3)
    assert group.work.start[0, wk.START_JAM : wk.START_JAM + 3] == pytest.approx(on_body_a)
    lost = group.work.link[wk.ARREST_LOSS : wk.ARREST_LOSS + 4].sum()
    assert lost == pytest.approx(-0.5 * p @ (J @ before), rel=1e-6)


def test_where_forces_exist_after_all_nothing_changes() -> None:
    """Asked of a rod that is drawn, the step of no length finds no impulse: what is there needs its time."""
    group = rod(3.0, 0.75)
    before = group.body(wk.V, 6).copy()
    solve(group)
    find_contact_impulses(group.model, group.state, group.work, 0.0, H)
    assert group.body(wk.V, 6) == pytest.approx(before, abs=0.0)
    assert not group.column(wk.IMPULSE_AT, 3).any()
    assert not group.work.start[: group.points, wk.START_JAM : wk.START_JAM + 3].any()
