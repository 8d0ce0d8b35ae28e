"""A shelf of shapes and materials: a shape is dragged into the picture, a material onto a body; Enter takes either."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Protocol

from PyQt6.QtCore import QEvent, QMimeData, QObject, QPoint, QSize, Qt
from PyQt6.QtGui import QColor, QDropEvent, QIcon, QPainter, QPixmap
from PyQt6.QtWidgets import QListView, QListWidget, QListWidgetItem, QWidget

from app.actions.editing import SHAPES
from app.document.document import Document
from app.document.edits import SHAPE_LABELS
from app.document.stock import STOCK
from app.view.theme import colours, fitted_font, icon, scaled_font, theme
from engine.scene.schema import Material, Scene

MIME = "application/x-carom-shelf"
_WHAT = Qt.ItemDataRole.UserRole
_ICON, _CELL = 26, QSize(80, 66)
_WORD = 62  # [px] of a cell that a word may take: beyond that it would be cut


class Taker(Protocol):
    """Who takes what is dragged from the shelf, or chosen there; at: where in the viewport, None: no place is meant."""

    def take_shape(self, kind: str, at: QPoint | None) -> object: ...
    def take_material(self, name: str, at: QPoint | None) -> object: ...


class Shelf(QListWidget):
    """Shapes that can be added, then the scene's materials and those of the stock."""

    def __init__(self, document: Document, taker: Taker, surface: QWidget) -> None:
        """surface: where things are dropped."""
        super().__init__()
        self._document, self._taker = document, taker
        self._names: tuple[object, ...] = ()
        self.setObjectName("shelf")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setWordWrap(True)
        self.setIconSize(QSize(_ICON, _ICON))
        self.setGridSize(_CELL)
        self.setFont(scaled_font(0.8))
        self.setDragEnabled(True)
        self.itemActivated.connect(self._take)
        document.scene_changed.connect(lambda scene, _what: self._fill(scene))
        theme().changed.connect(self._recolour)  # a method goes with its widget; the theme outlives every window
        self._fill(document.scene)
        self._drops = _Drops(taker, surface)

    def mimeData(self, items: Iterable[QListWidgetItem]) -> QMimeData:
        """What is dragged."""
        data = QMimeData()
        for item in items:
            data.setData(MIME, json.dumps(item.data(_WHAT)).encode())
        return data

    def _take(self, item: QListWidgetItem) -> None:
        take(self._taker, item.data(_WHAT), None)

    def _recolour(self) -> None:
        self._fill(self._document.scene, anew=True)

    def _fill(self, scene: Scene, anew: bool = False) -> None:
        materials = {**{name: one for name, one in STOCK.items() if name not in scene.material}, **scene.material}
        names = tuple((name, one.colour) for name, one in materials.items())
        if names == self._names and not anew:
            return
        self._names = names
        self.clear()
        for kind, symbol in SHAPES.items():
            self._add(SHAPE_LABELS[kind], icon(symbol, colours().text), ("shape", kind), "Drag it into the picture")
        for name in (*scene.material, *(name for name in STOCK if name not in scene.material)):
            self._add(name, _swatch(materials[name]), ("material", name), "Drag it onto a body")

    def _add(self, text: str, symbol: QIcon, what: tuple[str, str], hint: str) -> None:
        item = QListWidgetItem(symbol, text)
        item.setData(_WHAT, list(what))
        item.setToolTip(f"{hint}; Enter does it {'where one looks' if what[0] == 'shape' else 'to what is selected'}")
        item.setFont(fitted_font(scaled_font(0.8), max(text.split(), key=len, default=""), _WORD))
        item.setSizeHint(_CELL)
        item.setTextAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.addItem(item)


class _Drops(QObject):
    """Takes what is dropped on the picture."""

    def __init__(self, taker: Taker, surface: QWidget) -> None:
        super().__init__(surface)
        self._taker = taker
        surface.setAcceptDrops(True)
        surface.installEventFilter(self)

    def eventFilter(self, _watched: QObject | None, event: QEvent | None) -> bool:
        if not isinstance(event, QDropEvent):  # which entering and moving are, too
            return False
        data = event.mimeData()
        if data is None or not data.hasFormat(MIME):
            event.ignore()  # files go on to the window
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            take(self._taker, json.loads(bytes(data.data(MIME).data())), event.position().toPoint())
        return True


def take(taker: Taker, what: list[str], at: QPoint | None) -> None:
    """Hands over what was taken from the shelf."""
    kind, name = what
    if kind == "shape":
        taker.take_shape(name, at)
    else:
        taker.take_material(name, at)


def _swatch(material: Material) -> QIcon:
    picture = QPixmap(_ICON, _ICON)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(colours().muted))
    painter.setBrush(QColor(material.colour or colours().muted))
    painter.drawEllipse(3, 3, _ICON - 6, _ICON - 6)
    painter.end()
    return QIcon(picture)
