"""Collisions whose end is known, laws that hold for every collision, and inputs that are none."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from math import atan2, cos, degrees, hypot, inf, isclose, nan, pi, sin, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.impulse.collision_matrix import K6, multiply_k
from engine.impulse.integration import IMMOVABLE, NOT_FINITE, OK, SEPARATING, integrate_collision
from engine.impulse.straight import diverging_ray, sticking_impulse
from engine.kernel import array_kernel
from tests.collisions import Vec3, random_collision

# A solid ball of 1 kg on a floor; and the matrix of Mirtich's figure 3.3.
BALL: K6 = (3.5, 3.5, 1.0, 0.0, 0.0, 0.0)
FIGURE_3_3: K6 = (8.0, 3.0, 5.0, -1.0, 1.0, -2.0)


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("mu", [0.0, 0.05, 0.2])
def test_a_ball_that_slides_all_the_way(e: float, mu: float) -> None:
    p, u, work, normal_work, status = integrate_collision(BALL, (1.2, 1.6, -1.0), mu, mu, e)
    push = 1.0 + e
    assert status == OK
    np.testing.assert_allclose(p, (-0.6 * mu * push, -0.8 * mu * push, push), rtol=0.0, atol=1e-15)
    slip = 2.0 - 3.5 * mu * push
    np.testing.assert_allclose(u, (0.6 * slip, 0.8 * slip, e), rtol=0.0, atol=4e-15)
    assert isclose(normal_work, 0.5 * (e * e - 1.0), abs_tol=1e-15)
    assert isclose(work, normal_work - 0.5 * mu * push * (2.0 + slip), abs_tol=1e-15)


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("mu", [0.6, 1.0, 10.0])
def test_a_ball_comes_to_roll_in_one_hit_if_friction_is_strong(e: float, mu: float) -> None:
    p, u, _, _, status = integrate_collision(BALL, (1.2, 1.6, -1.0), mu, mu, e)
    assert status == OK
    np.testing.assert_allclose(p, (-1.2 / 3.5, -1.6 / 3.5, 1.0 + e), rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(u, (0.0, 0.0, e), rtol=0.0, atol=1e-15)


def test_without_friction_stronge_is_newton() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        case = random_collision(rng)
        p, u, work, normal_work, status = integrate_collision(case.k6, case.u3, 0.0, 0.0, case.e)
        push = -(1.0 + case.e) * case.u[2] / case.k[2, 2]
        assert status == OK
        np.testing.assert_allclose(p, (0.0, 0.0, push), rtol=1e-14, atol=0.0)
        np.testing.assert_allclose(
            u, case.u + case.k[:, 2] * push, rtol=0.0, atol=1e-13 * np.abs(case.u).max() + 1e-300
        )
        exact = -0.5 * (1.0 - case.e**2) * case.u[2] ** 2 / case.k[2, 2]
        assert isclose(work, exact, rel_tol=1e-13, abs_tol=1e-15 * case.u[2] ** 2 / case.k[2, 2])
        assert isclose(normal_work, exact, rel_tol=1e-13, abs_tol=1e-15 * case.u[2] ** 2 / case.k[2, 2])


def test_slip_arises_along_the_diverging_ray() -> None:
    e = 0.4
    _, u, _, _, status = integrate_collision(FIGURE_3_3, (0.0, 0.0, -2.0), 0.2, 0.2, e)
    x, y = diverging_ray(FIGURE_3_3, 0.2)
    rates = multiply_k(FIGURE_3_3, (-0.2 * x, -0.2 * y, 1.0))
    assert status == OK
    assert round(degrees(atan2(u[1], u[0]))) == -71
    np.testing.assert_allclose(u, np.array([rates[0], rates[1], 0.0]) / rates[2] * 2.8 + [0, 0, 0.8], atol=1e-13)


def test_slip_that_runs_in_on_the_converging_ray_goes_out_on_the_diverging_one() -> None:
    # A slip of constant direction stops after p_z = |u_t| / rate; from there on it is as if it had started at rest.
    angle = next(a for a in np.linspace(2.5, 2.6, 400001) if _across(a) * _across(a + 2.5e-7) <= 0.0)
    u = (0.05 * cos(angle), 0.05 * sin(angle), -2.0)
    _, after, _, _, status = integrate_collision(FIGURE_3_3, u, 0.2, 0.2, 0.0)
    assert round(degrees(angle)) == 147 and status == OK
    assert round(degrees(atan2(after[1], after[0]))) == -71
    rate = multiply_k(FIGURE_3_3, (-0.2 * cos(angle), -0.2 * sin(angle), 1.0))
    stop = 0.05 / hypot(rate[0], rate[1])
    x, y = diverging_ray(FIGURE_3_3, 0.2)
    out = multiply_k(FIGURE_3_3, (-0.2 * x, -0.2 * y, 1.0))
    left = (2.0 - rate[2] * stop) / out[2]
    np.testing.assert_allclose(after, (out[0] * left, out[1] * left, 0.0), rtol=0.0, atol=1e-6)


def _across(angle: float) -> float:
    rate = multiply_k(FIGURE_3_3, (-0.2 * cos(angle), -0.2 * sin(angle), 1.0))
    return cos(angle) * rate[1] - sin(angle) * rate[0]


@pytest.mark.parametrize("slip", [0.0, 1e-9, 0.05, 0.4])
def test_stable_sticking_ends_all_slip(slip: float) -> None:
    for angle in np.linspace(0.0, 2.0 * pi, 17):
        u = (slip * cos(angle), slip * sin(angle), -2.0)
        p, after, work, _, status = integrate_collision(FIGURE_3_3, u, 0.6, 0.6, 0.5)
        assert status == OK and work < 0.0
        assert hypot(after[0], after[1]) <= 1e-14
        assert after[2] > 0.9
        assert hypot(p[0], p[1]) <= 0.6 * p[2]


def test_from_rest_stable_sticking_bounces_by_e_and_keeps_no_slip() -> None:
    k = np.array([[8.0, -2.0, 1.0], [-2.0, 3.0, -1.0], [1.0, -1.0, 5.0]])
    p, after, _, _, _ = integrate_collision(FIGURE_3_3, (0.0, 0.0, -2.0), 0.6, 0.6, 0.5)
    np.testing.assert_allclose(after, (0.0, 0.0, 1.0), rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(p, np.linalg.solve(k, [0.0, 0.0, 3.0]), rtol=1e-13)


def test_static_friction_counts_for_sticking_only() -> None:
    hold = sticking_impulse(FIGURE_3_3)
    needed = hypot(hold[0], hold[1])
    _, held, _, _, _ = integrate_collision(FIGURE_3_3, (0.0, 0.0, -1.0), 1.01 * needed, 0.1, 0.5)
    assert hypot(held[0], held[1]) <= 1e-14
    _, loose, _, _, _ = integrate_collision(FIGURE_3_3, (0.0, 0.0, -1.0), 0.99 * needed, 0.1, 0.5)
    assert hypot(loose[0], loose[1]) > 0.01
    fast = (3.0, 1.0, -1.0)
    assert integrate_collision(FIGURE_3_3, fast, 0.9, 0.1, 0.5) == integrate_collision(FIGURE_3_3, fast, 0.1, 0.1, 0.5)
    # Less static than dynamic friction means nothing: sticking is then as strong as sliding.
    weak = integrate_collision(FIGURE_3_3, (0.0, 0.0, -1.0), 0.0, 1.01 * needed, 0.5)
    assert weak == integrate_collision(FIGURE_3_3, (0.0, 0.0, -1.0), 1.01 * needed, 1.01 * needed, 0.5)


def test_a_force_that_pulls_the_bodies_together_ends_all_the_same() -> None:
    # A thin rod that leans forward and slides, its tip pulled in: K33 < mu K13. u_z falls at first.
    lean = np.array([sin(1.1), 0.0, cos(1.1)])
    m = 4.0 * np.eye(3) - 3.0 * np.outer(lean, lean)
    k: K6 = (m[0, 0], m[1, 1], m[2, 2], m[1, 2], m[0, 2], m[0, 1])
    mu = 3.0
    with_the_lean = np.sign(m[0, 2])
    assert m[2, 2] - mu * m[0, 2] * with_the_lean < 0.0
    for slip in (-1.0, 1.0):
        _, after, work, _, status = integrate_collision(k, (slip, 0.0, -0.1), mu, mu, 0.5)
        assert status == OK and after[2] > 0.0 and work < 0.0
    # In the one direction the tip digs in: pushed much harder than its approach alone asks for.
    digs, _, _, _, _ = integrate_collision(k, (with_the_lean, 0.0, -0.1), mu, mu, 0.5)
    glides, _, _, _, _ = integrate_collision(k, (-with_the_lean, 0.0, -0.1), mu, mu, 0.5)
    assert digs[2] > 3.0 * 0.15 / m[2, 2] > 3.0 * glides[2]


def test_the_answer_turns_and_scales_with_the_question() -> None:
    rng = np.random.default_rng(8)
    for _ in range(100):
        case = random_collision(rng)
        if abs(case.margin) < 1e-4:
            continue
        p, u, work, normal_work, _ = integrate_collision(case.k6, case.u3, case.mu_static, case.mu_dynamic, case.e)
        a = rng.uniform(0.0, 2.0 * pi)
        turn = np.array([[cos(a), -sin(a), 0.0], [sin(a), cos(a), 0.0], [0.0, 0.0, 1.0]])
        turned = case._replace(k=turn @ case.k @ turn.T * 16.0, u=turn @ case.u * 0.25)
        p2, u2, work2, normal_work2, _ = integrate_collision(
            turned.k6, turned.u3, case.mu_static, case.mu_dynamic, case.e
        )
        size = float(np.linalg.norm(case.u))
        np.testing.assert_allclose(np.array(u2) * 4.0, turn @ np.array(u), rtol=0.0, atol=1e-6 * size)
        np.testing.assert_allclose(np.array(p2) * 64.0, turn @ np.array(p), rtol=0.0, atol=1e-6 * hypot(*p))
        assert isclose(work2 * 256.0, work, rel_tol=1e-5)
        assert isclose(normal_work2 * 256.0, normal_work, rel_tol=1e-5, abs_tol=1e-5 * abs(work))


@pytest.mark.parametrize("rank", [1, 2])
def test_singular_matrices_get_an_impulse_that_obeys_the_laws(rank: int) -> None:
    rng = np.random.default_rng(rank)
    solved = 0
    for _ in range(200):
        columns = rng.normal(size=(3, rank))
        m = columns @ columns.T
        k: K6 = (m[0, 0], m[1, 1], m[2, 2], m[1, 2], m[0, 2], m[0, 1])
        u = m @ rng.normal(size=3)
        u *= -np.sign(u[2])
        mu = rng.uniform(0.0, 1.5)
        p, after, work, _, status = integrate_collision(k, (u[0], u[1], u[2]), mu, mu, rng.uniform(0.0, 1.0))
        if status == IMMOVABLE:
            continue
        solved += 1
        assert status == OK
        assert work <= 0.0
        assert after[2] >= -1e-7 * np.linalg.norm(u)
        assert hypot(p[0], p[1]) <= mu * p[2] * (1.0 + 1e-6)
    assert solved == 200


@pytest.mark.parametrize(
    ("k", "u", "mu", "e", "status"),
    [
        (BALL, (1.0, 0.0, 0.0), 0.5, 0.5, SEPARATING),
        (BALL, (1.0, 0.0, 1.0), 0.5, 0.5, SEPARATING),
        ((0.0,) * 6, (1.0, 0.0, -1.0), 0.5, 0.5, IMMOVABLE),
        (BALL, (nan, 0.0, -1.0), 0.5, 0.5, NOT_FINITE),
        (BALL, (1.0, 0.0, -inf), 0.5, 0.5, NOT_FINITE),
        ((nan, 3.5, 1.0, 0.0, 0.0, 0.0), (1.0, 0.0, -1.0), 0.5, 0.5, NOT_FINITE),
        (BALL, (1.0, 0.0, -1.0), inf, 0.5, NOT_FINITE),
        (BALL, (1.0, 0.0, -1.0), 0.5, nan, NOT_FINITE),
    ],
)
def test_what_is_no_collision_gets_no_impulse(k: K6, u: Vec3, mu: float, e: float, status: int) -> None:
    p, after, work, normal_work, found = integrate_collision(k, u, mu, mu, e)
    assert found == status
    assert p == (0.0, 0.0, 0.0) and work == 0.0 and normal_work == 0.0
    np.testing.assert_array_equal(after, u)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e100])
def test_extreme_speeds(scale: float) -> None:
    usual = integrate_collision(FIGURE_3_3, (1.0, 0.5, -1.0), 0.3, 0.3, 0.5)
    _, after, _, _, status = integrate_collision(FIGURE_3_3, (scale, 0.5 * scale, -scale), 0.3, 0.3, 0.5)
    assert status == OK
    np.testing.assert_allclose(np.array(after) / scale, usual[1], rtol=1e-6, atol=1e-9)


@array_kernel
def _violations(count: int) -> NDArray[np.int64]:
    """How many collisions create energy, by their own figure or by Theorem 11, leave the cone, approach, fail."""
    np.random.seed(4)
    found = np.zeros(5, dtype=np.int64)
    for _ in range(count):
        xx, yy, zz, yz, xz, xy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for _ in range(np.random.randint(1, 4)):
            x, y, z = np.random.normal(), np.random.normal(), np.random.normal()
            weight = 10.0 ** np.random.uniform(-2.0, 2.0)
            xx, yy, zz = xx + weight * x * x, yy + weight * y * y, zz + weight * z * z
            yz, xz, xy = yz + weight * y * z, xz + weight * x * z, xy + weight * x * y
        mass = 10.0 ** np.random.uniform(-2.0, 1.0)
        k = (xx + mass, yy + mass, zz + mass, yz, xz, xy)
        u = (np.random.normal(), np.random.normal(), -abs(np.random.normal()) - 1e-9)
        mu = 0.0 if np.random.random() < 0.1 else 10.0 ** np.random.uniform(-9.0, 0.7)
        e = min(np.random.random() * 1.3, 1.0)
        p, after, work, normal_work, status = integrate_collision(k, u, mu, mu, e)
        size = u[0] ** 2 + u[1] ** 2 + u[2] ** 2
        gained = 0.0
        for i in range(3):
            gained += 0.5 * (u[i] + after[i]) * p[i]
        found[0] += not work <= 0.0
        found[1] += not gained <= 4e-15 * size / mass
        found[2] += not sqrt(p[0] ** 2 + p[1] ** 2) <= mu * p[2] * (1.0 + 1e-6) + 1e-15 * p[2]
        found[3] += not after[2] >= -1e-14 * sqrt(size) * zz / mass
        found[4] += status != 0 or not normal_work <= 0.0
    return found


def test_a_million_collisions_create_no_energy() -> None:
    np.testing.assert_array_equal(_violations(1_000_000), [0, 0, 0, 0, 0])


def test_it_is_the_same_in_plain_python() -> None:
    cases: list[Vec3] = [(1.0, 0.5, -1.0), (0.0, 0.0, -1.0), (0.1, 0.0, -1.0), (1.0, 0.0, 1.0)]
    program = (
        "from engine.impulse.integration import integrate_collision as f\n"
        f"k = {FIGURE_3_3}\n"
        f"print([f(k, u, 0.3, 0.2, 0.5) for u in {cases}])\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    out = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    plain = np.array([[*p, *u, w, n, s] for p, u, w, n, s in ast.literal_eval(out.stdout)])
    compiled = [integrate_collision(FIGURE_3_3, u, 0.3, 0.2, 0.5) for u in cases]
    np.testing.assert_allclose(plain, [[*p, *u, w, n, s] for p, u, w, n, s in compiled], rtol=0.0, atol=1e-13)
