"""Ends, friction and dampers of joints in a group that touches something: rows of its solve, beside contact points.

A joint that lies at an end of its way is in contact with itself. Along it there is a position q instead of a gap, and

    0 <= p  ⟂  q' - target >= 0,

the impulse p being a force of a slider, or a couple of a hinge. What comes to an end fast is stopped there at the
step's start, or bounces, as what flies into a contact does. Friction takes as much as it can, |p| <= f h, of what
still moves at the step's end; a damper c goes with the mean of the speeds before and after, p = -c h (q'_0 + q'_1) / 2.
A motor that answers speeds does so, too, to what they lack of the one that it seeks, up to its limit. Within the free
flight of a step's halves both would answer what contacts do not let happen. So a joint that stands between an end and
what contacts press on it is found together with what these bear, and neither locks nor lets go.

A joint further from its ends flies there: the step ends where it arrives (engine.tree.elements). Springs, other motors
and dampers of balls act within the flow.
"""

from __future__ import annotations

from math import inf

from engine.collision.narrow.frames import turn
from engine.group.joints.answers import apply_tied
from engine.group.relative_velocity import speed_along
from engine.group.work import (
    ARM_A,
    ARM_B,
    BAND_TARGET,
    CONTACT_WIDTH,
    CONTACTS,
    D_NN,
    DAMPER_OF_JOINT,
    ELEMENT,
    END,
    ENVELOPE_AT,
    FRICTION_OF_JOINT,
    GAP_AT,
    IMPULSE_AT,
    INV_I,
    INV_M,
    JOINT_ROWS,
    LEAST,
    LINKAGES,
    MOST,
    MOTOR_OF_JOINT,
    NEEDED,
    NORMAL_AT,
    NORMAL_MASS,
    NOTE_WIDTH,
    PAIRS_HELD,
    PRESCRIBED,
    PRESCRIBED_THEN,
    RESTITUTION_AT,
    ROW,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SOFT,
    SOUGHT,
    TARGET,
    U_START,
    V_END,
    V_FREE,
    WARM,
    WAY,
    V,
    Work,
)
from engine.joints.elements import measure_joint
from engine.joints.rows import entry_matrix
from engine.joints.tables import FLOW_V, FLOW_W, POSE
from engine.kernel import kernel
from engine.maths.vectors import Vec3, add, cross, dot, scale, sub, vector_at
from engine.model.elements import (
    BEARS_HIGH,
    BEARS_LOW,
    BEGUN_AT,
    BEGUN_RATE,
    BORNE,
    BOUNCE,
    DAMPER,
    DRY,
    HIGH,
    LOW,
    POSITION,
    RATE_GAIN,
    RUBS,
    STRONGEST,
)
from engine.model.joints import (
    ACTING,
    ACTS,
    ANCHOR_B,
    BALL,
    ENTRY_A,
    ENTRY_B,
    FIRST_JOINT,
    HINGE,
    JOINT_KIND,
    JOINTS,
    Joints,
)
from engine.model.model import LONGEST_STEP, Floats, Model
from engine.tolerances import BAND_LOW, CONTACT_REACH, END_SKIN
from engine.tree.forces import answers_speed, sought_speed

_ENVELOPE = (
    END_SKIN  # m, rad: so thick is the skin of an end; a joint at rest there has between none and half of it left
)


@kernel
def rows_needed(joints: Joints, work: Work) -> int:
    """How many rows of contacts the joints of a group may take."""
    total = 0
    for n in range(work.sizes[LINKAGES]):
        if joints.linkages[work.linkage[n], ACTING] > 0:
            total += 5 * joints.linkages[work.linkage[n], JOINTS]
    return total


