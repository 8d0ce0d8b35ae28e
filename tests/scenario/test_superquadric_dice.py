"""Superquadric dice: through the lattice onto the tray, where they rock about the middle of a face."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from engine import World, load_scene
from engine.scene.paths import set_path
from engine.scene.schema import Scene

Floats = NDArray[np.float64]
HALF, EXPONENT, ENVELOPE, GRAVITY = 0.02, 5.0, 0.0001, 9.81
DUAL = EXPONENT / (EXPONENT - 1.0)
LATTICE, TRAY = 0.3, 0.35
"""Height of the lattice's bars; half the tray [m]."""


def reach(directions: Floats) -> Floats:
    """A die's support function: of |x|^p + |y|^p + |z|^p = 1 it is the dual norm."""
    return np.asarray(HALF * np.sum(np.abs(directions) ** DUAL, axis=-1) ** (1.0 / DUAL))


def middle_height(tilt: float) -> float:
    """Of a die that stands on a plane and leans about y [m]."""
    return float(reach(np.array([np.sin(tilt), 0.0, np.cos(tilt)])))


def arm(tilt: float) -> float:
    """How far its contact is from its middle, level [m]: the derivative of its height."""
    return (middle_height(tilt + 1e-7) - middle_height(tilt - 1e-7)) / 2e-7


def inertia_over_mass() -> float:
    """About an axis through its middle [m²], by summing over a grid."""
    across = (np.arange(200) + 0.5) / 200
    x, y, z = np.meshgrid(across, across, across)
    inside = x**EXPONENT + y**EXPONENT + z**EXPONENT < 1.0
    return float(HALF**2 * 2.0 * np.mean(x[inside] ** 2))


def quarter_period(tilt: float) -> float:
    """Seconds that a die takes from rest at a tilt to flat, rolling without loss."""
    inertia = inertia_over_mass()

    def slowness(root: float) -> float:
        # The angle is tilt - root², for the speed vanishes as a root at the start.
        now = tilt - root * root
        fallen = GRAVITY * (middle_height(tilt) - middle_height(now))
        lever = inertia + middle_height(now) ** 2 + arm(now) ** 2
        return 2.0 * root * np.sqrt(lever / (2.0 * fallen)) if fallen > 0.0 else 0.0

    return float(quad(slowness, 1e-6, np.sqrt(tilt), limit=200)[0])


def die_on_a_plane(tilt: float) -> Scene:
    """One of the scene's dice alone on its ground, at rest, leaning by `tilt`."""
    scene = load_scene("superquadric_dice")
    bundled = next(body for body in scene.bodies if body.name.startswith("red"))
    ground = next(body for body in scene.bodies if body.name == "ground").model_copy(
        update={"position": (0.0, 0.0, 0.0)}
    )
    die = bundled.model_copy(
        update={
            "name": "die",
            "position": (0.0, 0.0, middle_height(tilt) + 0.5 * ENVELOPE),
            "orientation": (float(np.cos(tilt / 2)), 0.0, float(np.sin(tilt / 2)), 0.0),
            "angular_velocity": (0.0, 0.0, 0.0),
        }
    )
    return scene.model_copy(update={"body": (ground, die), "repeat": ()})


def leaning(world: World) -> float:
    """The die's tilt about y [rad]."""
    pose = world.poses()[world.row("die")]
    return 2.0 * float(np.arctan2(pose[5], pose[3]))


@cache
def poured() -> tuple[World, list[int], list[int], Floats]:
    """The scene after 4 s, the rows of its dice, how many were under the bars at each 0.1 s, and who hit a bar."""
    world = World(load_scene("superquadric_dice"))
    dice = [row for row, body in enumerate(world.scene.bodies) if body.motion == "free"]
    through = []
    for t in np.arange(0.1, 4.05, 0.1):
        world.advance_to(float(t))
        through.append(int((world.poses()[dice, 2] < LATTICE - 0.04).sum()))
    events = world.events()
    names = np.array(world.names)
    on_bars = [row for row in dice if _met(events, names, row, "bar", "cross bar")]
    return world, dice, through, np.array(on_bars)


def _met(events: NDArray[np.void], names: NDArray[np.str_], row: int, *others: str) -> bool:
    mine = events[(events["body_a"] == row) | (events["body_b"] == row)]
    met = names[np.unique(np.concatenate([mine["body_a"], mine["body_b"]]))]
    return any(str(name).startswith(others) for name in met)


