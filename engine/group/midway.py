"""The contact points where a step's impulses act: in the middle of the step, where free flight takes the bodies.

An impulse stands for forces that act throughout the step. Where bodies turn or pass corners, these go about other arms
and along other normals at its end than at its start; in the middle they are as on the mean, to the square of the step
(the midpoint rule; Moreau 1988). It acts on both bodies at one point of space, so that they keep their momentum. What
slip a point had at the start it takes from the nearest point that was one then.
"""

from __future__ import annotations

from math import hypot, inf, sqrt

from engine.collision.narrow.manifold import AT, POINT_GAP, POINT_WIDTH, Reach
from engine.collision.narrow.smooth import FEATURE
from engine.geometry.pool import HEADER, KIND
from engine.geometry.shapes import POLYHEDRON
from engine.group.bodies import mean_spin, place_of, rim_speed
from engine.group.contact_points import load_points_at, prescribed_spin
from engine.group.lasting_contacts import is_kinematic
from engine.group.measure import Partner, Touch, find_points, measure_pair, touches_beside
from engine.group.relative_velocity import speed_along, velocity_along
from engine.group.static_friction import choose_friction, has_two_frictions
from engine.group.warm_start import patch_centre, start_warm
from engine.group.work import (
    ENVELOPE_AT,
    GAP_AT,
    IMPULSE_AT,
    IN_PLACE,
    NORMAL_AT,
    PAIRS_HELD,
    POINT,
    PRESCRIBED_THEN,
    Q_ACT,
    RIM_SPEED,
    SIDE_A,
    SIDE_B,
    SLIP_LEFT,
    START_GAP,
    START_NORMAL,
    START_POINT,
    START_U,
    THEN,
    TURNED,
    U_START,
    V_FREE,
    X_ACT,
    X_END,
    Q,
    V,
    W,
    Work,
    X,
)
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, add_scaled, dot, norm, point_velocity, scale, sub, vector_at
from engine.model.model import ARM, LINKAGE, LONGEST_STEP, RADIUS, Floats, Ints, Model
from engine.model.state import BODY_A, BODY_B, FEATURE_A, FEATURE_B, GAP, PAIR_ENVELOPE, SHAPE_A, SHAPE_B, State
from engine.motion.arcs import evolve
from engine.tolerances import ACCURACY, BAND_HIGH, BAND_LOW, CONTACT_REACH, MOST_TURN, SAFETY

_STANDING = ACCURACY
"""Bodies that move by less than this part of a pair's envelope to the middle of a step stand where they stood [1], and
those that turn by less [rad] do not turn: so far points and gaps are known."""

_SOONEST = 1.0 - SAFETY  # of a step: it is cut down to that at once, at most


@kernel
def _stands(model: Model, state: State, work: Work, p: int, h: float) -> bool:
    """Do the bodies of pair p get nowhere in half the step h, but by their weight, which contacts are going to bear?"""
    row = work.pair[p]
    for column in (BODY_A, BODY_B):
        i = state.links[row, column]
        at = place_of(model.tags, state.members, i)
        if at < 0:
            if is_kinematic(model.tags, i):
                return False
            continue
        if 0.5 * h * work.poses[at, RIM_SPEED] > _STANDING * state.pairs[row, PAIR_ENVELOPE]:
            return False
    return True


@kernel
def stands_to_end(model: Model, state: State, work: Work, p: int, h: float) -> bool:
    """Do the bodies of pair p, whose points have been found, come nowhere in the step h?"""
    if work.still[p] == 0:
        return False
    row = work.pair[p]
    most = 2.0 * _STANDING * state.pairs[row, PAIR_ENVELOPE]
    for column in (BODY_A, BODY_B):
        i = state.links[row, column]
        at = place_of(model.tags, state.members, i)
        if at < 0:
            continue
        way = sub(vector_at(work.poses, at, X_END), vector_at(work.poses, at, X))
        if rim_speed(model.bodies, i, way, scale(mean_spin(work.twists, at), h)) > most:
            return False
    return True


