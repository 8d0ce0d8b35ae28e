"""What stands goes on standing: books, a table, an arch, a house of cards. Knock something out, and it falls."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine import World, load_scene
from engine.geometry.shapes import rotation_matrix
from engine.model.model import MASS
from engine.recording.events import EVENT_KINDS
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from tests.scenes import ball, body, floor, scene

STANDING = ("stack_of_books", "four_legged_table", "stone_arch", "card_house")
DRIFT = 1e-4
"""[m]"""
KNOCKED = {
    "stack_of_books": ("dictionary", (4.0, 0.0, 0.0), "poems"),
    "four_legged_table": ("table", (0.0, 2.0, 0.0), "table"),
    "stone_arch": ("keystone", (0.0, 3.0, 0.0), "stone5"),
    "card_house": ("c1 left", (0.0, 1.5, 0.0), "c1 right"),
}
"""What is knocked away, how fast [m/s], and what falls then."""


def corners(world: World) -> np.ndarray:
    """A corner of every body's bounding box now, (n, 3): it moves if the body turns or shifts."""
    reach = np.array(
        [np.abs(shape.vertices).max(axis=0) if len(shape.vertices) else np.zeros(3) for shape in world.shapes]
    )
    return np.array([pose[:3] + rotation_matrix(pose[3:]) @ r for pose, r in zip(world.poses(), reach, strict=True)])


def stand(scene: Scene, until: float) -> None:
    """Without sleep a scene stays where it is, to a tenth of a millimetre, and its gaps stay open."""
    world = World(set_path(scene, "world.sleep", False))
    start = corners(world)
    for t in np.arange(1.0, until + 0.5) if until > 1.0 else (0.5 * until, until):
        world.advance_to(float(t))
        assert np.linalg.norm(corners(world) - start, axis=1).max() < DRIFT
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("name", STANDING)
def test_it_stands(name: str) -> None:
    stand(load_scene(name), 3.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*STANDING, "brick_wall"])
def test_it_stands_for_a_minute(name: str) -> None:
    stand(load_scene(name), 60.0)


def test_the_wall_awake_comes_to_a_fixed_point() -> None:
    """From then on nothing moves, by however little, and a step is one sweep: else its loads are sought for ever."""
    world = World(set_path(load_scene("brick_wall"), "world.sleep", False))
    world.advance_to(0.5)
    poses, before = world.poses().copy(), world.counters
    world.advance_to(1.0)
    assert (world.poses() == poses).all()
    assert (world.twists() == 0.0).all()
    steps = world.counters["group_steps"] - before["group_steps"]
    assert world.counters["group_sweeps"] - before["group_sweeps"] == steps


@pytest.mark.parametrize("speed", [25.0, 20.5, 22.5])
def test_a_wall_loses_what_lay_on_a_brick_that_is_shot_out(speed: float) -> None:
    wall = load_scene("brick_wall").model_dump(exclude_unset=True, by_alias=True)
    end = World(load_scene("brick_wall")).body("dark 3.9").position  # of the third course
    bullet = {"name": "bullet", "shape": {"sphere": {"radius": 0.03}}, "mass": 3.0, "material": "brick"}
    shot = {"position": (end + [0.0, -0.3, 0.0]).tolist(), "velocity": [0.0, speed, 0.0]}
    world = World(Scene.model_validate(wall | {"body": [*wall["body"], bullet | shot]}))
    before = world.poses()[:, :3].copy()
    world.advance_to(0.4)
    moved = np.linalg.norm(world.poses()[:, :3] - before, axis=1)
    assert moved[world.row("dark 3.9")] > 0.2
    fell = np.flatnonzero(before[:, 2] - world.poses()[:, 2] > 0.02)
    assert any(before[i, 2] > end[2] + 0.05 and abs(before[i, 0] - end[0]) < 0.2 for i in fell)
    assert np.median(moved) < 1e-2  # the rest of the wall bridges the hole
    assert world.smallest_gap > 0.0


def bricks(courses: int, seed: int, speed: float = 0.0, friction: float = 0.6, unequal: float = 10.0) -> World:
    """A wall in running bond, with half bricks at its ends, of bricks of which the heaviest has `unequal` times the
    density of the lightest at most; each moves in some direction, with about `speed` [m/s]."""
    random = np.random.default_rng(seed)
    wall = []
    for course in range(courses):
        half = [0.25 - 0.5 * courses, 0.5 * courses - 0.25]
        middles = np.arange(courses - course % 2) - 0.5 * (courses - 1 - course % 2)
        for x, long in [(x, 0.2) for x in middles] + [(x, 0.1) for x in half if course % 2 == 1]:
            density = 540.0 * unequal ** random.uniform()
            shape = {"box": [long - 0.001, 0.1, 0.1]}
            at = (0.2 * x, 0.0, 0.05 + 1e-4 + (0.1 + 1e-4) * course)
            wall.append(body(f"b{len(wall)}", shape, at, density=density, velocity=speed * random.normal(size=3)))
    return World(scene(floor(), *wall, friction=friction, restitution=0.0))


