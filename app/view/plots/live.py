"""The live plots together: fed with every batch, drawn when the window reads, one cursor and one time span."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from app.simulation.messages import Batch, Frame
from app.view.plots.distance import DistancePanel
from app.view.plots.energy import EnergyPanel
from app.view.plots.forces import ForcePanel
from app.view.plots.gantt import ContactGantt
from app.view.plots.heap_rates import HeapPanel
from app.view.plots.joint import JointPanel
from app.view.plots.panel import Panel
from app.view.plots.quantities import QuantityPanel
from app.view.plots.stages import StagePanel
from app.view.plots.strip import SwitchStrip
from app.view.theme import Colours, theme
from engine.scene.schema import Scene


class LivePlots(QObject):
    """Owns the panels, such as `energy` and `forces`; the window places and feeds them.

    `sought`: a plot was clicked at a time [s], to go there.
    """

    sought = pyqtSignal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.energy = EnergyPanel()
        self.forces = ForcePanel()
        self.gantt = ContactGantt()
        self.heap = HeapPanel()
        self.stages = StagePanel()
        self.joint = JointPanel()
        self.quantities = QuantityPanel()
        self.strip = SwitchStrip()
        self.distance = DistancePanel()
        self.panels: tuple[Panel, ...] = (
            self.energy,
            self.forces,
            self.gantt,
            self.heap,
            self.stages,
            self.joint,
            self.quantities,
            self.strip,
            self.distance,
        )
        self._run: int | None = None
        self._last = 0.0
        self._now = 0.0
        self._past: float | None = None  # where the world stands, if more is known of the run [s]
        self._stale = False
        self._frame: Frame | None = None  # the one that was read out last
        for panel in self.panels:
            panel.hovered.connect(self._show_cursor)
            panel.clicked.connect(self.sought)
            panel.span_chosen.connect(self.follow)
            panel.cleared.connect(self.clear)
        theme().follow(self, self._set_colours)

    def feed(self, batches: Iterable[Batch], frame: Frame | None = None) -> None:
        """Take in everything that was drained, in order, and the newest frame's time. Drawing comes later."""
        for batch in join_batches(batches):
            if batch.run != self._run:
                self._run = batch.run
                self._start(float(batch.samples["time"][0]) if len(batch.samples) else 0.0)
            elif len(batch.samples) and batch.samples["time"][0] < self._last:
                for panel in self.panels:
                    panel.cut(float(batch.samples["time"][0]))
            if len(batch.samples):
                self._last = float(batch.samples["time"][-1])
            for panel in self.panels:
                panel.feed(batch)
            self._stale = True
        if frame is not None and frame.run == self._run:
            self._follow_frame(frame)

    def _follow_frame(self, frame: Frame) -> None:
        """The newest time is that of the run's end; where the world stands in the past, the cursor does."""
        if frame is not self._frame:
            self._frame, self._stale = frame, True
            self.forces.set_weights(frame.weights)
            for panel in self.panels:
                panel.show_instant(frame)
        end = max(frame.end, frame.time)
        if end != self._now:
            self._now = end
            self._stale = True
        past = frame.time if frame.time < end else None
        if past != self._past:
            self._past = past
            self._show_cursor(None)

    def _start(self, time: float) -> None:
        """Time starts anew."""
        for panel in self.panels:
            panel.start_run()
            panel.begin_at(time)
        self._follow_all(time)

    def _follow_all(self, time: float) -> None:
        """What a person zoomed in on is no more, so that charts follow what comes."""
        self._now = self._last = time
        self._frame = None
        for chart in (chart for panel in self.panels for chart in panel.charts):
            chart.set_instant(time, None)
            chart.follow(chart.span)

    def forget_run(self) -> None:
        """Nothing is known any more: the scene is another, and its run has not begun."""
        self._run = None
        self._start(0.0)
        self._stale = True
        self.refresh()

    def clear(self) -> None:
        """Forget what was plotted so far; the run goes on from here."""
        for panel in self.panels:
            panel.clear(self._last)
        self._follow_all(self._last)
        self._stale = True
        self.refresh()

    def set_scene(self, names: Sequence[str], contact: str) -> None:
        """Names of the bodies by row, and the scene's kind of contact; "first order" where its world is one."""
        self.strip.set_scene(names, contact)
        self.gantt.set_names(names)

    def feed_pinned(self, batches: Iterable[Batch]) -> None:
        """Take in what happened in the run that is pinned."""
        for batch in join_batches(batches):
            for panel in self.panels:
                panel.feed_pinned(batch)
            self._stale = True

    def add_distance(self, time: float, metres: float) -> None:
        """How far the run and the one that is pinned are apart at a time [s], [m]."""
        self.distance.add(time, metres)
        self._stale = True

    def set_pinned(self, scene: Scene | None) -> None:
        """A run of this scene has been pinned, or none is any more: nothing is known of it yet."""
        for panel in self.panels:
            panel.set_pinned(scene)
        self._stale = True

    def set_selection(self, indices: Sequence[int], names: Sequence[str]) -> None:
        """The bodies whose contacts are shown apart."""
        self.gantt.set_selection(indices)
        self.forces.set_selection(indices, names)

    def follow(self, span: float) -> None:
        """Show the newest `span` seconds in all charts; `chart.WHOLE_RUN` for everything."""
        for panel in self.panels:
            panel.follow(span)

    def refresh(self) -> None:
        """Draw what is new, in the panels that can be seen."""
        if not self._stale:
            return
        self._stale = False
        for panel in self.panels:
            panel.refresh(self._now)

    def _show_cursor(self, time: float | None) -> None:
        time = self._past if time is None else time
        for panel in self.panels:  # those that nobody sees, too: they may be opened while the world stands in the past
            panel.show_cursor(time)

    def _set_colours(self, palette: Colours) -> None:
        for panel in self.panels:
            panel.set_colours(palette)


def join_batches(batches: Iterable[Batch]) -> list[Batch]:
    """Neighbours of one run, while time goes on, as one batch: a window that was held up has many."""
    parts: list[list[Batch]] = []
    newest = 0.0
    for batch in batches:
        times = batch.samples["time"]
        if parts and parts[-1][-1].run == batch.run and (not len(times) or times[0] >= newest):
            parts[-1].append(batch)
        else:
            parts.append([batch])
        newest = float(times[-1]) if len(times) else newest
    return [part[0] if len(part) == 1 else _join(part) for part in parts]


def _join(parts: list[Batch]) -> Batch:
    events = np.concatenate([part.events for part in parts])
    samples = np.concatenate([part.samples for part in parts])
    held = np.concatenate([part.held for part in parts])
    pairs = np.concatenate([part.pairs for part in parts])
    watched = np.concatenate([part.watched for part in parts])
    return replace(parts[0], events=events, samples=samples, held=held, pairs=pairs, watched=watched)
