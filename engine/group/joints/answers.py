"""What linkages answer to impulses at the contact points of their group's step.

An impulse at a point of one link changes the velocities of all of them (Mirtich 1996, 5.3). That is found once a step,
by a test impulse along each axis of the point, so that no update of it in a sweep leaves a joint open:

    dv = M^-1 (J_k^T p - J^T (J M^-1 J^T)^-1 J M^-1 J_k^T p),

J_k being the rows of the point and J those of the joints; trees answer by their articulated inertias, which takes a
fifth of the time. The point's own block D = J_k dv follows. What joints forbid no impulse moves: there D is that of the
link alone, which changes nothing but how far a sweep goes where nothing moves.
"""

from __future__ import annotations

from math import sqrt

from engine.group.contact_points import invert_block
from engine.group.joints.tree_answers import answer_as_tree, weigh_tree_at
from engine.group.relative_velocity import apply_to
from engine.group.room import correction_rows
from engine.group.work import (
    ANSWER,
    ANSWERS_EACH,
    ANSWERS_NEEDED,
    ARM_A,
    ARM_B,
    CONTACTS,
    COUPLE,
    D_MAX,
    D_NN,
    D_TT,
    FORCE,
    IMPULSE_AT,
    INV_I,
    INV_INERTIA,
    INV_M,
    JOINT_ROWS,
    LINK_A,
    LINK_B,
    LINKAGES,
    NORMAL_AT,
    NORMAL_MASS,
    PAIRS_HELD,
    ROLLING_LEVER,
    SIDE_A,
    SIDE_B,
    SPIN_A,
    SPIN_B,
    SPINNING_LEVER,
    TORQUE,
    V_APPLIED,
    V_END,
    WHOLE_MASS,
    Work,
)
from engine.joints.response import clear_changes, joint_work, push_entry, spread_changes
from engine.joints.rows import is_tree
from engine.joints.tables import CHANGE, Linked
from engine.kernel import kernel
from engine.maths.rounding import SINE
from engine.maths.vectors import Vec3, add_scaled, dot, scale, vector_at
from engine.model.joints import ENTRIES, FIRST_ENTRY, Joints
from engine.model.model import ENTRY, LINKAGE, Floats, Ints
from engine.tree.dynamics import clear_loads
from engine.tree.impulses import push_link

_FORBIDDEN = SINE  # of what moves where nothing is tied: less is the rounding of what joints forbid


@kernel
def note_ties(tags: Ints, joints: Joints, work: Work, first: int, last: int) -> None:
    """Places for the answers at points first .. last - 1; work.sizes[ANSWERS_NEEDED]: how many rows they all take."""
    contact = work.contact
    row = 0
    if first > 0:
        before = first - 1
        row = contact[before, ANSWER] + contact[before, ANSWERS_EACH] * _entries(joints, contact, before)
    for k in range(first, last):
        a, b = contact[k, SIDE_A], contact[k, SIDE_B]
        contact[k, LINK_A] = tags[work.body[a], LINKAGE] if a >= 0 else -1
        contact[k, LINK_B] = tags[work.body[b], LINKAGE] if b >= 0 else -1
        resists = work.contacts[k, ROLLING_LEVER] > 0.0 or work.contacts[k, SPINNING_LEVER] > 0.0
        along = work.sizes[CONTACTS] - work.sizes[JOINT_ROWS] <= k < work.sizes[CONTACTS]  # a joint alone
        contact[k, ANSWER], contact[k, ANSWERS_EACH] = row, 1 if along else (6 if resists else 3)
        row += contact[k, ANSWERS_EACH] * _entries(joints, contact, k)
    if first == 0:
        widest = 0
        for n in range(work.sizes[LINKAGES]):
            widest = max(widest, joints.linkages[work.linkage[n], ENTRIES])
        row += 12 * widest * correction_rows(work.sizes[PAIRS_HELD])
        work.sizes[ANSWERS_NEEDED] = row


@kernel
def _entries(joints: Joints, contact: Ints, k: int) -> int:
    """How many entries answer an impulse at point k."""
    one, other = contact[k, LINK_A], contact[k, LINK_B]
    count = joints.linkages[one, ENTRIES] if one >= 0 else 0
    return count + (joints.linkages[other, ENTRIES] if other >= 0 and other != one else 0)


