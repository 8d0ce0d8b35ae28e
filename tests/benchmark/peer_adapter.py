"""Carom as one more engine of a harness that runs the same scenes on several engines.

    PYTHONPATH=.:FOLDER python -m peerbench SCENE --engine tests.benchmark.peer_adapter:Carom

FOLDER is where the harness `peerbench` lies. Its scenes are plain dictionaries in SI units. A body's frame sits at its
centre of mass there, along its principal axes, and its shape somewhere in that; here it is the shape's. Bodies may
start in touch, which leaves no gap: what moves is lifted by LIFT of its height above the lowest, or along x without
gravity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import World
from engine.scene.schema import Scene
from engine.scene.values import Quadruple, rotated, turned

LIFT = 1e-3
"""How far bodies start apart, as a part of how far apart their centres are [1]."""

_CONTACTS = {"default": "hybrid", "quality": "hybrid", "impulse": "impulse", "constraint": "constraint"}


class Carom:
    """A world of one of the harness's scenes. setting: quality has a tenth of the default envelope."""

    name = "carom"
    default_dt = None

    def __init__(self, scene: dict[str, Any], dt: float, setting: str = "default") -> None:
        self.scene, self.dt, self.setting, self.note = scene, dt, setting, ""
        bodies = scene["bodies"]
        self.dyn = [b for b in bodies if not b["static"] and "spin" not in b]
        self._world = World(Scene.model_validate(describe(scene, setting)))
        self._rows = [self._world.row(b["name"]) for b in self.dyn]

    @staticmethod
    def version() -> str:
        from importlib.metadata import version

        return version("carom")

    def step(self, n: int) -> None:
        self._world.advance(n * self.dt)

    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Centres (n, 3), orientations (n, 4), velocities (n, 3) and angular velocities (n, 3), world axes."""
        poses, twists = self._world.poses()[self._rows], self._world.twists()[self._rows]
        frames = [(turned(tuple(pose[3:]), inverse(shape_turn(b))), b) for pose, b in zip(poses, self.dyn, strict=True)]
        centres = [pose[:3] - rotated(b["shape_pos"], q) for pose, (q, b) in zip(poses, frames, strict=True)]
        orientations = [q for q, _ in frames]
        return np.reshape(centres, (-1, 3)), np.reshape(orientations, (-1, 4)), twists[:, :3], twists[:, 3:]

    def contacts(self) -> int:
        return len(self._world.contacts())


def describe(scene: dict[str, Any], setting: str) -> dict[str, Any]:
    """One of the harness's scenes as a scene file would say it."""
    names = list(scene["mats"])
    given = {frozenset(p[:2]): p[2:] for p in scene["pairs"]}
    pairs = []
    for i, a in enumerate(names):
        for b in names[i:]:
            both = scene["mats"][a], scene["mats"][b]
            mu, e = given.get(frozenset((a, b)), (max(m["mu"] for m in both), max(m["e"] for m in both)))
            pairs.append({"materials": [a, b], "friction": mu, "restitution": e})
    world: dict[str, Any] = {"gravity": scene["g"], "contact": _CONTACTS[setting]}
    if setting == "quality":
        world["envelope"] = scene["size"] / 5000.0
    return {
        "format": 1,
        "world": world,
        "material": {name: {"friction": 0.5} for name in names},
        "pair": pairs,
        "body": [describe_body(body, scene["collide"]) for body in lifted(scene)],
        "joint": [describe_joint(joint) for joint in scene["joints"]],
    }


def lifted(scene: dict[str, Any]) -> list[dict[str, Any]]:
    """The scene's bodies; those that move say where they begin."""
    g = np.asarray(scene["g"])
    up = -g / np.linalg.norm(g) if g.any() else np.array([1.0, 0.0, 0.0])
    move = [not b["static"] and "spin" not in b for b in scene["bodies"]]
    lowest = min((up @ b["pos"] for b, moves in zip(scene["bodies"], move, strict=True) if moves), default=0.0)
    out = []
    for body, moves in zip(scene["bodies"], move, strict=True):
        lift = LIFT * (up @ body["pos"] - lowest + scene["size"]) if moves and scene["collide"] else 0.0
        out.append(body | {"lifted": np.asarray(body["pos"]) + lift * up})
    return out


def describe_body(body: dict[str, Any], collides: bool) -> dict[str, Any]:
    """One of the harness's bodies as a scene file would say it."""
    out: dict[str, Any] = {"name": body["name"], "material": body["mat"], "shape": describe_shape(body["shape"])}
    out["position"] = [float(x) for x in np.add(body["lifted"], rotated(body["shape_pos"], body["quat"]))]
    out["orientation"] = list(turned(body["quat"], shape_turn(body)))
    if not collides:
        out["group"] = "alone"
    if "spin" in body:
        out["motion"] = {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": body["spin"], "centre": body["pos"]}}
    elif body["static"]:
        out["motion"] = "fixed"
    else:
        out.update(velocity=body["v"], angular_velocity=body["w"], mass=body["mass"])
        back = inverse(shape_turn(body))
        out["centre_of_mass"] = [0.0 - x for x in rotated(body["shape_pos"], back)]
        out["inertia"] = {"moments": body["inertia"], "axes": list(back)}
    return out


def shape_turn(body: dict[str, Any]) -> Quadruple:
    """The turn of a body's shape in its frame."""
    w, x, y, z = body.get("shape_quat", (1.0, 0.0, 0.0, 0.0))
    return (w, x, y, z)


def inverse(q: Quadruple) -> Quadruple:
    return (q[0], -q[1], -q[2], -q[3])


def describe_joint(joint: dict[str, Any]) -> dict[str, Any]:
    """One of the harness's joints as a scene file would say it."""
    if joint["type"] != "hinge":
        raise ValueError(f"no joint {joint['type']} yet")
    bodies = [joint["parent"], joint["child"]] if joint["parent"] else [joint["child"]]
    said = {"name": f"at {joint['child']}", "kind": "hinge", "bodies": bodies}
    return said | {"point": joint["anchor"], "axis": joint["axis"]}


def describe_shape(shape: dict[str, Any]) -> dict[str, Any]:
    """One of the harness's shapes as a scene file would say it."""
    match shape["type"]:
        case "plane":
            return {"plane": {}}
        case "sphere":
            return {"sphere": {"radius": shape["r"]}}
        case "box":
            return {"box": [2.0 * h for h in shape["h"]]}
        case "cylinder":
            return {"cylinder": {"radius": shape["r"], "length": 2.0 * shape["hh"]}}
        case "ellipsoid":
            return {"ellipsoid": list(shape["axes"])}
        case "convex":
            return {"convex": {"vertices": shape["verts"]}}
        case other:
            raise ValueError(f"no shape {other} yet")
