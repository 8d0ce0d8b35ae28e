"""The help: every key and every gesture of the mouse, from the table of actions."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from app.actions.action import MENUS
from app.actions.table import ACTIONS, MOUSE
from app.view.commands.action_set import keys_text
from app.view.layouts import caption, hbox, heading, vbox
from app.view.theme import colours

_COLUMNS = (("File", "Edit"), ("Simulation", "Add", "Overlays", "Analyse"), ("View", "Help", "Mouse"))


class HelpOverlay(QFrame):
    """All keys on one sheet. Any key or click puts it away."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setObjectName("help")
        c = colours()
        self.setStyleSheet(
            f"#help {{ background: {c.panel}; border: 1px solid {c.border}; }}"
            f"QLabel#key {{ color: {c.accent}; }} QLabel#name {{ color: {c.text}; }}"
        )
        sections = hbox(None, *(vbox(None, *map(_section, names), None, spacing=16) for names in _COLUMNS), spacing=44)
        foot = caption("Anything else is found by its name: Ctrl+Shift+P.")
        vbox(self, heading("Keys and mouse", 1.5), sections, foot, margins=(30, 24, 30, 22), spacing=16)

    def open_over(self, window: QWidget) -> None:
        """Shows it in the middle of `window`."""
        self.adjustSize()
        x, y = (window.width() - self.width()) // 2, (window.height() - self.height()) // 2
        self.move(window.mapToGlobal(QPoint(max(0, x), max(0, y))))
        self.show()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
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


assert set(MENUS) | {"Mouse"} == {name for names in _COLUMNS for name in names}, "every menu has its place in the help"
