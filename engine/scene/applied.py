"""From the forces and torques that a scene applies to the columns and keys of `engine.motion.loads`."""

from __future__ import annotations

from math import floor, inf

import numpy as np

from engine.arrays import Floats
from engine.maths.quaternions import rotate
from engine.model import model as m
from engine.model.model import Model
from engine.scene.loads import load_keys
from engine.scene.schema import Body, Scene
from engine.tolerances import KICK_PERIOD

_NOTHING = (0.0, 0.0, 0.0)


def steady_push(body: Body) -> tuple[float, float, float]:
    """The part of its force that is constant in world axes [N]: it is part of the acceleration in flight."""
    force = body.force
    return force.value if force is not None and force.value is not None and force.axes == "world" else _NOTHING


def fill_loads(scene: Scene, bodies: Floats, below: int) -> list[Floats]:
    """Load columns of free bodies; keys of what they are kicked by, (k, BODY_WIDTH) each, to go below row `below`."""
    found: list[Floats] = []
    for body, row in zip(scene.bodies, bodies, strict=True):
        if body.motion != "free":
            continue
        row[m.LOAD_FROM], row[m.LOAD_UNTIL] = inf, 0.0
        if body.force is not None and body.force.point is not None:
            frame = tuple(float(value) for value in row[m.FRAME : m.FRAME + 7])
            arm = np.add(frame[:3], rotate((frame[3], frame[4], frame[5], frame[6]), body.force.point))
            row[m.FORCE_POINT : m.FORCE_POINT + 3] = arm
            if steady_push(body) != _NOTHING:
                row[m.LOAD_FROM], row[m.LOAD_UNTIL] = 0.0, inf
        for load, column, axes in (
            (None if steady_push(body) != _NOTHING else body.force, m.FORCE_KEYS, m.FORCE_AXES),
            (body.torque, m.TORQUE_KEYS, m.TORQUE_AXES),
        ):
            if load is None:
                continue
            keys = load_keys(load)
            rows = np.zeros((len(keys), m.BODY_WIDTH))
            rows[:, m.KEY_TIME : m.KEY_TIME + 4] = keys
            row[column : column + 2] = below, len(keys)
            row[axes] = float(load.axes == "body")
            begins, ends = _acts(keys)
            row[m.LOAD_FROM], row[m.LOAD_UNTIL] = min(row[m.LOAD_FROM], begins), max(row[m.LOAD_UNTIL], ends)
            found.append(rows)
            below += len(keys)
    return found


def _acts(keys: Floats) -> tuple[float, float]:
    """From when to when a load is not nothing [s]."""
    (there,) = np.nonzero(keys[:, 1:].any(axis=1))
    if not len(there):
        return inf, 0.0
    first, last = int(there[0]), int(there[-1])
    return (keys[first - 1, 0] if first > 0 else 0.0), (keys[last + 1, 0] if last + 1 < len(keys) else inf)


def first_kicks(model: Model) -> Floats:
    """When each body is kicked first, (n,) [s]: in step with all others."""
    kicks = np.full(len(model.tags), inf)
    for i in np.flatnonzero(model.tags[:, m.KIND] == m.FREE):
        begins = model.bodies[i, m.LOAD_FROM]
        if begins < inf:
            kicks[i] = floor(begins / KICK_PERIOD) * KICK_PERIOD
    return kicks
