"""What crosses from the simulation thread to the window.

Two kinds of message: a *frame* is a snapshot of which only the latest matters, and may be dropped; a *batch* carries
what happened since the batch before it, in order, and is never dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from app.simulation.breaks import Break
from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Bools, Floats, Floats32, Ints
from engine.control.orders import MotorOrder
from engine.model.model import Model
from engine.recording.contacts import MOST_CHANGES
from engine.recording.events import EVENT_KINDS
from engine.recording.observe import CAUSE_NAMES
from engine.stages import STAGES

Records = NDArray[Any]

ENERGY_FIELDS = ("kinetic", "potential", "elastic", "total", "work", "dissipated", *CAUSE_NAMES)  # [J]
COUNTER_FIELDS = (  # the first as it is, the others counted since the start of the run
    "heap_size", "pair_checks", "collisions", "microcollisions",
    "heap_pops", "feature_steps", "box_updates", "pairs_made",
)  # fmt: skip
JOINT_FIELDS = ("joint_position", "joint_velocity", "joint_effort")  # of the joint that is watched; nan: none
SAMPLE = np.dtype(
    [
        *((name, "f8") for name in ("time", *ENERGY_FIELDS, *COUNTER_FIELDS)),
        *((f"seconds_{stage}", "f8") for stage in STAGES),
        ("held", "i8"),
        ("joint", "i8"),
        *((name, "f8") for name in JOINT_FIELDS),
    ]
)
"""One reading of the ledger and of the counters, taken at least 60 times in a simulated second, or where that takes
long, as often as a fifth of the computing time allows: the simulation time
[s], energies, counters, the computing time of each stage since the start [s], how many contacts forces held, and which
joint is watched (-1: none), with its position, velocity and effort."""
LOAD = np.dtype([("body_a", "i4"), ("body_b", "i4"), ("normal", "f8"), ("friction", "f8")])
"""What a contact that forces held bore since the sample before, on the mean of that time [N]."""

PAIR_STATE = np.dtype([("time", "f8"), ("body_a", "i4"), ("body_b", "i4"), ("state", "i1")])
"""What two bodies do from a time on [s]: `state` is a place in `pair_states.STATES`. Rows of the bodies are -1 where
nothing is known of any pair before, and those that still touch follow."""

WATCHED = np.dtype([("time", "f8"), ("kind", "i1"), ("a", "i4"), ("b", "i4"), ("values", "f8", 12)])
"""What is read of one subject with a sample: see `watching.QUANTITIES`."""


NO_JOINT = (-1, nan, nan, nan)
"""None is watched: so nothing is known of its position, velocity and effort."""


class Branch(NamedTuple):
    """A way that the run went, other than the one that is shown."""

    number: int
    start: float  # until when it is the same as the one that is shown [s]
    end: float  # until when it is known [s]
    inputs: int  # how many there were


class Instant(NamedTuple):
    """Where bodies are at a time."""

    time: float  # [s]
    poses: Floats32  # (n, 7) as those of a frame


@dataclass(frozen=True, slots=True)
class Frame:
    """The world at one instant. Arrays are read-only; body indices are in scene order."""

    generation: int  # counts the scenes that were loaded
    run: int  # counts loads and resets: time starts anew with each
    sequence: int  # counts frames
    time: float  # simulation time [s]
    poses: Floats32  # (n, 7) x y z [m], w x y z, of the authored frames
    twists: Floats32  # (n, 6) velocity of the centre of mass [m/s], angular velocity in world axes [rad/s]
    energy: Mapping[str, float]  # ENERGY_FIELDS [J]
    counters: Mapping[str, float]
    contacts: Records | None  # World.contacts(); None while the scene waits, and between samples unless asked for
    heap: Records | None  # the next pairs of the heap, earliest first; None unless asked for
    heap_time: float  # simulation time at which `heap` and `pair` were read [s]
    pair: Records | None  # the heap's row of the selected pair (one record); None when there is none
    running: bool
    speed: float  # simulated seconds a second that were asked for; inf: as fast as possible
    achieved: float  # the same, as it was over the last half second; nan when unknown
    behind: bool  # the simulation cannot keep up with the speed asked for
    published: float  # [s] of time.perf_counter
    touching: Ints | None = None  # World.touching(): the two bodies of each contact, (k, 2)
    stopped: tuple[int, ...] = ()  # bodies that stand still because they could not go on
    why_stopped: tuple[str, ...] = ()  # and why, for each
    problem: ContactProblem | None = None  # World.contact_problem(), of a world that stands; None unless asked for
    paradigms: NDArray[np.int8] | None = None  # (n,) World.paradigm_codes()
    asleep: Bools | None = None  # (n,) World.asleep()
    weights: Floats | None = None  # (n,) of the bodies, 0 of scripted ones [N]; None while the scene waits
    motor: MotorOrder | None = None  # what the motor of the joint that is watched seeks; None: there is none
    end: float = 0.0  # until when the run is known [s]; after `time` where that is in the past
    keyframes: tuple[float, ...] = ()  # times of the keyframes [s]
    held: int = 0  # memory that the past takes [bytes]
    inputs: tuple[float, ...] = ()  # times at which something came from outside [s]
    changes: tuple[tuple[str, tuple[float, ...]], ...] = ()  # paths of the scene at which it was changed, and to what
    loop: tuple[float, float] | None = None  # from when to when it is played again and again [s]
    sought: tuple[float, float] | None = None  # from where to where the run is gone through again [s]
    branch: int = 1  # which of the ways that the run went it is
    branches: tuple[Branch, ...] = ()  # the other ones
    breaks: tuple[Break, ...] = ()  # where the run pauses by itself
    boxes: Records | None = None  # World.swept_boxes(); None unless asked for
    exact: Floats | None = None  # (n, 7) the same poses to the bit
    joint: tuple[int, float, float, float] = NO_JOINT  # which one is watched, its position, velocity and effort
    watched: Records = field(default_factory=lambda: np.zeros(0, dtype=WATCHED))  # what was chosen to be plotted
    between: tuple[Instant, ...] | None = None  # from the frame before to this one; None if each is to be seen at once


@dataclass(frozen=True, slots=True)
class Batch:
    """What happened since the last batch of the same run, in order of simulation time."""

    generation: int
    run: int
    events: Records  # World.events()
    samples: Records  # of SAMPLE
    held: Records = field(default_factory=lambda: np.zeros(0, dtype=LOAD))  # the contacts of each sample, one by one
    pairs: Records = field(default_factory=lambda: np.zeros(0, dtype=PAIR_STATE))  # where pairs began something else
    watched: Records = field(default_factory=lambda: np.zeros(0, dtype=WATCHED))  # what was chosen, of each sample


@dataclass(slots=True)
class Mailbox:
    """The hand-over between the two threads. One writes, one reads, and neither ever waits for the other.

    Assigning a reference and appending to a deque are atomic in CPython; each counter has one writer.
    """

    frame: Frame | None = None
    _batches: deque[Batch] = field(default_factory=deque)
    _put: int = 0
    _taken: int = 0

    def put(self, batch: Batch) -> None:
        self._put += _records(batch)
        self._batches.append(batch)

    def drain(self) -> list[Batch]:
        """All batches that have arrived since the last call, in order."""
        batches = [self._batches.popleft() for _ in range(len(self._batches))]
        self._taken += sum(map(_records, batches))
        return batches

    @property
    def backlog(self) -> int:
        """Records that wait to be drained."""
        return self._put - self._taken


def _records(batch: Batch) -> int:
    return len(batch.events) + len(batch.samples) + len(batch.held) + len(batch.pairs) + len(batch.watched)


COLLISION = EVENT_KINDS.index("collision")
MICROCOLLISION = EVENT_KINDS.index("microcollision")


class Step(NamedTuple):
    """One event that was stepped: what it was, of which rows of bodies, and whether more happen at the same time."""

    time: float  # [s]
    word: str  # one of EVENT_KINDS, "check" of a pair, "" for anything else, "nothing" or "start" at the ends
    bodies: tuple[int, ...]
    gap: float  # [m] of a pair that was checked
    more: bool


def step_of(world: WorldLike, due: Records, events: Records, happened: bool = True) -> Step:
    """The event that brought a world to its time. `due`: the row that led the heap before; `events`: logged by it.

    happened: whether there was one before all came to rest.
    """
    more = world.next_event_time <= world.time
    if not happened:
        return Step(world.time, "nothing", (), nan, False)
    if len(events):
        first = events[0]
        bodies = tuple(dict.fromkeys((int(first["body_a"]), int(first["body_b"]))))
        return Step(world.time, EVENT_KINDS[int(first["kind"])], bodies, nan, more)
    if len(due) and float(due["time"][0]) == world.time:
        return Step(world.time, "check", (int(due["body_a"][0]), int(due["body_b"][0])), float(due["gap"][0]), more)
    return Step(world.time, "", (), nan, more)


def find_pair(rows: Records, pair: tuple[int, int]) -> Records | None:
    """The row of a pair among those of a heap's table."""
    a, b = pair
    here = ((rows["body_a"] == a) & (rows["body_b"] == b)) | ((rows["body_a"] == b) & (rows["body_b"] == a))
    found = np.flatnonzero(here)
    return rows[found[0]] if len(found) else None


