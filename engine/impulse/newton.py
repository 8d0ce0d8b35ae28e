"""Newton's method for contacts that collide at once, where they are few: from nearly the answer to all of it.

Gradients (engine.impulse.simultaneous) soon know which contacts are open, stick or slide, and then take long over the
digits. There what they leave unchanged, F(p) = p - next(p) = 0, is smooth, and linear but for how slip turns:

    open    F = p
    sticks  F = (u - target) / bound
    slides  its normal part alike; F_t = p_t - mu z_n z_t / |z_t|,      z = p - (u - target) / bound

Of the steps that solve J d = -F the shortest is made, d = -J^T y, (J J^T + tiny) y = F: impulses that nothing tells
apart stay as near to each other as they were, and what is symmetric stays so to rounding.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.impulse.cluster import (
    ARM_A,
    DYNAMIC,
    FEW,
    INV_I,
    INV_M,
    LINK,
    NORMAL_AT,
    P_AHEAD,
    SIDE_A,
    STATIC,
    TARGET,
    Cluster,
    P,
    V,
    entry_of,
    velocity_at,
)
from engine.joints.response import clear_changes, push_entry, spread_changes
from engine.joints.tables import CHANGE, CHANGE_TURN
from engine.kernel import kernel
from engine.maths.rounding import ROOT
from engine.maths.vectors import Vec3, cross, dot, scale, vector_at
from engine.tolerances import ALIKE

_ROUNDS = 8
"""Of Newton's method, at most: most are done in two or three."""

# Columns of Cluster.few, one row an axis of a contact.
_F = 0
_AT_P = 1  # impulses that are tried
_AT_U = 2  # and u less its target there
_U_FIRST = 3  # u without impulses

# Columns of Cluster.levers, likewise: of body a, then of b.
_TURN = 0  # 3, arm x axis [m]
_SPIN = 3  # 3, inverse inertia times that
_SIDE = 6


@kernel
def are_few(first: int, end: int) -> bool:
    """Are contacts first .. end - 1 few enough to have their own matrix?"""
    return end - first <= FEW


@kernel
def weigh(c: Cluster, first: int, end: int) -> None:
    """What unit impulses of contacts first .. end - 1 do to the velocities of all of them, into Cluster.delassus."""
    size = 3 * (end - first)
    for r in range(size):
        for s in range(size):
            c.delassus[r, s] = 0.0
    for k in range(first, end):
        u = velocity_at(c, k, V)
        for axis in range(3):
            r = 3 * (k - first) + axis
            c.few[r, _U_FIRST] = u[axis]
            d = vector_at(c.contacts, k, NORMAL_AT + 3 * axis)
            for side in range(2):
                _load_lever(c, k, side, r, d)
            for side in range(2):
                _add_column(c, first, end, k, axis, side)


@kernel
def _load_lever(c: Cluster, k: int, side: int, r: int, d: Vec3) -> None:
    at = c.contact[k, SIDE_A + side]
    if at >= 0:
        turn = cross(vector_at(c.contacts, k, ARM_A + 3 * side), d)
        for j in range(3):
            c.levers[r, _SIDE * side + _TURN + j] = turn[j]
            c.levers[r, _SIDE * side + _SPIN + j] = dot(vector_at(c.twists, at, INV_I + 3 * j), turn)


@kernel
def _add_column(c: Cluster, first: int, end: int, k: int, axis: int, side: int) -> None:
    """What an impulse along an axis of contact k does through one of its bodies, or through its linkage."""
    at = c.contact[k, SIDE_A + side]
    if at < 0:
        return
    link = c.body[at, LINK]
    other = c.contact[k, SIDE_A + 1 - side]
    if link >= 0:
        if side == 1 and other >= 0 and c.body[other, LINK] == link:
            return  # done with the first
        _spread(c, k, axis, link)
    s = 3 * (k - first) + axis
    for one in range(first, end if link >= 0 else k + 1):
        for its in range(2):
            its_at = c.contact[one, SIDE_A + its]
            if its_at < 0 or (its_at != at if link < 0 else c.body[its_at, LINK] != link):
                continue
            for row in range(3):
                r = 3 * (one - first) + row
                if link >= 0:
                    w = (1.0 if its == 0 else -1.0) * _change_of(c, one, its, row)
                    c.delassus[r, s] += w
                elif r <= s:
                    w = (1.0 if side == its else -1.0) * _answer(c, at, one, its, row, r, k, side, axis, s)
                    c.delassus[r, s] += w
                    c.delassus[s, r] += w if r < s else 0.0


