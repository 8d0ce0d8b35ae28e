"""What a step of a contact group is about: its bodies, the pairs that touch, the points at which they do.

Which contacts last is decided here, once a step: those whose gap has opened, that bear nothing, or at which something
comes faster than a microcollision go back to the heap; what has come near inside the group stays with it.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.closest import closest
from engine.collision.narrow.manifold import find_manifold
from engine.collision.pair_table import next_pair
from engine.collision.pairs.checks import check_now
from engine.collision.pairs.hull_pairs import is_guard, is_nearer_beside
from engine.events import cancel
from engine.group.islands import hold_body, merge_groups
from engine.group.joints.linkages import list_linkage
from engine.group.load import load_body, load_point, recall_impulses
from engine.group.switching import rolls_fast, shakes
from engine.group.work import (
    BODIES,
    CONTACTS,
    CORRECTIONS,
    LINKAGES,
    LONGEST,
    NEEDED,
    PAIRS_HELD,
    Work,
)
from engine.journal import (
    BORE_NOTHING,
    CAME_FAST,
    FACE_BESIDE,
    GAP_OPENED,
    NEAR_IN_GROUP,
    NONE,
    SHOOK,
    TO_CONSTRAINT,
    TO_IMPULSE,
    TOUCHED_GROUP,
    TURNED_FAST,
    write_line,
)
from engine.kernel import inlined_kernel, kernel
from engine.maths.quaternions import Quat
from engine.maths.vectors import Vec3, add, cross, dot, norm, sub, vector_at
from engine.model.model import (
    CONTACT,
    FIRST_NODE,
    FIXED,
    FREE,
    GRAVITY_NORM,
    HYBRID,
    IMPULSE,
    KIND,
    LONGEST_STEP,
    ROLLING,
    SHAPE,
    SPINNING,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    CAME_AT,
    CHECKED,
    FALL_A,
    FALL_B,
    FEATURE_A,
    FEATURE_B,
    FEATURE_STEPS,
    FLOOR,
    FLOOR_TIME,
    FRESH,
    GAP,
    HEAP_SIZE,
    HELD,
    HELD_UNTIL,
    IDLE,
    LASTING,
    LEADER,
    LOCAL,
    MEMBERS,
    MICRO_HITS,
    NEXT_MEMBER,
    NORMAL,
    PAIR_CHECKS,
    PAIR_ENVELOPE,
    PAIR_SURFACE,
    PART,
    PATCH_POINTS,
    POINT_A,
    POINT_B,
    REASON,
    SHAPE_A,
    SHAPE_B,
    SOON_SIZE,
    STEP,
    SWITCHES,
    State,
)
from engine.motion.arcs import evolve, script_acceleration
from engine.tolerances import CONTACT_REACH, CROWD, HOLD_OFF_HITS, STILL_ROLLING, STRUCK_TIME

_IDLE_STEPS = 12  # after so many steps without load: what hops on the way to rest hops for shorter
_LEAVES = 0.1  # of the envelope
FAST = 2.0  # times the fall through the envelope


@kernel
def gather_group(model: Model, state: State, work: Work, log: Floats, log_size: Ints, leader: int, t: float) -> None:
    """Bodies and contacts of the group of `leader` at time t. work.sizes[NEEDED] tells how many rows they take."""
    gather_bodies(model, state, work, leader, t)
    work.sizes[CONTACTS] = 0
    work.sizes[PAIRS_HELD] = 0
    work.sizes[NEEDED] = 0
    work.link[LONGEST] = inf
    links = state.links
    crowd = work.sizes[BODIES] >= CROWD
    at = 0
    while at < work.sizes[BODIES]:
        i = work.body[at]
        row = state.first_pair[i]
        while row >= 0:
            after = next_pair(links, row, i)
            a, b = links[row, BODY_A], links[row, BODY_B]
            other = b if a == i else a
            free = model.tags[other, KIND] == FREE
            touches = links[row, PART] < 0 and not is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B])
            if crowd and touches and free and state.members[other, LOCAL] < 0:
                _take_in(model, state, work, leader, row, a, b, other, t)
            mine = not free or (state.members[other, LOCAL] >= 0 and a == i)
            if mine and touches:
                _gather_pair(model, state, work, log, log_size, row, a, b, crowd, t)
            row = after
        at += 1


@inlined_kernel
def gather_bodies(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    """Rows for the bodies of the group of `leader`, as they are at time t."""
    work.sizes[BODIES] = 0
    work.sizes[LINKAGES] = 0
    _add_bodies(model, state, work, leader, state.members[leader, MEMBERS], t)


@kernel
def _add_bodies(model: Model, state: State, work: Work, i: int, more: int, t: float) -> None:
    """Rows for body i and those after it in its group's list, `more` in all."""
    count = work.sizes[BODIES]
    for _ in range(more):
        work.body[count] = i
        # What was bounded with an arc that now ends early must be bounded again; promises hold beyond a step's end.
        work.look[count] = 1 if state.arcs[i, HELD_UNTIL] > t or state.members[i, FRESH] == 1 else 0
        state.members[i, LOCAL] = count
        x, q, v, w = evolve(model.bodies, model.tags, state.arcs, i, t)
        load_body(model.bodies, work.bodies, i, count, x, q, v, w)
        list_linkage(model.tags, model.joints, work, i)
        count += 1
        i = state.members[i, NEXT_MEMBER]
    work.sizes[BODIES] = count


