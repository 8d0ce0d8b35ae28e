"""Joints as they are drawn: axes, the ways that limits leave them, and where they stand on those.

All marks are lines in the frames of the bodies that they go with, made once a scene; a frame only moves them, together.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np

from app.view.theme import Colours
from app.view.viewport.overlays import Overlay, segments_overlay
from engine.arrays import Bools, Floats, Floats32, Ints
from engine.maths.vectors import any_perpendicular
from engine.scene.joints import Joint
from engine.scene.poses import start_pose
from engine.scene.schema import Scene

AXES, WAYS, HANDS = 0, 1, 2
"""Kinds of marks: axes and points, arcs and stretches between limits, and hands that point along them."""
_STEPS = 32  # chords of an arc
_AXIS = 0.9  # of a typical body, half of an axis
_ARC = 0.7


class Marks(NamedTuple):
    """Lines of all joints, in body frames."""

    ends: Floats  # (m, 2, 3)
    body: Ints  # (m,) the row in whose frame they are; -1: the world
    joint: Ints  # (m,) place in the scene
    kind: Ints  # (m,)


def make_marks(scene: Scene, size: float) -> Marks:
    """The marks of a scene's joints, for bodies that are about `size` [m] across."""
    rows = {body.name: row for row, body in enumerate(scene.bodies)}
    poses = np.array([start_pose(body) for body in scene.bodies]).reshape(-1, 7)
    ends: list[Floats] = []
    tags: list[tuple[int, int, int]] = []
    for number, joint in enumerate(scene.joint):
        sides = [rows[name] for name in joint.bodies]
        first, second = (sides[0], sides[1]) if len(sides) == 2 else (-1, sides[0])
        for kind, lines in _lines(joint, size, poses[second, :3]):
            row = second if kind == HANDS else first
            ends.append(_into_frame(lines, poses, row))
            tags += [(row, number, kind)] * len(lines)
    columns = np.array(tags, dtype=np.int64).reshape(-1, 3)
    whole = np.concatenate(ends) if ends else np.zeros((0, 2, 3))
    return Marks(whole, columns[:, 0], columns[:, 1], columns[:, 2])


def place_marks(marks: Marks, poses: Floats | Floats32, shown: Bools) -> Floats:
    """Lines in the world of the marks that are `shown`, (k, 2, 3), bodies being at `poses` (n, 7)."""
    ends, body = marks.ends[shown], marks.body[shown]
    at = np.vstack([np.asarray(poses, dtype=float), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])[body]
    return _turned(ends, at[:, 3:]) + at[:, None, :3]


def joint_overlays(marks: Marks, poses: Floats | Floats32, c: Colours) -> dict[str, Overlay]:
    """All marks, bodies being at `poses` (n, 7)."""
    return {
        name: segments_overlay(place_marks(marks, poses, marks.kind == kind), shade, width, through=True)
        for kind, name, shade, width in (
            (AXES, "joints points", c.series[4], 3.0),
            (WAYS, "joint ways", c.series[2], 3.0),
            (HANDS, "joint hands", c.series[5], 4.0),
        )
    }


def _turned(ends: Floats, q: Floats) -> Floats:
    """(m, 2, 3) vectors turned by (m, 4) quaternions."""
    w, v = q[:, None, :1], q[:, None, 1:]
    t = 2.0 * np.cross(np.broadcast_to(v, ends.shape), ends)
    return np.asarray(ends + w * t + np.cross(np.broadcast_to(v, ends.shape), t))


def _into_frame(lines: Floats, poses: Floats, row: int) -> Floats:
    if row < 0:
        return lines
    inverse = np.repeat(poses[None, row, 3:] * (1.0, -1.0, -1.0, -1.0), len(lines), axis=0)
    return _turned(lines - poses[row, :3], inverse)


def _lines(joint: Joint, size: float, second: Floats) -> list[tuple[int, Floats]]:
    """Its marks in the world, as the bodies are placed: lines by kind. The hand points to its second body."""
    at = np.array(joint.point)
    dot = np.stack([at, at])[None]
    if joint.axis is None:
        return [(AXES, dot)]
    u = np.array(joint.axis) / hypot(*joint.axis)
    along = np.stack([at - _AXIS * size * u, at + _AXIS * size * u])[None]
    away = second - at
    s = away - (away @ u) * u
    if joint.kind == "slider" or np.linalg.norm(s) < 1e-6 * size:
        s = np.array(any_perpendicular((float(u[0]), float(u[1]), float(u[2]))))
    s /= np.linalg.norm(s)
    t = np.cross(u, s)
    if joint.kind == "planar":
        return [(AXES, np.stack([[at - _AXIS * size * a, at + _AXIS * size * a] for a in (s, t)]))]
    marks = [(AXES, np.concatenate([along, dot]))]
    if joint.limits is None:
        return marks
    low, high = joint.limits
    if joint.kind == "slider":
        ends = np.stack([at + low * u, at + high * u])
        ticks = [np.stack([end - 0.2 * size * s, end + 0.2 * size * s]) for end in ends]
        return [
            *marks,
            (WAYS, np.stack([ends, *ticks])),
            (HANDS, np.stack([at - 0.3 * size * s, at + 0.3 * size * s])[None]),
        ]
    angles = np.linspace(low, high, _STEPS + 1)
    rim = at + _ARC * size * (np.cos(angles)[:, None] * s + np.sin(angles)[:, None] * t)
    chords = np.stack([rim[:-1], rim[1:]], axis=1)
    spokes = np.stack([[at, rim[0]], [at, rim[-1]]])
    hand = np.stack([at, at + 1.1 * _ARC * size * s])[None]
    return [*marks, (WAYS, np.concatenate([chords, spokes])), (HANDS, hand)]
