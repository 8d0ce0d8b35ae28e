"""Where bodies are at time 0, from the scene alone: no kernels."""

from __future__ import annotations

import math

from engine.scene.motions import Cycler, Keyframes, Oscillator, Scripted
from engine.scene.schema import Body, Scene
from engine.scene.starts import find_starts
from engine.scene.values import Quadruple, Triple, added, rotated, scaled, turned

Pose = tuple[float, float, float, float, float, float, float]


def start_pose(body: Body) -> Pose:
    """Pose of a body's authored frame at time 0: x y z [m], w x y z."""
    offset: Triple = (0.0, 0.0, 0.0)
    turn: Quadruple = (1.0, 0.0, 0.0, 0.0)
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


def start_poses(scene: Scene) -> list[Pose]:
    """The same of all bodies, as joints let them start."""
    starts = find_starts(scene)
    poses = []
    for body in scene.bodies:
        pose = start_pose(body)
        if body.name in starts and body.motion == "free":
            start = starts[body.name]
            x, y, z = rotated(pose[:3], start.turn)
            dx, dy, dz = (float(value) for value in start.shift)
            pose = (x + dx, y + dy, z + dz, *turned(start.turn, pose[3:]))
        poses.append(pose)
    return poses
