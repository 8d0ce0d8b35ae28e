"""The loop: the only file that knows the order of events.

    pop the earliest event
        timer of a body     kick of a pull or load -> new arc;  box run out -> new swept box -> pairs that may meet
                            step of its contact group due -> the step
        check of a pair     boxes apart -> the pair leaves
                            evolve both -> closest features -> gap
                            hulls of concave bodies near -> pairs of what they hold;  apart again -> wrapped up
                            touching and approaching -> collision, with all that it reaches -> new arcs
                                                     -> look at the neighbours again
                            touching, where no collision is ever resolved -> its group's step takes it up
                            bound the time of the next touch -> back into the event queue

Nothing here is proportional to the number of bodies, and nothing is allocated. `advance` returns when it needs
something from outside, in a state from which the next call goes on as if it had not returned.
"""

from __future__ import annotations

from math import inf, isfinite

from engine.collision.broad.boxes import boxes_meet
from engine.collision.broad.broad_phase import lacks_room
from engine.collision.narrow.frames import ClosestPoints, pose_of
from engine.collision.pair_table import find_pair, may_touch, pair_nodes
from engine.collision.pairs.checks import check_now, schedule_check
from engine.collision.pairs.gaps import measure_gap, note_points
from engine.collision.pairs.hull_pairs import goes_on_unwrapped, is_beside, is_guard, separate
from engine.collision.pairs.look_again import look_again
from engine.collision.pairs.meet import pair_up, renew_box
from engine.collision.pairs.next_touch import bound_next_touch, closes_unseen
from engine.desk import LINES_EACH, Desk
from engine.events import cancel, next_event, set_timer
from engine.first_order.step import step_first_order
from engine.group.end_gaps import least_gap
from engine.group.islands import allow_lift, bodies_due, find_lost, hold_body
from engine.group.joining import close_books, cut_short, open_books, rest_on, tie, tie_linkages
from engine.group.lasting_contacts import lies_still, should_last
from engine.group.pair_states import LOUD_HIT, change_state
from engine.group.room import is_roomy
from engine.group.sleep import lay_asleep
from engine.group.step import CANNOT_GO_ON, STEPPED, step_group
from engine.group.work import BODIES, NEEDED, SQUEEZED, TORN
from engine.impulse.cluster import (
    ARM_A,
    ARM_B,
    AT,
    BODY,
    CONTACTS,
    ENDLESS,
    HITS,
    IMPULSE_AT,
    MOVED,
    NORMAL_AT,
    PAIR,
    Cluster,
    in_world,
)
from engine.impulse.cluster import BODIES as CLUSTERED
from engine.impulse.cluster import NEEDED as ROWS_NEEDED
from engine.impulse.contact import (
    COLLISION,
    approach_of,
    collides,
    never_collides,
    remember_flight,
    resolve_contact,
    touching_gap,
)
from engine.impulse.crush import note_crush, weaker_of
from engine.impulse.envelope import least_approach
from engine.impulse.impact import ALONE, CRUSH, NO_ROOM, SPREAD, book_contact, push_bodies, resolve_impact, sum_impulses
from engine.impulse.kicks import kick_load, kick_pull
from engine.impulse.pair_response import strike_sides
from engine.impulse.resistance import brake_turning
from engine.joints.response import linkage_of
from engine.joints.rows import is_dynamic
from engine.journal import COLLISION as HIT
from engine.journal import NONE, PRESSED, note_couple, note_normal, write_line
from engine.kernel import kernel
from engine.maths.rounding import EPSILON, ROOT
from engine.maths.vectors import Vec3, add, scale, sub, vector_at
from engine.model.joints import ENTRIES, ENTRY_BODY, FIRST_ENTRY
from engine.model.model import (
    CONTACT,
    FIRST_ORDER,
    FREE,
    IMPULSE,
    INV_MASS,
    KIND,
    LONGEST_STEP,
    PENALTY,
    Ints,
    Model,
)
from engine.model.state import (
    ASLEEP,
    BODY_A,
    BODY_B,
    CHECKED,
    GAP,
    HEAP_POPS,
    HELD,
    HORIZON,
    KICKS,
    NEXT_KICK,
    NORMAL,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    PULL_BODY,
    PULL_NEXT,
    SAME_TIME,
    SHAPE_A,
    SHAPE_B,
    SMALLEST_GAP,
    SOON_SIZE,
    TIME,
    UNTIL,
    State,
)
from engine.motion.arcs import box_holds, evolve, is_finite_arc, is_held
from engine.motion.loads import changes_load
from engine.motion.motion import Side, is_finite_motion
from engine.penalty.step import step_penalty
from engine.rounds import lacks_helpers
from engine.stages import BOUND, BROAD_PHASE, CLOSEST, HEAP, MOTION, end_step, lap, start_watch, watch_step
from engine.stages import COLLISION as COLLISIONS
from engine.tolerances import BAND_LOW, ENVELOPE_AIM, GAP_FALL, SAFETY, STUCK_EVENTS

