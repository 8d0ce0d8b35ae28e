"""What threads share of a solve's sweeps: domains of the group, and then the interfaces between them, see
engine.group.solve.domains. A group in one piece has no tasks: it is swept by the thread that asks.
"""

from __future__ import annotations

from engine.group.solve.domains import regions
from engine.group.solve.lane_sweeps import blocks_back, blocks_forwards
from engine.group.solve.lanes import empty_lanes, fill_lanes
from engine.group.solve.lift_sweeps import (
    lift_bodies_on,
    lifts_back,
    lifts_forwards,
    load_lifts,
    unload_lifts,
)
from engine.group.solve.point_sweeps import go_on, points_back, points_forwards
from engine.group.tasks import (
    BACK_TASK,
    BODY_TASK,
    CROSS_TASK,
    EMPTY_TASK,
    FILL_TASK,
    FORTH_TASK,
    LIFT_BACK_TASK,
    LIFT_BODY_TASK,
    LIFT_CROSS_TASK,
    LIFT_FORTH_TASK,
    LOAD_TASK,
    MOVED_TASK,
    SWEEP_ROUND,
)
from engine.group.work import (
    BETA,
    BODIES,
    CHANGED_SIZE,
    DOMAINS,
    FIRST_ALONE,
    FIRST_BLOCK,
    FIRST_SWEEP,
    INV_I,
    INV_M,
    LAST_ALONE,
    LAST_BLOCK,
    MOST_CHANGED,
    V_AHEAD,
    V_BEFORE,
    V_END,
    W_END,
    Work,
)
from engine.kernel import kernel, linked_kernel
from engine.rounds import (
    TASK_FIRST,
    TASK_KIND,
    TASK_LAST,
    TASKS,
    add_batch,
    ask_for_helpers,
    clear_tasks,
    finish_task,
    open_round,
    take_task,
)

_BODIES_EACH = 128
"""Bodies are taken in the order of their rows, not by domain: a thread reads on where it has read."""


@kernel
def share_points(work: Work, kind: int) -> None:
    """Do a task of some kind with the points of all domains and interfaces, which have no part in each other then."""
    domains = work.sizes[DOMAINS]
    if domains == 1:
        _do_task(work, kind, 0)
        return
    clear_tasks(work.rounds)
    add_batch(work.rounds, kind, 0, domains, 1)
    add_batch(work.rounds, kind, domains, regions(work), 1)
    open_round(work.rounds, SWEEP_ROUND)
    take_part_in_sweep(work)


@kernel
def set_sweep_tasks(work: Work) -> None:
    """The tasks of a solve's sweeps from now on: bodies go on with the impulses, domains are swept forwards, what is
    between them, and domains back; and by how much bodies have been moved."""
    if work.sizes[DOMAINS] > 1:
        _set_tasks(work, BODY_TASK, FORTH_TASK, CROSS_TASK, BACK_TASK)
        add_batch(work.rounds, MOVED_TASK, 0, work.sizes[BODIES], _BODIES_EACH)


@kernel
def set_lift_tasks(work: Work) -> None:
    """Those of position correction, which does not ask what has been moved."""
    if work.sizes[DOMAINS] > 1:
        _set_tasks(work, LIFT_BODY_TASK, LIFT_FORTH_TASK, LIFT_CROSS_TASK, LIFT_BACK_TASK)


@kernel
def _set_tasks(work: Work, bodies: int, forth: int, cross: int, back: int) -> None:
    """Batches of the same, each of tasks of a kind."""
    domains = work.sizes[DOMAINS]
    ask_for_helpers(work.rounds)
    clear_tasks(work.rounds)
    add_batch(work.rounds, bodies, 0, work.sizes[BODIES], _BODIES_EACH)
    add_batch(work.rounds, forth, 0, domains, 1)
    add_batch(work.rounds, cross, domains, regions(work), 1)
    add_batch(work.rounds, back, 0, domains, 1)


@kernel
def sweep_points(work: Work) -> float:
    """A sweep over the points of a group, whose tasks have been set; the square of the impulse that it leaves a body
    with at most [N^2 s^2]."""
    if work.sizes[DOMAINS] == 1:
        _extrapolate_bodies(work, 0, work.sizes[BODIES])
        _points_forwards(work, 0)
        _points_back(work, 0)
        return _moved(work, 0, work.sizes[BODIES])
    open_round(work.rounds, SWEEP_ROUND)
    take_part_in_sweep(work)
    moved = 0.0
    for task in range(work.rounds.board[TASKS]):
        if work.rounds.tasks[task, TASK_KIND] == MOVED_TASK:
            moved = max(moved, work.rounds.told[task])
    return moved


@kernel
def sweep_lifts(work: Work) -> None:
    """A sweep of position correction, whose tasks have been set."""
    if work.sizes[DOMAINS] == 1:
        lift_bodies_on(work, 0, work.sizes[BODIES])
        lifts_forwards(work, 0)
        lifts_back(work, 0)
        return
    open_round(work.rounds, SWEEP_ROUND)
    take_part_in_sweep(work)