@kernel
def find_pair_midway(model: Model, state: State, work: Work, p: int, t: float, h: float) -> None:
    """The points of pair p in the middle of the step h from t on, into Work.found. Of one that stands only how many."""
    work.still[p] = 1 if _stands(model, state, work, p, h) else 0
    if work.still[p] == 1:
        work.many[p] = work.begun[p + 1] - work.begun[p]
        return
    row = work.pair[p]
    touch = touch_at(model, state, work, row, t + 0.5 * h)
    a, b = touch.a, touch.b
    if _slides_flat(work, p, touch, h):
        count, normal = carry_points(model.bodies, work, p, touch, h)
    else:
        measure_pair(model, state, row, a.x, a.q, b.x, b.q, t + 0.5 * h)
        if touches_beside(model, state, touch):
            count, normal = carry_points(model.bodies, work, p, touch, h)  # its triangle's neighbour bears from now on
        else:
            near = max(CONTACT_REACH * state.pairs[row, PAIR_ENVELOPE], state.pairs[row, GAP])
            count, normal = find_points(model, state, work, touch, Reach(max(work.reach[p], near), near))
    work.many[p] = count
    for k in range(count):
        for c in range(POINT_WIDTH):
            work.found[p, k, c] = work.points[k, c]
    for c in range(3):
        work.facing[p, c] = normal[c]


@kernel
def lay_pair_midway(model: Model, state: State, work: Work, p: int, t: float, h: float) -> float:
    """Rows for what pair p has found. When the step should end since it meets what was not seen at its start [s]; inf:
    it does not."""
    row, first, count = work.pair[p], work.first[p], work.many[p]
    still = work.still[p] == 1
    if still and _is_in_place(model, state, work, p):
        _carry_along(work, first, first + count)
        work.wandering[p] = 0.0
        return inf
    touch = touch_at(model, state, work, row, t + 0.5 * h)
    normal = vector_at(work.facing, p, 0)
    if still:  # the same points, but other rows
        _, normal = carry_points(model.bodies, work, p, touch, h)
    else:
        for k in range(count):
            for c in range(POINT_WIDTH):
                work.points[k, c] = work.found[p, k, c]
    load_points_at(work, state.pairs, touch, normal, first, count)
    centre, longest = patch_centre(model, state, work, row, X_ACT), model.settings[LONGEST_STEP]
    start_warm(work.contacts, work.notes, first, count, state.patches, row, centre, longest)
    alone = count == 1 and work.begun[p + 1] - work.begun[p] == 1 and not _has_jumped(model, state.links, work, p)
    work.wandering[p] = 0.0
    meets = inf
    for k in range(first, first + count):
        then, away = recall_start(model.bodies, work, k, work.begun[p], work.begun[p + 1])
        if alone and then >= 0:
            work.wandering[p] = away
        if then >= 0:
            # Along the normal that there was: on a new one slip would be an approach.
            u, along = vector_at(work.start, then, START_U), vector_at(work.start, then, START_NORMAL)
        else:
            u, along = _velocity_at_start(model, state, work, touch, k, t), normal
        _note_start(work, k, u, dot(u, along), h)
        if has_two_frictions(state.pairs, row):
            slip = hypot(work.notes[k, U_START + 1], work.notes[k, U_START + 2])
            choose_friction(model.settings, state, work, k, slip)
        work.notes[k, TURNED] = 0.0
        if then >= 0:
            work.contact[k, THEN] = then if alone else -1
            _note_turning(work, k, away if alone else 0.0, h * norm(prescribed_spin(touch)))
        if then < 0:
            meets = min(meets, time_of_meeting(work, k, h))
    return meets


@kernel
def _note_turning(work: Work, k: int, away: float, turn: float) -> None:
    """By how much u of point k changes to the middle by where it is: it has run so far about its bodies, by their
    radii, and what is kinematic turns by `turn` in the step [rad].

    Steps foresee what slip changes by from there to their end as what it has changed by, turned no further: by as much
    as it turns meanwhile they may be wrong. What rolls on a turntable then keeps its circle; a little less than all of
    its slip is taken for that, so that what came with slip loses it.
    """
    notes = work.notes
    change = changed_by_place(work, k)
    notes[k, TURNED] = abs(change[0])
    size = sqrt(change[1] * change[1] + change[2] * change[2])
    came = sqrt(notes[k, U_START + 1] * notes[k, U_START + 1] + notes[k, U_START + 2] * notes[k, U_START + 2])
    notes[k, SLIP_LEFT] = max(away * size, min(turn * size, SAFETY * came))


@kernel
def changed_by_place(work: Work, k: int) -> Vec3:
    """What u of point k has changed by from the step's start to its middle by where it is, in its frame [m/s]."""
    u = velocity_along(work.twists, work.contact, work.contacts, k, V)
    return sub(add(u, vector_at(work.notes, k, PRESCRIBED_THEN)), vector_at(work.notes, k, U_START))


