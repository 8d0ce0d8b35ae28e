"""Rolling and spinning resistance: it only ever brakes, gives no energy, and adds up to the closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import World
from engine.impulse.pair_response import turn_by
from engine.impulse.resistance import resist_turning
from engine.joints.tables import make_linked
from engine.maths.quaternions import normalize
from engine.model import state as s
from engine.model.joints import no_joints
from engine.model.model import BODY_WIDTH, INV_MASS, INV_MOMENTS, LINKAGE, MASS, ROLLING, SPINNING, TAG_WIDTH
from engine.motion.motion import Motion, Side
from engine.scene.schema import Scene
from tests.momentum import lost_part
from tests.scenes import ball, body, floor, scene

RADIUS, GRAVITY = 0.05, 9.81
Vec3 = tuple[float, float, float]


def resisting(*bodies: dict[str, Any], rolling: float = 0.0, spinning: float = 0.0, **more: Any) -> Scene:
    plain = scene(*bodies, **more)
    lossy = plain.material["m"].model_copy(update={"rolling_resistance": rolling, "spinning_resistance": spinning})
    return plain.model_copy(update={"material": {"m": lossy}})


def dropped_ball(velocity: Vec3, spin: Vec3, **more: Any) -> Scene:
    """A ball that has fallen a little: its first hit leaves the pair something to draw on."""
    return resisting(
        floor(), ball("ball", (0, 0, RADIUS + 5e-4), velocity, RADIUS, angular_velocity=list(spin)), **more
    )


def slope(world: World, read: Any, start: float, end: float) -> float:
    times = np.linspace(start, end, 40)
    values = []
    for t in times:
        world.advance_to(float(t))
        values.append(read())
    return float(np.polyfit(times, values, 1)[0])


@pytest.mark.parametrize("lever", [2e-4, 1e-3])
def test_a_rolling_ball_slows_down_as_the_closed_form_says(lever: float) -> None:
    world = World(dropped_ball((1.0, 0.0, 0.0), (0.0, 1.0 / RADIUS, 0.0), rolling=lever))
    braking = -slope(world, lambda: world.body("ball").velocity[0], 0.5, 4.0)
    assert braking == pytest.approx(lever * GRAVITY / (RADIUS * (1 + 2 / 5)), rel=0.01)
    assert world.body("ball").angular_velocity[1] * RADIUS == pytest.approx(world.body("ball").velocity[0], rel=0.01)


def test_what_rests_on_resistance_starts_each_step_from_what_it_bore() -> None:
    """A ball on a slope that it does not roll down: its couple is found once, not anew in every step."""
    tilt = 0.02
    gravity = [GRAVITY * np.sin(tilt), 0.0, -GRAVITY * np.cos(tilt)]
    resting = resisting(
        floor(), ball("ball", (0, 0, RADIUS + 5e-5), radius=RADIUS), rolling=2e-3, gravity=gravity, sleep=False
    )
    world = World(resting)
    world.advance(0.2)
    before = dict(world.counters)
    world.advance(100.0)  # its steps double
    steps, sweeps = (world.counters[key] - before[key] for key in ("group_steps", "group_sweeps"))
    assert steps >= 6 and sweeps <= 4 * steps
    (contact,) = world.contacts()
    weight = GRAVITY * world.model.bodies[world.row("ball"), MASS]
    assert abs(contact["couple"][1]) == pytest.approx(RADIUS * weight * np.sin(tilt), rel=1e-3)


def test_a_ball_that_spins_on_the_spot_slows_down_as_the_closed_form_says() -> None:
    lever = 3e-4
    world = World(dropped_ball((0.0, 0.0, 0.0), (0.0, 0.0, 40.0), spinning=lever))
    braking = -slope(world, lambda: world.body("ball").angular_velocity[2], 0.5, 4.0)
    assert braking == pytest.approx(lever * GRAVITY / (0.4 * RADIUS**2), rel=0.01)
    assert np.abs(world.body("ball").velocity[:2]).max() < 1e-9


def test_both_stop_it_and_the_books_balance() -> None:
    world = World(dropped_ball((0.3, 0.1, 0.0), (-2.0, 6.0, 9.0), rolling=1e-3, spinning=1e-3))
    start = world.energy()["total"]
    for k in range(1, 60):
        world.advance_to(0.1 * k)
        books = world.energy()
        assert books["total"] + books["dissipated"] == pytest.approx(start, rel=1e-9)
    body = world.body("ball")
    assert np.abs(body.velocity[:2]).max() < 1e-6
    assert np.abs(body.angular_velocity).max() < 1e-4


def test_no_couple_reverses_a_turn_gives_energy_or_turns_bodies_into_each_other() -> None:
    rng = np.random.default_rng(11)
    stopped = 0
    alone = make_linked(no_joints())
    for _ in range(500):
        bodies, tags, pairs, clock = _two_bodies(rng)
        q = [normalize(tuple(rng.normal(size=4))) for _ in range(2)]
        v = [tuple(rng.normal(size=3)) for _ in range(2)]
        w = [tuple(10 * rng.normal(size=3)) for _ in range(2)]
        r = [tuple(0.1 * rng.normal(size=3)) for _ in range(2)]
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        pairs[0, s.NORMAL : s.NORMAL + 3] = normal
        lift = normal @ (np.add(v[0], np.cross(w[0], r[0])) - np.add(v[1], np.cross(w[1], r[1])))
        if lift < 0.0:
            continue
        p = tuple(10.0 ** rng.uniform(-4, 1) * normal)
        side_a, side_b = (Side(i, Motion(r[i], q[i], v[i], w[i]), r[i]) for i in (0, 1))
        couple = np.array(resist_turning(bodies, tags, pairs, clock, alone, 0, side_a, side_b, p))
        after = [np.add(w[i], turn_by(bodies, i, q[i], tuple(sign * couple))) for i, sign in ((0, 1.0), (1, -1.0))]
        before = np.subtract(w[0], w[1])
        left = after[0] - after[1]
        assert couple @ left <= 1e-9 * np.linalg.norm(couple) * np.linalg.norm(before)  # it still opposes what is left
        lost = -0.5 * couple @ (before + left)
        assert lost >= 0.0
        assert clock[s.DISSIPATED + s.RESISTANCE] == pytest.approx(lost, rel=1e-9, abs=1e-15)
        assert pairs[0, s.CREDIT] == pytest.approx(lost, rel=1e-9, abs=1e-15)
        press = np.dot(p, normal)
        along = couple @ normal
        assert abs(along) <= pairs[0, s.PAIR_SURFACE + SPINNING] * press + 1e-12
        assert np.linalg.norm(couple - along * normal) <= pairs[0, s.PAIR_SURFACE + ROLLING] * press + 1e-12
        rise = normal @ (np.add(v[0], np.cross(after[0], r[0])) - np.add(v[1], np.cross(after[1], r[1])))
        assert rise >= 0.5 * lift - 1e-12
        stopped += bool(np.linalg.norm(left) < 0.5 * np.linalg.norm(before))
    assert stopped > 5


def _two_bodies(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    bodies = np.zeros((2, BODY_WIDTH))
    bodies[:, INV_MASS] = rng.uniform(0.5, 2.0, 2)
    bodies[:, INV_MOMENTS : INV_MOMENTS + 3] = rng.uniform(20.0, 400.0, (2, 3))
    pairs = np.zeros((1, s.PAIR_WIDTH))
    pairs[0, s.PAIR_SURFACE + ROLLING] = rng.choice([0.0, 1e-3, 0.1])
    pairs[0, s.PAIR_SURFACE + SPINNING] = rng.choice([0.0, 1e-3, 0.1])
    tags = np.zeros((2, TAG_WIDTH), dtype=np.int64)
    tags[:, LINKAGE] = -1
    return bodies, tags, pairs, np.zeros(s.CLOCK_WIDTH)


def test_a_ball_on_a_platter_is_driven_by_its_spinning_resistance_and_the_work_is_booked() -> None:
    platter = {
        "name": "platter",
        "shape": {"box": [1.0, 1.0, 0.1]},
        "position": [0.0, 0.0, -0.05],
        "motion": {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 5.0}},
        "material": "m",
    }
    world = World(resisting(platter, ball("ball", (0, 0, RADIUS + 5e-4), radius=RADIUS), spinning=1e-3))
    start = world.energy()["total"]
    world.advance_to(2.0)
    assert world.body("ball").angular_velocity[2] == pytest.approx(5.0, rel=1e-9)
    books = world.energy()
    assert books["total"] + books["dissipated"] - books["work"] == pytest.approx(start, rel=1e-9)


LEVER = 1e-3
"""[m]"""
TURNS = {"rolls": ((1.0, 0.0, 0.0), (0.0, 1.0 / RADIUS, 0.0)), "spins": ((0.0, 0.0, 0.0), (0.0, 0.0, 40.0))}
MODES = ("hybrid", "constraint", "impulse")


def in_touch(how: str, contact: str) -> World:
    """A ball of 1 kg that rolls or spins on the floor from the start."""
    velocity, spin = TURNS[how]
    turning = ball("ball", (0, 0, RADIUS + 2e-5), velocity, RADIUS, angular_velocity=list(spin), mass=1.0)
    return World(resisting(floor(), turning, rolling=LEVER, spinning=LEVER, contact=contact))


def on_a_slab(contact: str) -> World:
    """A ball that rolls and spins on a slab that is free to move."""
    slab = body("slab", {"box": [1, 1, 0.1]}, (0, 0, 0.05 + 2e-5), mass=1.0)
    spin = {"angular_velocity": [3.0, 12.0, 15.0]}
    turning = ball("ball", (0, 0, 0.1 + RADIUS + 4e-5), (0.5, 0.0, 0.0), RADIUS, mass=1.0, **spin)
    return World(resisting(floor(), slab, turning, rolling=LEVER, spinning=LEVER, contact=contact))


@pytest.mark.parametrize("how", list(TURNS))
@pytest.mark.parametrize("contact", ["hybrid", "constraint"])
def test_the_couple_of_a_lasting_contact_is_reported(how: str, contact: str) -> None:
    """Lever times load, against the turn."""
    world = in_touch(how, contact)
    world.advance_to(0.2)
    (found,) = world.contacts()
    against = -np.array(TURNS[how][1]) / np.linalg.norm(TURNS[how][1])
    sign = 1.0 if found["body_a"] == world.row("ball") else -1.0
    np.testing.assert_allclose(sign * found["couple"], LEVER * GRAVITY * against, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("how", list(TURNS))
def test_hits_report_their_couples(how: str) -> None:
    """In a second they give lever times weight, against the turn, whichever way a hit comes."""
    world = in_touch(how, "impulse")
    world.advance_to(1.0)
    events = world.events()
    sign = np.where(events["body_a"] == world.row("ball"), 1.0, -1.0)
    against = -np.array(TURNS[how][1]) / np.linalg.norm(TURNS[how][1])
    assert (sign[:, None] * events["couple"]).sum(axis=0) @ against == pytest.approx(LEVER * GRAVITY, rel=0.01)


@pytest.mark.parametrize("contact", MODES)
def test_with_couples_every_change_of_momentum_is_accounted_for(contact: str) -> None:
    for world in (in_touch("rolls", contact), in_touch("spins", contact)):
        assert lost_part(world, 0.1) < 1e-12
    assert lost_part(on_a_slab(contact), 0.1) < 1e-8  # a slab that sleeps is held by loads that are found
