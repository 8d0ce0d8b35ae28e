"""What smooth solids are for: discs that roll on circles and down to rest, rattlebacks that turn round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World, load_scene
from engine.geometry.shapes import rotation_matrix
from engine.journal import MICROCOLLISION
from engine.scene.paths import apply_setting
from tests.outside_gaps import OutsideGaps
from tests.scenes import body, floats, floor, scene
from tests.steady_discs import steady_disc


def lean(world: World, name: str) -> float:
    """Angle of a body's own z axis to the vertical [deg]."""
    return float(np.degrees(np.arccos(min(1.0, abs(rotation_matrix(world.body(name).orientation)[2, 2])))))


@pytest.mark.parametrize(("tilt", "circle"), [(70.0, 0.2), (75.0, 0.3)])
def test_a_thin_disc_rolls_on_the_circle_of_its_lean_and_speed(tilt: float, circle: float) -> None:
    """Within 1 % for 10 s: radius, rate and lean. What is lost goes as envelope^(1/2), and grows with the lean."""
    envelope, radius, thickness = 5e-6, 0.05, 0.001
    steady = steady_disc(radius, thickness, np.radians(tilt), circle)
    disc = body(
        "disc",
        {"cylinder": {"radius": radius, "length": thickness}},
        steady.centre + [0.0, 0.0, 0.75 * envelope],
        orientation={"axis": [0.0, 1.0, 0.0], "degrees": tilt},
        velocity=floats(steady.velocity),
        angular_velocity=floats(steady.omega),
    )
    world = World(scene(floor(), disc, friction=1.0, restitution=0.0, envelope=envelope))
    turned, angle = 0.0, 0.0
    for k in range(1, 101):
        world.advance_to(0.1 * k)
        x, y, _ = world.body("disc").position
        turned += (np.arctan2(y, x) - angle + np.pi) % (2.0 * np.pi) - np.pi
        angle = float(np.arctan2(y, x))
        assert np.hypot(x, y) == pytest.approx(steady.centre[0], rel=0.01)
        assert turned == pytest.approx(steady.rate * world.time, rel=0.01)
        assert lean(world, "disc") == pytest.approx(tilt, rel=0.01)
    assert world.counters["collisions"] == 0
    assert world.smallest_gap > 0.3 * envelope


def disc_on_the_spot(envelope: float) -> World:
    """A disc that leans by 30 degrees and rolls round its own middle, steadily, with all that its motion asks for."""
    steady = steady_disc(0.0375, 0.0128, np.radians(30.0), -1.0)
    disc = body(
        "disc",
        {"cylinder": {"radius": 0.0375, "length": 0.0128}},
        steady.centre + [0.0, 0.0, 0.75 * envelope],
        orientation={"axis": [0.0, 1.0, 0.0], "degrees": 30.0},
        angular_velocity=floats(steady.omega),
    )
    return World(scene(floor(), disc, friction=0.3, restitution=0.0, envelope=envelope))


def test_a_disc_that_loses_nothing_turns_on_the_spot_for_ever() -> None:
    world = disc_on_the_spot(envelope := 1e-5)
    for k in range(1, 11):
        world.advance_to(0.5 * k)
        assert lean(world, "disc") == pytest.approx(30.0, abs=0.6)
        assert np.hypot(*world.body("disc").position[:2]) < 0.001
    # Nothing is dissipated, so there is no credit to lift the disc with: its gap holds all the same. What is lost is
    # looked at where steps end: between their ends an arc is an interpolation.
    taken = []
    for _ in range(20):
        world.advance_events(1)
        taken.append(abs(world.energy()["dissipated"]))
    assert min(taken) < 1e-9 * world.energy()["kinetic"]
    assert world.smallest_gap > 0.3 * envelope


def test_a_disc_that_rolls_on_the_spot_keeps_its_lean_and_its_spin() -> None:
    """For as long as one looks: slip that a step leaves comes back, and is not taken away from one side.

    What steps are wrong by is a nod of a hundredth of a degree to and fro.
    """
    world = disc_on_the_spot(1e-5)
    leans, spins = np.zeros((10, 50)), np.zeros((10, 50))
    for n in range(leans.size):
        world.advance_to(0.01 * (n + 1))
        leans.flat[n], spins.flat[n] = lean(world, "disc"), world.body("disc").angular_velocity[2]
    assert np.abs(leans - 30.0).max() < 0.02
    assert np.abs(leans.mean(axis=1) - leans[0].mean()).max() < 0.002
    assert np.abs(spins.mean(axis=1) / spins[0].mean() - 1.0).max() < 1e-4


