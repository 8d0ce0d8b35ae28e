"""Motions whose end is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from tests.scenes import ball, floor, scene

RADIUS = 0.05


def test_a_sliding_ball_comes_to_roll_at_five_sevenths_of_its_speed() -> None:
    v0 = 2.0
    world = World(scene(floor(), ball("ball", (0, 0, RADIUS + 1e-5), (v0, 0, 0), RADIUS), friction=0.3))
    world.advance_to(3.0)
    state = world.body("ball")
    assert state.velocity[0] == pytest.approx(5 / 7 * v0, rel=5e-3)
    assert state.angular_velocity[1] * RADIUS == pytest.approx(state.velocity[0], rel=5e-3)
    assert abs(state.velocity[1]) < 1e-9


def test_bounces_fall_by_the_square_of_restitution() -> None:
    e = 0.8
    world = World(scene(floor(), ball("ball", (0, 0, 1.0 + RADIUS), radius=RADIUS), restitution=e))
    world.advance_to(6.0)
    hits = world.events()
    times = hits["time"][hits["kind"] == 0][:7]
    # Between two hits a ball rises to g dt^2 / 8.
    heights = 9.81 * np.diff(times) ** 2 / 8
    assert np.allclose(heights[1:6] / heights[0:5], e * e, rtol=5e-3)
    assert heights[0] == pytest.approx(e * e * 1.0, rel=5e-3)


def test_equal_spheres_in_a_row_hand_the_velocity_on() -> None:
    gap = 2e-4
    row = [ball(f"b{k}", (k * (2 * RADIUS + gap), 0, 0), radius=RADIUS) for k in range(6)]
    row[0]["velocity"] = [1.5, 0.0, 0.0]
    row[0]["position"] = [-0.3, 0.0, 0.0]
    world = World(scene(*row, friction=0.0, restitution=1.0, gravity=(0, 0, 0)))
    world.advance_to(1.0)
    v = world.twists()[:, :3]
    assert abs(v[-1, 0] - 1.5) < 1.5e-6
    assert np.abs(v[:-1]).max() < 1.5e-6
    assert np.abs(v[:, 1:]).max() < 1.5e-6


def test_momentum_and_energy_of_a_frictionless_elastic_gas() -> None:
    rng = np.random.default_rng(1)
    grid = [(x, y, z) for x in range(3) for y in range(3) for z in range(3)]
    balls = [ball(f"b{i}", 0.25 * np.array(p), rng.normal(0, 1, 3), 0.1) for i, p in enumerate(grid)]
    world = World(scene(*balls, friction=0.4, restitution=1.0, gravity=(0, 0, 0)))
    before, energy = world.momentum(), world.energy()["total"]
    world.advance_to(2.0)
    assert world.counters["collisions"] > 10
    after = world.momentum()
    assert np.allclose(after, before, atol=1e-11 * np.abs(before).max() * 27)
    books = world.energy()
    assert books["total"] + books["dissipated"] == pytest.approx(energy, rel=1e-12)
    assert books["dissipated"] >= 0.0


def test_a_spinning_platter_carries_a_ball_round_at_two_sevenths() -> None:
    rate = 2.0
    platter = {
        "name": "platter",
        "shape": {"box": [4.0, 4.0, 0.1]},
        "position": [0.0, 0.0, -0.05],
        "motion": {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}},
        "material": "m",
    }
    # Starting with the velocity of its orbit about (0, 0): v = 2/7 rate x r, rolling on the platter.
    r, orbit = 0.5, 2 / 7 * rate
    v = orbit * r
    ball_ = ball("ball", (r, 0, RADIUS + 1e-5), (0, v, 0), RADIUS)
    # No slip: v - RADIUS (omega x z) ... = rate r at the contact.
    ball_["angular_velocity"] = [(rate * r - v) / RADIUS, 0.0, 0.0]
    world = World(scene(platter, ball_, friction=0.8, restitution=0.0))
    period = 2 * np.pi / orbit
    world.advance_to(period)
    x, y = world.body("ball").position[:2]
    assert np.hypot(x, y) == pytest.approx(r, rel=0.01)
    assert abs(np.arctan2(y, x)) < 2 * np.pi * 0.01
