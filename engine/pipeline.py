"""The loop: the only file that knows the order of things.

    pop the earliest event
        timer of a body     kick of a pull -> new arc;  box run out -> new swept box -> pairs that may meet
        check of a pair     boxes apart -> the pair leaves
                            evolve both -> closest features -> gap
                            hulls of concave bodies near -> pairs of what they hold;  apart again -> wrapped up
                            touching and approaching -> collision -> new arcs -> look at the neighbours again
                            touching, in penalty contact -> its group's springs take it up
                            bound the time of the next touch -> back into the heap

Nothing here is proportional to the number of bodies, and nothing is allocated. `advance` returns when it needs
something from outside, in a state from which the next call goes on as if it had not returned.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from engine.collision.broad.boxes import boxes_meet
from engine.collision.broad.broad_phase import lacks_room, update_broad_phase
from engine.collision.narrow.closest import closest
from engine.collision.pair_table import find_pair, make_pair, may_touch, next_pair, remember_pair
from engine.collision.pairs.checks import check_now, part, schedule_check
from engine.collision.pairs.hull_pairs import is_guard, is_nearer_beside, unwrap, wrap
from engine.collision.pairs.look_again import look_again
from engine.collision.pairs.next_touch import bound_next_touch, closes_unseen
from engine.collision.pairs.notes import note_points
from engine.events import BOX, GROUP_STEP, KICK, cancel, precedes, rank_of, schedule
from engine.group.energy import book_body, rebook_body
from engine.group.islands import find_lost, join_bodies, merge_groups, rouse_group
from engine.group.lasting_contacts import lies_still, should_last
from engine.group.sleep import lay_asleep, sleeps_whole, stay_asleep
from engine.group.solve.ordering import most_entries
from engine.group.step import STEPPED, is_roomy, step_group
from engine.group.work import BODIES, Work, make_work
from engine.impulse.contact import remember_flight, resolve_contact, yields
from engine.impulse.resistance import resist_turning
from engine.journal import LAY_STILL, LOG_WIDTH, NONE, TOUCHED_GROUP, WAKE, write_line
from engine.kernel import inlined_kernel, kernel
from engine.maths.quaternions import Quat
from engine.maths.vectors import Vec3, point_velocity, sub
from engine.model.joints import ENTRIES, ENTRY_BODY, ENTRY_FREE, FIRST_ENTRY, Joints
from engine.model.model import (
    CONTACT,
    ENVELOPE,
    FIRST_NODE,
    FIXED,
    FREE,
    IMPULSE,
    INV_MASS,
    KIND,
    LONGEST_STEP,
    MATERIAL,
    PENALTY,
    RADIUS,
    ROLLING,
    SHAPE,
    SIZE,
    SPINNING,
    SURFACE_WIDTH,
    Floats,
    Ints,
    Model,
)
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    BOX_UPDATES,
    CHECKED,
    FEATURE_A,
    FEATURE_B,
    FEATURE_STEPS,
    GAP,
    HEAP_POPS,
    HEAP_SIZE,
    HELD,
    HIGH,
    HORIZON,
    KICKS,
    LEADER,
    LOW,
    MEMBERS,
    MICRO_HITS,
    PAIR_CHECKS,
    PAIR_ENVELOPE,
    PAIR_SURFACE,
    PARENT,
    PART,
    PULL_BODY,
    PULL_NEXT,
    REASON,
    SAME_TIME,
    SHAPE_A,
    SHAPE_B,
    SMALLEST_GAP,
    SOON_SIZE,
    STEPPING,
    TIME,
    UNTIL,
    State,
)
from engine.motion.arcs import (
    apply_couple,
    apply_impulse,
    are_finite,
    box_holds,
    evolve,
    is_finite,
    sweep_box,
    time_of_travel,
)
from engine.motion.pull import kick_pull
from engine.penalty.step import step_penalty
from engine.stages import BOUND, BROAD_PHASE, CLOSEST, COLLISION, HEAP, MOTION, WATCH_WIDTH, lap, start_watch
from engine.tolerances import (
    BESIDE_FALL,
    BOX_HORIZON,
    BOX_MARGIN,
    BOX_STALE,
    BOX_TRAVEL,
    CROWD,
    CROWD_BOX_STALE,
    CROWD_BOX_TRAVEL,
    CROWD_PAIRS,
    ENVELOPE_AIM,
    ENVELOPE_FRACTION,
    GAP_FALL,
    LONE_BOX_TRAVEL,
    LOW_GAP,
    STUCK_EVENTS,
    WRAP,
    WRAP_LOOK,
)

# What `advance` returns.
DONE = 0
BUDGET = 1  # as many events as asked for
INTERRUPT = 2  # somebody raised the flag
GROW = 3  # too few free rows: enlarge the State's arrays and call again
LOG_FULL = 4  # take the log away and call again
STUCK = 5  # time no longer moves on
NOT_FINITE = 6  # the numbers of body Desk.lost[0] are not finite: stop it and call again
SHORT_OF_WORK = 7  # a contact group needs more rows in Desk.work: enlarge it and call again


class Desk(NamedTuple):
    """What `advance` works on besides the State; none of it belongs to the simulation's past or future."""

    log: Floats  # (room, LOG_WIDTH)
    log_size: Ints  # (1,)
    found: Ints  # (3 n,) scratch of the broad phase
    flag: Ints  # (1,) raised by another thread to interrupt
    watch: Ints  # (WATCH_WIDTH,) where the time goes
    lost: Ints  # (1,) a body whose numbers are not finite; -1: none
    work: Work


