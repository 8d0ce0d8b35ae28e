"""When a pair becomes a lasting contact, kept by constraint forces, and when it goes back (Mirtich 1996, 8.1).

To a constraint: hit after hit of the pair was a microcollision, and neither body turned fast; at once, where one of the
bodies is held already, for hits on a group cost a step of all of it; and for bodies that a scene begins with at rest on
each other. Back to impulses: the gap has opened, or the contact has borne nothing for some steps, or something comes
faster than a microcollision, or a body that touches nothing else rolls or spins fast. Entering removes no more than the
bounce that was left; leaving changes no velocity.

What rolls alone is left to impulses, also slowly: between its hits, as many a second as a group would make steps, it
moves exactly, and they cost less. So is what lies on something that shakes: forces change abruptly there.
"""

from __future__ import annotations

from math import sqrt

from engine.collision.pair_table import pair_nodes
from engine.collision.pairs.checks import check_now
from engine.events import cancel
from engine.group.measure import Touch, slip_of, touches_beside
from engine.group.work import BODIES, LINKAGES, Work
from engine.impulse.contact import MICROCOLLISION
from engine.journal import (
    BORE_NOTHING,
    CAME_FAST,
    CONSTRAINTS_ONLY,
    FACE_BESIDE,
    GAP_OPENED,
    NEAR_IN_GROUP,
    NONE,
    SETTLED,
    SHOOK,
    TO_CONSTRAINT,
    TO_IMPULSE,
    TOUCHED_GROUP,
    TURNED_FAST,
    write_line,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm, sub, vector_at
from engine.model.model import (
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
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    BODY_A,
    BODY_B,
    CAME_AT,
    GAP,
    HEAP_SIZE,
    HELD,
    IDLE,
    LASTING,
    MICRO_HITS,
    NORMAL,
    PAIR_ENVELOPE,
    PATCH_POINTS,
    POINT_A,
    POINT_B,
    REASON,
    SOON_SIZE,
    SWITCHES,
    State,
)
from engine.motion.arcs import kinematic_acceleration
from engine.motion.motion import Side, contact_velocity
from engine.tolerances import (
    CONTACT_REACH,
    HOLD_OFF_HITS,
    MOST_TURN,
    ROLLING_SPIN,
    SETTLED_SPIN,
    SETTLING_HITS,
    STILL_ROLLING,
    STRUCK_TIME,
)

_IDLE_STEPS = 12  # after so many steps without load: what hops on the way to rest hops for shorter
_OVER = 0.05  # sine of the angle by which a centre may be away from the normal through its contact


@kernel
def should_last(model: Model, state: State, row: int, hit: int, side_a: Side, side_b: Side, t: float) -> int:
    """After a hit of pair `row`: why constraint forces shall keep the contact from now on, or NONE.

    Motions are those after it. Counts quiet hits.
    """
    mode, pairs = model.settings[CONTACT], state.pairs
    a, b = side_a.body, side_b.body
    if mode == IMPULSE:
        return NONE
    if hit != MICROCOLLISION:
        pairs[row, MICRO_HITS] = min(pairs[row, MICRO_HITS], 0.0)
        return NONE
    if pairs[row, MICRO_HITS] < 0.0:
        pairs[row, MICRO_HITS] += 1.0
        return NONE
    if mode == CONSTRAINT:
        return CONSTRAINTS_ONLY
    if _shakes(model, state, row, t):
        pairs[row, MICRO_HITS] = 0.0
        return NONE
    if state.arcs[a, HELD] != 0.0 or state.arcs[b, HELD] != 0.0:
        return TOUCHED_GROUP
    if _turns_fast(model.bodies, model.settings, pairs, row, a, side_a.r, side_a.motion.w) or _turns_fast(
        model.bodies, model.settings, pairs, row, b, side_b.r, side_b.motion.w
    ):
        pairs[row, MICRO_HITS] = 0.0
        return NONE
    pairs[row, MICRO_HITS] += 1.0
    return SETTLED if pairs[row, MICRO_HITS] >= SETTLING_HITS else NONE


@kernel
def lies_still(model: Model, state: State, row: int, side_a: Side, side_b: Side, t: float) -> bool:
    """Do two bodies that have never been near before lie on each other?"""
    settings, pairs = model.settings, state.pairs
    if settings[CONTACT] == IMPULSE or pairs[row, GAP] > CONTACT_REACH * pairs[row, PAIR_ENVELOPE]:
        return False
    if abs(dot(contact_velocity(side_a, side_b), vector_at(pairs, row, NORMAL))) > fall_speed(
        settings, pairs[row, PAIR_ENVELOPE]
    ):
        return False
    if _shakes(model, state, row, t):
        return False
    return not (
        _turns_fast(model.bodies, settings, pairs, row, side_a.body, side_a.r, side_a.motion.w)
        or _turns_fast(model.bodies, settings, pairs, row, side_b.body, side_b.r, side_b.motion.w)
    )


@kernel
def _turns_fast(bodies: Floats, settings: Floats, pairs: Floats, row: int, i: int, r: Vec3, w: Vec3) -> bool:
    """Does body i, which turns with w, roll or rock on its contact much faster than things fall through the envelope?

    r: from its centre to the contact of pair `row`. Spinning about the normal alone counts only if it is very fast.
    """
    n = (pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2])
    fast = SETTLED_SPIN * fall_speed(settings, pairs[row, PAIR_ENVELOPE])
    if bodies[i, INV_MASS] != 0.0 and norm(cross(add_scaled(w, n, -dot(w, n)), r)) > fast:
        return True
    over = norm(cross(r, n)) < _OVER * norm(r)
    return _rolls_fast(bodies, settings, pairs, row, i, r, w, over, 1.0)


