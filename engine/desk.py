"""The Desk: what the loop works on besides the State."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.by_reference import by_reference
from engine.group.solve.ordering import most_entries
from engine.group.work import Work, make_work
from engine.impulse.cluster import Cluster, make_cluster
from engine.journal import LOG_WIDTH
from engine.model.joints import Joints
from engine.model.model import Floats, Ints
from engine.stages import WATCH_WIDTH


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


def make_desk(
    n: int,
    joints: Joints,
    threads: int = 1,
    room: int = 4096,
    points: int | None = None,
    answers: int | None = None,
) -> Desk:
    """A desk for n bodies; threads: how many may share a step; points: rows for contact points of a group, by default
    more than one is likely to need; answers: rows for what linkages answer there, likewise."""
    if points is None:
        points = 64 + 32 * min(n, 1000) + 12 * max(n - 1000, 0)
    if answers is None:
        answers = 256 * len(joints.entries)
    watch = np.zeros(WATCH_WIDTH, dtype=np.int64)
    work = make_work(n, points, most_entries(n), joints, answers, watch, threads)
    return Desk(
        log=np.zeros((room + 4 * points, LOG_WIDTH)),
        log_size=np.zeros(1, dtype=np.int64),
        found=np.zeros(3 * n + 3, dtype=np.int64),
        flag=np.zeros(1, dtype=np.int64),
        watch=watch,
        lost=np.full(1, -1, dtype=np.int64),
        work=work,
        cluster=make_cluster(n, points, joints),
    )