# What `advance` returns.
DONE = 0
BUDGET = 1  # as many events as asked for
INTERRUPT = 2  # somebody raised the flag
GROW = 3  # too few free rows: enlarge the State's arrays and call again
LOG_FULL = 4  # take the log away and call again
STOP = 6  # body Desk.lost[0] cannot go on: stop it and call again
SHORT_OF_WORK = 7  # a contact group needs more rows in Desk.work: enlarge it and call again
CALL_HELP = 8  # the next event is worth more threads: send for them and call again


@kernel
def advance(model: Model, state: State, desk: Desk, t_end: float, budget: int) -> int:
    """Handle every event up to and including t_end, at most `budget` of them. Returns why it stopped."""
    counts, clock, n = state.counts, state.clock, model.tags.shape[0]
    room = desk.log.shape[0] - LINES_EACH * desk.work.contact.shape[0]
    while True:
        event, t, soon = next_event(state)
        if not (t <= t_end) or t == inf:
            break
        if budget <= 0:
            return BUDGET
        if event < n and lacks_helpers(desk.work.rounds, bodies_due(state, event, t)):
            return CALL_HELP
        if lacks_room(model, state):
            return GROW
        if desk.log_size[0] >= room:
            return LOG_FULL
        if counts[SAME_TIME] > STUCK_EVENTS * n:
            counts[SAME_TIME] = 0
            desk.lost[0] = event if event < n else weaker_of(model, state, event - n)
            return STOP
        if soon:
            counts[SOON_SIZE] = cancel(
                state.soon, state.soon_keys, state.soon_place, state.rank, counts[SOON_SIZE], event
            )
        start_watch(desk.watch, counts[HEAP_POPS])
        same_before, time_before = counts[SAME_TIME], clock[TIME]
        budget, counts[HEAP_POPS] = budget - 1, counts[HEAP_POPS] + 1
        counts[SAME_TIME] = counts[SAME_TIME] + 1 if t - clock[TIME] <= 4.0 * EPSILON * t else 0
        clock[TIME] = t
        if event < n:
            ring_timer(model, state, desk, event, t)
        else:
            check_pair(model, state, desk, event - n, t)
        lap(desk.watch, HEAP)
        if desk.lost[0] >= 0:
            return STOP
        if not is_roomy(desk.work):
            counts[HEAP_POPS] -= 1  # it has not happened, and will when there is room
            counts[SAME_TIME], clock[TIME] = same_before, time_before
            return SHORT_OF_WORK
        if desk.flag[0] != 0:
            return INTERRUPT  # here: what was enlarged for an event must not be seen without it
    if isfinite(t_end):
        clock[TIME] = max(clock[TIME], t_end)
    return DONE


