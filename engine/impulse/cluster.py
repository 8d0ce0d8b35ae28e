"""The cluster of an impact: the contacts that are closed around it, as far as the impact reaches, in tables.

A body that takes an impulse passes it on through every contact that it has: all pairs whose gap is within the reach of
a contact, held ones as well, each with the points that its patch closes with (a flat face is several points of one
contact). Through a body that nothing has moved yet no impulse passes, so its other contacts are looked at when it is
first pushed: the tables hold what an impact comes to, and no more. Static and kinematic bodies end the way.

What joints tie moves as one. Impulses act on the bodies of a linkage as if each were alone, and once a law has pushed
all that it wants to, its joints are held: that is, being linear, what each impulse does to the whole linkage.

Positions stand still through an impact. A contact's frame has its normal from body b to body a first and then two
tangents; u = u_a - u_b and the impulse on a are written in world axes for bodies and in that frame for contacts.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.by_reference import by_reference
from engine.collision.narrow.manifold import MOST_POINTS, POINT_WIDTH, SCRATCH_ROWS
from engine.impulse.collision_matrix import K6
from engine.joints.response import spread_changes
from engine.joints.tables import CHANGE, FLOW_V, Linked, make_linked
from engine.kernel import kernel
from engine.maths.skyline import OFFSET, SKYLINE_WIDTH
from engine.maths.vectors import Vec3, add, cross, dot, sub, vector_at
from engine.model.joints import ENTRIES, ENTRY_BODY, FIRST_ENTRY, Joints

# Columns of Cluster.twists, float64, world axes: a free body of the cluster.
V = 0  # 3, velocity now [m/s]
W = 3  # 3, angular velocity now [rad/s]
V_FIRST = 6  # 6, its twist before the impact
V_ROUND = 12  # 6, before the round under way; then what it has taken, impulse and moment [N s], [N m s]
INV_M = 18  # [1/kg]
INV_I = 19  # 9, inverse inertia, rows first [1/(kg m^2)]
X = 28  # 3, centre of mass [m]
Q = 31  # 4, orientation
TWIST_WIDTH = 35

# Columns of Cluster.body, int64.
BODY = 0  # row in the world
MOVED = 1  # 1: it has taken an impulse
EXPLORED = 2  # 1: all its contacts are in the tables
SHARED = 3  # how many of the contacts that are being resolved it has
SET = 4  # the set of contacts that collide at once to which it belongs, see engine.impulse.sequential
MOVER = 5  # place of the first body of its linkage; its own if nothing ties it
LINK = 6  # its linkage; -1: none
PUSHED = 7  # of the first body of a linkage, 1: its joints are to be held
BODY_INTS = 8

# Columns of Cluster.contacts, float64: a contact point.
NORMAL_AT = 0  # 3 x 3: normal, tangent, tangent
ARM_A = 9  # 3, from a's centre of mass to where the impulse acts on it [m]
ARM_B = 12  # 3
AT = 15  # 3, where it is [m]
PRESCRIBED = 18  # 3, what kinematic bodies add to u, world axes [m/s]
K_AT = 21  # 6, its own collision matrix, normal last (engine.impulse.collision_matrix) [1/kg]
STATIC = 27
DYNAMIC = 28
RESTITUTION_AT = 29
LEAST = 30  # slower approach than this is left to microcollisions [m/s]
IMPULSE_AT = 31  # 3, of the whole impact so far [N s]
WORK_AT = 34  # done by it on the bodies and what moves them [J]
U_BEFORE = 35  # 3, u before the contacts that are being resolved together [m/s]
P = 38  # 3, their impulse [N s]
P_BOUNCED = 41  # 3, what it would be if all bounced [N s]
P_AHEAD = 44  # 3, where the search for it goes on [N s]
P_NEXT = 47  # 3, what it finds there [N s]
SET_PAIRS = 50  # of a set, in the row that is its number: how many pairs it has
OWN_SQUARE = 51  # p times what each pair's impulses alone do to its own velocities [J]
SQUARE = 52  # and what all together do [J]
TARGET = 53  # normal velocity that it must not undercut [m/s]
SQUASH = 54  # how far it is compressed, in units in which its force is SQUASH to a power (engine.impulse.wave)
SHARE_A = 55  # 2, part of a's mover in K along the normal, and of its largest eigenvalue across it [1/kg]
SHARE_B = 57  # 2
SET_IMPULSE = 59  # normal impulses of all contacts of a set that collides at once, in its first row [N s]
CONTACT_WIDTH = 60

# Columns of Cluster.contact, int64.
SIDE_A = 0  # place of body a in Cluster.body; -1: nothing moves it
SIDE_B = 1
PAIR = 2  # row of the pair
IN_SET = 3  # the set to which it belongs; -1: it does not collide
HITS = 4  # how often it was
MOVER_A = 5  # what moves with body a, by its first body's place; -1: nothing moves it
MOVER_B = 6  # -1 also where it moves with a: then a has all of K
CONTACT_INTS = 7

# Entries of Cluster.sizes, int64.
BODIES = 0
CONTACTS = 1
NEEDED = 2  # rows of contacts that there must be room for
ROUNDS = 3  # of the law so far
ENDLESS = 4  # 1 + the contact whose impulse grows without end; 0: none does
SIZES = 5

# Entries of Cluster.scales, float64.
FASTEST = 0  # largest approach so far [m/s]
SCALES = 1

FEW = 12
"""So many contacts have their own matrices (engine.impulse.newton): more are left to gradients."""


@by_reference
class Cluster(NamedTuple):
    """Scratch; none of it belongs to the simulation's past or future."""

    place: Ints  # (n,) of a body of the world in `body`; -1: it is not there
    body: Ints  # (n, BODY_INTS)
    twists: Floats  # (n, TWIST_WIDTH)
    contact: Ints  # (room, CONTACT_INTS)
    contacts: Floats  # (room, CONTACT_WIDTH)
    scratch: Floats  # (SCRATCH_ROWS, 3)
    points: Floats  # (MOST_POINTS, POINT_WIDTH)
    sizes: Ints  # (SIZES,)
    scales: Floats  # (SCALES,)
    bounds: Floats  # (FEW, 2), what contacts feel at most of all that collide at once, along the normal, across it
    delassus: Floats  # (3 FEW, 3 FEW), what impulses do to velocities [1/kg]
    jacobian: Floats  # (9 FEW FEW,), rows of 3 FEW, see engine.impulse.newton
    normal: Floats  # (9 FEW FEW,), of its rows with each other, in the places of `square`
    square: Ints  # (3 FEW, SKYLINE_WIDTH), see engine.maths.skyline
    order: Ints  # (3 FEW,)
    few: Floats  # (7, 3 FEW)
    right: Floats  # (3 FEW, 1)
    levers: Floats  # (3 FEW, 12)
    step: Floats  # (3 FEW,)
    linked: Linked  # linkages as they are at the impact, and what has been held so far as velocities of their entries


