"""A video as pictures that are shown again and again, read ahead in a thread of their own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage

_AHEAD = 3
"""So many pictures wait to be shown; no more are read till then."""


class Film:
    """Pictures of one width [px]. Whoever shows them never waits for a file."""

    def __init__(self, file: Path, width: int) -> None:
        self._file, self._width = file, width
        self._pictures: queue.Queue[QImage] = queue.Queue(_AHEAD)
        self._ended = threading.Event()
        threading.Thread(target=self._read, name="film", daemon=True).start()

    def next(self) -> QImage | None:
        """The next picture; None if it has not been read yet."""
        with suppress(queue.Empty):
            return self._pictures.get_nowait()
        return None

    def close(self) -> None:
        """Nothing more is read. Room for one picture wakes the thread where it waits for that."""
        self._ended.set()
        self.next()

    def _read(self) -> None:
        while not self._ended.is_set():
            for image in _pictures(self._file, self._width):
                self._pictures.put(image)
                if self._ended.is_set():
                    return


def _pictures(file: Path, width: int) -> Iterator[QImage]:
    import av  # here, as it takes a while

    with av.open(str(file)) as container:
        for frame in container.decode(video=0):
            pixels = np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
            rows, columns = pixels.shape[:2]
            image = QImage(pixels.tobytes(), columns, rows, 3 * columns, QImage.Format.Format_RGB888)
            yield image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
