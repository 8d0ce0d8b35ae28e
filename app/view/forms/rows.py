"""The rows of a form: a name, an editor, and underneath what is wrong with what was typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QKeyEvent, QPalette, QResizeEvent
from PyQt6.QtWidgets import (
    QColorDialog,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from app.view.forms.numbers import MIXED, Mixed, NumberBox, ScrubLabel, VectorBox, mark_invalid
from app.view.layouts import TextLine, caption, hbox, vbox
from app.view.theme import colours, icon, scaled_font
from app.view.units import unit_text

NAME_WIDTH = 92
_INSET = 4  # of a text in its box of choices [px]
_NARROW = 76  # width that a box of choices asks for [px]


class TextBox(QLineEdit):
    """A line of text that is committed by Enter or by leaving it."""

    committed = pyqtSignal(object, object)
    rejected = pyqtSignal(str)

    def __init__(self, hint: str = "") -> None:
        super().__init__()
        self._value = ""
        self.setPlaceholderText(hint)
        self.editingFinished.connect(self.commit_text)

    def drop_text(self) -> None:
        """Forgets that anything was typed."""
        self.setModified(False)

    def commit_text(self) -> None:
        """Takes what was typed, if anything was."""
        if self.isModified():
            self.setModified(False)
            self.committed.emit(self.text(), None)

    def set_value(self, value: object) -> None:
        """Shows a text; what is being typed is not disturbed. What was wrong before is so no more."""
        self._value = "" if value is None else str(value)
        if self.property("invalid"):
            self.set_invalid(False)
            self.rejected.emit("")
        if not (self.hasFocus() and self.isModified()):
            self.setText(self._value)
            self.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Esc goes back to what was there."""
        if event is not None and event.key() == Qt.Key.Key_Escape and self.text() != self._value:
            self.setModified(False)
            self.set_invalid(False)
            self.rejected.emit("")
            self.set_value(self._value)
        else:
            super().keyPressEvent(event)

    def set_invalid(self, invalid: bool) -> None:
        """Marks the box as holding something that cannot be."""
        mark_invalid(self, invalid)


