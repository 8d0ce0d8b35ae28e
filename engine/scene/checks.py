"""What the schema alone cannot see: names that lead nowhere, shapes that enclose nothing, overlapping starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.scene.controllers import check_controllers, check_files
from engine.scene.filters import ALL
from engine.scene.limits import LETTERS, check_limits
from engine.scene.messages import Finding, Loc, show, suggest
from engine.scene.overlaps import find_overlaps
from engine.scene.problems import Problem
from engine.scene.schema import Body, Scene
from engine.scene.shape_checks import check_shapes
from engine.scene.starts import hanging

MOST_PAIRS = 200_000


def find_problems(scene: Scene, overlaps: bool = True) -> list[Problem]:
    """Everything that is wrong with a scene that was not read from a file (one that was has been checked)."""
    document = scene.model_dump()
    found = [*check_names(document), *check_joints(document, scene.bodies), *check_ignored(document, scene.bodies)]
    found += [*check_shapes(scene), *check_control(document, scene), *check_files(scene)]
    found += [*check_heap(scene), *check_contact(scene), *check_starts(scene), *check_limits(scene)]
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
            text += f".{_short(step)}"
        elif depth == 1 and isinstance(name, str):
            text += f".{_short(name)}"
        else:
            text += f"[{step}]"
    return text.removeprefix(".")


def _short(name: str) -> str:
    return name if len(name) <= LETTERS else name[: LETTERS - 3] + "..."


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
