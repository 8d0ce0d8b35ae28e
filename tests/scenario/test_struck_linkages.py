"""A linkage answers a hit with all that joints tie: by its own K, to every link, in one piece (Mirtich 1996, 5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import World
from engine.impulse.integration import integrate_collision
from engine.model import model as m
from engine.recording.events import EVENT_KINDS
from engine.scene.schema import Scene
from tests.linkages import Exact, joint, rod
from tests.momentum import is_within_a_step
from tests.scenes import Vector, ball, body, floats

Floats = NDArray[np.float64]
Y = (0.0, 1.0, 0.0)
NOTHING = (0.0, 0.0, 0.0)


def hit(world: World) -> np.void:
    """Let the first hit happen."""
    while True:
        world.advance_events(1)
        for event in world.events():
            if EVENT_KINDS[event["kind"]] in ("collision", "microcollision"):
                return event


def after_hit(said: Scene, restitution: float, friction: float = 0.0) -> tuple[World, np.void, Floats]:
    """The world just after its first hit, that hit, and all twists as they should be."""
    world = World(said)
    exact = Exact(world, said)
    event = hit(world)
    names = [world.names[event["body_a"]], world.names[event["body_b"]]]
    n = np.asarray(event["normal"])
    exact.x = exact.x + exact.twists[:, :3] * world.time  # until then all goes straight
    rows = exact.point_rows(names[0], event["point"]) - exact.point_rows(names[1], event["point"])
    frame = np.linalg.svd(n[None])[2]
    frame = np.vstack([frame[1], np.cross(n, frame[1]), n])
    rows = frame @ rows
    answers = exact.responses(rows)
    k = rows @ answers
    six = (k[0, 0], k[1, 1], k[2, 2], k[1, 2], k[0, 2], k[0, 1])
    u = tuple(rows @ exact.twists.ravel())
    p, *_ = integrate_collision(six, u, friction, friction, restitution)
    if friction == 0.0:
        p = (0.0, 0.0, -(1.0 + restitution) * u[2] / k[2, 2])  # Newton's law
    return world, event, (exact.twists.ravel() + answers @ np.array(p)).reshape(-1, 6)


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


# --- scenes ----------------------------------------------------------------------------------------------------------


def linked(
    bodies: Sequence[dict[str, Any]],
    joints: Sequence[dict[str, Any]],
    restitution: float,
    friction: float = 0.0,
    gravity: Vector = NOTHING,
    **world: Any,
) -> Scene:
    return Scene.model_validate(
        {
            "format": 1,
            "world": {"gravity": floats(gravity), **world},
            "material": {"m": {"friction": friction, "restitution": restitution}},
            "body": list(bodies),
            "joint": list(joints),
        }
    )


def thrown(at: Vector, velocity: Vector = (2.0, 0.0, 0.0), mass: float = 0.5) -> dict[str, Any]:
    """A ball that comes from 0.1 m away."""
    away = np.asarray(at) - 0.1 * np.asarray(velocity) / np.linalg.norm(velocity)
    return ball("ball", floats(away), velocity, radius=0.05, mass=mass)


def plate(name: str, top: float, bottom: float, mass: float = 1.0) -> dict[str, Any]:
    size = [0.02, 0.4, top - bottom]
    return body(name, {"box": size}, (0.0, 0.0, 0.5 * (top + bottom)), mass=mass)


def pendulum(
    kind: str,
    links: int,
    height: float,
    side: float,
    restitution: float,
    velocity: Vector = (2.0, 0.0, 0.0),
    friction: float = 0.0,
) -> Scene:
    """Plates that hang from each other and the world, hit at a height below the upper pivot, and beside the middle."""
    bodies = [plate(f"link {k}", -1.0 * k, -1.0 * (k + 1), 1.0 + k) for k in range(links)]
    axis = Y if kind == "hinge" else None
    joints = [
        joint(f"joint {k}", kind, [f"link {k - 1}", f"link {k}"] if k else ["link 0"], (0.0, 0.0, -1.0 * k), axis)
        for k in range(links)
    ]
    return linked([*bodies, thrown((-0.061, side, -height), velocity)], joints, restitution, friction)


# --- tests -----------------------------------------------------------------------------------------------------------


def test_a_ball_on_a_hinged_rod_leaves_as_the_whole_rod_says() -> None:
    """0.5 kg at 2 m/s on 1 kg and 1 m, 0.3 m below the hinge: the rod feels like 1/3 / 0.09 kg there."""
    rods = [rod("rod", (0, 0, 0), (0, 0, -1), 1.0, material="m"), thrown((-0.061, 0.0, -0.3))]
    said = linked(rods, [joint("pivot", "hinge", ["rod"], (0, 0, 0), Y)], 1.0)
    world = World(said)
    hit(world)
    moment = world.model.bodies[0, m.MOMENTS : m.MOMENTS + 3].max() + 0.25
    felt = moment / 0.3**2
    assert world.twists()[1, 0] == pytest.approx(2.0 * (0.5 - felt) / (0.5 + felt), abs=1e-9)
    assert world.twists()[1, 0] == pytest.approx(-1.524, abs=5e-4)
    assert world.energy()["total"] == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("kind", ["hinge", "ball"])
@pytest.mark.parametrize(
    ("links", "height", "side"), [(1, 0.3, 0.0), (1, 0.9, 0.12), (2, 0.6, 0.1), (2, 1.2, 0.0), (2, 1.7, -0.15)]
)
def test_all_links_move_as_the_exact_impulse_says(
    kind: str, links: int, height: float, side: float, restitution: float
) -> None:
    world, _, expected = after_hit(pendulum(kind, links, height, side, restitution), restitution)
    assert world.twists() == pytest.approx(expected, abs=1e-9)
    if restitution == 1.0:
        assert world.energy()["total"] == pytest.approx(1.0, rel=1e-12)
    world.advance(0.0)  # its group makes a step now
    assert balance(world) == pytest.approx(1.0, rel=1e-12)
    assert abs(world.energy()["numerics"]) < 1e-12
    world.advance(0.01)
    assert balance(world) == pytest.approx(1.0, rel=1e-9)
    assert world.counters["collisions"] <= 2


@pytest.mark.parametrize("kind", ["hinge", "ball", "weld"])
def test_friction_sees_the_whole_linkage_too(kind: str) -> None:
    rng = np.random.default_rng(5)
    for _ in range(4):
        friction, restitution = rng.uniform(0.1, 1.0), rng.uniform(0.0, 1.0)
        height, side = rng.uniform(1.1, 1.9), rng.uniform(-0.15, 0.15)
        velocity = (2.0, *rng.normal(size=2))
        said = pendulum(kind, 2, height, side, restitution, velocity=velocity, friction=friction)
        world, event, expected = after_hit(said, restitution, friction)
        assert np.linalg.norm(event["impulse"]) > 0.1
        assert world.twists() == pytest.approx(expected, abs=1e-7)  # so well is a turning slip followed
        world.advance(0.0)
        assert balance(world) == pytest.approx(0.25 * np.dot(velocity, velocity), rel=1e-12)


def falling_rod(restitution: float, **more: Any) -> Scene:
    """A rod on a hinge that falls from the horizontal on a fixed peg."""
    bodies = [
        rod("rod", (0, 0, 0), (1, 0, 0), material="m"),
        ball("peg", (0.6, 0.0, -0.4), radius=0.05, motion="fixed"),
    ]
    return linked(bodies, [joint("pivot", "hinge", ["rod"], (0, 0, 0), Y)], restitution, gravity=(0, 0, -9.81), **more)


@pytest.mark.parametrize("contact", ["impulse", "hybrid"])
def test_an_elastic_rod_bounces_on_a_peg_for_ever(contact: str) -> None:
    world = World(falling_rod(1.0, contact=contact))
    for _ in range(40):
        world.advance(0.1)
        assert abs(world.energy()["total"]) < 1e-6  # a hit begins with velocities between the ends of a step
    assert 8 <= world.counters["collisions"] <= 10
    assert abs(balance(world)) < 1e-12


def test_an_inelastic_rod_comes_to_rest_on_it_in_few_hits() -> None:
    world = World(falling_rod(0.5))
    world.advance_to(3.0)
    assert world.counters["collisions"] < 10
    assert np.abs(world.twists()).max() < 1e-6
    assert abs(balance(world)) < 1e-12
    assert world.smallest_gap > 5e-5


def test_a_ball_leaves_a_pendulum_that_is_half_elastic_for_good() -> None:
    world = World(pendulum("hinge", 1, 0.3, 0.0, 0.5))
    world.advance_to(1.0)
    assert world.counters["collisions"] == 1


def test_two_arms_of_one_linkage_clap() -> None:
    """Both points of the contact are on one linkage: its K is no sum of two."""
    arms = [rod("left", (0, 0, 0), (-0.5, 0, 1), 1.0, 0.1), rod("right", (0, 0, 0), (0.5, 0, 1), 2.0, 0.1)]
    arms = [arm | {"material": "m", "angular_velocity": [0.0, w, 0.0]} for arm, w in zip(arms, (1.0, -2.0))]
    for arm in arms:
        arm["velocity"] = floats(np.cross(arm["angular_velocity"], arm["position"]))
    base = body("base", {"box": [0.3, 0.3, 0.3]}, (0.0, 0.0, -0.2), mass=3.0)
    joints = [joint(name, "hinge", [name, "base"], (0, 0, 0), Y) for name in ("left", "right")]
    world = World(linked([*arms, base], joints, 1.0))
    energy, momentum = world.energy()["total"], world.momentum()
    event = hit(world)
    assert {world.names[event["body_a"]], world.names[event["body_b"]]} == {"left", "right"}
    world.advance(0.0)
    assert world.energy()["total"] == pytest.approx(energy, rel=1e-9)
    assert world.momentum() == pytest.approx(momentum, abs=1e-9)
    spins = world.twists()[:2, 4]
    assert spins[1] - spins[0] == pytest.approx(3.0, abs=1e-2)  # they part as they came


@pytest.mark.parametrize("law", ["sequential", "simultaneous", "wave"])
@pytest.mark.parametrize("came", [1, 2])
def test_a_cradle_of_pendulums(came: int, law: str) -> None:
    """As many leave as came, one after the other; by every law energy is kept as the law has it, and no more."""
    balls, joints = [], []
    for k in range(4):
        x = k * 0.20002 + (0.05 if k >= came else 0.0)
        balls.append(ball(f"ball{k}", (x, 0.0, 0.0), velocity=(1.0 if k < came else 0.0, 0.0, 0.0), mass=1.0))
        balls.append(body(f"bob{k}", {"box": [0.02, 0.02, 0.02]}, (x, 0.0, 0.3), mass=0.5))
        joints += [joint(f"rod{k}", "weld", [f"ball{k}", f"bob{k}"], (x, 0.0, 0.2))]
        balls[-1]["velocity"] = list(balls[-2]["velocity"])
        joints += [joint(f"rail{k}", "slider", [f"bob{k}"], (x, 0.0, 0.3), (1.0, 0.0, 0.0))]
    world = World(linked(balls, joints, 1.0, impacts=law))
    energy = world.energy()["total"]
    world.advance_to(0.3)
    speeds = world.twists()[::2, 0]
    assert speeds == pytest.approx(world.twists()[1::2, 0], abs=1e-9)
    assert speeds.sum() == pytest.approx(came, abs=1e-9)
    assert balance(world) == pytest.approx(energy, rel=1e-9)
    assert world.energy()["total"] <= energy * (1.0 + 1e-9)
    if law == "sequential":
        assert speeds == pytest.approx([0.0] * (4 - came) + [1.0] * came, abs=1e-9)


KINDS = ("ball", "hinge", "slider", "weld")


def heap(rng: np.random.Generator, hangs: bool, **world: Any) -> Scene:
    """Two to four boxes tied at random, and balls from both sides, perhaps a wall."""
    links = int(rng.integers(2, 5))
    bodies = [
        body(f"link {k}", {"box": [0.1, 0.3, 0.5]}, (0.0, 0.0, -0.6 * k), mass=10.0 ** rng.uniform(-1.0, 1.0))
        for k in range(links)
    ]
    joints = []
    for k in range(0 if hangs else 1, links):
        kind = KINDS[int(rng.integers(4))]
        axis = rng.normal(size=3) if kind in ("hinge", "slider") else None
        between = [f"link {k - 1}", f"link {k}"] if k else ["link 0"]
        joints.append(joint(f"joint {k}", kind, between, (0.0, 0.0, 0.3 - 0.6 * k), axis))
    for k in range(int(rng.integers(1, 4))):
        side = (-1.0) ** k
        at = (side * (0.5 + 0.3 * k), rng.uniform(-0.12, 0.12), rng.uniform(0.4 - 0.6 * links, 0.2))
        velocity = (-side * rng.uniform(1.0, 4.0), *(0.3 * rng.normal(size=2)))
        bodies.append(ball(f"ball {k}", at, velocity, radius=0.05, mass=10.0 ** rng.uniform(-1.0, 1.0)))
    if rng.random() < 0.5:
        bodies.append(body("wall", {"box": [0.1, 1.0, 4.0]}, (0.12, 0.0, -1.0), motion="fixed"))
    return linked(bodies, joints, float(rng.choice([0.0, 0.3, 1.0])), float(rng.choice([0.0, 0.3, 1.0])), **world)


@pytest.mark.parametrize("law", ["sequential", "simultaneous", "wave"])
def test_no_hit_of_a_linkage_creates_energy_or_momentum(law: str) -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for trial in range(60):
        hangs = trial % 2 == 0
        said = heap(rng, hangs, impacts=law, contact="impulse" if trial % 4 < 2 else "hybrid")
        world = World(said)
        world.advance_to(1e-9)
        energy, momentum = world.energy()["total"], world.momentum()
        for _ in range(400):
            world.advance_events(1)
            if world.counters["collisions"] > 20:
                break
        world.advance(0.0)
        hits += world.counters["collisions"]
        # A hit begins with velocities between the ends of a step, which are exact to 1e-8.
        assert world.energy()["total"] <= energy * (1.0 + 1e-7)
        assert balance(world) == pytest.approx(energy, rel=1e-9)
        assert world.energy()["impact"] >= -1e-9 * energy
        assert world.smallest_gap > 0.0
        assert world.counters["faults"] == 0
        if not hangs and said.body[-1].name != "wall":
            while is_within_a_step(world):
                world.advance_to(world.next_event_time)
            assert world.momentum() == pytest.approx(momentum, abs=1e-11)
    assert hits > 150


def test_the_balance_is_closed_between_a_hit_and_the_step_after_it() -> None:
    """At the instant of the hit nothing of the step that it ended is outstanding any more."""
    rods = [rod("upper", (0.0, 0.0, 0.0), (0.0, 0.0, -0.5)), rod("lower", (0.0, 0.0, -0.5), (0.0, 0.0, -1.0))]
    joints = [
        joint("pivot", "hinge", ["upper"], (0.0, 0.0, 0.0), Y),
        joint("elbow", "hinge", ["upper", "lower"], (0.0, 0.0, -0.5), Y),
    ]
    thrown = ball("ball", (0.15, 0.0, -0.6), (-4.0, 0.0, 0.0), radius=0.05)
    world = World(linked([*rods, thrown], joints, 0.3, gravity=(0.0, 0.0, -9.81)))
    begun = balance(world)
    while world.counters["collisions"] < 1:
        world.advance_events(1)
        assert balance(world) == pytest.approx(begun, abs=1e-7)
    assert abs(world.energy()["numerics"]) < 1e-7
    assert world.energy()["impact"] > 0.1


def test_what_drives_a_linkage_works() -> None:
    """A rod on a rim that turns as it likes: what a hit takes from the rim's motion, or gives to it, is work."""
    rim = body("rim", {"box": [0.2, 0.2, 0.2]}, motion={"spinner": {"axis": [0.0, 1.0, 0.0], "rate": 3.0}})
    lever = rod("lever", (0, 0, 0.5), (0, 0, 1.5), 1.0, material="m", angular_velocity=[0.0, 3.0, 0.0])
    lever["velocity"] = floats(np.cross(lever["angular_velocity"], lever["position"]))
    joints = [joint("pin", "hinge", ["rim", "lever"], (0, 0, 0.5), Y)]
    struck = ball("ball", (1.0, 0.0, 0.8), (-2.0, 0.0, 0.0), radius=0.05, mass=0.5)
    world = World(linked([rim, lever, struck], joints, 0.5))
    world.advance_to(1e-3)
    begin, numerics = balance(world), world.energy()["numerics"]
    hit(world)
    world.advance(0.0)
    assert balance(world) == pytest.approx(begin, rel=1e-9)
    assert world.energy()["numerics"] == pytest.approx(numerics, abs=1e-7)