@kernel
def most_changed(work: Work) -> float:
    """By how much the last sweep has changed a point's velocity at most [m/s]."""
    most = 0.0
    for one in range(regions(work)):
        most = max(most, work.changed[one, MOST_CHANGED])
    return most


@kernel
def size_of_changes(work: Work) -> float:
    """The size of the changes of the last sweep [J]."""
    size = 0.0
    for one in range(regions(work)):
        size += work.changed[one, CHANGED_SIZE]
    return size


@linked_kernel
def take_part_in_sweep(work: Work) -> int:
    """Do tasks of a solve's sweeps until all have been taken; how many."""
    tasks = work.rounds.tasks
    done = 0
    while True:
        task = take_task(work.rounds)
        if task < 0:
            return done
        kind, first, last = tasks[task, TASK_KIND], tasks[task, TASK_FIRST], tasks[task, TASK_LAST]
        if kind == BODY_TASK:
            _extrapolate_bodies(work, first, last)
        elif kind == MOVED_TASK:
            work.rounds.told[task] = _moved(work, first, last)
        elif kind == LIFT_BODY_TASK:
            lift_bodies_on(work, first, last)
        else:
            _do_task(work, kind, first)
        finish_task(work.rounds)
        done += 1


@kernel
def _do_task(work: Work, kind: int, one: int) -> None:
    """Do what a task says with a domain or interface."""
    if kind == FORTH_TASK:
        _points_forwards(work, one)
    elif kind == CROSS_TASK:
        _points_forwards(work, one)
        _points_back(work, one)
    elif kind == BACK_TASK:
        _points_back(work, one)
    elif kind == FILL_TASK:
        fill_lanes(work, work.domains[one, FIRST_BLOCK], work.domains[one, LAST_BLOCK])
    elif kind == EMPTY_TASK:
        empty_lanes(work, work.domains[one, FIRST_BLOCK], work.domains[one, LAST_BLOCK])
    else:
        _do_lift_task(work, kind, one)


@kernel
def _do_lift_task(work: Work, kind: int, one: int) -> None:
    """The same, of position correction."""
    if kind == LIFT_FORTH_TASK:
        lifts_forwards(work, one)
    elif kind == LIFT_CROSS_TASK:
        lifts_forwards(work, one)
        lifts_back(work, one)
    elif kind == LIFT_BACK_TASK:
        lifts_back(work, one)
    elif kind == LOAD_TASK:
        load_lifts(work, one)
    else:
        unload_lifts(work, one)


@kernel
def _extrapolate_bodies(work: Work, first: int, last: int) -> None:
    """The end velocities of bodies first .. last - 1 go on with the impulses."""
    is_first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    for at in range(first, last):
        go_on(work.twists, at, V_END, V_BEFORE, V_AHEAD, 6, is_first, beta)


@kernel
def _points_forwards(work: Work, one: int) -> None:
    """The points of a domain or interface, forwards."""
    domains = work.domains
    blocks_forwards(work, domains[one, FIRST_BLOCK], domains[one, LAST_BLOCK])
    work.changed[one, MOST_CHANGED] = points_forwards(work, domains[one, FIRST_ALONE], domains[one, LAST_ALONE])


@kernel
def _points_back(work: Work, one: int) -> None:
    """And back."""
    domains, changed = work.domains, work.changed
    first, last = domains[one, FIRST_BLOCK], domains[one, LAST_BLOCK]
    most, size = points_back(work, domains[one, FIRST_ALONE], domains[one, LAST_ALONE], changed[one, MOST_CHANGED])
    blocks_back(work, first, last)
    for block in range(first, last):
        most = max(most, work.changes[block, MOST_CHANGED])
        size += work.changes[block, CHANGED_SIZE]
    changed[one, MOST_CHANGED], changed[one, CHANGED_SIZE] = most, size


@kernel
def _moved(work: Work, first: int, last: int) -> float:
    """What the last sweep as a whole has changed: the square of the impulse that it leaves one of these bodies with at
    most [N^2 s^2].

    As a speed of the lightest body, times how many the longest chain has, it tells how far from done a solve is: one
    of n passes on an n-th of its changes from link to link. Turning counts at the radii of gyration.
    """
    twists = work.twists
    most = 0.0
    for at in range(first, last):
        inv_m = twists[at, INV_M]
        linear = angular = 0.0
        for c in range(3):
            linear += (twists[at, V_END + c] - twists[at, V_BEFORE + c]) ** 2
            turn = twists[at, W_END + c] - twists[at, V_BEFORE + 3 + c]
            if turn != 0.0:
                angular += turn * turn * inv_m / twists[at, INV_I + 4 * c]
        most = max(most, max(linear, angular) / (inv_m * inv_m))
    return most