def frozen(array: Any, dtype: Any = None) -> Any:
    """A copy that nobody can change."""
    copy = np.array(array, dtype=dtype)
    copy.flags.writeable = False
    return copy


class WorldLike(Protocol):
    """The part of `engine.World` that the simulation thread uses."""

    @property
    def time(self) -> float: ...
    @property
    def model(self) -> Model | None: ...
    @property
    def next_event_time(self) -> float: ...
    @property
    def counters(self) -> Mapping[str, float]: ...
    @property
    def seconds(self) -> Mapping[str, float]: ...
    def advance_to(self, time: float) -> object: ...
    def advance_events(self, count: int) -> int: ...
    def interrupt(self) -> None: ...
    def poses(self) -> Floats: ...
    def twists(self) -> Floats: ...
    def energy(self) -> Mapping[str, float]: ...
    def contacts(self, most: int = MOST_CHANGES) -> Records: ...
    def touching(self) -> Ints: ...
    def contact_problem(self) -> ContactProblem: ...
    def distance(self, body: int, other: int) -> float: ...
    def paradigm_codes(self) -> NDArray[np.int8]: ...
    def asleep(self) -> Bools: ...
    def joint(self, number: int) -> tuple[float, float, float]: ...
    def motor(self, joint: int) -> MotorOrder: ...
    def events(self) -> Records: ...
    def heap(self, k: int = 50) -> Records: ...
    def swept_boxes(self) -> Records: ...
    def snapshot(self) -> Any: ...
    def restore(self, snapshot: Any) -> None: ...
    def pull(self, body: int, local_point: Any, target: Any) -> None: ...
    def move_pull(self, target: Any) -> None: ...
    def release(self) -> None: ...
    @property
    def pulled(self) -> int | None: ...
    def drive(self, joint: str, seeks: str, target: float) -> None: ...
    def change(self, path: str, value: Any) -> None: ...
    @property
    def changes(self) -> tuple[tuple[str, tuple[float, ...]], ...]: ...
    @property
    def inputs(self) -> list[Any]: ...
    def give(self, entry: Any) -> None: ...
    @property
    def stopped(self) -> tuple[int, ...]: ...
    def why_stopped(self, body: int) -> str: ...
