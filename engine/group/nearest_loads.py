"""Loads of a sleeping body that hold it, as near as can be to those that its contacts bear.

Loads of a pile are not unique. When what loads a sleeper changes, its contacts with what stands still, below, beside
and above it, take the loads that hold it, lie in the cones of friction, and are nearest to those before in the sum of
squares: each contact is as a spring of one and the same stiffness, which slides and lifts off. That is a projection
onto a convex set. The sets of all sleepers have points in common if any loads hold them all; projections onto one after
the other come to such a point and never go away from any (Bregman 1965, "The method of successive projection for
finding a common point of convex sets"), so that what changes stays near what changed it.

Its dual has six unknowns y, a small displacement of the body: forces are the projections onto their cones of what the
points bore, f, and of how far y displaces them, G y. That y makes a convex function least whose gradient is the net
load, and Newton's method finds it in a round or two.
"""

from __future__ import annotations

from math import sqrt

from engine.collision.pair_table import next_pair, other_of
from engine.group.bodies import rim_gain
from engine.group.warm_start import patch_body
from engine.group.work import (
    BEARS,
    BORE,
    DISPLACEMENT,
    FACING,
    HELD_MU,
    HESSIAN,
    LEVER,
    NET,
    OTHERS,
    STEP,
    Work,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.rounding import ROOT
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, norm, scale, sub, vector_at
from engine.model.model import FREE, KIND, MU_STATIC, RADIUS, Floats, Model
from engine.model.state import (
    ASLEEP,
    BODY_A,
    GAP,
    HELD,
    NORMAL,
    ORIENTATION,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    PAIR_SURFACE,
    PATCH,
    PATCH_IMPULSE,
    PATCH_OFFSET,
    PATCH_POINTS,
    PATCH_STEP,
    PATCH_STRIDE,
    POSITION,
    State,
)
from engine.tolerances import ALIKE, CONTACT_REACH, SOLVE_SWEEPS


@kernel
def hold(model: Model, state: State, work: Work, i: int, force: Vec3, couple: Vec3, least: float) -> bool:
    """Let the contacts of sleeping body i with what stands still hold it under a net load of `force` [N] and `couple`
    about its centre [N m], but for what speeds its rim up by half of `least` [m/s^2], or as near to that as they
    can. False: they cannot hold it but for `least`, and bear what they bore.
    """
    count = _list_points(model, state, work, i, False)
    if _balance(model, state, work, i, count, force, couple, least) > least:
        return False
    _store(state, work, i, count)
    return True


@kernel
def is_held_by_ground(model: Model, state: State, work: Work, i: int, force: Vec3, couple: Vec3, least: float) -> bool:
    """Can its contacts with what is no free body hold sleeping body i so, while the others bear what they bore?"""
    count = _list_points(model, state, work, i, True)
    return _balance(model, state, work, i, count, force, couple, least) <= least


@kernel
def _balance(
    model: Model, state: State, work: Work, i: int, count: int, force: Vec3, couple: Vec3, least: float
) -> float:
    """Find loads of the points that have been listed, in work.bearing; how fast the rim of body i gains speed then
    [m/s^2]."""
    radius = model.bodies[i, RADIUS]
    _note_others(work, count, force, scale(couple, 1.0 / radius))
    value = _press(work, count)
    gain = _gain(model, state, work, i)
    rounds = SOLVE_SWEEPS
    while rounds > 0 and gain > ALIKE * least and _step_down(work, count):
        value = _search(work, count, value)
        gain = _gain(model, state, work, i)
        rounds -= 1
    return gain


@kernel
def _gain(model: Model, state: State, work: Work, i: int) -> float:
    """How fast the net load speeds up the rim of body i [m/s^2]."""
    net, turn = vector_at(work.balance, NET, 0), scale(vector_at(work.balance, NET, 3), model.bodies[i, RADIUS])
    return rim_gain(model.bodies, i, quat_at(state.arcs, i, ORIENTATION), net, turn)


@kernel
def _list_points(model: Model, state: State, work: Work, i: int, on_ground: bool) -> int:
    """List the points that may hold sleeping body i, as many as there is room for; the rows of their pairs in
    work.order. on_ground: only those on what is no free body."""
    room = min(work.bearing.shape[0], work.order.shape[0])
    count = 0
    row = state.first_pair[i]
    while row >= 0:
        free = model.tags[other_of(state.links, row, i), KIND] == FREE
        if is_base(model, state, row, i) and not (on_ground and free):
            centre = _from_centre(model, state, row, i)
            for k in range(min(int(state.patches[row, PATCH_POINTS]), room - count)):
                work.order[count] = row
                _note_point(model, state, work, count, row, k, i, centre)
                count += 1
        row = next_pair(state.links, row, i)
    return count


@kernel
def _note_point(model: Model, state: State, work: Work, place: int, row: int, k: int, i: int, centre: Vec3) -> None:
    """Point k of pair `row`, as seen from body i, which is `centre` away from what it is measured from [m]."""
    at = PATCH + PATCH_STRIDE * k
    sign = 1.0 if state.links[row, BODY_A] == i else -1.0
    rate = sign / state.patches[row, PATCH_STEP]
    lever = scale(add(centre, vector_at(state.patches, row, at + PATCH_OFFSET)), 1.0 / model.bodies[i, RADIUS])
    for c in range(3):
        work.bearing[place, BORE + c] = rate * state.patches[row, at + PATCH_IMPULSE + c]
        work.bearing[place, LEVER + c] = lever[c]
        work.bearing[place, FACING + c] = sign * state.pairs[row, NORMAL + c]
    work.bearing[place, HELD_MU] = state.pairs[row, PAIR_SURFACE + MU_STATIC]


@kernel
def _note_others(work: Work, count: int, force: Vec3, turn: Vec3) -> None:
    """What loads the body besides the points, of its net load; no displacement yet."""
    for c in range(6):
        work.balance[DISPLACEMENT, c] = 0.0
    for k in range(count):
        bore = vector_at(work.bearing, k, BORE)
        force = sub(force, bore)
        turn = sub(turn, cross(vector_at(work.bearing, k, LEVER), bore))
    for c in range(3):
        work.balance[OTHERS, c], work.balance[OTHERS, 3 + c] = force[c], turn[c]


@kernel
def _press(work: Work, count: int) -> float:
    """What the points bear where the body is displaced to, and the net load; the function that is to be least there,
    whose gradient that is [N^2]."""
    balance, bearing = work.balance, work.bearing
    net, turn = vector_at(balance, OTHERS, 0), vector_at(balance, OTHERS, 3)
    value = dot(vector_at(balance, DISPLACEMENT, 0), net) + dot(vector_at(balance, DISPLACEMENT, 3), turn)
    for k in range(count):
        bears = _project(_aim(work, k), vector_at(bearing, k, FACING), bearing[k, HELD_MU])
        value += 0.5 * dot(bears, bears)
        net, turn = add(net, bears), add(turn, cross(vector_at(bearing, k, LEVER), bears))
        for c in range(3):
            bearing[k, BEARS + c] = bears[c]
    for c in range(3):
        balance[NET, c], balance[NET, 3 + c] = net[c], turn[c]
    return value


@kernel
def _aim(work: Work, k: int) -> Vec3:
    """What point k would bear if it could bear anything [N]."""
    y, z = vector_at(work.balance, DISPLACEMENT, 0), vector_at(work.balance, DISPLACEMENT, 3)
    return add(vector_at(work.bearing, k, BORE), add(y, cross(z, vector_at(work.bearing, k, LEVER))))


@kernel
def _project(aim: Vec3, n: Vec3, mu: float) -> Vec3:
    """The force in the cone of friction about n that is nearest to `aim`."""
    load = dot(aim, n)
    across = add_scaled(aim, n, -load)
    slip = norm(across)
    if slip <= mu * load:
        return aim
    if mu * slip <= -load:
        return (0.0, 0.0, 0.0)
    load = (load + mu * slip) / (1.0 + mu * mu)
    return add_scaled(scale(n, load), across, mu * load / slip)


@kernel
def _step_down(work: Work, count: int) -> bool:
    """Newton's step to where the function is least, in work.balance. False: nothing there bears anything."""
    balance = work.balance
    for c in range(6):
        for d in range(6):
            balance[HESSIAN + c, d] = 0.0
    for k in range(count):
        _add_slopes(work, k)
    trace = 0.0
    for c in range(6):
        trace += balance[HESSIAN + c, c]
        balance[STEP, c] = -balance[NET, c]
    if trace == 0.0:
        return False
    for c in range(6):
        balance[HESSIAN + c, c] += ROOT * trace
    _solve(balance)
    return True


@kernel
def _add_slopes(work: Work, k: int) -> None:
    """How what point k bears goes with the displacement."""
    aim, n, mu = _aim(work, k), vector_at(work.bearing, k, FACING), work.bearing[k, HELD_MU]
    load = dot(aim, n)
    across = add_scaled(aim, n, -load)
    slip = norm(across)
    if slip <= mu * load:
        for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
            _add_slope(work, k, axis, 1.0)
    elif mu * slip > -load:
        d = scale(across, 1.0 / slip)
        _add_slope(work, k, add_scaled(n, d, mu), 1.0 / (1.0 + mu * mu))
        _add_slope(work, k, cross(n, d), mu * (load + mu * slip) / ((1.0 + mu * mu) * slip))


@kernel
def _add_slope(work: Work, k: int, d: Vec3, stiffness: float) -> None:
    """Point k resists displacement along d."""
    turn = cross(vector_at(work.bearing, k, LEVER), d)
    g = (d[0], d[1], d[2], turn[0], turn[1], turn[2])
    for r in range(6):
        for c in range(r + 1):
            work.balance[HESSIAN + r, c] += stiffness * g[r] * g[c]


@kernel
def _solve(balance: Floats) -> None:
    """Cholesky's method: the step for the right hand side that stands in its place."""
    for r in range(6):
        for c in range(r + 1):
            rest = balance[HESSIAN + r, c]
            for k in range(c):
                rest -= balance[HESSIAN + r, k] * balance[HESSIAN + c, k]
            balance[HESSIAN + r, c] = sqrt(rest) if r == c else rest / balance[HESSIAN + c, c]
        for k in range(r):
            balance[STEP, r] -= balance[HESSIAN + r, k] * balance[STEP, k]
        balance[STEP, r] /= balance[HESSIAN + r, r]
    for r in range(5, -1, -1):
        for k in range(r + 1, 6):
            balance[STEP, r] -= balance[HESSIAN + k, r] * balance[STEP, k]
        balance[STEP, r] /= balance[HESSIAN + r, r]


@kernel
def _search(work: Work, count: int, value: float) -> float:
    """Go along the step until the function is no more than `value`; what it is there."""
    balance = work.balance
    share = 1.0
    for c in range(6):
        balance[DISPLACEMENT, c] += balance[STEP, c]
    found = _press(work, count)
    while found > value and share > ROOT:
        share *= 0.5
        for c in range(6):
            balance[DISPLACEMENT, c] -= share * balance[STEP, c]
        found = _press(work, count)
    return found


@kernel
def _store(state: State, work: Work, i: int, count: int) -> None:
    """The points bear from now on what was found."""
    at = 0
    for place in range(count):
        row = work.order[place]
        at = _column_of(work, place, at)
        rate = state.patches[row, PATCH_STEP] * (1.0 if state.links[row, BODY_A] == i else -1.0)
        for c in range(3):
            state.patches[row, at + c] = rate * work.bearing[place, BEARS + c]


@kernel
def _column_of(work: Work, place: int, before: int) -> int:
    """Where in its pair's patch the impulse of the listed point in `place` stands; before: that of the one before."""
    if place > 0 and work.order[place - 1] == work.order[place]:
        return before + PATCH_STRIDE
    return PATCH + PATCH_IMPULSE


@kernel
def is_base(model: Model, state: State, row: int, i: int) -> bool:
    """Does pair `row` of sleeping body i bear on what stands still, too? A busy group has others that are near."""
    pairs = state.pairs
    if pairs[row, GAP] > CONTACT_REACH * pairs[row, PAIR_ENVELOPE]:
        return False
    other = other_of(state.links, row, i)
    still = model.tags[other, KIND] != FREE or state.arcs[other, HELD] == ASLEEP
    return still and state.links[row, PAIR_STATE] == PAIR_HELD and state.patches[row, PATCH_POINTS] > 0.0


@kernel
def _from_centre(model: Model, state: State, row: int, i: int) -> Vec3:
    """From the centre of sleeping body i to that from which the patch of pair `row` of it, with what stands still, is
    measured [m]."""
    first = patch_body(model.tags, state.links, row)
    return sub(vector_at(state.arcs, first, POSITION), vector_at(state.arcs, i, POSITION))
