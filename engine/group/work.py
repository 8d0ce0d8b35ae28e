"""The arrays that a step of a contact group works on: its bodies and contact points, gathered from the State."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.arrays import whole_lines
from engine.by_reference import by_reference
from engine.collision.narrow.manifold import MOST_POINTS, OUTLINE_ROWS, POINT_WIDTH, SCRATCH_ROWS
from engine.joints.tables import make_linked
from engine.model.elements import TIE_WORK_WIDTH
from engine.model.joints import Joints
from engine.model.model import Floats, Ints
from engine.model.state import ARC_WIDTH
from engine.model.trees import Limbs
from engine.rounds import Rounds, make_rounds
from engine.simd import LANES
from engine.tree.limbs import make_limbs

# Columns of Work.points: those of a point of a manifold, and
SHARE = POINT_WIDTH  # of a spring of penalty contact: its part of a contact point's stiffness [1]
SPRING_WIDTH = POINT_WIDTH + 1

# Columns of Work.twists, float64, world axes: velocities of the step's bodies, and what sweeps need besides.
V_END = 0  # 3 [m/s], first, see engine.simd: at the end; while impulses are sought, just after them
W_END = 3  # 3 [rad/s], of every twist after its velocity
INV_M = 6  # [1/kg]
INV_I = 7  # 9, inverse inertia where impulses act, rows first [1/(kg m^2)]
V_BEFORE = 16  # 6, twist at the end before the sweep
V_AHEAD = 22  # 6, direction in which it is extrapolated
V_PSEUDO = 28  # 3, pseudo-velocities: position correction moves bodies by them, they have no energy
W_PSEUDO = 31  # 3
V = 34  # 3, at the start
W = 37  # 3
V_FLOW = 40  # 3, what moves besides the mean of the velocities at both ends, and is one
W_FLOW = 43  # 3
V_MOVED = 46  # 6, by how much Newton's method has changed the twist since its round began
V_FREE = 52  # 6, twist where the step's impulses act, before they do
V_BEGUN = 58  # 6, of linkages: twist with which they came to the step, before joints had their say
V_APPLIED = 64  # 6, what is applied through the step changes the twist by
TWIST_WIDTH = 72  # an odd number of cache lines: rows spread over all sets of a cache

# Columns of Work.poses, float64, world axes: where the step's bodies are.
X = 0  # 3, centre of mass at the start [m]
Q = 3  # 4, orientation at the start
X_END = 7  # 3
Q_END = 10  # 4
BENDS = 14  # 12, of linkages: accelerations at the ends of the arc, see POLY_BENDS
INERTIA = 26  # 9, where impulses act, rows first [kg m^2]
X_ACT = 35  # 3, where impulses act
Q_ACT = 38  # 4
PURE_ENERGY = 42  # at the step's end, by impulses alone [J]
FORCE = 43  # 3, what is applied through the step, besides what is part of accelerations [N]
TORQUE = 46  # 3, likewise, about the centre [N m]
APPLIED_WORK = 49  # and what these put in [J]
PURE_SPIN = 50  # 3, of a linkage's first body: its angular momentum about its centre at the end, by impulses [N m s]
ENERGY_END = 53  # at the step's end, corrections and all [J]
OFF_CHORD = 54  # by how much a point of it may leave its chord through the step [m]
RIM_SPEED = 55  # no point of it is faster at the start [m/s]
BULGE = 56  # 18, of trees, see POLY_BULGE
POSE_WIDTH = 74

# Columns of Work.contacts, float64: what every sweep reads and writes of a point, ten cache lines.
NORMAL_AT = 0  # 3 x 3: normal, tangent, tangent
ARM_A = 9  # 3 x 3: r_a x each of them
ARM_B = 18  # 3 x 3
SPIN_A = 27  # 3 x 3: inverse inertia of a times ARM_A
SPIN_B = 36  # 3 x 3
IMPULSE_AT = 45  # 3 [N s]
PRESCRIBED = 48  # 3, what is added to u: what a kinematic body does, and what u_t still changes by to the end [m/s]
TARGET = 51  # target normal velocity: it must not be undercut [m/s]
D_NN = 52  # inverse effective mass [1/kg], of the point's own block D of J M^-1 J^T
D_NT = 53  # 2: D_n1, D_n2
D_TT = 55  # 3: D_11, D_12, D_22
D_MAX = 58  # the larger eigenvalue of D_TT
NORMAL_MASS = 59  # effective mass along the normal, 1 / D_nn [kg]
TANGENT_MASS = 60  # 3: the inverse of D_TT, 11, 12, 22 [kg]
WHOLE_MASS = 63  # 6: the inverse of D, nn, n1, n2, 11, 12, 22 [kg]
STATIC = 69
DYNAMIC = 70
ROLLING_LEVER = 71  # of resistance to rolling [m]
SPINNING_LEVER = 72  # and to spinning [m]
BEFORE = 73  # 3, impulse before the sweep [N s]
AHEAD = 76  # 3, direction in which it is extrapolated [N s]
PSEUDO_IMPULSE = 79  # of position correction [N s]
PSEUDO_TARGET = 80  # its target normal pseudo-velocity [m/s]
CONTACT_WIDTH = 81

# Columns of Work.notes, float64: what else is known of the point.
GAP_AT = 0  # [m]
ENVELOPE_AT = 1  # [m]
POINT = 2  # 3 [m]
WARM = 5  # 3, warm start: where the sweeps begin [N s]
RESTITUTION_AT = 8  # 0: it has bounced in this step
PRESCRIBED_THEN = 9  # 3, what a kinematic body adds to u when impulses act [m/s]
BAND_TARGET = 12  # normal velocity that keeps the gap in its band [m/s]
COUPLE = 13  # 3, of resistance, on a (world) [N m s]
INV_INERTIA = 16  # what a couple of 1 changes the relative turning by at most [1/(kg m^2)]
PRESCRIBED_SPIN = 17  # 3, angular velocity that a kinematic body adds to a's less b's (world) [rad/s]
BEFORE_COUPLE = 20  # 3, couple before the sweep [N m s]
AHEAD_COUPLE = 23  # 3, direction in which it is extrapolated [N m s]
# Newton's method:
SPRING_IMPULSE = 26  # 3, of the point's springs [N s]
SPRING_SLOPE = 29  # 6: how it changes with u, nn, n1, n2, 11, 12, 22 [kg]
MU = 35  # friction that bounds it
LIFT = 36  # what a cone alone would lift a slider by [m/s]
# The penalty method:
STIFFNESS = 37  # k [N/m]; 0: the point bears nothing
DAMPING = 38  # c [N s/m]
TOUCHED = 39  # for how long the point lies inside in the step [s]
CREEP = 40  # speed of sliding up to which friction fades, also of DYNAMIC_ONLY friction [m/s]
STORED = 41  # energy of its spring by its depth at the step's start [J]
STORED_FIRST = 42  # how much that would change by in the step if it went on as at the start [J]
DASHPOT = 43  # impulse of its dashpot [N s]
RESISTED = 44  # the largest couple of resistance that its load allows [N m s]
# Velocities and losses:
U_START = 45  # 3, u at the step's start [m/s]
SLIP = 48  # 2, the slip before the impulse, of which sliding friction opposes a part, too [m/s]
LOST = 50  # 4, by CAUSES: what the point takes in the step [J]
LOST_FIRST = 54  # 4, what it would if it went on as at the start [J]
WORKED = 58  # what a kinematic body or a motor puts in there [J]
U_MEAN = 59  # normal velocity on the mean of before and after the impulses [m/s]
LOAD_BEFORE = 60  # what it bore in the last step, or would in one as long as this: it bounds Lotstedt's friction [N s]
LEAST = 61  # of joint rows: between these lies the impulse [N s], [N m s]
MOST = 62
WAY = 63  # 1: it pushes the joint's position up, -1: down
SOFT = 64  # how fast what a damper or motor gives way to goes for an impulse of 1 [1/kg]; 0: the row is neither
WARM_COUPLE = 65  # 3, where the search for its couple of resistance begins [N m s]
OPPOSED = 68  # 2, what friction opposes besides the slip at the end, in a round of Newton's method [m/s]
SOUGHT = 70  # the speed at which a motor bears nothing [m/s], [rad/s]
TURNED = 71  # by how much u changes to the middle because the point's place and normal do [m/s]
SLIP_LEFT = 72  # so much of the slip at the step's start may be what steps leave at a point that runs about [m/s]
NOTE_WIDTH = 73

# Columns of Work.lifts, float64: what position correction reads and writes of a point, three cache lines.
LIFT_NORMAL = 0  # 3
LIFT_ARM_A = 3  # 3, r_a x that
LIFT_ARM_B = 6  # 3
LIFT_SPIN_A = 9  # 3, inverse inertia of a times LIFT_ARM_A
LIFT_SPIN_B = 12  # 3
LIFT_INV_M_A = 15  # [1/kg]
LIFT_INV_M_B = 16
LIFT_D = 17  # D_NN [1/kg]
LIFT_MASS = 18  # NORMAL_MASS [kg]
LIFT_TARGET = 19  # PSEUDO_TARGET [m/s]
LIFT_IMPULSE = 20  # PSEUDO_IMPULSE [N s]
LIFT_BEFORE = 21  # the same before the sweep
LIFT_AHEAD = 22  # direction in which it is extrapolated
LIFT_WIDTH = 24

# Columns of Work.start, float64: the points at the step's start.
START_POINT = 0  # 3 [m]
START_U = 3  # 3, u there, world axes [m/s]
START_IMPULSE = 6  # 6, what has stopped what flew into the contact, on a, world axes [N s], and its couple [N m s]
START_GAP = 12  # [m]
START_NORMAL = 13  # 3
START_JAM = 16  # 6, contact impulse where no forces exist, likewise; see contact_impulses. It has no couple.
START_WIDTH = 22

# Columns of Work.contact, int64.
SIDE_A = 0  # place of body a in Work.body; -1: it is static or kinematic
SIDE_B = 1
ROW = 2  # of the pair; of joint rows, the joint
SLIDES = 3  # 1: it slid in the last sweep
FRICTION = 4  # law of its friction, one of those of engine.model.model; Coulomb's where it is struck
# Of groups with linkages, see engine.group.joints.answers:
LINK_A = 5  # linkage of body a; -1: it is tied to nothing
LINK_B = 6
ANSWER = 7  # first row of what they answer
ANSWERS_EACH = 8  # rows of each entry of them
ELEMENT = 9  # of joint rows, what of the joint bears, one of those below
THEN = 10  # which of Work.start it was at the step's start; -1: none
FLIES_IN = 11  # 1: something flew into it at the step's start
CONTACT_INTS = 12

# Values of ELEMENT.
END = 0  # of its way
FRICTION_OF_JOINT = 1
DAMPER_OF_JOINT = 2
MOTOR_OF_JOINT = 3

# Work.lanes, float64: blocks of points for sweeps, see engine.group.solve.lanes.
LANE_WIDTH = 70  # numbers of each
GATHERED_WIDTH = 13  # of Work.gathered
MOST_OWN = 16  # pairs of a body, of Work.own
MOST_COLOURS = 62  # bits of an entry of Work.taken
CLASSES = 4  # of points of a colour
MOST_DOMAINS = 64

CORRECTIONS = 3
"""Rows that a pair may need beside its points: where it would touch at the step's end."""

