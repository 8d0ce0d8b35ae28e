"""From a scene to what is drawn of it: few distinct meshes, and for every body a row that places one of them.

Balls share one unit sphere and boxes one unit cube, stretched by the row; other shapes share a mesh where they are
equal. Planes are no meshes: they have no end.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from app.document.copies import alike, said_poses
from app.view.viewport.palette import body_colours, colour_array, own_colour, own_look
from engine.arrays import Bools, Floats, Floats32, Ints
from engine.geometry.shapes import REVOLVED, box, sphere
from engine.geometry.surface import Surface, surface_mesh
from engine.scene.body_shapes import drawn_shape
from engine.scene.poses import start_poses as jointed_poses
from engine.scene.schema import MATERIAL_LOOKS, Body, Scene
from engine.scene.shapes import BodyShape

PLAIN, BALL, STRIPES = 0, 1, 2
_STRIPED = ("capsule", "cylinder", "cone", "revolved")
_BUMP = 0.07
"""A mass that is attached to a body is drawn as a ball of this part of the body's largest extent."""
CORNERS = 48
"""A round body has so many corners around; FEW_CORNERS in scenes of more than MANY bodies, unless one has time.
Solids of revolution, whose rims are large and whose triangles are few, have twice as many."""
SLOW_CORNERS = 32
"""The same for a processor that draws."""
FEW_CORNERS = 20
MANY = 200
_AS_IT_IS = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class DrawMesh:
    """A surface to draw: vertices and normals (n, 3), faces (m, 3), and the pattern painted on it.

    `outward` (n, 3) is the mean normal of all vertices at one place: pushing along it keeps the surface closed.
    look: of the material, a place in `MATERIAL_LOOKS`.
    """

    vertices: Floats32
    faces: NDArray[np.uint32]
    normals: Floats32
    outward: Floats32
    pattern: int = PLAIN
    look: int = 0


@dataclass(frozen=True, eq=False)
class BodySet:
    """The bodies of a scene as the viewport draws and picks them; all arrays are in scene order.

    keys: what each mesh was made from. mesh: row of `meshes`, -1 for a plane. scale: stretches the mesh, per axis.
    colours: amounts of light. radii: of the ball about the authored origin that holds the body [m], inf for a plane.
    extents: low and high corner (n, 2, 3) of the body in its authored frame. order: bodies grouped by mesh; group k of
    them is order[starts[k]:starts[k + 1]], the planes come last and in no group. tinted: whether the scene itself says
    the colour. fixed: whether a body never moves.
    """

    meshes: tuple[DrawMesh, ...]
    keys: tuple[str, ...]
    mesh: Ints
    scale: Floats32
    colours: Floats32
    radii: Floats
    extents: Floats
    order: Ints
    starts: Ints
    planes: tuple[int, ...]
    poses: Floats
    tinted: tuple[bool, ...]
    fixed: Bools

    @property
    def count(self) -> int:
        return len(self.mesh)


def body_set(scene: Scene, before: BodySet | None = None, many: int = MANY, corners: int = CORNERS) -> BodySet:
    """What to draw of a scene, and where its bodies are at the start. Meshes that `before` has too are used again."""
    n = len(scene.bodies)
    corners = FEW_CORNERS if n > many else corners
    known = {} if before is None else dict(zip(before.keys, before.meshes, strict=True))
    keys: dict[str, int] = {}
    meshes: list[DrawMesh] = []
    counts: list[int] = []  # for each body and each repeat: how many bodies it stands for, and what holds for them
    mesh_of: list[int] = []
    scales: list[tuple[float, ...]] = []
    tinted: list[bool] = []
    fixed: list[bool] = []
    for body, copies in alike(scene):
        kind = body.shape.kind
        stretched = kind in ("sphere", "box") and not body.attached
        counts.append(len(copies))
        tinted.append(own_colour(scene, body) is not None)
        fixed.append(body.motion_kind == "fixed")
        scales.append(_stretch(body.shape, kind) if stretched else _AS_IT_IS)
        if kind == "plane":
            mesh_of.append(-1)
            continue
        look = own_look(scene, body)
        key = f"{look} " + (f"{corners} {kind}" if stretched else _mesh_key(scene, body, corners))
        if key not in keys:
            keys[key] = len(meshes)
            drawn = known.get(key) or _draw_mesh(scene, body, corners)
            meshes.append(replace(drawn, look=MATERIAL_LOOKS.index(look)))
        mesh_of.append(keys[key])
    mesh = np.repeat(np.array(mesh_of, dtype=np.int64), counts)
    scale = np.repeat(np.array(scales, dtype=np.float32).reshape(-1, 3), counts, axis=0)
    order = np.argsort(np.where(mesh < 0, len(meshes), mesh), kind="stable")
    return BodySet(
        meshes=tuple(meshes),
        keys=tuple(keys),
        mesh=mesh,
        scale=scale,
        colours=colour_array(body_colours(scene)),
        radii=_radii(meshes, mesh, scale),
        extents=_extents(meshes, mesh, scale),
        order=order,
        starts=np.searchsorted(mesh[order[: np.count_nonzero(mesh >= 0)]], np.arange(len(meshes) + 1)),
        planes=tuple(int(row) for row in np.flatnonzero(mesh < 0)),
        poses=start_poses(scene),
        tinted=tuple(np.repeat(np.array(tinted, dtype=bool), counts).tolist()),
        fixed=np.repeat(np.array(fixed, dtype=bool), counts),
    )


