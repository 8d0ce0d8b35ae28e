"""What the schema alone cannot see: names that lead nowhere, shapes that enclose nothing, overlapping starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.scene.controllers import check_controllers, check_files
from engine.scene.filters import ALL
from engine.scene.messages import Finding, Loc, show, suggest
from engine.scene.overlaps import find_overlaps
from engine.scene.problems import Problem
from engine.scene.schema import Body, Scene
from engine.scene.shapes import BodyShape, Convex, Extrusion
from engine.scene.starts import hanging

MOST_PAIRS = 200_000
MESH_SUFFIXES = (".obj", ".stl", ".ply", ".glb", ".gltf")


def find_problems(scene: Scene, overlaps: bool = True) -> list[Problem]:
    """Everything that is wrong with a scene that was not read from a file (one that was has been checked)."""
    document = scene.model_dump()
    found = [*check_names(document), *check_joints(document, scene.bodies), *check_ignored(document, scene.bodies)]
    found += [*check_shapes(scene), *check_control(document, scene), *check_files(scene)]
    found += [*check_heap(scene), *check_contact(scene), *check_starts(scene)]
    if overlaps and not found:
        found.extend(find_overlaps(scene))
    return [Problem(None, None, field_name(document, finding.loc), finding.message, finding.hint) for finding in found]


def field_name(document: Mapping[str, Any], loc: Loc) -> str:
    """A place as a path of names: `body.cue.velocity[1]`, or `body[3]` for a body without a name."""
    text = ""
    here: Any = document
    for depth, step in enumerate(loc):
        here = _inside(here, step)
        name = here.get("name") if isinstance(here, Mapping) else None
        if isinstance(step, str):
            text += f".{step}"
        elif depth == 1 and isinstance(name, str):
            text += f".{name}"
        else:
            text += f"[{step}]"
    return text.removeprefix(".")


def _inside(value: Any, step: str | int) -> Any:
    if isinstance(value, Mapping):
        return value.get(str(step))
    if isinstance(value, (list, tuple)) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def check_heap(scene: Scene) -> list[Finding]:
    """A scene without a broad phase keeps every pair of bodies on the event heap: refused where that would not fit."""
    count = len(scene.bodies)
    free = sum(body.motion == "free" for body in scene.bodies)
    pairs = free * (count - free) + free * (free - 1) // 2
    if scene.world.broad_phase != "none" or pairs <= MOST_PAIRS:
        return []
    message = f'"none" keeps all {pairs:,} pairs of {count:,} bodies on the heap'
    return [Finding(("world", "broad_phase"), message, f'"hierarchical_hash", or at most {MOST_PAIRS:,} pairs')]


def check_contact(scene: Scene) -> list[Finding]:
    """Penalty contact is springs between surfaces, and first-order worlds know contacts only: they hold no joints."""
    if not scene.joint:
        return []
    said = "a joint" if len(scene.joint) == 1 else f"{len(scene.joint)} joints"
    if scene.world.order == 1:
        return [Finding(("world", "order"), f"1 cannot hold joints, and the scene has {said}", "2, or no [[joint]]")]
    if scene.world.contact != "penalty":
        return []
    message = f'"penalty" cannot hold joints, and the scene has {said}'
    return [Finding(("world", "contact"), message, '"hybrid", or no [[joint]]')]


# --- names --------------------------------------------------------------------------------------------------------


def check_names(document: Mapping[str, Any]) -> list[Finding]:
    """Names that occur twice and names that lead nowhere, in a document whose parts may be wrong otherwise."""
    table = document.get("material")
    materials = [name for name in table if isinstance(name, str)] if isinstance(table, Mapping) else []
    found = [
        finding for part in ("body", "repeat", "joint", "controller", "camera") for finding in _twice(document, part)
    ]
    for part in ("body", "repeat"):
        for row, body in _rows(document, part):
            name = body.get("material")
            if isinstance(name, str) and name not in materials:
                found.append(_no_material((part, row, "material"), name, materials))
    return found + list(_check_pairs(document, materials))


def _rows(document: Mapping[str, Any], part: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    rows = document.get(part)
    if isinstance(rows, (list, tuple)):
        yield from ((row, value) for row, value in enumerate(rows) if isinstance(value, Mapping))


def _twice(document: Mapping[str, Any], part: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for row, value in _rows(document, part):
        name = value.get("name", "main" if part == "camera" else None)
        if isinstance(name, str):
            if name in seen:
                loc = (part, row, "name")
                yield Finding(loc, f'another {part} is called "{name}" too', "a name of its own")
            seen.add(name)


def _check_pairs(document: Mapping[str, Any], materials: list[str]) -> Iterator[Finding]:
    seen: set[frozenset[str]] = set()
    for row, pair in _rows(document, "pair"):
        names = pair.get("materials")
        if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
            continue
        for entry, name in enumerate(names):
            if name not in materials:
                yield _no_material(("pair", row, "materials", entry), name, materials)
        if frozenset(names) in seen:
            yield Finding(
                ("pair", row, "materials"), f"{show(names)} was paired before", "one [[pair]] for two materials"
            )
        seen.add(frozenset(names))


def _no_material(loc: Loc, name: str, materials: Iterable[str]) -> Finding:
    return Finding(loc, f'there is no material "{name}"', suggest(name, materials, "materials"))


def check_ignored(document: Mapping[str, Any], bodies: Sequence[Body]) -> Iterator[Finding]:
    """Bodies that ignore others that there are not; `bodies` are those of the document's parts that are right."""
    known = {name for _, body in _rows(document, "body") if isinstance(name := body.get("name"), str)}
    known |= {body.name for body in bodies} | {ALL}
    for part in ("body", "repeat"):
        for row, body in _rows(document, part):
            names = body.get("ignores")
            if not isinstance(names, (list, tuple)):
                continue
            for k, name in enumerate(names):
                if isinstance(name, str) and name not in known:
                    loc: Loc = (part, row, "ignores", k)
                    yield Finding(loc, f'there is no body "{name}"', suggest(name, sorted(known - {ALL}), "bodies"))