# Columns of Work.domains, int64: of domains, and of the interfaces between them. The last one of each is excluded.
FIRST_BLOCK = 0  # its blocks
LAST_BLOCK = 1
FIRST_ALONE = 2  # what of its points is in none of these, in Work.alone
LAST_ALONE = 3
FIRST_POINT = 4  # all its points, in Work.by_domain
LAST_POINT = 5
DOMAIN_WIDTH = 6

# Columns of Work.changes, float64: what the last sweep has changed in a block, and of Work.changed: in a domain or an
# interface.
MOST_CHANGED = 0  # a point's velocity at most [m/s]
CHANGED_SIZE = 1  # the size of its changes [J]
CHANGED_WIDTH = 2

# Entries of Work.sizes, int64.
BODIES = 0
CONTACTS = 1
PAIRS_HELD = 2
NEEDED = 3  # rows of contacts that there must be room for
CORRECTED = 4  # contact points, with those of the step's end
LINKAGES = 5
ENTRIES_NEEDED = 6  # of the matrix of Newton's method; 0: the group is left to sweeps
ARRESTED = 7  # 1: what flies into contacts at the step's start has been stopped
GROUNDED = 8  # 1: the group touches what is static or kinematic, or a joint of it does
DRIVEN_HERE = 9  # 1: and that moves
BY_NEWTON = 10  # 1: where sweeps are slow Newton's method follows
JAMMED = 11  # 1: it has been asked in this step whether forces exist, see engine.group.solve.contact_impulses
ANSWERS_NEEDED = 12  # rows of Work.answers that there must be room for
JOINT_ROWS = 13  # the last ones of CONTACTS: ends and friction of joints, see engine.group.joints.ends
TORN = 14  # 1 + a body whose joints nothing satisfies; 0: there is none
DOMAINS = 15  # into which the group is cut, see engine.group.solve.domains
MORE_ROWS = 16  # of contacts that the step needs besides those of its points
IN_PLACE = 17  # 1: contact points have the rows still that they had at the step's start
CHAIN = 18  # bodies in the longest chain of contacts, nearly
AROUND = 19  # how many sleepers are gathered with the group whose step may move them
UNEASY = 20  # how many sleepers are being looked at
UNEVEN_HERE = 21  # 1: the group touches what may wake, or what is kinematic and does not turn at a steady rate
MET = 22  # points that the step's middle found and its start had not seen
PAIRS_LISTED = 23  # PAIRS_HELD and those after them that may come to it
SQUEEZED = 24  # 1 + a body that is pressed so that no velocities satisfy its contacts; 0: there is none
SLEEPERS_HERE = 25  # 1: the group touches what sleeps, and may give way
SIZES = 26

