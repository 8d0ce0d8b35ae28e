"""Joints of a Model: what they are between, in what frames, and how their rows hang together.

A *linkage* is a set of free bodies that joints tie to each other, with all joints at them. Its *entries* are these
bodies and whatever else its joints hold on to: static and kinematic bodies, and the world. Joints of a linkage stand in
an order in which those at one body are near each other, so that the matrix J M^-1 J^T of their rows fits into a narrow
skyline: to the left of START its row is zero, and stays zero while it is factored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.by_reference import by_reference
from engine.maths.skyline import SKYLINE_WIDTH
from engine.model.elements import ELEMENT_WIDTH
from engine.model.trees import Trees, no_trees

# Kinds of joints, besides PLANAR, and how many rows of each sort they have. Rows along s, t, u of the first body's
# frame, of planar joints along u, hold a point; angular rows hold u square to s, u square to t, and s square to t, each
# pair of one axis of either body. Hinges and sliders whose motion may stop have one row more, along or about u: a lock,
# which holds nothing while they are loose.
BALL = 0
HINGE = 1
SLIDER = 2
WELD = 3
LINEAR_ROWS = (3, 3, 2, 3, 1)
ANGULAR_ROWS = (0, 2, 3, 3, 2)

# Columns of Joints.frames, float64 (joints, FRAMES_WIDTH).
ANCHOR_A = 0  # 3, from the centre of mass of the first body, in its frame [m]
ANCHOR_B = 3  # 3
AXES_A = 6  # 3 x 3: s, t, u, of which u is the joint's axis, in the frame of the first body
AXES_B = 15  # 3 x 3
FRAMES_WIDTH = 24

# Columns of Joints.joints, int64 (joints, JOINT_WIDTH).
JOINT_KIND = 0
ENTRY_A = 1  # entries of the two sides
ENTRY_B = 2
FIRST_ROW = 3
LINEAR = 4  # how many rows hold a point, how many a direction
ANGULAR = 5
AUTHORED = 6  # its place in the scene
LOCK_ROW = 7  # its lock; -1: it has none
ACTS = 8  # 1: it has elements
JOINT_WIDTH = 9

# Columns of Joints.entries, int64 (entries, ENTRY_WIDTH).
ENTRY_BODY = 0  # row of the body; -1: the world
ENTRY_FREE = 1  # 1: it is dynamic, and of the linkage
ENTRY_WIDTH = 2

# Columns of Joints.couples, int64 (couples, COUPLE_WIDTH): pairs of sides of joints at one free entry.
COUPLE_JOINT = 0  # the later joint
COUPLE_OTHER = 1  # the same or an earlier one
COUPLE_ENTRY = 2
COUPLE_SIDE = 3  # of the later one: 0: a, 1: b
COUPLE_OTHER_SIDE = 4
COUPLE_WIDTH = 5

# Columns of Joints.linkages, int64 (linkages, LINKAGE_WIDTH).
FIRST_ENTRY = 0
ENTRIES = 1
FIRST_JOINT = 2
JOINTS = 3
LINKAGE_ROW = 4  # first of its rows
ROWS = 5
FIRST_COUPLE = 6
COUPLES = 7
DRIVEN = 8  # 1: a kinematic body holds it
ACTING = 9  # how many of its joints have elements
LINKAGE_WIDTH = 10


@by_reference
class Joints(NamedTuple):
    """Joints in the order in which they are solved. `mates`: for bodies that do not collide because joints tie them,
    at tags[body, MATES]: how many there are, then their rows."""

    frames: Floats  # (joints, FRAMES_WIDTH)
    joints: Ints  # (joints, JOINT_WIDTH)
    entries: Ints  # (entries, ENTRY_WIDTH)
    couples: Ints  # (couples, COUPLE_WIDTH)
    skyline: Ints  # (rows, SKYLINE_WIDTH), see engine.maths.skyline
    linkages: Ints  # (linkages, LINKAGE_WIDTH)
    mates: Ints  # (k,)
    elements: Floats  # (joints, ELEMENT_WIDTH), see engine.model.elements
    trees: Trees  # of the linkages that close no loop


def no_joints() -> Joints:
    """The tables of a scene without joints."""
    return Joints(
        frames=np.zeros((0, FRAMES_WIDTH)),
        joints=np.zeros((0, JOINT_WIDTH), dtype=np.int64),
        entries=np.zeros((0, ENTRY_WIDTH), dtype=np.int64),
        couples=np.zeros((0, COUPLE_WIDTH), dtype=np.int64),
        skyline=np.zeros((0, SKYLINE_WIDTH), dtype=np.int64),
        linkages=np.zeros((0, LINKAGE_WIDTH), dtype=np.int64),
        mates=np.zeros(0, dtype=np.int64),
        elements=np.zeros((0, ELEMENT_WIDTH)),
        trees=no_trees(),
    )
