"""Gallery scenes with controllers do what their notes say."""

from __future__ import annotations

from math import asin, degrees
from typing import Literal

import numpy as np
import pytest

from engine import World, load_scene
from engine.experiments.ride import record_ride
from engine.importing.model_file import import_model
from engine.resources import scenes_dir
from engine.scene.paths import set_path

CARTS, POLES = [0, 3], [1, 4]  # joints


def lean(world: World) -> np.ndarray:
    """How far the poles are from upright [rad]."""
    angles = world.joints()["position"][POLES]
    return np.asarray(np.arctan2(np.sin(angles - np.pi), np.cos(angles - np.pi)))


@pytest.mark.slow
def test_poles_are_swung_up_balanced_and_caught_again() -> None:
    world = World(load_scene("cart_pole"))
    assert (np.abs(lean(world)) > 3.0).all()
    world.advance_to(8.0)
    assert (np.abs(lean(world)) < 1e-2).all()
    assert (np.abs(world.joints()["position"][CARTS]) < 1e-2).all()
    energy = world.energy()
    start = World(world.scene, python="off").energy()["total"]
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(start, abs=1e-9)
    assert abs(energy["numerics"]) < 1e-9
    world.pull("ball 1", (0, 0, 0), (0.4, -0.39, 1.5), 8.0)
    world.advance_to(8.4)
    world.release()
    assert np.abs(lean(world)[0]) > 0.02
    world.advance_to(16.0)
    assert (np.abs(lean(world)) < 1e-2).all()
    other = World(world.scene, python="off")
    other.replay(world.inputs, 16.0)
    assert other.digest == world.digest


# --- the bicycle ------------------------------------------------------------------------------------------------------


def tilt(world: World) -> float:
    """Of the rear wheel, from upright [deg]."""
    w, x, y, z = world.body("rear wheel").orientation
    return degrees(asin(2.0 * (y * z + w * x)))


def pushed(python: Literal["run", "off"]) -> World:
    """The bicycle after a push to the side while it rides straight on."""
    world = World(load_scene("bicycle"), python=python)
    world.pull("frame", (0, 0, 0.2), (0.45, 0.6, 0.8), 60.0)
    world.advance_to(0.3)
    world.release()
    return world


def test_a_push_fells_the_bicycle_that_nobody_rides() -> None:
    world = pushed("off")
    world.advance_to(1.5)
    assert abs(tilt(world)) > 70.0


def test_the_bicycle_steers_into_its_fall() -> None:
    world = pushed("run")
    world.advance_to(0.35)
    assert tilt(world) < -3.0 and world.joint(0)[0] > 0.05, "to the left, both"
    world.advance_to(2.0)
    assert abs(tilt(world)) < 20.0


@pytest.mark.slow
def test_the_bicycle_finishes_its_course_upright() -> None:
    world = World(load_scene("bicycle"))
    start = World(world.scene, python="off").energy()["total"]
    cones = [world.row(f"cone {k}") for k in range(1, 7)]
    places = world.poses()[cones]
    ride = record_ride(world, 38.9, lambda share: None)
    assert ride.way[-1] > 120.0, "once around"
    assert np.abs(world.poses()[cones] - places).max() < 1e-3, "it touches no cone"
    off = np.degrees(ride.lean - ride.wanted_lean)
    assert np.abs(off).max() < 2.0 and np.sqrt((off**2).mean()) < 1.0
    assert 15.0 < np.degrees(np.abs(ride.lean)).max() < 25.0
    late = ride.speed - ride.wanted_speed
    smooth = (ride.way < 65.0) | (ride.way > 97.0)
    assert np.abs(late[smooth]).max() < 0.05
    assert np.abs(late).max() < 1.2, "what ramps take and give"
    energy = world.energy()
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(start, abs=1e-6)
    assert world.smallest_gap > 0.0


# --- the arm ----------------------------------------------------------------------------------------------------------

BLOCKS = [f"block {k}" for k in range(1, 6)]
ADDED = {"motor": None, "position": 0.0}


def test_the_arm_is_what_its_urdf_says() -> None:
    scene = load_scene("stacking_arm")
    arm = import_model(scenes_dir() / "stacking_arm.urdf", base="fixed").scene
    bodies = {body.name: body.model_copy(update={"material": None}) for body in scene.body}
    assert len(arm.body) == 8 and len(arm.joint) == 7
    assert all(bodies[body.name] == body for body in arm.body)
    assert tuple(joint.model_copy(update=ADDED) for joint in scene.joint) == arm.joint


@pytest.mark.parametrize(("squeeze", "height"), [(12.0, 0.0705), (0.3, 0.0251)])
def test_friction_alone_lifts_a_block(squeeze: float, height: float) -> None:
    world = World(set_path(load_scene("stacking_arm"), "controller.mason.settings.squeeze", squeeze))
    world.advance_to(2.5)
    assert world.body("block 1").position[2] == pytest.approx(height, abs=1e-3)


def test_the_tower_of_the_arm_stands() -> None:
    world = World(load_scene("stacking_arm"))
    world.advance_to(29.0)
    places = np.array([world.body(name).position for name in BLOCKS])
    tower = [(0.4, 0.0, 0.05 * (k + 0.5)) for k in range(5)]
    assert np.abs(places - tower).max() < 1e-3
    world.advance_to(32.0)
    assert np.abs([world.body(name).position for name in BLOCKS] - places).max() < 1e-6
    assert all(world.body(name).asleep for name in BLOCKS)
    energy = world.energy()
    start = World(world.scene, python="off").energy()["total"]
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(start, abs=1e-6)
    assert world.smallest_gap > 0.0