@kernel
def _take_in(
    model: Model, state: State, work: Work, leader: int, row: int, a: int, b: int, other: int, t: float
) -> None:
    """The crowd of `leader` takes in body `other`, and those of its group, if it may come to touch in the step to come.

    Hits on a crowd are resolved together with all that it bears, in its own time, or each would cost a step of it.
    """
    members = state.members
    its = members[other, LEADER]
    if its >= 0 and (state.arcs[other, HELD] == ASLEEP or members[its, MEMBERS] >= members[leader, MEMBERS]):
        return
    if not _may_meet(model.settings, state.pairs, row, t):
        return
    x_a, q_a, v_a, w_a = evolve(model.bodies, model.tags, state.arcs, a, t)
    x_b, q_b, v_b, w_b = evolve(model.bodies, model.tags, state.arcs, b, t)
    if state.pairs[row, CHECKED] != t:
        measure_pair(model, state, row, x_a, q_a, x_b, q_b, t)
    u = _slip(state.pairs, row, x_a, v_a, w_a, x_b, v_b, w_b)
    approach = -dot(u, vector_at(state.pairs, row, NORMAL))
    if state.pairs[row, GAP] > _far(model.settings, state.pairs[row, PAIR_ENVELOPE], approach):
        return
    if its < 0:
        hold_body(model.bodies, model.tags, state.arcs, members, state.groups, other, t)
        its = other
    more = members[its, MEMBERS]
    merge_groups(members, state.groups, state.clock, leader, its, t)
    _add_bodies(model, state, work, its, more, t)


@kernel
def _may_meet(settings: Floats, pairs: Floats, row: int, t: float) -> bool:
    """By what is known of its gap, may pair `row` touch within the longest step from t on?"""
    if not pairs[row, GAP] < inf:
        return True
    since = t + settings[LONGEST_STEP] - pairs[row, FLOOR_TIME]
    fallen = (pairs[row, FALL_A] * since + pairs[row, FALL_B]) * since
    return pairs[row, FLOOR] - fallen <= CONTACT_REACH * pairs[row, PAIR_ENVELOPE]


@kernel
def _far(settings: Floats, envelope: float, way: float) -> float:
    """The gap [m] from which a pair does not get to touch in one step, if it comes nearer by `way` [m/s] as things are.

    Those that are nearer are rows of the group, and need not be watched otherwise.
    """
    h = settings[LONGEST_STEP]
    return CONTACT_REACH * envelope + (2.0 * max(way, 0.0) + settings[GRAVITY_NORM] * h) * h


@kernel
def _slip(pairs: Floats, row: int, x_a: Vec3, v_a: Vec3, w_a: Vec3, x_b: Vec3, v_b: Vec3, w_b: Vec3) -> Vec3:
    """The velocity of a at its point of pair `row`, less that of b at its own [m/s]."""
    u_a = add(v_a, cross(w_a, sub(vector_at(pairs, row, POINT_A), x_a)))
    u_b = add(v_b, cross(w_b, sub(vector_at(pairs, row, POINT_B), x_b)))
    return sub(u_a, u_b)


