"""The bodies of a scene as collision sees them, where they start: gaps between them, and how far one may go.

The collision kernels are imported when the first is made, so that what only reads and writes scenes need not wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats
from engine.scene.filters import ignored_pairs
from engine.scene.poses import Pose, start_poses
from engine.scene.schema import Scene
from engine.scene.shapes import HOLLOW_KINDS
from engine.scene.values import Triple

if TYPE_CHECKING:
    from engine.geometry.shapes import Shape

_STEPS = 200  # towards another body
_CLOSE = 1e-3  # of the clearance: so near to it is there


class Solids:
    """Shapes and poses of the bodies of a scene; shapes must be valid by themselves.

    rows: of the bodies that are there. Concave meshes that have not been cut into pieces yet are left out: cutting
    takes seconds. poses: (n, 7) of those, x y z [m] and w x y z; they may be changed.
    """

    def __init__(self, scene: Scene) -> None:
        from engine.geometry.hull_tree import pack_forest
        from engine.geometry.shapes import PLANE
        from engine.scene.body_shapes import is_ready, make_shape, shape_key

        bodies = scene.bodies
        self.scene = scene
        self.rows = [row for row, body in enumerate(bodies) if is_ready(scene, body)]
        built: dict[str, int] = {}
        shapes: list[Shape] = []
        self._shape: list[int] = []
        for row in self.rows:
            key = shape_key(bodies[row])
            if key not in built:
                built[key] = len(shapes)
                shapes.append(make_shape(scene, bodies[row]))
            self._shape.append(built[key])
        started = start_poses(scene)
        self.poses: Floats = np.array([started[row] for row in self.rows]).reshape(-1, 7)
        self._shapes = shapes
        self._forest = pack_forest(shapes) if shapes else None
        self.radii = [inf if shapes[k].kind == PLANE else float(shapes[k].bounding_radius) for k in self._shape]
        self._free = np.array([bodies[row].motion == "free" for row in self.rows], dtype=np.bool_)
        self._hollow = [bodies[row].shape.kind in HOLLOW_KINDS for row in self.rows]
        groups: dict[str, int] = {}
        self._group = [groups.setdefault(g, len(groups)) if (g := bodies[row].group) else -1 for row in self.rows]
        self._apart = _tied_pairs(scene) | {frozenset(pair) for pair in ignored_pairs(scene)}

    def boxes(self) -> Floats:
        """Low and high corners of the bodies now (n, 2, 3) [m]; a plane's has no end."""
        found = [self._shapes[k].transformed(p[:3], p[3:]).bounds for k, p in zip(self._shape, self._all_poses())]
        return np.array(found).reshape(-1, 2, 3)

    def meeting(self, boxes: Floats) -> Iterator[tuple[int, int]]:
        """Pairs a < b of bodies, by place in `rows`, that collide if they come together, one of which is free, and
        whose boxes meet; in order."""
        from engine.collision.broad.sweep_prune import find_meeting
        from engine.model.state import BOX_WIDTH, HIGH, LOW

        swept = np.zeros((len(boxes), BOX_WIDTH))
        swept[:, LOW : LOW + 3], swept[:, HIGH : HIGH + 3] = boxes[:, 0], boxes[:, 1]
        for a, b in find_meeting(swept).tolist():
            if (self._free[a] or self._free[b]) and self.collide(a, b):
                yield a, b

    def collide(self, a: int, b: int) -> bool:
        """Whether no joint, group or body says that the two pass through each other."""
        same = self._group[a] >= 0 and self._group[a] == self._group[b]
        return not same and frozenset((self.rows[a], self.rows[b])) not in self._apart

    def gap(self, a: int, b: int, limit: float = inf) -> tuple[float, Triple]:
        """The least gap [m] below `limit` of pieces of two bodies, negative inside, and its normal from b to a."""
        least, way = limit, (0.0, 0.0, 1.0)
        left = [self._roots(a, b)]
        while left:
            one, other = left.pop()
            gap, normal = self._closest(one, other, a, b)
            if gap >= least:
                continue
            parts = self._opened(one, other)
            if parts:
                left.extend(parts)
            else:
                least, way = gap, normal
        return least, way

    def way(self, a: int, b: int, along: Triple, clearance: float, most: float) -> float:
        """How far [m] body a may go along a unit vector until its gap to b is `clearance`; `most` if no less.

        Conservative advancement: convex pieces stay apart at least until the plane between their nearest points, which
        goes with one of them, has reached the other. A hollow body has no such plane: there the gap itself is the way.
        """
        start, gone = self.poses[a].copy(), 0.0
        for _ in range(_STEPS):
            step = self._free_way(a, b, along, clearance)
            gone += step
            if step <= _CLOSE * clearance or gone >= most:
                break
            self.poses[a, :3] += np.multiply(step, along)
        else:
            if self._hollow[a] or self._hollow[b]:
                gone = most  # it has passed by
        self.poses[a] = start
        return min(gone, most)

    def _free_way(self, a: int, b: int, along: Triple, clearance: float) -> float:
        straight = self._hollow[a] or self._hollow[b]
        least = inf
        left = [self._roots(a, b)]
        while left:
            one, other = left.pop()
            gap, normal = self._closest(one, other, a, b)
            towards = 1.0 if straight else -float(np.dot(along, normal))
            if gap > 0.0 and towards <= 0.0:
                continue
            free = max(gap - clearance, 0.0) / max(towards, 1e-12)
            if free >= least:
                continue
            parts = self._opened(one, other)
            if parts:
                left.extend(parts)
            else:
                least = free
        return least

    def _all_poses(self) -> list[Pose]:
        return [self._pose(k) for k in range(len(self.rows))]

    def _pose(self, k: int) -> Pose:
        x, y, z, *q = self.poses[k].tolist()
        return (x, y, z, q[0], q[1], q[2], q[3])

    def _roots(self, a: int, b: int) -> tuple[int, int]:
        from engine.collision.pairs.hull_pairs import root_against

        forest = self._forest
        assert forest is not None
        one, other = forest.roots[self._shape[a]], forest.roots[self._shape[b]]
        against = root_against(forest.topology, forest.trees, one, other)
        return int(against), int(root_against(forest.topology, forest.trees, other, one))

    def _closest(self, one: int, other: int, a: int, b: int) -> tuple[float, Triple]:
        from engine.collision.narrow.closest import closest

        forest = self._forest
        assert forest is not None
        found = closest(forest.geometry, forest.topology, one, self._pose(a), other, self._pose(b), -1, -1)
        gap, *_, nx, ny, nz, _, _, _ = found
        return float(gap), (float(nx), float(ny), float(nz))

    def _opened(self, one: int, other: int) -> list[tuple[int, int]]:
        """The pairs of pieces that a pair of nodes consists of; none if both are pieces."""
        from engine.collision.pairs.hull_pairs import opens_a
        from engine.geometry.hull_tree import CHILD, CHILDREN

        forest = self._forest
        assert forest is not None
        if forest.trees[one, CHILDREN] + forest.trees[other, CHILDREN] == 0:
            return []
        first = bool(opens_a(forest.trees, forest.extents, one, other))
        opened = one if first else other
        children = range(forest.trees[opened, CHILD], forest.trees[opened, CHILD] + forest.trees[opened, CHILDREN])
        return [(child, other) if first else (one, child) for child in children]


def _tied_pairs(scene: Scene) -> set[frozenset[int]]:
    """Rows of the pairs of bodies that do not collide because a joint ties them."""
    row_of = {body.name: row for row, body in enumerate(scene.bodies)}
    tied = [joint.bodies for joint in scene.joint if len(joint.bodies) == 2 and not joint.collide]
    return {frozenset(row_of[name] for name in names) for names in tied if set(names) <= set(row_of)}
