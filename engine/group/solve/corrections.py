"""Position correction by sweeps: pseudo-velocities that lift what has sunk and press nothing down.

What a sweep reads of a point is copied into three cache lines first: it makes no more than a few multiplications with
each number, and would wait for ten lines of the point's own row.
"""

from __future__ import annotations

from engine.group.solve.point_sweeps import go_on
from engine.group.work import (
    ARM_A,
    ARM_B,
    BODIES,
    D_NN,
    INV_M,
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
def sweep_corrections(work: Work, count: int, limit: int, small: float) -> bool:
    """Pseudo-velocities that lift what has sunk and press nothing down, at the points 0 .. count - 1: as
    `sweep_impulses`, without friction.

    True if they no longer change by more than `small` [m/s].
    """
    _find_lifted(work)
    _load_points(work, count)
    before = beta = 0.0
    done = False
    sweep = 0
    while sweep < limit and not done:
        most, size = _correct_once(work, count, sweep == 0, beta)
        done = most <= small
        beta = size / before if before > 0.0 else 0.0
        before = size
        sweep += 1
    for k in range(count):
        work.contacts[k, PSEUDO_IMPULSE] = work.lifts[k, LIFT_IMPULSE]
    return done


@kernel
def _find_lifted(work: Work) -> None:
    """Which bodies are lifted so far."""
    for at in range(work.sizes[BODIES]):
        work.lifted[at] = 0
        for c in range(6):
            if work.twists[at, V_PSEUDO + c] != 0.0:
                work.lifted[at] = 1


@kernel
def _load_points(work: Work, count: int) -> None:
    """What sweeps need of the points, into Work.lifts."""
    contacts, lifts = work.contacts, work.lifts
    for k in range(count):
        a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
        work.lift_sides[k, 0], work.lift_sides[k, 1] = a, b
        for c in range(3):
            lifts[k, LIFT_NORMAL + c] = contacts[k, NORMAL_AT + c]
            lifts[k, LIFT_ARM_A + c], lifts[k, LIFT_ARM_B + c] = contacts[k, ARM_A + c], contacts[k, ARM_B + c]
            lifts[k, LIFT_SPIN_A + c], lifts[k, LIFT_SPIN_B + c] = contacts[k, SPIN_A + c], contacts[k, SPIN_B + c]
        lifts[k, LIFT_INV_M_A] = work.twists[a, INV_M] if a >= 0 else 0.0
        lifts[k, LIFT_INV_M_B] = work.twists[b, INV_M] if b >= 0 else 0.0
        lifts[k, LIFT_D], lifts[k, LIFT_MASS] = contacts[k, D_NN], contacts[k, NORMAL_MASS]
        lifts[k, LIFT_TARGET], lifts[k, LIFT_IMPULSE] = contacts[k, PSEUDO_TARGET], contacts[k, PSEUDO_IMPULSE]


@kernel
def _correct_once(work: Work, count: int, first: bool, beta: float) -> tuple[float, float]:
    """One sweep, forwards and back, from where beta extrapolates; by how much it changes a pseudo-velocity at most
    [m/s], and the size of its changes."""
    lifts = work.lifts
    for at in range(work.sizes[BODIES]):
        go_on(work.twists, at, V_PSEUDO, V_BEFORE, V_AHEAD, 6, first, beta)
    most = size = 0.0
    for k in range(count):
        go_on(lifts, k, LIFT_IMPULSE, LIFT_BEFORE, LIFT_AHEAD, 1, first, beta)
        most = max(most, _correct_point(work, k))
    for k in range(count - 1, -1, -1):
        most = max(most, _correct_point(work, k))
        change = lifts[k, LIFT_IMPULSE] - lifts[k, LIFT_BEFORE]
        size += change * change * lifts[k, LIFT_D]
    return most, size


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