@inlined_kernel
def _gather_pair(
    model: Model, state: State, work: Work, log: Floats, log_size: Ints, row: int, a: int, b: int, crowd: bool, t: float
) -> None:
    """If pair `row` touches, slowly, at t: rows for its points, and it lasts. Else it waits on the heap."""
    links, pairs = state.links, state.pairs
    envelope = pairs[row, PAIR_ENVELOPE]
    reach = CONTACT_REACH * envelope
    lasting = links[row, LASTING] == 1
    if not lasting:
        if model.settings[CONTACT] == IMPULSE or pairs[row, MICRO_HITS] < 0.0:
            return
        if (not crowd and pairs[row, GAP] == inf) or not _may_meet(model.settings, pairs, row, t):
            return
    side_a = state.members[a, LOCAL] if model.tags[a, KIND] == FREE else -1
    side_b = state.members[b, LOCAL] if model.tags[b, KIND] == FREE else -1
    x_a, q_a, v_a, w_a = evolve(model.bodies, model.tags, state.arcs, a, t)
    x_b, q_b, v_b, w_b = evolve(model.bodies, model.tags, state.arcs, b, t)
    if pairs[row, CHECKED] != t:
        measure_pair(model, state, row, x_a, q_a, x_b, q_b, t)
    normal = vector_at(pairs, row, NORMAL)
    on_a, on_b = vector_at(pairs, row, POINT_A), vector_at(pairs, row, POINT_B)
    u = _slip(pairs, row, x_a, v_a, w_a, x_b, v_b, w_b)
    approach = -dot(u, normal)
    gap = pairs[row, GAP]
    reason = NONE
    scripted = not (_is_still(model.tags, a) and _is_still(model.tags, b))
    # What comes near is let in no further out than where it bears: it need not leave again for bearing nothing.
    tied = lasting or links[row, REASON] != NONE
    far = reach if tied else envelope + 2.0 * max(approach, 0.0) * model.settings[LONGEST_STEP]
    if crowd:
        far = _far(model.settings, envelope, norm(u))
    if gap > far:
        reason = GAP_OPENED
    elif not crowd and _comes_fast(model.settings, pairs, row, approach, lasting, t):
        reason = CAME_FAST
    elif not crowd and lasting and links[row, IDLE] > _IDLE_STEPS and gap > envelope:
        reason = BORE_NOTHING
    elif (
        scripted
        and links[row, REASON] != TOUCHED_GROUP
        and shakes(model.bodies, model.tags, model.settings, state.arcs, pairs, row, a, b, t)
    ):
        reason = SHOOK
    elif is_nearer_beside(model.trees, model.fans, links[row, SHAPE_A], links[row, FEATURE_A], q_a, _minus(normal)) or (
        is_nearer_beside(model.trees, model.fans, links[row, SHAPE_B], links[row, FEATURE_B], q_b, normal)
    ):
        reason = FACE_BESIDE
    if reason != NONE:
        _let_go(model, state, work, log, log_size, row, t, reason)
        return
    count, n = find_manifold(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        (x_a[0], x_a[1], x_a[2], q_a[0], q_a[1], q_a[2], q_a[3]),
        links[row, SHAPE_B],
        (x_b[0], x_b[1], x_b[2], q_b[0], q_b[1], q_b[2], q_b[3]),
        normal,
        on_a,
        on_b,
        max(reach, gap),
        work.scratch,
        work.points,
    )
    if _is_for_impulses(model, state, work, row, a, b, x_a, w_a, x_b, w_b, count == 1):
        _let_go(model, state, work, log, log_size, row, t, TURNED_FAST)
        return
    first = work.sizes[CONTACTS]
    work.sizes[NEEDED] += count + CORRECTIONS
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return
    if not lasting:
        links[row, LASTING] = 1
        links[row, IDLE] = 0
        state.patches[row, PATCH_POINTS] = 0.0
        take_off_heap(model, state, row)
        why = links[row, REASON] if links[row, REASON] != NONE else NEAR_IN_GROUP
        note_switch(model, state, log, log_size, row, t, TO_CONSTRAINT, why)
        links[row, REASON] = NONE
    if scripted:
        _limit_step(model, state, work, a, b, normal, envelope, t)
    turn = (0.0, 0.0, 0.0)
    if pairs[row, PAIR_SURFACE + ROLLING] > 0.0 or pairs[row, PAIR_SURFACE + SPINNING] > 0.0:
        turn = w_a if side_a < 0 else (_minus(w_b) if side_b < 0 else turn)
    for k in range(count):
        p = vector_at(work.points, k, 0)
        given = (0.0, 0.0, 0.0)
        if side_a < 0:
            given = add(v_a, cross(w_a, sub(p, x_a)))
        elif side_b < 0:
            given = _minus(add(v_b, cross(w_b, sub(p, x_b))))
        load_point(
            work.bodies, work.contact, work.contacts, first + k, row, side_a, side_b, x_a, x_b, n, work.points, k,
            given, turn, pairs,
        )  # fmt: skip
    centre = x_a if side_a >= 0 else x_b
    before = state.groups[state.members[work.body[0], LEADER], STEP]
    share = model.settings[LONGEST_STEP] / before if before > 0.0 else 1.0
    recall_impulses(work.contact, work.contacts, first, count, state.patches, row, centre, share)
    work.pair[work.sizes[PAIRS_HELD]] = row
    work.gap[work.sizes[PAIRS_HELD]] = gap
    work.first[work.sizes[PAIRS_HELD]] = first
    work.sizes[PAIRS_HELD] += 1
    work.sizes[CONTACTS] += count


