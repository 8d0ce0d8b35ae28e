"""Impacts of many contacts: the cradle, the rack, a box that lands flat, a stack that is hit, and what is booked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import World, load_scene
from engine.desk import make_desk
from engine.recording.events import EVENT_KINDS
from engine.scene.paths import set_path
from tests.scenes import ball, body, floor, scene

LAWS = ("sequential", "simultaneous", "wave")
G = 9.81


def cradle(came: int, gap: float, **world: Any) -> World:
    """Five balls in a row without weight, `gap` [m] apart; the first ones come together at 1 m/s, from 0.05 m away."""
    balls = []
    for k in range(5):
        x = k * (0.2 + gap) + (0.05 if k >= came else 0.0)
        balls.append(ball(f"ball{k}", (x, 0.0, 0.0), velocity=(1.0 if k < came else 0.0, 0.0, 0.0)))
    return World(scene(*balls, friction=0.0, restitution=1.0, gravity=(0.0, 0.0, 0.0), **world))


@pytest.mark.parametrize("gap", [2e-5, 0.01], ids=["touching", "apart"])
@pytest.mark.parametrize("came", [1, 2, 3])
def test_as_many_balls_leave_the_cradle_as_came(came: int, gap: float) -> None:
    world = cradle(came, gap)
    world.advance_to(0.3)
    expected = [0.0] * (5 - came) + [1.0] * came
    np.testing.assert_allclose(world.twists()[:5, 0], expected, rtol=0.0, atol=1e-9)


def test_balls_that_touch_disperse_a_wave() -> None:
    world = cradle(1, 2e-5, impacts="wave")
    world.advance_to(0.3)
    speeds = world.twists()[:5, 0]
    np.testing.assert_allclose(speeds, [-0.071, -0.030, -0.014, 0.127, 0.989], rtol=0.0, atol=2e-3)
    np.testing.assert_allclose(speeds.sum(), 1.0, rtol=0.0, atol=1e-12)


def rack(law: str) -> World:
    return World(set_path(load_scene("pool_break"), "world.impacts", law))


def asymmetry(world: World) -> float:
    """By how much a rack that is hit straight on differs from its mirror image [m]."""
    x = world.poses()[:, :3]
    pairs = [("ball9", "ball2"), ("ball10", "ball3"), ("ball11", "ball5"), ("ball4", "ball12")]
    pairs += [("ball6", "ball15"), ("ball13", "ball14")]
    pairs += [(name, name) for name in ("cue", "ball1", "ball8", "ball7")]
    return max(float(np.abs(x[world.row(a)] - x[world.row(b)] * (1, -1, 1)).max()) for a, b in pairs)


@pytest.mark.parametrize("law", LAWS)
def test_a_rack_breaks_into_mirrored_halves(law: str) -> None:
    """Where the law leaves balls that press each other, sweeps in some order stop them, to a part of their speed."""
    world = rack(law)
    world.advance_to(0.3)
    assert asymmetry(world) < (1e-7 if law == "simultaneous" else 1e-9)


def test_a_rack_spreads() -> None:
    """Not one ball takes it all: most of them are on their way, forwards or to the sides."""
    world = rack("sequential")
    world.advance_to(0.3)
    speeds = np.hypot(*world.twists()[[world.row(f"ball{k}") for k in range(1, 16)], :2].T)
    assert (speeds > 0.15).sum() >= 13
    assert speeds.max() < 4.0


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("contact", ["hybrid", "impulse", "constraint"])
def test_a_box_dropped_flat_rises_to_a_quarter(contact: str, law: str) -> None:
    box = body("box", {"box": [0.2, 0.3, 0.1]}, (0.0, 0.0, 0.55))
    world = World(scene(box, floor(), restitution=0.5, contact=contact, impacts=law))
    lands = np.sqrt(2.0 * 0.5 / G)
    top = 0.0
    for t in np.linspace(1.01 * lands, 1.95 * lands, 200):
        world.advance_to(float(t))
        pose = world.poses()[0]
        top = max(top, float(pose[2]) - 0.05)
        assert np.abs(pose[4:]).max() < 1e-9
    assert top == pytest.approx(0.125, abs=1e-3)


def stack(law: str, contact: str) -> World:
    """Six boxes that stand on each other, and a ball of their mass that comes down on them, beside the middle."""
    boxes = [body(f"box{k}", {"box": [0.2, 0.2, 0.1]}, (0.0, 0.0, 0.05 + 0.1002 * k)) for k in range(6)]
    hit = ball("ball", (0.03, 0.02, 1.2), velocity=(0.0, 0.0, -5.0))
    return World(scene(*boxes, hit, floor(), impacts=law, contact=contact))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("contact", ["hybrid", "impulse"])
def test_a_stack_that_is_hit_stands(contact: str, law: str) -> None:
    world = stack(law, contact)
    before = world.energy()["total"]
    world.advance_to(1.5)
    heights = 0.05 + 0.1 * np.arange(6)
    poses, energy = world.poses()[:6], world.energy()
    np.testing.assert_allclose(poses[:, 2], heights, rtol=0.0, atol=2e-3)
    assert np.abs(poses[:, :2]).max() < 0.01
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(before, rel=1e-11)
    assert energy["dissipated"] > 0.0


def momentum_of_events(world: World, bodies: int) -> NDArray[np.float64]:
    """(n, 6) impulses and their moments about the origin that the events since the last call say, by body."""
    taken = np.zeros((bodies, 6))
    for event in world.events():
        if EVENT_KINDS[event["kind"]] == "collision":
            change = np.concatenate([event["impulse"], np.cross(event["point"], event["impulse"])])
            for sign, which in ((1.0, event["body_a"]), (-1.0, event["body_b"])):
                taken[which] += sign * change
    return taken


@pytest.mark.parametrize("law", LAWS)
def test_events_tell_what_each_body_takes(law: str) -> None:
    """A rack without a table: momenta of bodies change by the impulses of the contacts' events, each at its point."""
    sites = [
        (0.2 * row * np.sqrt(0.75) * 1.0001, 0.2001 * (k - 0.5 * row), 0.0) for row in range(4) for k in range(row + 1)
    ]
    balls = [ball(f"ball{k}", at) for k, at in enumerate(sites)]
    cue = ball("cue", (-0.3, 0.03, 0.0), velocity=(2.0, 0.0, 0.0))
    world = World(
        scene(*balls, cue, gravity=(0.0, 0.0, 0.0), friction=0.3, restitution=0.9, impacts=law, contact="impulse")
    )
    inertia = world.model.bodies[:, 2]
    mass = world.model.bodies[:, 0]

    def momenta() -> NDArray[np.float64]:
        twists, x = world.twists(), world.poses()[:, :3]
        p = mass[:, None] * twists[:, :3]
        return np.concatenate([p, np.cross(x, p) + inertia[:, None] * twists[:, 3:]], axis=1)

    before = momenta()
    world.events()
    world.advance_to(0.5)
    assert world.counters["collisions"] > 9
    np.testing.assert_allclose(momenta() - before, momentum_of_events(world, len(mass)), rtol=0.0, atol=1e-12)


