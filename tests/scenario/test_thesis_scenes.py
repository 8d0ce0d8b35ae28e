"""The scenes of section 7.1 do what the thesis says of them (Mirtich 1996; figure 3.15 for the ramp)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import World, load_scene
from engine.geometry.shapes import rotation_matrix
from engine.scene.paths import set_path

Floats = NDArray[np.float64]


def run(world: World, until: float, rate: float = 200.0) -> tuple[Floats, Floats, Floats]:
    """Times (k,), poses (k, n, 7) and twists (k, n, 6) from now to `until`."""
    times = np.arange(world.time, until + 0.5 / rate, 1.0 / rate)
    poses, twists = [], []
    for t in times:
        world.advance_to(float(t))
        poses.append(world.poses())
        twists.append(world.twists())
    return times, np.array(poses), np.array(twists)


def upright(poses: Floats) -> Floats:
    """How far each body's own z axis points up, poses (..., 7) -> (...)."""
    w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    return 1.0 - 2.0 * (x * x + y * y) / (w * w + x * x + y * y + z * z)


@pytest.mark.parametrize("law", ["carom", "thesis"])
def test_a_block_slides_down_a_ramp_and_stops_where_theory_says(law: str) -> None:
    scene = set_path(load_scene("block_on_ramp"), "world.microcollision", law)
    world = World(scene)
    times, poses, _ = run(world, 5.0)
    down = np.array([np.cos(np.pi / 6), 0.0, -np.sin(np.pi / 6)])
    block = scene.index("block")
    way = (poses[:, block, :3] - poses[0, block, :3]) @ down
    # It stands as soon as it goes on by less than 1 mm in 50 ms: braking ends there, to half a hundredth.
    going = way[10:] - way[:-10]
    stop = times[np.argmax(going < 1e-3)] + 0.025
    assert stop == pytest.approx(2.00, rel=0.01)
    assert way[np.searchsorted(times, 2.0)] == pytest.approx(5.48, rel=0.01)
    assert abs(way[-1] - way[np.searchsorted(times, 2.0)]) < 0.005
    # Even braking: the way is a parabola.
    sliding = times < 1.9
    braking = 9.81 * (0.9 * np.cos(np.pi / 6) - np.sin(np.pi / 6))
    assert np.abs(way - 5.48 * times + 0.5 * braking * times**2)[sliding].max() < 0.01
    assert np.abs(poses[:, block, 1]).max() < 0.01


def test_seven_dominos_fall_one_after_the_other_and_rest() -> None:
    world = World(load_scene("dominos"))
    times, poses, twists = run(world, 2.0)
    lean = upright(poses[:, 1:])
    fallen = lean < np.cos(np.radians(45))
    assert fallen[-1].all()
    when = times[np.argmax(fallen, axis=0)]
    assert (np.diff(when) > 0).all()
    assert lean[-1, -1] < 0.01  # the last one lies flat
    assert np.all((lean[-1, :-1] > 0.2) & (lean[-1, :-1] < 0.5))  # the others lean, each on the next
    rest = times > 1.5  # "come to rest" within the creep of pure impulses: a few mm a second
    assert np.ptp(poses[rest][:, 1:, :3], axis=0).max() < 2e-3
    assert np.abs(poses[:, 1:, 1]).max() < 2e-3  # nobody leaves the row


def test_without_friction_the_dominos_slide_apart() -> None:
    spread = []
    for friction in (0.4, 0.0):
        world = World(set_path(load_scene("dominos"), "material.domino.friction", friction))
        world.advance_to(1.0)
        spread.append(np.ptp(world.poses()[1:, 0]))
    assert spread[1] > 1.5 * spread[0]


def test_two_dropped_blocks_bounce_and_come_to_rest_as_a_stack() -> None:
    world = World(load_scene("block_drop"))
    times, poses, twists = run(world, 3.0)
    lower, upper = poses[:, 1], poses[:, 2]
    rising = (twists[:, 2, 2] > 0.05).astype(int)
    assert np.count_nonzero(np.diff(rising) == 1) >= 1  # the upper one bounces
    envelope = 0.0001
    assert lower[-1, 2] == pytest.approx(0.05, abs=2 * envelope)
    assert upper[-1, 2] == pytest.approx(0.14, abs=4 * envelope)
    assert (upright(poses[-1, 1:]) > np.cos(np.radians(1))).all()
    rest = times > 1.0
    assert np.ptp(poses[rest][:, 1:, :3], axis=0).max() < 0.01
    energy = world.energy()
    assert energy["kinetic"] < 1e-3 * energy["dissipated"]


def test_a_chain_of_balls_hands_the_impulse_on_and_gets_it_back() -> None:
    world = World(load_scene("chain_of_balls"))
    first = world.row("striker")
    times, poses, twists = run(world, 3.0, 100.0)
    x, v = poses[:, first:, 0], twists[:, first:, 0]
    before = np.argmax(v[:, 0] < 0.5 * v[0, 0])  # the striker has hit
    speed = v[before - 1, 0]
    after = before + 5
    assert v[after, -1] > 0.9 * 0.98**4 * 0.97 * speed  # four hits of e = 0.98, and a little friction with the table
    assert np.abs(v[after, :-1]).max() < 0.03 * speed
    # The last one rolls up the ramp and back, and strikes the others, which have hardly moved meanwhile.
    turn = np.argmax((times > 1.0) & (v[:, -1] < 0))
    assert poses[turn, -1, 2] > 0.028575 + 0.02
    back = turn + np.argmax(np.abs(v[turn:, :-1]).max(axis=1) > 0.1)
    assert back > turn
    assert np.abs(x[back - 1, :-1] - x[before + 5, :-1]).max() < 0.05
    assert v[-1, 0] < -0.1  # now the striker leaves, the other way
    # "Propagated less cleanly": this time a good part of the speed stays behind.
    assert -v[-1, 0] < 0.8 * -v[back - 2, -1]
    assert np.abs(poses[:, first:, 1]).max() < 1e-6


