"""What Carom remembers between two starts: recent files, the theme, the window's layout."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TypeVar

from PyQt6.QtCore import QSettings

Kind = TypeVar("Kind")
MOST_RECENT = 10
LEAST_MEGABYTES, MOST_MEGABYTES = 1.0, 65536.0
_USUAL_MEGABYTES = 256.0


def settings() -> QSettings:
    """The store of the current person; an INI file on every platform."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Carom", "carom")


def read_setting(key: str, kind: type[Kind], default: Kind) -> Kind:
    """What is stored under a key; the default where that is nothing, or not of this kind. A list is one of texts."""
    store = settings()
    if store.value(key) is None:
        return default
    try:
        value = store.value(key, default, "QStringList" if kind is list else kind)  # type: ignore[arg-type]
    except TypeError:  # whoever edits the file may write anything
        return default
    return value if isinstance(value, kind) else default


def history_megabytes() -> float:
    """Memory that the past of a run may take."""
    stored = read_setting("history_megabytes", float, _USUAL_MEGABYTES)
    return _USUAL_MEGABYTES if math.isnan(stored) else min(max(stored, LEAST_MEGABYTES), MOST_MEGABYTES)


def store_history_megabytes(megabytes: float) -> None:
    """From now on, and at the next start, it may take so much."""
    settings().setValue("history_megabytes", megabytes)


def recent_files() -> list[Path]:
    """Scene files that were opened or saved last and can still be looked at, newest first."""
    return [Path(name) for name in read_setting("recent", list, []) if os.path.isfile(name)][:MOST_RECENT]


def remember_file(path: Path) -> None:
    """Puts `path` at the head of the recent files."""
    path = path.resolve()
    names = [str(path)] + [str(other) for other in recent_files() if other != path]
    settings().setValue("recent", names[:MOST_RECENT])


def forget_recent() -> None:
    """Empties the list of recent files."""
    settings().remove("recent")
