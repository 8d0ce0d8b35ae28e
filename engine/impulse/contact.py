"""From two touching bodies to an impulse: contact frame, K, which law, and the books (Mirtich 1996, 3.2-3.5)."""

from __future__ import annotations

from math import exp, floor, inf, isfinite, nan, sqrt

from engine.impulse.collision_matrix import K6, add_k, multiply_k, to_frame
from engine.impulse.envelope import fall_speed, least_approach
from engine.impulse.integration import integrate_collision
from engine.impulse.microcollision import LEAST, resolve_microcollision, resolve_microcollision_thesis
from engine.impulse.pair_response import load_sides, pair_response
from engine.joints.tables import Linked
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, any_perpendicular, cross, dot, point_velocity, sub, vector_at
from engine.model.model import (
    CONTACT,
    FIRST_ORDER,
    FREE,
    GRAVITY_NORM,
    IMPULSE,
    INV_MASS,
    KIND,
    LINKAGE,
    MICRO_LAW,
    MU_DYNAMIC,
    MU_STATIC,
    PENALTY,
    RESTITUTION,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    BEFORE_ARM_A,
    BEFORE_ARM_B,
    BEFORE_OFFSET,
    BEFORE_OMEGA_A,
    BEFORE_OMEGA_B,
    BEFORE_VELOCITY,
    COLLISIONS,
    CORRECTION_BUDGET,
    CREDIT,
    DISSIPATED,
    FAULTS,
    GAP,
    IMPACT,
    LAST_HIT,
    LAST_MICRO,
    LEADER,
    MET_SPEED,
    MICRO_LOAD,
    MICROCOLLISIONS,
    NORMAL,
    PAIR_ENVELOPE,
    PAIR_SURFACE,
    SLIDING,
    WORK,
    State,
)
from engine.motion.motion import Side, contact_velocity
from engine.tolerances import ACCURACY, ENVELOPE_AIM, MOST_TURN, WHOLE, YIELD, YIELD_FALLS, YIELD_SPREAD

# What `resolve_contact` returns besides the impulse.
NO_HIT = 0
COLLISION = 1
MICROCOLLISION = 2

_GOLDEN = 0.5 * (sqrt(5.0) - 1.0)


@kernel
def _place_before(then: Vec3, now: Vec3) -> Vec3:
    """Where the contact was when it was last hit, if it has come from there and not jumped to another place."""
    way = sub(now, then)
    return then if dot(way, way) < MOST_TURN * MOST_TURN * dot(now, now) else now


@kernel
def velocity_before(bodies: Floats, pairs: Floats, row: int, a: int, b: int, r_a: Vec3, r_b: Vec3) -> Vec3:
    """Contact velocity just after the pair's last microcollision, had it been where it is now on the body that moves.

    A box that rocks touches with one corner after the other, and a ball on a platter touches ever new places of it:
    only the same place on the moving body, then and now, tells how much slip the flight has brought. Where the place
    has wandered a little, as on the rim of a disc that rolls round, it is taken from where it was.
    """
    if bodies[a, INV_MASS] != 0.0:
        r_a = _place_before(vector_at(pairs, row, BEFORE_ARM_A), r_a)
    if bodies[b, INV_MASS] != 0.0:
        r_b = _place_before(vector_at(pairs, row, BEFORE_ARM_B), r_b)
    offset = vector_at(pairs, row, BEFORE_OFFSET)
    if bodies[b, INV_MASS] == 0.0:
        r_b = add(r_a, offset)
    elif bodies[a, INV_MASS] == 0.0:
        r_a = sub(r_b, offset)
    u = add(vector_at(pairs, row, BEFORE_VELOCITY), cross(vector_at(pairs, row, BEFORE_OMEGA_A), r_a))
    return sub(u, cross(vector_at(pairs, row, BEFORE_OMEGA_B), r_b))


@kernel
def remember_flight(pairs: Floats, row: int, a: Side, b: Side) -> None:
    """Keep how the pair flies off after a microcollision, for `velocity_before`."""
    for k in range(3):
        pairs[row, BEFORE_OFFSET + k] = a.motion.x[k] - b.motion.x[k]
        pairs[row, BEFORE_VELOCITY + k] = a.motion.v[k] - b.motion.v[k]
        pairs[row, BEFORE_OMEGA_A + k] = a.motion.w[k]
        pairs[row, BEFORE_OMEGA_B + k] = b.motion.w[k]
        pairs[row, BEFORE_ARM_A + k] = a.r[k]
        pairs[row, BEFORE_ARM_B + k] = b.r[k]


