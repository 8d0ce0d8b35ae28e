"""Bodies that start inside each other: the one check of a scene that needs the collision kernels.

They are imported when it runs, so that what only reads and writes scenes need not wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.scene.filters import ignored_pairs
from engine.scene.messages import Finding
from engine.scene.poses import Pose, start_poses
from engine.scene.schema import Body, Scene

if TYPE_CHECKING:
    from engine.geometry.hull_tree import Forest
    from engine.geometry.shapes import Shape

Boxes = Floats

# Touching bodies may overlap by rounding: this fraction of the smaller one's radius is not called an overlap.
_ROUNDING = 1e-9


class Overlap(NamedTuple):
    """Two bodies, by row, that start inside each other: by how much [m]; the normal points from b to a."""

    a: int
    b: int
    depth: float
    normal: tuple[float, float, float]


def find_overlaps(scene: Scene) -> list[Finding]:
    """What is wrong with bodies that start inside each other, as `overlapping` finds them."""
    return _once_a_repeat([_overlap(scene, *found) for found in overlapping(scene)])


def overlapping(scene: Scene) -> list[Overlap]:
    """Pairs of bodies that start in penetration, of which at least one is free. Shapes must be valid by themselves.

    Concave meshes that have not been cut into pieces yet are left out: cutting takes seconds, and reading a scene does
    not wait for it.
    """
    if not any(body.motion == "free" for body in scene.bodies):
        return []
    from engine.geometry.hull_tree import pack_forest
    from engine.geometry.shapes import PLANE
    from engine.scene.body_shapes import is_ready, make_shape, shape_key

    built: dict[str, int] = {}
    shapes: list[Shape] = []
    rows: list[int] = []
    known = [row for row, body in enumerate(scene.bodies) if is_ready(scene, body)]
    bodies = tuple(scene.bodies[row] for row in known)
    for body in bodies:
        key = shape_key(body)
        if key not in built:
            built[key] = len(shapes)
            shapes.append(make_shape(scene, body))
        rows.append(built[key])
    started = start_poses(scene)
    poses = [started[row] for row in known]
    boxes = np.array([_box(shapes[row], pose) for row, pose in zip(rows, poses)]).reshape(-1, 2, 3)
    apart = _tied_pairs(scene) | {frozenset(pair) for pair in ignored_pairs(scene)}
    near = [(a, b) for a, b in _near_pairs(bodies, boxes) if frozenset((known[a], known[b])) not in apart]
    if not near:
        return []
    forest = pack_forest(shapes)
    found = []
    for a, b in near:
        roots = forest.roots[rows[a]], forest.roots[rows[b]]
        roots = _against(forest, *roots), _against(forest, *reversed(roots))
        round_sizes = [shapes[row].bounding_radius for row in (rows[a], rows[b]) if shapes[row].kind != PLANE]
        gap, normal = _deepest(forest, roots, (poses[a], poses[b]), -_ROUNDING * min(round_sizes))
        if gap < 0.0:
            found.append(Overlap(known[a], known[b], -gap, normal))
    return found


def _against(forest: Forest, root: int, other: int) -> int:
    from engine.collision.pairs.hull_pairs import root_against

    return int(root_against(forest.topology, forest.trees, root, other))


def _deepest(
    forest: Forest, roots: tuple[int, int], poses: tuple[Pose, Pose], limit: float
) -> tuple[float, tuple[float, float, float]]:
    """The least gap below `limit` of two pieces of two bodies, and its normal; 0 if there is none."""
    from engine.collision.narrow.closest import closest
    from engine.collision.pairs.hull_pairs import opens_a
    from engine.geometry.hull_tree import CHILD, CHILDREN

    deepest, way = 0.0, (0.0, 0.0, 1.0)
    left = [roots]
    while left:
        a, b = left.pop()
        gap, *_, nx, ny, nz, _, _, _ = closest(forest.geometry, forest.topology, a, poses[0], b, poses[1], -1, -1)
        if gap >= min(limit, deepest):
            continue
        if forest.trees[a, CHILDREN] + forest.trees[b, CHILDREN] == 0:
            deepest, way = gap, (nx, ny, nz)
            continue
        opened = a if opens_a(forest.trees, forest.extents, a, b) else b
        children = range(forest.trees[opened, CHILD], forest.trees[opened, CHILD] + forest.trees[opened, CHILDREN])
        left.extend((child, b) if opened == a else (a, child) for child in children)
    return deepest, way


def _once_a_repeat(found: list[Finding]) -> list[Finding]:
    """Of what is wrong with the bodies of one `[[repeat]]`, the first: the others have the same cause."""
    first = {finding.loc: finding for finding in reversed(found) if finding.loc[0] == "repeat"}
    return [finding for finding in found if finding.loc[0] != "repeat" or first[finding.loc] is finding]


def _box(shape: Shape, pose: Pose) -> Boxes:
    """Low and high corner of a shape's box in the world; a plane's has no end."""
    return np.array(shape.transformed(pose[:3], pose[3:]).bounds)


def _near_pairs(bodies: tuple[Body, ...], boxes: Boxes) -> list[tuple[int, int]]:
    """Pairs of rows that could collide and whose boxes meet, in order."""
    from engine.collision.broad.sweep_prune import find_meeting
    from engine.model.state import BOX_WIDTH, HIGH, LOW

    swept = np.zeros((len(bodies), BOX_WIDTH))
    swept[:, LOW : LOW + 3] = boxes[:, 0]
    swept[:, HIGH : HIGH + 3] = boxes[:, 1]
    free = np.array([body.motion == "free" for body in bodies], dtype=np.bool_)
    names = {name: number for number, name in enumerate({body.group for body in bodies if body.group is not None})}
    groups = np.array([-1 if body.group is None else names[body.group] for body in bodies], dtype=np.int64)
    a, b = find_meeting(swept).T
    wanted = (free[a] | free[b]) & ((groups[a] != groups[b]) | (groups[a] < 0))
    return list(zip(a[wanted].tolist(), b[wanted].tolist()))


def _tied_pairs(scene: Scene) -> set[frozenset[int]]:
    """Rows of the pairs of bodies that do not collide because a joint ties them."""
    row_of = {body.name: row for row, body in enumerate(scene.bodies)}
    tied = [joint.bodies for joint in scene.joint if len(joint.bodies) == 2 and not joint.collide]
    return {frozenset(row_of[name] for name in names) for names in tied if set(names) <= set(row_of)}


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
