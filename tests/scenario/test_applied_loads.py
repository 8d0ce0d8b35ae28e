"""Applied forces and torques against closed forms, in flight and in contact, and their work in the books."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from engine.geometry.shapes import rotation_matrix
from engine.model import model as m
from engine.scene.schema import Scene
from engine.tolerances import KICK_PERIOD
from tests.scenes import body, floor, scene

BOX: dict[str, Any] = {"box": [0.3, 0.2, 0.1]}
MOMENTS = [0.1, 0.12, 0.2]
NO_GRAVITY = {"gravity": (0.0, 0.0, 0.0)}


def thrown(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), **more: Any) -> World:
    return World(scene(body("box", BOX, mass=2.0, inertia={"moments": MOMENTS}, **more), gravity=gravity))


def check_books(world: World, scale: float) -> None:
    """What kinetic and potential energy have gained is the work that was put in, less what was dissipated."""
    energy = world.energy()
    start = World(world.scene).energy()
    gained = energy["total"] - start["total"] + energy["dissipated"] - energy["work"]
    assert abs(gained) < scale


def test_a_constant_force_makes_a_parabola_exactly() -> None:
    world = thrown((0.0, 0.0, -9.81), force=[3.0, 0.0, 1.0], velocity=[0.0, 1.0, 2.0], angular_velocity=[1.0, 2.0, 3.0])
    world.advance_to(1.7)
    a = np.array([1.5, 0.0, 0.5 - 9.81])
    np.testing.assert_allclose(world.body("box").position, [0.0, 1.7, 3.4] + 0.5 * 1.7**2 * a, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(world.body("box").velocity, [0.0, 1.0, 2.0] + 1.7 * a, rtol=1e-13, atol=1e-13)
    energy, x = world.energy(), world.body("box").position
    assert energy["work"] == pytest.approx(3.0 * x[0] + 1.0 * x[2], rel=1e-12)
    assert energy["potential"] == pytest.approx(2.0 * 9.81 * x[2], rel=1e-12), "of gravity alone"
    assert world.counters["kicks"] == 0
    check_books(world, 1e-11)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_a_torque_about_a_principal_axis_spins_up(axes: str) -> None:
    world = thrown(torque={"value": [0.0, 0.0, 0.3], "axes": axes})
    world.advance_to(0.8)
    angle = 0.5 * 0.3 / MOMENTS[2] * 0.8**2
    q = world.body("box").orientation
    assert 2.0 * np.arctan2(q[3], q[0]) == pytest.approx(angle, rel=1e-9)
    assert world.body("box").angular_velocity[2] == pytest.approx(1.5 * (0.8 + 0.5 * KICK_PERIOD), rel=1e-9)
    check_books(world, 1e-12)


def test_a_force_in_the_axes_of_a_body_that_spins() -> None:
    """It goes round with the body: v = F / (m w) (sin w t, 1 - cos w t, 0)."""
    force, rate = {"value": [4.0, 0.0, 0.0], "axes": "body"}, 10.0
    world = thrown(force=force, angular_velocity=[0.0, 0.0, rate])
    world.advance_to(1.0)
    size = 4.0 / (2.0 * rate)
    x = size / rate * np.array([1.0 - np.cos(rate), rate - np.sin(rate), 0.0])
    np.testing.assert_allclose(world.body("box").position, x, atol=2.0 * size / rate * (rate * KICK_PERIOD) ** 2)
    check_books(world, 1e-12)


def test_a_steady_force_at_a_point_swings_the_body_like_a_pendulum() -> None:
    """As seen from the centre of mass: I theta'' = -F r sin theta."""
    lean = 0.02
    turn = {"axis": [0.0, 0.0, 1.0], "degrees": float(np.degrees(lean))}
    world = thrown(force={"value": [5.0, 0.0, 0.0], "point": [0.15, 0.0, 0.0]}, orientation=turn)
    period = 2.0 * np.pi * np.sqrt(MOMENTS[2] / (5.0 * 0.15))
    for share, angle in ((0.25, 0.0), (0.5, -lean), (1.0, lean)):
        world.advance_to(share * period)
        q = world.body("box").orientation
        assert 2.0 * np.arctan2(q[3], q[0]) == pytest.approx(angle, abs=1e-3 * lean)
    np.testing.assert_allclose(world.body("box").position, [0.5 * 2.5 * period**2, 0.0, 0.0], rtol=1e-12, atol=1e-12)
    check_books(world, 1e-12)


def test_a_force_that_changes_gives_its_integral() -> None:
    keys = [{"time": 0.1, "value": [0.0, 0.0, 0.0]}, {"time": 0.3, "value": [6.0, 0.0, 0.0]}]
    keys.append({"time": 0.7, "value": [0.0, 0.0, 0.0]})
    world = thrown(force={"keys": keys})
    middle = world.snapshot()
    world.advance_to(0.2)
    halfway = world.snapshot()
    world.advance_to(1.0)
    assert world.body("box").velocity[0] == pytest.approx(0.5 * 6.0 * 0.6 / 2.0, rel=1e-12)
    assert world.counters["kicks"] <= 0.6 / KICK_PERIOD + 3, "none before, none after"
    digest = world.digest
    for snapshot in (halfway, middle):
        world.restore(snapshot)
        world.advance_to(1.0)
        assert world.digest == digest, "the force is where it was"
    # By parts: the impulse acts at the triangle's centre of gravity.
    assert world.body("box").position[0] == pytest.approx(0.9 * (1.0 - (0.1 + 0.3 + 0.7) / 3.0), rel=1e-5)
    check_books(world, 1e-12)


def test_a_kicked_body_is_the_same_however_the_run_is_cut_up() -> None:
    more = {"torque": {"value": [0.1, 0.0, 0.3], "axes": "body"}, "angular_velocity": [1.0, 2.0, 3.0]}
    whole, parts = thrown(**more), thrown(**more)
    whole.advance_to(0.5)
    for t in np.linspace(0.0, 0.5, 37):
        parts.advance_to(float(t))
    middle = parts.snapshot()
    parts.advance_to(0.7)
    parts.restore(middle)
    assert parts.digest == whole.digest


# --- in contact ---------------------------------------------------------------------------------------------------


def pushed(push: float, **world: Any) -> World:
    box = body("box", {"box": [0.4, 0.4, 0.1]}, (0, 0, 0.0502), mass=2.0, force=[push, 0.0, 0.0])
    return World(scene(floor(), box, friction=0.5, restitution=0.0, envelope=5e-4, **world))


def test_friction_holds_a_steady_push_and_reads_it() -> None:
    world = pushed(0.98 * 0.5 * 2.0 * 9.81)
    world.advance_to(3.0)
    assert np.linalg.norm(world.body("box").position[:2]) < 1e-6
    assert world.forces() == {
        "normal": pytest.approx(2.0 * 9.81, rel=1e-3),
        "friction": pytest.approx(0.98 * 9.81, rel=1e-3),
    }
    assert world.body("box").asleep


def test_a_pull_that_grows_moves_a_block_when_friction_has_had_enough() -> None:
    """It does not creep before, and friction reads what pulls; from then on it slides with what is too much."""
    keys = [{"time": 0.0, "value": [0.0, 0.0, 0.0]}, {"time": 2.0, "value": [2.0 * 9.81, 0.0, 0.0]}]
    box = body("box", {"box": [0.4, 0.4, 0.1]}, (0, 0, 0.0502), mass=2.0, force={"keys": keys})
    world = World(scene(floor(), box, friction=0.5, restitution=0.0, envelope=5e-4))
    world.advance_to(0.7)
    assert world.forces()["friction"] == pytest.approx(0.7 * 9.81, rel=5e-3)
    world.advance_to(0.99)
    assert np.linalg.norm(world.body("box").position[:2]) < 1e-5
    world.advance_to(1.6)
    # m a = 9.81 (t - 1): v = 9.81 (t - 1)^2 / (2 m)
    assert world.body("box").velocity[0] == pytest.approx(9.81 * 0.6**2 / 4.0, rel=5e-3)
    check_books(world, 1e-6)


def test_a_body_that_pushes_itself_against_a_wall_presses_with_what_it_pushes() -> None:
    wall = body("wall", {"box": [0.1, 1.0, 1.0]}, (0.0, 0, 0), motion="fixed")
    push = {"value": [7.0, 0.0, 0.0], "axes": "body"}
    box = body("box", {"box": [0.2, 0.2, 0.2]}, (-0.1503, 0, 0), mass=2.0, force=push)
    world = World(scene(wall, box, envelope=5e-4, **NO_GRAVITY))
    world.advance_to(1.0)
    assert world.forces()["normal"] == pytest.approx(7.0, rel=0.01)


def test_a_stronger_push_slides_it() -> None:
    world = pushed(2.0 * 0.5 * 2.0 * 9.81)
    world.advance_to(0.5)
    assert world.body("box").velocity[0] == pytest.approx(0.5 * 0.5 * 9.81, rel=2e-3)
    energy = world.energy()
    assert energy["work"] == pytest.approx(2.0 * 9.81 * world.body("box").position[0], rel=1e-9)
    check_books(world, 1e-6 * energy["work"])


def test_what_is_pressed_against_a_wall_without_gravity_stays_and_reads_the_force() -> None:
    wall = body("wall", {"box": [0.1, 1.0, 1.0]}, (0.0, 0, 0), motion="fixed")
    box = body("box", {"box": [0.2, 0.2, 0.2]}, (-0.1503, 0, 0), mass=2.0, force=[7.0, 0.0, 0.0])
    world = World(scene(wall, box, envelope=5e-4, **NO_GRAVITY))
    world.advance_to(2.0)
    assert world.forces()["normal"] == pytest.approx(7.0, rel=1e-3)


@pytest.mark.parametrize("mode", ["constraint", "hybrid"])
@pytest.mark.parametrize(
    "applied",
    [
        {"torque": [0.0, 0.0, 0.3]},
        {"torque": [0.4, -0.3, 0.2]},
        {"torque": {"value": [0.0, 0.0, 0.3], "axes": "body"}},
        {"force": {"value": [3.0, 0.0, 0.0], "point": [0.0, 0.1, 0.0]}},
    ],
)
def test_friction_holds_what_turns_and_reads_it(mode: str, applied: dict[str, Any]) -> None:
    box = body("box", {"box": [0.4, 0.4, 0.1]}, (0, 0, 0.0502), mass=2.0, **applied)
    world = World(scene(floor(), box, friction=0.5, restitution=0.0, envelope=5e-4, contact=mode))
    start = world.poses()
    world.advance_to(0.1)
    settled = world.poses()
    np.testing.assert_allclose(settled, start, atol=2e-6)
    world.advance_to(2.1)
    np.testing.assert_allclose(world.poses(), settled, atol=1e-9)
    (contact,) = world.contacts()
    assert world.names[contact["body_a"]] == "floor"
    torque = np.array(applied.get("torque", [0.0, 0.0, -0.3]) if "axes" not in str(applied) else [0.0, 0.0, 0.3])
    push = np.array([3.0, 0.0, 0.0] if "force" in applied else [0.0, 0.0, 0.0])
    about = contact["point"] - world.body("box").position
    np.testing.assert_allclose(contact["couple"] + np.cross(about, contact["force"]), torque, atol=1e-6)
    np.testing.assert_allclose(contact["force"], push - [0.0, 0.0, 2.0 * 9.81], atol=1e-6)
    check_books(world, 1e-9)


@pytest.mark.parametrize("torque", [0.9, 1.1])
def test_a_torque_turns_a_block_when_friction_has_had_enough(torque: float) -> None:
    """A thin ring bears on its rim: friction holds mu m g r."""
    ring = body("ring", {"cylinder": {"radius": 0.2, "length": 0.02}}, (0, 0, 0.0102), mass=2.0)
    ring["torque"] = [0.0, 0.0, torque * 0.5 * 2.0 * 9.81 * 0.2]
    world = World(scene(floor(), ring, friction=0.5, restitution=0.0, envelope=5e-4))
    world.advance_to(1.0)
    spin = world.body("ring").angular_velocity[2]
    more = (torque - 1.0) * 0.5 * 2.0 * 9.81 * 0.2 / (0.5 * 2.0 * 0.2**2)
    assert spin == pytest.approx(max(more, 0.0), rel=1e-3, abs=1e-9)
    energy = world.energy()
    check_books(world, 1e-9 * max(energy["work"], 1.0))


def test_what_is_thrown_keeps_its_torque_through_contact() -> None:
    """It gets what the torque gives in all, whether it flies or is held: nothing twice, nothing not at all."""
    box = body("box", {"box": [0.2, 0.2, 0.2]}, (0, 0, 0.3), mass=2.0, torque=[0.0, 0.0, 0.05])
    world = World(scene(floor(), box, friction=0.0, restitution=0.2, envelope=5e-4))
    world.advance_to(1.5)
    inertia = world.model.bodies[1, m.MOMENTS]
    assert world.body("box").angular_velocity[2] == pytest.approx(0.05 * 1.5 / inertia, rel=1e-9)
    check_books(world, 1e-9)


def test_a_torque_turns_a_wheel_on_its_axle() -> None:
    wheel = body("wheel", {"cylinder": {"radius": 0.2, "length": 0.1}}, mass=3.0, torque=[0.0, 0.0, 0.6])
    said = scene(wheel, **NO_GRAVITY).model_dump(exclude_unset=True, by_alias=True)
    joint = {"name": "axle", "kind": "hinge", "bodies": ["wheel"], "point": [0.0, 0.0, 0.0], "axis": [0.0, 0.0, 1.0]}
    world = World(Scene.model_validate(said | {"joint": [joint]}))
    world.advance_to(0.5)
    assert world.body("wheel").angular_velocity[2] == pytest.approx(
        0.6 / (0.5 * 3.0 * 0.2**2) * (0.5 + 0.5 * KICK_PERIOD), rel=1e-6
    )


@pytest.mark.parametrize("keys", [[], [{"time": 0.0, "value": 1.0}, {"time": 1.03, "value": 1.0}]])
def test_a_torque_on_what_rolls_puts_in_torque_times_angle_at_any_time(keys: list[dict[str, Any]]) -> None:
    """Steps are long there, and power rises through them: 7/5 m r^2 w' = T. Where the torque ends, a step is cut."""
    value = {"value": [0.0, 0.04, 0.0]}
    if keys:
        said = [key | {"value": [0.0, 0.04 * key["value"], 0.0]} for key in keys]
        value = {"keys": [*said, {"time": 1.0301, "value": [0.0, 0.0, 0.0]}]}
    rolls = body("ball", {"sphere": {"radius": 0.05}}, (0, 0, 0.05001), mass=1.0, torque=value)
    world = World(scene(floor(), rolls, friction=0.8, restitution=0.0))
    gain = 0.04 / (1.4 * 0.05**2)
    for t in np.linspace(0.025, 1.5, 60):
        world.advance_to(float(t))
        energy, ends = world.energy(), 1.03005 if keys else np.inf
        assert abs(energy["numerics"]) < 1e-9 and energy["dissipated"] == pytest.approx(0.0, abs=1e-9)
        if not 1.0 < t < 1.1 or not keys:
            spin = gain * min(float(t), ends)
            assert world.body("ball").angular_velocity[1] == pytest.approx(spin, rel=1e-6)
            assert energy["work"] == pytest.approx(0.5 * 1.4 * 0.05**2 * spin**2, rel=2e-6)


