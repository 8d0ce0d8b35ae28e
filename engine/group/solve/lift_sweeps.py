"""Sweeps over points that are lifted: see engine.group.solve.corrections.

What a sweep reads of a point is copied into three cache lines first: it makes no more than a few multiplications with
each number, and would wait for ten lines of the point's own row.
"""

from __future__ import annotations

from engine.group.solve.point_sweeps import go_on
from engine.group.work import (
    ARM_A,
    ARM_B,
    BETA,
    CHANGED_SIZE,
    D_NN,
    FIRST_POINT,
    FIRST_SWEEP,
    INV_M,
    LAST_POINT,
    LIFT_AHEAD,
    LIFT_ARM_A,
    LIFT_ARM_B,
    LIFT_BEFORE,
    LIFT_D,
    LIFT_IMPULSE,
    LIFT_INV_M_A,
    LIFT_INV_M_B,
    LIFT_MASS,
    LIFT_NORMAL,
    LIFT_SPIN_A,
    LIFT_SPIN_B,
    LIFT_TARGET,
    MOST_CHANGED,
    NORMAL_AT,
    NORMAL_MASS,
    PSEUDO_IMPULSE,
    PSEUDO_TARGET,
    SIDE_A,
    SIDE_B,
    SPIN_A,
    SPIN_B,
    V_AHEAD,
    V_BEFORE,
    V_PSEUDO,
    Work,
)
from engine.kernel import inner_kernel, kernel
from engine.model.model import Floats


@kernel
def load_lifts(work: Work, one: int) -> None:
    """What sweeps need of the points of a domain or interface, into Work.lifts."""
    contacts, lifts = work.contacts, work.lifts
    for n in range(work.domains[one, FIRST_POINT], work.domains[one, LAST_POINT]):
        k = work.by_domain[n]
        a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
        work.lift_sides[n, 0], work.lift_sides[n, 1] = a, b
        for c in range(3):
            lifts[n, LIFT_NORMAL + c] = contacts[k, NORMAL_AT + c]
            lifts[n, LIFT_ARM_A + c], lifts[n, LIFT_ARM_B + c] = contacts[k, ARM_A + c], contacts[k, ARM_B + c]
            lifts[n, LIFT_SPIN_A + c], lifts[n, LIFT_SPIN_B + c] = contacts[k, SPIN_A + c], contacts[k, SPIN_B + c]
        lifts[n, LIFT_INV_M_A] = work.twists[a, INV_M] if a >= 0 else 0.0
        lifts[n, LIFT_INV_M_B] = work.twists[b, INV_M] if b >= 0 else 0.0
        lifts[n, LIFT_D], lifts[n, LIFT_MASS] = contacts[k, D_NN], contacts[k, NORMAL_MASS]
        lifts[n, LIFT_TARGET], lifts[n, LIFT_IMPULSE] = contacts[k, PSEUDO_TARGET], contacts[k, PSEUDO_IMPULSE]


@kernel
def unload_lifts(work: Work, one: int) -> None:
    """The impulses found there, back into the rows of the points."""
    for n in range(work.domains[one, FIRST_POINT], work.domains[one, LAST_POINT]):
        work.contacts[work.by_domain[n], PSEUDO_IMPULSE] = work.lifts[n, LIFT_IMPULSE]


@kernel
def lift_bodies_on(work: Work, first: int, last: int) -> None:
    """The pseudo-velocities of bodies first .. last - 1 go on with the impulses; before the first sweep it is noted
    which of them are lifted so far."""
    is_first, beta = work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    for at in range(first, last):
        if is_first:
            work.lifted[at] = 0
            for c in range(6):
                if work.twists[at, V_PSEUDO + c] != 0.0:
                    work.lifted[at] = 1
        go_on(work.twists, at, V_PSEUDO, V_BEFORE, V_AHEAD, 6, is_first, beta)


@kernel
def lifts_forwards(work: Work, one: int) -> None:
    """Extrapolate the impulses of the points of a domain or interface, and update them, forwards."""
    lifts, first, beta = work.lifts, work.link[FIRST_SWEEP] == 1.0, work.link[BETA]
    most = 0.0
    for n in range(work.domains[one, FIRST_POINT], work.domains[one, LAST_POINT]):
        go_on(lifts, n, LIFT_IMPULSE, LIFT_BEFORE, LIFT_AHEAD, 1, first, beta)
        most = max(most, _correct_point(work, n))
    work.changed[one, MOST_CHANGED] = most


@kernel
def lifts_back(work: Work, one: int) -> None:
    """And back; what that has changed is in Work.changed."""
    lifts, most, size = work.lifts, work.changed[one, MOST_CHANGED], 0.0
    for n in range(work.domains[one, LAST_POINT] - 1, work.domains[one, FIRST_POINT] - 1, -1):
        most = max(most, _correct_point(work, n))
        change = lifts[n, LIFT_IMPULSE] - lifts[n, LIFT_BEFORE]
        size += change * change * lifts[n, LIFT_D]
    work.changed[one, MOST_CHANGED], work.changed[one, CHANGED_SIZE] = most, size


@inner_kernel
def _correct_point(work: Work, k: int) -> float:
    """Update point k; by how much that changes its pseudo-velocity [m/s].

    Few of a pile have sunk: what nobody lifts, nor needs to be lifted, is passed over.
    """
    twists, lifts, lifted = work.twists, work.lifts, work.lifted
    a, b = work.lift_sides[k, 0], work.lift_sides[k, 1]
    moves = (a >= 0 and lifted[a] == 1) or (b >= 0 and lifted[b] == 1)
    before = lifts[k, LIFT_IMPULSE]
    if not moves and before == 0.0 and lifts[k, LIFT_TARGET] <= 0.0:
        return 0.0
    u = 0.0
    if a >= 0:
        for c in range(3):
            linear, turn = twists[a, V_PSEUDO + c], twists[a, V_PSEUDO + 3 + c]
            u += lifts[k, LIFT_NORMAL + c] * linear + lifts[k, LIFT_ARM_A + c] * turn
    if b >= 0:
        for c in range(3):
            linear, turn = twists[b, V_PSEUDO + c], twists[b, V_PSEUDO + 3 + c]
            u -= lifts[k, LIFT_NORMAL + c] * linear + lifts[k, LIFT_ARM_B + c] * turn
    after = max(before - (u - lifts[k, LIFT_TARGET]) * lifts[k, LIFT_MASS], 0.0)
    if after == before:
        return 0.0
    lifts[k, LIFT_IMPULSE] = after
    if a >= 0:
        _push(twists, lifts, a, k, after - before, LIFT_INV_M_A, LIFT_SPIN_A)
        lifted[a] = 1
    if b >= 0:
        _push(twists, lifts, b, k, before - after, LIFT_INV_M_B, LIFT_SPIN_B)
        lifted[b] = 1
    return abs(after - before) * lifts[k, LIFT_D]


@inner_kernel
def _push(twists: Floats, lifts: Floats, at: int, k: int, p: float, inv_m: int, spin: int) -> None:
    """Change the pseudo-velocity of row `at` by the impulse p [N s] of point k along its normal."""
    s = p * lifts[k, inv_m]
    for c in range(3):
        twists[at, V_PSEUDO + c] += s * lifts[k, LIFT_NORMAL + c]
        twists[at, V_PSEUDO + 3 + c] += p * lifts[k, spin + c]
