"""Plates of any outline: rings in the plane, cut into convex polygons, each of which becomes a convex piece.

The plane is cut exactly, by ear clipping (mapbox_earcut) and then by taking away every diagonal that convexity does not
need (Hertel and Mehlhorn): no corner is moved and the pieces meet without gaps or overlaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError
from engine.geometry.hull_tree import compound
from engine.geometry.shapes import POLYHEDRON, Mesh, Shape
from engine.maths.rounding import LARGEST, SINE

_STRAIGHT = SINE
"""A corner that turns by a smaller sine than this [1] is none."""

_LARGEST = LARGEST
"""Coordinates [m] whose products are no finite numbers any more are taken for infinite."""

Polygon = tuple[int, ...]


def extrusion(rings: Sequence[ArrayLike], height: float) -> Shape:
    """The plate |z| <= height / 2 over what lies inside an odd number of rings, each (n, 2) [m].

    Raises GeometryError for a ring without area, and for rings that cross or touch themselves or each other.
    """
    if not (np.isfinite(height) and height > 0.0):
        raise GeometryError(f"the height of an extrusion must be a positive number: got {height:g}")
    outlines = check_rings(rings)
    points = np.concatenate(outlines)
    triangles = _triangulate(outlines)
    pieces = [_prism(points[list(polygon)], height) for polygon in merge_convex(points, triangles)]
    return replace(compound(pieces), solid=_solid(outlines, triangles, height))


def check_rings(rings: Sequence[ArrayLike]) -> list[Floats]:
    """Rings without repeated and straight corners. Raises GeometryError as `extrusion` does."""
    outlines = []
    for number, given in enumerate(rings):
        ring = np.asarray(given, dtype=np.float64).reshape(-1, 2)
        if not (np.abs(ring) < _LARGEST).all():
            raise GeometryError(f"ring {number} has a corner that is no finite number")
        outlines.append(_corners(ring))
        if len(outlines[-1]) < 3:
            raise GeometryError(f"ring {number} encloses no area; it needs three corners that are not in a line")
    start = np.concatenate(outlines)
    end = np.concatenate([np.roll(ring, -1, axis=0) for ring in outlines])
    follower = np.concatenate(_followers(outlines))
    crossing = _find_crossing(start, end, follower)
    if crossing is not None:
        x, y = crossing
        raise GeometryError(f"the rings cross or touch near ({x:.3g}, {y:.3g}); they must keep clear of each other")
    return outlines


def _corners(ring: Floats) -> Floats:
    """The ring without corners that repeat the one before or go straight on."""
    while len(ring) >= 3:
        before, after = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
        length = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
        turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        straight = np.flatnonzero(np.abs(turn) <= _STRAIGHT * length)
        if len(straight) == 0:
            break
        ring = np.delete(ring, straight[0], axis=0)
    return ring


def _followers(outlines: Sequence[Floats]) -> list[Ints]:
    """For each ring the number of the corner after each, corners numbered through all rings."""
    firsts = np.cumsum([0, *(len(ring) for ring in outlines)])
    return [first + np.roll(np.arange(len(ring)), -1) for first, ring in zip(firsts, outlines)]


def _find_crossing(start: Floats, end: Floats, follower: Ints) -> Floats | None:
    """A point where two sides that are not neighbours meet; None if there is none."""
    for k in range(len(start)):
        others = np.arange(k + 1, len(start))
        others = others[(follower[others] != k) & (follower[k] != others)]
        a, b = _side(start[k], end[k], start[others]), _side(start[k], end[k], end[others])
        c, d = _side(start[others], end[others], start[k]), _side(start[others], end[others], end[k])
        low = np.minimum(start[others], end[others]) <= np.maximum(start[k], end[k])
        high = np.maximum(start[others], end[others]) >= np.minimum(start[k], end[k])
        met = np.flatnonzero((a * b <= 0.0) & (c * d <= 0.0) & low.all(axis=1) & high.all(axis=1))
        if len(met):
            return np.asarray(0.5 * (start[others[met[0]]] + end[others[met[0]]]))
    return None


def _side(start: Floats, end: Floats, point: Floats) -> Floats:
    along, to = end - start, point - start
    return np.asarray(along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0])


def _contains(ring: Floats, point: Floats) -> bool:
    """Even-odd rule; the point is not on the ring."""
    x, y = ring.T
    u, v = np.roll(ring, -1, axis=0).T
    spans = (y > point[1]) != (v > point[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return bool(np.count_nonzero(spans & (point[0] < (u - x) * (point[1] - y) / (v - y) + x)) % 2)


def _triangulate(outlines: Sequence[Floats]) -> Ints:
    """Triangles (t, 3) of corners, numbered through all rings, counter-clockwise."""
    import mapbox_earcut

    inside = [{j for j, other in enumerate(outlines) if j != k and _contains(other, ring[0])}
              for k, ring in enumerate(outlines)]  # fmt: skip
    firsts = np.cumsum([0, *(len(ring) for ring in outlines)])
    found = []
    for k in range(len(outlines)):
        if len(inside[k]) % 2:
            continue
        holes = [j for j in range(len(outlines)) if k in inside[j] and len(inside[j]) == len(inside[k]) + 1]
        rings = [k, *holes]
        corners = np.concatenate([outlines[j] for j in rings])
        ends = np.cumsum([len(outlines[j]) for j in rings]).astype(np.uint32)
        number = np.concatenate([firsts[j] + np.arange(len(outlines[j])) for j in rings])
        found.append(number[mapbox_earcut.triangulate_float64(corners, ends).astype(np.int64).reshape(-1, 3)])
    triangles = np.concatenate(found)
    points = np.concatenate(outlines)
    turn = _side(points[triangles[:, 0]], points[triangles[:, 1]], points[triangles[:, 2]])
    triangles[turn < 0.0] = triangles[turn < 0.0][:, ::-1]
    return triangles


def merge_convex(points: Floats, triangles: Ints) -> list[Polygon]:
    """Convex polygons from counter-clockwise triangles: diagonals are taken away as long as all stays convex.

    Longer diagonals go first. At most four times as many pieces as the least number (Hertel and Mehlhorn 1983).
    """
    polygons: dict[int, Polygon] = {k: tuple(int(v) for v in triangle) for k, triangle in enumerate(triangles)}
    owner = {(loop[i - 1], loop[i]): k for k, loop in polygons.items() for i in range(3)}
    shared = [(u, v) for u, v in owner if u < v and (v, u) in owner]
    lengths = {(u, v): float(np.linalg.norm(points[u] - points[v])) for u, v in shared}
    for u, v in sorted(shared, key=lambda side: (-lengths[side], side)):
        one, other = owner[u, v], owner[v, u]
        if one == other:
            continue
        merged = _join(polygons[one], polygons[other], u, v)
        if _is_convex(points, merged):
            polygons[one] = merged
            del polygons[other]
            for i in range(len(merged)):
                owner[merged[i - 1], merged[i]] = one
    return [polygons[k] for k in sorted(polygons)]


def _join(one: Polygon, other: Polygon, u: int, v: int) -> Polygon:
    """The loop round two polygons that share the side from u to v (as `one` runs it)."""
    i, j = one.index(v), other.index(u)
    return one[i:] + one[:i] + (other[j:] + other[:j])[1:-1]


def _is_convex(points: Floats, loop: Polygon) -> bool:
    ring = points[list(loop)]
    before, after = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    length = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return bool((turn > _STRAIGHT * length).all())


def _prism(polygon: Floats, height: float) -> Shape:
    """The convex prism over a convex polygon, counter-clockwise."""
    n = len(polygon)
    low, high = np.full((n, 1), -0.5 * height), np.full((n, 1), 0.5 * height)
    vertices = np.concatenate([np.hstack([polygon, low]), np.hstack([polygon, high])])
    sides = tuple((k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n))
    return Shape(POLYHEDRON, vertices, (tuple(range(n))[::-1], tuple(range(n, 2 * n)), *sides))


def _solid(outlines: Sequence[Floats], triangles: Ints, height: float) -> Mesh:
    """The closed surface: both faces as triangles, and two triangles for each side of each ring."""
    points = np.concatenate(outlines)
    n = len(points)
    vertices = np.concatenate(
        [np.hstack([points, np.full((n, 1), -0.5 * height)]), np.hstack([points, np.full((n, 1), 0.5 * height)])]
    )
    # The matter lies on the left of the sides of its triangles, which run along the rings.
    rims = {(int(t[k - 1]), int(t[k])) for t in triangles for k in range(3)}
    outer = np.array(sorted((u, v) for u, v in rims if (v, u) not in rims), dtype=np.int64)
    u, v = outer.T
    walls = np.concatenate([np.stack([u, v, n + v], 1), np.stack([u, n + v, n + u], 1)])
    return Mesh(vertices, np.concatenate([triangles[:, ::-1], triangles + n, walls]))
