"""Where bodies are at time 0, from the scene alone: no kernels."""

from __future__ import annotations

import math

from engine.scene.motions import Cycler, Keyframes, Oscillator, Scripted
from engine.scene.schema import Body

Pose = tuple[float, float, float, float, float, float, float]
Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


def start_pose(body: Body) -> Pose:
    """Pose of a body's authored frame at time 0: x y z [m], w x y z."""
    offset: Vector = (0.0, 0.0, 0.0)
    turn: Quaternion = (1.0, 0.0, 0.0, 0.0)
    match getattr(body.motion, body.motion.kind) if isinstance(body.motion, Scripted) else None:
        case Oscillator() as script:
            reach = script.amplitude * math.sin(script.phase) / math.hypot(*script.direction)
            offset = scaled(script.direction, reach)
        case Cycler() as script:
            c, s = math.cos(script.phase), math.sin(script.phase)
            offset = added(scaled(script.along, c), scaled(script.across, s))
        case Keyframes() as script:
            offset, turn = script.keys[0].move, script.keys[0].quaternion
    return (*added(body.position, offset), *turned(turn, body.quaternion))


def scaled(v: Vector, factor: float) -> Vector:
    return (factor * v[0], factor * v[1], factor * v[2])


def added(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def turned(turn: Quaternion, q: Quaternion) -> Quaternion:
    """The orientation q after a turn about world axes: the product turn q, (w, x, y, z)."""
    w, x, y, z = turn
    a, b, c, d = q
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )
