"""Impulses of a contact group by Newton's method, for groups whose sweeps are slow: walls, arches, tall stacks.

The method of multipliers (Rockafellar 1976) in the space of velocities. Each point k has springs of s = STIFF / D_k
about the impulse that it has so far, lambda:

    p(v) = the nearest to lambda - s (u - (least - lift, 0, 0)) in the point's cone of friction,

and M (v - v_free) = J^T p(v) is the gradient of a convex function, whose least value Newton's method finds, with a line
search; its matrix M + J^T G J has the pattern of the graph of bodies and is factored in its skyline, bodies in the
order of Cuthill and McKee (1969), reversed. Then lambda = p(v), and the sweeps see whether that is all: each round
takes away from the error by STIFF times the least eigenvalue of the contacts' own matrix. A cone lifts
what slides by mu |u_t|: that is taken off, by as much as it was when the round began (de Saxce and Feng 1998).

Where impulses are not unique, rounds that start from none end at those of least norm, weighed by D: to the others there
leads no direction that springs push in.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.frames import matrix_of
from engine.group.load import quat_at
from engine.group.solve.gauss_seidel import (
    push_along,
    speed_along,
    sweep_impulses,
    sweep_once,
    sweep_pushes,
    sweep_while_it_helps,
)
from engine.group.solve.skyline import factor_skyline, solve_skyline
from engine.group.work import (
    ARM_A,
    ARM_B,
    BODIES,
    CONTACTS,
    D_NN,
    DYNAMIC,
    EAGER,
    ENTRIES_NEEDED,
    FACTORING,
    FOUND_AT,
    GIVEN,
    IMPULSE_AT,
    INERTIA,
    INV_M,
    LEAST,
    LIFT,
    MU,
    NORMAL_AT,
    PAIRS_HELD,
    PUSH_IMPULSE,
    PUSH_LEAST,
    SIDE_A,
    SIDE_B,
    SLIDES,
    STATIC,
    STIFF_AT,
    UNKNOWN_STEP,
    UNKNOWN_WAY,
    UNSOLVED,
    V_END,
    V_MOVED,
    V_PUSH,
    Q,
    Work,
)
from engine.kernel import kernel
from engine.model.joints import OFFSET, START
from engine.model.model import ARM, INV_MASS, INV_MOMENTS, MASS, MOMENTS, Floats

SOFTEST = 1e3
STIFFEST = 1e6
"""Impulse that a point's spring takes for a velocity, as a multiple of what alone would stop it, in the first round and
at most [1]."""

STIFFER = 10.0
"""By how much springs are stiffer in the next round [1]."""

DIRECT_ENTRIES = 10_000
"""Groups whose matrix has more entries than this are not worth finding loads of least norm for."""

MOST_WORK = 3e7
"""Groups whose matrix takes more multiplications than this to factor are left to sweeps [1]."""

_ITERATIONS = 60  # of Newton's method in a round, at most
_CUTS = 40  # of a step's length by its line search, at most
_ROUNDS = 8  # with springs that get stiffer, at most
_FIRST_SWEEPS = 8  # before anything else, at least: most groups at rest need no more
_WORTH = 8.0  # factorings: sweeps that cost as much as so many come first
_TURN_WORK = 150.0  # multiplications that take as long as a point's two turns in a sweep
_SWEEPS_BETWEEN = 3  # rounds: they tell how far from done it is, and what slides
_HELPS = 0.5  # a round that leaves more than this part of the error is the last


def most_entries(n: int) -> int:
    """Room that the matrix of a group of n bodies needs at most, its factoring being no more work than MOST_WORK."""
    rows = 6 * n
    return rows + min(rows * (rows + 1) // 2, int(sqrt(2.0 * MOST_WORK * rows)))


# --- order ------------------------------------------------------------------------------------------------------------


@kernel
def order_bodies(work: Work) -> None:
    """Places of the group's bodies in the matrix, and its skyline. work.sizes[ENTRIES_NEEDED]: 0 if that is too much.

    Bodies that touch get places near each other: breadth first from the last body that such a search from anywhere
    finds, those with few neighbours first.
    """
    count = work.sizes[BODIES]
    _list_neighbours(work)
    for at in range(count):
        work.place[at] = -1
    done = 0
    for at in range(count):
        if work.place[at] < 0:
            end = _search(work, at, done)
            last = work.queue[end - 1]
            for q in range(done, end):
                work.place[work.queue[q]] = -1
            done = _search(work, last, done)
    for q in range(count):
        work.place[work.queue[q]] = count - 1 - q
    _draw_skyline(work)


@kernel
def _list_neighbours(work: Work) -> None:
    """work.near[work.begin[at] .. work.begin[at + 1]]: the bodies that touch body `at`, again and again if need be."""
    count = work.sizes[BODIES]
    for at in range(count + 1):
        work.begin[at] = 0
    for p in range(work.sizes[PAIRS_HELD]):
        k = work.first[p]
        a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
        if a >= 0 and b >= 0:
            work.begin[a] += 1
            work.begin[b] += 1
    total = 0
    for at in range(count + 1):
        total += work.begin[at]
        work.begin[at] = total
    for p in range(work.sizes[PAIRS_HELD]):
        k = work.first[p]
        a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
        if a >= 0 and b >= 0:
            work.begin[a] -= 1
            work.begin[b] -= 1
            work.near[work.begin[a]] = b
            work.near[work.begin[b]] = a


@kernel
def _search(work: Work, root: int, done: int) -> int:
    """Breadth first from `root`: work.queue from `done` on, where it ends."""
    work.queue[done] = root
    work.place[root] = 0
    head, end = done, done + 1
    while head < end:
        at = work.queue[head]
        head += 1
        first = end
        for n in range(work.begin[at], work.begin[at + 1]):
            other = work.near[n]
            if work.place[other] >= 0:
                continue
            work.place[other] = 0
            degree = work.begin[other + 1] - work.begin[other]
            to = end
            while to > first and work.begin[work.queue[to - 1] + 1] - work.begin[work.queue[to - 1]] > degree:
                work.queue[to] = work.queue[to - 1]
                to -= 1
            work.queue[to] = other
            end += 1
    return end


@kernel
def _draw_skyline(work: Work) -> None:
    count = work.sizes[BODIES]
    for at in range(count):
        work.root[at] = work.place[at]
    for at in range(count):
        for n in range(work.begin[at], work.begin[at + 1]):
            work.root[at] = min(work.root[at], work.place[work.near[n]])
    for at in range(count):
        for c in range(6):
            work.fill[6 * work.place[at] + c, START] = 6 * work.root[at]
    entries = 0
    multiplications = 0.0
    for i in range(6 * count):
        width = i + 1 - work.fill[i, START]
        work.fill[i, OFFSET] = entries - work.fill[i, START]
        entries += width
        multiplications += 0.5 * float(width) * float(width)
    work.link[FACTORING] = multiplications
    work.sizes[ENTRIES_NEEDED] = entries if multiplications <= MOST_WORK else 0


# --- solve ------------------------------------------------------------------------------------------------------------


@kernel
def _solve_impulses(table: Floats, work: Work, stiff: float, small: float) -> bool:
    """One round for the impulses and end velocities of a step."""
    return _solve(table, work, work.sizes[CONTACTS], V_END, IMPULSE_AT, LEAST, True, stiff, small)


@kernel
def _solve_pushes(table: Floats, work: Work, count: int, stiff: float, small: float) -> bool:
    """One round for the pseudo-velocities that lift what has sunk, at the points 0 .. count - 1."""
    return _solve(table, work, count, V_PUSH, PUSH_IMPULSE, PUSH_LEAST, False, stiff, small)


@kernel
def _solve(
    table: Floats, work: Work, count: int, v: int, impulse: int, least: int, rubs: bool, stiff: float, small: float
) -> bool:
    """One round. v, impulse, least: columns of velocities (those of turning follow), impulses, least normal velocity.

    False if it came to no end: then nothing has changed.
    """
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    axes = 3 if rubs else 1
    _load_inertia(table, work)
    if rubs:
        _set_cones(work, count, v)
    found = False
    enough = 0.0
    _find_forces(work, count, v, impulse, least, rubs, stiff)
    _find_residual(table, work, count, impulse, axes)
    for turn in range(_ITERATIONS):
        wrong = _most_wrong(table, work)
        if turn == 0:
            enough = max(0.1 * small, 1e-4 * wrong)
        found = wrong <= enough
        if found:
            break
        _assemble(work, count, axes)
        _solve_for_step(work)
        slope = _slope_along(work)
        if not slope < 0.0:
            break
        _search_line(table, work, count, v, impulse, least, rubs, stiff, slope)
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            bodies[at, v + c] -= bodies[at, V_MOVED + c]
    if not found:
        return False
    for k in range(count):
        for c in range(axes):
            more = contacts[k, FOUND_AT + c] - contacts[k, impulse + c]
            contacts[k, impulse + c] = contacts[k, FOUND_AT + c]
            push_along(bodies, contact, contacts, k, c, more, v, v + 3)
    return True


@kernel
def _load_inertia(table: Floats, work: Work) -> None:
    bodies = work.bodies
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        m = matrix_of(quat_at(bodies, at, Q))
        for r in range(3):
            for c in range(3):
                s = 0.0
                for k in range(3):
                    s += m[3 * r + k] * table[i, MOMENTS + k] * m[3 * c + k]
                bodies[at, INERTIA + 3 * r + c] = s
        for c in range(6):
            bodies[at, V_MOVED + c] = 0.0


@kernel
def _set_cones(work: Work, count: int, v: int) -> None:
    """Friction of every point in this round, and the lift that its cone would give it, by de Saxce's correction."""
    contact, contacts = work.contact, work.contacts
    for k in range(count):
        mu = contacts[k, DYNAMIC] if contact[k, SLIDES] == 1 else contacts[k, STATIC]
        u1 = speed_along(work.bodies, contact, contacts, k, 1, v, v + 3) + contacts[k, GIVEN + 1]
        u2 = speed_along(work.bodies, contact, contacts, k, 2, v, v + 3) + contacts[k, GIVEN + 2]
        contacts[k, MU] = mu
        contacts[k, LIFT] = mu * sqrt(u1 * u1 + u2 * u2) if contact[k, SLIDES] == 1 else 0.0


@kernel
def _find_forces(work: Work, count: int, v: int, impulse: int, least: int, rubs: bool, stiff: float) -> None:
    """p(v) of every point, and how it changes with u."""
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    for k in range(count):
        s = stiff / contacts[k, D_NN]
        u = speed_along(bodies, contact, contacts, k, 0, v, v + 3) - contacts[k, least]
        if rubs:
            u += contacts[k, GIVEN] + contacts[k, LIFT]
            _find_in_cone(work, k, v, s, contacts[k, impulse] - s * u)
        else:
            p = contacts[k, impulse] - s * u
            contacts[k, FOUND_AT] = max(p, 0.0)
            contacts[k, STIFF_AT] = s if p > 0.0 else 0.0


@kernel
def _find_in_cone(work: Work, k: int, v: int, s: float, q: float) -> None:
    """The nearest impulse in the cone of friction of point k to q, u's tangential parts added, and its derivative."""
    contacts = work.contacts
    u1 = speed_along(work.bodies, work.contact, contacts, k, 1, v, v + 3) + contacts[k, GIVEN + 1]
    u2 = speed_along(work.bodies, work.contact, contacts, k, 2, v, v + 3) + contacts[k, GIVEN + 2]
    q1, q2 = contacts[k, IMPULSE_AT + 1] - s * u1, contacts[k, IMPULSE_AT + 2] - s * u2
    size = sqrt(q1 * q1 + q2 * q2)
    mu = contacts[k, MU]
    nn = n1 = n2 = g11 = g12 = g22 = 0.0
    if mu * size <= -q:
        q = q1 = q2 = 0.0
    elif size <= mu * q:
        nn, g11, g22 = s, s, s
    else:
        ease = 1.0 / (1.0 + mu * mu)
        q = ease * (q + mu * size)
        d1, d2 = q1 / size, q2 / size
        q1, q2 = mu * q * d1, mu * q * d2
        along, across = s * ease * mu * mu, s * mu * q / size
        nn, n1, n2 = s * ease, s * ease * mu * d1, s * ease * mu * d2
        g11 = along * d1 * d1 + across * d2 * d2
        g12 = (along - across) * d1 * d2
        g22 = along * d2 * d2 + across * d1 * d1
    contacts[k, FOUND_AT], contacts[k, FOUND_AT + 1], contacts[k, FOUND_AT + 2] = q, q1, q2
    contacts[k, STIFF_AT], contacts[k, STIFF_AT + 1], contacts[k, STIFF_AT + 2] = nn, n1, n2
    contacts[k, STIFF_AT + 3], contacts[k, STIFF_AT + 4], contacts[k, STIFF_AT + 5] = g11, g12, g22


