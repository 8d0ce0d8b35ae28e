"""Points that the middle of a busy group's step finds and that its start had not seen.

Bodies that turn come to touch with other corners and edges than those that were nearest. A step ends where such a point
comes in, and of thousands of bodies some have one at every moment. So a busy group, which resolves its hits in its own
time, takes these points up at its start: where they were then on their bodies, and as far apart.
"""

from __future__ import annotations

from engine.group.contact_points import load_point
from engine.group.end_gaps import least_within
from engine.group.measure import Partner, Touch, touch_in_group
from engine.group.midway import recall_start, time_of_meeting, touch_at
from engine.group.work import (
    ENVELOPE_AT,
    GAP_AT,
    MET,
    MET_GAP,
    MET_NORMAL,
    MET_POINT,
    NORMAL_AT,
    PAIRS_HELD,
    POINT,
    U_START,
    Work,
)
from engine.kernel import kernel
from engine.maths.quaternions import rotate, rotate_inverse
from engine.maths.vectors import Vec3, add, add_scaled, scale, sub, vector_at
from engine.model.model import Floats, Model
from engine.model.state import State


@kernel
def note_met(model: Model, state: State, work: Work, t: float, h: float) -> bool:
    """List the points that come in in a step h from t on, found in its middle. Are there any, and is there room?"""
    before = work.sizes[MET]
    for p in range(work.sizes[PAIRS_HELD]):
        if work.still[p] == 1:
            continue
        for k in range(work.first[p], work.first[p] + work.many[p]):
            then, _ = recall_start(model.bodies, work, k, work.begun[p], work.begun[p + 1])
            if then < 0 and _comes_in(work, k, h):
                if work.sizes[MET] == work.met.shape[0]:
                    return False
                _note_point(model, state, work, work.pair[p], k, t, h)
    return work.sizes[MET] > before


@kernel
def _comes_in(work: Work, k: int, h: float) -> bool:
    """Does point k, unseen at the start, come too near in the step, if slowed down evenly or as its band allows?"""
    gap, u = work.notes[k, GAP_AT], work.notes[k, U_START]
    sinks = u < 0.0 and gap + 0.5 * h * u < least_within(work.notes[k, ENVELOPE_AT], gap)
    return sinks or time_of_meeting(work, k, h) < h


@kernel
def _note_point(model: Model, state: State, work: Work, row: int, k: int, t: float, h: float) -> None:
    """List point k, of pair `row`, as it was at the step's start."""
    then, now = touch_in_group(model, state, work, row, t), touch_at(model, state, work, row, t + 0.5 * h)
    p, normal, place = vector_at(work.notes, k, POINT), vector_at(work.contacts, k, NORMAL_AT), work.sizes[MET]
    gap = work.notes[k, GAP_AT]
    if now.b.place < 0:  # it is on a, see load_point
        p = add_scaled(_carry_back(then.a, now.a, p), normal, -0.5 * gap)
    elif now.a.place < 0:
        p = add_scaled(_carry_back(then.b, now.b, p), normal, 0.5 * gap)
    else:
        p = scale(add(_carry_back(then.a, now.a, p), _carry_back(then.b, now.b, p)), 0.5)
    for c in range(3):
        work.met[place, MET_POINT + c], work.met[place, MET_NORMAL + c] = p[c], normal[c]
    work.met[place, MET_GAP] = gap
    work.met_pair[place] = row
    work.sizes[MET] = place + 1


@kernel
def _carry_back(then: Partner, now: Partner, p: Vec3) -> Vec3:
    """Where the point p of a body was before."""
    return add(then.x, rotate(then.q, rotate_inverse(now.q, sub(p, now.x))))


@kernel
def count_met(work: Work, row: int) -> int:
    """How many points of pair `row` are listed."""
    count = 0
    for place in range(work.sizes[MET]):
        if work.met_pair[place] == row:
            count += 1
    return count


@kernel
def load_met(work: Work, pairs: Floats, touch: Touch, first: int) -> None:
    """Rows for them, from `first` on."""
    k = first
    for place in range(work.sizes[MET]):
        if work.met_pair[place] == touch.row:
            point, normal = vector_at(work.met, place, MET_POINT), vector_at(work.met, place, MET_NORMAL)
            load_point(work, pairs, k, touch, normal, point, work.met[place, MET_GAP])
            k += 1