@kernel
def borne_lately(settings: Floats, pairs: Floats, row: int, t: float) -> float:
    """What the microcollisions of pair `row` have borne up to time t, on the mean over a few falls [N]."""
    if not pairs[row, LAST_MICRO] > -inf:
        return 0.0
    return pairs[row, MICRO_LOAD] * exp(-(t - pairs[row, LAST_MICRO]) / yield_time(settings, pairs, row))


@kernel
def keep_load(bodies: Floats, settings: Floats, pairs: Floats, row: int, a: int, b: int, p_n: float, t: float) -> None:
    """Add a normal impulse p_n [N s] to that mean. What has just begun to bear counts as bearing the whole body."""
    if not settings[GRAVITY_NORM] > 0.0:
        return
    if pairs[row, LAST_MICRO] > -inf:
        pairs[row, MICRO_LOAD] = borne_lately(settings, pairs, row, t) + p_n / yield_time(settings, pairs, row)
    else:
        pairs[row, MICRO_LOAD] = settings[GRAVITY_NORM] / max(bodies[a, INV_MASS], bodies[b, INV_MASS])


@kernel
def yield_time(settings: Floats, pairs: Floats, row: int) -> float:
    """Over which that mean is taken [s]."""
    return YIELD_FALLS * sqrt(2.0 * pairs[row, PAIR_ENVELOPE] / settings[GRAVITY_NORM])


@kernel
def yields(bodies: Floats, settings: Floats, pairs: Floats, row: int, a: int, b: int, t: float) -> float:
    """By how much lower pair `row` hits, in envelopes, for bearing a part of a body that others bear as well.

    A body may stand on more contacts than it needs, and then nothing says what each bears (Mirtich 1996, figure 1.3).
    Real ones yield a little under their loads, which shares them out. They do so now more, now less, as the time of
    the last hit will have it, or hops would fall into step for ever: its 10,000th part of a fall is as good as chance,
    and the same in every run. What bears the whole of a body does not yield.
    """
    if not (pairs[row, LAST_MICRO] > -inf and settings[GRAVITY_NORM] > 0.0):
        return 0.0
    load = borne_lately(settings, pairs, row, t) / settings[GRAVITY_NORM]
    share = max(_shared(load * bodies[a, INV_MASS]), _shared(load * bodies[b, INV_MASS]))
    chance = pairs[row, LAST_MICRO] / yield_time(settings, pairs, row) / ACCURACY * _GOLDEN
    return share * (YIELD + YIELD_SPREAD * (chance - floor(chance) - 0.5))


@kernel
def _shared(share: float) -> float:
    """The part of a body that a contact bears, less where it bears it nearly alone."""
    return share if share <= 0.5 else 0.5 * max(WHOLE - share, 0.0) / (WHOLE - 0.5)


@kernel
def touching_gap(bodies: Floats, settings: Floats, pairs: Floats, row: int, a: int, b: int, t: float) -> float:
    """The gap [m] from which on pair `row` counts as touching; contacts that are left to impulses yield."""
    envelope = pairs[row, PAIR_ENVELOPE]
    near = ENVELOPE_AIM * envelope
    if settings[CONTACT] == IMPULSE and pairs[row, GAP] <= 2.0 * near:
        near -= yields(bodies, settings, pairs, row, a, b, t) * envelope
    return near


@kernel
def approach_of(pairs: Floats, row: int, side_a: Side, side_b: Side) -> float:
    """How fast the contact points of pair `row` come nearer [m/s]."""
    return -dot(contact_velocity(side_a, side_b), vector_at(pairs, row, NORMAL))


@kernel
def never_collides(settings: Floats) -> bool:
    """Is no collision ever resolved, but steps take up what touches, in penalty contact and in a first-order world?"""
    return settings[CONTACT] == PENALTY or settings[CONTACT] == FIRST_ORDER


