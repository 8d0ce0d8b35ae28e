"""Saving a scene: all or nothing, and with the comments of the file that is there already."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

from engine.files import replace_file
from engine.scene.apart import check_called_off
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import Scene
from engine.scene.text import scene_text


def save_scene(scene: Scene, path: str | Path, anew: bool = False) -> Scene:
    """Write a scene to a file, and return it with the file's folder as its own.

    The file is replaced in one step: whatever happens, it holds the old scene or the new one. Comments of a scene that
    is there already stay, unless its text is made `anew`, which is quicker. Meshes and controllers that the scene names
    are copied along if it moves to another folder. Raises SceneError if the file cannot be written. Saving that is
    called off (`cancellable`) has changed nothing.
    """
    path = Path(path)
    path = path.resolve() if path.is_symlink() else path
    try:
        text = scene_text(scene, "" if anew else _read_old(path))
        check_called_off()
        _copy_files(scene, path.parent)
        replace_file(path, text.encode("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SceneError(
            [Problem(str(path), None, "", f"cannot be written: {reason}", "a folder to write in")]
        ) from None
    return scene.model_copy(update={"folder": path.parent})


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


def _copy_files(scene: Scene, folder: Path) -> None:
    if scene.folder is None or scene.folder.resolve() == folder.resolve():
        return
    for name in named_files(scene):
        source, target = scene.folder / name, folder / name
        if target.exists() and target.read_bytes() != source.read_bytes():
            hint = "another folder, or another name for the file"
            raise SceneError([Problem(str(target), None, "", "is another file of the same name", hint)])
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, source.read_bytes())