def _stretch(shape: BodyShape, kind: str) -> tuple[float, ...]:
    """What the unit mesh of a sphere or box is stretched by, along each axis."""
    size = getattr(shape, kind)
    return (size.radius,) * 3 if kind == "sphere" else size


def start_poses(scene: Scene) -> Floats:
    """Poses of the authored frames as the scene says them, and as joints let them start, (n, 7) x y z w x y z."""
    if any(joint.position for joint in scene.joint):
        return np.array(jointed_poses(scene), dtype=float).reshape(-1, 7)
    return said_poses(scene)


def bounds(poses: Floats, radii: Floats, rows: Sequence[int] | Ints | None = None) -> tuple[Floats, float]:
    """Centre and radius [m] of a ball about the bodies `rows` (default: all), planes and lost bodies aside."""
    at, reach = (poses[:, :3], radii) if rows is None else (poses[np.asarray(rows), :3], radii[np.asarray(rows)])
    at = np.ascontiguousarray(at.T)  # numpy goes fast along rows
    known = np.flatnonzero(np.isfinite(reach) & np.isfinite(at).all(axis=0))
    at, reach = at.take(known, axis=1), reach[known]
    if len(reach) == 0:
        return np.zeros(3), 1.0
    centre = 0.5 * ((at - reach).min(axis=1) + (at + reach).max(axis=1))
    away = at - centre[:, None]
    return centre, float((np.sqrt((away * away).sum(axis=0)) + reach).max())


def lowest(bodies: BodySet) -> float:
    """Smallest z [m] that any body reaches at the start, by the boxes of their authored frames; 0 if there is none."""
    rows = np.flatnonzero(bodies.mesh >= 0)
    if not len(rows):
        return 0.0
    w, x, y, z = bodies.poses[rows, 3:].T
    up = np.stack([2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)], axis=1)
    low, high = bodies.extents[rows, 0], bodies.extents[rows, 1]
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    balls = np.array([mesh.pattern == BALL for mesh in bodies.meshes])[bodies.mesh[rows]]
    reach = np.where(balls, half[:, 0], np.einsum("ij,ij->i", np.abs(up), half))
    return float((bodies.poses[rows, 2] + np.einsum("ij,ij->i", up, middle) - reach).min())


def _mesh_key(scene: Scene, body: Body, corners: int) -> str:
    """What a mesh of its own is made from."""
    still = body.motion == "fixed" and body.shape.kind in _STRIPED
    return f"{corners} {scene.folder} {body.shape!r} {body.attached!r} {still}"


def _draw_mesh(scene: Scene, body: Body, corners: int) -> DrawMesh:
    kind = body.shape.kind
    if kind == "sphere" and not body.attached:
        shape = sphere(1.0)
    elif kind == "box" and not body.attached:
        shape = box((1.0, 1.0, 1.0))
    else:
        shape = drawn_shape(scene, body)
    finer = 4 if shape.hollow else 2 if shape.kind == REVOLVED else 1  # rims against what is behind them show corners
    surface = surface_mesh(shape, finer * corners)
    if surface is None:
        raise ValueError(f"{body.name}: a {kind} has no surface to draw")
    pattern = PLAIN
    if kind == "sphere" and not body.attached:
        pattern = BALL
    elif kind in _STRIPED and body.motion != "fixed":
        pattern = STRIPES
    return draw_mesh(_with_bumps(body, surface), pattern)


