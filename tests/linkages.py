"""Scenes of bodies tied by joints, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import World
from engine.model import model as m
from engine.scene.schema import Scene
from tests.scenes import Vector, floats

Floats = NDArray[np.float64]


def rod(name: str, one: Vector, other: Vector, mass: float = 1.0, width: float = 0.02, **more: Any) -> dict[str, Any]:
    """A square bar between two points of the plane y = const; its x axis runs from one to the other."""
    p, q = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    length, angle = float(np.linalg.norm(q - p)), np.degrees(np.arctan2(q[2] - p[2], q[0] - p[0]))
    turn = {"axis": [0.0, 1.0, 0.0], "degrees": -float(angle)}
    shape = {"box": [length, width, width]}
    return {"name": name, "shape": shape, "mass": mass, "position": floats((p + q) / 2), "orientation": turn, **more}


def joint(name: str, kind: str, bodies: Sequence[str], point: Vector, axis: Vector | None = None) -> dict[str, Any]:
    said: dict[str, Any] = {"name": name, "kind": kind, "bodies": list(bodies), "point": floats(point)}
    return said if axis is None else said | {"axis": floats(axis)}


def linked_scene(
    bodies: Sequence[dict[str, Any]],
    joints: Sequence[dict[str, Any]],
    gravity: Vector = (0, 0, -9.81),
    collide: bool = False,
    **world: Any,
) -> Scene:
    """A scene whose bodies pass through each other unless `collide`."""
    alone = {} if collide else {"group": "alone"}
    return Scene.model_validate(
        {
            "format": 1,
            "world": {"gravity": floats(gravity), "contact": "hybrid", **world},
            "body": [alone | body for body in bodies],
            "joint": list(joints),
        }
    )


def to_the_next_step(world: World) -> None:
    """Let a world run to where a group's next step begins: there, and not between, what moves is exactly so."""
    steps = world.counters["group_steps"]
    while world.counters["group_steps"] == steps:
        world.advance_events(1)


def chain(n: int, kind: str = "hinge", length: float = 0.5, **world: Any) -> Scene:
    """n rods that hang from the world, let go from the horizontal."""
    bodies = [rod(f"rod {k}", (k * length, 0, 0), ((k + 1) * length, 0, 0)) for k in range(n)]
    axis = (0, 1, 0) if kind == "hinge" else None
    joints = [
        joint(f"joint {k}", kind, [f"rod {k - 1}", f"rod {k}"] if k else ["rod 0"], (k * length, 0, 0), axis)
        for k in range(n)
    ]
    return linked_scene(bodies, joints, **world)


def cross_matrix(r: Floats) -> Floats:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def turn_matrix(q: Floats) -> Floats:
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Exact:
    """What impulses do to a world as it begins, by dense matrices of all its bodies and all its joints.

    Bodies are boxes and balls: they have their principal axes where they say.
    """

    def __init__(self, world: World, said: Scene) -> None:
        bodies, self.names = world.model.bodies, list(world.names)
        n = len(self.names)
        self.x, self.twists = world.poses()[:, :3], world.twists()
        self.inverse = np.zeros((6 * n, 6 * n))
        for i, pose in enumerate(world.poses()):
            turn = turn_matrix(pose[3:])
            self.inverse[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = bodies[i, m.INV_MASS] * np.eye(3)
            inverse = turn @ np.diag(bodies[i, m.INV_MOMENTS : m.INV_MOMENTS + 3]) @ turn.T
            self.inverse[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inverse
        rows = [self._rows(one.kind, one.bodies, np.array(one.point), one.axis) for one in said.joint]
        self.joints = np.vstack([np.zeros((0, 6 * n)), *rows])

    def _rows(self, kind: str, bodies: Sequence[str], point: Floats, axis: Any) -> Floats:
        held = self.point_rows(bodies[0], point)
        turns = self._turn_rows(bodies[0])
        if len(bodies) == 2:
            held, turns = held - self.point_rows(bodies[1], point), turns - self._turn_rows(bodies[1])
        if kind == "ball":
            return held
        if kind == "weld":
            return np.vstack([held, turns])
        across = np.linalg.svd(np.array([axis], dtype=float))[2][1:]
        if kind == "hinge":
            return np.vstack([held, across @ turns])
        return np.vstack([across @ held, turns])

    def point_rows(self, name: str, point: Floats) -> Floats:
        """(3, 6 n): velocity of a point of a body by all twists."""
        i = self.names.index(name)
        rows = np.zeros((3, len(self.inverse)))
        rows[:, 6 * i : 6 * i + 3] = np.eye(3)
        rows[:, 6 * i + 3 : 6 * i + 6] = -cross_matrix(point - self.x[i])
        return rows

    def _turn_rows(self, name: str) -> Floats:
        i = self.names.index(name)
        rows = np.zeros((3, len(self.inverse)))
        rows[:, 6 * i + 3 : 6 * i + 6] = np.eye(3)
        return rows

    def responses(self, rows: Floats) -> Floats:
        """(6 n, k): what unit impulses along these rows change all twists by."""
        free = np.diag(self.inverse) > 0.0
        _, sizes, ways = np.linalg.svd(self.joints[:, free])
        ways = ways[(sizes > 1e-9 * sizes[0]).sum() if len(sizes) else 0 :]  # that joints leave to move
        mass = ways @ np.linalg.inv(self.inverse[np.ix_(free, free)]) @ ways.T
        changes = np.zeros((len(free), len(rows)))
        changes[free] = ways.T @ np.linalg.solve(mass, ways @ rows[:, free].T)
        return changes