def test_eulers_disc_rolls_down_faster_and_faster_and_lies_flat() -> None:
    world = World(load_scene("discs"))
    spun = world.row("spun")
    leans, rates, turns = [], [], []
    hits = 0
    for k in range(1, 25):
        world.advance_to(0.5 * k)
        events = world.events()
        events = events[events["kind"] == MICROCOLLISION]
        hits += int(((events["body_a"] == spun) | (events["body_b"] == spun)).sum())
        disc = world.body("spun")
        axis = rotation_matrix(disc.orientation)[:, 2]
        turning = np.cross(disc.angular_velocity, axis)
        rates.append(float((axis[0] * turning[1] - axis[1] * turning[0]) / (axis[0] ** 2 + axis[1] ** 2)))
        leans.append(lean(world, "spun"))
        turns.append(abs(float(disc.angular_velocity[2])))
    last = next(k for k, angle in enumerate(leans) if angle < 0.5)
    assert 6.0 < 0.5 * (last + 1) < 11.0
    falling = np.array(leans[:last])
    assert np.all(np.diff(falling) < 0.0)
    # The contact runs round at 2 sqrt(g / (a sin lean)), ever faster (Moffatt 2000).
    expected = 2.0 * np.sqrt(9.81 / (0.0375 * np.sin(np.radians(falling))))
    assert np.allclose(rates[:last], expected, rtol=0.12)  # thin, and steady: it is neither quite
    assert rates[last - 1] > 5.0 * rates[0]
    # Then it lies flat. A rim that rolls is a lasting contact: it hits but when it comes down, and lies down.
    assert max(leans[-4:]) < 0.05 and max(turns[-4:]) < 1e-3  # but for rocking in its envelope
    assert hits < 100


def rattleback(spin: float, attached: bool) -> World:
    """The scene's bodies by themselves, spun at `spin` [rad/s]."""
    whole = load_scene("rattleback")
    name, other = ("rattleback", "balanced") if attached else ("balanced", "rattleback")
    alone = whole.model_copy(update={"body": tuple(body for body in whole.body if body.name != other)})
    world = World(apply_setting(alone, f"body.{name}.angular_velocity=[0, 0, {spin}]"))
    return world


def spins(world: World, name: str, until: float) -> Any:
    found = []
    for k in range(1, int(until * 10) + 1):
        world.advance_to(0.1 * k)
        found.append(world.body(name).angular_velocity[2])
    return np.array(found)


@pytest.mark.parametrize("speed", [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0])
def test_a_rattleback_spun_one_way_reverses_and_the_other_way_does_not(speed: float) -> None:
    wrong = spins(rattleback(-speed, True), "rattleback", 10.0)
    assert wrong[0] < -0.9 * speed
    assert wrong[-1] > 0.5 * speed  # it stopped, and turned round
    right = spins(rattleback(speed, True), "rattleback", 10.0)
    assert right.min() > 0.8 * speed
    for way in (-speed, speed):
        balanced = spins(rattleback(way, False), "balanced", 10.0)
        assert np.allclose(balanced, way, rtol=1e-3)


def test_the_scene_shows_both() -> None:
    world = World(load_scene("rattleback"))
    world.advance_to(world.scene.world.until or 0.0)
    assert world.body("balanced").angular_velocity[2] == pytest.approx(-7.0, rel=1e-3)
    assert world.body("rattleback").angular_velocity[2] > 5.0


def test_a_heap_of_all_kinds_never_meets_and_gains_nothing() -> None:
    rng = np.random.default_rng(4)
    kinds: list[dict[str, Any]] = [
        {"cylinder": {"radius": 0.05, "length": 0.02}},
        {"cylinder": {"radius": 0.03, "length": 0.12}},
        {"cone": {"radius": 0.05, "height": 0.1}},
        {"ellipsoid": [0.07, 0.05, 0.03]},
        {"superquadric": {"size": [0.05, 0.05, 0.05], "exponents": [4.0, 4.0]}},
        {"revolved": {"profile": [[0.0, -0.06], [0.05, 0.0], [0.03, 0.05]]}},
        {"sphere": {"radius": 0.04}},
        {"capsule": {"radius": 0.02, "length": 0.08}},
        {"box": [0.08, 0.06, 0.05]},
    ]
    heap = []
    for k in range(18):
        q = rng.normal(size=4)
        place = (0.15 * (k % 3 - 1), 0.15 * (k // 3 % 3 - 1), 0.12 + 0.16 * (k // 9))
        turn, spin = floats(q / np.linalg.norm(q)), floats(5.0 * rng.normal(size=3))
        heap.append(body(f"b{k}", kinds[k % 9], place, orientation=turn, angular_velocity=spin))
    bowl = body("bowl", {"cylinder": {"radius": 0.5, "length": 0.02}}, (0.0, 0.0, -0.01), motion="fixed")
    world = World(scene(bowl, *heap, friction=0.4, restitution=0.3))
    outside = OutsideGaps(world)
    start = world.energy()["total"]
    for k in range(1, 61):
        world.advance_to(0.01 * k)
        assert outside.smallest(world.poses()) > 0.0
        now = world.energy()
        assert now["total"] <= start + 1e-9
        assert now["total"] + now["dissipated"] == pytest.approx(start, abs=1e-9)
    assert world.smallest_gap > 0.0
    assert world.counters["collisions"] > 100
    assert world.counters["faults"] == 0
