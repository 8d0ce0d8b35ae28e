"""A scene that stands at its start: what is shown of it until the engine that moves it has been compiled."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.simulation.messages import Records
from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Bools, Floats, Ints
from engine.control.orders import MotorOrder
from engine.recording.boxes import SWEPT_BOX
from engine.recording.contacts import CONTACT, MOST_CHANGES
from engine.recording.events import EVENT
from engine.recording.heap import CHECK
from engine.recording.touching import PARADIGMS
from engine.scene.poses import start_poses
from engine.scene.schema import Scene


class StillWorld:
    """As much of an `engine.World` as the file says: poses and velocities at time 0. No kernel is called."""

    time = 0.0
    next_event_time = inf
    stopped: tuple[int, ...] = ()
    model = None

    def why_stopped(self, body: int) -> str:
        return ""

    def __init__(self, scene: Scene) -> None:
        self._bodies = scene.bodies
        self._poses = start_poses(scene)
        self.counters: dict[str, float] = {}
        self.seconds: dict[str, float] = {}
        self.inputs: list[Any] = []

    def poses(self) -> Floats:
        return np.array(self._poses).reshape(-1, 7)

    def twists(self) -> Floats:
        return np.array([(*body.velocity, *body.angular_velocity) for body in self._bodies]).reshape(-1, 6)

    def paradigm_codes(self) -> NDArray[np.int8]:
        kinds = ("free" if body.motion == "free" else "scripted" for body in self._bodies)
        return np.array([PARADIGMS.index(kind) for kind in kinds], dtype=np.int8)

    def asleep(self) -> Bools:
        return np.array([body.asleep for body in self._bodies], dtype=np.bool_)

    def energy(self) -> dict[str, float]:
        return {}

    def contacts(self, _most: int = MOST_CHANGES) -> Records:
        return np.zeros(0, dtype=CONTACT)

    def touching(self) -> Ints:
        return np.zeros((0, 2), dtype=np.int64)

    def events(self) -> Records:
        return np.zeros(0, dtype=EVENT)

    def heap(self, _k: int = 50) -> Records:
        return np.zeros(0, dtype=CHECK)

    def swept_boxes(self) -> Records:
        return np.zeros(0, dtype=SWEPT_BOX)

    def joint(self, _number: int) -> tuple[float, float, float]:
        return (nan, nan, nan)

    def motor(self, _joint: int) -> MotorOrder:
        raise ValueError("nothing drives a scene that stands")

    def distance(self, _body: int, _other: int) -> float:
        return nan

    def contact_problem(self) -> ContactProblem:
        raise RuntimeError("contacts are not known before the engine has been compiled")

    def snapshot(self) -> None:
        return None

    def restore(self, _snapshot: None) -> None:
        pass

    def advance_to(self, _time: float) -> None:
        pass

    def advance_events(self, _count: int) -> int:
        return 0

    def interrupt(self) -> None:
        pass

    def pull(self, _body: int, _local_point: Any, _target: Any) -> None:
        pass

    def move_pull(self, _target: Any) -> None:
        pass

    def release(self) -> None:
        pass

    @property
    def pulled(self) -> None:
        return None

    def give(self, _entry: Any) -> None:
        pass

    def change(self, _path: str, _value: Any) -> None:
        pass

    @property
    def changes(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        return ()

    def drive(self, _joint: str, _seeks: str, _target: float) -> None:
        pass