@kernel
def _find_residual(table: Floats, work: Work, count: int, impulse: int, axes: int) -> None:
    """J^T (p - p before) - M (v - v before), the way downhill, into column UNKNOWN_WAY, by place."""
    bodies, contact, contacts, unknown = work.bodies, work.contact, work.contacts, work.unknown
    for at in range(work.sizes[BODIES]):
        i, row = work.body[at], 6 * work.place[at]
        for r in range(3):
            unknown[row + r, UNKNOWN_WAY] = -table[i, MASS] * bodies[at, V_MOVED + r]
            s = 0.0
            for c in range(3):
                s += bodies[at, INERTIA + 3 * r + c] * bodies[at, V_MOVED + 3 + c]
            unknown[row + 3 + r, UNKNOWN_WAY] = -s
    for k in range(count):
        a, b = contact[k, SIDE_A], contact[k, SIDE_B]
        for axis in range(axes):
            p = contacts[k, FOUND_AT + axis] - contacts[k, impulse + axis]
            n = NORMAL_AT + 3 * axis
            if a >= 0:
                row = 6 * work.place[a]
                for c in range(3):
                    unknown[row + c, UNKNOWN_WAY] += p * contacts[k, n + c]
                    unknown[row + 3 + c, UNKNOWN_WAY] += p * contacts[k, ARM_A + 3 * axis + c]
            if b >= 0:
                row = 6 * work.place[b]
                for c in range(3):
                    unknown[row + c, UNKNOWN_WAY] -= p * contacts[k, n + c]
                    unknown[row + 3 + c, UNKNOWN_WAY] -= p * contacts[k, ARM_B + 3 * axis + c]


