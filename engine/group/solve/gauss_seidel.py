"""Impulses of one step of a contact group: Gauss-Seidel over its contact points, each with Coulomb's isotropic cone.

For end velocities v, and u = J v + what is prescribed at each point,

    0 <= p_n  ⟂  u_n - target >= 0,     p_t = -mu p_n u_t / |u_t|  or  u_t = 0, |p_t| <= mu p_n:

the true law of Coulomb, not its convex relative, so that what slides is not lifted: the normal impulse looks at u_n
alone, then friction is projected into its disc for that load (engine.group.solve.friction_cone). A sweep runs forwards
and back: a stack is loaded from below and from above.

Sweeps alone are slow where load goes through many bodies, or from heavy ones through light ones. What one sweep changes
is, as a gradient, the start of a nonlinear conjugate gradient method (Silcowitz, Niebe and Erleben 2010): impulses are
extrapolated along a direction made of the changes so far, until they stop getting smaller. The last word has a sweep.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.solve.lane_sweeps import sweep_back, sweep_forwards
from engine.group.solve.lanes import empty_lanes, fill_lanes, order_points
from engine.group.solve.point_sweeps import go_on, sweep_points
from engine.group.work import (
    ALONE_MOST,
    ALONE_SIZE,
    BACK_TASK,
    BETA,
    BLOCK_TASK,
    BODIES,
    BODY_TASK,
    CHAIN,
    EMPTY_TASK,
    FILL_TASK,
    FIRST_SWEEP,
    INV_I,
    INV_M,
    LIGHTEST,
    MOST_COLOURS,
    MOVED_TASK,
    POINT_TASK,
    SWEEP_ROUND,
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
    clear_tasks,
    finish_task,
    open_round,
    take_task,
)
from engine.simd import LANES
from engine.tolerances import FIRST_SWEEPS, SOLVE_SWEEPS, SOLVE_UPDATES

_IN_VAIN = 4 * FIRST_SWEEPS  # sweeps that find no smaller change

_BLOCKS_EACH = 6
"""A task has so many blocks at least, and _PARTS of a colour's: taking one costs a tenth of a microsecond, a block a
sixth."""

_PARTS = 16

_BODIES_EACH = 128


@kernel
def sweep_budget(count: int) -> int:
    """How many sweeps over `count` points a solve may take."""
    return max(SOLVE_SWEEPS, SOLVE_UPDATES // max(count, 1))


@kernel
def sweep_impulses(work: Work, limit: int, small: float) -> tuple[int, float]:
    """Sweep until no point's velocity changes by more than `small` [m/s] any more, at most `limit` times.

    Nor for long when changes get no smaller: what slides at more points than its body has freedoms may hand load round
    for ever, and the next step goes on from wherever that is. How often, and by how much the last sweep changed one.
    """
    blocks = fill_blocks(work)
    work.link[LIGHTEST] = _lightest(work)
    if blocks > 0:
        add_sweep_tasks(work)
    sweeps = smallest = 0
    most = before = beta = 0.0
    least = inf
    for _ in range(limit):
        work.link[BETA], work.link[FIRST_SWEEP] = beta, 1.0 if sweeps == 0 else 0.0
        most, size = _sweep_once(work, blocks)
        sweeps += 1
        if most < least:
            least, smallest = most, sweeps
        if most <= small or sweeps - smallest >= _IN_VAIN:
            break
        beta = size / before if before > 0.0 else 0.0
        before = size
    empty_blocks(work, blocks)
    return sweeps, most


@kernel
def _sweep_once(work: Work, blocks: int) -> tuple[float, float]:
    """One sweep over the points of a group, forwards and back.

    Before it, unless it is the first, impulses go on by beta times the direction so far, and the next one is made of
    that and of what the last sweep changed. Above 1 the changes have grown: the direction is forgotten. Velocities
    follow, being linear in the impulses; a point's own go on when the sweep comes to it, which is where they matter.

    Returns by how much it changes a velocity at most [m/s], and the size of its changes, weighed by inverse effective
    mass. Where bodies touch at more points than they have freedoms, what one point takes another gives back: what
    counts is what the sweep as a whole has changed.
    """
    if blocks > 0:
        open_round(work.rounds, SWEEP_ROUND)
        take_part_in_sweep(work)
        moved = 0.0
        for task in range(work.rounds.board[TASKS]):
            if work.rounds.tasks[task, TASK_KIND] == MOVED_TASK:
                moved = max(moved, work.rounds.told[task])
    else:
        _extrapolate_bodies(work, 0, work.sizes[BODIES])
        sweep_points(work, 0)
        moved = _moved(work, 0, work.sizes[BODIES])
    most, size = work.link[ALONE_MOST], work.link[ALONE_SIZE]
    for block in range(blocks):
        most = max(most, work.changes[block, 0])
        size += work.changes[block, 1]
    return min(most, work.sizes[CHAIN] * work.link[LIGHTEST] * sqrt(moved)), size


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


@kernel
def _lightest(work: Work) -> float:
    """Inverse mass of the lightest body [1/kg]."""
    lightest = 0.0
    for at in range(work.sizes[BODIES]):
        lightest = max(lightest, work.twists[at, INV_M])
    return lightest


@kernel
def fill_blocks(work: Work) -> int:
    """Blocks for the points of the group, the order of all of them in Work.order; how many blocks."""
    blocks = order_points(work)
    _share_blocks(work, FILL_TASK, blocks)
    return blocks


@kernel
def empty_blocks(work: Work, blocks: int) -> None:
    """The impulses found in blocks, back into the rows of their points."""
    _share_blocks(work, EMPTY_TASK, blocks)


@kernel
def _share_blocks(work: Work, kind: int, blocks: int) -> None:
    """Have all blocks filled, or emptied, each by the thread that sweeps it."""
    if blocks > 0:
        clear_tasks(work.rounds)
        _add_colours(work, kind)
        open_round(work.rounds, SWEEP_ROUND)
        take_part_in_sweep(work)


@kernel
def add_sweep_tasks(work: Work) -> None:
    """The tasks of a sweep: extrapolating bodies, blocks forwards, colour by colour, what is in no block, and back."""
    clear_tasks(work.rounds)
    add_batch(work.rounds, BODY_TASK, 0, work.sizes[BODIES], _BODIES_EACH)
    _add_colours(work, BLOCK_TASK)
    add_batch(work.rounds, POINT_TASK, 0, 1, 1)
    _add_colours(work, BACK_TASK)
    add_batch(work.rounds, MOVED_TASK, 0, work.sizes[BODIES], _BODIES_EACH)


@kernel
def _add_colours(work: Work, kind: int) -> None:
    """Tasks for the blocks of each colour; going back, the last one comes first."""
    used = 0
    while work.colours[used] < work.colours[MOST_COLOURS]:
        used += 1
    for n in range(used):
        one = used - 1 - n if kind == BACK_TASK else n
        first, last = work.colours[one], work.colours[one + 1]
        add_batch(work.rounds, kind, first, last, max(_BLOCKS_EACH, (last - first) // _PARTS))


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
        if kind == BLOCK_TASK:
            sweep_forwards(work, first, last)
        elif kind == BACK_TASK:
            sweep_back(work, first, last)
        elif kind == BODY_TASK:
            _extrapolate_bodies(work, first, last)
        elif kind == MOVED_TASK:
            work.rounds.told[task] = _moved(work, first, last)
        elif kind == FILL_TASK:
            fill_lanes(work, first, last)
        elif kind == EMPTY_TASK:
            empty_lanes(work, first, last)
        else:
            sweep_points(work, LANES * work.colours[MOST_COLOURS])
        finish_task(work.rounds)
        done += 1


@kernel
def _extrapolate_bodies(work: Work, first: int, last: int) -> None:
    """The end velocities of bodies first .. last - 1 go on with the impulses."""
    is_first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    for at in range(first, last):
        go_on(work.twists, at, V_END, V_BEFORE, V_AHEAD, 6, is_first, beta)