@kernel
def start(model: Model, state: State, initial: Ints) -> None:
    """Boxes, timers and first pairs of a world whose arcs are set; `initial` (m, 2) lists the boxes that meet."""
    for i in range(model.tags.shape[0]):
        if model.tags[i, KIND] == FREE and model.settings[CONTACT] == FIRST_ORDER:
            hold_body(model, state, i, 0.0)
        elif model.tags[i, KIND] == FREE and state.arcs[i, HELD] == ASLEEP:
            lay_asleep(model, state, i, 0.0)
        set_timer(state, i)
    for k in range(initial.shape[0]):
        a, b = initial[k, 0], initial[k, 1]
        if may_touch(model.tags, model.joints.mates, a, b):
            pair_up(model, state, a, b, 0.0)
    tie_linkages(model, state)


# --- timers of bodies ---------------------------------------------------------------------------------------------


@kernel
def ring_timer(model: Model, state: State, desk: Desk, i: int, t: float) -> None:
    """The timer of body i: kick it if something pulls or pushes it, renew its box if it has run out, step its group."""
    if not is_finite_arc(state.arcs, i):
        desk.lost[0] = i
        return
    kicked = False
    pulled = state.pull[PULL_BODY] == i and state.pull[PULL_NEXT] <= t
    loaded = state.loads[i, NEXT_KICK] <= t and changes_load(model, state, i, t)
    if pulled or loaded:
        state.counts[KICKS] += 1
        open_books(model, state, i, t)
        if pulled:
            kicked = kick_pull(model, state, desk.cluster.linked, i, t)
        if loaded:
            kicked = kick_load(model, state, desk.cluster.linked, i, t) or kicked
        close_books(model, state, desk.log, desk.log_size, i, t)
        lap(desk.watch, MOTION)
    renewed = state.boxes[i, UNTIL] <= t or not box_holds(model.bodies, model.tags, state.arcs, state.boxes, i, t)
    if renewed:
        renew_box(model, state, desk.found, i, t)
    lap(desk.watch, BROAD_PHASE)
    if kicked:
        look_again(model, state, i, -1, t)
        settle_links(model, state, linkage_of(model.tags, i), i, i, t)
    if state.groups[i, HORIZON] <= t and not kicked and not renewed:
        desk.lost[0] = find_lost(state.arcs, state.members, i)
        if desk.lost[0] >= 0:
            return
        weight = watch_step(desk.watch)
        outcome = step_held(model, state, desk, i, t)
        if outcome == STEPPED:
            for at in range(desk.work.sizes[BODIES]):
                settle_member(model, state, desk.work.body[at], -1, desk.work.look[at] == 1, t)
        elif outcome == CANNOT_GO_ON:
            desk.lost[0] = max(desk.work.sizes[TORN], desk.work.sizes[SQUEEZED]) - 1
        end_step(desk.watch, weight)
    set_timer(state, i)


@kernel
def step_held(model: Model, state: State, desk: Desk, leader: int, t: float) -> int:
    """A step of the contact group of `leader`, by the forces that the scene asks for."""
    if model.settings[CONTACT] == PENALTY:
        return step_penalty(model, state, desk.work, leader, t)
    if model.settings[CONTACT] == FIRST_ORDER:
        return step_first_order(model, state, desk.work, leader, t)
    return step_group(model, state, desk.work, desk.log, desk.log_size, leader, t)


@kernel
def settle_member(model: Model, state: State, i: int, row: int, look: bool, t: float) -> None:
    """After a step of its group, or an impact that reached it: wake body i when its box or its step ends.

    Looks at its pairs if need be, but for `row`. A box that no longer holds is renewed by an event of its own: of one
    event there is room for one body's new pairs."""
    if not box_holds(model.bodies, model.tags, state.arcs, state.boxes, i, t):
        state.boxes[i, UNTIL] = t
    if look:
        look_again(model, state, i, row, t)
    set_timer(state, i)


# --- checks of pairs ----------------------------------------------------------------------------------------------


