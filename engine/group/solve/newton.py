"""Impulses of a contact group by Newton's method, for groups whose sweeps are slow: walls, arches, tall stacks.

The method of multipliers (Rockafellar 1976) in the space of velocities. Each point k has springs of s = STIFF / D_k
about the impulse that it has so far, lambda:

    p(v) = the nearest to lambda - s (u - (target - lift, 0, 0)) in the point's cone of friction,

and M (v - v_free) = J^T p(v) is the gradient of a convex function, whose least value Newton's method finds, with a line
search; its matrix M + J^T G J has the pattern of the graph of bodies and is factored in its skyline, bodies in the
order of Cuthill and McKee (1969), reversed. Then lambda = p(v): each round takes away from the error by STIFF times
the least eigenvalue of the contacts' own matrix. A cone lifts what slides by mu |u_t|: that is taken off, by as much as
it was when the round began (de Saxce and Feng 1998).

Rounds end when impulses and velocities agree with the law at every point. Sweeps come between them only for couples of
resistance, which are not in the matrix: where sweeps are slow they spread what a round has found for one point over its
neighbours, and the next round is as far off again.

Where impulses are not unique, rounds that start from none end at those of least norm, weighed by D: to the others there
leads no direction that springs push in.

Joints stand in the matrix with their rows, and all that it moves stays on them (engine.group.joints.newton_rows).
"""

from __future__ import annotations

from math import inf

from engine.group.bodies import fastest_rim
from engine.group.joints.answers import apply_tied
from engine.group.joints.newton_rows import add_joints, hold_residual, hold_step
from engine.group.relative_velocity import apply_along, speed_along
from engine.group.solve.corrections import sweep_corrections
from engine.group.solve.friction_cone import project_onto_bounds, project_onto_cone, set_cones
from engine.group.solve.gauss_seidel import sweep_budget
from engine.group.solve.joint_sweeps import row_impulse
from engine.group.solve.newton_matrix import (
    assemble,
    find_residual,
    load_inertia,
    residual_speed,
    slope_along,
    solve_for_step,
)
from engine.group.solve.point_sweeps import improve_point, velocity_at
from engine.group.solve.sweeping import solve_by_sweeps, sweep_on
from engine.group.work import (
    BODIES,
    BY_NEWTON,
    CHAIN,
    CONTACTS,
    D_NN,
    DEBT,
    FACTORING,
    IMPULSE_AT,
    INV_M,
    JOINT_ROWS,
    LIFT,
    LINKAGES,
    NEWTON_STEP,
    PRESCRIBED,
    PSEUDO_IMPULSE,
    PSEUDO_TARGET,
    ROLLING_LEVER,
    SPINNING_LEVER,
    SPRING_IMPULSE,
    SPRING_SLOPE,
    TARGET,
    V_END,
    V_MOVED,
    V_PSEUDO,
    Work,
)
from engine.kernel import kernel
from engine.maths.rounding import SUM
from engine.maths.vectors import vector_at
from engine.model.model import Model
from engine.stages import NEWTON, lap
from engine.tolerances import (
    ACCURACY,
    ALIKE,
    FINER,
    FIRST_SWEEPS,
    SAFETY,
    SOFTEST,
    STIFFER,
    STIFFEST,
    SWEEPS_BETWEEN,
    SWEEPS_WORTH,
    UPDATES_PER_ENTRY,
)

_ITERATIONS = 60  # of Newton's method in a round, at most
_CUTS = 40  # of a step's length by its line search, at most
_ROUNDS = 8  # with springs that get stiffer, at most


@kernel
def _solve_impulses(model: Model, work: Work, stiff: float, small: float) -> bool:
    """One round for the impulses and end velocities of a step."""
    return _solve(model, work, work.sizes[CONTACTS], V_END, IMPULSE_AT, TARGET, True, stiff, small)


@kernel
def _solve_corrections(model: Model, work: Work, count: int, stiff: float, small: float) -> bool:
    """One round for the pseudo-velocities that lift what has sunk, at the points 0 .. count - 1."""
    return _solve(model, work, count, V_PSEUDO, PSEUDO_IMPULSE, PSEUDO_TARGET, False, stiff, small)


