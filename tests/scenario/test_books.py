"""The books: what forces take where they act is what bodies lose; what nothing fixed touches keeps its momentum.

The balance, kinetic + potential + elastic + dissipated - work, is no identity: a force that is booked wrong opens it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.events import EVENT_KINDS
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from engine.tolerances import GROUP_STEP
from tests.momentum import is_within_a_step
from tests.scenes import ball, body, floor, scene

SCENES = sorted(path.stem for path in (Path(__file__).parents[2] / "scenes").glob("*.toml"))
LARGE = {"brick_wall", "coin_shower", "convex_pile", "domino_spiral", "sphere_pile", "vibrating_feeder"}
HITS_LATE = {"bowling", "collapsing_structure"}


def balance(world: World) -> float:
    energy = world.energy()
    return energy["total"] + energy["dissipated"] - energy["work"]


def opens_by(name: str, mode: str, until: float) -> float:
    """By how much the balance of a gallery scene opens, as a part of its energy and of what its bodies exchange."""
    world = World(set_path(load_scene(name), "world.contact", mode))
    begin, start = balance(world), world.energy()
    worst, exchanged = 0.0, abs(start["total"])
    for k in range(1, 11):
        world.advance_to(until * k / 10)
        now = world.energy()
        exchanged = max(exchanged, now["kinetic"], abs(now["potential"] - start["potential"]), abs(now["work"]))
        worst = max(worst, abs(balance(world) - begin))
    return worst / exchanged


@pytest.mark.parametrize("mode", ["impulse", "constraint", "hybrid"])
@pytest.mark.parametrize("name", [name for name in SCENES if name not in LARGE])
def test_the_balance_closes(name: str, mode: str) -> None:
    assert opens_by(name, mode, 0.5) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["impulse", "constraint", "hybrid"])
@pytest.mark.parametrize("name", sorted(LARGE))
def test_the_balance_of_a_crowd_closes(name: str, mode: str) -> None:
    assert opens_by(name, mode, 0.2) < 1e-9


@pytest.mark.parametrize("name", [name for name in SCENES if name not in LARGE])
def test_what_numerics_take_is_little(name: str) -> None:
    """Beside what is dissipated, or where next to nothing is, beside the scene's energy: at any time.

    Where steps end, so is what their arcs are beside it.
    """
    world = World(load_scene(name))
    whole = abs(world.energy()["total"])
    world.advance_to(3.0 if name in HITS_LATE else 1.5)
    beside = []
    for _ in range(20):
        energy = world.energy()
        most = 1e-3 * energy["dissipated"] + 1e-9 * whole
        assert abs(energy["numerics"]) < most
        beside.append(abs(energy["numerics"] + energy["interpolation"]) / most)
        world.advance_events(1, until=world.time + GROUP_STEP)
    assert min(beside) < 1.0


def taken_by_forces(energy: dict[str, float]) -> float:
    return sum(abs(energy[cause]) for cause in ("sliding", "impact", "resistance", "damping"))


@pytest.mark.parametrize("restitution", [0.2, 0.6, 1.0])
def test_springs_give_back_what_they_took_or_dashpots_have_it(restitution: float) -> None:
    """A ball that bounces on a plane, and one that slides into another, askew."""
    falls = World(scene(floor(), ball("ball", (0, 0, 0.5)), restitution=restitution, contact="penalty"))
    pair = [ball("left", (-0.3, 0, 0.1001), (2.0, 0.0, 0.0)), ball("right", (0.3, 0.06, 0.1001))]
    slides = World(scene(floor(), *pair, friction=0.3, restitution=restitution, contact="penalty"))
    for world in (falls, slides):
        whole = world.energy()["total"]
        for t in (0.31, 0.5, 1.0):
            world.advance_to(t)
            energy = world.energy()
            assert abs(energy["numerics"]) < 1e-4 * taken_by_forces(energy) + 1e-6 * whole


def check_springs(name: str, until: float, since: float) -> None:
    """Of a gallery scene under penalty contact, at ten times: the balance closes, and from `since` on numerics take
    little beside what is dissipated."""
    world = World(set_path(load_scene(name), "world.contact", "penalty"))
    begin, whole = balance(world), abs(world.energy()["total"])
    for k in range(1, 11):
        world.advance_to(until * k / 10)
        energy = world.energy()
        exchanged = max(whole, energy["kinetic"], abs(energy["work"]))
        assert abs(balance(world) - begin) < 1e-9 * exchanged
        if world.time >= since:
            assert abs(energy["numerics"]) < 1e-3 * taken_by_forces(energy) + 1e-9 * whole


HOLD_NO_JOINTS = [name for name in SCENES if not load_scene(name).joint]


@pytest.mark.parametrize("name", [name for name in HOLD_NO_JOINTS if name not in LARGE])
def test_the_balance_closes_with_springs_and_numerics_take_little(name: str) -> None:
    check_springs(name, 0.5, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "until"),
    [("brick_wall", 0.1), ("coin_shower", 0.3), ("convex_pile", 0.12), ("domino_spiral", 0.1), ("sphere_pile", 0.08),
     ("vibrating_feeder", 0.2)],
)  # fmt: skip
def test_the_balance_of_a_crowd_closes_with_springs(name: str, until: float) -> None:
    """Of its first hits one, from a corner to an edge, may leave more: when there have been some, they do not."""
    check_springs(name, until, until)


def test_steps_that_hits_cut_short_have_put_in_what_motors_did_by_then() -> None:
    """Wheels that roll by hits cut the steps of a bicycle whose motors pedal and steer, some thousand times."""
    world = World(set_path(load_scene("bicycle"), "world.contact", "impulse"))
    whole = abs(world.energy()["total"])
    world.advance_to(1.0)
    energy = world.energy()
    assert world.counters["microcollisions"] > 1000
    assert abs(energy["numerics"]) < 1e-8 * whole


def test_causes_of_a_slide() -> None:
    """A box that slides to rest loses its kinetic energy to friction, all of it."""
    box = body("box", {"box": [0.2, 0.2, 0.2]}, (0, 0, 0.1001), velocity=[1.0, 0.0, 0.0])
    world = World(scene(floor(), box, friction=0.3, contact="constraint"))
    lost = world.energy()["kinetic"]
    world.advance_to(1.0)
    energy = world.energy()
    assert energy["sliding"] == pytest.approx(lost, rel=1e-6)
    assert abs(energy["impact"]) + abs(energy["numerics"]) < 1e-6 * lost


def tumbling(mode: str, gravity: tuple[float, float, float]) -> World:
    """Three boxes and a ball that hang together, spin and drift, in free fall or without weight."""
    things: list[dict[str, Any]] = [
        body(f"b{k}", {"box": [0.3, 0.2, 0.1]}, (0.03 * k, 0.0, 0.1002 * k), velocity=[0.3, -0.2, 0.1])
        for k in range(3)
    ]
    for k, thing in enumerate(things):
        thing["angular_velocity"] = [0.0, 0.0, 0.5 + 0.1 * k]
    things.append(ball("ball", (0.0, 0.02, 0.3508), (0.3, -0.2, 0.1 - 0.2)))
    return World(scene(*things, friction=0.4, restitution=0.3, gravity=gravity, contact=mode, sleep=False))


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.0, 0.0, -9.81)])
@pytest.mark.parametrize("mode", ["impulse", "constraint", "hybrid", "penalty"])
def test_a_free_cluster_keeps_its_momentum(mode: str, gravity: tuple[float, float, float]) -> None:
    world = tumbling(mode, gravity)
    start = world.momentum()
    mass = float(world.model.bodies[: len(world.names), 0].sum())
    about = np.zeros(3)
    for i in range(len(world.names)):
        about += world.model.bodies[i, 0] * np.array(world.body(i).position)
    about /= mass
    for k in range(1, 11):
        world.advance_to(0.05 * k)
        while is_within_a_step(world):
            world.advance_to(world.next_event_time)
        t = world.time
        linear = start[:3] + mass * t * np.array(gravity)
        # The weight acts at the common centre, which falls freely.
        centre = about + t * start[:3] / mass + 0.5 * t * t * np.array(gravity)
        angular = start[3:] - np.cross(about, start[:3]) + np.cross(centre, linear)
        scale = np.linalg.norm(start) + mass * t * np.linalg.norm(gravity)
        assert np.abs(world.momentum()[:3] - linear).max() < 1e-12 * scale
        assert np.abs(world.momentum()[3:] - angular).max() < 1e-12 * scale


def hits_that_keep_momentum(world: World, until: float, gravity: tuple[float, float, float], heaviest: int) -> int:
    """Run a world of free bodies, and hold its momentum against the closed form where no step is under way.

    heaviest: the body by whose momentum at 3 m/s rounding is judged. How many collisions there were.
    """
    mass = world.model.bodies[: len(world.names), 0]
    start, whole = world.momentum(), mass.sum()
    about = sum(mass[i] * np.array(world.body(i).position) for i in range(len(mass))) / whole
    hits = 0
    for k in range(1, round(10 * until) + 1):
        world.advance_to(0.1 * k)
        while is_within_a_step(world):
            world.advance_to(world.next_event_time)
        hits += int((world.events()["kind"] == 0).sum())
        t = world.time
        linear = start[:3] + whole * t * np.array(gravity)
        centre = about + t * start[:3] / whole + 0.5 * t * t * np.array(gravity)
        angular = start[3:] - np.cross(about, start[:3]) + np.cross(centre, linear)
        scale = mass[heaviest] * 3.0 + whole * t * np.linalg.norm(gravity)
        assert np.abs(world.momentum()[:3] - linear).max() < 1e-12 * scale
        assert np.abs(world.momentum()[3:] - angular).max() < 1e-12 * scale
    return hits


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.0, 0.0, -9.81)])
@pytest.mark.parametrize("mode", ["impulse", "constraint", "hybrid"])
def test_a_free_cluster_that_is_hit_within_a_step_keeps_its_momentum(
    mode: str, gravity: tuple[float, float, float]
) -> None:
    """A ball flies into boxes that turn while they hang together, and another later: both cut a step short."""
    boxes: list[dict[str, Any]] = [
        body(f"b{k}", {"box": [0.3, 0.2, 0.1]}, (0.0, 0.0, 0.1002 * k), angular_velocity=[1.5, 0.7, 2.0])
        for k in range(3)
    ]
    for k, box in enumerate(boxes):  # as one rigid body about the middle one
        box["velocity"] = np.cross(box["angular_velocity"], [0.0, 0.0, 0.1002 * (k - 1)]).tolist()
    balls = [ball("left", (-0.8, 0.03, 0.12), (3.0, 0.0, 0.0)), ball("right", (1.2, -0.05, 0.05), (-3.0, 0.0, 0.0))]
    world = World(scene(*boxes, *balls, friction=0.4, restitution=0.3, gravity=gravity, contact=mode, sleep=False))
    assert hits_that_keep_momentum(world, 0.5, gravity, heaviest=0) >= 2


@pytest.mark.parametrize(
    ("name", "since"),
    [("pool_break", 0.3), ("block_on_ramp", 0.5), ("dominos", 0.4), ("coins", 0.6), ("brick_wall", 0.1)],
)
def test_forces_and_impulses_account_for_every_change_of_momentum(name: str, since: float) -> None:
    """Over 50 ms, of every free body: gravity, what hits and arrests give, and the forces between them."""
    world = World(load_scene(name))
    world.advance_to(since)
    world.events()
    free = np.flatnonzero(world.model.tags[:, 0] == 0)
    mass = world.model.bodies[free, 0]
    before = mass[:, None] * world.twists()[free, :3]
    given = np.zeros((len(world.names), 3))
    while world.time < since + 0.05:
        begun, slept, contacts = world.time, world.asleep(), world.contacts()
        held = contacts[contacts["paradigm"] == "constraint"]
        world.advance_to(min(max(world.next_event_time, np.nextafter(begun, 1.0)), since + 0.05))
        events = world.events()
        hits = events[events["kind"] <= 2]
        moves = ~(slept & world.asleep())  # what sleeps on bears what comes down on it
        for side, sign in (("body_a", 1.0), ("body_b", -1.0)):
            np.add.at(given, held[side], sign * (world.time - begun) * held["force"])
            np.add.at(given, hits[side], sign * hits["impulse"] * moves[hits[side], None])
        stopped = events[events["kind"] == EVENT_KINDS.index("sleep")]
        np.add.at(given, stopped["body_a"], stopped["impulse"])
    weight = mass[:, None] * np.array(world.scene.world.gravity) * 0.05
    change = mass[:, None] * world.twists()[free, :3] - before
    lacks = np.abs(change - weight - given[free]).max(axis=1) / np.abs(weight).max()
    assert lacks.max() < 1e-6


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize("mode", ["impulse", "constraint", "hybrid"])
def test_a_start_whose_velocities_contradict_its_joints_is_booked(mode: str, anchored: bool) -> None:
    """Two bodies that fly apart, hinged to each other, come onto their joint at once: that takes most of it."""
    pair = [
        body("left", {"box": [0.4, 0.1, 0.1]}, (-0.25, 0, 1), mass=1.0, velocity=[-2.0, 0.0, 1.0]),
        body("right", {"box": [0.4, 0.1, 0.1]}, (0.25, 0, 1), mass=3.0, velocity=[2.0, 0.5, 0.0]),
    ]
    joints = [{"name": "hinge", "kind": "hinge", "bodies": ["left", "right"], "point": [0, 0, 1], "axis": [0, 1, 0]}]
    if anchored:
        pair.append(body("post", {"box": [0.1, 0.1, 0.1]}, (-0.6, 0, 1), motion="fixed"))
        joints.append({"name": "ball", "kind": "ball", "bodies": ["post", "left"], "point": [-0.5, 0, 1]})
    plain = scene(floor(), *pair, contact=mode).model_dump(mode="json", exclude_unset=True)
    world = World(Scene.model_validate(plain | {"joint": joints}))
    begin, had = balance(world), world.energy()["kinetic"]
    for t in (0.0, 0.3, 1.0):
        world.advance_to(t)
        assert balance(world) == pytest.approx(begin, abs=1e-10 * had)
    assert world.energy()["impact"] > 0.3 * had


def jointed(mode: str, gravity: tuple[float, float, float]) -> World:
    """Two rods on a ball joint and a box, that fly, turning, into each other and into a heavier ball."""
    size = {"box": [0.4, 0.1, 0.1]}
    pair = [
        body("left", size, (-0.3, 0, 0), mass=1.0, velocity=[0.0, 0.9, -1.0], angular_velocity=[2.0, 1.0, -3.0]),
        body("right", size, (0.3, 0, 0), mass=3.0, velocity=[0.0, -0.9, 1.5], angular_velocity=[0.0, -4.0, -3.0]),
        body("box", {"box": [0.2, 0.2, 0.2]}, (0.2, 0.35, 0.3), mass=0.5, velocity=[0.0, -1.0, -0.8]),
        ball("ball", (-0.4, 0.9, 0.0), (0.0, -3.0, 0.3), mass=8.0),
    ]
    plain = scene(*pair, friction=0.4, restitution=0.3, gravity=gravity, contact=mode, sleep=False)
    said = plain.model_dump(mode="json", exclude_unset=True)
    tie = {"name": "tie", "kind": "ball", "bodies": ["left", "right"], "point": [0, 0, 0]}
    return World(Scene.model_validate(said | {"joint": [tie]}))


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.0, 0.0, -9.81)])
@pytest.mark.parametrize("mode", ["impulse", "constraint", "hybrid"])
def test_a_free_linkage_keeps_its_momentum_with_what_it_hits(mode: str, gravity: tuple[float, float, float]) -> None:
    world = jointed(mode, gravity)
    world.advance_to(0.0)  # joints have their say: only a force could change the momentum of what flies
    assert hits_that_keep_momentum(world, 1.0, gravity, heaviest=3) >= 1
