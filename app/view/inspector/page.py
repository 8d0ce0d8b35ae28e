"""What the pages of the inspector have in common: rows that are bound to paths of the scene."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import BaseModel
from PyQt6.QtCore import QPoint, pyqtSignal
from PyQt6.QtWidgets import QApplication, QPushButton, QSizePolicy, QWidget

from app.document.document import Document
from app.simulation.messages import Frame
from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import Editor, Form
from app.view.layouts import hbox, vbox
from engine.scene.paths import get_path, set_path
from engine.scene.problems import SceneError
from engine.scene.schema import Scene

Change = Callable[[list[Any]], list[Any]]
Place = Callable[[str], Callable[[], str]]
"""Where the values of something stand: of a body, `place("mass")()` is "body.NAME.mass"."""

_NOW = "From now on, in the run that you see; the scene stays as it is. Drag the name to tune it while it runs."


class Page(QWidget):
    """A column of forms about one thing. `changed`: a path of the scene that runs, and what is there from now on."""

    changed = pyqtSignal(str, object)
    plot_wanted = pyqtSignal(QPoint)  # a row was right-clicked there

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document
        self._forms: list[Form] = []
        self._refreshers: list[Callable[[Scene], None]] = []
        self._now: list[Callable[[Frame], None]] = []
        self._column = vbox(self, None, margins=(14, 2, 14, 14), spacing=4)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    @staticmethod
    def signature(document: Document, scene: Scene) -> object:
        """Whatever decides which rows there are."""
        raise NotImplementedError

    def heading(self, scene: Scene) -> str:
        """Name of the thing."""
        raise NotImplementedError

    def caption(self, scene: Scene) -> str:
        """What kind of thing it is."""
        raise NotImplementedError

    def refresh(self, scene: Scene) -> None:
        """Shows the values of `scene`."""
        for refresher in self._refreshers:
            refresher(scene)

    def form(self, title: str, folded: bool = False) -> Form:
        """A new form under the others."""
        form = Form(title, folded)
        self._forms.append(form)
        self._column.insertWidget(self._column.count() - 1, form)
        return form

    def align(self) -> None:
        """Lets the editors of all forms begin at the same place."""
        width = max((form.name_width for form in self._forms), default=0)
        for form in self._forms:
            form.set_name_width(width)

    def on_refresh(self, refresher: Callable[[Scene], None]) -> None:
        """Calls `refresher` with the scene whenever values are to be shown."""
        self._refreshers.append(refresher)

    def show_live(self, frame: Frame) -> None:
        """Shows what holds in the run now."""
        for show in self._now:
            show(frame)

    def add_now(
        self,
        form: Form,
        name: str,
        editor: Editor,
        path: str,
        unit: str = "",
        read: Callable[[Frame], object] | None = None,
    ) -> None:
        """A row for what holds at a path in the run that is seen; what is typed there changes it from now on.

        read: where a frame says it; without, it is what was changed last, else what the scene says.
        """

        def apply(value: object, _gesture: object) -> str:
            if value is None:
                return "a number is needed here"
            problem = attempt(lambda: set_path(self.document.scene, path, value))
            if not problem:
                self.changed.emit(path, value)
            return problem

        def show(frame: Frame) -> None:
            held = isinstance(editor, (NumberBox, VectorBox)) and editor.is_held
            if held or editor.isAncestorOf(QApplication.focusWidget() or self) or editor.hasFocus():
                return
            if read is not None:
                editor.set_value(read(frame))  # type: ignore[arg-type]
                return
            told = dict(frame.changes).get(path)
            value = get_path(self.document.scene, path) if told is None else told if len(told) > 1 else told[0]
            editor.set_value(value)  # type: ignore[arg-type]

        form.add(name, editor, apply, unit, _NOW)
        editor.setObjectName(f"{name} now")
        editor.setAccessibleName(f"{name} now")
        self._now.append(show)

    def bind(
        self,
        form: Form,
        name: str,
        editor: Editor,
        path: Callable[[], str],
        unit: str = "",
        hint: str = "",
        read: Callable[[Scene], object] | None = None,
        write: Callable[[object], object] | None = None,
        what: str = "",
    ) -> Editor:
        """A row for the value at `path()`; `read` and `write` translate where the editor shows it differently."""

        def reader(scene: Scene) -> object:
            return get_path(scene, path()) if read is None else read(scene)

        def apply(value: object, gesture: object) -> str:
            place = path()
            text = what or f"change {name.strip().lower()} of {self.subject(place)}"
            key = None if gesture is None else (place, gesture)

            def edit() -> None:
                before = self.document.scene
                self.document.edit(text, self.edited(before, path, value, reader, write), merge_key=key)
                if self.document.scene is before:  # nothing came of it, and nobody is told: the row says what holds
                    editor.set_value(self.shown(before, reader))  # type: ignore[arg-type]

            return attempt(edit)

        form.add(name, editor, apply, unit, hint)
        editor.setObjectName(name)
        editor.setAccessibleName(name.strip())
        self.on_refresh(lambda scene: editor.set_value(self.shown(scene, reader)))  # type: ignore[arg-type]
        return editor

    def shown(self, scene: Scene, read: Callable[[Scene], object]) -> object:
        """What a row shows of a scene."""
        return read(scene)

    def edited(
        self,
        scene: Scene,
        path: Callable[[], str],
        value: object,
        read: Callable[[Scene], object],
        write: Callable[[object], object] | None,
    ) -> Scene:
        """The scene with what was typed into a row that shows what `read` says; SceneError if it cannot be."""
        return set_path(scene, path(), value if write is None else write(value))

    def add_list_buttons(self, form: Form, path: Callable[[], str], *buttons: tuple[QPushButton, str, Change]) -> None:
        """A row of buttons that edit the list at `path()`: each with what it does, in words and as a function.

        What is wrong with that is told under them, until the scene is another.
        """
        row = QWidget()
        hbox(row, *(button for button, _what, _change in buttons), spacing=6)
        form.add_full(row)
        problem = form.add_paragraph()
        problem.setObjectName("error")

        def tell(said: str) -> None:
            problem.setText(said)
            problem.setVisible(bool(said))

        def click(what: str, change: Change, _checked: bool = False) -> None:
            tell(self.change_list(what, path, change))

        for button, what, change in buttons:
            button.clicked.connect(partial(click, what, change))
        self.on_refresh(lambda _scene: tell(""))

    def change_list(self, what: str, path: Callable[[], str], change: Change) -> str:
        """Carries out an edit of the list at `path()`; returns what is wrong with it in words, or ""."""

        def read(scene: Scene) -> Any:
            return get_path(scene, path())

        def write(_value: object) -> object:
            return change([_plain(item) for item in read(self.document.scene)])

        scene = self.document.scene
        text = f"{what} of {self.subject(path())}"
        return attempt(lambda: self.document.edit(text, self.edited(scene, path, None, read, write)))

    def subject(self, path: str) -> str:
        """Whom a row's path speaks of, for the name of an undo step."""
        return subject(path)


def _plain(item: object) -> object:
    return item.model_dump(exclude_unset=True) if isinstance(item, BaseModel) else item


def subject(path: str) -> str:
    """Whom a path speaks of, for the name of an undo step."""
    parts = path.split(".")
    return parts[1] if parts[0] in ("body", "material", "camera", "controller") and len(parts) > 1 else "the world"


def attempt(edit: Callable[[], object]) -> str:
    """Carries an edit out; returns what is wrong with it in words, or ""."""
    try:
        edit()
    except SceneError as error:
        return "\n".join(
            f"{problem.message}; right would be: {problem.hint}" if problem.hint else problem.message
            for problem in error.problems
        )
    return ""