# --- at rest ------------------------------------------------------------------------------------------------------


def stack(**applied: Any) -> World:
    """Five boxes that stand on each other; something is applied to the lowest."""
    sizes: dict[str, Any] = {"box": [0.2, 0.2, 0.2]}
    boxes = [
        body(f"b{k}", sizes, (0, 0, 0.1001 + 0.2001 * k), mass=1.0, **(applied if k == 0 else {})) for k in range(5)
    ]
    return World(scene(floor(), *boxes, friction=0.6, restitution=0.0))


@pytest.mark.parametrize(
    "applied",
    [
        {"force": [1.0, 0.0, 0.0]},
        {"torque": [0.0, 0.0, 0.1]},
        {"torque": {"value": [0.0, 0.0, 0.1], "axes": "body"}},
        {"force": {"value": [1.0, 0.0, 0.0], "point": [0.0, 0.0, 0.05]}},
        {"force": {"value": [1.0, 0.0, 0.0], "axes": "body"}},
    ],
)
def test_what_rests_under_a_steady_load_sleeps(applied: dict[str, Any]) -> None:
    """It is borne as weight is, and neither rounding nor a clock that ticks wakes it."""
    world = stack(**applied)
    world.advance_to(1.0)
    assert world.asleep()[1:].all() and world.twists().any() == 0
    assert world.counters["group_steps"] < 100
    events = world.event
    world.advance_to(100.0)
    assert world.event - events < 50 and world.asleep()[1:].all()
    row = next(one for one in world.contacts() if world.names[one["body_a"]] == "floor")
    push = np.array([1.0, 0.0, 0.0]) if "force" in applied else np.zeros(3)
    np.testing.assert_allclose(row["force"], push - [0.0, 0.0, 5.0 * 9.81], atol=0.02)
    check_books(world, 1e-6)


