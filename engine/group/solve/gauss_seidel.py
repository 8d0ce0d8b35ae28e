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

from engine.group.relative_velocity import apply_along, apply_at, dot_velocity, speed_along
from engine.group.solve.friction_cone import project_couple, project_friction, sticks, stop_slip
from engine.group.solve.lane_sweeps import sweep_back, sweep_forwards
from engine.group.solve.lanes import empty_blocks, fill_blocks
from engine.group.work import (
    AHEAD,
    AHEAD_COUPLE,
    ALONE_MOST,
    ALONE_SIZE,
    ARM_A,
    ARM_B,
    BACK_TASK,
    BEFORE,
    BEFORE_COUPLE,
    BETA,
    BLOCK_TASK,
    BODIES,
    BODY_TASK,
    CHAIN,
    CONTACTS,
    COUPLE,
    D_MAX,
    D_NN,
    D_NT,
    DYNAMIC,
    FIRST_SWEEP,
    FRICTION,
    IMPULSE_AT,
    IN_BLOCKS,
    INV_I,
    INV_M,
    MOST_COLOURS,
    NORMAL_AT,
    NORMAL_MASS,
    PRESCRIBED,
    PSEUDO_IMPULSE,
    PSEUDO_TARGET,
    ROLLING_LEVER,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SPINNING_LEVER,
    STATIC,
    SWEEP_ROUND,
    TARGET,
    TASK_AFTER,
    TASK_FIRST,
    TASK_KIND,
    TASK_LAST,
    TASKS,
    V_AHEAD,
    V_BEFORE,
    V_END,
    V_PSEUDO,
    W_END,
    WHOLE_MASS,
    Work,
)
from engine.kernel import inner_kernel, kernel, linked_kernel
from engine.maths.vectors import Vec3
from engine.model.model import COULOMB, Floats, Ints
from engine.simd import LANES
from engine.tickets import await_tasks, finish_task, open_round, take_ticket
from engine.tolerances import FIRST_SWEEPS, SOLVE_SWEEPS, SOLVE_UPDATES

_IN_VAIN = 4 * FIRST_SWEEPS  # sweeps that find no smaller change


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
        open_round(work.board, SWEEP_ROUND, work.sizes[TASKS])
        take_part_in_sweep(work)
        await_tasks(work.board, work.sizes[TASKS])
    else:
        _extrapolate_bodies(work, 0, work.sizes[BODIES])
        _sweep_points(work, 0)
    most, size = work.link[ALONE_MOST], work.link[ALONE_SIZE]
    for block in range(blocks):
        most = max(most, work.changes[block, 0])
        size += work.changes[block, 1]
    return min(most, _moved_by_sweep(work)), size


@kernel
def _moved_by_sweep(work: Work) -> float:
    """What the last sweep as a whole has changed: the impulse that it leaves a body with, as a speed of the lightest
    body [m/s], times how many the longest chain has, since one of n passes on an n-th of its changes from link to link.

    Turning counts at the radii of gyration.
    """
    twists = work.twists
    most = lightest = 0.0
    for at in range(work.sizes[BODIES]):
        inv_m = twists[at, INV_M]
        lightest = max(lightest, inv_m)
        linear = angular = 0.0
        for c in range(3):
            linear += (twists[at, V_END + c] - twists[at, V_BEFORE + c]) ** 2
            turn = twists[at, W_END + c] - twists[at, V_BEFORE + 3 + c]
            if turn != 0.0:
                angular += turn * turn * inv_m / twists[at, INV_I + 4 * c]
        most = max(most, max(linear, angular) / (inv_m * inv_m))
    return work.sizes[CHAIN] * lightest * sqrt(most)


@linked_kernel
def take_part_in_sweep(work: Work) -> int:
    """Do tasks of a sweep that is under way until all have been taken; how many."""
    done = 0
    while True:
        task = take_ticket(work.board, SWEEP_ROUND)
        if task < 0:
            return done
        await_tasks(work.board, work.tasks[task, TASK_AFTER])
        kind, first, last = work.tasks[task, TASK_KIND], work.tasks[task, TASK_FIRST], work.tasks[task, TASK_LAST]
        if kind == BODY_TASK:
            _extrapolate_bodies(work, first, last)
        elif kind == BLOCK_TASK:
            sweep_forwards(work, first, last)
        elif kind == BACK_TASK:
            sweep_back(work, first, last)
        else:
            _sweep_points(work, LANES * work.colours[MOST_COLOURS])
        finish_task(work.board)
        done += 1


