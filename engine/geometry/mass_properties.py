"""Volume, centre of mass and inertia of solids of uniform density (Mirtich 1996, chapter 6).

The volume integrals of a polyhedron become integrals over its faces (divergence theorem, eq. 6.3), those become
integrals over the faces' shadows in a coordinate plane (6.6), and those sums over edges (Green's theorem, 6.14). The
result is exact for any closed polyhedron, concave ones too, in one pass over the edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats, Ints
from engine.geometry.errors import GeometryError
from engine.geometry.polyhedron import Loops, face_planes, find_edges, find_features
from engine.geometry.shapes import PLANE, POINT, REVOLVED, SEGMENT, Mesh, Shape
from engine.geometry.smooth_mass import MassProperties, smooth_properties
from engine.kernel import array_kernel, kernel
from engine.maths.rounding import SINE, SUM

Ten = tuple[float, float, float, float, float, float, float, float, float, float]


def mass_properties(body: Shape | Mesh) -> MassProperties:
    """Mass properties for density 1 in the frame of the shape's vertices; exact up to rounding.

    Raises GeometryError for a plane, an open surface, faces that point inwards, and a volume of zero.
    """
    if isinstance(body, Mesh):
        return _of_faces(body.vertices, tuple(tuple(int(v) for v in face) for face in body.faces))
    if body.kind == PLANE:
        raise GeometryError("a plane has no mass: only a fixed body can have it")
    if body.solid is not None:
        return mass_properties(body.solid)
    if body.pieces:
        return _sum([mass_properties(piece) for piece in body.pieces])
    if body.kind == POINT:
        return _of_ball(body.vertices[0], body.radius)
    if body.kind == SEGMENT:
        return _of_capsule(body.vertices, body.radius)
    if body.kind >= REVOLVED:
        return smooth_properties(body)
    if body.radius > 0.0:
        return _of_rounded_box(body)
    return _of_faces(body.vertices, body.faces)


def attach_masses(
    mass: float, centre: Floats, inertia: Floats, points: Sequence[tuple[float, Sequence[float]]]
) -> tuple[float, Floats, Floats]:
    """Mass [kg], centre (3,) [m] and inertia (3, 3) about it [kg m^2] of a body with point masses (mass, place)."""
    for extra, place in points:
        arm = np.asarray(place, dtype=np.float64) - centre
        reduced = mass * extra / (mass + extra)
        inertia = inertia + reduced * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        centre = centre + extra / (mass + extra) * arm
        mass += extra
    return mass, centre, inertia


def principal_frame(inertia: ArrayLike) -> tuple[Floats, Floats]:
    """Principal moments (3,) and the quaternion (w, x, y, z) that turns principal axes into the axes of `inertia`.

    Of all orders and senses of the axes the one that turns least; no turn at all if `inertia` is diagonal already.
    """
    matrix = np.asarray(inertia, dtype=np.float64)
    off = np.abs(matrix - np.diag(np.diag(matrix))).max()
    if off <= 8.0 * SUM * np.abs(np.diag(matrix)).max():
        return np.diag(matrix).copy(), np.array([1.0, 0.0, 0.0, 0.0])
    _, axes = np.linalg.eigh(matrix)
    axes = _nearest_to_identity(axes)
    return np.diag(axes.T @ matrix @ axes).copy(), _quaternion_of(axes)


def _nearest_to_identity(axes: Floats) -> Floats:
    """Columns of an orthogonal matrix put in the order and with the signs of the least rotation."""
    best = axes
    largest = -4.0
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            turned = axes[:, order] * np.array([*signs, 1.0])
            turned[:, 2] = np.cross(turned[:, 0], turned[:, 1])
            if np.trace(turned) > largest + SINE:
                largest = float(np.trace(turned))
                best = turned
    return best


def _quaternion_of(matrix: Floats) -> Floats:
    """Unit quaternion (w, x, y, z), w >= 0, of a rotation matrix, from its largest component."""
    m = matrix
    squares = np.array(
        [
            1.0 + m[0, 0] + m[1, 1] + m[2, 2],
            1.0 + m[0, 0] - m[1, 1] - m[2, 2],
            1.0 - m[0, 0] + m[1, 1] - m[2, 2],
            1.0 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    products = np.array(
        [
            [squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], squares[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], squares[2], m[2, 1] + m[1, 2]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], squares[3]],
        ]
    )
    q = products[int(squares.argmax())]
    q = q / np.linalg.norm(q)
    return -q if q[0] < 0.0 else q


def _sum(parts: list[MassProperties]) -> MassProperties:
    """Solids taken together: volumes add up, inertias about the common centre too (parallel axes)."""
    volume = sum(part.volume for part in parts)
    centre = np.sum([part.volume * part.centre for part in parts], axis=0) / volume
    inertia = np.zeros((3, 3))
    for part in parts:
        away = part.centre - centre
        inertia += part.inertia + part.volume * (away @ away * np.eye(3) - np.outer(away, away))
    return MassProperties(volume, centre, inertia)


def _of_faces(vertices: Floats, faces: Loops) -> MassProperties:
    """A closed polyhedron. Integrals are taken about the vertices' mean, where they cancel least."""
    find_edges(faces)
    mean = vertices.mean(axis=0)
    total = polyhedron_integrals(vertices - mean, faces)
    volume = total[0]
    if not volume > 0.0:
        reason = "its faces point inwards; list their vertices counter-clockwise from outside"
        raise GeometryError(f"the body has the volume {volume:g}: {reason if volume < 0.0 else 'it is flat'}")
    centre = np.array(total[1:4]) / volume
    xx, yy, zz, xy, yz, zx = total[4:]
    inertia = np.array([[yy + zz, -xy, -zx], [-xy, zz + xx, -yz], [-zx, -yz, xx + yy]])
    inertia -= volume * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return MassProperties(volume, centre + mean, inertia)


