"""What trees answer to impulses in their group's step, by articulated inertias (Mirtich 1996, 5.3.3).

In time linear in the links, and no joint opens by rounding.
"""

from __future__ import annotations

from engine.group.work import Work
from engine.joints.tables import CHANGE, CHANGE_TURN, LOCKS
from engine.kernel import kernel
from engine.maths.vectors import add, cross, vector_at
from engine.model.joints import FIRST_ENTRY, LOCK_ROW, Joints
from engine.model.model import Floats
from engine.model.trees import (
    ANSWER,
    CENTRE_LEVER,
    FIRST_DOF,
    FIRST_LINK,
    LINK_ENTRY,
    LINK_JOINT,
    LINKS,
    LOCKED,
    Trees,
)
from engine.tree.dynamics import answer_loads, join_inertias
from engine.tree.kinematics import place_base_as, place_links, read_links, weigh_links
from engine.tree.matrices import put


@kernel
def weigh_tree_at(bodies: Floats, joints: Joints, work: Work, link: int) -> None:
    """Articulated inertias of a tree whose entries stand in work.flow, and joints are locked as their rows say."""
    trees, limbs = joints.trees, work.limbs
    place_base_as(trees, limbs, link, joints.entries, joints.linkages[link, FIRST_ENTRY], work.flow)
    read_links(trees, limbs, link, work.flow)
    place_links(trees, limbs, link)
    weigh_links(bodies, trees, limbs, link)
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        j = trees.links[i, LINK_JOINT]
        if j >= 0 and joints.joints[j, LOCK_ROW] >= 0:
            limbs.dofs[trees.links[i, FIRST_DOF], LOCKED] = work.rows[joints.joints[j, LOCK_ROW], LOCKS]
    join_inertias(trees, limbs, link)


@kernel
def answer_as_tree(trees: Trees, work: Work, link: int) -> None:
    """How a tree that has been weighed answers what pushes its links: changes of velocities of its entries."""
    limbs, flow = work.limbs, work.flow
    answer_loads(trees, limbs, link)
    first = trees.trees[link, FIRST_LINK]
    for i in range(first, first + trees.trees[link, LINKS]):
        e, turn = trees.links[i, LINK_ENTRY], vector_at(limbs.links, i, ANSWER)
        moved = add(vector_at(limbs.links, i, ANSWER + 3), cross(turn, vector_at(limbs.links, i, CENTRE_LEVER)))
        put(flow, e, CHANGE_TURN, turn)
        put(flow, e, CHANGE, moved)
