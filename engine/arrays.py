"""Types of arrays, for annotations; their shapes stand where they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_LINE = 8  # numbers in a cache line, of eight bytes each


def whole_lines(shape: tuple[int, int], kind: type) -> NDArray[Any]:
    """Zeros of eight bytes each, (rows, columns), the first of them at the beginning of a cache line: where columns are
    a multiple of eight, so is every row."""
    rows, columns = shape
    room: NDArray[Any] = np.zeros(rows * columns + _LINE, dtype=kind)
    begin = -(room.ctypes.data // room.itemsize) % _LINE
    return room[begin : begin + rows * columns].reshape(shape)
