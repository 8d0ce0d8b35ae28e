"""How a linkage answers impulses, through its joint rows (Mirtich 1996, 5.3).

An impulse p at a point of one link changes the velocities of all of them,

    dv = M^-1 (J_p^T p + J^T x),      J M^-1 J^T x = -J M^-1 J_p^T p,

x being the impulses of the rows. Three test impulses give the collision matrix of a point, or of two points of one
linkage that touch each other (figure 5.9). It may be singular: what joints forbid no impulse moves (figure 5.12).

A linkage is loaded at a time; changes are written to its entries as if each were alone, and then spread.
"""

from __future__ import annotations

from engine.joints.rows import (
    factor_linkage,
    fill_rows,
    is_dynamic,
    load_masses,
    place_entry,
    prescribed_rate,
    row_rate,
    solve_rates,
)
from engine.joints.tables import (
    AIM,
    CHANGE,
    CHANGE_TURN,
    FLOW_INV_I,
    FLOW_INV_M,
    FLOW_V,
    LEVER_B,
    LINE,
    POSE,
    TAKEN,
    Linked,
)
from engine.kernel import kernel, linked_kernel
from engine.maths.rounding import EPSILON
from engine.maths.vectors import Vec3, add, cross, scale, sub, vector_at
from engine.model.joints import (
    ANGULAR,
    ENTRIES,
    ENTRY_A,
    ENTRY_B,
    ENTRY_BODY,
    FIRST_ENTRY,
    FIRST_JOINT,
    FIRST_ROW,
    JOINTS,
    LINEAR,
    LINKAGE_ROW,
    ROWS,
)
from engine.model.model import FREE, KIND, LINKAGE, Floats, Ints
from engine.model.state import STRUCK, STRUCK_TURN
from engine.motion.arcs import apply_twist, evolve

_EXACT = 4.0 * EPSILON  # of what the impulse alone would do to the joints: rounding


@kernel
def linkage_of(tags: Ints, i: int) -> int:
    """The linkage that body i moves with; -1: none, or body i does not move."""
    return tags[i, LINKAGE] if tags[i, KIND] == FREE else -1


@linked_kernel
def load_linkage(bodies: Floats, tags: Ints, arcs: Floats, linked: Linked, link: int, t: float) -> None:
    """Entries, rows and matrix of a linkage as it is at time t."""
    joints, flow, rows = linked.joints, linked.flow, linked.rows
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        place_entry(bodies, tags, arcs, joints, flow, e, t)
    load_masses(bodies, joints, flow, link)
    fill_rows(joints, flow, rows, link)
    begin = joints.linkages[link, LINKAGE_ROW]
    for r in range(begin, begin + joints.linkages[link, ROWS]):
        rows[r, AIM] = 0.0
    factor_linkage(joints, flow, rows, linked.values, link)


@kernel
def clear_changes(linked: Linked, link: int) -> None:
    """Nothing changes the velocities of a linkage yet."""
    first = linked.joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + linked.joints.linkages[link, ENTRIES]):
        for k in range(6):
            linked.flow[e, CHANGE + k] = 0.0


@kernel
def push_entry(linked: Linked, e: int, p: Vec3, couple: Vec3) -> None:
    """An impulse p [N s] through the centre of mass of entry e, and a couple [N m s], change it as if it were alone."""
    flow = linked.flow
    for k in range(3):
        at = FLOW_INV_I + 3 * k
        flow[e, CHANGE + k] += flow[e, FLOW_INV_M] * p[k]
        flow[e, CHANGE_TURN + k] += flow[e, at] * couple[0] + flow[e, at + 1] * couple[1] + flow[e, at + 2] * couple[2]


@linked_kernel
def spread_changes(linked: Linked, link: int) -> None:
    """What changes single entries of a linkage becomes what it does to all of them."""
    solve_rates(linked.joints, linked.flow, linked.rows, linked.values, link, CHANGE, _EXACT)


@kernel
def change_at(linked: Linked, e: int, r: Vec3) -> Vec3:
    """By how much the velocity of the point at r of entry e changes [m/s]."""
    return add(vector_at(linked.flow, e, CHANGE), cross(vector_at(linked.flow, e, CHANGE_TURN), r))


@kernel
def test_impulse(linked: Linked, link: int, e: int, r: Vec3, other: int, r_other: Vec3, p: Vec3) -> Vec3:
    """What the impulse p at the point r of entry e changes the velocity of that point by.

    other: an entry of the same linkage that takes -p at its point; then of that velocity less the other's. -1: none.
    """
    clear_changes(linked, link)
    push_entry(linked, e, p, cross(r, p))
    if other >= 0:
        back = (-p[0], -p[1], -p[2])
        push_entry(linked, other, back, cross(r_other, back))
    spread_changes(linked, link)
    change = change_at(linked, e, r)
    return sub(change, change_at(linked, other, r_other)) if other >= 0 else change


@kernel
def joint_work(linked: Linked, link: int) -> tuple[float, float]:
    """What the joints of a linkage have done by their impulses of the last spread [J].

    That is what kinematic bodies put in, and what comes of joints that were not quite closed in speed.
    """
    joints, flow, rows = linked.joints, linked.flow, linked.rows
    put_in = came = 0.0
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        a, b, row = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B], joints.joints[j, FIRST_ROW]
        for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
            put_in -= rows[r, TAKEN] * prescribed_rate(flow, rows, r, a, b)
            came += rows[r, TAKEN] * row_rate(flow, rows, r, a, b, FLOW_V)
    return put_in, came


@kernel
def note_struck(bearing: Floats, linked: Linked, link: int) -> None:
    """Add what the joints of a linkage bore in the last spread to what hits have given them; rows of State.bearing."""
    joints, flow, rows = linked.joints, linked.flow, linked.rows
    first = joints.linkages[link, FIRST_JOINT]
    for j in range(first, first + joints.linkages[link, JOINTS]):
        b, row = joints.joints[j, ENTRY_B], joints.joints[j, FIRST_ROW]
        for r in range(row, row + joints.joints[j, LINEAR] + joints.joints[j, ANGULAR]):
            p = scale(vector_at(rows, r, LINE), rows[r, TAKEN])
            orbital = cross(vector_at(flow, b, POSE), p)
            for k in range(3):
                bearing[j, STRUCK + k] += p[k]
                bearing[j, STRUCK_TURN + k] += rows[r, TAKEN] * rows[r, LEVER_B + k] + orbital[k]


@kernel
def strike_linkage(bodies: Floats, tags: Ints, arcs: Floats, linked: Linked, link: int, t: float) -> None:
    """New arcs of all bodies of a linkage from t on, changed by what has just been spread."""
    first = linked.joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + linked.joints.linkages[link, ENTRIES]):
        if is_dynamic(tags, linked.joints, e):
            i = linked.joints.entries[e, ENTRY_BODY]
            motion = evolve(bodies, tags, arcs, i, t)
            dv, dw = vector_at(linked.flow, e, CHANGE), vector_at(linked.flow, e, CHANGE_TURN)
            apply_twist(bodies, arcs, i, motion, dv, dw, t)
