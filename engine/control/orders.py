"""Orders: what motors of joints are to seek, and what pushes bodies, from some instant on.

They are written over what the scene says, in the Model's tables, and what they cut short begins anew. A motor that acts
at every instant obeys at once, one with a rate at its next tick. Forces and torques on bodies change at the next kick
of loads (`engine.motion.loads`): to the instant where a controller's rate divides that of kicks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, inf, isfinite, nextafter
from typing import Any, NamedTuple

import numpy as np

from engine.events import set_timer
from engine.group.books import settle_group
from engine.kernel import machine_code
from engine.maths.rounding import ROOT
from engine.model import elements as e
from engine.model import joints as j
from engine.model import model as m
from engine.model import state as s
from engine.model.joints import Joints
from engine.model.model import Model
from engine.model.state import State
from engine.tolerances import KICK_PERIOD

Vec3 = tuple[float, float, float]

_ON_TIME = 64.0 * ROOT  # of a period: so near to a kick is at the kick

KEYS_TOLD = 4
"""Rows of keys for a body that orders may push: before and from the last order on, of force and of torque."""

SEEKS = ("effort", "position", "velocity")
"""What a motor can be told to seek, by its value of MOTOR."""


class MotorOrder(NamedTuple):
    """What the motor of a joint seeks; forces are couples where the joint turns."""

    joint: int  # its place in the scene
    seeks: str  # one of SEEKS
    target: float  # [N], [m] or [m/s]; [N m], [rad] or [rad/s]
    kp: float
    kv: float
    ki: float
    period: float = 0.0  # after which another effort is to come: steps end there [s]; 0: nobody knows


def seeking(order: MotorOrder, seeks: str, target: float) -> MotorOrder:
    """The order to seek something else. ValueError: no motor can."""
    if seeks not in SEEKS:
        raise ValueError(f"a motor cannot seek {seeks!r} (but {', '.join(SEEKS)})")
    return order._replace(seeks=seeks, target=finite(target))


def with_gains(
    order: MotorOrder, joints: Sequence[Any], kp: float | None, kv: float | None, ki: float | None
) -> MotorOrder:
    """The order with other gains; those that are None stay. joints: the scene's. ValueError: no scene may say these."""
    said = {name: gain for name, gain in (("kp", kp), ("kv", kv), ("ki", ki)) if gain is not None}
    for name, gain in said.items():
        if not 0.0 <= gain < inf:
            raise ValueError(f"{name} = {gain:g} is no gain: 0 or more is, and finite")
    joint = joints[order.joint]
    if said.get("ki") and joint.motor.rate is None:
        raise ValueError(f"ki sums up what is missing at ticks, and the motor of {joint.name} has no rate")
    kp, kv, ki = (float(said.get(name, getattr(order, name))) for name in ("kp", "kv", "ki"))
    return order._replace(kp=kp, kv=kv, ki=ki)


def finite(value: float) -> float:
    """A number that may be ordered. ValueError: it is none."""
    number = float(value)
    if not isfinite(number):
        raise ValueError(f"{number} cannot be ordered")
    return number


class LoadOrder(NamedTuple):
    """What pushes a body, instead of what the scene applies to it: constant, world axes, on the centre of mass."""

    body: int
    force: Vec3  # [N]
    torque: Vec3  # [N m]
    time: float = 0.0  # since when [s]
    force_before: Vec3 = (0.0, 0.0, 0.0)
    torque_before: Vec3 = (0.0, 0.0, 0.0)


Order = MotorOrder | LoadOrder


def pack_orders(orders: tuple[Order, ...]) -> list[list[Any]]:
    """Orders as plain lists, for JSON."""
    return [["motor" if isinstance(order, MotorOrder) else "load", *order] for order in orders]


