"""Edits that let something be driven: motors of joints, and controllers with a Python file beside the scene."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from engine.control.trust import is_trusted, trust
from engine.files import replace_file
from engine.scene.controllers import Controller, python_files
from engine.scene.joints import WITH_POSITION
from engine.scene.paths import get_path, set_path
from engine.scene.schema import Scene
from engine.scene.writing import move_scene

_GAINS = {"position": {"kp": 10.0, "kv": 1.0}, "velocity": {"kv": 1.0}}
_SETTINGS = {"target": 0.0, "kp": 10.0, "kv": 1.0}
_RATE = 100.0  # 1/s
_JOINTS = '''"""Bears what is missing to a target, in position and velocity (PD). Its settings stand in the scene."""


class Controller:
    def act(self, world):
        target, kp, kv = (self.settings[name] for name in ("target", "kp", "kv"))
        for name in self.joints:
            joint = world.joint(name)
            joint.apply(kp * (target - joint.position) - kv * joint.velocity)
'''
_BODIES = '''"""Pushes bodies upwards by the setting "lift" [N]. What it remembers goes into self.state."""


class Controller:
    def act(self, world):
        for name in self.bodies:
            world.body(name).push(force=(0.0, 0.0, self.settings["lift"]))
'''


class NewFile(NamedTuple):
    """A file that an edit brings along."""

    path: Path
    content: bytes

    def put_back(self) -> None:
        """Writes it if it is not there. It may run: it is known what it does."""
        if not self.path.exists():
            replace_file(self.path, self.content)
            trust([self.path])

    def take_away(self) -> None:
        """Removes it, unless somebody has changed it or a scene beside it names it, as one that was saved since."""
        with suppress(OSError):
            named = self.path.name.encode()
            scenes = self.path.parent.glob("*.toml")
            if self.path.read_bytes() == self.content and not any(named in scene.read_bytes() for scene in scenes):
                self.path.unlink()


def move_along(scene: Scene, folder: Path) -> Scene:
    """The scene as one of another folder, with its files. Copies of Python that may run may run, too."""
    moved = move_scene(scene, folder)
    trust_copies(scene, moved)
    return moved


def trust_copies(before: Scene, after: Scene) -> None:
    """Trusts what a scene, which is now one of another folder, runs there, if it is what it ran before."""
    for old, new in zip(python_files(before), python_files(after), strict=True):
        with suppress(OSError):
            if old != new and is_trusted(old) and old.read_bytes() == new.read_bytes():
                trust([new])


def new_motor(seeks: str) -> dict[str, float]:
    """A motor that seeks a "position", a "velocity" or an "effort" of zero, with gains to begin with."""
    return {seeks: 0.0, **_GAINS.get(seeks, {})}


def can_drive(scene: Scene, joint: int) -> bool:
    """Can the joint of this place in the scene have a motor?"""
    return joint >= 0 and scene.joint[joint].kind in WITH_POSITION


def drivers(scene: Scene, joint: str) -> tuple[str, ...]:
    """Names of the controllers that are switched on and applied to a joint."""
    return tuple(one.name for one in scene.controller if one.enabled and joint in one.joints)


def write_controller(folder: Path, joints: bool) -> NewFile:
    """Writes a controller to begin with into a new file of a folder, and trusts it.

    joints: for joints, else for bodies.
    """
    path = folder / "controller.py"
    number = 2
    while path.exists():
        path, number = folder / f"controller{number}.py", number + 1
    file = NewFile(path, (_JOINTS if joints else _BODIES).encode())
    file.put_back()
    return file


def add_controller(scene: Scene, file: str, joint: str | None, bodies: Sequence[str]) -> tuple[Scene, str]:
    """A controller of a file in the scene's folder, applied to a joint or to bodies; returns its name, too.

    The joint gets a motor, if it has none, to bear what the controller says.
    """
    taken = {one.name for one in scene.controller}
    name = next(name for name in ("controller", *(f"controller{k}" for k in range(2, 10_000))) if name not in taken)
    said: dict[str, Any] = {"joints": (joint,), "settings": _SETTINGS} if joint else {"settings": {"lift": 0.0}}
    pushed = () if joint else tuple(body for body in bodies if scene.body[scene.index(body)].motion == "free")
    made = Controller.model_validate({"name": name, "file": file, "rate": _RATE, "bodies": pushed, **said})
    if joint and get_path(scene, f"joint.{joint}.motor") is None:
        scene = set_path(scene, f"joint.{joint}.motor", new_motor("effort"))
    scene = scene.model_copy(update={"controller": (*scene.controller, made)})
    return set_path(scene, f"controller.{name}.file", file), name  # which sees whether the file is there
