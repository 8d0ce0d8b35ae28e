"""The inspector's page for a joint: where it is, how it starts, and its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QPushButton

from app.document import control, edits
from app.document.document import Document
from app.simulation.messages import Frame
from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox, Form, TextBox
from app.view.inspector.drive_row import DriveRow
from app.view.inspector.page import Page, attempt
from engine.control.trust import untrusted
from engine.scene.controllers import python_files
from engine.scene.joints import WITH_AXIS, WITH_POSITION, Joint, Motor
from engine.scene.paths import get_path, rename
from engine.scene.problems import Problem, SceneError
from engine.scene.schema import Scene

KIND_WORDS = {"ball": "Ball joint", "hinge": "Hinge", "slider": "Slider", "weld": "Weld", "planar": "Planar joint"}
_MOTORS = (
    (None, "None"),
    ("position", "Seeks a position"),
    ("velocity", "Seeks a velocity"),
    ("effort", "Bears an effort"),
)
_POSITION_HINT = "Where it starts, 0 being where the bodies are placed: all that hangs from it is moved along"
_VELOCITY_HINT = "How fast it starts: all that hangs from it gets that velocity"
_LIMIT_HINT = "Of its position; at a limit it is stopped, or bounces"
_FRICTION_HINT = "The same at every speed; it holds what is weaker"
_GAS_HINT = "A sealed cylinder: force times distance from its end"
_RATE_HINT = "Ticks in a second; empty: it acts at every instant"


class JointPage(Page):
    """A joint. `driven` tells that its motor is to seek something else while the scene runs."""

    driven = pyqtSignal(str, str, float)  # joint, what it is to seek, target

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._name = document.focus.removeprefix("joint.")
        self._drive: DriveRow | None = None
        joint = self._joint(document.scene)
        turns = joint.kind != "slider"
        self._unit, self._rate = ("rad", "rad/s") if turns else ("m", "m/s")
        self._force, self._stiff, self._damp = (
            ("N m", "N m/rad", "N m s/rad") if turns else ("N", "N/m", "N s/m")
        )  # fmt: skip
        self._add_place(joint)
        if joint.kind in WITH_POSITION:
            self._add_limits()
            self._add_passive()
            self._add_motor(joint)
            self._add_now(joint)
        elif joint.kind == "ball":
            self._number(self.form("Elements"), "Damping", "damping", "N m s/rad")
            self._add_now(joint)
        delete = QPushButton("Delete joint")
        delete.setObjectName("Delete joint")
        delete.clicked.connect(self._delete)
        self.form("").add_wide(delete)

    @staticmethod
    def signature(document: Document, scene: Scene) -> object:
        joint = get_path(scene, document.focus)
        limit = None if joint.motor is None else joint.motor.limit
        passive = (joint.acts, joint.spring is None, joint.friction > 0.0)
        return (document.focus, joint.kind, _sought(joint), joint.limits, limit, passive, _at_work(scene, joint.name))

    def show_live(self, frame: Frame) -> None:
        """The slider follows what the motor seeks."""
        super().show_live(frame)
        if self._drive is not None and frame.motor is not None and frame.motor.joint == self.document.focused_joint():
            self._drive.follow(frame.motor)

    def heading(self, scene: Scene) -> str:
        return self._name

    def caption(self, scene: Scene) -> str:
        joint = self._joint(scene)
        names = joint.bodies if len(joint.bodies) == 2 else ("the world", *joint.bodies)
        return f"{KIND_WORDS[joint.kind]} between {names[0]} and {names[1]}"

    def _joint(self, scene: Scene) -> Joint:
        joint = get_path(scene, f"joint.{self._name}")
        assert isinstance(joint, Joint)
        return joint

    def _path(self, field: str) -> Callable[[], str]:
        return lambda: f"joint.{self._name}.{field}"

    def _number(self, form: Form, name: str, field: str, unit: str, hint: str = "") -> None:
        self.bind(form, name, NumberBox(unit), self._path(field), unit, hint, what=self._what(name))

    def _what(self, name: str) -> str:
        return f"change {name.lower()} of {self._name}"

    def _add_place(self, joint: Joint) -> None:
        form = self.form("")
        name = TextBox()
        form.add("Name", name, lambda value, _gesture: self._rename(str(value).strip()))
        name.setObjectName("Name")
        self.on_refresh(lambda _scene: name.set_value(self._name))
        hint = "In the world, as the bodies are placed"
        self.bind(form, "Point", VectorBox("m"), self._path("point"), "m", hint, what=self._what("point"))
        if joint.kind in WITH_AXIS:
            self.bind(form, "Axis", VectorBox(), self._path("axis"), "", hint, what=self._what("axis"))
        if joint.kind in WITH_POSITION:
            self._number(form, "Position", "position", self._unit, _POSITION_HINT)
            self._number(form, "Velocity", "velocity", self._rate, _VELOCITY_HINT)

    def _add_limits(self) -> None:
        form = self.form("Limits")
        for side, name in enumerate(("Lower", "Upper")):

            def read(scene: Scene, side: int = side) -> object:
                limits = self._joint(scene).limits
                return None if limits is None else limits[side]

            def write(value: object, side: int = side) -> object:
                if value is None:
                    return None
                limits = self._joint(self.document.scene).limits
                if limits is None:  # the other one as far on the other side of where it starts
                    start = self._joint(self.document.scene).position
                    limits = (start - abs(float(value) - start), start + abs(float(value) - start))  # type: ignore[arg-type]
                return [value, limits[1]] if side == 0 else [limits[0], value]

            box = NumberBox(self._unit, True, "none")
            path, what = self._path("limits"), self._what(f"{name} limit")
            self.bind(form, name, box, path, self._unit, _LIMIT_HINT, read, write, what)
        self._number(form, "Restitution", "limit_restitution", "", "0: inelastic, 1: elastic")

    def _add_passive(self) -> None:
        form = self.form("Elements")
        self._part(form, "Spring", "spring", "stiffness", self._stiff, {"rest": 0.0})
        self._part(form, "Slack at", "spring", "rest", self._unit, None, "The position in which the spring is slack")
        self._number(form, "Damping", "damping", self._damp)
        self._number(form, "Friction", "friction", self._force, _FRICTION_HINT)
        self._part(form, "Gas spring", "hard_spring", "strength", "N m", {"end": self._far_end()}, _GAS_HINT)
        self._part(form, "Gas end", "hard_spring", "end", self._unit, None, "The position that it never lets it reach")

    def _far_end(self) -> float:
        return self._joint(self.document.scene).position - 1.0

    def _part(
        self, form: Form, name: str, part: str, field: str, unit: str, rest: dict[str, Any] | None, hint: str = ""
    ) -> None:
        """A value of an element: empty takes the element away if `rest` says what else a new one has."""

        def read(scene: Scene) -> object:
            element = getattr(self._joint(scene), part)
            return None if element is None else getattr(element, field)

        def write(value: object) -> object:
            element = getattr(self._joint(self.document.scene), part)
            if element is None and rest is None and value is not None:
                lacks = part.replace("_", " ").replace("hard", "gas")
                raise SceneError(
                    [Problem(None, None, self._path(part)(), f"there is no {lacks}", "its strength first")]
                )
            if value is None:
                return None if rest is not None or element is None else element.model_dump()
            return {**(rest or {}), **({} if element is None else element.model_dump()), field: value}

        self.bind(
            form, name, NumberBox(unit, True, "none"), self._path(part), unit, hint, read, write, self._what(name)
        )

    def _add_motor(self, joint: Joint) -> None:
        form = self.form("Motor")

        def seeks(scene: Scene) -> object:
            return _sought(self._joint(scene))

        def write(value: object) -> object:
            if value is None:
                return None
            return control.new_motor(str(value))

        self.bind(form, "Controls", ChoiceBox(_MOTORS), self._path("motor"), "", "", seeks, write, self._what("motor"))
        if joint.motor is None:
            return
        if joint.motor.effort is not None:
            self._number(form, "Effort", "motor.effort", self._force, "What it bears until a controller says another")
        else:
            self._add_gains(form, joint.motor)
        path, what = self._path("motor.limit"), self._what("motor limit")
        hint = "The most that it bears"
        self.bind(form, "Limit", NumberBox(self._force, True, "none"), path, self._force, hint, what=what)
        self._drive = row = DriveRow(joint, _at_work(self.document.scene, self._name))
        row.driven.connect(lambda seeks, target: self.driven.emit(self._name, seeks, target))
        self.form("Drive").add_full(row)

    def _add_gains(self, form: Form, motor: Motor) -> None:
        if motor.position is not None:
            self._number(form, "Target", "motor.position", self._unit)
            self._number(form, "kp", "motor.kp", self._stiff, "Gain of what is missing in position")
        else:
            self._number(form, "Target", "motor.velocity", self._rate)
        self._number(form, "kv", "motor.kv", self._damp, "Gain of what is missing in velocity")
        self._number(form, "ki", "motor.ki", "", "Gain of the integral; it needs a rate")
        path, what = self._path("motor.rate"), self._what("motor rate")
        self.bind(form, "Rate", NumberBox("1/s", True, "always"), path, "1/s", _RATE_HINT, what=what)

    def _add_now(self, joint: Joint) -> None:
        """What of its elements can be changed in the run: those that it has."""
        if not joint.acts:
            return
        form = self.form("Now, in the run")
        rows = [("Damping", "damping", self._damp)]
        if joint.spring is not None:
            rows = [("Spring", "spring.stiffness", self._stiff), ("Slack at", "spring.rest", self._unit), *rows]
        if joint.friction > 0.0:
            rows.append(("Friction", "friction", self._force))
        for name, field, unit in rows:
            self.add_now(form, name, NumberBox(unit), self._path(field)(), unit)

    def _rename(self, new: str) -> str:
        def edit() -> None:
            scene = rename(self.document.scene, f"joint.{self._name}", new)
            self.document.edit(f"rename joint {self._name}", scene, focus=f"joint.{new}")

        return attempt(edit)

    def _delete(self) -> None:
        self.document.edit(f"delete joint {self._name}", edits.delete_joint(self.document.scene, self._name))


def _at_work(scene: Scene, joint: str) -> tuple[str, ...]:
    """Names of the controllers that drive a joint: of those that may run."""
    return () if untrusted(python_files(scene)) else control.drivers(scene, joint)


def _sought(joint: Joint) -> str | None:
    """What the motor of a joint seeks; None if it has none."""
    motor = joint.motor
    names = ("position", "velocity", "effort")
    return None if motor is None else next(name for name in names if getattr(motor, name) is not None)