@kernel
def _slope_along(work: Work) -> float:
    slope = 0.0
    for i in range(6 * work.sizes[BODIES]):
        slope -= work.unknown[i, UNKNOWN_WAY] * work.unknown[i, UNKNOWN_STEP]
    return slope


@kernel
def _most_wrong(table: Floats, work: Work) -> float:
    """The most that the residual, as an impulse, would change the velocity of a body's points [m/s]."""
    most = 0.0
    for at in range(work.sizes[BODIES]):
        i, row = work.body[at], 6 * work.place[at]
        push = turn = 0.0
        for c in range(3):
            push += work.unknown[row + c, UNKNOWN_WAY] ** 2
            turn += work.unknown[row + 3 + c, UNKNOWN_WAY] ** 2
        ease = max(table[i, INV_MOMENTS], table[i, INV_MOMENTS + 1], table[i, INV_MOMENTS + 2])
        most = max(most, sqrt(push) * table[i, INV_MASS] + sqrt(turn) * ease * table[i, ARM])
    return most


@kernel
def _assemble(work: Work, count: int, axes: int) -> None:
    """M + J^T G J in its skyline."""
    bodies, matrix, fill = work.bodies, work.matrix, work.fill
    for i in range(6 * work.sizes[BODIES]):
        for j in range(fill[i, START], i + 1):
            matrix[fill[i, OFFSET] + j] = 0.0
    for at in range(work.sizes[BODIES]):
        first = 6 * work.place[at]
        for r in range(3):
            i = first + r
            matrix[fill[i, OFFSET] + i] = 1.0 / bodies[at, INV_M]
            i = first + 3 + r
            for c in range(r + 1):
                matrix[fill[i, OFFSET] + first + 3 + c] = bodies[at, INERTIA + 3 * r + c]
    for k in range(count):
        if work.contacts[k, STIFF_AT] > 0.0:
            _add_point(work, k, axes)


