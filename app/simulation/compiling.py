"""The first start: the engine is compiled in child processes, part by part, while the window is used."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from PyQt6.QtCore import QObject, pyqtSignal

from engine.scene.schema import Scene
from engine.warm import PARTS, Progress, WarmUpError, parts_of, ready_parts, warm_in_child

log = logging.getLogger(__name__)

LEAST = 0.02  # of the work has to be done before the time left is worth saying


class Compiling(QObject):
    """Knows which parts of the engine are there, and compiles the others on a thread of its own once started.

    If that fails the app goes on all the same: kernels are then compiled as they are needed.
    """

    progressed = pyqtSignal()  # some more is done; several times a second
    changed = pyqtSignal()  # another part is there
    failed = pyqtSignal(str)  # what went wrong

    def __init__(
        self,
        parent: QObject | None = None,
        compile_all: Callable[[], Iterator[Progress]] = warm_in_child,
        ready: Callable[[], frozenset[str]] = ready_parts,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self._compile_all, self._clock = compile_all, clock
        self._first = Progress("", 0.0, dict.fromkeys(ready(), 1.0))
        self._progress = self._first
        self._arrived = threading.Condition()
        self._closed = threading.Event()
        self._began = 0.0
        self._thread: threading.Thread | None = None

    # What anybody asks, on any thread

    @property
    def is_done(self) -> bool:
        """Whether everything is there."""
        return self.ready == frozenset(PARTS)

    @property
    def ready(self) -> frozenset[str]:
        """The parts that are there."""
        return self._progress.ready

    @property
    def fraction(self) -> float:
        """How much of everything is there, 0 to 1."""
        return self._progress.fraction

    def can_run(self, scene: Scene) -> bool:
        """Whether all is there that a scene needs to move, or nobody compiles ahead and it is compiled as needed."""
        return self._thread is None or parts_of(scene) <= self.ready

    def wait_for(self, part: str) -> None:
        """Hold a thread of work until a part is there, or nothing is compiled any more."""
        with self._arrived:
            self._arrived.wait_for(lambda: part in self.ready or self._thread is None or self._closed.is_set())

    def seconds_left(self, scene: Scene) -> float | None:
        """About how long it takes until a scene can move [s]; None while that is not known."""
        if self._thread is None:
            return None
        done = self._progress.work() - self._first.work()
        if done < LEAST * Progress("", 1.0, dict.fromkeys(PARTS, 1.0)).work():
            return None
        return self._progress.work_left(parts_of(scene)) * (self._clock() - self._began) / done

    # The window's side

    def start(self) -> None:
        """Compile what is missing, if anything is."""
        if not self.is_done and self._thread is None:
            self._began = self._clock()
            self._thread = threading.Thread(target=self._run, name="compiling", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the children. What they have finished stays."""
        self._closed.set()
        thread = self._thread
        if thread is not None:
            thread.join(timeout=5.0)

    def _run(self) -> None:
        steps = self._compile_all()
        try:
            for step in steps:
                if self._closed.is_set():
                    break
                self._take(step)
        except (WarmUpError, OSError) as error:
            log.warning("compiling ahead failed: %s", error)
            self.failed.emit(str(error))
            self._take(Progress("", 1.0, dict.fromkeys(PARTS, 1.0)))
        finally:
            close = getattr(steps, "close", None)
            if close is not None:
                close()
            with self._arrived:
                self._arrived.notify_all()

    def _take(self, step: Progress) -> None:
        before = self.ready
        with self._arrived:
            self._progress = step
            self._arrived.notify_all()
        if step.ready != before:
            self.changed.emit()
        self.progressed.emit()


_compiling: list[Compiling] = []


def compiling() -> Compiling:
    """The one of this process."""
    if not _compiling:
        _compiling.append(Compiling())
    return _compiling[0]
