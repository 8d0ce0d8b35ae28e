"""Polynomial arcs: right at both ends, smooth between them, and never faster than they are bound."""

from __future__ import annotations

import numpy as np
import pytest

from engine.model.state import ARC_WIDTH, HELD, OMEGA_MAX, POLY_SLACK, STEPPING
from engine.motion.held import pause_held
from engine.motion.motion import Motion
from engine.motion.polynomial import (
    Bulge,
    Course,
    dexp,
    dexp_inverse,
    evolve_polynomial,
    excess_speed,
    exp_turn,
    find_bulge,
    place_along,
    set_polynomial,
    turn_acceleration,
)

Vec3 = tuple[float, float, float]
ZERO: Vec3 = (0.0, 0.0, 0.0)
H = 0.01


def triple(values: np.ndarray) -> Vec3:
    x, y, z = (float(v) for v in values)
    return (x, y, z)


@pytest.mark.parametrize("size", [1e-9, 1e-4, 9e-4, 1.1e-3, 0.3, 3.0])
def test_dexp_and_its_inverse(size: float) -> None:
    rng = np.random.default_rng(3)
    theta, rate = triple(size * rng.normal(size=3) / 2), triple(rng.normal(size=3))
    w = dexp(theta, rate)
    assert np.abs(np.subtract(dexp_inverse(theta, w), rate)).max() < 1e-12
    step = 1e-6
    ahead = exp_turn(triple(np.add(theta, np.multiply(step, rate))), (1.0, 0.0, 0.0, 0.0))
    turned = exp_turn(triple(np.multiply(step, w)), exp_turn(theta, (1.0, 0.0, 0.0, 0.0)))
    assert np.abs(np.subtract(ahead, turned)).max() < 1e-11


@pytest.mark.parametrize("size", [1e-3, 0.3])
def test_accelerations_of_turns(size: float) -> None:
    rng = np.random.default_rng(4)
    theta, rate, bend = (size * rng.normal(size=3), rng.normal(size=3), 5.0 * rng.normal(size=3))

    def w(t: float) -> np.ndarray:
        return np.array(dexp(triple(theta + t * rate + t * t / 2 * bend), triple(rate + t * bend)))

    alpha = (w(1e-5) - w(-1e-5)) / 2e-5
    assert np.abs(turn_acceleration(triple(theta), triple(rate), triple(alpha)) - bend).max() < 1e-4 * (size + 1e-3)


def an_arc(push: Vec3 = ZERO) -> tuple[np.ndarray, Vec3, Vec3, Vec3, Vec3, Vec3, Vec3]:
    rng = np.random.default_rng(5)
    v, v_end, flow = (triple(rng.normal(size=3)) for _ in range(3))
    w, w_end, turn_flow = (triple(20.0 * rng.normal(size=3)) for _ in range(3))
    arcs = np.zeros((1, ARC_WIDTH))
    arcs[0, HELD] = STEPPING
    q = (0.5, 0.5, -0.5, 0.5)
    b = 30.0 * rng.normal(size=(4, 3))
    bends = (triple(b[0]), triple(b[1]), triple(b[2]), triple(b[3]))
    bulges = [triple(size * rng.normal(size=3)) for size in (1e-4, 5e-4, 1e-3, 1e-2, 5e-2, 0.1)]
    bulge, turn_bulge = (bulges[0], bulges[1], bulges[2]), (bulges[3], bulges[4], bulges[5])
    course = Course(v_end, w_end, flow, turn_flow, push, push, bends, bulge, turn_bulge)
    set_polynomial(arcs, 0, 2.0, 2.0 + H, Motion(ZERO, q, v, w), course)
    return arcs, v, v_end, w, w_end, flow, turn_flow


def test_it_begins_and_ends_as_told() -> None:
    arcs, v, v_end, w, w_end, flow, turn_flow = an_arc()
    x0, q0, v0, w0 = evolve_polynomial(arcs, 0, 2.0)
    x1, q1, v1, w1 = evolve_polynomial(arcs, 0, 2.0 + H)
    assert x0 == ZERO and np.abs(np.subtract(v0, v)).max() < 1e-14 and np.abs(np.subtract(w0, w)).max() < 1e-13
    mean = np.add(flow, np.add(v, v_end) / 2)
    assert np.abs(np.subtract(x1, H * mean)).max() < 1e-14
    assert np.abs(np.subtract(v1, v_end)).max() < 1e-12 and np.abs(np.subtract(w1, w_end)).max() < 1e-10
    theta = triple(H * np.add(turn_flow, np.add(w, w_end) / 2))
    assert np.abs(np.subtract(q1, exp_turn(theta, q0))).max() < 1e-13


def test_velocities_are_rates_of_the_pose() -> None:
    arcs, *_ = an_arc()
    step = 1e-6
    for t in np.linspace(2.0 + 2 * step, 2.0 + H - 2 * step, 9):
        (x0, q0, _, _), (x1, q1, _, _) = evolve_polynomial(arcs, 0, t - step), evolve_polynomial(arcs, 0, t + step)
        _, _, v, w = evolve_polynomial(arcs, 0, float(t))
        assert np.abs(np.subtract(x1, x0) / (2 * step) - v).max() < 1e-7
        assert np.abs(np.subtract(q1, exp_turn(triple(np.multiply(2 * step, w)), q0))).max() < 1e-11


