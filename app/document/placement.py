"""Where new bodies go, and how large they are: sizes of shapes, free spots beside what is there."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

from app.document.copies import alike, said_poses
from engine.scene.body_shapes import make_shape
from engine.scene.schema import Body, Scene
from engine.scene.shapes import BodyShape, Bowl

Vector = tuple[float, float, float]

_CLEARANCE = 1.02  # a new body keeps this many of its own sizes away from what is near
_RINGS = 8  # so many rings of places round the wanted one are tried


def bounding_radius(shape: BodyShape, folder: Path | None = None) -> float:
    """Radius [m] of a ball about its frame's origin that contains it; 0 for a plane. `folder` is where meshes are."""
    value = shape.value
    match shape.kind:
        case "sphere":
            return float(shape.value.radius)
        case "box":
            return math.hypot(*shape.value) / 2
        case "rounded_box":
            return math.hypot(*shape.value.size) / 2
        case "capsule":
            return float(shape.value.radius + shape.value.length / 2)
        case "prism":
            return math.hypot(shape.value.radius, shape.value.height / 2)
        case "cylinder":
            return math.hypot(shape.value.radius, shape.value.length / 2)
        case "cone":
            return math.hypot(max(shape.value.radius, shape.value.top_radius), shape.value.height / 2)
        case "ellipsoid":
            return float(max(shape.value))
        case "superquadric":
            return math.hypot(*shape.value.size)
        case "revolved":
            return max((math.hypot(*rim) for rim in shape.value.profile), default=0.0)
        case "convex":
            return max((math.hypot(*vertex) for vertex in shape.value.vertices), default=0.0)
        case "extrusion":
            corners = [corner for ring in shape.value.rings for corner in ring]
            return math.hypot(max((math.hypot(*xy) for xy in corners), default=0.0), shape.value.height / 2)
        case "bowl":
            return math.hypot(_bowl_radius(value) + value.thickness, max(value.depth, value.thickness))
        case "funnel":
            wall = value.thickness * math.hypot(1.0, (value.top_radius - value.bottom_radius) / value.height)
            return math.hypot(value.top_radius + wall, value.height)
        case "ring":
            return math.hypot(value.radius + value.thickness, value.width / 2)
        case "compound":
            return max(math.hypot(*piece.position) + bounding_radius(piece.shape) for piece in shape.value.pieces)
        case "mesh":
            path = (folder or Path()) / shape.value.file
            return float(shape.value.scale) * _mesh_sizes(path)[1] if path.is_file() else 0.0
    return 0.0


def _bowl_radius(bowl: Bowl) -> float:
    """Half the inner width [m] of a bowl where it is widest: at its lip, or below that if it closes again."""
    lip = math.sqrt((2.0 * bowl.radius - bowl.depth) * bowl.depth)
    return bowl.radius if bowl.depth > bowl.radius else lip


def size_of(shape: BodyShape, folder: Path | None = None) -> float:
    """How large [m] it is: the longest side of its box, of what is hollow that of the room inside; 0 for a plane.

    `edits.shape_of` makes shapes of a given size.
    """
    value = shape.value
    match shape.kind:
        case "plane":
            return 0.0
        case "bowl":
            return max(2.0 * _bowl_radius(value), value.depth)
        case "funnel":
            return float(max(2.0 * value.top_radius, value.height))
        case "ring":
            return float(max(2.0 * value.radius, value.width))
        case "mesh":
            path = (folder or Path()) / value.file
            return float(value.scale) * mesh_size(path) if path.is_file() else 0.0
    low, high = make_shape(Scene(format=1), Body(name="any", shape=shape)).bounds
    return float((high - low).max())


def mesh_size(path: Path) -> float:
    """Largest extent of a mesh file in its own units; ValueError if it is no mesh."""
    return _mesh_sizes(path)[0]


@lru_cache(maxsize=64)
def _mesh_sizes(path: Path) -> tuple[float, float]:
    """Largest extent of a mesh file, and distance of its farthest corner from the origin, in its own units."""
    import trimesh

    mesh = trimesh.load(path, force="mesh")
    if not isinstance(mesh, trimesh.Trimesh) or mesh.extents is None or not float(max(mesh.extents)) > 0:
        raise ValueError(f"{path.name} holds no mesh")
    return float(max(mesh.extents)), float(max(math.hypot(*vertex) for vertex in mesh.vertices))


