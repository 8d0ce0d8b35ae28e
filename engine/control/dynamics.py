"""Inverse dynamics of a tree of links: what efforts make its joints accelerate as wanted (Mirtich 1996, eq. 5.16).

By the Jacobian of each link, of all links and degrees of freedom at once (Featherstone 2008, 2.8): the mass matrix M is
what it makes of their masses and inertias, the bias h of what bears them if no joint accelerates,

    efforts = M(q) q'' + h(q, q').

h has what weight, turning and applied forces ask for, and nothing of springs, dampers and friction in the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from engine.analysis.snapshot_problem import read_motion
from engine.arrays import Bools, Floats, Ints
from engine.maths.rounding import DIFFERENCE
from engine.model import joints as j
from engine.model import model as m
from engine.model import trees as f
from engine.model.model import Model

_APART = DIFFERENCE  # s: between the velocities whose difference tells how what a tree hangs from accelerates
_CROSS = np.zeros((3, 3, 3))  # of Levi-Civita
_CROSS[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
_CROSS[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0


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
    """What of a tree stays as it is: k links, n degrees of freedom. A parent of -1 is the base."""

    names: tuple[str, ...]
    bodies: Ints  # (k + 1,) rows of the links' bodies and of the base's; that is -1 if it is the world
    up: Ints  # (k,) places of the links' parents
    arms: Floats  # (k, 3) reference points from the centres of mass, in the bodies' frames [m]
    frames: Floats  # (k, 3, 3) axes of the links as columns, in the bodies' frames
    joints: Floats  # (k, 3, 3) axes of their joints as columns, in the parents' frames
    link: Ints  # (n,) whose degree of freedom it is
    column: Ints  # (n,) which of the axes
    still: Bools  # (n,) do these stand still in the world, as those of a ball or of what floats?
    turns: Bools  # (n,)
    signs: Floats  # (n,) -1: counted from the other side of the joint
    moved: Floats  # (k, n, 1) 1: it moves the link


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
    links, frames = trees.links[first : first + count], trees.frames[first : first + count]
    up = links[:, f.PARENT] - first
    up = np.where((up >= 0) & (up < np.arange(count)), up, -1)
    dofs = [_dofs_of(int(kind)) for kind in links[:, f.LINK_KIND]]
    link_of = np.repeat(np.arange(count), [len(of) for of in dofs])
    other = (links[:, f.LINK_SIDE] == 0) & (links[:, f.LINK_JOINT] >= 0)
    moved = np.zeros((count, len(link_of), 1))
    for i in range(count):
        moved[i] = (moved[up[i]] if up[i] >= 0 else 0.0) + (link_of == i)[:, None]
    return TreePlan(
        names=tuple(name for row in links for name in _names_of(model, row, bodies, joints)),
        bodies=np.append(links[:, f.LINK_BODY], trees.trees[link, f.BASE_BODY]),
        up=up,
        arms=frames[:, f.BODY_AT : f.BODY_AT + 3],
        frames=frames[:, f.BODY_TURN : f.BODY_TURN + 9].reshape(-1, 3, 3),
        joints=frames[:, f.JOINT_TURN_UP : f.JOINT_TURN_UP + 9].reshape(-1, 3, 3),
        link=link_of,
        column=np.array([column for of in dofs for column, _, _ in of], dtype=np.int64),
        still=np.array([still for of in dofs for _, _, still in of], dtype=bool),
        turns=np.array([turns for of in dofs for _, turns, _ in of], dtype=bool),
        signs=np.where(other, -1.0, 1.0)[link_of],
        moved=moved,
    )


def _dofs_of(kind: int) -> list[tuple[int, bool, bool]]:
    """Of each degree of freedom of a kind of joint which axis it has, if it turns, and if that is one of the world."""
    return {
        j.HINGE: [(2, True, False)],
        j.SLIDER: [(2, False, False)],
        j.BALL: [(k, True, True) for k in range(3)],
        j.WELD: [],
        f.PLANAR: [(0, False, False), (1, False, False), (2, True, False)],
        f.FREE_LINK: [(k, turns, True) for turns in (False, True) for k in range(3)],
    }[kind]


def _names_of(model: Model, link: Ints, bodies: tuple[str, ...], joints: tuple[str, ...]) -> list[str]:
    if link[f.LINK_JOINT] < 0:
        return [f"{bodies[link[f.LINK_BODY]]}.{axis}" for axis in ("x", "y", "z", "wx", "wy", "wz")]
    name = joints[model.joints.joints[link[f.LINK_JOINT], j.AUTHORED]]
    kind = int(link[f.LINK_KIND])
    parts: dict[int, tuple[str, ...]] = {j.BALL: ("x", "y", "z"), f.PLANAR: ("s", "t", "u"), j.WELD: ()}
    return [f"{name}.{part}" for part in parts[kind]] if kind in parts else [name]


class _Motion(NamedTuple):
    """How links move, and behind them, where there is a row more, what they hang from. World axes."""

    turn: Floats  # (k + 1, 3, 3) the bodies' axes as columns
    x: Floats  # (k + 1, 3) centres of mass [m]
    v: Floats  # (k + 1, 3) of these [m/s]
    w: Floats  # (k + 1, 3) [rad/s]
    at: Floats  # (k + 1, 3) reference points [m]
    drift: Floats  # (k + 1, 3) of these [m/s]
    base_a: Floats  # (2, 3) acceleration of what they hang from [m/s^2], and angular [rad/s^2]


def tree_dynamics(model: Model, arcs: Floats, t: float, plan: TreePlan) -> Dynamics:
    """The dynamics of a tree at time t."""
    now = _read(model, arcs, t, plan)
    links, up = slice(len(plan.up)), plan.up
    axes = _axes(plan, now)
    speeds = _speeds(plan, now, axes)
    levers = now.x[links, None] - now.at[plan.link]
    turning = plan.moved * np.where(plan.turns[:, None], axes, 0.0)
    moving = plan.moved * np.where(plan.turns[:, None], _cross(axes, levers), axes)

    swing = np.where(plan.still[:, None], 0.0, _cross(now.w[up[plan.link]], axes))
    passing = _cross(axes, now.v[links, None] - now.drift[plan.link]) + _cross(swing, levers)
    changing = plan.moved * np.where(plan.turns[:, None], passing, swing)
    a, alpha = _carried(now, links)
    a = a + speeds @ changing
    alpha = alpha + speeds @ (plan.moved * np.where(plan.turns[:, None], swing, 0.0))

    table, turn = model.bodies[plan.bodies[links]], now.turn[links]
    masses, moments = table[:, m.MASS, None], table[:, m.MOMENTS : m.MOMENTS + 3]
    force = masses * (a - table[:, m.GRAVITY : m.GRAVITY + 3])
    spin = _to_body(turn, now.w[links])
    couple = moments * _to_body(turn, alpha) + _cross(spin, moments * spin)
    turning = turning @ turn  # in the bodies' axes from here on
    bias = np.einsum("knc,kc->n", moving, force) + np.einsum("knc,kc->n", turning, couple)
    parts = np.concatenate([moving * np.sqrt(masses)[:, None], turning * np.sqrt(moments)[:, None]], axis=2)
    parts = parts.transpose(1, 0, 2).reshape(len(axes), -1)
    return Dynamics(plan.names, speeds, parts @ parts.T, bias)


def _read(model: Model, arcs: Floats, t: float, plan: TreePlan) -> _Motion:
    seen = np.zeros((len(plan.bodies), 13))
    seen[-1, 3] = 1.0  # the world, which does not move
    rows = plan.bodies if plan.bodies[-1] >= 0 else plan.bodies[:-1]
    read_motion(model.bodies, model.tags, arcs, rows, t, seen)
    base_a = np.zeros((2, 3))
    if plan.bodies[-1] >= 0:
        beside = np.zeros((2, 1, 13))
        for side, apart in zip(beside, (-_APART, _APART), strict=True):
            read_motion(model.bodies, model.tags, arcs, plan.bodies[-1:], t + apart, side)
        base_a = ((beside[1] - beside[0])[0, 7:] / (2.0 * _APART)).reshape(2, 3)
    turn = _turns(seen[:, 3:7])
    x, v, w = seen[:, :3], seen[:, 7:10], seen[:, 10:]
    arms = np.zeros_like(x)
    arms[:-1] = (turn[:-1] @ plan.arms[:, :, None])[:, :, 0]
    return _Motion(turn, x, v, w, x + arms, v + _cross(w, arms), base_a)


def _axes(plan: TreePlan, now: _Motion) -> Floats:
    """Axes of the degrees of freedom in the world (n, 3), with their signs."""
    frames = np.concatenate([now.turn[:-1] @ plan.frames, now.turn[-1:]])
    own = (frames[plan.up] @ plan.joints)[plan.link, :, plan.column]
    return np.asarray(np.where(plan.still[:, None], np.eye(3)[plan.column], own) * plan.signs[:, None])


def _speeds(plan: TreePlan, now: _Motion, axes: Floats) -> Floats:
    """How fast the degrees of freedom move (n,)."""
    up = plan.up
    turning = now.w[:-1] - now.w[up]
    moving = now.drift[:-1] - now.drift[up] - _cross(now.w[up], now.at[:-1] - now.at[up])
    rates = np.where(plan.turns[:, None], turning[plan.link], moving[plan.link])
    return np.einsum("nc,nc->n", axes, rates)


def _carried(now: _Motion, links: slice) -> tuple[Floats, Floats]:
    """Acceleration of the links' centres of mass, and angular, that what they hang from gives them, (k, 3) and (3,)."""
    a, alpha = now.base_a
    return a + _cross(alpha, now.x[links] - now.x[-1]) + _cross(now.w[-1], now.v[links] - now.v[-1]), alpha


def _turns(q: Floats) -> Floats:
    """Matrices (k, 3, 3) of unit quaternions (k, 4)."""
    across = np.einsum("ijl,kj->kil", _CROSS, q[:, 1:])  # of their axes, by the sine of half the angle
    return np.asarray(np.eye(3) + 2.0 * (q[:, :1, None] * across + across @ across))


def _to_body(turn: Floats, vectors: Floats) -> Floats:
    """Vectors (k, 3) in the axes of bodies (k, 3, 3)."""
    return np.asarray((vectors[..., None, :] @ turn)[..., 0, :])


def _cross(a: Floats, b: Floats) -> Floats:
    """a x b of vectors (..., 3)."""
    return np.asarray(np.einsum("ijk,...j,...k->...i", _CROSS, a, b))
