"""The window is composed once for a picture, whatever has changed with it."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.view.layouts import vbox
from app.view.plots.chart import Chart
from app.view.plots.history import History
from app.view.plots.legend import Curve
from app.view.window.composer import Composer


class Compositions(QObject):
    """Counts how often a window is composed: what others keep from it is not."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.count = 0
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        self.count += event is not None and event.type() == QEvent.Type.UpdateRequest
        return False


class Readings:
    """A window with three charts and a label that change together."""

    def __init__(self, qtbot: QtBot, composed: bool) -> None:
        self.window = QWidget()
        self.charts = [Chart("", [Curve("", "m", 0)], History(1)) for _ in range(3)]
        self.label = QLabel("0")
        vbox(self.window, *self.charts, self.label)
        self.seen = Compositions(self.window)
        self.composer = Composer(self.window) if composed else None
        qtbot.addWidget(self.window)
        self.window.resize(400, 500)
        self.window.show()
        qtbot.waitExposed(self.window)

    def change(self, turn: int) -> None:
        time = 0.1 * turn
        for chart in self.charts:
            chart.history.append(np.array([time]), np.array([time]), np.array([[float(turn)]]))
            chart.refresh(time)
        self.label.setText(str(turn))


@pytest.mark.parametrize("composed", [True, False])
def test_plots_and_labels_that_change_together_are_composed_at_once(qtbot: QtBot, composed: bool) -> None:
    readings = Readings(qtbot, composed)
    for turn in range(1, 80):  # so long that the charts move along
        readings.change(turn)
        qtbot.wait(1)
        if turn == 69:
            qtbot.wait(50)
            readings.seen.count = 0
    qtbot.wait(50)
    turns = 10
    if composed:
        assert turns / 2 <= readings.seen.count <= turns
    else:
        assert readings.seen.count > turns  # which is why there is a composer


def test_what_is_composed_has_been_painted(qtbot: QtBot) -> None:
    """Nothing that asks is forgotten, also what asks while the window is composed."""
    readings = Readings(qtbot, composed=True)
    qtbot.wait(50)

    class Restless(QLabel):
        painted = 0

        def paintEvent(self, event: object) -> None:
            super().paintEvent(event)  # type: ignore[arg-type]
            self.painted += 1
            if self.painted < 5:
                self.update()

    restless = Restless("x", readings.window)
    restless.show()
    qtbot.waitUntil(lambda: restless.painted == 5, timeout=2000)