@kernel
def _rolls_fast(
    bodies: Floats, settings: Floats, pairs: Floats, row: int, i: int, r: Vec3, w: Vec3, rolls: bool, factor: float
) -> bool:
    """Is body i, which turns with w, better left to impulses, as long as it touches nothing else? Limits times factor.

    It is if it rolls, and not slowly, or if it turns so far in a step that its forces do.
    """
    if bodies[i, INV_MASS] == 0.0:
        return False
    n = (pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2])
    if rolls:
        return norm(cross(add_scaled(w, n, -dot(w, n)), r)) > factor * ROLLING_SPIN * fall_speed(
            settings, pairs[row, PAIR_ENVELOPE]
        )
    return norm(w) * settings[LONGEST_STEP] > factor * MOST_TURN


@kernel
def _shakes(model: Model, state: State, row: int, t: float) -> bool:
    """Does a kinematic body of pair `row` change its velocity in a step by more than the fall through the envelope?"""
    if model.settings[CONTACT] != HYBRID:
        return False
    most = 0.0
    for side in range(2):
        i = state.links[row, BODY_A if side == 0 else BODY_B]
        if is_kinematic(model.tags, i):
            square = 0.0
            for k in range(3):
                d = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
                square += kinematic_acceleration(model.bodies, model.tags, state.arcs, i, t, d) ** 2
            most = max(most, sqrt(square))
    return most * model.settings[LONGEST_STEP] > fall_speed(model.settings, state.pairs[row, PAIR_ENVELOPE])


@kernel
def is_kinematic(tags: Ints, i: int) -> bool:
    """Does body i follow a script?"""
    return tags[i, KIND] != FREE and tags[i, KIND] != FIXED


@kernel
def fall_speed(settings: Floats, envelope: float) -> float:
    """u0, the speed gained by falling through the envelope [m/s]."""
    return sqrt(2.0 * settings[GRAVITY_NORM] * envelope)


FAST = 2.0  # times the fall through the envelope


@kernel
def reach_in_step(settings: Floats, envelope: float, speed: float) -> float:
    """The gap [m] from which a pair does not get to touch in one step, if it comes nearer by `speed` [m/s] as it is.

    Those that are nearer are rows of the group, and need not be watched otherwise.
    """
    h = settings[LONGEST_STEP]
    return CONTACT_REACH * envelope + (2.0 * max(speed, 0.0) + settings[GRAVITY_NORM] * h) * h


@kernel
def why_released(model: Model, state: State, touch: Touch, crowd: bool, t: float) -> int:
    """Why a pair of a group, measured at t, is no contact of it, or no longer; NONE: it lasts.

    crowd: the group resolves hits itself.
    """
    links, pairs, row = state.links, state.pairs, touch.row
    gap, envelope = pairs[row, GAP], pairs[row, PAIR_ENVELOPE]
    lasting = links[row, LASTING] == 1
    u = slip_of(pairs, touch)
    approach = -dot(u, vector_at(pairs, row, NORMAL))
    # What comes near is let in no further out than where it bears: it need not leave again for bearing nothing.
    far = envelope + 2.0 * max(approach, 0.0) * model.settings[LONGEST_STEP]
    if crowd:
        far = reach_in_step(model.settings, envelope, norm(u))
    elif lasting or links[row, REASON] != NONE:
        far = CONTACT_REACH * envelope
    if gap > far:
        return GAP_OPENED
    if not crowd and _comes_fast(model.settings, pairs, row, approach, lasting, t):
        return CAME_FAST
    if not crowd and lasting and links[row, IDLE] > _IDLE_STEPS and gap > envelope:
        return BORE_NOTHING
    if links[row, REASON] != TOUCHED_GROUP and _shakes(model, state, row, t):
        return SHOOK
    return FACE_BESIDE if touches_beside(model, state, touch) else NONE