# Columns of Work.met, float64: those points, as they were at the step's start.
MET_POINT = 0  # 3, half way between the surfaces [m]
MET_NORMAL = 3  # 3
MET_GAP = 6  # [m]
MET_WIDTH = 7

# Columns of Work.uneasy, int64: sleepers that are being looked at, see engine.group.sleepers.
WHO = 0  # the body, by place among them
STANDING = 1  # by body, one of those below
LOOKS = 2  # by body: how often it was looked at
NEAR = 3  # those that are gathered with a group, by place among them, see engine.group.reached
RING = 4  # by body: so many contacts away from what moves; 0: it is not gathered
UNEASY_WIDTH = 5
# Values of STANDING.
UNLISTED = 0
LISTED = 1
LOADED = 2  # its load may have changed

# Columns of Work.bearing, float64: points that may hold a sleeper, see engine.group.nearest_loads.
BORE = 0  # 3, the force on it that they bore [N]
BEARS = 3  # 3, and that they would bear [N]
LEVER = 6  # 3, from its centre, by its radius [1]
FACING = 9  # 3, the normal, towards it
HELD_MU = 12  # static friction
BEARING_WIDTH = 13

# Rows of Work.balance, float64: forces, and couples by the radius [N]; springs of stiffness 1 are displaced by newtons.
HESSIAN = 0  # 6, by which a net load goes with the displacement
DISPLACEMENT = 6
STEP = 7  # and by how much it changes next
OTHERS = 8  # what else loads the sleeper
NET = 9  # with what the points bear
BALANCE_ROWS = 10

