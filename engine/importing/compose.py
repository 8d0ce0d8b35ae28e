"""From a robot to a scene: bodies, joints, materials, a ground, and who does not collide with whom."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from engine.importing.remarks import Remarks
from engine.importing.rigid import make_rigid
from engine.importing.robot import HERE, Link, Names, Robot, Solid
from engine.importing.solids import as_inertia, quaternion, sound_inertia, tidy, united
from engine.scene.body_shapes import make_shape
from engine.scene.filters import ALL
from engine.scene.poses import start_poses
from engine.scene.schema import Body, Camera, Material, Note, Pair, Scene, WorldSettings
from engine.scene.shapes import BodyShape

CLEARANCE = 1e-3
"""What lies on the ground starts so high above it [m]: more than its envelope, and soon fallen."""

GROUND = "ground"
_PLANE = {"name": GROUND, "motion": "fixed", "shape": {"plane": {}}, "colour": "#8a8f98"}
_UNTIL = 10.0


def compose(robot: Robot, remarks: Remarks, names: Names, ground: bool) -> Scene:
    """The scene of a robot, its links where they are; a ground plane under it, if wanted. Overlaps are in it still."""
    make_rigid(robot, remarks)
    materials = _materials(robot)
    named = {value: name for name, value in materials.items()}
    bodies = [_body(link, named) for link in robot.links.values()]
    joints = [
        tie.joints[0].model_copy(update={"bodies": (tie.child,) if tie.parent is None else (tie.parent, tie.child)})
        for tie in robot.ties
    ]
    scene = Scene(
        format=1,
        title=robot.title,
        note=Note(text=f"Imported from {robot.source}."),
        world=WorldSettings(gravity=robot.gravity, until=_UNTIL),
        material=materials,
        pair=_pairs(robot, materials),
        body=_ignoring(robot, bodies),
        joint=(*joints, *robot.loops),
    )
    if ground:
        scene = _on_ground(scene, robot, names)
    return scene.model_copy(update={"camera": (_camera(scene),)})


# --- bodies -------------------------------------------------------------------------------------------------------


def _body(link: Link, named: dict[Material, str]) -> Body:
    data: dict[str, object] = {
        "name": link.name,
        "position": tidy(link.frame.origin),
        "colour": link.colour,
        "material": named.get(link.surface) if link.surface is not None else None,
        "ignores": () if link.solids else (ALL,),
    }
    if (turn := quaternion(link.frame.turn)) != (1.0, 0.0, 0.0, 0.0):
        data["orientation"] = turn
    if link.fixed:
        return Body.model_validate(data | {"motion": "fixed", "shape": united(link.solids or link.looks)})
    solids = link.solids or link.looks or [_lump(link)]
    if (mass := link.mass) is not None:
        data |= {"mass": float(f"{mass.mass:.12g}"), "centre_of_mass": tidy(mass.centre)}
        if mass.inertia.any():
            data["inertia"] = as_inertia(sound_inertia(mass.inertia)[0])
    return Body.model_validate(data | {"shape": united(solids)})


def _lump(link: Link) -> Solid:
    """A ball of a link's mass and inertia, for one without any shape; nothing touches it."""
    assert link.mass is not None
    radius = float(np.sqrt(2.5 * np.trace(link.mass.inertia) / 3.0 / link.mass.mass)) or 0.01
    shape = BodyShape.model_validate({"sphere": {"radius": float(f"{radius:.3g}")}})
    return Solid(shape, HERE._replace(origin=link.mass.centre))


def _materials(robot: Robot) -> dict[str, Material]:
    surfaces = dict.fromkeys(link.surface for link in robot.links.values() if link.surface is not None)
    return {"surface" if k == 0 else f"surface {k + 1}": surface for k, surface in enumerate(surfaces)}


def _pairs(robot: Robot, materials: dict[str, Material]) -> tuple[Pair, ...]:
    """Where the larger friction of two surfaces counts: what a scene's own rule would not give."""
    if not robot.largest_friction:
        return ()
    return tuple(
        Pair(materials=(a, b), friction=max(materials[a].friction, materials[b].friction))
        for a, b in combinations(materials, 2)
        if materials[a].friction != materials[b].friction
    )


