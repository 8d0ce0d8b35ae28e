"""Controllers: Python files beside the scene, called while it runs (Mirtich 1996, 5.4.3 and 8.3). Reading runs none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, StrictBool, StrictStr

from engine.control.trust import UntrustedError, untrusted
from engine.scene.folders import inside, is_there
from engine.scene.messages import Finding, show, suggest
from engine.scene.values import Name, Number, Positive, Value, quantity


class Controller(Value):
    """A Python file that is called `rate` times a second, the first time at the start.

    Its class `Controller` has a method `act(self, world)`, which reads the world and sets motors of joints, forces and
    torques. What it keeps in `self.state`, plain data, is part of snapshots. One file may serve many: each entry has a
    controller of its own, with its `bodies`, `joints` and `settings`.
    """

    name: Name = Field(description="name, unique in the scene")
    file: str = Field(description="a Python file, relative to the scene's folder")
    rate: Positive = quantity(unit="1/s", description="ticks in a second")
    bodies: tuple[str, ...] = Field(default=(), description="names of the bodies it is applied to; it may push these")
    joints: tuple[str, ...] = Field(default=(), description="names of the joints it is applied to")
    settings: dict[Name, StrictBool | Number | StrictStr] = Field(
        default={}, description="values that the file reads as self.settings"
    )
    enabled: StrictBool = Field(default=True, description="whether it acts")


def check_controllers(document: Mapping[str, Any], known: Mapping[str, list[str]]) -> Iterator[Finding]:
    """Names in controllers that lead nowhere. known: names of the bodies and joints there are."""
    rows = document.get("controller")
    for row, controller in enumerate(rows if isinstance(rows, (list, tuple)) else ()):
        for part, names in known.items():
            said = controller.get(part) if isinstance(controller, Mapping) else None
            for k, name in enumerate(said if isinstance(said, (list, tuple)) else ()):
                if isinstance(name, str) and name not in names:
                    message = f'there is no {"body" if part == "bodies" else "joint"} "{name}"'
                    yield Finding(("controller", row, part, k), message, suggest(name, names, part))


def check_files(scene: Any) -> Iterator[Finding]:
    """Files of controllers that are not there, or outside the scene's folder."""
    for row, controller in enumerate(scene.controller):
        loc, name = ("controller", row, "file"), controller.file
        if scene.folder is None:
            yield Finding(loc, f"{show(name)} has no folder to lie in", "save the scene first")
            continue
        path = inside(scene.folder, name)
        if path is None:
            yield Finding(loc, f"{show(name)} lies outside the scene's folder", "a file inside it")
        elif path.suffix != ".py":
            yield Finding(loc, f"{show(name)} is no Python file", "a name that ends in .py")
        elif not is_there(path) or not path.is_file():
            yield Finding(loc, f"there is no file {show(name)}", "a Python file in the scene's folder")


def renamed_controllers(controllers: tuple[Controller, ...], part: str, old: str, new: str) -> tuple[Controller, ...]:
    """The controllers, where the body or joint `old` is called `new`."""
    field = "bodies" if part == "body" else "joints"
    return tuple(
        one.model_copy(update={field: tuple(new if name == old else name for name in getattr(one, field))})
        for one in controllers
    )


def python_files(scene: Any) -> list[Path]:
    """The files of a scene's controllers that are switched on."""
    folder = scene.folder or Path()
    return list(dict.fromkeys(folder / one.file for one in scene.controller if one.enabled))


def runnable(scene: Any, python: Literal["ask", "run", "off"]) -> tuple[Controller, ...]:
    """The controllers of a scene that run. UntrustedError if it is not to be decided but asked."""
    if python == "ask" and (files := untrusted(python_files(scene))):
        raise UntrustedError(files)
    controllers: tuple[Controller, ...] = scene.controller
    return controllers if python != "off" else ()
