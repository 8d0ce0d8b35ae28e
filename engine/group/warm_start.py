"""Warm start: impulses of the last step, by the nearest points, are where the search for this step's begins."""

from __future__ import annotations

from math import inf, sqrt

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
    Work,
    X,
)
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, dot, scale, sub, vector_at
from engine.model.model import FREE, KIND, Floats, Model
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

    centre: of the free body from which the patch's offsets are measured. Each old point serves one new point. The
    pair's couple of resistance is shared out by load.
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
def store_pair(model: Model, state: State, work: Work, p: int, h: float) -> float:
    """Store what the points of pair p of a group bore in a step h; their load [N s], -1 if it has none."""
    row, first = work.pair[p], work.first[p]
    last = work.first[p + 1] if p + 1 < work.sizes[PAIRS_HELD] else work.sizes[CONTACTS] - work.sizes[JOINT_ROWS]
    if first == last:
        return -1.0
    return store_impulses(work, first, last - first, state.patches, row, patch_centre(model, state, work, row), h)


@kernel
def patch_force(patches: Floats, row: int) -> Vec3:
    """What pair `row` bore in its last step, evenly, on a [N], world axes."""
    p = (0.0, 0.0, 0.0)
    for k in range(int(patches[row, PATCH_POINTS])):
        p = add(p, vector_at(patches, row, PATCH + PATCH_STRIDE * k + PATCH_IMPULSE))
    return scale(p, 1.0 / patches[row, PATCH_STEP]) if patches[row, PATCH_STEP] > 0.0 else p


@kernel
def patch_centre(model: Model, state: State, work: Work, row: int) -> Vec3:
    """Where the body is at the step's start from which the patch of pair `row` is measured: the first free one."""
    i = state.links[row, BODY_A]
    if model.tags[i, KIND] != FREE:
        i = state.links[row, BODY_B]
    at = state.members[i, LOCAL]
    return vector_at(work.poses, at, X) if at >= 0 else vector_at(state.arcs, i, POSITION)


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
