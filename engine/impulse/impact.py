"""An impact: from the pair that collides to the impulses of all contacts that it reaches, by the law of the scene.

`world.impacts` says by which law, of any number of contacts: sequential, simultaneous, or as a wave. Each is a round
that is repeated as long as it has something to do; what a round pushes for the first time is looked at before the next.
A contact that is alone is integrated, whatever the law (engine.impulse.contact).
"""

from __future__ import annotations

from math import inf, isfinite, sqrt

from engine.collision.narrow.frames import ClosestPoints, matrix_of, pose_of
from engine.collision.narrow.manifold import AT as POINT_AT
from engine.collision.narrow.manifold import POINT_GAP, Reach, find_manifold
from engine.collision.pair_table import next_pair
from engine.collision.pairs.gaps import measure_gap, note_points
from engine.collision.pairs.hull_pairs import is_beside, is_guard
from engine.impulse.cluster import (
    ARM_A,
    ARM_B,
    AT,
    BODIES,
    BODY,
    CONTACTS,
    DYNAMIC,
    ENDLESS,
    EXPLORED,
    FASTEST,
    HITS,
    IMPULSE_AT,
    INV_I,
    INV_M,
    K_AT,
    LEAST,
    LINK,
    MOVED,
    MOVER,
    MOVER_A,
    MOVER_B,
    NEEDED,
    NORMAL_AT,
    PAIR,
    PRESCRIBED,
    PUSHED,
    RESTITUTION_AT,
    SHARE_A,
    SHARE_B,
    SHARED,
    SIDE_A,
    SIDE_B,
    SQUASH,
    STATIC,
    V_FIRST,
    V_ROUND,
    WORK_AT,
    Cluster,
    Q,
    V,
    W,
    X,
    in_world,
    largest_tangential,
)
from engine.impulse.collision_matrix import add_k, to_frame
from engine.impulse.pair_response import end_push, pair_response
from engine.impulse.sequential import sequential_round
from engine.impulse.simultaneous import simultaneous_round, stop_approach
from engine.impulse.wave import wave_round
from engine.joints.response import clear_changes, linkage_of, load_linkage, push_entry
from engine.joints.rows import is_dynamic
from engine.kernel import kernel
from engine.maths.quaternions import quat_at
from engine.maths.vectors import Vec3, add_scaled, any_perpendicular, cross, dot, point_velocity, scale, sub, vector_at
from engine.model.joints import ENTRIES, ENTRY_BODY, FIRST_ENTRY
from engine.model.model import (
    ENTRY,
    FREE,
    GRAVITY_NORM,
    IMPACTS,
    INV_MASS,
    INV_MOMENTS,
    KIND,
    MU_DYNAMIC,
    MU_STATIC,
    RESTITUTION,
    SEQUENTIAL,
    SIMULTANEOUS,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    BODY_A,
    BODY_B,
    CHECKED,
    COLLISIONS,
    CREDIT,
    DISSIPATED,
    FALL_A,
    FALL_B,
    FAULTS,
    FLOOR,
    FLOOR_TIME,
    GAP,
    IMPACT,
    LAST_MICRO,
    NORMAL,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    PAIR_SURFACE,
    PART,
    POINT_A,
    POINT_B,
    SHAPE_A,
    SHAPE_B,
    WORK,
    State,
)
from engine.motion.arcs import apply_couple, evolve
from engine.motion.motion import Motion, Side
from engine.tolerances import CONTACT_REACH

# What `resolve_impact` finds.
ALONE = 0  # one contact of one point, hit once: nothing else takes part
SPREAD = 1  # the impulses of the impact stand in the cluster
NO_ROOM = 2  # no impulses yet: c.sizes[NEEDED] tells how many rows it takes
CRUSH = 3  # none exist: nothing satisfies its contacts, least of all that of c.sizes[ENDLESS]


@kernel
def resolve_impact(model: Model, state: State, c: Cluster, row: int, t: float) -> int:
    """Pair `row` collides at t: the impulses of all contacts that take part, into the cluster."""
    found = _let_spread(model, state, c, row, t)
    for at in range(c.sizes[BODIES]):
        c.place[c.body[at, BODY]] = -1
    return found


