"""A whole step of a group: as its stages one after the other, the same with the compiler and without."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.desk import make_desk
from engine.group import step as step_module
from engine.group import work as wk
from engine.group.commit import commit_step
from engine.group.step import NO_ROOM, STEPPED, step_group
from engine.model import state as s
from engine.model.model import Model
from engine.motion.arcs import evolve
from engine.motion.held import pause_held
from engine.recording.snapshot import copy_state, digest_of
from engine.scene.schema import Scene
from tests.groups import Group, energy, gathered
from tests.linkages import joint, linked_scene
from tests.scenes import body, floor, scene

BOX = {"box": [0.2, 0.2, 0.1]}
H = 1.0 / 240.0


def leaning(n: int = 3) -> World:
    """A tower whose top slides, held by one group at t = 0."""
    boxes = [
        body(f"b{k}", BOX, (0.03 * k, 0.01 * k, 0.0505 + 0.1005 * k), velocity=[0.4 * (k == n - 1), 0.0, 0.0])
        for k in range(n)
    ]
    world = World(scene(floor(), *boxes, envelope=1e-3))
    while world._state.members[:, s.MEMBERS].max() < n:
        world._run(0.0, 1)
    return world


def step(world: World, points: int = 256) -> int:
    """One step of the largest group, with room for so many contact points."""
    desk = make_desk(len(world.names), world.model.joints, points=points)
    leader = int(np.argmax(world._state.members[:, s.MEMBERS]))
    return step_group(world.model, world._state, desk.work, desk.log, desk.log_size, leader, 0.0)


def bits() -> str:
    world = leaning()
    outcomes = [step(world) for _ in range(3)]
    return f"{outcomes} {digest_of(world._state)}"


def test_a_step_moves_the_group_on_and_books_what_it_cost() -> None:
    world = leaning()
    before = world.energy()
    assert step(world) == STEPPED
    state = world._state
    leader = int(np.argmax(state.members[:, s.MEMBERS]))
    end = float(state.groups[leader, s.HORIZON])
    assert 0.0 < end <= 1.0 / 60.0
    assert (state.arcs[1:, s.HELD] == s.STEPPING).all() and (state.members[:, s.LOCAL] == -1).all()
    assert world.counters["group_steps"] >= 1
    # At the step's end: friction has taken some of the top's energy, and the books say how much.
    state.clock[s.TIME] = end
    after = world.energy()
    assert after["total"] < before["total"]
    assert after["total"] + after["dissipated"] == pytest.approx(before["total"] + before["dissipated"], rel=1e-12)


@pytest.mark.parametrize("points", [1, 4, 20])
def test_without_room_nothing_happens(points: int) -> None:
    world = leaning()
    state = world._state
    arcs, groups = state.arcs.copy(), state.groups.copy()
    assert step(world, points) == NO_ROOM
    assert np.array_equal(state.arcs, arcs) and np.array_equal(state.groups, groups)
    assert (state.members[:, s.LOCAL] == -1).all()
    assert step(world) == STEPPED


def test_a_step_from_the_same_state_is_the_same() -> None:
    world = leaning()
    before = copy_state(world._state)
    step(world)
    once = digest_of(world._state)
    world._state = before
    step(world)
    assert digest_of(world._state) == once


def test_plain_python_makes_the_same_step_to_the_bit() -> None:
    code = "from tests.unit.group.test_step import bits; print(bits())"
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[3],
            env=os.environ | {"NUMBA_DISABLE_JIT": plain},
            timeout=300,
        ).stdout.strip()
        for plain in ("0", "1")
    ]
    assert said[0] == said[1] and said[0].startswith(f"[{STEPPED}, ")


# --- the energy that a step may keep ------------------------------------------------------------------------------

RISES = {"accelerated": {"velocity": [0.0, 0.0, 0.5]}}
LIES = body("box", {"box": [0.2, 0.2, 0.2]}, (0, 0, 0.1004), mass=1.0, velocity=[0.0, 0.0, 0.5])


def lifted(*joints: dict[str, Any], busy: bool = False) -> Group:
    """A box of 1 kg that has been stopped on a lift, which goes on at 0.5 m/s: its group is about to make a step."""
    lift = body("lift", {"box": [1.0, 1.0, 0.1]}, (0, 0, -0.05), motion=RISES)
    said = scene(lift, LIES, envelope=1e-3).model_dump(exclude_unset=True, by_alias=True)
    world = World(Scene.model_validate(said | {"joint": list(joints)}))
    state = world._state
    for _ in range(8):
        if not (state.links[:, s.PAIR_STATE] == s.PAIR_HELD).any():
            world._run(0.0, 1)
    motion = evolve(world.model.bodies, world.model.tags, state.arcs, 1, 0.0)
    pause_held(state.arcs, 1, 0.0, motion._replace(v=(0.0, 0.0, 0.0)))
    state.groups[:, s.CUT_DEBT] = 1e3 * busy
    return gathered(world)


def welded() -> Group:
    """A box of 1 kg, at rest, that is tied to a lift."""
    tie = joint("tie", "weld", ["lift", "box"], (0, 0, 0))
    lift = {"name": "lift", "shape": {"box": [0.1, 0.1, 0.1]}, "motion": RISES}
    box = {"name": "box", "shape": {"box": [0.1, 0.1, 0.1]}, "mass": 1.0, "position": [0.0, 0.0, 1.0]}
    return gathered(World(linked_scene([lift, box], [tie], gravity=(0, 0, 0))))


RAIL = joint("rail", "slider", ["box"], (0, 0, 0.1), (0, 0, 1))


@pytest.mark.plain
@pytest.mark.parametrize(
    "make", [lifted, lambda: lifted(busy=True), lambda: lifted(RAIL), welded], ids=["free", "busy", "on a rail", "tied"]
)
def test_a_step_may_keep_what_a_stop_put_in_and_no_more(
    make: Callable[[], Group], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What moves at u stops 1 kg by m u^2 of work: whatever stops it, and whenever, that is counted once."""
    group = make()
    work, before, seen = group.work, energy(group, wk.X, wk.V), []

    def look(model: Model, state: s.State, work: wk.Work, t: float, h: float, ceiling: float, stays: float) -> None:
        later = float(work.notes[: group.points, wk.WORKED].sum() + work.link[wk.LINK_WORK] + work.link[wk.LINK_GAIN])
        seen.append((ceiling - later, energy(group, wk.X, wk.V)))
        commit_step(model, state, work, t, h, ceiling, stays)

    monkeypatch.setattr(step_module, "commit_step", look)
    step_group(group.model, group.state, work, group.log, group.log_size, group.leader, 0.0)
    ((most, begun),) = seen
    put_in = float(group.state.clock[s.WORK])
    assert put_in == pytest.approx(0.25, rel=1e-4) and begun == pytest.approx(before + 0.125, rel=1e-4)
    assert begun - 1e-12 < most < before + put_in + 1e-12
