"""The State: everything that moves. A snapshot is these arrays and nothing else; a digest is their bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, whole_lines
from engine.by_reference import by_reference
from engine.model.elements import LAST_STOP, TIE_WIDTH

# Columns of State.arcs, float64 (n, ARC_WIDTH): a body's motion from its own start time on.
T0 = 0  # local clock: start of the arc [s]
POSITION = 1  # 3, centre of mass at T0 [m]
ORIENTATION = 4  # 4, w x y z at T0
VELOCITY = 8  # 3, of the centre of mass at T0 [m/s]
OMEGA = 11  # 3, of a ballistic arc: angular velocity at T0 in the body frame [rad/s]
OMEGA_MAX = 14  # bound of |omega| over the whole arc (Mirtich 1996, eq. 2.5) [rad/s]
STOPPED = 15  # why it stands where it last was: LOST, CRUSHED or TORN; 0: it does not
HELD = 16  # 0: the body flies; STEPPING or ASLEEP: its contact group holds it, and the columns below count
HELD_UNTIL = 17  # end of the step [s]
HELD_OMEGA = 18  # 3, angular velocity at T0, world axes [rad/s]
HELD_ACCELERATION = 21  # 3, of the centre of mass through the step [m/s^2]
HELD_ALPHA = 24  # 3, angular acceleration through the step; of a polynomial arc, that of its turn [rad/s^2]
HELD_PUSH = 27  # 3, pseudo-velocity that corrects gaps: it moves the body and has no energy [m/s]
HELD_TURN = 30  # 3, of an arc about a fixed axis: what turns it, pseudo-velocity and all, in the body frame [rad/s]
SPEED_BOUND = 33  # no point of it is faster, through this step and those after it, until this is raised [m/s]
POLY_RATE = 34  # of a polynomial arc: 1 / the step's length [1/s]; 0: the arc turns about a fixed axis
POLY_SLACK = 35  # bounds by how much its angular velocity changes within the step; 0: bounds know already [rad/s]
POLY_FLOW = 36  # 3, mean velocity less the mean of those at its ends [m/s]
POLY_TURN_FLOW = 39  # 3, as POLY_FLOW, of its turn [rad/s]
POLY_TURN_PUSH = 42  # 3, as HELD_PUSH, turning it [rad/s]
POLY_BENDS = 45  # 12, accelerations at both ends less those of its cubic, then those of its turn likewise
POLY_BULGE = 57  # 18, how it bulges about the middle of its step beyond the path so far: times 1, y and y^2 of the part
# y of the step from there on, then those of its turn [m], [rad]
ARC_WIDTH = 75

# Values of HELD.
STEPPING = 1.0
ASLEEP = 2.0

# Values of STOPPED.
LOST = 1.0  # its numbers were no longer finite
CRUSHED = 2.0  # nothing that it can do satisfies its contacts
TORN = 3.0  # nor its joints

# Columns of State.boxes, float64 (n, BOX_WIDTH): the swept box that the broad phase holds.
LOW = 0  # 3 [m]
HIGH = 3  # 3 [m]
UNTIL = 6  # the box contains the body until then [s]
NEAR = 7  # how many boxes it meets, by the pairs of the body: the ground's among them
BOX_WIDTH = 8

# Columns of State.pairs, float64 (capacity, PAIR_WIDTH): eight fill a cache line, those that are read together.
GAP = 0  # at the last check [m]
CHECKED = 1  # time of the last check [s]
FLOOR = 2  # what the gap was at least at FLOOR_TIME [m]: measured, or bounded from there
FLOOR_TIME = 3  # [s]
FALL_A = 4  # in tau from then on it falls by FALL_A tau^2 + FALL_B tau at most [m/s^2]
FALL_B = 5  # [m/s]
PAIR_ENVELOPE = 6  # [m]
BORE_AT = 7  # while it is held: when it last bore something, or was taken up [s]
POINT_A = 8  # 3, closest point on a at the last check [m]
POINT_B = 11  # 3
CREDIT = 14  # what this pair's collisions have dissipated and microcollisions may draw on [J]
SINCE = 15  # since when it is in its state [s]; -inf: from its beginning
NORMAL = 16  # 3, unit, from b to a
PAIR_SURFACE = 19  # 5: mu static, mu dynamic, restitution, levers of rolling and of spinning resistance
LAST_MICRO = 24  # time of the last microcollision [s]; -inf: none since the last collision that was none
BEFORE_OFFSET = 25  # 3, centre of a seen from b's then [m]
BEFORE_VELOCITY = 28  # 3, of a's centre less that of b's, just after it [m/s]
MICRO_LOAD = 31  # what its microcollisions bore lately, at the last of them [N]
BEFORE_OMEGA_A = 32  # 3, angular velocities just after it, world axes [rad/s]
BEFORE_OMEGA_B = 35  # 3
CAME_AT = 38  # when it was last left to impulses because it came fast [s]; -inf: never
LAST_HIT = 39  # time of the last hit [s]; -inf: none
BEFORE_ARM_A = 40  # 3, from a's centre to where it hit [m], world axes
BEFORE_ARM_B = 43  # 3
MET_SPEED = 46  # how fast it came when it was last hit from further away than its envelope [m/s]
CRUSHED_AT = 47  # since when its hits, or presses that no hit parts, are counted as of one instant [s]; -inf: never hit
PAIR_WIDTH = 48

# Columns of State.links, int64 (capacity, LINK_WIDTH): bookkeeping of a pair. What whoever walks through a body's pairs
# asks of each fills a cache line.
BODY_A = 0  # the body with the smaller row
BODY_B = 1
NEXT_A = 2  # lists of a body's pairs, doubly linked; -1 ends them
NEXT_B = 3
PREV_A = 4
PREV_B = 5
PAIR_STATE = 6  # one of those below; a held pair is not in the event queue
PART = 7  # row of the first pair that this one is unwrapped into; -1: it is not
SHAPE_A = 8  # rows in the shape pool of the two nodes whose pair this is
SHAPE_B = 9
FEATURE_A = 10  # of the last check: the start of the next (coherence); -1: none
FEATURE_B = 11
BOUND_A = 12  # vertices that bounded the last TOI: the start of the next search
BOUND_B = 13
IN_USE = 14
PARENT = 15  # row of the pair of nodes that was unwrapped into this one; -1: it is the pair of the roots
NEXT_PART = 16  # row of the next pair of the same parent; -1 ends them
QUIET_HITS = 17  # while it settles: how many of its last hits in a row were quiet microcollisions
CRUSHES = 18  # how many more there have been in it
LINK_WIDTH = 24  # whole lines

# Values of PAIR_STATE, see engine.group.pair_states.
PAIR_FREE = 0
PAIR_SETTLING = 1
PAIR_HELD = 2
PAIR_HELD_OFF = 3

# Columns of State.members, int64 (n, MEMBER_WIDTH): contact groups, each a list of its bodies.
LEADER = 0  # the body whose timer is the group's; -1: the body is in no group
NEXT_MEMBER = 1  # -1 ends the list, which begins with the leader
MEMBERS = 2  # how many there are, of the leader
LOCAL = 3  # place among the bodies of the step that is being made; -1 otherwise
FRESH = 4  # 1: nobody has reckoned with its speed bound yet, for it flew or slept until now
MEMBER_WIDTH = 5

# Columns of State.groups, float64 (n, GROUP_WIDTH); of a leader.
HORIZON = 0  # when its group makes its next step [s]; inf: it is asleep, or there is no group
STEP = 1  # length of the step under way [s]
ENERGY = 2  # of its bodies when the step began [J]
POWER = 3  # what kinematic bodies and motors put in through the step [W]
BOOKED_UNTIL = 4  # until when all that follows has been booked: the step's start [s]
CORRECTION_BUDGET = 5  # energy that position correction may spend on lifting what has sunk [J]
RETRIED = 6  # so many steps are to be no longer than the one under way, whose length had to be found
ELASTIC = 7  # energy in the springs of its contacts at BOOKED_UNTIL, of penalty contact [J]
ELASTIC_POWER = 8  # and what flows into them through the step [W]
LOSS = 9  # 4, by CAUSES: what contacts take in the step [J]
LOSS_FIRST = 13  # 4, what they would take if they went on as at its start [J]
NUMERICAL = 17  # what the step takes besides: pushes, slowing, snapping to rest [J]
NEXT_STEP = 18  # the longest that the next step may be, by the error of this one [s]
GROUND = 19  # 1: it touches what is static or kinematic in the step, or a joint of it does
NEWTON_DEBT = 20  # updates of points that Newton's method took the time of in vain, and sweeps have not made yet
POWER_FIRST = 21  # what they would put in if they went on as at its start [W]
ELASTIC_FIRST = 22  # and what would flow into springs [W]
CUT_DEBT = 23  # steps of single bodies that were cut short, beyond what may be
GROUP_WIDTH = 24

# Columns of State.rest, float64 (n, REST_WIDTH); of every body that is held, see engine.group.stillness.
CALM_SINCE = 0  # since when it has been slow [s]
STILL_SINCE = 1  # since when it has come no farther than what any force would move it [s]
LOOKED = 2  # when it was looked last how far it comes [s]
LOOKED_AT = 3  # 7, where it was then: position [m], orientation
REST_WIDTH = 10

# Columns of State.patches, float64 (capacity, PATCH + points PATCH_STRIDE): what a lasting contact bore in its last
# step.
PATCH_POINTS = 0  # how many points it had
PATCH_FRICTION = 1  # 1: it slid
PATCH_COUPLE = 2  # 3, of resistance, on a, over the step [N m s], world axes
PATCH_STEP = 5  # that step's length [s]
PATCH_TURNED = 6  # by how much u changed at a point to the middle of that step, as it turned [m/s]
PATCH_DEPTH = 7  # of a single spring: how deep it was at that step's end [m]
PATCH = 8  # for each point: PATCH_STRIDE columns
PATCH_OFFSET = 0  # 3, from the free body's centre (a's, if it is free) in the middle of that step [m], world axes
PATCH_IMPULSE = 3  # 3, on a, over the step [N s], world axes
PATCH_STRIDE = 6

# Columns of State.tiles, int64 (n, TILE_WIDTH): where the spatial hash holds a body's box.
TILE_LOW = 0  # 3, its first tile at the finest resolution
TILE_HIGH = 3  # 3, its last one
RESOLUTION = 6  # its own; -1: not stored; the number of resolutions: too large for all of them
NEXT_LARGE = 7  # list of those that are too large; -1 ends it
TILE_WIDTH = 8

# Columns of State.records, int64 (records, RECORD_WIDTH): labels of boxes in the tiles of a bucket of the spatial hash.
RECORD_SIZE = 0  # labels in it
RECORD_NEXT = 1  # of a bucket's first record: its last one, or -1; of one that spills: the one before it
RECORD_LABELS = 2  # and on: key of the tile << 32 | label
RECORD_WIDTH = 16

# Columns of State.close, int64 (capacity, CLOSE_WIDTH), besides BODY_A, BODY_B and the lists NEXT_A .. PREV_B.
CLOSE_COUNT = 6  # tiles that the pair shares; 0: the row is free
CLOSE_WIDTH = 8

# Entries of State.clock, float64.
TIME = 0  # world time [s]
WORK = 1  # put in by pulls and by kinematic bodies' contacts [J]
SMALLEST_GAP = 2  # that any check saw [m]
DISSIPATED = 3  # 5, by cause [J]:
SLIDING = 0  # friction
IMPACT = 1  # what comes nearer along a normal, net of what microcollisions drew from credit
RESISTANCE = 2  # couples against rolling and spinning
DAMPING = 3  # dashpots
NUMERICS = 4  # what no force takes: pushes, slowing, snapping to rest, integration
CAUSES = 4  # of those a force takes
CLOCK_WIDTH = 8

# Entries of State.counts, int64. Each is documented in engine.recording.counters.COUNTERS.
PAIR_CHECKS = 0
COLLISIONS = 1
MICROCOLLISIONS = 2
HEAP_POPS = 3
BOX_UPDATES = 4
FEATURE_STEPS = 5
STALLS = 6
PAIRS_MADE = 7
PAIRS = 8  # in use now
HEAP_SIZE = 9
FREE_HEAD = 10  # head of the list of free pair rows, linked through NEXT_A
SAME_TIME = 11  # events in a row at one instant
KICKS = 12
FAULTS = 13  # collision integrations that hit their step limit and were resolved by the fallback
UNWRAPS = 14  # pairs of hulls that were unwrapped
GROWN = 15  # times that contact groups needed more rows than a desk had: who goes on from here has as many
HASH_UPDATES = 16
BUCKET_CHECKS = 17
EXCHANGES = 18
CLOSE_PAIRS = 19  # in use now
CLOSE_FREE = 20  # head of the list of free rows for close pairs, linked through NEXT_A
SOON_SIZE = 21
FREE_RECORD = 22  # head of the list of free records of the spatial hash, linked through RECORD_NEXT
FIRST_LARGE = 23  # head of the list of boxes too large for tiles
GROUP_STEPS = 24
GROUP_SWEEPS = 25
GROUP_RETRIES = 26
SWITCHES = 27
COUNT_WIDTH = 28

# Entries of State.pull, float64: the mouse spring. Inactive while PULL_BODY < 0.
PULL_BODY = 0
PULL_POINT = 1  # 3, in the body frame [m]
PULL_TARGET = 4  # 3 [m]
PULL_STIFFNESS = 7  # [N/m]
PULL_DAMPING = 8  # [N s/m]
PULL_NEXT = 9  # time of the next kick [s]; inf: steps of its contact group bear the spring
PULL_WIDTH = 12

# Columns of State.loads, float64 (n, LOAD_WIDTH).
NEXT_KICK = 0  # when what is applied to the body acts next [s]; inf: never
PUSH = 1  # 3, force that is part of its acceleration now, world axes [N]
PUSH_START = 4  # its work [J] is PUSH times the body's position, less this
COUPLE = 5  # 3, torque that the steps of its contact group bear if it is held, world axes [N m]
UNEVEN = 8  # 3, what joints gave it in a step that was cut short, more than that part of what they bear [N s]
UNEVEN_TURN = 11  # 3, and that about its centre [N m s]
LOAD_WIDTH = 14


# Columns of State.bearing, float64 (joints, BEARING_WIDTH): what joints bear, on body b, world axes.
BORNE = 0  # 3, over the last step of their group, evenly [N s]
BORNE_COUPLE = 3  # 3, about BORNE_POINT [N m s]
BORNE_POINT = 6  # 3, the joint in the middle of that step [m]
STRUCK = 9  # 3, what it was given at once since the start [N s]
STRUCK_TURN = 12  # 3, and that about the origin [N m s]
PUT_OFF = 15  # 1: what it bears in the step under way is to be found, from the arcs of that
BEARING_WIDTH = 16


@by_reference
class State(NamedTuple):
    """What moves. `pipeline.advance` writes all of it; the façade writes `pull`, and grows arrays between calls."""

    clock: Floats  # (CLOCK_WIDTH,)
    counts: Ints  # (COUNT_WIDTH,)
    arcs: Floats  # (n, ARC_WIDTH)
    boxes: Floats  # (n, BOX_WIDTH)
    first_pair: Ints  # (n,) head of each body's list of pairs
    pairs: Floats  # (capacity, PAIR_WIDTH)
    links: Ints  # (capacity, LINK_WIDTH)
    table: Ints  # (2 * slots,) open-addressing hash: pair key, row
    heap: Ints  # (n + capacity,) the event queue: event ids: body timers 0..n-1, then pair rows
    place: Ints  # (n + capacity,) where an event stands in the heap; -1: nowhere
    keys: Floats  # (n + capacity,) by place: the time of the event that stands there [s]
    rank: Ints  # (n + capacity,) an event's order among those of one time
    soon: Ints  # (n + capacity,) heap of the events that are due now; they stand in `heap`, too, for a later time
    soon_keys: Floats  # (n + capacity,) by place in `soon`: now [s]
    soon_place: Ints  # (n + capacity,) where an event stands in `soon`; -1: nowhere
    ends: Ints  # (3, 2 n) sweep and prune: box ends in order along each axis, id = 2 * body + (1 if high)
    spot: Ints  # (3, 2 n) where each end stands in `ends`
    tiles: Ints  # (n, TILE_WIDTH) spatial hash, see collision.tiles: where each box is stored
    labels: Ints  # (8 * resolutions * n,) where its labels stand: record * RECORD_WIDTH + column; -1: nowhere
    records: Ints  # (records, RECORD_WIDTH) labels by bucket: two records each, then those into which they spill
    close: Ints  # (capacity, CLOSE_WIDTH) close counters, see collision.close_pairs
    close_table: Ints  # (2 * slots,) open-addressing hash: pair key, row of `close`
    first_close: Ints  # (n,) head of each body's list of close pairs
    members: Ints  # (n, MEMBER_WIDTH)
    groups: Floats  # (n, GROUP_WIDTH)
    rest: Floats  # (n, REST_WIDTH)
    patches: Floats  # (capacity, columns), by row of `pairs`; (0, PATCH) where nothing lasts
    pull: Floats  # (PULL_WIDTH,)
    loads: Floats  # (n, LOAD_WIDTH) what is applied to each body now
    joints: Floats  # (joints, TIE_WIDTH) how joints with elements stand, see engine.model.elements
    bearing: Floats  # (joints, BEARING_WIDTH), in the order of Joints.joints


def most_points(patches: Floats) -> int:
    """The most points that a lasting contact has in State.patches; 0: none lasts."""
    return int(patches.shape[1] - PATCH) // PATCH_STRIDE


def allocate_state(n: int, capacity: int, points: int = 0, joints: int = 0) -> State:
    """A State of n bodies and joints with room for `capacity` pairs; no event waits yet, there is no broad phase.

    points: the most that a lasting contact has; 0: none lasts.
    """
    slots = 16
    while slots < 2 * capacity:
        slots *= 2
    links = whole_lines((capacity, LINK_WIDTH), np.int64)
    links[:] = -1
    links[:, IN_USE] = 0
    links[:-1, NEXT_A] = np.arange(1, capacity)
    counts = np.zeros(COUNT_WIDTH, dtype=np.int64)
    clock = np.zeros(CLOCK_WIDTH)
    clock[SMALLEST_GAP] = np.inf
    pull = np.zeros(PULL_WIDTH)
    pull[PULL_BODY] = -1.0
    pull[PULL_NEXT] = np.inf
    groups = np.zeros((n, GROUP_WIDTH))
    groups[:, HORIZON] = np.inf
    rest = np.zeros((n, REST_WIDTH))
    rest[:, LOOKED] = -np.inf
    loads = np.zeros((n, LOAD_WIDTH))
    loads[:, NEXT_KICK] = np.inf
    ties = np.zeros((joints, TIE_WIDTH))
    ties[:, LAST_STOP] = -np.inf
    return State(
        clock=clock,
        counts=counts,
        arcs=np.zeros((n, ARC_WIDTH)),
        boxes=np.zeros((n, BOX_WIDTH)),
        first_pair=np.full(n, -1, dtype=np.int64),
        pairs=whole_lines((capacity, PAIR_WIDTH), np.float64),
        links=links,
        table=np.full(2 * slots, -1, dtype=np.int64),
        heap=np.full(n + capacity, -1, dtype=np.int64),
        place=np.full(n + capacity, -1, dtype=np.int64),
        keys=np.full(n + capacity, np.inf),
        rank=np.zeros(n + capacity, dtype=np.int64),
        soon=np.full(n + capacity, -1, dtype=np.int64),
        soon_keys=np.full(n + capacity, np.inf),
        soon_place=np.full(n + capacity, -1, dtype=np.int64),
        ends=np.zeros((3, 0), dtype=np.int64),
        spot=np.zeros((3, 0), dtype=np.int64),
        tiles=np.zeros((0, TILE_WIDTH), dtype=np.int64),
        labels=np.zeros(0, dtype=np.int64),
        records=np.zeros((0, RECORD_WIDTH), dtype=np.int64),
        close=np.zeros((0, CLOSE_WIDTH), dtype=np.int64),
        close_table=np.zeros(0, dtype=np.int64),
        first_close=np.zeros(0, dtype=np.int64),
        members=np.full((n, MEMBER_WIDTH), -1, dtype=np.int64),
        groups=groups,
        rest=rest,
        patches=np.zeros((capacity if points > 0 else 0, PATCH + points * PATCH_STRIDE)),
        pull=pull,
        loads=loads,
        bearing=np.zeros((joints, BEARING_WIDTH)),
        joints=ties,
    )
