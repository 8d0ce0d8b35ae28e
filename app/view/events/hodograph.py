"""The hodograph of a collision: the path of u, seen along the normal and from the side (Mirtich 1996, 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from app.view.layouts import hbox
from app.view.plots.axes import SiAxis
from app.view.plots.plot import Plot, line_pen
from app.view.theme import Colours, colours
from engine.analysis.hodograph import Hodograph
from engine.arrays import Floats

_SYMBOLS = {"Newton": "t", "Poisson": "s", "Stronge": "o"}
_DASHES = "‑&nbsp;‑"  # that no line ends between
_MOST_RAYS = 4  # across its direction u changes by a sine curve of second degree: more zeros are those of rounding
_ROUNDING = 1e-9  # of the fastest normal velocity: slip below it is no slip
_LAW_COLOURS = {"Newton": 1, "Poisson": 3, "Stronge": 2}


class HodographView(QWidget):
    """Two views of one path: u_t in the tangent plane, with the rays; and u_z over the slip along where it began."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plane, self.side = _plot("slip, u_x and u_y"), _plot("slip and normal velocity u_z")
        self.plane.getViewBox().setAspectLocked(True)
        self._shown: Hodograph | None = None
        self._ends_there = self._is_even = False
        self._rays: tuple[tuple[float, float, bool], ...] = ()
        self.legend_texts: list[str] = []
        hbox(self, (self.plane, 1), (self.side, 1), spacing=6)
        self.set_colours(colours())

    def show_path(self, shown: Hodograph | None, ends_there: bool = False) -> None:
        """Draw a path; None: nothing. ends_there: the impulse of the event has brought u to its end."""
        self._shown, self._ends_there = shown, ends_there
        self._is_even = shown is not None and len(shown.rays) > _MOST_RAYS  # between balls: no direction is special
        self._rays = () if shown is None or self._is_even else shown.rays
        self._draw()

    def set_colours(self, palette: Colours) -> None:
        self._palette = palette
        for plot in (self.plane, self.side):
            plot.setBackground(palette.panel)
            for name in ("left", "bottom"):
                plot.getAxis(name).set_colours(palette, 90)
        self._draw()

    @property
    def drawn(self) -> Floats | None:
        """The points (m, 2) of the path that the tangent plane shows; None: nothing is shown."""
        return None if self._shown is None else self._shown.u[:, :2]

    def _draw(self) -> None:
        c, shown = self._palette, self._shown
        self.plane.clear()
        self.side.clear()
        for plot, title in ((self.plane, "along the normal: u_x, u_y"), (self.side, "from the side: slip, u_z")):
            plot.area.set_title(title, c.muted, "8pt")
        if shown is None:
            return
        slips, fastest = np.linalg.norm(shown.u[: shown.ended, :2], axis=1), float(abs(shown.u[:, 2]).max())
        reach = max(float(slips.max()), _ROUNDING * fastest, 1e-9)
        along = _main_direction(shown.u[:, :2])
        self._draw_rays(shown, reach)
        for plot, flat in ((self.plane, shown.u[:, :2]), (self.side, _from_side(shown.u, along))):
            parts = (
                (0, shown.compressed + 1, c.series[0], Qt.PenStyle.SolidLine),
                (shown.compressed, shown.ended + 1, c.series[5], Qt.PenStyle.SolidLine),
                (shown.ended, len(flat), c.faint, Qt.PenStyle.DotLine),
            )
            for begin, end, ink, style in parts:
                pen = line_pen(self, ink, 2.0, style)
                plot.addItem(pg.PlotDataItem(flat[begin:end], pen=pen, antialias=True))
            _mark(plot, flat[:1], "+", 11, c.text)
            for law, end_of in shown.ends.items():
                point = (np.array(end_of) if plot is self.plane else _from_side(np.array([end_of]), along)[0])[None, :2]
                ink = c.series[_LAW_COLOURS[law]]
                _mark(plot, point, _SYMBOLS[law], 9, ink)
        self.side.addItem(pg.InfiniteLine(pos=0.0, angle=0, pen=line_pen(self, c.border)), ignoreBounds=True)
        self.side.getViewBox().enableAutoRange()
        if slips.max() < reach:  # what rounding leaves is not spread over the whole width
            self.side.setXRange(-reach, reach)
        span = (-1.15 * reach, 1.15 * reach)
        self.plane.getViewBox().setRange(xRange=span, yRange=span, padding=0.0)

    def _draw_rays(self, shown: Hodograph, reach: float) -> None:
        """From the origin: where sliding keeps its direction, and along which friction holds or sliding resumes."""
        c = self._palette
        rays = [(x, y, c.warning if grows else c.muted, Qt.PenStyle.DashLine) for x, y, grows in self._rays]
        size = float(np.hypot(*shown.sticking))
        if size > 1e-12:
            x, y = shown.sticking[0] / size, shown.sticking[1] / size
            rays.append((x, y, c.good if shown.stays else c.error, Qt.PenStyle.SolidLine))
        if shown.diverging is not None:
            rays.append((*shown.diverging, c.error, Qt.PenStyle.DashDotLine))
        for x, y, ink, style in rays:
            line = np.array([[0.0, 0.0], [1.1 * reach * x, 1.1 * reach * y]])
            self.plane.addItem(pg.PlotDataItem(line, pen=line_pen(self, ink, 1.0, style), antialias=True))

    def words(self) -> Sequence[str]:
        """A legend as rich text, one entry a mark that is drawn."""
        c, shown = self._palette, self._shown
        if shown is None:
            return []
        entries = [
            (c.text, "+", "u before"),
            (c.series[0], "—", "compression"),
            (c.series[5], "—", "restitution"),
            *((c.series[_LAW_COLOURS[law]], mark, law) for law, mark in (("Newton", "▽"), ("Poisson", "□"))),
            (c.series[_LAW_COLOURS["Stronge"]], "○", "Stronge: the engine's end" if self._ends_there else "Stronge"),
        ]
        if self._is_even:
            entries.append((c.muted, "", "sliding keeps its direction, whichever it is"))
        if self._rays:
            entries.append((c.muted, _DASHES, "sliding keeps its direction"))
        if any(grows for _, _, grows in self._rays):
            entries.append((c.warning, _DASHES, "and grows"))
        if np.hypot(*shown.sticking) > 1e-12:
            stays = "sticking: the force that holds is in the cone"
            entries.append((c.good, "—", stays) if shown.stays else (c.error, "—", "sticking would take more friction"))
        return [f'<span style="color:{ink}">{mark}</span>&nbsp;{text}' for ink, mark, text in entries]


def _plot(name: str) -> Plot:
    plot = Plot(SiAxis("left", "m/s"), SiAxis("bottom", "m/s"))
    plot.area.margins(0, 2, 26, 0)  # room for half a label at the end
    plot.getAxis("left").setWidth(66)
    plot.setMinimumSize(170, 120)
    plot.setAccessibleName(f"Hodograph: {name}")
    return plot


def _mark(plot: Plot, point: Floats, symbol: str, size: int, ink: str) -> None:
    """A hollow symbol at a point, (1, 2)."""
    pen = line_pen(plot, ink, 2.0)
    plot.addItem(pg.PlotDataItem(point, pen=None, symbol=symbol, symbolSize=size, symbolPen=pen, symbolBrush=None))


def _main_direction(flat: Floats) -> Floats:
    """The direction of the first slip, or of the largest."""
    sizes = np.linalg.norm(flat, axis=1)
    at = 0 if sizes[0] > 1e-6 * sizes.max() else int(sizes.argmax())
    return np.asarray(flat[at] / sizes[at]) if sizes[at] > 0.0 else np.array([1.0, 0.0])


def _from_side(u: Floats, along: Floats) -> Floats:
    return np.stack([u[:, :2] @ along, u[:, 2]], axis=1)
