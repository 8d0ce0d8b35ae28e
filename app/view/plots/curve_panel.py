"""What the panels have in common that draw curves of the run, and dashed those of a run that is pinned."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Generic, TypeVar

from PyQt6.QtWidgets import QWidget

from app.simulation.messages import Batch
from app.view.plots.chart import Chart
from app.view.plots.history import History
from app.view.plots.panel import Panel
from engine.scene.schema import Scene


class RunCurves:
    """What a panel knows of one run: a history for each of its charts, and what it takes to fill them."""

    def __init__(self, *sizes: int) -> None:
        """How many curves each chart has."""
        self.histories = tuple(History(curves) for curves in sizes)

    def feed(self, batch: Batch) -> None:
        """Take in what happened."""
        raise NotImplementedError

    def start_run(self) -> None:
        """Forget everything: time starts anew."""
        for history in self.histories:
            history.clear()

    def begin_at(self, time: float) -> None:
        """The first thing known of a run is at `time` [s]."""

    def cut(self, time: float) -> None:
        """Forget everything from `time` [s] on."""
        for history in self.histories:
            history.cut(time)


C = TypeVar("C", bound=RunCurves)


class CurvePanel(Panel, Generic[C]):
    """Each run has curves of its own, filled in the same way."""

    def __init__(
        self, own: C, charts: Sequence[Chart], parent: QWidget | None = None, stretch: Sequence[int] = (1,)
    ) -> None:
        self.own = own
        self.pinned: C | None = None
        super().__init__(charts, parent, stretch)

    @property
    def runs(self) -> tuple[C, ...]:
        """The curves of the run, and those of the one that is pinned, if there is one."""
        return (self.own,) if self.pinned is None else (self.own, self.pinned)

    def curves_of_pinned(self, scene: Scene) -> C | None:
        """Empty curves for a run of this scene; None where those of two runs are not to be compared."""
        raise NotImplementedError

    def set_pinned(self, scene: Scene | None) -> None:
        """A run of this scene has been pinned, or none is any more: nothing is known of it yet."""
        self.pinned = None if scene is None else self.curves_of_pinned(scene)
        beside = repeat(None) if self.pinned is None else self.pinned.histories
        for chart, history in zip(self.charts, beside, strict=False):
            chart.show_beside(history)

    def feed_pinned(self, batch: Batch) -> None:
        if self.pinned is not None:
            self.pinned.feed(batch)

    def feed(self, batch: Batch) -> None:
        self.own.feed(batch)

    def start_run(self) -> None:
        self.own.start_run()

    def begin_at(self, time: float) -> None:
        self.own.begin_at(time)

    def cut(self, time: float) -> None:
        self.own.cut(time)