def make_cluster(n: int, room: int, joints: Joints) -> Cluster:
    """A cluster of up to n bodies, tied by joints, with `room` contact points."""
    size = 3 * FEW
    square = np.zeros((size, SKYLINE_WIDTH), dtype=np.int64)
    square[:, OFFSET] = size * np.arange(size)
    return Cluster(
        place=np.full(n, -1, dtype=np.int64),
        body=np.zeros((n, BODY_INTS), dtype=np.int64),
        twists=np.zeros((n, TWIST_WIDTH)),
        contact=np.zeros((room, CONTACT_INTS), dtype=np.int64),
        contacts=np.zeros((room, CONTACT_WIDTH)),
        scratch=np.zeros((SCRATCH_ROWS, 3)),
        points=np.zeros((MOST_POINTS, POINT_WIDTH)),
        sizes=np.zeros(SIZES, dtype=np.int64),
        scales=np.zeros(SCALES),
        bounds=np.zeros((FEW, 2)),
        delassus=np.zeros((size, size)),
        jacobian=np.zeros(size * size),
        normal=np.zeros(size * size),
        square=square,
        order=np.zeros(size, dtype=np.int64),
        few=np.zeros((7, size)),
        right=np.zeros((size, 1)),
        levers=np.zeros((size, 12)),
        step=np.zeros(size),
        linked=make_linked(joints),
    )


@kernel
def side_velocity(c: Cluster, at: int, r: Vec3, twist: int) -> Vec3:
    """Velocity of the point at r of the body in row `at` (zero of none), with the twist in column `twist`."""
    if at < 0:
        return (0.0, 0.0, 0.0)
    return add(vector_at(c.twists, at, twist), cross(vector_at(c.twists, at, twist + 3), r))


@kernel
def velocity_at(c: Cluster, k: int, twist: int) -> Vec3:
    """u of contact k in its frame (normal, tangent, tangent) [m/s], with the twists in column `twist`."""
    u = sub(
        side_velocity(c, c.contact[k, SIDE_A], vector_at(c.contacts, k, ARM_A), twist),
        side_velocity(c, c.contact[k, SIDE_B], vector_at(c.contacts, k, ARM_B), twist),
    )
    u = add(u, vector_at(c.contacts, k, PRESCRIBED))
    return (
        dot(u, vector_at(c.contacts, k, NORMAL_AT)),
        dot(u, vector_at(c.contacts, k, NORMAL_AT + 3)),
        dot(u, vector_at(c.contacts, k, NORMAL_AT + 6)),
    )


@kernel
def in_world(c: Cluster, k: int, p: Vec3) -> Vec3:
    """A vector of contact k's frame in world axes."""
    n, t1, t2 = NORMAL_AT, NORMAL_AT + 3, NORMAL_AT + 6
    f = c.contacts
    return (
        f[k, n] * p[0] + f[k, t1] * p[1] + f[k, t2] * p[2],
        f[k, n + 1] * p[0] + f[k, t1 + 1] * p[1] + f[k, t2 + 1] * p[2],
        f[k, n + 2] * p[0] + f[k, t1 + 2] * p[1] + f[k, t2 + 2] * p[2],
    )