def test_pool_break_spreads_the_rack_and_calms_down() -> None:
    scene = load_scene("pool_break")
    world = World(scene)
    balls = [row for row, body in enumerate(scene.body) if body.motion == "free"]
    assert len(balls) == 16
    start = world.poses()[balls]
    checks = [0]
    for k in range(1, 61):
        world.advance_to(k / 20)
        checks.append(world.counters["pair_checks"])
        poses = world.poses()[balls]
        assert np.abs(poses[:, 0]).max() < 1.27
        assert np.abs(poses[:, 1]).max() < 0.635
        assert np.abs(poses[:, 2] - 0.028575).max() < 0.15
    rate = np.diff(checks) * 20
    # Figure 7.8: many checks at the break, then they fall off and level out.
    assert rate[3] == rate[2:].max()
    assert rate[40:].max() < 0.5 * rate[3]
    rows = list(itertools.combinations(range(1, 16), 2))
    apart_then = np.mean([np.linalg.norm(start[a, :2] - start[b, :2]) for a, b in rows])
    apart_now = np.mean([np.linalg.norm(poses[a, :2] - poses[b, :2]) for a, b in rows])
    assert apart_now > 3 * apart_then
    assert _who_met(world, balls) == set(balls)


def test_after_the_break_all_balls_come_to_rest() -> None:
    scene = load_scene("pool_break")
    world = World(scene)
    balls = [row for row, body in enumerate(scene.body) if body.motion == "free"]
    world.advance_to(12.0)
    resting, twists = world.poses()[balls], world.twists()[balls]
    assert np.abs(twists[:, :2]).max() < 1e-6  # they still hop, by less than the envelope
    assert np.abs(twists[:, 3:]).max() < 1e-6
    world.advance_to(14.0)
    assert np.abs(world.poses()[balls][:, :2] - resting[:, :2]).max() < 1e-6
    assert world.smallest_gap > 0.0


def _who_met(world: World, bodies: list[int]) -> set[int]:
    """Which of the bodies have collided with another of them."""
    events = world.events()
    pairs = zip(events["body_a"].tolist(), events["body_b"].tolist())
    return {body for a, b in pairs if a in bodies and b in bodies for body in (a, b)}


def test_coins_roll_collide_and_end_flat() -> None:
    scene = load_scene("coins")
    world = World(scene)
    rolled = [row for row, body in enumerate(scene.body) if body.name.startswith("rolled")]
    coins = [row for row, body in enumerate(scene.body) if body.motion == "free"]
    assert (len(rolled), len(coins)) == (4, 8)
    radius, height = 0.01213, 0.00175
    # At first they roll on edge: as fast as their rims turn.
    world.advance_to(0.05)
    twists = world.twists()[rolled]
    speed = np.linalg.norm(twists[:, :2], axis=1)
    turning = np.linalg.norm(twists[:, 3:], axis=1) * radius
    assert np.all(np.abs(upright(world.poses()[rolled])) < 0.05)
    assert np.all(np.abs(turning / speed - 1.0) < 0.1)
    world.advance_to(5.0)  # by then those that spun on the spot have fallen, too
    poses = world.poses()[coins]
    assert _who_met(world, coins) == set(coins)
    assert np.linalg.norm(poses[:, :2], axis=1).max() < 0.18  # nobody has left the plate
    assert np.abs(upright(poses)).min() > np.cos(np.radians(20))  # flat, or leaning on another coin
    assert poses[:, 2].min() > height / 2
    energy = world.energy()
    assert energy["kinetic"] < 0.01 * energy["dissipated"]


def test_a_handle_tumbles_about_its_middle_axis_only() -> None:
    scene = load_scene("free_tumble")
    world = World(scene)
    energy, momentum = world.energy()["total"], world.momentum()
    _, poses, _ = run(world, 20.0, 50.0)
    swing = {}
    for name, axis in (("smallest", 0), ("middle", 1), ("largest", 2)):
        row = scene.index(name)
        turned = np.array([rotation_matrix(pose[3:])[axis, axis] for pose in poses[:, row]])
        swing[name] = np.degrees(np.arccos(np.clip(turned, -1, 1)))
    assert swing["smallest"].max() < 5
    assert swing["largest"].max() < 5
    flips = np.flatnonzero(np.diff((swing["middle"] > 90).astype(int)))
    assert len(flips) >= 4
    assert np.ptp(np.diff(flips)) <= 1  # always after the same time, to a sample
    assert world.energy()["total"] == pytest.approx(energy, rel=1e-12)
    assert np.allclose(world.momentum(), momentum, rtol=0, atol=1e-12 * np.abs(momentum).max())
