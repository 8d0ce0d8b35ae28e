"""Impulses of one step of a contact group: Gauss-Seidel over its contact points, each with Coulomb's isotropic cone.

For end velocities v, and u = J v + given at each point,

    0 <= p_n  ⟂  u_n - least >= 0,     p_t = -mu p_n u_t / |u_t|  or  u_t = 0, |p_t| <= mu p_n:

the true law of Coulomb, not its convex relative, so that what slides is not lifted: the normal part of a point's turn
looks at u_n alone. Its tangential part tries to stop it; where that leaves the disc of friction, it goes down the slope
of one and the same length in all directions and back onto the disc, whose fixed points are those of sliding against u_t
whatever the heading. A sweep runs forwards and back: a stack is loaded from below and from above.

Sweeps alone are slow where load goes through many bodies, or from heavy ones through light ones. What one sweep changes
is, as a gradient, the start of a nonlinear conjugate gradient method (Silcowitz, Niebe and Erleben 2010): impulses are
extrapolated along a direction made of the changes so far, until they stop getting smaller. The last word has a sweep.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.work import (
    AHEAD,
    AHEAD_COUPLE,
    ARM_A,
    ARM_B,
    BEFORE,
    BEFORE_COUPLE,
    COUPLE,
    D_MAX,
    D_NN,
    D_NT,
    D_TT,
    DYNAMIC,
    GIVEN,
    GIVEN_TURN,
    IMPULSE_AT,
    INV_I,
    INV_M,
    INV_NN,
    LEAST,
    NORMAL_AT,
    PUSH_IMPULSE,
    PUSH_LEAST,
    ROLL,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SPIN,
    STATIC,
    TURN_A,
    TURN_B,
    TURN_EASE,
    V_AHEAD,
    V_BEFORE,
    V_END,
    V_PUSH,
    W_END,
    W_PUSH,
)
from engine.kernel import kernel, merged_kernel
from engine.model.model import Floats, Ints

_PATIENCE = 8  # sweeps
_HELPS = 0.8  # after so many more than this part of the change is left: more would be of little use


@kernel
def speed_along(bodies: Floats, contact: Ints, contacts: Floats, k: int, axis: int, v: int, w: int) -> float:
    """Part of the relative velocity at point k along its frame's axis; v, w: columns of the velocities meant."""
    n = NORMAL_AT + 3 * axis
    total = 0.0
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if a >= 0:
        for c in range(3):
            total += contacts[k, n + c] * bodies[a, v + c] + contacts[k, ARM_A + 3 * axis + c] * bodies[a, w + c]
    if b >= 0:
        for c in range(3):
            total -= contacts[k, n + c] * bodies[b, v + c] + contacts[k, ARM_B + 3 * axis + c] * bodies[b, w + c]
    return total


@kernel
def push_along(bodies: Floats, contact: Ints, contacts: Floats, k: int, axis: int, p: float, v: int, w: int) -> None:
    """Change both bodies' velocities by the impulse p [N s] along an axis of point k's frame."""
    n = NORMAL_AT + 3 * axis
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if a >= 0:
        s = p * bodies[a, INV_M]
        for c in range(3):
            bodies[a, v + c] += s * contacts[k, n + c]
            bodies[a, w + c] += p * contacts[k, TURN_A + 3 * axis + c]
    if b >= 0:
        s = p * bodies[b, INV_M]
        for c in range(3):
            bodies[b, v + c] -= s * contacts[k, n + c]
            bodies[b, w + c] -= p * contacts[k, TURN_B + 3 * axis + c]


@merged_kernel
def push_by(
    bodies: Floats, contact: Ints, contacts: Floats, k: int, p_n: float, p_1: float, p_2: float, v: int
) -> None:
    """Change both bodies' velocities, from column v on, by an impulse [N s] in point k's frame."""
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if a >= 0:
        _push_one(bodies, a, contacts, k, p_n, p_1, p_2, v, TURN_A)
    if b >= 0:
        _push_one(bodies, b, contacts, k, -p_n, -p_1, -p_2, v, TURN_B)


@merged_kernel
def _push_one(
    bodies: Floats, at: int, contacts: Floats, k: int, p_n: float, p_1: float, p_2: float, v: int, turn: int
) -> None:
    ease = bodies[at, INV_M]
    n, t = NORMAL_AT, NORMAL_AT + 3
    for c in range(3):
        push = contacts[k, n + c] * p_n + (contacts[k, t + c] * p_1 + contacts[k, t + 3 + c] * p_2)
        bodies[at, v + c] += ease * push
        spin = contacts[k, turn + c] * p_n + (contacts[k, turn + 3 + c] * p_1 + contacts[k, turn + 6 + c] * p_2)
        bodies[at, v + 3 + c] += spin


@merged_kernel
def _dot_velocity(bodies: Floats, at: int, contacts: Floats, k: int, d: int, arm: int) -> float:
    """Part along column d of the end velocity of one body at point k. Two sums: neither waits for the other."""
    v = contacts[k, d] * bodies[at, V_END]
    v += contacts[k, d + 1] * bodies[at, V_END + 1]
    v += contacts[k, d + 2] * bodies[at, V_END + 2]
    w = contacts[k, arm] * bodies[at, W_END]
    w += contacts[k, arm + 1] * bodies[at, W_END + 1]
    w += contacts[k, arm + 2] * bodies[at, W_END + 2]
    return v + w