def typical_size(scene: Scene) -> float:
    """How large [m] a new body should be: the median of those that move, else half a metre."""
    sizes: list[float] = []
    kinds: Counter[str] = Counter()
    for body, copies in alike(scene):
        if body.motion == "free":
            size = 2 * bounding_radius(body.shape, scene.folder)
            sizes += [size] * len(copies) if size > 0 else []
            kinds[body.shape.kind] += len(copies)
    if not sizes:
        return 0.5
    size = sorted(sizes)[len(sizes) // 2]
    return size if kinds.most_common(1)[0][0] == "sphere" else size / math.sqrt(3)


def foot(body: Body) -> float:
    """A height [m] that is certainly not below the lowest point of a body: its middle less its least half-width."""
    shape = body.shape
    match shape.kind:
        case "box":
            half = min(shape.value) / 2
        case "rounded_box":
            half = min(shape.value.size) / 2
        case "prism":
            half = min(shape.value.radius * math.cos(math.pi / shape.value.sides), shape.value.height / 2)
        case "sphere" | "capsule":
            half = shape.value.radius
        case "cylinder":
            half = min(shape.value.radius, shape.value.length / 2)
        case "ellipsoid":
            half = min(shape.value)
        case _:
            half = 0.0
    return body.position[2] - float(half)


def underside(shape: BodyShape) -> float:
    """How far [m] a bowl, funnel or ring reaches below the origin of its frame."""
    value = shape.value
    match shape.kind:
        case "bowl":
            return float(value.thickness)
        case "funnel":
            slope = (value.top_radius - value.bottom_radius) / value.height
            tip = value.thickness * math.hypot(1.0, slope) / slope if value.bottom_radius == 0.0 else 0.0
            return float(value.height / 2 + tip)
        case "ring":
            return float(value.width / 2)
    return 0.0


def free_spot(scene: Scene, place: Vector, reach: float) -> Vector:
    """Where a ball of radius `reach` stands on `place`, or as near to it as it meets no small body."""
    return _clear(scene, (place[0], place[1], place[2] + _CLEARANCE * reach), reach)


def spot_beside(scene: Scene, position: Vector, reach: float) -> Vector:
    """The nearest place beside a body, at its height, that is free for another of its size."""
    x, y, z = position
    return _clear(scene, (x + 2 * _CLEARANCE * reach, y, z), reach)


def under_everything(scene: Scene) -> Vector:
    """The origin, or a point below it under the lowest body."""
    lowest = [
        min((one.position[2] for one in copies), default=0.0) - bounding_radius(body.shape, scene.folder)
        for body, copies in alike(scene)
        if body.shape.kind != "plane"
    ]
    return (0.0, 0.0, min([0.0, *lowest]))


def _clear(scene: Scene, wanted: Vector, reach: float) -> Vector:
    """`wanted`, or a place on a ring round it, or above it: bodies up to four times as large are kept clear of."""
    radii: list[float] = []
    for body, copies in alike(scene):
        radii += [bounding_radius(body.shape, scene.folder)] * len(copies)
    radius = np.array(radii, dtype=float)
    near = (radius > 0.0) & (radius <= 4 * reach)
    middles, least = said_poses(scene)[near, :3], radius[near] + _CLEARANCE * reach

    close = np.linalg.norm(middles - wanted, axis=1) < least + 2.1 * reach * _RINGS

    def is_free(point: Vector) -> bool:
        return bool((np.linalg.norm(middles[close] - point, axis=1) >= least[close]).all())

    x, y, z = wanted
    for ring in range(_RINGS):
        count = max(1, 6 * ring)
        for turn in (2 * math.pi * k / count for k in range(count)):
            width = 2.1 * reach * ring
            point = (x + width * math.cos(turn), y + width * math.sin(turn), z)
            if is_free(point):
                return point
    top = float((middles[:, 2] + least).max(initial=z))
    return (x, y, top)