def polyhedron_integrals(vertices: Floats, faces: Loops) -> Ten:
    """The ten integrals (6.1) of 1, x, y, z, x^2, y^2, z^2, xy, yz, zx over a closed polyhedron, about the origin."""
    return integrate_volume(*face_arrays(vertices, faces))


def face_arrays(vertices: Floats, faces: Loops) -> tuple[Floats, Ints, Ints, Floats, Floats]:
    """What `integrate_volume` takes: vertices, the faces' loops one after another, their bounds, normals, offsets."""
    normals, offsets = face_planes(vertices, faces)
    bounds = np.concatenate([[0], np.cumsum([len(loop) for loop in faces])])
    ring = np.array([vertex for loop in faces for vertex in loop], dtype=np.int64)
    return np.ascontiguousarray(vertices, dtype=np.float64), ring, bounds, normals, offsets


@array_kernel
def integrate_volume(vertices: Floats, ring: Ints, bounds: Ints, normals: Floats, offsets: Floats) -> Ten:
    """Figure 6.4 of the thesis: volume integrals as sums of face integrals, eq. (6.3)."""
    one = 0.0
    first = np.zeros(3)
    second = np.zeros(3)
    mixed = np.zeros(3)  # xy, yz, zx
    for face in range(len(offsets)):
        n = normals[face]
        c = 2
        if abs(n[0]) > abs(n[1]) and abs(n[0]) > abs(n[2]):
            c = 0
        elif abs(n[1]) > abs(n[2]):
            c = 1
        a, b = (c + 1) % 3, (c + 2) % 3
        f = _integrate_face(vertices, ring, bounds[face], bounds[face + 1], n[a], n[b], n[c], offsets[face], a, b)
        one += n[0] * (f[0] if a == 0 else (f[1] if b == 0 else f[2]))
        first[a] += n[a] * f[3]
        first[b] += n[b] * f[4]
        first[c] += n[c] * f[5]
        second[a] += n[a] * f[6]
        second[b] += n[b] * f[7]
        second[c] += n[c] * f[8]
        mixed[a] += n[a] * f[9]
        mixed[b] += n[b] * f[10]
        mixed[c] += n[c] * f[11]
    return (
        one,
        first[0] / 2.0,
        first[1] / 2.0,
        first[2] / 2.0,
        second[0] / 3.0,
        second[1] / 3.0,
        second[2] / 3.0,
        mixed[0] / 2.0,
        mixed[1] / 2.0,
        mixed[2] / 2.0,
    )


