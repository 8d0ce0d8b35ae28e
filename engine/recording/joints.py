"""Reading joints of a State without changing it: where they are, how far they are turned or moved, and their errors."""

from __future__ import annotations

from math import atan2, nan

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.geometry.shapes import rotation_matrix
from engine.group.joints.bearing import find_bearing
from engine.group.work import Work
from engine.model import elements as e
from engine.model import joints as j
from engine.model import model as m
from engine.model import state as s
from engine.model.elements import POSITION
from engine.model.model import Model
from engine.model.state import State
from engine.model.trees import PLANAR
from engine.motion.arcs import evolve
from engine.tree.forces import element_force

JOINT = np.dtype(
    [
        ("kind", "i8"),
        ("body_a", "i8"),
        ("body_b", "i8"),
        ("point", "f8", 3),
        ("axis", "f8", 3),
        ("position", "f8"),
        ("velocity", "f8"),
        ("gap", "f8"),
        ("tilt", "f8"),
        ("effort", "f8"),
        ("force", "f8", 3),
        ("couple", "f8", 3),
        ("at", "f8", 3),
        ("struck", "f8", 6),
    ]
)

Side = tuple[Floats, Floats, Floats, Floats]


def read_joints(model: Model, state: State, t: float, work: Work, rows: Ints | None = None) -> NDArray[np.void]:
    """Joints at time t in the scene's order. `kind` indexes JOINT_KINDS of scene.joints; body_a -1: the world.

    position, velocity: of a hinge the angle of body_b against body_a from where the scene places them [rad, rad/s],
    over whole turns if it has elements, else -pi to pi; of a slider how far it has moved [m, m/s]; nan for others.
    gap [m] and tilt [rad]: by how much the joint gapes. effort: what springs, dampers, friction, limits and motors
    do along it [N, N m]; nan where there are none. force [N], couple [N m]: on body_b, on the mean of the step
    under way, or of the last one, `at` where the joint is in the middle of that [m]. struck: what body_b was
    given at once since the start, by hits and where they cut steps short, impulse [N s] and its turn about the
    origin [N m s].

    work: scratch. rows: of the model's joints, the only ones that are read.
    """
    table = model.joints
    state = state._replace(bearing=state.bearing.copy())  # to look changes nothing
    find_bearing(model, state, work)
    out = np.zeros(len(table.joints), dtype=JOINT)
    chosen = np.arange(len(table.joints)) if rows is None else rows
    for row, frames, joint in zip(chosen, table.frames[chosen], table.joints[chosen].tolist(), strict=True):
        a, b = (int(table.entries[joint[column], j.ENTRY_BODY]) for column in (j.ENTRY_A, j.ENTRY_B))
        sides = _side(model, state.arcs, a, t), _side(model, state.arcs, b, t)
        seen = _read(frames, joint[j.JOINT_KIND], a, b, *sides)
        out[joint[j.AUTHORED]] = (*seen, *_bears(model, state, row, a, b))
    out["effort"] = nan
    turning = table.joints[:, j.JOINT_KIND] == j.HINGE
    counted = turning & (table.joints[:, j.ACTS] == 1)
    rows = table.joints[counted, j.AUTHORED]
    out["position"][rows] += (
        2.0 * np.pi * np.round((state.joints[counted, POSITION] - out["position"][rows]) / (2.0 * np.pi))
    )
    _read_efforts(model, state, out, chosen)
    return out


def read_joint(model: Model, state: State, t: float, work: Work, place: int) -> tuple[float, float, float]:
    """Position, velocity and effort of the joint in a place of the scene; nan if there is none."""
    rows = np.flatnonzero(model.joints.joints[:, j.AUTHORED] == place)
    if not len(rows):
        return nan, nan, nan
    row = read_joints(model, state, t, work, rows)[place]
    return float(row["position"]), float(row["velocity"]), float(row["effort"])


