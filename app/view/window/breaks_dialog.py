"""The list of what a run pauses at: switched on and off, removed, and impulses added."""

from __future__ import annotations

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PyQt6.QtWidgets import QDialog, QDoubleSpinBox, QLabel, QListWidget, QListWidgetItem, QPushButton, QWidget

from app.simulation.breaks import Break
from app.view.layouts import caption, hbox, vbox
from app.view.theme import colours, theme
from app.view.window.playback import Playback

_REFRESH = 100  # [ms]
_HINT = (
    "P adds the first contact of two selected bodies, Shift+P the next switch. What was met is off until switched on."
)


class BreaksDialog(QDialog):
    """Stays open beside the run."""

    def __init__(self, parent: QWidget, playback: Playback) -> None:
        super().__init__(parent)
        self.setWindowTitle("Pause when")
        self.setMinimumWidth(420)
        self._playback = playback
        self._shown: tuple[Break, ...] = ()
        self.list = QListWidget()
        self.list.itemChanged.connect(self._switch)
        self.impulse = QDoubleSpinBox()
        self.impulse.setRange(0.0, 1e9)
        self.impulse.setDecimals(4)
        self.impulse.setValue(1.0)
        self.impulse.setSuffix(" N s")
        self.impulse.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.add = QPushButton("Add")
        self.add.setAutoDefault(False)
        self.add.clicked.connect(lambda: playback.break_at_impulse(self.impulse.value()))
        self.remove = QPushButton("Remove")
        self.remove.setAutoDefault(False)
        self.remove.clicked.connect(self._remove)
        hint = caption(_HINT)
        hint.setWordWrap(True)
        vbox(
            self,
            (self.list, 1),
            hint,
            hbox(None, QLabel("An impulse above"), (self.impulse, 1), self.add, self.remove),
            margins=(12, 12, 12, 12),
        )
        theme().changed.connect(self._paint_boxes)
        self._paint_boxes()
        self._timer = QTimer(self)
        self._timer.setInterval(_REFRESH)
        self._timer.timeout.connect(self.refresh)
        playback.breaks_wanted.connect(self.open_beside)
        self.finished.connect(parent.activateWindow)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Delete:
            self._remove()
        else:
            super().keyPressEvent(event)

    def _paint_boxes(self, _palette: object = None) -> None:
        """Boxes that are seen in both themes, empty ones too: full is on."""
        c = colours()
        self.list.setStyleSheet(
            "QListWidget::indicator { width: 11px; height: 11px; border-radius: 3px;"
            f" border: 1px solid {c.text}; background: transparent; }}"
            f"QListWidget::indicator:checked {{ background: {c.accent}; }}"
            f"QListWidget::item:selected {{ background: {c.raised}; color: {c.text}; }}"
        )

    def open_beside(self) -> None:
        """Show it without holding up the window."""
        self.show()
        self.refresh()
        self.raise_()
        self.activateWindow()

    def refresh(self) -> None:
        """Show the conditions of the newest frame."""
        frame = self._playback.frame
        breaks = () if frame is None else frame.breaks
        if breaks == self._shown:
            return
        row = self.list.currentRow()
        self._shown = breaks
        self.list.blockSignals(True)
        self.list.clear()
        for one in breaks:
            item = QListWidgetItem(one.text, self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if one.on else Qt.CheckState.Unchecked)
        self.list.setCurrentRow(min(max(row, 0), len(breaks) - 1))
        self.list.blockSignals(False)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent | None) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _switch(self, item: QListWidgetItem) -> None:
        self._playback.switch_break(item.text(), item.checkState() == Qt.CheckState.Checked)

    def _remove(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._playback.remove_break(item.text())
