"""The gallery: a card for each bundled scene, with its picture, its title and what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PyQt6.QtCore import QPointF, QRect, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PyQt6.QtWidgets import QAbstractButton, QFrame, QGridLayout, QScrollArea, QSizePolicy, QWidget

from app.view.layouts import vbox
from app.view.theme import colours, scaled_font, theme
from engine.resources import assets_dir
from engine.scene.gallery import bundled_scenes
from engine.scene.problems import SceneError
from engine.scene.reading import load_scene

SCHEMES = ("dark", "light")
_TEXT_LINES = 2


@dataclass(frozen=True)
class Entry:
    """What a card shows."""

    name: str  # as `load_scene` takes it
    title: str
    text: str
    look_for: str
    thumbnails: Mapping[str, Path]  # by the scheme of the theme, "dark" and "light"


def thumbnail(name: str, scheme: str) -> Path:
    """Where a card's picture is."""
    return assets_dir() / "thumbnails" / f"{name}_{scheme}.jpg"


@cache
def gallery_entries() -> tuple[Entry, ...]:
    """All bundled scenes, read once. One that cannot be read still has a card, which says so when it is opened."""
    entries = []
    for name, path in bundled_scenes():
        title, text, look_for = name.replace("_", " ").capitalize(), "", ""
        try:
            scene = load_scene(path, overlaps=False)
        except (OSError, SceneError) as error:
            text = str(error).splitlines()[0]
        else:
            title, text = scene.title or title, scene.note.text
            look_for = "\n".join(f"•  {line}" for line in scene.note.look_for)
        pictures = {scheme: path for scheme in SCHEMES if (path := thumbnail(name, scheme)).is_file()}
        entries.append(Entry(name, title, text, look_for, pictures))
    return tuple(entries)


@cache
def picture_of(file: Path | None) -> QPixmap:
    """A card's picture, read when it is first seen; null if there is none."""
    return QPixmap() if file is None else QPixmap(str(file))


class Card(QAbstractButton):
    """One scene of the gallery."""

    def __init__(self, entry: Entry, compact: bool) -> None:
        super().__init__()
        self.entry = entry
        self._compact = compact
        self.setObjectName(f"card_{entry.name}")
        self.setAccessibleName(entry.title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(f"What to look for\n{entry.look_for}" if entry.look_for else entry.title)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(200, self._height(200))

    def minimumSizeHint(self) -> QSize:
        return QSize(150, self._height(150))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.setFixedHeight(self._height(self.width()))

    def _height(self, width: int) -> int:
        title = self._title_metrics().height()
        text = self.fontMetrics().lineSpacing() * (_TEXT_LINES + self._compact)
        return round(width * 9 / 16) + title + text + 30

    def _title_metrics(self) -> QFontMetrics:
        return QFontMetrics(self._title_font())

    def _title_font(self) -> QFont:
        return scaled_font(1.0 if self._compact else 1.15, QFont.Weight.DemiBold)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Enter opens it, as Space does."""
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        c = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        outline = QPainterPath()
        outline.addRoundedRect(area, 8, 8)
        lifted = self.underMouse() or self.hasFocus()
        painter.fillPath(outline, QColor(c.raised if lifted else c.panel))
        painter.save()
        painter.setClipPath(outline)
        picture = QRectF(0, 0, self.width(), round(self.width() * 9 / 16))
        self._paint_picture(painter, picture)
        painter.restore()
        painter.setPen(QPen(QColor(c.accent if lifted else c.border), 1))
        painter.drawPath(outline)
        text = QRect(12, int(picture.height()) + 10, self.width() - 24, 0)
        painter.setFont(self._title_font())
        painter.setPen(QColor(c.text))
        metrics = painter.fontMetrics()
        title = metrics.elidedText(self.entry.title, Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(text.left(), text.top() + metrics.ascent(), title)
        painter.setFont(self.font())
        painter.setPen(QColor(c.muted))
        paint_elided(painter, self.entry.text, text.translated(0, metrics.height() + 4), _TEXT_LINES + self._compact)

    def _paint_picture(self, painter: QPainter, area: QRectF) -> None:
        picture = picture_of(self.entry.thumbnails.get(colours().scheme))
        if not picture.isNull():
            painter.drawPixmap(area, picture, QRectF(picture.rect()))
            return
        c = colours()
        sky = QLinearGradient(area.topLeft(), area.bottomLeft())
        sky.setColorAt(0, QColor(c.scene_top))
        sky.setColorAt(1, QColor(c.scene_bottom))
        painter.fillRect(area, sky)
        painter.setPen(QPen(QColor(c.faint), 1.5))
        ground = area.top() + 0.72 * area.height()
        painter.drawLine(QPointF(area.left(), ground), QPointF(area.right(), ground))
        for at, size, shade in ((0.38, 0.16, c.series[0]), (0.55, 0.22, c.series[1]), (0.68, 0.12, c.series[2])):
            radius = size * area.height()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shade))
            painter.drawEllipse(QPointF(area.left() + at * area.width(), ground - radius), radius, radius)


def paint_elided(painter: QPainter, text: str, area: QRect, lines: int) -> None:
    """Draws `text` broken into at most `lines` lines from the top of `area`; the last one ends in "…"."""
    metrics = painter.fontMetrics()
    layout = QTextLayout(" ".join(text.split()), painter.font())
    layout.setTextOption(QTextOption())
    layout.beginLayout()
    y = area.top()
    for number in range(lines):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(area.width())
        start, length = line.textStart(), line.textLength()
        piece = layout.text()[start : start + length]
        if number == lines - 1:
            piece = metrics.elidedText(layout.text()[start:], Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area.left(), y + metrics.ascent(), piece)
        y += metrics.lineSpacing()
    layout.endLayout()


class GalleryView(QScrollArea):
    """Cards in as many columns as fit. `chosen` carries the name of a scene, `left` is Esc."""

    chosen = pyqtSignal(str)
    left = pyqtSignal()

    def __init__(self, entries: Sequence[Entry], compact: bool = False, head: QWidget | None = None) -> None:
        super().__init__()
        self._cards = [Card(entry, compact) for entry in entries]
        self._columns = 0
        self._card_width = 190 if compact else 280
        self._head = head
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._grid = QGridLayout()
        self._grid.setSpacing(10 if compact else 20)
        page, margin = QWidget(), 10 if compact else 40
        margins = (margin, margin if compact else 28, margin, margin)
        vbox(page, *([] if head is None else [head]), self._grid, None, margins=margins, spacing=22)
        self.setWidget(page)
        for card in self._cards:
            card.clicked.connect(lambda _checked=False, name=card.entry.name: self.chosen.emit(name))
        theme().changed.connect(self._recolour)
        self._arrange(1)

    def card(self, name: str) -> Card:
        """The card of a scene; KeyError if there is none."""
        for card in self._cards:
            if card.entry.name == name:
                return card
        raise KeyError(name)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _recolour(self, _colours: object) -> None:
        for card in self._cards:
            card.update()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        viewport = self.viewport()
        width = self.width() if viewport is None else viewport.width()
        self._arrange(max(1, min(4, width // self._card_width)))

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        for old in range(self._columns):
            self._grid.setColumnStretch(old, 0)
        self._columns = columns
        for number, card in enumerate(self._cards):
            self._grid.addWidget(card, number // columns, number % columns, Qt.AlignmentFlag.AlignTop)
        for new in range(columns):
            self._grid.setColumnStretch(new, 1)
