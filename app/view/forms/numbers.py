"""Where numbers are typed: boxes that take arithmetic and units, step by sensible amounts and are scrubbed by mouse."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from enum import Enum

from PyQt6.QtCore import QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PyQt6.QtWidgets import QLabel, QLineEdit, QSizePolicy, QWidget

from app.view.layouts import hbox
from app.view.theme import colours, scaled_font
from app.view.units import load_units, parse_quantity, unit_text


class Mixed(Enum):
    """What an editor of several things shows where their values differ, and gives for what was not touched."""

    MIXED = "mixed"


MIXED = Mixed.MIXED
_FIRST_STEP = {"m": 0.01, "m/s": 0.1, "rad/s": 0.1, "m/s2": 0.1, "kg": 0.1, "kg/m3": 10.0, "deg": 5.0, "rad": 0.05}
_MARK_ROOM = 8  # [px] before and after the letter in front of a number, where it is dragged by
_STEP_WIDTH = 6  # [px] of a drag for a step
_gestures = itertools.count()


def number_text(value: float) -> str:
    """Up to seven digits, without noise: 0.1, 7800, 1e-05."""
    text = f"{value:.7g}"
    return "0" if text == "-0" else text


def mark_invalid(box: QWidget, invalid: bool) -> None:
    """Paints a box as one that holds something that cannot be, or as a good one."""
    box.setProperty("invalid", invalid)
    style = box.style()
    if style is not None:
        style.unpolish(box)
        style.polish(box)


class NumberBox(QLineEdit):
    """One number with its unit. `committed(value, gesture)`: edits of one gesture belong together for undo.

    Up and Down step it (Shift finely, Ctrl coarsely), so does the wheel while it has the focus. Empty means None where
    that is allowed; `automatic` says then what it stands for.
    """

    committed = pyqtSignal(object, object)
    rejected = pyqtSignal(str)

    def __init__(
        self, unit: str = "", optional: bool = False, automatic: str = "", mark: str = "", show_unit: bool = True
    ) -> None:
        super().__init__()
        self._unit, self._optional, self._mark = unit, optional, mark
        self._suffix = unit_text(unit) if show_unit else ""
        self._mark_colour = ""
        self._value: float | None = None
        self._kept: float | None = None  # shown last: what was typed since may be refused
        self._gesture = next(_gestures)
        self._automatic = automatic
        self.mixed = False  # it stands for several numbers that differ
        self.is_held = False  # its name or mark is being dragged
        self.setPlaceholderText(automatic)
        self.setFont(scaled_font(figures=True))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(48)
        metrics = self.fontMetrics()
        self.setTextMargins(
            metrics.horizontalAdvance(mark) + 5 if mark else 0,
            0,
            metrics.horizontalAdvance(self._suffix) + 4 if self._suffix else 0,
            0,
        )
        self.editingFinished.connect(self.commit_text)
        self._scrub = _Scrub(self)
        self.setMouseTracking(bool(mark))

    def set_mark_colour(self, colour: str) -> None:
        """Colour of the letter in front, such as the x of an axis."""
        self._mark_colour = colour
        self.update()

    @property
    def unit(self) -> str:
        """What its number is in."""
        return self._unit

    @property
    def value(self) -> float | None:
        return self._value

    def set_value(self, value: float | Mixed | None) -> None:
        """Shows a value; what is being typed is not disturbed. What was wrong before is so no more."""
        self.mixed = isinstance(value, Mixed)
        self.setPlaceholderText(MIXED.value if self.mixed else self._automatic)
        self._value = self._kept = None if isinstance(value, Mixed) else value
        if self.property("invalid"):
            self.set_invalid(False)
            self.rejected.emit("")
        if not (self.hasFocus() and self.isModified()):
            self._show_value()

    def set_invalid(self, invalid: bool) -> None:
        """Marks the box as holding something that cannot be."""
        if bool(self.property("invalid")) != invalid:
            mark_invalid(self, invalid)

    def begin_gesture(self) -> None:
        """What follows is another step of undo."""
        self._gesture = next(_gestures)

    def step(self, count: float, size: float | None = None) -> None:
        """Changes the number by `count` steps, of a size that fits it if none is given; several numbers stay theirs."""
        if self.mixed:
            return
        value = 0.0 if self._value is None else self._value
        size = size or self.step_size
        self._take(float(f"{value + count * size:.10g}"))

    @property
    def step_size(self) -> float:
        """Of a step from where the number is."""
        value = self._value or 0.0
        if value == 0:
            return _FIRST_STEP.get(self._unit, 0.05)
        return max(10.0 ** (math.floor(math.log10(abs(value))) - 1), 1e-9)

    def _take(self, value: float | None) -> None:
        self._value, self.mixed = value, False
        self._show_value()
        self.committed.emit(value, self._gesture)

    def _show_value(self) -> None:
        self.setText("" if self._value is None else number_text(self._value))
        self.setModified(False)
        self.setCursorPosition(0)

    def drop_text(self) -> None:
        """Forgets that anything was typed."""
        self.setModified(False)

    def commit_text(self) -> None:
        """Takes what was typed, if anything was."""
        if not self.isModified():
            return
        text = self.text().strip()
        self.setModified(False)
        self.begin_gesture()
        if not text and self._optional:
            self._take(None)
            return
        try:
            value = parse_quantity(text, self._unit)
        except ValueError as error:
            self.set_invalid(True)
            self.rejected.emit(str(error))
            return
        self._take(value)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.commit_text()
            self.step((1 if event.key() == Qt.Key.Key_Up else -1) * _factor(event.modifiers()))
        elif event is not None and event.key() == Qt.Key.Key_Escape and (self.isModified() or self.property("invalid")):
            self.set_invalid(False)
            self.rejected.emit("")
            self._value = self._kept
            self._show_value()
        else:
            super().keyPressEvent(event)

    def _is_on_mark(self, at: QPointF) -> bool:
        return bool(self._mark) and at.x() < self.textMargins().left() + _MARK_ROOM

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self._is_on_mark(event.position()) and event.button() == Qt.MouseButton.LeftButton:
            self.commit_text()
            self._scrub.begin(event)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is None or self._scrub.move(event):
            return
        on = self._is_on_mark(event.position())
        self.setCursor(Qt.CursorShape.SizeHorCursor if on else Qt.CursorShape.IBeamCursor)
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._scrub.end()
        super().mouseReleaseEvent(event)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        if event is None or not self.hasFocus():
            if event is not None:
                event.ignore()
            return
        self.step(event.angleDelta().y() / 120 * _factor(event.modifiers()))
        event.accept()

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        self.begin_gesture()
        load_units()
        super().focusInEvent(event)
        if event is not None and event.reason() != Qt.FocusReason.MouseFocusReason:
            self.selectAll()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        super().mouseDoubleClickEvent(event)  # so that a third click selects all, too
        self.selectAll()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(self.font())
        area = self.rect().adjusted(7, 0, -7, 0)
        if self._mark:
            painter.setPen(QColor(self._mark_colour or colours().muted))
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._mark)
        if self._suffix and (self.text() or not self.placeholderText()):
            painter.setPen(QColor(colours().muted))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._suffix)


class VectorBox(QWidget):
    """Three numbers side by side, without their unit, which the row's name says. `committed` carries all three."""

    committed = pyqtSignal(object, object)
    rejected = pyqtSignal(str)

    def __init__(self, unit: str = "", marks: Sequence[str] = ("x", "y", "z")) -> None:
        super().__init__()
        self.boxes = tuple(NumberBox(unit, mark=mark, show_unit=False) for mark in marks)
        for box, colour in zip(self.boxes, colours().axes, strict=False):
            box.set_mark_colour(colour)
            box.setToolTip(unit_text(unit))
            box.committed.connect(self._commit)
            box.rejected.connect(self.rejected)
        hbox(self, *((box, 1) for box in self.boxes), spacing=4)

    @property
    def is_held(self) -> bool:
        return any(box.is_held for box in self.boxes)

    def _commit(self, _value: object, gesture: object) -> None:
        self.committed.emit([MIXED if box.mixed else box.value or 0.0 for box in self.boxes], gesture)

    def set_value(self, values: Sequence[float | Mixed] | Mixed) -> None:
        """Shows three numbers."""
        shown = [values] * len(self.boxes) if isinstance(values, Mixed) else values
        for box, value in zip(self.boxes, shown, strict=True):
            box.set_value(value if isinstance(value, Mixed) else float(value))

    def set_invalid(self, invalid: bool) -> None:
        """Marks all three."""
        for box in self.boxes:
            box.set_invalid(invalid)


