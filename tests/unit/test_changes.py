"""A world is changed while it runs: physics follows from that instant on, books stay closed, a replay is bit-exact."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.inputs import Input, from_json, to_json
from engine.recording.snapshot import Snapshot
from engine.scene.paths import set_path
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene

SLIDE = """
format = 1
[material.wood]
friction = 0.6
restitution = 0.0
[[body]]
name = "floor"
motion = "fixed"
shape.box = [8.0, 4.0, 0.2]
position = [0.0, 0.0, -0.1]
orientation = { axis = [0.0, 1.0, 0.0], degrees = 20.0 }
material = "wood"
[[body]]
name = "block"
shape.box = [0.4, 0.4, 0.2]
mass = 2.0
position = [0.06844, 0.0, 0.08803]
orientation = { axis = [0.0, 1.0, 0.0], degrees = 20.0 }
material = "wood"
[[body]]
name = "ball"
shape.sphere = { radius = 0.1 }
mass = 1.0
position = [0.0, 6.0, 5.0]
"""


@pytest.fixture
def scene() -> Scene:
    return parse_scene(SLIDE.encode(), "slide", None)


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


def test_a_block_that_rests_slides_when_friction_is_lowered_and_holds_when_it_is_raised(scene: Scene) -> None:
    world = World(scene)
    world.advance_to(1.0)
    there, start = world.body("block").position.copy(), balance(world)
    assert np.linalg.norm(world.body("block").velocity) < 1e-3
    world.change("material.wood.friction", 0.2)
    world.advance_to(1.5)
    speed = np.linalg.norm(world.body("block").velocity)
    expected = 9.81 * (np.sin(np.radians(20)) - 0.2 * np.cos(np.radians(20))) * 0.5
    assert speed == pytest.approx(expected, rel=0.02), "Coulomb"
    assert np.linalg.norm(world.body("block").position - there) > 0.1
    world.change("material.wood.friction", 0.8)
    world.advance_to(2.5)
    assert np.linalg.norm(world.body("block").velocity) < 1e-3
    assert balance(world) == pytest.approx(start, abs=1e-3)


def test_gravity_mass_and_velocity_change_at_the_instant_and_books_stay_closed(scene: Scene) -> None:
    world = World(scene)
    world.advance_to(0.2)
    start, before = balance(world), world.body("ball")
    world.change("body.ball.mass", 3.0)
    world.change("world.gravity", [0.0, 0.0, -2.0])
    world.change("body.ball.velocity", [1.0, 0.0, 0.5])
    after = world.body("ball")
    np.testing.assert_array_equal(after.position, before.position)
    np.testing.assert_allclose(after.velocity, (1.0, 0.0, 0.5), atol=1e-15)
    assert balance(world) == pytest.approx(start, abs=1e-9)
    world.advance_to(0.5)
    np.testing.assert_allclose(world.body("ball").velocity, (1.0, 0.0, 0.5 - 2.0 * 0.3), atol=1e-12)
    np.testing.assert_allclose(
        world.body("ball").position, before.position + (0.3, 0.0, 0.5 * 0.3 - 0.5 * 2.0 * 0.09), atol=1e-12
    )
    assert world.momentum()[0] == pytest.approx(3.0, abs=1e-2), "three kilograms at a metre a second, and the block"
    assert balance(world) == pytest.approx(start, abs=1e-3)


def test_changes_come_again_to_the_bit_from_the_log_and_from_a_snapshot(scene: Scene) -> None:
    world = World(scene)
    world.advance_to(0.5)
    world.change("material.wood.friction", 0.1)
    world.advance_to(0.8)
    kept = Snapshot.from_bytes(world.snapshot().to_bytes())
    assert kept.digest == world.digest
    world.advance_to(1.0)
    middle = world.digest
    world.change("world.gravity", [0.0, 0.0, -5.0])
    world.change("body.block.mass", 5.0)
    world.change("body.block.velocity", [0.0, 0.3, 0.0])
    world.advance_to(1.4)
    assert world.changes == (
        ("body.block.mass", (5.0,)),
        ("material.wood.friction", (0.1,)),
        ("world.gravity", (0.0, 0.0, -5.0)),
    )
    again = World(scene)
    again.replay(from_json(to_json(world.inputs)), 1.4)
    assert again.digest == world.digest
    for other in (world, again, World(scene)):
        other.restore(kept)
        assert other.changes == (("material.wood.friction", (0.1,)),)
        other.advance_to(1.0)
        assert other.digest == middle


def test_what_came_after_a_snapshot_at_its_very_instant_is_not_of_its_history(scene: Scene) -> None:
    """Nor where the world has the snapshot from a file, and none of what came before it."""
    world = World(scene)
    world.advance_to(0.5)
    world.change("material.wood.friction", 0.1)
    kept = world.snapshot()
    others = (world, World(scene))
    for other, known in zip(others, (world.inputs[:1], []), strict=True):
        other.restore(Snapshot.from_bytes(kept.to_bytes()))
        other.change("body.block.mass", 5.0)
        other.advance_to(0.8)
        other.change("body.block.mass", 6.0)
        other.restore(kept)
        assert other.inputs == known
    world.advance_to(1.0)
    again = World(scene)
    again.replay(world.inputs, 1.0)
    assert again.digest == world.digest


@pytest.mark.parametrize("path", ["world.envelope", "body.floor.mass", "body.nobody.mass", "material.wood.density"])
def test_what_cannot_change_while_it_runs_is_refused(scene: Scene, path: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        World(scene).change(path, 1.0)


@pytest.mark.parametrize("mode", ["impulse", "constraint", "penalty", "first order"])
def test_books_and_replays_hold_with_every_kind_of_contact(mode: str) -> None:
    ramp = load_scene("block_on_ramp")
    scene = set_path(ramp, "world.order", 1) if mode == "first order" else set_path(ramp, "world.contact", mode)
    world = World(scene)
    world.advance_to(0.2)
    start = balance(world)
    world.change("world.gravity", [1.0, 0.0, -4.0])
    world.change("material.rubber.friction", 0.05)
    world.change("body.block.mass", 20.0)
    world.advance_to(0.4)
    assert balance(world) == pytest.approx(start, abs=1e-9)
    again = World(scene)
    again.replay(world.inputs, 0.4)
    assert again.digest == world.digest


SPRUNG = """
format = 1
world.gravity = [0.0, 0.0, 0.0]
[[body]]
name = "post"
motion = "fixed"
shape.box = [0.1, 0.1, 0.1]
[[body]]
name = "weight"
shape.box = [0.1, 0.1, 0.1]
mass = 2.0
position = [1.0, 0.0, 0.0]
[[body]]
name = "other post"
motion = "fixed"
shape.box = [0.1, 0.1, 0.1]
position = [0.0, 3.0, 0.0]
[[body]]
name = "rod"
shape.box = [0.6, 0.05, 0.05]
mass = 1.0
position = [0.0, 3.0, 0.3]
[[joint]]
name = "rail"
kind = "slider"
bodies = ["post", "weight"]
point = [1.0, 0.0, 0.0]
axis = [1.0, 0.0, 0.0]
position = 0.2
spring = { stiffness = 50.0, rest = 0.0 }
damping = 0.0
[[joint]]
name = "pin"
kind = "hinge"
bodies = ["other post", "rod"]
point = [0.0, 3.0, 0.3]
axis = [0.0, 0.0, 1.0]
friction = 0.5
velocity = 6.0
"""


@pytest.fixture
def sprung() -> Scene:
    return parse_scene(SPRUNG.encode(), "sprung", None)


def swing(q: float, rate: float, k: float, rest: float, t: float, mass: float = 2.0) -> tuple[float, float]:
    """Position and speed of a mass on a spring after t, which begins at q with `rate`."""
    w = np.sqrt(k / mass)
    return (
        rest + (q - rest) * np.cos(w * t) + rate / w * np.sin(w * t),
        rate * np.cos(w * t) - (q - rest) * w * np.sin(w * t),
    )


@pytest.mark.parametrize("contact", ["hybrid", "impulse", "constraint"])
def test_a_spring_is_stiffer_or_slack_elsewhere_from_an_instant_on(sprung: Scene, contact: str) -> None:
    """A mass on a rail: a sine, another one from the change on, and what the change stores is work from outside."""
    world = World(set_path(sprung, "world.contact", contact))
    world.advance_to(0.333)
    q, rate, _ = world.joint(0)
    assert (q, rate) == pytest.approx(swing(0.2, 0.0, 50.0, 0.0, 0.333), abs=1e-6)
    before = world.energy()
    world.change("joint.rail.spring.stiffness", 200.0)
    world.change("joint.rail.spring.rest", 0.1)
    after = world.energy()
    assert world.joint(0)[:2] == pytest.approx((q, rate), abs=1e-12), "it stands where it stood"
    assert after["elastic"] == pytest.approx(0.5 * 200.0 * (q - 0.1) ** 2, rel=1e-9)
    assert after["work"] - before["work"] == pytest.approx(after["elastic"] - before["elastic"], abs=1e-12)
    world.advance_to(0.8)
    assert world.joint(0)[:2] == pytest.approx(swing(q, rate, 200.0, 0.1, 0.8 - 0.333), abs=2e-6)
    energy = world.energy()
    assert abs(energy["numerics"]) < 1e-6 * energy["total"], "nothing of it is taken for numerics"
    assert balance(world) == pytest.approx(before["total"] + before["dissipated"] - before["work"], abs=1e-9)


def test_damping_and_friction_of_joints_change_at_the_instant(sprung: Scene) -> None:
    world = World(sprung)
    world.advance_to(0.1)
    _, rate, _ = world.joint(1)
    turning = 1.0 * (0.6**2 + 0.05**2) / 12.0
    assert rate == pytest.approx(6.0 - 0.5 / turning * 0.1, rel=1e-6)
    world.change("joint.pin.friction", 0.1)
    world.change("joint.rail.damping", 8.0)
    world.advance_to(0.3)
    assert world.joint(1)[1] == pytest.approx(rate - 0.1 / turning * 0.2, rel=1e-6)
    world.advance_to(6.0)
    assert abs(world.joint(1)[1]) < 1e-15, "it stands, and friction holds it"
    k, c, mass = 50.0, 8.0, 2.0
    assert abs(world.joint(0)[0]) < 0.25 * np.exp(-c / (2.0 * mass) * 5.9) * 1.2
    assert world.energy()["damping"] > 0.4 * 0.5 * k * 0.2**2


def test_changes_of_joints_come_again_to_the_bit(sprung: Scene) -> None:
    world = World(sprung)
    for time, path, value in (
        (0.25, "joint.rail.spring.stiffness", 120.0),
        (0.25, "joint.rail.damping", 0.5),
        (0.4, "joint.pin.friction", 0.05),
        (0.7, "joint.rail.spring.rest", -0.1),
    ):
        world.advance_to(time)
        world.change(path, value)
    kept = Snapshot.from_bytes(world.snapshot().to_bytes())
    world.advance_to(1.2)
    again = World(sprung)
    again.replay(from_json(to_json(world.inputs)), 1.2)
    assert again.digest == world.digest and again.joint(0) == world.joint(0)
    other = World(sprung)
    for one in (other, again):
        one.restore(kept)
        one.advance_to(1.2)
        assert one.digest == world.digest
    untouched = World(sprung)
    again.restore(untouched.snapshot())
    again.advance_to(0.5)
    untouched.advance_to(0.5)
    assert again.digest == untouched.digest and again.changes == (), "back at the start the scene holds again"


def test_a_motor_keeps_what_it_seeks_when_its_joint_is_changed_and_set_back() -> None:
    driven = load_scene("stacking_arm")
    world = World(driven, "off")
    name = next(joint.name for joint in driven.joint if joint.motor is not None)
    world.advance_to(0.05)
    world.drive(name, "effort", 0.25)
    world.change(f"joint.{name}.damping", 3.0)
    kept = world.snapshot()
    world.advance_to(0.2)
    again = World(driven, "off")
    again.restore(kept)
    again.advance_to(0.2)
    assert again.digest == world.digest and again.motor(name).target == world.motor(name).target == 0.25


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        ("joint.pin.spring.stiffness", 5.0, "has no spring"),
        ("joint.rail.friction", 5.0, "has no friction"),
        ("joint.rail.spring.stiffness", -5.0, "spring"),
        ("joint.rail.limits", 1.0, "cannot change"),
        ("joint.nothing.damping", 1.0, "nothing"),
    ],
)
def test_what_a_joint_has_not_cannot_change(sprung: Scene, path: str, value: float, why: str) -> None:
    with pytest.raises((ValueError, KeyError), match=why):
        World(sprung).change(path, value)


@pytest.mark.parametrize(("name", "time"), [("trap_doors", 0.4), ("part_sorter", 1.0), ("creature_war", 0.3)])
def test_books_and_replays_hold_where_springs_of_the_gallery_change(name: str, time: float) -> None:
    """On doors that fall, on ones that turn, and on pistons of machines that touch the ground."""
    scene = load_scene(name)
    springs = [joint for joint in scene.joint if joint.spring is not None][:2]
    world = World(scene, "off")
    world.advance_to(time)
    start, before = balance(world), world.energy()
    for joint in springs:
        assert joint.spring is not None
        world.change(f"joint.{joint.name}.spring.stiffness", 2.0 * joint.spring.stiffness)
    after = world.energy()  # within a step before, at the end of one now: what arcs were beside it has become numerics
    were, are = (each["numerics"] + each["interpolation"] for each in (before, after))
    assert after["elastic"] > before["elastic"] and are == pytest.approx(were, abs=1e-6)
    world.advance_to(time + 0.2)
    assert balance(world) == pytest.approx(start, rel=1e-9)
    again = World(scene, "off")
    again.replay(world.inputs, time + 0.2)
    assert again.digest == world.digest


def test_a_change_is_checked_against_what_holds_and_leaves_no_trace_if_it_is_refused(scene: Scene) -> None:
    """Static friction is no less than friction: whichever of them comes first has to allow the other."""
    world = World(scene)
    material = next(iter(scene.material))
    dynamic, static = f"material.{material}.friction", f"material.{material}.static_friction"
    world.advance_to(0.1)
    world.change(static, 0.9)
    world.change(dynamic, 0.8)
    world.advance_to(0.1)  # what is due at this instant
    before = world.changes, list(world.inputs), world.digest, world.model.surfaces.copy()
    with pytest.raises(SceneError, match="less than friction"):
        world.change(static, 0.5)
    with pytest.raises(SceneError, match="less than friction"):
        world.give(Input(world.time, "change", path=static, value=(0.5,)))
    assert (world.changes, world.inputs, world.digest) == before[:3]
    assert (world.model.surfaces == before[3]).all()
    world.change("world.gravity", (0.0, 0.0, -5.0))
    snapshot = world.snapshot()
    world.advance_to(0.3)
    again = World(scene)
    again.restore(snapshot)
    again.advance_to(0.3)
    assert again.digest == world.digest
