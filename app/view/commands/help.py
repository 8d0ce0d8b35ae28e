"""The help: every key and every gesture of the mouse, from the table of actions."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QSize, Qt
from PyQt6.QtGui import QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QWidget

from app.actions.action import MENUS
from app.actions.table import ACTIONS, MOUSE
from app.view.commands.action_set import keys_text
from app.view.layouts import caption, hbox, heading, vbox
from app.view.theme import colours

_COLUMNS = (  # the widest that there is room for
    (("File", "Edit", "Analyse"), ("Simulation", "Overlays"), ("Add", "View", "Help", "Mouse")),
    (("File", "Edit", "Simulation"), ("Add", "Overlays", "Analyse", "View", "Help", "Mouse")),
    (("File", "Edit", "Simulation", "Add", "Overlays", "Analyse", "View", "Help", "Mouse"),),
)
_MARGIN, _BAR = 30, 12  # [px] round the sheet, and for what scrolls it
_SCROLLS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class HelpOverlay(QFrame):
    """All keys on one sheet. Any key or click puts it away, but for those that scroll it on a small screen."""

    def __init__(self, window: QWidget, room: QSize | None = None) -> None:
        """room: that it may take; without, the whole screen."""
        super().__init__(window, Qt.WindowType.Popup)
        self.setObjectName("help")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        c = colours()
        self.setStyleSheet(
            f"#help {{ background: {c.panel}; border: 1px solid {c.border}; }}"
            f"QLabel#key {{ color: {c.accent}; }} QLabel#name {{ color: {c.text}; }}"
        )
        screen = window.screen()
        assert screen is not None, "a window is on a screen"
        self._screen = screen.availableGeometry()
        self._room = room or self._screen.size()
        self.view = QScrollArea()
        self.view.setWidgetResizable(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        sheet = self._widest_sheet()
        self.view.setWidget(sheet)
        foot = caption("Anything else is found by its name: Ctrl+Shift+P.")
        head = heading("Keys and mouse", 1.5)
        vbox(self, head, (self.view, 1), foot, margins=(_MARGIN, 24, _MARGIN, 22), spacing=16)
        around = self.sizeHint() - self.view.sizeHint()
        whole = QSize(sheet.sizeHint().width() + 2 * _MARGIN + _BAR, sheet.sizeHint().height() + around.height())
        self.resize(whole.boundedTo(self._room))

    def _widest_sheet(self) -> QWidget:
        """The sheet of the most columns that fit side by side."""
        for columns in _COLUMNS:
            sheet = QWidget()
            sheet.setObjectName("panel")  # its colour
            hbox(sheet, *(vbox(None, *map(_section, names), None, spacing=16) for names in columns), spacing=44)
            if sheet.sizeHint().width() + 2 * _MARGIN + _BAR <= self._room.width():
                break
        return sheet

    def open_over(self, window: QWidget) -> None:
        """Shows it in the middle of `window`, all of it on the screen."""
        middle, room = window.mapToGlobal(window.rect().center()), self._screen
        x = min(middle.x() - self.width() // 2, room.right() + 1 - self.width())
        y = min(middle.y() - self.height() // 2, room.bottom() + 1 - self.height())
        self.move(QPoint(max(x, room.left()), max(y, room.top())))
        self.show()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        bar = self.view.verticalScrollBar()
        if event is not None and event.key() in _SCROLLS and bar is not None and bar.maximum() > 0:
            bar.event(event)
        else:
            self.close()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        self.close()


def section_rows(name: str) -> list[tuple[str, str]]:
    """Keys and what they do, for a menu or for the mouse."""
    if name == "Mouse":
        return list(MOUSE)
    return [(keys_text(row), row.text.removesuffix("…")) for row in ACTIONS if row.menu == name and row.keys]


def _section(name: str) -> QWidget:
    section = QWidget()
    grid = QGridLayout(section)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(14)
    grid.setVerticalSpacing(3)
    grid.addWidget(heading(name, 1.0), 0, 0, 1, 2)
    for number, (keys, text) in enumerate(section_rows(name), start=1):
        key, what = QLabel(keys), QLabel(text)
        key.setObjectName("key")
        what.setObjectName("name")
        grid.addWidget(key, number, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(what, number, 1)
    grid.setColumnStretch(1, 1)
    return section


_NAMED = {name for column in _COLUMNS[0] for name in column}
assert set(MENUS) | {"Mouse"} == _NAMED, "every menu has its place in the help"