def test_it_follows_what_it_is_led_through_to_the_eighth_power() -> None:
    """Place, velocity and acceleration at both ends and in the middle make it a polynomial of degree eight."""
    rng = np.random.default_rng(6)
    paths = [np.polynomial.Polynomial(rng.normal(size=9) / H ** np.arange(9)) for _ in range(3)]

    def at(t: float, order: int) -> Vec3:
        return triple(np.array([path.deriv(order)(t) if order else path(t) for path in paths]))

    x, v, v_end = at(0.0, 0), at(0.0, 1), at(H, 1)
    way = np.subtract(at(H, 0), x)
    flow = triple(way / H - np.add(v, v_end) / 2)
    curl = 6.0 / H * np.array(flow)
    mean = np.subtract(v_end, v) / H
    first, last = triple(at(0.0, 2) - mean - curl), triple(at(H, 2) - mean + curl)
    plain: Bulge = (ZERO, ZERO, ZERO)
    arcs = np.zeros((1, ARC_WIDTH))
    course = Course(v_end, ZERO, flow, ZERO, ZERO, ZERO, (first, last, ZERO, ZERO), plain, plain)
    start = Motion(x, (1.0, 0.0, 0.0, 0.0), v, ZERO)
    set_polynomial(arcs, 0, 0.0, H, start, course)
    middle = evolve_polynomial(arcs, 0, H / 2)
    lacks, slow = np.subtract(at(H / 2, 0), middle.x), np.subtract(at(H / 2, 1), middle.v)
    bent = np.subtract(at(H / 2, 2), mean - 0.25 * np.add(first, last))
    bulge = find_bulge(triple(lacks), triple(H * slow), triple(H * H * bent))
    set_polynomial(arcs, 0, 0.0, H, start, course._replace(bulge=bulge))
    for t in np.linspace(0.0, H, 9):
        seen = evolve_polynomial(arcs, 0, float(t))
        assert np.abs(np.subtract(seen.x, at(float(t), 0))).max() < 1e-11
        assert np.abs(np.subtract(seen.v, at(float(t), 1))).max() < 1e-11 / H


def test_its_place_along_an_axis_is_that_of_its_motion() -> None:
    arcs = an_arc((0.3, -0.2, 0.1))[0]
    for t in np.linspace(2.0, 2.0 + H, 7):
        x = evolve_polynomial(arcs, 0, float(t)).x
        assert [place_along(arcs, 0, float(t), axis) for axis in range(3)] == pytest.approx(x, rel=1e-14, abs=1e-17)


def test_pushes_move_it_and_are_no_velocity() -> None:
    push = (0.3, -0.2, 0.1)
    plain, pushed = an_arc()[0], an_arc(push)[0]
    for t in (2.0, 2.0 + 0.4 * H, 2.0 + H):
        (x0, q0, v0, w0), (x1, q1, v1, w1) = evolve_polynomial(plain, 0, t), evolve_polynomial(pushed, 0, t)
        assert v0 == v1 and w0 == w1
    assert np.abs(np.subtract(x1, x0) - np.multiply(H, push)).max() < 1e-14
    assert np.abs(np.subtract(q1, q0)).max() > 1e-4


def test_it_is_never_faster_than_bounded() -> None:
    push = (0.3, -0.2, 0.1)
    arcs, v, v_end, w, w_end, flow, turn_flow = an_arc(push)
    arm = 0.7
    allowed = max(
        np.linalg.norm(v) + arm * np.linalg.norm(w), np.linalg.norm(v_end) + arm * np.linalg.norm(w_end)
    ) + excess_speed(arcs, 0, arm)
    step = 1e-6
    slack = 0.0
    for t in np.linspace(2.0, 2.0 + H - step, 40):
        x0, q0, _, w0 = evolve_polynomial(arcs, 0, float(t))
        x1, q1, _, _ = evolve_polynomial(arcs, 0, float(t) + step)
        turn = 2 * np.linalg.norm(np.subtract(q1, q0)) / step
        assert turn < arcs[0, OMEGA_MAX]
        assert np.linalg.norm(np.subtract(x1, x0)) / step + arm * turn < allowed
        slack = max(slack, float(np.linalg.norm(np.subtract(w0, w))))
    assert slack < arcs[0, POLY_SLACK]


def test_a_pause_ends_it() -> None:
    arcs, *_ = an_arc()
    q = (1.0, 0.0, 0.0, 0.0)
    pause_held(arcs, 0, 2.005, Motion((1.0, 2.0, 3.0), q, (1.0, 0.0, 0.0), (0.0, 0.0, 2.0)))
    from engine.motion.held import evolve_held

    x, _, v, w = evolve_held(arcs, 0, 2.005)
    assert x == (1.0, 2.0, 3.0) and v == (1.0, 0.0, 0.0) and w == (0.0, 0.0, 2.0)
