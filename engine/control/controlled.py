"""The world as a controller sees it: state and sensors to read, motors and bodies to give orders to.

Orders hold until others come; they take effect when `act` has returned, all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from engine.arrays import Floats, Ints
from engine.control.dynamics import Dynamics
from engine.control.orders import LoadOrder, MotorOrder, Order, Vec3, finite, seeking, with_gains
from engine.maths.quaternions import conjugate, multiply, rotate_inverse

Said = dict[tuple[str, int], Order]
"""Orders by what they are given to: "motor" and a joint's place, or "load" and a body's row."""


class Instant:
    """What is read of a world between two of its events, once, whoever asks for it."""

    def __init__(self, world: Any) -> None:
        self.world = world

    @cached_property
    def poses(self) -> Floats:
        """`World.poses()`: of all bodies, in the scene's order."""
        poses: Floats = self.world.poses()
        return poses

    @cached_property
    def twists(self) -> Floats:
        """`World.twists()`."""
        twists: Floats = self.world.twists()
        return twists

    @cached_property
    def touching(self) -> Ints:
        """`World.touching()`."""
        touching: Ints = self.world.touching()
        return touching

    @cached_property
    def contacts(self) -> Any:
        """`World.contacts()`."""
        return self.world.contacts()


class ControlledWorld:
    """What `act(self, world)` is given; of this instant only."""

    def __init__(self, now: Instant, pushed: Sequence[str], period: float = 0.0, before: Said | None = None) -> None:
        """pushed: the bodies that the controller may push. period: between its ticks [s]. before: said already."""
        self.now = now
        self.said: Said = {}
        self._world = now.world
        self._pushed = tuple(pushed)
        self._period = period
        self._before = before or {}
        self._readings: dict[int, tuple[float, float, float]] = {}

    @property
    def time(self) -> float:
        """Now [s]."""
        return float(self._world.time)

    def joint(self, name: str) -> ControlledJoint:
        """A joint by name; KeyError says which there are."""
        return ControlledJoint(self, int(self._world.place(name)))

    def body(self, name: str) -> ControlledBody:
        """A body by name; KeyError says which there are."""
        return ControlledBody(self, int(self._world.row(name)))

    def dynamics(self, name: str) -> Dynamics:
        """Mass matrix and bias of the tree that a joint or body is part of, as `World.dynamics`."""
        dynamics: Dynamics = self._world.dynamics(name)
        return dynamics

    # --- sensors ----------------------------------------------------------------------------------------------------

    def force(self, body: str, other: str | None = None) -> Floats:
        """What contacts bear on a body now, all of them or those with another one [N], (3,)."""
        rows, signs = self._contacts_of(body, other)
        total: Floats = (self.now.contacts["force"][rows] * signs[:, None]).sum(axis=0)
        return total

    def touches(self, body: str, other: str | None = None) -> bool:
        """Does a body touch anything, or another one?"""
        pairs = self.now.touching
        rows = pairs == self._world.row(body)
        if other is not None:
            rows &= pairs[:, ::-1] == self._world.row(other)
        return bool(rows.any())

    def distance(self, body: str, other: str) -> float:
        """The gap between two bodies [m]."""
        return float(self._world.distance(body, other))

    def pose(self, body: str, seen_from: str) -> tuple[Floats, Floats]:
        """Position [m] and orientation w x y z of a body in the frame of another one."""
        one, other = self.body(body), self.body(seen_from)
        turn = _quaternion(other.orientation)
        away = rotate_inverse(turn, _triple(one.position - other.position))
        return np.array(away), np.array(multiply(conjugate(turn), _quaternion(one.orientation)))

    def _contacts_of(self, body: str, other: str | None) -> tuple[Any, Floats]:
        i, contacts = self._world.row(body), self.now.contacts
        first, second = contacts["body_a"] == i, contacts["body_b"] == i
        if other is not None:
            j = self._world.row(other)
            first, second = first & (contacts["body_b"] == j), second & (contacts["body_a"] == j)
        rows = np.flatnonzero(first | second)
        return rows, np.where(first[rows], 1.0, -1.0)

    # --- what joints and bodies ask for -----------------------------------------------------------------------------

    def reading(self, number: int) -> tuple[float, float, float]:
        """Position, velocity and effort of a joint, read once."""
        if number not in self._readings:
            self._readings[number] = self._world.joint(number)
        return self._readings[number]

    def motor(self, number: int) -> MotorOrder:
        """What the motor of a joint seeks; ValueError if it has none."""
        order = self._last(("motor", number)) or self._world.motor(number)
        assert isinstance(order, MotorOrder)
        return order

    def load(self, body: int) -> LoadOrder:
        """What pushes a body; ValueError if this controller may not push it."""
        name = self._world.names[body]
        if name not in self._pushed:
            raise ValueError(f"{name} is none of this controller's bodies, so it cannot be pushed")
        order = self._last(("load", body)) or self._world.load(body)
        assert isinstance(order, LoadOrder)
        return order

    def _last(self, whom: tuple[str, int]) -> Order | None:
        return self.said.get(whom) or self._before.get(whom)

    def gains(self, number: int, kp: float | None, kv: float | None, ki: float | None) -> None:
        """Give a motor other gains; those that are None stay."""
        self._drive(with_gains(self.motor(number), self._world.scene.joint, kp, kv, ki))

    def seek(self, number: int, what: str, target: float) -> None:
        """Tell a motor what to seek, instead of what was said to it before."""
        self._drive(seeking(self.motor(number), what, target))

    def _drive(self, order: MotorOrder) -> None:
        period = self._period if order.seeks == "effort" else 0.0
        self.said["motor", order.joint] = order._replace(period=period)

    def push(self, order: LoadOrder) -> None:
        """Give an order to a body, instead of an earlier one."""
        self.said["load", order.body] = order


