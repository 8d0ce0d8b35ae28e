"""Inverse dynamics of a tree of links: what efforts make its joints accelerate as wanted (Mirtich 1996, eq. 5.16).

    efforts = M(q) q'' + h(q, q'),

M being its mass matrix. h has what weight, turning and applied forces ask for, and nothing of springs, dampers and
friction in the joints (engine.tree.inverse).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from engine.arrays import Floats, Ints
from engine.model import joints as j
from engine.model import model as m
from engine.model import trees as f
from engine.model.model import Model
from engine.model.trees import Limbs
from engine.tree.inverse import weigh_tree
from engine.tree.limbs import make_limbs


class Dynamics(NamedTuple):
    """A tree at one instant. Degrees of freedom in the order of `names`, with the signs of the joints' positions.

    names: the joint's own name if it is a hinge or slider; of a ball "NAME.x", "NAME.y", "NAME.z", how it turns about
    world axes; of a planar joint "NAME.s", "NAME.t" along its plane and "NAME.u", how it turns; of a tree that floats
    "BODY.x" and so on for the velocity of its heaviest body, "BODY.wx" and so on for its turning.
    """

    names: tuple[str, ...]
    speeds: Floats  # (n,) q' [rad/s, m/s]
    mass: Floats  # (n, n) M [kg m^2, kg m, kg]
    bias: Floats  # (n,) h [N m, N]

    def efforts(self, accelerations: Floats) -> Floats:
        """What makes the degrees of freedom accelerate so (n,): computed torque [N m, N]."""
        return np.asarray(self.mass @ accelerations + self.bias)

    def place(self, name: str) -> int:
        """The place of a degree of freedom."""
        return self.names.index(name)


class TreePlan(NamedTuple):
    """What of a tree stays as it is, and scratch; n degrees of freedom."""

    link: int  # its linkage
    names: tuple[str, ...]
    signs: Floats  # (n,) -1: counted from the other side of the joint
    limbs: Limbs
    seen: Floats  # (entries, SEEN_WIDTH)


class Joined(Protocol):
    """What a scene says of a joint."""

    @property
    def name(self) -> str: ...
    @property
    def bodies(self) -> tuple[str, ...]: ...


class TreeReader:
    """The dynamics of the trees of a Model, by the names of their joints and bodies."""

    def __init__(self, joints: Sequence[Joined], bodies: tuple[str, ...], row: Callable[[str], int]) -> None:
        """bodies: all names. row: of a body in the Model by its name, KeyError if there is none."""
        self._ends = {joint.name: joint.bodies for joint in joints}
        self._bodies, self._row = bodies, row
        self._plans: dict[int, TreePlan] = {}
        self._places: dict[str, int] = {}

    def read(self, model: Model, arcs: Floats, t: float, name: str) -> Dynamics:
        """The dynamics of the tree that a joint or body is part of; ValueError if that is no tree."""
        if name not in self._places:
            self._places[name] = self._linkage(model, name)
        return tree_dynamics(model, arcs, t, self._plan(model, self._places[name]))

    def _linkage(self, model: Model, name: str) -> int:
        links = [int(model.tags[self._row(body), m.LINKAGE]) for body in self._ends.get(name, (name,))]
        if max(links) < 0:
            raise ValueError(f"no joint ties {name}")
        return max(links)

    def _plan(self, model: Model, link: int) -> TreePlan:
        if link not in self._plans:
            self._plans[link] = plan_tree(model, link, self._bodies, tuple(self._ends))
        return self._plans[link]


def plan_tree(model: Model, link: int, bodies: tuple[str, ...], joints: tuple[str, ...]) -> TreePlan:
    """What stays as it is of linkage `link`; ValueError if its joints close a loop. bodies, joints: their names."""
    trees = model.joints.trees
    first, count = trees.trees[link, [f.FIRST_LINK, f.LINKS]]
    if count == 0:
        raise ValueError("its joints close a loop, so it is no tree")
    links = trees.links[first : first + count]
    other = (links[:, f.LINK_SIDE] == 0) & (links[:, f.LINK_JOINT] >= 0)
    return TreePlan(
        link=link,
        names=tuple(name for row in links for name in _names_of(model, row, bodies, joints)),
        signs=np.repeat(np.where(other, -1.0, 1.0), links[:, f.DOFS]),
        limbs=make_limbs(trees),
        seen=np.zeros((len(model.joints.entries), f.SEEN_WIDTH)),
    )


def _names_of(model: Model, link: Ints, bodies: tuple[str, ...], joints: tuple[str, ...]) -> list[str]:
    if link[f.LINK_JOINT] < 0:
        return [f"{bodies[link[f.LINK_BODY]]}.{axis}" for axis in ("x", "y", "z", "wx", "wy", "wz")]
    name = joints[model.joints.joints[link[f.LINK_JOINT], j.AUTHORED]]
    kind = int(link[f.LINK_KIND])
    parts: dict[int, tuple[str, ...]] = {j.BALL: ("x", "y", "z"), f.PLANAR: ("s", "t", "u"), j.WELD: ()}
    return [f"{name}.{part}" for part in parts[kind]] if kind in parts else [name]


def tree_dynamics(model: Model, arcs: Floats, t: float, plan: TreePlan) -> Dynamics:
    """The dynamics of a tree at time t."""
    trees, signs, limbs = model.joints.trees, plan.signs, plan.limbs
    mass, bias = np.zeros((len(signs), len(signs))), np.zeros(len(signs))
    weigh_tree(model.bodies, model.tags, arcs, trees, limbs, plan.link, t, plan.seen, mass, bias)
    first = trees.trees[plan.link, f.FIRST_TREE_DOF]
    speeds = limbs.speeds[f.NOW, first : first + len(signs)]
    return Dynamics(plan.names, signs * speeds, signs[:, None] * mass * signs, signs * bias)
