"""The penalty method, for comparison: bodies overlap while they touch, and are pushed apart the more the deeper.

    gather      bodies, the pairs between them and with what does not answer, the points at which they touch or nearly
    press       springs, dashpots and friction over a step that is short against all periods (engine.penalty.springs)
    commit      held arcs, what the contacts bore, what their springs hold, groups that have come apart

A pair joins when its gap falls below half the envelope, whatever its speed: no collision is ever resolved. It leaves
when its gap has opened. Nothing here keeps gaps positive or energy from drifting, and nothing sleeps. That is the point
of it: Baraff 1992 shows that the motion goes over into the right one as the springs stiffen (section 7.1), and what it
costs till there: a wrong release where a spring would have to pull (section 7.2), steps that shrink as the stiffness
grows (section 2.4, equation 2-7), and creep under friction (section 14.2.2, equation 14-12). What is fast passes
through what is thin: a spring stops a body of speed v after v / omega of way, and no sooner.

What goes into the springs is booked as elastic energy; what dashpots and friction take, and what the steps themselves
add or lose, as dissipated.
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.manifold import find_manifold
from engine.collision.pair_table import next_pair
from engine.collision.pairs.checks import check_now
from engine.collision.pairs.hull_pairs import is_guard, is_nearer_beside
from engine.group.commit import commit_step
from engine.group.contacts import gather_bodies, measure_pair, take_off_heap
from engine.group.islands import book_body, book_work
from engine.group.load import load_point
from engine.group.solve.impulses import free_velocities
from engine.group.step import NO_ROOM, STEPPED, is_roomy
from engine.group.trial import place_at_end
from engine.group.work import (
    BODIES,
    CONTACTS,
    ENTRIES_NEEDED,
    LINK_WORK,
    NEEDED,
    SIDE_A,
    SIDE_B,
    Work,
)
from engine.kernel import inlined_kernel, kernel, linked_kernel
from engine.maths.vectors import add, cross, scale, sub, vector_at
from engine.model.model import FREE, KIND, LONGEST_STEP, RESTITUTION, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    CHECKED,
    DISSIPATED,
    ELASTIC,
    ELASTIC_POWER,
    FEATURE_A,
    FEATURE_B,
    GAP,
    GROUP_STEPS,
    IDLE,
    LASTING,
    LEADER,
    LOCAL,
    NORMAL,
    PAIR_ENVELOPE,
    PAIR_SURFACE,
    PART,
    PATCH_POINTS,
    POINT_A,
    POINT_B,
    SHAPE_A,
    SHAPE_B,
    State,
)
from engine.motion.arcs import evolve
from engine.penalty.springs import (
    STORED,
    STORED_END,
    brake,
    creep_speed,
    damp,
    damping_ratio,
    longest_step,
    note_stored,
    point_stiffness,
    press,
    rub,
    set_spring,
)
from engine.tolerances import CONTACT_REACH, ENVELOPE_AIM


@linked_kernel
def step_penalty(model: Model, state: State, work: Work, leader: int, t: float) -> int:
    """Make a step of the group of `leader` from t on. NO_ROOM: nothing has happened, `work` has too few rows.

    Leaves in work.body the bodies that were in the group, and in work.look those whose other pairs must be looked at.
    """
    _gather(model, state, work, leader, t)
    outcome = NO_ROOM
    if is_roomy(work):
        _make_step(model, state, work, leader, t)
        outcome = STEPPED
    for at in range(work.sizes[BODIES]):
        state.members[work.body[at], LOCAL] = -1
    return outcome


@inlined_kernel
def _make_step(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    state.counts[GROUP_STEPS] += 1
    book_work(state.groups, state.clock, leader, t)
    for at in range(work.sizes[BODIES]):
        book_body(model.bodies, model.tags, state.arcs, state.groups, state.clock, work.body[at], t)
    h = longest_step(work, model.settings[LONGEST_STEP])
    for at in range(work.sizes[BODIES]):
        free_velocities(model.bodies, work.bodies, work.body[at], at, h)
    press(work, h)
    damp(work)
    rub(work)
    brake(work)
    note_stored(work, h)
    for at in range(work.sizes[BODIES]):
        place_at_end(work.bodies, at, h)
    stored = state.groups[leader, ELASTIC]
    for at in range(work.sizes[BODIES]):
        state.groups[work.body[at], ELASTIC] = 0.0
        state.groups[work.body[at], ELASTIC_POWER] = 0.0
    work.link[LINK_WORK] = 0.0
    commit_step(model, state, work, t, h, t, -inf, 0.0)
    state.clock[DISSIPATED] += stored - _book_springs(state, work, h)


@kernel
def _book_springs(state: State, work: Work, h: float) -> float:
    """Give every group the energy of its springs, and what flows into them in the step h; their sum now [J]."""
    total = 0.0
    for k in range(work.sizes[CONTACTS]):
        side = work.contact[k, SIDE_A] if work.contact[k, SIDE_A] >= 0 else work.contact[k, SIDE_B]
        leader = state.members[work.body[side], LEADER]
        now = work.contacts[k, STORED]
        state.groups[leader, ELASTIC] += now
        state.groups[leader, ELASTIC_POWER] += (work.contacts[k, STORED_END] - now) / h
        total += now
    return total


@inlined_kernel
def _gather(model: Model, state: State, work: Work, leader: int, t: float) -> None:
    """Bodies and contacts of the group of `leader` at time t. work.sizes[NEEDED] tells how many rows they take."""
    gather_bodies(model, state, work, leader, t)
    work.sizes[CONTACTS] = 0
    work.sizes[NEEDED] = 0
    work.sizes[ENTRIES_NEEDED] = 0
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
            if mine and (met or links[row, LASTING] == 1):
                if links[row, PART] < 0 and not is_guard(model.trees, links[row, SHAPE_A], links[row, SHAPE_B]):
                    _gather_pair(model, state, work, row, t)
            row = after


@kernel
def _gather_pair(model: Model, state: State, work: Work, row: int, t: float) -> None:
    """Rows for the points of pair `row`, which touches or has touched; if its gap has opened, it waits on the heap."""
    links, pairs, bodies, tags = state.links, state.pairs, model.bodies, model.tags
    a, b = links[row, BODY_A], links[row, BODY_B]
    side_a = state.members[a, LOCAL] if tags[a, KIND] == FREE else -1
    side_b = state.members[b, LOCAL] if tags[b, KIND] == FREE else -1
    x_a, q_a, v_a, w_a = evolve(bodies, tags, state.arcs, a, t)
    x_b, q_b, v_b, w_b = evolve(bodies, tags, state.arcs, b, t)
    if pairs[row, CHECKED] != t:
        measure_pair(model, state, row, x_a, q_a, x_b, q_b, t)
    reach = CONTACT_REACH * pairs[row, PAIR_ENVELOPE]
    if pairs[row, GAP] > reach:
        links[row, LASTING] = 0
        state.patches[row, PATCH_POINTS] = 0.0
        check_now(model, state, row, t)
        return
    normal = vector_at(pairs, row, NORMAL)
    count, n = find_manifold(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        (x_a[0], x_a[1], x_a[2], q_a[0], q_a[1], q_a[2], q_a[3]),
        links[row, SHAPE_B],
        (x_b[0], x_b[1], x_b[2], q_b[0], q_b[1], q_b[2], q_b[3]),
        normal,
        vector_at(pairs, row, POINT_A),
        vector_at(pairs, row, POINT_B),
        reach,
        work.scratch,
        work.points,
    )
    first = work.sizes[CONTACTS]
    work.sizes[NEEDED] += count
    if work.sizes[NEEDED] > work.contact.shape[0]:
        return
    if links[row, LASTING] == 0:
        links[row, LASTING] = 1
        links[row, IDLE] = 0
        state.patches[row, PATCH_POINTS] = 0.0
        take_off_heap(model, state, row)
    stiffness = point_stiffness(model.settings, bodies, a, b)
    down = scale(normal, -1.0)
    if is_nearer_beside(model.trees, model.fans, links[row, SHAPE_A], links[row, FEATURE_A], q_a, down) or (
        is_nearer_beside(model.trees, model.fans, links[row, SHAPE_B], links[row, FEATURE_B], q_b, normal)
    ):
        stiffness = 0.0  # the triangle beside bears it
    ratio = damping_ratio(pairs[row, PAIR_SURFACE + RESTITUTION])
    creep = creep_speed(model.settings, bodies, a, b)
    turn = w_a if side_a < 0 else (scale(w_b, -1.0) if side_b < 0 else (0.0, 0.0, 0.0))
    for k in range(count):
        p = vector_at(work.points, k, 0)
        given = (0.0, 0.0, 0.0)
        if side_a < 0:
            given = add(v_a, cross(w_a, sub(p, x_a)))
        elif side_b < 0:
            given = scale(add(v_b, cross(w_b, sub(p, x_b))), -1.0)
        load_point(
            work.bodies, work.contact, work.contacts, first + k, row, side_a, side_b, x_a, x_b, n, work.points, k,
            given, turn, pairs,
        )  # fmt: skip
        set_spring(work.contacts, first + k, stiffness, ratio, creep)
    work.sizes[CONTACTS] += count
