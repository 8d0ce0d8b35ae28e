"""The open scene: a stack of immutable scenes with undo, a selection, a file.

A document never changes a scene; an edit pushes the next one. Everything that shows the scene listens to
`scene_changed` and reads `document.scene`; there is no second model of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QUndoCommand, QUndoStack

from app.document import edits
from app.document.control import NewFile, move_along, trust_copies
from app.document.settings import remember_file
from engine.resources import scenes_dir
from engine.scene.paths import get_path, set_path
from engine.scene.reading import load_scene
from engine.scene.schema import Scene
from engine.scene.writing import save_scene

_MERGEABLE = 1


class _Edit(QUndoCommand):
    """Replaces one scene by the next. Edits of one gesture (same `merge_key`) become one step of undo."""

    def __init__(
        self,
        document: Document,
        text: str,
        after: Scene,
        selection: tuple[str, ...],
        merge_key: object | None,
        file: NewFile | None,
        focus: str | None,
    ) -> None:
        super().__init__(text)
        self._document = document
        self._before, self._after = document.scene, after
        self._selection_before, self._selection_after = document.selection, selection
        self._merge_key, self._file, self._focus_after = merge_key, file, focus
        self._focus_before = None if focus is None else document.focus

    def id(self) -> int:
        return -1 if self._merge_key is None else _MERGEABLE

    def mergeWith(self, other: QUndoCommand | None) -> bool:
        if not isinstance(other, _Edit) or other._merge_key != self._merge_key:
            return False
        self._after, self._selection_after = other._after, other._selection_after
        self._focus_after = other._focus_after
        self.setText(other.text())
        self.setObsolete(self._after == self._before)
        return True

    def redo(self) -> None:
        if self._file is not None:
            with suppress(OSError):  # the scene then says that it is missing
                self._file.put_back()
        self._document._show(self._after, self._selection_after, self.text(), self._focus_after)

    def undo(self) -> None:
        self._document._show(self._before, self._selection_before, f"undo {self.text()}", self._focus_before)
        if self._file is not None:
            self._file.take_away()


def read_scene(source: str | Path) -> Scene:
    """The scene of a file, or a bundled one by its name; SceneError or OSError.

    Bodies may start inside each other, as they may while a scene is edited: such a scene opens, and its world says why
    it cannot run.
    """
    return load_scene(source, overlaps=False)


class Document(QObject):
    """One open scene. `path` is None until it has been saved (a bundled scene is opened as a copy without a file)."""

    scene_changed = pyqtSignal(object, str)  # the scene now, what was done
    selection_changed = pyqtSignal(tuple)  # names of the selected bodies
    focus_changed = pyqtSignal(str)  # what else the inspector shows: "", "world", "pair[0]", "repeat.die"
    file_changed = pyqtSignal()  # path, title or modified state
    opened = pyqtSignal()  # another scene altogether

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = QUndoStack(self)
        self.undo_stack.cleanChanged.connect(self.file_changed)
        self._scene = Scene(format=1)
        self._selection: tuple[str, ...] = ()
        self._focus = ""
        self._path: Path | None = None
        self._name = "untitled"
        self._recovered = False

    # --- reading ------------------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene:
        return self._scene

    @property
    def path(self) -> Path | None:
        return self._path

    @property
    def name(self) -> str:
        """What its file is or would be called, without the ending."""
        return self._path.stem if self._path is not None else self._name

    @property
    def title(self) -> str:
        """What a person calls it: its title, else the name of its file."""
        return self._scene.title or self.name

    @property
    def is_modified(self) -> bool:
        return self._recovered or not self.undo_stack.isClean()

    @property
    def selection(self) -> tuple[str, ...]:
        """Names of the selected bodies, in the order in which they were selected."""
        return self._selection

    @property
    def focus(self) -> str:
        """Path of what else is selected when no body is: "world", "material.wood", "pair[0]", "repeat.die", or ""."""
        return self._focus

    def selected_rows(self) -> list[int]:
        """Rows of the selected bodies, as in `World.poses()`; of all the copies where a repeat is selected."""
        names = set(self._selection)
        if self._focus.startswith("repeat."):
            repeat = get_path(self._scene, self._focus)
            names = {body.name for body in repeat.bodies}
        return [row for row, body in enumerate(self._scene.bodies) if body.name in names]

    def focused_joint(self) -> int:
        """Place in the scene of the joint that the inspector shows; -1: it shows none."""
        names = [f"joint.{joint.name}" for joint in self._scene.joint]
        return names.index(self._focus) if self._focus in names else -1

    def pick(self, row: int) -> None:
        """Selects the body of a row, or the repeat that it comes from; nothing for a row below 0."""
        part, which = self._scene.owner(row) if row >= 0 else ("", 0)
        if part == "repeat":
            self.set_focus(f"repeat.{self._scene.repeat[which].name}")
        else:
            self.select((self._scene.body[which].name,) if part else ())

    # --- selecting ----------------------------------------------------------------------------------------------

    def select(self, names: Iterable[str]) -> None:
        """Selects bodies; names that the scene does not have are left out."""
        known = {body.name for body in self._scene.body}
        self._set_selection(tuple(dict.fromkeys(name for name in names if name in known)))

    def toggle(self, name: str) -> None:
        """Adds a body to the selection, or takes it out."""
        kept = tuple(other for other in self._selection if other != name)
        self.select(kept if name in self._selection else (*self._selection, name))

    def set_focus(self, path: str) -> None:
        """Shows something that is no body in the inspector; no body is selected then."""
        self._look_at((), path)

    def _set_selection(self, names: tuple[str, ...]) -> None:
        self._look_at(names, "" if names else self._focus)

    def _look_at(self, names: tuple[str, ...], focus: str) -> None:
        """Both change before anybody hears of either: whoever shows them builds what is shown once."""
        before = self._selection, self._focus
        self._selection, self._focus = names, focus
        self._tell_of(before)

    def _tell_of(self, before: tuple[tuple[str, ...], str]) -> None:
        if self._selection != before[0]:
            self.selection_changed.emit(self._selection)
        if self._focus != before[1]:
            self.focus_changed.emit(self._focus)

    # --- editing ------------------------------------------------------------------------------------------------

    def edit(
        self,
        text: str,
        scene: Scene,
        selection: Iterable[str] | None = None,
        merge_key: object | None = None,
        file: NewFile | None = None,
        focus: str | None = None,
    ) -> None:
        """Pushes `scene` as the next state. `text` completes "Undo ..."; edits with one `merge_key` are one step.

        A file that was written for it goes with it when it is undone, and comes back. focus: what the inspector shows
        then, in place of bodies.
        """
        if scene == self._scene:
            return
        names = () if focus is not None else self._selection if selection is None else tuple(selection)
        self.undo_stack.push(_Edit(self, text, scene, names, merge_key, file, focus))

    def set_value(self, path: str, value: object, text: str | None = None, merge_key: object | None = None) -> None:
        """Sets one value by its path, such as "body.cue.velocity"; SceneError if it cannot be."""
        self.edit(text or f"change {path}", set_path(self._scene, path, value), merge_key=merge_key)

    def undo(self) -> None:
        self.undo_stack.undo()

    def redo(self) -> None:
        self.undo_stack.redo()

    def _show(self, scene: Scene, selection: tuple[str, ...], what: str, focus: str | None = None) -> None:
        folder = self._scene.folder
        if self._path is not None and folder is not None and scene.folder != folder:  # saved elsewhere since
            scene = move_along(scene, folder)
        self._scene = scene
        before, known = (self._selection, self._focus), {body.name for body in scene.body}
        self._selection = tuple(name for name in selection if name in known)
        if focus is not None:
            self._focus = focus
        elif (self._selection and self._selection != before[0]) or not edits.has_path(scene, self._focus):
            self._focus = ""
        self.scene_changed.emit(scene, what)
        self._tell_of(before)
        self.file_changed.emit()

    # --- files --------------------------------------------------------------------------------------------------

    def new(self) -> None:
        """An empty scene with a ground to stand on."""
        self._open(edits.starter_scene(), None, "untitled")

    def load(self, source: str | Path) -> None:
        """Opens a file or a bundled scene by its name. SceneError or OSError: nothing has changed then."""
        self.show(read_scene(source), source)

    def show(self, scene: Scene, source: str | Path) -> None:
        """Opens a scene that was read from a file, or from a bundled scene by its name."""
        path = Path(source)
        if not path.is_file() or path.resolve().is_relative_to(scenes_dir().resolve()):  # a bundled scene's bare name
            self._open(scene, None, path.stem)
        else:
            self._open(scene, path.resolve(), path.stem)
            remember_file(path)

    def show_unnamed(self, scene: Scene, name: str) -> None:
        """Opens a scene that has no file of its own, such as that of a recording, as it is."""
        self._open(scene, None, name)

    def restore(self, scene: Scene, path: Path | None, name: str, modified: bool = True) -> None:
        """Opens a scene of the journal, or an import; it counts as modified where it is saved in no file."""
        self._open(scene, path, name, recovered=modified)

    def _open(self, scene: Scene, path: Path | None, name: str, recovered: bool = False) -> None:
        self._scene, self._path, self._name, self._recovered = scene, path, name, recovered
        self._focus = ""
        self.undo_stack.clear()
        self._selection = ()
        self.opened.emit()
        self.scene_changed.emit(scene, "open")
        self.selection_changed.emit(())
        self.focus_changed.emit("")
        self.file_changed.emit()

    def save_as(self, path: Path) -> None:
        """Writes to `path` and belongs to it from then on. Mesh files move along into another folder."""
        self.belong_to(save_scene(self._scene, path), path)

    def give_up(self) -> None:
        """What has not been saved is given up: nobody asks about it again."""
        self._recovered = False
        self.undo_stack.setClean()

    def belong_to(self, scene: Scene, path: Path, began: Scene | None = None) -> None:
        """Its scene was saved, and is now this one, of the file at `path`.

        began: the scene when saving began, in another thread; what was edited since stays, and is not saved yet.
        """
        trust_copies(began or self._scene, scene)
        self._path, self._recovered = path.resolve(), False
        if began is None or self._scene is began:
            self._scene = scene
            self.undo_stack.setClean()
        else:
            self._scene = move_along(self._scene, path.parent)
            self.undo_stack.resetClean()
        remember_file(path)
        self.file_changed.emit()