@kernel
def _let_spread(model: Model, state: State, c: Cluster, row: int, t: float) -> int:
    for entry in range(c.sizes.shape[0]):
        c.sizes[entry] = 0
    c.scales[FASTEST] = 0.0
    for side in range(2):
        i = state.links[row, BODY_A if side == 0 else BODY_B]
        if model.tags[i, KIND] == FREE:
            _mark_moved(c, add_body(model, state, c, i, t))
    _explore(model, state, c, t)
    if c.sizes[NEEDED] > c.contact.shape[0]:
        return NO_ROOM
    if c.sizes[CONTACTS] <= 1:
        return ALONE
    law = model.settings[IMPACTS]
    going = True
    while going:
        if law == SEQUENTIAL:
            going = sequential_round(c)
        elif law == SIMULTANEOUS:
            going = simultaneous_round(c)
        else:
            going = wave_round(c)
        _explore(model, state, c, t)
        if c.sizes[NEEDED] > c.contact.shape[0]:
            return NO_ROOM
    stop_approach(c)
    if c.sizes[ENDLESS] > 0:
        return CRUSH
    hits, total = 0, 0.0
    for k in range(c.sizes[CONTACTS]):
        hits += c.contact[k, HITS]
        total += c.contacts[k, WORK_AT] + dot(vector_at(c.contacts, k, IMPULSE_AT), (1.0, 1.0, 1.0))
    if not isfinite(total):
        state.counts[FAULTS] += 1
        return ALONE
    return ALONE if hits <= 1 and law == SEQUENTIAL else SPREAD


@kernel
def _mark_moved(c: Cluster, at: int) -> None:
    """The body in row `at` is about to move, and what joints tie it to."""
    c.body[at, MOVED] = 1
    if c.body[at, LINK] >= 0:
        for other in range(c.sizes[BODIES]):
            if c.body[other, MOVER] == c.body[at, MOVER]:
                c.body[other, MOVED] = 1


@kernel
def add_body(model: Model, state: State, c: Cluster, i: int, t: float) -> int:
    """The place of free body i in the cluster, with a row for it as it is at t if it has none yet.

    What joints tie it to comes with it.
    """
    link = linkage_of(model.tags, i)
    if c.place[i] < 0 and link >= 0:
        load_linkage(model.bodies, model.tags, state.arcs, c.linked, link, t)
        mover = c.sizes[BODIES]
        first = model.joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + model.joints.linkages[link, ENTRIES]):
            if is_dynamic(model.tags, model.joints, e):
                _add_row(model, state, c, model.joints.entries[e, ENTRY_BODY], mover, t)
    elif c.place[i] < 0:
        _add_row(model, state, c, i, c.sizes[BODIES], t)
    return c.place[i]


@kernel
def _add_row(model: Model, state: State, c: Cluster, i: int, mover: int, t: float) -> None:
    """A row for free body i as it is at t; what moves with it begins in row `mover`."""
    at = c.sizes[BODIES]
    c.sizes[BODIES] = at + 1
    c.place[i] = at
    c.body[at, BODY] = i
    c.body[at, MOVED] = c.body[at, EXPLORED] = c.body[at, SHARED] = c.body[at, PUSHED] = 0
    c.body[at, MOVER], c.body[at, LINK] = mover, linkage_of(model.tags, i)
    x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
    twists = c.twists
    for j in range(3):
        twists[at, V + j] = twists[at, V_FIRST + j] = v[j]
        twists[at, W + j] = twists[at, V_FIRST + 3 + j] = w[j]
        twists[at, X + j] = x[j]
    for j in range(4):
        twists[at, Q + j] = q[j]
    twists[at, INV_M] = model.bodies[i, INV_MASS]
    m = matrix_of(q)
    for r in range(3):
        for col in range(3):
            s = 0.0
            for j in range(3):
                s += m[3 * r + j] * model.bodies[i, INV_MOMENTS + j] * m[3 * col + j]
            twists[at, INV_I + 3 * r + col] = s


@kernel
def _explore(model: Model, state: State, c: Cluster, t: float) -> None:
    """Rows for the contacts of bodies that have been pushed for the first time."""
    for at in range(c.sizes[BODIES]):
        if c.body[at, MOVED] == 0 or c.body[at, EXPLORED] == 1:
            continue
        c.body[at, EXPLORED] = 1
        i = c.body[at, BODY]
        row = state.first_pair[i]
        while row >= 0:
            a, b = state.links[row, BODY_A], state.links[row, BODY_B]
            other = b if a == i else a
            known = c.place[other] >= 0 and c.body[c.place[other], EXPLORED] == 1
            if not known and _may_be_closed(model, state, row, t):
                _add_pair(model, state, c, row, t)
            row = next_pair(state.links, row, i)


