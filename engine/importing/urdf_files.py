"""Where the files lie that a URDF names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote


def find_mesh(model: Path, name: str) -> Path:
    """The file that a model means by a name: relative to it, or in a package around it (`package://name/path`).

    Raises ValueError if there is none.
    """
    scheme, mark, rest = name.partition("://")
    candidates = _in_package(model, unquote(rest)) if mark and scheme in ("package", "model") else _beside(model, name)
    for path in candidates:
        if path.is_file():
            return path
    raise ValueError(f"there is no file {name}")


def _beside(model: Path, name: str) -> Iterator[Path]:
    name = unquote(name.removeprefix("file://"))
    yield model.parent / name
    yield from (folder / name for folder in model.resolve().parent.parents[:3])


def _in_package(model: Path, rest: str) -> Iterator[Path]:
    """A package is a folder of its name somewhere around the model, else what lies around the model itself."""
    package, _, path = rest.partition("/")
    folders = (model.resolve().parent, *model.resolve().parent.parents)
    yield from (folder / path for folder in folders if folder.name == package)
    yield from (folder / package / path for folder in folders)
    yield from (folder / path for folder in folders[:3])
    yield from (folder / rest for folder in folders[:3])
