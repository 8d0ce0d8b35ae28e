"""Scenes on disk as the window handles them: opening, saving, asking, recording."""

from __future__ import annotations

import os
import queue
import shutil
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from PyQt6.QtCore import QObject, QStandardPaths, pyqtSignal
from PyQt6.QtWidgets import QFileDialog, QWidget

from app.document import edits
from app.document.document import Document, read_scene
from app.document.journal import Leftover
from app.document.settings import read_setting, remember_file, settings
from app.simulation.compiling import compiling
from app.simulation.run_file import SUFFIX, Run, open_run, renamed, save_run
from app.simulation.simulation import Simulation
from app.view.forms.saving import ask_where
from app.view.forms.typed import take_typed
from app.view.overlays.overlays import Overlays
from app.view.recording.dialog import RecordDialog
from app.view.viewport.viewport import Viewport
from app.view.window.dialogs import ProblemsDialog, ask, ask_trust, ask_unsaved, tell
from app.view.window.import_dialog import ImportDialog
from app.view.window.playback import Playback
from app.view.window.waiting import Progress, wait_for
from engine.control.trust import trust, untrusted
from engine.scene.controllers import python_files
from engine.scene.problems import SceneError
from engine.scene.schema import Scene
from engine.scene.writing import missing_files, save_scene

MODEL_FILTER = "Robots (*.urdf *.xml *.mjcf);;All files (*)"
SCENE_FILTER = "Carom scenes (*.toml);;All files (*)"
OPEN_FILTER = "Carom scenes and runs (*.toml *.carom);;All files (*)"
RUN_FILTER = "Carom runs (*.carom)"
PICTURE_FILTER = "Pictures (*.png *.jpg *.jpeg)"


