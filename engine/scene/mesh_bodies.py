"""Mesh files of a scene: where they are, whether they can be used, and cutting them, by a process of its own.

A file that was looked at is remembered by its content, in the user's cache folder: it is read at once the next time.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from engine.geometry.decomposition import is_decomposed, tell
from engine.geometry.errors import GeometryError
from engine.geometry.mesh_files import read_mesh
from engine.kernel import cache_root
from engine.scene.apart import work_apart
from engine.scene.limits import LOOK_SECONDS, MESH_BYTES, TooMuch, check_file

_known: dict[str, Look] = {}
_ALONE = (".obj", ".stl", ".ply", ".glb")
"""Files whose triangles are in them, not beside them."""


class Look(NamedTuple):
    """What a look at a mesh file gave: what is wrong and what would be right, or how large it is [m, m^3]."""

    wrong: str = ""
    right: str = ""
    low: tuple[float, ...] = (0.0, 0.0, 0.0)
    high: tuple[float, ...] = (0.0, 0.0, 0.0)
    volume: float = 0.0


def look(path: Path, scale: float, kind: str) -> Look:
    """Whether a file can be the mesh of a body; kind: "hull", "pieces" or "surface". Never raises but for Cancel."""
    try:
        check_file(path, MESH_BYTES)
        content = path.read_bytes()
    except TooMuch as error:
        return Look(f"{path.name} {error.message}", error.hint)
    except OSError as error:
        return Look(f"{path.name} cannot be read: {error.strerror or type(error).__name__}", "a readable file")
    key = _key(content, f"{path.suffix.lower()} {scale!r} {kind}")
    alone = path.suffix.lower() in _ALONE
    if alone and (found := _remembered(key)) is not None:
        return found
    try:
        answer = work_apart(path.name, "look", str(path), repr(scale), kind, seconds=LOOK_SECONDS)
    except GeometryError as error:
        return Look(str(error), "a mesh file that can be read")
    found = _taken(answer)
    if not found.wrong and not all(map(isfinite, (*found.low, *found.high, found.volume))):
        found = Look(f"{path.name} cannot be computed with", "finite coordinates of a few metres")
    if alone:
        _remember(key, found)
    return found


def cut(path: Path, scale: float) -> None:
    """Cut a closed mesh into convex pieces unless that is done already. Raises GeometryError if it cannot be."""
    mesh = read_mesh(path, scale)
    if is_decomposed(mesh):
        return
    tell(f"Cutting {path.name} into convex pieces")
    try:
        answer = work_apart(path.name, "cut", str(path), repr(scale))
    finally:
        tell("")
    if "wrong" in answer:
        raise GeometryError(answer["wrong"])
    if not is_decomposed(mesh):
        raise GeometryError(f"the pieces of {path.name} cannot be kept: {cache_root().parents[1]} cannot be written")


def _key(content: bytes, what: str) -> str:
    digest = hashlib.blake2b(f"1 trimesh {version('trimesh')} {what} ".encode(), digest_size=16)
    digest.update(content)
    return digest.hexdigest()


def _remembered(key: str) -> Look | None:
    if key not in _known:
        try:
            _known[key] = _taken(json.loads(_place(key).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, AttributeError):
            return None
    return _known[key]


def _remember(key: str, found: Look) -> None:
    """Whole or not at all; a cache that cannot be written is no reason to fail."""
    _known[key] = found
    path = _place(key)
    new = path.with_suffix(f".{os.getpid()}.json")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            new.write_text(json.dumps(found._asdict()), encoding="utf-8")
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)


def _taken(fields: dict[str, Any]) -> Look:
    """A look from JSON, which knows no tuples."""
    known: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return Look(**known)


def _place(key: str) -> Path:
    return cache_root().parents[1] / "meshes" / f"{key}.json"
