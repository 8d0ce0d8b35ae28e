"""The Desk: what the loop works on besides the State."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.by_reference import by_reference
from engine.group.solve.ordering import most_entries
from engine.group.work import ANSWERS_NEEDED, NEEDED, Work, make_work
from engine.impulse.cluster import Cluster, make_cluster
from engine.journal import LOG_WIDTH
from engine.model.joints import Joints
from engine.model.model import Floats, Ints
from engine.stages import WATCH_WIDTH

LINES_EACH = 4
"""Lines of the log that a step may write for each row of contact points that there is."""


@by_reference
class Desk(NamedTuple):
    """Log, scratch and flags of the loop; none of it belongs to the simulation's past or future."""

    log: Floats  # (room, LOG_WIDTH)
    log_size: Ints  # (1,)
    found: Ints  # (3 n,) scratch of the broad phase
    flag: Ints  # (1,) raised by another thread to interrupt
    watch: Ints  # (WATCH_WIDTH,) where the time goes
    lost: Ints  # (1,) a body whose numbers are not finite; -1: none
    work: Work
    cluster: Cluster


def _rows(n: int, joints: Joints, grown: int) -> tuple[int, int]:
    """Rows for contact points and for answers of linkages that most groups of n bodies need, by half more each time
    that a desk has grown."""
    points, answers = 256 + 12 * min(n, 1000) + 3 * max(n - 1000, 0), 256 * len(joints.entries)
    for _ in range(grown):
        points, answers = points + points // 2, answers + answers // 2
    return points, answers


def make_desk(
    n: int,
    joints: Joints,
    threads: int = 1,
    room: int = 4096,
    points: int | None = None,
    answers: int | None = None,
    watch: Ints | None = None,
) -> Desk:
    """A desk for n bodies; threads: how many may share a step; points: rows for contact points of a group, by default
    as many as most need; answers: rows for what linkages answer there, likewise; watch: its stopwatch, or a new one."""
    most_points, most_answers = _rows(n, joints, 0)
    points = most_points if points is None else points
    answers = most_answers if answers is None else answers
    watch = np.zeros(WATCH_WIDTH, dtype=np.int64) if watch is None else watch
    work = make_work(n, points, most_entries(n), joints, answers, watch, threads)
    return Desk(
        log=np.zeros((room + LINES_EACH * points, LOG_WIDTH)),
        log_size=np.zeros(1, dtype=np.int64),
        found=np.zeros(3 * n + 3, dtype=np.int64),
        flag=np.zeros(1, dtype=np.int64),
        watch=watch,
        lost=np.full(1, -1, dtype=np.int64),
        work=work,
        cluster=make_cluster(n, points, joints),
    )


def growths(work: Work, joints: Joints, grown: int) -> int:
    """How often a desk that has grown so often must have grown for the group that was gathered last to have room."""
    while True:
        points, answers = _rows(len(work.body), joints, grown)
        if points >= work.sizes[NEEDED] and answers >= work.sizes[ANSWERS_NEEDED]:
            return grown
        grown += 1


def grow_desk(desk: Desk, joints: Joints, threads: int, grown: int) -> Desk:
    """The same with the rows that it has for contact groups once it has grown so often.

    A step that runs out of room may have stopped hits, which are not stopped again when it is made anew: its bits
    depend on how much room there was. So the State remembers it.
    """
    n = len(desk.work.body)
    points, answers = _rows(n, joints, grown)
    if (points, answers) == (len(desk.work.contact), len(desk.work.answers)):
        return desk
    other = make_desk(n, joints, threads, points=points, answers=answers, watch=desk.watch)
    return desk._replace(work=other.work, cluster=other.cluster, log=other.log)