class FileActions(QObject):
    """Carries the actions of the File menu out; dialogs stand over `window`."""

    said = pyqtSignal(str)
    scene_wanted = pyqtSignal()  # a scene was opened and is to be seen
    gallery_wanted = pyqtSignal()

    def __init__(
        self,
        window: QWidget,
        document: Document,
        simulation: Simulation,
        playback: Playback,
        viewport: Viewport,
        overlays: Overlays,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._overlays = window, document, overlays
        self._simulation, self._playback, self._viewport = simulation, playback, viewport
        self._folder_of_run: TemporaryDirectory[str] | None = None
        self._folder_of_work: TemporaryDirectory[str] | None = None  # that was restored, where its own has lost files

    def new(self) -> None:
        if self.may_leave():
            self._document.new()
            self.scene_wanted.emit()

    def open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self._window, "Open a scene or a run", str(self._folder()), OPEN_FILTER)
        if name:
            self.open_path(name)

    def open_path(self, source: str | Path) -> bool:
        """Opens a file or a bundled scene by name; says what is wrong with it otherwise. Whether it is open now."""
        if Path(source).suffix.lower() == SUFFIX:
            return self._open_run(Path(source))
        scene = self._read_scene(source)
        if scene is not None and self._is_edited():  # saving may write to this very file
            scene = self._read_scene(source) if self.may_leave() else None
        if scene is None:
            return False
        self._ask_trust(scene)
        self._document.show(scene, source)
        self.scene_wanted.emit()
        if self._document.path is not None:
            settings().setValue("folder", str(self._document.path.parent))
        return True

    def _read_scene(self, source: str | Path) -> Scene | None:
        """The scene of a file; None if that was called off, or cannot be read, which is told."""

        def work() -> Scene:
            scene = read_scene(source)
            self._viewport.prepare(scene)
            return scene

        try:
            return wait_for(self._window, f"Opening {Path(source).stem}…", work)
        except SceneError as error:
            ask(ProblemsDialog(self._window, Path(source).name, error.problems))
        except OSError as error:
            tell(self._window, "This file cannot be read", str(error))
        return None

    def _open_run(self, path: Path) -> bool:
        """Opens a run with all its branches, and stands at its end."""
        found = self._read_run(path, f"Opening {path.stem}…")
        if found is None or not self.may_leave():
            return False
        run, folder = found
        self._document.show_unnamed(run.scene, path.stem)
        self._keep(run, folder)
        self.scene_wanted.emit()
        remember_file(path)
        return True

    def _read_run(self, path: Path, text: str) -> tuple[Run, TemporaryDirectory[str]] | None:
        """A run from a file, and where its files lie; None if it was called off, or cannot be read, which is told."""
        folder, progress = TemporaryDirectory(prefix="carom-"), Progress()

        def work() -> Run:
            run = open_run(path, Path(folder.name), progress.tell)
            self._viewport.prepare(run.scene)
            return run

        try:
            run = wait_for(self._window, text, work, progress)
        except SceneError as error:
            ask(ProblemsDialog(self._window, path.name, error.problems))
            return None
        except (OSError, ValueError) as error:
            tell(self._window, "This run cannot be read", str(error))
            return None
        return None if run is None else (run, folder)

    def _keep(self, run: Run, folder: TemporaryDirectory[str]) -> None:
        """Lets a run go on that is shown now, and keeps its files while it is open: those of the one before go."""
        self._simulation.adopt(run.lines)
        self._folder_of_run = folder

    def restore(self, leftover: Leftover) -> bool:
        """Opens unsaved work of a run that ended badly, as it was edited and as far as it ran. Whether it is open."""
        text = f"Bringing {leftover.title} back…"
        found = None if leftover.run is None else self._read_run(leftover.run, text)
        run = None if found is None else found[0]
        try:
            work = wait_for(self._window, text, lambda: _read_work(leftover))
        except (OSError, SceneError) as error:
            place = f"The files that it names are looked for in {leftover.folder or leftover.own_folder}."
            stays = f"It stays in {leftover.stored}, and is offered again at the next start."
            tell(self._window, "This work cannot be restored", f"{error}\n\n{place}\n\n{stays}")
            return False
        if work is None:
            return False
        scene, self._folder_of_work = work
        if run is not None and (scene is None or not edits.same_physics(run.scene, scene)):
            scene = run.scene  # edited, and run, after the copy of the scene was made
            at_home = scene.model_copy(update={"folder": leftover.folder})
            if leftover.folder is not None and leftover.folder.is_dir() and not missing_files(at_home):
                scene = at_home
        if scene is None:
            return False
        self._document.restore(scene, leftover.path, leftover.name, leftover.modified)
        if found is not None:
            self._keep(*found)
        self.scene_wanted.emit()
        return True

    def save_run(self) -> None:
        """The run with all its branches in one file. It is run again for that, which can be called off."""
        self._playback.pause()
        proposal = self._folder() / f"{self._document.name}{SUFFIX}"
        path = ask_where(self._window, "Save the run", proposal, RUN_FILTER)
        if path is None:
            return
        progress = Progress()
        try:
            saved = wait_for(self._window, f"Saving {path.stem}…", lambda: self._write_run(path, progress), progress)
        except (OSError, SceneError, ValueError, RuntimeError, queue.Empty) as error:
            tell(self._window, "The run was not saved", _reason(error, path) or "the simulation does not answer")
            return
        if saved is None:
            self.said.emit("The run was not saved")
            return
        settings().setValue("folder", str(path.parent))
        remember_file(path)
        self.said.emit(f"Saved {path}")

    def _write_run(self, path: Path, progress: Progress) -> bool:
        scene, ways = self._simulation.ways()
        if scene is None:
            raise ValueError("nothing runs yet: the engine is still being compiled")
        now = self._document.scene
        if edits.same_physics(scene, now):  # names and looks of now
            scene, ways = now, [renamed(way, scene, now) for way in ways]
        save_run(scene, ways, path, progress.tell)
        return True

    def _ask_trust(self, scene: Scene) -> bool:
        """Asks about the Python of a scene that nobody has trusted yet. Whether it may run now that did not before."""
        files = untrusted(python_files(scene))
        if not files or not ask_trust(self._window, files):
            return False
        trust(files)
        return True

    def trust_scene(self) -> None:
        """Asks again about the scene that is open, and begins it anew if its controllers may run."""
        if self._ask_trust(self._document.scene):
            self._playback.load_again()

    def import_model(self) -> None:
        """Asks for a robot's file, shows what becomes of it, and opens that as a scene that is not saved yet."""
        if "narrow" not in compiling().ready:
            self.said.emit("The engine is still being compiled: a robot can be imported when that is done")
            return
        name, _ = QFileDialog.getOpenFileName(self._window, "Import a robot", str(self._folder()), MODEL_FILTER)
        if name:
            self.import_path(Path(name))

    def import_path(self, path: Path) -> None:
        """Shows what becomes of a robot's file, and opens it if that is wanted."""
        try:
            dialog = ImportDialog(self._window, path)
        except SceneError as error:
            ask(ProblemsDialog(self._window, path.name, error.problems))
            return
        if ask(dialog) and dialog.imported is not None and self.may_leave():
            self._document.restore(dialog.imported.scene, None, path.stem)
            self.scene_wanted.emit()

    def show_gallery(self) -> None:
        self.gallery_wanted.emit()

    def save(self) -> bool:
        """Whether all is saved: False if the person thought better of it or it could not be written."""
        path = self._document.path
        return self.save_as() if path is None else self._write(path)

    def save_as(self) -> bool:
        proposal = self._document.path or self._folder() / f"{self._document.name}.toml"
        path = ask_where(self._window, "Save the scene", proposal, SCENE_FILTER)
        if path is None:
            return False
        settings().setValue("folder", str(path.parent))
        return self._write(path)

    def _write(self, path: Path) -> bool:
        scene = self._document.scene
        try:
            saved = wait_for(self._window, f"Saving {path.stem}…", lambda: save_scene(scene, path))
        except (OSError, SceneError) as error:
            tell(self._window, "The scene was not saved", _reason(error, path))
            return False
        if saved is None:
            self.said.emit("The scene was not saved")
            return False
        self._document.belong_to(saved, path, scene)
        self.said.emit(f"Saved {self._document.path}")
        if missing := missing_files(saved):
            names = ", ".join(f"“{name}”" for name in missing)
            text = f"The scene is saved, but it cannot be opened again without {names} in {path.resolve().parent}."
            tell(self._window, "A file that this scene needs is gone", text)
        return not self._document.is_modified

    def may_leave(self) -> bool:
        """Asks about unsaved changes, what is being typed among them, and saves them if wanted. False: stay."""
        if not self._is_edited():
            return True
        answer = ask_unsaved(self._window, self._document.title)
        return self.save() if answer == "save" else answer == "discard"

    def _is_edited(self) -> bool:
        """Whether there is anything to be saved, what is being typed among it."""
        take_typed(self._window)
        return self._document.is_modified

    def record(self) -> None:
        """Opens the record dialog on the scene as it is now."""
        if not compiling().can_run(self._document.scene):
            self.said.emit("The engine is still being compiled: a video can be recorded when the scene can move")
            return
        self._playback.pause()
        frame = self._playback.frame
        shown = 0.0 if frame is None else round(frame.time, 2)
        span = (0.0, self._document.scene.world.until or shown or 3.0)
        if frame is not None and frame.loop is not None:
            span = round(frame.loop[0], 3), round(frame.loop[1], 3)
        out = _unused(self._movies() / f"{self._document.name}.mp4")
        seen = 0.0 if frame is None else frame.end
        dialog = RecordDialog(
            self._window,
            self._document.scene,
            self._viewport.camera,
            span,
            out,
            self._simulation.inputs,
            seen,
            self._overlays.on,
        )
        dialog.open()

    def screenshot(self) -> None:
        proposal = self._movies() / f"{self._document.name}.png"
        path = ask_where(self._window, "Save a picture", proposal, PICTURE_FILTER)
        if path is None:
            return
        try:
            self._viewport.screenshot(path)
        except (OSError, RuntimeError) as error:
            tell(self._window, "The picture was not saved", _reason(error, path))
        else:
            self.said.emit(f"Saved {path}")

    def quit(self) -> None:
        """Asks before the window closes: while one closes, Qt lets the frame's button close it past the question."""
        if self.may_leave():
            self._document.give_up()
            self._window.close()

    def _folder(self) -> Path:
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        places = (read_setting("folder", str, ""), documents)
        return next((Path(place) for place in places if os.path.isdir(place)), Path.home())

    def _movies(self) -> Path:
        if self._document.path is not None:
            return self._document.path.parent
        movies = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.MoviesLocation))
        return movies if movies.is_dir() else self._folder()


def _reason(error: Exception, path: Path) -> str:
    """Why a file could not be written."""
    if isinstance(error, OSError) and error.strerror:
        return f"{path} cannot be written: {error.strerror}"
    return str(error)


def _unused(path: Path) -> Path:
    """This path, or the first of "coins 2.mp4", "coins 3.mp4" ... at which there is nothing yet."""
    others = (path.with_stem(f"{path.stem} {number}") for number in count(2))
    return path if not path.exists() else next(other for other in others if not other.exists())


def _read_work(leftover: Leftover) -> tuple[Scene | None, TemporaryDirectory[str] | None]:
    """Its scene, and the folder of its files where the only copies of them would go with the leftover."""
    scene = leftover.read()
    if scene is None or scene.folder != leftover.own_folder:
        return scene, None
    folder = TemporaryDirectory(prefix="carom-")
    shutil.copytree(leftover.own_folder, folder.name, dirs_exist_ok=True)
    return scene.model_copy(update={"folder": Path(folder.name)}), folder
