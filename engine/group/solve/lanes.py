"""Contact points side by side: eight that share no body in a block, for sweeps that take them all at once.

The graph of contacts is coloured greedily, points of one colour share no body, and every eight of a colour fill a
block: a number of each of them in a column of eight, which is what a processor's vector instructions take. This is how
fast engines sweep (Box2D 3 and Rapier, likewise). Points of balls have blocks of their own, which know and do less
(engine.group.solve.ball_sweeps), and so have points that resist rolling or spinning. The last block of such a class may
have idle lanes. What fills no block is swept one at a time between them: classes of few points, and friction that is
not Coulomb's. So small groups are swept in the order of their points.

Each domain of a group has its blocks, and each interface: see engine.group.solve.domains.

Sweeps need less of a point here than Work.contacts has: from its arms they take the point itself, about each body.
"""

from __future__ import annotations

import numpy as np

from engine.group.solve.domains import list_points, regions
from engine.group.work import (
    ARM_A,
    ARM_B,
    CLASSES,
    CONTACTS,
    COUPLE,
    D_MAX,
    D_NN,
    D_NT,
    DYNAMIC,
    FIRST_ALONE,
    FIRST_BLOCK,
    FIRST_POINT,
    FRICTION,
    IMPULSE_AT,
    INV_I,
    INV_INERTIA,
    INV_M,
    LANE_WIDTH,
    LAST_ALONE,
    LAST_BLOCK,
    LAST_POINT,
    MOST_COLOURS,
    NORMAL_AT,
    NORMAL_MASS,
    PRESCRIBED,
    PRESCRIBED_SPIN,
    ROLLING_LEVER,
    SIDE_A,
    SIDE_B,
    SLIDES,
    SLIP,
    SPINNING_LEVER,
    STATIC,
    TANGENT_MASS,
    TARGET,
    V_END,
    WHOLE_MASS,
    Work,
)
from engine.kernel import kernel
from engine.maths.rounding import QUOTIENT
from engine.maths.vectors import add, cross, dot, scale, vector_at
from engine.model.model import COULOMB
from engine.simd import LANES

Index = np.uint64
"""Of an entry of Work.lanes: one that cannot be negative, or every access would have to ask."""


def _column(n: int) -> Index:
    return Index(LANES * n)


# Columns of a block of Work.lanes: the entry at which each begins. First what all kinds of blocks have.
NORMAL = _column(0)  # 3
TANGENT = _column(3)  # 3, the first one; the other is normal x tangent
GIVEN = _column(6)  # 3, what is added to u, less what the condition asks for [m/s]
IMPULSE = _column(9)  # 3 [N s]
BEGAN = _column(12)  # 3, impulse before the sweep [N s]
ONWARD = _column(15)  # 3, direction in which it is extrapolated [N s]
INV_M_A = _column(18)  # [1/kg]
INV_M_B = _column(19)
MASS = _column(20)  # effective mass along the normal, where the point is free to slide [kg]
MOST_INV = _column(21)  # the larger eigenvalue of D_tt [1/kg]
HOLDS = _column(22)  # static friction
DRAGS = _column(23)  # dynamic friction
SLIP_THEN = _column(24)  # 2, slip before the impulse, as SLIP of engine.group.work [m/s]
SLID = _column(26)  # 1: it slid in the last sweep
CHANGE = _column(27)  # by how much the sweep has changed u at most [m/s]
INV_MASS = _column(28)  # 3: D_nn, D_n1, D_n2 [1/kg]; of balls, D_nn
# Of blocks of balls:
LEVER_A = _column(29)  # from the centre of a to the point, along the normal [m]
LEVER_B = _column(30)
INV_MOMENT_A = _column(31)  # [1/(kg m^2)]
INV_MOMENT_B = _column(32)
# Of blocks of others:
POINT_A = _column(31)  # 3, from the centre of a to the point [m]
POINT_B = _column(34)  # 3
INV_I_A = _column(37)  # 6, inverse inertia of a, xx, xy, xz, yy, yz, zz [1/(kg m^2)]
INV_I_B = _column(43)  # 6
TANGENT_INV = _column(49)  # 3: the inverse of D_tt, 11, 12, 22 [kg]
LEAN = _column(52)  # 2, that times D_nt: the tangential impulse that goes with a normal one where both stop [1]
STOP_MASS = _column(54)  # effective mass along the normal, where the point sticks [kg]
# Of blocks that resist turning:
RESISTS = _column(55)  # 3, couple of resistance, on a (world) [N m s]
SPUN = _column(58)  # 3, angular velocity that a kinematic body adds to a's less b's (world) [rad/s]
TURN_MASS = _column(61)  # what stops a relative turning of 1 at most [kg m^2]
ROLL_LEVER = _column(62)  # [m]
SPIN_LEVER = _column(63)
RESISTS_BEGAN = _column(64)  # 3, couple before the sweep [N m s]
RESISTS_ONWARD = _column(67)  # 3, direction in which it is extrapolated [N m s]