@kernel
def _add_point(work: Work, k: int, axes: int) -> None:
    """J^T G J of point k, below the diagonal."""
    a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
    if a >= 0:
        _load_rows(work, k, 0, ARM_A, axes)
        _add_block(work, work.place[a], 0, work.place[a], 0, 1.0, axes)
    if b >= 0:
        _load_rows(work, k, 1, ARM_B, axes)
        _add_block(work, work.place[b], 1, work.place[b], 1, 1.0, axes)
    if a >= 0 and b >= 0:
        if work.place[a] > work.place[b]:
            _add_block(work, work.place[a], 0, work.place[b], 1, -1.0, axes)
        else:
            _add_block(work, work.place[b], 1, work.place[a], 0, -1.0, axes)


@kernel
def _load_rows(work: Work, k: int, side: int, arm: int, axes: int) -> None:
    """Rows of J of one body at point k into work.block[side], and G times them into work.block[2 + side]."""
    contacts, block = work.contacts, work.block
    for axis in range(axes):
        for c in range(3):
            block[side, 6 * axis + c] = contacts[k, NORMAL_AT + 3 * axis + c]
            block[side, 6 * axis + 3 + c] = contacts[k, arm + 3 * axis + c]
    nn, n1, n2 = contacts[k, STIFF_AT], contacts[k, STIFF_AT + 1], contacts[k, STIFF_AT + 2]
    if axes == 1:
        for c in range(6):
            block[2 + side, c] = nn * block[side, c]
        return
    g11, g12, g22 = contacts[k, STIFF_AT + 3], contacts[k, STIFF_AT + 4], contacts[k, STIFF_AT + 5]
    for c in range(6):
        n, s, t = block[side, c], block[side, 6 + c], block[side, 12 + c]
        block[2 + side, c] = nn * n + n1 * s + n2 * t
        block[2 + side, 6 + c] = n1 * n + g11 * s + g12 * t
        block[2 + side, 12 + c] = n2 * n + g12 * s + g22 * t


@kernel
def _add_block(work: Work, place: int, side: int, column: int, other: int, sign: float, axes: int) -> None:
    """Below the diagonal, the rows of one body, transposed, times G times those of the other, or of itself."""
    block, matrix, fill = work.block, work.matrix, work.fill
    for r in range(6):
        to = fill[6 * place + r, OFFSET] + 6 * column
        for axis in range(axes):
            left = sign * block[side, 6 * axis + r]
            for c in range(r + 1 if place == column else 6):
                matrix[to + c] += left * block[2 + other, 6 * axis + c]


@kernel
def _solve_for_step(work: Work) -> None:
    count = 6 * work.sizes[BODIES]
    for i in range(count):
        work.unknown[i, UNKNOWN_STEP] = work.unknown[i, UNKNOWN_WAY]
    factor_skyline(work.fill, work.matrix, 0, count)
    solve_skyline(work.fill, work.matrix, 0, count, work.unknown, UNKNOWN_STEP)


@kernel
def _search_line(
    table: Floats, work: Work, count: int, v: int, impulse: int, least: int, rubs: bool, stiff: float, slope: float
) -> None:
    """Go along UNKNOWN_STEP, which begins with `slope` [J], until that has almost gone."""
    axes = 3 if rubs else 1
    gone, step = 0.0, 1.0
    low, high = 0.0, 1.0
    low_slope = slope
    for _ in range(_CUTS):
        _go(work, v, step - gone)
        gone = step
        _find_forces(work, count, v, impulse, least, rubs, stiff)
        _find_residual(table, work, count, impulse, axes)
        here = _slope_along(work)
        if abs(here) <= 0.3 * abs(slope) or (here < 0.0 and step == 1.0):
            break
        if here < 0.0:
            low, low_slope = step, here
            step = 0.5 * (low + high)
        else:
            high = step
            step = low + max(0.1, min(0.9, low_slope / (low_slope - here))) * (high - low)


