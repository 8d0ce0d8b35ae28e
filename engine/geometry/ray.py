"""The first body that a ray meets: balls, triangle meshes and half spaces, at given poses."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.kernel import kernel
from engine.maths.quaternions import Quat, rotate_inverse
from engine.maths.vectors import Vec3, cross, dot, sub

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

IS_BALL, IS_MESH, IS_PLANE = 0, 1, 2


@kernel
def meet_ball(origin: Vec3, direction: Vec3, centre: Vec3, radius: float) -> float:
    """Distance along the unit `direction` to a ball, 0 inside it, inf beside it."""
    to = sub(centre, origin)
    along = dot(to, direction)
    off = dot(to, to) - along * along
    if off > radius * radius:
        return inf
    half = sqrt(radius * radius - off)
    if along + half < 0.0:
        return inf
    return max(along - half, 0.0)


@kernel
def meet_triangle(origin: Vec3, direction: Vec3, a: Vec3, b: Vec3, c: Vec3) -> float:
    """Ray parameter at the front of a triangle, inf if it is missed (Moeller and Trumbore 1997)."""
    side, other = sub(b, a), sub(c, a)
    p = cross(direction, other)
    size = dot(side, p)
    if size <= 0.0:
        return inf
    away = sub(origin, a)
    u = dot(away, p)
    if u < 0.0 or u > size:
        return inf
    q = cross(away, side)
    v = dot(direction, q)
    if v < 0.0 or u + v > size:
        return inf
    t = dot(other, q) / size
    return t if t > 0.0 else inf


@kernel
def meet_mesh(origin: Vec3, direction: Vec3, triangles: Floats, first: int, last: int) -> float:
    """Smallest ray parameter at the front of the triangles first..last, inf if all are missed."""
    best = inf
    for k in range(first, last):
        a = (triangles[k, 0, 0], triangles[k, 0, 1], triangles[k, 0, 2])
        b = (triangles[k, 1, 0], triangles[k, 1, 1], triangles[k, 1, 2])
        c = (triangles[k, 2, 0], triangles[k, 2, 1], triangles[k, 2, 2])
        t = meet_triangle(origin, direction, a, b, c)
        if t < best:
            best = t
    return best


@kernel
def cast_ray(
    origin: Vec3,
    direction: Vec3,
    poses: Floats,
    kinds: Ints,
    mesh: Ints,
    first: Ints,
    radii: Floats,
    scale: Floats,
    triangles: Floats,
) -> tuple[int, float]:
    """Row of the first body on a ray and its distance along the unit `direction` [m]; -1 and inf if there is none."""
    row, best = -1, inf
    for i in range(len(kinds)):
        place = (poses[i, 0], poses[i, 1], poses[i, 2])
        q: Quat = (poses[i, 3], poses[i, 4], poses[i, 5], poses[i, 6])
        if kinds[i] == IS_PLANE:
            start = rotate_inverse(q, sub(origin, place))
            along = rotate_inverse(q, direction)
            t = -start[2] / along[2] if along[2] < 0.0 and start[2] >= 0.0 else inf
        else:
            t = meet_ball(origin, direction, place, radii[i])
            if kinds[i] == IS_MESH and t < best:
                # The ray in the frame of the mesh, which stretching may have turned: its parameter stays the distance.
                x, y, z = rotate_inverse(q, sub(origin, place))
                u, v, w = rotate_inverse(q, direction)
                start = (x / scale[i, 0], y / scale[i, 1], z / scale[i, 2])
                along = (u / scale[i, 0], v / scale[i, 1], w / scale[i, 2])
                t = meet_mesh(start, along, triangles, first[mesh[i]], first[mesh[i] + 1])
        if t < best:
            row, best = i, t
    return row, best
