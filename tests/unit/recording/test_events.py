"""Lines of the log become events, which wait until they are read; the latest are kept for forces besides."""

from __future__ import annotations

import numpy as np

from engine.journal import COLLISION, LOG_WIDTH, NONE, note_couple, write_line
from engine.recording.events import EVENT, EVENT_KINDS, EventQueue, decode_log


def events(*times: float) -> np.ndarray:
    out = np.zeros(len(times), dtype=EVENT)
    out["time"] = times
    return out


def test_a_record_says_what_the_kernel_wrote() -> None:
    log, size = np.zeros((4, LOG_WIDTH)), np.zeros(1, dtype=np.int64)
    write_line(log, size, 0.5, COLLISION, NONE, 3, 4, (7, 8), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    note_couple(log, 0, (0.1, 0.2, 0.3))
    (event,) = decode_log(log[: size[0]])
    np.testing.assert_array_equal(event["couple"], [0.1, 0.2, 0.3])
    assert EVENT_KINDS[event["kind"]] == "collision"
    assert event.tolist()[:1] + event.tolist()[3:7] == (0.5, 3, 4, 7, 8)
    assert event["impulse"].tolist() == [1.0, 2.0, 3.0]
    assert event["point"].tolist() == [4.0, 5.0, 6.0]


def test_a_full_log_is_written_no_further() -> None:
    rows = np.zeros((4, LOG_WIDTH))
    log, size = rows[:2], np.zeros(1, dtype=np.int64)
    for t in (0.1, 0.2, 0.3):
        write_line(log, size, t, COLLISION, NONE, 3, 4, (7, 8), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert size[0] == 2
    assert decode_log(log)["time"].tolist() == [0.1, 0.3]
    assert not rows[2:].any()


def test_events_are_read_once_and_stay_recent() -> None:
    queue = EventQueue(window=0.1)
    assert len(queue.read()) == len(queue.recent(0.0)) == 0
    queue.append(events(0.1, 0.2))
    queue.append(events(0.25))
    assert queue.read()["time"].tolist() == [0.1, 0.2, 0.25]
    assert len(queue.read()) == 0
    assert queue.recent(0.25)["time"].tolist() == [0.2, 0.25]
    queue.forget(0.31)
    assert queue.recent(0.25)["time"].tolist() == [0.25]


def test_unread_events_outlast_the_window() -> None:
    queue = EventQueue(window=0.1)
    queue.append(events(0.1))
    queue.forget(1.0)
    assert queue.read()["time"].tolist() == [0.1]
    queue.append(events(1.0))
    queue.clear()
    assert len(queue.read()) == len(queue.recent(1.0)) == 0
