"""Newton's method for contacts that collide at once, where they are few: from nearly the answer to all of it.

Gradients (engine.impulse.simultaneous) soon know which contacts are open, stick or slide, and then take long over the
digits. There what they leave unchanged, F(p) = p - next(p) = 0, is smooth, and linear but for how slip turns:

    open    F = p
    sticks  F = (u - target) / bound
    slides  its normal part alike; F_t = p_t - mu z_n z_t / |z_t|,      z = p - (u - target) / bound

Of the steps that solve J d = -F the shortest is made: open contacts have d = -F, and with what that leaves of F for the
others d = -J^T y, (J J^T + tiny) y = F. So impulses that nothing tells apart stay as near to each other as they were,
and what is symmetric stays so to rounding.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

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
from engine.maths.skyline import factor_skyline, solve_skyline
from engine.maths.vectors import Vec3, cross, dot, scale, vector_at
from engine.simd import PRODUCTS, row_products
from engine.tolerances import ALIKE

_ROUNDS = 8
"""Of Newton's method, at most: most are done in two or three."""

# Rows of Cluster.few, one column an axis of a contact.
_F = 0
_AT_P = 1  # impulses that are tried
_AT_U = 2  # and u less its target there
_U_FIRST = 3  # u without impulses
_Z = 4  # and with z
U_WITH = 5  # and with some impulses
_WIDE = 3 * FEW  # entries of a row of Cluster.jacobian

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
            c.few[_U_FIRST, r] = u[axis]
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
def velocities_with(c: Cluster, first: int, end: int, column: int) -> None:
    """u of all these contacts with the impulses in that column of them [m/s], into row U_WITH of Cluster.few."""
    few, size = c.few, np.uint64(3 * (end - first))  # no place counts from the end: compilers take several at once
    for r in range(np.uint64(0), size):
        few[U_WITH, r] = few[_U_FIRST, r]
    for k in range(first, end):
        for axis in range(3):
            _add_answer(c, 3 * (k - first) + axis, c.contacts[k, column + axis], U_WITH, size)


@kernel
def _add_answer(c: Cluster, s: int, p: float, row: int, size: np.uint64) -> None:
    """Add to a row of Cluster.few what an impulse p along the axis in column s does."""
    if p != 0.0:
        for r in range(np.uint64(0), size):
            c.few[row, r] += p * c.delassus[s, r]


@kernel
def velocity_with(c: Cluster, first: int, k: int) -> Vec3:
    """That of contact k."""
    r = 3 * (k - first)
    return (c.few[U_WITH, r], c.few[U_WITH, r + 1], c.few[U_WITH, r + 2])


@kernel
def jump(c: Cluster, first: int, end: int, enough: float) -> bool:
    """Impulses near P of contacts first .. end - 1, which want to change by less than `enough` [m/s], as P_AHEAD.

    False: they are no better than P, which stays.
    """
    few, size = c.few, 3 * (end - first)
    velocities_with(c, first, end, P)
    for k in range(first, end):
        for j in range(3):
            r = 3 * (k - first) + j
            few[_AT_P, r] = c.contacts[k, P + j]
            few[_AT_U, r] = few[U_WITH, r] - (c.contacts[k, TARGET] if j == 0 else 0.0)
    begun = left = _look(c, first, end)
    before = inf
    for _ in range(_ROUNDS):
        if left <= enough:
            break
        stays = ALIKE * before < left < before / ALIKE
        if stays and not _open_one(c, first, end, left):
            break
        if not stays:
            _find_step(c, first, end)
        before = inf if stays else left
        for r in range(size):
            few[_AT_P, r] += c.step[r]
            _add_answer(c, r, c.step[r], _AT_U, np.uint64(size))
        left = _look(c, first, end)
    for k in range(first, end):
        for j in range(3):
            if left < begun:
                c.contacts[k, P + j] = few[_AT_P, 3 * (k - first) + j]
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
        if c.few[_F, r] * c.bounds[k - first, 0] > ALIKE * left and c.few[_AT_P, r] > 0.0:
            longest = min(longest, c.few[_AT_P, r] / c.few[_F, r])
    if longest == inf:
        return False
    for r in range(3 * (end - first)):
        c.step[r] = -longest * c.few[_F, r]
    return True


