"""Painlevé's rods: a sliding foot that a force holds, and one that none can hold (Baraff 1992, section 10.2)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from engine import World, load_scene
from engine.geometry.shapes import rotation_matrix
from engine.recording.events import EVENT_KINDS, REASONS
from engine.scene.paths import set_path
from engine.scene.schema import Scene

Floats = NDArray[np.float64]
HALF_LENGTH, HALF_WIDTH, MASS, FRICTION, GRAVITY = 1.0, 0.005, 1.0, 0.75, 9.81
EVEN = MASS * (4 * HALF_LENGTH**2 + 4 * HALF_WIDTH**2) / 12
CONCENTRATED = 0.1875 * EVEN
"""Moments of inertia about y [kg m²]: of an even rod of 1 kg, and of the scene's, with 0.8125 kg in its middle."""
START = np.radians(18.0)
"""From the vertical."""


def foot(tilt: float) -> Floats:
    """(x, z) of the corner that a rod stands on, from its middle, leaning over to +x."""
    axis, side = np.array([np.sin(tilt), np.cos(tilt)]), np.array([np.cos(tilt), -np.sin(tilt)])
    return -HALF_LENGTH * axis + HALF_WIDTH * np.sign(tilt) * side


def lift(direction: float, inertia: float, tilt: float = START) -> float:
    """How fast a normal force of 1 N lifts a foot [m/s²] that slides along +x or -x, with the friction that it has."""
    x, z = foot(tilt)
    return 1.0 / MASS + x * (x + direction * FRICTION * z) / inertia


def tilt_of(pose: Floats) -> float:
    turn = rotation_matrix(pose[3:])
    return float(np.arctan2(turn[0, 2], turn[2, 2]))


def foot_of(pose: Floats) -> Floats:
    return np.asarray(pose[[0, 2]] + foot(tilt_of(pose)))


def sliding_rod(until: float) -> Floats:
    """x, z, tilt of a rod that slides along +x on its foot, by its differential equation."""

    def rate(_: float, y: Floats) -> Floats:
        tilt, turning = y[2], y[5]
        x, z = foot(tilt)
        # The foot stays on the floor: what the normal force lifts is what weight and turning take down.
        down = GRAVITY + z * turning**2
        force = down / lift(1.0, CONCENTRATED, tilt)
        return np.array([*y[3:], -FRICTION * force, force - GRAVITY, -(FRICTION * z + x) * force / CONCENTRATED])

    start = [-1.89098301, -foot(START)[1], START, 3.0, 0.0, 0.0]
    found = solve_ivp(rate, (0.0, until), start, rtol=1e-10, atol=1e-10).y[:3, -1]
    return np.asarray(found)


def scene_with(friction: float) -> Scene:
    scene = load_scene("painleve_rod")
    for material in ("floor", "rod"):
        scene = set_path(scene, f"material.{material}.friction", friction)
    return scene


def test_which_of_the_rods_a_force_can_hold() -> None:
    assert lift(1.0, CONCENTRATED) > 0.0 > lift(-1.0, CONCENTRATED)
    assert lift(-1.0, EVEN) > 0.0  # an even rod would be no paradox


@pytest.mark.parametrize("t", [0.1, 0.3])
def test_the_drawn_rod_slides_on_as_its_differential_equation_says(t: float) -> None:
    world = World(load_scene("painleve_rod"))
    world.advance_to(t)
    pose, twist = world.poses()[world.row("drawn")], world.twists()[world.row("drawn")]
    x, z, tilt = sliding_rod(t)
    assert twist[0] > 2.8
    assert pose[0] == pytest.approx(x, abs=5e-4)
    assert pose[2] == pytest.approx(z, abs=5e-4)
    assert tilt_of(pose) == pytest.approx(tilt, abs=np.radians(0.1))
    assert 0.0 < foot_of(pose)[1] < 2e-4


def stopping_impulse() -> Floats:
    """(x, z) of what takes the velocity of the pushed rod's foot away, and no more: K p = -u [N s]."""
    x, z = foot(START)
    matrix = np.eye(2) / MASS + np.array([[z * z, -x * z], [-x * z, x * x]]) / CONCENTRATED
    return np.asarray(np.linalg.solve(matrix, [3.0, 0.0]))


def contact_impulses(world: World) -> np.ndarray:
    events = world.events()
    return np.asarray(events[events["kind"] == EVENT_KINDS.index("contact_impulse")])


@pytest.mark.parametrize("step", [None, 1e-3, 1e-4])
@pytest.mark.parametrize("mode", ["hybrid", "constraint"])
def test_no_forces_hold_the_pushed_rod_but_a_contact_impulse_does(mode: str, step: float | None) -> None:
    """At once and the same whatever the step, said with its reason; the drawn rod needs none."""
    world = World(set_path(set_path(load_scene("painleve_rod"), "world.contact", mode), "world.step", step))
    world.advance_to(0.1)
    (event,) = contact_impulses(world)
    assert event["time"] == 0.0 and REASONS[event["reason"]] == "no contact forces exist"
    assert {event["body_a"], event["body_b"]} == {world.row("floor"), world.row("pushed")}
    on_rod = event["impulse"] if event["body_a"] == world.row("pushed") else -event["impulse"]
    assert on_rod == pytest.approx([stopping_impulse()[0], 0.0, stopping_impulse()[1]], abs=1e-5)


