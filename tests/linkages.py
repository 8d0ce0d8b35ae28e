"""Scenes of bodies tied by joints, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine import World
from engine.scene.schema import Scene
from tests.scenes import Vector, floats


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