@kernel
def _solve(
    model: Model, work: Work, count: int, v: int, impulse: int, target: int, rubs: bool, stiff: float, small: float
) -> bool:
    """One round. v, impulse, target: columns of twists, impulses, target normal velocities.

    False if it came to no end: then nothing has changed.
    """
    twists, contact, contacts, notes = work.twists, work.contact, work.contacts, work.notes
    linked = work.sizes[LINKAGES] > 0
    axes = 3 if rubs else 1
    load_inertia(model.bodies, work)
    if rubs:
        set_cones(work, count, v)
    found = False
    _find_forces(work, count, v, impulse, target, rubs, stiff)
    _find_residual(model, work, count, impulse, axes)
    before = inf
    for _ in range(_ITERATIONS):
        residual = residual_speed(model.bodies, work)
        found = residual <= max((1.0 - SAFETY) * small, ACCURACY * fastest_rim(model.bodies, work, V_MOVED))
        if residual > ALIKE * before:  # springs this stiff may let rounding grow to more
            found = found or residual <= SUM * stiff * fastest_rim(model.bodies, work, v)
        before = residual
        if found:
            break
        assemble(work, count, axes)
        work.link[DEBT] += UPDATES_PER_ENTRY * work.link[FACTORING]
        if linked:
            add_joints(model.joints, work)
        solve_for_step(work)
        if linked:
            hold_step(model.joints, work)
        slope = slope_along(work)
        if not slope < 0.0:
            break
        _search_line(model, work, count, v, impulse, target, rubs, stiff, slope)
    for at in range(work.sizes[BODIES]):
        for c in range(6):
            twists[at, v + c] -= twists[at, V_MOVED + c]
    if not found:
        return False
    for k in range(count):
        for c in range(axes):
            more = notes[k, SPRING_IMPULSE + c] - contacts[k, impulse + c]
            contacts[k, impulse + c] = notes[k, SPRING_IMPULSE + c]
            if linked:
                p = (more if c == 0 else 0.0, more if c == 1 else 0.0, more if c == 2 else 0.0)
                apply_tied(model.joints, work, k, p[0], p[1], p[2], v)
            else:
                apply_along(twists, contact, contacts, k, c, more, v)
    return True


@kernel
def _find_residual(model: Model, work: Work, count: int, impulse: int, axes: int) -> None:
    find_residual(model.bodies, work, count, impulse, axes)
    if work.sizes[LINKAGES] > 0:
        hold_residual(model, work)


@kernel
def _find_forces(work: Work, count: int, v: int, impulse: int, target: int, rubs: bool, stiff: float) -> None:
    """p(v) of every point, and how it changes with u."""
    twists, contact, contacts, notes = work.twists, work.contact, work.contacts, work.notes
    points = work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    for k in range(count):
        s = stiff / contacts[k, D_NN]
        u = speed_along(twists, contact, contacts, k, 0, v) - contacts[k, target]
        if rubs:
            u += contacts[k, PRESCRIBED] + notes[k, LIFT]
            if k < points:
                project_onto_cone(work, k, v, s, contacts[k, impulse] - s * u)
            else:
                project_onto_bounds(work, k, s, contacts[k, impulse] - s * u)
        else:
            p = contacts[k, impulse] - s * u
            notes[k, SPRING_IMPULSE] = max(p, 0.0)
            notes[k, SPRING_SLOPE] = s if p > 0.0 else 0.0


@kernel
def _search_line(
    model: Model, work: Work, count: int, v: int, impulse: int, target: int, rubs: bool, stiff: float, slope: float
) -> None:
    """Go along NEWTON_STEP, which begins with `slope` [J], until that has almost gone."""
    axes = 3 if rubs else 1
    gone, step = 0.0, 1.0
    low, high = 0.0, 1.0
    low_slope = slope
    for _ in range(_CUTS):
        _go(work, v, step - gone)
        gone = step
        _find_forces(work, count, v, impulse, target, rubs, stiff)
        _find_residual(model, work, count, impulse, axes)
        here = slope_along(work)
        if 0.25 * slope <= here <= ACCURACY * abs(slope) or (here < 0.0 and step == 1.0):
            break  # beyond the lowest point there may be less gone than at the beginning
        if here < 0.0:
            low, low_slope = step, here
            step = 0.5 * (low + high)
        else:
            high = step
            step = low + max(1.0 - SAFETY, min(SAFETY, low_slope / (low_slope - here))) * (high - low)


@kernel
def _go(work: Work, v: int, way: float) -> None:
    for at in range(work.sizes[BODIES]):
        row = 6 * work.place[at]
        for c in range(6):
            d = way * work.unknown[row + c, NEWTON_STEP]
            work.twists[at, v + c] += d
            work.twists[at, V_MOVED + c] += d