# Columns of Work.unknown, float64: six rows a body, by its place in the matrix.
RESIDUAL = 0  # of Newton's method, downhill [N s], [N m s]
NEWTON_STEP = 1  # what it changes in velocities [m/s], [rad/s]
UNKNOWN_WIDTH = 2

# Entries of Work.link, float64.
LINK_WORK = 0  # what kinematic bodies put in through joints in the step [J]
LINK_ERROR = 1  # error of the flow of the group's linkages, as a part of what is allowed [1]
LONGEST = 2  # the longest step in which no kinematic body leaves its tangent by much [s]
FACTORING = 3  # multiplications that factoring the matrix of Newton's method takes
LIGHTEST = 4  # inverse mass of the lightest body that is swept [1/kg]
ARREST_LOSS = 5  # 4, by CAUSES: what stopping contacts and joints at the step's start has taken [J]
ARREST_WORK = 9  # and what kinematic bodies put in there [J]
PURE_MOMENTUM = 10  # 3, angular momentum at the step's end about X of the first body, by impulses alone [N m s]
LINK_LOSS = 13  # what stopping joints at the step's start has taken [J]; it is part of ARREST_LOSS, too
TURN = 14  # how far what bears wanders about the bodies in the step, as a part of their radius [1]
MISS = 15  # by how much a gap at the end is too low, and lower than foreseen, as a part of the envelope [1]
NEXT = 16  # the longest that the next step may be, by the error of this one [s]
SMALL = 17  # the change of a point's velocity below which a solve is done [m/s]
MEETS = 18  # when something comes in that the step's start did not see [s]; inf: nothing does
EVENT = 19  # when elements of joints want the step to end [s]; inf: they do not
UNCUT = 20  # the longest that it could be made if they did not [s]
LINK_GAIN = 21  # what elements of joints have added to what bodies have [J], but for LINK_WORK
BETA = 22  # by how much impulses are extrapolated before a sweep; above 1 the direction is forgotten
FIRST_SWEEP = 23  # 1: the sweep is the first
STEP_START = 24  # of the step that is being tried [s]
STEP_LENGTH = 25  # [s]
DEBT = 26  # NEWTON_DEBT of the group
CUTS = 27  # CUT_DEBT of the group
SIZE_BEFORE = 28  # of what the last sweep has changed [J]
LINK_WIDTH = 29


