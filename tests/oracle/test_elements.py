"""Springs, dampers, friction and limits of joints against closed forms and independent integrations.

Every mechanism moves twice: as a tree, in joint coordinates, and with a second joint that says the same, on rows.
"""

from __future__ import annotations

from math import cos, exp, log, sin, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from engine import World
from engine.scene.schema import Scene
from tests.linkages import linked_scene, rod

MASS = 2.0
LENGTH, WIDTH = 0.5, 0.02
INERTIA = (LENGTH**2 + WIDTH**2) / 12 + LENGTH**2 / 4  # of a rod of 1 kg about its end
TWICE = [pytest.param(False, id="tree"), pytest.param(True, id="rows")]


def twin(joint: dict[str, Any], rows: bool) -> list[dict[str, Any]]:
    """A joint, and another one along the same axis that has no elements."""
    point = [joint["point"][0], joint["point"][1] + 0.1, joint["point"][2]]
    other = {key: joint[key] for key in ("kind", "bodies", "axis")} | {"name": "again", "point": point}
    return [joint, other] if rows else [joint]


def slider(rows: bool = False, start: float = 0.0, speed: float = 0.0, axis: Any = (1, 0, 0), **more: Any) -> Scene:
    """A block of 2 kg on a slide: it starts by its own pose, which is the joint's zero, or in its coordinate."""
    block = {"name": "block", "shape": {"box": [0.1, 0.1, 0.1]}, "mass": MASS}
    if rows:
        block["velocity"] = (speed * np.array(axis, dtype=float)).tolist()
    else:
        more |= {"position": start, "velocity": speed}
    said = {"name": "slide", "kind": "slider", "bodies": ["block"], "point": [0, 0, 0], "axis": list(axis), **more}
    return linked_scene([block], twin(said, rows), sleep=False)


def pendulum(rows: bool = False, gravity: float = -9.81, speed: float = 0.0, start: float = 0.0, **more: Any) -> Scene:
    """A rod on a hinge, placed along x: a positive angle hangs lower."""
    bar = rod("rod", (0, 0, 0), (LENGTH, 0, 0), width=WIDTH)
    if rows:
        bar |= {"velocity": [0, 0, -speed * LENGTH / 2], "angular_velocity": [0, speed, 0]}
    else:
        more |= {"position": start, "velocity": speed}
    said = {"name": "hinge", "kind": "hinge", "bodies": ["rod"], "point": [0, 0, 0], "axis": [0, 1, 0], **more}
    return linked_scene([bar], twin(said, rows), gravity=(0, 0, gravity))


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


@pytest.mark.parametrize("rows", TWICE)
def test_a_block_on_a_spring_swings_as_a_cosine(rows: bool) -> None:
    rest, start = -0.2, 0.0 if rows else 0.3
    world = World(slider(rows, start, 0.2, spring={"stiffness": 50.0, "rest": rest}))
    omega, whole = sqrt(50.0 / MASS), balance(world)
    for t in (0.1, 0.7, 1.3, 3.0):
        world.advance_to(t)
        x = rest + (start - rest) * cos(omega * t) + 0.2 / omega * sin(omega * t)
        assert world.body("block").position[0] == pytest.approx(x, abs=4e-9)
        assert world.joints()["position"][0] == pytest.approx(x, abs=4e-9)
        energy = world.energy()
        assert energy["elastic"] == pytest.approx(25.0 * (x - rest) ** 2, abs=1e-7)
        assert balance(world) == pytest.approx(whole, abs=1e-12)
        assert abs(energy["numerics"]) < 1e-7 and energy["damping"] == 0.0