def make_desk(n: int, joints: Joints, room: int = 4096, points: int | None = None) -> Desk:
    """A desk for n bodies; points: rows for contact points of a group, by default more than one is likely to need."""
    if points is None:
        points = 64 + 32 * min(n, 1000) + 12 * max(n - 1000, 0)
    return Desk(
        log=np.zeros((room + 4 * points, LOG_WIDTH)),
        log_size=np.zeros(1, dtype=np.int64),
        found=np.zeros(3 * n + 3, dtype=np.int64),
        flag=np.zeros(1, dtype=np.int64),
        watch=np.zeros(WATCH_WIDTH, dtype=np.int64),
        lost=np.full(1, -1, dtype=np.int64),
        work=make_work(n, points, most_entries(n), joints),
    )


@kernel
def advance(model: Model, state: State, desk: Desk, t_end: float, budget: int) -> int:
    """Handle every event up to and including t_end, at most `budget` of them. Returns why it stopped."""
    counts = state.counts
    clock = state.clock
    n = model.tags.shape[0]
    room = desk.log.shape[0] - desk.work.contact.shape[0]  # a group's step may write a line for each of its pairs
    while True:
        event, t, soon = next_event(state)
        if not (t <= t_end) or t == inf:
            break
        if budget <= 0:
            return BUDGET
        if desk.flag[0] != 0:
            return INTERRUPT
        if lacks_room(model, state):
            return GROW
        if desk.log_size[0] >= room:
            return LOG_FULL
        if counts[SAME_TIME] > STUCK_EVENTS:
            return STUCK
        if soon:
            counts[SOON_SIZE] = cancel(
                state.soon, state.soon_keys, state.soon_place, state.rank, counts[SOON_SIZE], event
            )
        budget -= 1
        start_watch(desk.watch, counts[HEAP_POPS])
        same_before, time_before = counts[SAME_TIME], clock[TIME]
        counts[HEAP_POPS] += 1
        counts[SAME_TIME] = counts[SAME_TIME] + 1 if t - clock[TIME] <= 1e-15 * t else 0
        clock[TIME] = t
        if event < n:
            ring_timer(model, state, desk, event, t)
        else:
            check_pair(model, state, desk, event - n, t)
        lap(desk.watch, HEAP)
        if desk.lost[0] >= 0:
            return NOT_FINITE
        if not is_roomy(desk.work):
            counts[HEAP_POPS] -= 1  # it has not happened, and will when there is room
            counts[SAME_TIME], clock[TIME] = same_before, time_before
            return SHORT_OF_WORK
    if isfinite(t_end):
        clock[TIME] = max(clock[TIME], t_end)
    return DONE