def test_resistance_brakes_the_whole_linkage() -> None:
    """A ball that hits a plate spinning: the couple that its soft patch takes is borne by all that the plate is."""
    said = pendulum("ball", 2, 1.5, 0.1, 0.5, friction=0.3)
    document = said.model_dump(mode="json", exclude_none=True)
    document["material"]["m"] |= {"rolling_resistance": 0.01, "spinning_resistance": 0.01}
    document["body"][2]["angular_velocity"] = [30.0, 20.0, -10.0]
    world = World(Scene.model_validate(document))
    energy = world.energy()["total"]
    hit(world)
    world.advance(0.0)
    taken = world.energy()
    assert taken["resistance"] > 1e-4
    assert balance(world) == pytest.approx(energy, rel=1e-12)
    assert abs(taken["numerics"]) < 1e-12


def planar_impulse(k: Floats, u: Floats, mu: float, restitution: float) -> Floats:
    """The impulse (tangential, normal) of a collision in a plane, stretch by stretch, each of constant direction."""
    p, u = np.zeros(2), np.array(u, dtype=float)
    work, least, slips = 0.0, 0.0, u[0] != 0.0
    while True:
        way = np.array([-mu * np.sign(u[0]), 1.0])
        if not slips:
            grips = -k[0, 1] / k[0, 0]
            way[0] = grips if abs(grips) <= mu else -mu * np.sign(k[0, 1])
        du = k @ way
        ends = []
        if slips and du[0] * u[0] < 0.0:
            ends.append((-u[0] / du[0], "stops"))
        if u[1] < 0.0 and du[1] > 0.0:
            ends.append((-u[1] / du[1], "turns"))
        if u[1] >= 0.0:
            missing = (1.0 - restitution**2) * least - work
            ends.append(((np.sqrt(u[1] ** 2 + 2.0 * du[1] * missing) - u[1]) / du[1], "parts"))
        length, what = min(ends)
        p, work, u = p + length * way, work + length * (u[1] + 0.5 * length * du[1]), u + length * du
        if what == "parts":
            return p
        if what == "turns":
            u[1], least = 0.0, work
        else:
            u[0], slips = 0.0, False


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3, 1.5])
@pytest.mark.parametrize("degrees", [0.0, 37.0])
def test_two_links_in_a_plane_collide_as_in_the_plane(friction: float, degrees: float) -> None:
    """Figure 5.12: no impulse moves the tip out of the plane; K is singular, and the impulse that of two dimensions."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    along, axis = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    rng = np.random.default_rng(8)
    for _ in range(6):
        elbow = 0.6 * along + 0.3 * up
        tip = elbow + 0.5 * along * rng.uniform(-1.0, 1.0) - 0.5 * up
        spins = rng.uniform(0.0, 3.0), rng.uniform(0.5, 3.0) * rng.choice([-1.0, 1.0])
        lower = {"sphere": {"radius": 0.05}}
        bodies = [
            body("upper", {"box": [0.1, 0.1, 0.1]}, 0.5 * elbow, mass=1.0),
            body("lower", lower, tip, mass=0.7),
            body("plate", {"box": [4.0, 4.0, 0.1]}, (0.0, 0.0, tip[2] - 0.10002), motion="fixed"),
        ]
        bodies[0]["angular_velocity"] = floats(spins[0] * axis)
        bodies[0]["velocity"] = floats(np.cross(spins[0] * axis, 0.5 * elbow))
        bodies[1]["angular_velocity"] = floats(spins[1] * axis)
        fall = np.cross(spins[0] * axis, elbow) + np.cross(spins[1] * axis, tip - elbow)
        bodies[1]["velocity"] = floats(fall)
        if fall[2] > -0.1:
            continue
        joints = [
            joint("shoulder", "hinge", ["upper"], (0, 0, 0), axis),
            joint("elbow", "hinge", ["upper", "lower"], elbow, axis),
        ]
        said = linked(bodies, joints, 0.5, friction)
        world = World(said)
        exact = Exact(world, said)
        event = hit(world)
        assert world.time == 0.0
        rows = np.array([along, up]) @ exact.point_rows("lower", event["point"])
        sign = 1.0 if world.names[event["body_a"]] == "lower" else -1.0
        k = rows @ exact.responses(rows)
        expected = planar_impulse(k, rows @ exact.twists.ravel(), friction, 0.5)
        p = sign * np.asarray(event["impulse"])
        assert np.array([p @ along, p @ up]) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert abs(p @ axis) < 1e-12


@pytest.mark.parametrize("how", ["pull", "torque"])
def test_a_kick_of_a_link_moves_its_linkage_and_its_work_is_booked(how: str) -> None:
    bodies = [rod("one", (0, 0, 0), (0, 0, -1)), rod("two", (0, 0, -1), (0, 0, -2))]
    if how == "torque":
        bodies[1]["torque"] = [0.3, 1.0, 0.0]
    joints = [
        joint("shoulder", "hinge", ["one"], (0, 0, 0), Y),
        joint("elbow", "hinge", ["one", "two"], (0, 0, -1), Y),
    ]
    world = World(linked(bodies, joints, 0.5, gravity=(0.0, 0.0, -9.81)))
    begin = balance(world)
    if how == "pull":
        world.pull("two", (0.0, 0.0, 0.0), (1.0, 0.3, 0.5))
    world.advance_to(0.2)
    assert world.energy()["work"] > 0.02
    assert balance(world) == pytest.approx(begin, rel=1e-9)
    assert abs(world.energy()["numerics"]) < 1e-6 * world.energy()["work"]
