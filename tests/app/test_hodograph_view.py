"""The hodograph's marks: rays where there are any, and words where every direction is one."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PyQt6.QtWidgets import QApplication

from app.view.events.hodograph import HodographView
from engine.analysis.hodograph import Hit, trace_hodograph


def shown(qapp: QApplication, k: tuple[float, float, float, float, float, float]) -> HodographView:
    """A hit of restitution 0.9 with a slip of 8 cm/s. k: xx, yy, zz, yz, xz, xy [1/kg]."""
    twists = np.zeros((2, 6))
    hit = Hit(k, (0.05, 0.06, -1.2), (0.0, 0.0, 1.08), (0.0, 0.0, 0.2), 0.06, 0.06, 0.9, twists, twists)
    view = HodographView()
    view.show_path(trace_hodograph(hit))
    return view


def rays_of(view: HodographView) -> int:
    """Lines from the origin, of two points."""
    curves = [item for item in view.plane.getViewBox().addedItems if isinstance(item, pg.PlotDataItem)]
    return sum(len(x) == 2 and x[0] == y[0] == 0.0 for x, y in (item.getData() for item in curves))


def test_between_balls_no_direction_is_special(qapp: QApplication) -> None:
    k = 1.0 / 0.17
    view = shown(qapp, (7.0 * k, 7.0 * k, 2.0 * k, 1e-16, -2e-16, 3e-16))  # as rounding leaves it
    assert rays_of(view) == 0
    assert any("whichever it is" in word for word in view.words())


def test_a_rod_has_rays(qapp: QApplication) -> None:
    view = shown(qapp, (3.0, 5.0, 4.0, 0.6, 0.9, 0.4))
    assert 1 <= rays_of(view) <= 5
    assert not any("whichever it is" in word for word in view.words())
    assert any("sliding keeps its direction" in word for word in view.words())