@kernel
def _may_be_closed(model: Model, state: State, row: int, t: float) -> bool:
    """By what is known of its gap, may pair `row` be a contact at t?"""
    links, pairs = state.links, state.pairs
    if links[row, PART] >= 0 or is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]):
        return False
    reach = CONTACT_REACH * pairs[row, PAIR_ENVELOPE]
    if pairs[row, CHECKED] == t:
        return pairs[row, GAP] <= reach
    since = t - pairs[row, FLOOR_TIME]
    fallen = (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since
    return links[row, PAIR_STATE] == PAIR_HELD or not pairs[row, FLOOR] - fallen > reach


@kernel
def _add_pair(model: Model, state: State, c: Cluster, row: int, t: float) -> None:
    """Rows for the points of pair `row`, if it is closed."""
    links, pairs = state.links, state.pairs
    a, b = links[row, BODY_A], links[row, BODY_B]
    motion_a, motion_b = _motion_of(model, state, c, a, t), _motion_of(model, state, c, b, t)
    pose_a, pose_b = pose_of(motion_a.x, motion_a.q), pose_of(motion_b.x, motion_b.q)
    if pairs[row, CHECKED] != t:
        before = pairs[row, CHECKED]
        nearest = measure_gap(model.geometry, model.topology, pairs, links, state.counts, row, pose_a, pose_b, t)
        note_points(pairs, row, nearest)
        pairs[row, CHECKED] = before  # its own check is still to come
    normal = vector_at(pairs, row, NORMAL)
    reach = CONTACT_REACH * pairs[row, PAIR_ENVELOPE]
    if pairs[row, GAP] > reach or is_beside(model.trees, model.fans, links, row, normal, motion_a.q, motion_b.q):
        return
    on_a, on_b = vector_at(pairs, row, POINT_A), vector_at(pairs, row, POINT_B)
    count, level = find_manifold(
        model.geometry, model.topology, links[row, SHAPE_A], pose_a, links[row, SHAPE_B], pose_b,
        ClosestPoints(on_a, on_b, normal), Reach(reach, reach), c.scratch, c.points,
    )  # fmt: skip
    c.sizes[NEEDED] = max(c.sizes[NEEDED], c.sizes[CONTACTS] + count + c.sizes[BODIES])  # lines of the log
    if c.sizes[NEEDED] > c.contact.shape[0]:
        return
    if count == 1:
        _add_point(model, state, c, row, normal, on_a, on_b, motion_a, motion_b)
        return
    for k in range(count):
        middle = vector_at(c.points, k, POINT_AT)
        half = 0.5 * c.points[k, POINT_GAP]
        on_a, on_b = add_scaled(middle, level, half), add_scaled(middle, level, -half)
        _add_point(model, state, c, row, level, on_a, on_b, motion_a, motion_b)


@kernel
def _motion_of(model: Model, state: State, c: Cluster, i: int, t: float) -> Motion:
    """The motion of body i before the impact, a body that is free in the cluster from now on."""
    if model.tags[i, KIND] != FREE:
        return evolve(model.bodies, model.tags, state.arcs, i, t)
    at = add_body(model, state, c, i, t)
    x, q = vector_at(c.twists, at, X), quat_at(c.twists, at, Q)
    return Motion(x, q, vector_at(c.twists, at, V_FIRST), vector_at(c.twists, at, V_FIRST + 3))


@kernel
def _add_point(
    model: Model,
    state: State,
    c: Cluster,
    row: int,
    n: Vec3,
    on_a: Vec3,
    on_b: Vec3,
    motion_a: Motion,
    motion_b: Motion,
) -> None:
    """A row for a contact point of pair `row`, where its bodies' surfaces are, if an impulse there moves anything."""
    k = c.sizes[CONTACTS]
    pairs = state.pairs
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    at = on_a if c.place[a] >= 0 else on_b
    if c.place[a] >= 0 and c.place[b] >= 0:  # or it would turn free bodies by itself
        at = scale(add_scaled(on_a, on_b, 1.0), 0.5)
        on_a = on_b = at
    r_a, r_b = sub(on_a, motion_a.x), sub(on_b, motion_b.x)
    c.contact[k, SIDE_A], c.contact[k, SIDE_B] = c.place[a], c.place[b]
    c.contact[k, PAIR] = row
    c.contact[k, HITS] = 0
    _find_movers(c, k)
    t1 = any_perpendicular(n)
    t2 = cross(n, t1)
    f = c.contacts
    prescribed = (0.0, 0.0, 0.0)
    if c.place[a] < 0:
        prescribed = point_velocity(motion_a.v, motion_a.w, r_a)
    if c.place[b] < 0:
        prescribed = sub(prescribed, point_velocity(motion_b.v, motion_b.w, r_b))
    for j in range(3):
        f[k, NORMAL_AT + j], f[k, NORMAL_AT + 3 + j], f[k, NORMAL_AT + 6 + j] = n[j], t1[j], t2[j]
        f[k, ARM_A + j], f[k, ARM_B + j], f[k, AT + j] = r_a[j], r_b[j], at[j]
        f[k, PRESCRIBED + j] = prescribed[j]
        f[k, IMPULSE_AT + j] = 0.0
    side_a, side_b = Side(a, motion_a, r_a), Side(b, motion_b, r_b)
    matrix_a, matrix_b = pair_response(model.bodies, model.tags, c.linked, side_a, side_b)
    matrix = to_frame(add_k(matrix_a, matrix_b), t1, t2, n)
    if matrix[2] > 0.0:
        c.sizes[CONTACTS] = k + 1
    for j in range(6):
        f[k, K_AT + j] = matrix[j]
    for side in range(2):
        own = to_frame(matrix_a if side == 0 else matrix_b, t1, t2, n)
        column = SHARE_A if side == 0 else SHARE_B
        f[k, column], f[k, column + 1] = own[2], largest_tangential(own)
    f[k, STATIC], f[k, DYNAMIC] = pairs[row, PAIR_SURFACE + MU_STATIC], pairs[row, PAIR_SURFACE + MU_DYNAMIC]
    f[k, RESTITUTION_AT] = pairs[row, PAIR_SURFACE + RESTITUTION]
    f[k, LEAST] = sqrt(2.0 * model.settings[GRAVITY_NORM] * pairs[row, PAIR_ENVELOPE])
    f[k, WORK_AT] = f[k, SQUASH] = 0.0


@kernel
def _find_movers(c: Cluster, k: int) -> None:
    """What moves with the bodies of contact k."""
    for side in range(2):
        at = c.contact[k, SIDE_A if side == 0 else SIDE_B]
        c.contact[k, MOVER_A if side == 0 else MOVER_B] = c.body[at, MOVER] if at >= 0 else -1
    if c.contact[k, MOVER_A] == c.contact[k, MOVER_B]:
        c.contact[k, MOVER_B] = -1


# --- what it does to the world --------------------------------------------------------------------------------------


@kernel
def book_contact(state: State, c: Cluster, k: int) -> Vec3:
    """Book what contact k took part in: dissipation, its pair's credit, work of kinematic bodies. Its impulse on a."""
    pairs, row = state.pairs, c.contact[k, PAIR]
    p = in_world(c, k, vector_at(c.contacts, k, IMPULSE_AT))
    state.counts[COLLISIONS] += 1
    state.clock[DISSIPATED + IMPACT] -= c.contacts[k, WORK_AT]
    state.clock[WORK] -= dot(p, vector_at(c.contacts, k, PRESCRIBED))
    pairs[row, CREDIT] = max(pairs[row, CREDIT] - c.contacts[k, WORK_AT], 0.0)
    pairs[row, LAST_MICRO] = -inf
    return p


@kernel
def sum_impulses(c: Cluster) -> None:
    """The impulse and its moment about the centre of mass that each body takes, into the columns V_ROUND."""
    for at in range(c.sizes[BODIES]):
        for j in range(6):
            c.twists[at, V_ROUND + j] = 0.0
    for k in range(c.sizes[CONTACTS]):
        p = in_world(c, k, vector_at(c.contacts, k, IMPULSE_AT))
        for side in range(2):
            at = c.contact[k, SIDE_A if side == 0 else SIDE_B]
            if at >= 0:
                sign = 1.0 if side == 0 else -1.0
                moment = cross(vector_at(c.contacts, k, ARM_A if side == 0 else ARM_B), p)
                for j in range(3):
                    c.twists[at, V_ROUND + j] += sign * p[j]
                    c.twists[at, V_ROUND + 3 + j] += sign * moment[j]


@kernel
def push_bodies(model: Model, state: State, c: Cluster, t: float) -> None:
    """New arcs from t on of all bodies that the impact moved, changed by what they took."""
    for at in range(c.sizes[BODIES]):
        if c.body[at, MOVED] == 1 and c.body[at, LINK] < 0:
            _push_body(model.bodies, model.tags, state.arcs, c, at, t)
        elif c.body[at, MOVED] == 1 and c.body[at, MOVER] == at:
            link = c.body[at, LINK]
            clear_changes(c.linked, link)
            other = at
            while other < c.sizes[BODIES] and c.body[other, MOVER] == at:
                p, couple = vector_at(c.twists, other, V_ROUND), vector_at(c.twists, other, V_ROUND + 3)
                push_entry(c.linked, model.tags[c.body[other, BODY], ENTRY], p, couple)
                other += 1
            end_push(model, state, c.linked, link, t)


@kernel
def _push_body(bodies: Floats, tags: Ints, arcs: Floats, c: Cluster, at: int, t: float) -> None:
    """A new arc from t on of the body in row `at`, changed by what it took."""
    x, q = vector_at(c.twists, at, X), quat_at(c.twists, at, Q)
    v = add_scaled(vector_at(c.twists, at, V_FIRST), vector_at(c.twists, at, V_ROUND), c.twists[at, INV_M])
    motion = Motion(x, q, v, vector_at(c.twists, at, V_FIRST + 3))
    apply_couple(bodies, tags, arcs, c.body[at, BODY], motion, vector_at(c.twists, at, V_ROUND + 3), t)