@by_reference
class Work(NamedTuple):
    """Scratch; none of it belongs to the simulation's past or future."""

    body: Ints  # (n,) rows of the bodies in the world
    look: Ints  # (n,) 1: the body's other pairs must be looked at again
    root: Ints  # (n,) union-find: which bodies hang together
    last: Ints  # (n,) of a group that is being listed: its last body so far
    twists: Floats  # (n + 1, TWIST_WIDTH), the last of what never moves
    poses: Floats  # (n, POSE_WIDTH)
    contact: Ints  # (room, CONTACT_INTS)
    contacts: Floats  # (room, CONTACT_WIDTH)
    notes: Floats  # (room, NOTE_WIDTH)
    lanes: Floats  # (blocks * LANES * LANE_WIDTH,) blocks of points
    gathered: Floats  # (LANES * GATHERED_WIDTH,) of the block that a thread is at
    sides: Ints  # (blocks * LANES,) places in `twists` of the bodies a of what is in them
    others: Ints  # (blocks * LANES,) and of the bodies b
    kinds: Ints  # (blocks,) see engine.group.solve.lanes
    changes: Floats  # (blocks, CHANGED_WIDTH)
    order: Ints  # (blocks * LANES,) contact points in blocks; -1: the lane is idle
    alone: Ints  # (room,) and in none
    colour: Ints  # (room,) class of a contact point, by colour and kind; -1: it has none
    taken: Ints  # (n,) colours that a body's points have, a bit each
    tally: Ints  # (CLASSES MOST_COLOURS,) how many points there are of it
    begins: Ints  # (CLASSES MOST_COLOURS,) where in `order` the next one goes
    domain: Ints  # (n,) of a body
    by_domain: Ints  # (room,) contact points by domain, and after these by interface
    domains: Ints  # (2 MOST_DOMAINS, DOMAIN_WIDTH)
    changed: Floats  # (2 MOST_DOMAINS, LANES) of which CHANGED_WIDTH are used: one thread's is in no line of another's
    found: Floats  # (room, MOST_POINTS, POINT_WIDTH) points of the pairs that last, before they have rows
    facing: Floats  # (room, 3) and their normals
    many: Ints  # (room,) and how many they are
    still: Ints  # (room,) 1: their bodies get nowhere in half the step
    lifted: Ints  # (n,) 1: position correction moves the body
    lifts: Floats  # (room, LIFT_WIDTH)
    lift_sides: Ints  # (room, 2) places in `twists` of the bodies of the same points; -1: what never moves
    rounds: Rounds  # of tasks that threads share
    pair: Ints  # (room,) rows of the pairs that last
    reason: Ints  # (room,) why they do not, an event of the journal; NONE: they do
    gap: Floats  # (room,) their gaps at the start [m]
    reach: Floats  # (room,) and up to which gap their points count [m]
    first: Ints  # (room,) and the first of their contact points
    points_from: Ints  # (n + 1,) of a body's points in
    points_of: Ints  # (2 room,)
    flying: Ints  # (room,) points that are to be stopped, in a ring
    listed: Ints  # (room,) 1: the point is there
    lowest: Floats  # (room,) what comes in slower need not be stopped: the lowest u of the point [m/s]
    sent: Ints  # (room,) rows of pairs that hits at the step's start make meet
    met: Floats  # (n, MET_WIDTH)
    met_pair: Ints  # (n,) rows of their pairs
    begun: Ints  # (room + 1,) the same at the step's start, and how many there were
    features: Ints  # (room, 2) of a and b that were the closest then
    wandering: Floats  # (room,) how far their only point comes about the bodies in the step, by their radii [1]
    start: Floats  # (room, START_WIDTH)
    scratch: Floats  # (SCRATCH_ROWS, 3)
    points: Floats  # (OUTLINE_ROWS, SPRING_WIDTH), those of a pair
    uneasy: Ints  # (n, UNEASY_WIDTH)
    bearing: Floats  # (SCRATCH_ROWS, BEARING_WIDTH)
    balance: Floats  # (BALANCE_ROWS, 6)
    jolts: Floats  # (n, 6) by body: what stopping others bears on a sleeper in a step [N], [N m]
    sizes: Ints  # (SIZES,)
    linkage: Ints  # (linkages,) those of the group
    waiting: Ints  # (entries,) of its joints so many have no share yet of what it bears
    shared: Ints  # (joints,) 1: it has
    tied: Ints  # (entries,) their places in `body`; -1: static, kinematic, or the world
    answers: Floats  # (rows, 6) what unit impulses at points change the twists of linkages by
    flow: Floats  # (entries, FLOW_WIDTH), see engine.joints.tables
    rows: Floats  # (rows, ROW_WIDTH), likewise
    values: Floats  # matrices of all linkages, see engine.maths.skyline
    link: Floats  # (LINK_WIDTH,)
    limbs: Limbs  # of linkages that are trees
    ties: Floats  # (joints, TIE_WORK_WIDTH) joints with elements, see engine.model.elements
    own: Ints  # (n, MOST_OWN) rows of pairs, see engine.group.own_pairs
    owns: Ints  # (n,) and how many a body has there
    place: Ints  # (n,) of a body in the matrix, see engine.group.solve.newton
    queue: Ints  # (n,) scratch of finding that
    begin: Ints  # (n + 1,) of a body's neighbours in `near`
    near: Ints  # (2 room + 2 joints,)
    fill: Ints  # (6 n, 2) skyline of the matrix
    matrix: Floats  # (entries,)
    unknown: Floats  # (6 n, UNKNOWN_WIDTH)
    trial: Floats  # (2, ARC_WIDTH), arcs that may become those of a pair's bodies
    block: Floats  # (4, 18), rows of a point for both bodies, and those times its stiffness
    watch: Ints  # (WATCH_WIDTH,) where the time goes, see engine.stages


