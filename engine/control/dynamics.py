"""Inverse dynamics of a tree of links: what efforts make its joints accelerate as wanted (Mirtich 1996, eq. 5.16).

Newton and Euler's equations of each link, from the base outwards and back (Featherstone 2008, 5.3), for many wanted
accelerations at once: for none they give the bias h, for one of a single joint a column of the mass matrix M,

    efforts = M(q) q'' + h(q, q').

h has what weight, turning and applied forces ask for, and nothing of springs, dampers and friction in the joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.geometry.shapes import rotation_matrix
from engine.model import joints as j
from engine.model import model as m
from engine.model import trees as f
from engine.model.model import Model
from engine.motion.arcs import evolve

_APART = 1e-5  # s: between the velocities whose difference tells how what a tree hangs from accelerates


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


class _Link(NamedTuple):
    up: int  # its parent's place; -1: the base
    at: Floats  # reference point [m]
    centre: Floats  # from there to the centre of mass [m]
    v: Floats  # of the reference point [m/s]
    w: Floats
    mass: float
    inertia: Floats  # (3, 3) about the centre of mass, world axes
    weight: Floats  # what is applied, by the mass [m/s^2]
    axes: Floats  # (dofs, 3) of its degrees of freedom
    turns: tuple[bool, ...]
    first: int  # its first degree of freedom


def tree_dynamics(
    model: Model, arcs: Floats, t: float, link: int, bodies: tuple[str, ...], joints: tuple[str, ...]
) -> Dynamics:
    """The dynamics of linkage `link` at time t; ValueError if its joints close a loop. bodies, joints: their names."""
    trees = model.joints.trees
    first, count = trees.trees[link, [f.FIRST_LINK, f.LINKS]]
    if count == 0:
        raise ValueError("its joints close a loop, so it is no tree")
    base = _base(model, arcs, t, int(trees.trees[link, f.BASE_BODY]))
    links: list[_Link] = []
    turned: list[Floats] = []
    signs: list[float] = []
    names: list[str] = []
    speeds: list[float] = []
    for i in range(first, first + count):
        up = int(trees.links[i, f.PARENT]) - first
        up = up if up < len(links) else -1
        one, frame = _read_link(model, arcs, t, i, (up, turned[up] if up >= 0 else base[3], len(names)))
        links.append(one)
        turned.append(frame)
        names += _names_of(model, i, bodies, joints)
        sign = -1.0 if trees.links[i, f.LINK_SIDE] == 0 and trees.links[i, f.LINK_JOINT] >= 0 else 1.0
        signs += [sign] * len(one.turns)
        from_up = links[up] if up >= 0 else None
        speeds += [sign * rate for rate in _rates(one, from_up, base)]
    wanted = np.hstack([np.zeros((len(names), 1)), np.eye(len(names)) * signs])
    efforts = _newton_euler(links, base, np.array(speeds) * signs, wanted) * np.array(signs)[:, None]
    bias = efforts[:, 0]
    mass = efforts[:, 1:] - bias[:, None]
    return Dynamics(tuple(names), np.array(speeds), 0.5 * (mass + mass.T), bias)


_Base = tuple[Floats, Floats, Floats, Floats, Floats, Floats]  # x, v, w, axes as columns, a, alpha


def _base(model: Model, arcs: Floats, t: float, body: int) -> _Base:
    """What a tree hangs from."""
    if body < 0:
        nothing = np.zeros(3)
        return nothing, nothing, nothing, np.eye(3), nothing, nothing
    x, q, v, w = evolve(model.bodies, model.tags, arcs, body, t)
    _, _, v_next, w_next = evolve(model.bodies, model.tags, arcs, body, t + _APART)
    _, _, v_last, w_last = evolve(model.bodies, model.tags, arcs, body, t - _APART)
    a, alpha = np.subtract(v_next, v_last) / (2.0 * _APART), np.subtract(w_next, w_last) / (2.0 * _APART)
    return np.array(x), np.array(v), np.array(w), rotation_matrix(q), a, alpha


def _read_link(model: Model, arcs: Floats, t: float, i: int, tied: tuple[int, Floats, int]) -> tuple[_Link, Floats]:
    """Link i as its body moves, and its axes; tied: its parent, that one's axes, and its first degree of freedom."""
    trees = model.joints.trees
    body, kind = int(trees.links[i, f.LINK_BODY]), int(trees.links[i, f.LINK_KIND])
    frames, row = trees.frames[i], model.bodies[body]
    x, q, v, w = (np.array(value) for value in evolve(model.bodies, model.tags, arcs, body, t))
    turn = rotation_matrix(q)
    arm = turn @ frames[f.BODY_AT : f.BODY_AT + 3]
    axes, turns = _axes(kind, tied[1] @ frames[f.JOINT_TURN_UP : f.JOINT_TURN_UP + 9].reshape(3, 3))
    return _Link(
        up=tied[0],
        at=x + arm,
        centre=-arm,
        v=v + _cross(w) @ arm,
        w=w,
        mass=float(row[m.MASS]),
        inertia=turn @ np.diag(row[m.MOMENTS : m.MOMENTS + 3]) @ turn.T,
        weight=row[m.GRAVITY : m.GRAVITY + 3].copy(),
        axes=axes,
        turns=turns,
        first=tied[2],
    ), turn @ frames[f.BODY_TURN : f.BODY_TURN + 9].reshape(3, 3)


