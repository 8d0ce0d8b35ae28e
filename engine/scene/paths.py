"""Scenes by names: `body.cue.velocity`, `material.wood.friction`, `world.envelope`, `camera.main.position[2]`.

One function changes values for `--set`, sweeps, the inspector, undo and live edits: a new Scene comes out, the old one
stays as it is. Whatever does not lead anywhere, or would be wrong, is a SceneError that says which names there are.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from engine.scene.checks import (
    check_contact,
    check_control,
    check_ignored,
    check_joints,
    check_names,
    check_shapes,
    check_starts,
    field_name,
)
from engine.scene.controllers import Controller, check_files, renamed_controllers
from engine.scene.filters import with_names
from engine.scene.joints import Joint, renamed_joints
from engine.scene.limits import check_limits
from engine.scene.messages import Finding, Loc, findings, show, suggest
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import SCENE_PARTS, Body, Camera, Material, Note, Pair, Repeat, Scene, WorldSettings

Vec3 = tuple[float, float, float]

_STEP = re.compile(r"([^.\[\]]+)((?:\[\d+\])*)")
_LISTS: dict[str, type[BaseModel]] = {
    "body": Body,
    "camera": Camera,
    "controller": Controller,
    "joint": Joint,
    "pair": Pair,
    "repeat": Repeat,
}
_SINGLE: dict[str, type[BaseModel]] = {"world": WorldSettings, "note": Note}
_WORD = re.compile(r"#?\w[\w \-./]*")


# --- values -------------------------------------------------------------------------------------------------------


def get_path(scene: Scene, path: str) -> Any:
    """The value at a path: a number, a tuple, or a part of the scene such as a `Body`."""
    value: Any = scene
    for depth, step in enumerate(loc := _resolve(scene, path)):
        known = _known(value)
        if step not in known:
            raise _fail(
                path, f"has no {show(step)}" if depth else "leads nowhere", suggest(step, map(str, known), "there is")
            )
        value = _step_into(value, loc[depth])
    return value


def set_path(scene: Scene, path: str, value: Any) -> Scene:
    """The scene with another value at a path; None takes a value away, so that its default holds again.

    Lists and tables may be given as a file says them. A whole body, camera or material may be given too, and a new name
    under `material` adds one.
    """
    loc = _resolve(scene, path)
    plain = _plain(value)
    part = str(loc[0])
    if loc == ("title",):
        return _with(scene, part, _validated(Scene, {"format": 1, "title": plain}, path).title)
    if part in _SINGLE:
        data = _edited(getattr(scene, part), loc[1:], plain, path)
        return _checked(_with(scene, part, _validated(_SINGLE[part], data, path)), loc, path)
    if part == "title":
        raise _fail(path, "the title has nothing inside it", "title")
    if len(loc) < 2:
        raise _fail(path, "holds several parts", f"name one: {part}.NAME")
    if part == "material":
        return _checked(_set_material(scene, loc, plain, path), loc, path)
    return _checked(_set_row(scene, loc, plain, path), loc, path)


def _set_row(scene: Scene, loc: Loc, value: Any, path: str) -> Scene:
    part, row = str(loc[0]), int(loc[1])
    items = list(getattr(scene, part))
    if len(loc) == 2 and value is None:
        del items[row]
        if part == "joint":
            scene = _with(scene, "controller", _without(scene, (), {joint.name for joint in items}))
    else:
        data = _edited(items[row], loc[2:], value, path)
        old, items[row] = items[row], _validated(_LISTS[part], data, path)
        if part == "body":
            scene = _with(scene, "joint", renamed_joints(scene.joint, old.name, items[row].name))
            scene, items = _renamed_ignored(scene, items, {old.name: items[row].name})
        if part in ("body", "joint"):
            renamed = renamed_controllers(scene.controller, part, old.name, items[row].name)
            scene = _with(scene, "controller", renamed)
    return _with(scene, part, tuple(items))


def _set_material(scene: Scene, loc: Loc, value: Any, path: str) -> Scene:
    materials, name = dict(scene.material), str(loc[1])
    if name not in materials and (len(loc) > 2 or value is None):
        raise _fail(path, f'there is no material "{name}"', suggest(name, materials, "materials"))
    if len(loc) == 2 and value is None:
        del materials[name]
    else:
        data = _edited(materials.get(name, Material()), loc[2:], value, path)
        materials[name] = _validated(Material, data, path)
        _check_material_name(name, path)
    return _with(scene, "material", materials)


def apply_setting(scene: Scene, setting: str) -> Scene:
    """The scene with one `PATH=VALUE`, the value written as in a scene file; a bare word need not be quoted."""
    path, equals, text = setting.partition("=")
    if not equals:
        raise _fail(setting, "is no setting", "PATH=VALUE such as body.cue.velocity=[8,0,0]")
    return set_path(scene, path.strip(), parse_value(text, path.strip()))


def parse_value(text: str, path: str = "") -> Any:
    """A value as a scene file writes it; SceneError if it is none."""
    text = text.strip()
    try:
        document = tomllib.loads(f"value = {text}\n")
        if list(document) == ["value"]:
            return document["value"]
    except (ValueError, RecursionError):
        if _WORD.fullmatch(text):
            return text
    raise _fail(path, f"{show(text)} is no value", "a number, a list such as [8, 0, 0], or text in quotes")


# --- bodies -------------------------------------------------------------------------------------------------------


def remove_body(scene: Scene, *names: str) -> Scene:
    """The scene without these bodies and the joints at them."""
    gone = {_row(scene, "body", name, f"body.{name}") for name in names}
    joints = tuple(joint for joint in scene.joint if not set(joint.bodies) & set(names))
    left = [body for row, body in enumerate(scene.body) if row not in gone]
    scene, left = _renamed_ignored(scene, left, dict.fromkeys(names))
    scene = _with(scene, "controller", _without(scene, names, {joint.name for joint in joints}))
    return _with(_with(scene, "joint", joints), "body", tuple(left))


def _renamed_ignored(scene: Scene, items: list[Body], names: Mapping[str, str | None]) -> tuple[Scene, list[Body]]:
    """The scene with repeats, and a list of bodies, that ignore others under their new names, or no longer."""
    repeats = tuple(with_names(repeat, names) for repeat in scene.repeat)
    return _with(scene, "repeat", repeats), [with_names(body, names) for body in items]


def _without(scene: Scene, bodies: Sequence[str], joints: set[str]) -> tuple[Controller, ...]:
    """The scene's controllers, applied to nothing that goes: to none of these bodies, and to these joints at most."""
    return tuple(
        control.model_copy(
            update={
                "bodies": tuple(name for name in control.bodies if name not in bodies),
                "joints": tuple(name for name in control.joints if name in joints),
            }
        )
        for control in scene.controller
    )


