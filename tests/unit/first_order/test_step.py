"""First-order worlds against closed forms: force gives velocity, and nothing goes on by itself."""

from __future__ import annotations

from math import cos, exp, radians, sin
from typing import Any

import numpy as np
import pytest
import quadprog

from engine import World
from engine.analysis.contact_problem import free_acceleration, normal_jacobian
from engine.analysis.methods import METHODS, acceleration_problem
from engine.model import model as m
from engine.model import state as s
from engine.scene.problems import SceneError
from engine.scene.schema import Scene
from engine.solvers.solution import no_trace
from tests.linkages import joint
from tests.outside_gaps import OutsideGaps
from tests.scenes import ball, body, floor, scene

G, DRAG, SIDE = 9.81, 10.0, 0.2
MASS = 1000.0 * SIDE**3
LEVEL = 0.5 * SIDE + 1e-4


def first_order(*bodies: dict[str, Any], friction: float = 0.3, drag: float = DRAG, **world: Any) -> World:
    return World(scene(*bodies, friction=friction, order=1, drag=drag, **world))


def cube(name: str, x: float = 0.0, y: float = 0.0, z: float = LEVEL, **more: Any) -> dict[str, Any]:
    return body(name, {"box": [SIDE] * 3}, (x, y, z), **more)


def row(count: int) -> list[dict[str, Any]]:
    return [cube(f"b{k}", x=(SIDE + 2e-4) * k) for k in range(count)]


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


def pressing(world: World, a: str, b: str) -> float:
    """The normal force between two bodies [N]."""
    rows = {world.row(a), world.row(b)}
    contacts = [c for c in world.contacts() if {int(c["body_a"]), int(c["body_b"])} == rows]
    return sum(float(c["force"] @ c["normal"]) for c in contacts)


# --- what forces give -------------------------------------------------------------------------------------------------


def test_what_falls_has_its_final_speed_at_once_and_stops_where_it_lands() -> None:
    world = first_order(floor(), cube("cube", z=0.5, velocity=[3.0, 0.0, 4.0], angular_velocity=[5.0, 1.0, 0.0]))
    world.advance_to(0.1)
    np.testing.assert_allclose(world.body("cube").position, (0, 0, 0.5 - 0.1 * G / DRAG), atol=1e-12)
    np.testing.assert_allclose(world.twists()[1], (0, 0, -G / DRAG, 0, 0, 0), atol=1e-12)
    assert world.paradigms()[1] == "free"
    world.advance_to(1.0)
    assert abs(world.twists()[1]).max() < 1e-6
    assert world.body("cube").position[2] == pytest.approx(LEVEL, abs=3e-4)
    assert pressing(world, "floor", "cube") == pytest.approx(MASS * G, rel=1e-5)
    assert world.paradigms()[1] == "constraint"
    assert not len(world.events())


@pytest.mark.parametrize("friction", [0.0, 0.3, 0.5])
def test_a_block_slides_at_one_speed(friction: float) -> None:
    tilt = radians(30)
    pull = (G * sin(tilt), 0.0, -G * cos(tilt))
    world = first_order(floor(), cube("cube"), friction=friction, gravity=pull)
    world.advance_to(0.5)
    speed = G * (sin(tilt) - friction * cos(tilt)) / DRAG
    np.testing.assert_allclose(world.twists()[1], (speed, 0, 0, 0, 0, 0), atol=1e-6 * speed)
    assert world.body("cube").position[0] == pytest.approx(0.5 * speed, rel=1e-6)
    energy = world.energy()
    assert energy["damping"] == pytest.approx(0.5 * DRAG * MASS * speed**2, rel=1e-5)
    assert energy["sliding"] == pytest.approx(0.5 * friction * MASS * G * cos(tilt) * speed, rel=1e-5, abs=1e-9)


def test_a_block_on_a_slope_that_friction_holds_stands_still() -> None:
    tilt = radians(30)
    world = first_order(floor(), cube("cube"), friction=0.6, gravity=(G * sin(tilt), 0.0, -G * cos(tilt)))
    world.advance_to(1.0)
    assert abs(world.twists()[1]).max() < 1e-6
    assert world.body("cube").position[0] == pytest.approx(0.0, abs=1e-6)
    (contact,) = world.contacts()
    assert abs(contact["force"][0]) == pytest.approx(MASS * G * sin(tilt), rel=1e-5)