@kernel
def _let_go(
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
def _is_for_impulses(
    model: Model, state: State, work: Work, row: int, a: int, b: int, x_a: Vec3, w_a: Vec3, x_b: Vec3, w_b: Vec3,
    rolls: bool,
) -> bool:  # fmt: skip
    """Does the only body of the group roll or spin fast in pair `row`? What lasts may do so a little faster."""
    links, pairs = state.links, state.pairs
    if work.sizes[BODIES] != 1 or work.sizes[LINKAGES] > 0 or links[row, REASON] == TOUCHED_GROUP:
        return False
    if model.settings[CONTACT] != HYBRID:
        return False
    ease = STILL_ROLLING if links[row, LASTING] == 1 else 1.0
    r_a, r_b = sub(vector_at(pairs, row, POINT_A), x_a), sub(vector_at(pairs, row, POINT_B), x_b)
    return rolls_fast(model.bodies, model.settings, pairs, row, a, r_a, w_a, rolls, ease) or rolls_fast(
        model.bodies, model.settings, pairs, row, b, r_b, w_b, rolls, ease
    )


@kernel
def _is_still(tags: Ints, i: int) -> bool:
    """Is body i not scripted?"""
    return tags[i, KIND] == FREE or tags[i, KIND] == FIXED


@kernel
def _limit_step(
    model: Model, state: State, work: Work, a: int, b: int, normal: Vec3, envelope: float, t: float
) -> None:
    """A step whose chord no scripted body of a pair leaves by more than a part of the envelope."""
    most = 0.0
    for side in range(2):
        i = a if side == 0 else b
        if not _is_still(model.tags, i):
            most = max(most, script_acceleration(model.bodies, model.tags, state.arcs, i, t, normal))
    if most > 0.0:
        work.link[LONGEST] = min(work.link[LONGEST], sqrt(8.0 * _LEAVES * envelope / most))


@kernel
def measure_pair(model: Model, state: State, row: int, x_a: Vec3, q_a: Quat, x_b: Vec3, q_b: Quat, t: float) -> float:
    """The gap of pair `row` at poses of time t, noted with its points in the pair."""
    links, pairs = state.links, state.pairs
    gap, ax, ay, az, bx, by, bz, nx, ny, nz, feature_a, feature_b, steps = closest(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        (x_a[0], x_a[1], x_a[2], q_a[0], q_a[1], q_a[2], q_a[3]),
        links[row, SHAPE_B],
        (x_b[0], x_b[1], x_b[2], q_b[0], q_b[1], q_b[2], q_b[3]),
        links[row, FEATURE_A],
        links[row, FEATURE_B],
    )
    state.counts[PAIR_CHECKS] += 1
    state.counts[FEATURE_STEPS] += steps
    links[row, FEATURE_A], links[row, FEATURE_B] = feature_a, feature_b
    pairs[row, GAP] = gap
    pairs[row, CHECKED] = t
    pairs[row, FLOOR] = gap
    pairs[row, FALL_B] += 2.0 * pairs[row, FALL_A] * (t - pairs[row, FLOOR_TIME])
    pairs[row, FLOOR_TIME] = t
    pairs[row, POINT_A], pairs[row, POINT_A + 1], pairs[row, POINT_A + 2] = ax, ay, az
    pairs[row, POINT_B], pairs[row, POINT_B + 1], pairs[row, POINT_B + 2] = bx, by, bz
    pairs[row, NORMAL], pairs[row, NORMAL + 1], pairs[row, NORMAL + 2] = nx, ny, nz
    return gap


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
    node_a = links[row, SHAPE_A] - tags[a, SHAPE] + tags[a, FIRST_NODE]
    node_b = links[row, SHAPE_B] - tags[b, SHAPE] + tags[b, FIRST_NODE]
    at = vector_at(state.pairs, row, POINT_A)
    write_line(log, log_size, t, kind, reason, a, b, (0.0, 0.0, 0.0), at, node_a, node_b)


@inlined_kernel
def take_off_heap(model: Model, state: State, row: int) -> None:
    """Pair `row` waits for nothing any more: its group looks after it."""
    event = model.tags.shape[0] + row
    size = state.counts[HEAP_SIZE]
    state.counts[HEAP_SIZE] = cancel(state.heap, state.keys, state.place, state.rank, size, event)
    size = state.counts[SOON_SIZE]
    state.counts[SOON_SIZE] = cancel(state.soon, state.soon_keys, state.soon_place, state.rank, size, event)


@kernel
def _minus(a: Vec3) -> Vec3:
    return (-a[0], -a[1], -a[2])