@kernel
def find_answers(bodies: Floats, tags: Ints, joints: Joints, work: Work, first: int, last: int) -> None:
    """What linkages answer at points first .. last - 1, which have places for that, by joint rows as they are filled;
    the points' own blocks."""
    linked = Linked(joints, work.flow, work.rows, work.values)
    for n in range(work.sizes[LINKAGES]):
        if is_tree(tags, joints, work.linkage[n]):
            weigh_tree_at(bodies, joints, work, work.linkage[n])
    for k in range(first, last):
        row, each = work.contact[k, ANSWER], work.contact[k, ANSWERS_EACH]
        for block in range(2 * each):
            side, axis = block // each, block % each
            link = _link_of(work.contact, k, side)
            if link < 0:
                continue
            by_tree = is_tree(tags, joints, link)
            clear_changes(linked, link)
            if by_tree:
                clear_loads(joints.trees, work.limbs, link)
            for end in range(2):
                if work.contact[k, LINK_A if end == 0 else LINK_B] == link:
                    p, couple = _test_impulse(work.contacts, k, end, axis)
                    at = work.contact[k, SIDE_A if end == 0 else SIDE_B]
                    if by_tree:
                        push_link(joints.trees, work.limbs, link, tags[work.body[at], ENTRY], p, couple)
                    else:
                        push_entry(linked, tags[work.body[at], ENTRY], p, couple)
            if by_tree:
                answer_as_tree(joints.trees, work, link)
            else:
                spread_changes(linked, link)
            begin = joints.linkages[link, FIRST_ENTRY]
            count = joints.linkages[link, ENTRIES]
            for e in range(count):
                for c in range(6):
                    work.answers[row + e * each + axis, c] = work.flow[begin + e, CHANGE + c]
            row += each * count if axis == each - 1 else 0
        if each == 1:
            _weigh_row(tags, joints, work, k)
        elif work.contact[k, LINK_A] >= 0 or work.contact[k, LINK_B] >= 0:
            _weigh_point(tags, joints, work, k)


@kernel
def apply_tied_loads(tags: Ints, joints: Joints, work: Work, h: float) -> None:
    """What is applied to links through the step h acts where impulses do, on all that is tied to them. Trees have been
    weighed there."""
    linked = Linked(joints, work.flow, work.rows, work.values)
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if not _is_loaded(joints, work, link):
            continue
        by_tree = is_tree(tags, joints, link)
        clear_changes(linked, link)
        if by_tree:
            clear_loads(joints.trees, work.limbs, link)
        _push_by_loads(joints, work, link, h, by_tree)
        if by_tree:
            answer_as_tree(joints.trees, work, link)
        else:
            spread_changes(linked, link)
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            at = work.tied[e]
            for c in range(6 if at >= 0 else 0):
                work.twists[at, V_APPLIED + c] = work.flow[e, CHANGE + c]
                work.twists[at, V_END + c] += work.flow[e, CHANGE + c]


@kernel
def _is_loaded(joints: Joints, work: Work, link: int) -> bool:
    """Is anything applied to a linkage?"""
    none = (0.0, 0.0, 0.0)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        at = work.tied[e]
        if at >= 0 and (vector_at(work.poses, at, FORCE) != none or vector_at(work.poses, at, TORQUE) != none):
            return True
    return False


@kernel
def _push_by_loads(joints: Joints, work: Work, link: int, h: float, by_tree: bool) -> None:
    """Give the entries of a linkage, a tree or not, what is applied to them through the step h."""
    linked = Linked(joints, work.flow, work.rows, work.values)
    first = joints.linkages[link, FIRST_ENTRY]
    for e in range(first, first + joints.linkages[link, ENTRIES]):
        at = work.tied[e]
        if at < 0:
            continue
        p, couple = scale(vector_at(work.poses, at, FORCE), h), scale(vector_at(work.poses, at, TORQUE), h)
        if p == (0.0, 0.0, 0.0) and couple == (0.0, 0.0, 0.0):
            continue
        if by_tree:
            push_link(joints.trees, work.limbs, link, e, p, couple)
        else:
            push_entry(linked, e, p, couple)


@kernel
def _link_of(contact: Ints, k: int, side: int) -> int:
    """The linkage whose answers stand first (side 0) or second at point k; -1: there is none."""
    one, other = contact[k, LINK_A], contact[k, LINK_B]
    if side == 0:
        return one
    return other if other != one else -1