@kernel
def start(model: Model, state: State, initial: Ints) -> None:
    """Boxes, timers and first pairs of a world whose arcs are set; `initial` (m, 2) lists the boxes that meet."""
    for i in range(model.tags.shape[0]):
        if model.tags[i, KIND] == FREE and state.arcs[i, HELD] == ASLEEP:
            lay_asleep(model.bodies, model.tags, state.arcs, state.members, state.groups, i, 0.0)
        set_timer(model, state, i)
    for k in range(initial.shape[0]):
        a, b = initial[k, 0], initial[k, 1]
        if may_touch(model.tags, model.joints.mates, a, b):
            meet(model, state, a, b, 0.0)
    tie_linkages(model, state)


@kernel
def tie_linkages(model: Model, state: State) -> None:
    """Bodies that joints tie are one contact group from the start, asleep if all of them are."""
    joints = model.joints
    for link in range(joints.linkages.shape[0]):
        sleep = sleeps_whole(joints, state.arcs, link)
        top = -1
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            i = joints.entries[e, ENTRY_BODY]
            if joints.entries[e, ENTRY_FREE] == 1:
                top = i if top < 0 else top
                if sleep:
                    merge_groups(state.members, state.groups, state.clock, top, i, 0.0)
                else:
                    join_bodies(model, state, top, i, 0.0)
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            if joints.entries[e, ENTRY_FREE] == 1:
                set_timer(model, state, joints.entries[e, ENTRY_BODY])


@inlined_kernel
def next_event(state: State) -> tuple[int, float, bool]:
    """The earliest event, its time (inf: none), and whether it is one of those that are due now."""
    event = -1
    t = inf
    soon = False
    if state.counts[HEAP_SIZE] > 0:
        event = state.heap[0]
        t = state.keys[0]
    if state.counts[SOON_SIZE] > 0:
        other = state.soon[0]
        if not precedes(state.rank, t, event, state.soon_keys[0], other):
            event = other
            t = state.soon_keys[0]
            soon = True
    return event, t, soon


@inlined_kernel
def ring_timer(model: Model, state: State, desk: Desk, i: int, t: float) -> None:
    """The timer of body i: kick it if it is being pulled, renew its box if that has run out."""
    if not is_finite(state.arcs, i):
        desk.lost[0] = i
        return
    kicked = False
    if state.pull[PULL_BODY] == i and state.pull[PULL_NEXT] <= t:
        state.counts[KICKS] += 1
        held = state.arcs[i, HELD] != 0.0
        if held:
            open_books(model, state, i, t)
        kicked = kick_pull(model.bodies, model.tags, state.arcs, state.pull, state.clock, i, t)
        if held:
            close_books(model, state, desk, i, t)
        lap(desk.watch, COLLISION)
    renewed = state.boxes[i, UNTIL] <= t or not box_holds(model.bodies, model.tags, state.arcs, state.boxes, i, t)
    if renewed:
        renew_box(model, state, desk, i, t)
    lap(desk.watch, BROAD_PHASE)
    if kicked:
        look_again(model, state, i, -1, t)
    if state.groups[i, HORIZON] <= t and not kicked and not renewed:
        desk.lost[0] = find_lost(state.arcs, state.members, i)
        if desk.lost[0] >= 0:
            return
        if step_held(model, state, desk, i, t) == STEPPED:
            for at in range(desk.work.sizes[BODIES]):
                settle_member(model, state, desk.work.body[at], desk.work.look[at] == 1, t)
        lap(desk.watch, COLLISION)
    set_timer(model, state, i)


