"""Files that hold the old content or the new, whatever happens."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_DAY = 86400.0  # [s]


def replace_file(path: Path, content: bytes) -> None:
    """Give a file this content in one step: whatever happens, it holds the old one or the new."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
        else:
            os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)
    _remove_leftovers(path)


def _remove_leftovers(path: Path) -> None:
    """Remove what writers of this file left who were killed: nobody else writes for a day."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _DAY:
                part.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut; some systems cannot open folders, and need not."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
