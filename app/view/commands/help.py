"""The help: every key and every gesture of the mouse, from the table of actions."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QFont, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.actions.action import MENUS
from app.actions.table import ACTIONS, MOUSE
from app.view.commands.action_set import keys_text
from app.view.theme import colours, scaled_font

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
        column = QVBoxLayout(self)
        column.setContentsMargins(30, 24, 30, 22)
        column.setSpacing(16)
        title = QLabel("Keys and mouse")
        title.setFont(scaled_font(1.5, QFont.Weight.DemiBold))
        column.addWidget(title)
        row = QHBoxLayout()
        row.setSpacing(44)
        column.addLayout(row)
        for names in _COLUMNS:
            stack = QVBoxLayout()
            stack.setSpacing(16)
            for name in names:
                stack.addWidget(_section(name))
            stack.addStretch(1)
            row.addLayout(stack)
        foot = QLabel("Anything else is found by its name: Ctrl+Shift+P.")
        foot.setObjectName("caption")
        column.addWidget(foot)

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
    head = QLabel(name)
    head.setFont(scaled_font(1.0, QFont.Weight.DemiBold))
    grid.addWidget(head, 0, 0, 1, 2)
    for number, (keys, text) in enumerate(section_rows(name), start=1):
        key, what = QLabel(keys), QLabel(text)
        key.setObjectName("key")
        what.setObjectName("name")
        grid.addWidget(key, number, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(what, number, 1)
    grid.setColumnStretch(1, 1)
    return section


assert set(MENUS) | {"Mouse"} == {name for names in _COLUMNS for name in names}, "every menu has its place in the help"