@kernel
def sweep_impulses(
    bodies: Floats, contact: Ints, contacts: Floats, n: int, count: int, limit: int, small: float
) -> int:
    """Sweep until no point's velocity changes by more than `small` [m/s] any more, at most `limit` times; how often."""
    return _sweep_on(bodies, contact, contacts, n, count, limit, small, False)


@kernel
def sweep_while_it_helps(
    bodies: Floats, contact: Ints, contacts: Floats, n: int, count: int, limit: int, small: float
) -> int:
    """As `sweep_impulses`, but no longer than changes get smaller.

    Where more contacts stick than bodies have freedom, they may ask for velocities that no body can have: loads then
    wander for ever, by the same amount in every sweep. What has just been standing is not like that, only slow.
    """
    return _sweep_on(bodies, contact, contacts, n, count, limit, small, True)


@kernel
def _sweep_on(
    bodies: Floats, contact: Ints, contacts: Floats, n: int, count: int, limit: int, small: float, may_stop: bool
) -> int:
    before = beta = 0.0
    mark = inf
    for sweep in range(limit):
        most, size = sweep_once(bodies, contact, contacts, n, count, sweep == 0, beta)
        if most <= small:
            return sweep + 1
        if may_stop and sweep % _PATIENCE == _PATIENCE - 1:
            if most > _HELPS * mark:
                return sweep + 1
            mark = most
        beta = size / before if sweep > 0 else 0.0
        before = size
    return limit


@kernel
def sweep_once(
    bodies: Floats, contact: Ints, contacts: Floats, n: int, count: int, first: bool, beta: float
) -> tuple[float, float]:
    """One sweep over `count` points of n bodies, forwards and back.

    Before it, unless it is the first, impulses go on by beta times the direction so far, and the next one is made of
    that and of what the last sweep changed. Above 1 the changes have grown: the direction is forgotten. Velocities
    follow, being linear in the impulses; a point's own go on when its turn comes, which is where they matter.

    Returns by how much it changes a point's velocity at most [m/s], and the size of its changes, weighed by ease.
    """
    for at in range(n):
        _go_on(bodies, at, V_END, V_BEFORE, V_AHEAD, 6, first, beta)
    most = size = 0.0
    for k in range(count):
        turns = contacts[k, ROLL] > 0.0 or contacts[k, SPIN] > 0.0
        _go_on(contacts, k, IMPULSE_AT, BEFORE, AHEAD, 3, first, beta)
        if turns:
            _go_on(contacts, k, COUPLE, BEFORE_COUPLE, AHEAD_COUPLE, 3, first, beta)
        most = max(most, _turn_impulse(bodies, contact, contacts, k))
        if turns:
            _turn_couple(bodies, contact, contacts, k)
    for k in range(count - 1, -1, -1):
        most = max(most, _turn_impulse(bodies, contact, contacts, k))
        if contacts[k, ROLL] > 0.0 or contacts[k, SPIN] > 0.0:
            _turn_couple(bodies, contact, contacts, k)
        for c in range(3):
            change = contacts[k, IMPULSE_AT + c] - contacts[k, BEFORE + c]
            size += change * change * contacts[k, D_NN]
    return most, size


@merged_kernel
def _go_on(table: Floats, row: int, value: int, before: int, ahead: int, width: int, first: bool, beta: float) -> None:
    """Extrapolate a row's values, and remember where the sweep that follows begins."""
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


@merged_kernel
def _turn_impulse(bodies: Floats, contact: Ints, contacts: Floats, k: int) -> float:
    """Set the normal impulse of point k to what its condition asks for, then its friction for that load.

    By how much that changes u at most [m/s]. Velocities are read once and written once: what the normal impulse does to
    u_t is known from D.
    """
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    u_n, u_1, u_2 = contacts[k, GIVEN], contacts[k, GIVEN + 1], contacts[k, GIVEN + 2]
    if a >= 0:
        u_n += _dot_velocity(bodies, a, contacts, k, NORMAL_AT, ARM_A)
        u_1 += _dot_velocity(bodies, a, contacts, k, NORMAL_AT + 3, ARM_A + 3)
        u_2 += _dot_velocity(bodies, a, contacts, k, NORMAL_AT + 6, ARM_A + 6)
    if b >= 0:
        u_n -= _dot_velocity(bodies, b, contacts, k, NORMAL_AT, ARM_B)
        u_1 -= _dot_velocity(bodies, b, contacts, k, NORMAL_AT + 3, ARM_B + 3)
        u_2 -= _dot_velocity(bodies, b, contacts, k, NORMAL_AT + 6, ARM_B + 6)
    before = contacts[k, IMPULSE_AT]
    load = max(before - (u_n - contacts[k, LEAST]) * contacts[k, INV_NN], 0.0)
    d_n, d_1, d_2 = load - before, 0.0, 0.0
    contacts[k, IMPULSE_AT] = load
    change = abs(d_n) * contacts[k, D_NN]
    if contacts[k, DYNAMIC] > 0.0 or contacts[k, STATIC] > 0.0:
        u_1 += d_n * contacts[k, D_NT]
        u_2 += d_n * contacts[k, D_NT + 1]
        d_1, d_2 = _turn_friction(contact, contacts, k, load, u_1, u_2)
        change = max(change, (abs(d_1) + abs(d_2)) * contacts[k, D_MAX])
    push_by(bodies, contact, contacts, k, d_n, d_1, d_2, V_END)
    return change


