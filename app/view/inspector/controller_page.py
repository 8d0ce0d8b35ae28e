"""The inspector's page for a controller: its Python file, how often it acts, and to what it is applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QPushButton

from app.document.document import Document
from app.view.forms.numbers import NumberBox
from app.view.forms.rows import ChoiceBox, Editor, Form, TextBox
from app.view.inspector.page import Page, attempt
from app.view.layouts import caption
from engine.control.trust import is_trusted
from engine.scene.controllers import Controller
from engine.scene.paths import get_path, parse_value, rename, set_path
from engine.scene.schema import Scene

_RUNS = "Read again whenever it changes, also while the scene runs; what it remembers stays."
_WAITS = "You have not trusted this file, so it does not run. A Python file may do whatever you may."


class ControllerPage(Page):
    """A controller. `trust_wanted` asks for its scene's files to be trusted."""

    trust_wanted = pyqtSignal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._name = document.focus.removeprefix("controller.")
        form = self.form("")
        name = TextBox()
        form.add("Name", name, lambda value, _gesture: self._rename(str(value).strip()))
        name.setObjectName("Name")
        self.on_refresh(lambda _scene: name.set_value(self._name))
        acts = ChoiceBox(((True, "On"), (False, "Off")))
        self.bind(form, "Acts", acts, self._path("enabled"), "", "Whether it runs", what=f"switch {self._name}")
        hint = "Ticks in a second"
        self.bind(form, "Rate", NumberBox("1/s"), self._path("rate"), "1/s", hint, what=f"change rate of {self._name}")
        self._add_names("Joints", "joints")
        self._add_names("Bodies", "bodies")
        self._add_settings()
        self._add_file()

    @staticmethod
    def signature(document: Document, scene: Scene) -> object:
        settings = get_path(scene, document.focus).settings
        kinds = tuple((name, isinstance(value, bool), isinstance(value, str)) for name, value in settings.items())
        return document.focus, is_trusted(_file(scene, document.focus)), kinds

    def heading(self, scene: Scene) -> str:
        return self._name

    def caption(self, scene: Scene) -> str:
        return f"Controller, {self._said(scene).file}"

    def _said(self, scene: Scene) -> Controller:
        said = get_path(scene, f"controller.{self._name}")
        assert isinstance(said, Controller)
        return said

    def _path(self, field: str) -> Callable[[], str]:
        return lambda: f"controller.{self._name}.{field}"

    def _add_names(self, name: str, field: str) -> None:
        """Names with commas between them."""
        form = self.form(name)
        box = TextBox("none")
        hint = f"The {field} that it is applied to, with commas between them"

        def read(scene: Scene) -> object:
            return ", ".join(getattr(self._said(scene), field))

        def write(value: object) -> object:
            return [part.strip() for part in str(value).split(",") if part.strip()]

        what = f"change {field} of {self._name}"
        self.bind(form, name, box, self._path(field), "", hint, read, write, what)

    def _add_settings(self) -> None:
        """A row for each value that the file reads as `self.settings`, and one in which another is typed."""
        form = self.form("Settings")
        for name, value in self._said(self.document.scene).settings.items():
            self._add_setting(form, name, value)
        new = TextBox("name = value")
        new.setObjectName("New setting")
        new.setAccessibleName("New setting")

        def add(text: object, _gesture: object) -> str:
            name, equals, said = (part.strip() for part in str(text).partition("="))
            if not equals or not name:
                return "a setting is written as name = value"
            problem = attempt(lambda: self._set(name, parse_value(said)))
            if not problem:
                new.set_value("")
            return problem

        form.add("Add", new, add, "", "A number, true, false or a text; the file reads it as self.settings[name]")

    def _add_setting(self, form: Form, name: str, value: object) -> None:
        editor: Editor = NumberBox("", True)
        if isinstance(value, bool):
            editor = ChoiceBox(((True, "True"), (False, "False"), (None, "Take it away")))
        elif isinstance(value, str):
            editor = TextBox()
        hint = "The file reads it as self.settings; empty takes it away"
        path = self._path("settings")
        what = f"change {name} of {self._name}"
        self.bind(
            form, name, editor, path, "", hint,
            lambda scene: self._said(scene).settings.get(name), lambda new: self._changed(name, new), what,
        )  # fmt: skip

    def _changed(self, name: str, value: object) -> dict[str, object]:
        """The settings with another value of one; without it, if that is None or an empty text."""
        settings: dict[str, object] = dict(self._said(self.document.scene).settings)
        if value is None or value == "":
            settings.pop(name, None)
        else:
            settings[name] = value
        return settings

    def _set(self, name: str, value: object) -> None:
        what = f"add {name} to {self._name}"
        self.document.set_value(self._path("settings")(), self._changed(name, value), what)

    def _add_file(self) -> None:
        form = self.form("File")
        hint = "A Python file in the scene's folder"
        self.bind(form, "File", TextBox(), self._path("file"), "", hint, what=f"change file of {self._name}")
        path = _file(self.document.scene, self.document.focus)
        trusted = is_trusted(path)
        form.add_full(caption(_RUNS if trusted else _WAITS, wrapped=True))
        opens = QPushButton("Open file")
        opens.setObjectName("Open file")
        opens.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.resolve()))))
        form.add_wide(opens)
        if not trusted:
            trust = QPushButton("Trust and run it…")
            trust.setObjectName("Trust")
            trust.clicked.connect(self.trust_wanted)
            form.add_wide(trust)
        delete = QPushButton("Delete controller")
        delete.setObjectName("Delete controller")
        delete.clicked.connect(self._delete)
        self.form("").add_wide(delete)

    def _rename(self, new: str) -> str:
        def edit() -> None:
            scene = rename(self.document.scene, f"controller.{self._name}", new)
            self.document.edit(f"rename controller {self._name}", scene, focus=f"controller.{new}")

        return attempt(edit)

    def _delete(self) -> None:
        scene = set_path(self.document.scene, f"controller.{self._name}", None)
        self.document.edit(f"delete controller {self._name}", scene)


def _file(scene: Scene, path: str) -> Path:
    said = get_path(scene, path)
    return (scene.folder or Path()) / said.file
