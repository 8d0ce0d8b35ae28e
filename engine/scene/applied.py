"""From the forces and torques that a scene applies to the columns and keys of `engine.motion.loads`."""

from __future__ import annotations

from math import floor, inf

import numpy as np

from engine.arrays import Floats
from engine.control.orders import KEYS_TOLD
from engine.maths.quaternions import rotate
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Model
from engine.model.state import LOAD_WIDTH
from engine.motion.loads import load_at
from engine.scene.loads import Force, Torque, load_keys
from engine.scene.schema import Body, Scene
from engine.tolerances import KICK_PERIOD


def fill_loads(scene: Scene, bodies: Floats, below: int) -> list[Floats]:
    """Load columns of free bodies; keys of their loads, (k, BODY_WIDTH) each, to go below row `below`."""
    found: list[Floats] = []
    for body, row in zip(scene.bodies, bodies, strict=True):
        if body.motion != "free":
            continue
        row[m.LOAD_FROM], row[m.LOAD_UNTIL] = _changes(body)
        if body.force is not None and body.force.point is not None:
            frame = tuple(float(value) for value in row[m.FRAME : m.FRAME + 7])
            arm = np.add(frame[:3], rotate((frame[3], frame[4], frame[5], frame[6]), body.force.point))
            row[m.FORCE_POINT : m.FORCE_POINT + 3] = arm
        for load, column, axes in (
            (body.force, m.FORCE_KEYS, m.FORCE_AXES),
            (body.torque, m.TORQUE_KEYS, m.TORQUE_AXES),
        ):
            if load is None:
                continue
            keys = load_keys(load)
            rows = np.zeros((len(keys), m.BODY_WIDTH))
            rows[:, m.KEY_TIME : m.KEY_TIME + 4] = keys
            row[column : column + 2] = below, len(keys)
            row[axes] = float(load.axes == "body")
            found.append(rows)
            below += len(keys)
    return found


def told_bodies(scene: Scene) -> list[int]:
    """Rows of the free bodies that controllers may push."""
    names = {name for controller in scene.controller for name in controller.bodies}
    return [i for i, body in enumerate(scene.bodies) if body.name in names and body.motion == "free"]


def leave_room(scene: Scene) -> list[Floats]:
    """Keys for what controllers will say of these bodies (`engine.control.orders`): the last rows of Model.bodies."""
    return [np.zeros((KEYS_TOLD, m.BODY_WIDTH)) for _ in told_bodies(scene)]


def _changes(body: Body) -> tuple[float, float]:
    """From when to when a body must be kicked [s]: not by a force that is constant in world axes."""
    spans = [(inf, 0.0)]
    if body.torque is not None:
        spans.append(_acts(body.torque))
    if body.force is not None:
        times = load_keys(body.force)[:, 0]
        if body.force.axes == "body" or body.force.point is not None:
            spans.append(_acts(body.force))
        if len(times) > 1:
            spans.append((times[0], times[-1]))
    return min(begin for begin, _ in spans), max(end for _, end in spans)


def _acts(load: Force | Torque) -> tuple[float, float]:
    """From when to when a load is not nothing [s]."""
    keys = load_keys(load)
    (there,) = np.nonzero(keys[:, 1:].any(axis=1))
    if not len(there):
        return inf, 0.0
    first, last = int(there[0]), int(there[-1])
    return (keys[first - 1, 0] if first > 0 else 0.0), (keys[last + 1, 0] if last + 1 < len(keys) else inf)


def first_loads(model: Model, arcs: Floats) -> Floats:
    """State.loads at the start: kicks of all bodies are in step."""
    loads = np.zeros((len(model.tags), LOAD_WIDTH))
    loads[:, s.NEXT_KICK] = inf
    for i in np.flatnonzero(model.tags[:, m.KIND] == m.FREE):
        row = model.bodies[i]
        if row[m.LOAD_FROM] < inf:
            loads[i, s.NEXT_KICK] = floor(row[m.LOAD_FROM] / KICK_PERIOD) * KICK_PERIOD
        if row[m.FORCE_KEYS + 1] > 0.0 and row[m.FORCE_AXES] == 0.0:
            push = load_at(model.bodies, int(row[m.FORCE_KEYS]), int(row[m.FORCE_KEYS + 1]), 0.0)
            loads[i, s.PUSH : s.PUSH + 3] = push
            loads[i, s.PUSH_START] = np.dot(push, arcs[i, s.POSITION : s.POSITION + 3])
    return loads


def follow_loads(model: Model, loads: Floats) -> None:
    """Let the acceleration of free bodies be what gravity and the pushes in State.loads make it."""
    free = np.flatnonzero(model.tags[:, m.KIND] == m.FREE)
    gravity = model.settings[m.WORLD_GRAVITY : m.WORLD_GRAVITY + 3]
    push = loads[free, s.PUSH : s.PUSH + 3]
    model.bodies[free, m.GRAVITY : m.GRAVITY + 3] = gravity + push * model.bodies[free, m.INV_MASS, None]


def most_push(scene: Scene, bodies: Floats) -> float:
    """The largest acceleration that an applied force gives a body [m/s^2]: without gravity, that is what presses."""
    forces = [
        np.linalg.norm(load_keys(body.force)[:, 1:], axis=1).max() * row[m.INV_MASS]
        for body, row in zip(scene.bodies, bodies, strict=True)
        if body.force is not None
    ]
    return float(max(forces, default=0.0))