@kernel
def _extrapolate_bodies(work: Work, first: int, last: int) -> None:
    """The end velocities of bodies first .. last - 1 go on with the impulses."""
    is_first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    for at in range(first, last):
        go_on(work.twists, at, V_END, V_BEFORE, V_AHEAD, 6, is_first, beta)


@kernel
def _sweep_points(work: Work, alone: int) -> None:
    """The points in no block, from this place of the order on, one after the other, forwards and back."""
    twists, contact, contacts, notes, order = work.twists, work.contact, work.contacts, work.notes, work.order
    first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    end = alone + work.sizes[CONTACTS] - work.sizes[IN_BLOCKS]
    most = size = 0.0
    for place in range(alone, end):
        k = order[place]
        turns = contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0
        go_on(contacts, k, IMPULSE_AT, BEFORE, AHEAD, 3, first, beta)
        if turns:
            go_on(notes, k, COUPLE, BEFORE_COUPLE, AHEAD_COUPLE, 3, first, beta)
        most = max(most, _update_impulse(twists, contact, contacts, notes, k))
        if turns:
            project_couple(twists, contact, contacts, notes, k)
    for place in range(end - 1, alone - 1, -1):
        k = order[place]
        change = _update_impulse(twists, contact, contacts, notes, k)
        turns = contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0
        # A point alone is updated twice in a row: what the second time changes is what the first has left.
        most = change if work.sizes[CONTACTS] == 1 and not turns else max(most, change)
        if turns:
            project_couple(twists, contact, contacts, notes, k)
        for c in range(3):
            change = contacts[k, IMPULSE_AT + c] - contacts[k, BEFORE + c]
            size += change * change * contacts[k, D_NN]
    work.link[ALONE_MOST], work.link[ALONE_SIZE] = most, size


@kernel
def go_on(table: Floats, row: int, value: int, before: int, ahead: int, width: int, first: bool, beta: float) -> None:
    """Extrapolate a row's values, and note where the sweep that follows begins."""
    for c in range(width):
        further = 0.0
        if first:
            table[row, ahead + c] = 0.0
        else:
            further = beta * table[row, ahead + c] if 0.0 < beta <= 1.0 else 0.0
            change = table[row, value + c] - table[row, before + c]
            table[row, ahead + c] = 0.0 if beta > 1.0 else further + change
        table[row, value + c] += further
        table[row, before + c] = table[row, value + c]


@inner_kernel
def _update_impulse(twists: Floats, contact: Ints, contacts: Floats, notes: Floats, k: int) -> float:
    """Update the impulse of point k, and both bodies' velocities; by how much that changes u at most [m/s].

    Velocities are read once and written once: what the normal impulse does to u_t is known from D.
    """
    change, d_n, d_1, d_2 = improve_point(contact, contacts, notes, k, velocity_at(twists, contact, contacts, k))
    if change != 0.0:
        apply_at(twists, contact, contacts, k, d_n, d_1, d_2, V_END)
    return change


@inner_kernel
def velocity_at(twists: Floats, contact: Ints, contacts: Floats, k: int) -> Vec3:
    """u of point k for the end velocities, in its frame [m/s]."""
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    u_n, u_1, u_2 = contacts[k, PRESCRIBED], contacts[k, PRESCRIBED + 1], contacts[k, PRESCRIBED + 2]
    if a >= 0:
        u_n += dot_velocity(twists, a, contacts, k, NORMAL_AT, ARM_A)
        u_1 += dot_velocity(twists, a, contacts, k, NORMAL_AT + 3, ARM_A + 3)
        u_2 += dot_velocity(twists, a, contacts, k, NORMAL_AT + 6, ARM_A + 6)
    if b >= 0:
        u_n -= dot_velocity(twists, b, contacts, k, NORMAL_AT, ARM_B)
        u_1 -= dot_velocity(twists, b, contacts, k, NORMAL_AT + 3, ARM_B + 3)
        u_2 -= dot_velocity(twists, b, contacts, k, NORMAL_AT + 6, ARM_B + 6)
    return u_n, u_1, u_2


