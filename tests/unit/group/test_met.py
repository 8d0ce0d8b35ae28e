"""What the middle of a busy group's step meets is taken up at its start: on its bodies, and stopped there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine import World
from engine.arrays import Floats
from engine.group import work as wk
from engine.model import model as m
from engine.model import state as s
from engine.scene.schema import Scene
from tests.scenes import body, floor, scene

SIDES = np.array([0.06, 0.05, 0.04])
LONGEST = 1.0 / 240.0


def tumbling() -> Scene:
    """Boxes that tumble into a bin."""
    rng = np.random.default_rng(5)
    walls = [
        body(f"wall{k}", {"box": [0.1, 4.0, 2.0]}, (0.26 * np.cos(turn), 0.26 * np.sin(turn), 0.0), motion="fixed",
             orientation=[np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn)])
        for k, turn in enumerate(0.5 * np.pi * np.arange(4))
    ]  # fmt: skip
    boxes = []
    for k in range(80):
        at = 0.1 * np.array([k % 4 - 1.5, k // 4 % 4 - 1.5, k // 16 + 0.6]) + rng.uniform(-1, 1, 3) * 0.0015
        q = rng.normal(size=4)
        turning = {
            "orientation": (q / np.linalg.norm(q)).tolist(),
            "angular_velocity": rng.uniform(-50, 50, 3).tolist(),
        }
        boxes.append(body(f"box{k}", {"box": SIDES.tolist()}, tuple(at), **turning))
    return scene(floor(), *walls, *boxes, restitution=0.1, sleep=False)


def steps_that_met(world: World) -> Iterator[float]:
    """Lengths of steps in whose middle a busy group met something [s]; its points are in the world's work then."""
    work = world._desk.work
    world.advance_to(0.3)
    while world.time < 0.6:
        world._state.groups[:, s.CUT_DEBT] = 1e6  # all are busy
        before = world.counters["group_steps"]
        world.advance_events(1)
        if world.counters["group_steps"] > before and work.sizes[wk.MET] > 0:
            yield float(world._state.groups[world._state.members[work.body[0], s.LEADER], s.STEP])


def away_from_box(p: Floats, x: Floats, q: Floats) -> float:
    """How far a point is from the surface of one of the boxes [m]; negative: inside."""
    w, v = q[0], -q[1:]
    arm = p - x
    seen = np.abs(arm + 2.0 * np.cross(v, np.cross(v, arm) + w * arm)) - 0.5 * SIDES
    return float(np.linalg.norm(np.maximum(seen, 0.0)) + min(seen.max(), 0.0))


def test_what_is_met_lies_on_its_bodies_and_is_stopped_at_the_start() -> None:
    world = World(tumbling())
    work, tags = world._desk.work, world.model.tags
    away, found = [], 0
    for h in steps_that_met(world):
        places = list(work.pair[: work.sizes[wk.PAIRS_HELD]])
        for n in range(work.sizes[wk.MET]):
            row, point = work.met_pair[n], work.met[n, wk.MET_POINT : wk.MET_POINT + 3]
            normal, gap = work.met[n, wk.MET_NORMAL : wk.MET_NORMAL + 3], work.met[n, wk.MET_GAP]
            sides = [world._state.links[row, side] for side in (s.BODY_A, s.BODY_B)]
            for i, sign in zip(sides, (1.0, -1.0), strict=True):
                if tags[i, m.KIND] == m.FREE:
                    pose = work.poses[list(work.body).index(i)]
                    on = point + 0.5 * sign * gap * normal
                    away.append(abs(away_from_box(on, pose[wk.X : wk.X + 3], pose[wk.Q : wk.Q + 4])))
            if row not in places:  # a hit has thrown its bodies apart
                continue
            pair = places.index(row)
            starts = work.start[work.begun[pair] : work.begun[pair + 1]]
            k = int(np.abs(starts[:, wk.START_GAP] - gap).argmin())
            assert starts[k, wk.START_GAP] == gap
            u = starts[k, wk.START_U : wk.START_U + 3] @ normal
            assert u * h > -2.0 * gap  # slowed down evenly it does not get through
            found += 1
    assert found > 3
    assert np.median(away) < 2e-4  # some by more: their normals have turned by some hundredths since
    assert world.smallest_gap > 0.0


def test_it_does_not_cut_the_step() -> None:
    world = World(tumbling())
    lengths = list(steps_that_met(world))
    assert len(lengths) > 3
    assert np.median(lengths) > 0.3 * LONGEST


def test_energy_is_not_gained_by_it() -> None:
    world = World(tumbling())
    before = world.energy()["total"]
    for _ in steps_that_met(world):
        after = world.energy()["total"]
        assert after <= before + 1e-9
        before = after


def test_a_pile_at_rest_does_not_notice_that_it_becomes_busy() -> None:
    """It stands on the points on which it stood; others are met if something falls."""
    world = World(tumbling())
    world.advance_to(4.0)
    world._state.groups[:, s.CUT_DEBT] = 1e6
    fastest = 0.0
    for _ in range(4):
        world.advance(LONGEST)
        fastest = max(fastest, float(np.abs(world.twists()[:, :3]).max()))
    assert fastest < 5e-6