# --- joints -------------------------------------------------------------------------------------------------------


def check_joints(document: Mapping[str, Any], bodies: Sequence[Body]) -> Iterator[Finding]:
    """Joints of bodies that do not exist, or of which none can move.

    document: may be wrong otherwise. bodies: of those of its parts that are right.
    """
    motions: dict[str, object] = {body.name: body.motion_kind for body in bodies}
    said = {name for _, body in _rows(document, "body") if isinstance(name := body.get("name"), str)}
    known = said | set(motions)
    for row, joint in _rows(document, "joint"):
        names = joint.get("bodies")
        if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
            continue
        dangling = [k for k, name in enumerate(names) if name not in known]
        for k in dangling:
            loc: Loc = ("joint", row, "bodies", k)
            yield Finding(loc, f'there is no body "{names[k]}"', suggest(names[k], sorted(known), "bodies"))
        if not dangling and all(motions.get(name, "free") != "free" for name in names):
            both = " and ".join(f'"{name}"' for name in names)
            yield Finding(("joint", row, "bodies"), f"of {both} none is free to move", "a free body")


def check_starts(scene: Scene) -> Iterator[Finding]:
    """Joints that cannot start as they say, for others hold what hangs from them too."""
    names = {body.name for body in scene.bodies}
    for row, joint in enumerate(scene.joint):
        field = "position" if joint.position != 0.0 else "velocity"
        if getattr(joint, field) != 0.0 and set(joint.bodies) <= names and hanging(scene, joint) is None:
            yield Finding(("joint", row, field), "other joints close a loop with it", "0: bodies placed as they start")


def check_control(document: Mapping[str, Any], scene: Scene) -> Iterator[Finding]:
    """Names in controllers that lead nowhere; scene: of the parts of the document that are right."""
    said = {part: {str(value.get("name")) for _, value in _rows(document, part)} for part in ("body", "joint")}
    bodies = sorted(said["body"] | {body.name for body in scene.bodies})
    yield from check_controllers(document, {"bodies": bodies, "joints": sorted(said["joint"])})


# --- shapes -------------------------------------------------------------------------------------------------------


