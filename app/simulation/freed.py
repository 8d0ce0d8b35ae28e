"""Memory that was freed goes back to the system.

The C library keeps what threads have freed for their next wishes: where scenes come and go and runs are pinned, a
window then holds several times what it has need of.
"""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Give it back now, where the C library can be asked to. Takes some ten milliseconds; other threads go on."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(ctypes.c_size_t(0))