@kernel
def _is_in_place(model: Model, state: State, work: Work, p: int) -> bool:
    """Have the points of pair p the rows that they had at the start, and is no body of it tied to others?"""
    if work.sizes[IN_PLACE] == 0 or work.first[p] != work.begun[p]:
        return False
    row = work.pair[p]
    return max(model.tags[state.links[row, BODY_A], LINKAGE], model.tags[state.links[row, BODY_B], LINKAGE]) < 0


@kernel
def most_wandering(work: Work) -> float:
    """How far a point that bears comes about its bodies to the middle of the step at most, by their radii [1]."""
    most = 0.0
    for p in range(work.sizes[PAIRS_HELD]):
        if work.wandering[p] > most and work.contacts[work.first[p], IMPULSE_AT] > 0.0:
            most = work.wandering[p]
    return most


@kernel
def _slides_flat(work: Work, p: int, touch: Touch, h: float) -> bool:
    """Do the bodies of a pair, which touch with a face, go through the step without turning?"""
    return work.begun[p + 1] - work.begun[p] > 2 and 0.5 * h * max(norm(touch.a.w), norm(touch.b.w)) < _STANDING


@kernel
def carry_points(bodies: Floats, work: Work, p: int, touch: Touch, h: float) -> tuple[int, Vec3]:
    """The points that pair p had at the start, as free flight takes them along, into work.points; how many, normal."""
    first, start = work.begun[p], work.start
    count = work.begun[p + 1] - first
    normal = vector_at(start, first, START_NORMAL)
    a, b = touch.a, touch.b
    for j in range(count):
        point = vector_at(start, first + j, START_POINT)
        way_a, way_b = _way_to_middle(bodies, work, a, point, h), _way_to_middle(bodies, work, b, point, h)
        way = scale(add(way_a, way_b), 0.5)
        if a.place < 0 or b.place < 0:
            way = way_a if a.place >= 0 else way_b
        gap = start[first + j, START_GAP] + dot(sub(way_a, way_b), normal)
        half = 0.5 * gap if b.place < 0 else (-0.5 * gap if a.place < 0 else 0.0)  # see load_point
        at = add_scaled(add(point, way), normal, -half)
        for c in range(3):
            work.points[j, AT + c] = at[c]
        work.points[j, POINT_GAP] = gap
    return count, normal


@kernel
def _carry_along(work: Work, first: int, last: int) -> None:
    """Points in the rows first .. last - 1, on which nothing moves, go along with the bodies as they are."""
    for k in range(first, last):
        way, sides = (0.0, 0.0, 0.0), 0.0
        for side in range(2):
            at = work.contact[k, SIDE_A if side == 0 else SIDE_B]
            if at >= 0:
                way = add(way, sub(vector_at(work.poses, at, X_ACT), vector_at(work.poses, at, X)))
                sides += 1.0
        for c in range(3):
            work.notes[k, POINT + c] = work.start[k, START_POINT + c] + way[c] / sides
        work.notes[k, TURNED] = work.notes[k, SLIP_LEFT] = 0.0


@kernel
def _way_to_middle(bodies: Floats, work: Work, side: Partner, p: Vec3, h: float) -> Vec3:
    """How far the point of a body that is at p at the step's start comes to the middle of the step h [m]; of a ball,
    whose surface no spin moves, the point that is below its centre as p is.
    """
    at = side.place
    if at < 0:
        return scale(point_velocity(side.v, side.w, sub(p, side.x)), 0.5 * h)
    arm = sub(p, vector_at(work.poses, at, X))
    there = arm
    if bodies[side.body, ARM] > 0.0:
        there = rotate(quat_at(work.poses, at, Q_ACT), rotate_inverse(quat_at(work.poses, at, Q), arm))
    return add(sub(vector_at(work.poses, at, X_ACT), vector_at(work.poses, at, X)), sub(there, arm))


