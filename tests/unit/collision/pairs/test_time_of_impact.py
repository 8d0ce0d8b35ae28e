"""TOI bounds are never late: before the bound, the gap has not fallen by the slack."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine.collision.pairs.time_of_impact import Turning, bound_fall, bound_in_frame, first_root
from engine.geometry.pool import build_pool, support
from engine.geometry.shapes import box, capsule, cone, cylinder, ellipsoid, sphere, superquadric
from engine.maths.free_rotation import rotate_free
from engine.maths.quaternions import normalize, rotate, rotate_inverse

SHAPES = [box([0.3, 0.2, 0.1]), box([0.5, 0.02, 0.5]), capsule(0.05, 0.4), sphere(0.1)]
SHAPES += [cylinder(0.2, 0.05), cone(0.1, 0.3), ellipsoid((0.3, 0.2, 0.1)), superquadric((0.3, 0.2, 0.1), (4.0, 4.0))]
MOMENTS = [(2.0, 3.0, 4.0), (1.0, 1.01, 1.9), (3.0, 3.0, 1.0), (1.0, 1.0, 1.0)]
MOMENTS += [(1.0, 1.0, 1.9), (2.0, 2.0, 1.0), (2.0, 3.0, 4.0), (2.0, 3.0, 4.0)]


@pytest.mark.parametrize(
    ("a", "b", "c", "root"),
    [(1.0, 0.0, 4.0, 2.0), (0.0, 2.0, 4.0, 2.0), (0.0, -1.0, 1.0, inf), (-1.0, 1.0, 1.0, inf), (-1.0, -3.0, 1.0, inf)],
)
def test_first_roots(a: float, b: float, c: float, root: float) -> None:
    assert first_root(a, b, c) == root


def test_roots_do_not_cancel() -> None:
    # a tau^2 + b tau = c with b large and negative: tau = -b / a (1 + a c / b^2 ...)
    assert first_root(1.0, -1e8, 1.0) == pytest.approx(1e8, rel=1e-15)
    assert first_root(1e-12, 1e3, 1.0) == pytest.approx(1e-3, rel=1e-15)


def test_the_gap_never_falls_faster_than_bounded() -> None:
    rng = np.random.default_rng(7)
    pool = build_pool(SHAPES)
    bounded = 0
    for _ in range(1200):
        kinds = rng.integers(0, len(SHAPES), 2)
        n = tuple(rng.normal(size=3))
        n = tuple(np.array(n) / np.linalg.norm(n))
        down = tuple(-c for c in n)
        q = [normalize(tuple(rng.normal(size=4))) for _ in range(2)]
        spin = rng.choice([0.0, 1.0, 30.0])
        w = [tuple(spin * rng.normal(size=3)) for _ in range(2)]
        accel, speed = rng.choice([0.0, 4.905, -4.905]), rng.normal()
        slack = 10.0 ** rng.uniform(-6, 0)
        turn, w_body = [], []
        for k in range(2):
            moments = MOMENTS[kinds[k]]
            body = rotate_inverse(q[k], w[k])
            w_body.append(body)
            top = np.sqrt(np.dot(moments, np.square(body)) / min(moments))
            x, y, z = moments
            kappa = max(abs(y - z) / x, abs(z - x) / y, abs(x - y) / z) / np.sqrt(3)
            arm = SHAPES[kinds[k]].bounding_radius - SHAPES[kinds[k]].radius
            turn.append(0.5 * arm * top**2 * (1 + kappa))
        a = Turning(int(kinds[0]), 0, q[0], w[0], down, turn[0])
        b = Turning(int(kinds[1]), 0, q[1], w[1], n, turn[1])
        tau, _, _ = bound_fall(pool.geometry, pool.topology, a, b, accel, speed, slack)
        assert tau > 0.0
        if tau == inf:
            continue
        bounded += 1
        start = _reach(pool, kinds, q, n)
        for part in (0.25, 0.5, 0.9, 0.999):
            dt = part * tau
            later = [rotate_free(MOMENTS[kinds[k]], q[k], w_body[k], dt)[0] for k in range(2)]
            fall = accel * dt**2 + speed * dt + _reach(pool, kinds, later, n) - start
            assert fall <= slack * (1 + 1e-9) + 1e-13
    assert bounded > 600


def test_nor_does_it_seen_from_a_turning_body() -> None:
    rng = np.random.default_rng(8)
    pool = build_pool(SHAPES)
    tighter = 0
    for _ in range(1200):
        kinds = rng.choice([0, 1, 2, 4, 5, 6, 7], 2)
        n = rng.normal(size=3)
        n = tuple(n / np.linalg.norm(n))
        q = [normalize(tuple(rng.normal(size=4))) for _ in range(2)]
        w = [tuple(rng.choice([0.1, 3.0, 30.0]) * rng.normal(size=3)) for _ in range(2)]
        v = [tuple(rng.choice([0.0, 0.1, 2.0]) * rng.normal(size=3)) for _ in range(2)]
        x = [tuple(rng.normal(size=3)) for _ in range(2)]
        slack = 10.0 ** rng.uniform(-6, -1)
        bodies = [_turning(SHAPES[kind], MOMENTS[kind], q[k], w[k]) for k, kind in enumerate(kinds)]
        arms, turns, w_body = ([body[m] for body in bodies] for m in range(3))
        offset, u = tuple(np.subtract(x[0], x[1])), tuple(np.subtract(v[0], v[1]))
        down = tuple(-c for c in n)
        a = Turning(int(kinds[0]), 0, q[0], w[0], down, turns[0])
        b = Turning(int(kinds[1]), 0, q[1], w[1], n, turns[1])
        pull = tuple(
            rng.choice([0.0, 1.0, 100.0]) * rng.normal(size=3)
        )  # of what acts on the one, and not on the other
        fall = float(np.linalg.norm(pull))
        tau = bound_in_frame(pool.geometry, pool.topology, a, arms[0], b, arms[1], offset, u, fall, slack)
        coming = float(np.dot(pull, down)), float(np.dot(u, down))
        still, _, _ = bound_fall(pool.geometry, pool.topology, a, b, 0.5 * coming[0], coming[1], slack)
        tighter += tau > still
        assert tau > 0.0
        for part in (0.25, 0.5, 0.9, 0.999):
            dt = part * tau
            later = [rotate_free(MOMENTS[kind], q[k], w_body[k], dt)[0] for k, kind in enumerate(kinds)]
            turned = rotate(later[1], rotate_inverse(q[1], n))
            away = np.add(offset, np.multiply(u, dt)) + 0.5 * dt * dt * np.array(pull)
            gap = _height(pool, kinds[0], later[0], away, turned)
            assert _height(pool, kinds[0], q[0], offset, n) - gap <= slack * (1 + 1e-9) + 1e-13
    assert tighter > 200


def _turning(shape: object, moments: tuple, q: tuple, w: tuple) -> tuple:
    """Arm, bound of the turning, and angular velocity in the body frame, as the engine has them."""
    body = rotate_inverse(q, w)
    top = np.sqrt(np.dot(moments, np.square(body)) / min(moments))
    x, y, z = moments
    kappa = max(abs(y - z) / x, abs(z - x) / y, abs(x - y) / z) / np.sqrt(3)
    arm = shape.bounding_radius - shape.radius
    return arm, 0.5 * arm * top**2 * (1 + kappa), body


def _height(pool: object, kind: int, q: tuple, centre: np.ndarray, n: tuple) -> float:
    """How far a shape's core stays above the plane through the origin with normal n."""
    lowest = support(pool.geometry, pool.topology, int(kind), rotate_inverse(q, tuple(-c for c in n)))
    return float(np.dot(n, centre) + np.dot(rotate_inverse(q, tuple(n)), lowest))


def _reach(pool: object, kinds: np.ndarray, q: list, n: tuple) -> float:
    """How far both shapes reach towards each other along the normal: a downwards, b upwards."""
    total = 0.0
    for k, direction in enumerate([tuple(-c for c in n), n]):
        local = rotate_inverse(q[k], direction)
        point = support(pool.geometry, pool.topology, int(kinds[k]), local)  # type: ignore[attr-defined]
        total += float(np.dot(rotate(q[k], point), direction))
    return total
