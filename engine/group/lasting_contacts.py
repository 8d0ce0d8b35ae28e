"""When a pair becomes a lasting contact, kept by constraint forces, and when it goes back (Mirtich 1996, 8.1).

What happens to a pair is told here; what becomes of it is the table of `engine.group.pair_states`. To a constraint: hit
after hit of the pair was a microcollision; at once, where one of the bodies is held already, for hits on a group cost a
step of all of it; and for bodies that a scene begins with at rest on each other. Back to impulses: the gap has opened,
or the contact has borne nothing for some steps, or something comes faster than a microcollision. Entering removes no
more than the bounce that was left; leaving changes no velocity.

What lies on something that shakes is left to impulses: forces change abruptly there.
"""

from __future__ import annotations

from math import sqrt

from engine.collision.pair_table import pair_nodes
from engine.collision.pairs.hull_pairs import is_beside, is_guard
from engine.group.measure import Touch, slip_of, touches_beside
from engine.group.pair_states import LOUD_HIT, QUIET_HIT, change_state, next_state, state_of
from engine.group.warm_start import patch_force
from engine.impulse.contact import MICROCOLLISION
from engine.impulse.envelope import fall_speed, fall_time
from engine.journal import (
    BORE_NOTHING,
    CAME_FAST,
    CONSTRAINTS_ONLY,
    FACE_BESIDE,
    GAP_OPENED,
    LOG_STATE,
    NONE,
    SETTLED,
    SHOOK,
    TO_CONSTRAINT,
    TO_IMPULSE,
    TOUCHED_GROUP,
    write_line,
)
from engine.kernel import kernel
from engine.maths.vectors import add_scaled, cross, dot, norm, scale, vector_at
from engine.model.model import (
    ARM,
    CONSTRAINT,
    CONTACT,
    FIXED,
    FREE,
    GRAVITY_NORM,
    HYBRID,
    IMPULSE,
    INV_MASS,
    KIND,
    LONGEST_STEP,
    REVOLUTION,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    BODY_A,
    BODY_B,
    BORE_AT,
    CAME_AT,
    GAP,
    HELD,
    NORMAL,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    POINT_A,
    POINT_B,
    QUIET_HITS,
    SHAPE_A,
    SHAPE_B,
    SINCE,
    SWITCHES,
    State,
)
from engine.motion.ballistic import moving_spin, revolution_axis
from engine.motion.kinematic import point_acceleration
from engine.motion.motion import Side, contact_velocity
from engine.tolerances import CONTACT_REACH, FAR, HOLD_OFF_FALLS, SETTLING_HITS

FAST = sqrt(FAR)  # times the fall through the envelope, that through FAR of them: from then on it is left to impulses


@kernel
def should_last(model: Model, state: State, row: int, hit: int, side_a: Side, side_b: Side, t: float) -> int:
    """After a hit of pair `row`: why constraint forces shall keep the contact from now on, or NONE.

    Motions are those after it. Counts quiet hits.
    """
    if model.settings[CONTACT] == IMPULSE:
        return NONE
    event = _event_of_hit(model, state, row, hit, side_a, side_b, t)
    if next_state(state_of(model.settings, state, row, t), event) == PAIR_HELD:
        return event
    change_state(model, state, row, t, event)
    return NONE


@kernel
def _event_of_hit(model: Model, state: State, row: int, hit: int, side_a: Side, side_b: Side, t: float) -> int:
    """What a hit of pair `row` is to its state."""
    if hit != MICROCOLLISION:
        return LOUD_HIT
    if model.settings[CONTACT] == CONSTRAINT:
        return CONSTRAINTS_ONLY
    if _shakes(model, state, row, t):
        return SHOOK
    if state.arcs[side_a.body, HELD] != 0.0 or state.arcs[side_b.body, HELD] != 0.0:
        return TOUCHED_GROUP
    if _rocks(model, state.pairs, row, side_a) or _rocks(model, state.pairs, row, side_b):
        return LOUD_HIT
    return SETTLED if state.links[row, QUIET_HITS] + 1 >= SETTLING_HITS else QUIET_HIT


@kernel
def lies_still(model: Model, state: State, row: int, side_a: Side, side_b: Side, t: float) -> bool:
    """Do two bodies that have never been near before lie on each other?"""
    settings, pairs, links = model.settings, state.pairs, state.links
    if settings[CONTACT] == IMPULSE or pairs[row, GAP] > CONTACT_REACH * pairs[row, PAIR_ENVELOPE]:
        return False
    normal = vector_at(pairs, row, NORMAL)
    if abs(dot(contact_velocity(side_a, side_b), normal)) > fall_speed(settings, pairs[row, PAIR_ENVELOPE]):
        return False
    if is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]):
        return False
    if is_beside(model.trees, model.fans, links, row, normal, side_a.motion.q, side_b.motion.q):
        return False
    return not (_rocks(model, pairs, row, side_a) or _rocks(model, pairs, row, side_b) or _shakes(model, state, row, t))


