"""The clock in the window's hands: play, step, speed; and the rule that an edit starts the scene anew.

The start is what a scene file describes, so an edit changes the start. Whatever was running is rebuilt from there and
stands at t = 0; the status bar says so. Edits that change nothing that moves (colours, names, notes) leave it running.
"""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from app.document import edits
from app.document.copies import names_of
from app.document.document import Document
from app.simulation.breaks import Break, Met
from app.simulation.messages import Frame, Step, WorldLike
from app.simulation.moving import FRAME as STEP
from app.simulation.simulation import AS_FAST_AS_POSSIBLE, FASTEST, SLOWEST, Simulation, python_of
from app.view.plots.axes import format_si
from app.view.window.break_words import say_listed, say_met, why_never
from engine.scene.checks import find_problems
from engine.scene.problems import SceneError
from engine.scene.schema import Scene

_SETTLE = 60  # [ms] an edit waits for the next one, so that dragging a number does not build a world for each pixel
SPEEDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, AS_FAST_AS_POSSIBLE)


def checked_world(scene: Scene) -> WorldLike:
    """The world of a scene; SceneError with everything that is wrong with it, overlapping starts included."""
    from engine import World  # here, on the simulation's thread: importing the kernels takes a moment
    from engine.scene.body_shapes import prepare

    if not find_problems(scene, overlaps=False):
        prepare(scene)  # so that overlaps of what has to be cut are seen too
    problems = find_problems(scene)
    if problems:
        raise SceneError(problems)
    return World(scene, python=python_of(scene))


_STEP_WORDS = {
    "": "a step of the engine's own",
    "nothing": "nothing more will happen",
    "start": "the start, where nothing has happened",
    "to_constraint": "contact held by constraint forces",
    "to_impulse": "contact left to impulses",
    "contact_impulse": "contact impulse",
}


def say_step(step: Step, names: Sequence[str]) -> str:
    """Which event it was, in a line: what, of whom, when, and whether it was the only one at that time."""
    who = " – ".join(names[row] if row < len(names) else f"#{row}" for row in step.bodies)
    what = f"{_STEP_WORDS.get(step.word, step.word)} {who}".rstrip()
    gap = f", gap {format_si(step.gap, 'm')}" if step.word == "check" else ""
    more = "; more at this time" if step.more else ""
    return f"{what[:1].upper()}{what[1:]}{gap} at t = {step.time:.6f} s{more}"


