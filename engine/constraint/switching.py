"""When a contact changes its paradigm, from impulses to constraint forces and back (Mirtich 1996, 8.1).

To a constraint: hit after hit of the pair was a microcollision, and neither body turned fast; at once, where one of the
bodies is held already, for hits on a group cost a step of all of it; and for bodies that a scene begins with at rest on
each other. Back to impulses: the gap has opened, or the contact has borne nothing for some steps, or something comes
faster than a microcollision (engine.constraint.step). Entering removes no more than the bounce that was left; leaving
changes no velocity.
"""

from __future__ import annotations

from math import sqrt

from engine.impulse.contact import MICROCOLLISION
from engine.journal import CONSTRAINTS_ONLY, NONE, SETTLED, TOUCHED_GROUP
from engine.kernel import leaf_kernel
from engine.maths.vectors import Vec3, add_scaled, cross, dot, norm
from engine.model.model import CONSTRAINT, CONTACT, GRAVITY_NORM, IMPULSE, INV_MASS, Floats
from engine.model.state import GAP, HELD, MICRO_HITS, NORMAL, PAIR_ENVELOPE
from engine.tolerances import CONTACT_REACH, SETTLED_SPIN, SETTLING_HITS


@leaf_kernel
def should_last(
    bodies: Floats,
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
    if arcs[a, HELD] != 0.0 or arcs[b, HELD] != 0.0:
        return TOUCHED_GROUP
    if turns_fast(bodies, settings, pairs, row, a, r_a, w_a) or turns_fast(bodies, settings, pairs, row, b, r_b, w_b):
        pairs[row, MICRO_HITS] = 0.0
        return NONE
    pairs[row, MICRO_HITS] += 1.0
    return SETTLED if pairs[row, MICRO_HITS] >= SETTLING_HITS else NONE


@leaf_kernel
def lies_still(
    bodies: Floats,
    settings: Floats,
    pairs: Floats,
    row: int,
    a: int,
    b: int,
    u: Vec3,
    r_a: Vec3,
    r_b: Vec3,
    w_a: Vec3,
    w_b: Vec3,
) -> bool:
    """Do two bodies that have never been near before lie on each other? u: a's velocity there less b's [m/s]."""
    if settings[CONTACT] == IMPULSE or pairs[row, GAP] > CONTACT_REACH * pairs[row, PAIR_ENVELOPE]:
        return False
    normal = (pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2])
    if abs(dot(u, normal)) > fall_speed(settings, pairs[row, PAIR_ENVELOPE]):
        return False
    return not (
        turns_fast(bodies, settings, pairs, row, a, r_a, w_a) or turns_fast(bodies, settings, pairs, row, b, r_b, w_b)
    )


@leaf_kernel
def turns_fast(bodies: Floats, settings: Floats, pairs: Floats, row: int, i: int, r: Vec3, w: Vec3) -> bool:
    """Does body i, which turns with w, roll or rock on its contact much faster than things fall through the envelope?

    r: from its centre to the contact of pair `row`. Spinning about the normal does not count.
    """
    n = (pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2])
    w = add_scaled(w, n, -dot(w, n))
    fast = SETTLED_SPIN * fall_speed(settings, pairs[row, PAIR_ENVELOPE])
    return bodies[i, INV_MASS] != 0.0 and norm(cross(w, r)) > fast


@leaf_kernel
def fall_speed(settings: Floats, envelope: float) -> float:
    """u0, the speed gained by falling through the envelope [m/s]."""
    return sqrt(2.0 * settings[GRAVITY_NORM] * envelope)
