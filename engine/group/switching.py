"""When a contact changes its paradigm, from impulses to constraint forces and back (Mirtich 1996, 8.1).

To a constraint: hit after hit of the pair was a microcollision, and neither body turned fast; at once, where one of the
bodies is held already, for hits on a group cost a step of all of it; and for bodies that a scene begins with at rest on
each other. Back to impulses: the gap has opened, or the contact has borne nothing for some steps, or something comes
faster than a microcollision, or a body that touches nothing else rolls or spins fast (engine.group.contacts).
Entering removes no more than the bounce that was left; leaving changes no velocity.

What rolls alone is left to impulses, also slowly: between its hits, as many a second as a group would make steps, it
moves exactly, and they cost less. So is what lies on something that shakes: forces change abruptly there.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.contact import MICROCOLLISION
from engine.journal import CONSTRAINTS_ONLY, NONE, SETTLED, TOUCHED_GROUP
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm
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
)
from engine.model.state import GAP, HELD, MICRO_HITS, NORMAL, PAIR_ENVELOPE
from engine.motion.arcs import script_acceleration
from engine.tolerances import CONTACT_REACH, MOST_TURN, ROLLING_SPIN, SETTLED_SPIN, SETTLING_HITS

_OVER = 0.05  # sine of the angle by which a centre may be away from the normal through its contact


@kernel
def should_last(
    bodies: Floats,
    tags: Ints,
    settings: Floats,
    arcs: Floats,
    pairs: Floats,
    row: int,
    a: int,
    b: int,
    r_a: Vec3,
    r_b: Vec3,
    w_a: Vec3,
    w_b: Vec3,
    hit: int,
    t: float,
) -> int:
    """After a hit of pair `row`: why constraint forces shall keep the contact from now on, or NONE.

    r_a, r_b: from the centres to where it hit [m]; w_a, w_b: angular velocities after it. Counts quiet hits.
    """
    mode = settings[CONTACT]
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
    if shakes(bodies, tags, settings, arcs, pairs, row, a, b, t):
        pairs[row, MICRO_HITS] = 0.0
        return NONE
    if arcs[a, HELD] != 0.0 or arcs[b, HELD] != 0.0:
        return TOUCHED_GROUP
    if turns_fast(bodies, settings, pairs, row, a, r_a, w_a) or turns_fast(bodies, settings, pairs, row, b, r_b, w_b):
        pairs[row, MICRO_HITS] = 0.0
        return NONE
    pairs[row, MICRO_HITS] += 1.0
    return SETTLED if pairs[row, MICRO_HITS] >= SETTLING_HITS else NONE


@kernel
def lies_still(
    bodies: Floats,
    tags: Ints,
    settings: Floats,
    arcs: Floats,
    pairs: Floats,
    row: int,
    a: int,
    b: int,
    u: Vec3,
    r_a: Vec3,
    r_b: Vec3,
    w_a: Vec3,
    w_b: Vec3,
    t: float,
) -> bool:
    """Do two bodies that have never been near before lie on each other? u: a's velocity there less b's [m/s]."""
    if settings[CONTACT] == IMPULSE or pairs[row, GAP] > CONTACT_REACH * pairs[row, PAIR_ENVELOPE]:
        return False
    normal = (pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2])
    if abs(dot(u, normal)) > fall_speed(settings, pairs[row, PAIR_ENVELOPE]):
        return False
    if shakes(bodies, tags, settings, arcs, pairs, row, a, b, t):
        return False
    return not (
        turns_fast(bodies, settings, pairs, row, a, r_a, w_a) or turns_fast(bodies, settings, pairs, row, b, r_b, w_b)
    )


@kernel
def turns_fast(bodies: Floats, settings: Floats, pairs: Floats, row: int, i: int, r: Vec3, w: Vec3) -> bool:
    """Does body i, which turns with w, roll or rock on its contact much faster than things fall through the envelope?

    r: from its centre to the contact of pair `row`. Spinning about the normal alone counts only if it is very fast.
    """
    n = (pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2])
    fast = SETTLED_SPIN * fall_speed(settings, pairs[row, PAIR_ENVELOPE])
    if bodies[i, INV_MASS] != 0.0 and norm(cross(add_scaled(w, n, -dot(w, n)), r)) > fast:
        return True
    over = norm(cross(r, n)) < _OVER * norm(r)
    return rolls_fast(bodies, settings, pairs, row, i, r, w, over, 1.0)


@kernel
def rolls_fast(
    bodies: Floats, settings: Floats, pairs: Floats, row: int, i: int, r: Vec3, w: Vec3, rolls: bool, ease: float
) -> bool:
    """Is body i, which turns with w, better left to impulses, as long as it touches nothing else? Limits times ease.

    It is if it rolls, and not slowly, or if it turns so far in a step that its forces do.
    """
    if bodies[i, INV_MASS] == 0.0:
        return False
    n = (pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2])
    if rolls:
        return norm(cross(add_scaled(w, n, -dot(w, n)), r)) > ease * ROLLING_SPIN * fall_speed(
            settings, pairs[row, PAIR_ENVELOPE]
        )
    return norm(w) * settings[LONGEST_STEP] > ease * MOST_TURN


@kernel
def shakes(
    bodies: Floats, tags: Ints, settings: Floats, arcs: Floats, pairs: Floats, row: int, a: int, b: int, t: float
) -> bool:
    """Does a scripted body of pair `row` change its velocity in a step by more than the fall through the envelope?"""
    if settings[CONTACT] != HYBRID:
        return False
    most = 0.0
    for side in range(2):
        i = a if side == 0 else b
        if tags[i, KIND] != FREE and tags[i, KIND] != FIXED:
            square = 0.0
            for k in range(3):
                d = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
                square += script_acceleration(bodies, tags, arcs, i, t, d) ** 2
            most = max(most, sqrt(square))
    return most * settings[LONGEST_STEP] > fall_speed(settings, pairs[row, PAIR_ENVELOPE])


@kernel
def fall_speed(settings: Floats, envelope: float) -> float:
    """u0, the speed gained by falling through the envelope [m/s]."""
    return sqrt(2.0 * settings[GRAVITY_NORM] * envelope)
