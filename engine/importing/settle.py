"""Bodies that start inside each other: what floats is lifted off what stands still, other pairs do not collide."""

from __future__ import annotations

from engine.importing.compose import CLEARANCE, lifted, with_ignored
from engine.importing.remarks import Remarks
from engine.scene.overlaps import Overlap, overlapping
from engine.scene.schema import Scene

_ROUNDS = 8
_UPWARDS = 0.5  # a normal whose vertical part is at least this is one of a floor


def settle(scene: Scene, remarks: Remarks) -> Scene:
    """The scene without overlaps; the pairs that are inside each other are named in the remarks, and ignored."""
    for _ in range(_ROUNDS):
        lifts = [(found, way) for found in overlapping(scene) if (way := _lift(scene, found)) is not None]
        if not lifts:
            break
        found, height = max(lifts, key=lambda one: one[1])
        free, still = _sorted(scene, found)
        scene = lifted(scene, height, _together(scene, free))
        remarks.add(
            None, "body", f'"{free}" starts inside "{still}": it is lifted by {height:.3g} m, with all it carries'
        )
    pairs = set()
    for found in overlapping(scene):
        names = [scene.bodies[row].name for row in (found.a, found.b)]
        pairs.add(frozenset(names))
        said = f'"{names[0]}" and "{names[1]}" start {found.depth:.3g} m inside each other: they do not collide'
        remarks.add(None, "body", said)
    return scene.model_copy(update={"body": with_ignored(list(scene.body), pairs)}) if pairs else scene


def _sorted(scene: Scene, found: Overlap) -> tuple[str, str]:
    """Names of the two, the one that is free first."""
    a, b = scene.bodies[found.a], scene.bodies[found.b]
    return (a.name, b.name) if a.motion == "free" else (b.name, a.name)


def _lift(scene: Scene, found: Overlap) -> float | None:
    """How far up the one of two that floats must go to be free of one that stands still; None if that is not so."""
    motions = [scene.bodies[row].motion for row in (found.a, found.b)]
    up = found.normal[2] if motions[0] == "free" else -found.normal[2]
    if "fixed" not in motions or up < _UPWARDS:
        return None
    free, _ = _sorted(scene, found)
    together = _together(scene, free)
    fixed = {body.name for body in scene.bodies if body.motion != "free"}
    held = any(set(j.bodies) & together and (len(j.bodies) == 1 or set(j.bodies) & fixed) for j in scene.joint)
    return None if held else found.depth / up + CLEARANCE


def _together(scene: Scene, name: str) -> set[str]:
    """The free bodies that hang together with one by joints."""
    free = {body.name for body in scene.bodies if body.motion == "free"}
    found, waiting = {name}, [name]
    while waiting:
        one = waiting.pop()
        beside = {other for joint in scene.joint if one in joint.bodies for other in joint.bodies} & free
        waiting += beside - found
        found |= beside
    return found
