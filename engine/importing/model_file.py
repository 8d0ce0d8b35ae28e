"""The one door of imports: a URDF or MJCF file in, a scene and what there is to say about it out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from engine.files import replace_file
from engine.importing.compose import compose
from engine.importing.remarks import Remark, Remarks, failure
from engine.importing.robot import HERE, Base, Frame, Names, Robot
from engine.importing.settle import settle
from engine.importing.urdf import UrdfReader
from engine.importing.xml_file import read_xml
from engine.scene.checks import find_problems
from engine.scene.problems import SceneError
from engine.scene.schema import Scene
from engine.scene.text import scene_text

Up = Literal["x", "y", "z"]
_TURNS = {
    "x": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "y": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "z": np.eye(3),
}


class Imported(NamedTuple):
    """A scene, and what became of all that it has not from the model's file as it was said there."""

    scene: Scene
    remarks: tuple[Remark, ...]


def import_model(path: Path, base: Base | None = None, ground: bool | None = None, up: Up = "z") -> Imported:
    """The scene of a URDF or MJCF file.

    `base`, `ground` and `up` are for URDF, which does not say these: whether its root is fixed (None: if it has no
    mass), whether there is a ground under it (None: if it floats), and which of its axes points up. Raises SceneError
    if the file cannot be read. The one check of a scene that needs compiled kernels is made here: overlaps.
    """
    names, remarks = Names(), Remarks(str(path))
    tag = read_xml(path).root.tag
    robot: Robot
    if tag == "mujoco":
        from engine.importing.mjcf import read_mjcf

        if base is not None or ground is not None or up != "z":
            raise failure(
                None, "an MJCF file says itself what is fixed, and where", "no base, ground or axis", str(path)
            )
        robot, under = read_mjcf(path, remarks, names), False
    elif tag == "robot":
        robot = UrdfReader(path, remarks, names, Frame(_TURNS[up], HERE.origin)).read(base)
        floats = not any(link.fixed for link in robot.links.values())
        under = floats if ground is None else ground
    else:
        raise failure(None, f"<{tag}> is no model", "a URDF (<robot>) or MJCF (<mujoco>) file", str(path))
    scene = settle(compose(robot, remarks, names, under), remarks)
    if problems := find_problems(scene, overlaps=False):
        raise SceneError(problems)
    return Imported(scene, tuple(remarks))


def write_imported(imported: Imported, path: Path) -> None:
    """Write the scene to a new file, or over an old one, with what there is to say at its top as comments."""
    replace_file(path, imported_text(imported).encode("utf-8"))


def imported_text(imported: Imported) -> str:
    """The scene's text below its remarks."""
    return "".join(f"# {line}\n" for line in report_lines(imported.remarks)) + "\n" + scene_text(imported.scene)


def report_lines(remarks: Sequence[Remark]) -> list[str]:
    """What there is to say, a line each."""
    if not remarks:
        return ["Imported as it is: nothing was left out."]
    count = len(remarks)
    return [f"{count} remark{'s' if count > 1 else ''} on what was imported:", *map(str, remarks)]
