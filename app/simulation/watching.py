"""Quantities that somebody has chosen to plot, read with every sample: of bodies, of pairs and of joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from app.simulation.messages import WATCHED, Records, WorldLike
from engine.arrays import Floats
from engine.model.model import FRAME, MASS, MOMENTS, OVERDAMPED
from engine.recording.forces import split_forces

Kind = Literal["body", "pair", "joint"]
Vector = tuple[float, float, float]
KINDS: tuple[Kind, ...] = ("body", "pair", "joint")


class Quantity(NamedTuple):
    """A number that there is of every subject of a kind."""

    name: str
    unit: str  # "" of joints, whose units depend on what they leave free
    group: str  # what it is a part of


QUANTITIES: dict[Kind, tuple[Quantity, ...]] = {
    "body": (
        *(Quantity(axis, "m", "position") for axis in "xyz"),
        Quantity("speed", "m/s", "velocity"),
        *(Quantity(f"velocity {axis}", "m/s", "velocity") for axis in "xyz"),
        Quantity("angular speed", "rad/s", "angular velocity"),
        *(Quantity(f"angular velocity {axis}", "rad/s", "angular velocity") for axis in "xyz"),
        Quantity("kinetic energy", "J", "energy"),
    ),
    "pair": (
        Quantity("gap", "m", ""),
        Quantity("normal force", "N", ""),
        Quantity("friction force", "N", ""),
        Quantity("slip", "m/s", ""),
    ),
    "joint": (Quantity("position", "", ""), Quantity("velocity", "", ""), Quantity("effort", "", "")),
}
"""By kind, in the order of `WATCHED.values`."""


class Subject(NamedTuple):
    """Whose quantities: rows of one body or of two, or a joint's place in the scene."""

    kind: Kind
    a: int
    b: int = -1


def read_watched(world: WorldLike, contacts: Records, subjects: Sequence[Subject]) -> Records:
    """WATCHED records of those of the subjects that are of this world. contacts: the world's."""
    out = np.zeros(len(subjects), dtype=WATCHED)
    if not subjects:
        return out
    poses, twists, known = world.poses(), world.twists(), np.zeros(len(subjects), dtype=bool)
    for row, (kind, a, b) in enumerate(subjects):
        values: Sequence[float]
        if kind == "joint":
            values = world.joint(a)
        elif max(a, b) >= len(poses):
            continue
        elif kind == "pair":
            values = _of_pair(world, contacts, a, b)
        else:
            values = _of_body(world, poses[a], twists[a], a)
        known[row] = True
        record = out[row]
        record["time"], record["kind"], record["a"], record["b"] = world.time, KINDS.index(kind), a, b
        record["values"][: len(values)] = values
    return np.asarray(out[known])


def _of_body(world: WorldLike, pose: Floats, twist: Floats, row: int) -> tuple[float, ...]:
    x, y, z, *q = pose.tolist()
    vx, vy, vz, wx, wy, wz = twist.tolist()
    energy = _kinetic(world, q, (vx, vy, vz), (wx, wy, wz), row)
    return (x, y, z, math.hypot(vx, vy, vz), vx, vy, vz, math.hypot(wx, wy, wz), wx, wy, wz, energy)


def _kinetic(world: WorldLike, q: Sequence[float], v: Vector, w: Vector, row: int) -> float:
    """Of a free body [J], as World.energy counts it; 0 of others, whose motion costs nothing."""
    if world.model is None:
        return math.nan
    body = world.model.bodies[row].tolist()
    in_frame = _rotated((q[0], -q[1], -q[2], -q[3]), w)
    spin = _rotated(body[FRAME + 3 : FRAME + 7], in_frame)
    turning = sum(moment * rate * rate for moment, rate in zip(body[MOMENTS : MOMENTS + 3], spin, strict=True))
    return float((0.5 - 0.5 * body[OVERDAMPED]) * (body[MASS] * sum(part * part for part in v) + turning))


def _rotated(q: Sequence[float], v: Vector) -> Vector:
    """A vector turned by a unit quaternion w x y z."""
    s, a, b, c = q
    x, y, z = 2.0 * (b * v[2] - c * v[1]), 2.0 * (c * v[0] - a * v[2]), 2.0 * (a * v[1] - b * v[0])
    return (v[0] + s * x + b * z - c * y, v[1] + s * y + c * x - a * z, v[2] + s * z + a * y - b * x)


def _of_pair(world: WorldLike, contacts: Records, a: int, b: int) -> tuple[float, ...]:
    """The sums of the forces of all contacts between two bodies, and the fastest slip of them."""
    one, other = contacts["body_a"], contacts["body_b"]
    mine = contacts[((one == a) & (other == b)) | ((one == b) & (other == a))]
    pressing, across = split_forces(mine["force"], mine["normal"])
    u, n = mine["velocity"], mine["normal"]
    slip = np.linalg.norm(u - np.einsum("kc,kc->k", u, n)[:, None] * n, axis=1)
    return (
        world.distance(a, b),
        float(pressing.sum()),
        float(across.sum()),
        float(slip.max()) if len(slip) else math.nan,
    )