@inner_kernel
def improve_point(contact: Ints, contacts: Floats, notes: Floats, k: int, u: Vec3) -> tuple[float, float, float, float]:
    """Set the impulse of point k, which has u, to what its condition asks for.

    By how much that changes u at most [m/s], and by how much the impulse [N s].
    """
    u_n, u_1, u_2 = u
    if contacts[k, WHOLE_MASS] > 0.0 and sticks(contact, contacts, k, u_n, u_1, u_2):
        d_n, d_1, d_2 = stop_slip(contacts, k, u_n, u_1, u_2)
        contact[k, SLIDES] = 0
        contacts[k, IMPULSE_AT] += d_n
        contacts[k, IMPULSE_AT + 1] += d_1
        contacts[k, IMPULSE_AT + 2] += d_2
        return max(abs(d_n) * contacts[k, D_NN], (abs(d_1) + abs(d_2)) * contacts[k, D_MAX]), d_n, d_1, d_2
    return _update_point(contact, contacts, notes, k, u)


@inner_kernel
def _update_point(contact: Ints, contacts: Floats, notes: Floats, k: int, u: Vec3) -> tuple[float, float, float, float]:
    """Set the normal impulse of point k, which has u, to what its condition asks for, then its friction for that load.

    By how much that changes u at most [m/s], and by how much the impulse [N s].
    """
    u_n, u_1, u_2 = u
    before = contacts[k, IMPULSE_AT]
    load = max(before - (u_n - contacts[k, TARGET]) * contacts[k, NORMAL_MASS], 0.0)
    d_n, d_1, d_2 = load - before, 0.0, 0.0
    contacts[k, IMPULSE_AT] = load
    change = abs(d_n) * contacts[k, D_NN]
    if contacts[k, DYNAMIC] > 0.0 or contacts[k, STATIC] > 0.0:
        none = load == before == contacts[k, IMPULSE_AT + 1] == contacts[k, IMPULSE_AT + 2] == 0.0
        if none and contact[k, FRICTION] == COULOMB:  # it is open and stays so
            contact[k, SLIDES] = 1 if u_1 != 0.0 or u_2 != 0.0 else 0
            return 0.0, 0.0, 0.0, 0.0
        u_1 += d_n * contacts[k, D_NT]
        u_2 += d_n * contacts[k, D_NT + 1]
        d_1, d_2 = project_friction(contact, contacts, notes, k, load, u_1, u_2)
        change = max(change, (abs(d_1) + abs(d_2)) * contacts[k, D_MAX])
    return change, d_n, d_1, d_2


@kernel
def sweep_corrections(twists: Floats, contact: Ints, contacts: Floats, count: int, limit: int, small: float) -> bool:
    """Pseudo-velocities that lift what has sunk and press nothing down: as `sweep_impulses`, without friction.

    True if they no longer change by more than `small` [m/s].
    """
    for sweep in range(limit):  # noqa: SIM110 - numba knows no generator here
        if correct_once(twists, contact, contacts, count, sweep % 2 == 1) <= small:
            return True
    return False


@kernel
def correct_once(twists: Floats, contact: Ints, contacts: Floats, count: int, back: bool) -> float:
    """One sweep of position correction, forwards or back; by how much it changes a pseudo-velocity at most [m/s]."""
    most = 0.0
    for place in range(count):
        k = count - 1 - place if back else place
        u = speed_along(twists, contact, contacts, k, 0, V_PSEUDO)
        before = contacts[k, PSEUDO_IMPULSE]
        after = max(before - (u - contacts[k, PSEUDO_TARGET]) * contacts[k, NORMAL_MASS], 0.0)
        contacts[k, PSEUDO_IMPULSE] = after
        apply_along(twists, contact, contacts, k, 0, after - before, V_PSEUDO)
        most = max(most, abs(after - before) * contacts[k, D_NN])
    return most
