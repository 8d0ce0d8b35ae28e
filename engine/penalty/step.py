"""The penalty method, for comparison: bodies overlap while they touch, and are pushed apart the more the deeper.

    gather      bodies, the pairs between them and with static and kinematic bodies, their points, near ones too
    fly         to the middle of a step that is short against all periods, to the points that there are then
    press       springs, dashpots and friction (engine.penalty.springs), all at these points and in that instant,
                in rounds, for springs act by where they are before and after
    fly on      to the end
    commit      held arcs, what the contacts bore, what their springs hold, groups that have come apart

A pair joins when its gap falls below half the envelope, whatever its speed: no collision is ever resolved. It leaves
when its gap has opened. Nothing here keeps gaps positive, and nothing sleeps. That is the point
of it: Baraff 1992 shows that the motion goes over into the right one as the springs stiffen (section 7.1), and what it
costs till there: a wrong release where a spring would have to pull (section 7.2), steps that shrink as the stiffness
grows (section 2.4, equation 2-7), and creep under friction (section 14.2.2, equation 14-12). What is fast passes
through what is thin: a spring stops a body of speed v after v / omega of way, and no sooner.

What goes into the springs is booked as elastic energy, by the work of their impulses; what dashpots and friction take
as dissipated. Springs come and go where they are not pressed (engine.penalty.patches); where points slide along edges
under load, or another side of a body faces the other, what springs hold changes and nothing has done it: that is
numerics.
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.frames import pose_of
from engine.collision.pair_table import next_pair
from engine.collision.pairs.hull_pairs import is_guard
from engine.group.bodies import applied_work, apply_loads, fly_to_end, fly_to_middle, place_at_end, turns_far
from engine.group.books import book_point, settle_books
from engine.group.commit import commit_step
from engine.group.contact_points import load_points
from engine.group.gather import gather_bodies
from engine.group.measure import Touch, closest_points_of, measure_now, measure_pair, touch_in_group, touches_beside
from engine.group.midway import touch_at
from engine.group.pair_states import MET, change_state
from engine.group.pulled import bear_pull
from engine.group.relative_velocity import speed_along
from engine.group.room import is_roomy
from engine.group.solve.friction_models import creep_speed
from engine.group.step import NO_ROOM, STEPPED
from engine.group.work import (
    APPLIED_WORK,
    BODIES,
    CONTACTS,
    CUTS,
    DASHPOT,
    DEBT,
    ENTRIES_NEEDED,
    GAP_AT,
    GROUNDED,
    IMPULSE_AT,
    LINK_WORK,
    LOST,
    LOST_FIRST,
    NEEDED,
    NEXT,
    PAIRS_HELD,
    PRESCRIBED_THEN,
    PURE_ENERGY,
    ROW,
    SHARE,
    SIDE_A,
    SIDE_B,
    STORED,
    STORED_FIRST,
    U_MEAN,
    U_START,
    V_END,
    V_FLOW,
    V_FREE,
    V_PSEUDO,
    W_END,
    X_ACT,
    V,
    Work,
)
from engine.journal import GAP_OPENED
from engine.kernel import kernel, linked_kernel
from engine.maths.vectors import Vec3
from engine.model.model import FREE, GRAVITY, KIND, LONGEST_STEP, RESTITUTION, Floats, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    CHECKED,
    DAMPING,
    DISSIPATED,
    ELASTIC,
    ELASTIC_FIRST,
    ELASTIC_POWER,
    GAP,
    GROUP_STEPS,
    IMPACT,
    LEADER,
    LOCAL,
    NUMERICAL,
    NUMERICS,
    PAIR_ENVELOPE,
    PAIR_HELD,
    PAIR_STATE,
    PAIR_SURFACE,
    PART,
    PATCH_DEPTH,
    PATCH_POINTS,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.penalty.patches import find_springs
from engine.penalty.springs import (
    brake,
    damp,
    damping_ratio,
    depths,
    load_springs,
    longest_step,
    point_stiffness,
    press,
    rub,
    set_spring,
    stored_at_start,
    swing,
)
from engine.tolerances import ACCURACY, CONTACT_REACH, ENVELOPE_AIM

_ROUNDS = 5
"""Impulses hang on the velocities that they make: a round leaves (pi / PENALTY_STEPS)^2 of an error, so many 1e-9."""


@linked_kernel
def step_penalty(model: Model, state: State, work: Work, leader: int, t: float) -> int:
    """Make a step of the group of `leader` from t on. NO_ROOM: nothing has happened, `work` has too few rows.

    Leaves in work.body the bodies that were in the group, and in work.look those whose other pairs must be looked at.
    """
    _gather(model, state, work, leader, t)
    outcome = _press_bodies(model, state, work, leader, t) if is_roomy(work) else NO_ROOM
    for at in range(work.sizes[BODIES]):
        state.members[work.body[at], LOCAL] = -1
    return outcome


@kernel
def _press_bodies(model: Model, state: State, work: Work, leader: int, t: float) -> int:
    settle_books(model, state, leader, t)
    h = longest_step(work, min(model.settings[LONGEST_STEP], bear_pull(model, state, work, t)))
    for at in range(work.sizes[BODIES]):
        fly_to_middle(model.bodies, work, at, h)
        _weigh_midway(model.bodies, work, at, 0.5 * h)
    _find_midway(model, state, work, t, h)
    if not is_roomy(work):
        return NO_ROOM
    state.counts[GROUP_STEPS] += 1
    stored = stored_at_start(work, h)
    state.clock[DISSIPATED + NUMERICS] += state.groups[leader, ELASTIC] - stored  # of points that have come or gone
    for _ in range(_ROUNDS):
        load_springs(work, h)
        for at in range(work.sizes[BODIES]):
            _forget_impulses(model.bodies, work, at, h)
        press(work)
        damp(work)
        rub(work)
        brake(work)
    swing(work, h)
    _book_losses(work)
    for at in range(work.sizes[BODIES]):
        _fly_on(model.bodies, work, at, h)
    work.link[LINK_WORK] = work.link[NEXT] = work.link[DEBT] = work.link[CUTS] = 0.0
    commit_step(model, state, work, t, h, -inf, 0.0)
    _book_springs(state, work, h)
    return STEPPED


@kernel
def _weigh_midway(bodies: Floats, work: Work, at: int, half: float) -> None:
    """Let the weight of row `at` act with the springs, in the middle of the step: what they bear stands still."""
    for c in range(3):
        fall = half * bodies[work.body[at], GRAVITY + c]
        work.poses[at, X_ACT + c] -= 0.5 * half * fall
        work.twists[at, V_FREE + c] -= fall
    for c in range(6):  # at rest impulses end as they begin
        work.twists[at, V_END + c] = work.twists[at, V_FREE + c]


@kernel
def _forget_impulses(bodies: Floats, work: Work, at: int, h: float) -> None:
    """Let row `at` leave the middle of the step h with no other impulses than its weight's and those of its loads."""
    for c in range(3):
        work.twists[at, V_END + c] = work.twists[at, V_FREE + c] + h * bodies[work.body[at], GRAVITY + c]
        work.twists[at, W_END + c] = work.twists[at, V_FREE + 3 + c]
    apply_loads(work, at, h)


