"""The simulation thread: owns the world, obeys commands, publishes frames and batches.

It knows no Qt. Everything here runs on one thread, except `Worker.send`, `Worker.interrupt` and the mailbox.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from app.simulation.breaks import Break
from app.simulation.examining import examine
from app.simulation.freed import give_back
from app.simulation.goal import Goal, Reports, StepKind
from app.simulation.history import MEGABYTES, Line
from app.simulation.messages import Mailbox, WorldLike
from app.simulation.moving import FRAME, MOST_BACKLOG, Mover
from app.simulation.run_journal import RunJournal
from app.simulation.still_world import StillWorld
from app.simulation.watching import Subject
from engine.control.python_file import ControllerError
from engine.recording.carom_file import Way
from engine.scene.problems import SceneError

log = logging.getLogger(__name__)


class Worker(Mover):
    """Moves one world at a time at the pace asked for. `run` is the body of the thread."""

    def __init__(
        self,
        make_world: Callable[[Any], WorldLike],
        mailbox: Mailbox,
        reports: Reports,
        clock: Callable[[], float] = time.perf_counter,
        can_run: Callable[[Any], bool] = lambda _scene: True,
        megabytes: float = MEGABYTES,
        journal: RunJournal | None = None,
    ) -> None:
        self._queue: queue.SimpleQueue[Callable[[Worker], None]] = queue.SimpleQueue()
        super().__init__(mailbox, reports, self._queue, clock, megabytes)
        self._make_world = make_world
        self._can_run = can_run
        self._start: Any = None
        self._scene: Any = None
        self._closing = False
        self._journal = journal
        self._adopted: list[Line] | None = None  # what is to be taken over as soon as the scene can move

    # Called from the window's thread

    def send(self, command: Callable[[Worker], None]) -> None:
        """Queue a command and cut short a running advance so that it is obeyed within 50 ms."""
        self._queue.put(command)
        self.interrupt()

    def interrupt(self) -> None:
        world = self._world
        if world is not None:
            world.interrupt()

    def hurry(self) -> None:
        """Interrupt again if commands still wait: an interrupt that came just before an advance is forgotten by it."""
        if not self._queue.empty():
            self.interrupt()

    @property
    def generation(self) -> int:
        """Which of the scenes that were loaded stands."""
        return self._generation

    # The thread

    def run(self) -> None:
        """Obey commands and advance until closed. A failure is reported, and the thread lives on."""
        while not self._closing:
            try:
                self._obey(self._patience())
                if not self._closing and not self._goal.is_idle:
                    self._advance()
                if self._journal is not None and not self._closing and self._world is not None:
                    self._journal.follow(self._history)
            except Exception as error:  # whatever the engine raises must reach the person, not kill the thread
                self._fail(error)
        self._world = self._start = None
        self._history.forget()  # it need not wait for the collector: it may be most of what the window holds
        give_back()
        self._set_state("closed")

    def _patience(self) -> float | None:
        """How long to wait for a command [s]: for ever when idle, not at all while there is stepping to do.

        What keeps up goes on as often as frames come at best, even where it takes long to tell of each.
        """
        if self._goal.is_idle or self._world is None:
            return None
        if self._mailbox.backlog > MOST_BACKLOG:
            return FRAME
        if self._goal.running and self._caught_up and self._goal.seek is None:
            return min(max(0.0, self._next_frame - self._clock()), FRAME)
        return 0.0

    def _obey(self, timeout: float | None) -> None:
        """Carry out all waiting commands, after waiting for the first of them for at most `timeout`."""
        try:
            command = self._queue.get(block=timeout is None or timeout > 0.0, timeout=timeout or None)
            while True:
                command(self)
                if self._closing:
                    return
                command = self._queue.get_nowait()
        except queue.Empty:
            return

    def _fail(self, error: Exception) -> None:
        """The simulation cannot go on. Where a controller's mistake is why, it can as soon as that is mended."""
        expected = isinstance(error, (SceneError, ControllerError))  # of the scene: the window says so
        log.log(
            logging.INFO if expected else logging.WARNING, "the simulation failed", exc_info=None if expected else error
        )
        self._goal = Goal()
        if isinstance(error, ControllerError) and self._world is not None:
            self._settle(self._world)
        else:
            self._set_state("failed")
        self._reports.on_failed(describe(error))

    # Commands

    def close(self) -> None:
        self._goal = Goal()
        self._closing = True

    def load(self, scene: Any, generation: int, again: bool = False) -> None:
        """Build the world of `scene` and stand at its start. On failure there is no world, and the reason is told.

        again: it has the bodies of the one before, and pauses and loops as that did.
        """
        self._goal = Goal()
        self._world = self._start = None
        self._table.clear()
        self._generation = generation
        self._met = ()
        if not again:
            self._loop, self._breaks = None, ()
        self._adopted = None
        if self._journal is not None:
            self._journal.begin(scene)
        self._waiting = None if self._can_run(scene) else scene
        self._set_state("loading")
        world = self._make_world(scene) if self._waiting is None else StillWorld(scene)
        self._start, self._scene = world.snapshot(), scene
        self._world = world
        self._begin_run()
        give_back()
        self._set_state("paused" if self._waiting is None else "compiling")
        self._reports.on_loaded(generation)

    def look_again(self) -> None:
        """Build the world of the scene that stands if it can move now."""
        if self._waiting is not None and self._can_run(self._waiting):
            starting, adopted = self._state == "starting", self._adopted
            self.load(self._waiting, self._generation)
            if adopted is not None:
                self.adopt(adopted)
            elif starting:
                self.play()

    def reset(self) -> None:
        """Go back to the start of the scene and pause there."""
        if self._world is None or self._waiting is not None:
            return
        self._goal = Goal()
        if self._state != "failed":  # of a world that broke nobody asks how it stands
            self._catch_up(self._world)
        self._world.restore(self._start)
        self._begin_run(again=True)
        self._set_state("paused")

    def _begin_run(self, again: bool = False) -> None:
        world = self._require()
        self._holds = False
        self._run += 1
        self._slice = 1e-3
        self._ledger.start(world.time)
        self._untold.clear()
        world.events()  # whatever came before belongs to no run
        self._pacer.start(world.time)
        if again:
            self._history.start_again(world)
        elif self._waiting is None:
            self._history.start(world)
        self._sample(world)
        self._publish(world)

    def play(self) -> None:
        if self._world is None or (self._goal.running and not self._goal.backwards):
            return
        if self._waiting is not None:
            self._set_state("starting")
            return
        self._goal = Goal(running=True, seek=self._goal.seek, begun=self._goal.begun)
        self._caught_up = False
        self._pacer.start(self._world.time)
        self._set_state("running")

    def pause(self) -> None:
        """Play no further: stand here, or where the run is on its way to."""
        if self._world is None:
            return
        self._goal = Goal(seek=self._goal.seek, begun=self._world.time)
        if self._waiting is not None:
            self._set_state("compiling")
        elif self._goal.is_idle:
            self._settle(self._world)
        else:
            self._set_state("stepping")

    def call_off(self) -> None:
        """Stand here, wherever the run was on its way to."""
        self._goal = Goal()
        self.pause()

    def step_frame(self) -> None:
        """Go on by a sixtieth of a simulated second, then stand still."""
        self._add_step("frame")

    def step_frame_back(self) -> None:
        """Go back by a sixtieth of a simulated second from where it stands, or is on its way to, then stand still."""
        if self._world is not None:
            self.seek((self._world.time if self._goal.seek is None else self._goal.seek) - FRAME)

    def step_event(self) -> None:
        """Go on by one event of the heap, then stand still."""
        self._add_step("event")

    def step_collision(self) -> None:
        """Go on to the next collision, then stand still."""
        self._add_step("collision")

    def step_event_back(self) -> None:
        """Go back to the event before, then stand still."""
        self._add_step("event_back")

    def step_collision_back(self) -> None:
        """Go back to the collision before, or to the start, then stand still."""
        self._add_step("collision_back")

    def play_back(self) -> None:
        """Run backwards as far as the start, frame by frame."""
        if self._world is None or self._waiting is not None or self._goal.backwards:
            return
        self._catch_up(self._world)
        self._goal = Goal(running=True, backwards=True, seek=self._goal.seek, begun=self._goal.begun)
        self._pacer.start(self._world.time)
        self._set_state("running")

    def set_memory(self, megabytes: float) -> None:
        """What the past of a run may take [MB]."""
        self._history.set_memory(megabytes)
        self._refresh()

    def set_loop(self, loop: tuple[float, float] | None) -> None:
        """Play from one time to another again and again [s]; None: on and on."""
        self._loop = loop
        self._refresh()

    def change_breaks(self, change: Callable[[tuple[Break, ...]], tuple[Break, ...]]) -> None:
        """Have other conditions at which to pause, made of those that there are."""
        self._breaks, self._met = change(self._breaks), ()
        self._refresh()

    def seek(self, time: float) -> None:
        """Stand at another time of the run, as far as it is known [s]."""
        if self._world is None or self._waiting is not None:
            return
        self._catch_up(self._world)
        self._go(min(max(time, 0.0), self._history.end))

    def _go(self, time: float) -> None:
        world = self._require()
        self._history.jump(world, time)
        self._goal = Goal(seek=time, begun=world.time)
        self._set_state("stepping")

    def go_to_branch(self, number: int) -> None:
        """Go over to another way that the run went, and stand at its end."""
        world = self._world
        if world is None or self._waiting is not None:
            return
        self._catch_up(world)
        if self._history.switch(number):
            self._ledger.go_on(self._history.told)
            self._go(self._history.end)

    def branch_off(self) -> None:
        """Begin another future here, in which nothing comes from outside that does later on in this one."""
        world = self._world
        if world is None or self._waiting is not None:
            return
        given = len(world.inputs)
        self._tell(lambda world: world.release())
        if len(world.inputs) == given and self._history.is_past(world):
            self._fork(world, given)
        self._refresh()

    def adopt(self, lines: list[Line]) -> None:
        """Take over what is known of this run from a file, and stand at its end; as soon as the scene can move."""
        if self._waiting is not None:
            self._adopted = lines
        if self._world is None or self._waiting is not None:
            return
        if self._start.model != lines[0].keyframes[0].snapshot.model:
            self._reports.on_noted("This Carom builds another model of the scene: the run cannot come again to the bit")
            return
        self._history.adopt(lines)
        self._ledger.go_on(self._history.told)
        self._go(self._history.end)

    def ways(self) -> tuple[Any, list[Way]]:
        """The scene that runs, and every way that the run went; None and none where nothing runs."""
        if self._world is None or self._waiting is not None:
            return None, []
        self._history.note(self._world)
        return self._scene, self._history.ways()

    def copy_run(self) -> tuple[Any, Line | None]:
        """The scene that runs and what is known of its run; None and none where nothing runs."""
        if self._world is None or self._waiting is not None:
            return None, None
        self._history.note(self._world)
        return self._scene, self._history.line()

    def go_on_to(self, time: float) -> None:
        """Stand at a time, which may be later than all that is known of the run [s]."""
        if self._world is None or self._waiting is not None:
            return
        self._catch_up(self._world)
        self._go(max(time, 0.0))

    def examine(self, event: np.void) -> None:
        """Look into an event of the branch that is shown; nothing moves. What waits comes first."""
        world = self._world
        if world is None or self._waiting is not None:
            return
        self._catch_up(world)
        seen = examine(self._history, world, event, is_called=lambda: not self._queue.empty())
        if seen is None and not self._queue.empty():
            self._queue.put(lambda worker: worker.examine(event))
        else:
            self._reports.on_examined(seen)

    def _fork(self, world: WorldLike, given: int) -> None:
        self._history.fork(world, given)
        world.events()
        self._ledger.go_on(world.time)
        self._sample(world)

    def _tell(self, say: Callable[[WorldLike], None]) -> None:
        """Let something come from outside: in the past it begins another future."""
        world = self._world
        if world is None:
            return
        given, past = len(world.inputs), self._waiting is None and self._history.is_past(world)
        if past:
            self._catch_up(world)
        say(world)
        if past and len(world.inputs) > given:
            self._fork(world, given)
        elif self._waiting is None:
            self._take_up(world)
            self._history.note(world)  # so that it has its mark in the timeline before the run goes on

    def _attempt(self, say: Callable[[WorldLike], None]) -> None:
        """Let something come from outside that a world may refuse, as a body that was stopped refuses a pull."""
        try:
            self._tell(say)
        except ValueError as error:
            self._reports.on_noted(describe(error))
        self._refresh()

    def _add_step(self, step: StepKind) -> None:
        if self._world is None or self._waiting is not None:
            return
        if self._goal.running:
            self._goal = Goal(seek=self._goal.seek, begun=self._world.time)
        self._goal.steps.append(step)
        self._set_state("stepping")

    def set_speed(self, speed: float) -> None:
        self._pacer.set_speed(speed)
        self._refresh()

    def pull(self, index: int, local_point: Any, target: Any) -> None:
        self._holds = True
        self._attempt(lambda world: world.pull(index, local_point, target))

    def move_pull(self, target: Any) -> None:
        self._tell(lambda world: world.move_pull(target))

    def release(self) -> None:
        self._holds = False
        self._tell(lambda world: world.release())
        self._refresh()

    def drive(self, joint: str, seeks: str, target: float) -> None:
        self._attempt(lambda world: world.drive(joint, seeks, target))

    def change(self, path: str, value: Any) -> None:
        """Let the scene that runs have another value at a path from now on."""
        self._attempt(lambda world: world.change(path, value))

    @property
    def inputs(self) -> tuple[Any, ...]:
        """What came from outside in this run, after the time that is shown, too, where that is in the past.

        Any thread may ask: a list is copied in one step of the interpreter.
        """
        world = self._world
        if world is None or self._waiting is not None:
            return ()
        return max(tuple(world.inputs), self._history.inputs, key=len)

    def request_table(self, wanted: bool) -> None:
        self._table.want(wanted)
        self._refresh()

    def request_problem(self, wanted: bool) -> None:
        self._problem_wanted = wanted
        self._refresh()

    def request_boxes(self, wanted: bool) -> None:
        self._boxes_wanted = wanted
        self._refresh()

    def request_instants(self, wanted: bool) -> None:
        self._instants_wanted = wanted

    def request_contacts(self, wanted: bool) -> None:
        self._contacts_wanted = wanted
        self._refresh()

    def watch_joint(self, number: int) -> None:
        self._ledger.joint = number
        self._refresh()

    def watch(self, subjects: tuple[Subject, ...]) -> None:
        self._ledger.subjects = subjects
        self._refresh()

    def select_pair(self, pair: tuple[int, int] | None) -> None:
        self._table.select(pair)
        self._refresh()


def describe(error: Exception) -> str:
    """An error in words for a person: one line a problem."""
    text = str(error).strip()
    if not text:
        return f"{type(error).__name__} (no further explanation)"
    if isinstance(error, (KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError)):
        return f"internal error: {type(error).__name__}: {text}"  # a fault of the program, not of the scene
    return text
