"""Files that appear under their names when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TABLES = (".csv", ".parquet")
"""Endings of the tables that can be written (app.simulation.table_file)."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to; what lies there takes the place of `path` when all is done, and nothing stays of it else."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError) and error.filename is None:  # a full disk does not say whose it is
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