def ring(keys: list[tuple[float, float]]) -> World:
    """A thin ring bears on its rim, so that friction holds mu m g r; a torque about its axis is so much of that."""
    most = 0.5 * 2.0 * 9.81 * 0.2
    said = [{"time": time, "value": [0.0, 0.0, share * most]} for time, share in keys]
    disk = body("ring", {"cylinder": {"radius": 0.2, "length": 0.02}}, (0, 0, 0.0102), mass=2.0, torque={"keys": said})
    return World(scene(floor(), disk, friction=0.5, restitution=0.0, envelope=5e-4))


def test_a_load_that_grows_beyond_what_friction_holds_wakes_what_slept_under_it() -> None:
    world = ring([(0.0, 0.5), (2.0, 0.5), (2.5, 1.5), (9.0, 1.5)])
    world.advance_to(1.9)
    assert world.body("ring").asleep and not world.body("ring").angular_velocity.any()
    kicks = world.counters["kicks"]
    world.advance_to(1.995)
    assert world.counters["kicks"] == kicks
    world.advance_to(3.0)
    # The excess grows from 2.25 s on to a half of mu m g r at 2.5 s, and stays: I w = mu m g r (0.5 / 8 + 0.25).
    most, inertia = 0.5 * 2.0 * 9.81 * 0.2, 0.5 * 2.0 * 0.2**2
    assert world.body("ring").angular_velocity[2] == pytest.approx(most / inertia * (0.0625 + 0.25), rel=5e-3)
    check_books(world, 1e-5)