@inlined_kernel
def step_held(model: Model, state: State, desk: Desk, leader: int, t: float) -> int:
    """A step of the contact group of `leader`, by the forces that the scene asks for."""
    if model.settings[CONTACT] == PENALTY:
        return step_penalty(model, state, desk.work, leader, t)
    return step_group(model, state, desk.work, desk.log, desk.log_size, leader, t)


@kernel
def settle_member(model: Model, state: State, i: int, look: bool, t: float) -> None:
    """After a step of its group: look at body i's other pairs if need be, and wake it when its box or its step ends."""
    if not box_holds(model.bodies, model.tags, state.arcs, state.boxes, i, t):
        state.boxes[i, UNTIL] = t
    if look:
        look_again(model, state, i, -1, t)
    set_timer(model, state, i)


@inlined_kernel
def set_timer(model: Model, state: State, i: int) -> None:
    """Schedule the earliest thing that body i must be woken for; none for a body that nothing moves."""
    time = state.boxes[i, UNTIL]
    kind = BOX
    if state.pull[PULL_BODY] == i and state.pull[PULL_NEXT] <= time:
        time = state.pull[PULL_NEXT]
        kind = KICK
    if state.groups[i, HORIZON] < time:
        time = state.groups[i, HORIZON]
        kind = GROUP_STEP
    size = state.counts[HEAP_SIZE]
    if time < inf:
        size = schedule(state.heap, state.keys, state.place, state.rank, size, i, time, rank_of(kind, i, 0))
    else:
        size = cancel(state.heap, state.keys, state.place, state.rank, size, i)
    state.counts[HEAP_SIZE] = size


# --- broad phase --------------------------------------------------------------------------------------------------


@kernel
def write_box(
    bodies: Floats, tags: Ints, arcs: Floats, boxes: Floats, i: int, travel: float, stale: float, t: float
) -> bool:
    """A box that contains body i for `travel` radii of its way from t on. Has it changed?

    Along an axis on which the old box still holds and is not wider than `stale` times what it has to be it stays as it
    is: what bounces, rests or slides in a crowd then passes nobody's box ends.
    """
    radius = bodies[i, RADIUS]
    horizon = time_of_travel(bodies, tags, arcs, i, travel * radius, t)
    if arcs[i, HELD] != ASLEEP:
        horizon = min(BOX_HORIZON, horizon)
    margin = BOX_MARGIN * radius
    changed = False
    for axis in range(3):
        low, high = sweep_box(bodies, tags, arcs, i, t, t + horizon, axis)
        room = boxes[i, HIGH + axis] - boxes[i, LOW + axis]
        if boxes[i, LOW + axis] > low or boxes[i, HIGH + axis] < high or room > stale * (high - low):
            boxes[i, LOW + axis] = low - margin
            boxes[i, HIGH + axis] = high + margin
            changed = True
    boxes[i, UNTIL] = t + horizon
    return changed


@kernel
def has_company(links: Ints, first_pair: Ints, i: int) -> bool:
    """Is body i near more than two others, the ground among them?"""
    row = first_pair[i]
    for _ in range(2):
        if row < 0:
            return False
        row = next_pair(links, row, i)
    return row >= 0


@kernel
def is_crowded(tags: Ints, arcs: Floats, members: Ints, links: Ints, first_pair: Ints, i: int) -> bool:
    """Is body i in a crowd that is awake, or near so many others as if it were?"""
    if tags[i, KIND] == FREE and arcs[i, HELD] == STEPPING and members[members[i, LEADER], MEMBERS] >= CROWD:
        return True
    near = 0
    row = first_pair[i]
    for _ in range(2 * CROWD_PAIRS):
        if row < 0:
            return False
        near += links[row, PARENT] < 0
        if near >= CROWD_PAIRS:
            return True
        row = next_pair(links, row, i)
    return False