@kernel
def collides(settings: Floats, pairs: Floats, row: int, side_a: Side, side_b: Side) -> bool:
    """Does pair `row` approach too fast for a microcollision?"""
    approach = approach_of(pairs, row, side_a, side_b)
    envelope = pairs[row, PAIR_ENVELOPE]
    return approach > least_approach(settings, envelope) and not approach < fall_speed(settings, envelope)


@kernel
def resolve_contact(
    model: Model, state: State, linked: Linked, row: int, side_a: Side, side_b: Side, t: float
) -> tuple[int, Vec3]:
    """What happens to the touching pair `row` at time t: NO_HIT, COLLISION or MICROCOLLISION, and the impulse on a.

    Impulses in world axes [N s]. Books dissipation, the pair's credit and the work of kinematic bodies.
    """
    bodies, tags, settings = model.bodies, model.tags, model.settings
    pairs, clock, counts = state.pairs, state.clock, state.counts
    a, b = side_a.body, side_b.body
    normal = vector_at(pairs, row, NORMAL)
    u_a = point_velocity(side_a.motion.v, side_a.motion.w, side_a.r)
    u_b = point_velocity(side_b.motion.v, side_b.motion.w, side_b.r)
    u_world = sub(u_a, u_b)
    approach = -dot(u_world, normal)
    if approach <= least_approach(model.settings, pairs[row, PAIR_ENVELOPE]):
        return NO_HIT, (0.0, 0.0, 0.0)
    t1 = any_perpendicular(normal)
    t2 = cross(normal, t1)
    k = to_frame(_matrix_of(model, state, linked, side_a, side_b, t), t1, t2, normal)
    u = (dot(u_world, t1), dot(u_world, t2), -approach)
    left, hit = _left_of_hit(pairs, row, approach, t), COLLISION
    lenders, lent = (_lender(tags, state, a), _lender(tags, state, b)), (0.0, 0.0)
    if approach < fall_speed(settings, pairs[row, PAIR_ENVELOPE]):
        hit = MICROCOLLISION
        lent = (_lent(state, lenders[0]), _lent(state, lenders[1]) if lenders[1] != lenders[0] else 0.0)
        pairs[row, CREDIT] += lent[0] + lent[1]
        last = velocity_before(bodies, pairs, row, a, b, side_a.r, side_b.r)
        slip = (dot(last, t1), dot(last, t2)) if pairs[row, LAST_MICRO] > -inf else (nan, nan)
        p, work, status = _resolve_micro(settings, pairs, row, k, u, slip, settings[GRAVITY_NORM])
        counts[MICROCOLLISIONS] += 1
        keep_load(bodies, settings, pairs, row, a, b, p[2], t)
        pairs[row, LAST_MICRO] = t
    elif approach < left:
        hit, g = MICROCOLLISION, 0.5 * left**2 / pairs[row, PAIR_ENVELOPE]
        p, work, status = _resolve_micro(settings, pairs, row, k, u, (nan, nan), g)
        counts[MICROCOLLISIONS] += 1
        pairs[row, LAST_MICRO] = -inf
    else:
        mu_static, mu_dynamic = pairs[row, PAIR_SURFACE + MU_STATIC], pairs[row, PAIR_SURFACE + MU_DYNAMIC]
        p, _, work, _, status = integrate_collision(k, u, mu_static, mu_dynamic, pairs[row, PAIR_SURFACE + RESTITUTION])
        counts[COLLISIONS] += 1
        pairs[row, LAST_MICRO] = -inf
    if not isfinite(work + p[0] + p[1] + p[2]):
        counts[FAULTS] += 1
        return NO_HIT, (0.0, 0.0, 0.0)
    if status != 0:
        counts[FAULTS] += 1
    change = multiply_k(k, p)
    rubbed = -p[0] * (u[0] + 0.5 * change[0]) - p[1] * (u[1] + 0.5 * change[1])
    rubbed = max(rubbed, 0.0) if hit == MICROCOLLISION else 0.0  # the rest is the impact's, what slip gains too
    clock[DISSIPATED + SLIDING] += rubbed
    clock[DISSIPATED + IMPACT] -= work + rubbed
    pairs[row, CREDIT] = max(pairs[row, CREDIT] - work, 0.0)
    _give_back(state, row, lenders[0], lent[0])
    _give_back(state, row, lenders[1], lent[1])
    p_world = _from_frame(p, t1, t2, normal)
    _book_drives(tags, clock, a, b, p_world, u_a, u_b)
    return hit, p_world


