"""Lasting contact is of second order: forces act in the middle of a step; turns and gaps choose how long it is."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.arrays import Floats
from engine.geometry.shapes import rotation_matrix
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from tests.rattlebacks import Rattleback
from tests.scenes import body, floats, scene
from tests.steady_discs import steady_disc

RATE = 3.0  # [rad/s] of the plate
ARM = 0.4  # [m] from its centre to the box
ROCKING = 0.4  # [s] over which a rattleback's rocking is averaged


def reversal(contact: str, step: float = 0.002, spin: float = -7.0, envelope: float = 2e-5) -> float:
    """When the rattleback of the gallery turns round [s]."""
    said = load_scene("rattleback")
    world_says = {"world.contact": contact, "world.step": step, "world.envelope": envelope}
    for path, value in (world_says | {"body.rattleback.angular_velocity": [0.0, 0.0, spin]}).items():
        said = set_path(said, path, value)
    world = World(said)
    row, before = world.row("rattleback"), spin
    for k in range(1, 1400):
        world.advance_to(0.005 * k)
        now = float(world.twists()[row, 5])
        if now > 0.0:
            return world.time - 0.005 * now / (now - before)
        before = now
    raise AssertionError("it never turns round")


@pytest.mark.parametrize(("spin", "envelope"), [(-5.0, 2e-5), (-7.0, 2e-5), (-7.0, 1e-6)])
def test_the_rattleback_turns_round_when_its_equations_say(spin: float, envelope: float) -> None:
    body = next(one for one in load_scene("rattleback").body if one.name == "rattleback")
    (weight,) = body.attached
    half_axes, place = np.array(body.shape.ellipsoid), np.array(weight.position)
    right = Rattleback(half_axes, body.mass, weight.mass, place, friction=0.6).reversal(spin)
    for contact in ("impulse", "constraint", "hybrid"):
        assert reversal(contact, spin=spin, envelope=envelope) == pytest.approx(right, rel=3e-3)


def turns_round(times: Floats, spins: Floats) -> float:
    """When a rattleback turns round in the mean of its rocking, which turns it to and fro by turns [s].

    A curve that rocks comes through zero first a whole rock earlier where it lies a hair higher.
    """
    weights = np.hanning(round(ROCKING / (times[1] - times[0])))
    mean = np.convolve(spins, weights / weights.sum(), "valid")
    middle = times[(len(weights) - 1) // 2 :][: len(mean)]
    k = int(np.argmax(mean > 0.0))
    return float(middle[k] - mean[k] * (middle[k] - middle[k - 1]) / (mean[k] - mean[k - 1]))


@pytest.mark.parametrize("contact", ["constraint", "hybrid"])
@pytest.mark.parametrize("spin", [-5.0, -7.0, -9.0])
def test_by_default_the_rattleback_turns_round_within_half_a_percent_of_the_time(contact: str, spin: float) -> None:
    """With the step and the envelope that a scene has which says neither."""
    said = load_scene("rattleback")
    body = next(one for one in said.body if one.name == "rattleback")
    (weight,) = body.attached
    model = Rattleback(np.array(body.shape.ellipsoid), body.mass, weight.mass, np.array(weight.position), friction=0.6)
    defaults = {"world.contact": contact, "world.step": None, "world.envelope": None}
    for path, value in (defaults | {"body.rattleback.angular_velocity": [0.0, 0.0, spin]}).items():
        said = set_path(said, path, value)
    world = World(said)
    row, times, spins = world.row("rattleback"), 0.005 * np.arange(100, 1300), []
    for t in times:
        world.advance_to(float(t))
        spins.append(world.twists()[row, 5])
    right = turns_round(times, model.spins(spin, times))
    assert turns_round(times, np.array(spins)) == pytest.approx(right, rel=5e-3)


def test_the_error_of_the_rattleback_falls_with_the_square_of_the_step() -> None:
    right = reversal("constraint", 1.0 / 4000.0)
    errors = [abs(reversal("constraint", step) - right) for step in (1.0 / 250.0, 1.0 / 500.0, 1.0 / 1000.0)]
    assert errors[0] > 3.5 * errors[1] > 3.5 * 3.5 * errors[2]


def disc_on_slab(contact: str) -> Scene:
    """A disc that turns on the spot at 20 degrees, on a heavy slab that only lies on the ground."""
    envelope, radius, thickness = 1e-5, 0.0375, 0.0128
    steady = steady_disc(radius, thickness, np.radians(20.0), -1.0)
    disc = body(
        "disc",
        {"cylinder": {"radius": radius, "length": thickness}},
        steady.centre + [0.0, 0.0, 0.5 * envelope],
        orientation={"axis": [0.0, 1.0, 0.0], "degrees": 20.0},
        velocity=floats(steady.velocity),
        angular_velocity=floats(steady.omega),
    )
    slab = body("slab", {"box": [1.0, 1.0, 0.1]}, (0, 0, -0.05), mass=200.0)
    ground = body("ground", {"plane": {}}, (0, 0, -0.1 - 0.5 * envelope), motion="fixed")
    return scene(ground, slab, disc, friction=2.0, restitution=0.0, contact=contact, envelope=envelope)


@pytest.mark.parametrize("contact", ["constraint", "hybrid"])
def test_a_disc_on_a_free_slab_keeps_its_lean(contact: str) -> None:
    world = World(disc_on_slab(contact))
    for k in range(1, 11):
        world.advance_to(0.5 * k)
        axis = rotation_matrix(world.body("disc").orientation)[2, 2]
        assert np.degrees(np.arccos(axis)) == pytest.approx(20.0, abs=0.1)


def test_the_error_of_the_disc_falls_with_the_square_of_the_step() -> None:
    """By where its axis points: steps are so short that the turn in one does not choose them."""

    def axis(step: float) -> Floats:
        world = World(set_path(disc_on_slab("constraint"), "world.step", step))
        world.advance_to(0.5)
        return rotation_matrix(world.body("disc").orientation)[:, 2]

    right = axis(1.0 / 16000.0)
    errors = [np.linalg.norm(axis(step) - right) for step in (1.0 / 1000.0, 1.0 / 2000.0, 1.0 / 4000.0)]
    assert errors[0] > 3.5 * errors[1] > 3.5 * 3.5 * errors[2]


def box_on_rim(contact: str) -> Scene:
    """On ground without friction: the plate and the box that it carries round turn about their common centre."""
    gap = 5e-5
    centre = ARM * 1.0 / 11.0
    plate = body(
        "plate",
        {"cylinder": {"radius": 0.5, "length": 0.05}},
        (-centre, 0.0, 0.025 + gap),
        mass=10.0,
        material="slippery",
        velocity=[0.0, -RATE * centre, 0.0],
        angular_velocity=[0.0, 0.0, RATE],
    )
    box = body(
        "box",
        {"box": [0.1, 0.1, 0.1]},
        (ARM - centre, 0.0, 0.1 + 2.0 * gap),
        mass=1.0,
        velocity=[0.0, RATE * (ARM - centre), 0.0],
        angular_velocity=[0.0, 0.0, RATE],
    )
    ground = body("ground", {"plane": {}}, motion="fixed") | {"material": "ice"}
    said = scene(ground, plate, box, contact=contact, envelope=1e-4, sleep=False).model_dump(exclude_unset=True)
    said["material"] = {"m": {"friction": 1.0}, "slippery": {"friction": 1.0}, "ice": {"friction": 0.0}}
    return Scene.model_validate(said)


@pytest.mark.parametrize("contact", ["constraint", "hybrid"])
def test_a_box_on_the_rim_of_a_free_plate_takes_none_of_its_spin(contact: str) -> None:
    world = World(box_on_rim(contact))
    start = world.momentum()[5]
    for k in range(1, 5):
        world.advance_to(0.5 * k)
        assert world.momentum()[5] == pytest.approx(start, rel=1e-9)
        apart = np.subtract(world.body("box").position, world.body("plate").position)
        assert np.hypot(*apart[:2]) == pytest.approx(ARM, rel=1e-4)


def test_the_error_of_the_box_on_the_rim_falls_with_the_square_of_the_step() -> None:
    """It goes round its circle at a steady rate."""
    right = [ARM * np.cos(0.5 * RATE), ARM * np.sin(0.5 * RATE)]
    errors = []
    for step in (1.0 / 120.0, 1.0 / 240.0, 1.0 / 480.0):
        world = World(set_path(box_on_rim("constraint"), "world.step", step))
        world.advance_to(0.5)
        apart = np.subtract(world.body("box").position, world.body("plate").position)
        errors.append(np.linalg.norm(apart[:2] - right))
    assert errors[0] > 3.5 * errors[1] > 3.5 * 3.5 * errors[2]