@kernel
def _rocks(model: Model, pairs: Floats, row: int, side: Side) -> bool:
    """Does the surface of one side of pair `row` turn about the contact faster than a microcollision comes?

    What comes round will be no microcollision. A ball or a wheel that rolls does not: its surface stays where it is.
    What is round about an axis rolls on its rim, too: only tilting, about the tangent of the rim, brings another part.
    """
    i, (_, q, _, w), r = side
    if model.bodies[i, INV_MASS] == 0.0 or model.bodies[i, ARM] == 0.0:
        return False
    n = vector_at(pairs, row, NORMAL)
    spin = moving_spin(model.bodies, i, q, w)
    spin = add_scaled(spin, n, -dot(spin, n))
    if model.bodies[i, REVOLUTION] >= 0.0:
        tangent = cross(n, revolution_axis(model.bodies, i, q))
        square = dot(tangent, tangent)
        if square > 0.0:
            spin = scale(tangent, dot(spin, tangent) / square)
    return norm(cross(spin, r)) > fall_speed(model.settings, pairs[row, PAIR_ENVELOPE])


@kernel
def _shakes(model: Model, state: State, row: int, t: float) -> bool:
    """Does a scripted body of pair `row` press or draw away, in a step, faster than by the fall through the envelope?

    Only what accelerates along the normal changes normal forces: what is carried round on a turntable lies still.
    """
    if model.settings[CONTACT] != HYBRID:
        return False
    pairs = state.pairs
    normal = vector_at(pairs, row, NORMAL)
    most = 0.0
    for side in range(2):
        i = state.links[row, BODY_A if side == 0 else BODY_B]
        if is_kinematic(model.tags, i):
            point = vector_at(pairs, row, POINT_A if side == 0 else POINT_B)
            most = max(most, point_acceleration(model.bodies, model.tags, state.arcs, i, t, point, normal))
    return most * model.settings[LONGEST_STEP] > fall_speed(model.settings, pairs[row, PAIR_ENVELOPE])


@kernel
def is_kinematic(tags: Ints, i: int) -> bool:
    """Does body i follow a script?"""
    return tags[i, KIND] != FREE and tags[i, KIND] != FIXED


@kernel
def reach_in_step(settings: Floats, envelope: float, speed: float) -> float:
    """The gap [m] from which a pair does not get to touch in one step, if it comes nearer by `speed` [m/s] as it is.

    Those that are nearer are rows of the group, and need not be watched otherwise.
    """
    h = settings[LONGEST_STEP]
    return CONTACT_REACH * envelope + (2.0 * max(speed, 0.0) + settings[GRAVITY_NORM] * h) * h


@kernel
def why_released(model: Model, state: State, touch: Touch, busy: bool, t: float) -> int:
    """Why a pair of a group, measured at t, is no contact of it, or no longer; NONE: it lasts.

    busy: the group resolves hits itself.
    """
    links, pairs, row = state.links, state.pairs, touch.row
    gap, envelope = pairs[row, GAP], pairs[row, PAIR_ENVELOPE]
    held = links[row, PAIR_STATE] == PAIR_HELD
    u = slip_of(pairs, touch)
    approach = -dot(u, vector_at(pairs, row, NORMAL))
    # What comes near is let in no further out than where it bears: it need not leave again for bearing nothing.
    far = envelope + 2.0 * max(approach, 0.0) * model.settings[LONGEST_STEP]
    if busy:
        far = reach_in_step(model.settings, envelope, norm(u))
    elif held:
        far = max(far, CONTACT_REACH * envelope)
    if gap > far:
        return GAP_OPENED
    if not busy and _comes_fast(model.settings, pairs, row, approach, held, t):
        return CAME_FAST
    if not busy and held and gap > envelope and norm(patch_force(state.patches, row)) == 0.0:
        if t - pairs[row, BORE_AT] > 4.0 * fall_time(model.settings, envelope):
            return BORE_NOTHING
    if not (held and pairs[row, SINCE] == t) and _shakes(model, state, row, t):
        return SHOOK  # what has just been taken up is held for a step
    return FACE_BESIDE if touches_beside(model, state, touch) else NONE


@kernel
def switch_pair(model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float, reason: int) -> None:
    """An event of the journal happens to pair `row`; if that changes its paradigm, it is counted and logged."""
    if not change_state(model, state, row, t, reason):
        return
    if reason == CAME_FAST:
        state.pairs[row, CAME_AT] = t
    state.counts[SWITCHES] += 1
    links, tags = state.links, model.tags
    a, b = links[row, BODY_A], links[row, BODY_B]
    at = vector_at(state.pairs, row, POINT_A)
    kind = TO_CONSTRAINT if links[row, PAIR_STATE] == PAIR_HELD else TO_IMPULSE
    write_line(log, log_size, t, kind, reason, a, b, pair_nodes(tags, links, row), (0.0, 0.0, 0.0), at)
    log[log_size[0] - 1, LOG_STATE] = links[row, PAIR_STATE]


@kernel
def _comes_fast(settings: Floats, pairs: Floats, row: int, approach: float, held: bool, t: float) -> bool:
    """Is pair `row` left to impulses, coming nearer by `approach` [m/s]?

    Squeezed between others it would come again at once, and again, ever slower: then the group resolves them together.
    """
    if approach <= FAST * fall_speed(settings, pairs[row, PAIR_ENVELOPE]):
        return False
    near = held or pairs[row, GAP] <= pairs[row, PAIR_ENVELOPE]
    return not (near and t - pairs[row, CAME_AT] < HOLD_OFF_FALLS * fall_time(settings, pairs[row, PAIR_ENVELOPE]))
