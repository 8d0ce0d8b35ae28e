"""A snapshot that another thread packs: of ten thousand bodies that takes longer than a picture may wait.

Compression lets other threads run. Meanwhile the snapshot itself is there, and its size a guess until somebody waits.
"""

from __future__ import annotations

import threading
import time
from typing import Any


class Packing:
    """Whether it is packed or not, it is used like what is."""

    def __init__(self, snapshot: Any, guess: int) -> None:
        """snapshot: of a world, whose `pack` is called; guess: what it will take, about [bytes]."""
        self.model: str = getattr(snapshot, "model", "")
        self._whole: Any = snapshot
        self._packed: Any = None
        self._size, self._took = guess, 0.0
        self._thread = threading.Thread(target=self._pack, name="packing", daemon=True)
        self._thread.start()

    def _pack(self) -> None:
        began = time.perf_counter()
        self._packed = self._whole.pack()
        self._whole, self._took = None, time.perf_counter() - began

    @property
    def nbytes(self) -> int:
        """Memory that it takes [bytes]: what was guessed until `wait`, so that sums change when their owner knows."""
        return self._size

    def wait(self) -> float:
        """Until it is packed. How long that took [s]."""
        self._thread.join()
        self._size = int(self._packed.nbytes)
        return self._took

    def unpack(self) -> Any:
        """The snapshot. Its arrays are not to be written to."""
        whole = self._whole
        return self._packed.unpack() if whole is None else whole

    def to_bytes(self) -> bytes:
        """For a file; waits until it is packed."""
        self._thread.join()
        data: bytes = self._packed.to_bytes()
        return data