@kernel
def add_joint_rows(model: Model, work: Work, h: float) -> None:
    """Rows for the ends at which joints of a group lie, their friction, dampers and motors, where its linkages are
    loaded.

    h: for so long [s] they bear; 0: nothing rubs, damps or drives, velocities at the start are looked at.
    """
    joints, ties = model.joints, work.ties
    work.sizes[CONTACTS] -= work.sizes[JOINT_ROWS]
    work.sizes[JOINT_ROWS] = 0
    if work.sizes[PAIRS_HELD] == 0 or work.sizes[NEEDED] > work.contact.shape[0]:
        return
    longest = model.settings[LONGEST_STEP]
    for n in range(work.sizes[LINKAGES]):
        link = work.linkage[n]
        if joints.linkages[link, ACTING] == 0:
            continue
        first = joints.linkages[link, FIRST_JOINT]
        for j in range(first, first + joints.linkages[link, JOINTS]):
            if joints.joints[j, ACTS] == 0 or joints.joints[j, JOINT_KIND] == BALL:
                continue
            below, above = ties[j, BEGUN_AT] - joints.elements[j, LOW], joints.elements[j, HIGH] - ties[j, BEGUN_AT]
            ties[j, BEARS_LOW] = 1.0 if below <= CONTACT_REACH * _ENVELOPE else 0.0
            ties[j, BEARS_HIGH] = 1.0 if above <= CONTACT_REACH * _ENVELOPE else 0.0
            for side in range(2):
                way, gap = (1.0, below) if side == 0 else (-1.0, above)
                if ties[j, BEARS_LOW if side == 0 else BEARS_HIGH] == 1.0:
                    k = _add_row(joints, work, j, END, way, max(way * ties[j, BORNE], 0.0) * longest)
                    work.notes[k, GAP_AT] = gap + BAND_LOW * _ENVELOPE
                    work.notes[k, ENVELOPE_AT] = _ENVELOPE
                    work.notes[k, RESTITUTION_AT] = joints.elements[j, BOUNCE]
                    work.notes[k, MOST] = inf
            if joints.elements[j, DRY] > 0.0:
                k = _add_row(joints, work, j, FRICTION_OF_JOINT, 1.0, ties[j, RUBS] * longest)
                work.notes[k, GAP_AT] = inf
                work.notes[k, LEAST], work.notes[k, MOST] = -h * joints.elements[j, DRY], h * joints.elements[j, DRY]
            if h > 0.0:
                _add_damping(joints, work, j, DAMPER_OF_JOINT, h, longest)
                _add_damping(joints, work, j, MOTOR_OF_JOINT, h, longest)


@kernel
def _add_damping(joints: Joints, work: Work, j: int, element: int, h: float, longest: float) -> None:
    """A row for the damper of joint j in a step h, or its motor, if there is one that answers its speed.

    longest: what is borne in so long [s] is remembered.
    """
    elements = joints.elements
    damping, strongest, sought = elements[j, DAMPER], inf, 0.0
    if element == MOTOR_OF_JOINT:
        damping, strongest = elements[j, RATE_GAIN] if answers_speed(elements, j) else 0.0, elements[j, STRONGEST]
        if damping > 0.0:
            sought = sought_speed(elements, j, measure_joint(joints, work.flow, j, work.ties[j, POSITION])[0])
    if damping > 0.0:
        k = _add_row(joints, work, j, element, 1.0, damping * (sought - work.ties[j, BEGUN_RATE]) * longest)
        work.notes[k, GAP_AT], work.notes[k, SOFT], work.notes[k, SOUGHT] = inf, 2.0 / (h * damping), sought
        work.notes[k, LEAST], work.notes[k, MOST] = -h * strongest, h * strongest


