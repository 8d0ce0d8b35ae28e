"""K against numpy: the definition, frames, factors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from engine.impulse.collision_matrix import (
    K6,
    add_k,
    factor_k,
    multiply_k,
    response,
    solve_k,
    to_frame,
    without_rounding,
)

Quat = tuple[float, float, float, float]
Vec3 = tuple[float, float, float]


def matrix(k: K6) -> NDArray[np.float64]:
    xx, yy, zz, yz, xz, xy = k
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def vector(v: NDArray[np.float64]) -> Vec3:
    return (float(v[0]), float(v[1]), float(v[2]))


def random_body(rng: np.random.Generator) -> tuple[float, Vec3, Rotation, Vec3]:
    return (
        rng.uniform(0.1, 10.0),
        vector(rng.uniform(0.1, 5.0, 3)),
        Rotation.random(random_state=rng),
        vector(rng.normal(size=3)),
    )


def quat(turn: Rotation) -> Quat:
    x, y, z, w = turn.as_quat()
    return (float(w), float(x), float(y), float(z))


def definition(inv_mass: float, inv_moments: Vec3, turn: Rotation, r: Vec3) -> NDArray[np.float64]:
    """(3.4) of Mirtich 1996, for one body."""
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    inertia = turn.as_matrix() @ np.diag(inv_moments) @ turn.as_matrix().T
    return np.asarray(inv_mass * np.eye(3) - cross @ inertia @ cross)


@pytest.mark.parametrize("seed", range(20))
def test_response_is_the_definition(seed: int) -> None:
    inv_mass, inv_moments, turn, r = random_body(np.random.default_rng(seed))
    ours = matrix(response(inv_mass, inv_moments, quat(turn), r))
    np.testing.assert_allclose(
        ours, definition(inv_mass, inv_moments, turn, r), rtol=0.0, atol=1e-13 * np.abs(ours).max()
    )


def test_a_ball_answers_alike_in_every_direction_along_the_surface() -> None:
    n, t1, t2 = (0.6, 0.0, 0.8), (0.8, 0.0, -0.6), (0.0, -1.0, 0.0)
    k = to_frame(response(2.0, (5.0, 5.0, 5.0), (0.5, 0.5, 0.5, 0.5), (-0.3, 0.0, -0.4)), t1, t2, n)
    np.testing.assert_allclose(k, (2.0 + 5.0 * 0.25, 2.0 + 5.0 * 0.25, 2.0, 0.0, 0.0, 0.0), rtol=0.0, atol=1e-15)


def test_immovable_bodies_do_not_answer() -> None:
    assert response(0.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0)) == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(10))
def test_frames_factors_and_solutions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (response(m, i, quat(q), r) for m, i, q, r in (random_body(rng), random_body(rng)))
    axes = Rotation.random(random_state=rng).as_matrix()
    k = to_frame(add_k(one, other), vector(axes[0]), vector(axes[1]), vector(axes[2]))
    exact = axes @ (matrix(one) + matrix(other)) @ axes.T
    np.testing.assert_allclose(matrix(k), exact, rtol=0.0, atol=1e-12 * np.abs(exact).max())
    u = vector(rng.normal(size=3))
    np.testing.assert_allclose(multiply_k(k, u), exact @ u, rtol=1e-10, atol=1e-12)
    factor, definite = factor_k(k)
    assert definite
    np.testing.assert_allclose(solve_k(factor, u), np.linalg.solve(exact, u), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "k", [(0.0,) * 6, (1.0, 0.0, 1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 0.0, 1.0, 0.0)]
)
def test_a_singular_matrix_has_no_factor(k: K6) -> None:
    assert not factor_k(k)[1]


@pytest.mark.parametrize("seed", range(10))
def test_what_is_rounding_of_a_matrix_is_left_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for rank in range(4):
        ways = rng.normal(size=(3, rank))
        exact = ways @ ways.T
        noise = 1e-14 * rng.normal(size=(3, 3))
        rough = exact + noise + noise.T
        kept = matrix(without_rounding(six(rough), 1e-12))
        np.testing.assert_allclose(kept, exact, rtol=0.0, atol=1e-12)
        sizes = np.linalg.eigvalsh(kept)
        assert sizes.min() >= -1e-15 * max(sizes.max(), 1.0)  # never indefinite
        assert np.abs(sizes[: 3 - rank]).max(initial=0.0) < 1e-15 * max(sizes.max(), 1.0)


def six(k: NDArray[np.float64]) -> K6:
    return (k[0, 0], k[1, 1], k[2, 2], k[1, 2], k[0, 2], k[0, 1])