def test_a_die_is_the_superquadric_of_the_note() -> None:
    world = World(load_scene("superquadric_dice"))
    dice = [row for row, body in enumerate(world.scene.bodies) if body.motion == "free"]
    assert len(dice) == 36
    directions = np.random.default_rng(1).normal(size=(50, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for row in dice:
        found = [world.shapes[row].reach(direction) for direction in directions]
        assert found == pytest.approx(reach(directions), rel=1e-9)
    # "Of 4 cm", and curved nowhere in the middle of a face: the surface leaves its tangent plane as the fifth power.
    assert 2.0 * reach(np.array([0.0, 0.0, 1.0])) == pytest.approx(0.04)
    for aside in (0.05, 0.1):
        dip = 1.0 - (1.0 - aside**EXPONENT) ** (1.0 / EXPONENT)
        assert dip < 0.25 * aside**4


def test_all_fall_through_the_lattice_and_nobody_leaves_the_tray() -> None:
    world, dice, through, on_bars = poured()
    assert len(on_bars) > 24
    assert (np.diff(through) >= 0).all() and through[0] == 0 and through[-1] == len(dice)
    poses = world.poses()[dice]
    assert np.abs(poses[:, :2]).max() < TRAY - HALF
    heights = poses[:, 2]
    assert (heights > HALF).all() and heights.max() < 3.0 * HALF
    assert world.smallest_gap > 0.0


def test_they_turn_on_their_way_through() -> None:
    """What falls free keeps its turning; bars change it, of most dice, by much."""
    world = World(load_scene("superquadric_dice"))
    dice = [row for row, body in enumerate(world.scene.bodies) if body.motion == "free"]
    start = world.twists()[dice, 3:]
    world.advance_to(0.6)
    assert np.median(np.linalg.norm(world.twists()[dice, 3:] - start, axis=1)) > 5.0


def test_on_the_tray_nearly_all_stay_where_they_are() -> None:
    """From 4 s on; one that leans on others may tip once more."""
    world = World(load_scene("superquadric_dice"))
    world.restore(poured()[0].snapshot())
    dice = poured()[1]
    start = world.poses()[dice]
    world.advance_to(5.0)
    moved = np.linalg.norm(world.poses()[dice, :3] - start[:, :3], axis=1)
    assert np.median(moved) < 0.5e-3
    assert np.count_nonzero(moved > 5e-3) <= 2
    assert np.median(np.linalg.norm(world.twists()[dice, :3], axis=1)) < 0.02


def test_all_of_them_come_to_rest() -> None:
    world = World(load_scene("superquadric_dice"))
    world.restore(poured()[0].snapshot())
    dice = poured()[1]
    world.advance_to(5.0)
    assert world.asleep()[dice].all()
    assert np.abs(world.twists()[dice]).max() < 1e-3


@pytest.mark.parametrize("degrees", [5.0, 10.0, 20.0])
def test_a_die_rocks_about_the_middle_of_its_face_as_rolling_without_loss_would(degrees: float) -> None:
    """How long it takes to be flat for the first time."""
    tilt = np.radians(degrees)
    world = World(set_path(die_on_a_plane(tilt), "material.die.rolling_resistance", 0.0))
    while leaning(world) > 0.0 and world.time < 1.0:
        world.advance(0.0005)
    assert world.time == pytest.approx(quarter_period(tilt), rel=0.05)


def test_its_rocking_dies_down_and_it_does_not_roll_away() -> None:
    tilt = np.radians(15.0)
    world = World(die_on_a_plane(tilt))
    start = world.poses()[world.row("die"), :3]
    swings, spins = [], []
    for k in range(5):
        angles, speeds = [], []
        for step in range(100):
            world.advance_to((100 * k + step) * 0.004)
            angles.append(abs(leaning(world)))
            speeds.append(float(np.linalg.norm(world.twists()[world.row("die"), 3:])))
        swings.append(max(angles))
        spins.append(max(speeds))
    assert (np.diff(swings[:3]) < 0.0).all() and swings[-1] < 0.1 * swings[0]
    assert spins[-1] < 0.5 * spins[0]
    # It rolls back and forth by tilt times radius, no further.
    assert np.abs(world.poses()[world.row("die"), :2] - start[:2]).max() < 1.1 * tilt * HALF