@kernel
def check_pair(model: Model, state: State, desk: Desk, row: int, t: float) -> None:
    """Measure the gap of a pair, let it collide if it touches, and bound the time of its next touch."""
    links, pairs = state.links, state.pairs
    a, b = links[row, BODY_A], links[row, BODY_B]
    if not boxes_meet(state.boxes, a, b):
        separate(model, state, find_pair(state.table, a, b))
        return
    motion_a = evolve(model.bodies, model.tags, state.arcs, a, t)
    motion_b = evolve(model.bodies, model.tags, state.arcs, b, t)
    lap(desk.watch, MOTION)
    if not (is_finite_motion(motion_a) and is_finite_motion(motion_b)):
        desk.lost[0] = b if is_finite_motion(motion_a) else a
        check_now(model, state, row, t)
        return
    first = pairs[row, CHECKED] == -inf and not never_collides(model.settings)
    pose_a, pose_b = pose_of(motion_a.x, motion_a.q), pose_of(motion_b.x, motion_b.q)
    nearest = measure_gap(model.geometry, model.topology, pairs, links, state.counts, row, pose_a, pose_b, t)
    lap(desk.watch, CLOSEST)
    if is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]):
        if goes_on_unwrapped(model, state, row, t):
            return
    else:
        state.clock[SMALLEST_GAP] = min(state.clock[SMALLEST_GAP], pairs[row, GAP])
    note_points(pairs, row, nearest)
    if first and t == 0.0 and pairs[row, GAP] < least_gap(pairs[row, PAIR_ENVELOPE], inf):
        allow_lift(model, state, row)
    if begins_contact(model, state, desk, row, t):
        return
    side_a, side_b = Side(a, motion_a, sub(nearest.on_a, motion_a.x)), Side(b, motion_b, sub(nearest.on_b, motion_b.x))
    near = touching_gap(model.bodies, model.settings, pairs, row, a, b, t)
    slack, rising = pairs[row, GAP] - (1.0 - GAP_FALL) * near, False
    if pairs[row, GAP] <= near:
        side_a, side_b, slack, rising = resolve_touch(model, state, desk, row, t, nearest, side_a, side_b)
        lap(desk.watch, COLLISIONS)
        if not is_roomy(desk.work):
            return
        if rising or links[row, PAIR_STATE] == PAIR_HELD:
            desk.lost[0] = note_crush(model, state, row, t)
    if links[row, PAIR_STATE] != PAIR_HELD:
        bound_next_touch(model, state, row, t, side_a, side_b, slack, rising)
    if first and lies_still(model, state, row, side_a, side_b, t):
        rest_on(model, state, desk.log, desk.log_size, row, t)
    lap(desk.watch, BOUND)


@kernel
def begins_contact(model: Model, state: State, desk: Desk, row: int, t: float) -> bool:
    """Does pair `row` touch where nothing ever collides? Then the step that its group makes now takes it up, however
    fast."""
    if not never_collides(model.settings) or state.pairs[row, GAP] > ENVELOPE_AIM * state.pairs[row, PAIR_ENVELOPE]:
        return False
    schedule_check(model, state, row, t + model.settings[LONGEST_STEP])
    tie(model, state, desk.log, desk.log_size, row, t, NONE)
    return True