def test_what_bears_a_load_that_has_changed_sleeps_again_and_holds_that() -> None:
    keys = [{"time": time, "value": [0.0, 0.0, value]} for time, value in ((2.0, 0.1), (2.1, 0.4), (9.0, 0.4))]
    world = stack(torque={"keys": keys})
    world.advance_to(1.995)
    assert world.asleep()[1:].all()
    world.advance_to(2.05)
    assert not world.body("b0").asleep
    world.advance_to(4.0)
    assert world.asleep()[1:].all()
    row = next(one for one in world.contacts() if world.names[one["body_a"]] == "floor")
    held = row["couple"] + np.cross(row["point"] - world.body("b0").position, row["force"])
    np.testing.assert_allclose(held[2], 0.4, atol=2e-3)
    events = world.event
    world.advance_to(8.9)
    assert world.event - events < 20 and abs(world.energy()["work"]) < 1e-6
    check_books(world, 1e-6)


# --- inertia ------------------------------------------------------------------------------------------------------


def test_said_inertia_and_centre_move_a_body_as_if_it_were_so() -> None:
    """A box tumbles like a ball that is given its mass, centre and inertia."""
    spin = {"angular_velocity": [0.3, 5.0, 0.2], "velocity": [1.0, 0.0, 2.0]}
    lead = [{"mass": 0.5, "position": [0.1, 0.05, 0.02]}]
    box = World(scene(body("box", BOX, mass=2.0, attached=lead, **spin)))
    row = box.model.bodies[0]
    q = row[m.FRAME + 3 : m.FRAME + 7]
    axes = {"moments": row[m.MOMENTS : m.MOMENTS + 3].tolist(), "axes": [q[0], -q[1], -q[2], -q[3]]}
    w = rotation_matrix(np.array([q[0], -q[1], -q[2], -q[3]]))  # from principal axes to those of its frame
    centre = (-(w @ row[m.FRAME : m.FRAME + 3])).tolist()
    tensor = (w @ np.diag(row[m.MOMENTS : m.MOMENTS + 3]) @ w.T).tolist()
    for inertia in (axes, {"tensor": tensor}):
        more = {"mass": 2.5, "centre_of_mass": centre, "inertia": inertia}
        ball = World(scene(body("ball", {"sphere": {"radius": 0.1}}, **more, **spin)))
        for world in (box, ball):
            world.advance_to(2.0)
        np.testing.assert_allclose(ball.poses()[0], box.poses()[0], atol=1e-9)
        assert ball.energy()["kinetic"] == pytest.approx(box.energy()["kinetic"], rel=1e-12)
