"""The simulation thread: owns the world, obeys commands, publishes frames and batches.

It knows no Qt. Everything here runs on one thread, except `Worker.send`, `Worker.interrupt` and the mailbox.
"""

from __future__ import annotations

import logging
import math
import queue
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from app.simulation.history import MEGABYTES, History
from app.simulation.ledger import Ledger
from app.simulation.messages import (
    COLLISION,
    Batch,
    Frame,
    Mailbox,
    Records,
    Step,
    WorldLike,
    find_pair,
    frozen,
    step_of,
)
from app.simulation.pacing import Pacer
from app.simulation.still_world import StillWorld
from engine.control.python_file import ControllerError

log = logging.getLogger(__name__)

FRAME = 1.0 / 60.0  # [s] of the wall between frames, and of simulation in one step of a frame
LONGEST_SLICE = 1.0 / 60.0  # [s] of simulation in one call of advance_to: the ledger is sampled after each
SHORTEST_SLICE = 1e-9  # [s]
SLICE_WALL = 0.004  # [s] of the wall that a slice is meant to take
TABLE_ROWS = 200
TABLE_INTERVAL = 0.1  # [s] of the wall between readings of the heap's table
MOST_BACKLOG = 2_000_000  # records: stepping waits for the window beyond it, since none may be dropped


class Reports(Protocol):
    """What the worker tells the window besides frames and batches. Called on the simulation thread."""

    def on_state(self, state: str) -> None: ...
    def on_loaded(self, generation: int) -> None: ...
    def on_failed(self, text: str) -> None: ...
    def on_stepped(self, step: Step) -> None: ...


@dataclass(slots=True)
class _Goal:
    """What the world is being moved towards: an endless run, or single steps one after the other."""

    running: bool = False
    steps: deque[Literal["frame", "event", "collision"]] = field(default_factory=deque)
    until: float | None = None  # where the step of a frame that is under way ends [s]
    seek: float | None = None  # a time in the past to stand at [s]

    @property
    def is_idle(self) -> bool:
        return not (self.running or self.steps) and self.seek is None