@kernel
def _fly_on(bodies: Floats, work: Work, at: int, h: float) -> None:
    """Fly row `at` from the middle of the step h to its end."""
    twists = work.twists
    work.poses[at, PURE_ENERGY], work.poses[at, APPLIED_WORK] = 0.0, applied_work(work, at, h)
    for c in range(3):
        twists[at, V_END + c] -= 0.5 * h * bodies[work.body[at], GRAVITY + c]
    fly_to_end(bodies, work, at, h)  # which adds what half a step's weight gives
    if turns_far(twists, at, h):
        for c in range(3):  # about a fixed axis, with velocities that change evenly
            twists[at, V_FLOW + c] = twists[at, V_PSEUDO + c] = 0.0
    place_at_end(twists, work.poses, at, h)


@kernel
def _book_losses(work: Work) -> None:
    """What dashpots, friction and resistance take; what goes into the springs is no loss."""
    contacts, notes = work.contacts, work.notes
    for k in range(work.sizes[CONTACTS]):
        for axis in range(3):
            given = notes[k, PRESCRIBED_THEN + axis]
            notes[k, U_START + axis] = speed_along(work.twists, work.contact, contacts, k, axis, V) + given
        book_point(work, k)
        notes[k, LOST + DAMPING] = -notes[k, DASHPOT] * notes[k, U_MEAN]
        notes[k, LOST_FIRST + DAMPING] = -notes[k, DASHPOT] * notes[k, U_START]
        notes[k, LOST + IMPACT] = notes[k, LOST_FIRST + IMPACT] = 0.0


@kernel
def _book_springs(state: State, work: Work, h: float) -> None:
    """Give every group the energy of its springs, and what flows into them in the step h."""
    for k in range(work.sizes[CONTACTS]):
        side = work.contact[k, SIDE_A] if work.contact[k, SIDE_A] >= 0 else work.contact[k, SIDE_B]
        leader = state.members[work.body[side], LEADER]
        flow = -(work.contacts[k, IMPULSE_AT] - work.notes[k, DASHPOT]) * work.notes[k, U_MEAN]
        state.groups[leader, ELASTIC] += work.notes[k, STORED]
        state.groups[leader, ELASTIC_POWER] += flow / h
        state.groups[leader, ELASTIC_FIRST] += work.notes[k, STORED_FIRST] / h
        state.groups[leader, NUMERICAL] -= flow
        _, state.patches[work.contact[k, ROW], PATCH_DEPTH] = depths(work, k, h)