class Playback(QObject):
    """Carries the actions of the Simulation menu out, and keeps the simulation on the document's scene."""

    said = pyqtSignal(str)  # what happened that one might not expect
    speed_changed = pyqtSignal(float)
    changed = pyqtSignal()
    breaks_wanted = pyqtSignal()

    def __init__(self, document: Document, simulation: Simulation) -> None:
        super().__init__(simulation)
        self._document, self._simulation = document, simulation
        self._loaded: Scene | None = None
        self._bodies: tuple[str, ...] = ()  # of the scene that was loaded, by the names that they have now
        self._speed = 1.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SETTLE)
        self._timer.timeout.connect(self._load)
        document.opened.connect(self._forget)
        document.scene_changed.connect(self._follow)
        simulation.state_changed.connect(lambda _state: self.changed.emit())
        simulation.stepped.connect(self._say_step)
        simulation.met.connect(self._say_met)
        simulation.noted.connect(self.said)

    @property
    def frame(self) -> Frame | None:
        """The newest frame of the scene that is shown; None while its world is being built."""
        frame = self._simulation.latest()
        if frame is None or self._timer.isActive() or frame.generation != self._simulation.generation:
            return None
        return frame

    @property
    def speed(self) -> float:
        return self._speed

    @property
    def is_running(self) -> bool:
        return self._simulation.state in ("running", "starting")

    @property
    def is_ready(self) -> bool:
        return self._simulation.state in ("loading", "compiling", "starting", "paused", "stepping", "running")

    @property
    def at_start(self) -> bool:
        frame = self.frame
        return frame is None or frame.time == 0.0

    # --- actions ------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        if self.is_running:
            self._simulation.pause()
        else:
            self._load_now()
            self._simulation.play()

    def pause(self) -> None:
        self._simulation.pause()

    def call_off(self) -> None:
        """Stand where it is, wherever it was on its way to."""
        self._simulation.call_off()

    def step_frame(self) -> None:
        self._load_now()
        self._simulation.step_frame()

    def step_back(self) -> None:
        """A frame back."""
        self._simulation.step_frame_back()

    def step_event_back(self) -> None:
        self._simulation.step_event_back()

    def step_collision_back(self) -> None:
        self._simulation.step_collision_back()

    def play_back(self) -> None:
        """Backwards as far as the start."""
        self._simulation.play_back()

    def loop_from(self) -> None:
        """The loop begins where it stands; it ends where it did, or where the run does."""
        frame = self.frame
        if frame is not None:
            end = frame.loop[1] if frame.loop and frame.loop[1] > frame.time else frame.end
            self.set_loop(frame.time, end)

    def loop_until(self) -> None:
        """The loop ends where it stands; it begins where it did, or with the run."""
        frame = self.frame
        if frame is not None:
            self.set_loop(frame.loop[0] if frame.loop and frame.loop[0] < frame.time else 0.0, frame.time)

    def end_loop(self) -> None:
        self._simulation.set_loop(None)

    def break_at_contact(self) -> None:
        """Pause at the first contact of the two bodies that are selected."""
        rows = self._document.selected_rows()
        if len(rows) == 2:
            self.add_break(Break("contact", tuple(rows)))

    def break_at_switch(self) -> None:
        """Pause when a contact changes its paradigm."""
        self.add_break(Break("switch"))

    def add_break(self, condition: Break) -> None:
        """Pause where a condition is met, once."""
        self._simulation.change_breaks(
            lambda breaks: (*(one for one in breaks if one.what != condition.what), condition)
        )
        self._say_break(condition)

    def switch_break(self, condition: Break, on: bool) -> None:
        """Switch a condition on or off."""
        self._simulation.change_breaks(
            lambda breaks: tuple(one._replace(on=on) if one.what == condition.what else one for one in breaks)
        )
        if on:
            self._say_break(condition)

    def remove_break(self, condition: Break) -> None:
        """Forget a condition."""
        self._simulation.change_breaks(lambda breaks: tuple(one for one in breaks if one.what != condition.what))

    def show_breaks(self) -> None:
        """The list of conditions at which the run pauses."""
        self.breaks_wanted.emit()

    def no_breaks(self) -> None:
        self._simulation.change_breaks(lambda _breaks: ())
        self.said.emit("Plays on whatever happens")

    def set_loop(self, begin: float, end: float) -> None:
        """Play from one time to another again and again [s]; a range of no length is none."""
        if end - begin < STEP:
            self.said.emit("A loop takes a range of a frame at least")
            self._simulation.set_loop(None)
            return
        self._simulation.set_loop((begin, end))
        self.said.emit(f"Plays from {begin:.3f} s to {end:.3f} s again and again; Shift+I ends that")

    def next_branch(self) -> None:
        """Over to the branch with the next number, after the last to the first."""
        frame = self.frame
        if frame is None or not frame.branches:
            self.said.emit("There are no other branches: a pull in the past begins one")
            return
        numbers = [branch.number for branch in frame.branches]
        self.go_to_branch(next((number for number in numbers if number > frame.branch), numbers[0]))

    def go_to_branch(self, number: int) -> None:
        """Over to another way that the run went."""
        self._simulation.go_to_branch(number)
        self.said.emit(f"Branch {number}")

    def branch_off(self) -> None:
        """In the past, begin another future."""
        self._simulation.branch_off()

    def to_start(self) -> None:
        self._simulation.seek(0.0)

    def to_end(self) -> None:
        """To the newest time that is known."""
        if self.frame is not None:
            self._simulation.seek(self.frame.end)

    def step_event(self) -> None:
        self._load_now()
        self._simulation.step_event()

    def step_collision(self) -> None:
        self._load_now()
        self._simulation.step_collision()

    @property
    def _names(self) -> tuple[str, ...]:
        return names_of(self._document.scene)

    def _say_step(self, step: Step) -> None:
        self.said.emit(say_step(step, self._names))

    def _say_break(self, condition: Break) -> None:
        scene = self._document.scene
        does = "Will not pause" if why_never(condition, scene.world) else "Will pause, once"
        self.said.emit(f"{does}: {say_listed(condition, scene)}")

    def _say_met(self, met: Sequence[Met]) -> None:
        what = "; ".join(say_met(one, self._names) for one in met)
        self.said.emit(f"Paused at t = {met[0].time:.6f} s: {what}")

    def reset(self) -> None:
        self._simulation.reset()

    # What is said to bodies and joints is for the scene that is shown: its rows and names are that scene's.

    def pull(self, row: int, local_point: Sequence[float], target: Sequence[float]) -> None:
        """Tie a spring from a point of a body (authored frame) [m] to a point of the world [m]."""
        self._load_now()
        self._simulation.pull(row, local_point, target)

    def drive(self, joint: str, seeks: str, target: float) -> None:
        """Let the motor of a joint seek another position, velocity or effort from now on."""
        self._load_now()
        self._simulation.drive(joint, seeks, target)

    def change(self, path: str, value: object) -> None:
        """Let the scene have another value at a path from now on."""
        self._load_now()
        self._simulation.change(self._as_loaded(path), value)

    def _as_loaded(self, path: str) -> str:
        """A path with the name that its body had when the scene was loaded: a new name is no reason to load it anew."""
        part, _, rest = path.partition(".")
        name, _, what = rest.rpartition(".")
        names = [body.name for body in self._document.scene.body]
        if part != "body" or self._loaded is None or name not in names:
            return path
        return f"body.{self._loaded.body[names.index(name)].name}.{what}"

    def load_again(self) -> None:
        """Begin the scene anew: what it may do has changed."""
        self._load()

    def change_speed(self, factor: float) -> None:
        """Half or twice as fast."""
        speed = FASTEST if self._speed == AS_FAST_AS_POSSIBLE and factor < 1 else self._speed * factor
        self.set_speed(min(max(speed, SLOWEST), FASTEST))

    def normal_speed(self) -> None:
        self.set_speed(1.0)

    def set_speed(self, speed: float) -> None:
        """Simulated seconds a second; inf is as fast as possible."""
        if speed != self._speed:
            self._speed = speed
            self._simulation.set_speed(speed)
            self.speed_changed.emit(speed)

    # --- following the document -----------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._loaded = None

    def _follow(self, scene: Scene, what: str) -> None:
        if self._loaded is None:
            self._load()
            return
        if edits.same_physics(self._loaded, scene):
            self._timer.stop()
            self._bodies = names_of(scene)
            return
        frame = self._simulation.latest()
        if frame is not None and frame.time > 0 and not self._timer.isActive():
            self.said.emit(f"{what[:1].upper()}{what[1:]}: back at the start")
        self._timer.start()

    def _load_now(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self._load()

    def _load(self) -> None:
        before, bodies = self._loaded, self._bodies
        self._loaded, self._bodies = self._document.scene, self._names
        self._simulation.load(self._loaded, before is not None and bodies == self._bodies)
        self.changed.emit()
