"""What the panels of plots have in common."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent, QShowEvent
from PyQt6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from app.simulation.messages import Batch, Frame
from app.view.plots.chart import Chart
from app.view.theme import Colours
from engine.scene.schema import Scene


class Panel(QWidget):
    """One or more charts, side by side where there is room, one above the other where the panel is tall.

    It is fed every batch, in order, and told when a run starts; it draws on `refresh`.
    """

    hovered = pyqtSignal(object)
    clicked = pyqtSignal(float)  # a time, to go there [s]
    span_chosen = pyqtSignal(float)
    cleared = pyqtSignal()

    def __init__(self, charts: Sequence[Chart], parent: QWidget | None = None, stretch: Sequence[int] = (1,)) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.charts = list(charts)
        self._now = 0.0
        self._cursor: float | None = None
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        for chart, factor in zip(self.charts, stretch):
            self._box.addWidget(chart, factor)
            self.adopt(chart)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def adopt(self, chart: Chart) -> None:
        """Pass on what a chart says."""
        chart.hovered.connect(self.hovered)
        chart.clicked.connect(self.clicked)
        chart.span_chosen.connect(self.span_chosen)
        chart.cleared.connect(self.cleared)
        chart.show_cursor(self._cursor)

    # To be said by each panel

    def feed(self, batch: Batch) -> None:
        """Take in what happened."""
        raise NotImplementedError

    def start_run(self) -> None:
        """Forget everything: time starts anew."""
        raise NotImplementedError

    def begin_at(self, time: float) -> None:
        """The first thing known of a run is at `time` [s]."""

    def cut(self, time: float) -> None:
        """Forget everything from `time` [s] on."""
        raise NotImplementedError

    def clear(self, time: float) -> None:
        """Forget everything; the run goes on at `time` [s]."""
        self.start_run()
        self.begin_at(time)

    def set_pinned(self, scene: Scene | None) -> None:
        """A run of this scene has been pinned, or none is any more: nothing is known of it yet."""

    def feed_pinned(self, batch: Batch) -> None:
        """Take in what happened in the run that is pinned."""

    def show_instant(self, frame: Frame) -> None:
        """Read the charts out as it is where the world stands, which may be between two samples."""

    # Common

    def refresh(self, now: float) -> None:
        self._now = now
        for chart in self.charts:
            chart.refresh(now)

    def redraw(self) -> None:
        self.refresh(self._now)

    def show_cursor(self, time: float | None) -> None:
        self._cursor = time
        for chart in self.charts:
            chart.show_cursor(time)

    def follow(self, span: float) -> None:
        for chart in self.charts:
            chart.follow(span)

    def set_colours(self, palette: Colours) -> None:
        for chart in self.charts:
            chart.set_colours(palette)
        self.redraw()

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self.redraw()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        tall = self.height() > 1.2 * self.width()
        self._box.setDirection(QBoxLayout.Direction.TopToBottom if tall else QBoxLayout.Direction.LeftToRight)
        super().resizeEvent(event)
