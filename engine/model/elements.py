"""Elements of joints: springs, dampers, friction, ends of their ways (Mirtich 1996, 5.4.1), as columns of tables.

The *position* q of a hinge is the angle of its second body against the first, of a slider how far the second is from
the first, along the joint's axis; both are 0 where the scene places the bodies. Angles count whole turns.
"""

from __future__ import annotations

# Columns of Joints.elements, float64 (joints, ELEMENT_WIDTH). Forces are couples where joints turn.
STIFFNESS = 0  # of a spring, -k (q - rest) [N/m], [N m/rad]
REST = 1  # [m], [rad]
DAMPER = 2  # -c q', also of a ball's angular velocity [N s/m], [N m s]
DRY = 3  # constant friction, against q' [N], [N m]
GAS = 4  # of a hard spring, c / (q - end): a sealed cylinder [N m], [N m rad]
GAS_END = 5  # [m], [rad]
LOW = 6  # the least position, -inf: none [m], [rad]
HIGH = 7
BOUNCE = 8  # restitution at both
MOTOR = 9  # one of those below
TARGET = 10  # [m], [rad], or their rates
GAIN = 11  # force by what is missing in position [N/m], [N m/rad]
RATE_GAIN = 12  # and in speed [N s/m], [N m s]
SUM_GAIN = 13  # and in the integral of the position [N/(m s)], [N m/(rad s)]
STRONGEST = 14  # the most that it bears, inf: no end [N], [N m]
PERIOD = 15  # between its ticks [s]; 0: it acts at every instant
ELEMENT_WIDTH = 16

# Values of MOTOR.
NO_MOTOR = 0.0
HOLDS_POSITION = 1.0
HOLDS_SPEED = 2.0

# Columns of State.joints, float64 (joints, TIE_WIDTH), and the first of Work.ties: how joints with elements stand.
POSITION = 0  # when their group's step began [m], [rad]
LAST_STOP = 1  # when it last hit an end of its way [s]; -inf: never
LOCK = 2  # one of those below
DRIVE = 3  # what its motor bears now [N], [N m]
MISSING = 4  # integral of what is missing in position [m s], [rad s]
NEXT_TICK = 5  # of its motor [s]
BORNE = 6  # what its lock or its ends bore in the last step, on the mean [N], [N m]
RUBS = 7  # and its friction, in contact [N], [N m]
TIE_WIDTH = 8

# Values of LOCK.
LOOSE = 0.0
AT_LOW = 1.0
AT_HIGH = 2.0
STUCK = 3.0  # by friction
IN_CONTACT = 4.0  # ends and friction act by impulses of the step, see engine.group.joints.ends

# Further columns of Work.ties, float64 (joints, TIE_WORK_WIDTH).
SPEED = 8  # at the step's start [m/s], [rad/s]
SLIDES = 9  # the way in which it moves against friction: 1, -1; 0: it stands
LOCKED_AT = 10  # where it is held [m], [rad]
LOCK_FORCE = 11  # what holds it at the step's start [N], [N m]
DAMPED = 12  # what its damper takes in the step [J]
DAMPED_FIRST = 13  # and would if it went on as at the start [J]
RUBBED = 14  # what its friction takes [J]
RUBBED_FIRST = 15
STORED = 16  # in its springs at the start [J]
STORED_END = 17  # and at the end
DRIVEN_BY = 18  # what its motor puts in [J]
EARLIER = 19  # 3, of DAMPED, RUBBED, DRIVEN_BY, in the first half of the step
BEGUN_AT = 22  # position at the start of the step [m], [rad]
BEGUN_RATE = 23  # and speed, when all that flies into something has been stopped [m/s], [rad/s]
BEARS_LOW = 24  # 1: the lower end of its way is a row of the step's solve
BEARS_HIGH = 25
DAMPS = 26  # of its damper, as far as that acts within the flow [N s/m], [N m s]
DRIVES = 27  # the part of its motor's force that acts within the flow: all, 1, or none
TIE_WORK_WIDTH = 28