@inlined_kernel
def renew_box(model: Model, state: State, desk: Desk, i: int, t: float) -> None:
    """A new swept box for body i, and a check for every body whose box it begins to meet."""
    state.counts[BOX_UPDATES] += 1
    travel, stale = LONE_BOX_TRAVEL, BOX_STALE
    if is_crowded(model.tags, state.arcs, state.members, state.links, state.first_pair, i):
        travel, stale = CROWD_BOX_TRAVEL, CROWD_BOX_STALE
    elif has_company(state.links, state.first_pair, i):
        travel = BOX_TRAVEL
    if write_box(model.bodies, model.tags, state.arcs, state.boxes, i, travel, stale, t):
        meet_found(model, state, desk, i, t)


@inlined_kernel
def meet_found(model: Model, state: State, desk: Desk, i: int, t: float) -> None:
    """Body i's box has changed: a pair, and a check, for every body whose box it begins to meet."""
    found = update_broad_phase(model, state, i, desk.found)
    for k in range(keep_new(model, state, i, desk.found, found)):
        j = desk.found[k]
        meet(model, state, min(i, j), max(i, j), t)


@kernel
def keep_new(model: Model, state: State, i: int, found: Ints, count: int) -> int:
    """Of the bodies `found[:count]` keep those, once each and in order, with which body i has no pair but may touch.

    In order, for pairs stand in a body's list as they were made, and contacts are resolved as they stand there: how a
    broad phase comes upon them must not matter.
    """
    kept = 0
    for k in range(count):
        j = found[k]
        a, b = min(i, j), max(i, j)
        if not may_touch(model.tags, model.joints.mates, a, b) or find_pair(state.table, a, b) >= 0:
            continue
        at = kept
        while at > 0 and found[at - 1] > j:
            at -= 1
        if at > 0 and found[at - 1] == j:
            continue
        for later in range(kept, at, -1):
            found[later] = found[later - 1]
        found[at] = j
        kept += 1
    return kept


@inlined_kernel
def meet(model: Model, state: State, a: int, b: int, t: float) -> None:
    """Make the pair (a < b), and check it at once."""
    tags = model.tags
    row = make_pair(state.pairs, state.links, state.first_pair, state.counts, a, b, tags[a, SHAPE], tags[b, SHAPE], -1)
    remember_pair(state.table, a, b, row)
    envelope = model.settings[ENVELOPE]
    if envelope == 0.0:
        envelope = ENVELOPE_FRACTION * min(model.bodies[a, SIZE], model.bodies[b, SIZE])
    state.pairs[row, PAIR_ENVELOPE] = envelope
    for k in range(SURFACE_WIDTH):
        state.pairs[row, PAIR_SURFACE + k] = model.surfaces[tags[a, MATERIAL], tags[b, MATERIAL], k]
    schedule_check(model, state, row, inf)
    check_now(model, state, row, t)


# --- narrow phase -------------------------------------------------------------------------------------------------


