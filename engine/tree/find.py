"""Finding the trees of linkages, once, when a Model is built: links in order, their frames and inertias."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.maths.rounding import QUOTIENT
from engine.model import joints as j
from engine.model import model as m
from engine.model import trees as f
from engine.model.joints import HINGE, Joints
from engine.model.trees import Trees
from engine.tree.limbs import COORDS_OF, TURNS_OF

_Frame = tuple[Floats, Floats]

_PARALLEL = QUOTIENT  # sine of the angle between axes that only rounding tells apart


class _Link(NamedTuple):
    entry: int
    parent: int  # its place in the tree; -1: the base
    joint: int  # -1: it is free
    side: int  # which side of the joint it is


def find_trees(joints: Joints, bodies: Floats) -> Trees:
    """The trees of all linkages of `joints`, for bodies as rows of Model.bodies."""
    found = [_order_links(joints, bodies, span) for span in joints.linkages]
    total = sum(len(tree) for tree in found)
    links: list[tuple[int, ...]] = []
    frames: list[Floats] = []
    dofs: list[bool] = []
    spans = np.zeros((len(found), f.TREE_WIDTH), dtype=np.int64)
    coords = 0
    for number, tree in enumerate(found):
        first, first_dof, first_coord = len(links), len(dofs), coords
        own: list[_Frame] = []
        base = -1
        for link in tree:
            kind = f.FREE_LINK if link.joint < 0 else int(joints.joints[link.joint, j.JOINT_KIND])
            body = int(joints.entries[link.entry, j.ENTRY_BODY])
            up = total + number if link.parent < 0 else first + link.parent
            dof, width = len(dofs), len(TURNS_OF[kind])
            links.append((up, link.entry, body, kind, dof, width, coords, link.joint, link.side))
            dofs += TURNS_OF[kind]
            coords += COORDS_OF[kind]
            if link.parent < 0 and link.joint >= 0:
                other = joints.joints[link.joint, (j.ENTRY_B, j.ENTRY_A)[link.side]]
                base = int(joints.entries[other, j.ENTRY_BODY])
            frame = _link_frame(joints, link, kind)
            outer = (np.eye(3), np.zeros(3)) if link.parent < 0 else own[link.parent]
            frames.append(_frame_row(joints, bodies[body], link, frame, outer))
            own.append(frame)
        acting = sum(int(joints.joints[link.joint, j.ACTS]) for link in tree if link.joint >= 0)
        spans[number] = (
            first,
            len(tree),
            first_dof,
            len(dofs) - first_dof,
            first_coord,
            coords - first_coord,
            base,
            acting,
            _is_flat(links[first:], frames[first:]),
        )
    return Trees(
        links=np.array(links, dtype=np.int64).reshape(-1, f.LINK_WIDTH),
        frames=np.array(frames).reshape(-1, f.TREE_FRAME_WIDTH),
        dofs=np.array(dofs, dtype=np.int64),
        trees=spans,
    )


def _is_flat(links: list[tuple[int, ...]], frames: list[Floats]) -> bool:
    """Are all joints of a tree hinges about parallel axes? Those of its links are their frames' third ones."""
    if not links or any(link[f.LINK_KIND] != HINGE for link in links):
        return False
    base = links[0][f.PARENT]
    axes = [frame[f.JOINT_TURN_UP : f.JOINT_TURN_UP + 9].reshape(3, 3)[:, 2] for frame in frames]
    return all(
        np.linalg.norm(np.cross(axis, axes[0] if link[f.PARENT] == base else (0.0, 0.0, 1.0))) <= _PARALLEL
        for axis, link in zip(axes, links, strict=True)
    )


def _order_links(joints: Joints, bodies: Floats, span: Ints) -> list[_Link]:
    """Links of a linkage from its base outwards; none if its joints close a loop, be it through the ground."""
    first_entry, first_joint = int(span[j.FIRST_ENTRY]), int(span[j.FIRST_JOINT])
    entries = range(first_entry, first_entry + int(span[j.ENTRIES]))
    free = [e for e in entries if joints.entries[e, j.ENTRY_FREE]]
    count = int(span[j.JOINTS])
    grounded = len(free) < len(entries)
    if count != (len(free) if grounded else len(free) - 1):
        return []
    at: dict[int, list[tuple[int, int, int]]] = {e: [] for e in entries}
    for k in range(first_joint, first_joint + count):
        a, b = int(joints.joints[k, j.ENTRY_A]), int(joints.joints[k, j.ENTRY_B])
        at[a].append((k, b, 1))
        at[b].append((k, a, 0))
    order: list[_Link] = []
    if grounded:
        ground = [e for e in entries if e not in free]
        waiting = [_Link(e, -1, k, side) for g in ground for k, e, side in at[g]]
    else:
        heaviest = max(free, key=lambda e: (bodies[joints.entries[e, j.ENTRY_BODY], m.MASS], -e))
        waiting = [_Link(heaviest, -1, -1, 0)]
    while waiting:
        link = waiting.pop()
        place = len(order)
        order.append(link)
        waiting += [_Link(e, place, k, side) for k, e, side in reversed(at[link.entry]) if k != link.joint]
    return order if len(order) == len(free) else []


def _link_frame(joints: Joints, link: _Link, kind: int) -> _Frame:
    """Axes of a link's frame as columns, and its reference point, in the body's frame."""
    if link.joint < 0:
        return np.eye(3), np.zeros(3)
    row = joints.frames[link.joint]
    anchor, axes = ((j.ANCHOR_A, j.AXES_A), (j.ANCHOR_B, j.AXES_B))[link.side]
    turn = np.eye(3) if kind == j.BALL else row[axes : axes + 9].reshape(3, 3).T
    return turn, row[anchor : anchor + 3].copy()


def _frame_row(joints: Joints, body: Floats, link: _Link, frame: _Frame, outer: _Frame) -> Floats:
    turn, at = frame
    row = np.zeros(f.TREE_FRAME_WIDTH)
    up, point = np.eye(3), np.zeros(3)
    if link.joint >= 0:
        ends = joints.frames[link.joint]
        anchor, axes = ((j.ANCHOR_B, j.AXES_B), (j.ANCHOR_A, j.AXES_A))[link.side]
        up = outer[0].T @ ends[axes : axes + 9].reshape(3, 3).T
        point = outer[0].T @ (ends[anchor : anchor + 3] - outer[1])
    centre = -(turn.T @ at)
    mass = float(body[m.MASS])
    inertia = turn.T @ np.diag(body[m.MOMENTS : m.MOMENTS + 3]) @ turn
    inertia += mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    row[f.JOINT_TURN_UP : f.JOINT_TURN_UP + 9] = up.ravel()
    row[f.JOINT_AT_UP : f.JOINT_AT_UP + 3] = point
    row[f.CENTRE : f.CENTRE + 3] = centre
    row[f.BODY_TURN : f.BODY_TURN + 9] = turn.ravel()
    row[f.BODY_AT : f.BODY_AT + 3] = at
    row[f.LINK_MASS] = mass
    row[f.OWN_INERTIA : f.OWN_INERTIA + 6] = inertia[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    return row
