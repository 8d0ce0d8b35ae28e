"""Draws pictures in a thread of its own, where the processor has to draw them: the window does not wait for it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from OpenGL.error import Error as OpenGLError
from PyQt6.QtCore import QObject, pyqtSignal

from app.view.viewport.camera import CameraState
from app.view.viewport.hidden import HiddenContext, hidden_surface
from app.view.viewport.quality import Quality
from app.view.viewport.renderer import Renderer, Still
from app.view.viewport.target import Target

Picture = NDArray[np.uint8]
KEPT = 3
"""Buffers of so many sizes and numbers of samples are kept."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Order:
    """A picture to be drawn: of `size` pixels (width, height), `pixel_ratio` of them to one of the user's."""

    still: Still
    camera: CameraState
    size: tuple[int, int]
    quality: Quality
    pixel_ratio: float


class PictureThread(QObject):
    """Draws one order after the other. `drawn` tells of each: the order, the picture (height, width, 4), blue first,
    top row first, and the seconds that it took. After `failed`, with the driver's reason, nothing more is drawn.
    """

    drawn = pyqtSignal(object, object, float)
    failed = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self._surface = hidden_surface()
        self._orders: deque[tuple[Order, Future[Picture]]] = deque()
        self._change = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._work, name="pictures", daemon=True)
        self._thread.start()

    def draw(self, order: Order) -> Future[Picture]:
        """Draws soon; whoever cannot go on without the picture may wait for it."""
        future: Future[Picture] = Future()
        with self._change:
            if not self._open:
                future.set_exception(RuntimeError("nothing is drawn any more"))
                return future
            self._orders.append((order, future))
            self._change.notify()
        return future

    def close(self) -> None:
        """Finishes the picture under way, and frees what belongs to the driver."""
        with self._change:
            self._open = False
            self._change.notify()
        self._thread.join()

    def _work(self) -> None:
        try:
            context = HiddenContext(self._surface)
        except RuntimeError as error:
            self._stop(error)
            return
        painter = Painter(context)
        while (waiting := self._next()) is not None:
            order, future = waiting
            start = time.perf_counter()
            try:
                picture = painter.paint(order)
            except (RuntimeError, OSError, OpenGLError) as error:
                log.exception("the view cannot be drawn")
                future.set_exception(error)
                self._stop(error)
                break
            future.set_result(picture)
            self.drawn.emit(order, picture, time.perf_counter() - start)
        painter.close()
        context.close()

    def _next(self) -> tuple[Order, Future[Picture]] | None:
        with self._change:
            while self._open and not self._orders:
                self._change.wait()
            return self._orders.popleft() if self._open else None

    def _stop(self, error: Exception) -> None:
        with self._change:
            self._open = False
            for _, future in self._orders:
                future.set_exception(error)
        said = str(error).strip().splitlines()
        self.failed.emit(said[0] if said else type(error).__name__)


class Painter:
    """A renderer in a hidden context, and the buffers that it draws into."""

    def __init__(self, context: HiddenContext) -> None:
        self._context = context
        self._renderer = Renderer()
        self._targets: dict[tuple[tuple[int, int], int], Target] = {}

    def paint(self, order: Order) -> Picture:
        """The picture (height, width, 4), blue first, top row first."""
        self._context.use()
        self._renderer.take(order.still)
        self._renderer.options.set_quality(order.quality)
        target = self._target(order.size, order.quality.samples)
        target.draw(self._renderer, order.camera, order.pixel_ratio)
        picture = np.empty((order.size[1], order.size[0], 4), dtype=np.uint8)
        target.read_into(picture)
        return np.ascontiguousarray(picture[::-1])

    def _target(self, size: tuple[int, int], samples: int) -> Target:
        key = (size, samples)
        target = self._targets.pop(key, None)
        if target is None:
            while len(self._targets) >= KEPT:
                self._targets.pop(next(iter(self._targets))).delete()
            target = Target(size, self._context.gloo, samples)
        self._targets[key] = target  # the one used last stands last
        return target

    def close(self) -> None:
        """Frees the buffers."""
        for target in self._targets.values():
            target.delete()
        self._context.gloo.flush_commands()
