"""Volume, centre of mass and inertia of smooth solids of uniform density, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import gamma, pi, sqrt

import numpy as np

from engine.arrays import Floats
from engine.geometry.shapes import REVOLVED, Shape


@dataclass(frozen=True, eq=False)
class MassProperties:
    """A solid of density 1: volume [m^3], centre of mass (3,) [m], inertia (3, 3) about that centre [m^5]."""

    volume: float
    centre: Floats
    inertia: Floats


def smooth_properties(shape: Shape) -> MassProperties:
    """Mass properties of a REVOLVED, ELLIPSOID or SUPERQUADRIC shape for density 1, in the frame of its vertices."""
    centre, axes = shape.frame
    if shape.kind == REVOLVED:
        volume, height, squares = _revolved(shape.profile)
    else:
        volume, squares = _superquadric(shape.semi_axes, shape.exponents)
        height = 0.0
    inertia = axes.T @ np.diag(squares.sum() - squares) @ axes
    return MassProperties(volume, centre + height * axes[2], inertia)


def _revolved(profile: tuple[tuple[float, float], ...]) -> tuple[float, float, Floats]:
    """Volume, height of the centre of mass, and the integrals of the squares of the three coordinates about it.

    Over a slice of radius r, the integral of 1 is pi r^2 and that of x^2 is pi r^4 / 4. r is linear in z between two
    rims, so three nodes of Gauss are exact.
    """
    nodes, weights = np.array([-sqrt(0.6), 0.0, sqrt(0.6)]), np.array([5.0, 8.0, 5.0]) / 18.0
    middle = 0.5 * (profile[0][1] + profile[-1][1])
    volume = first = second = across = 0.0
    for (r0, z0), (r1, z1) in pairwise(profile):
        part = 0.5 * (1.0 + nodes)
        r, z = r0 + (r1 - r0) * part, z0 + (z1 - z0) * part - middle
        area = pi * r**2 * weights * (z1 - z0)
        volume += float(area.sum())
        first += float((area * z).sum())
        second += float((area * z**2).sum())
        across += float((area * r**2).sum() / 4.0)
    height = first / volume
    return volume, height + middle, np.array([across, across, second - volume * height**2])


def _superquadric(semi_axes: tuple[float, float, float], exponents: tuple[float, float]) -> tuple[float, Floats]:
    """Volume, and the integrals of the squares of the three coordinates.

    The slice at z is the plane figure |x/a|^p + |y/b|^p <= 1 shrunk by s = (1 - |z/c|^q)^(1/q). Dirichlet's integral
    gives the figure's moments, and a Beta function each integral of a power of s over z.
    """
    a, b, c = semi_axes
    p, q = exponents
    area = 4.0 * a * b * _dirichlet(1.0, 1.0, p)
    volume = area * 2.0 * c * _beta(1.0 / q, 1.0 + 2.0 / q) / q
    across = 4.0 * a * b * _dirichlet(3.0, 1.0, p) * 2.0 * c * _beta(1.0 / q, 1.0 + 4.0 / q) / q
    along = area * 2.0 * c**3 * _beta(3.0 / q, 1.0 + 2.0 / q) / q
    return volume, np.array([across * a**2, across * b**2, along])


def _dirichlet(k: float, m: float, p: float) -> float:
    """Integral of u^(k-1) v^(m-1) over u, v >= 0 with u^p + v^p <= 1."""
    return gamma(k / p) * gamma(m / p) / gamma(1.0 + (k + m) / p) / p**2


def _beta(x: float, y: float) -> float:
    return gamma(x) * gamma(y) / gamma(x + y)
