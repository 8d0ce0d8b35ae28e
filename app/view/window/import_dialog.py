"""The import dialog: what a robot's file leaves open, and what becomes of all that a scene cannot take from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from app.view.layouts import caption, hbox, heading, vbox
from engine.importing.model_file import Imported, import_model, report_lines
from engine.importing.remarks import Remark
from engine.scene.problems import SceneError

_BASES = (("Floating if it has mass", None), ("Fixed", "fixed"), ("Floating", "floating"))
_GROUNDS = (("If the base floats", None), ("Always", True), ("None", False))
_AXES = (("z", "z"), ("y", "y"), ("x", "x"))


class ImportDialog(QDialog):
    """Shows what a model becomes under the chosen options; `imported` is it, None if it cannot be read so."""

    def __init__(self, parent: QWidget, path: Path) -> None:
        """Raises SceneError if the file cannot be imported at all."""
        super().__init__(parent)
        self.setObjectName("import")
        self.setWindowTitle("Import")
        self.resize(860, 520)
        self._path = path
        self.imported: Imported | None = None
        self.summary = caption(wrapped=True)
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setHeaderLabels(["Line", "Element", "What became of it"])
        self._form = QWidget()
        self._fill_form()
        vbox(self, heading(path.name, 1.25), self.summary, self._form, (self.table, 1), self._buttons(),
             margins=(22, 20, 22, 18), spacing=10)  # fmt: skip
        self._show(self._read())
        self._form.setVisible(path.suffix.lower() == ".urdf")

    def _fill_form(self) -> None:
        form = QFormLayout(self._form)
        form.setContentsMargins(0, 4, 0, 4)
        form.setHorizontalSpacing(14)
        self.base_box, self.ground_box, self.up_box = QComboBox(), QComboBox(), QComboBox()
        for name, box, choices in (
            ("Base", self.base_box, _BASES),
            ("Ground", self.ground_box, _GROUNDS),
            ("Axis that is up", self.up_box, _AXES),
        ):
            for text, value in choices:
                box.addItem(text, value)
            box.setObjectName(name)
            box.currentIndexChanged.connect(lambda _row: self._read_again())
            form.addRow(name, box)

    def _buttons(self) -> QHBoxLayout:
        self.import_button = QPushButton("Import")
        self.import_button.setDefault(True)
        self.import_button.clicked.connect(self.accept)
        cancel, copy = QPushButton("Cancel"), QPushButton("Copy report")
        cancel.clicked.connect(self.reject)
        copy.clicked.connect(self._copy)
        return hbox(None, copy, None, cancel, self.import_button, spacing=8)

    def _read(self) -> Imported:
        return import_model(
            self._path, self.base_box.currentData(), self.ground_box.currentData(), self.up_box.currentData()
        )

    def _read_again(self) -> None:
        try:
            self._show(self._read())
        except SceneError as error:
            self.imported = None
            self.summary.setText(str(error))
            self.table.clear()
            self.import_button.setEnabled(False)

    def _show(self, imported: Imported) -> None:
        self.imported = imported
        count = len(imported.remarks)
        said = "nothing was left out" if count == 0 else f"{count} remark{'s' if count > 1 else ''}"
        scene = imported.scene
        self.summary.setText(f"{len(scene.bodies)} bodies and {len(scene.joint)} joints; {said}.")
        self.table.clear()
        self.table.addTopLevelItems([_row(remark) for remark in imported.remarks])
        self.table.setColumnWidth(0, 64)
        self.table.setColumnWidth(1, 110)
        self.import_button.setEnabled(True)

    def _copy(self) -> None:
        clipboard = QGuiApplication.clipboard()
        remarks: Sequence[Remark] = () if self.imported is None else self.imported.remarks
        if clipboard is not None:
            clipboard.setText("\n".join(report_lines(remarks)))


def _row(remark: Remark) -> QTreeWidgetItem:
    row = QTreeWidgetItem(["" if remark.line is None else str(remark.line), remark.element, remark.message])
    row.setSizeHint(0, QSize(40, 26))
    for column in range(3):
        row.setToolTip(column, f"{remark.file}: {remark.message}")
    return row
