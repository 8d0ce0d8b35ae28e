"""Moves a world towards what is asked for, and tells what there is to see: frames, samples, events.

Everything here runs on the simulation thread.
"""

from __future__ import annotations

import math
import queue
from collections.abc import Callable
from contextlib import suppress
from time import thread_time
from typing import Any, Literal

import numpy as np

from app.simulation.breaks import Break, Met, breaks_met, look_after
from app.simulation.goal import Goal, Reports
from app.simulation.history import History
from app.simulation.instants import Instants
from app.simulation.ledger import Ledger
from app.simulation.messages import (
    COLLISION,
    Batch,
    Frame,
    Instant,
    Mailbox,
    Records,
    WorldLike,
    frozen,
    step_of,
)
from app.simulation.pacing import Pacer
from app.simulation.rewind import StepBack
from app.simulation.table import Table
from app.simulation.weights import weights_of
from engine.control.orders import MotorOrder
from engine.recording.contacts import MOST_CHANGES
from engine.recording.events import EVENT

FRAME = 1.0 / 60.0  # [s] of the wall between frames, and of simulation in one step of a frame
LONGEST_SLICE = 1.0 / 60.0  # [s] of simulation in one call of advance_to: the ledger is sampled after each
SHORTEST_SLICE = 1e-9  # [s]
SLICE_WALL = 0.004  # [s] of the wall that a slice is meant to take, at least
TELLING = 4.0  # times as long as telling of it takes, computing goes on before it is told of again
TELLING_OF_MANY = 8.0  # the same where that takes longer than a slice, and a person waits for the run
A_FEW_CHANGES = 5_000  # of loads of sleepers, while the run goes on: ten milliseconds; see `settle_loads`
FASTEST_BACK = 10.0  # simulated seconds a second
NOTHING: Records = np.zeros(0, dtype=EVENT)
MOST_BACKLOG = 2_000_000  # records: stepping waits for the window beyond it, since none may be dropped


