"""A copy of unsaved edits, so that a crash loses at most the last two seconds of work.

While a document is modified, its scene lies in a folder of its own, with the files that it names, beside a lock that
dies with the process. A copy whose lock is dead belongs to a run that ended badly, and is offered at the next start.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_state_path
from PyQt6.QtCore import QLockFile, QObject, QTimer

from app.document.document import Document
from engine.files import replace_file
from engine.scene.problems import SceneError
from engine.scene.reading import load_scene
from engine.scene.schema import Scene
from engine.scene.writing import save_scene

_DELAY = 2000  # [ms] of quiet after an edit before it is written
_SCENE, _ABOUT = "scene.toml", "about.json"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Leftover:
    """Unsaved work of a run that ended badly."""

    scene: Scene
    path: Path | None  # the file it belongs to
    name: str
    stored: Path  # the folder of its copy

    def discard(self) -> None:
        """Removes it; it will not be offered again."""
        _remove(self.stored)


class Journal(QObject):
    """Keeps a copy of `document` while it has unsaved edits."""

    def __init__(self, document: Document, folder: Path | None = None) -> None:
        super().__init__(document)
        self._document = document
        self._stored = (folder or journal_folder()) / f"{os.getpid()}-{id(document):x}"
        self._lock: QLockFile | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self.write)
        document.scene_changed.connect(lambda _scene, _what: self._timer.start())
        document.file_changed.connect(self._forget_if_saved)

    def write(self) -> None:
        """Writes the copy now, if there is anything unsaved. A folder that cannot be written only loses the safety."""
        if not self._document.is_modified:
            return
        try:
            self._stored.mkdir(parents=True, exist_ok=True)
            if self._lock is None:
                self._lock = _lock(self._stored)
                self._lock.tryLock(0)
            scene = self._document.scene
            save_scene(scene, self._stored / _SCENE)
            path, folder = self._document.path, scene.folder
            about = {
                "path": None if path is None else str(path),
                "name": self._document.name,
                "folder": None if folder is None else str(folder),
            }
            replace_file(self._stored / _ABOUT, json.dumps(about).encode())
        except (OSError, SceneError) as error:
            _log.warning("the journal of unsaved edits cannot be written: %s", error)

    def close(self) -> None:
        """Drops the copy: the work was saved, or given up on purpose."""
        self._timer.stop()
        _remove(self._stored)
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def _forget_if_saved(self) -> None:
        """The timer runs on: the first edit is told of before it counts as a modification."""
        if not self._document.is_modified:
            _remove(self._stored)


def journal_folder() -> Path:
    """Where the copies lie."""
    return user_state_path("carom") / "journal"


def leftovers(folder: Path | None = None) -> list[Leftover]:
    """Copies whose process is gone, newest first. What cannot be read is skipped with a word in the log."""
    folder = folder or journal_folder()
    found = []
    for stored in sorted(filter(Path.is_dir, folder.glob("*")), key=lambda path: path.stat().st_mtime, reverse=True):
        if not _is_dead(stored):
            continue
        try:
            about = json.loads((stored / _ABOUT).read_text(encoding="utf-8"))
            scene = load_scene(stored / _SCENE, overlaps=False).model_copy(
                update={"folder": None if about["folder"] is None else Path(about["folder"])}
            )
            origin = None if about["path"] is None else Path(about["path"])
            found.append(Leftover(scene, origin, str(about["name"]), stored))
        except (OSError, ValueError, KeyError, SceneError) as error:
            _log.warning("unsaved work in %s cannot be read: %s", stored, error)
    for lock in folder.glob("*.lock"):
        _is_dead(lock.with_suffix(""))  # which removes it
    return found


def _is_dead(stored: Path) -> bool:
    """Whether the process of a copy is gone. Its lock goes, too."""
    lock = _lock(stored)
    dead = bool(lock.tryLock(0))
    if dead:
        lock.unlock()
    return dead


def _lock(stored: Path) -> QLockFile:
    lock = QLockFile(str(stored.with_suffix(".lock")))
    lock.setStaleLockTime(0)  # stale only when its process is gone
    return lock


def _remove(stored: Path) -> None:
    shutil.rmtree(stored, ignore_errors=True)
