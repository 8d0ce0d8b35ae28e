"""Trees of links: linkages whose joints close no loop, in joint coordinates.

A *link* is a dynamic body of such a linkage, with the joint that ties it to the link or body before it, its *parent*;
links stand in an order in which parents come first. A tree hangs from a static or kinematic body or the world, or
floats: then its heaviest body is free to move, as if by a joint. A link's *reference point* is where its joint is, of a
free one its centre of mass. Its *frame* stands at that point: along the joint's axes s, t, u; for what turns freely
along the body's own. Every degree of freedom turns the link about an axis through its reference point, or moves it
along one (Featherstone 2008, table 4.1).

A base has a row of its own among the moving columns of links, behind them all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.by_reference import by_reference

# Kinds of joints of links, besides those of engine.model.joints.
PLANAR = 4  # along s and t, which the parent has, and about u
FREE_LINK = 5  # along world axes x, y, z, and about them
# Columns of Trees.links, int64 (links, LINK_WIDTH).
PARENT = 0  # its row among the moving columns
LINK_ENTRY = 1
LINK_BODY = 2
LINK_KIND = 3  # of its joint
FIRST_DOF = 4
DOFS = 5
FIRST_COORD = 6
LINK_JOINT = 7  # -1: it is free to move
LINK_SIDE = 8  # which side of the joint it is, 0: a, 1: b
LINK_WIDTH = 9

# Columns of Trees.frames, float64 (links, TREE_FRAME_WIDTH).
JOINT_TURN_UP = 0  # 9, the joint's axes as columns, in the parent's frame
JOINT_AT_UP = 9  # 3, the joint from the parent's reference point, in the parent's frame [m]
CENTRE = 12  # 3, centre of mass from the reference point, in the link's frame [m]
BODY_TURN = 15  # 9, the axes of the link's frame as columns, in the body's
BODY_AT = 24  # 3, the reference point from the centre of mass, in the body's frame [m]
LINK_MASS = 27  # [kg]
OWN_INERTIA = 28  # 6, about the reference point, in the link's frame: xx, yy, zz, yz, xz, xy [kg m^2]
TREE_FRAME_WIDTH = 34

# Columns of Trees.trees, int64 (linkages, TREE_WIDTH).
FIRST_LINK = 0
LINKS = 1  # 0: the linkage is no tree
FIRST_TREE_DOF = 2
TREE_DOFS = 3
FIRST_TREE_COORD = 4
TREE_COORDS = 5
BASE_BODY = 6  # -1: the world, also of a tree that floats
TREE_ACTING = 7  # how many of its joints have elements
FLAT = 8  # 1: all its joints are hinges about parallel axes
TREE_WIDTH = 9

# Columns of Limbs.links, float64 (links + linkages, LIMB_WIDTH), world axes.
TURNED = 0  # 9, the link's frame, rows first
AT = 9  # 3, the reference point [m]
LEVER = 12  # 3, from the parent's reference point [m]
CENTRE_LEVER = 15  # 3, from the reference point to the centre of mass [m]
SPIN = 18  # 3 [rad/s]
DRIFT = 21  # 3, velocity of the reference point [m/s]
BIAS_ALPHA = 24  # 3, angular acceleration if no joint accelerated [rad/s^2]
BIAS_A = 27  # 3, and acceleration of the reference point [m/s^2]
# Articulated inertia about the reference point: a couple n and a force f there give n = J alpha + H a, f = H^T alpha +
# M a. Symmetric matrices as xx, yy, zz, yz, xz, xy.
J = 30  # 6 [kg m^2]
H = 36  # 9, rows first [kg m]
M = 45  # 6 [kg]
LOAD = 51  # 6, couple about the reference point and force that are wanting [N m], [N]; or such impulses
ANSWER = 57  # 6, angular and linear acceleration besides the bias; or changes of velocities
START_A = 63  # 6, acceleration of the centre of mass, and angular, at a step's start
END_A = 69  # 6, and at its end
LIMB_WIDTH = 75

# Columns of Limbs.dofs, float64 (dofs, DOF_WIDTH).
AXIS = 0  # 3, world axes
U = 3  # 6, couple and force of the link per unit of acceleration
INV_D = 9
EFFORT = 10  # what accelerates it: its own force or couple, and what the links after it leave
ACTED = 11  # force or couple along it from outside [N], [N m]
DOF_ANSWER = 12  # its acceleration, or change of speed
LOCKED = 13  # 1: it cannot change its speed
HELD_BY = 14  # what locks it: the force or couple along it that keeps its speed [N], [N m]
DOF_WIDTH = 15

# Rows of Limbs.coords and Limbs.speeds, float64 (COORD_WIDTH, coordinates or dofs).
NOW = 0
BEGIN = 1  # at the step's start
STAGE = 2  # 13, rates at the stages of its integration
APART = 15  # by how much speeds may be wrong, over the step
LAID = 16  # where a tree in a plane was laid flat
COORD_WIDTH = 17

# Columns of Limbs.flat, float64 (links + linkages, FLAT_WIDTH), of trees that swing in a plane: along two of its axes
# and about the third.
FLAT_ARM = 0  # 2, at the start the reference point from the parent's [m]
FLAT_ROD = 2  # 2, and mass times the centre of mass from the reference point [kg m]
FLAT_FALL = 4  # 2, gravity [m/s^2]
FLAT_MASS = 6  # [kg]
FLAT_INERTIA = 7  # about the reference point [kg m^2]
FLAT_WAY = 8  # 1: its joint turns it about the third axis, -1: against it
FLAT_FORKS = 9  # so many links hang from it that do not come next to it in the order
FLAT_SPIN = 10  # [rad/s]
FLAT_LEVER = 11  # 2, FLAT_ARM as it is now
FLAT_DRAG = 13  # 2, acceleration of the reference point if its parent did not accelerate [m/s^2]
FLAT_PUSH = 15  # angular acceleration if its parent did not accelerate [rad/s^2]; if it is locked, the couple missing
FLAT_SHARE = 16  # and more per angular acceleration of its parent
FLAT_PULL = 17  # 2, and less per acceleration of its parent's reference point
FLAT_ALPHA = 19  # 3, angular acceleration, and acceleration of the reference point; or changes of velocities
FLAT_FRAME = 22  # 6, at the start the first two axes of its frame, in space
FLAT_GIVEN = 28  # 9, left by links that do not come next: inertia as J, H and M above (xx, yy, xy), couple, force
FLAT_WIDTH = 37

# Rows of Limbs.turns, float64 (TURN_WIDTH, links + linkages), of the same trees.
TURN_ANGLE = 0  # it has turned since the start [rad]
TURN_COS = 1  # of that angle
TURN_SIN = 2
TURN_WIDTH = 3

# What bodies look like to trees: rows of entries, float64, world axes.
SEEN_X = 0  # 3 [m]
SEEN_Q = 3  # 4
SEEN_V = 7  # 3 [m/s]
SEEN_W = 10  # 3 [rad/s]
SEEN_WIDTH = 13


@by_reference
class Trees(NamedTuple):
    """Links of all trees; dofs: 1 where a degree of freedom turns, 0 where it moves."""

    links: Ints  # (links, LINK_WIDTH)
    frames: Floats  # (links, TREE_FRAME_WIDTH)
    dofs: Ints  # (dofs,)
    trees: Ints  # (linkages, TREE_WIDTH)


@by_reference
class Limbs(NamedTuple):
    """Scratch: how links move now, and what is known of their inertia."""

    links: Floats  # (links + linkages, LIMB_WIDTH)
    dofs: Floats  # (dofs, DOF_WIDTH)
    coords: Floats  # (COORD_WIDTH, coordinates)
    speeds: Floats  # (COORD_WIDTH, dofs)
    flat: Floats  # (links + linkages, FLAT_WIDTH)
    turns: Floats  # (TURN_WIDTH, links + linkages)


def no_trees() -> Trees:
    """The tables of a scene without joints."""
    return Trees(
        links=np.zeros((0, LINK_WIDTH), dtype=np.int64),
        frames=np.zeros((0, TREE_FRAME_WIDTH)),
        dofs=np.zeros(0, dtype=np.int64),
        trees=np.zeros((0, TREE_WIDTH), dtype=np.int64),
    )