@kernel
def _add_row(joints: Joints, work: Work, j: int, element: int, way: float, warm: float) -> int:
    """A row for what bears along joint j, for impulses that push its second side that way; its number."""
    contact, contacts, notes, flow = work.contact, work.contacts, work.notes, work.flow
    k = work.sizes[CONTACTS]
    work.sizes[CONTACTS] += 1
    work.sizes[JOINT_ROWS] += 1
    for c in range(CONTACT_WIDTH):
        contacts[k, c] = 0.0
    for c in range(NOTE_WIDTH):
        notes[k, c] = 0.0
    a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
    contact[k, SIDE_A], contact[k, SIDE_B], contact[k, ROW], contact[k, SLIDES] = work.tied[a], work.tied[b], j, 0
    contact[k, ELEMENT] = element
    n, arm_a, arm_b = _frame_of(joints, work, j, way)
    for c in range(3):
        contacts[k, NORMAL_AT + c], contacts[k, ARM_A + c], contacts[k, ARM_B + c] = n[c], arm_a[c], arm_b[c]
    given = own = 0.0
    for side in range(2):
        e, arm = (a, arm_a) if side == 0 else (b, arm_b)
        at = work.tied[e]
        if at < 0:
            u = dot(n, vector_at(flow, e, FLOW_V)) + dot(arm, vector_at(flow, e, FLOW_W))
            given += u if side == 0 else -u
            continue
        own += work.twists[at, INV_M] * dot(n, n)
        for c in range(3):
            own += arm[c] * dot(vector_at(work.twists, at, INV_I + 3 * c), arm)
    contacts[k, D_NN], contacts[k, NORMAL_MASS] = own, 1.0 / own
    notes[k, PRESCRIBED_THEN] = contacts[k, PRESCRIBED] = given
    notes[k, WARM], notes[k, WAY], notes[k, U_START] = warm, way, way * work.ties[j, BEGUN_RATE]
    return k


@kernel
def _frame_of(joints: Joints, work: Work, j: int, way: float) -> tuple[Vec3, Vec3, Vec3]:
    """Along what an impulse of joint j pushes its first side, and the arms of that on both."""
    flow = work.flow
    u = scale(measure_joint(joints, flow, j, work.ties[j, POSITION])[2], -way)
    if joints.joints[j, JOINT_KIND] == HINGE:
        return (0.0, 0.0, 0.0), u, u
    a, b = joints.joints[j, ENTRY_A], joints.joints[j, ENTRY_B]
    r_b = turn(entry_matrix(flow, b), vector_at(joints.frames, j, ANCHOR_B))
    r_a = add(sub(vector_at(flow, b, POSE), vector_at(flow, a, POSE)), r_b)
    return u, cross(r_a, u), cross(r_b, u)


@kernel
def note_begun(work: Work) -> None:
    """Keep the speeds of joints at the step's start, where nothing flies into anything any more."""
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS], work.sizes[CONTACTS]):
        u = speed_along(work.twists, work.contact, work.contacts, k, 0, V) + work.notes[k, PRESCRIBED_THEN]
        work.ties[work.contact[k, ROW], BEGUN_RATE] = work.notes[k, WAY] * u


@kernel
def aim_joint_row(joints: Joints, work: Work, k: int, share: float) -> None:
    """What the speed of joint row k shall be after the impulses, and that to begin with, share of what is remembered.

    As of contact points: ends, dampers and motors look at the mean of the speeds, friction at what is left at the end.
    """
    contacts, notes = work.contacts, work.notes
    u = speed_along(work.twists, work.contact, contacts, k, 0, V_FREE) + notes[k, PRESCRIBED_THEN]
    if notes[k, SOFT] > 0.0:
        contacts[k, TARGET] = 2.0 * notes[k, SOUGHT] - u
    elif work.contact[k, ELEMENT] == FRICTION_OF_JOINT:
        contacts[k, TARGET] = -min(max(u - notes[k, U_START], -abs(u)), abs(u))
    else:
        band = notes[k, BAND_TARGET]
        contacts[k, TARGET] = 2.0 * band - u - max(band - notes[k, U_START], 0.0)
    contacts[k, IMPULSE_AT] = min(max(share * notes[k, WARM], notes[k, LEAST]), notes[k, MOST])
    apply_tied(joints, work, k, contacts[k, IMPULSE_AT], 0.0, 0.0, V_END)


@kernel
def keep_joint_rows(ties: Floats, work: Work, h: float) -> None:
    """What ends and friction of joints bore in a step h, on the mean, for the next one, into rows of State.joints."""
    for k in range(work.sizes[CONTACTS] - work.sizes[JOINT_ROWS], work.sizes[CONTACTS]):
        if work.notes[k, SOFT] > 0.0:
            continue
        column = RUBS if work.contact[k, ELEMENT] == FRICTION_OF_JOINT else BORNE
        ties[work.contact[k, ROW], column] += work.notes[k, WAY] * work.contacts[k, IMPULSE_AT] / h