def rename(scene: Scene, path: str, name: str) -> Scene:
    """The scene with another name for a body, repeat, joint, camera or material, and for all that refers to it."""
    loc = _resolve(scene, path)
    if loc[0] in ("body", "repeat", "joint", "controller", "camera") and len(loc) == 2:
        return set_path(scene, f"{path}.name", name)
    if loc[0] != "material" or len(loc) != 2:
        raise _fail(
            path,
            "has no name of its own",
            "body.NAME, repeat.NAME, joint.NAME, controller.NAME, camera.NAME or material.NAME",
        )
    old = str(loc[1])
    if old not in scene.material:
        raise _fail(path, f'there is no material "{old}"', suggest(old, scene.material, "materials"))
    if name in scene.material and name != old:
        raise _fail(path, f'another material is called "{name}" too', "a name of its own")
    renamed = {name if key == old else key: value for key, value in scene.material.items()}
    pairs = tuple(
        pair.model_copy(update={"materials": tuple(name if key == old else key for key in pair.materials)})
        for pair in scene.pair
    )
    _check_material_name(name, path)
    return with_material(scene, old, name).model_copy(update={"material": renamed, "pair": pairs})


def with_material(scene: Scene, old: str, new: str | None) -> Scene:
    """The scene whose bodies have the material `new` where they had `old`."""

    def changed(items: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(b.model_copy(update={"material": new}) if b.material == old else b for b in items)

    return scene.model_copy(update={"body": changed(scene.body), "repeat": changed(scene.repeat)})


def unique_name(scene: Scene, wish: str) -> str:
    """`wish` if no body has that name, else the same with the first free number after it."""
    return next(unique_names(scene, wish))


def unique_names(scene: Scene, wish: str) -> Iterator[str]:
    """Names for any number of new bodies: `wish` if it is free, then the same with each free number after it. No repeat
    is called so, either."""
    taken = {one.name for one in (*scene.body, *scene.repeat)}
    stem = re.sub(r"[ _-]?\d+$", "", wish) or wish
    wishes = itertools.chain((wish,), (f"{stem}{number}" for number in itertools.count(2)))
    return (name for name in wishes if name not in taken)


# --- how it is done -----------------------------------------------------------------------------------------------


def _fail(path: str, message: str, hint: str) -> SceneError:
    return SceneError([Problem(None, None, path, message, hint)])


def _resolve(scene: Scene, path: str) -> Loc:
    """The place that a path names: names of bodies and cameras become rows, which must exist."""
    loc: list[str | int] = []
    for text in path.split("."):
        match = _STEP.fullmatch(text)
        if match:
            loc += [match[1], *(int(row) for row in re.findall(r"\d+", match[2]))]
        else:
            raise _fail(path, "is no path", "names with dots between them, such as body.cue.velocity")
    if loc[0] not in SCENE_PARTS or loc[0] == "format":
        raise _fail(path, f"there is no {show(loc[0])} in a scene", suggest(loc[0], SCENE_PARTS[1:], "known"))
    if loc[0] in _LISTS and len(loc) > 1:
        loc[1] = _row(scene, str(loc[0]), loc[1], path)
    inside = (int(step) if isinstance(step, str) and step.isdecimal() else step for step in loc[2:])
    return (*loc[:2], *inside)


def _row(scene: Scene, part: str, name: str | int, path: str) -> int:
    items = getattr(scene, part)
    if isinstance(name, int):
        if name < len(items):
            return name
        raise _fail(path, f"there is no {part}[{name}]", f"there are {len(items)}")
    names = ["+".join(item.materials) if part == "pair" else item.name for item in items]
    if name not in names:
        what = "bodies" if part == "body" else f"{part}s"
        raise _fail(path, f'there is no {part} "{name}"', suggest(name, names, what))
    return names.index(name)


def _known(value: Any) -> list[Any]:
    if isinstance(value, BaseModel):
        return [name for name, field in type(value).model_fields.items() if not field.exclude]
    if isinstance(value, Mapping):
        return list(value)
    return list(range(len(value))) if isinstance(value, (list, tuple)) else []


def _step_into(value: Any, step: str | int) -> Any:
    return getattr(value, str(step)) if isinstance(value, BaseModel) else value[step]


def _plain(value: Any) -> Any:
    """Values as a file would say them: models become tables, tuples and arrays become lists."""
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(exclude_none=True))
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _edited(item: BaseModel, steps: Sequence[str | int], value: Any, path: str) -> Any:
    """The plain data of a part with another value at `steps` inside it."""
    if not steps:
        return {} if value is None else value
    data = here = _plain(item)
    for step in steps[:-1]:
        here = here[_existing(here, step, path)]
    last = steps[-1]
    if isinstance(here, list):
        here[int(_existing(here, last, path))] = value
    elif not isinstance(here, dict):
        raise _fail(path, f"{show(here)} has nothing inside it", "a shorter path")
    elif value is None:
        here.pop(str(last), None)
    else:
        here[str(last)] = value
    return data