def _axes(kind: int, frame: Floats) -> tuple[Floats, tuple[bool, ...]]:
    """Axes of the degrees of freedom of a kind of joint, whose own are columns, and which of them turn."""
    s, t, u = frame.T
    world = np.eye(3)
    return {
        j.HINGE: (u[None], (True,)),
        j.SLIDER: (u[None], (False,)),
        j.BALL: (world, (True,) * 3),
        j.WELD: (np.zeros((0, 3)), ()),
        f.PLANAR: (np.array([s, t, u]), (False, False, True)),
        f.FREE_LINK: (np.vstack([world, world]), (False,) * 3 + (True,) * 3),
    }[kind]


def _names_of(model: Model, i: int, bodies: tuple[str, ...], joints: tuple[str, ...]) -> list[str]:
    link = model.joints.trees.links[i]
    if link[f.LINK_JOINT] < 0:
        return [f"{bodies[link[f.LINK_BODY]]}.{axis}" for axis in ("x", "y", "z", "wx", "wy", "wz")]
    name = joints[model.joints.joints[link[f.LINK_JOINT], j.AUTHORED]]
    kind = int(link[f.LINK_KIND])
    parts: dict[int, tuple[str, ...]] = {j.BALL: ("x", "y", "z"), f.PLANAR: ("s", "t", "u"), j.WELD: ()}
    return [f"{name}.{part}" for part in parts[kind]] if kind in parts else [name]


def _rates(one: _Link, up: _Link | None, base: _Base) -> list[float]:
    """How fast the degrees of freedom of a link move."""
    at, v, w = (up.at, up.v, up.w) if up is not None else (base[0], base[1], base[2])
    turning, moving = one.w - w, one.v - v - _cross(w) @ (one.at - at)
    return [float(axis @ (turning if turns else moving)) for axis, turns in zip(one.axes, one.turns, strict=True)]


def _newton_euler(links: list[_Link], base: _Base, speeds: Floats, wanted: Floats) -> Floats:
    """Efforts along the degrees of freedom (n, k) for accelerations of these (n, k)."""
    columns = wanted.shape[1]
    alphas: list[Floats] = []
    forces: list[Floats] = []
    couples: list[Floats] = []
    accelerations: list[Floats] = []
    for one in links:
        up = links[one.up] if one.up >= 0 else None
        at, w = (up.at, up.w) if up is not None else (base[0], base[2])
        alpha = alphas[one.up] if up is not None else np.tile(base[5][:, None], columns)
        a = accelerations[one.up] if up is not None else np.tile(base[4][:, None], columns)
        lever, grows = one.at - at, np.zeros(3)
        a = a - _cross(lever) @ alpha + _cross(w) @ (_cross(w) @ lever)[:, None]
        for k, (axis, turns) in enumerate(zip(one.axes, one.turns, strict=True)):
            d = one.first + k
            if turns:
                swing = np.zeros(3) if _is_world(one) else _cross(w) @ axis
                alpha = alpha + axis[:, None] * wanted[d] + (swing * speeds[d])[:, None]
            else:
                a = a + axis[:, None] * wanted[d]
                grows = grows + axis * speeds[d]
        a = a + 2.0 * (_cross(w) @ grows)[:, None]
        alphas.append(alpha)
        accelerations.append(a)
        own = a - _cross(one.centre) @ alpha + _cross(one.w) @ (_cross(one.w) @ one.centre)[:, None]
        force = one.mass * (own - one.weight[:, None])
        spin = (_cross(one.w) @ (one.inertia @ one.w))[:, None]
        forces.append(force)
        couples.append(one.inertia @ alpha + spin + _cross(one.centre) @ force)
    efforts = np.zeros_like(wanted)
    for i in range(len(links) - 1, -1, -1):
        one = links[i]
        for k, (axis, turns) in enumerate(zip(one.axes, one.turns, strict=True)):
            efforts[one.first + k] = axis @ (couples[i] if turns else forces[i])
        if one.up >= 0:
            lever = one.at - links[one.up].at
            forces[one.up] = forces[one.up] + forces[i]
            couples[one.up] = couples[one.up] + couples[i] + _cross(lever) @ forces[i]
    return efforts


def _is_world(one: _Link) -> bool:
    """Do the axes of a link stand still in the world, as those of a ball or of what floats?"""
    return len(one.turns) == 6 or one.turns == (True, True, True)


def _cross(v: Floats) -> Floats:
    """The matrix [v] of v x."""
    x, y, z = v.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