@kernel
def _test_impulse(contacts: Floats, k: int, end: int, axis: int) -> tuple[Vec3, Vec3]:
    """A unit impulse along an axis of point k on body a (end 0), or its reverse on b, and its couple about the centre.

    From axis 3 on: a unit couple about an axis of the world.
    """
    sign = 1.0 if end == 0 else -1.0
    if axis < 3:
        p = scale(vector_at(contacts, k, NORMAL_AT + 3 * axis), sign)
        return p, scale(vector_at(contacts, k, (ARM_A if end == 0 else ARM_B) + 3 * axis), sign)
    return (0.0, 0.0, 0.0), (
        sign if axis == 3 else 0.0,
        sign if axis == 4 else 0.0,
        sign if axis == 5 else 0.0,
    )


@kernel
def _answer_of(tags: Ints, joints: Joints, work: Work, k: int, end: int, axis: int) -> tuple[Vec3, Vec3]:
    """Changes of velocity and turning of one end's body by a unit impulse at point k, or couple, with its reverse."""
    contact, twists = work.contact, work.twists
    at = contact[k, SIDE_A if end == 0 else SIDE_B]
    link = contact[k, LINK_A if end == 0 else LINK_B]
    if at < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if link < 0:
        sign = 1.0 if end == 0 else -1.0
        if axis < 3:
            v = scale(vector_at(work.contacts, k, NORMAL_AT + 3 * axis), sign * twists[at, INV_M])
            return v, scale(vector_at(work.contacts, k, (SPIN_A if end == 0 else SPIN_B) + 3 * axis), sign)
        return (0.0, 0.0, 0.0), scale(vector_at(twists, at, INV_I + 3 * (axis - 3)), sign)
    each = contact[k, ANSWERS_EACH]
    row = contact[k, ANSWER]
    if end == 1 and contact[k, LINK_A] >= 0 and contact[k, LINK_A] != link:
        row += each * joints.linkages[contact[k, LINK_A], ENTRIES]
    row += each * (tags[work.body[at], ENTRY] - joints.linkages[link, FIRST_ENTRY]) + axis
    return vector_at(work.answers, row, 0), vector_at(work.answers, row, 3)


@kernel
def _weigh_point(tags: Ints, joints: Joints, work: Work, k: int) -> None:
    """The block D of point k, by what it answers, in the place of that of bodies that are alone."""
    contacts = work.contacts
    alone = contacts[k, D_NN] + contacts[k, D_TT] + contacts[k, D_TT + 2]
    d = contacts[k]
    for c in range(6):
        d[D_NN + c] = 0.0
    for end in range(2):
        sign, arm = (1.0, ARM_A) if end == 0 else (-1.0, ARM_B)
        for axis in range(3):
            v, w = _answer_of(tags, joints, work, k, end, axis)
            for other in range(axis + 1):
                u = 0.0
                for c in range(3):
                    u += d[NORMAL_AT + 3 * other + c] * v[c] + d[arm + 3 * other + c] * w[c]
                d[D_NN + (0 if axis == 0 else (axis if other == 0 else axis + other + 1))] += sign * u
    least = _FORBIDDEN * alone
    regular = d[D_NN] >= least
    if not regular:
        d[D_NN] = alone
    d_11, d_12, d_22 = d[D_TT], d[D_TT + 1], d[D_TT + 2]
    spread = sqrt(0.25 * (d_11 - d_22) * (d_11 - d_22) + d_12 * d_12)
    low, high = 0.5 * (d_11 + d_22) - spread, 0.5 * (d_11 + d_22) + spread
    if high < least:
        d[D_TT] = d[D_TT + 2] = high = alone
        d[D_TT + 1] = 0.0
    elif low < least:  # only one direction is free
        d[D_TT] = d[D_TT + 2] = high
        d[D_TT + 1] = 0.0
    d[D_MAX] = high
    invert_block(contacts, k)
    # Of what joints forbid the block knows its normal and its tangential part alone.
    if not (regular and low >= least and 0.0 < least * d[WHOLE_MASS] < 1.0):
        d[WHOLE_MASS] = 0.0
    if work.contact[k, ANSWERS_EACH] == 6:
        _weigh_turning(tags, joints, work, k)


@kernel
def _weigh_row(tags: Ints, joints: Joints, work: Work, k: int) -> None:
    """What an impulse of joint row k changes its speed by, by what it answers, in place of that of bodies."""
    contacts = work.contacts
    total = 0.0
    for end in range(2):
        sign, arm = (1.0, ARM_A) if end == 0 else (-1.0, ARM_B)
        v, w = _answer_of(tags, joints, work, k, end, 0)
        total += sign * (dot(vector_at(contacts, k, NORMAL_AT), v) + dot(vector_at(contacts, k, arm), w))
    if total > _FORBIDDEN * contacts[k, D_NN]:
        contacts[k, D_NN], contacts[k, NORMAL_MASS] = total, 1.0 / total


