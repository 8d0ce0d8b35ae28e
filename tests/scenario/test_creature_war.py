"""Bugs go where potential fields lead them; a rover of seven links and five states clears them (Mirtich 1996, 7.3)."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.schema import Scene

BUGS = tuple(f"bug {k}" for k in range(1, 6))
EDGE = 2.0  # of the world [m]


def only(keep: Callable[[str], bool]) -> Scene:
    """The scene with those of its free bodies, their joints and controllers."""
    scene = load_scene("creature_war")
    bodies = tuple(body for body in scene.body if body.motion == "fixed" or keep(body.name))
    names = {body.name for body in bodies}
    joints = tuple(joint for joint in scene.joint if names.issuperset(joint.bodies))
    controllers = tuple(
        one.model_copy(update={"bodies": tuple(name for name in one.bodies if name in names)})
        for one in scene.controller
        if {joint.name for joint in joints}.issuperset(one.joints)
    )
    return scene.model_copy(update={"body": bodies, "joint": joints, "controller": controllers})


def state(world: World) -> dict[str, str]:
    """What the rover remembers."""
    said = next(one for one in world.snapshot().said.memories if one.name == "rover")
    memory: dict[str, str] = json.loads(said.state or "{}")
    return memory


def test_one_bug_crawls_to_the_middle_and_one_by_the_rover_flees() -> None:
    """Bug 2 by itself; bug 5, of the same file, with the rover standing in its way to the middle."""
    far = World(only(lambda name: name.endswith(" 2") or name == "chassis"))
    start = far.body("bug 2").position[:2]
    far.advance_to(2.0)
    middle = far.body("bug 2").position[:2]
    assert np.hypot(*middle) < np.hypot(*start) - 0.2

    scene = only(lambda name: name.endswith(" 5") or name == "chassis")
    moved = tuple(
        body.model_copy(update={"position": (-0.8, 0.5, 0.1)}) if body.name == "chassis" else body
        for body in scene.body
    )
    near = World(scene.model_copy(update={"body": moved}))
    near.advance_to(1.5)
    assert near.body("bug 5").position[0] < -1.4
    assert far.smallest_gap > 0.0 and near.smallest_gap > 0.0


def test_the_rover_turns_to_its_victim_and_jacks_up_to_push() -> None:
    world = World(only(lambda name: not name[-1].isdigit() or name.endswith(" 5")))
    seen = []
    pistons = [k for k, joint in enumerate(world.scene.joint) if "piston" in joint.name]
    for t in np.arange(0.1, 4.0, 0.1):
        world.advance_to(float(t))
        doing = state(world)["doing"]
        if seen[-1:] != [doing]:
            seen.append(doing)
        length = world.joints()["position"][pistons]
        if doing in ("fwd", "spin"):
            assert np.abs(length).max() < 0.02
        if doing == "push" and t > 3.5:
            assert length.min() > 0.06
    assert seen[:3] == ["spin", "fwd", "push"]
    assert world.smallest_gap > 0.0


@pytest.mark.slow
def test_the_rover_clears_the_bugs() -> None:
    world = World(load_scene("creature_war"))
    start = World(world.scene, python="off").energy()["total"]
    seen, fallen = set(), []
    for t in np.arange(0.05, 60.0, 0.05):
        world.advance_to(float(t))
        seen.add(state(world)["doing"])
        left = [name for name in BUGS if world.body(name).position[2] > -0.1]
        x, y, z = world.body("chassis").position
        assert max(abs(x), abs(y)) < EDGE and z > 0.0
        fallen += [float(t)] * (5 - len(left) - len(fallen))
        if not left:
            break
    assert len(fallen) == 5
    assert seen >= {"spin", "fwd", "push", "rev"}  # it picks within a tick
    assert world.stopped == ()
    books = world.energy()
    assert books["total"] + books["dissipated"] - books["work"] == pytest.approx(start, abs=1e-5)
    assert abs(books["numerics"]) < 1e-4 * books["dissipated"]
    assert world.smallest_gap > 0.0
    world.advance(2.0)
    assert state(world)["victim"] == ""
    assert world.body("chassis").velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)
