"""What threads have freed is not held on to."""

from __future__ import annotations

import sys
import threading

import pytest

from app.simulation.freed import give_back
from tests.memory import held

BLOCK, BLOCKS = 100_000, 2_000  # [bytes]: small enough for the C library to keep


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much is held")
def test_what_a_thread_has_freed_goes_back() -> None:
    kept: list[bytearray] = []

    def work() -> None:
        blocks = [bytearray(BLOCK) for _ in range(BLOCKS)]
        kept.append(blocks.pop())  # the last: what is freed lies below it
        del blocks

    before = held()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    give_back()
    assert held() < before + BLOCK * BLOCKS // 4
