"""The command palette: everything that Carom can do, found by a few letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PyQt6.QtGui import QColor, QIcon, QKeyEvent, QPainter
from PyQt6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.actions.table import ACTIONS
from app.view.commands.action_set import ActionSet, keys_text
from app.view.layouts import vbox
from app.view.theme import colours

_ID, _KEYS, _MENU = (Qt.ItemDataRole.UserRole + i for i in range(3))


@dataclass(frozen=True)
class Entry:
    """A row of the palette."""

    id: str
    text: str
    menu: str
    keys: str


def score(query: str, text: str) -> float | None:
    """How well `query` matches: lower is better, None is not at all. Its letters must come in this order."""
    query, text = query.lower().replace(" ", ""), text.lower()
    at, total, last = 0, 0.0, -1
    for letter in query:
        found = text.find(letter, at)
        if found < 0:
            return None
        starts_word = found == 0 or text[found - 1] in " :-"
        total += 0.0 if found == last + 1 or starts_word else 1.0 + (found - last) * 0.1
        at, last = found + 1, found
    return total + len(text) * 0.001


def matches(query: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that fit `query`, best first; all of them in their order for an empty one."""
    if not query.strip():
        return list(entries)
    scored = []
    for row, entry in enumerate(entries):
        best = [s for s in (score(query, entry.text), score(query, f"{entry.menu}: {entry.text}")) if s is not None]
        if best:
            scored.append((min(best), row, entry))
    return [entry for _, _, entry in sorted(scored, key=lambda item: item[:2])]


class CommandPalette(QFrame):
    """A box over the window: type, arrows, Enter. It goes away when it loses the focus."""

    def __init__(self, window: QWidget, actions: ActionSet) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setStyleSheet(f"#palette {{ background: {colours().panel}; border: 1px solid {colours().border}; }}")
        self._actions = actions
        self._field = QLineEdit()
        self._field.setObjectName("palette_field")
        self._field.setPlaceholderText("What do you want to do?")
        self._field.setMinimumHeight(32)
        self._list = QListWidget()
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setItemDelegate(_RowPainter(self))
        self._list.setUniformItemSizes(True)
        vbox(self, self._field, self._list, margins=(8, 8, 8, 8))
        self._field.textChanged.connect(self._show)
        self._field.installEventFilter(self)
        self._list.itemClicked.connect(lambda _item: self._start())
        self._entries = [
            Entry(row.id, actions[row.id].text(), row.menu, keys_text(row))
            for row in ACTIONS
            if row.id != "help.palette" and actions[row.id].isEnabled()
        ]
        self._show("")

    def open_over(self, window: QWidget) -> None:
        """Shows it near the top of `window`."""
        width = min(620, window.width() - 40)
        self.resize(width, min(440, window.height() - 120))
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, 80)))
        self.show()
        self._field.setFocus()

    def _show(self, query: str) -> None:
        self._list.clear()
        for entry in matches(query, self._entries):
            item = QListWidgetItem(self._actions[entry.id].icon(), entry.text)
            item.setData(_ID, entry.id)
            item.setData(_KEYS, entry.keys)
            item.setData(_MENU, entry.menu)
            self._list.addItem(item)
        self._list.setCurrentRow(0)

    def _start(self) -> None:
        item = self._list.currentItem()
        self.close()
        if item is not None:
            self._actions.run(item.data(_ID))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._start()
                return True
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
            if event.key() in step:
                row = self._list.currentRow() + step[Qt.Key(event.key())]
                self._list.setCurrentRow(max(0, min(row, self._list.count() - 1)))
                return True
        return super().eventFilter(watched, event)


class _RowPainter(QStyledItemDelegate):
    """Icon and text on the left, menu and keys on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: object) -> QSize:
        return QSize(100, 30)

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: object) -> None:
        if painter is None:
            return
        c = colours()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        area = option.rect.adjusted(2, 1, -2, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setBrush(QColor(c.accent))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(area, 5, 5)
        symbol: QIcon = index.data(Qt.ItemDataRole.DecorationRole)  # type: ignore[attr-defined]
        if symbol is not None and not symbol.isNull():
            mode = QIcon.Mode.Selected if chosen else QIcon.Mode.Normal
            painter.drawPixmap(area.left() + 9, area.center().y() - 8, symbol.pixmap(QSize(18, 18), mode))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(c.accent_text if chosen else c.text))
        text = area.adjusted(36, 0, -10, 0)
        painter.drawText(text, middle | Qt.AlignmentFlag.AlignLeft, index.data())  # type: ignore[attr-defined]
        painter.setPen(QColor(c.accent_text if chosen else c.muted))
        where = index.data(_KEYS) or index.data(_MENU)  # type: ignore[attr-defined]
        painter.drawText(text, middle | Qt.AlignmentFlag.AlignRight, where)
        painter.restore()