def test_a_ball_rolls_at_five_sevenths_of_the_speed_at_which_it_slides() -> None:
    tilt = radians(10)
    rolling = ball("ball", (0, 0, 0.10005))
    world = first_order(floor(), rolling, friction=0.5, gravity=(G * sin(tilt), 0.0, -G * cos(tilt)))
    world.advance_to(0.5)
    speed = 5.0 / 7.0 * G * sin(tilt) / DRAG
    np.testing.assert_allclose(world.twists()[1], (speed, 0, 0, 0, speed / 0.1, 0), rtol=1e-5, atol=1e-6)


def test_a_torque_gives_a_rate_by_the_inertia() -> None:
    moment = MASS * SIDE**2 / 6.0
    world = first_order(cube("cube", torque=[0.0, 0.0, 3.0]), gravity=(0, 0, 0))
    world.advance_to(0.2)
    np.testing.assert_allclose(world.twists()[0], (0, 0, 0, 0, 0, 3.0 / (moment * DRAG)), atol=1e-9)
    assert world.energy()["work"] == pytest.approx(0.2 * 3.0**2 / (moment * DRAG))
    assert balance(world) == pytest.approx(0.0, abs=1e-12)


def test_a_force_for_a_time_moves_for_that_time() -> None:
    keys = [(0.0, 0.0), (0.1, 0.0), (0.101, 8.0), (0.2, 8.0), (0.201, 0.0)]
    push = {"keys": [{"time": time, "value": [value, 0.0, 0.0]} for time, value in keys]}
    world = first_order(cube("cube", force=push), gravity=(0, 0, 0))
    for until, speed in ((0.0995, 0.0), (0.15, 8.0 / (MASS * DRAG)), (0.21, 0.0)):
        world.advance_to(until)
        assert world.twists()[0, 0] == pytest.approx(speed, abs=1e-12)
    way = 0.1 * 8.0 / (MASS * DRAG)
    assert world.body("cube").position[0] == pytest.approx(way)
    assert world.energy()["work"] == pytest.approx(world.energy()["dissipated"])


def test_twice_the_drag_is_half_the_speed_and_the_same_force() -> None:
    speeds, loads = [], []
    for drag in (DRAG, 2.0 * DRAG):
        world = first_order(floor(), *row(2), drag=drag)
        world.pull("b0", (0, 0, 0), (1.0, 0.0, LEVEL), 400.0)
        world.advance_to(1.0 / 240.0)
        speeds.append(world.twists()[2, 0])
        loads.append(pressing(world, "b0", "b1"))
    assert speeds[0] == pytest.approx(2.0 * speeds[1], rel=1e-3)
    assert loads[0] == pytest.approx(loads[1], rel=1e-3)


# --- pushing ----------------------------------------------------------------------------------------------------------


def test_a_push_goes_through_a_row_and_ends_when_it_ends() -> None:
    world = first_order(floor(), *row(4), friction=0.0)
    world.pull("b0", (0, 0, 0), (1.0, 0.0, LEVEL), 100.0)
    world.advance_to(0.05)
    speed, force = world.twists()[1:, 0], 100.0 * (1.0 - world.poses()[1, 0])
    np.testing.assert_allclose(speed, force / (4.0 * MASS * DRAG), rtol=2e-2)
    np.testing.assert_allclose(speed, speed[0], rtol=1e-4)
    for k in range(3):
        pressed = pressing(world, f"b{k}", f"b{k + 1}")
        assert pressed == pytest.approx((3 - k) * MASS * DRAG * speed[0], rel=1e-3)
    world.release()
    place = world.poses()
    world.advance_to(0.06)
    assert abs(world.twists()).max() < 1e-5
    np.testing.assert_allclose(world.poses(), place, atol=1e-6)


def test_what_is_pulled_comes_as_a_spring_against_drag_lets_it() -> None:
    world = first_order(cube("cube"), gravity=(0, 0, 0))
    world.pull("cube", (0, 0, 0), (1.0, 0.0, LEVEL), 40.0)
    world.advance_to(0.5)
    rate = 40.0 / (MASS * DRAG)
    assert 1.0 - world.body("cube").position[0] == pytest.approx(exp(-0.5 * rate), rel=1e-3)
    assert world.energy()["work"] == pytest.approx(world.energy()["dissipated"], rel=1e-12)