def test_no_force_is_reported_that_does_not_exist() -> None:
    """What the pushed rod's contact bears beside its impulse is of the size of its weight, not of impulse by step."""
    world = World(load_scene("painleve_rod"))
    world.advance_to(1e-3)
    contacts, row = world.contacts(), world.row("pushed")
    on_rod = contacts[(contacts["body_a"] == row) | (contacts["body_b"] == row)]
    assert len(on_rod) and np.linalg.norm(on_rod["force"].sum(axis=0)) < 5.0 * MASS * GRAVITY


def test_contact_impulses_take_energy_and_the_books_close() -> None:
    world = World(load_scene("painleve_rod"))
    before = world.energy()
    world.advance_to(1e-9)
    after = world.energy()
    assert len(contact_impulses(world)) == 1
    impulse = stopping_impulse()
    lost = 0.5 * 3.0 * impulse[0]  # against half of what it stops
    assert before["kinetic"] - after["kinetic"] == pytest.approx(lost, rel=1e-4)
    assert after["sliding"] == pytest.approx(lost, rel=1e-4)
    balance = [e["total"] + e["dissipated"] - e["work"] for e in (before, after)]
    assert balance[1] == pytest.approx(balance[0], rel=1e-12)


def test_the_pushed_rods_foot_is_stopped_dead_by_an_impulse() -> None:
    world = World(load_scene("painleve_rod"))
    row = world.row("pushed")
    x, z = foot(START)
    impulse = stopping_impulse()
    assert impulse[0] < FRICTION * impulse[1]  # friction can hold what it has stopped
    world.advance_to(1e-9)
    twist = world.twists()[row]
    assert twist[0] == pytest.approx(-3.0 + impulse[0] / MASS, rel=1e-4)
    assert twist[2] == pytest.approx(impulse[1] / MASS, rel=1e-4)
    assert twist[4] == pytest.approx((z * impulse[0] - x * impulse[1]) / CONCENTRATED, rel=1e-4)


def test_the_pushed_rod_pivots_on_its_foot_throws_up_its_middle_and_falls_over() -> None:
    world = World(load_scene("painleve_rod"))
    row = world.row("pushed")
    start, poses = world.poses()[row], []
    for t in np.arange(0.01, 2.005, 0.01):
        world.advance_to(float(t))
        poses.append(world.poses()[row])
    feet = np.array([foot_of(pose)[0] for pose in poses])
    tilts = np.array([tilt_of(pose) for pose in poses])
    heights = np.array([pose[2] for pose in poses])
    standing = np.abs(tilts) < START
    assert np.ptp(feet[standing]) < 2 * 2 * HALF_WIDTH  # it stays, but for going from one corner to the other
    assert heights.max() == pytest.approx(HALF_LENGTH, abs=2e-3) and heights.max() > start[2] + 0.04
    assert (np.diff(tilts[:60]) < 0.0).all()
    assert tilts[-1] == pytest.approx(-np.pi / 2, abs=0.01)
    assert heights[-1] == pytest.approx(HALF_WIDTH, abs=3e-4)
    assert poses[-1][0] < feet[0]  # it lies beyond the place where its foot had stopped


def test_with_less_friction_the_pushed_rod_slides_on() -> None:
    world = World(scene_with(0.2))
    world.advance_to(0.01)
    assert world.twists()[world.row("pushed"), 0] < -2.9
    assert not len(contact_impulses(world))


def test_without_gravity_the_pushed_rod_skims_along() -> None:
    world = World(set_path(load_scene("painleve_rod"), "world.gravity", [0.0, 0.0, 0.0]))
    row = world.row("pushed")
    start = world.poses()[row]
    world.advance_to(0.5)
    pose, twist = world.poses()[row], world.twists()[row]
    assert np.abs(pose[:3] - start[:3] - [-1.5, 0.0, 0.0]).max() < 1e-9
    assert np.abs(pose[3:] - start[3:]).max() < 1e-9
    assert np.abs(twist - [-3.0, 0.0, 0.0, 0.0, 0.0, 0.0]).max() < 1e-9
    assert not len(contact_impulses(world))


def test_a_contact_impulse_keeps_momentum() -> None:
    """A rod pushed over a free slab that a force lifts against it: what touches nothing fixed."""
    scene = set_path(load_scene("painleve_rod"), "world.gravity", [0.0, 0.0, 0.0])
    slab = {"name": "floor", "material": "floor", "shape": {"box": [8.0, 4.0, 0.5]}, "position": [0.0, 0.0, -0.25]}
    floor = scene.body[0].model_validate({**slab, "mass": 5.0, "force": [0.0, 0.0, 200.0]})
    scene = scene.model_copy(update={"body": (floor, *scene.body[1:])})
    world = World(scene)
    before = world.momentum()
    world.advance_to(1e-12)
    assert len(contact_impulses(world)) >= 1
    assert np.abs(world.momentum() - before)[[0, 1, 3, 5]].max() < 1e-12 * np.linalg.norm(before)
    assert np.abs(world.momentum() - before).max() < 1e-9