def _read_efforts(model: Model, state: State, out: NDArray[np.void], rows: Ints) -> None:
    """What elements do along joints now."""
    table = model.joints
    ties = np.zeros((len(table.joints), e.TIE_WORK_WIDTH))
    ties[:, : e.TIE_WIDTH] = state.joints
    for row in rows:
        joint = table.joints[row]
        at = joint[j.AUTHORED]
        if not joint[j.ACTS] or joint[j.JOINT_KIND] == j.BALL:
            continue
        ties[row, e.DAMPS], ties[row, e.DRIVES] = table.elements[row, e.DAMPER], 1.0
        q, rate = float(out["position"][at]), float(out["velocity"][at])
        locked = ties[row, e.LOCK] != e.LOOSE
        ties[row, e.SLIDES] = 0.0 if locked else np.sign(rate)
        held = ties[row, e.BORNE] + ties[row, e.RUBS] if locked else 0.0
        out["effort"][at] = held + element_force(table.elements, ties, row, q, rate)


def _bears(model: Model, state: State, row: int, a: int, b: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Force and couple of joint `row` in the step under way, or the last one, and where; what hits have given it."""
    bearing = state.bearing[row]
    body = b if b >= 0 and model.tags[b, m.KIND] == m.FREE else a
    step = state.groups[state.members[body, s.LEADER], s.STEP] if state.members[body, s.LEADER] >= 0 else 0.0
    rate = 1.0 / step if step > 0.0 else 0.0
    force, couple = rate * bearing[s.BORNE : s.BORNE + 3], rate * bearing[s.BORNE_COUPLE : s.BORNE_COUPLE + 3]
    return force, couple, bearing[s.BORNE_POINT : s.BORNE_POINT + 3], bearing[s.STRUCK : s.STRUCK + 6]


def _side(model: Model, arcs: Floats, i: int, t: float) -> Side:
    """Centre, rotation matrix, velocity and angular velocity of a body, or of the world if there is none."""
    if i < 0:
        return np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)
    x, q, v, w = evolve(model.bodies, model.tags, arcs, i, t)
    return np.array(x), rotation_matrix(q), np.array(v), np.array(w)


def _read(
    frames: Floats, kind: int, a: int, b: int, side_a: Side, side_b: Side
) -> tuple[int, int, int, Floats, Floats, float, float, float, float, float]:
    (x_a, m_a, v_a, w_a), (x_b, m_b, v_b, w_b) = side_a, side_b
    r_a, r_b = m_a @ frames[j.ANCHOR_A : j.ANCHOR_A + 3], m_b @ frames[j.ANCHOR_B : j.ANCHOR_B + 3]
    axes_a = frames[j.AXES_A : j.AXES_A + 9].reshape(3, 3) @ m_a.T
    axes_b = frames[j.AXES_B : j.AXES_B + 9].reshape(3, 3) @ m_b.T
    away = x_b + r_b - x_a - r_a
    along = float(axes_a[2] @ away)
    position = velocity = nan
    across = away
    tilt = 0.0
    if kind == j.HINGE:
        position = atan2(float(axes_b[0] @ axes_a[1]), float(axes_b[0] @ axes_a[0]))
        velocity = float(axes_a[2] @ (w_b - w_a))
        tilt = float(np.linalg.norm(np.cross(axes_a[2], axes_b[2])))
    elif kind == j.SLIDER:
        position = along
        drift = v_b + np.cross(w_b, r_b) - v_a - np.cross(w_a, r_a)
        velocity = float(axes_a[2] @ (drift - np.cross(w_a, away)))
        across = away - along * axes_a[2]
    elif kind == PLANAR:
        across = along * axes_a[2]
        tilt = float(np.linalg.norm(np.cross(axes_a[2], axes_b[2])))
    if kind in (j.SLIDER, j.WELD):
        tilt = float(np.linalg.norm(axes_a - axes_b)) / np.sqrt(2.0)
    return kind, a, b, x_b + r_b, axes_a[2], position, velocity, float(np.linalg.norm(across)), tilt, nan
