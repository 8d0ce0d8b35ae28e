"""The friction cone: projection, one contact solved exactly, and the residual that is zero when Coulomb's law holds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.solvers.cone import NO_FRICTION, cone_residual, contact_error, project_cone, project_cones, solve_contact

numbers = st.floats(-1e6, 1e6)
coefficients = st.sampled_from([0.0, 1e-3, 0.3, 1.0, 5.0])


@given(numbers, numbers, numbers, coefficients)
def test_projection_is_the_nearest_point(n: float, x: float, y: float, mu: float) -> None:
    """It is in the cone, and what was taken away is in the polar cone and perpendicular (Moreau)."""
    size = 1e-9 * (1 + abs(n) + abs(x) + abs(y))
    p = project_cone(n, x, y, mu)
    away = (n - p[0], x - p[1], y - p[2])
    assert np.hypot(p[1], p[2]) <= mu * p[0] + size
    assert mu * np.hypot(away[1], away[2]) <= -away[0] + size * (1 + mu)
    assert abs(np.dot(p, away)) <= size * (1 + abs(n) + abs(x) + abs(y))


def test_projection_by_contact_or_by_unknown() -> None:
    x = np.array([-1.0, 2.0])
    project_cones(x, NO_FRICTION)
    assert x.tolist() == [0, 2]
    x = np.array([1.0, 0.0, 3.0, -5.0, 1.0, 0.0])
    project_cones(x, np.array([1.0, 0.5]))
    np.testing.assert_allclose(x, [2, 0, 2, 0, 0, 0])


def check_contact(W: np.ndarray, q: np.ndarray, mu: float) -> str:
    """Coulomb's law of the answer, case by case; which case it is."""
    x = np.array(solve_contact(W[None].copy(), 0, (q[0], q[1], q[2]), mu))
    w = W @ x + q
    forces = 1e-9 * (1e-9 + abs(x).max())
    speeds = 1e-9 * (abs(q).max() + abs(W @ x).max())
    slip, friction = np.hypot(w[1], w[2]), np.hypot(x[1], x[2])
    assert x[0] >= 0 and w[0] >= -speeds and friction <= mu * x[0] + forces
    if x[0] == 0:
        return "apart"
    assert abs(w[0]) <= speeds
    if slip <= speeds:
        return "sticking"
    assert abs(friction - mu * x[0]) <= forces
    assert abs(w[1] * x[2] - w[2] * x[1]) <= 1e-8 * slip * (friction + forces)
    assert w[1] * x[1] + w[2] * x[2] <= 0
    return "sliding"


def test_one_contact_is_solved_exactly() -> None:
    rng = np.random.default_rng(5)
    cases = []
    for _ in range(2000):
        G = rng.normal(size=(3, 3)) * 10 ** rng.uniform(-1, 1, (3, 1))
        q = rng.normal(size=3) * 10 ** rng.uniform(-3, 3)
        cases.append(check_contact(G @ G.T, q, float(rng.choice([0.0, 0.1, 0.5, 1.0, 3.0]))))
    assert min(cases.count(kind) for kind in ("apart", "sticking", "sliding")) > 100


def test_contact_that_moves_in_a_plane_only() -> None:
    """No response along the second tangent: it must not be divided by."""
    rng = np.random.default_rng(6)
    for _ in range(300):
        W = np.zeros((3, 3))
        G = rng.normal(size=(2, 2))
        W[:2, :2] = G @ G.T
        check_contact(W, np.append(rng.normal(size=2), 0.0), 0.5)


def test_contact_that_cannot_be_pushed() -> None:
    assert solve_contact(np.zeros((1, 3, 3)), 0, (-1.0, 1.0, 0.0), 0.5) == (0, 0, 0)


def test_sliding_breaks_the_convex_law_only() -> None:
    """x on the cone's edge, w_n = 0 and slip against friction: Coulomb's law holds; the convex one lifts off."""
    x, w = (1.0, -0.5, 0.0), (0.0, 2.0, 0.0)
    assert contact_error(x, w, 0.5, 1.0) < 1e-15
    assert contact_error(x, w, 0.5, 0.0) > 0.1
    lifted = (1.0, 2.0, 0.0)
    assert contact_error(x, lifted, 0.5, 0.0) < 1e-15
    b = np.array([3.0, 0.0, 0.0])
    assert cone_residual(np.array(x), np.array(lifted), b, np.array([0.5]), 1.0) > 0.1


@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers), coefficients)
def test_error_is_the_distance_that_a_projected_step_moves(
    x: tuple[float, float, float], w: tuple[float, float, float], mu: float
) -> None:
    raised = w[0] + mu * np.hypot(w[1], w[2])
    p = project_cone(x[0] - raised, x[1] - w[1], x[2] - w[2], mu)
    size = 1e-12 * (1 + mu) ** 2 * (1 + max(map(abs, x)) + max(map(abs, w)))
    assert abs(contact_error(x, w, mu, 1.0) - max(abs(x[k] - p[k]) for k in range(3))) <= size


def test_huge_forces_do_not_hide_what_is_wrong() -> None:
    assert contact_error((4e18, -2e18, 0.0), (-1.0, 1.0, 0.0), 0.5, 0.0) == 1