@cache
def ball_mesh(parts: int) -> DrawMesh:
    """The unit sphere from an icosahedron whose sides are cut into so many parts: few triangles, for small balls.

    It has about five corners around for each part.
    """
    golden = 0.5 * (1.0 + 5.0**0.5)
    signs = [(a, b) for a in (-1.0, 1.0) for b in (-golden, golden)]
    points = np.array([point for a, b in signs for point in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))])
    triples = points[np.array(list(itertools.combinations(range(12), 3)))]
    faces = triples[(np.linalg.norm(triples - np.roll(triples, 1, axis=1), axis=2) < 2.1).all(axis=1)]
    pieces = []
    for a, b, c in faces:
        if np.cross(b, c) @ a < 0.0:
            b, c = c, b
        grid = {(i, j): a + (i * (b - a) + j * (c - a)) / parts for i in range(parts + 1) for j in range(parts + 1 - i)}
        for i, j in grid:
            if i + j < parts:
                pieces.append((grid[i, j], grid[i + 1, j], grid[i, j + 1]))
            if i + j + 1 < parts:
                pieces.append((grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]))
    corners = np.array(pieces).reshape(-1, 3)
    corners /= np.linalg.norm(corners, axis=1, keepdims=True)
    vertices, place = np.unique(np.round(corners, 9).astype(np.float32), axis=0, return_inverse=True)
    return DrawMesh(vertices, place.reshape(-1, 3).astype(np.uint32), vertices, vertices, BALL)


def draw_mesh(surface: Surface, pattern: int) -> DrawMesh:
    """A surface as it is drawn."""
    vertices, faces, normals = surface
    return DrawMesh(vertices, faces, normals, _outward(vertices, normals), pattern)


def _with_bumps(body: Body, surface: Surface) -> Surface:
    """The surface with a small ball for each mass that is attached."""
    vertices, faces, normals = surface
    size = float(np.ptp(vertices, axis=0).max())
    for attached in body.attached:
        ball = surface_mesh(sphere(0.5 * _BUMP * size), FEW_CORNERS)
        assert ball is not None
        faces = np.vstack([faces, ball[1] + np.uint32(len(vertices))])
        vertices = np.vstack([vertices, ball[0] + np.asarray(attached.position, dtype=np.float32)])
        normals = np.vstack([normals, ball[2]])
    return vertices, faces, normals


def _outward(vertices: Floats32, normals: Floats32) -> Floats32:
    """Unit mean of the distinct normals at each place, (n, 3)."""
    size = float(np.abs(vertices).max()) or 1.0
    _, place = np.unique(np.round(vertices / size, 5), axis=0, return_inverse=True)
    place = place.ravel()
    distinct = np.unique(np.column_stack([place, np.round(normals, 3)]), axis=0)
    total = np.zeros((int(place.max()) + 1, 3))
    np.add.at(total, distinct[:, 0].astype(np.int64), distinct[:, 1:])
    mean = total[place]
    return (mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)).astype(np.float32)


def _radii(meshes: Sequence[DrawMesh], mesh: Ints, scale: Floats32) -> Floats:
    reach = np.array([np.linalg.norm(each.vertices, axis=1).max() for each in meshes] + [np.inf], dtype=float)
    even = (scale == scale[:, :1]).all(axis=1)
    # Only the unit cube is stretched unevenly, and its corners reach half its diagonal.
    return np.where(even, reach[mesh] * scale[:, 0], 0.5 * np.linalg.norm(scale, axis=1))  # planes are row -1


def _extents(meshes: Sequence[DrawMesh], mesh: Ints, scale: Floats32) -> Floats:
    corners = np.array([(each.vertices.min(axis=0), each.vertices.max(axis=0)) for each in meshes] + [np.zeros((2, 3))])
    return np.asarray(corners[mesh] * scale[:, None, :], dtype=float)  # planes are row -1: nothing