@merged_kernel
def _turn_friction(contact: Ints, contacts: Floats, k: int, load: float, u_1: float, u_2: float) -> tuple[float, float]:
    """Set the friction of point k, which slides with u_1, u_2 [m/s], for its load; how it changes [N s]."""
    d11, d12, d22 = contacts[k, D_TT], contacts[k, D_TT + 1], contacts[k, D_TT + 2]
    p1, p2 = contacts[k, IMPULSE_AT + 1], contacts[k, IMPULSE_AT + 2]
    scale = 1.0 / (d11 * d22 - d12 * d12)
    q1 = p1 - scale * (d22 * u_1 - d12 * u_2)
    q2 = p2 - scale * (d11 * u_2 - d12 * u_1)
    hold = contacts[k, STATIC] * load
    contact[k, SLIDES] = 0
    if q1 * q1 + q2 * q2 > hold * hold:
        contact[k, SLIDES] = 1
        step = 1.0 / contacts[k, D_MAX]
        q1, q2 = p1 - step * u_1, p2 - step * u_2
        drag = contacts[k, DYNAMIC] * load
        size = sqrt(q1 * q1 + q2 * q2)
        if size > drag:
            q1 *= drag / size
            q2 *= drag / size
    contacts[k, IMPULSE_AT + 1] = q1
    contacts[k, IMPULSE_AT + 2] = q2
    return q1 - p1, q2 - p2


@kernel
def _turn_couple(bodies: Floats, contact: Ints, contacts: Floats, k: int) -> None:
    """Set the couple of resistance to rolling and spinning at point k: what stops them, or what its load allows."""
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    n0, n1, n2 = contacts[k, NORMAL_AT], contacts[k, NORMAL_AT + 1], contacts[k, NORMAL_AT + 2]
    b0, b1, b2 = contacts[k, COUPLE], contacts[k, COUPLE + 1], contacts[k, COUPLE + 2]
    along = held = 0.0
    for c in range(3):
        w = contacts[k, GIVEN_TURN + c]
        if a >= 0:
            w += bodies[a, W_END + c]
        if b >= 0:
            w -= bodies[b, W_END + c]
        contacts[k, COUPLE + c] -= w / contacts[k, TURN_EASE]
        along += contacts[k, COUPLE + c] * contacts[k, NORMAL_AT + c]
        held += contacts[k, COUPLE + c] * contacts[k, COUPLE + c]
    load = contacts[k, IMPULSE_AT]
    across = sqrt(max(held - along * along, 0.0))
    roll = min(1.0, contacts[k, ROLL] * load / across) if across > 0.0 else 0.0
    spin = max(-contacts[k, SPIN] * load, min(contacts[k, SPIN] * load, along))
    for c in range(3):
        n = n0 if c == 0 else (n1 if c == 1 else n2)
        contacts[k, COUPLE + c] = roll * (contacts[k, COUPLE + c] - along * n) + spin * n
    for r in range(3):
        for c in range(3):
            change = contacts[k, COUPLE + c] - (b0 if c == 0 else (b1 if c == 1 else b2))
            if a >= 0:
                bodies[a, W_END + r] += bodies[a, INV_I + 3 * r + c] * change
            if b >= 0:
                bodies[b, W_END + r] -= bodies[b, INV_I + 3 * r + c] * change


@kernel
def sweep_pushes(bodies: Floats, contact: Ints, contacts: Floats, count: int, limit: int, small: float) -> bool:
    """Pseudo-velocities that lift what has sunk and press nothing down: as `sweep_impulses`, without friction.

    True if they no longer change by more than `small` [m/s].
    """
    for sweep in range(limit):  # noqa: SIM110 - numba knows no generator here
        if push_once(bodies, contact, contacts, count, sweep % 2 == 1) <= small:
            return True
    return False


@kernel
def push_once(bodies: Floats, contact: Ints, contacts: Floats, count: int, back: bool) -> float:
    """One sweep of pushes, forwards or back; by how much it changes one at most [m/s]."""
    most = 0.0
    for place in range(count):
        k = count - 1 - place if back else place
        u = speed_along(bodies, contact, contacts, k, 0, V_PUSH, W_PUSH)
        before = contacts[k, PUSH_IMPULSE]
        after = max(before - (u - contacts[k, PUSH_LEAST]) * contacts[k, INV_NN], 0.0)
        contacts[k, PUSH_IMPULSE] = after
        push_along(bodies, contact, contacts, k, 0, after - before, V_PUSH, W_PUSH)
        most = max(most, abs(after - before) * contacts[k, D_NN])
    return most
