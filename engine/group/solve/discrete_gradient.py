"""Where the impulse of a contact acts, so that its gap changes by just what the mean of its velocities says.

The midpoint rule takes lever arms and normals from the middle of a step. Where a contact runs about its bodies, and
impulses turn these on the way, its gap changes by a little else, to the third order: what rolls and rocks sinks, and to
lift it takes energy that nothing gives. A row J for which J (v + v') h / 2 is the change of the gap itself is a
discrete gradient (Gonzalez 1996, Time integration and discrete Hamiltonian systems): its impulse keeps the gap and does
no work. Here it is the row J_m of the middle, with its point moved across the normal. Both bodies are still struck at
one point, so that they keep their momentum.

By how much faster than J_m says the gap changes on the mean of the step, c, is measured: where the impulses found first
take the bodies. A point moved by d lies where the gap seems to change faster by n . (w x d), w being how the bodies
turn against each other: d = c (n x w) / |n x w|^2. A gap that is below its band is led back likewise, not by
pseudo-velocities, which take energy: by moving the point no further than the midpoint rule may be wrong by itself, by
(h |n x w|)^2 / 12 of the radius. Rolling pays for that lift, and the slower it is, the less. Nothing of that concerns
balls, whose surface no spin moves.
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.frames import Pose, pose_of
from engine.collision.pairs.gaps import measure_gap
from engine.group.bodies import flown_to_end
from engine.group.contact_points import move_point
from engine.group.measure import Partner, Touch
from engine.group.midway import touch_at
from engine.group.relative_velocity import apply_at, speed_along
from engine.group.solve.aims import aim_point
from engine.group.work import (
    CONTACTS,
    ENVELOPE_AT,
    GAP_AT,
    IMPULSE_AT,
    NORMAL_AT,
    POINT,
    PRESCRIBED_THEN,
    PSEUDO_TARGET,
    ROW,
    SIDE_A,
    SIDE_B,
    START_GAP,
    THEN,
    V_END,
    V_FREE,
    W_END,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, add_scaled, cross, norm, scale, sub, vector_at
from engine.model.model import ARM, RADIUS, Floats, Model
from engine.model.state import CHECKED, GAP, State
from engine.motion.arcs import evolve
from engine.tolerances import ACCURACY, BAND_LOW, MOST_MISS


@kernel
def move_points(model: Model, state: State, work: Work, t: float, h: float) -> bool:
    """Move the points that bear, of pairs that touch at one, once their impulses are known: have any been moved?

    Their targets are set anew, velocities follow; the impulses are to be found again from what they are.
    """
    moved = False
    for k in range(work.sizes[CONTACTS]):
        if work.contact[k, THEN] < 0 or work.contacts[k, IMPULSE_AT] == 0.0:
            continue
        a, b = work.contact[k, SIDE_A], work.contact[k, SIDE_B]
        if not (_turns(model.bodies, work, a, h) or _turns(model.bodies, work, b, h)):
            continue
        touch = touch_at(model, state, work, work.contact[k, ROW], t + 0.5 * h)
        w = sub(_mean_turning(work, touch.a), _mean_turning(work, touch.b))
        way = cross(vector_at(work.contacts, k, NORMAL_AT), w)
        size, radius = norm(way), _radius(model.bodies, touch)
        arc = h * norm(w) * radius
        if size * arc == 0.0:
            continue
        lead = _lead(work, k, size, radius, h)
        c = _unforeseen(model, state, work, k, touch, t, h) - lead
        if abs(c) * h > ACCURACY * MOST_MISS * work.notes[k, ENVELOPE_AT]:
            far = min(max(c / size, -arc), arc)  # no further than the bodies turn
            _move(work, k, touch, add_scaled(vector_at(work.notes, k, POINT), way, far / size))
            aim_point(model, state, work, k, h)
            moved = True
        if lead > 0.0:
            work.contacts[k, PSEUDO_TARGET] = 0.0
    return moved


@kernel
def _turns(bodies: Floats, work: Work, at: int, h: float) -> bool:
    """Does body `at` of the group, if it is one, move its surface by turning?"""
    return at >= 0 and bodies[work.body[at], ARM] > 0.0 and h * norm(_mean_spin(work, at)) > ACCURACY


@kernel
def _mean_spin(work: Work, at: int) -> Vec3:
    return scale(add(vector_at(work.twists, at, V_FREE + 3), vector_at(work.twists, at, W_END)), 0.5)


@kernel
def _mean_turning(work: Work, side: Partner) -> Vec3:
    return side.w if side.place < 0 else _mean_spin(work, side.place)


@kernel
def _unforeseen(model: Model, state: State, work: Work, k: int, touch: Touch, t: float, h: float) -> float:
    """c of point k [m/s], which is the only one of its pair, with the impulses that there are."""
    row, pairs = touch.row, state.pairs
    gap, checked = pairs[row, GAP], pairs[row, CHECKED]
    pose_a, pose_b = _pose_at_end(model, state, work, touch.a, t, h), _pose_at_end(model, state, work, touch.b, t, h)
    measure_gap(model.geometry, model.topology, pairs, state.links, state.counts, row, pose_a, pose_b, t + h)
    change = pairs[row, GAP] - work.start[work.contact[k, THEN], START_GAP]
    pairs[row, GAP], pairs[row, CHECKED] = gap, checked
    u = speed_along(work.twists, work.contact, work.contacts, k, 0, V_FREE)
    u += speed_along(work.twists, work.contact, work.contacts, k, 0, V_END)
    return change / h - work.notes[k, PRESCRIBED_THEN] - 0.5 * u


@kernel
def _pose_at_end(model: Model, state: State, work: Work, side: Partner, t: float, h: float) -> Pose:
    if side.place < 0:
        x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, side.body, t + h)
    else:
        x, q, _, _ = flown_to_end(model.bodies, work, side.place, h)
    return pose_of(x, q)


@kernel
def _radius(bodies: Floats, touch: Touch) -> float:
    """Of the smaller body [m]."""
    radius = inf
    for side in (touch.a, touch.b):
        if side.place >= 0:
            radius = min(radius, bodies[side.body, RADIUS])
    return radius


@kernel
def _lead(work: Work, k: int, rolling: float, radius: float, h: float) -> float:
    """How fast the gap of point k, which rolls at so many rad/s, is led back into its band [m/s]."""
    lacks = max(BAND_LOW * work.notes[k, ENVELOPE_AT] - work.notes[k, GAP_AT], 0.0)
    return min(lacks / h, 0.25 * radius * rolling * (h * rolling) ** 2 / 3.0)


@kernel
def _move(work: Work, k: int, touch: Touch, p: Vec3) -> None:
    """Move point k to p; velocities are as if its impulse had acted there."""
    given = vector_at(work.contacts, k, IMPULSE_AT)
    apply_at(work.twists, work.contact, work.contacts, k, -given[0], -given[1], -given[2], V_END)
    move_point(work, k, touch, p)
    apply_at(work.twists, work.contact, work.contacts, k, given[0], given[1], given[2], V_END)