def _existing(here: Any, step: str | int, path: str) -> Any:
    known = _known(here)
    if step in known:
        return step
    raise _fail(path, f"there is no {show(step)} here", suggest(step, map(str, known), "there is"))


def _with(scene: Scene, part: str, value: Any) -> Scene:
    return scene.model_copy(update={part: value})


def _validated(model: type[BaseModel], data: Any, path: str) -> Any:
    """A part of a scene from plain data; what is wrong with it is said about the path that was to be set."""
    try:
        value = model.model_validate(data)
    except ValidationError as error:
        raise SceneError([_problem(finding, data, path) for finding in findings(error, model)]) from None
    if beyond := [_problem(finding, data, path) for finding in check_limits(value)]:
        raise SceneError(beyond)
    return value


def _problem(finding: Finding, data: Any, path: str) -> Problem:
    """The field is named in full where it lies below the path, else by the path."""
    inner = field_name(data if isinstance(data, Mapping) else {}, finding.loc)
    root = ".".join(path.split(".")[: 1 if path.split(".")[0] in _SINGLE else 2])
    full = f"{root}.{inner}" if inner else root
    return Problem(None, None, full if full.startswith(path) else path, finding.message, finding.hint)


def _check_material_name(name: str, path: str) -> None:
    _validated(Scene, {"format": 1, "material": {name: {}}}, path)


def _checked(scene: Scene, loc: Loc, path: str) -> Scene:
    """The scene, if its names lead somewhere and the shape that was touched is one; SceneError otherwise."""
    found: list[Finding] = []
    if len(loc) <= 2 or loc[2] in ("name", "material", "materials", "bodies", "joints", "motion", "ignores"):
        names = _names(scene)
        found += [*check_names(names), *check_joints(names, scene.bodies), *check_ignored(names, scene.bodies)]
        found += check_control(names, scene)
    part = str(loc[0])
    if part in ("world", "joint"):
        found += check_contact(scene)
    if part == "joint":
        found += check_starts(scene)
    if part == "controller":
        found += check_files(scene)
    if part in ("body", "repeat") and len(loc) > 1 and loc[1] in range(len(getattr(scene, part))):
        alone = (getattr(scene, part)[int(loc[1])],)
        found += check_shapes(scene.model_copy(update={"body": (), "repeat": (), part: alone}))
    if found:
        raise SceneError([Problem(None, None, path, finding.message, finding.hint) for finding in found])
    return scene


def _names(scene: Scene) -> dict[str, Any]:
    """As much of the scene as `check_names` looks at."""
    return {
        "material": scene.material,
        "body": [_name(body) for body in scene.body],
        "repeat": [_name(repeat) for repeat in scene.repeat],
        "camera": [{"name": camera.name} for camera in scene.camera],
        "joint": [{"name": joint.name, "bodies": joint.bodies} for joint in scene.joint],
        "controller": [control.model_dump() for control in scene.controller],
        "pair": [{"materials": pair.materials} for pair in scene.pair],
    }


def _name(body: Body) -> dict[str, Any]:
    return {"name": body.name, "material": body.material, "ignores": body.ignores}