class _Scrub:
    """A drag sideways that changes a number, by steps of one size, so that it gets past zero."""

    def __init__(self, box: NumberBox) -> None:
        self._box = box
        self._from: float | None = None
        self._size = 0.0

    def begin(self, event: QMouseEvent) -> None:
        self._box.begin_gesture()
        self._from, self._size = event.globalPosition().x(), self._box.step_size
        self._box.is_held = True

    def move(self, event: QMouseEvent) -> bool:
        """Whether a drag goes on."""
        if self._from is None:
            return False
        steps = int((event.globalPosition().x() - self._from) / _STEP_WIDTH)
        if steps:
            self._from += steps * _STEP_WIDTH
            self._box.step(steps * _factor(event.modifiers()), self._size)
        return True

    def end(self) -> None:
        self._from, self._box.is_held = None, False


class ScrubLabel(QLabel):
    """The name of a number; dragging it sideways changes the number."""

    def __init__(self, text: str, box: NumberBox | None) -> None:
        super().__init__(text)
        self._scrub = None if box is None else _Scrub(box)
        self.setObjectName("caption")
        if box is not None:
            self.setCursor(Qt.CursorShape.SizeHorCursor)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self._scrub is not None and event.button() == Qt.MouseButton.LeftButton:
            self._scrub.begin(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self._scrub is not None:
            self._scrub.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if self._scrub is not None:
            self._scrub.end()


def _factor(modifiers: Qt.KeyboardModifier) -> float:
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return 0.1
    return 10.0 if modifiers & Qt.KeyboardModifier.ControlModifier else 1.0