def test_a_moving_floor_puts_in_work() -> None:
    """A box that a piston hits flat: what it has gained is work less what was dissipated."""
    piston = body(
        "piston",
        {"box": [1.0, 1.0, 0.1]},
        motion={"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": 0.05, "frequency": 3.0}},
    )
    box = body("box", {"box": [0.2, 0.3, 0.1]}, (0.0, 0.0, 0.3))
    world = World(scene(piston, box, contact="impulse"))
    before = world.energy()["total"]
    world.advance_to(0.4)
    energy = world.energy()
    assert energy["work"] > 0.1
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(before, rel=1e-11)


@pytest.mark.parametrize("law", LAWS)
def test_a_room_too_small_is_enlarged(law: str) -> None:
    """A slab lands on nine balls at once: more contacts than there is room for, and nothing is lost."""
    balls = [ball(f"b{k}", (0.21 * (k % 3), 0.21 * (k // 3), 0.1001)) for k in range(9)]
    slab = body("slab", {"box": [0.9, 0.9, 0.1]}, (0.21, 0.21, 0.3), velocity=(0.0, 0.0, -1.0))
    world = World(scene(*balls, slab, floor(), impacts=law, gravity=(0.0, 0.0, 0.0), contact="impulse"))
    world._desk = make_desk(len(world.names), world.model.joints, points=8)
    world.advance_to(0.06)
    assert len(world._desk.cluster.contact) > 8
    twist = world.twists()[9]
    assert twist[2] > -0.5
    np.testing.assert_allclose(twist[[0, 1, 3, 4, 5]], 0.0, rtol=0.0, atol=1e-6)


def test_a_slab_on_a_hundred_balls() -> None:
    """All of them begin new arcs at one instant, and there is room for all their new pairs."""
    balls = [ball(f"b{k}", (0.21 * (k % 10), 0.21 * (k // 10), 0.1001)) for k in range(100)]
    slab = body("slab", {"box": [2.3, 2.3, 0.1]}, (0.945, 0.945, 0.3), velocity=(0.0, 0.0, -1.0))
    world = World(scene(*balls, slab, floor(), contact="impulse", gravity=(0.0, 0.0, 0.0)))
    world.advance_to(0.2)
    assert world.twists()[100, 2] > -0.5
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("contact", ["impulse", "hybrid"])
def test_friction_gives_nothing_back(contact: str) -> None:
    """A box that rattles to rest: what turns its slip round is the impact's, whatever couples the two."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        spin, turn = 3.0 * rng.normal(size=3), rng.normal(size=4)
        box = body(
            "box", {"box": [0.1, 0.2, 0.3]}, (0, 0, 0.4), angular_velocity=spin.tolist(), orientation=turn.tolist()
        )
        world = World(scene(floor(), box, friction=0.2, restitution=0.3, contact=contact))
        taken = 0.0
        while world.time < 2.0 and world.advance_events(1, 2.0):
            sliding = world.energy()["sliding"]
            assert sliding >= taken - 1e-9
            taken = sliding
        assert taken > 1e-3