class ChoiceBox(QComboBox):
    """One of a few values, each with a text."""

    committed = pyqtSignal(object, object)
    rejected = pyqtSignal(str)

    def __init__(self, choices: Sequence[tuple[object, str]]) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for value, text in choices:
            self.addItem(text, value)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(self._choose)
        self._opened = self._invalid = False

    def sizeHint(self) -> QSize:
        """As narrow as a few letters: a policy that says so would make the list that opens at once, for 5 ms a page."""
        hint = super().sizeHint()
        return QSize(min(hint.width(), _NARROW), hint.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def full_width(self) -> int:
        """What it needs to show its text whole [px]."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self.fontMetrics().horizontalAdvance(option.currentText) + _INSET + self.width() - self._room(option)

    def _room(self, option: QStyleOptionComboBox) -> int:
        """For a text [px]."""
        kind, part, style = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField, self.style()
        return self.width() if style is None else style.subControlRect(kind, option, part, self).width()

    def paintEvent(self, _event: object) -> None:
        """What has no room ends in an ellipsis."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0:
            option.palette.setBrush(QPalette.ColorRole.ButtonText, option.palette.placeholderText())
            option.currentText = self.placeholderText()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        end, room = Qt.TextElideMode.ElideRight, self._room(option) - _INSET
        option.currentText = self.fontMetrics().elidedText(option.currentText, end, room)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def showPopup(self) -> None:
        self._opened = True
        super().showPopup()

    def _choose(self, row: int) -> None:
        if self._opened:  # what is chosen from the list is done with: the keys are the window's again
            self._opened = False
            self.clearFocus()
        self.committed.emit(self.itemData(row), None)

    def wheelEvent(self, event: object) -> None:
        """A wheel over a form scrolls the form; it changes no value by accident."""
        event.ignore()  # type: ignore[attr-defined]

    def set_value(self, value: object) -> None:
        """Shows a value; one that is not offered is added. What was wrong before is so no more."""
        if self._invalid:
            self.set_invalid(False)
            self.rejected.emit("")
        if value is MIXED:
            self.setPlaceholderText(MIXED.value)
            self.setCurrentIndex(-1)
            return
        row = next((row for row in range(self.count()) if self.itemData(row) == value), -1)
        if row < 0:
            self.addItem(str(value), value)
            row = self.count() - 1
        self.setCurrentIndex(row)

    def set_invalid(self, invalid: bool) -> None:
        """A choice is always one of those offered; nothing to mark."""
        self._invalid = invalid


class ColourBox(QWidget):
    """A colour, or none: then `automatic` says where it comes from."""

    committed = pyqtSignal(object, object)
    rejected = pyqtSignal(str)

    def __init__(self, automatic: str = "automatic") -> None:
        super().__init__()
        self._value: str | None = None
        self._automatic = automatic
        self._button = QPushButton()
        self._button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._button.clicked.connect(self._choose)
        self._clear = QToolButton()
        self._clear.setIcon(icon("mdi6.close", colours().muted))
        self._clear.setToolTip(f"Back to {automatic}")
        self._clear.clicked.connect(lambda: self.committed.emit(None, None))
        hbox(self, (self._button, 1), self._clear, spacing=4)
        self.set_value(None)

    def set_value(self, value: object) -> None:
        """Shows a colour "#rrggbb", or None."""
        self._value = None if value is None or isinstance(value, Mixed) else str(value)
        self._clear.setVisible(value is not None)
        if self._value is None:
            self._button.setText(self._automatic if value is None else MIXED.value)
            self._button.setStyleSheet(f"color: {colours().muted}; padding: 3px 6px; text-align: left;")
            return
        dark = QColor(self._value).lightnessF() < 0.55
        self._button.setText(self._value)
        self._button.setStyleSheet(
            f"background: {self._value}; color: {'white' if dark else 'black'}; padding: 3px 6px; text-align: left;"
        )

    def _choose(self) -> None:
        start = QColor(self._value or colours().accent)
        chosen = QColorDialog.getColor(start, self.window(), "Colour")
        if chosen.isValid():
            self.committed.emit(chosen.name(), None)

    def set_invalid(self, invalid: bool) -> None:
        """The dialog gives valid colours only; nothing to mark."""


Editor = NumberBox | VectorBox | TextBox | ChoiceBox | ColourBox


class Form(QWidget):
    """A column of rows under a heading that folds them away."""

    def __init__(self, title: str, folded: bool = False) -> None:
        super().__init__()
        self._head = QToolButton()
        self._head.setText(title)
        self._head.setFont(scaled_font(weight=QFont.Weight.DemiBold))
        self._head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._head.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._head.setObjectName("fold")
        self._head.clicked.connect(lambda: self.set_folded(self._body.isVisible()))
        self._body = QWidget()
        self._grid = QGridLayout(self._body)
        self._grid.setContentsMargins(4, 0, 0, 6)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnMinimumWidth(0, NAME_WIDTH)
        self._grid.setColumnStretch(1, 1)
        self._choices: list[tuple[QWidget, ChoiceBox, int]] = []  # with their names and rows
        vbox(self, self._head, self._body, spacing=2)
        self._head.setVisible(bool(title))
        self.set_folded(folded)

    def set_title(self, title: str) -> None:
        """Another heading."""
        self._head.setText(title)

    @property
    def name_width(self) -> int:
        """What the longest name beside an editor needs [px]."""
        places = (self._grid.getItemPosition(place) for place in range(self._grid.count()))
        names = [place for place, (_row, column, _rows, columns) in enumerate(places) if (column, columns) == (0, 1)]
        items = (self._grid.itemAt(place) for place in names)
        return max((item.sizeHint().width() for item in items if item is not None), default=0)

    def set_name_width(self, width: int) -> None:
        """Lets editors begin there, so that those of several forms stand under each other."""
        self._grid.setColumnMinimumWidth(0, max(width, NAME_WIDTH))
        self._place_choices()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._place_choices()

    def _place_choices(self) -> None:
        """Beside its name, or under it where its text would be cut there."""
        room = self.width() - self._grid.contentsMargins().left() - self._grid.horizontalSpacing()
        room -= self._grid.columnMinimumWidth(0)
        for name, box, row in self._choices:
            under = box.full_width > room
            item = self._grid.itemAtPosition(row + 1, 0)
            if under != (item is not None and item.widget() is box):
                self._place(name, box, row, under)

    def _place(self, name: QWidget, editor: QWidget, row: int, under: bool) -> None:
        self._grid.addWidget(name, row, 0, 1, 2 if under else 1)
        if under:
            self._grid.addWidget(editor, row + 1, 0, 1, 2)
        else:
            self._grid.addWidget(editor, row, 1)

    def set_folded(self, folded: bool) -> None:
        """Hides or shows the rows."""
        self._body.setVisible(not folded)
        self._head.setIcon(icon("mdi6.chevron-right" if folded else "mdi6.chevron-down", colours().muted))

    def add_wide(self, widget: QWidget) -> None:
        """A widget under the editors."""
        row = self._grid.rowCount()
        self._grid.addWidget(QWidget(), row, 0)  # the gap before editors is kept beside a name only
        self._grid.addWidget(widget, row, 1)

    def add_full(self, widget: QWidget) -> None:
        """A widget as wide as the form."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def add_paragraph(self) -> QLabel:
        """A text of several lines that only can be read."""
        text = caption(wrapped=True)
        self.add_full(text)
        return text

    def add_text(self, name: str) -> TextLine:
        """A row whose value only can be read."""
        value = TextLine("–")
        value.setFont(scaled_font(figures=True))
        value.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = self._grid.rowCount()
        self._grid.addWidget(caption(name), row, 0)
        self._grid.addWidget(value, row, 1)
        return value

    def add(
        self, name: str, editor: Editor, apply: Callable[[object, object], str], unit: str = "", hint: str = ""
    ) -> Editor:
        """A row. `apply(value, gesture)` takes what was typed over and returns what is wrong with it, or ""."""
        shown = f"{name} ({unit_text(unit)})" if unit and isinstance(editor, VectorBox) else name
        label = ScrubLabel(shown, editor if isinstance(editor, NumberBox) else None)
        label.setToolTip(hint)
        label.setBuddy(editor)
        error = QLabel()
        error.setObjectName("error")
        error.setWordWrap(True)
        error.hide()
        row = self._grid.rowCount()
        self._place(label, editor, row, isinstance(editor, VectorBox))  # three numbers want the whole width
        if isinstance(editor, ChoiceBox):
            self._choices.append((label, editor, row))
            editor.currentTextChanged.connect(lambda _text: self._place_choices())
        self._grid.addWidget(error, row + 2, 0, 1, 2)

        def show(message: str) -> None:
            error.setText(message)
            error.setVisible(bool(message))
            editor.set_invalid(bool(message))

        editor.committed.connect(lambda value, gesture: show(apply(value, gesture)))
        editor.rejected.connect(show)
        return editor