class Worker:
    """Moves one world at a time at the pace asked for. `run` is the body of the thread."""

    def __init__(
        self,
        make_world: Callable[[Any], WorldLike],
        mailbox: Mailbox,
        reports: Reports,
        clock: Callable[[], float] = time.perf_counter,
        can_run: Callable[[Any], bool] = lambda _scene: True,
        megabytes: float = MEGABYTES,
    ) -> None:
        self._history = History(megabytes)
        self._make_world = make_world
        self._can_run = can_run
        self._waiting: Any = None  # the scene that stands but cannot move yet
        self._mailbox = mailbox
        self._reports = reports
        self._clock = clock
        self._commands: queue.SimpleQueue[Callable[[Worker], None]] = queue.SimpleQueue()
        self._world: WorldLike | None = None
        self._start: Any = None
        self._pacer = Pacer(clock)
        self._goal = _Goal()
        self._slice = 1e-3
        self._closing = False
        self._state = "empty"
        self._generation = 0
        self._run = 0
        self._sequence = 0
        self._ledger = Ledger()
        self._table_wanted = False
        self._table: Records | None = None
        self._table_read = -math.inf
        self._table_time = 0.0
        self._pair: tuple[int, int] | None = None
        self._pair_row: Records | None = None
        self._problem_wanted = False
        self._next_frame = -math.inf
        self._caught_up = False

    # Called from the window's thread

    def send(self, command: Callable[[Worker], None]) -> None:
        """Queue a command and cut short a running advance so that it is obeyed within 50 ms."""
        self._commands.put(command)
        self.interrupt()

    def interrupt(self) -> None:
        world = self._world
        if world is not None:
            world.interrupt()

    def hurry(self) -> None:
        """Interrupt again if commands still wait: an interrupt that came just before an advance is forgotten by it."""
        if not self._commands.empty():
            self.interrupt()

    # The thread

    def run(self) -> None:
        """Obey commands and advance until closed. A failure is reported, and the thread lives on."""
        while not self._closing:
            try:
                self._obey(self._patience())
                if not self._closing and not self._goal.is_idle:
                    self._advance()
            except Exception as error:  # whatever the engine raises must reach the person, not kill the thread
                self._fail(error)
        self._world = None
        self._set_state("closed")

    def _patience(self) -> float | None:
        """How long to wait for a command [s]: for ever when idle, not at all while there is stepping to do."""
        if self._goal.is_idle or self._world is None:
            return None
        if self._mailbox.backlog > MOST_BACKLOG:
            return FRAME
        if self._goal.running and self._caught_up:
            return max(0.0, self._next_frame - self._clock())
        return 0.0

    def _obey(self, timeout: float | None) -> None:
        """Carry out all waiting commands, after waiting for the first of them for at most `timeout`."""
        try:
            command = self._commands.get(block=timeout is None or timeout > 0.0, timeout=timeout or None)
            while True:
                command(self)
                if self._closing:
                    return
                command = self._commands.get_nowait()
        except queue.Empty:
            return

    def _fail(self, error: Exception) -> None:
        """The simulation cannot go on. Where a controller's mistake is why, it can as soon as that is mended."""
        log.warning("the simulation failed", exc_info=error)
        self._goal = _Goal()
        if isinstance(error, ControllerError) and self._world is not None:
            self._settle(self._world)
        else:
            self._set_state("failed")
        self._reports.on_failed(describe(error))

    def _set_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._reports.on_state(state)

    # Commands

    def close(self) -> None:
        self._goal = _Goal()
        self._closing = True

    def load(self, scene: Any, generation: int) -> None:
        """Build the world of `scene` and stand at its start. On failure there is no world, and the reason is told."""
        self._goal = _Goal()
        self._world = self._start = self._table = self._pair = self._pair_row = None
        self._generation = generation
        self._waiting = None if self._can_run(scene) else scene
        self._set_state("loading")
        world = self._make_world(scene) if self._waiting is None else StillWorld(scene)
        self._start = world.snapshot()
        self._world = world
        self._begin_run()
        self._set_state("paused" if self._waiting is None else "compiling")
        self._reports.on_loaded(generation)

    def look_again(self) -> None:
        """Build the world of the scene that stands if it can move now."""
        if self._waiting is not None and self._can_run(self._waiting):
            starting = self._state == "starting"
            self.load(self._waiting, self._generation)
            if starting:
                self.play()

    def reset(self) -> None:
        """Go back to the start of the scene and pause there."""
        if self._world is None or self._waiting is not None:
            return
        self._goal = _Goal()
        self._put_batch(self._world)
        self._world.restore(self._start)
        self._begin_run()
        self._set_state("paused")

    def _begin_run(self) -> None:
        world = self._require()
        self._run += 1
        self._slice = 1e-3
        self._ledger.start(world.time)
        world.events()  # whatever came before belongs to no run
        self._pacer.start(world.time)
        if self._waiting is None:
            self._history.start(world)
        self._sample(world)
        self._publish(world)

    def play(self) -> None:
        if self._world is None or self._goal.running:
            return
        if self._waiting is not None:
            self._set_state("starting")
            return
        self._goal = _Goal(running=True)
        self._caught_up = False
        self._pacer.start(self._world.time)
        self._set_state("running")

    def pause(self) -> None:
        if self._world is None:
            return
        self._goal = _Goal()
        if self._waiting is not None:
            self._set_state("compiling")
            return
        self._settle(self._world)

    def step_frame(self) -> None:
        """Go on by a sixtieth of a simulated second, then stand still."""
        self._add_step("frame")

    def step_event(self) -> None:
        """Go on by one event of the heap, then stand still."""
        self._add_step("event")

    def step_collision(self) -> None:
        """Go on to the next collision, then stand still."""
        self._add_step("collision")

    def seek(self, time: float) -> None:
        """Stand at another time of the run, as far as it is known [s]."""
        if self._world is None or self._waiting is not None:
            return
        time = min(max(time, 0.0), self._history.end)
        self._put_batch(self._world)
        self._history.note(self._world)
        self._history.jump(self._world, time)
        self._goal = _Goal(seek=time)
        self._set_state("stepping")

    def _tell(self, say: Callable[[WorldLike], None]) -> None:
        """Let something come from outside: in the past it begins another future."""
        world = self._world
        if world is None:
            return
        given, past = len(world.inputs), self._waiting is None and self._history.is_past(world)
        say(world)
        if past and len(world.inputs) > given:
            self._history.fork(world, given)
            world.events()
            self._ledger.go_on(world.time)
            self._sample(world)

    def _add_step(self, step: Literal["frame", "event", "collision"]) -> None:
        if self._world is None or self._waiting is not None:
            return
        if self._goal.running:
            self._goal = _Goal()
        self._goal.steps.append(step)
        self._set_state("stepping")

    def set_speed(self, speed: float) -> None:
        self._pacer.set_speed(speed)
        self._refresh()

    def pull(self, index: int, local_point: Any, target: Any) -> None:
        self._tell(lambda world: world.pull(index, local_point, target))
        self._refresh()

    def move_pull(self, target: Any) -> None:
        self._tell(lambda world: world.move_pull(target))

    def release(self) -> None:
        self._tell(lambda world: world.release())
        self._refresh()

    def drive(self, joint: str, seeks: str, target: float) -> None:
        self._tell(lambda world: world.drive(joint, seeks, target))

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What came from outside in this run. Any thread may ask: the list is copied in one step of the interpreter."""
        world = self._world
        return () if world is None else tuple(world.inputs)

    def request_table(self, wanted: bool) -> None:
        self._table_wanted = wanted
        self._table_read = -math.inf
        self._refresh()

    def request_problem(self, wanted: bool) -> None:
        self._problem_wanted = wanted
        self._refresh()

    def watch_joint(self, number: int) -> None:
        self._ledger.joint = number

    def select_pair(self, pair: tuple[int, int] | None) -> None:
        self._pair = pair
        self._table_read = -math.inf
        self._refresh()

    def _refresh(self) -> None:
        """While nothing moves, a change in what is asked for shows at once."""
        if self._world is not None and self._goal.is_idle:
            self._publish(self._world)

    def _require(self) -> WorldLike:
        if self._world is None:
            raise RuntimeError("no scene is loaded")
        return self._world

    # Advancing

    def _advance(self) -> None:
        """Advance towards the goal until it is reached, a frame is due or a command waits; publish when it is time."""
        world = self._require()
        if self._mailbox.backlog > MOST_BACKLOG:
            return
        if self._goal.seek is not None:
            if self._advance_in_time(world, self._goal.seek):
                self._goal = _Goal()
        elif self._goal.running:
            self._caught_up = self._advance_in_time(world, self._pacer.due())
        else:
            self._advance_step(world)
        if self._goal.is_idle:
            self._settle(world)
        elif self._clock() >= self._next_frame:
            self._publish(world)

    def _advance_step(self, world: WorldLike) -> None:
        """Take the next single step, or a part of it."""
        goal = self._goal
        if goal.steps[0] == "event":
            due = frozen(world.heap(1))
            happened = self._history.step_event(world) == 1
            finished = happened or world.next_event_time == math.inf
            events = self._sample(world)
            if finished:
                self._reports.on_stepped(step_of(world, due, events, happened))
        elif goal.steps[0] == "collision":
            finished = self._advance_to_collision(world)
        else:
            goal.until = world.time + FRAME if goal.until is None else goal.until
            finished = self._advance_in_time(world, goal.until)
        if finished:
            goal.until = None
            goal.steps.popleft()

    def _advance_to_collision(self, world: WorldLike) -> bool:
        """Advance event by event for a slice's time; False if it came to no collision, and there are more events."""
        began, before = self._clock(), world.counters["collisions"]
        finished = False
        while not finished and self._clock() < began + SLICE_WALL and self._commands.empty():
            finished = self._history.step_event(world) == 0 and world.next_event_time == math.inf
            finished = finished or world.counters["collisions"] > before
        events = self._sample(world)
        if finished:
            hits = events[events["kind"] == COLLISION][-1:]
            hit = world.counters["collisions"] > before
            self._reports.on_stepped(step_of(world, frozen(world.heap(0)), hits, hit))
        return finished

    def _advance_in_time(self, world: WorldLike, until: float) -> bool:
        """Advance in slices; False if a frame or a command came before `until` was reached."""
        while world.time < until:
            start, began = world.time, self._clock()
            end = self._history.end if start < self._history.end else math.inf
            self._history.advance_to(world, min(until, start + self._slice, end))
            now = self._clock()
            self._fit_slice(world.time - start, now - began)
            if end < math.inf:
                world.events()  # that are known
            elif world.time > start:
                self._sample(world)
            if self._goal.running:
                self._pacer.advanced(world.time)
            if now >= self._next_frame or not self._commands.empty():
                break
        return world.time >= until

    def _fit_slice(self, simulated: float, wall: float) -> None:
        """Choose the next slice so that it takes a few milliseconds: commands and frames come between slices."""
        fitting = simulated * SLICE_WALL / max(wall, 1e-7)
        self._slice = min(max(fitting, 0.25 * self._slice, SHORTEST_SLICE), 2.0 * self._slice, LONGEST_SLICE)

    def _settle(self, world: WorldLike) -> None:
        self._publish(world)
        self._set_state("paused")

    def _sample(self, world: WorldLike) -> Records:
        """Keep what there is to be told, unless it is known. Returns the events since it was last asked."""
        events = frozen(world.events())
        if self._waiting is not None or self._history.is_past(world):
            return events
        self._history.note(world)
        self._ledger.sample(world, events)
        return events

    # Publishing

    def _publish(self, world: WorldLike) -> None:
        now = self._clock()
        self._next_frame = max(self._next_frame + FRAME, now + 0.5 * FRAME)
        self._put_batch(world)
        if now >= self._table_read + TABLE_INTERVAL or self._goal.is_idle:
            self._read_table(world, now)
        self._sequence += 1
        self._mailbox.frame = Frame(
            generation=self._generation,
            run=self._run,
            sequence=self._sequence,
            time=world.time,
            poses=frozen(world.poses(), np.float32),
            twists=frozen(world.twists(), np.float32),
            energy=dict(world.energy()),
            counters=dict(world.counters),
            contacts=None if self._waiting is not None else frozen(world.contacts()),
            heap=self._table,
            heap_time=self._table_time,
            pair=self._pair_row,
            running=self._goal.running,
            speed=self._pacer.speed,
            achieved=self._pacer.achieved if self._goal.running else math.nan,
            behind=self._goal.running and self._pacer.behind,
            published=now,
            stopped=world.stopped,
            problem=world.contact_problem() if self._shows_problem() else None,
            paradigms=frozen(world.paradigm_codes()),
            asleep=frozen(world.asleep()),
            end=max(self._history.end, world.time),
            keyframes=self._history.times,
            inputs=self._history.input_times,
        )

    def _shows_problem(self) -> bool:
        return self._problem_wanted and self._goal.is_idle and self._waiting is None

    def _put_batch(self, world: WorldLike) -> None:
        told = self._ledger.take(world.events())
        if told is not None:
            self._mailbox.put(Batch(self._generation, self._run, *told))

    def _read_table(self, world: WorldLike, now: float) -> None:
        self._table = self._pair_row = None
        if not self._table_wanted:
            return
        self._table_read, self._table_time = now, world.time
        self._table = frozen(world.heap(TABLE_ROWS))
        if self._pair is not None:
            self._pair_row = find_pair(self._table, self._pair)
            size = int(world.counters.get("heap_size", 0))
            if self._pair_row is None and size > len(self._table):
                self._pair_row = find_pair(frozen(world.heap(size)), self._pair)


def describe(error: Exception) -> str:
    """An error in words for a person: one line a problem."""
    text = str(error).strip()
    if not text:
        return f"{type(error).__name__} (no further explanation)"
    if isinstance(error, (KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError)):
        return f"internal error: {type(error).__name__}: {text}"  # a fault of the program, not of the scene
    return text