@kernel
def _go(work: Work, v: int, way: float) -> None:
    for at in range(work.sizes[BODIES]):
        row = 6 * work.place[at]
        for c in range(6):
            d = way * work.unknown[row + c, UNKNOWN_STEP]
            work.bodies[at, v + c] += d
            work.bodies[at, V_MOVED + c] += d


# --- rounds -----------------------------------------------------------------------------------------------------------


@kernel
def find_impulses(table: Floats, work: Work, limit: int, small: float, moves: bool, directly: bool) -> int:
    """Impulses and end velocities of a step, to `small` [m/s]: by sweeps, and where they are slow by rounds of Newton's
    method between them. How many sweeps it took.

    moves: something in the group slides or hits. directly: rounds first, so that of impulses that are not unique those
    nearest to what there is are found.
    """
    bodies, contact, contacts, n, count = (
        work.bodies,
        work.contact,
        work.contacts,
        work.sizes[BODIES],
        work.sizes[CONTACTS],
    )
    if work.sizes[ENTRIES_NEEDED] == 0:
        if moves:
            return sweep_while_it_helps(bodies, contact, contacts, n, count, limit, small)
        return sweep_impulses(bodies, contact, contacts, n, count, limit, small)
    sweeps = 0
    cold = True
    for k in range(count):
        cold = cold and contacts[k, IMPULSE_AT] == 0.0
    if not (cold or directly):
        first = _first_sweeps(work, count, limit)
        sweeps = sweep_impulses(bodies, contact, contacts, n, count, first, small)
        if sweeps < first:
            return sweeps
    stiff = SOFTEST
    before = inf
    for _ in range(_ROUNDS):
        if not _solve_impulses(table, work, stiff, small):
            break
        sweeps += sweep_impulses(bodies, contact, contacts, n, count, _SWEEPS_BETWEEN, small) + 1
        change, _ = sweep_once(bodies, contact, contacts, n, count, True, 0.0)
        if change <= small:
            return sweeps
        if change > _HELPS * before:
            break
        before = change
        stiff = min(STIFFER * stiff, STIFFEST)
    last = sweep_impulses(bodies, contact, contacts, n, count, limit, small)
    if last == limit:
        work.sizes[UNSOLVED] = 1
    return sweeps + last


@kernel
def _first_sweeps(work: Work, count: int, limit: int) -> int:
    """How many sweeps over `count` points have a try before rounds: what a few factorings would cost."""
    if work.sizes[EAGER] == 1:
        return _FIRST_SWEEPS
    worth = _WORTH * work.link[FACTORING] / (_TURN_WORK * max(count, 1))
    return max(_FIRST_SWEEPS, min(limit, int(worth)))


@kernel
def find_pushes(table: Floats, work: Work, count: int, limit: int, small: float) -> None:
    """Pseudo-velocities that lift what has sunk, and press nothing down, at the points 0 .. count - 1."""
    bodies, contact, contacts = work.bodies, work.contact, work.contacts
    if work.sizes[ENTRIES_NEEDED] == 0:
        sweep_pushes(bodies, contact, contacts, count, limit, small)
        return
    if sweep_pushes(bodies, contact, contacts, count, _first_sweeps(work, count, limit), small):
        return
    stiff = SOFTEST
    for _ in range(_ROUNDS):
        if not _solve_pushes(table, work, count, stiff, small):
            break
        if sweep_pushes(bodies, contact, contacts, count, _SWEEPS_BETWEEN, small):
            return
        stiff = min(STIFFER * stiff, STIFFEST)
    sweep_pushes(bodies, contact, contacts, count, limit, small)
