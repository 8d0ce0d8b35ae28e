"""Smooth solids by textbook formulas alone: how far they reach, and which points are inside. Nothing of the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import coal
import numpy as np
from numpy.typing import NDArray

from engine.geometry import shapes

Floats = NDArray[np.float64]


class Solid(NamedTuple):
    """A shape of the engine, its support function [m], how far a point is inside [1, >= 0], and coal's own of it."""

    name: str
    shape: shapes.Shape
    reach: Callable[[Floats], float]
    inside: Callable[[Floats], float]
    outside: Any
    radius: float


def _cylinder(radius: float, length: float) -> Solid:
    return Solid(
        f"cylinder {radius} {length}",
        shapes.cylinder(radius, length),
        lambda d: radius * float(np.hypot(d[0], d[1])) + length / 2 * abs(float(d[2])),
        lambda x: min(radius - float(np.hypot(x[0], x[1])), length / 2 - abs(float(x[2]))),
        coal.Cylinder(radius, length),
        float(np.hypot(radius, length / 2)),
    )


def _cone(radius: float, height: float) -> Solid:
    return Solid(
        "cone",
        shapes.cone(radius, height),
        lambda d: max(radius * float(np.hypot(d[0], d[1])) - height / 2 * d[2], height / 2 * d[2]),
        lambda x: min(radius * (0.5 - x[2] / height) - float(np.hypot(x[0], x[1])), height / 2 + x[2]),
        coal.Cone(radius, height),
        float(np.hypot(radius, height / 2)),
    )


def _superquadric(semi: tuple[float, float, float], p: float, q: float) -> Solid:
    def norm(x: Floats, p: float, q: float) -> float:
        return float((float(abs(x[0]) ** p + abs(x[1]) ** p) ** (q / p) + abs(x[2]) ** q) ** (1 / q))

    return Solid(
        f"superquadric {semi} {p} {q}",
        shapes.superquadric(semi, (p, q)),
        lambda d: norm(d * semi, p / (p - 1), q / (q - 1)),
        lambda x: (1 - norm(x / semi, p, q)) * min(semi),
        coal.Ellipsoid(*semi) if p == q == 2 else None,
        float(np.linalg.norm(semi)),
    )


def _frustum(low: float, high: float, height: float) -> Solid:
    def inside(x: Floats) -> float:
        part = x[2] / height + 0.5
        return float(min(low + (high - low) * part - np.hypot(x[0], x[1]), height / 2 - abs(x[2])))

    def reach(d: Floats) -> float:
        across = float(np.hypot(d[0], d[1]))
        return max(low * across - height / 2 * d[2], high * across + height / 2 * d[2])

    shape = shapes.cone(low, height, high)
    return Solid("frustum", shape, reach, inside, None, float(np.hypot(max(low, high), height / 2)))


def _polyhedron(name: str, shape: shapes.Shape, outside: Any) -> Solid:
    from scipy.spatial import ConvexHull

    planes = ConvexHull(shape.vertices).equations
    return Solid(
        name,
        shape,
        lambda d: float((shape.vertices @ d).max()),
        lambda x: -float((planes[:, :3] @ x + planes[:, 3]).max()),
        outside,
        float(np.linalg.norm(shape.vertices, axis=1).max()),
    )


def _ball(radius: float) -> Solid:
    return Solid(
        "ball",
        shapes.sphere(radius),
        lambda d: radius,
        lambda x: radius - float(np.linalg.norm(x)),
        coal.Sphere(radius),
        radius,
    )


def _capsule(radius: float, length: float) -> Solid:
    def inside(x: Floats) -> float:
        return radius - float(np.linalg.norm(x - [0.0, 0.0, np.clip(x[2], -length / 2, length / 2)]))

    return Solid(
        "capsule",
        shapes.capsule(radius, length),
        lambda d: radius + length / 2 * abs(float(d[2])),
        inside,
        coal.Capsule(radius, length),
        radius + length / 2,
    )


_GEM = np.random.default_rng(3).normal(size=(25, 3))

SMOOTH = [
    _cylinder(0.5, 1.0),
    _cylinder(1.0, 0.08),
    _cylinder(0.05, 2.0),
    _cone(0.5, 1.0),
    _frustum(0.5, 0.2, 0.7),
    _superquadric((0.5, 0.3, 0.2), 2.0, 2.0),
    _superquadric((1.0, 1.0, 0.1), 2.0, 2.0),
    _superquadric((0.5, 0.4, 0.3), 4.0, 4.0),
    _superquadric((0.5, 0.4, 0.3), 10.0, 3.0),
    _superquadric((0.5, 0.4, 0.3), 1.2, 1.5),
]
OTHERS = [
    _polyhedron("box", shapes.box((1.0, 0.6, 0.4)), coal.Box(1.0, 0.6, 0.4)),
    _polyhedron("gem", shapes.convex(_GEM), None),
    _ball(0.4),
    _capsule(0.2, 1.0),
]
