"""How joints start that say a position or a velocity: all that hangs from them is turned, moved and set going."""

from __future__ import annotations

from math import cos, hypot, sin
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.scene.joints import Joint
from engine.scene.schema import Scene
from engine.scene.values import Quadruple, added, rotated, scaled, turned


class Start(NamedTuple):
    """What joints do to a body: x becomes turn x + shift, and gets the velocity drift + spin x x (world axes)."""

    turn: Quadruple = (1.0, 0.0, 0.0, 0.0)
    shift: Floats = np.zeros(3)
    drift: Floats = np.zeros(3)
    spin: Floats = np.zeros(3)


def hanging(scene: Scene, joint: Joint) -> tuple[set[str], float] | None:
    """The bodies that hang from a joint, and the way in which its position moves them: 1, or -1. None: a loop.

    They are those on the side of its second body, unless static or kinematic bodies are there.
    """
    free = {body.name for body in scene.bodies if body.motion == "free"}
    first, second = joint.bodies if len(joint.bodies) == 2 else ("", joint.bodies[0])
    sides = [_reach(scene, joint, one, free) for one in (first, second)]
    grounded = [not one <= free for one in sides]
    if all(grounded) or sides[0] & sides[1]:
        return None
    return (sides[0], -1.0) if grounded[1] else (sides[1], 1.0)


def _reach(scene: Scene, without: Joint, start: str, free: set[str]) -> set[str]:
    """What hangs together with a body through free ones, but for one joint; "" is the world."""
    found, waiting = {start}, [start]
    while waiting:
        name = waiting.pop()
        if name not in free:
            continue
        for joint in scene.joint:
            if joint is not without and name in joint.bodies:
                others = set(joint.bodies) if len(joint.bodies) == 2 else {*joint.bodies, ""}
                waiting += others - found
                found |= others
    return found


def find_starts(scene: Scene) -> dict[str, Start]:
    """What joints do to the bodies that they do something to, by name."""
    starts: dict[str, Start] = {}
    moving = [joint for joint in scene.joint if joint.position != 0.0 or joint.velocity != 0.0]
    hung = [(joint, found) for joint in moving if (found := hanging(scene, joint)) is not None]
    # From the outside in: each joint then still is where it was placed when it moves what hangs from it.
    hung.sort(key=lambda one: len(one[1][0]))
    for joint, (names, way) in hung:
        u = np.array(joint.axis) / hypot(*joint.axis or ())
        turn, shift = _motion(joint, way * joint.position, u)
        drift, spin = _rates(joint, way * joint.velocity, u)
        for name in names:
            before = starts.get(name, Start())
            old = np.array(rotated(triple(before.spin), turn))
            moved = np.array(rotated(triple(before.drift), turn)) - np.cross(old, shift)
            starts[name] = Start(
                turned(turn, before.turn),
                np.array(rotated(triple(before.shift), turn)) + shift,
                moved + drift,
                old + spin,
            )
    return starts


def _motion(joint: Joint, position: float, u: Floats) -> tuple[Quadruple, Floats]:
    if joint.kind == "slider":
        return (1.0, 0.0, 0.0, 0.0), position * u
    half = 0.5 * position
    x, y, z = sin(half) * u
    turn = (cos(half), float(x), float(y), float(z))
    return turn, np.array(added(joint.point, scaled(rotated(joint.point, turn), -1.0)))


def _rates(joint: Joint, rate: float, u: Floats) -> tuple[Floats, Floats]:
    """Of all that hangs from a joint: velocity at the world's origin, and angular velocity."""
    if joint.kind == "slider":
        return rate * u, np.zeros(3)
    return np.cross(np.array(joint.point), rate * u), rate * u


def triple(v: Floats) -> tuple[float, float, float]:
    """An array of three numbers as a tuple."""
    return (float(v[0]), float(v[1]), float(v[2]))
