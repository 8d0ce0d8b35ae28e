"""Saving a scene: all or nothing, and with the comments of the file that is there already."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote

from engine.files import replace_file
from engine.scene.apart import check_called_off
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import Scene
from engine.scene.text import scene_text

_HINTS = {  # what would be right where a file cannot be written
    errno.ENOSPC: "a disk with room on it",
    errno.EDQUOT: "a disk with room on it",
    errno.ENOENT: "a folder that is there",
    errno.ENOTDIR: "a folder that is there",
    errno.EISDIR: "a file's name, not a folder's",
}


def save_scene(scene: Scene, path: str | Path) -> Scene:
    """Write a scene to a file, and return it with the file's folder as its own.

    The file is replaced in one step: whatever happens, it holds the old scene or the new one. Comments of a scene that
    is there already stay. Meshes and controllers that the scene names are copied along if it moves to another folder;
    those that are gone (`missing_files`) do not keep it from being saved. Raises SceneError, which names the file that
    cannot be written or read. Saving that is called off (`cancellable`) has changed nothing.
    """
    path = Path(path)
    path = path.resolve() if path.is_symlink() else path
    with _naming(path, "written"):
        text = scene_text(scene, _read_old(path))
    check_called_off()
    _copy_files(scene, path.parent)
    with _naming(path, "written"):
        replace_file(path, text.encode("utf-8"))
    return scene.model_copy(update={"folder": path.parent})


def keep_scene(scene: Scene, path: Path) -> None:
    """Write a copy of a scene into a folder that is its own: files of the copy before are replaced. SceneError.

    What the scene names and is gone, or cannot be read, stays as the copy before has it.
    """
    text = scene_text(scene, "")  # without the comments, which is quicker
    _copy_files(scene, path.parent, replace=True)
    with _naming(path, "written"):
        replace_file(path, text.encode("utf-8"))


@contextmanager
def _naming(path: Path, done: str) -> Iterator[None]:
    """An error of the disk becomes one that says which file could not be `done`, why, and what would be right."""
    try:
        yield
    except OSError as error:
        hint = "a readable file" if done == "read" else _HINTS.get(error.errno or 0, "a folder to write in")
        reason = error.strerror or type(error).__name__
        raise SceneError([Problem(str(path), None, "", f"cannot be {done}: {reason}", hint)]) from None


def move_scene(scene: Scene, folder: Path) -> Scene:
    """The scene as one of another folder, where files that it names are copied to unless they are there."""
    for name in named_files(scene):
        source, target = (scene.folder or Path()) / name, folder / name
        with suppress(OSError):  # whoever reads the scene's files says that it is missing
            if not target.exists():
                _put(target, source.read_bytes())
    return scene.model_copy(update={"folder": folder})


def _read_old(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, UnicodeDecodeError):
        return ""


def named_files(scene: Scene) -> list[str]:
    """Files that a scene needs beside its own, as it names them: meshes, what these are made of, controllers."""
    meshes = [body.shape.mesh.file for body in (*scene.body, *scene.repeat) if body.shape.mesh is not None]
    parts = [part for file in dict.fromkeys(meshes) for part in _parts_of(scene.folder or Path(), file)]
    return list(dict.fromkeys([*meshes, *parts, *(control.file for control in scene.controller)]))


def _parts_of(folder: Path, file: str) -> list[str]:
    """Files of numbers that a glTF in text names, relative to the scene's folder; those that are there."""
    if Path(file).suffix.lower() != ".gltf":
        return []
    try:
        said = json.loads((folder / file).read_bytes())
        named = [unquote(str(buffer["uri"])) for buffer in said.get("buffers", ()) if "uri" in buffer]
    except (OSError, ValueError, AttributeError, TypeError):
        return []  # whoever reads the mesh says what is wrong with it
    parts = [(Path(file).parent / name).as_posix() for name in named if not name.startswith("data:")]
    return [part for part in parts if (folder / part).is_file()]


def missing_files(scene: Scene) -> list[str]:
    """Those of the files that a scene names which are not there."""
    return [name for name in named_files(scene) if not ((scene.folder or Path()) / name).is_file()]


def _copy_files(scene: Scene, folder: Path, replace: bool = False) -> None:
    """Files of that name are left as they are and refused if they are others, or replaced."""
    if scene.folder is None or scene.folder.resolve() == folder.resolve():
        return
    missing = missing_files(scene)
    for name in named_files(scene):
        source, target = scene.folder / name, folder / name
        if name in missing or (replace and not os.access(source, os.R_OK)):
            continue
        with _naming(source, "read"):
            content = source.read_bytes()
        with _naming(target, "written"):
            is_there = target.exists()
            if is_there and target.read_bytes() == content:
                continue
        if is_there and not replace:
            hint = "another folder, or another name for the file"
            raise SceneError([Problem(str(target), None, "", "is another file of the same name", hint)])
        with _naming(target, "written"):
            _put(target, content)


def _put(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, content)
