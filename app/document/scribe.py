"""Writing down what is not to be lost, in a thread of its own: nobody who works waits for a disk."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from contextlib import suppress

from engine.scene.problems import SceneError

_log = logging.getLogger(__name__)
_LONGEST = 10.0  # [s] that anybody waits for it to end


class Scribe:
    """Does one thing after the other. What goes wrong with files only loses the safety: it is told in the log."""

    def __init__(self, failed: Callable[[str], object] = lambda why: None) -> None:
        """failed: is told why something could not be kept, in the scribe's thread."""
        self._failed = failed
        self._queue: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()  # held for an assignment only
        self._closed = False

    def do(self, work: Callable[[], object]) -> None:
        """Do it as soon as all before it is done. Any thread may ask."""
        with self._lock:
            if self._closed:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="scribe", daemon=True)
                self._thread.start()
            self._queue.put(work)

    @property
    def waiting(self) -> int:
        """How much there is to do."""
        return self._queue.qsize()

    def finish(self) -> None:
        """Wait until all that was asked for is done."""
        if self._thread is not None and self._thread.is_alive():
            done = threading.Event()
            self._queue.put(done.set)
            done.wait(_LONGEST)

    def close(self, last: Callable[[], object]) -> None:
        """Leave undone what is left, do one last thing, and end."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            with suppress(queue.Empty):
                while True:
                    self._queue.get_nowait()
            self._queue.put(last)
            self._queue.put(None)
        if self._thread is None:
            self._run()
        else:
            self._thread.join(_LONGEST)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            try:
                work()
            except (OSError, SceneError, ValueError) as error:
                _log.warning("what is not saved cannot be kept: %s", error)
                self._failed(_words(error))


def _words(error: Exception) -> str:
    """What is wrong, and with which file, for a person."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)
