"""Edits that make repeats of bodies, lay them out otherwise, and take them apart."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, pi
from typing import Any

from app.document.placement import bounding_radius
from engine.scene.filters import with_names
from engine.scene.paths import remove_body, set_path, unique_names
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import LAYOUT_KINDS, Body, Repeat, Scene

_APART = 2.2  # radii from one to the next: they do not touch


def make_repeat(scene: Scene, name: str) -> tuple[Scene, str]:
    """The scene with three of a body in a row instead of it, and what they are called: no two repeats have one name.

    SceneError for one that a joint or controller speaks of.
    """
    body = scene.body[scene.index(name)]
    if any(name in joint.bodies for joint in scene.joint) or any(name in one.bodies for one in scene.controller):
        hint = "one that no joint ties and no controller pushes"
        raise SceneError([Problem(None, None, f"body.{name}", "a repeat has no joints or controllers", hint)])
    taken = {repeat.name for repeat in scene.repeat}
    own = next(one for one in (name, *(f"{name}{k}" for k in range(2, len(taken) + 3))) if one not in taken)
    said = body.model_dump(exclude_unset=True) | {
        "name": own,
        "grid": {"count": (3, 1, 1), "spacing": (_reach(scene, body),) * 3},
    }
    made = Repeat.model_validate(said)
    without = remove_body(scene, name)
    return without.model_copy(update={"repeat": (*without.repeat, made)}), own


def with_layout(scene: Scene, name: str, kind: str) -> Scene:
    """The scene with as many bodies of a repeat in another of `LAYOUT_KINDS`, apart from each other."""
    repeat = _find(scene, name)
    count, apart = len(repeat.bodies), _reach(scene, repeat)
    side = ceil(count ** (1.0 / 3.0))
    layouts: dict[str, dict[str, Any]] = {
        "grid": {"count": (count, 1, 1), "spacing": (apart,) * 3},
        "stack": {"count": count, "step": (0.0, 0.0, apart)},
        "ring": {"count": count, "radius": max(count * apart / (2.0 * pi), apart)},
        "spiral": {"count": count, "radius": apart * (1.0 + count**0.5), "pitch": apart, "spacing": apart},
        "pour": {"count": count, "size": (apart * (side + 0.5),) * 3, "distance": apart},
    }
    kept = {key: value for key, value in repeat.model_dump(exclude_unset=True).items() if key not in LAYOUT_KINDS}
    return set_path(scene, f"repeat.{name}", kept | {kind: layouts[kind]})


def take_apart(scene: Scene, name: str) -> tuple[Scene, tuple[str, ...]]:
    """The scene with single bodies where a repeat had its own; returns their names, too."""
    repeat, without = _find(scene, name), _without(scene, name)
    free = unique_names(without, name)
    called = {body.name: next(free) for body in repeat.bodies}
    single = tuple(body.model_copy(update={"name": called[body.name]}) for body in repeat.bodies)
    apart = without.model_copy(update={"body": (*scene.body, *single)})
    return _with_names(apart, called), tuple(called.values())


def remove_repeat(scene: Scene, name: str) -> Scene:
    """The scene without a repeat and the joints at its bodies; nobody ignores or pushes these any more."""
    return _with_names(_without(scene, name), dict.fromkeys((body.name for body in _find(scene, name).bodies), None))


def _without(scene: Scene, name: str) -> Scene:
    return scene.model_copy(update={"repeat": tuple(one for one in scene.repeat if one.name != name)})


def _with_names(scene: Scene, called: Mapping[str, str | None]) -> Scene:
    """The scene where all that speaks of bodies calls them otherwise; None: they are gone, and joints at them too."""

    def now(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new for old in names if (new := called.get(old, old)) is not None)

    kept = [joint for joint in scene.joint if len(now(joint.bodies)) == len(joint.bodies)]
    tied = {joint.name for joint in kept}
    update = {
        "body": tuple(with_names(body, called) for body in scene.body),
        "repeat": tuple(with_names(one, called) for one in scene.repeat),
        "joint": tuple(joint.model_copy(update={"bodies": now(joint.bodies)}) for joint in kept),
        "controller": tuple(
            one.model_copy(
                update={"bodies": now(one.bodies), "joints": tuple(joint for joint in one.joints if joint in tied)}
            )
            for one in scene.controller
        ),
    }
    return scene.model_copy(update=update)


def _find(scene: Scene, name: str) -> Repeat:
    return next(repeat for repeat in scene.repeat if repeat.name == name)


def _reach(scene: Scene, body: Body) -> float:
    return float(f"{_APART * (bounding_radius(body.shape, scene.folder) or 0.5):.3g}")
