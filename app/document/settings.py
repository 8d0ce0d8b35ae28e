"""What Carom remembers between two starts: recent files, the theme, the window's layout."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSettings

MOST_RECENT = 10
LEAST_MEGABYTES, MOST_MEGABYTES = 1.0, 65536.0


def settings() -> QSettings:
    """The store of the current person; an INI file on every platform."""
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Carom", "carom")


def history_megabytes() -> float:
    """Memory that the past of a run may take."""
    try:
        stored = float(settings().value("history_megabytes", 256.0))
    except (TypeError, ValueError):
        return 256.0
    return min(max(stored, LEAST_MEGABYTES), MOST_MEGABYTES)


def store_history_megabytes(megabytes: float) -> None:
    """From now on, and at the next start, it may take so much."""
    settings().setValue("history_megabytes", megabytes)


def recent_files() -> list[Path]:
    """Scene files that were opened or saved last and still exist, newest first."""
    stored = settings().value("recent", [])
    names = [stored] if isinstance(stored, str) else list(stored or [])
    return [path for path in map(Path, names) if path.is_file()][:MOST_RECENT]


def remember_file(path: Path) -> None:
    """Puts `path` at the head of the recent files."""
    path = path.resolve()
    names = [str(path)] + [str(other) for other in recent_files() if other != path]
    settings().setValue("recent", names[:MOST_RECENT])


def forget_recent() -> None:
    """Empties the list of recent files."""
    settings().remove("recent")
