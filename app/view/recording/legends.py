"""The window's legends, painted over the pictures of a video."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QRegion
from PyQt6.QtWidgets import QApplication, QWidget

from app.view.contacts.rows import ContactRows
from app.view.overlays.boxes import BoxLegend
from app.view.overlays.cones import ConeLegend
from app.view.overlays.force_layer import STEP, ForceLegend
from app.view.overlays.pair_legend import PairLegend
from app.view.overlays.paradigm_legend import ParadigmLegend
from app.view.paradigms import PARADIGMS
from app.view.recording.application import image_of, picture_of, scale_of, video_application
from app.view.viewport.offscreen import Picture
from engine.arrays import Floats

_LOWEST = 300  # a picture under so many of the legends' pixels has none: they would hide it
_FORCES = 5  # their colour among the theme's series


class Legends:
    """Cards on a sheet as large as a picture of `size` (width, height). What has been told to a card is seen."""

    def __init__(self, size: tuple[int, int], light: bool) -> None:
        video_application(light)
        self._scale = scale_of(size[0])
        self._sheet = QWidget()
        self._sheet.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._sheet.resize(round(size[0] / self._scale), round(size[1] / self._scale))
        self.forces, self.cones, self.boxes = ForceLegend(self._sheet), ConeLegend(self._sheet), BoxLegend(self._sheet)
        self.pairs, self.paradigms = PairLegend(self._sheet), ParadigmLegend(self._sheet)
        self._sheet.show()

    def show_forces(self, forces: Floats) -> None:
        """Of the forces (k, 3) [N] that are drawn, the largest."""
        largest = float(np.linalg.norm(forces, axis=1).max(initial=0.0))
        self.forces.show_sets({STEP: _FORCES} if len(forces) else {}, largest)

    def show_cones(self, rows: ContactRows, names: Sequence[str]) -> None:
        self.cones.show_most(rows, names)
        self.cones.show()

    def show_paradigms(self, states: NDArray[np.int8]) -> None:
        self.paradigms.show_counts(np.bincount(states, minlength=len(PARADIGMS)).tolist())
        self.paradigms.show()

    def over(self, picture: Picture) -> Picture:
        """A picture (height, width, 3) with what the legends say now."""
        if self._sheet.height() < _LOWEST:
            return picture
        QApplication.processEvents()
        image = image_of(picture)
        image.setDevicePixelRatio(self._scale)
        self._sheet.render(image, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
        return picture_of(image)

    def close(self) -> None:
        """Lets go of the cards."""
        self._sheet.close()
        self._sheet.deleteLater()
