"""What is read while a scene runs, plots, times and texts: shown fifteen times a second, for nobody reads faster.

It is shown in the turn of the event loop in which a picture is asked for, so that the window is composed once for both.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from app.simulation.messages import Batch, Frame
from app.view.plots.live import LivePlots
from app.view.plots.timeline import Timeline

_PACE = 1.0 / 15.0  # [s]


class Readings:
    """Keeps what has happened until it is shown. `show`: shows the texts."""

    def __init__(self, plots: LivePlots, timeline: Timeline, show: Callable[[Frame | None], None]) -> None:
        self._plots, self._timeline, self._show = plots, timeline, show
        self._batches: list[Batch] = []
        self._generation = 0  # of the scene that the plots are of
        self._run = -1
        self._due = 0.0  # wall time at which it is shown next

    def follow(self, generation: int) -> None:
        """The scene is that of a generation: nothing of another one is shown any more."""
        if generation != self._generation:
            self._generation = generation
            self._batches.clear()
            self._plots.forget_run()

    def look(self, batches: list[Batch], frame: Frame | None, new: bool) -> None:
        """Take in what has happened, and show it when it is time. new: `frame` has not been looked at before."""
        begun = bool(batches) and batches[-1].run != self._run
        self._run = batches[-1].run if batches else self._run
        self._batches += batches
        now = time.monotonic()
        by_hand = frame is not None and new and not frame.running  # somebody steps, or goes there
        wait = 0.0 if new else _PACE  # for the next picture, if one comes soon
        if now < self._due + wait and not (begun or by_hand):
            return
        self._due = now + _PACE
        if self._batches or frame is not None:
            self._plots.feed(self._batches, frame)
            self._timeline.feed(self._batches)
            self._batches = []
        if frame is not None:
            self._timeline.show_frame(frame)
        self._plots.refresh()
        self._show(frame)
