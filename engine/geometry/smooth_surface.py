"""Triangles and normals of smooth solids, for drawing: smooth where they are smooth, crisp at rims and apexes."""

from __future__ import annotations

from itertools import pairwise
from math import pi

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Floats32, Ints
from engine.geometry.shapes import REVOLVED, Shape
from engine.maths.rounding import QUOTIENT

Surface = tuple[Floats32, NDArray[np.uint32], Floats32]


def smooth_surface(shape: Shape, sphere: Surface, smoothness: int) -> Surface:
    """Surface of a REVOLVED, ELLIPSOID or SUPERQUADRIC shape, see `engine.geometry.surface.surface_mesh`.

    sphere: the surface of a unit sphere with as many corners.
    """
    if shape.kind == REVOLVED:
        points, normals, triangles = _revolved(shape.profile, max(smoothness, 3))
    else:
        points, normals, triangles = _superquadric(shape, sphere)
    centre, axes = shape.frame
    corners = ((points @ axes) + centre).astype(np.float32)
    return corners, triangles.astype(np.uint32), (normals @ axes).astype(np.float32)


def _revolved(profile: tuple[tuple[float, float], ...], around: int) -> tuple[Floats, Floats, Ints]:
    """Ends as fans, and each side as a band with normals of its own, so that every rim is crisp."""
    turns = 2.0 * pi * np.arange(around + 1) / around
    ring = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(around + 1)])
    up = np.array([0.0, 0.0, 1.0])
    points: list[Floats] = []
    normals: list[Floats] = []
    triangles: list[Ints] = []
    first = 0
    step = np.arange(around)[:, None]
    for (r0, z0), (r1, z1) in pairwise(profile):
        outward = ring * (z1 - z0) + up * (r0 - r1)
        outward /= np.linalg.norm(outward, axis=1, keepdims=True)
        points += [ring * r0 + up * z0, ring * r1 + up * z1]
        normals += [outward, outward]
        low, high = first + step, first + around + 1 + step
        if r0 > 0.0:
            triangles.append(np.hstack([low, low + 1, high]))
        if r1 > 0.0:
            triangles.append(np.hstack([low + 1, high + 1, high]))
        first += 2 * (around + 1)
    for (r, z), way in ((profile[0], -1.0), (profile[-1], 1.0)):
        if r > 0.0:
            points.append(np.vstack([up * z, ring * r + up * z]))
            normals.append(np.tile(way * up, (around + 2, 1)))
            fan = np.hstack([np.full_like(step, first), first + 1 + step, first + 2 + step])
            triangles.append(fan if way > 0.0 else fan[:, [0, 2, 1]])
            first += around + 2
    return np.vstack(points), np.vstack(normals), np.vstack(triangles)


def _superquadric(shape: Shape, sphere: Surface) -> tuple[Floats, Floats, Ints]:
    """A unit sphere whose points move along their rays onto the surface; normals are those of the surface."""
    directions = np.sign(np.round(sphere[0], 7)) * np.abs(sphere[0]).astype(np.float64)
    p, q = shape.exponents
    size = np.abs(directions)
    across = (size[:, 0] ** p + size[:, 1] ** p) ** (1.0 / p)
    unit = directions / ((across**q + size[:, 2] ** q) ** (1.0 / q))[:, None]
    size = np.abs(unit)
    across = np.maximum((size[:, 0] ** p + size[:, 1] ** p) ** (1.0 / p), QUOTIENT)
    a, b, c = shape.semi_axes
    gradient = np.column_stack(
        [
            across ** (q - p) * size[:, 0] ** (p - 1.0) / a,
            across ** (q - p) * size[:, 1] ** (p - 1.0) / b,
            size[:, 2] ** (q - 1.0) / c,
        ]
    )
    normals = np.sign(directions) * gradient
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return unit * (a, b, c), normals / lengths, sphere[1].astype(np.int64)