@kernel
def _look(c: Cluster, first: int, end: int) -> float:
    """F and z at the impulses that there are; what is missing [m/s]."""
    few = c.few
    missing = 0.0
    for k in range(first, end):
        r = 3 * (k - first)
        across, along = c.bounds[k - first, 0], c.bounds[k - first, 1]
        normal = few[_AT_P, r] - few[_AT_U, r] / across
        x, y = few[_AT_P, r + 1] - few[_AT_U, r + 1] / along, few[_AT_P, r + 2] - few[_AT_U, r + 2] / along
        few[_Z, r], few[_Z, r + 1], few[_Z, r + 2] = normal, x, y
        slip = sqrt(x * x + y * y)
        if _slides(c, k, normal, slip):
            most = c.contacts[k, DYNAMIC] * max(normal, 0.0)
            x, y = x * most / slip, y * most / slip
        few[_F, r] = few[_AT_P, r] - max(normal, 0.0)
        few[_F, r + 1], few[_F, r + 2] = few[_AT_P, r + 1] - x, few[_AT_P, r + 2] - y
        sideways = max(abs(few[_F, r + 1]), abs(few[_F, r + 2]))
        missing = max(missing, abs(few[_F, r]) * across, sideways * along)
    return missing


@kernel
def _slides(c: Cluster, k: int, normal: float, slip: float) -> bool:
    return slip > max(c.contacts[k, STATIC], c.contacts[k, DYNAMIC]) * max(normal, 0.0)


@kernel
def _fill_rows(c: Cluster, first: int, k: int, place: int, size: int) -> None:
    """The rows of J that belong to contact k, which is not open, from row `place` on: columns in Cluster.order."""
    r, wide = 3 * (k - first), np.uint64(_WIDE)
    share_n, share_t = 1.0 / c.bounds[k - first, 0], 1.0 / c.bounds[k - first, 1]
    normal, x, y = c.few[_Z, r], c.few[_Z, r + 1], c.few[_Z, r + 2]
    slip = sqrt(x * x + y * y)
    slides = _slides(c, k, normal, slip)
    mu, e_x, e_y, bent = c.contacts[k, DYNAMIC], 0.0, 0.0, 0.0
    if slides:
        e_x, e_y, bent = x / slip, y / slip, mu * normal / slip
    row = np.uint64(place) * wide
    for q in range(np.uint64(0), np.uint64(size)):
        s = c.order[q]
        w_n, w_x, w_y = share_n * c.delassus[s, r], share_t * c.delassus[s, r + 1], share_t * c.delassus[s, r + 2]
        if slides:
            is_n, is_x, is_y = 1.0 * (s == r), 1.0 * (s == r + 1), 1.0 * (s == r + 2)
            z_n, z_x, z_y = is_n - w_n, is_x - w_x, is_y - w_y
            aside = bent * (e_x * z_y - e_y * z_x)
            w_x, w_y = is_x - mu * e_x * z_n + aside * e_y, is_y - mu * e_y * z_n - aside * e_x
        c.jacobian[row + q], c.jacobian[row + wide + q], c.jacobian[row + wide + wide + q] = w_n, w_x, w_y


@kernel
def _order_axes(c: Cluster, first: int, end: int) -> int:
    """The axes of contacts into Cluster.order, those of open ones at its end; how many the others have."""
    count, last = 0, 3 * (end - first)
    for k in range(first, end):
        r = 3 * (k - first)
        is_open = not c.few[_Z, r] > 0.0
        if is_open:
            last -= 3
        for axis in range(3):
            c.order[(last if is_open else count) + axis] = r + axis
        count += 0 if is_open else 3
    return count


@kernel
def _find_step(c: Cluster, first: int, end: int) -> None:
    """The shortest d with J d = -F, into Cluster.step."""
    size, count = 3 * (end - first), _order_axes(c, first, end)
    for place in range(0, count, 3):
        _fill_rows(c, first, first + c.order[place] // 3, place, size)
    for place in range(count):
        total = c.few[_F, c.order[place]]
        for q in range(count, size):
            total -= c.jacobian[_WIDE * place + q] * c.few[_F, c.order[q]]
        c.right[place, 0] = total
    _multiply(c, count)
    factor_skyline(c.square, c.normal, 0, count)
    solve_skyline(c.square, c.normal, 0, count, c.right, 0)
    for r in range(size):
        c.step[r] = -c.few[_F, r]
    for q in range(count):
        total = 0.0
        for place in range(count):
            total -= c.jacobian[_WIDE * place + q] * c.right[place, 0]
        c.step[c.order[q]] = total


@kernel
def _multiply(c: Cluster, count: int) -> None:
    """J J^T of the first `count` rows and columns of J, up to its diagonal, with a tiny part added to that."""
    trace = 0.0
    for i in range(count):
        row = _WIDE * i
        for j in range(0, i + 1, PRODUCTS):
            at, last = _WIDE * j, _WIDE * min(j + PRODUCTS - 1, i)
            places = (
                at,
                min(at + _WIDE, last),
                min(at + 2 * _WIDE, last),
                min(at + 3 * _WIDE, last),
                min(at + 4 * _WIDE, last),
                last,
            )
            p = row_products(c.jacobian, places, row, count)
            for k in range(min(PRODUCTS, i + 1 - j)):
                c.normal[row + j + k] = p[k]
        trace += c.normal[row + i]
    for i in range(count):
        c.normal[(_WIDE + 1) * i] += ROOT * trace
