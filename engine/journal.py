"""The log of what happens inside the loop: lines that kernels write and the world takes away as events.

Whoever lets the loop go on sees to it that there is room: nothing here looks.
"""

from __future__ import annotations

from engine.kernel import kernel
from engine.model.model import Floats, Ints

# Columns of a log, float64 (room, LOG_WIDTH).
LOG_TIME = 0
LOG_KIND = 1
LOG_A = 2
LOG_B = 3
LOG_IMPULSE = 4  # 3, on a [N s]
LOG_POINT = 7  # 3 [m]
LOG_NODE_A = 10  # nodes of the pair
LOG_NODE_B = 11
LOG_REASON = 12
LOG_NORMAL = 13  # 3, of the contact that was hit, from b to a; 0 for other lines
LOG_STATE = 16  # of the pair from now on, in lines about its paradigm and what has stopped it in a group
LOG_COUPLE = 17  # 3, on a [N m s], of resistance and of what acts at other points
LOG_WIDTH = 20

# Kinds of lines.
COLLISION = 0
MICROCOLLISION = 1
ARREST = 2  # what flew into a lasting contact at the start of a step is stopped there
STOP = 3  # body a stands still from now on: its numbers are no longer finite, it is crushed, or torn
TO_CONSTRAINT = 4  # constraint forces keep the contact from now on
TO_IMPULSE = 5  # it is left to impulses, or to nothing
SLEEP = 6  # the group of body a rests from now on
WAKE = 7
CONTACT_IMPULSE = 8  # an impulse without a collision, where no contact forces exist

# Reasons of TO_CONSTRAINT, TO_IMPULSE and CONTACT_IMPULSE, and the last two of STOP.
NONE = 0
LAY_STILL = 1
SETTLED = 2
TOUCHED_GROUP = 3
NEAR_IN_GROUP = 4
CONSTRAINTS_ONLY = 5
GAP_OPENED = 6
CAME_FAST = 7
BORE_NOTHING = 8
FACE_BESIDE = 9
NO_STEP_HELD = 10
PRESSED = 11
SHOOK = 12
NO_FORCES = 13
NOT_FINITE = 14
CRUSHED = 15
TORN = 16


@kernel
def write_line(
    log: Floats,
    size: Ints,
    t: float,
    kind: int,
    reason: int,
    a: int,
    b: int,
    nodes: tuple[int, int],
    p: tuple[float, float, float],
    at: tuple[float, float, float],
) -> None:
    """Add a line about bodies a and b, and their nodes; size (1,) counts the lines.

    In a full log the last line is written anew: no step has been seen that fills a third of the room that it has.
    """
    line = min(size[0], log.shape[0] - 1)
    size[0] = line + 1
    log[line, LOG_TIME] = t
    log[line, LOG_KIND] = kind
    log[line, LOG_REASON] = reason
    log[line, LOG_A] = a
    log[line, LOG_B] = b
    log[line, LOG_STATE] = 0.0
    log[line, LOG_NODE_A] = nodes[0]
    log[line, LOG_NODE_B] = nodes[1]
    for k in range(3):
        log[line, LOG_IMPULSE + k] = p[k]
        log[line, LOG_POINT + k] = at[k]
        log[line, LOG_NORMAL + k] = log[line, LOG_COUPLE + k] = 0.0


@kernel
def note_normal(log: Floats, size: Ints, n: tuple[float, float, float]) -> None:
    """The last line is about a hit along this normal."""
    for k in range(3):
        log[size[0] - 1, LOG_NORMAL + k] = n[k]


@kernel
def note_couple(log: Floats, line: int, couple: tuple[float, float, float]) -> None:
    """That line is about a hit that turns body a by this [N m s], besides what its impulse does."""
    for k in range(3):
        log[line, LOG_COUPLE + k] = couple[k]