@kernel
def push(c: Cluster, k: int, p: Vec3) -> None:
    """The impulse p (frame of contact k) [N s] acts on a, its reverse on b."""
    world = in_world(c, k, p)
    for side in range(2):
        at = c.contact[k, SIDE_A if side == 0 else SIDE_B]
        if at < 0:
            continue
        sign = 1.0 if side == 0 else -1.0
        turn = cross(vector_at(c.contacts, k, ARM_A if side == 0 else ARM_B), world)
        twists = c.twists
        for j in range(3):
            twists[at, V + j] += sign * twists[at, INV_M] * world[j]
            i = INV_I + 3 * j
            spin = twists[at, i] * turn[0] + twists[at, i + 1] * turn[1] + twists[at, i + 2] * turn[2]
            twists[at, W + j] += sign * spin
        c.body[at, MOVED] = 1
        c.body[c.body[at, MOVER], PUSHED] = 1


@kernel
def hold_joints(c: Cluster, first: int, end: int) -> None:
    """What has pushed the linkages at contacts first .. end - 1 moves all their bodies."""
    if c.linked.joints.linkages.shape[0] == 0:
        return
    for k in range(first, end):
        for side in range(2):
            at = c.contact[k, MOVER_A if side == 0 else MOVER_B]
            if at >= 0 and c.body[at, LINK] >= 0 and c.body[at, PUSHED] == 1:
                c.body[at, PUSHED] = 0
                _hold(c, c.body[at, LINK])


@kernel
def _hold(c: Cluster, link: int) -> None:
    """The twists of a linkage's bodies change by what its joints leave of their changes since it was last held."""
    linked, twists = c.linked, c.twists
    begin = linked.joints.linkages[link, FIRST_ENTRY]
    end = begin + linked.joints.linkages[link, ENTRIES]
    for e in range(begin, end):
        at = place_of_entry(c, e)
        for j in range(6):
            linked.flow[e, CHANGE + j] = twists[at, V + j] - linked.flow[e, FLOW_V + j] if at >= 0 else 0.0
    spread_changes(linked, link)
    for e in range(begin, end):
        at = place_of_entry(c, e)
        if at >= 0:
            c.body[at, MOVED] = 1
            for j in range(6):
                linked.flow[e, FLOW_V + j] += linked.flow[e, CHANGE + j]
                twists[at, V + j] = linked.flow[e, FLOW_V + j]


@kernel
def place_of_entry(c: Cluster, e: int) -> int:
    """The place of entry e of a linkage in the cluster; -1: nothing moves it."""
    i = c.linked.joints.entries[e, ENTRY_BODY]
    return c.place[i] if i >= 0 else -1


@kernel
def entry_of(c: Cluster, at: int) -> int:
    """The entry of the body in row `at` in its linkage."""
    e = c.linked.joints.linkages[c.body[at, LINK], FIRST_ENTRY]
    while c.linked.joints.entries[e, ENTRY_BODY] != c.body[at, BODY]:
        e += 1
    return e


@kernel
def set_back(c: Cluster, at: int) -> None:
    """All that moves with the body in row `at` has the twist again that it had before the round."""
    link = c.body[at, LINK]
    if link < 0:
        _set_back(c, at)
        return
    begin = c.linked.joints.linkages[link, FIRST_ENTRY]
    for e in range(begin, begin + c.linked.joints.linkages[link, ENTRIES]):
        if place_of_entry(c, e) >= 0:
            _set_back(c, place_of_entry(c, e))


@kernel
def _set_back(c: Cluster, at: int) -> None:
    for j in range(6):
        c.twists[at, V + j] = c.twists[at, V_ROUND + j]


@kernel
def note_impulse(c: Cluster, k: int, p: Vec3, work: float) -> None:
    """Contact k has taken the impulse p (its frame) [N s] and done `work` [J]."""
    for j in range(3):
        c.contacts[k, IMPULSE_AT + j] += p[j]
    c.contacts[k, WORK_AT] += work
    c.contact[k, HITS] += 1


@kernel
def own_matrix(c: Cluster, k: int) -> K6:
    """K of contact k alone, in its frame with the normal last."""
    f = c.contacts
    return (f[k, K_AT], f[k, K_AT + 1], f[k, K_AT + 2], f[k, K_AT + 3], f[k, K_AT + 4], f[k, K_AT + 5])


@kernel
def largest_tangential(k: K6) -> float:
    """The larger eigenvalue of K's tangential block [1/kg]."""
    half = 0.5 * (k[0] - k[1])
    return 0.5 * (k[0] + k[1]) + sqrt(half * half + k[5] * k[5])


@kernel
def has_unexplored(c: Cluster) -> bool:
    """Has a body been pushed whose contacts are not in the tables yet?"""
    found = False
    for at in range(c.sizes[BODIES]):
        found = found or (c.body[at, MOVED] == 1 and c.body[at, EXPLORED] == 0)
    return found
