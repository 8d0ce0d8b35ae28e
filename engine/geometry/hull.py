"""Convex hull of points as a polyhedron whose faces are whole polygons: a box from eight points has six faces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError
from engine.geometry.polyhedron import Loops
from engine.maths.rounding import QUOTIENT, SINE

_FLAT = SINE
"""Points thinner than this part of their extent [1] are flat to rounding."""

_COPLANAR = QUOTIENT
"""Neighbouring triangles are one face if neither leaves the other's plane by more than this part of the extent [1]."""


def convex_hull(points: ArrayLike) -> tuple[Floats, Loops]:
    """Hull of points (n, 3) [m]: its vertices in their given order, and its faces counter-clockwise from outside.

    Raises GeometryError for fewer than four points, points in one plane, and numbers that are not finite.
    """
    from scipy.spatial import ConvexHull, QhullError

    cloud = _checked(points)
    centre = cloud.mean(axis=0)
    extent = float(np.abs(cloud - centre).max())
    thickness = np.linalg.svd(cloud - centre, compute_uv=False)[-1] / np.sqrt(len(cloud))
    if thickness <= _FLAT * extent:
        raise GeometryError("the points lie in one plane; a convex body needs a point outside of it")
    try:
        hull = ConvexHull((cloud - centre) / extent)
    except QhullError as problem:
        raise GeometryError("the points have no convex hull with a volume; spread them out") from problem
    return _compact(cloud, _merge(hull.points, hull.simplices, hull.neighbors, hull.equations))


def _checked(points: ArrayLike) -> Floats:
    cloud = np.asarray(points, dtype=np.float64)
    if cloud.ndim != 2 or cloud.shape[1] != 3:
        raise GeometryError(f"points must be rows of three numbers (x, y, z): got an array of shape {cloud.shape}")
    if len(cloud) < 4:
        raise GeometryError(f"a convex body needs at least four points: got {len(cloud)}")
    if not np.isfinite(cloud).all():
        raise GeometryError("points must be finite numbers: one of them is infinite or not a number")
    return cloud


def _merge(points: Floats, triangles: Ints, neighbours: Ints, planes: Floats) -> list[tuple[int, ...]]:
    """Faces of the hull: neighbouring triangles in one plane joined, each loop counter-clockwise from outside."""
    flips = np.einsum("ij,ij->i", _normals(points, triangles), planes[:, :3]) < 0.0
    triangles = np.where(flips[:, None], triangles[:, ::-1], triangles)
    neighbours = np.where(flips[:, None], neighbours[:, ::-1], neighbours)
    group = -np.ones(len(triangles), dtype=np.int64)
    faces: list[tuple[int, ...]] = []
    for seed in range(len(triangles)):
        if group[seed] >= 0:
            continue
        members = _flood(points, triangles, neighbours, planes, group, seed)
        loop = _outline(triangles, members)
        faces += [loop] if loop else [tuple(int(v) for v in triangles[k]) for k in members]
    return faces


def _normals(points: Floats, triangles: Ints) -> Floats:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _flood(points: Floats, triangles: Ints, neighbours: Ints, planes: Floats, group: Ints, seed: int) -> list[int]:
    """Triangles that lie in the plane of `seed` and hang together with it; marks them in `group`."""
    members = [seed]
    group[seed] = seed
    for triangle in members:
        for other in neighbours[triangle]:
            if (
                group[other] < 0
                and np.abs(points[triangles[other]] @ planes[seed, :3] + planes[seed, 3]).max() <= _COPLANAR
            ):
                group[other] = seed
                members.append(int(other))
    return members


def _outline(triangles: Ints, members: list[int]) -> tuple[int, ...]:
    """The loop round a patch of triangles; empty if its outline is not one simple loop."""
    follows: dict[int, int] = {}
    halves = {(int(t[k]), int(t[k - 2])) for t in triangles[members] for k in range(3)}
    for start, end in sorted(halves):
        if (end, start) not in halves:
            if start in follows:
                return ()
            follows[start] = end
    first = min(follows)
    loop = [first]
    while (vertex := follows[loop[-1]]) != first:
        loop.append(vertex)
    return tuple(loop) if len(loop) == len(follows) else ()


def _compact(points: Floats, faces: list[tuple[int, ...]]) -> tuple[Floats, Loops]:
    """Drop vertices in the middle of an edge (only two faces meet there) and points on no face; number the rest."""
    meets = np.zeros(len(points), dtype=np.int64)
    for loop in faces:
        meets[list(loop)] += 1
    kept = np.flatnonzero(meets > 2)
    number = {int(vertex): k for k, vertex in enumerate(kept)}
    return points[kept], tuple(tuple(number[v] for v in loop if v in number) for loop in faces)
