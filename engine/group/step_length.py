"""How long a contact group's steps are: at first, and after each, as errors and changes allow.

A step that is found may turn bodies, and miss gaps, by no more than so much; it is no longer than the scene's longest.
What rolls or slides alone on what goes on as it does may make longer ones, as long as its forces change little.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.group.joints.linkages import linked_step
from engine.group.joints.trees import next_swing, swing_step
from engine.group.midway import changed_by_place
from engine.group.relative_velocity import speed_along
from engine.group.work import (
    BODIES,
    CONTACTS,
    ENVELOPE_AT,
    GAP_AT,
    IMPULSE_AT,
    JOINT_ROWS,
    LONGEST,
    MISS,
    PRESCRIBED_THEN,
    ROW,
    SIDE_A,
    SIDE_B,
    TURN,
    U_START,
    UNEVEN_HERE,
    V_END,
    W_END,
    Q,
    V,
    W,
    Work,
)
from engine.impulse.envelope import fall_time
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.rounding import TINY
from engine.maths.vectors import norm, vector_at
from engine.model.model import ARM, GRAVITY_NORM, LINKAGE, LONGEST_STEP, RADIUS, Floats, Model
from engine.model.state import GAP, HELD_OMEGA, HELD_UNTIL, NEXT_STEP, T0, VELOCITY, State
from engine.motion.ballistic import moving_spin
from engine.tolerances import ACCURACY, ALIKE, CONTACT_REACH, MOST_MISS, MOST_TURN, SHORTEST_STEP


@kernel
def first_length(model: Model, state: State, work: Work, leader: int, t: float, swings: bool) -> float:
    """The step to begin with [s]."""
    if swings:
        h = swing_step(model, work, state.groups[leader, NEXT_STEP])
        return max(h, SHORTEST_STEP * model.settings[LONGEST_STEP])
    longest = model.settings[LONGEST_STEP]
    if state.groups[leader, NEXT_STEP] > 0.0:
        longest = state.groups[leader, NEXT_STEP]
    longest = min(longest, work.link[LONGEST])
    for at in range(work.sizes[BODIES]):
        if model.tags[work.body[at], LINKAGE] >= 0:
            longest = min(longest, MOST_TURN / max(_moving_spin(model.bodies, work, at), TINY))
    # What neither touches nor is tied flies: that is exact.
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        if work.notes[k, GAP_AT] <= CONTACT_REACH * work.notes[k, ENVELOPE_AT]:
            for side in (SIDE_A, SIDE_B):
                longest = min(longest, MOST_TURN / max(_moving_spin(model.bodies, work, work.contact[k, side]), TINY))
    return linked_step(model, work, t, max(longest, SHORTEST_STEP * model.settings[LONGEST_STEP]))


@kernel
def _moving_spin(bodies: Floats, work: Work, at: int) -> float:
    """How fast body `at` of the group turns [rad/s], as far as that moves its surface: a ball's does not."""
    if at < 0 or bodies[work.body[at], ARM] == 0.0:
        return 0.0
    return norm(moving_spin(bodies, work.body[at], quat_at(work.poses, at, Q), vector_at(work.twists, at, W)))


@kernel
def next_length(model: Model, state: State, work: Work, h: float, swings: bool) -> float:
    """The longest step [s] in which contacts wander as little, and gaps come out as foreseen, as they should."""
    if swings:
        return next_swing(work, h)
    longest = model.settings[LONGEST_STEP]
    if work.sizes[BODIES] == 1:
        alike = goes_on_alike(model, state, work, h)
        # Steps of one length err alike: it is kept where it could not be doubled.
        longest = max(longest, h if h <= alike < h / ALIKE else alike)
    return min(_allowed_by_contacts(work, h), longest)


@kernel
def _allowed_by_contacts(work: Work, h: float) -> float:
    """How long the step h might have been, for contacts to wander no further, and gaps to come out as foreseen [s]."""
    return h * min(MOST_TURN / max(work.link[TURN], TINY), allowed_by_gaps(work))


@kernel
def allowed_by_gaps(work: Work) -> float:
    """How many times as long the step might have been, for gaps to come out as foreseen [1]."""
    return float((MOST_MISS / max(work.link[MISS], TINY)) ** (1.0 / 3.0))


@kernel
def goes_on_alike(model: Model, state: State, work: Work, h: float) -> float:
    """How long a step [s] may be as long as all goes on as in the step h, as what rolls or slides alone does for long.

    By how slip changes, and accelerations since the last step: where they change by j [m/s^3] a step is wrong by less
    than h^3 j / 8. In time that is no more than ACCURACY of the fall through an envelope, in a longest step as long as
    that takes; so errors go as the square of the longest step. 0: what bore is left behind, or nobody knows how what
    the group touches goes on.
    """
    if work.sizes[UNEVEN_HERE] == 1 or _leaves_contact(state.pairs, work):
        return 0.0
    longest, least = _allowed_by_contacts(work, h), inf
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        least = min(least, work.notes[k, ENVELOPE_AT])
        change, slip = slip_change(work, k)
        longest = min(longest, (h * ALIKE * slip + MOST_MISS * work.notes[k, ENVELOPE_AT]) / max(change, TINY))
    most = 8.0 * ACCURACY * model.settings[GRAVITY_NORM] / fall_time(model.settings, least)
    jerk = largest_jerk(model.bodies, state.arcs, work, h)
    return min(longest, model.settings[LONGEST_STEP] * sqrt(most / max(jerk, TINY)))


@kernel
def _leaves_contact(pairs: Floats, work: Work) -> bool:
    """Has a contact that bore come to an end in the step? Between two places on a convex body there is nothing else."""
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]):
        gap = pairs[work.contact[k, ROW], GAP]
        if work.contacts[k, IMPULSE_AT] > 0.0 and gap > CONTACT_REACH * work.notes[k, ENVELOPE_AT]:
            return True
    return False


@kernel
def largest_jerk(bodies: Floats, arcs: Floats, work: Work, h: float) -> float:
    """How fast the acceleration of a body's centre, and of its surface, changes from the last step to this at most
    [m/s^3]."""
    jerk = 0.0
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        linear = angular = 0.0
        last = max(arcs[i, HELD_UNTIL] - arcs[i, T0], TINY)
        for c in range(3):
            v, w = work.twists[at, V + c], work.twists[at, W + c]
            linear += ((work.twists[at, V_END + c] - v) / h - (v - arcs[i, VELOCITY + c]) / last) ** 2
            angular += ((work.twists[at, W_END + c] - w) / h - (w - arcs[i, HELD_OMEGA + c]) / last) ** 2
        jerk = max(jerk, (sqrt(linear) + bodies[i, RADIUS] * sqrt(angular)) / (0.5 * (last + h)))
    return jerk


@kernel
def slip_change(work: Work, k: int) -> tuple[float, float]:
    """By how much slip changes at point k in the step, and the smaller of what it is at its start and end [m/s]."""
    more = changed_by_place(work, k)
    change = before = after = 0.0
    for axis in range(1, 3):
        u = work.notes[k, U_START + axis]
        u_end = speed_along(work.twists, work.contact, work.contacts, k, axis, V_END)
        u_end += work.notes[k, PRESCRIBED_THEN + axis] + more[axis]
        before += u * u
        after += u_end * u_end
        change += (u_end - u) ** 2
    return sqrt(change), sqrt(min(before, after))