@kernel
def find_impulses(model: Model, work: Work, small: float, spent: int) -> int:
    """Impulses and end velocities of a step, to `small` [m/s]: by sweeps, and where they are slow by rounds of Newton's
    method after a few. How many sweeps it took.

    Where all begins from nothing rounds come first, so that impulses that are not unique end at least norm.
    spent: sweeps that this solve has taken already, before its points were moved: it has one budget of them.
    """
    count = work.sizes[CONTACTS]
    first = _first_sweeps(work, count)
    if work.sizes[BY_NEWTON] == 0:
        return solve_by_sweeps(model, work, max(first - spent, SWEEPS_BETWEEN), small)
    sweeps = 0
    cold = True
    for k in range(count):
        cold = cold and work.contacts[k, IMPULSE_AT] == 0.0
    if not cold:
        sweeps, done = sweep_on(model, work, first, small)
        if done:
            return sweeps
    ratio = _mass_ratio(work)
    stiff = SOFTEST * ratio
    resists = _resists(work, count)
    before = inf
    moved_before = 0.0
    for _ in range(_ROUNDS):
        found = _solve_impulses(model, work, stiff, small)
        lap(work.watch, NEWTON)
        if not found:
            break
        sweeps += 1
        moved = fastest_rim(model.bodies, work, V_MOVED)
        if resists:
            between, _ = sweep_on(model, work, SWEEPS_BETWEEN, small)
            sweeps += between
        # What is still wrong is smaller by as much as this round has moved less than the last one, or more.
        left = moved * min(moved / moved_before, 1.0) if moved_before > 0.0 else moved
        change = max(_most_missed(work, count), left)
        moved_before = moved
        stays = change > ALIKE * before
        if change <= FINER * small or (stays and change <= small):
            work.link[DEBT] = 0.0
            return sweeps
        if stays:
            break
        before = change
        stiff = min(STIFFER * stiff, STIFFEST * ratio)
    work.sizes[BY_NEWTON] = 0
    return sweeps + solve_by_sweeps(model, work, sweep_budget(count), small)


@kernel
def _resists(work: Work, count: int) -> bool:
    """Is there a point that resists rolling or spinning? Its couple is for sweeps to find."""
    resists = False
    for k in range(count):
        resists = resists or work.contacts[k, ROLLING_LEVER] > 0.0 or work.contacts[k, SPINNING_LEVER] > 0.0
    return resists


@kernel
def _most_missed(work: Work, count: int) -> float:
    """By how much the law of a point, were it alone, would change its velocity at most [m/s]; who slides is known
    then."""
    contacts, notes = work.contacts, work.notes
    points = work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    most = 0.0
    for k in range(count):
        if k >= points:
            u = speed_along(work.twists, work.contact, contacts, k, 0, V_END) + contacts[k, PRESCRIBED]
            change = row_impulse(contacts, notes, k, u) - contacts[k, IMPULSE_AT]
            most = max(most, abs(change) * contacts[k, D_NN])
            continue
        p = vector_at(contacts, k, IMPULSE_AT)
        change, _, _, _ = improve_point(
            work.contact, contacts, notes, k, velocity_at(work.twists, work.contact, contacts, k)
        )
        for c in range(3):
            contacts[k, IMPULSE_AT + c] = p[c]
        most = max(most, change)
    return most


@kernel
def _mass_ratio(work: Work) -> float:
    """How many times as heavy as the lightest body of the group the heaviest is [1].

    The contacts' own matrix, of which every point has 1 alone, has least eigenvalues of that order where a light body
    bears a heavy one: springs that are stiffer by as much take away as much of the error.
    """
    light = heavy = work.twists[0, INV_M]
    for at in range(work.sizes[BODIES]):
        light = max(light, work.twists[at, INV_M])
        heavy = min(heavy, work.twists[at, INV_M])
    return light / heavy


@kernel
def _first_sweeps(work: Work, count: int) -> int:
    """How many sweeps over `count` points come before Newton's method, if that follows: what it may take itself."""
    if work.sizes[BY_NEWTON] == 0:
        return sweep_budget(count)
    worth = SWEEPS_WORTH * work.link[FACTORING] / max(count, 1)
    return min(max(FIRST_SWEEPS, int(worth)), sweep_budget(count))


@kernel
def find_corrections(model: Model, work: Work, count: int, small: float) -> None:
    """Pseudo-velocities that lift what has sunk, and press nothing down, at the points 0 .. count - 1."""
    if work.sizes[BY_NEWTON] == 0:  # what lifts the lowest of a stack has to lift all: a sweep for each of its links
        sweep_corrections(work, count, max(sweep_budget(count), work.sizes[CHAIN]), small)
        return
    if sweep_corrections(work, count, _first_sweeps(work, count), small):
        return
    ratio = _mass_ratio(work)
    stiff = SOFTEST * ratio
    for _ in range(_ROUNDS):
        if not _solve_corrections(model, work, count, stiff, small):
            break
        if sweep_corrections(work, count, SWEEPS_BETWEEN, small):
            work.link[DEBT] = 0.0
            return
        stiff = min(STIFFER * stiff, STIFFEST * ratio)
    sweep_corrections(work, count, sweep_budget(count), small)
