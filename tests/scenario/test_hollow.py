"""Bowls, funnels and rings: what a ball does in them has closed forms, for their surface is no polyhedron."""

from __future__ import annotations

from math import cos, hypot, pi, sin, sqrt
from typing import Any

import numpy as np
import pytest

from engine import World, load_scene
from tests.scenes import ball, body, scene

G = 9.81
GAP = 2e-5
"""The balls start so far [m] from the wall."""

BOWL = {"bowl": {"radius": 0.5, "depth": 0.45, "thickness": 0.02}}
FUNNEL = {"funnel": {"top_radius": 0.4, "bottom_radius": 0.1, "height": 0.3, "thickness": 0.01}}
LOOP = {"ring": {"radius": 0.5, "width": 0.2, "thickness": 0.02}}
SIDEWAYS = {"axis": [1.0, 0.0, 0.0], "degrees": 90.0}


def wall(shape: dict[str, Any], **more: Any) -> dict[str, Any]:
    return body("wall", shape, **{"motion": "fixed", **more})


@pytest.mark.parametrize("contact", ["hybrid", "constraint", "impulse"])
def test_a_ball_rolls_to_and_fro_in_a_bowl_like_a_pendulum(contact: str) -> None:
    """Omega^2 = 5 g / (7 (R - r)) without slip; at a finite swing, the pendulum's series."""
    swing, radius = 0.3, 0.05
    arm = 0.5 - radius - GAP
    start = (arm * sin(swing), 0.0, 0.5 - arm * cos(swing))
    world = World(scene(wall(BOWL), ball("ball", start, radius=radius), friction=0.8, contact=contact))
    period = 2.0 * pi * sqrt(7.0 * arm / (5.0 * G)) * (1.0 + swing**2 / 16.0 + 11.0 * swing**4 / 3072.0)
    crossings = []
    before = start[0]
    for step in range(1, 3400):
        world.advance_to(0.002 * step)
        x = world.body("ball").position[0]
        if x * before < 0.0:
            crossings.append(0.002 * (step - 1.0 + before / (before - x)))
        before = x
    assert len(crossings) == 8
    assert 2.0 * np.mean(np.diff(crossings)) == pytest.approx(period, rel=5e-5)
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("contact", ["hybrid", "impulse"])
def test_a_smooth_ball_keeps_its_height_in_a_cone(contact: str) -> None:
    """V^2 = g rho, where the wall rises at 45 degrees."""
    radius, rho = 0.03, 0.25
    on_wall = rho + (radius + GAP) / sqrt(2.0)
    start = (rho, 0.0, on_wall - 0.25 + (radius + GAP) / sqrt(2.0))
    speed = sqrt(G * rho)
    rolling = ball("ball", start, (0.0, speed, 0.0), radius=radius)
    world = World(scene(wall(FUNNEL), rolling, friction=0.0, restitution=0.0, contact=contact))
    orbit = 2.0 * pi * rho / speed
    for k in range(1, 21):
        world.advance_to(k * orbit / 4.0)
        x, y, z = world.body("ball").position
        assert hypot(x, y) == pytest.approx(rho, rel=3e-4)
        assert z == pytest.approx(start[2], abs=1e-4)
    assert world.smallest_gap > 0.0
    assert (x, y) == pytest.approx((rho, 0.0), abs=1e-3)


@pytest.mark.parametrize(("share", "round_it_goes"), [(1.02, True), (0.98, False)])
def test_a_ball_loops_the_loop(share: float, round_it_goes: bool) -> None:
    """It rolls over the top if v^2 at the bottom is 27 / 7 g (R - r), and falls off before if it is less."""
    radius = 0.05
    arm = 0.5 - radius - GAP
    speed = sqrt(share * 27.0 / 7.0 * G * arm)
    rolling = ball("ball", (0.0, 0.0, -arm), (speed, 0.0, 0.0), radius, angular_velocity=[0.0, speed / radius, 0.0])
    world = World(scene(wall(LOOP, orientation=SIDEWAYS), rolling, friction=0.9, restitution=0.0))
    least = 1.0
    for step in range(1, 240):
        world.advance_to(step / 400.0)
        x, y, z = world.body("ball").position
        least = min(least, hypot(x, z) / arm)
        assert abs(y) < 1e-6
    assert (least > 0.999) == round_it_goes
    assert world.smallest_gap > 0.0


