"""Rows of the inspector that can be plotted: they are dragged onto the plots, or right-clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt
from PyQt6.QtGui import QContextMenuEvent, QDrag, QMouseEvent
from PyQt6.QtWidgets import QApplication, QWidget

from app.view.plots.choices import drag_data


class PlotRow(QObject):
    """Watches over the value of a row that shows quantities of a body. show_menu: the menu of all, at a place."""

    def __init__(
        self, row: QWidget, body: str, quantities: Sequence[str], show_menu: Callable[[QPoint], object]
    ) -> None:
        super().__init__(row)
        self._row, self._body, self._quantities, self._show_menu = row, body, tuple(quantities), show_menu
        self._pressed: QPoint | None = None
        row.setCursor(Qt.CursorShape.OpenHandCursor)
        row.setToolTip("Drag it to the Quantities below, or right-click it, to plot it")
        row.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QContextMenuEvent):
            self._show_menu(event.globalPos())
            return True
        if isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton:
            pressed = event.type() == QEvent.Type.MouseButtonPress
            self._pressed = event.position().toPoint() if pressed else None
            return True
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove and self._pressed is not None:
            away = event.position().toPoint() - self._pressed
            if away.manhattanLength() >= QApplication.startDragDistance():
                self._pressed = None
                self.drag().exec(Qt.DropAction.CopyAction)
            return True
        return super().eventFilter(watched, event)

    def drag(self) -> QDrag:
        """What is dragged."""
        drag = QDrag(self._row)
        drag.setMimeData(drag_data("body", [self._body], self._quantities))
        return drag
