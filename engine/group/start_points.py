"""The contact points of a pair at the start of its group's step: whether it lasts, which points it has, their rows.

A task writes to the rows of its own pair and points only (engine.group.pair_tasks): who waits for others, and what
changes the group itself, is in engine.group.gather.
"""

from __future__ import annotations

from math import hypot

from engine.collision.narrow.manifold import POINT_WIDTH, Reach
from engine.group.contact_points import load_points_at
from engine.group.lasting_contacts import why_released
from engine.group.measure import Touch, find_points, measure_now, slip_of, touch_in_group
from engine.group.met import count_met, load_met
from engine.group.relative_velocity import speed_along
from engine.group.static_friction import choose_friction, has_two_frictions
from engine.group.warm_start import patch_centre, start_warm
from engine.group.work import CUTS, PRESCRIBED_THEN, V, Work, X
from engine.journal import NONE
from engine.kernel import kernel
from engine.maths.vectors import dot, norm, sub, vector_at
from engine.model.model import LONGEST_STEP, RADIUS, Floats, Model
from engine.model.state import FEATURE_A, FEATURE_B, GAP, NORMAL, PAIR_ENVELOPE, State
from engine.tolerances import CONTACT_REACH, CUT_STEPS


@kernel
def _slip(work: Work, k: int) -> float:
    """How fast point k slides at the start of the step [m/s]."""
    u_1 = speed_along(work.twists, work.contact, work.contacts, k, 1, V) + work.notes[k, PRESCRIBED_THEN + 1]
    u_2 = speed_along(work.twists, work.contact, work.contacts, k, 2, V) + work.notes[k, PRESCRIBED_THEN + 2]
    return hypot(u_1, u_2)


@kernel
def is_busy(work: Work) -> bool:
    """Have hits cut so many steps of the group that it resolves those to come in its own time?"""
    return bool(work.link[CUTS] > CUT_STEPS)


@kernel
def find_pair_at_start(model: Model, state: State, work: Work, p: int, t: float) -> None:
    """Why pair p is no contact of its group at t, into work.reason; if it is one, its points into work.found."""
    row, pairs, busy = work.pair[p], state.pairs, is_busy(work)
    touch = touch_in_group(model, state, work, row, t)
    measure_now(model, state, touch, t)
    work.reason[p] = why_released(model, state, touch, busy, t)
    if work.reason[p] != NONE:
        return
    gap, near = pairs[row, GAP], CONTACT_REACH * pairs[row, PAIR_ENVELOPE]
    reach = near
    if busy:  # further points come in only if something falls, and are met then
        reach = near + 2.0 * max(_closing_speed(model.bodies, pairs, touch), 0.0) * model.settings[LONGEST_STEP]
    count, normal = find_points(model, state, work, touch, Reach(max(reach, gap), max(near, gap)))
    work.gap[p], work.reach[p], work.many[p] = gap, reach, count
    for k in range(count):
        for c in range(POINT_WIDTH):
            work.found[p, k, c] = work.points[k, c]
    for c in range(3):
        work.facing[p, c] = normal[c]


@kernel
def _closing_speed(bodies: Floats, pairs: Floats, touch: Touch) -> float:
    """How fast a pair comes nearer at its closest points, and beside them as its bodies turn [m/s]."""
    a, b = touch.a, touch.b
    beside = norm(sub(a.w, b.w)) * min(bodies[a.body, RADIUS], bodies[b.body, RADIUS])
    return beside - dot(slip_of(pairs, touch), vector_at(pairs, touch.row, NORMAL))


@kernel
def keep_found(work: Work, p: int, to: int) -> None:
    """What has been found of pair p is of pair `to`, which comes no later."""
    if to == p:
        return
    work.pair[to], work.gap[to], work.reach[to], work.many[to] = work.pair[p], work.gap[p], work.reach[p], work.many[p]
    for k in range(work.many[p]):
        for c in range(POINT_WIDTH):
            work.found[to, k, c] = work.found[p, k, c]
    for c in range(3):
        work.facing[to, c] = work.facing[p, c]


@kernel
def lay_pair_at_start(model: Model, state: State, work: Work, p: int, t: float) -> None:
    """Rows for what pair p has found, and for those of its points that the last trial met."""
    row, first, count = work.pair[p], work.first[p], work.many[p]
    touch = touch_in_group(model, state, work, row, t)
    for k in range(count):
        for c in range(POINT_WIDTH):
            work.points[k, c] = work.found[p, k, c]
    load_points_at(work, state.pairs, touch, vector_at(work.facing, p, 0), first, count)
    load_met(work, state.pairs, touch, first + count)
    count += count_met(work, row)
    if has_two_frictions(state.pairs, row):
        for k in range(first, first + count):
            choose_friction(model.settings, state, work, k, _slip(work, k))
    centre, longest = patch_centre(model, state, work, row, X), model.settings[LONGEST_STEP]
    start_warm(work.contacts, work.notes, first, count, state.patches, row, centre, longest)
    work.wandering[p] = 0.0
    work.features[p, 0], work.features[p, 1] = state.links[row, FEATURE_A], state.links[row, FEATURE_B]
