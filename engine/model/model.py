"""The Model: constants that are compiled once from a Scene and never change while it runs.

Hot constants of a body are one row of one wide float table; kernels take the table and a row. The columns are
grouped by who reads them.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.arrays import Floats, Ints
from engine.by_reference import by_reference
from engine.model.joints import Joints

# Kinds of arc. A free body flies ballistic arcs; the others follow a formula and have infinite mass.
FREE = 0
FIXED = 1
SPINNER = 2
CYCLER = 3  # an oscillator is a cycler whose ellipse is a line
KEYFRAMES = 4
ACCELERATED = 5

# Columns of Model.bodies, float64 (n + segments, BODY_WIDTH). Below the bodies: segments of paths, and keys of loads.
MASS = 0  # [kg]; 0 for static and kinematic bodies
INV_MASS = 1  # [1/kg]
MOMENTS = 2  # 3 principal moments [kg m^2]
INV_MOMENTS = 5  # 3 [1/(kg m^2)]
RADIUS = 8  # bounding radius about the centre of mass, the shape's own radius included [m]
ARM = 9  # largest distance of the core from the centre of mass [m]: 0 for a sphere, whose surface no spin moves
KAPPA = 10  # bound of |alpha| / omega_max^2 in free rotation [1]
GRAVITY = 11  # 3, acceleration while ballistic: gravity, and what a push adds, which may change (State.loads) [m/s^2]
SIZE = 14  # characteristic size for the automatic envelope [m]
FRAME = 15  # 7, pose of the authored frame in the body frame: x y z, w x y z
# 10. Spinner: axis x y z, rate [rad/s], centre x y z [m]. Cycler: radius x y z at the angle 0 and x y z at a quarter
# turn [m], rate >= 0 [rad/s], phase [rad]. Keyframes: first row of its segments, how many, 1 if they loop, top speed.
# Accelerated: axis x y z, rate at time 0 [rad/s], angular acceleration [rad/s^2], centre x y z at time 0 [m], until
# when it accelerates [s]; and from TRAVEL on its velocity at time 0 and its acceleration.
SCRIPT = 22
# Of a free body the same columns hold what is applied to it (engine.motion.loads):
FORCE_KEYS = 22  # first row of the keys of a force, and how many
FORCE_AXES = 24  # 1: in body axes
FORCE_POINT = 25  # 3, where forces act, from the centre of mass, body axes [m]
TORQUE_KEYS = 28  # as FORCE_KEYS, of a torque
TORQUE_AXES = 30
EXTENT = 32  # 6, box of a kinematic body that does not turn, or of its bounding ball, about its origin: low, high [m]
REVOLUTION = 38  # 0, 1 or 2: the body axis about which shape and inertia are those of revolution; -1: none
TRAVEL = 40  # 3 + 3, of an accelerated body [m/s], [m/s^2]
LOAD_FROM = 40  # of a free body: its kicks begin at this time, inf if there are none, and end at the next [s]
LOAD_UNTIL = 41
OVERDAMPED = 46  # 1: of a first-order world, where nothing has kinetic energy or momentum
BODY_WIDTH = 47

# Columns of a segment of a keyframed path. Times since its start: s = t - SEGMENT_START.
SEGMENT_START = 0  # [s]
SEGMENT_END = 1  # [s]
SEGMENT_MOVE = 2  # 4 x 3, offset from the body's position: coefficients of 1, s, s^2, s^3
SEGMENT_TURN = 14  # 4, turn at the start: w x y z, world axes
SEGMENT_AXIS = 18  # 3, axis of the turn from there on, world axes
SEGMENT_ANGLE = 21  # 3, its angle [rad]: coefficients of s, s^2, s^3

# Columns of a key of a load.
KEY_TIME = 0  # [s]
KEY_VALUE = 1  # 3 [N], [N m]

# Columns of Model.tags, int64 (n, TAG_WIDTH).
KIND = 0
SHAPE = 1  # row in the shape pool, of the root if it is a tree
MATERIAL = 2  # row in Model.surfaces
GROUP = 3  # bodies of one group do not collide; -1: none
FIRST_NODE = 4  # number of its root among the nodes of all bodies: row in the pool - SHAPE + FIRST_NODE names a node
LINKAGE = 5  # the linkage that joints make it part of; -1: none (see engine.model.joints)
ENTRY = 6  # and its entry there
MATES = 7  # where Joints.mates lists those it does not collide with for a joint; -1: none
TAG_WIDTH = 8

# Last axis of Model.surfaces, float64 (materials, materials, SURFACE_WIDTH).
MU_STATIC = 0
MU_DYNAMIC = 1
RESTITUTION = 2
ROLLING = 3  # lever of the rolling resistance [m]
SPINNING = 4  # lever of the spinning resistance [m]
SURFACE_WIDTH = 5

# Entries of Model.settings, float64.
ENVELOPE = 0  # [m]; 0: automatic, by the smaller body's size
GRAVITY_NORM = 1  # [m/s^2]
MICRO_LAW = 2  # 0: Carom's, 1: the thesis's own
BROAD_PHASE = 3  # one of the five below
FINEST_TILE = 4  # side of the hash's smallest tiles [m]
RESOLUTIONS = 5  # how many sizes of tiles there are, each twice the one before
USED_RESOLUTIONS = 6  # a bit for each that some box can need
HEADS = 7  # records of the hash table that start a bucket
CONTACT = 8  # one of the five below
LONGEST_STEP = 9  # of a contact group [s]
MAY_SLEEP = 10  # 1: groups at rest fall asleep
PENALTY_STIFFNESS = 11  # of a contact point [N/m]; 0: by the weight and size of what touches
WORLD_GRAVITY = 12  # 3 [m/s^2]
IMPACTS = 15  # law of impacts, one of the three below
FRICTION_MODEL = 16  # of lasting contacts, one of the four below
SOLVER = 17  # of contact groups, one of the three below
DRAG = 18  # of a first-order world: force per momentum [1/s]
SETTING_WIDTH = 19

# Kinds of contact.
IMPULSE = 0
CONSTRAINT = 1
HYBRID = 2
PENALTY = 3
FIRST_ORDER = 4  # of a first-order world, whatever the scene's contact

# Laws of impacts.
SEQUENTIAL = 0
SIMULTANEOUS = 1
WAVE = 2

# Models of friction.
COULOMB = 0
LOTSTEDT = 1
DYNAMIC_ONLY = 2
QUADRATIC = 3

# Solvers.
AUTOMATIC = 0
SWEEPS = 1
NEWTON = 2

# Broad phases.
HIERARCHICAL_HASH = 0
COUNTING_HASH = 1
STANDARD_HASH = 2
SWEEP_PRUNE = 3
NO_BROAD_PHASE = 4


@by_reference
class Model(NamedTuple):
    """Constants of a scene. All arrays are read-only by convention."""

    bodies: Floats  # (n + segments, BODY_WIDTH)
    tags: Ints  # (n, TAG_WIDTH)
    surfaces: Floats  # (m, m, SURFACE_WIDTH)
    settings: Floats  # (SETTING_WIDTH,)
    geometry: Floats  # shape pool, see engine.geometry.pool
    topology: Ints  # shape pool
    trees: Ints  # (rows of the pool, TREE_WIDTH) children of nodes, see engine.geometry.hull_tree
    fans: Floats  # (k, 3) where sheets go on beside their triangles, see engine.geometry.sheet
    extents: Floats  # (rows of the pool,) sizes of nodes [m]
    joints: Joints