@kernel
def _answer(c: Cluster, at: int, one: int, its: int, row: int, r: int, k: int, side: int, axis: int, s: int) -> float:
    """How an axis of a contact moves with the body in row `at` for a unit impulse along an axis of contact k."""
    d = dot(vector_at(c.contacts, one, NORMAL_AT + 3 * row), vector_at(c.contacts, k, NORMAL_AT + 3 * axis))
    turn, spin = vector_at(c.levers, r, _SIDE * its + _TURN), vector_at(c.levers, s, _SIDE * side + _SPIN)
    return c.twists[at, INV_M] * d + dot(turn, spin)


@kernel
def _spread(c: Cluster, k: int, axis: int, link: int) -> None:
    """A unit impulse along an axis of contact k changes a linkage."""
    clear_changes(c.linked, link)
    p = vector_at(c.contacts, k, NORMAL_AT + 3 * axis)
    for side in range(2):
        at = c.contact[k, SIDE_A + side]
        if at >= 0 and c.body[at, LINK] == link:
            p_side = p if side == 0 else scale(p, -1.0)
            push_entry(c.linked, entry_of(c, at), p_side, cross(vector_at(c.contacts, k, ARM_A + 3 * side), p_side))
    spread_changes(c.linked, link)


@kernel
def _change_of(c: Cluster, one: int, its: int, row: int) -> float:
    """How an axis of a contact moves with its body, by what has just been spread."""
    e = entry_of(c, c.contact[one, SIDE_A + its])
    d = vector_at(c.contacts, one, NORMAL_AT + 3 * row)
    turn = cross(vector_at(c.contacts, one, ARM_A + 3 * its), d)
    return dot(d, vector_at(c.linked.flow, e, CHANGE)) + dot(turn, vector_at(c.linked.flow, e, CHANGE_TURN))


@kernel
def velocity_with(c: Cluster, first: int, end: int, k: int, column: int) -> Vec3:
    """u of contact k with the impulses in that column of all of them [m/s]."""
    u_n = u_1 = u_2 = 0.0
    r = 3 * (k - first)
    for other in range(first, end):
        for axis in range(3):
            p, s = c.contacts[other, column + axis], 3 * (other - first) + axis
            u_n += c.delassus[s, r] * p
            u_1 += c.delassus[s, r + 1] * p
            u_2 += c.delassus[s, r + 2] * p
    return (c.few[r, _U_FIRST] + u_n, c.few[r + 1, _U_FIRST] + u_1, c.few[r + 2, _U_FIRST] + u_2)


@kernel
def jump(c: Cluster, first: int, end: int, enough: float) -> bool:
    """Impulses near P of contacts first .. end - 1, which want to change by less than `enough` [m/s], as P_AHEAD.

    False: they are no better than P, which stays.
    """
    size = 3 * (end - first)
    for k in range(first, end):
        u = velocity_with(c, first, end, k, P)
        for j in range(3):
            c.few[3 * (k - first) + j, _AT_P] = c.contacts[k, P + j]
            c.few[3 * (k - first) + j, _AT_U] = u[j] - (c.contacts[k, TARGET] if j == 0 else 0.0)
    begun = left = _linearize(c, first, end)
    before = inf
    for _ in range(_ROUNDS):
        if left <= enough:
            break
        stays = ALIKE * before < left < before / ALIKE
        if stays and not _open_one(c, first, end, left):
            break
        if not stays:
            _find_step(c, size)
        before = inf if stays else left
        for r in range(size):
            c.few[r, _AT_P] += c.step[r]
            for s in range(size):
                c.few[r, _AT_U] += c.delassus[r, s] * c.step[s]
        left = _linearize(c, first, end)
    for k in range(first, end):
        for j in range(3):
            if left < begun:
                c.contacts[k, P + j] = c.few[3 * (k - first) + j, _AT_P]
            c.contacts[k, P_AHEAD + j] = c.contacts[k, P + j]
    return left < begun


