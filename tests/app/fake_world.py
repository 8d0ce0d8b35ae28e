"""A world of two balls that ticks like a clock: what the window's side needs, without an engine.

Events come every `period` and take `heavy` seconds of the wall each; stepping costs `cost` seconds of the wall a
simulated second, and can be interrupted; asking for contacts, which are where the balls are, costs `telling`.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.contact_problem import ContactProblem
from engine.control.orders import MotorOrder
from engine.recording.boxes import SWEPT_BOX
from engine.recording.contacts import CONTACT, MOST_CHANGES
from engine.recording.events import EVENT
from tests.contact_problems import random_problem

PAIR = np.dtype(
    [
        ("time", "f8"),
        ("body_a", "i4"),
        ("body_b", "i4"),
        ("gap", "f8"),
        ("checked", "f8"),
        ("point_a", "f8", (3,)),
        ("point_b", "f8", (3,)),
    ]
)


@dataclass(frozen=True)
class FakeScene:
    """How the fake world shall behave."""

    period: float = 0.01
    cost: float = 0.0
    fails_to_build: bool = False
    fails_at: float = math.inf
    pairs: int = 6
    bodies: int = 2
    touching: int = 0
    telling: float = 0.0
    heavy: float = 0.0


@dataclass(frozen=True)
class FakeSnapshot:
    time: float
    ticks: int
    nbytes: int = 1000

    def pack(self) -> FakeSnapshot:
        return self

    def unpack(self) -> FakeSnapshot:
        return self


class FakeWorld:
    model = None

    def __init__(self, scene: FakeScene) -> None:
        if scene.fails_to_build:
            raise ValueError("scene.toml:3: body.cue.mass: must be above zero (a mass in kg)")
        self.scene = scene
        self.time = 0.0
        self.ticks = 0
        self.told = 0
        self.threads = {threading.get_ident()}
        self.pulls: list[tuple[str, Any]] = []
        self._events: list[tuple[float | int | tuple[float, ...], ...]] = []
        self._interrupted = threading.Event()

    @property
    def counters(self) -> dict[str, float]:
        return {
            "heap_size": self.scene.pairs,
            "pair_checks": 10 * self.ticks,
            "collisions": self.ticks,
            "microcollisions": 2 * self.ticks,
            "heap_pops": 10 * self.ticks,
        }

    @property
    def seconds(self) -> dict[str, float]:
        return {"heap": 0.002 * self.ticks, "closest": 0.001 * self.ticks}

    @property
    def next_event_time(self) -> float:
        return (self.ticks + 1) * self.scene.period

    def _tick(self) -> None:
        time.sleep(self.scene.heavy)
        self.ticks += 1
        self.time = self.ticks * self.scene.period
        if self.time >= self.scene.fails_at:
            raise RuntimeError(f"t = {self.time:g} s: the heap is full; raise world.heap_capacity")
        nothing = (0.0, 0.0, 0.0)
        self._events.append((self.time, 1, 0, 0, 1, 0, 1, (0.0, 0.0, 0.5), nothing, (0.0, 0.0, 1.0), nothing, 0))

    def advance_to(self, goal: float) -> float:
        self.threads.add(threading.get_ident())
        if self._spend(goal - self.time):
            return self.time
        while (self.ticks + 1) * self.scene.period <= goal:
            self._tick()
        self.time = max(self.time, goal)
        return self.time

    def _spend(self, simulated: float) -> bool:
        """Waits as long as the stepping is meant to cost; True if it was cut short."""
        cut = self._interrupted.wait(simulated * self.scene.cost) if self.scene.cost else self._interrupted.is_set()
        self._interrupted.clear()
        return cut

    def advance_events(self, count: int) -> int:
        if self._spend(0.0) or self.scene.period == math.inf:
            return 0
        for _ in range(count):
            self._tick()
        return count

    def interrupt(self) -> None:
        self._interrupted.set()

    def poses(self) -> np.ndarray:
        poses = np.zeros((self.scene.bodies, 7))
        poses[:, 3] = 1.0
        poses[:, 0] = self.time
        return poses

    def twists(self) -> np.ndarray:
        return np.zeros((self.scene.bodies, 6))

    def energy(self) -> dict[str, float]:
        kinetic = 1.0 + math.sin(self.time)
        return {
            "kinetic": kinetic,
            "potential": 3.0 - kinetic,
            "elastic": 0.0,
            "total": 3.0,
            "work": 0.0,
            "dissipated": 0.1 * self.time,
            "sliding": 0.1 * self.time,
            **dict.fromkeys(("impact", "resistance", "damping", "numerics"), 0.0),
        }

    def contacts(self, most: int = MOST_CHANGES) -> np.ndarray:
        self.told += 1
        end = time.thread_time() + self.scene.telling
        while time.thread_time() < end:
            pass
        out = np.zeros(1, dtype=CONTACT)
        out["gap"] = self.scene.period
        out["point"][:, 0] = self.time
        return out

    def touching(self) -> np.ndarray:
        return np.array([(0, 1)])

    def joint(self, number: int) -> tuple[float, float, float]:
        return (0.1 * number + self.time, 1.0, math.nan)

    def motor(self, joint: int) -> MotorOrder:
        raise ValueError(f"joint {joint} has no motor")

    def contact_problem(self) -> ContactProblem:
        return random_problem(7, self.scene.bodies, self.scene.touching, at_rest=True)

    def paradigm_codes(self) -> np.ndarray:
        return np.zeros(self.scene.bodies, dtype=np.int8)

    def asleep(self) -> np.ndarray:
        return np.zeros(self.scene.bodies, dtype=bool)

    def events(self) -> np.ndarray:
        events, self._events = np.array(self._events, dtype=EVENT), []
        return events

    def heap(self, k: int = 50) -> np.ndarray:
        rows = np.zeros(min(k, self.scene.pairs), dtype=PAIR)
        order = np.arange(len(rows))
        rows["body_b"] = 1 + (order + self.ticks) % max(self.scene.pairs, 1)
        rows["time"] = self.time + 0.001 * (order + 1)
        rows["gap"] = 0.01 * rows["body_b"]
        rows["point_b"] = (0.0, 0.0, 1.0)
        return rows

    def swept_boxes(self) -> np.ndarray:
        return np.zeros(self.scene.bodies, dtype=SWEPT_BOX)

    def snapshot(self) -> FakeSnapshot:
        return FakeSnapshot(self.time, self.ticks)

    def restore(self, snapshot: FakeSnapshot) -> None:
        self.time, self.ticks = snapshot.time, snapshot.ticks
        self._events = []

    def pull(self, body: int, local_point: Any, target: Any) -> None:
        self.pulls.append(("pull", (body, tuple(local_point), tuple(target))))

    def move_pull(self, target: Any) -> None:
        self.pulls.append(("move", tuple(target)))

    @property
    def stopped(self) -> tuple[int, ...]:
        return ()

    @property
    def inputs(self) -> list[Any]:
        return []

    @property
    def changes(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        return ()

    def release(self) -> None:
        self.pulls.append(("release", ()))

    @property
    def pulled(self) -> int | None:
        what, said = self.pulls[-1] if self.pulls else ("release", ())
        return None if what == "release" else next(said[0] for what, said in reversed(self.pulls) if what == "pull")