@kernel
def _gather(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    """Bodies and contacts of the group of `leader` at time t. work.sizes[NEEDED] tells how many rows they take."""
    gather_bodies(model, state, work, leader, t)
    work.sizes[CONTACTS] = work.sizes[NEEDED] = work.sizes[PAIRS_HELD] = 0
    work.sizes[ENTRIES_NEEDED] = work.sizes[GROUNDED] = 0
    links, pairs = state.links, state.pairs
    for at in range(work.sizes[BODIES]):
        i = work.body[at]
        row = state.first_pair[i]
        while row >= 0:
            after = next_pair(links, row, i)
            a = links[row, BODY_A]
            other = links[row, BODY_B] if a == i else a
            mine = model.tags[other, KIND] != FREE or (state.members[other, LOCAL] >= 0 and a == i)
            met = pairs[row, CHECKED] == t and pairs[row, GAP] <= ENVELOPE_AIM * pairs[row, PAIR_ENVELOPE]
            if mine and (met or links[row, PAIR_STATE] == PAIR_HELD):
                if links[row, PART] < 0 and not is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]):
                    _gather_springs(model, state, work, row, t)
            row = after


@kernel
def _gather_springs(model: Model, state: State, work: Work, row: int, t: float) -> None:
    """Rows for the points of pair `row`, which touches or has touched; if its gap has opened, it waits on the heap."""
    pairs = state.pairs
    touch = touch_in_group(model, state, work, row, t)
    measure_now(model, state, touch, t)
    if pairs[row, GAP] > CONTACT_REACH * pairs[row, PAIR_ENVELOPE]:
        change_state(model, state, row, t, GAP_OPENED)
        return
    if not _lay_springs(model, state, work, touch):
        return
    change_state(model, state, row, t, MET)
    work.pair[work.sizes[PAIRS_HELD]] = row
    work.sizes[PAIRS_HELD] += 1
    if touch.a.place < 0 or touch.b.place < 0:
        work.sizes[GROUNDED] = 1


@kernel
def _find_midway(model: Model, state: State, work: Work, t: float, h: float) -> None:
    """Rows for the points that pairs have in the middle of the step h from t on, where free flight takes the bodies.

    There their forces act, on both bodies at one point, so that they keep their momentum.
    """
    work.sizes[CONTACTS] = work.sizes[NEEDED] = 0
    for p in range(work.sizes[PAIRS_HELD]):
        row = work.pair[p]
        touch = touch_at(model, state, work, row, t + 0.5 * h)
        measure_pair(model, state, row, touch.a.x, touch.a.q, touch.b.x, touch.b.q, t + 0.5 * h)
        first = work.first[p] = work.sizes[CONTACTS]
        if _lay_springs(model, state, work, touch) and work.sizes[CONTACTS] == first + 1:
            _go_on(state.patches, work, first, row, h)


@kernel
def _go_on(patches: Floats, work: Work, k: int, row: int, h: float) -> None:
    """Let the only point of pair `row` begin the step h as deep as the last one left it, where that is about the same.

    How its depth changes goes by the normal of the middle. That turns as round bodies go round each other, which bends
    the way: by as much before as after the middle, but by another part of it where the step is longer than the last.
    """
    depth, _ = depths(work, k, h)
    left = patches[row, PATCH_DEPTH]
    if patches[row, PATCH_POINTS] == 1.0 and abs(left - depth) <= ACCURACY * depth:
        work.notes[k, GAP_AT] -= left - depth


@kernel
def _find_patch(model: Model, state: State, work: Work, touch: Touch, reach: float) -> tuple[int, Vec3]:
    """The springs of a measured pair, into work.points: how many, their normal."""
    links, row = state.links, touch.row
    pose_a, pose_b = pose_of(touch.a.x, touch.a.q), pose_of(touch.b.x, touch.b.q)
    return find_springs(
        model.geometry, model.topology, links[row, SHAPE_A], pose_a, links[row, SHAPE_B], pose_b,
        closest_points_of(state.pairs, row), reach, work.scratch, work.points,
    )  # fmt: skip


@kernel
def _lay_springs(model: Model, state: State, work: Work, touch: Touch) -> bool:
    """Rows for the points of a measured pair, as springs. Is there room for them?"""
    row, a, b = touch.row, touch.a.body, touch.b.body
    reach = max(CONTACT_REACH * state.pairs[row, PAIR_ENVELOPE], state.pairs[row, GAP])
    count, normal = _find_patch(model, state, work, touch, reach)
    work.sizes[NEEDED] += count
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return False
    stiffness = point_stiffness(model.settings, model.bodies, a, b)
    if touches_beside(model, state, touch):
        stiffness = 0.0  # the triangle beside bears it
    ratio = damping_ratio(state.pairs[row, PAIR_SURFACE + RESTITUTION])
    creep = creep_speed(model.settings, model.bodies, a, b)
    first = work.sizes[CONTACTS]
    load_points(work, state.pairs, touch, normal, count)
    for k in range(first, first + count):
        set_spring(work.contacts, work.notes, k, stiffness, work.points[k - first, SHARE], ratio, creep)
    return True