# Columns of Work.gathered, which stays in the nearest cache.
TWIST_A = _column(0)  # 6, velocities of a, from Work.twists
TWIST_B = _column(6)  # 6
SIZE = _column(12)  # square of what the sweep has changed of the impulse, weighed by D_nn [J]

BLOCK = Index(LANES * LANE_WIDTH)

# From a column of a block to those after it.
NEXT = _column(1)
NEXT_2 = _column(2)
NEXT_3 = _column(3)
NEXT_4 = _column(4)
NEXT_5 = _column(5)

_LEAST_LANES = 3
"""A block is begun for so many points at least, after a full one of its colour: one costs about as much as three points
by themselves."""

# Classes of points of one colour, and kinds of blocks: what adds up to one.
PLAIN = 0
TURNS = 1  # they resist turning
BALLS = 2  # the free bodies are balls

_ROUND = QUOTIENT * QUOTIENT
"""The square of what is no more than rounding where two axes should be parallel, or moments equal [1]."""


@kernel
def fill_lanes(work: Work, first: int, last: int) -> None:
    """What sweeps need of the points in blocks first .. last - 1, into these."""
    idle = len(work.twists) - 1
    for place in range(LANES * first, LANES * last):
        _fill_lane(work, place, idle)


@kernel
def empty_lanes(work: Work, first: int, last: int) -> None:
    """The impulses found in blocks first .. last - 1, back into the rows of their points."""
    for place in range(LANES * first, LANES * last):
        k, x = work.order[place], lane_at(place)
        if k < 0:
            continue
        for axis in range(3):
            work.contacts[k, IMPULSE_AT + axis] = work.lanes[x + IMPULSE + Index(LANES * axis)]
        work.contact[k, SLIDES] = int(work.lanes[x + SLID])
        if work.kinds[place // LANES] & TURNS:
            for c in range(3):
                work.notes[k, COUPLE + c] = work.lanes[x + RESISTS + Index(LANES * c)]


@kernel
def lane_at(place: int) -> Index:
    """Where the lane of a place begins in its block."""
    return BLOCK * Index(place // LANES) + Index(place % LANES)


@kernel
def order_points(work: Work) -> int:
    """Order the points of each domain and interface by colour, and share them out to blocks; how many blocks there are.

    Each gets the first colour that neither of its bodies has yet, of as many as an integer has bits.
    """
    list_points(work, work.sizes[CONTACTS])
    blocks = alone = 0
    for one in range(regions(work)):
        work.domains[one, FIRST_BLOCK], work.domains[one, FIRST_ALONE] = blocks, alone
        blocks, alone = _order_region(work, one, blocks, alone)
        work.domains[one, LAST_BLOCK], work.domains[one, LAST_ALONE] = blocks, alone
    _clear_idle(work, len(work.twists) - 1)
    return blocks


@kernel
def _order_region(work: Work, one: int, before: int, alone: int) -> tuple[int, int]:
    """The same of one of them, after so many blocks; how many blocks, and points in none, there are by then."""
    colour, tally = work.colour, work.tally
    first, last = work.domains[one, FIRST_POINT], work.domains[one, LAST_POINT]
    colours = _choose_classes(work, first, last) // CLASSES + 1
    for each in range(CLASSES * colours):
        tally[each] = 0
    for n in range(first, last):
        if colour[n] >= 0:
            tally[colour[n]] += 1
    blocks = _begin_blocks_of_classes(work, colours, before)
    for place in range(LANES * before, LANES * blocks):
        work.order[place] = -1
    for n in range(first, last):
        each = colour[n]
        if each >= 0 and tally[each] > 0:
            tally[each] -= 1
            work.order[work.begins[each]] = work.by_domain[n]
            work.begins[each] += 1
        else:
            work.alone[alone] = work.by_domain[n]
            alone += 1
    return blocks, alone


@kernel
def _clear_idle(work: Work, idle: int) -> None:
    """The row of a body that stays."""
    for c in range(6):
        work.twists[idle, V_END + c] = 0.0
    work.twists[idle, INV_M] = 0.0
    for c in range(9):
        work.twists[idle, INV_I + c] = 0.0


@kernel
def _choose_classes(work: Work, first: int, last: int) -> int:
    """A class for each of the points first .. last - 1 of Work.by_domain, in Work.colour; the last one, or -1. None for
    so few that no block is full."""
    highest = -1
    for n in range(first, last):
        for side in (SIDE_A, SIDE_B):
            if work.contact[work.by_domain[n], side] >= 0:
                work.taken[work.contact[work.by_domain[n], side]] = 0
    for n in range(first, last):
        work.colour[n] = _class_of(work, work.by_domain[n]) if last - first >= LANES else -1
        highest = max(highest, work.colour[n])
    return highest


@kernel
def _begin_blocks_of_classes(work: Work, used: int, before: int) -> int:
    """Shares out blocks, after so many of others, to classes of the first `used` colours; how many there are then.
    Leaves in Work.tally how many points of each class go into them."""
    tally, begins = work.tally, work.begins
    blocks = before
    for one in range(CLASSES * used):
        full, more = tally[one] // LANES, tally[one] % LANES
        own = full + 1 if full > 0 and more >= _LEAST_LANES else full
        begins[one], tally[one] = LANES * blocks, min(tally[one], LANES * own)
        for block in range(blocks, blocks + own):
            work.kinds[block] = one % CLASSES
        blocks += own
    return blocks


@kernel
def _class_of(work: Work, k: int) -> int:
    """A class for point k, whose colour its bodies have from now on; -1: none is left, or it goes into no block."""
    contact, contacts, taken = work.contact, work.contacts, work.taken
    if contact[k, FRICTION] != COULOMB:
        return -1
    kind = TURNS if contacts[k, ROLLING_LEVER] > 0.0 or contacts[k, SPINNING_LEVER] > 0.0 else PLAIN
    a, b = contact[k, SIDE_A], contact[k, SIDE_B]
    if (a < 0 or _is_ball(work, k, a, ARM_A)) and (b < 0 or _is_ball(work, k, b, ARM_B)):
        kind |= BALLS
    used = (taken[a] if a >= 0 else 0) | (taken[b] if b >= 0 else 0)
    for one in range(MOST_COLOURS):
        if used >> one & 1 == 0:
            if a >= 0:
                taken[a] |= 1 << one
            if b >= 0:
                taken[b] |= 1 << one
            return CLASSES * one + kind
    return -1


@kernel
def _is_ball(work: Work, k: int, at: int, arm: int) -> bool:
    """Is the arm of point k about a body along its normal, and the body's inertia the same about all axes?"""
    turns = across = along = uneven = 0.0
    for c in range(3):
        turns += work.contacts[k, arm + c] ** 2
        across += work.contacts[k, arm + 3 + c] ** 2
        along += work.twists[at, INV_I + 4 * c]
    for r in range(3):
        for c in range(3):
            mean = along / 3.0 if r == c else 0.0
            uneven += (work.twists[at, INV_I + 3 * r + c] - mean) ** 2
    return turns <= _ROUND * across and uneven <= _ROUND * along * along


@kernel
def _fill_lane(work: Work, place: int, idle: int) -> None:
    """The lane of the point at a place of the order. What is static or kinematic is the row of a body that stays, and
    so are both bodies of an idle lane."""
    contact, contacts, lanes = work.contact, work.contacts, work.lanes
    k, x = work.order[place], lane_at(place)
    if k < 0:
        work.sides[place] = work.others[place] = idle
        for c in range(LANE_WIDTH):
            lanes[x + Index(LANES * c)] = 0.0
        lanes[x + MOST_INV] = 1.0  # its inverse is taken
        return
    a = contact[k, SIDE_A] if contact[k, SIDE_A] >= 0 else idle
    b = contact[k, SIDE_B] if contact[k, SIDE_B] >= 0 else idle
    work.sides[place], work.others[place] = a, b
    if work.kinds[place // LANES] & BALLS:
        _fill_ball(work, k, a, x, ARM_A, LEVER_A, INV_MOMENT_A, INV_M_A)
        _fill_ball(work, k, b, x, ARM_B, LEVER_B, INV_MOMENT_B, INV_M_B)
    else:
        _fill_body(work, k, a, x, ARM_A, POINT_A, INV_I_A, INV_M_A)
        _fill_body(work, k, b, x, ARM_B, POINT_B, INV_I_B, INV_M_B)
        _fill_masses(work, k, x)
    for c in range(3):
        column = Index(LANES * c)
        lanes[x + NORMAL + column] = contacts[k, NORMAL_AT + c]
        lanes[x + TANGENT + column] = contacts[k, NORMAL_AT + 3 + c]
        lanes[x + IMPULSE + column] = contacts[k, IMPULSE_AT + c]
        lanes[x + GIVEN + column] = contacts[k, PRESCRIBED + c]
    lanes[x + GIVEN] -= contacts[k, TARGET]
    lanes[x + INV_MASS] = contacts[k, D_NN]
    lanes[x + MASS] = contacts[k, NORMAL_MASS]
    lanes[x + MOST_INV] = contacts[k, D_MAX]
    lanes[x + HOLDS] = contacts[k, STATIC]
    lanes[x + DRAGS] = contacts[k, DYNAMIC]
    lanes[x + SLIP_THEN] = work.notes[k, SLIP]
    lanes[x + SLIP_THEN + Index(LANES)] = work.notes[k, SLIP + 1]
    lanes[x + SLID] = 0.0
    if work.kinds[place // LANES] & TURNS:
        for c in range(3):
            column = Index(LANES * c)
            lanes[x + RESISTS + column] = work.notes[k, COUPLE + c]
            lanes[x + SPUN + column] = work.notes[k, PRESCRIBED_SPIN + c]
        lanes[x + TURN_MASS] = 1.0 / work.notes[k, INV_INERTIA]
        lanes[x + ROLL_LEVER], lanes[x + SPIN_LEVER] = contacts[k, ROLLING_LEVER], contacts[k, SPINNING_LEVER]


@kernel
def _fill_masses(work: Work, k: int, x: Index) -> None:
    """What a lane knows of how its normal and tangential impulses go together: those of balls do not."""
    contacts, lanes = work.contacts, work.lanes
    for c in range(3):
        lanes[x + TANGENT_INV + Index(LANES * c)] = contacts[k, TANGENT_MASS + c]
    d_n1, d_n2 = contacts[k, D_NT], contacts[k, D_NT + 1]
    m_11, m_12, m_22 = contacts[k, TANGENT_MASS], contacts[k, TANGENT_MASS + 1], contacts[k, TANGENT_MASS + 2]
    lanes[x + INV_MASS + NEXT], lanes[x + INV_MASS + NEXT_2] = d_n1, d_n2
    lanes[x + LEAN] = m_11 * d_n1 + m_12 * d_n2
    lanes[x + LEAN + NEXT] = m_12 * d_n1 + m_22 * d_n2
    lanes[x + STOP_MASS] = contacts[k, WHOLE_MASS]


@kernel
def _fill_body(work: Work, k: int, at: int, x: Index, arm: int, point: Index, inertia: Index, mass: Index) -> None:
    """What a lane knows of one of its bodies. Of three axes d at right angles, the d x (r x d) add up to 2 r."""
    lanes, twists = work.lanes, work.twists
    r = (0.0, 0.0, 0.0)
    for axis in range(3):
        d = vector_at(work.contacts, k, NORMAL_AT + 3 * axis)
        r = add(r, scale(cross(d, vector_at(work.contacts, k, arm + 3 * axis)), 0.5))
    for c in range(3):
        lanes[x + point + Index(LANES * c)] = r[c]
        lanes[x + inertia + Index(LANES * c)] = twists[at, INV_I + c]
    for c in range(2):
        lanes[x + inertia + Index(LANES * (3 + c))] = twists[at, INV_I + 4 + c]
    lanes[x + inertia + Index(LANES * 5)] = twists[at, INV_I + 8]
    lanes[x + mass] = twists[at, INV_M]


@kernel
def _fill_ball(work: Work, k: int, at: int, x: Index, arm: int, lever: Index, moment: Index, mass: Index) -> None:
    """The same of a ball: its arm is a lever along the normal n, so that its moment about t is that times n x t."""
    lanes, twists = work.lanes, work.twists
    t, s = vector_at(work.contacts, k, NORMAL_AT + 3), vector_at(work.contacts, k, NORMAL_AT + 6)
    r = 0.5 * (dot(vector_at(work.contacts, k, arm + 3), s) - dot(vector_at(work.contacts, k, arm + 6), t))
    lanes[x + lever] = r
    lanes[x + moment] = twists[at, INV_I]
    lanes[x + mass] = twists[at, INV_M]
