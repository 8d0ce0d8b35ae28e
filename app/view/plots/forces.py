"""Contact forces, normal and friction apart: of all contacts and of those of the selected bodies.

What forces hold counts as it is read, and hits by their impulses over a window.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.axes import format_si
from app.view.plots.chart import Chart
from app.view.plots.curve_panel import CurvePanel, RunCurves
from app.view.plots.history import Averager, LoadLog, Loads, loads_of
from app.view.plots.legend import Curve
from engine.arrays import Floats
from engine.scene.schema import Scene

WINDOWS = (0.02, 0.001, 0.005, 0.05, 0.1, 0.5)
CURVES = (
    Curve("normal", "N", 0, "Normal forces of all contacts together: held ones, and hits as means over a window"),
    Curve("friction", "N", 1, "Sizes of the friction forces of all contacts together, likewise"),
    Curve("", "N", 2, "Normal forces of the contacts of the selected bodies"),
    Curve("", "N", 3, "Sizes of the friction forces of the contacts of the selected bodies"),
)


class ForceCurves(RunCurves):
    """Windows lie side by side, from whole multiples of their length on; a value holds over its window."""

    def __init__(self, window: float, selected: Iterable[int] = ()) -> None:
        super().__init__(len(CURVES))
        self._log = LoadLog()
        self._averager = Averager(window, len(CURVES))
        self._selected = frozenset(selected)
        self._start = self._until = 0.0

    @property
    def window(self) -> float:
        return self._averager.window

    def feed(self, batch: Batch) -> None:
        loads = loads_of(batch.events, batch.samples, batch.held)
        self._log.append(loads)
        self._until = float(batch.samples["time"][-1]) if len(batch.samples) else self._until
        self._average(loads)

    def _average(self, loads: Loads) -> None:
        impulses = _with_selected(loads.impulses, loads.bodies, self._selected)
        of_each = _with_selected(loads.forces, loads.held, self._selected)
        forces = np.zeros((len(of_each), len(loads.read)))
        for row, sizes in zip(forces, of_each, strict=True):
            row += np.bincount(loads.reading, sizes, minlength=len(row))
        self._averager.fill(self.histories[0], loads.times, impulses, self._until, (loads.read, forces))

    def start_run(self) -> None:
        self._log.clear()
        self._restart(0.0)

    def begin_at(self, time: float) -> None:
        self._start = self._until = time
        self._restart(time)

    def cut(self, time: float) -> None:
        self._log.clear()
        self.histories[0].cut(time, gap=True)  # the window that it falls into
        self._start = self._until = time
        self._averager.start(time)

    def _restart(self, time: float) -> None:
        self.histories[0].clear()
        self._averager.start(time)

    def set_window(self, length: float) -> None:
        """Average over `length` seconds, also what has been seen already."""
        self._averager = Averager(length, len(CURVES))
        self._rebuild()

    def set_selection(self, rows: Iterable[int]) -> None:
        """The bodies whose contacts have curves of their own."""
        self._selected = frozenset(rows)
        self._rebuild()

    def _rebuild(self) -> None:
        """Average anew what is still remembered one by one."""
        self._restart(self._start if self._log.since is None else self._log.since)
        if (loads := self._log.joined()) is not None:
            self._average(loads)


class ForcePanel(CurvePanel[ForceCurves]):
    """Forces of all contacts, and of those of the bodies that are selected, beside what these weigh."""

    def __init__(self, parent: QWidget | None = None) -> None:
        own = ForceCurves(WINDOWS[0])
        self._selected: tuple[int, ...] = ()
        self._chosen: tuple[str, ...] = ()  # names of the selected bodies
        self._pinned_names: tuple[str, ...] = ()  # of all bodies of the pinned run, by row
        self._weights: Floats | None = None
        self._label = ""  # of the selected bodies
        chart = Chart("Contact forces", CURVES, own.histories[0], steps=True, windows=WINDOWS)
        chart.window_chosen.connect(self.set_window)
        super().__init__(own, [chart], parent)
        self._describe_window()

    def curves_of_pinned(self, scene: Scene) -> ForceCurves:
        self._pinned_names = tuple(body.name for body in scene.bodies)
        return ForceCurves(self.own.window, self._rows_of_pinned())

    def _rows_of_pinned(self) -> list[int]:
        """Where the pinned run has the selected bodies, by name."""
        chosen = frozenset(self._chosen)  # of a repeat there may be thousands
        return [row for row, name in enumerate(self._pinned_names) if name in chosen]

    def set_window(self, length: float) -> None:
        """Average over `length` seconds, also what has been seen already."""
        for curves in self.runs:
            curves.set_window(length)
        self.charts[0].window_length = length
        self._describe_window()
        self.redraw()

    def set_selection(self, indices: Sequence[int], names: Sequence[str]) -> None:
        """Also show the contacts of these bodies."""
        self._selected, self._chosen = tuple(indices), tuple(names)
        self._label = label = "" if not names else names[0] if len(names) == 1 else f"{len(names)} bodies"
        for index, part in enumerate(("normal", "friction"), start=2):
            self.charts[0].set_curve_name(index, f"{label}, {part}" if label else "")
        self._show_weight()
        self.own.set_selection(indices)
        if self.pinned is not None:
            self.pinned.set_selection(self._rows_of_pinned())
        self.redraw()

    def set_weights(self, weights: Floats | None) -> None:
        """What each body weighs [N]: the line is at what the selected ones do, or all of them together."""
        self._weights = weights
        self._show_weight()

    def _show_weight(self) -> None:
        weights = np.zeros(0) if self._weights is None else self._weights
        mine = [row for row in self._selected if row < len(weights)]
        weight = float((weights[mine] if self._selected else weights).sum())
        of = f"weight of {self._label}" if self._label else "weight of all bodies"
        self.charts[0].set_level(weight if weight > 0.0 else None, of)

    def _describe_window(self) -> None:
        length = format_si(self.own.window, "s", 1)
        self.charts[0].set_note(f"mean over {length}", "The averaging window; a right click offers others")


def _with_selected(sizes: Floats, bodies: np.ndarray, selected: frozenset[int]) -> Floats:
    """(4, k) sizes (2, k) of all contacts, and the same with zeros where bodies (2, k) are none of the selected."""
    mine = np.isin(bodies, list(selected)).any(axis=0)
    return np.concatenate([sizes, np.where(mine, sizes, 0.0)])