def make_work(n: int, room: int, entries: int, joints: Joints, answers: int, watch: Ints, threads: int) -> Work:
    """Work for groups of up to n bodies with `room` contact points and a matrix of `entries`, and for the joints, with
    `answers` rows for what linkages answer; watch: the stopwatch of the loop; threads: how many may share a step."""
    linked = make_linked(joints)
    return Work(
        body=np.zeros(n, dtype=np.int64),
        look=np.zeros(n, dtype=np.int64),
        root=np.zeros(n, dtype=np.int64),
        last=np.zeros(n, dtype=np.int64),
        twists=np.zeros((n + 1, TWIST_WIDTH)),
        poses=np.zeros((n, POSE_WIDTH)),
        contact=np.zeros((room, CONTACT_INTS), dtype=np.int64),
        contacts=np.zeros((room, CONTACT_WIDTH)),
        notes=np.zeros((room, NOTE_WIDTH)),
        taken=np.zeros(n, dtype=np.int64),
        found=np.zeros((room, MOST_POINTS, POINT_WIDTH)),
        facing=np.zeros((room, 3)),
        many=np.zeros(room, dtype=np.int64),
        still=np.zeros(room, dtype=np.int64),
        pair=np.zeros(room, dtype=np.int64),
        reason=np.zeros(room, dtype=np.int64),
        gap=np.zeros(room),
        reach=np.zeros(room),
        first=np.zeros(room, dtype=np.int64),
        sent=np.zeros(room, dtype=np.int64),
        begun=np.zeros(room + 1, dtype=np.int64),
        features=np.zeros((room, 2), dtype=np.int64),
        wandering=np.zeros(room),
        start=np.zeros((room, START_WIDTH)),
        scratch=np.zeros((SCRATCH_ROWS, 3)),
        points=np.zeros((OUTLINE_ROWS, SPRING_WIDTH)),
        uneasy=np.zeros((n, UNEASY_WIDTH), dtype=np.int64),
        bearing=np.zeros((SCRATCH_ROWS, BEARING_WIDTH)),
        balance=np.zeros((BALANCE_ROWS, 6)),
        jolts=np.zeros((n, 6)),
        sizes=np.zeros(SIZES, dtype=np.int64),
        linkage=np.zeros(len(joints.linkages), dtype=np.int64),
        waiting=np.zeros(len(joints.entries), dtype=np.int64),
        shared=np.zeros(len(joints.joints), dtype=np.int64),
        tied=np.full(len(joints.entries), -1, dtype=np.int64),
        answers=np.zeros((answers, 6)),
        flow=linked.flow,
        rows=linked.rows,
        values=linked.values,
        link=np.zeros(LINK_WIDTH),
        limbs=make_limbs(joints.trees),
        ties=np.zeros((len(joints.joints), TIE_WORK_WIDTH)),
        matrix=np.zeros(entries),
        unknown=np.zeros((6 * n, UNKNOWN_WIDTH)),
        trial=np.zeros((2, ARC_WIDTH)),
        block=np.zeros((4, 18)),
        watch=watch,
        **_tables_of_order(n, room, len(joints.joints)),
        **_tables_of_hits(n, room),
        **_shared_tables(n, room, threads),
    )


