"""A run that is pinned plays beside the one that is shown: as a ghost in the picture, in the plots, on a card."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from app.document.copies import names_of
from app.document.document import Document
from app.document.settings import history_megabytes
from app.simulation.difference import Apart, FirstDifference, Match, apart, match, parted
from app.simulation.history import Line
from app.simulation.messages import Batch, Frame
from app.simulation.pinned import PinnedRun
from app.simulation.simulation import Simulation
from app.simulation.watching import Subject
from app.view.overlays.compare_card import CompareCard
from app.view.plots.live import LivePlots
from app.view.viewport.viewport import Viewport
from app.view.window.playback import checked_world
from engine.arrays import Ints
from engine.scene.schema import Scene

PATIENCE = 0.1  # [s] that a frame waits for its ghost; then it is shown, and the ghost lags


class Comparing(QObject):
    """Pins a run, and keeps it in step with the one that is shown."""

    said = pyqtSignal(str)
    changed = pyqtSignal()  # a run has been pinned, or none is any more

    def __init__(self, document: Document, simulation: Simulation, viewport: Viewport, plots: LivePlots) -> None:
        super().__init__(simulation)
        self._document, self._simulation, self._viewport, self._plots = document, simulation, viewport, plots
        self.card = CompareCard(viewport)
        self._run: PinnedRun | None = None
        self._matched: Match = match((), ())
        self._first: FirstDifference | None = None
        self._failure = ""
        self._forget_frames()
        self._key: tuple[int, int] | None = None  # generation and run that were heard of last
        self._heard = 0.0  # until when [s]
        simulation.copied.connect(self._begin)
        plots.joint.pinned_wanted.connect(self._watch_joint)
        plots.quantities.pinned_wanted.connect(self._watch)
        document.scene_changed.connect(lambda scene, _what: self._follow_scene(scene))

    def _forget_frames(self) -> None:
        self._asked: Frame | None = None  # what waits for its ghost
        self._met: Frame | None = None  # what was met by its ghost last
        self._newest = 0  # the sequence of the frame that was shown last
        self._met_at = 0.0  # wall time at which nothing waited for its ghost [s]
        self._apart: Apart | None = None

    @property
    def is_on(self) -> bool:
        """Whether a run is pinned."""
        return self._run is not None

    @property
    def apart(self) -> Apart | None:
        """How far the runs are apart where they met last; None before they did."""
        return self._apart

    @property
    def first(self) -> FirstDifference | None:
        return self._first

    # --- actions --------------------------------------------------------------------------------------------------

    def pin(self) -> None:
        """Keep the run that is shown, to play others against it."""
        self._simulation.copy_run()

    def unpin(self) -> None:
        """Let the pinned run go."""
        if self._run is None:
            return
        self._leave()
        self._viewport.set_ghosts(None)
        self._plots.set_pinned(None)
        self.card.hide()
        self.said.emit("Unpinned")
        self.changed.emit()

    def close(self) -> None:
        """End the thread of the pinned run, and wait for that."""
        if self._run is not None:
            self._run.close()
            self._run.deleteLater()
            self._forget_run()

    def _leave(self) -> None:
        if self._run is not None:
            self._run.leave()
            self._forget_run()

    def _forget_run(self) -> None:
        self._run = self._first = None
        self._forget_frames()

    def _begin(self, scene: Scene | None, line: Line | None) -> None:
        if scene is None or line is None:
            self.said.emit("Nothing runs that could be pinned")
            return
        self._leave()
        run = PinnedRun(scene, line, checked_world, history_megabytes(), self)
        run.failed.connect(self._fail)
        self._run, self._failure = run, ""
        self._matched = match(names_of(self._document.scene), run.names)
        self._first = FirstDifference(self._matched, line.end)
        self._plots.set_pinned(scene)
        run.start()  # once it knows what to read
        self.card.show_run(scene.title or self._document.title, scene.world.contact)
        self.card.show()
        self._show_note()
        self.said.emit(f"Pinned: {scene.title}. What is played from now on is compared with it")
        self.changed.emit()

    def _watch_joint(self, number: int) -> None:
        if self._run is not None:
            self._run.watch_joint(number)

    def _watch(self, subjects: tuple[Subject, ...]) -> None:
        if self._run is not None:
            self._run.watch(subjects)

    def _fail(self, text: str) -> None:
        self._failure = f"The pinned run cannot be computed: {text.splitlines()[0]}"
        self._show_note()

    def _follow_scene(self, scene: Scene) -> None:
        """Another scene may have other bodies. Its run begins anew, so that events are compared from the start on."""
        if self._run is None:
            return
        matched = match(names_of(scene), self._run.names)
        self._forget_frames()
        if matched.names != self._matched.names or matched.left_out != self._matched.left_out:
            self._matched = matched
            if self._first is not None:
                self._first.compare_others(matched)
            self._show_note()

    def _show_note(self) -> None:
        out = self._matched.left_out
        more = f" and {len(out) - 5} more" if len(out) > 5 else ""
        self.card.show_note(self._failure or (f"Left out: {', '.join(out[:5])}{more}" if out else ""))

    # --- every tick -----------------------------------------------------------------------------------------------

    def hear(self, batches: Sequence[Batch]) -> None:
        """What happened in the run that is shown."""
        for batch in batches:
            times, key = batch.samples["time"], (batch.generation, batch.run)
            begin = float(times[0]) if len(times) else self._heard
            if self._first is not None and key != self._key:
                self._first.restart()
            elif self._first is not None and begin < self._heard:
                self._first.restart(begin)
            self._key = key
            self._heard = float(times[-1]) if len(times) else self._heard
            if self._first is not None:
                self._first.feed(batch.events, self._heard)

    def in_step(self, frame: Frame | None) -> Frame | None:
        """The frame to show: the newest whose ghost is there, or the newest of all if that takes too long."""
        run = self._run
        if run is None:
            return frame
        self._hear_pinned(run)
        if frame is None or self._failure:
            self._asked = None
            return frame
        now = time.monotonic()
        asked = self._asked
        if asked is None or (asked.generation, asked.run) != (frame.generation, frame.run) or frame.time < asked.time:
            asked = frame
        run.follow(asked.time)
        if run.is_there:
            self._meet(run, asked)
            self._met_at = now
            if frame.time == asked.time:
                self._met = frame  # the same time, looked at again
            asked = frame
            run.follow(frame.time)
        self._asked = asked
        met = self._met
        known = met is not None and (met.generation, met.run) == (frame.generation, frame.run)
        # What has been shown is not followed by an older frame: where one did not wait, the ghost has to catch up.
        late = now - self._met_at > PATIENCE or (known and met is not None and met.sequence < self._newest)
        self._show(run, frame, late)
        shown = met if known and not late and met is not None else frame
        self._newest = shown.sequence
        return shown

    def _hear_pinned(self, run: PinnedRun) -> None:
        batches = run.drain()
        self._plots.feed_pinned(batches)
        for batch in batches if self._first is not None else ():
            assert self._first is not None
            if len(batch.samples):
                self._first.feed_pinned(batch.events, float(batch.samples["time"][-1]))

    def _meet(self, run: PinnedRun, frame: Frame) -> None:
        """Both runs stand at the same time."""
        ghost = run.frame
        assert ghost is not None
        if frame is self._met or frame.exact is None or ghost.exact is None:
            return
        self._met = frame
        if len(frame.exact) != len(self._document.scene.bodies):
            return  # of the scene before
        exact = np.asarray(frame.exact), np.asarray(ghost.exact)
        self._apart = apart(*exact, self._matched)
        self._plots.add_distance(frame.time, self._apart.distance)
        self._draw(run, ghost, parted(*exact, self._matched))  # what is the same to the bit has no ghost

    def _show(self, run: PinnedRun, frame: Frame, late: bool) -> None:
        ghost = run.frame
        if late and ghost is not None:
            self._draw(run, ghost, self._matched.pinned)
        self.card.set_ghost_colour(self._viewport.look.ghost)
        self.card.show_apart(self._apart, abs(frame.time - ghost.time) if late and ghost is not None else 0.0)
        if self._first is not None:
            self.card.show_difference(self._first.found, run.names)

    def _draw(self, run: PinnedRun, ghost: Frame, rows: Ints) -> None:
        bodies = run.scene.bodies
        moving = [row for row in rows.tolist() if bodies[row].motion_kind != "fixed"]
        shown = self._viewport.ghosts
        if shown is None or shown.rows != tuple(moving) or not np.array_equal(shown.poses, ghost.poses):
            self._viewport.set_ghosts(run.scene, moving, ghost.poses)
