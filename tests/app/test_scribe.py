"""What writes in a thread of its own: in order, whatever goes wrong, and it ends when it is told to."""

from __future__ import annotations

import threading
import time

from app.document.scribe import Scribe


def test_one_thing_after_the_other_whatever_goes_wrong() -> None:
    scribe, done = Scribe(), list[int]()

    def fail() -> None:
        raise OSError("the disk is full")

    for number in range(3):
        scribe.do(lambda number=number: done.append(number))
        scribe.do(fail)
    scribe.finish()
    assert done == [0, 1, 2] and scribe.waiting == 0
    scribe.close(lambda: done.append(3))
    scribe.do(lambda: done.append(4))
    scribe.close(lambda: done.append(5))
    scribe.finish()
    assert done == [0, 1, 2, 3], "nothing after the last thing"


def test_what_waits_is_left_undone_when_it_closes() -> None:
    scribe, done, begun, free = Scribe(), list[str](), threading.Event(), threading.Event()
    scribe.do(lambda: (begun.set(), free.wait(10.0), done.append("first")))
    scribe.do(lambda: done.append("second"))
    assert begun.wait(5.0)
    threading.Timer(0.05, free.set).start()
    scribe.close(lambda: done.append("last"))
    assert done == ["first", "last"]


def test_it_closes_while_it_takes_the_last_of_what_waits() -> None:
    """Whoever closes it does not wait for something that it has just taken."""
    for number in range(300):
        scribe = Scribe()
        scribe.do(lambda: None)
        if number % 2:
            time.sleep(1e-5 * (number % 50))
        scribe.close(lambda: None)