@inlined_kernel
def check_pair(model: Model, state: State, desk: Desk, row: int, t: float) -> None:
    """Measure the gap of a pair, collide it if it touches and approaches, and bound the time of its next touch."""
    links = state.links
    a = links[row, BODY_A]
    b = links[row, BODY_B]
    if not boxes_meet(state.boxes, a, b):
        root = find_pair(state.table, a, b)
        wrap(model, state, root)
        part(model, state, root)
        return
    shape_a = links[row, SHAPE_A]
    shape_b = links[row, SHAPE_B]
    bodies = model.bodies
    tags = model.tags
    state.counts[PAIR_CHECKS] += 1
    xa, qa, va, wa = evolve(bodies, tags, state.arcs, a, t)
    xb, qb, vb, wb = evolve(bodies, tags, state.arcs, b, t)
    lap(desk.watch, MOTION)
    if not (are_finite(xa, qa, va, wa) and are_finite(xb, qb, vb, wb)):
        desk.lost[0] = b if are_finite(xa, qa, va, wa) else a
        check_now(model, state, row, t)
        return
    gap, ax, ay, az, bx, by, bz, nx, ny, nz, feature_a, feature_b, steps = closest(
        model.geometry,
        model.topology,
        shape_a,
        (xa[0], xa[1], xa[2], qa[0], qa[1], qa[2], qa[3]),
        shape_b,
        (xb[0], xb[1], xb[2], qb[0], qb[1], qb[2], qb[3]),
        links[row, FEATURE_A],
        links[row, FEATURE_B],
    )
    links[row, FEATURE_A] = feature_a
    links[row, FEATURE_B] = feature_b
    state.counts[FEATURE_STEPS] += steps
    pairs = state.pairs
    envelope = pairs[row, PAIR_ENVELOPE]
    first = pairs[row, CHECKED] == -inf and model.settings[CONTACT] != PENALTY
    pairs[row, GAP] = gap
    pairs[row, CHECKED] = t
    lap(desk.watch, CLOSEST)
    if is_guard(model.trees, shape_a, shape_b):
        if goes_on_unwrapped(model, state, row, a, b, t):
            return
    else:
        state.clock[SMALLEST_GAP] = min(state.clock[SMALLEST_GAP], gap)
    point_a = (ax, ay, az)
    point_b = (bx, by, bz)
    normal = (nx, ny, nz)
    note_points(pairs, row, point_a, point_b, normal)
    if begins_penalty(model, state, desk, row, t):
        return
    near = ENVELOPE_AIM * envelope
    if model.settings[CONTACT] == IMPULSE and gap <= 2.0 * near:
        near -= yields(bodies, model.settings, pairs, row, a, b, t) * envelope
    slack = gap - (1.0 - GAP_FALL) * near
    rising = False
    ra = (ax - xa[0], ay - xa[1], az - xa[2])
    rb = (bx - xb[0], by - xb[1], bz - xb[2])
    if gap <= near and (
        is_nearer_beside(model.trees, model.fans, shape_a, feature_a, qa, (-nx, -ny, -nz))
        or is_nearer_beside(model.trees, model.fans, shape_b, feature_b, qb, normal)
    ):
        slack = BESIDE_FALL * max(gap, 1e-6 * envelope)
    elif gap <= near:
        # Corners that rest together hit in turns, each a little deeper: the deeper, the closer it is watched.
        slack = GAP_FALL * max(gap, 1e-6 * envelope) * min(1.0, max(gap, 1e-6 * envelope) / (LOW_GAP * envelope))
        # An impulse acts at one point of space, or it would turn free bodies by itself; against a body that nothing
        # moves it acts on the other's own surface, so that a rolling ball rolls on its own radius.
        if bodies[a, INV_MASS] != 0.0 and bodies[b, INV_MASS] != 0.0:
            point_a = (0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz))
            ra = (point_a[0] - xa[0], point_a[1] - xa[1], point_a[2] - xa[2])
            rb = (point_a[0] - xb[0], point_a[1] - xb[1], point_a[2] - xb[2])
        hit, p = resolve_contact(
            bodies, tags, model.settings, pairs, state.clock, state.counts, row, a, b, qa, va, wa, ra, qb, vb, wb, rb, t
        )
        if hit > 0:
            strike(model, state, desk, row, t, hit - 1, p, point_a, xa, qa, va, wa, ra, xb, qb, vb, wb, rb)
            xa, qa, va, wa = evolve(bodies, tags, state.arcs, a, t)
            xb, qb, vb, wb = evolve(bodies, tags, state.arcs, b, t)
            rising = True
            remember_flight(pairs, row, xa, va, wa, ra, xb, vb, wb, rb)
            reason = should_last(model, state, row, hit, ra, rb, wa, wb, t)
            if reason != NONE:
                tie(model, state, desk, row, t, reason)
        elif closes_unseen(bodies, tags, state.arcs, a, b, qa, va, wa, ra, qb, vb, wb, rb, normal, t) or (
            gap <= 0.0 and model.settings[CONTACT] != IMPULSE
        ):
            pairs[row, MICRO_HITS] = 0.0
            tie(model, state, desk, row, t, TOUCHED_GROUP)
        lap(desk.watch, COLLISION)
    bound_next_touch(model, state, row, t, xa, qa, va, wa, ra, xb, qb, vb, wb, rb, slack, rising)
    if first:
        u = sub(point_velocity(va, wa, ra), point_velocity(vb, wb, rb))
        if lies_still(model, state, row, u, ra, rb, wa, wb, t):
            rest_on(model, state, desk, row, t)
    lap(desk.watch, BOUND)


