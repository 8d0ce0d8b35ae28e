"""Joints hold what they are to hold and nothing else, alone, in loops, and with contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene
from tests.linkages import chain, joint, linked_scene, rod, to_the_next_step

LEFT = {"ball": 3, "hinge": 1, "slider": 1, "weld": 0}
POINT = (0.1, 0.2, 0.3)
AXIS = (1.0, 2.0, -2.0)


def pair(kind: str, rng: np.random.Generator, **more: Any) -> Scene:
    """Two boxes in space that spin and fly at random, tied."""
    bodies = [
        {
            "name": name,
            "shape": {"box": [0.2, 0.3, 0.5]},
            "mass": 1.0 + k,
            "position": rng.normal(size=3).tolist(),
            "orientation": rng.normal(size=4).tolist(),
            "velocity": rng.normal(size=3).tolist(),
            "angular_velocity": rng.normal(size=3).tolist(),
        }
        for k, name in enumerate(("one", "two"))
    ]
    axis = AXIS if kind in ("hinge", "slider") else None
    return linked_scene(bodies, [joint("joint", kind, ["one", "two"], POINT, axis)], gravity=(0, 0, 0), **more)


def relative(world: World) -> np.ndarray:
    """Velocity of body two against body one where they are tied, and angular velocity, (6,)."""
    twists, point = world.twists(), world.joints()["point"][0]
    v = [twist[:3] + np.cross(twist[3:], point - pose[:3]) for twist, pose in zip(twists, world.poses())]
    return np.concatenate([v[1] - v[0], twists[1, 3:] - twists[0, 3:]])


@pytest.mark.parametrize("kind", list(LEFT))
def test_a_joint_leaves_its_ways_to_move_and_no_other(kind: str) -> None:
    rng = np.random.default_rng(7)
    seen = []
    for _ in range(8):
        world = World(pair(kind, rng))
        before = world.momentum()
        energy = world.energy()["total"]
        while world.counters["group_steps"] == 0:  # the first step brings velocities onto the joint
            world.advance_events(1)
        seen.append(relative(world))
        assert np.abs(world.momentum() - before).max() < 1e-12  # joints push both ways
        assert world.energy()["total"] < energy
    sizes = np.linalg.svd(np.array(seen), compute_uv=False)
    assert (sizes > 1e-2).sum() == LEFT[kind] and (sizes < 1e-10).sum() == 6 - LEFT[kind]


@pytest.mark.parametrize("kind", list(LEFT))
def test_a_joint_neither_gapes_nor_drains(kind: str) -> None:
    world = World(pair(kind, np.random.default_rng(3)))
    to_the_next_step(world)
    energy, momentum = world.energy()["total"], world.momentum()
    for _ in range(40):
        world.advance(0.0137)  # between the ends of steps, too
        gaps = world.joints()[0]
        assert gaps["gap"] < 1e-8 and gaps["tilt"] < 1e-8
        assert world.energy()["total"] == pytest.approx(energy, rel=1e-6)
        assert np.abs(world.momentum() - momentum).max() < 1e-6
    to_the_next_step(world)
    assert world.energy()["total"] == pytest.approx(energy, rel=1e-9)
    assert np.abs(world.momentum() - momentum).max() < 5e-9


def test_energy_of_a_wild_chain_only_falls_and_hardly() -> None:
    world = World(chain(3))
    begin, most = world.energy()["total"], -1.0
    scale = 3 * 9.81 * 0.75  # weight times half its length [J]
    while world.time < 3.0:
        to_the_next_step(world)
        most = max(most, world.energy()["total"])
    assert most <= begin + 1e-12 * scale
    assert world.energy()["total"] > begin - 1e-8 * scale
    assert world.joints()["gap"].max() < 1e-11


@pytest.mark.parametrize("copies", [1, 2])
def test_a_closed_loop_of_redundant_joints_holds(copies: int) -> None:
    """A parallelogram of hinges, flat at its dead centre; every hinge said once or twice."""
    corners = [(0, 0, 0), (0.3, 0, 0), (1.1, 0, 0), (0.8, 0, 0)]
    bodies = [rod(f"rod {k}", corners[k], corners[(k + 1) % 4]) for k in range(4)][:3]
    ends = [["rod 0"], ["rod 0", "rod 1"], ["rod 1", "rod 2"], ["rod 2"]]
    joints = [joint(f"joint {k} {n}", "hinge", ends[k], corners[k], (0, 1, 0)) for k in range(4) for n in range(copies)]
    world = World(linked_scene(bodies, joints))
    begin = world.energy()["total"]
    for _ in range(100):
        world.advance(0.01)
        gaps = world.joints()
        assert gaps["gap"].max() < 1e-7 and gaps["tilt"].max() < 1e-7
        assert begin - 1e-3 < world.energy()["total"] < begin + 1e-9
    assert np.abs(world.twists()).max() > 1.0


def test_a_weld_makes_one_body_of_two() -> None:
    """A dumbbell of two welded halves flies as a single box does."""
    half = {"shape": {"box": [0.2, 0.1, 0.3]}, "mass": 1.0, "angular_velocity": [0.3, 4.0, 0.2]}
    spin = np.array(half["angular_velocity"])
    halves = [
        half | {"name": name, "position": [x, 0.0, 0.0], "velocity": np.cross(spin, [x, 0, 0]).tolist()}
        for name, x in (("left", -0.1), ("right", 0.1))
    ]
    tied = World(linked_scene(halves, [joint("weld", "weld", ["left", "right"], (0, 0, 0))], gravity=(0, 0, 0)))
    whole = half | {"name": "whole", "shape": {"box": [0.4, 0.1, 0.3]}, "mass": 2.0}
    free = World(linked_scene([whole], [], gravity=(0, 0, 0)))
    for time in (0.5, 3.0):
        tied.advance_to(time)
        free.advance_to(time)
        middle = tied.poses()[:, :3].mean(axis=0)
        assert np.abs(middle).max() < 1e-9
        assert np.abs(tied.body("left").angular_velocity - free.body("whole").angular_velocity).max() < 1e-6


FLOOR: dict[str, Any] = {"name": "floor", "motion": "fixed", "shape": {"plane": {}}}


def table(mass: float) -> Scene:
    """A top of `mass` on four legs of 1 kg, welded."""
    top = {"name": "top", "shape": {"box": [1.0, 0.6, 0.04]}, "mass": mass, "position": [0.0, 0.0, 0.7211]}
    legs = [
        {"name": f"leg {k}", "shape": {"box": [0.05, 0.05, 0.7]}, "mass": 1.0, "position": [x, y, 0.351]}
        for k, (x, y) in enumerate([(-0.45, -0.25), (-0.45, 0.25), (0.45, -0.25), (0.45, 0.25)])
    ]
    joints = [joint(f"at {leg['name']}", "weld", ["top", leg["name"]], (*leg["position"][:2], 0.701)) for leg in legs]
    return linked_scene([FLOOR, top, *legs], joints, collide=True, sleep=False)


@pytest.mark.parametrize("mass", [2.0, 200.0])
def test_a_welded_table_stands_and_its_legs_bear_it(mass: float) -> None:
    world = World(table(mass))
    world.advance_to(1.0)
    start = world.poses()
    world.advance_to(1.5)
    assert np.abs(world.poses() - start).max() < 1e-5
    assert world.smallest_gap > 0.0
    assert world.joints()["gap"].max() < 1e-9
    forces = world.contacts()["force"][:, 2]
    assert np.abs(forces).sum() == pytest.approx((mass + 4.0) * 9.81, rel=1e-3)


def test_a_chain_falls_on_a_floor_and_comes_to_rest() -> None:
    scene = chain(4, kind="ball", length=0.2)
    document = scene.model_dump(exclude_none=True)
    document["body"] = [FLOOR, *({**body, "group": None} for body in document["body"])]
    document["joint"] = document["joint"][1:]
    for body in document["body"][1:]:
        body["position"] = (body["position"][0], 0.0, 0.3)
    for one in document["joint"]:
        one["point"] = (one["point"][0], 0.0, 0.3)
    world = World(Scene.model_validate(document))
    energy = world.energy()["total"]
    while world.time < 3.0:
        world.advance(0.01)
        now = world.energy()["total"]
        assert now <= energy + 1e-8  # within steps; where they end it is to rounding
        energy = min(energy, now)
        assert world.joints()["gap"].max() < 1e-6
    assert world.smallest_gap > 0.0
    assert all(world.body(k).asleep for k in range(1, 5))


@pytest.mark.parametrize("contact", ["impulse", "constraint", "hybrid"])
def test_joints_hold_in_every_mode_of_contact(contact: str) -> None:
    """A pendulum swings into a wall, again and again."""
    wall = {"name": "wall", "motion": "fixed", "shape": {"box": [0.2, 1.0, 1.0]}, "position": [-0.25, 0.0, -0.5]}
    bob = rod("bob", (0, 0, 0), (0.4, 0, 0)) | {"mass": 1.0}
    pivot = joint("pivot", "hinge", ["bob"], (0, 0, 0), (0, 1, 0))
    world = World(linked_scene([wall, bob], [pivot], collide=True, contact=contact))
    begin = world.energy()["total"]
    for _ in range(100):
        world.advance(0.02)
        assert world.joints()["gap"][0] < 1e-6
        assert world.energy()["total"] <= begin + 1e-7  # within steps; where they end it is to rounding
    assert world.smallest_gap > 0.0
    assert world.counters["collisions"] > 0


def test_bodies_tied_by_a_joint_do_not_collide_unless_asked() -> None:
    overlap = [rod("one", (0, 0, 0), (0.5, 0, 0)), rod("two", (0.5, 0, 0), (1.0, 0, 0))]
    tie = joint("tie", "ball", ["one", "two"], (0.5, 0, 0))
    quiet = World(linked_scene(overlap, [tie], collide=True))
    quiet.advance_to(0.3)
    assert quiet.counters["pairs"] == 0
    apart = [rod("one", (0, 0, 0), (0.49, 0, 0)), rod("two", (0.51, 0, 0), (1.0, 0, 0))]
    asked = World(linked_scene(apart, [tie | {"collide": True}], collide=True))
    asked.advance_to(0.3)
    assert asked.counters["pairs"] == 1