def test_a_stiff_spring_does_not_swing() -> None:
    world = first_order(cube("cube"), gravity=(0, 0, 0))
    world.pull("cube", (0.1, 0.1, 0.0), (0.4, 0.1, LEVEL), 1e5)
    world.advance_to(0.5)
    corner = world.body("cube").position
    assert np.isfinite(corner).all() and abs(world.twists()).max() < 1e-6


def test_a_bar_pushes_a_row_and_puts_in_what_goes() -> None:
    bar = body(
        "bar",
        {"box": [0.1, 0.5, 0.1]},
        (-0.3, 0, 0.1),
        motion={"keyframes": {"keys": [{"time": 0.0}, {"time": 1.0, "offset": [0.3, 0.0, 0.0]}]}},
    )
    world = first_order(floor(), *row(3), bar, friction=0.2)
    start = balance(world)
    world.advance_to(0.8)
    np.testing.assert_allclose(world.twists()[1:4, 0], world.twists()[4, 0], rtol=2e-2)
    pushed = 3.0 * MASS * (DRAG * world.twists()[1, 0] + 0.2 * G)
    assert pressing(world, "bar", "b0") == pytest.approx(pushed, rel=0.05), "its friction may press them down"
    assert balance(world) - start == pytest.approx(0.0, abs=1e-9 * world.energy()["work"])
    world.advance_to(1.2)
    assert abs(world.twists()[1:4]).max() < 1e-5, "the bar stands, and so do they"


def test_restitution_impacts_and_contact_mean_nothing() -> None:
    found = set()
    for contact in ("impulse", "hybrid", "penalty"):
        for restitution in (0.0, 0.9):
            things = scene(floor(), ball("ball", (0, 0, 0.3)), restitution=restitution, order=1, contact=contact)
            world = World(things)
            world.advance_to(0.5)
            found.add(tuple(world.poses().ravel().tolist()))
    assert len(found) == 1


# --- what it promises -------------------------------------------------------------------------------------------------