@inlined_kernel
def strike(
    model: Model,
    state: State,
    desk: Desk,
    row: int,
    t: float,
    kind: int,
    p: Vec3,
    at: Vec3,
    xa: Vec3,
    qa: Quat,
    va: Vec3,
    wa: Vec3,
    ra: Vec3,
    xb: Vec3,
    qb: Quat,
    vb: Vec3,
    wb: Vec3,
    rb: Vec3,
) -> None:
    """The impulse p [N s] of a hit acts on the bodies of pair `row`, which were moving as told: new arcs from t on."""
    links, tags, arcs, pairs = state.links, model.tags, state.arcs, state.pairs
    a, b = links[row, BODY_A], links[row, BODY_B]
    node_a = links[row, SHAPE_A] - tags[a, SHAPE] + tags[a, FIRST_NODE]
    node_b = links[row, SHAPE_B] - tags[b, SHAPE] + tags[b, FIRST_NODE]
    write_line(desk.log, desk.log_size, t, kind, NONE, a, b, p, at, node_a, node_b)
    held = arcs[a, HELD] != 0.0 or arcs[b, HELD] != 0.0
    if held:
        open_books(model, state, a, t)
        open_books(model, state, b, t)
    apply_impulse(model.bodies, tags, arcs, a, t, xa, qa, va, wa, ra, p)
    apply_impulse(model.bodies, tags, arcs, b, t, xb, qb, vb, wb, rb, (-p[0], -p[1], -p[2]))
    if pairs[row, PAIR_SURFACE + ROLLING] > 0.0 or pairs[row, PAIR_SURFACE + SPINNING] > 0.0:
        brake_turning(model, state, row, t, ra, rb, p)
    if held:
        close_books(model, state, desk, a, t)
        close_books(model, state, desk, b, t)
    lap(desk.watch, COLLISION)
    begin_arc(model, state, desk, a, row, t)
    begin_arc(model, state, desk, b, row, t)


@kernel
def goes_on_unwrapped(model: Model, state: State, row: int, a: int, b: int, t: float) -> bool:
    """Are the hulls of pair `row` near, so that what they hold is looked at? Otherwise they are wrapped up."""
    unwrapped = state.links[row, PART] >= 0
    if state.pairs[row, GAP] > (WRAP if unwrapped else 1.0) * state.pairs[row, PAIR_ENVELOPE]:
        wrap(model, state, row)
        return False
    if not unwrapped:
        unwrap(model, state, row, t)
    lie_still = lies(model.tags, state.arcs, a) and lies(model.tags, state.arcs, b)
    schedule_check(model, state, row, inf if lie_still else t + WRAP_LOOK)
    return True


@kernel
def lies(tags: Ints, arcs: Floats, i: int) -> bool:
    """Is body i fixed, or asleep?"""
    return tags[i, KIND] == FIXED or (tags[i, KIND] == FREE and arcs[i, HELD] == ASLEEP)