def _ignoring(robot: Robot, bodies: list[Body]) -> tuple[Body, ...]:
    """The bodies with what they ignore: as one group, if none that can move meets another, else pair by pair."""
    solid = [body.name for body in bodies if body.motion == "free" and ALL not in body.ignores]
    tied = {frozenset((tie.parent, tie.child)) for tie in robot.ties}
    mutual = {frozenset(pair) for pair in combinations(solid, 2)}
    if len(solid) > 2 and mutual - tied <= robot.ignored:
        group = GROUND if robot.title == GROUND else "robot"
        bodies = [body.model_copy(update={"group": group}) if body.name in solid else body for body in bodies]
        left = robot.ignored - mutual
    else:
        left = robot.ignored - tied
    return with_ignored(bodies, left)


def with_ignored(bodies: list[Body], pairs: set[frozenset[str]]) -> tuple[Body, ...]:
    """The bodies, where the first of each pair ignores the second."""
    changed = []
    rows = {body.name: row for row, body in enumerate(bodies)}
    for body in bodies:
        others = [next(iter(pair - {body.name})) for pair in pairs if body.name in pair]
        later = [name for name in others if rows.get(name, -1) > rows[body.name]]
        if later and ALL not in body.ignores:
            known = dict.fromkeys([*body.ignores, *sorted(later, key=rows.__getitem__)])
            body = body.model_copy(update={"ignores": tuple(known)})
        changed.append(body)
    return tuple(changed)


# --- around it ----------------------------------------------------------------------------------------------------


def extent(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of all bodies but planes, as they start."""
    boxes = [
        make_shape(scene, body).transformed(pose[:3], pose[3:]).bounds
        for body, pose in zip(scene.bodies, start_poses(scene), strict=True)
        if body.shape.plane is None
    ]
    lows, highs = zip(*boxes) if boxes else ([np.full(3, -1.0)], [np.full(3, 1.0)])
    return np.min(lows, axis=0), np.max(highs, axis=0)


def lifted(scene: Scene, height: float, among: set[str]) -> Scene:
    """The scene with those bodies, and the joints at them, so much higher."""

    def raised(at: tuple[float, float, float]) -> tuple[float, float, float]:
        return (at[0], at[1], float(f"{at[2] + height:.12g}"))

    bodies = tuple(
        body.model_copy(update={"position": raised(body.position)}) if body.name in among else body
        for body in scene.body
    )
    joints = tuple(
        joint.model_copy(update={"point": raised(joint.point)}) if set(joint.bodies) & among else joint
        for joint in scene.joint
    )
    return scene.model_copy(update={"body": bodies, "joint": joints})


def _on_ground(scene: Scene, robot: Robot, names: Names) -> Scene:
    """A ground under all: a robot that floats comes down on it, under one that is fixed it is as low as it reaches."""
    low = float(extent(scene)[0][2])
    name = names.of("body", "the ground of this import")
    name = GROUND if GROUND not in robot.links else name
    grounded = any(link.fixed for link in robot.links.values()) or any(tie.parent is None for tie in robot.ties)
    if not grounded:
        scene = lifted(scene, CLEARANCE - low, {body.name for body in scene.body})
        low = CLEARANCE
    plane = Body.model_validate(_PLANE | {"name": name, "position": (0.0, 0.0, float(f"{low - CLEARANCE:.12g}"))})
    return scene.model_copy(update={"body": (plane, *scene.body)})


def _camera(scene: Scene) -> Camera:
    low, high = extent(scene)
    middle, size = 0.5 * (low + high), max(float(np.linalg.norm(high - low)), 0.1)
    eye = middle + 1.3 * size * np.array([0.75, -0.95, 0.45])
    return Camera(position=tuple(np.round(eye, 3).tolist()), target=tuple(np.round(middle, 3).tolist()))
