"""Bodies that start inside each other: the one check of a scene that needs the collision kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.scene.messages import Finding
from engine.scene.poses import Pose, start_pose
from engine.scene.schema import Body, Scene

if TYPE_CHECKING:
    from engine.geometry.shapes import Shape

Boxes = NDArray[np.float64]

# Touching bodies may overlap by rounding: this fraction of the smaller one's radius is not called an overlap.
_ROUNDING = 1e-9


def find_overlaps(scene: Scene) -> list[Finding]:
    """Pairs of bodies that start in penetration, of which at least one is free. Shapes must be valid by themselves."""
    if not any(body.motion == "free" for body in scene.bodies):
        return []
    from engine.geometry.pool import build_pool
    from engine.geometry.shapes import PLANE
    from engine.scene.build import make_shape

    built: dict[str, int] = {}
    shapes: list[Shape] = []
    rows: list[int] = []
    for body in scene.bodies:
        key = f"{body.shape.kind} {body.shape.value!r}"
        if key not in built:
            built[key] = len(shapes)
            shapes.append(make_shape(scene, body))
        rows.append(built[key])
    poses = [start_pose(body) for body in scene.bodies]
    boxes = np.array([_box(shapes[row], pose) for row, pose in zip(rows, poses)])
    near = list(_near_pairs(scene.bodies, boxes))
    if not near:
        return []
    from engine.collision.closest import closest

    pool = build_pool(shapes)
    found = []
    for a, b in near:
        gap, *_, nx, ny, nz, _, _, _ = closest(
            pool.geometry, pool.topology, rows[a], poses[a], rows[b], poses[b], -1, -1
        )
        round_sizes = [shapes[row].bounding_radius for row in (rows[a], rows[b]) if shapes[row].kind != PLANE]
        if gap < -_ROUNDING * min(round_sizes):
            found.append(_overlap(scene, a, b, -gap, (nx, ny, nz)))
    return _once_a_repeat(found)


def _once_a_repeat(found: list[Finding]) -> list[Finding]:
    """Of what is wrong with the bodies of one `[[repeat]]`, the first: the others have the same cause."""
    first = {finding.loc: finding for finding in reversed(found) if finding.loc[0] == "repeat"}
    return [finding for finding in found if finding.loc[0] != "repeat" or first[finding.loc] is finding]


def _box(shape: Shape, pose: Pose) -> Boxes:
    """Low and high corner of a shape's box in the world; a plane's has no end."""
    return np.array(shape.transformed(pose[:3], pose[3:]).bounds)


def _near_pairs(bodies: tuple[Body, ...], boxes: Boxes) -> Iterator[tuple[int, int]]:
    """Pairs that could collide and whose boxes overlap, by a sweep along x."""
    free = [body.motion == "free" for body in bodies]
    order = np.argsort(boxes[:, 0, 0], kind="stable")
    active: list[int] = []
    for new in (int(row) for row in order):
        active = [row for row in active if boxes[row, 1, 0] >= boxes[new, 0, 0]]
        for row in active:
            separate = bodies[row].group is not None and bodies[row].group == bodies[new].group
            apart = np.any(boxes[row, 1] < boxes[new, 0]) or np.any(boxes[new, 1] < boxes[row, 0])
            if (free[row] or free[new]) and not separate and not apart:
                yield min(row, new), max(row, new)
        active.append(new)


def _overlap(scene: Scene, a: int, b: int, depth: float, normal: tuple[float, float, float]) -> Finding:
    """`normal` points from b to a. Named is the later of the two, or the one that is free."""
    if scene.bodies[b].motion == "free":
        a, b = b, a
        normal = (-normal[0], -normal[1], -normal[2])
    way = ", ".join(f"{c:.3g}" if abs(c) > 1e-9 else "0" for c in normal)
    owner = scene.owner(a)
    who = f"{scene.bodies[a].name} " if owner[0] == "repeat" else ""
    message = f'{who}starts {depth:.3g} m inside body "{scene.bodies[b].name}"'
    return Finding((*owner, "position"), message, f"at least {depth:.3g} m further along [{way}]")
