"""The question at a start about the work of runs that ended badly: bring one back, discard some, or later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtWidgets import QAbstractItemView, QDialog, QPushButton, QTreeWidget, QTreeWidgetItem, QWidget

from app.document.journal import Leftover
from app.view.layouts import caption, hbox, heading, vbox
from app.view.window.dialogs import ask, ask_discard

_WIDTHS = (270, 110, 130)  # [px] of the columns, but for the last


class RestoreDialog(QDialog):
    """Lists unsaved work. `chosen` is what is to be brought back; all that was not discarded stays where it is."""

    def __init__(self, parent: QWidget, works: Sequence[Leftover], otherwise: str = "") -> None:
        """otherwise: what opens if nothing is brought back."""
        super().__init__(parent)
        self.setObjectName("restore")
        self.setWindowTitle("Unsaved work")
        self.resize(760, 300)
        self.chosen: Leftover | None = None
        self._works = list(works)
        text = "This was not saved. One at a time can be restored; what stays in the list is offered at the next start."
        if otherwise:
            text += f" “{otherwise}” opens if you restore nothing now."
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # both ends of a path tell where it is
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setHeaderLabels(["Scene", "Run", "Kept", "File"])
        for work in works:
            self.table.addTopLevelItem(_row(work))
        for column, width in enumerate(_WIDTHS):
            self.table.setColumnWidth(column, width)
        self.remark = caption(wrapped=True)
        self._discard, later, self._restore = QPushButton("Discard…"), QPushButton("Later"), QPushButton("Restore")
        self._discard.setAutoDefault(False)
        later.setAutoDefault(False)
        later.setToolTip("All of it stays, and is offered again at the next start")
        self._restore.setDefault(True)
        self._discard.clicked.connect(self.discard)
        later.clicked.connect(self.reject)
        self._restore.clicked.connect(self.restore)
        self.table.itemSelectionChanged.connect(self._refresh)
        self.table.itemDoubleClicked.connect(lambda _item: self.restore())
        buttons = hbox(None, self._discard, None, later, self._restore, spacing=8)
        head = heading("Carom did not close as it should the last time", 1.25)
        parts = head, caption(text, wrapped=True), self.table, self.remark, buttons
        vbox(self, *parts, margins=(20, 18, 20, 16), spacing=8)
        self._select_first()

    @property
    def selected(self) -> list[int]:
        """Rows of the works that are selected."""
        return sorted(self.table.indexOfTopLevelItem(item) for item in self.table.selectedItems())

    def restore(self) -> None:
        """Has the work that is selected brought back."""
        if len(self.selected) == 1:
            self.chosen = self._works[self.selected[0]]
            self.accept()

    def discard(self) -> None:
        """Removes the works that are selected for good, if that is meant."""
        rows = self.selected
        if not rows or not ask_discard(self, [self._works[row].words for row in rows]):
            return
        for row in reversed(rows):
            self._works.pop(row).discard()
            self.table.takeTopLevelItem(row)
        if self._works:
            self._select_first()
        else:
            self.reject()

    def _select_first(self) -> None:
        self.table.setCurrentItem(self.table.topLevelItem(0))
        self.table.setFocus()
        self._refresh()

    def _refresh(self) -> None:
        works = [self._works[row] for row in self.selected]
        self._restore.setEnabled(len(works) == 1)
        self._discard.setEnabled(bool(works))
        lost = works[0].lost_run if len(works) == 1 else ""
        self.remark.setText(f"Its run cannot be read, and is given up if the scene is restored: {lost}" if lost else "")


def ask_restore(parent: QWidget, works: Sequence[Leftover], otherwise: str = "") -> Leftover | None:
    """The work that is to be brought back, if any; what a person discards is gone then."""
    dialog = RestoreDialog(parent, works, otherwise)
    ask(dialog)
    return dialog.chosen


def _row(work: Leftover) -> QTreeWidgetItem:
    run = "cannot be read" if work.lost_run else "" if work.run is None else "kept"
    kept = datetime.fromtimestamp(work.time).strftime("%Y-%m-%d %H:%M")
    row = QTreeWidgetItem([work.title, run, kept, "in no file yet" if work.path is None else str(work.path)])
    for column in range(row.columnCount()):
        row.setToolTip(column, row.text(column))
    row.setSizeHint(0, QSize(40, 26))
    return row