@kernel
def resolve_touch(
    model: Model, state: State, desk: Desk, row: int, t: float, nearest: ClosestPoints, side_a: Side, side_b: Side
) -> tuple[Side, Side, float, bool]:
    """Pair `row` touches: it collides, or its group takes it up, or it parts already.

    Returns its sides after that, by how much its gap may fall until it is checked again, and whether it was hit.
    """
    bodies, tags, pairs = model.bodies, model.tags, state.pairs
    a, b, envelope = side_a.body, side_b.body, pairs[row, PAIR_ENVELOPE]
    gap = max(pairs[row, GAP], 64.0 * ROOT * envelope)
    if is_beside(model.trees, model.fans, state.links, row, nearest.normal, side_a.motion.q, side_b.motion.q):
        return side_a, side_b, (1.0 - SAFETY) * gap, False
    # Corners that rest together hit one after the other, each a little deeper: the deeper, the closer it is watched.
    slack = GAP_FALL * gap * min(1.0, gap / (BAND_LOW * envelope))
    # An impulse acts at one point of space, or it would turn free bodies by itself; against a static
    # or kinematic one it acts on the other's own surface, so that a rolling ball rolls on its own radius.
    at = nearest.on_a if bodies[a, INV_MASS] != 0.0 else nearest.on_b
    if bodies[a, INV_MASS] != 0.0 and bodies[b, INV_MASS] != 0.0:
        at = scale(add(nearest.on_a, nearest.on_b), 0.5)
        side_a = Side(a, side_a.motion, sub(at, side_a.motion.x))
        side_b = Side(b, side_b.motion, sub(at, side_b.motion.x))
    found = ALONE
    least = least_approach(model.settings, envelope)
    if approach_of(pairs, row, side_a, side_b) > least:
        cut_a, cut_b = cut_short(model, state, a, t), cut_short(model, state, b, t)
        if cut_a or cut_b:
            side_a = Side(a, evolve(bodies, tags, state.arcs, a, t), side_a.r)
            side_b = Side(b, evolve(bodies, tags, state.arcs, b, t), side_b.r)
    if collides(model.settings, pairs, row, side_a, side_b):
        found = resolve_impact(model, state, desk.cluster, row, t)
        while found == SPREAD and cut_reached(model, state, desk.cluster, t):
            found = resolve_impact(model, state, desk.cluster, row, t)
    if found >= NO_ROOM:
        leave_impact(model, state, desk, row, t, found)
        return side_a, side_b, slack, False
    hit, impulse = COLLISION, (0.0, 0.0, 0.0)
    if found == ALONE:
        hit, impulse = resolve_contact(model, state, desk.cluster.linked, row, side_a, side_b, t)
    if hit > 0:
        if found == SPREAD:
            strike_all(model, state, desk, row, t)
        else:
            strike(model, state, desk, row, t, hit - 1, impulse, at, side_a, side_b)
        side_a = Side(a, evolve(bodies, tags, state.arcs, a, t), side_a.r)
        side_b = Side(b, evolve(bodies, tags, state.arcs, b, t), side_b.r)
        remember_flight(pairs, row, side_a, side_b)
        reason = should_last(model, state, row, hit, side_a, side_b, t)
        if reason != NONE:
            tie(model, state, desk.log, desk.log_size, row, t, reason)
    elif closes_unseen(tags, state.arcs, side_a, side_b, nearest.normal, least, t) or (
        pairs[row, GAP] <= 0.0 and model.settings[CONTACT] != IMPULSE
    ):
        tie(model, state, desk.log, desk.log_size, row, t, PRESSED)
    return side_a, side_b, slack, hit > 0


@kernel
def leave_impact(model: Model, state: State, desk: Desk, row: int, t: float, found: int) -> None:
    """No impulses come of the impact of pair `row`: there is no room for it, or it crushes a body."""
    c = desk.cluster
    if found == CRUSH:
        desk.lost[0] = weaker_of(model, state, c.contact[c.sizes[ENDLESS] - 1, PAIR])
        return
    desk.work.sizes[NEEDED] = c.sizes[ROWS_NEEDED]
    check_now(model, state, row, t)


@kernel
def strike(
    model: Model, state: State, desk: Desk, row: int, t: float, kind: int, p: Vec3, at: Vec3, side_a: Side, side_b: Side
) -> None:
    """The impulse p [N s] of a hit acts on both bodies of pair `row`, at a point: new arcs from t on."""
    tags, arcs = model.tags, state.arcs
    a, b = side_a.body, side_b.body
    write_line(desk.log, desk.log_size, t, kind, NONE, a, b, pair_nodes(tags, state.links, row), p, at)
    note_normal(desk.log, desk.log_size, vector_at(state.pairs, row, NORMAL))
    held = is_held(tags, arcs, a) or is_held(tags, arcs, b)
    if held:
        open_books(model, state, a, t)
        open_books(model, state, b, t)
    linked = desk.cluster.linked
    strike_sides(model, state, linked, side_a, side_b, p, t)
    couple = brake_turning(model, state, linked, row, side_a, side_b, p, t)
    note_couple(desk.log, desk.log_size[0] - 1, couple)
    if held:
        close_books(model, state, desk.log, desk.log_size, a, t)
        close_books(model, state, desk.log, desk.log_size, b, t)
    lap(desk.watch, COLLISIONS)
    begin_arcs(model, state, desk, row, t)
    one, other = linkage_of(tags, a), linkage_of(tags, b)
    settle_links(model, state, one, a, b, t)
    if other != one:
        settle_links(model, state, other, a, b, t)


