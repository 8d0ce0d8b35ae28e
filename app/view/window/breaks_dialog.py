"""The list of what a run pauses at: switched on and off, removed, and others added."""

from __future__ import annotations

from typing import NamedTuple

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QWidget

from app.document.copies import names_of
from app.document.document import Document
from app.simulation.breaks import LOOKS, Break, Kind
from app.view.forms.numbers import NumberBox
from app.view.layouts import caption, hbox, vbox
from app.view.theme import colours, theme
from app.view.units import parse_quantity
from app.view.window.beside import BesideDialog
from app.view.window.break_words import UNITS, say_listed, say_of
from app.view.window.playback import Playback

_REFRESH = 100  # [ms]
_HINT = (
    "P adds the first contact of two selected bodies, Shift+P the next switch. Contacts, switches and impulses are met"
    f" at their very instant; forces, gaps and energies are looked at {LOOKS} times in a simulated second, and the run"
    " stands where they were first seen. What was met is off until switched on."
)


class _Choice(NamedTuple):
    """A kind of condition that can be added."""

    text: str
    kind: Kind
    below: bool
    limit: float  # that is proposed, in the unit of its kind


_CHOICES = (
    _Choice("Impulse above", "impulse", False, 1.0),
    _Choice("Held force above", "force", False, 10.0),
    _Choice("Gap below", "gap", True, 0.01),
    _Choice("Energy above", "energy", False, 1.0),
    _Choice("Energy below", "energy", True, 1.0),
)
_ENERGIES = ("kinetic", "potential", "elastic", "total", "dissipated")


class BreaksDialog(BesideDialog):
    """The conditions there are, and a form for others."""

    def __init__(self, parent: QWidget, document: Document, playback: Playback) -> None:
        super().__init__(parent, "Pause when", _REFRESH)
        self.setMinimumWidth(480)
        self._document, self._playback = document, playback
        self._shown: tuple[Break, ...] = ()
        self._texts: list[str] = []
        self.list = QListWidget()
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemChanged.connect(self._switch)
        self.nothing = caption("The run pauses at nothing yet")
        vbox(self.list, None, hbox(None, None, self.nothing, None), None)
        hint = caption(_HINT, wrapped=True)
        vbox(self, (self.list, 1), hint, self._build_form(), self._build_buttons(), margins=(12, 12, 12, 12))
        theme().changed.connect(self._paint_boxes)
        self._paint_boxes()
        playback.breaks_wanted.connect(self.open_beside)

    def _build_form(self) -> QHBoxLayout:
        """What to add: its kind, its limit, and whose."""
        self.kind, self.of = QComboBox(), QComboBox()
        self.limits = [NumberBox(UNITS[choice.kind]) for choice in _CHOICES]  # each keeps what was typed
        for choice, limit in zip(_CHOICES, self.limits, strict=True):
            self.kind.addItem(choice.text)
            limit.set_value(choice.limit)
        self.of.setToolTip("Select one body in the scene, or two, to ask for theirs")
        self.of.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.of.setMinimumContentsLength(12)
        self.kind.currentIndexChanged.connect(lambda _row: self._offer())
        return hbox(None, self.kind, *((limit, 1) for limit in self.limits), (self.of, 2), spacing=8)

    def _build_buttons(self) -> QHBoxLayout:
        self.add, self.remove = QPushButton("Add"), QPushButton("Remove")
        for button, does in ((self.add, self._add), (self.remove, self._remove)):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _checked=False, does=does: does())
        self.remove.setEnabled(False)
        return hbox(None, self.remove, None, self.add)

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

    # --- showing --------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the conditions of the newest frame, and whose there can be, of the bodies that are selected."""
        self._offer()
        frame = self._playback.frame
        breaks = () if frame is None else frame.breaks
        texts = [say_listed(one, self._document.scene) for one in breaks]
        if (breaks, texts) == (self._shown, self._texts):
            return
        row = self.list.currentRow()
        self._shown, self._texts = breaks, texts
        self.list.blockSignals(True)
        self.list.clear()
        for one, text in zip(breaks, texts, strict=True):
            item = QListWidgetItem(text, self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if one.on else Qt.CheckState.Unchecked)
        self.list.setCurrentRow(min(max(row, 0), len(breaks) - 1))
        self.remove.setEnabled(bool(breaks))
        self.nothing.setVisible(not breaks)
        self.list.blockSignals(False)

    def _offer(self) -> None:
        """Whose the chosen kind can be; what was chosen stays where it still can."""
        choice = _CHOICES[self.kind.currentIndex()]
        for place, limit in enumerate(self.limits):
            limit.setVisible(place == self.kind.currentIndex())
        offers = self._offers(choice)
        if [(self.of.itemText(k), self.of.itemData(k)) for k in range(self.of.count())] != offers:
            before = self.of.currentText()
            self.of.clear()
            for text, value in offers:
                self.of.addItem(text, value)
            self.of.setCurrentIndex(max(self.of.findText(before), 0))
        self.add.setEnabled(self.of.currentData() is not None)

    def _offers(self, choice: _Choice) -> list[tuple[str, object]]:
        """Texts, and an energy's name or the rows of bodies; None where it cannot be added."""
        if choice.kind == "energy":
            return [(name, name) for name in _ENERGIES]
        rows = tuple(self._document.selected_rows())
        names = names_of(self._document.scene)
        if choice.kind == "gap":
            two = len(rows) == 2
            return [(say_of(rows, names), rows)] if two else [("select two bodies", None)]
        chosen = [(say_of(rows, names), rows)] if 0 < len(rows) < 3 else []
        return [(say_of((), names), ()), *chosen]

    # --- changing -------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        place = self.kind.currentIndex()
        choice, field, of = _CHOICES[place], self.limits[place], self.of.currentData()
        try:
            limit = parse_quantity(field.text(), field.unit)
        except ValueError:
            field.set_invalid(True)
            return
        field.set_value(limit)
        bodies, energy = ((), of) if choice.kind == "energy" else (tuple(of), "")
        self._playback.add_break(Break(choice.kind, bodies, limit, choice.below, energy))

    def _switch(self, item: QListWidgetItem) -> None:
        self._playback.switch_break(self._shown[self.list.row(item)], item.checkState() == Qt.CheckState.Checked)

    def _remove(self) -> None:
        if 0 <= self.list.currentRow() < len(self._shown):
            self._playback.remove_break(self._shown[self.list.currentRow()])
