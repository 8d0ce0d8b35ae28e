"""The simulation as the window sees it: commands in, frames and batches out, and never a wait."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from PyQt6 import sip
from PyQt6.QtCore import QObject, pyqtSignal

from app.simulation.breaks import Break, Met
from app.simulation.examining import Examined
from app.simulation.history import MEGABYTES, Line
from app.simulation.messages import Batch, Frame, Mailbox, Step, WorldLike
from app.simulation.run_journal import RunJournal
from app.simulation.watching import Subject
from app.simulation.worker import Worker
from engine.recording.carom_file import Way

SLOWEST, FASTEST = 0.01, 10.0
AS_FAST_AS_POSSIBLE = float("inf")
STALE = 0.05  # [s] without a new frame after which a running simulation counts as behind


def _engine_world(scene: Any) -> WorldLike:
    from engine import World  # here, on the simulation thread: importing the kernels takes a moment

    return World(scene, python=python_of(scene))


def python_of(scene: Any) -> Literal["run", "off"]:
    """Whether the controllers of a scene run: if the person has trusted their files."""
    from engine.control.trust import untrusted
    from engine.scene.controllers import python_files

    return "off" if untrusted(python_files(scene)) else "run"


class Simulation(QObject):
    """Runs a scene's world on its own thread. Every method returns at once; answers come as signals and frames.

    `state`: "empty", "loading", "paused", "stepping", "running", "failed" or "closed"; "compiling" while a scene stands
    that cannot move yet, "starting" when it is to run as soon as it can.
    """

    state_changed = pyqtSignal(str)
    loaded = pyqtSignal(int)  # the generation that `load` returned: its first frame is there
    stepped = pyqtSignal(object)  # the Step that was asked for
    examined = pyqtSignal(object)  # the Examined that was asked for, or None if it could not be had
    met = pyqtSignal(tuple)  # of the Met at which the run has paused, all at one instant
    copied = pyqtSignal(object, object)  # the scene that runs and the Line that is known, or None where nothing runs
    noted = pyqtSignal(str)  # what one might not expect, in words
    failed = pyqtSignal(str)  # what went wrong, in words, one line a problem
    ended = pyqtSignal()  # its thread has come to the end that `leave` asked for

    def __init__(
        self,
        parent: QObject | None = None,
        make_world: Callable[[Any], WorldLike] = _engine_world,
        can_run: Callable[[Any], bool] = lambda _scene: True,
        megabytes: float = MEGABYTES,
        journal: RunJournal | None = None,
    ) -> None:
        """megabytes: memory that the past of a run may take; journal: keeps a copy of it."""
        super().__init__(parent)
        self._mailbox = Mailbox()
        self._worker = Worker(make_world, self._mailbox, self, can_run=can_run, megabytes=megabytes, journal=journal)
        self._state = "empty"
        self._generation = 0
        self._closed = False
        self._lock = threading.Lock()  # held for an assignment only
        self._scene: tuple[Any, int, bool] | None = None
        self._target: Sequence[float] | None = None
        self._sought: float | None = None
        self._changes: dict[tuple[int, str], Any] = {}  # that wait, by generation and path
        self._thread = threading.Thread(target=self._worker.run, name="simulation", daemon=True)
        self._thread.start()

    # What the window reads

    @property
    def state(self) -> str:
        return self._state

    @property
    def generation(self) -> int:
        """The number that the last `load` returned."""
        return self._generation

    def latest(self) -> Frame | None:
        """The newest frame; None before the first scene stands."""
        return self._mailbox.frame

    def drain_events(self) -> list[Batch]:
        """Everything that happened since the last call, in order. Stepping waits if nobody calls this for long."""
        self._worker.hurry()
        return self._mailbox.drain()

    def inputs(self) -> tuple[Any, ...]:
        """What the mouse did to the world since the start of the run (`World.inputs`): enough to do it again."""
        return self._worker.inputs

    @property
    def behind(self) -> bool:
        """Whether a running simulation cannot keep up with the speed asked for, or shows nothing new at all."""
        frame = self._mailbox.frame
        if frame is None or self._state != "running":
            return False
        return frame.behind or time.perf_counter() - frame.published > STALE

    # Commands

    def load(self, scene: Any, again: bool = False) -> int:
        """Build the world of `scene` and pause at its start; `loaded` or `failed` follows. Returns its generation.

        Only the last of several scenes that wait is built: a slider that is dragged does not queue up worlds. again: it
        is an edit of the one before, with the same bodies; what it pauses at, and its loop, stay.
        """
        self._generation += 1
        with self._lock:
            again = again and (self._scene is None or self._scene[2])
            self._scene = (scene, self._generation, again)
        self._worker.send(self._take_scene)
        return self._generation

    def look_again(self) -> None:
        """Perhaps the scene that stands can move now: more of the engine has been compiled."""
        self._worker.send(Worker.look_again)

    def play(self) -> None:
        self._worker.send(Worker.play)

    def pause(self) -> None:
        self._worker.send(Worker.pause)

    def call_off(self) -> None:
        """Stand where it is, wherever it was on its way to."""
        self._worker.send(Worker.call_off)

    def step_frame(self) -> None:
        """Go on by 1/60 s of simulation."""
        self._worker.send(Worker.step_frame)

    def step_frame_back(self) -> None:
        """Go back by 1/60 s of simulation."""
        self._worker.send(Worker.step_frame_back)

    def seek(self, time: float) -> None:
        """Stand at a time of the run that is known [s]; of times that wait, only the last counts."""
        with self._lock:
            waiting, self._sought = self._sought is not None, time
        if not waiting:
            self._worker.send(self._take_sought)

    def go_to_branch(self, number: int) -> None:
        """Go over to another way that the run went (`Frame.branches`), and stand at its end."""
        self._worker.send(lambda worker: worker.go_to_branch(number))

    def branch_off(self) -> None:
        """In the past, begin another future: nothing comes from outside that does later on in the one that is known."""
        self._worker.send(Worker.branch_off)

    def ways(self) -> tuple[Any, list[Way]]:
        """The scene that runs, and every way that its run went. Waits for the thread to answer, 10 s at most."""
        answer: queue.SimpleQueue[tuple[Any, list[Way]]] = queue.SimpleQueue()
        self._worker.send(lambda worker: answer.put(worker.ways()))
        return answer.get(timeout=10.0)

    def copy_run(self) -> None:
        """Ask for what it takes to run it again elsewhere: `copied` follows."""
        self._worker.send(lambda worker: self._tell_copy(*worker.copy_run()))

    def go_on_to(self, time: float) -> None:
        """Stand at a time, which may be later than all that is known of the run [s]."""
        self._worker.send(lambda worker: worker.go_on_to(time))

    def adopt(self, lines: list[Line]) -> None:
        """Take over what is known of the run of the scene that was loaded last, and stand at its end."""
        self._worker.send(lambda worker: worker.adopt(lines))

    def step_event(self) -> None:
        """Go on by one event of the heap."""
        self._worker.send(Worker.step_event)

    def step_collision(self) -> None:
        """Go on to the next collision, or until it is called off."""
        self._worker.send(Worker.step_collision)

    def examine(self, event: np.void) -> None:
        """Look into an event that has happened."""
        self._worker.send(partial(Worker.examine, event=event))

    def step_event_back(self) -> None:
        """Go back to the event before."""
        self._worker.send(Worker.step_event_back)

    def step_collision_back(self) -> None:
        """Go back to the collision before, or to the start."""
        self._worker.send(Worker.step_collision_back)

    def play_back(self) -> None:
        """Run backwards as far as the start."""
        self._worker.send(Worker.play_back)

    def set_loop(self, loop: tuple[float, float] | None) -> None:
        """Play from one time to another again and again [s]; None: on and on."""
        self._worker.send(lambda worker: worker.set_loop(loop))

    def change_breaks(self, change: Callable[[tuple[Break, ...]], tuple[Break, ...]]) -> None:
        """Have other conditions at which to pause, made of those that there are."""
        self._worker.send(lambda worker: worker.change_breaks(change))

    def reset(self) -> None:
        """Back to the start of the scene, paused."""
        self._worker.send(Worker.reset)

    def set_speed(self, speed: float) -> None:
        """Simulated seconds a second, clamped to 0.01-10 unless infinite (as fast as possible)."""
        if speed != AS_FAST_AS_POSSIBLE:
            speed = min(max(speed, SLOWEST), FASTEST)
        self._worker.send(lambda worker: worker.set_speed(speed))

    def set_memory(self, megabytes: float) -> None:
        """What the past of a run may take from now on [MB]."""
        self._worker.send(lambda worker: worker.set_memory(megabytes))

    def pull(self, index: int, local_point: Sequence[float], target: Sequence[float]) -> None:
        """Tie a spring from a point of a body (authored frame) [m] to a point of the world [m]."""
        with self._lock:
            self._target = None
        self._say(lambda worker: worker.pull(index, local_point, target))

    def move_pull(self, target: Sequence[float]) -> None:
        """Move the spring's end; of targets that wait, only the last counts."""
        with self._lock:
            waiting, self._target = self._target is not None, target
        if not waiting:
            self._worker.send(self._take_target)

    def release(self) -> None:
        self._worker.send(Worker.release)

    def drive(self, joint: str, seeks: str, target: float) -> None:
        """Let the motor of a joint seek another position, velocity or effort from now on."""
        self._say(lambda worker: worker.drive(joint, seeks, target))

    def change(self, path: str, value: Any) -> None:
        """Let the scene that runs have another value at a path from now on; of those that wait, the last."""
        key = (self._generation, path)
        with self._lock:
            waiting = key in self._changes
            self._changes[key] = value
        if not waiting:
            self._worker.send(lambda worker: self._take_change(worker, key))

    def request_table(self, wanted: bool) -> None:
        """Whether frames carry the heap's next rows (`Frame.heap`), read ten times a second."""
        self._worker.send(lambda worker: worker.request_table(wanted))

    def request_problem(self, wanted: bool) -> None:
        """Whether frames of a world that stands carry its contact problem (`Frame.problem`)."""
        self._worker.send(lambda worker: worker.request_problem(wanted))

    def request_boxes(self, wanted: bool) -> None:
        """Whether frames carry the swept boxes of the broad phase (`Frame.boxes`)."""
        self._worker.send(lambda worker: worker.request_boxes(wanted))

    def request_instants(self, wanted: bool) -> None:
        """Whether frames that come seldom carry where bodies were on the way to them (`Frame.between`)."""
        self._worker.send(lambda worker: worker.request_instants(wanted))

    def request_contacts(self, wanted: bool) -> None:
        """Whether all frames carry contacts (`Frame.contacts`): in a crowd only those do where the run stands, or where
        a sample has just been taken."""
        self._worker.send(lambda worker: worker.request_contacts(wanted))

    def watch_joint(self, number: int) -> None:
        """Which joint of the scene samples read from now on; -1: none."""
        self._worker.send(lambda worker: worker.watch_joint(number))

    def watch(self, subjects: tuple[Subject, ...]) -> None:
        """Whose quantities samples read from now on (`Batch.watched`)."""
        self._worker.send(lambda worker: worker.watch(subjects))

    def select_pair(self, index_a: int, index_b: int) -> None:
        """Follow one pair: its row comes as `Frame.pair`, wherever in the heap it is."""
        self._worker.send(lambda worker: worker.select_pair((index_a, index_b)))

    def clear_pair(self) -> None:
        self._worker.send(lambda worker: worker.select_pair(None))

    def close(self) -> None:
        """End the thread. Waits for it, briefly: a running advance is cut short."""
        if self._say_close():
            self._await_end()

    def leave(self) -> None:
        """End the thread; nobody waits for it. `ended` follows."""
        if self._say_close():
            threading.Thread(target=self._tell_end, name="ending", daemon=True).start()

    def _say_close(self) -> bool:
        """Whether it was still open."""
        if self._closed:
            return False
        self._closed = True
        self._state = "closed"
        self._worker.send(Worker.close)
        return True

    def _tell_end(self) -> None:
        self._await_end()
        if not sip.isdeleted(self):  # it may have gone with its window
            self.ended.emit()

    def _await_end(self) -> None:
        for _ in range(40):
            self._thread.join(timeout=0.025)
            if not self._thread.is_alive():
                return
            self._worker.hurry()

    def _say(self, what: Callable[[Worker], None]) -> None:
        """Say something to the world of the scene that was loaded last. Rows and names are that scene's: where another
        is loaded before it is heard, it is not for the world that stands then."""
        generation = self._generation
        self._worker.send(lambda worker: what(worker) if worker.generation == generation else None)

    # Carried out on the simulation's thread

    def _take_scene(self, worker: Worker) -> None:
        with self._lock:
            waiting, self._scene = self._scene, None
        if waiting is not None:
            worker.load(*waiting)

    def _take_sought(self, worker: Worker) -> None:
        with self._lock:
            time, self._sought = self._sought, None
        if time is not None:
            worker.seek(time)

    def _take_change(self, worker: Worker, key: tuple[int, str]) -> None:
        with self._lock:
            value = self._changes.pop(key)
        if worker.generation == key[0]:
            worker.change(key[1], value)

    def _take_target(self, worker: Worker) -> None:
        with self._lock:
            target, self._target = self._target, None
        if target is not None:
            worker.move_pull(target)

    def _tell_copy(self, scene: Any, line: Line | None) -> None:
        if not self._closed:
            self.copied.emit(scene, line)

    def on_state(self, state: str) -> None:
        if not self._closed:
            self._state = state
            self.state_changed.emit(state)

    def on_loaded(self, generation: int) -> None:
        if not self._closed:
            self.loaded.emit(generation)

    def on_stepped(self, step: Step) -> None:
        if not self._closed:
            self.stepped.emit(step)

    def on_examined(self, examined: Examined | None) -> None:
        if not self._closed:
            self.examined.emit(examined)

    def on_met(self, met: tuple[Met, ...]) -> None:
        if not self._closed:
            self.met.emit(met)

    def on_noted(self, text: str) -> None:
        if not self._closed:
            self.noted.emit(text)

    def on_failed(self, text: str) -> None:
        if not self._closed:
            self.failed.emit(text)