@kernel
def cut_reached(model: Model, state: State, c: Cluster, t: float) -> bool:
    """Cut the steps short of all that an impact moves: hits act on what bodies have at the end of a step. Any?"""
    found = False
    for at in range(c.sizes[CLUSTERED]):
        if c.body[at, MOVED] == 1:
            found = cut_short(model, state, c.body[at, BODY], t) or found
    return found


@kernel
def strike_all(model: Model, state: State, desk: Desk, row: int, t: float) -> None:
    """The impulses in the cluster act, each at its contact: new arcs of all that the hit of pair `row` has reached."""
    bodies, tags, arcs, c = model.bodies, model.tags, state.arcs, desk.cluster
    line = desk.log_size[0]
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, HITS] > 0:
            pair = c.contact[k, PAIR]
            a, b = state.links[pair, BODY_A], state.links[pair, BODY_B]
            p = book_contact(state, c, k)
            change_state(model, state, pair, t, LOUD_HIT)
            where = vector_at(c.contacts, k, AT)
            write_line(desk.log, desk.log_size, t, HIT, NONE, a, b, pair_nodes(tags, state.links, pair), p, where)
            note_normal(desk.log, desk.log_size, vector_at(c.contacts, k, NORMAL_AT))
    sum_impulses(c)
    for at in range(c.sizes[CLUSTERED]):
        if c.body[at, MOVED] == 1:
            open_books(model, state, c.body[at, BODY], t)
    push_bodies(model, state, c, t)
    for k in range(c.sizes[CONTACTS]):
        if c.contact[k, HITS] > 0:
            pair = c.contact[k, PAIR]
            a, b = state.links[pair, BODY_A], state.links[pair, BODY_B]
            p = in_world(c, k, vector_at(c.contacts, k, IMPULSE_AT))
            side_a = Side(a, evolve(bodies, tags, arcs, a, t), vector_at(c.contacts, k, ARM_A))
            side_b = Side(b, evolve(bodies, tags, arcs, b, t), vector_at(c.contacts, k, ARM_B))
            couple = brake_turning(model, state, c.linked, pair, side_a, side_b, p, t)
            note_couple(desk.log, line, couple)
            line += 1
    for at in range(c.sizes[CLUSTERED]):
        if c.body[at, MOVED] == 1:
            close_books(model, state, desk.log, desk.log_size, c.body[at, BODY], t)
    lap(desk.watch, COLLISIONS)
    for at in range(c.sizes[CLUSTERED]):
        if c.body[at, MOVED] == 1:
            settle_member(model, state, c.body[at, BODY], row, True, t)


@kernel
def settle_links(model: Model, state: State, link: int, a: int, b: int, t: float) -> None:
    """What pushed body a or b has moved the linkage that it is of, if any: settle its other bodies."""
    if link < 0:
        return
    first = model.joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + model.joints.linkages[link, ENTRIES]):
        i = model.joints.entries[e, ENTRY_BODY]
        if i != a and i != b and is_dynamic(model.tags, model.joints, e):
            settle_member(model, state, i, -1, True, t)


@kernel
def begin_arcs(model: Model, state: State, desk: Desk, row: int, t: float) -> None:
    """After the bodies of pair `row` took an impulse: keep their boxes true and look at their other pairs."""
    for side in range(2):  # one loop, not two calls: only what is called once is inlined
        i = state.links[row, BODY_A if side == 0 else BODY_B]
        if model.tags[i, KIND] != FREE:
            continue
        if not box_holds(model.bodies, model.tags, state.arcs, state.boxes, i, t):
            renew_box(model, state, desk.found, i, t)
            set_timer(state, i)
        lap(desk.watch, BROAD_PHASE)
        look_again(model, state, i, row, t)
        lap(desk.watch, HEAP)
