"""A contact group at the beginning of its step, for tests of the stages of one; and what it should do, by matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine import World
from engine.desk import make_desk
from engine.group import work as wk
from engine.group.bodies import energy_of
from engine.group.gather import gather_group
from engine.group.work import Work
from engine.model import state as s
from engine.model.model import Floats, Model
from engine.model.state import State
from tests.scenes import scene

H = 1.0 / 240.0
"""A step's length [s]."""
G = 9.81


class Group(NamedTuple):
    """A world, its tables, and the step's, in which the group of `leader` has been gathered at t = 0."""

    world: World
    model: Model
    state: State
    work: Work
    log: Floats
    log_size: np.ndarray
    leader: int

    @property
    def bodies(self) -> int:
        return int(self.work.sizes[wk.BODIES])

    @property
    def points(self) -> int:
        return int(self.work.sizes[wk.CONTACTS])

    def column(self, column: int, width: int = 1) -> np.ndarray:
        """Columns of the points, (points, width), or (points,)."""
        found = self.work.contacts[: self.points, column : column + width]
        return found[:, 0] if width == 1 else found

    def note(self, column: int, width: int = 1) -> np.ndarray:
        found = self.work.notes[: self.points, column : column + width]
        return found[:, 0] if width == 1 else found

    def body(self, column: int, width: int = 3) -> np.ndarray:
        return self.work.twists[: self.bodies, column : column + width]

    def forces(self) -> np.ndarray:
        """What each point bears on its body a, in world axes, per second of the step, (points, 3) [N]."""
        axes = self.column(wk.NORMAL_AT, 9).reshape(-1, 3, 3)
        return np.einsum("ka,kac->kc", self.column(wk.IMPULSE_AT, 3), axes) / H


def resting(*bodies: dict[str, Any], size: int | None = None, **more: Any) -> Group:
    """The largest group of bodies that lie on what is below them when the world begins; `size`: how many it has."""
    world = World(scene(*bodies, **more))
    size = size or sum(body.get("motion", "free") == "free" for body in bodies)
    while world._state.members[:, s.MEMBERS].max() < size:
        assert world.time == 0.0
        world._run(0.0, 1)
    return gathered(world)


def gathered(world: World, points: int = 1024) -> Group:
    """The world's largest group, gathered anew as it is now, with so many rows for contact points."""
    world._desk = desk = make_desk(len(world.names), world.model.joints, points=points)
    leader = int(np.argmax(world._state.members[:, s.MEMBERS]))
    gather_group(world.model, world._state, desk.work, desk.log, desk.log_size, leader, world.time, False)
    return Group(world, world.model, world._state, desk.work, desk.log, desk.log_size, leader)


def members(group: Group, leader: int) -> list[int]:
    """Rows of the bodies in the list of `leader`, in its order."""
    found, i = [], leader
    while i >= 0:
        found.append(i)
        i = int(group.state.members[i, s.NEXT_MEMBER])
    return found


def energy(group: Group, pose: int, twist: int) -> float:
    """Energy [J] of the step's bodies at the poses and velocities that begin in these columns."""
    total = 0.0
    for at, i in enumerate(group.work.body[: group.bodies]):
        x, q = group.work.poses[at, pose : pose + 3], group.work.poses[at, pose + 3 : pose + 7]
        v, w = group.work.twists[at, twist : twist + 3], group.work.twists[at, twist + 3 : twist + 6]
        total += energy_of(group.model.bodies, i, tuple(x), tuple(q), tuple(v), tuple(w))
    return total


def jacobian(work: Work) -> np.ndarray:
    """J of the group, (3 m, 6 n), rows normal, tangent, tangent of every point."""
    n, m = int(work.sizes[wk.BODIES]), int(work.sizes[wk.CONTACTS])
    J = np.zeros((m, 3, n, 6))
    for k in range(m):
        axes = work.contacts[k, wk.NORMAL_AT : wk.NORMAL_AT + 9].reshape(3, 3)
        for side, arm, sign in ((wk.SIDE_A, wk.ARM_A, 1.0), (wk.SIDE_B, wk.ARM_B, -1.0)):
            at = work.contact[k, side]
            if at >= 0:
                J[k, :, at, :3] = sign * axes
                J[k, :, at, 3:] = sign * work.contacts[k, arm : arm + 9].reshape(3, 3)
    return J.reshape(3 * m, 6 * n)


def inverse_mass(work: Work) -> np.ndarray:
    """M^-1 of the group, (6 n, 6 n)."""
    n = int(work.sizes[wk.BODIES])
    blocks = np.zeros((6 * n, 6 * n))
    for at in range(n):
        i = 6 * at
        blocks[i : i + 3, i : i + 3] = work.twists[at, wk.INV_M] * np.eye(3)
        blocks[i + 3 : i + 6, i + 3 : i + 6] = work.twists[at, wk.INV_I : wk.INV_I + 9].reshape(3, 3)
    return blocks
