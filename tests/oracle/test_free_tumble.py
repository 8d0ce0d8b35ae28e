"""Free rotation against Taylor series to 40 digits, against scipy's integrator, and against what it must keep."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import permutations
from math import exp, hypot, nextafter, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import conjugate, multiply, normalize, rotate
from tests.oracle.free_tumble_reference import CASES, FILE, reference

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

IDENTITY: Quat = (1.0, 0.0, 0.0, 0.0)
REFERENCES = json.loads(FILE.read_text())

moment = st.floats(0.2, 3.0)
component = st.floats(-3.0, 3.0)
quaternion = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: sum(x * x for x in q) > 0.01).map(lambda q: normalize(q))
)


def angle_between(p: Quat, q: Quat) -> float:
    """Angle [rad] of the turn from p to q, good for small angles too."""
    r = multiply(conjugate(p), q)
    return 2.0 * hypot(r[1], r[2], r[3]) / hypot(*r)


def distance(a: Vec3, b: Vec3) -> float:
    return hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])


def energy(moments: Vec3, w: Vec3) -> float:
    return 0.5 * sum(i * x * x for i, x in zip(moments, w))


def world_momentum(moments: Vec3, q: Quat, w: Vec3) -> Vec3:
    return rotate(q, (moments[0] * w[0], moments[1] * w[1], moments[2] * w[2]))


def spread(moments: Vec3, w: Vec3, time: float) -> float:
    """How much two motions that differ by 1 (relative) at the start may differ after `time`, about.

    They part linearly, and exponentially while they linger near the middle axis: there the momentum is all about it.
    """
    i1, i2, i3 = sorted(moments, reverse=True)
    momentum = hypot(*[i * x for i, x in zip(moments, w)])
    saddle = momentum / i2 * sqrt((i1 - i2) * (i2 - i3) / (i1 * i3))
    return (1.0 + momentum / i3 * abs(time)) * exp(saddle * abs(time))


@pytest.mark.parametrize("name", REFERENCES)
def test_attitude_and_spin_match_the_reference(name: str) -> None:
    case = REFERENCES[name]
    q, w = rotate_free(tuple(case["moments"]), IDENTITY, tuple(case["w"]), case["time"])
    turned = hypot(*case["w"]) * abs(case["time"])
    assert angle_between(tuple(case["attitude"]), q) < 2e-15 * turned < 1e-11
    assert distance(w, case["w_end"]) < 2e-15 * turned * hypot(*w)


def test_reference_file_holds_every_case() -> None:
    assert {name: (tuple(c["moments"]), tuple(c["w"]), c["time"]) for name, c in REFERENCES.items()} == CASES


@pytest.mark.slow
@pytest.mark.parametrize("name", ["separatrix - 1e-10", "middle moment first"])
def test_reference_file_is_what_its_script_computes(name: str) -> None:
    attitude, w_end = reference(*CASES[name])
    assert attitude == REFERENCES[name]["attitude"]
    assert w_end == REFERENCES[name]["w_end"]


def test_plain_python_gives_the_same() -> None:
    names = ["about the largest moment", "separatrix - 1e-10", "top", "sphere", "needle"]
    cases = [(REFERENCES[n]["moments"], REFERENCES[n]["w"], REFERENCES[n]["time"]) for n in names]
    program = (
        "import json, sys\n"
        "from engine.maths.free_rotation import rotate_free\n"
        "q = (1.0, 0.0, 0.0, 0.0)\n"
        "print(json.dumps([rotate_free(tuple(m), q, tuple(w), t) for m, w, t in json.load(sys.stdin)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(cases),
        cwd=Path(__file__).parents[2],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    for (moments, w, time), (q_plain, w_plain) in zip(cases, json.loads(done.stdout), strict=True):
        q, w_end = rotate_free(tuple(moments), IDENTITY, tuple(w), time)
        assert angle_between(q, tuple(q_plain)) < 1e-11
        assert distance(w_end, w_plain) < 1e-11 * hypot(*w)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("time", [1000.0, -1000.0, 1000.0 / 7.0])
def test_energy_and_momentum_stay_in_one_long_step(name: str, time: float) -> None:
    moments, w = tuple(REFERENCES[name]["moments"]), tuple(REFERENCES[name]["w"])
    start = normalize((0.3, -0.5, 0.2, 0.7))
    q, w_end = rotate_free(moments, start, w, time)
    before, after = world_momentum(moments, start, w), world_momentum(moments, q, w_end)
    assert distance(before, after) < 3e-15 * hypot(*before)
    assert abs(energy(moments, w_end) / energy(moments, w) - 1.0) < 3e-15
    assert abs(hypot(*q) - 1.0) < 1e-15


@pytest.mark.parametrize("name", ["about the largest moment", "separatrix - 1e-10", "backwards", "top", "sphere"])
def test_energy_and_momentum_stay_in_many_short_steps(name: str) -> None:
    moments, w = tuple(REFERENCES[name]["moments"]), tuple(REFERENCES[name]["w"])
    q, w_now = IDENTITY, w
    for _ in range(100_000):
        q, w_now = rotate_free(moments, q, w_now, 0.01)
    before, after = world_momentum(moments, IDENTITY, w), world_momentum(moments, q, w_now)
    assert distance(before, after) < 1e-12 * hypot(*before)
    assert abs(energy(moments, w_now) / energy(moments, w) - 1.0) < 1e-12
    assert abs(hypot(*q) - 1.0) < 1e-15


@settings(max_examples=300)
@given(
    st.tuples(moment, moment, moment),
    quaternion,
    st.tuples(component, component, component),
    st.floats(-1.0, 1.0),
    st.floats(-1.0, 1.0),
)
def test_two_steps_are_one(moments: Vec3, q: Quat, w: Vec3, dt1: float, dt2: float) -> None:
    once_q, once_w = rotate_free(moments, q, w, dt1 + dt2)
    twice_q, twice_w = rotate_free(moments, *rotate_free(moments, q, w, dt1), dt2)
    bound = 1e-14 * spread(moments, w, abs(dt1) + abs(dt2))
    assert angle_between(once_q, twice_q) < bound
    assert distance(once_w, twice_w) <= bound * hypot(*w)


@settings(max_examples=300)
@given(st.tuples(moment, moment, moment), quaternion, st.tuples(component, component, component), st.floats(-2.0, 2.0))
def test_running_back_returns(moments: Vec3, q: Quat, w: Vec3, dt: float) -> None:
    back_q, back_w = rotate_free(moments, *rotate_free(moments, q, w, dt), -dt)
    bound = 1e-14 * spread(moments, w, 2.0 * dt)
    assert angle_between(q, back_q) < bound
    assert distance(w, back_w) <= bound * hypot(*w)


@settings(max_examples=300)
@given(
    st.tuples(moment, moment, moment),
    st.tuples(st.floats(-1e40, 1e40), st.floats(-1e40, 1e40), st.floats(-1e40, 1e40)),
    st.floats(-1e9, 1e9),
)
def test_any_spin_for_any_time_keeps_momentum_and_energy(moments: Vec3, w: Vec3, dt: float) -> None:
    q, w_end = rotate_free(moments, IDENTITY, w, dt)
    before, after = world_momentum(moments, IDENTITY, w), world_momentum(moments, q, w_end)
    assert distance(before, after) <= 1e-14 * hypot(*before)
    assert abs(energy(moments, w_end) - energy(moments, w)) <= 1e-14 * energy(moments, w)
    assert abs(hypot(*q) - 1.0) < 1e-15


def slope(moments: Vec3, y: np.ndarray) -> np.ndarray:
    """Euler's equations and the attitude's: d/dt of (w, q)."""
    i, w, q = np.array(moments), y[:3], y[3:]
    return np.concatenate([np.cross(i * w, w) / i, 0.5 * np.array(multiply(tuple(q), (0.0, *w)))])


def test_random_bodies_match_a_runge_kutta_integration() -> None:
    rng = np.random.default_rng(7)
    for trial in range(60):
        i = rng.uniform(0.5, 3.0, 3)
        if trial % 4 == 0:  # a top, about each axis in turn
            i[trial // 4 % 3] = i[(trial // 4 + 1) % 3]
        moments, w = tuple(i.tolist()), tuple(rng.normal(0.0, 2.0, 3).tolist())
        q, time = tuple(normalize(tuple(rng.normal(size=4).tolist()))), float(rng.uniform(-4.0, 4.0))
        run = solve_ivp(lambda _t, y, m=moments: slope(m, y), (0.0, time), [*w, *q], "DOP853", rtol=1e-13, atol=1e-14)
        end_q, end_w = rotate_free(moments, q, w, time)
        assert np.abs(run.y[:3, -1] - end_w).max() < 1e-10
        assert np.abs(run.y[3:, -1] - end_q).max() < 1e-10


@pytest.mark.parametrize("w", [(1.1, -0.4, 2.0), (-2.0, 0.3, 0.6), (0.5, 2.0, -0.5)])
def test_naming_the_axes_otherwise_changes_nothing(w: Vec3) -> None:
    """The same body in all 24 right-handed frames along its principal axes."""
    moments = (1.3, 0.8, 0.5)
    q, w_end = rotate_free(moments, IDENTITY, w, 3.0)
    for order in permutations(range(3)):
        even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
            s = [x if even else -x for x in signs]
            named = tuple(s[i] * w[order[i]] for i in range(3))
            r, v = rotate_free(tuple(moments[o] for o in order), IDENTITY, named, 3.0)
            assert distance(v, tuple(s[i] * w_end[order[i]] for i in range(3))) < 1e-14
            assert distance(r[1:], tuple(s[i] * q[1 + order[i]] for i in range(3))) < 1e-14
            assert abs(r[0] - q[0]) < 1e-14


@pytest.mark.parametrize("moments", [(0.7, 0.7, 0.7), (0.7, 0.7, 0.4), (0.4, 0.7, 0.7), (0.7, 0.4, 0.7)])
@pytest.mark.parametrize("w", [(1.0, -2.0, 0.5), (2.0, 1e-9, 1e-9), (1e-7, 3.0, 0.0)])
def test_moments_equal_but_for_a_bit_are_as_good_as_equal(moments: Vec3, w: Vec3) -> None:
    q, w_end = rotate_free(moments, IDENTITY, w, 30.0)
    for axis in range(3):
        near = list(moments)
        near[axis] = nextafter(near[axis], 1.0)
        r, v = rotate_free(tuple(near), IDENTITY, w, 30.0)
        assert angle_between(q, r) < 1e-13
        assert distance(w_end, v) < 1e-13


@pytest.mark.parametrize("axis", range(3))
def test_spin_about_a_principal_axis_stays(axis: int) -> None:
    w = tuple(2.0 if i == axis else 0.0 for i in range(3))
    q, w_end = rotate_free((3.0, 2.0, 1.0), IDENTITY, w, pi / 4)
    assert w_end == w
    assert angle_between(q, tuple([sqrt(0.5)] + [sqrt(0.5) if i == axis else 0.0 for i in range(3)])) < 1e-15


@pytest.mark.parametrize("moments", [(1.0, 1.0, 1.0), (1.0, 1.0, 2.0), (1.0, 2.0, 3.0)])
def test_no_spin_or_no_time_is_no_motion(moments: Vec3) -> None:
    q = normalize((0.1, 0.2, -0.3, 0.4))
    r, v = rotate_free(moments, q, (0.0, 0.0, 0.0), 1e3)
    assert angle_between(q, r) < 1e-15
    assert v == (0.0, 0.0, 0.0)
    assert rotate_free(moments, q, (1.0, 2.0, 3.0), 0.0) == (q, (1.0, 2.0, 3.0))


@pytest.mark.parametrize("name", ["about the largest moment", "about the smallest moment", "separatrix + 1e-6"])
def test_motion_has_no_jumps(name: str) -> None:
    """Two times one rounding apart give attitudes some roundings apart, also where series, periods and signs change."""
    moments, w = tuple(REFERENCES[name]["moments"]), tuple(REFERENCES[name]["w"])
    for time in np.geomspace(1e-6, 60.0, 4000).tolist():
        q, w1 = rotate_free(moments, IDENTITY, w, time)
        r, w2 = rotate_free(moments, IDENTITY, w, nextafter(time, 1e9))
        assert angle_between(q, r) < 2e-15 * (1.0 + hypot(*w) * time)
        assert distance(w1, w2) < 2e-15 * (1.0 + hypot(*w) * time) * hypot(*w)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_shows(bad: float) -> None:
    q, w = rotate_free((1.0, 2.0, 3.0), IDENTITY, (bad, 1.0, 2.0), 1.0)
    assert not np.isfinite(q).all()
    assert not np.isfinite(w).all()
