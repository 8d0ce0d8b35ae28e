"""Warm start: impulses of the last step, by the nearest points, are where the search for this step's begins."""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.pair_table import other_of
from engine.group.bodies import centre_midway
from engine.group.work import (
    CONTACTS,
    COUPLE,
    IMPULSE_AT,
    JOINT_ROWS,
    NORMAL_AT,
    PAIRS_HELD,
    POINT,
    SLIDES,
    STATIC,
    TURNED,
    WARM,
    WARM_COUPLE,
    X_ACT,
    Work,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, dot, scale, sub, vector_at
from engine.model.model import FREE, KIND, LINKAGE, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    LOCAL,
    PATCH,
    PATCH_COUPLE,
    PATCH_FRICTION,
    PATCH_IMPULSE,
    PATCH_OFFSET,
    PATCH_POINTS,
    PATCH_STEP,
    PATCH_STRIDE,
    PATCH_TURNED,
    POSITION,
    State,
)


@kernel
def start_warm(
    contacts: Floats, notes: Floats, first: int, count: int, patches: Floats, row: int, centre: Vec3, time: float
) -> None:
    """Start the points first.. of pair `row` from what the nearest points of its last step bore, or would in `time`.

    centre: of the free body from which the patch's offsets are measured, where the new points have been found. Each old
    point serves one new point. The pair's couple of resistance is shared out by load.
    """
    old = int(patches[row, PATCH_POINTS])
    share = time / patches[row, PATCH_STEP] if patches[row, PATCH_STEP] > 0.0 else 1.0
    taken = 0
    for k in range(first, first + count):
        best, least = -1, inf
        arm = sub(vector_at(notes, k, POINT), centre)
        for j in range(old):
            if taken & (1 << j):
                continue
            at = PATCH + PATCH_STRIDE * j + PATCH_OFFSET
            away = 0.0
            for c in range(3):
                d = arm[c] - patches[row, at + c]
                away += d * d
            if away < least:
                best, least = j, away
        if best < 0:
            continue
        taken |= 1 << best
        at = PATCH + PATCH_STRIDE * best + PATCH_IMPULSE
        p = (share * patches[row, at], share * patches[row, at + 1], share * patches[row, at + 2])
        load = max(dot(p, vector_at(contacts, k, NORMAL_AT)), 0.0)
        p_1 = dot(p, vector_at(contacts, k, NORMAL_AT + 3))
        p_2 = dot(p, vector_at(contacts, k, NORMAL_AT + 6))
        # The normal has turned since: what was load may not become friction.
        most, size = contacts[k, STATIC] * load, sqrt(p_1 * p_1 + p_2 * p_2)
        less = most / size if size > most else 1.0
        notes[k, WARM], notes[k, WARM + 1], notes[k, WARM + 2] = load, less * p_1, less * p_2
        notes[k, TURNED] = patches[row, PATCH_TURNED] if load > 0.0 else 0.0
    load = 0.0
    for k in range(first, first + count):
        load += notes[k, WARM]
    couples = 0.0
    for c in range(3):
        couples += abs(patches[row, PATCH_COUPLE + c])
    if load > 0.0 and couples > 0.0:  # else they are zero as they are
        for k in range(first, first + count):
            for c in range(3):
                notes[k, WARM_COUPLE + c] = share * patches[row, PATCH_COUPLE + c] * notes[k, WARM] / load


@kernel
def store_pair(model: Model, state: State, work: Work, p: int, t: float, h: float) -> float:
    """Store what the points of pair p of a group bore in a step h from t on; their load [N s], -1 if it has none."""
    row, first = work.pair[p], work.first[p]
    last = work.first[p + 1] if p + 1 < work.sizes[PAIRS_HELD] else work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    if first == last:
        return -1.0
    centre = _acting_centre(model, state, work, row, t, h)
    return store_impulses(work, first, last - first, state.patches, row, centre, h)


@kernel
def patch_force(patches: Floats, row: int) -> Vec3:
    """What pair `row` bore in its last step, evenly, on a [N], world axes."""
    p = (0.0, 0.0, 0.0)
    for k in range(int(patches[row, PATCH_POINTS])):
        p = add(p, vector_at(patches, row, PATCH + PATCH_STRIDE * k + PATCH_IMPULSE))
    return scale(p, 1.0 / patches[row, PATCH_STEP]) if patches[row, PATCH_STEP] > 0.0 else p


@kernel
def patch_body(tags: Ints, links: Ints, row: int) -> int:
    """The body from whose centre the patch of pair `row` is measured: a, or b if a is not free."""
    a = links[row, BODY_A]
    return int(a if tags[a, KIND] == FREE else links[row, BODY_B])


@kernel
def patch_centre(model: Model, state: State, work: Work, row: int, column: int) -> Vec3:
    """Where it is at the step's start (column: X), or where free flight takes it to the middle (X_ACT)."""
    i = patch_body(model.tags, state.links, row)
    at = state.members[i, LOCAL]
    return vector_at(work.poses, at, column) if at >= 0 else vector_at(state.arcs, i, POSITION)


@kernel
def _acting_centre(model: Model, state: State, work: Work, row: int, t: float, h: float) -> Vec3:
    """Where it is to the points of the step h from t on. These are where free flight takes the bodies, which fall there
    from where contacts hold them: from a sleeper, too, that takes no part in the step.

    Of what joints tie they count as they are, beside where its arc is in the middle: what joints bear counts so, too.
    """
    first = patch_body(model.tags, state.links, row)
    i = first if state.members[first, LOCAL] >= 0 else other_of(state.links, row, first)
    at, tied = state.members[i, LOCAL], model.tags[i, LINKAGE] >= 0
    if first == i and not tied:
        return vector_at(work.poses, at, X_ACT)
    x = centre_midway(model, state, work, i, t, h)
    if first == i:
        return x
    centre = vector_at(state.arcs, first, POSITION)
    return centre if tied else add(centre, sub(vector_at(work.poses, at, X_ACT), x))


@kernel
def store_impulses(work: Work, first: int, count: int, patches: Floats, row: int, centre: Vec3, h: float) -> float:
    """Store what the points first.. of pair `row` bore in a step h, for the next one; the sum of their normal impulses
    [N s]."""
    contact, contacts, notes = work.contact, work.contacts, work.notes
    patches[row, PATCH_POINTS], patches[row, PATCH_STEP] = count, h
    patches[row, PATCH_FRICTION] = patches[row, PATCH_TURNED] = 0.0
    for c in range(3):
        patches[row, PATCH_COUPLE + c] = 0.0
    total = 0.0
    for j in range(count):
        k = first + j
        at = PATCH + PATCH_STRIDE * j
        total += contacts[k, IMPULSE_AT]
        if contacts[k, IMPULSE_AT] > 0.0:
            patches[row, PATCH_TURNED] = max(patches[row, PATCH_TURNED], notes[k, TURNED])
        if contact[k, SLIDES] == 1:
            patches[row, PATCH_FRICTION] = 1.0
        for c in range(3):
            patches[row, PATCH_COUPLE + c] += notes[k, COUPLE + c]
            patches[row, at + PATCH_OFFSET + c] = notes[k, POINT + c] - centre[c]
            p = 0.0
            for axis in range(3):
                p += contacts[k, IMPULSE_AT + axis] * contacts[k, NORMAL_AT + 3 * axis + c]
            patches[row, at + PATCH_IMPULSE + c] = p
    return total
