"""Three-vectors against numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.maths import vectors

Vec3 = tuple[float, float, float]

number = st.floats(-1e3, 1e3).filter(lambda x: x == 0.0 or abs(x) > 1e-60)  # squares must not underflow
vector = st.tuples(number, number, number)
direction = vector.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: tuple((v / np.linalg.norm(v)).tolist()))


@settings(deadline=None)  # the first call compiles
@given(vector, vector, number)
def test_sums_and_products_are_numpys(a: Vec3, b: Vec3, s: float) -> None:
    u, v = np.array(a), np.array(b)
    assert vectors.add(a, b) == tuple(u + v)
    assert vectors.sub(a, b) == tuple(u - v)
    assert vectors.scale(a, s) == tuple(s * u)
    np.testing.assert_allclose(vectors.add_scaled(a, b, s), u + s * v, rtol=1e-14, atol=1e-9)
    np.testing.assert_allclose(vectors.dot(a, b), u @ v, rtol=1e-14, atol=1e-9)
    np.testing.assert_allclose(vectors.cross(a, b), np.cross(u, v), rtol=1e-14, atol=1e-9)
    np.testing.assert_allclose(vectors.norm(a), np.linalg.norm(u), rtol=1e-14)


@settings(deadline=None)
@given(vector, vector)
def test_cross_product_is_perpendicular_and_turns_with_its_factors(a: Vec3, b: Vec3) -> None:
    c = vectors.cross(a, b)
    size = vectors.norm(a) * vectors.norm(b)
    assert abs(vectors.dot(a, c)) <= 1e-14 * size * vectors.norm(a)
    assert vectors.cross(b, a) == tuple(-x for x in c)
    assert vectors.cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) == (0.0, 0.0, 1.0)


@settings(deadline=None)
@given(direction)
def test_a_perpendicular_is_a_unit_vector_at_right_angles(n: Vec3) -> None:
    p = vectors.any_perpendicular(n)
    assert abs(vectors.dot(n, p)) < 1e-15
    assert abs(vectors.norm(p) - 1.0) < 1e-15


def test_a_perpendicular_exists_for_every_axis() -> None:
    for axis in range(3):
        for sign in (1.0, -1.0):
            n = tuple(sign if i == axis else 0.0 for i in range(3))
            p = vectors.any_perpendicular(n)
            assert vectors.dot(n, p) == 0.0
            assert vectors.norm(p) == 1.0