class Mover:
    """The world of a scene, its past, and where it is to go."""

    def __init__(
        self,
        mailbox: Mailbox,
        reports: Reports,
        commands: queue.SimpleQueue[Any],
        clock: Callable[[], float],
        megabytes: float,
    ) -> None:
        self._history = History(megabytes)
        self._waiting: Any = None  # the scene that stands but cannot move yet
        self._mailbox = mailbox
        self._reports = reports
        self._clock = clock
        self._commands = commands
        self._world: WorldLike | None = None
        self._pacer = Pacer(clock)
        self._instants = Instants(clock)
        self._goal = Goal()
        self._slice = 1e-3
        self._sampling = 0.0  # how long a sample takes [s]
        self._took = 0.0  # how long the last one did, by the thread's own time [s]
        self._sampled: tuple[tuple[float, float], Records] | None = None  # the last sample's instant, and its contacts
        self._sampled_at = -math.inf  # when that was, by the wall [s]
        self._untold: list[Records] = []  # events since the last sample; none where all is known that there is
        self._state = "empty"
        self._generation = 0
        self._run = 0
        self._sequence = 0
        self._ledger = Ledger()
        self._table = Table()
        self._problem_wanted = self._boxes_wanted = self._contacts_wanted = self._instants_wanted = False
        self._loop: tuple[float, float] | None = None
        self._breaks: tuple[Break, ...] = ()
        self._met: tuple[Met, ...] = ()  # those that were met, all at one instant
        self._next_frame = -math.inf
        self._caught_up = False
        self._holds = False  # a person holds a body by the mouse's spring

    def _set_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._reports.on_state(state)

    def _refresh(self) -> None:
        """While nothing moves, a change in what is asked for shows at once."""
        if self._world is not None and self._goal.is_idle:
            self._publish(self._world)

    def _require(self) -> WorldLike:
        if self._world is None:
            raise RuntimeError("no scene is loaded")
        return self._world

    def _advance(self) -> None:
        """Advance towards the goal until it is reached, a frame is due or a command waits; publish when it is time."""
        world, goal = self._require(), self._goal
        self._sampled = None
        if self._mailbox.backlog > MOST_BACKLOG:
            return
        if goal.seek is not None:
            if self._advance_in_time(world, goal.seek):
                goal.seek = goal.begun = None
                self._pacer.start(world.time)
        elif goal.backwards:
            self._advance_back(world)
        elif goal.running:
            self._advance_on(world)
        else:
            self._advance_step(world)
        if goal.is_idle:
            self._settle(world)
        elif self._clock() >= self._next_frame and not (goal.running and goal.seek is not None and goal.begun is None):
            self._publish(world, self._contacts_of_sample(world))

    def _advance_on(self, world: WorldLike) -> None:
        """Play on; at the end of a loop, from its start again."""
        begin, end = self._loop or (0.0, math.inf)
        if world.time < end:
            self._caught_up = self._advance_in_time(world, min(self._pacer.due(), end))
        if self._met:
            self._stand_at_break(world, self._met)
        elif world.time >= end:
            self._catch_up(world)
            self._goal.seek = begin
            self._history.jump(world, begin)

    def _stand_at_break(self, world: WorldLike, met: tuple[Met, ...]) -> None:
        """Pause at the time of what met conditions, which are off from now on."""
        self._met = ()
        conditions, time = {one.condition for one in met}, met[0].time
        self._breaks = tuple(one._replace(on=False) if one in conditions else one for one in self._breaks)
        self._goal = Goal()
        self._catch_up(world)
        self._history.jump(world, time)
        self._goal = Goal(seek=time, begun=world.time)
        self._reports.on_met(met)

    def _advance_back(self, world: WorldLike) -> None:
        """A frame back, when it is due; at the start of a loop, from its end again."""
        self._catch_up(world)
        loop = self._loop if self._loop and self._loop[0] < self._history.end else None  # of another run it may be kept
        begin, end = loop or (0.0, 0.0)
        if world.time <= begin:
            if loop is None:
                self._goal.running = self._goal.backwards = False
                return
            self._goal.seek = min(end, self._history.end)
            self._history.jump(world, self._goal.seek)
        self._caught_up = self._clock() < self._next_frame
        if not self._caught_up and self._goal.seek is None:
            self._goal.seek = max(begin, world.time - min(self._pacer.speed, FASTEST_BACK) * FRAME)
            self._history.jump(world, self._goal.seek, back=True)

    def _let_go(self, world: WorldLike) -> None:
        """Where all that is known of the run ends, a spring that nobody holds lets go: it was left by a past in which
        another future was begun."""
        if world.pulled is not None and not self._holds and not self._history.is_past(world):
            world.release()
            self._take_up(world)
            self._history.note(world)

    def _advance_step(self, world: WorldLike) -> None:
        """Take the next single step, or a part of it."""
        goal = self._goal
        if not goal.steps[0].endswith("back"):
            self._let_go(world)
        if goal.steps[0] == "event":
            due = frozen(world.heap(1))
            happened = self._history.step_event(world) == 1
            finished = happened or world.next_event_time == math.inf
            events = self._take_up(world)
            self._sample(world)
            if finished:
                self._reports.on_stepped(step_of(world, due, events, happened))
        elif goal.steps[0] == "collision":
            finished = self._advance_to_collision(world)
        elif goal.steps[0] != "frame":
            finished = self._step_back(world, "event" if goal.steps[0] == "event_back" else "collision")
        else:
            goal.until = world.time + FRAME if goal.until is None else goal.until
            finished = self._advance_in_time(world, goal.until)
        if finished:
            goal.until = None
            goal.steps.popleft()

    def _step_back(self, world: WorldLike, what: Literal["event", "collision"]) -> bool:
        """Go on with a step back for a slice's time; False if it is not done."""
        if self._goal.back is None:
            self._catch_up(world)
            self._goal.back = StepBack(self._history, world, what)
        end = self._clock() + SLICE_WALL
        step = self._goal.back.advance(world, lambda: self._clock() < end and self._commands.empty())
        world.events()  # that are known
        if step is None:
            return False
        self._goal.back = None
        self._reports.on_stepped(step)
        return True

    def _advance_to_collision(self, world: WorldLike) -> bool:
        """Advance event by event for a slice's time; False if it came to no collision, and there are more events."""
        began, before = self._clock(), world.counters["collisions"]
        finished = False
        while not finished and self._clock() < began + SLICE_WALL and self._commands.empty():
            finished = self._history.step_event(world) == 0 and world.next_event_time == math.inf
            finished = finished or world.counters["collisions"] > before
        events = self._take_up(world)
        if finished or self._is_sample_due(world):
            self._sample(world)
        if finished:
            hits = events[events["kind"] == COLLISION][-1:]
            hit = world.counters["collisions"] > before
            self._reports.on_stepped(step_of(world, frozen(world.heap(0)), hits, hit))
        return finished

    def _advance_in_time(self, world: WorldLike, until: float) -> bool:
        """Advance in slices; False if a frame or a command came before `until` was reached."""
        while world.time < until:
            self._let_go(world)
            start, began = world.time, self._clock()
            reads = self._plays_evenly()
            due = self._instants.due if reads else math.inf
            known = [time for time in (self._history.told, self._history.end, due) if time > start]
            looks = [look_after(start)] if self._looks_out(standing=True) else []
            there = min(until, start + self._slice, *known, *looks)
            if there != self._history.told or self._advance_to_told(world):
                self._history.advance_to(world, there)
            now = self._clock()
            self._fit_slice(world.time - start, now - began)
            self._take_up(world)
            if reads:
                self._instants.read(world)
            if self._is_sample_due(world):
                self._sample(world)
            if self._goal.backwards:
                self._history.remember(world)
            elif self._goal.running:
                self._pacer.advanced(world.time)
            if self._met or now >= self._next_frame or not self._commands.empty():
                break
        return world.time >= until

    def _advance_to_told(self, world: WorldLike) -> bool:
        """Advance to what was told last, so that only what comes after it, at that instant or later, is told; False if
        a command came before."""
        if not self._history.come_to_told(world):
            return False
        self._take_up(world)
        return True

    def _looks_out(self, standing: bool = False) -> bool:
        """Whether there is anything that the run would pause at; standing: that has no events of its own."""
        on_its_way = self._goal.running and not self._goal.backwards and self._goal.seek is None
        return on_its_way and any(one.on and not (standing and one.is_event) for one in self._breaks)

    def _fit_slice(self, simulated: float, wall: float) -> None:
        """Choose the next slice so that it takes a few milliseconds, but longer than the sample after it, unless that
        is so long that many slices share one: frames come between slices, and commands when the next event is over."""
        fitting = simulated * max(SLICE_WALL, TELLING * min(self._sampling, SLICE_WALL)) / max(wall, 1e-7)
        self._slice = min(max(fitting, 0.25 * self._slice, SHORTEST_SLICE), 2.0 * self._slice, LONGEST_SLICE)

    def _settle(self, world: WorldLike) -> None:
        self._catch_up(world)
        self._publish(world)
        self._set_state("paused")

    def _take_up(self, world: WorldLike) -> Records:
        """Take up what has happened since this was last asked, and return it; see whether that is to pause the run."""
        events: Records = frozen(world.events())
        if not self._met and self._looks_out():
            self._met = breaks_met(self._breaks, events, world)
        if self._waiting is None and not self._history.is_told(world):
            self._untold.append(events)
        return events

    def _is_sample_due(self, world: WorldLike) -> bool:
        """Whether it is time to sample again: after each slice, or where that would take long, when computing has taken
        TELLING_OF_MANY times as long. Where it goes on in another way than was told, what is told begins there."""
        waited = self._clock() - self._sampled_at >= TELLING_OF_MANY * self._sampling
        return waited or self._sampling <= SLICE_WALL or world.time == self._history.told

    def _sample(self, world: WorldLike) -> None:
        """Keep what there is to be told, unless it is known: all that was taken up, and how things stand now."""
        if self._waiting is not None or (not self._untold and self._history.is_told(world)):
            return
        self._history.note(world)
        began = thread_time()
        events = frozen(np.concatenate([NOTHING, *self._untold]))
        self._untold.clear()
        contacts = _contacts(world, A_FEW_CHANGES)
        self._sampled = _instant(world), contacts
        self._ledger.sample(world, events, contacts)
        while self._history.news:
            self._reports.on_noted(self._history.news.pop(0))
        took, self._sampled_at = thread_time() - began, self._clock()
        self._sampling, self._took = min(took, self._took), took  # what came between once is no measure

    def _catch_up(self, world: WorldLike) -> None:
        """Tell all that is to be told, before the world stands, or goes elsewhere in time."""
        self._take_up(world)
        self._sample(world)
        self._put_batch()

    def _contacts_of_sample(self, world: WorldLike) -> Records | None:
        """Contacts that the last sample has read, if the world is still there."""
        if self._sampled is None or self._sampled[0] != _instant(world):
            return None
        return self._sampled[1]

    # Publishing

    def _publish(self, world: WorldLike, contacts: Records | None = None) -> None:
        """A frame of the world as it is: all that is in it is of one instant. contacts: the world's, if they have been
        read; between samples of a run that goes on they are in it only where somebody looks at them."""
        now = self._clock()
        self._put_batch()
        self._table.look(world, now, self._goal.is_idle)
        self._sequence += 1
        poses = frozen(world.poses())
        if contacts is None and self._waiting is None and (self._goal.is_idle or self._looks_at_contacts()):
            contacts = _contacts(world) if self._goal.is_idle else _contacts(world, A_FEW_CHANGES)
        self._mailbox.frame = Frame(
            generation=self._generation,
            run=self._run,
            sequence=self._sequence,
            time=world.time,
            poses=frozen(poses, np.float32),
            twists=frozen(world.twists(), np.float32),
            energy=dict(world.energy()),
            counters=dict(world.counters),
            contacts=contacts,
            touching=frozen(world.touching()),
            heap=self._table.rows,
            heap_time=self._table.time,
            pair=self._table.pair_row,
            running=self._goal.running,
            speed=self._pacer.speed,
            achieved=self._pacer.achieved if self._goal.running else math.nan,
            behind=self._goal.running and self._pacer.behind,
            published=now,
            stopped=world.stopped,
            why_stopped=tuple(world.why_stopped(row) for row in world.stopped),
            problem=world.contact_problem() if self._shows_problem() else None,
            paradigms=frozen(world.paradigm_codes()),
            asleep=frozen(world.asleep()),
            weights=weights_of(world),
            motor=_motor(world, self._ledger.joint),
            end=max(self._history.end, world.time),
            keyframes=self._history.times,
            held=self._history.held,
            inputs=self._history.input_times,
            changes=world.changes,
            loop=self._loop,
            sought=self._goal.sought,
            branch=self._history.branch,
            branches=self._history.branches,
            breaks=self._breaks,
            boxes=frozen(world.swept_boxes()) if self._boxes_wanted and self._waiting is None else None,
            exact=poses,
            joint=self._ledger.read_joint(world),
            watched=self._ledger.read_watched(world, contacts),
            between=self._take_instants(world),
        )
        # A frame that comes early, as somebody asks for something else to be in it, does not put off those after it;
        # nor does what it took, where nothing else is to be computed.
        rest = 0.5 * FRAME if self._goal.is_idle else max(0.5 * FRAME, TELLING * (self._clock() - now))
        self._next_frame = max(min(self._next_frame, now) + FRAME, now + rest)

    def _shows_problem(self) -> bool:
        return self._problem_wanted and self._goal.is_idle and self._waiting is None

    def _take_instants(self, world: WorldLike) -> tuple[Instant, ...] | None:
        """What was read on the way to a frame of the world as it is; None if pictures are to be frames."""
        if self._plays_evenly():
            return self._instants.take(world.time)
        self._instants.forget()
        return None

    def _plays_evenly(self) -> bool:
        """Whether pictures of where bodies are, alone, may come between frames."""
        goal = self._goal
        evenly = goal.running and not goal.backwards and goal.seek is None
        return evenly and self._instants_wanted and not self._looks_at_contacts() and not self._boxes_wanted

    def _looks_at_contacts(self) -> bool:
        return self._contacts_wanted or bool(self._ledger.subjects)

    def _put_batch(self) -> None:
        told = self._ledger.take()
        if told is not None:
            self._mailbox.put(Batch(self._generation, self._run, *told))


def _motor(world: WorldLike, joint: int) -> MotorOrder | None:
    """What the motor of a joint seeks; None if it has none, or is of a scene that was open before."""
    with suppress(ValueError, KeyError):
        return world.motor(joint) if joint >= 0 else None
    return None


def _contacts(world: WorldLike, most: int = MOST_CHANGES) -> Records:
    """The world's, which nobody else has and nobody changes."""
    contacts = world.contacts(most)
    contacts.flags.writeable = False
    return contacts


def _instant(world: WorldLike) -> tuple[float, float]:
    """What tells whether the world has gone on, or back, since."""
    return world.time, world.counters["heap_pops"]