def heap(count: int = 12, seed: int = 1) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    shapes = ({"box": [0.2, 0.15, 0.1]}, {"sphere": {"radius": 0.08}}, {"capsule": {"radius": 0.05, "length": 0.15}})
    things = [floor(), body("wall", {"box": [0.1, 2.0, 1.0]}, (0.6, 0, 0.5), motion="fixed")]
    for k in range(count):
        x, y = 0.25 * (k % 3), 0.25 * (k // 3 % 2)
        things.append(
            body(
                f"t{k}",
                shapes[k % 3],
                (x, y, 0.2 + 0.22 * (k // 6)),
                orientation={"axis": rng.normal(size=3).tolist(), "degrees": float(rng.uniform(0, 360))},
            )
        )
    return things


def test_bodies_stay_apart_and_books_balance_while_a_heap_is_stirred() -> None:
    world = first_order(*heap(), friction=0.4)
    start, least, outside = balance(world), np.inf, OutsideGaps(world)
    world.advance_to(0.3)
    world.pull("t0", (0.05, 0, 0), (0.4, 0.3, 0.2))
    for k in range(1, 200):
        if k % 20 == 0:
            world.move_pull((0.4 * (-1) ** k, 0.3 * (-1) ** (k // 20), 0.15))
        world.advance_to(0.3 + 0.004 * k)
        least = min(least, outside.smallest(world.poses()))
    assert least > 0.0
    energy = world.energy()
    assert energy["kinetic"] == 0.0 and not world.momentum().any()
    exchanged = energy["dissipated"] + abs(energy["work"])
    assert abs(balance(world) - start) < 1e-9 * exchanged
    assert abs(energy["numerics"]) < 1e-2 * energy["dissipated"]
    assert energy["damping"] > 0.0 and energy["sliding"] > 0.0


def nearest_velocities(world: World, envelope: float, step: float) -> np.ndarray:
    """By an outside solver: of the velocities that keep bodies apart, those nearest to what forces give, (n, 6)."""
    problem = world.contact_problem()
    mass = np.zeros((6 * len(problem.bodies),) * 2)
    for k, block in enumerate(problem.mass):
        mass[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = block
    wanted = free_acceleration(problem) / DRAG
    least = -np.maximum(problem.gap - 0.75 * envelope, 0.0) / step - problem.prescribed[:, 0]
    found = quadprog.solve_qp(mass, mass @ wanted, normal_jacobian(problem).T, least - 1e-12)[0]
    return np.asarray(found).reshape(-1, 6)


def test_without_friction_velocities_are_the_nearest_by_gauss_principle() -> None:
    """Six cubes in two rows, pulled askew at a corner: at the starts of steps, against quadratic programming.

    A pair that is about to touch is a contact there already, and so one step or another may differ.
    """
    envelope = 4e-4
    things = [cube(f"c{k}", x=(SIDE + 2e-4) * (k % 3), y=(SIDE + 2e-4) * (k // 3)) for k in range(6)]
    world = first_order(floor(), *things, friction=0.0, envelope=envelope)
    world.pull("c0", (-0.1, -0.05, 0.0), (0.4, 0.3, LEVEL), 300.0)
    errors = []
    world.advance_to(0.006)
    while world.time < 0.06:
        steps = world.counters["group_steps"]
        world.advance_events(1)
        if world.counters["group_steps"] == steps or world._state.arcs[1:, s.T0].min() < world.time:
            continue
        twists = world.twists()[1:]
        step = float(world._state.groups[world._state.members[1, s.LEADER], s.STEP])
        expected = nearest_velocities(world, envelope, step)
        errors.append(abs(twists - expected).max() / abs(twists).max())
    assert len(errors) > 10
    assert np.quantile(errors, 0.9) < 1e-5


def test_reported_forces_are_drag_times_momentum() -> None:
    """Of every body of a heap: gravity and what contacts report give its velocity, linear and angular, times drag."""
    world = first_order(*heap(), friction=0.4)
    compared = 0
    world.advance_to(0.1)
    while compared < 20:
        world.advance_events(1)
        begun = np.flatnonzero(world._state.arcs[2:, s.T0] == world.time) + 2
        if not len(begun):
            continue
        problem = {int(i): k for k, i in enumerate(world.contact_problem().bodies)}
        contacts, poses, twists = world.contacts(), world.poses(), world.twists()
        for i in begun:
            total = np.zeros(6)
            total[2] = -G * world.model.bodies[i, m.MASS]
            for contact in contacts:
                sign = float(contact["body_a"] == i) - float(contact["body_b"] == i)
                turn = np.cross(contact["point"] - poses[i, :3], contact["force"]) + contact["couple"]
                total += sign * np.concatenate([contact["force"], turn])
            mass = world.contact_problem().mass[problem[i]] if i in problem else np.eye(6)
            if i in problem:
                np.testing.assert_allclose(DRAG * mass @ twists[i], total, atol=1e-8 * G * mass[0, 0])
                compared += 1


def test_other_methods_find_the_same_forces() -> None:
    world = first_order(floor(), *row(3), friction=0.0)
    world.pull("b0", (0, 0, 0), (1.0, 0.0, LEVEL), 100.0)
    world.advance_to(0.1)
    problem = world.contact_problem()
    solution = METHODS["lemke"].solve(acceleration_problem(problem), no_trace())
    for a, b in (("b0", "b1"), ("b1", "b2"), ("floor", "b2")):
        rows = {world.row(a), world.row(b)}
        mine = [set(pair) == rows for pair in problem.rows.tolist()]
        assert solution.x[mine].sum() == pytest.approx(pressing(world, a, b), rel=1e-2)


def test_same_bits_however_it_is_chopped_and_after_a_restore() -> None:
    whole, chopped = first_order(*heap()), first_order(*heap())
    whole.advance_to(0.4)
    for k in range(1, 38):
        chopped.advance_to(0.4 * k / 37)
        if k == 18:
            kept = chopped.snapshot()
    assert whole.digest == chopped.digest
    chopped.restore(kept)
    chopped.advance_to(0.4)
    assert whole.digest == chopped.digest


def test_joints_are_refused() -> None:
    tied = scene(cube("a"), cube("b", x=1.0), order=1).model_dump(exclude_none=True, exclude={"folder"})
    tied["joint"] = [joint("tie", "weld", ["a", "b"], (0.5, 0, 0))]
    with pytest.raises(SceneError, match="1 cannot hold joints"):
        World(Scene.model_validate(tied))


def test_the_model_knows_it() -> None:
    settings = first_order(cube("cube")).model.settings
    assert (settings[m.CONTACT], settings[m.DRAG]) == (m.FIRST_ORDER, DRAG)