@pytest.mark.parametrize(
    ("courses", "seed", "friction", "unequal"),
    [*((courses, seed, 0.6, 10.0) for courses in (4, 6, 8, 14) for seed in (1, 2, 3)), (20, 1, 0.35, 1.0)],
)
def test_a_wall_stands_from_its_first_step(courses: int, seed: int, friction: float, unequal: float) -> None:
    """Its loads are found at once, whatever its bricks weigh: it does not creep until they happen to be found."""
    world = bricks(courses, seed, friction=friction, unequal=unequal)
    start = corners(world)
    world.advance_to(0.25)
    assert world.asleep()[1:].all()
    assert np.linalg.norm(corners(world) - start, axis=1).max() < 1e-6


@pytest.mark.parametrize(("courses", "unequal"), [(8, 10.0), (12, 1.0)])
def test_walls_that_have_been_shaken_come_to_rest(courses: int, unequal: float) -> None:
    """What solves leave of their loads does not keep them moving: they crept for ever, by a millimetre a second.

    When it comes to rest is the luck of a wall: nearly all have after three seconds.
    """
    slept = 0
    for seed, speed in itertools.product((1, 2, 3), (1e-3, 1e-1)):
        world = bricks(courses, seed, speed, unequal=unequal)
        world.advance_to(3.0)
        assert world.smallest_gap > 0.0
        slept += bool(world.asleep()[1:].all())
    assert slept >= 4


def test_a_ball_rolls_off_on_the_slightest_slope() -> None:
    """What is taken for standing is no more than sweeps leave: one contact is solved exactly."""
    slope = 1e-7
    ball = {"name": "ball", "shape": {"sphere": {"radius": 0.05}}, "position": [0.0, 0.0, 0.05005]}
    floor = {"name": "floor", "shape": {"plane": {}}, "motion": "fixed"}
    gravity = {"gravity": [9.81 * slope, 0.0, -9.81], "sleep": False}
    world = World(Scene.model_validate({"format": 1, "title": "slope", "world": gravity, "body": [floor, ball]}))
    world.advance_to(1.0)
    start, before = world.twists()[1, 0], world.time
    world.advance_to(4.0)
    assert (world.twists()[1, 0] - start) / (world.time - before) == pytest.approx(5.0 / 7.0 * 9.81 * slope, rel=1e-3)


def test_the_wall_falls_asleep_where_it_stood() -> None:
    world = World(load_scene("brick_wall"))
    start = corners(world)
    world.advance_to(0.6)
    assert all(world.body(each.name).asleep for each in world.scene.bodies if each.motion == "free")
    assert np.linalg.norm(corners(world) - start, axis=1).max() < 1e-6


@pytest.mark.parametrize("name", STANDING)
def test_it_falls_asleep_and_costs_nothing(name: str) -> None:
    world = World(load_scene(name))
    world.advance_to(1.0)
    free = [body.name for body in world.scene.bodies if body.motion == "free"]
    assert all(world.body(each).asleep for each in free)
    assert "sleep" in {EVENT_KINDS[kind] for kind in world.events()["kind"]}
    before = world.counters
    world.advance_to(20.0)
    assert len(world.events()) == 0
    for counter in ("pair_checks", "collisions", "microcollisions", "group_steps"):
        assert world.counters[counter] == before[counter]


@pytest.mark.parametrize("name", STANDING)
def test_with_one_knocked_out_it_falls(name: str) -> None:
    who, velocity, falls = KNOCKED[name]
    world = World(set_path(load_scene(name), f"body.{who}.velocity", list(velocity)))
    before = world.body(falls).position
    world.advance_to(1.5)
    assert np.linalg.norm(world.body(falls).position - before) > 0.02
    assert world.smallest_gap > 0.0


def test_four_legs_bear_equal_shares() -> None:
    """Mirtich 1996, figure 1.3: of all forces that hold the table, scales would read these."""
    world = World(set_path(load_scene("four_legged_table"), "world.sleep", False))
    world.advance_to(2.0)
    weight = 9.81 * float(world.model.bodies[world.row("table"), MASS])
    contacts = world.contacts()
    loads = np.abs(contacts["force"][:, 2])
    assert len(contacts) == 4
    assert set(contacts["paradigm"]) == {"constraint"}
    assert loads == pytest.approx(weight / 4.0, rel=0.01)
    assert loads.sum() == pytest.approx(weight, rel=0.001)
    assert {tuple(np.round(np.abs(point[:2]), 2)) for point in contacts["point"]} == {(0.4, 0.4)}