@kernel
def _weigh_turning(tags: Ints, joints: Joints, work: Work, k: int) -> None:
    """What a couple at point k changes the relative turning by at most."""
    total = 0.0
    for axis in range(3):
        _, one = _answer_of(tags, joints, work, k, 0, 3 + axis)
        _, other = _answer_of(tags, joints, work, k, 1, 3 + axis)
        total += one[axis] - other[axis]
    if total > _FORBIDDEN * work.notes[k, INV_INERTIA]:
        work.notes[k, INV_INERTIA] = total


@kernel
def apply_tied(joints: Joints, work: Work, k: int, p_n: float, p_1: float, p_2: float, v: int) -> None:
    """Change the velocities of all that an impulse [N s] in point k's frame reaches, from column v on."""
    twists, contact, contacts = work.twists, work.contact, work.contacts
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if a >= 0 and contact[k, LINK_A] < 0:
        apply_to(twists, a, contacts, k, p_n, p_1, p_2, v, SPIN_A)
    if b >= 0 and contact[k, LINK_B] < 0:
        apply_to(twists, b, contacts, k, -p_n, -p_1, -p_2, v, SPIN_B)
    _apply_answers(joints, work, k, 0, (p_n, p_1, p_2), v)


@kernel
def apply_tied_couple(joints: Joints, work: Work, k: int, couple: Vec3, v: int) -> None:
    """The same of a couple impulse [N m s] (world) on a, and its reverse on b."""
    contact, twists = work.contact, work.twists
    for end in range(2):
        at = contact[k, SIDE_A if end == 0 else SIDE_B]
        sign = 1.0 if end == 0 else -1.0
        if at >= 0 and contact[k, LINK_A if end == 0 else LINK_B] < 0:
            for r in range(3):
                for c in range(3):
                    twists[at, v + 3 + r] += sign * twists[at, INV_I + 3 * r + c] * couple[c]
    _apply_answers(joints, work, k, 3, couple, v)


@kernel
def _apply_answers(joints: Joints, work: Work, k: int, axis: int, p: Vec3, v: int) -> None:
    twists, answers = work.twists, work.answers
    row, each = work.contact[k, ANSWER] + axis, work.contact[k, ANSWERS_EACH]
    for side in range(2):
        link = _link_of(work.contact, k, side)
        if link < 0:
            continue
        first = joints.linkages[link, FIRST_ENTRY]
        for e in range(first, first + joints.linkages[link, ENTRIES]):
            at = work.tied[e]
            if at >= 0 and each == 1:
                for c in range(6):
                    twists[at, v + c] += p[0] * answers[row, c]
            elif at >= 0:
                for c in range(6):
                    twists[at, v + c] += (
                        p[0] * answers[row, c] + p[1] * answers[row + 1, c] + p[2] * answers[row + 2, c]
                    )
            row += each


@kernel
def bear_impulses(tags: Ints, joints: Joints, work: Work, link: int, h: float) -> float:
    """What the joints of a linkage bear of all impulses at the group's contact points, and of what is applied through
    its step h, into its rows (TAKEN).

    The work [J] that kinematic bodies put in by that.
    """
    linked = Linked(joints, work.flow, work.rows, work.values)
    contact, contacts = work.contact, work.contacts
    clear_changes(linked, link)
    _push_by_loads(joints, work, link, h, False)
    for k in range(work.sizes[CONTACTS]):
        for end in range(2):
            if contact[k, LINK_A if end == 0 else LINK_B] != link:
                continue
            at, arm = (contact[k, SIDE_A], ARM_A) if end == 0 else (contact[k, SIDE_B], ARM_B)
            sign = 1.0 if end == 0 else -1.0
            p = (0.0, 0.0, 0.0)
            couple = scale(vector_at(work.notes, k, COUPLE), sign)
            for axis in range(3):
                size = sign * contacts[k, IMPULSE_AT + axis]
                p = add_scaled(p, vector_at(contacts, k, NORMAL_AT + 3 * axis), size)
                couple = add_scaled(couple, vector_at(contacts, k, arm + 3 * axis), size)
            push_entry(linked, tags[work.body[at], ENTRY], p, couple)
    spread_changes(linked, link)
    put_in, _ = joint_work(linked, link)
    return put_in
