"""What came from outside while a world ran: enough, with the scene, to run it again to the same bits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, isfinite, sqrt

import numpy as np

from engine.control.orders import Order, pack_orders, unpack_orders
from engine.events import set_timer
from engine.maths.quaternions import rotate
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Model
from engine.model.state import State

_STIFF_RATE = 12.0  # the spring's own frequency with the body's mass [rad/s]
_DAMPING_RATIO = 0.7


def triple(values: Sequence[float]) -> tuple[float, float, float]:
    """Three numbers, of whatever kind they come. ValueError: they are others."""
    numbers = tuple(float(value) for value in values)
    if len(numbers) != 3 or not all(map(isfinite, numbers)):
        raise ValueError(f"{list(numbers)} is no point: three finite numbers are")
    return numbers


@dataclass(frozen=True)
class Input:
    """One input. `what` is "pull", "move" or "release"; vectors as in `World.pull`; stiffness 0: by the body's mass.

    Or it is "change", of a scene that runs: from now on it has this `value` at this `path` (engine.changes).
    Or it is "order", of a person, or "control", of a controller: `orders` to motors and bodies. `event`,
    `number`: how many events and inputs there had been; -1: nobody counted.
    """

    time: float
    what: str
    body: int = -1
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    orders: tuple[Order, ...] = ()
    event: int = -1
    path: str = ""
    value: tuple[float, ...] = ()
    number: int = -1


def pull_of(time: float, body: int, point: Sequence[float], target: Sequence[float], stiffness: float | None) -> Input:
    """A pull that begins. ValueError: there is no such spring."""
    if stiffness is not None and not 0.0 < stiffness < inf:
        raise ValueError(f"a spring of {stiffness} N/m pulls nothing: its stiffness is more than 0, and finite")
    return Input(time, "pull", body, triple(point), triple(target), stiffness or 0.0)


def apply_input(model: Model, state: State, entry: Input) -> None:
    """Write an input into the State, at the State's time. The caller then renews the body's timer."""
    pull = state.pull
    if entry.what == "release":
        body = int(pull[s.PULL_BODY])
        if pull[s.PULL_NEXT] == np.inf:  # the step that bears the spring ends
            _begin_step(state, body)
        state.rest[body, [s.CALM_SINCE, s.STILL_SINCE]] = state.clock[s.TIME]  # with the spring it may have lain still
        pull[:] = 0.0
        pull[s.PULL_BODY] = -1.0
        pull[s.PULL_NEXT] = np.inf
        return
    pull[s.PULL_TARGET : s.PULL_TARGET + 3] = entry.target
    if entry.what == "move":
        return
    row = model.bodies[entry.body]
    frame = tuple(float(value) for value in row[m.FRAME : m.FRAME + 7])
    mass = float(row[m.MASS])
    stiffness = entry.stiffness or mass * _STIFF_RATE**2
    pull[s.PULL_BODY] = entry.body
    pull[s.PULL_POINT : s.PULL_POINT + 3] = np.add(
        frame[:3], rotate((frame[3], frame[4], frame[5], frame[6]), entry.point)
    )
    pull[s.PULL_STIFFNESS] = stiffness
    pull[s.PULL_DAMPING] = 2.0 * _DAMPING_RATIO * sqrt(stiffness * mass)
    pull[s.PULL_NEXT] = state.clock[s.TIME]


def _begin_step(state: State, body: int) -> None:
    """Let the group of a body make a step now."""
    leader = int(state.members[body, s.LEADER])
    state.groups[leader, s.HORIZON] = state.clock[s.TIME]
    set_timer(state, leader)


def to_json(entries: list[Input]) -> str:
    return json.dumps([asdict(entry) | {"orders": pack_orders(entry.orders)} for entry in entries])


def from_json(text: str) -> list[Input]:
    """What `to_json` wrote; floats come back to the last bit."""
    return [
        Input(
            **entry
            | {name: tuple(entry.get(name, ())) for name in ("point", "target", "value")}
            | {"orders": unpack_orders(entry.get("orders", []))}
        )
        for entry in json.loads(text)
    ]
