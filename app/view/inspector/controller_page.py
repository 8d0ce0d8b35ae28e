"""The inspector's page for a controller: its Python file, how often it acts, and to what it is applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import QPushButton

from app.document.document import Document
from app.view.forms.numbers import NumberBox
from app.view.forms.rows import ChoiceBox, TextBox
from app.view.inspector.page import Page, attempt
from app.view.layouts import caption
from engine.control.trust import is_trusted
from engine.scene.controllers import Controller
from engine.scene.paths import get_path, rename, set_path
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
        self._add_file()

    @staticmethod
    def signature(document: Document, scene: Scene) -> object:
        return document.focus, is_trusted(_file(scene, document.focus))

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
            self.document.edit(f"rename controller {self._name}", scene)
            self.document.set_focus(f"controller.{new}")

        return attempt(edit)

    def _delete(self) -> None:
        scene = set_path(self.document.scene, f"controller.{self._name}", None)
        self.document.edit(f"delete controller {self._name}", scene)


def _file(scene: Scene, path: str) -> Path:
    said = get_path(scene, path)
    return (scene.folder or Path()) / said.file