def unpack_orders(packed: list[list[Any]]) -> tuple[Order, ...]:
    """What `pack_orders` made of them; numbers come back to the last bit."""
    return tuple(
        MotorOrder(*values) if kind == "motor" else LoadOrder(*(_tuple(value) for value in values))
        for kind, *values in packed
    )


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Orders:
    """The last order to each motor and body of a world, and the tables that follow them."""

    def __init__(self, model: Model, told: list[int]) -> None:
        """told: rows of the bodies that have room for orders, which is at the end of Model.bodies."""
        self._elements = model.joints.elements.copy()
        self._bodies = model.bodies.copy()
        first = len(model.bodies) - KEYS_TOLD * len(told)
        self._rooms = {body: first + KEYS_TOLD * k for k, body in enumerate(told)}
        self._rows = {int(number): row for row, number in enumerate(model.joints.joints[:, j.AUTHORED])}
        self._driven: dict[int, list[int]] = {}  # by the joint's row
        self._motors: dict[int, MotorOrder] = {}
        self._loads: dict[int, LoadOrder] = {}
        self._set_timer: Any = None
        self._settle_group: Any = None

    # --- what holds now ---------------------------------------------------------------------------------------------

    def motor(self, model: Model, state: State, number: int) -> MotorOrder:
        """What the motor of a joint of the scene seeks now."""
        said = self._motors.get(number)
        if said is not None and said.seeks != "effort":  # which stays as it was said; an effort has its limits
            return said
        row = self._rows[number]
        element = model.joints.elements[row]
        kind = int(element[e.MOTOR])
        target = element[e.TARGET] if kind else state.joints[row, e.DRIVE]
        return MotorOrder(number, SEEKS[kind], float(target), *(float(x) for x in element[e.GAIN : e.SUM_GAIN + 1]))

    def load(self, body: int) -> LoadOrder:
        """The last order to a body; ValueError if no controller may push it."""
        if body not in self._rooms:
            raise ValueError("no controller of the scene names this free body among its bodies")
        return self._loads.get(body, LoadOrder(body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))

    def has_motor(self, number: int) -> bool:
        """Has a joint of the scene a motor? One that is given its effort leaves no trace in the tables but an end."""
        return number in self._rows and self._elements[self._rows[number], e.STRONGEST] > 0.0

    @property
    def said(self) -> tuple[Order, ...]:
        """All that holds on top of what the scene says."""
        return (*(self._motors[k] for k in sorted(self._motors)), *(self._loads[k] for k in sorted(self._loads)))

    def news(self, model: Model, state: State, orders: tuple[Order, ...]) -> tuple[Order, ...]:
        """Those of some orders that ask for what does not hold already; an effort is always said anew."""
        return tuple(order for order in orders if order != self._holds(model, state, order))

    def _holds(self, model: Model, state: State, order: Order) -> Order:
        return self.motor(model, state, order.joint) if isinstance(order, MotorOrder) else self.load(order.body)

    # --- what changes -----------------------------------------------------------------------------------------------

    def give(self, model: Model, state: State, orders: tuple[Order, ...]) -> None:
        """Orders of the State's time. Whoever gives them sees to it that all events of this time have happened."""
        t = float(state.clock[s.TIME])
        for order in orders:
            if isinstance(order, MotorOrder):
                self._book(model, state, order, t)
                self._motors[order.joint] = order
                self._tell_motor(model, order)
                self._begin(model, state, order, t)
            else:
                self._loads[order.body] = self._begun(model, order, t)
                self._tell_body(model, self._loads[order.body])
                state.loads[order.body, s.NEXT_KICK] = ceil(t / KICK_PERIOD - _ON_TIME) * KICK_PERIOD
                self._ring(state, order.body)

    def follow(self, model: Model, said: tuple[Order, ...]) -> None:
        """Let the tables be what the scene and these orders say: a snapshot has been restored."""
        model.joints.elements[:, e.MOTOR :] = self._elements[:, e.MOTOR :]  # the others are what changes say
        for column in (m.FORCE_KEYS, m.FORCE_KEYS + 1, m.FORCE_AXES, m.TORQUE_KEYS, m.TORQUE_KEYS + 1, m.TORQUE_AXES):
            model.bodies[:, column] = self._bodies[:, column]
        model.bodies[:, m.LOAD_UNTIL] = self._bodies[:, m.LOAD_UNTIL]
        model.bodies[:, m.FORCE_POINT : m.FORCE_POINT + 3] = self._bodies[:, m.FORCE_POINT : m.FORCE_POINT + 3]
        self._motors = {order.joint: order for order in said if isinstance(order, MotorOrder)}
        self._loads = {order.body: order for order in said if isinstance(order, LoadOrder)}
        for motor in self._motors.values():
            self._tell_motor(model, motor)
        for load in self._loads.values():
            self._tell_body(model, load)

    def _tell_motor(self, model: Model, order: MotorOrder) -> None:
        row = self._rows[order.joint]
        element = model.joints.elements[row]
        element[e.MOTOR] = SEEKS.index(order.seeks)
        element[e.PERIOD] = order.period if order.seeks == "effort" else self._elements[row, e.PERIOD]
        element[e.TARGET] = order.target if order.seeks != "effort" else 0.0
        element[e.GAIN : e.SUM_GAIN + 1] = order.kp, order.kv, order.ki

    def _book(self, model: Model, state: State, order: MotorOrder, t: float) -> None:
        """The step of what a motor drives ends here, with what it has done till now by what was said before."""
        row = self._rows[order.joint]
        if row not in self._driven:
            self._driven[row] = _driven(model, row)
        if self._settle_group is None:
            self._settle_group = machine_code(settle_group, model, state, 0, 0.0)
        for body in self._driven[row]:
            if model.tags[body, m.KIND] == m.FREE and state.members[body, s.LEADER] >= 0:
                self._settle_group(model, state, body, t)
                return

    def _begin(self, model: Model, state: State, order: MotorOrder, t: float) -> None:
        """What a motor bears from now on, and a new step of what it drives."""
        row = self._rows[order.joint]
        tie, element = state.joints[row], model.joints.elements[row]
        if order.seeks == "effort":
            tie[e.DRIVE] = min(max(order.target, -element[e.STRONGEST]), element[e.STRONGEST])
            tie[e.NEXT_TICK], tie[e.MISSING] = t + order.period, 0.0
        elif element[e.PERIOD] == 0.0:
            tie[e.DRIVE] = 0.0
        free = [body for body in self._driven[row] if model.tags[body, m.KIND] == m.FREE]
        for body in free:
            if model.bodies[body, m.LOAD_UNTIL] <= t:  # a kick of nothing wakes it, too
                if state.loads[body, s.NEXT_KICK] != t:
                    state.loads[body, s.NEXT_KICK] = t
                    self._ring(state, body)
                return
        for body in free[:1]:  # kicks keep all of them awake, and one more would be too much
            leader = int(state.members[body, s.LEADER])
            state.groups[leader, s.HORIZON] = t
            self._ring(state, leader)

    def _ring(self, state: State, body: int) -> None:
        """Set a body's timer anew."""
        if self._set_timer is None:
            self._set_timer = machine_code(set_timer, state, 0)
        self._set_timer(state, body)

    def _begun(self, model: Model, order: LoadOrder, t: float) -> LoadOrder:
        """The order with what kicks around its time are to reckon for the time before it.

        A kick of this very instant has given half a period of the old torque too much already: that is taken back.
        """
        last = self.load(order.body)
        kicked = model.bodies[order.body, m.LOAD_UNTIL] > t and abs(t / KICK_PERIOD - round(t / KICK_PERIOD)) < _ON_TIME
        x, y, z = last.torque
        before = (-x, -y, -z) if kicked else last.torque
        return order._replace(time=t, force_before=last.force, torque_before=before)

    def _tell_body(self, model: Model, order: LoadOrder) -> None:
        room, row = self._rooms[order.body], model.bodies[order.body]
        row[[m.FORCE_KEYS, m.FORCE_KEYS + 1, m.FORCE_AXES]] = room, 2, 0.0
        row[[m.TORQUE_KEYS, m.TORQUE_KEYS + 1, m.TORQUE_AXES]] = room + 2, 2, 0.0
        row[m.FORCE_POINT : m.FORCE_POINT + 3] = 0.0
        last = order.time + KICK_PERIOD if any(order.torque_before) else 0.0  # a kick after which none of it is left
        row[m.LOAD_UNTIL] = inf if any(order.torque) else last
        keys = model.bodies[room : room + KEYS_TOLD]
        keys[:, m.KEY_TIME] = (order.time, nextafter(order.time, inf)) * 2
        keys[:, m.KEY_VALUE : m.KEY_VALUE + 3] = (
            order.force_before,
            order.force,
            order.torque_before,
            order.torque,
        )


def _driven(model: Model, row: int) -> list[int]:
    """Rows of the bodies of the linkage of a joint that are free as long as they are not stopped."""
    joints: Joints = model.joints
    links = joints.linkages
    link = np.flatnonzero((links[:, j.FIRST_JOINT] <= row) & (row < links[:, j.FIRST_JOINT] + links[:, j.JOINTS]))[0]
    first = links[link, j.FIRST_ENTRY]
    entries = joints.entries[first : first + links[link, j.ENTRIES]]
    bodies: list[int] = entries[entries[:, j.ENTRY_FREE] == 1, j.ENTRY_BODY].tolist()
    return bodies