def test_a_ball_too_wide_for_the_hole_rests_on_the_wall_all_around() -> None:
    rolling = ball("ball", (0.01, 0.02, 0.2), radius=0.13)
    world = World(scene(wall(FUNNEL), rolling, friction=0.3, restitution=0.2))
    world.advance_to(6.0)
    assert np.linalg.norm(world.twists()[1]) < 1e-6
    assert np.hypot(*world.body("ball").position[:2]) < 1e-4
    assert world.smallest_gap > 0.0
    assert world.asleep()[1]
    forces = world.contacts()["force"]  # on the wall
    assert forces.sum(axis=0) == pytest.approx((0.0, 0.0, -G * 1000.0 * 4.0 / 3.0 * pi * 0.13**3), abs=0.1)
    assert np.count_nonzero(np.linalg.norm(forces, axis=1) > 1.0) == 3


def test_a_small_ball_falls_through_the_hole() -> None:
    world = World(scene(wall(FUNNEL), ball("ball", (0.2, 0.1, 0.15), radius=0.05), friction=0.3))
    world.advance_to(4.0)
    assert world.body("ball").position[2] < -1.0
    assert world.smallest_gap > 0.0


def test_a_ball_rests_on_the_edge_of_a_ring_and_on_an_upturned_bowl() -> None:
    upright = wall({"ring": {"radius": 0.2, "width": 0.1, "thickness": 0.02}})
    world = World(scene(upright, ball("ball", (0.0, 0.0, 0.3), radius=0.25), friction=0.5, restitution=0.0))
    world.advance_to(2.0)
    height = 0.05 + sqrt(0.25**2 - 0.2**2)
    assert world.body("ball").position[2] == pytest.approx(height, abs=2e-3)  # the envelope is 1 mm
    assert np.linalg.norm(world.twists()[1, :3]) < 0.1
    assert world.smallest_gap > 0.0
    dome = wall(BOWL, orientation={"axis": [1.0, 0.0, 0.0], "degrees": 180.0})
    world = World(scene(dome, ball("ball", (0.0, 0.0, 0.1201)), friction=0.5, restitution=0.0))
    world.advance_to(0.5)
    assert world.body("ball").position[2] == pytest.approx(0.12, abs=2e-4)


def test_boxes_and_cylinders_meet_facets_behind_the_surface() -> None:
    crate = body("crate", {"box": [0.1, 0.1, 0.1]}, (0.05, 0.02, 0.2))
    coin = body("coin", {"cylinder": {"radius": 0.05, "length": 0.02}}, (-0.2, 0.0, 0.3))
    world = World(scene(wall(BOWL), crate, coin, friction=0.4, restitution=0.1))
    for k in range(1, 16):
        world.advance_to(0.2 * k)
        for name in ("crate", "coin"):
            assert np.linalg.norm(world.body(name).position - (0.0, 0.0, 0.5)) < 0.5
    assert world.smallest_gap > 0.0
    assert np.abs(world.twists()[1:]).max() < 0.05


def test_a_ball_goes_along_with_a_bowl_that_is_shaken() -> None:
    shaken = {"oscillator": {"direction": [1.0, 0.0, 0.0], "amplitude": 0.05, "frequency": 1.5}}
    world = World(scene(wall(BOWL, motion=shaken), ball("ball", (0.0, 0.0, 0.101)), friction=0.5))
    for k in range(1, 41):
        world.advance_to(0.1 * k)
        centre = world.poses()[0, :3] + (0.0, 0.0, 0.5)
        assert np.linalg.norm(world.poses()[1, :3] - centre) < 0.4
    assert world.smallest_gap > 0.0


def test_the_gallery_s_bowl_does_what_its_note_says() -> None:
    world = World(load_scene("bowl"))
    ring, looping = world.row("ring"), world.row("looping")
    highest = -1.0
    for k in range(1, 41):
        world.advance_to(0.05 * k)
        highest = max(highest, world.poses()[looping, 2] - world.poses()[ring, 2])
    assert highest > 0.26
    world.advance_to(12.0)
    assert world.smallest_gap > 0.0
    in_bowl = [world.body(name).position for name in ("bead", "pea", "cherry", "walnut", "plum", "lime", "orange")]
    assert all(np.linalg.norm(at - (0.0, 0.0, 0.3)) < 0.3 for at in in_bowl)
    assert world.body("low").position[2] < 0.1  # through the hole, in the dish