@kernel
def _integrate_face(
    vertices: Floats, ring: Ints, begin: int, end: int, na: float, nb: float, nc: float, offset: float, a: int, b: int
) -> tuple[float, float, float, float, float, float, float, float, float, float, float, float]:
    """Figure 6.5, eq. (6.6): integrals of a, b, c, a^2, b^2, c^2, a^3, b^3, c^3, a^2 b, b^2 c, c^2 a over a face."""
    p1, pa, pb, paa, pab, pbb, paaa, paab, pabb, pbbb = _integrate_projection(vertices, ring, begin, end, a, b)
    w = -offset
    k1 = 1.0 / nc
    k2 = k1 * k1
    k3 = k2 * k1
    k4 = k3 * k1
    return (
        k1 * pa,
        k1 * pb,
        -k2 * (na * pa + nb * pb + w * p1),
        k1 * paa,
        k1 * pbb,
        k3 * (na * na * paa + 2.0 * na * nb * pab + nb * nb * pbb + w * (2.0 * (na * pa + nb * pb) + w * p1)),
        k1 * paaa,
        k1 * pbbb,
        -k4
        * (
            na * na * na * paaa
            + 3.0 * na * na * nb * paab
            + 3.0 * na * nb * nb * pabb
            + nb * nb * nb * pbbb
            + 3.0 * w * (na * na * paa + 2.0 * na * nb * pab + nb * nb * pbb)
            + w * w * (3.0 * (na * pa + nb * pb) + w * p1)
        ),
        k1 * paab,
        -k2 * (na * pabb + nb * pbbb + w * pbb),
        k3 * (na * na * paaa + 2.0 * na * nb * paab + nb * nb * pabb + w * (2.0 * (na * paa + nb * pab) + w * pa)),
    )


@kernel
def _integrate_projection(vertices: Floats, ring: Ints, begin: int, end: int, a: int, b: int) -> Ten:
    """Figure 6.6, eq. (6.14): integrals of 1, a, b, a^2, ab, b^2, a^3, a^2 b, a b^2, b^3 over a face's shadow."""
    p1 = pa = pb = paa = pab = pbb = paaa = paab = pabb = pbbb = 0.0
    for k in range(begin, end):
        start = ring[k]
        stop = ring[k + 1] if k + 1 < end else ring[begin]
        a0, b0 = vertices[start, a], vertices[start, b]
        a1, b1 = vertices[stop, a], vertices[stop, b]
        da, db = a1 - a0, b1 - b0
        c1 = a1 + a0
        ca = a1 * c1 + a0 * a0
        caa = a1 * ca + a0 * a0 * a0
        caaa = a1 * caa + a0 * a0 * a0 * a0
        cb = b1 * (b1 + b0) + b0 * b0
        cbb = b1 * cb + b0 * b0 * b0
        cbbb = b1 * cbb + b0 * b0 * b0 * b0
        cab = 3.0 * a1 * a1 + 2.0 * a1 * a0 + a0 * a0
        kab = a1 * a1 + 2.0 * a1 * a0 + 3.0 * a0 * a0
        caab = a0 * cab + 4.0 * a1 * a1 * a1
        kaab = a1 * kab + 4.0 * a0 * a0 * a0
        cabb = 4.0 * b1 * b1 * b1 + 3.0 * b1 * b1 * b0 + 2.0 * b1 * b0 * b0 + b0 * b0 * b0
        kabb = b1 * b1 * b1 + 2.0 * b1 * b1 * b0 + 3.0 * b1 * b0 * b0 + 4.0 * b0 * b0 * b0
        p1 += db * c1
        pa += db * ca
        paa += db * caa
        paaa += db * caaa
        pb += da * cb
        pbb += da * cbb
        pbbb += da * cbbb
        pab += db * (b1 * cab + b0 * kab)
        paab += db * (b1 * caab + b0 * kaab)
        pabb += da * (a1 * cabb + a0 * kabb)
    return (
        p1 / 2.0,
        pa / 6.0,
        -pb / 6.0,
        paa / 12.0,
        pab / 24.0,
        -pbb / 12.0,
        paaa / 20.0,
        paab / 60.0,
        -pabb / 60.0,
        -pbbb / 20.0,
    )