@kernel
def touch_at(model: Model, state: State, work: Work, row: int, t: float) -> Touch:
    """Pair `row` at time t, where its impulses act."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    return Touch(row, _partner_midway(model, state, work, a, t), _partner_midway(model, state, work, b, t))


@kernel
def _partner_midway(model: Model, state: State, work: Work, i: int, t: float) -> Partner:
    at = place_of(model.tags, state.members, i)
    if at < 0:
        x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
        return Partner(i, at, x, q, v, w)
    x, q = vector_at(work.poses, at, X_ACT), quat_at(work.poses, at, Q_ACT)
    return Partner(i, at, x, q, vector_at(work.twists, at, V_FREE), vector_at(work.twists, at, V_FREE + 3))


@kernel
def _has_jumped(model: Model, links: Ints, work: Work, p: int) -> bool:
    """Is pair p, of polyhedra, about other features than at the step's start?

    Its point is not where it has wandered to then, but where it has jumped, and no shorter step takes it there in
    smaller ways. On smooth solids points wander from feature to feature.
    """
    row = work.pair[p]
    for column in (SHAPE_A, SHAPE_B):
        if model.topology[HEADER * links[row, column] + KIND] != POLYHEDRON:
            return False
    same = (links[row, FEATURE_A] & FEATURE) == (work.features[p, 0] & FEATURE)
    return not (same and (links[row, FEATURE_B] & FEATURE) == (work.features[p, 1] & FEATURE))


@kernel
def recall_start(bodies: Floats, work: Work, k: int, first: int, last: int) -> tuple[int, float]:
    """The point of the pair at the step's start that is the nearest to point k; -1: k has come too far for it.

    And how far it has come about the bodies since.
    """
    notes, start = work.notes, work.start
    best, least = -1, inf
    for j in range(first, last):
        away = 0.0
        for c in range(3):
            d = notes[k, POINT + c] - start[j, START_POINT + c]
            away += d * d
        if away < least:
            best, least = j, away
    away = inf if best < 0 else _wandering(bodies, work, k, best)
    return (best if away <= 2.0 * MOST_TURN else -1), away


@kernel
def _velocity_at_start(model: Model, state: State, work: Work, touch: Touch, k: int, t: float) -> Vec3:
    """u at the step's start, t, where point k was then if it has moved with the free body on which it is [m/s]."""
    side = touch.a if touch.a.place >= 0 else touch.b
    at = side.place
    arm = rotate_inverse(side.q, sub(vector_at(work.notes, k, POINT), side.x))
    p = add(vector_at(work.poses, at, X), rotate(quat_at(work.poses, at, Q), arm))
    return sub(_point_velocity(model, state, work, touch.a, p, t), _point_velocity(model, state, work, touch.b, p, t))


@kernel
def _point_velocity(model: Model, state: State, work: Work, side: Partner, p: Vec3, t: float) -> Vec3:
    """The velocity that one body of a pair has at a point p at the step's start, t [m/s]."""
    at = side.place
    if at >= 0:
        arm = sub(p, vector_at(work.poses, at, X))
        return point_velocity(vector_at(work.twists, at, V), vector_at(work.twists, at, W), arm)
    x, _, v, w = evolve(model.bodies, model.tags, state.arcs, side.body, t)
    return point_velocity(v, w, sub(p, x))


@kernel
def _note_start(work: Work, k: int, u: Vec3, u_normal: float, h: float) -> None:
    """Point k had u at the step's start, u_normal of it along the normal there [m/s]; what its gap was there."""
    notes = work.notes
    notes[k, U_START] = u_normal
    for axis in range(1, 3):
        notes[k, U_START + axis] = dot(u, vector_at(work.contacts, k, NORMAL_AT + 3 * axis))
    u_n = speed_along(work.twists, work.contact, work.contacts, k, 0, V_FREE) + notes[k, PRESCRIBED_THEN]
    notes[k, GAP_AT] -= 0.25 * h * (notes[k, U_START] + u_n)


@kernel
def time_of_meeting(work: Work, k: int, h: float) -> float:
    """Point k, unseen at the start, may come in by the mean of what it had and what its band allows: when, if too far.

    What was seen is stopped at the start; a step should end where it meets what was not. inf: it need not.
    """
    gap, envelope, u = work.notes[k, GAP_AT], work.notes[k, ENVELOPE_AT], work.notes[k, U_START]
    if 0.5 * (gap + BAND_HIGH * envelope + h * u) < BAND_LOW * envelope and gap > BAND_HIGH * envelope:
        return max((BAND_HIGH * envelope - gap) / u, _SOONEST * h)
    return inf


@kernel
def _wandering(bodies: Floats, work: Work, k: int, then: int) -> float:
    """How far point k is from where point `then` was at the start, seen from the bodies, by their radii [1]."""
    most = 0.0
    for side in range(2):
        at = work.contact[k, SIDE_A if side == 0 else SIDE_B]
        if at >= 0:
            before = sub(vector_at(work.start, then, START_POINT), vector_at(work.poses, at, X))
            now = sub(vector_at(work.notes, k, POINT), vector_at(work.poses, at, X_ACT))
            most = max(most, norm(sub(now, before)) / bodies[work.body[at], RADIUS])
    return most