def test_four_legs_bear_equal_shares_by_impulses() -> None:
    """By hops of a thousandth of a millimetre: the mean of ten seconds (Mirtich 1996, figure 1.3)."""
    world = World(set_path(load_scene("four_legged_table"), "world.contact", "impulse"))
    weight = 9.81 * world.model.bodies[world.row("table"), MASS]
    world.advance_to(0.5)
    world.events()
    borne = np.zeros((2, 2))
    for k in range(1, 101):
        world.advance_to(0.5 + 0.1 * k)
        events = world.events()
        legs = (events["point"][:, :2] > 0.0).astype(int)
        np.add.at(borne, (legs[:, 0], legs[:, 1]), np.abs(events["impulse"][:, 2]) / 10.0)
    assert borne / weight == pytest.approx(np.full((2, 2), 0.25), rel=0.02)
    assert borne.sum() == pytest.approx(weight, rel=1e-3)


def test_every_book_bears_what_lies_on_it() -> None:
    world = World(set_path(load_scene("stack_of_books"), "world.sleep", False))
    world.advance_to(1.0)
    books = [body.name for body in world.scene.bodies if body.motion == "free"]
    mass = {name: float(world.model.bodies[world.row(name), MASS]) for name in books}
    contacts = world.contacts()
    for low, high in itertools.pairwise(["table", *books]):
        pair = {world.row(low), world.row(high)}
        load = sum(abs(c["force"][2]) for c in contacts if {int(c["body_a"]), int(c["body_b"])} == pair)
        above = sum(mass[name] for name in books[books.index(high) :])
        assert load == pytest.approx(9.81 * above, rel=0.001)


def test_an_arch_thrusts_sideways() -> None:
    """Each half leans on the keystone; the piers bear half the weight each, and the thrust that holds the halves."""
    world = World(set_path(load_scene("stone_arch"), "world.sleep", False))
    world.advance_to(1.0)
    stones = [row for row, body in enumerate(world.scene.bodies) if body.motion == "free"]
    weight = 9.81 * float(world.model.bodies[stones, MASS].sum())
    piers = [row for row, name in enumerate(world.names) if name.startswith("pier")]
    forces = [c["force"] for c in world.contacts() if int(c["body_a"]) in piers or int(c["body_b"]) in piers]
    assert [abs(f[2]) for f in forces] == pytest.approx([weight / 2.0] * 2, rel=0.05)
    assert sum(abs(f[2]) for f in forces) == pytest.approx(weight, rel=0.001)
    assert abs(forces[0][0]) == pytest.approx(abs(forces[1][0]), rel=0.01)
    assert 0.05 * weight < abs(forces[0][0]) < 0.7 * weight / 2.0


@pytest.mark.parametrize(("name", "stuff"), [("stone_arch", "stone"), ("card_house", "card")])
def test_friction_holds_it(name: str, stuff: str) -> None:
    scene = load_scene(name)
    for pair in scene.pair:
        scene = set_path(scene, f"pair.{'+'.join(pair.materials)}.friction", 0.05)
    world = World(set_path(scene, f"material.{stuff}.friction", 0.05))
    top = int(np.argmax(world.poses()[:, 2]))
    before = world.poses()[top, 2]
    world.advance_to(1.0)
    assert world.poses()[top, 2] < before - 0.05


@pytest.mark.parametrize("contact", ["hybrid", "constraint", "impulse"])
def test_what_is_laid_without_a_gap_stands(contact: str) -> None:
    """A ball and a stack at gaps of nothing at all, which nobody has dropped: they are lifted into their envelopes."""
    boxes = [body(f"box{k}", {"box": [0.2, 0.2, 0.2]}, (1.0, 0.0, 0.1 + 0.2 * k)) for k in range(5)]
    said = scene(floor(), ball("ball", (0.0, 0.0, 0.1)), *boxes, restitution=0.0, contact=contact)
    world = World(said)
    world.advance_to(0.1)
    begun = world.counters["heap_pops"]
    world.advance_to(1.0)
    assert world.counters["heap_pops"] - begun < 100_000
    assert world.body("ball").position[2] == pytest.approx(0.1, abs=5e-4)
    for k in range(5):
        assert world.body(f"box{k}").position == pytest.approx((1.0, 0.0, 0.1 + 0.2 * k), abs=2e-3)
    contacts = world.contacts()
    assert len(contacts) >= 2
    assert (contacts["gap"] > 0.0).all()
