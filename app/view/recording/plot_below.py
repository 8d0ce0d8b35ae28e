"""A plot of the window, painted into the pictures of a video."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication

from app.simulation.ledger import Ledger
from app.simulation.messages import Batch, frozen
from app.simulation.weights import weights_of
from app.view.plots.energy import EnergyPanel
from app.view.plots.forces import ForcePanel
from app.view.plots.panel import Panel
from app.view.recording.application import picture_of, scale_of, video_application
from app.view.theme import colours
from app.view.viewport.offscreen import Picture
from engine.world import World


class PlotBelow:
    """Reads a world whenever a picture is taken."""

    def __init__(self, name: str, size: tuple[int, int], light: bool, start: float, until: float) -> None:
        video_application(light)
        self._size = size
        self._scale = scale_of(size[0])
        self._panel: Panel = EnergyPanel() if name == "energy" else ForcePanel()
        self._panel.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._panel.resize(QSize(round(size[0] / self._scale), round(size[1] / self._scale)))
        self._panel.set_colours(colours())
        if isinstance(self._panel, ForcePanel):
            self._panel.set_selection((), ())
        self._panel.start_run()
        self._panel.begin_at(start)
        self._panel.follow(until - start)
        self._panel.show()
        self._ledger = Ledger()
        self._ledger.start(start)

    def take(self, world: World) -> Picture:
        """The plot (height, width, 3) as it is known now."""
        self._ledger.sample(world, frozen(world.events()), world.contacts())
        told = self._ledger.take()
        if isinstance(self._panel, ForcePanel):
            self._panel.set_weights(weights_of(world))
        if told is not None:
            self._panel.feed(Batch(1, 1, *told))
        self._panel.refresh(world.time)
        QApplication.processEvents()
        width, height = self._size
        image = QImage(width, height, QImage.Format.Format_RGB888)
        image.setDevicePixelRatio(self._scale)
        image.fill(0)
        self._panel.render(image)
        return picture_of(image)