def check_shapes(scene: Scene) -> list[Finding]:
    """Shapes that enclose no volume, and mesh files that cannot be used."""
    found: list[Finding] = []
    places: list[Loc] = [("body", row) for row in range(len(scene.body))]
    places += [("repeat", row) for row in range(len(scene.repeat))]
    for place, body in zip(places, (*scene.body, *scene.repeat), strict=True):
        found.extend(_check_shape((*place, "shape"), scene, body, body.shape))
    return found


def _check_shape(loc: Loc, scene: Scene, body: Body, shape: BodyShape) -> Iterator[Finding]:
    """What is wrong with the body's shape, or with that of one of its pieces, which stands at `loc`."""
    if shape.convex is not None:
        yield from _check_points((*loc, "convex", "vertices"), shape.convex)
    elif shape.revolved is not None:
        yield from _check_profile((*loc, "revolved", "profile"), shape.revolved.profile)
    elif shape.mesh is not None:
        yield from _check_mesh((*loc, "mesh", "file"), scene, body)
    elif shape.extrusion is not None:
        yield from _check_rings((*loc, "extrusion", "rings"), shape.extrusion)
    elif shape.compound is not None:
        for k, piece in enumerate(shape.compound.pieces):
            yield from _check_shape((*loc, "compound", "pieces", k, "shape"), scene, body, piece.shape)


def _check_rings(loc: Loc, shape: Extrusion) -> Iterator[Finding]:
    from engine.geometry.errors import GeometryError
    from engine.geometry.extrusion import check_rings

    try:
        check_rings(shape.rings)
    except GeometryError as problem:
        yield Finding(loc, str(problem), "simple outlines, one inside the other or side by side")


def _check_points(loc: Loc, shape: Convex) -> Iterator[Finding]:
    points = np.unique(np.array(shape.vertices, dtype=np.float64).reshape(-1, 3), axis=0)
    if len(points) < 4:
        yield Finding(loc, "has fewer than 4 different points", "4 or more, not all in one plane")
        return
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[2] <= 1e-9 * spread[0]:
        yield Finding(loc, "all points lie in one plane, so they enclose no volume", "a point outside that plane")


def _check_profile(loc: Loc, profile: tuple[tuple[float, float], ...]) -> Iterator[Finding]:
    from engine.geometry.errors import GeometryError
    from engine.geometry.shapes import revolved

    try:
        revolved(profile)
    except GeometryError as error:
        yield Finding(loc, "is no convex solid", str(error))


def _check_mesh(loc: Loc, scene: Scene, body: Body) -> Iterator[Finding]:
    assert body.shape.mesh is not None
    name = body.shape.mesh.file
    if scene.folder is None:
        yield Finding(loc, f"{show(name)} has no folder to lie in", "save the scene first")
        return
    folder = scene.folder.resolve()
    if "\0" in name or not (path := folder / name).resolve().is_relative_to(folder):
        yield Finding(loc, f"{show(name)} lies outside the scene's folder", "a file inside it")
    elif path.suffix.lower() not in MESH_SUFFIXES:
        yield Finding(loc, f"{show(name)} is no mesh that can be read", "one of " + ", ".join(MESH_SUFFIXES))
    elif not path.is_file():
        yield Finding(loc, f"there is no file {show(name)}", "a mesh file in the scene's folder")
    else:
        as_it_is = body.shape.mesh.concave and body.motion != "free"
        yield from _check_triangles(loc, path, closed=not as_it_is)


def _check_triangles(loc: Loc, path: Path, closed: bool) -> Iterator[Finding]:
    import trimesh

    try:
        mesh = trimesh.load(path, force="mesh")
    except Exception:  # trimesh's readers raise whatever a broken file makes them stumble over
        yield Finding(loc, f"{path.name} cannot be read as a mesh", "an intact mesh file")
        return
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0:
        yield Finding(loc, f"{path.name} holds no triangles", "a closed mesh")
    elif not closed:
        return
    elif not mesh.is_watertight:
        hint = "a mesh whose edges each join two triangles"
        yield Finding(loc, f"{path.name} is open, so it has no volume", hint)
    elif not mesh.is_winding_consistent:
        yield Finding(
            loc, f"{path.name} has triangles turned inside out", "all triangles counter-clockwise from outside"
        )