def _tables_of_order(n: int, room: int, joints: int) -> dict[str, Any]:
    """Tables of which bodies may touch, which do, or are tied by so many joints, and their places in the matrix."""
    return {
        "own": np.zeros((n, MOST_OWN), dtype=np.int64),
        "owns": np.zeros(n, dtype=np.int64),
        "place": np.zeros(n, dtype=np.int64),
        "queue": np.zeros(n, dtype=np.int64),
        "begin": np.zeros(n + 1, dtype=np.int64),
        "near": np.zeros(2 * room + 2 * joints, dtype=np.int64),
        "fill": np.zeros((6 * n, 2), dtype=np.int64),
    }


def _tables_of_hits(n: int, room: int) -> dict[str, Any]:
    """Tables of which points bodies have, which of those are to be lifted or stopped, and which a step has met."""
    return {
        "points_from": np.zeros(n + 1, dtype=np.int64),
        "points_of": np.zeros(2 * room, dtype=np.int64),
        "lifted": np.zeros(n, dtype=np.int64),
        "lifts": whole_lines((room, LIFT_WIDTH), np.float64),
        "lift_sides": np.zeros((room, 2), dtype=np.int64),
        "flying": np.zeros(room, dtype=np.int64),
        "listed": np.zeros(room, dtype=np.int64),
        "lowest": np.zeros(room),
        "met": np.zeros((n, MET_WIDTH)),
        "met_pair": np.zeros(n, dtype=np.int64),
    }


def _shared_tables(n: int, room: int, threads: int) -> dict[str, Any]:
    """Tables of blocks of contact points, and of the tasks that threads share."""
    blocks = 2 * (room // LANES)  # after a full one of its class a block may have idle lanes
    tasks = n // LANES + room // 2 + 6 * MOST_DOMAINS
    return {
        "lanes": whole_lines((blocks, LANES * LANE_WIDTH), np.float64).reshape(-1),
        "gathered": whole_lines((GATHERED_WIDTH, LANES), np.float64).reshape(-1),
        "sides": np.zeros(blocks * LANES, dtype=np.int64),
        "others": np.zeros(blocks * LANES, dtype=np.int64),
        "kinds": np.zeros(blocks, dtype=np.int64),
        "changes": np.zeros((blocks, CHANGED_WIDTH)),
        "order": np.zeros(blocks * LANES, dtype=np.int64),
        "alone": np.zeros(room, dtype=np.int64),
        "colour": np.zeros(room, dtype=np.int64),
        "tally": np.zeros(CLASSES * MOST_COLOURS, dtype=np.int64),
        "begins": np.zeros(CLASSES * MOST_COLOURS, dtype=np.int64),
        "domain": np.zeros(n, dtype=np.int64),
        "by_domain": np.zeros(room, dtype=np.int64),
        "domains": np.zeros((2 * MOST_DOMAINS, DOMAIN_WIDTH), dtype=np.int64),
        "changed": whole_lines((2 * MOST_DOMAINS, LANES), np.float64),
        "rounds": make_rounds(tasks, threads),
    }
