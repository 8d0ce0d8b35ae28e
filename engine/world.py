"""The façade: a world that runs. Validates before the kernels and raises after them; needs no window."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.analysis.contact_problem import ContactProblem
from engine.analysis.snapshot_problem import gather_contacts
from engine.arrays import Bools, Floats, Ints
from engine.changes import Change, Changes
from engine.collision.broad.broad_phase import grow
from engine.control.dynamics import Dynamics, TreeReader
from engine.control.orders import LoadOrder, MotorOrder, Order, Orders, seeking, with_gains
from engine.control.schedule import Schedule
from engine.control.sensors import distance
from engine.desk import grow_desk, growths, make_desk
from engine.entries import load_advance
from engine.events import set_timer
from engine.helpers import Helpers, default_threads
from engine.model import model as m
from engine.model import state as s
from engine.model.joints import ACTING
from engine.model.rows import Rows
from engine.pipeline import CALL_HELP, DONE, GROW, LOG_FULL, SHORT_OF_WORK, STOP
from engine.quarantine import hold_stopped, stop_body
from engine.recording.boxes import read_boxes
from engine.recording.contacts import FORCE_WINDOW, MOST_CHANGES, ContactReader, read_held_by_sleep
from engine.recording.counters import read_counters
from engine.recording.events import EventQueue, decode_log
from engine.recording.forces import total_forces
from engine.recording.heap import is_idle_until, next_event, read_heap
from engine.recording.inputs import Input, apply_input, pull_of, triple
from engine.recording.joints import read_joint, read_joints
from engine.recording.observe import (
    CAUSE_NAMES,
    BodyView,
    read_poses,
    read_twists,
    sum_energy,
    sum_momentum,
    sum_pushes,
    sum_springs,
    sum_unbooked,
)
from engine.recording.snapshot import Memory, Said, Snapshot, copy_state, digest_of
from engine.recording.touching import PARADIGMS, WHY_STOPPED, paradigm_codes
from engine.scene.applied import follow_loads, told_bodies
from engine.scene.build import build
from engine.scene.controllers import runnable
from engine.scene.schema import Scene
from engine.stages import StageClock


class World:
    """A scene that runs. Build it from a valid Scene; GeometryError or SceneError say what is wrong with another."""

    def __init__(self, scene: Scene, python: Literal["ask", "run", "off"] = "ask") -> None:
        """python: whether controllers run; "ask": if their files are trusted, UntrustedError if not; "off" serves to
        replay the inputs of a world in which they ran."""
        built = build(scene)
        self.scene, self.names, self.shapes = scene, built.names, built.shapes
        self.model = self._built_model = built.model
        self.inputs: list[Input] = []
        self._given = 0  # how many inputs there have been, those before a snapshot from elsewhere too
        self.on_input: Callable[[], None] = lambda: None  # called before each input and after it
        self.wall = 0.0
        self._state = built.state
        self._helpers = Helpers(scene.world.threads or default_threads())
        self._desk = make_desk(len(built.names), built.model.joints, self._helpers.threads)
        self._stages = StageClock(self._desk.watch)
        self.model_digest = digest_of((*built.model[:-1], *built.model.joints[:-1]))
        self._advance = load_advance(self.model, self._state, self._desk)
        self._events = EventQueue(FORCE_WINDOW)
        self._orders = Orders(built.model, told_bodies(scene))
        self._changes = Changes(scene, built.model)
        self._rows = Rows("body", built.names)
        self.place = Rows(
            "joint", (joint.name for joint in scene.joint)
        ).find  # of a joint in the scene, by name or place
        self._contacts = ContactReader()
        self._trees = TreeReader(scene.joint, built.names, self._rows.find)  # not self.row: a world is freed at once
        self._schedule = Schedule(runnable(scene, python), scene.folder)

    # --- time ---------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """World time [s]."""
        return self._state.clock.item(s.TIME)

    @property
    def event(self) -> int:
        """How many events there have been, ticks of controllers not among them."""
        return int(self._state.counts[s.HEAP_POPS])

    @property
    def next_event_time(self) -> float:
        """Time of the earliest event or tick of a controller that waits; inf if nothing ever happens [s]."""
        return min(next_event(self._state)[0], self._schedule.due)

    def advance_to(self, t: float) -> None:
        """Run up to and including time t [s]. Returns earlier only after `interrupt`."""
        if not self.time <= t < inf:
            raise ValueError(f"cannot advance to {t!r}: the world is at {self.time!r}, and ends at no time")
        while (due := self._schedule.due) <= t:
            if not self._reach(due):
                return
            self._tick()
        self._reach(float(t))

    def _reach(self, t: float) -> bool:
        """Let all happen up to and including time t that the engine does by itself; False if it was interrupted."""
        if is_idle_until(self._state, t):
            self._state.clock[s.TIME] = t
            self._events.forget(t)
            return True
        return self._run(t, 1 << 62) == DONE or is_idle_until(self._state, t)

    def _tick(self) -> None:
        """Let the controllers act that are due now."""
        self._schedule.tick(self, self._obey)

    def _obey(self, orders: tuple[Order, ...]) -> None:
        if news := self._orders.news(self.model, self._state, orders):
            self.give(Input(self.time, "control", orders=news))

    def advance(self, dt: float) -> None:
        """Run for dt >= 0 seconds."""
        self.advance_to(self.time + dt)

    def advance_events(self, n: int = 1, until: float = inf) -> int:
        """Let the next n events happen, ticks of controllers among them; how many did.

        They are fewer if no more come up to and including time `until` [s], where the world is then.
        """
        before, ticks = self.event, 0
        while True:
            left = n - ticks - self.event + before
            due = self._schedule.due
            self._run(min(due, until), left)
            happened = self.event - before + ticks
            if happened >= n or due == inf or due > until or not is_idle_until(self._state, due):
                return happened
            self._tick()
            ticks += 1

    def interrupt(self) -> None:
        """Make an `advance` that runs in another thread return at its next event."""
        self._desk.flag[0] = 1

    def _run(self, t_end: float, budget: int) -> int:
        """Let up to so many events happen, up to and including t_end; why no more did (engine.pipeline)."""
        self._desk.flag[0] = 0
        started, called = wall.perf_counter(), False
        last = self.event + budget
        try:
            while True:
                with self._helpers.at_work(called, self.model, self._state, self._desk.work):
                    status = self._advance(self.model, self._state, self._desk, t_end, last - self.event)
                called = called or status == CALL_HELP
                self._take_log()
                if status == GROW:
                    self._state = grow(self.model, self._state)
                elif status == SHORT_OF_WORK:
                    counts = self._state.counts
                    counts[s.GROWN] = growths(self._desk.work, self.model.joints, int(counts[s.GROWN]))
                    self._make_room()
                elif status == STOP:
                    self._stop(int(self._desk.lost[0]))
                elif status not in (LOG_FULL, CALL_HELP):
                    return status
        finally:
            self.wall += (spent := wall.perf_counter() - started)
            self._stages.took(spent)

    def _make_room(self) -> None:
        """Have a desk with the rows for contact groups that the State says."""
        grown = int(self._state.counts[s.GROWN])
        self._desk = grow_desk(self._desk, self.model.joints, self._helpers.threads, grown)

    def _stop(self, i: int) -> None:
        """Stop body i, which cannot go on, with all that joints tie to it. What it had is gone by impact."""
        self._desk.lost[0] = -1
        before = self.energy()
        self.model, self._state = stop_body(self.model, self._state, self._desk, i)
        after = self.energy()
        gone = sum(sign * (before[key] - after[key]) for key, sign in (("total", 1), ("dissipated", 1), ("work", -1)))
        self._state.clock[s.DISSIPATED + s.IMPACT] += gone if isfinite(gone) else 0.0
        self._take_log()

    # --- bodies -----------------------------------------------------------------------------------------------------

    def row(self, body: str | int) -> int:
        """Row of a body by name or row; KeyError names the ones there are."""
        return self._rows.find(body)

    def poses(self) -> Floats:
        """Poses of the authored frames now, (n, 7): x y z [m], w x y z, in scene order."""
        into = np.empty((len(self.names), 7))
        read_poses(self.model.bodies, self.model.tags, self._state.arcs, self.time, into)
        return into

    def twists(self) -> Floats:
        """Velocities of the centres of mass [m/s] and angular velocities [rad/s], world axes, (n, 6)."""
        into = np.empty((len(self.names), 6))
        read_twists(self.model.bodies, self.model.tags, self._state.arcs, self.time, into)
        return into

    def body(self, which: str | int) -> BodyView:
        """A body as it is now."""
        i = self.row(which)
        pose, twist = self.poses()[i], self.twists()[i]
        asleep = bool(self._state.arcs[i, s.HELD] == s.ASLEEP)
        return BodyView(self.names[i], pose[:3], pose[3:], twist[:3], twist[3:], self.paradigms()[i], asleep)

    def paradigms(self) -> list[str]:
        """By body: "constraint" if its contact group holds it, "impulse" if it touches something else now, "mixed" if
        both, else "free"; static and kinematic bodies are "scripted". Where `world.contact` is "penalty", what touches
        is "penalty". A body that was stopped (see `stopped`) is "stopped".
        """
        return [PARADIGMS[code] for code in self.paradigm_codes()]

    def paradigm_codes(self) -> NDArray[np.int8]:
        """The same as places in PARADIGMS, (n,)."""
        return paradigm_codes(self.model, self._state, self._contacts.rows(self.model, self._state, self.inputs))

    def asleep(self) -> Bools:
        """Whether each body rests in a contact group that sleeps, (n,)."""
        return np.asarray(self._state.arcs[:, s.HELD] == s.ASLEEP)

    @property
    def stopped(self) -> tuple[int, ...]:
        """Rows of the bodies that were stopped because they could not go on."""
        return tuple(int(row) for row in np.flatnonzero(self._state.arcs[:, s.STOPPED]))

    def why_stopped(self, body: str | int) -> str:
        """Why a body was stopped; empty if it was not."""
        return WHY_STOPPED[self._state.arcs[self.row(body), s.STOPPED]]

    def energy(self) -> dict[str, float]:
        """Energies now [J]: kinetic, potential, elastic and total; dissipated, in all and by CAUSE_NAMES; work put in
        by loads, pulls and kinematic bodies. Total and dissipated, less work, stay the same. Forces dissipate
        where they act; `numerics` is what pushes and slowing take. What arcs lack within a step of what forces have
        left is `interpolation`, a part of the total.
        """
        model, state = self.model, self._state
        kinetic, potential = sum_energy(model.bodies, model.tags, state.arcs, self.time)
        pushed, done = sum_pushes(model.bodies, model.tags, state.arcs, state.loads, self.time)
        potential -= pushed
        lost = state.clock[s.DISSIPATED : s.DISSIPATED + len(CAUSE_NAMES)].copy()
        work, elastic, interpolation = sum_unbooked(model, state, self.time, lost)
        if model.joints.linkages[:, ACTING].any():
            linked = (model.joints, state.joints, self._desk.cluster.linked.flow)
            springs, awake = sum_springs(model.bodies, model.tags, state.arcs, *linked, self.time)
            interpolation -= awake - elastic
            elastic = springs
        return {
            "kinetic": kinetic,
            "potential": potential,
            "elastic": elastic,
            "interpolation": interpolation,
            "total": kinetic + potential + elastic + interpolation,
            "dissipated": float(lost.sum()),
            "work": float(state.clock[s.WORK]) + work + done,
            **dict(zip(CAUSE_NAMES, lost.tolist(), strict=True)),
        }

    def momentum(self) -> Floats:
        """Momentum [N s] and angular momentum about the origin [N m s] of the free bodies, (6,)."""
        into = np.empty(6)
        sum_momentum(self.model.bodies, self.model.tags, self._state.arcs, self.time, into)
        return into

    @property
    def counters(self) -> dict[str, int]:
        """Counts since the start; what each means stands in COUNTERS."""
        return read_counters(self._state)

    @property
    def seconds(self) -> dict[str, float]:
        """Computing time since the start [s], by STAGES, estimated from a sample of the events, and of control.

        It is no part of the simulation, and not kept in snapshots.
        """
        return self._stages.seconds | {"control": self._schedule.seconds}

    @property
    def smallest_gap(self) -> float:
        """The smallest gap [m] that any check saw; inf before the first."""
        return float(self._state.clock[s.SMALLEST_GAP])

    # --- contacts, events, the heap ---------------------------------------------------------------------------------

    def contacts(self, most: int = MOST_CHANGES) -> NDArray[np.void]:
        """Pairs that touch, as of their last checks; of concave bodies, each pair of pieces by itself.

        `force` [N] on body_a: of a lasting contact that of its group's step, or the last, at its centre of pressure,
        with `couple` [N m] (moments of what touches nothing fixed count about its common centre); what holds a sleeper,
        by `most` changes; of others impulses of FORCE_WINDOW. `velocity` [m/s] of a less b; `friction` static, dynamic.
        """
        recent = self._events.recent(self.time)
        return self._contacts.read(self.model, self._state, self._desk.work, self.inputs, recent, most)

    def held_by_sleep(self) -> Floats:
        """Force [N] and couple about its centre [N m] that only its sleep bears of a body's balance, (n, 6): a part of
        a weight, where `contacts` find no loads that hold it beside what moves (`engine.group.settled_loads`)."""
        return read_held_by_sleep(self.model, self._state, self.contacts())

    def touching(self) -> Ints:
        """Rows of the two bodies of each pair of `contacts`, (k, 2)."""
        rows = self._contacts.rows(self.model, self._state, self.inputs)
        return np.stack([self._state.links[rows, s.BODY_A], self._state.links[rows, s.BODY_B]], axis=1)

    def forces(self) -> dict[str, float]:
        """What all contacts bear now [N]: sums of their normal forces and of the sizes of their friction forces."""
        return dict(zip(("normal", "friction"), total_forces(self.contacts()), strict=True))

    def joints(self) -> NDArray[np.void]:
        """The scene's joints now, in its order; `engine.recording.joints.read_joints` says what the fields mean."""
        return read_joints(self.model, self._state, self.time, self._desk.work)

    def joint(self, which: str | int) -> tuple[float, float, float]:
        """Position, velocity and effort of a joint, as in `joints`, by name or place; nan if none is in that place."""
        place = self.place(which) if isinstance(which, str) else which
        return read_joint(self.model, self._state, self.time, self._desk.work, place)

    def contact_problem(self) -> ContactProblem:
        """The bodies that touch something now and their contacts, with all that solvers of contact forces take."""
        return gather_contacts(self.model, self._state, self.time)

    def events(self) -> NDArray[np.void]:
        """What happened since the last call: `impulse` [N s] and `couple` [N m s] act on body_a at `point`, unless that
        sleeps on. With `contacts` and `held_by_sleep` they account for every change of momentum."""
        return self._events.read()

    def heap(self, k: int = 50) -> NDArray[np.void]:
        """The k checks that come next, earliest first."""
        return read_heap(self._state, k)

    def swept_boxes(self) -> NDArray[np.void]:
        """The boxes of the broad phase, which contain bodies for a while, and their tiles in the spatial hash."""
        return read_boxes(self.model, self._state)

    def _take_log(self) -> None:
        """Take away what the kernels wrote."""
        size = int(self._desk.log_size[0])
        if size:
            self._events.append(decode_log(self._desk.log[:size]))
            self._desk.log_size[0] = 0
        self._events.forget(self.time)

    # --- inputs -------------------------------------------------------------------------------------------------

    def pull(
        self, body: str | int, local_point: Sequence[float], target: Sequence[float], stiffness: float | None = None
    ) -> None:
        """Tie a damped spring from a point of a free body (authored frame) to `target` (world) [m], [N/m]."""
        i = self.row(body)
        if self.model.tags[i, m.KIND] != m.FREE:
            raise ValueError(f"{self.names[i]} is no free body, so it cannot be pulled")
        entry = pull_of(self.time, i, local_point, target, stiffness)
        self.release()
        self.give(entry)

    def move_pull(self, target: Sequence[float]) -> None:
        """Move the spring's other end."""
        if self.pulled is not None:
            self.give(Input(self.time, "move", target=triple(target)))

    def release(self) -> None:
        """Let go."""
        if self.pulled is not None:
            self.give(Input(self.time, "release"))

    @property
    def pulled(self) -> int | None:
        """Row of the body that is being pulled."""
        body = int(self._state.pull[s.PULL_BODY])
        return None if body < 0 else body

    # --- orders ---------------------------------------------------------------------------------------------------

    def drive(
        self,
        joint: str | int,
        seeks: str,
        target: float,
        kp: float | None = None,
        kv: float | None = None,
        ki: float | None = None,
    ) -> None:
        """Let the motor of a joint seek a "position", a "velocity" or an "effort" from now on; gains stay unless said.

        ValueError if the joint has no motor, or no motor can do so.
        """
        order = with_gains(self.motor(joint), self.scene.joint, kp, kv, ki)
        self.give(Input(self.time, "order", orders=(seeking(order, seeks, target),)))

    def motor(self, joint: str | int) -> MotorOrder:
        """What the motor of a joint seeks now; by the joint's name or its place in the scene."""
        if not self._orders.has_motor(place := self.place(joint)):
            raise ValueError(f"joint {self.scene.joint[place].name} has no motor")
        return self._orders.motor(self.model, self._state, place)

    def load(self, body: int) -> LoadOrder:
        """What controllers push a body with now."""
        return self._orders.load(body)

    # --- changes --------------------------------------------------------------------------------------------------

    def change(self, path: str, value: float | Sequence[float]) -> None:
        """Let the scene have another value at a path (`engine.changes.LIVE`) from now on."""
        self.give(self._changes.entry(self.model, self.time, path, value))

    @property
    def changes(self) -> tuple[Change, ...]:
        """All that was changed, and holds."""
        return self._changes.said

    # --- sensors and dynamics -------------------------------------------------------------------------------------

    def distance(self, body: str | int, other: str | int) -> float:
        """The gap between two bodies now [m]; negative if they overlap."""
        return distance(self.model, self._state.arcs, self.row(body), self.row(other), self.time)

    def dynamics(self, name: str) -> Dynamics:
        """Mass matrix and bias of the tree that a joint or body is part of (Mirtich 1996, eq. 5.16).

        ValueError if it is part of none, or of a linkage that closes a loop.
        """
        return self._trees.read(self.model, self._state.arcs, self.time, name)

    # --- what all inputs do ---------------------------------------------------------------------------------------

    def give(self, entry: Input) -> None:
        """Any input, of an earlier run for one, now."""
        while next_event(self._state)[0] <= self.time:  # an interrupted advance may have left some of this instant
            self._run(self.time, 1 << 62)
        self.on_input()
        given, before = replace(entry, event=self.event, number=self._given), self.pulled
        if entry.orders:
            self._orders.give(self.model, self._state, entry.orders)
        elif entry.what == "change":
            self._changes.give(self.model, self._state, self._desk, entry, self.energy)
        else:
            apply_input(self.model, self._state, entry)
            for i in (before, self.pulled):
                if i is not None:
                    set_timer(self._state, i)
        self.inputs.append(given)
        self._given += 1
        self.on_input()

    def replay(self, inputs: Sequence[Input], until: float) -> None:
        """Run to `until`, giving the inputs of an earlier run at their times; those of controllers if none run here."""
        for entry in inputs:
            if entry.time > until:
                break
            self.advance_to(entry.time)
            if entry.what != "control" or self._schedule.due == inf:
                self.give(entry)
        self.advance_to(until)

    # --- snapshots ------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The State as it is now."""
        return Snapshot(copy_state(self._state), self.model_digest, self._said)

    @property
    def _said(self) -> Said:
        memories = tuple(Memory(*memory) for memory in self._schedule.memories)
        return Said(self._orders.said, memories, self._changes.said, self._given)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or on, to a snapshot of the same model. Of `inputs` those stay that came before it."""
        if snapshot.model != self.model_digest:
            raise ValueError("this snapshot is of another scene")
        self._state = copy_state(snapshot.state)
        self._changes.follow(self._built_model, snapshot.said.changes)
        self.model = hold_stopped(self._built_model, self._state.arcs)
        self._orders.follow(self.model, snapshot.said.orders)
        self._schedule.restore(snapshot.said.memories, self.time)
        self._make_room()
        follow_loads(self.model, self._state.loads)
        self._events.clear()
        self._given = snapshot.said.given
        self.inputs = [entry for entry in self.inputs if 0 <= entry.number < self._given]

    @property
    def digest(self) -> str:
        """BLAKE2b of the State's arrays, and of what was said from outside if anything was."""
        return self._said.digest(digest_of(self._state))