@kernel
def _open_one(c: Cluster, first: int, end: int, left: float) -> bool:
    """Go down the slope, into Cluster.step, until the first contact opens that bears load. False: that is no help.

    Where more contacts bear than the body has freedoms, their targets may contradict each other: no step makes F
    smaller then, and load is passed on until one of them has none.
    """
    longest = inf
    for k in range(first, end):
        r = 3 * (k - first)
        if c.few[r, _F] * c.bounds[k - first, 0] > ALIKE * left and c.few[r, _AT_P] > 0.0:
            longest = min(longest, c.few[r, _AT_P] / c.few[r, _F])
    if longest == inf:
        return False
    for r in range(3 * (end - first)):
        c.step[r] = -longest * c.few[r, _F]
    return True


@kernel
def _linearize(c: Cluster, first: int, end: int) -> float:
    """F, and J with its columns in rows, at the impulses that there are; what is missing [m/s]."""
    size = 3 * (end - first)
    j, few = c.jacobian, c.few
    missing = 0.0
    for k in range(first, end):
        r = 3 * (k - first)
        across, along = c.bounds[k - first, 0], c.bounds[k - first, 1]
        normal = few[r, _AT_P] - few[r, _AT_U] / across
        x, y = few[r + 1, _AT_P] - few[r + 1, _AT_U] / along, few[r + 2, _AT_P] - few[r + 2, _AT_U] / along
        slip = sqrt(x * x + y * y)
        slides = slip > max(c.contacts[k, STATIC], c.contacts[k, DYNAMIC]) * max(normal, 0.0)
        for s in range(size):
            w_n, w_x, w_y = c.delassus[r, s] / across, c.delassus[r + 1, s] / along, c.delassus[r + 2, s] / along
            is_n, is_x, is_y = 1.0 * (s == r), 1.0 * (s == r + 1), 1.0 * (s == r + 2)
            j[s, r], j[s, r + 1], j[s, r + 2] = is_n, is_x, is_y
            if normal > 0.0:
                j[s, r], j[s, r + 1], j[s, r + 2] = w_n, w_x, w_y
                if slides:
                    mu, e_x, e_y = c.contacts[k, DYNAMIC], x / slip, y / slip
                    z_n, z_x, z_y = is_n - w_n, is_x - w_x, is_y - w_y
                    aside = mu * normal / slip * (e_x * z_y - e_y * z_x)
                    j[s, r + 1] = is_x - mu * e_x * z_n + aside * e_y
                    j[s, r + 2] = is_y - mu * e_y * z_n - aside * e_x
        if slides:
            most = c.contacts[k, DYNAMIC] * max(normal, 0.0)
            x, y = x * most / slip, y * most / slip
        few[r, _F] = few[r, _AT_P] - max(normal, 0.0)
        few[r + 1, _F], few[r + 2, _F] = few[r + 1, _AT_P] - x, few[r + 2, _AT_P] - y
        missing = max(missing, abs(few[r, _F]) * across, max(abs(few[r + 1, _F]), abs(few[r + 2, _F])) * along)
    return missing


@kernel
def _find_step(c: Cluster, size: int) -> None:
    """The shortest d with J d = -F, into Cluster.step: by elimination in J J^T, of which the upper half is filled."""
    j, a, y = c.jacobian, c.normal, c.step
    for r in range(size):
        for s in range(r, size):
            a[r, s] = 0.0
    for q in range(size):
        for r in range(size):
            f = j[q, r]
            if f != 0.0:
                for s in range(r, size):
                    a[r, s] += f * j[q, s]
    trace = 0.0
    for r in range(size):
        trace += a[r, r]
    for r in range(size):
        a[r, r] += ROOT * trace
        y[r] = c.few[r, _F]
    for r in range(size):
        for s in range(r + 1, size):
            f = a[r, s] / a[r, r]
            if f != 0.0:
                y[s] -= f * y[r]
                for q in range(s, size):
                    a[s, q] -= f * a[r, q]
    for r in range(size - 1, -1, -1):
        total = y[r]
        for s in range(r + 1, size):
            total -= a[r, s] * y[s]
        y[r] = total / a[r, r]
    for r in range(size):
        c.few[r, _F] = y[r]
    for s in range(size):
        total = 0.0
        for r in range(size):
            total -= j[s, r] * c.few[r, _F]
        y[s] = total
