"""Tables of linkages in motion: entries as they are now, and the rows of joints between them.

Scratch, like the matrices of the rows: what a step of a contact group, or an impact, fills for the linkages it meets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.maths.skyline import OFFSET
from engine.model.joints import Joints

# Columns of the entries' table, float64, world axes.
POSE = 0  # 3 + 4
FLOW_V = 7  # 3 [m/s]
FLOW_W = 10  # 3 [rad/s]
FLOW_INV_M = 13  # [1/kg]; 0: it is static or kinematic
FLOW_INV_I = 14  # 9 [1/(kg m^2)]
FLOW_A = 23  # 3 [m/s^2]
FLOW_ALPHA = 26  # 3 [rad/s^2]
BEGIN = 29  # 13, pose and velocities at the start of a step of the integration
RATES = 42  # 7 x 13, their rates at its stages
STAGE_WIDTH = 13
SHIFT = RATES + 7 * STAGE_WIDTH  # 3, by which closing the joints moves it [m]
SHIFT_TURN = SHIFT + 3  # 3, and turns it [rad]
CHANGE = SHIFT + 6  # 3, by which impulses change its velocity [m/s]
CHANGE_TURN = CHANGE + 3  # 3, and its angular velocity [rad/s]
WANT = CHANGE + 6  # 3, impulse that its joints give it in a step, and nothing else does [N s]
WANT_TURN = WANT + 3  # 3, and that about its centre [N m s]
FLOW_WIDTH = WANT + 6

# Columns of the rows' table, float64.
LINE = 0  # 3, n
LEVER_A = 3  # 3 [m], of angles [1]
LEVER_B = 6  # 3
INV_I_LEVER_A = 9  # 3, inverse inertia of a times LEVER_A
INV_I_LEVER_B = 12  # 3
ERROR = 15  # C
BIAS = 16
AIM = 17  # what C' shall be
SOLUTION = 18  # right side, then solution
TAKEN = 19  # the sum of its solutions: the impulse of the row [N s], of angles [N m s]
LOCKS = 20  # of a lock: 1: it holds
LOCKS_AT = 21  # and where [m], [rad]
ROW_WIDTH = 22


class Linked(NamedTuple):
    """Linkages of a world, and their tables."""

    joints: Joints
    flow: Floats  # (entries, FLOW_WIDTH)
    rows: Floats  # (rows, ROW_WIDTH)
    values: Floats  # matrices of all linkages, see engine.maths.skyline


def make_linked(joints: Joints) -> Linked:
    """Tables for the joints of a Model."""
    rows = len(joints.skyline)
    return Linked(
        joints=joints,
        flow=np.zeros((len(joints.entries), FLOW_WIDTH)),
        rows=np.zeros((rows, ROW_WIDTH)),
        values=np.zeros(int(joints.skyline[-1, OFFSET]) + rows if rows else 0),
    )
