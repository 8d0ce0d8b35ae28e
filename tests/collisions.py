"""Random collisions of plausible bodies, for tests of impulses. Nothing of the engine is used to make them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Matrix = NDArray[np.float64]
K6 = tuple[float, float, float, float, float, float]
Vec3 = tuple[float, float, float]


class Collision(NamedTuple):
    """K (3 × 3) and u in the contact frame, friction, restitution."""

    k: Matrix
    u: NDArray[np.float64]
    mu_static: float
    mu_dynamic: float
    e: float

    @property
    def k6(self) -> K6:
        return k6(self.k)

    @property
    def u3(self) -> Vec3:
        return (float(self.u[0]), float(self.u[1]), float(self.u[2]))

    @property
    def pulls_in(self) -> bool:
        """Whether the contact force can push the bodies into each other: K33 < mu |K3t|."""
        return bool(self.k[2, 2] < self.mu_dynamic * np.hypot(self.k[2, 0], self.k[2, 1]))

    @property
    def margin(self) -> float:
        """How far from the edge of stable sticking, relative to mu: negative if stable (Mirtich 1996, Theorem 9)."""
        inverse = np.linalg.inv(self.k)
        mu = max(self.mu_static, self.mu_dynamic)
        return float(np.hypot(inverse[0, 2], inverse[1, 2]) / (inverse[2, 2] * mu) - 1.0) if mu > 0.0 else np.inf


def k6(k: Matrix) -> K6:
    return (float(k[0, 0]), float(k[1, 1]), float(k[2, 2]), float(k[1, 2]), float(k[0, 2]), float(k[0, 1]))


def body_response(rng: np.random.Generator) -> Matrix:
    """1/m 1 - r~ I⁻¹ r~ of a random body hit at a random place."""
    kind = rng.choice(["ball", "box", "rod", "plate", "any"], p=[0.05, 0.3, 0.25, 0.15, 0.25])
    inverse_mass = 10.0 ** rng.uniform(-2.0, 2.0)
    if kind == "any":
        # Any moments that obey the triangle inequality are sums of pairs of non-negative numbers.
        a, b, c = rng.uniform(0.0, 1.0, 3) ** 2 + 1e-3
        squares, place = np.array([b + c, a + c, a + b]), rng.normal(size=3) * np.sqrt([a, b, c]) * 2.0
    else:
        thin = 10.0 ** rng.uniform(-3.0, -1.0)
        half = {
            "ball": np.ones(3),
            "box": rng.uniform(0.2, 1.0, 3),
            "rod": np.array([1.0, thin, thin]),
            "plate": np.array([1.0, rng.uniform(0.3, 1.0), thin]),
        }[kind]
        squares = (np.sum(half**2) - half**2) / 3.0
        place = half * (rng.choice([-1.0, 1.0], 3) if rng.random() < 0.6 else rng.uniform(-1.0, 1.0, 3))
    if kind == "ball":
        squares, place = np.full(3, 0.4), np.array([0.0, 0.0, -1.0])
        turn = np.eye(3)
    else:
        turn = Rotation.random(random_state=rng).as_matrix()
    r = turn @ place
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    k = inverse_mass * (np.eye(3) - cross @ (turn @ np.diag(1.0 / squares) @ turn.T) @ cross)
    return np.asarray(0.5 * (k + k.T))


def random_collision(rng: np.random.Generator) -> Collision:
    k = body_response(rng)
    if rng.random() < 0.5:
        k = k + body_response(rng)
    u = rng.normal(size=3) * [1.0, 1.0, rng.choice([0.3, 1.0, 3.0])]
    start = rng.random()
    if start < 0.08:
        u[:2] = 0.0
    elif start < 0.15:
        u[:2] *= 10.0 ** rng.uniform(-9.0, -2.0)
    elif start < 0.18:
        u[1], k[0, 1], k[1, 0], k[1, 2], k[2, 1] = 0.0, 0.0, 0.0, 0.0, 0.0  # in a plane
    u[2] = -abs(u[2])
    u *= 10.0 ** rng.uniform(-4.0, 2.0)
    mu = 0.0 if rng.random() < 0.04 else float(rng.choice([rng.uniform(0.0, 1.0), rng.uniform(1.0, 4.0)]))
    still = mu * rng.uniform(1.0, 1.5) if rng.random() < 0.2 else mu
    e = float(rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0)], p=[0.15, 0.15, 0.7]))
    case = Collision(k, u, float(still), mu, e)
    if np.any(u[:2] != 0.0) and case.margin < 0.0 < case._replace(mu_static=mu).margin:
        # Held by static friction only: what slides past zero slip is caught or not, by a rounding. Leave that out.
        return case._replace(mu_static=mu)
    return case
