"""What is done to mesh files in a process of its own: `python -m engine.scene.mesh_work SECONDS TASK WORDS`.

look FILE SCALE KIND: reads the file, and makes of it what a body is made of. Its numbers, or what is wrong with it.
cut FILE SCALE: cuts it into convex pieces, which are then in the cache.
"""

from __future__ import annotations

import json
import resource
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any

from engine.scene.limits import GEOMETRY_BYTES, MESH_BYTES, TRIANGLES, TooMuch, check_file

INTACT = "an intact mesh file"


class RefusedError(Exception):
    """A mesh that no body can have: what is wrong with it, and what would be right."""


def main(words: list[str]) -> int:
    seconds, task, *rest = words
    _limit(ceil(float(seconds)))
    try:
        answer = look(*rest) if task == "look" else _cut(*rest)
    except RefusedError as error:
        answer = dict(zip(("wrong", "right"), error.args))
    print(json.dumps(answer), flush=True)
    return 0


def _limit(seconds: int) -> None:
    for what, most in ((resource.RLIMIT_AS, 2 * GEOMETRY_BYTES), (resource.RLIMIT_CPU, seconds)):
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (most, most))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def look(file: str, scale: str, kind: str) -> dict[str, Any]:
    """KIND: hull, pieces, or surface, which need not be closed."""
    path = Path(file)
    with suppress(TooMuch):
        check_file(path, MESH_BYTES)
    triangles = _read(path, closed=kind != "surface")
    if triangles > TRIANGLES:
        raise RefusedError(f"{path.name} has {triangles:,} triangles", f"at most {TRIANGLES:,}")
    from engine.geometry.errors import GeometryError

    try:
        return _numbers(path, float(scale), kind)
    except GeometryError as error:
        text = str(error)
        raise RefusedError(
            text if path.name in text else f"{path.name}: {text}", "a mesh that encloses a volume"
        ) from error
    except (ArithmeticError, IndexError, MemoryError, ValueError) as error:  # LinAlgError is a ValueError
        raise RefusedError(f"{path.name} cannot be computed with", "finite coordinates of a few metres") from error


def _read(path: Path, closed: bool) -> int:
    """How many triangles there are in a file, which is as trimesh wants it."""
    import trimesh

    try:
        mesh = trimesh.load(path, force="mesh")
    except MemoryError as error:
        raise RefusedError(f"{path.name} asks for more memory than a mesh may have", INTACT) from error
    except Exception as error:  # trimesh's readers raise whatever a broken file makes them stumble over
        raise RefusedError(f"{path.name} cannot be read as a mesh", INTACT) from error
    if not isinstance(mesh, trimesh.Trimesh) or len(mesh.faces) == 0:
        raise RefusedError(f"{path.name} holds no triangles", "a closed mesh")
    if closed and not mesh.is_watertight:
        raise RefusedError(f"{path.name} is open, so it has no volume", "a mesh whose edges each join two triangles")
    if closed and not mesh.is_winding_consistent:
        hint = "all triangles counter-clockwise from outside"
        raise RefusedError(f"{path.name} has triangles turned inside out", hint)
    return len(mesh.faces)


def _numbers(path: Path, scale: float, kind: str) -> dict[str, Any]:
    import numpy as np

    from engine.geometry.mass_properties import mass_properties
    from engine.geometry.mesh_files import read_mesh
    from engine.geometry.mesh_shapes import mesh_file, mesh_surface

    if kind == "surface":
        shape, volume = mesh_surface(path, scale), 1.0
    elif kind == "hull":
        shape = mesh_file(path, scale)
        volume = mass_properties(shape).volume
    else:
        mesh = read_mesh(path, scale)
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        volume = float(np.linalg.det(mesh.vertices[mesh.faces] - mesh.vertices.mean(axis=0)).sum()) / 6.0
        return {"low": low.tolist(), "high": high.tolist(), "volume": volume}
    low, high = shape.bounds
    return {"low": low.tolist(), "high": high.tolist(), "volume": float(volume)}


def _cut(file: str, scale: str) -> dict[str, Any]:
    from engine.geometry.errors import GeometryError
    from engine.geometry.mesh_shapes import concave_mesh_file

    try:
        concave_mesh_file(Path(file), float(scale))
    except GeometryError as error:
        raise RefusedError(str(error), "a mesh whose surface does not cross itself") from error
    return {}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