@kernel
def turns_alone(model: Model, state: State, work: Work, touch: Touch, rolls: bool) -> bool:
    """Does the only body of the group roll or spin fast in a pair? What lasts may do so a little faster."""
    links, pairs, row, a, b = state.links, state.pairs, touch.row, touch.a, touch.b
    if work.sizes[BODIES] != 1 or work.sizes[LINKAGES] > 0 or links[row, REASON] == TOUCHED_GROUP:
        return False
    if model.settings[CONTACT] != HYBRID:
        return False
    factor = STILL_ROLLING if links[row, LASTING] == 1 else 1.0
    r_a, r_b = sub(vector_at(pairs, row, POINT_A), a.x), sub(vector_at(pairs, row, POINT_B), b.x)
    return _rolls_fast(model.bodies, model.settings, pairs, row, a.body, r_a, a.w, rolls, factor) or _rolls_fast(
        model.bodies, model.settings, pairs, row, b.body, r_b, b.w, rolls, factor
    )


@kernel
def begin_lasting(model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float) -> None:
    """Pair `row` becomes a lasting contact: constraint forces keep it from t on."""
    links = state.links
    why = links[row, REASON] if links[row, REASON] != NONE else NEAR_IN_GROUP
    hold_pair(model.tags, state, row)
    note_switch(model, state, log, log_size, row, t, TO_CONSTRAINT, why)
    links[row, REASON] = NONE


@kernel
def hold_pair(tags: Ints, state: State, row: int) -> None:
    """Pair `row` lasts; it waits for nothing on the heap any more, for its group looks after it."""
    state.links[row, LASTING] = 1
    state.links[row, IDLE] = 0
    state.patches[row, PATCH_POINTS] = 0.0
    event = tags.shape[0] + row
    size = state.counts[HEAP_SIZE]
    state.counts[HEAP_SIZE] = cancel(state.heap, state.keys, state.place, state.rank, size, event)
    size = state.counts[SOON_SIZE]
    state.counts[SOON_SIZE] = cancel(state.soon, state.soon_keys, state.soon_place, state.rank, size, event)


@kernel
def let_go(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, row: int, t: float, reason: int
) -> None:
    """Pair `row` is no contact of the group; if it was one, it is left to impulses from t on."""
    lasting = state.links[row, LASTING] == 1
    state.links[row, REASON] = NONE
    if reason == TURNED_FAST or (lasting and work.sizes[BODIES] == 1):
        state.pairs[row, MICRO_HITS] = -HOLD_OFF_HITS  # a body alone would settle again at once
    if lasting:
        if reason == CAME_FAST:
            state.pairs[row, CAME_AT] = t
        release_pair(model, state, log, log_size, row, t, reason)


@kernel
def _comes_fast(settings: Floats, pairs: Floats, row: int, approach: float, lasting: bool, t: float) -> bool:
    """Is pair `row` left to impulses, coming nearer by `approach` [m/s]?

    Squeezed between others it would come again at once, and again, ever slower: then the group resolves them together.
    """
    if approach <= FAST * sqrt(2.0 * settings[GRAVITY_NORM] * pairs[row, PAIR_ENVELOPE]):
        return False
    near = lasting or pairs[row, GAP] <= pairs[row, PAIR_ENVELOPE]
    return not (near and t - pairs[row, CAME_AT] < STRUCK_TIME)


@kernel
def release_pair(model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float, reason: int) -> None:
    """Pair `row`, which lasted, is left to impulses from t on."""
    state.links[row, LASTING] = 0
    state.patches[row, PATCH_POINTS] = 0.0
    check_now(model, state, row, t)
    note_switch(model, state, log, log_size, row, t, TO_IMPULSE, reason)


@kernel
def note_switch(
    model: Model, state: State, log: Floats, log_size: Ints, row: int, t: float, kind: int, reason: int
) -> None:
    """Count and log that the contact of pair `row` changes its paradigm."""
    state.counts[SWITCHES] += 1
    links, tags = state.links, model.tags
    a, b = links[row, BODY_A], links[row, BODY_B]
    at = vector_at(state.pairs, row, POINT_A)
    write_line(log, log_size, t, kind, reason, a, b, pair_nodes(tags, links, row), (0.0, 0.0, 0.0), at)