@pytest.mark.parametrize("rows", TWICE)
def test_a_damped_spring_pendulum_follows_its_equation(rows: bool) -> None:
    k, c, rest, start = 3.0, 0.05, 0.2, 0.0 if rows else -0.4
    world = World(pendulum(rows, speed=1.0, start=start, spring={"stiffness": k, "rest": rest}, damping=c))

    def rates(_: float, y: np.ndarray) -> list[float]:
        couple = 9.81 * LENGTH / 2 * cos(y[0]) - k * (y[0] - rest) - c * y[1]
        return [y[1], couple / INERTIA, c * y[1] ** 2]

    times = [0.5, 1.0, 2.0]
    reference = solve_ivp(rates, (0, 2), [start, 1.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-13)
    for t, (angle, rate, lost) in zip(times, reference.y.T, strict=True):
        world.advance_to(t)
        assert world.joints()["position"][0] == pytest.approx(angle, abs=1e-9)
        assert world.joints()["velocity"][0] == pytest.approx(rate, abs=1e-7)
        assert world.energy()["damping"] == pytest.approx(lost, abs=1e-4)  # between a step's ends evenly
    assert world.energy()["damping"] > 0.3


@pytest.mark.parametrize("rows", TWICE)
def test_friction_stops_a_block_where_the_closed_form_says(rows: bool) -> None:
    friction, speed = 3.0, 2.0
    world = World(slider(rows, 0.0, speed, friction=friction))
    slowing = friction / MASS
    world.advance_to(1.0)
    assert world.body("block").position[0] == pytest.approx(speed - slowing / 2, abs=1e-9)
    assert world.energy()["sliding"] == pytest.approx(friction * (speed - slowing / 2), abs=1e-7)
    for t in (speed / slowing + 0.01, 2.0):
        world.advance_to(t)
        assert world.body("block").position[0] == pytest.approx(speed**2 / (2 * slowing), abs=1e-9)
        assert abs(world.body("block").velocity[0]) < 1e-12
        assert world.energy()["sliding"] == pytest.approx(MASS * speed**2 / 2, abs=1e-9)


@pytest.mark.parametrize("rows", TWICE)
def test_friction_holds_what_is_lighter_and_slows_what_is_heavier(rows: bool) -> None:
    weight = 9.81 * MASS
    held = World(slider(rows, axis=(0, 0, 1), friction=1.01 * weight))
    held.advance_to(1.0)
    assert abs(held.body("block").position[2]) < 1e-12
    slips = World(slider(rows, axis=(0, 0, 1), friction=0.75 * weight))
    slips.advance_to(1.0)
    assert slips.body("block").position[2] == pytest.approx(-0.25 * 9.81 / 2, abs=1e-9)


@pytest.mark.parametrize("rows", TWICE)
def test_a_spring_against_friction_comes_to_rest_off_its_slack(rows: bool) -> None:
    """Each half swing ends 2 friction / k nearer, until the spring is too weak: 0.30, -0.22, 0.14, -0.06."""
    k, friction, rest = 100.0, 4.0, -0.3
    world = World(slider(rows, spring={"stiffness": k, "rest": rest}, friction=friction))
    half = np.pi / sqrt(k / MASS)
    for n, x in enumerate((0.3, -0.22, 0.14, -0.06)):
        world.advance_to(n * half)
        assert world.body("block").position[0] == pytest.approx(rest + x, abs=1e-8)
    world.advance_to(5 * half)
    assert world.body("block").position[0] == pytest.approx(rest - 0.02, abs=1e-8)
    world.advance_to(8 * half)
    assert world.body("block").position[0] == pytest.approx(rest - 0.02, abs=1e-8)


def bounced(t: float) -> tuple[float, float]:
    """Angle and speed of what starts at 0 with 3 rad/s between -1 and 0.5, e = 1/2."""
    angle, rate, now = 0.0, 3.0, 0.0
    while True:
        end = 0.5 if rate > 0 else -1.0
        time = (end - angle) / rate
        if now + time > t:
            return angle + rate * (t - now), rate
        angle, rate, now = end, -0.5 * rate, now + time


@pytest.mark.parametrize("rows", TWICE)
def test_a_hinge_bounces_between_its_limits(rows: bool) -> None:
    world = World(pendulum(rows, gravity=0.0, speed=3.0, limits=[-1.0, 0.5], limit_restitution=0.5))
    for t in (0.1, 0.17, 1.0, 1.2, 2.5):
        world.advance_to(t)
        angle, rate = bounced(t)
        assert world.joints()["position"][0] == pytest.approx(angle, abs=1e-9)
        assert world.joints()["velocity"][0] == pytest.approx(rate, abs=1e-9)
        assert world.energy()["impact"] == pytest.approx(INERTIA / 2 * (9.0 - rate**2), abs=1e-9)
        assert balance(world) == pytest.approx(INERTIA / 2 * 9.0, abs=1e-12)


@pytest.mark.parametrize("rows", TWICE)
def test_a_rod_comes_to_rest_on_its_limit_and_leaves_it_when_pulled(rows: bool) -> None:
    world = World(pendulum(rows, limits=[-1.0, 0.5], limit_restitution=0.5))
    highest = []
    for t in np.arange(0.02, 1.5, 0.02):
        world.advance_to(float(t))
        highest.append(world.joints()["position"][0])
    assert max(highest) < 0.5 + 1e-9
    assert world.joints()["position"][0] == pytest.approx(0.5, abs=1e-9)
    assert abs(world.joints()["velocity"][0]) < 1e-12
    assert world.energy()["impact"] == pytest.approx(9.81 * LENGTH / 2 * sin(0.5), abs=1e-9)


def test_a_limit_pushes_and_never_pulls() -> None:
    """The block is pressed down onto its limit by its weight, and lifted off by a growing force at 1 s."""
    scene = slider(False, axis=(0, 0, 1), limits=[0.0, 2.0])
    keys = [{"time": t, "value": [0.0, 0.0, 19.62 * t]} for t in (0.0, 4.0)]
    block = scene.body[0].model_dump(exclude_unset=True) | {"force": {"keys": keys}}
    said = scene.model_dump(exclude_unset=True) | {"body": [block]}
    world = World(Scene.model_validate(said))
    world.advance_to(0.99)
    assert abs(world.joints()["position"][0]) < 1e-9
    world.advance_to(1.5)
    assert world.joints()["position"][0] == pytest.approx(9.81 * 0.5**3 / 6, rel=1e-2)


def test_gas_in_a_sealed_cylinder_is_an_isotherm() -> None:
    strength, start = 5.0, 0.2
    world = World(slider(False, start, -3.0, hard_spring={"strength": strength, "end": 0.0}))
    reference = solve_ivp(
        lambda _, y: [y[1], strength / y[0] / MASS], (0, 1), [start, -3.0], "DOP853", [0.05, 0.2, 1.0],
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    for t, (x, v) in zip(reference.t, reference.y.T, strict=True):
        world.advance_to(float(t))
        assert world.joints()["position"][0] == pytest.approx(x, abs=1e-8)
        assert world.energy()["elastic"] == pytest.approx(-strength * log(x), abs=1e-6)
        assert 0.5 * MASS * v**2 - strength * log(x) == pytest.approx(9.0 - strength * log(start), abs=1e-9)
    closest = start * exp(-9.0 / strength)
    assert 0.0 < closest < world.joints()["position"][0]


def test_a_planar_joint_lets_a_block_slide_down_its_plane_and_turn_in_it() -> None:
    slope = 0.3
    normal = np.array([sin(slope), 0.0, cos(slope)])
    down = np.array([cos(slope), 0.0, -sin(slope)])
    spin = 2.0 * normal
    block = {"name": "block", "shape": {"box": [0.1, 0.2, 0.3]}, "mass": MASS}
    block |= {
        "orientation": {"axis": [0, 1, 0], "degrees": float(np.degrees(slope))},
        "angular_velocity": spin.tolist(),
    }
    said = {"name": "table", "kind": "planar", "bodies": ["block"], "point": [0, 0, 0], "axis": normal.tolist()}
    world = World(linked_scene([block], [said]))
    world.advance_to(1.0)
    assert np.abs(world.body("block").position - 9.81 * sin(slope) / 2 * down).max() < 1e-9
    assert np.abs(world.body("block").angular_velocity - spin).max() < 1e-7
    assert world.joints()["gap"][0] < 1e-10 and world.joints()["tilt"][0] < 1e-10


def test_a_damped_ball_joint_slows_what_spins_on_it() -> None:
    """A sphere on a ball joint at its centre: its spin dies by exp(-c t / I)."""
    ball = {"name": "ball", "shape": {"sphere": {"radius": 0.5}}, "mass": 1.0, "angular_velocity": [3.0, 1.0, -2.0]}
    said = {"name": "socket", "kind": "ball", "bodies": ["ball"], "point": [0, 0, 0], "damping": 0.05}
    world = World(linked_scene([ball], [said]))
    world.advance_to(2.0)
    share = exp(-0.05 * 2.0 / (0.4 * 0.25))
    assert np.abs(world.body("ball").angular_velocity - share * np.array([3.0, 1.0, -2.0])).max() < 1e-7
    assert world.energy()["damping"] == pytest.approx(0.05 * 14.0 * (1.0 - share**2), abs=1e-3)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_limit_in_a_chain_is_hit_with_the_k_of_all_links(e: float) -> None:
    """Two rods in a line, no gravity: the elbow is at its limit and turns into it; both rods share the impulse."""
    rods = [rod("upper", (0, 0, 0), (0.5, 0, 0)), rod("lower", (0.5, 0, 0), (1.0, 0, 0))]
    joints = [
        {"name": "shoulder", "kind": "hinge", "bodies": ["upper"], "point": [0, 0, 0], "axis": [0, 1, 0]},
        {"name": "elbow", "kind": "hinge", "bodies": ["upper", "lower"], "point": [0.5, 0, 0], "axis": [0, 1, 0]},
    ]
    joints[1] |= {"limits": [-2.0, 0.3], "limit_restitution": e, "position": 0.2, "velocity": 2.0}
    scene = linked_scene(rods, joints, gravity=(0, 0, 0))
    world, before = World(scene), World(scene)
    energy, turning = world.energy()["kinetic"], momentum_about_shoulder(world)
    while world.joints()["velocity"][1] > 1.0 and world.time < 1.0:
        world.advance_events(1)
    before.advance_to(world.time - 1e-9)
    assert before.joints()["position"][1] == pytest.approx(0.3, abs=1e-8)
    assert world.joints()["velocity"][1] == pytest.approx(-e * before.joints()["velocity"][1], abs=1e-6)
    assert momentum_about_shoulder(world) == pytest.approx(turning, abs=1e-9)  # an inner couple leaves that alone
    assert world.energy()["kinetic"] + world.energy()["impact"] == pytest.approx(energy, abs=1e-9)
    assert (world.energy()["impact"] < 1e-9) == (e == 1.0)
    world.advance_to(world.time + 0.1)
    assert world.joints()["position"][1] < 0.3 + 1e-9


def momentum_about_shoulder(world: World) -> float:
    """Angular momentum about the y axis through the world's origin [N m s]."""
    return float(world.momentum()[4])


# --- motors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", TWICE)
def test_a_motor_that_acts_always_is_a_spring_and_a_damper(rows: bool) -> None:
    motor = {"position": 0.5, "kp": 80.0, "kv": 6.0}
    world = World(slider(rows, motor=motor))
    reference = solve_ivp(
        lambda _, y: [y[1], (80.0 * (0.5 - y[0]) - 6.0 * y[1]) / MASS], (0, 1), [0.0, 0.0], "DOP853", [0.2, 1.0],
        rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    for t, (x, v) in zip(reference.t, reference.y.T, strict=True):
        world.advance_to(float(t))
        assert world.joints()["position"][0] == pytest.approx(x, abs=1e-9)
        assert world.joints()["effort"][0] == pytest.approx(80.0 * (0.5 - x) - 6.0 * v, abs=1e-6)
    assert balance(world) == pytest.approx(0.0, abs=1e-12)


def test_a_motor_ticks_at_its_own_rate() -> None:
    """A block under a force that holds from tick to tick: an exact recursion."""
    rate, kp, kv, target = 40.0, 60.0, 8.0, 0.3
    world = World(slider(motor={"position": target, "kp": kp, "kv": kv, "rate": rate}))
    x = v = 0.0
    for n in range(1, 61):
        force = kp * (target - x) - kv * v
        x, v = x + v / rate + force / MASS / rate**2 / 2, v + force / MASS / rate
        world.advance_to(n / rate)
        assert world.joints()["position"][0] == pytest.approx(x, abs=1e-9)
        assert world.joints()["velocity"][0] == pytest.approx(v, abs=1e-8)


def test_a_pd_motor_gives_way_to_a_weight_and_a_pid_motor_does_not() -> None:
    """Mirtich 1996, figure 5.14: a static error of m g / kp, which the integral takes away."""
    gains = {"position": 0.0, "kp": 400.0, "kv": 60.0, "rate": 500.0}
    pd = World(slider(axis=(0, 0, 1), motor=gains))
    pid = World(slider(axis=(0, 0, 1), motor=gains | {"ki": 800.0}))
    for world in (pd, pid):
        world.advance_to(6.0)
    assert pd.joints()["position"][0] == pytest.approx(-MASS * 9.81 / 400.0, abs=1e-6)
    assert pid.joints()["position"][0] == pytest.approx(0.0, abs=1e-5)
    assert pid.joints()["effort"][0] == pytest.approx(MASS * 9.81, abs=1e-2)


def test_a_servo_of_velocity_is_as_strong_as_it_may_be() -> None:
    """4 N on 2 kg until 40 N s/m would be less: from 1.9 m/s on the rest dies by exp(-20 t)."""
    world = World(slider(motor={"velocity": 2.0, "kv": 40.0, "limit": 4.0}))
    for t in (0.5, 0.9):
        world.advance_to(t)
        assert world.body("block").velocity[0] == pytest.approx(2.0 * t, abs=1e-6)
    world.advance_to(1.05)
    assert world.body("block").velocity[0] == pytest.approx(2.0 - 0.1 * exp(-20.0 * 0.1), abs=1e-6)


def test_a_motor_stalls_at_a_limit() -> None:
    world = World(slider(motor={"velocity": 1.0, "kv": 10.0, "limit": 5.0}, limits=[-1.0, 0.2]))
    world.advance_to(2.0)
    assert world.joints()["position"][0] == pytest.approx(0.2, abs=1e-9)
    assert abs(world.joints()["effort"][0]) < 1e-9  # 5 N of the motor, and as much of the limit


@pytest.mark.parametrize("gravity", [0.0, -9.81])
def test_what_has_been_damped_to_rest_costs_no_more_steps(gravity: float) -> None:
    world = World(pendulum(gravity=gravity, speed=1.0, damping=1.0, spring={"stiffness": 20.0}))
    world.advance_to(15.0)
    steps = world.counters["group_steps"]
    world.advance_to(20.0)
    assert world.counters["group_steps"] - steps < 300