class ControlledJoint:
    """A joint as it is now, and its motor."""

    def __init__(self, world: ControlledWorld, number: int) -> None:
        self._world = world
        self._number = number

    @property
    def position(self) -> float:
        """[rad] of a hinge, [m] of a slider."""
        return self._world.reading(self._number)[0]

    @property
    def velocity(self) -> float:
        """[rad/s], [m/s]."""
        return self._world.reading(self._number)[1]

    @property
    def effort(self) -> float:
        """What acts along it: motor, springs, friction [N m], [N]."""
        return self._world.reading(self._number)[2]

    def seek_position(self, position: float) -> None:
        """Let its motor seek a position [rad], [m]."""
        self._world.seek(self._number, "position", position)

    def seek_velocity(self, velocity: float) -> None:
        """Let its motor seek a velocity [rad/s], [m/s]."""
        self._world.seek(self._number, "velocity", velocity)

    def apply(self, effort: float) -> None:
        """Let its motor bear this, up to its limit, until another order comes [N m], [N]."""
        self._world.seek(self._number, "effort", effort)

    def gains(self, kp: float | None = None, kv: float | None = None, ki: float | None = None) -> None:
        """Other gains of its motor; those that are left out stay."""
        self._world.gains(self._number, kp, kv, ki)


class ControlledBody:
    """A body as it is now."""

    def __init__(self, world: ControlledWorld, row: int) -> None:
        self._world = world
        self._row = row

    @property
    def position(self) -> Floats:
        """Origin of its frame [m], (3,)."""
        return self._world.now.poses[self._row, :3].copy()

    @property
    def orientation(self) -> Floats:
        """w x y z, body to world."""
        return self._world.now.poses[self._row, 3:].copy()

    @property
    def velocity(self) -> Floats:
        """Of its centre of mass [m/s], (3,)."""
        return self._world.now.twists[self._row, :3].copy()

    @property
    def angular_velocity(self) -> Floats:
        """World axes [rad/s], (3,)."""
        return self._world.now.twists[self._row, 3:].copy()

    def push(self, force: Sequence[float] = (0.0, 0.0, 0.0), torque: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        """Let a force on its centre of mass [N] and a torque [N m], world axes, act until another order comes.

        They take the place of what the scene applies to it.
        """
        old = self._world.load(self._row)
        self._world.push(old._replace(force=_triple(force), torque=_triple(torque)))


def _triple(values: Sequence[float] | Floats) -> Vec3:
    x, y, z = (finite(value) for value in values)
    return (x, y, z)


def _quaternion(values: Floats) -> tuple[float, float, float, float]:
    w, x, y, z = values.tolist()
    return (w, x, y, z)
