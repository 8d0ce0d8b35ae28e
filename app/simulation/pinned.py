"""A run that was pinned, computed again on a thread of its own to the times that the window shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import QObject, pyqtSignal

from app.simulation.history import MEGABYTES, Line
from app.simulation.messages import Batch, Frame, WorldLike
from app.simulation.simulation import Simulation
from app.simulation.watching import Subject


class PinnedRun(QObject):
    """The scene as it ran, with what came from outside: the same again to the bit. Nobody waits for it."""

    failed = pyqtSignal(str)  # why it cannot be computed, in words

    def __init__(
        self,
        scene: Any,
        line: Line,
        make_world: Callable[[Any], WorldLike],
        megabytes: float = MEGABYTES,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.scene, self.line = scene, line
        self.names: tuple[str, ...] = tuple(body.name for body in scene.bodies)
        self._asked: float | None = None  # [s]
        self._simulation = Simulation(self, make_world=make_world, megabytes=megabytes)
        self._simulation.failed.connect(self.failed)

    def start(self) -> None:
        """Begin to compute it."""
        self._simulation.load(self.scene)
        self._simulation.adopt([self.line])

    def watch(self, subjects: tuple[Subject, ...]) -> None:
        """Whose quantities its samples read from now on."""
        self._simulation.watch(subjects)

    def watch_joint(self, number: int) -> None:
        """Which joint of its scene its samples read from now on; -1: none."""
        self._simulation.watch_joint(number)

    @property
    def frame(self) -> Frame | None:
        """The newest; None before it stands at its start."""
        return self._simulation.latest()

    @property
    def is_there(self) -> bool:
        """Whether it stands at the time that was asked for."""
        frame = self.frame
        return self._asked is not None and frame is not None and frame.time == self._asked

    def follow(self, time: float) -> None:
        """Go to a time [s]. One on the way there is reached first, so that both runs meet now and then."""
        if self._asked is None or time < self._asked or (time > self._asked and self.is_there):
            self._asked = time
            self._simulation.go_on_to(time)

    def drain(self) -> list[Batch]:
        """What happened in it since the last call, in order."""
        return self._simulation.drain_events()

    def close(self) -> None:
        """End its thread and let its past go."""
        self._simulation.close()

    def leave(self) -> None:
        """The same, and nobody waits: it goes when its thread has ended."""
        self._simulation.ended.connect(self.deleteLater)
        self._simulation.leave()