def _of_ball(centre: Floats, radius: float) -> MassProperties:
    volume = 4.0 / 3.0 * pi * radius**3
    return MassProperties(volume, centre.copy(), 0.4 * volume * radius**2 * np.eye(3))


def _of_capsule(ends: Floats, radius: float) -> MassProperties:
    """Cylinder and two half balls."""
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    axis = along / length
    cylinder = pi * radius**2 * length
    ball = 4.0 / 3.0 * pi * radius**3
    about = cylinder * radius**2 / 2.0 + ball * 0.4 * radius**2
    # A half ball's centre of mass is 3/8 radius from its flat side.
    across = cylinder * (length**2 / 12.0 + radius**2 / 4.0)
    across += ball * (0.4 * radius**2 + length**2 / 4.0 + 3.0 / 8.0 * length * radius)
    inertia = across * np.eye(3) + (about - across) * np.outer(axis, axis)
    return MassProperties(cylinder + ball, ends.mean(axis=0), inertia)


def _of_rounded_box(shape: Shape) -> MassProperties:
    """Box, six slabs on its faces, twelve quarter cylinders along its edges and eight eighths of a ball."""
    axes, sides, centre = box_frame(shape)
    r = shape.radius
    moments = np.empty(3)  # integral of the square of each coordinate
    for k in range(3):
        s, p, q = sides[k], sides[k - 2], sides[k - 1]
        moments[k] = (s * p * q + 2.0 * r * s * (p + q) + pi * r**2 * s) * s**2 / 12.0
        moments[k] += 2.0 * p * q * ((s / 2.0 + r) ** 3 - (s / 2.0) ** 3) / 3.0
        # Over a disc the mean of |x| is 4 r / (3 pi) and of x^2 r^2 / 4; over a ball 3 r / 8 and r^2 / 5.
        moments[k] += pi * r**2 * (p + q) * (s**2 / 4.0 + s * 4.0 * r / (3.0 * pi) + r**2 / 4.0)
        moments[k] += 4.0 / 3.0 * pi * r**3 * (s**2 / 4.0 + s * 3.0 * r / 8.0 + r**2 / 5.0)
    x, y, z = sides
    volume = x * y * z + 2.0 * r * (x * y + y * z + z * x) + pi * r**2 * (x + y + z) + 4.0 / 3.0 * pi * r**3
    inertia = axes @ np.diag(moments.sum() - moments) @ axes.T
    return MassProperties(float(volume), centre, inertia)


def box_frame(shape: Shape) -> tuple[Floats, Floats, Floats]:
    """Axes (columns), sides and centre of a box-shaped core."""
    vertices = shape.vertices
    boxy = len(vertices) == 8 and len(shape.faces) == 6
    if boxy:
        features = find_features(vertices, shape.faces)
        ends = [features.edges[half >> 1, 1 - (half & 1)] for half in features.edges_of_vertex[0]]
        edges = vertices[ends] - vertices[0]
        sides = np.linalg.norm(edges, axis=1)
        boxy = len(edges) == 3 and np.abs(edges @ edges.T - np.diag(sides**2)).max() <= SINE * sides.max() ** 2
        if boxy:
            return (edges / sides[:, None]).T, sides, vertices.mean(axis=0)
    raise GeometryError("of polyhedra grown by a radius, only a rounded box has known mass properties")
