"""What scripted bodies do to what lies on them: the platter and the feeder (Mirtich 1996, 7.1, 7.5; figure 7.11)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import World, load_scene
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from tests.scenes import ball, body, scene

Floats = NDArray[np.float64]


def track(world: World, names: list[str], times: Floats) -> Floats:
    """Positions across the vertical, (times, names, 2)."""
    rows = [world.row(name) for name in names]
    found = []
    for t in times:
        world.advance_to(float(t))
        found.append(world.poses()[rows, :2])
    return np.array(found)


def circle_of(points: Floats) -> tuple[Floats, float]:
    """Centre and radius of the circle nearest to points (k, 2)."""
    system = np.column_stack([2 * points, np.ones(len(points))])
    x, y, c = np.linalg.lstsq(system, (points**2).sum(axis=1), rcond=None)[0]
    return np.array([x, y]), float(np.sqrt(c + x * x + y * y))


def test_balls_on_the_platter_go_round_at_two_sevenths_of_its_rate() -> None:
    bundled = load_scene("spinning_platter")
    rate = bundled.body[0].motion.spinner.rate
    times = np.arange(2.0, 40.0, 0.1)
    paths = track(World(bundled), ["inner", "outer", "rolled"], times)
    middles = []
    for k in range(3):
        centre, radius = circle_of(paths[:, k])
        middles.append(centre)
        arms = paths[:, k] - centre
        assert np.abs(np.linalg.norm(arms, axis=1) / radius - 1).max() < 1e-3
        turned = np.unwrap(np.arctan2(arms[:, 1], arms[:, 0]))
        assert np.polyfit(times, turned, 1)[0] == pytest.approx(2 / 7 * rate, rel=1e-3)
    # Put down at rest, a solid ball slides until it goes at 2/7 of the platter under it: about the platter's middle.
    assert np.linalg.norm(middles[:2], axis=1).max() < 0.01
    assert np.linalg.norm(middles[2]) > 0.5


@pytest.mark.parametrize(("start", "drop", "law"), [(0.1, 1e-3, "carom"), (0.49, 0.01, "carom"), (0.3, 1e-3, "thesis")])
def test_over_twenty_orbits_rate_and_radius_keep(start: float, drop: float, law: str) -> None:
    """A ball that starts within a third of the platter's radius, on its orbit; dropped, so that it bounces first."""
    radius, rate = 0.0254, 2.0
    orbit = 2 / 7 * rate
    spin = [(rate - orbit) * start / radius, 0.0, 0.0]
    platter = body(
        "platter", {"box": [3.0, 3.0, 0.02]}, (0, 0, -0.01), motion={"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}}
    )
    marble = ball("ball", (start, 0, radius + drop), (0, orbit * start, 0), radius, angular_velocity=spin)
    world = World(scene(platter, marble, friction=0.8, restitution=0.2, microcollision=law))
    a_turn = 2 * np.pi / orbit
    world.advance_to(1.0)
    times = 1.0 + a_turn * np.arange(0, 20 + 1e-9, 1 / 16)
    arms = track(world, ["ball"], times)[:, 0]
    away = np.linalg.norm(arms, axis=1)
    turned = np.unwrap(np.arctan2(arms[:, 1], arms[:, 0]))
    each_orbit = turned[16:] - turned[:-16]
    assert np.abs(each_orbit / (2 * np.pi) - 1).max() < 0.01
    assert np.abs(away[16:] / away[:-16] - 1).max() < 0.01
    assert world.smallest_gap > 0.0


def feeder(frequency: float = 50.0) -> Scene:
    bundled = load_scene("vibrating_feeder")
    for name in ("track", "left wall", "right wall", "back wall"):
        bundled = set_path(bundled, f"body.{name}.motion.oscillator.frequency", frequency)
    return bundled


def test_the_feeder_drives_its_parts_uphill() -> None:
    bundled = feeder()
    world = World(bundled)
    parts = [row for row, each in enumerate(bundled.bodies) if each.motion == "free"]
    assert len(parts) == 50
    world.advance_to(0.5)
    start = world.poses()[parts]
    world.events()
    world.advance_to(2.0)
    there = world.poses()[parts]
    speed = (there[:, 0] - start[:, 0]) / 1.5
    assert speed.mean() > 0.05
    assert speed.min() > 0.02
    assert (there[:, 2] - start[:, 2]).mean() > 0.5 * 1.5 * speed.mean() * np.sin(np.radians(2))
    # Nobody has left the track or fallen through it.
    assert np.abs(there[:, 1]).max() < 0.07
    assert there[:, 2].min() > -0.01 + 0.005
    assert world.smallest_gap > 0.0
    # "The contact modes between the part and feeder are highly transient": several hits a stroke, and flights between.
    hits = world.events()
    per_part = len(hits) / len(parts) / 1.5 / 50.0
    assert 0.5 < per_part < 20


def test_a_feeder_that_stands_still_feeds_nothing() -> None:
    bundled = feeder(frequency=0.0)
    world = World(bundled)
    parts = [row for row, each in enumerate(bundled.bodies) if each.motion == "free"]
    world.advance_to(1.0)
    start = world.poses()[parts]
    world.advance_to(1.5)
    assert np.abs(world.poses()[parts][:, 0] - start[:, 0]).max() < 0.005
