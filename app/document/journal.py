"""A copy of unsaved work, so that a crash loses at most the last two seconds of it.

While a document is modified, its scene lies in a folder of its own, with the files that it names, beside a lock that
dies with the process. The run of the scene lies beside it, in a file that whoever runs it writes. A copy whose lock is
dead belongs to a run that ended badly, and is offered at each start until it is brought back or discarded.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from platformdirs import user_state_path
from PyQt6.QtCore import QLockFile, QObject, QTimer, pyqtSignal

from app.document.document import Document
from app.document.scribe import Scribe
from engine.files import replace_file
from engine.recording.carom_file import read_source
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene
from engine.scene.writing import keep_scene, named_files

_DELAY = 2000  # [ms] after an edit, and what follows it till then, before it is written
_SCENE, _ABOUT, _RUN = Path("scene") / "scene.toml", "about.json", "run.carom"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Leftover:
    """Unsaved work of a run that ended badly."""

    title: str
    path: Path | None  # the file it belongs to
    name: str
    folder: Path | None  # where the files that the scene names lie
    modified: bool  # whether the scene was not saved
    stored: Path  # the folder of its copy
    time: float = 0.0  # when something was kept last [s since 1970]
    lost_run: str = ""  # why its run cannot be read; "" where it can, or there is none

    @property
    def run(self) -> Path | None:
        """The file of its run, if it ran and can be read."""
        path = self.stored / _RUN
        return path if path.is_file() and not self.lost_run else None

    @property
    def own_folder(self) -> Path:
        """Where the copy of its scene lies, with copies of the files that this names."""
        return (self.stored / _SCENE).parent

    @property
    def words(self) -> str:
        """What it is, for a person."""
        run = " with a run that cannot be read" if self.lost_run else " with its run" if self.run else ""
        return f"“{self.title}”{run}"

    def read(self) -> Scene | None:
        """Its scene as it was edited; None where the file of the run has all there is of it. SceneError, OSError.

        Its folder is the one that it came from, or that of the copy where files that it names have gone from there.
        """
        path = self.stored / _SCENE
        if not path.is_file():
            return None
        content, wrong = path.read_bytes(), list[SceneError]()
        for folder in filter(None, (self.folder, self.own_folder)):
            try:
                scene = parse_scene(content, str(path), folder, overlaps=False)
            except SceneError as error:
                wrong.append(error)
            else:
                return scene if named_files(scene) else scene.model_copy(update={"folder": self.folder})
        raise wrong[0]

    def discard(self) -> None:
        """Removes it; it will not be offered again."""
        _remove(self.stored)


class Journal(QObject):
    """Keeps a copy of `document` while it has unsaved edits, and a place for the run of its scene."""

    failed = pyqtSignal(str)  # why something could not be kept; "" where the scene is again

    def __init__(self, document: Document, folder: Path | None = None) -> None:
        super().__init__(document)
        self._document = document
        self._stored = (folder or journal_folder()) / f"{os.getpid()}-{id(document):x}"
        self._lock: QLockFile | None = None
        self._about = self._about_now()
        self._instead_of: Leftover | None = None
        self._latest: Scene | None = None  # that was to be written
        self._fault = ""  # that was told of last
        self.scribe = Scribe(self._tell)
        """The thread that writes; what else lies in the folder is its as well."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self.write)
        document.scene_changed.connect(self._write_soon)
        document.file_changed.connect(self._follow_file)

    def _write_soon(self) -> None:
        """A timer that runs goes on: who edits without a break is kept all the same."""
        if not self._timer.isActive():
            self._timer.start()

    def write(self) -> None:
        """Have the copy written now, if there is anything unsaved."""
        if self._document.is_modified:
            self._latest = self._document.scene
            self.scribe.do(partial(self._write, self._latest))

    def _write(self, scene: Scene) -> None:
        if scene is not self._latest:
            return  # a slow disk: a later one waits
        path = self.hold() / _SCENE
        path.parent.mkdir(exist_ok=True)
        keep_scene(scene, path)
        self._tell("")
        self._let_go()

    def _tell(self, why: str) -> None:
        """Once for all that fails in a row. The scribe tells."""
        if bool(why) != bool(self._fault):
            self._fault = why
            self.failed.emit(why)

    def hold(self) -> Path:
        """The folder, which is there then and is nobody else's. The scribe asks."""
        self._stored.parent.mkdir(parents=True, exist_ok=True)
        if self._lock is None:  # before the folder: whoever starts now removes one that nobody holds
            lock = _lock(self._stored)
            self._lock = lock if lock.tryLock(0) else None
        self._stored.mkdir(exist_ok=True)
        replace_file(self._stored / _ABOUT, self._about)
        return self._stored

    @property
    def run_file(self) -> Path:
        """Where the run belongs, in the folder."""
        return self._stored / _RUN

    def keep_instead_of(self, leftover: Leftover) -> None:
        """As soon as there is a copy of all that was brought back, the old one goes."""
        self._instead_of = leftover
        self.write()
        self.scribe.do(self._let_go)

    def run_is_kept(self) -> None:
        """The run lies in the folder. The scribe tells."""
        self._let_go()

    def _let_go(self, anyway: bool = False) -> None:
        """Removes the old copy if there is a new one of its scene and of its run, so far as it had them."""
        old = self._instead_of
        if old is None:
            return
        has_scene = not old.modified or (self._stored / _SCENE).is_file()
        has_run = old.run is None or self.run_file.is_file()
        if anyway or (has_scene and has_run):
            old.discard()
            self._instead_of = None

    def close(self) -> None:
        """Drops the copy: the work was saved, or given up on purpose."""
        self._timer.stop()
        self.scribe.close(self._drop)
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None

    def _drop(self) -> None:
        self._let_go(anyway=True)
        _remove(self._stored)

    def _follow_file(self) -> None:
        """The timer runs on: the first edit is told of before it counts as a modification."""
        about, before = self._about_now(), self._about
        self._about = about
        if about != before:
            self.scribe.do(self._write_about)
        if not self._document.is_modified:
            self.scribe.do(partial(_remove, (self._stored / _SCENE).parent))

    def _write_about(self) -> None:
        if self._stored.is_dir():
            replace_file(self._stored / _ABOUT, self._about)

    def _about_now(self) -> bytes:
        document = self._document
        path, folder = document.path, document.scene.folder
        about = {
            "title": document.title,
            "path": None if path is None else str(path),
            "name": document.name,
            "folder": None if folder is None else str(folder),
            "modified": document.is_modified,
        }
        return json.dumps(about).encode()


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
            leftover = _look_into(stored)
        except (OSError, ValueError, KeyError, TypeError, SceneError) as error:
            _log.warning("unsaved work in %s cannot be read: %s", stored, error)
            continue
        if leftover is None:
            _remove(stored)
        else:
            found.append(leftover)
    for lock in folder.glob("*.lock"):
        _is_dead(lock.with_suffix(""))  # which removes it
    return found


def _look_into(stored: Path) -> Leftover | None:
    """What there is; None if there is nothing any more. What is wrong with its scene is told when it is read."""
    has_scene, has_run = (stored / _SCENE).is_file(), (stored / _RUN).is_file()
    if not has_scene and not has_run:
        return None
    about = json.loads((stored / _ABOUT).read_text(encoding="utf-8"))
    path, folder = (None if about[key] is None else Path(about[key]) for key in ("path", "folder"))
    lost_run = ""
    if has_run:
        try:
            read_source(stored / _RUN)
        except (OSError, ValueError) as error:
            if not has_scene:
                raise
            why = error.strerror if isinstance(error, OSError) else str(error)
            lost_run = (why or type(error).__name__).removeprefix(f"{stored / _RUN}: ")
    title, name, modified = str(about["title"]), str(about["name"]), bool(about["modified"])
    return Leftover(title, path, name, folder, modified, stored, stored.stat().st_mtime, lost_run)


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
