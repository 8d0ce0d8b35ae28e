"""Files that a scene names, relative to its folder: whatever a name is, asking about it raises nothing."""

from __future__ import annotations

from pathlib import Path


def inside(folder: Path, name: str) -> Path | None:
    """The path of a file that lies in a folder, whether it is there or not; None if it would lie outside."""
    try:
        within = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # loops of links; names that no file system takes
        return folder / name if "\0" not in name and ".." not in name and not name.startswith("/") else None
    return folder / name if within else None


def is_there(path: Path) -> bool:
    """Whether there is anything of that name."""
    try:
        return path.exists()
    except (OSError, RuntimeError, ValueError):
        return False