@kernel
def tie(model: Model, state: State, desk: Desk, row: int, t: float, reason: int) -> None:
    """From t on constraint forces keep the contact of pair `row`: the step that its group makes now takes it up."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    note_wake(model, state, desk, a, t)
    note_wake(model, state, desk, b, t)
    state.links[row, REASON] = reason
    set_timer(model, state, join_bodies(model, state, a, b, t))


@inlined_kernel
def begins_penalty(model: Model, state: State, desk: Desk, row: int, t: float) -> bool:
    """Does pair `row` touch, in penalty contact? Then the step that its group makes now takes it up, however fast."""
    pairs = state.pairs
    if model.settings[CONTACT] != PENALTY or pairs[row, GAP] > ENVELOPE_AIM * pairs[row, PAIR_ENVELOPE]:
        return False
    schedule_check(model, state, row, t + model.settings[LONGEST_STEP])
    tie(model, state, desk, row, t, NONE)
    return True


@kernel
def rest_on(model: Model, state: State, desk: Desk, row: int, t: float) -> None:
    """The bodies of pair `row`, looked at for the first time, lie on each other: sleepers do so as they are."""
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    if lies(model.tags, state.arcs, a) and lies(model.tags, state.arcs, b):
        stay_asleep(model, state, desk.log, desk.log_size, row, t)
    else:
        tie(model, state, desk, row, t, LAY_STILL)


@kernel
def note_wake(model: Model, state: State, desk: Desk, i: int, t: float) -> None:
    """Log that the group of body i, if it is asleep, is about to wake."""
    leader = state.members[i, LEADER]
    if leader >= 0 and state.arcs[leader, HELD] == ASLEEP:
        node = model.tags[i, FIRST_NODE]
        x, _, _, _ = evolve(model.bodies, model.tags, state.arcs, i, t)
        write_line(desk.log, desk.log_size, t, WAKE, NONE, i, i, (0.0, 0.0, 0.0), x, node, node)


@kernel
def open_books(model: Model, state: State, i: int, t: float) -> None:
    """Before an impulse acts on body i, which may be held: book what its group's step has cost it so far."""
    if model.tags[i, KIND] == FREE and state.arcs[i, HELD] != 0.0:
        book_body(model.bodies, model.tags, state.arcs, state.groups, state.clock, i, t)


@kernel
def close_books(model: Model, state: State, desk: Desk, i: int, t: float) -> None:
    """After an impulse acted on body i: if it is held, its group makes a new step."""
    if model.tags[i, KIND] == FREE and state.arcs[i, HELD] != 0.0:
        note_wake(model, state, desk, i, t)
        rebook_body(model.bodies, model.tags, state.arcs, state.groups, i, t)
        rouse_group(state.arcs, state.members, state.groups, state.clock, i, t)
        set_timer(model, state, state.members[i, LEADER])


@inlined_kernel
def brake_turning(model: Model, state: State, row: int, t: float, ra: Vec3, rb: Vec3, p: Vec3) -> None:
    """After a hit p of pair `row` at the offsets ra, rb: new arcs, slowed down by the surfaces' resistance."""
    bodies, tags, arcs = model.bodies, model.tags, state.arcs
    a, b = state.links[row, BODY_A], state.links[row, BODY_B]
    xa, qa, va, wa = evolve(bodies, tags, arcs, a, t)
    xb, qb, vb, wb = evolve(bodies, tags, arcs, b, t)
    c = resist_turning(bodies, tags, state.pairs, state.clock, row, a, b, qa, va, wa, ra, qb, vb, wb, rb, p)
    apply_couple(bodies, tags, arcs, a, t, xa, qa, va, wa, c)
    apply_couple(bodies, tags, arcs, b, t, xb, qb, vb, wb, (-c[0], -c[1], -c[2]))


@inlined_kernel
def begin_arc(model: Model, state: State, desk: Desk, i: int, row: int, t: float) -> None:
    """After body i took an impulse in pair `row`: keep its box true and look at its other pairs."""
    if model.tags[i, KIND] != FREE:
        return
    if not box_holds(model.bodies, model.tags, state.arcs, state.boxes, i, t):
        renew_box(model, state, desk, i, t)
        set_timer(model, state, i)
    lap(desk.watch, BROAD_PHASE)
    look_again(model, state, i, row, t)
    lap(desk.watch, HEAP)