@kernel
def _book_drives(tags: Ints, clock: Floats, a: int, b: int, p: Vec3, u_a: Vec3, u_b: Vec3) -> None:
    """A kinematic body moves on as if nothing had happened: what its motion gives to the other is work put in."""
    if tags[a, KIND] != FREE:
        clock[WORK] -= dot(p, u_a)
    if tags[b, KIND] != FREE:
        clock[WORK] += dot(p, u_b)


@kernel
def _lender(tags: Ints, state: State, i: int) -> int:
    """Whose budget lifts free body i where it was laid too low: its own, or that of what joints tie it to; -1: none."""
    if tags[i, KIND] != FREE:
        return -1
    leader = state.members[i, LEADER]
    if leader < 0:
        return i
    return int(leader) if tags[i, LINKAGE] >= 0 else -1


@kernel
def _lent(state: State, lender: int) -> float:
    return state.groups[lender, CORRECTION_BUDGET] if lender >= 0 else 0.0


@kernel
def _give_back(state: State, row: int, lender: int, lent: float) -> None:
    """What the hit of pair `row` has left of what it was lent: its own credit is spent first."""
    if lent > 0.0:
        left = min(lent, state.pairs[row, CREDIT])
        state.pairs[row, CREDIT] -= left
        state.groups[lender, CORRECTION_BUDGET] = left


@kernel
def _matrix_of(model: Model, state: State, linked: Linked, side_a: Side, side_b: Side, t: float) -> K6:
    """K of two sides at t, in world axes, with all that joints tie them to."""
    load_sides(model.bodies, model.tags, state.arcs, linked, side_a.body, side_b.body, t)
    k_a, k_b = pair_response(model.bodies, model.tags, linked, side_a, side_b)
    return add_k(k_a, k_b)


@kernel
def _from_frame(p: Vec3, t1: Vec3, t2: Vec3, normal: Vec3) -> Vec3:
    """A vector of the contact frame in world axes."""
    return (
        t1[0] * p[0] + t2[0] * p[1] + normal[0] * p[2],
        t1[1] * p[0] + t2[1] * p[1] + normal[1] * p[2],
        t1[2] * p[0] + t2[2] * p[1] + normal[2] * p[2],
    )


@kernel
def _left_of_hit(pairs: Floats, row: int, approach: float, t: float) -> float:
    """The speed [m/s] below which a hit of pair `row` is but what is left of the one with which it met.

    Bodies that are squeezed between others hit again and again, ever slower and ever sooner, for ever in no time at all
    (McNamara and Young 1994): gravity or not. A hit is a pair's first if it can have parted by its envelope since the
    one before. What then comes with a small part of the first's speed is lifted as in a microcollision.
    """
    if (t - pairs[row, LAST_HIT]) * approach > pairs[row, PAIR_ENVELOPE]:
        pairs[row, MET_SPEED] = approach
    pairs[row, LAST_HIT] = t
    pairs[row, MET_SPEED] = max(pairs[row, MET_SPEED], approach)
    return LEAST * pairs[row, MET_SPEED]


@kernel
def _resolve_micro(
    settings: Floats, pairs: Floats, row: int, k: K6, u: Vec3, slip: tuple[float, float], g: float
) -> tuple[Vec3, float, int]:
    """Impulse, work and status of a microcollision of pair `row`, by the law that the scene asks for."""
    mu_static, mu_dynamic = pairs[row, PAIR_SURFACE + MU_STATIC], pairs[row, PAIR_SURFACE + MU_DYNAMIC]
    e = pairs[row, PAIR_SURFACE + RESTITUTION]
    envelope = pairs[row, PAIR_ENVELOPE]
    gap = max(pairs[row, GAP], 0.0)
    if settings[MICRO_LAW] == 0.0:
        credit = pairs[row, CREDIT]
        p, _, work, status = resolve_microcollision(k, u, slip, gap, envelope, g, mu_static, mu_dynamic, e, credit)
    else:
        p, _, work, status = resolve_microcollision_thesis(k, u, gap, envelope, mu_static, mu_dynamic, e)
    return p, work, status
