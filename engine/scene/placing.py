"""Where bodies of a scene can stand: dropped on what is below them, pushed apart from what they are inside of."""

from __future__ import annotations

from collections.abc import Collection
from math import hypot, inf

import numpy as np

from engine.arrays import Floats
from engine.scene.overlaps import Overlap, inside
from engine.scene.schema import Scene
from engine.scene.solids import Solids
from engine.scene.values import Triple, scaled
from engine.tolerances import ENVELOPE_FRACTION

_ROUNDS = 200
_SHARE = 0.5  # of the automatic envelope is the gap that bodies are left with: they neither fall nor are pushed up


def drop(scene: Scene, rows: Collection[int]) -> Triple | None:
    """The shift [m] that puts bodies, together, on what is below them, or above where gravity goes up.

    rows: of the bodies. None if nothing is there.
    """
    solids = Solids(scene)
    gravity = scene.world.gravity
    down = scaled(gravity, 1.0 / hypot(*gravity)) if hypot(*gravity) > 0.0 else (0.0, 0.0, -1.0)
    moved = [k for k, row in enumerate(solids.rows) if row in rows]
    boxes = solids.boxes()
    ends = boxes[np.isfinite(boxes).all(axis=(1, 2))].reshape(-1, 3) @ np.array(down)
    length = float(np.ptp(ends)) if len(ends) else 0.0
    ways = [
        solids.way(a, b, down, clearance(solids, a, b), inf)
        for a in moved
        for b in _below(boxes, a, np.multiply(length, down))
        if b not in moved and solids.collide(a, b)
    ]
    way = min(ways, default=inf)
    return scaled(down, way) if way < inf else None


def push_apart(scene: Scene, rows: Collection[int]) -> tuple[dict[str, Triple], int]:
    """Small shifts [m] of bodies, by name, after which none is inside another, and how many pairs still are.

    rows: of the bodies that may move. What joints tie moves together, and not at all if the world or a body that may
    not move is among it; nor do bodies of repeats.
    """
    solids = Solids(scene)
    parts = _movable(scene, rows)
    start = solids.poses[:, :3].copy()
    found = inside(solids)
    for _ in range(_ROUNDS):
        if not _part(solids, parts, found):
            break
        found = inside(solids)
    shifts = solids.poses[:, :3] - start
    moved = {scene.bodies[row].name: shift for row, shift in zip(solids.rows, shifts) if np.any(shift)}
    return {name: (float(s[0]), float(s[1]), float(s[2])) for name, s in moved.items()}, len(found)


def clearance(solids: Solids, a: int, b: int) -> float:
    """The gap that two bodies are left with [m]."""
    return _SHARE * ENVELOPE_FRACTION * min(solids.radii[a], solids.radii[b], 1e6)


def _below(boxes: Floats, a: int, way: Floats) -> list[int]:
    """Bodies whose boxes that of a meets on its way."""
    low, high = np.minimum(boxes[a, 0], boxes[a, 0] + way), np.maximum(boxes[a, 1], boxes[a, 1] + way)
    meets = (boxes[:, 0] <= high).all(axis=1) & (boxes[:, 1] >= low).all(axis=1)
    return [int(k) for k in np.flatnonzero(meets) if k != a]


def _movable(scene: Scene, rows: Collection[int]) -> dict[int, int]:
    """Of each row that may move, the first row of what moves with it."""
    row_of = {body.name: row for row, body in enumerate(scene.body)}
    may = {row for row in rows if row < len(scene.body) and scene.bodies[row].motion == "free"}
    part = {row: row for row in row_of.values()}
    for joint in scene.joint:
        tied = [row_of[name] for name in joint.bodies if name in row_of]
        firsts = {part[row] for row in tied}
        part = {row: min(firsts) if first in firsts else first for row, first in part.items()}
        if len(tied) == 1:
            may -= {tied[0]}
    stuck = {part[row] for row in part if row not in may}
    return {row: first for row, first in part.items() if first not in stuck}


def _part(solids: Solids, parts: dict[int, int], found: list[Overlap]) -> bool:
    """Push pairs apart by what they are inside of each other, each side by half if both move. False: none can be."""
    pushed: dict[int, Floats] = {}
    for a, b, depth, normal in found:
        sides = [(k, sign) for k, sign in ((a, 1.0), (b, -1.0)) if solids.rows[k] in parts]
        firsts = [parts[solids.rows[k]] for k, _ in sides]
        if len(sides) == 2 and firsts[0] == firsts[1]:
            continue
        for first, (_, sign) in zip(firsts, sides):
            push = sign * (depth + clearance(solids, a, b)) / len(sides) * np.array(normal)
            before = pushed.get(first, np.zeros(3))
            # Two pairs that push the same way need the farther of the two pushes, not both.
            along = float(before @ push) / float(push @ push)
            pushed[first] = before + (1.0 - min(max(along, 0.0), 1.0)) * push
    for k, row in enumerate(solids.rows):
        if parts.get(row) in pushed:
            solids.poses[k, :3] += pushed[parts[row]]
    return bool(pushed)
