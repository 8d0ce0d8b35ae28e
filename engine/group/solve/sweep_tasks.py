"""What threads share of a solve's sweeps: domains of the group, and then the interfaces between them, see
engine.group.solve.domains. A group in one piece has no tasks: it is swept by the thread that asks.
"""

from __future__ import annotations

from engine.group.solve.domains import regions
from engine.group.solve.lane_sweeps import blocks_back, blocks_forwards
from engine.group.solve.lanes import empty_lanes, fill_lanes
from engine.group.solve.lift_sweeps import (
    find_lifted,
    lift_bodies_on,
    lifts_back,
    lifts_forwards,
    load_lifts,
    unload_lifts,
)
from engine.group.solve.point_sweeps import go_on, points_back, points_forwards
from engine.group.tasks import (
    BACK_TASK,
    CROSS_TASK,
    EMPTY_TASK,
    FILL_TASK,
    FORTH_TASK,
    LIFT_BACK_TASK,
    LIFT_CROSS_TASK,
    LIFT_FORTH_TASK,
    LOAD_TASK,
    SWEEP_ROUND,
)
from engine.group.work import (
    BETA,
    CHANGED_SIZE,
    DOMAINS,
    FIRST_ALONE,
    FIRST_BLOCK,
    FIRST_BODY,
    FIRST_SWEEP,
    INV_I,
    INV_M,
    LAST_ALONE,
    LAST_BLOCK,
    LAST_BODY,
    MOST_CHANGED,
    MOVED_MOST,
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
    add_batch,
    ask_for_helpers,
    clear_tasks,
    finish_task,
    open_round,
    take_task,
)


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
def set_sweep_tasks(work: Work, forth: int, cross: int, back: int) -> None:
    """The tasks of sweeps from now on: domains forwards, what is between them, and domains back."""
    domains = work.sizes[DOMAINS]
    if domains > 1:
        ask_for_helpers(work.rounds)
        clear_tasks(work.rounds)
        add_batch(work.rounds, forth, 0, domains, 1)
        add_batch(work.rounds, cross, domains, regions(work), 1)
        add_batch(work.rounds, back, 0, domains, 1)


@kernel
def sweep_domains(work: Work, forth: int, back: int) -> None:
    """A sweep, forwards and back. The tasks of several domains have been set."""
    if work.sizes[DOMAINS] == 1:
        _do_task(work, forth, 0)
        _do_task(work, back, 0)
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
        _do_task(work, tasks[task, TASK_KIND], tasks[task, TASK_FIRST])
        finish_task(work.rounds)
        done += 1


@kernel
def _do_task(work: Work, kind: int, one: int) -> None:
    """Do what a task says with a domain or interface."""
    if kind == FORTH_TASK:
        _domain_forwards(work, one)
    elif kind == CROSS_TASK:
        _points_forwards(work, one)
        _points_back(work, one)
    elif kind == BACK_TASK:
        _domain_back(work, one)
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
        lift_bodies_on(work, one)
        lifts_forwards(work, one)
    elif kind == LIFT_CROSS_TASK:
        lifts_forwards(work, one)
        lifts_back(work, one)
    elif kind == LIFT_BACK_TASK:
        lifts_back(work, one)
    elif kind == LOAD_TASK:
        load_lifts(work, one)
        if one < work.sizes[DOMAINS]:
            find_lifted(work, one)
    else:
        unload_lifts(work, one)


@kernel
def _domain_forwards(work: Work, one: int) -> None:
    """The bodies of a domain go on with the impulses, and its points are swept forwards."""
    domains = work.domains
    is_first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    for n in range(domains[one, FIRST_BODY], domains[one, LAST_BODY]):
        go_on(work.twists, work.walk[n], V_END, V_BEFORE, V_AHEAD, 6, is_first, beta)
    _points_forwards(work, one)


@kernel
def _domain_back(work: Work, one: int) -> None:
    """The points of a domain are swept back."""
    _points_back(work, one)
    work.changed[one, MOVED_MOST] = _moved(work, one)


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
def _moved(work: Work, one: int) -> float:
    """What the last sweep as a whole has changed: the square of the impulse that it leaves a body of the domain with at
    most [N^2 s^2].

    As a speed of the lightest body, times how many the longest chain has, it tells how far from done a solve is: one
    of n passes on an n-th of its changes from link to link. Turning counts at the radii of gyration.
    """
    twists = work.twists
    most = 0.0
    for n in range(work.domains[one, FIRST_BODY], work.domains[one, LAST_BODY]):
        at = work.walk[n]
        inv_m = twists[at, INV_M]
        linear = angular = 0.0
        for c in range(3):
            linear += (twists[at, V_END + c] - twists[at, V_BEFORE + c]) ** 2
            turn = twists[at, W_END + c] - twists[at, V_BEFORE + 3 + c]
            if turn != 0.0:
                angular += turn * turn * inv_m / twists[at, INV_I + 4 * c]
        most = max(most, max(linear, angular) / (inv_m * inv_m))
    return most
