"""Edits as plain functions: a scene in, the next scene out. Nothing here knows a window or an undo stack."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from app.document.displacement import Displacement, place_after
from app.document.placement import (
    bounding_radius,
    free_spot,
    size_of,
    spot_beside,
    typical_size,
    under_everything,
    underside,
)
from engine.scene import paths
from engine.scene.joints import WITH_AXIS, Joint
from engine.scene.paths import get_path, set_path, unique_name
from engine.scene.problems import SceneError
from engine.scene.schema import Body, Camera, Material, Note, Pair, Repeat, Scene, WorldSettings
from engine.scene.shapes import HOLLOW_KINDS, BodyShape
from engine.scene.values import added, scaled

Vector = tuple[float, float, float]

SHAPE_LABELS = {
    "sphere": "Sphere",
    "box": "Box",
    "rounded_box": "Rounded box",
    "capsule": "Capsule",
    "cylinder": "Cylinder",
    "cone": "Cone",
    "ellipsoid": "Ellipsoid",
    "superquadric": "Superquadric",
    "prism": "Prism",
    "plane": "Ground plane",
    "mesh": "Mesh file",
    "convex": "Convex hull",
    "revolved": "Solid of revolution",
    "extrusion": "Extrusion",
    "bowl": "Bowl",
    "funnel": "Funnel",
    "ring": "Ring",
    "compound": "Compound",
}


def has_path(scene: Scene, path: str) -> bool:
    """Whether `path` leads to something, such as "material.wood"."""
    try:
        get_path(scene, path)
    except (SceneError, LookupError, ValueError):
        return False
    return True


def starter_scene() -> Scene:
    """What "New" opens: a ground, a material, and a camera that looks at the origin."""
    ground = Body(name="ground", shape=shape_of("plane", 1.0), motion="fixed", material="wood")
    return Scene(
        format=1,
        title="Untitled",
        note=Note(),
        world=WorldSettings(),
        material={"wood": Material(friction=0.5, restitution=0.3, density=700.0)},
        body=(ground,),
        camera=(Camera(name="main", position=(3.0, -4.0, 2.4), target=(0.0, 0.0, 0.4)),),
    )


# --- bodies -------------------------------------------------------------------------------------------------------


def shape_of(kind: str, size: float, file: str = "") -> BodyShape:
    """A shape of a kind that is `size` [m] across, as `size_of` has it."""
    size = _plain(size)
    half, thin = _plain(size / 2), _rounded(size / 4)
    values: dict[str, Any] = {
        "sphere": {"radius": half},
        "box": (size, size, size),
        "rounded_box": {"size": (size, size, size), "radius": _rounded(0.15 * size)},
        "capsule": {"radius": thin, "length": _plain(size - 2 * thin)},
        "cylinder": {"radius": half, "length": half},
        "cone": {"radius": half, "height": size},
        "ellipsoid": (half, _rounded(0.35 * size), _rounded(0.25 * size)),
        "superquadric": {"size": (half, half, half), "exponents": (4.0, 4.0)},
        "revolved": {"profile": ((thin, -half), (half, 0.0), (0.0, half))},
        "prism": {"sides": 6, "radius": half, "height": half},
        "plane": {},
        "extrusion": {"rings": (_hook(half, thin),), "height": thin},
        "bowl": {"radius": half, "depth": half, "thickness": _rounded(0.05 * size)},
        "funnel": {
            "top_radius": half,
            "bottom_radius": _rounded(0.1 * size),
            "height": half,
            "thickness": _rounded(0.04 * size),
        },
        "ring": {"radius": half, "width": thin, "thickness": _rounded(0.05 * size)},
        "compound": {"pieces": _corner(size)},
        "mesh": {"file": file, "scale": 1.0},
    }
    return BodyShape.model_validate({kind: values[kind]})


def new_shape(scene: Scene, kind: str) -> BodyShape:
    """A shape of a kind that is as large as what moves in a scene."""
    return shape_of(kind, _rounded(typical_size(scene)))


def as_kind(scene: Scene, shape: BodyShape, kind: str) -> BodyShape:
    """A shape of another kind that is as large; the shape itself if it is of that kind."""
    if shape.kind == kind:
        return shape
    size = size_of(shape, scene.folder)
    return shape_of(kind, size) if size else new_shape(scene, kind)


def _hook(half: float, arm: float) -> tuple[tuple[float, float], ...]:
    """The outline of a U that reaches from -half to half, and inside from -arm to arm [m]."""
    return (
        (-half, -half), (half, -half), (half, half), (arm, half),
        (arm, -arm), (-arm, -arm), (-arm, half), (-half, half),
    )  # fmt: skip


def _corner(size: float) -> tuple[dict[str, Any], ...]:
    """The pieces of an L that is `size` [m] across."""
    thick = _rounded(size / 3)
    rest = _plain(size - thick)
    return (
        {"shape": {"box": (size, thick, thick)}, "position": (0.0, 0.0, _plain(-thick / 2))},
        {"shape": {"box": (thick, thick, rest)}, "position": (_plain(-rest / 2), 0.0, _plain(rest / 2))},
    )


def add_body(scene: Scene, shape: BodyShape, place: Vector = (0.0, 0.0, 0.0)) -> tuple[Scene, str]:
    """Adds a body on `place` (a point of the ground or of another body), clear of the bodies that are near.

    Returns the scene and the new body's name. It takes the material of the most bodies that move. A plane goes under
    everything there is.
    """
    fixed = shape.kind in ("plane", *HOLLOW_KINDS)
    reach = bounding_radius(shape, scene.folder)
    x, y, z = under_everything(scene) if shape.kind == "plane" else free_spot(scene, place, reach)
    if shape.kind in HOLLOW_KINDS:
        z += underside(shape) - reach
    body = Body(
        name=unique_name(scene, _usual_name(shape)),
        shape=shape,
        motion="fixed" if fixed else "free",
        material=_usual_material(scene),
        position=(float(f"{x:.4g}"), float(f"{y:.4g}"), float(f"{z:.4g}")),
    )
    return with_bodies(scene, (*scene.body, body)), body.name


def duplicate(scene: Scene, names: Iterable[str], beside: bool = True) -> tuple[Scene, tuple[str, ...]]:
    """Copies bodies, beside themselves or where they are; returns the scene and the names of the copies."""
    copies: list[str] = []
    for name in names:
        body = scene.body[scene.index(name)]
        reach = bounding_radius(body.shape, scene.folder)
        position = spot_beside(scene, body.position, reach) if beside else body.position
        place = place_after(body, Displacement(added(position, scaled(body.position, -1.0))))
        copy = body.model_copy(update={"name": unique_name(scene, name), **place})
        scene = with_bodies(scene, (*scene.body, copy))
        copies.append(copy.name)
    return scene, tuple(copies)


def with_bodies(scene: Scene, bodies: tuple[Body, ...]) -> Scene:
    """The scene with other bodies, each of which is valid by itself."""
    return scene.model_copy(update={"body": bodies})


# --- materials ----------------------------------------------------------------------------------------------------


def add_material(scene: Scene) -> tuple[Scene, str]:
    """Adds a material with default values; returns the scene and its name."""
    name = next(name for name in _numbered("material") if name not in scene.material)
    return scene.model_copy(update={"material": {**scene.material, name: Material()}}), name


def delete_material(scene: Scene, name: str) -> Scene:
    """Takes a material out; its bodies then have none, and pairs that speak of it go."""
    return paths.with_material(scene, name, None).model_copy(
        update={
            "material": {key: value for key, value in scene.material.items() if key != name},
            "pair": tuple(pair for pair in scene.pair if name not in pair.materials),
        }
    )


def add_pair(scene: Scene, first: str, second: str) -> Scene:
    """Adds a rule for how two materials meet, with the values that they would have anyway left open."""
    return scene.model_copy(update={"pair": (*scene.pair, Pair(materials=(first, second)))})


def free_pair(scene: Scene) -> tuple[str, str] | None:
    """The first two materials that no pair speaks of yet; None if there are none."""
    taken = {frozenset(pair.materials) for pair in scene.pair}
    names = list(scene.material)
    for i, first in enumerate(names):
        for second in names[i:]:
            if frozenset((first, second)) not in taken:
                return first, second
    return None


def delete_pair(scene: Scene, number: int) -> Scene:
    """Takes a pair out."""
    return scene.model_copy(update={"pair": scene.pair[:number] + scene.pair[number + 1 :]})


def add_joint(scene: Scene, kind: str, names: Sequence[str]) -> tuple[Scene, str]:
    """Ties two bodies, or one to the world, half way between them; returns the scene and the joint's name.

    SceneError if none of them can move.
    """
    at = [scene.body[scene.index(name)].position for name in names]
    middle = [_rounded(sum(position[k] for position in at) / len(at)) for k in range(3)]
    taken = {joint.name for joint in scene.joint}
    name = next(name for name in _numbered(kind) if name not in taken)
    axis = {"axis": (0.0, 0.0, 1.0) if kind == "planar" else (0.0, 1.0, 0.0)} if kind in WITH_AXIS else {}
    joint = Joint.model_validate({"name": name, "kind": kind, "bodies": tuple(names), "point": tuple(middle), **axis})
    tied = scene.model_copy(update={"joint": (*scene.joint, joint)})
    return set_path(tied, f"joint.{name}.bodies", list(names)), name  # which sees whether they can be tied


def delete_joint(scene: Scene, name: str) -> Scene:
    """Takes a joint out, and from what controllers are applied to."""
    return set_path(scene, f"joint.{name}", None)


def with_camera(scene: Scene, camera: Camera) -> Scene:
    """Stores a camera, in place of the one with its name if there is one."""
    others = tuple(other for other in scene.camera if other.name != camera.name)
    return scene.model_copy(update={"camera": (*others, camera)})


# --- helpers ------------------------------------------------------------------------------------------------------


def adopt_mesh(scene: Scene, path: Path, is_saved: bool) -> tuple[Scene, str]:
    """Makes a mesh file one of the scene's: its name relative to the scene's folder.

    A file from elsewhere is copied beside the scene; one that has no file yet, and speaks of none, takes the file's
    folder. ValueError: it has no place of its own to copy a file to.
    """
    path = path.resolve()
    folder = scene.folder
    if folder is None or not (is_saved or _speaks_of_files(scene)):
        return scene.model_copy(update={"folder": path.parent}), path.name
    folder = folder.resolve()
    if path.is_relative_to(folder):
        return scene, path.relative_to(folder).as_posix()
    if not is_saved:
        raise ValueError("Save the scene first: the file is copied beside it, where its other files are.")
    target = folder / path.name
    if target.exists() and target.read_bytes() != path.read_bytes():
        raise ValueError(f"{folder} already has another {path.name}")
    if not target.exists():
        shutil.copyfile(path, target)
    return scene, path.name


def _speaks_of_files(scene: Scene) -> bool:
    """Does a scene have files beside it, meshes or controllers?"""
    return bool(scene.controller) or any(one.shape.mesh for one in (*scene.body, *scene.repeat))


def _usual_name(shape: BodyShape) -> str:
    """What a new body is called: after its shape, or its mesh file."""
    if shape.mesh is None:
        return SHAPE_LABELS[shape.kind].split()[-1].lower()
    return re.sub(r"[^\w\-]+", "_", Path(shape.mesh.file).stem).strip("_") or "mesh"


def _usual_material(scene: Scene) -> str | None:
    """The material of the most bodies that move; none if the scene has no materials."""
    used = [body.material for body in scene.body if body.motion == "free" and body.material is not None]
    used = used or list(scene.material)
    return max(dict.fromkeys(used), key=used.count) if used else None


def _numbered(stem: str) -> Iterable[str]:
    yield stem
    number = 2
    while True:
        yield f"{stem}{number}"
        number += 1


def _rounded(value: float) -> float:
    """Three significant digits: what a person would have typed."""
    return float(f"{value:.3g}")


def _plain(value: float) -> float:
    """Ten significant digits: without the noise of sums and halves."""
    return float(f"{value:.10g}")


def same_physics(a: Scene, b: Scene) -> bool:
    """Whether two scenes move alike: they differ at most in names, looks, title, note, cameras and length."""
    one, other = (*a.body, *a.repeat), (*b.body, *b.repeat)
    return _physics(a) == _physics(b) and len(one) == len(other) and all(map(_moves_alike, one, other))


def _moves_alike(a: Body | Repeat, b: Body | Repeat) -> bool:
    bare = {"name": "", "colour": None}
    return a is b or a.model_copy(update=bare) == b.model_copy(update=bare)


def _physics(scene: Scene) -> object:
    """What of a scene moves its bodies, but for what they say themselves."""
    known = [one.name for one in (*scene.body, *scene.repeat)] if scene.controller else []  # by name, to controllers
    bare = {"colour": None, "look": "plain"}
    return (
        scene.world.model_copy(update={"until": None}),
        {name: material.model_copy(update=bare) for name, material in scene.material.items()},
        scene.pair,
        scene.joint,
        scene.controller,
        known,
        scene.folder if _speaks_of_files(scene) else None,
    )
