"""The inspector's page for one body."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from app.document import edits
from app.document.document import Document
from app.simulation.messages import Frame
from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox, ColourBox, Form, TextBox
from app.view.inspector.load_rows import add_inertia_rows, add_load_rows, load_signature
from app.view.inspector.motion_rows import (
    MOTION_DEFAULTS,
    MOTION_WORDS,
    MOTIONS,
    add_motion_rows,
    add_rotation_rows,
    motion_signature,
)
from app.view.inspector.page import Page, attempt
from app.view.inspector.part_rows import add_part_forms
from app.view.inspector.plot_rows import PlotRow
from app.view.inspector.shape_rows import add_shape_rows, shape_signature
from app.view.paradigms import PARADIGMS, states_of
from engine.scene.paths import get_path, rename
from engine.scene.schema import Body, Scene
from engine.scene.shapes import HOLLOW_KINDS, SHAPE_KINDS

_LIVE = ("Position", "Speed", "Angular speed", "Contacts", "Paradigm")
_PLOTTED = {"Position": ("x", "y", "z"), "Speed": ("speed",), "Angular speed": ("angular speed",)}


def material_choices(scene: Scene) -> list[tuple[object, str]]:
    """All materials, and none."""
    return [(None, "None"), *((name, name) for name in scene.material)]


class BodyPage(Page):
    """Everything a scene says about one body, and where it is now."""

    part = "body"

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        scene = document.scene
        self._name = self._name_of(document)
        body = self._body(scene)
        self._add_identity(scene)
        self._add_shape(body)
        self._add_pose()
        if body.motion_kind == "free":
            self._add_motion()
            self._add_mass(scene, body)
            add_load_rows(self, self._path, body)
        elif body.motion_kind != "fixed":
            self._add_script(body)
        self._add_more(body)

    @classmethod
    def signature(cls, document: Document, scene: Scene) -> object:
        body = get_path(scene, f"{cls.part}.{cls._name_of(document)}")
        rows = (len(body.attached), load_signature(body), motion_signature(body))
        return (body.name, shape_signature(body.shape), *rows, tuple(scene.material))

    @staticmethod
    def _name_of(document: Document) -> str:
        return document.selection[0]

    def heading(self, scene: Scene) -> str:
        return self._name

    def caption(self, scene: Scene) -> str:
        body = self._body(scene)
        return f"{edits.SHAPE_LABELS[body.shape.kind]}, {MOTION_WORDS[body.motion_kind]}"

    def _body(self, scene: Scene) -> Body:
        body: Body = get_path(scene, f"{self.part}.{self._name}")
        return body

    def _path(self, rest: str) -> Callable[[], str]:
        return lambda: f"{self.part}.{self._name}.{rest}"

    # --- forms --------------------------------------------------------------------------------------------------

    def _add_identity(self, scene: Scene) -> None:
        form = self.form("")
        self._add_name(form)
        self._add_kind(form, scene)

    def _add_name(self, form: Form) -> None:
        name = TextBox()
        form.add("Name", name, lambda value, _gesture: self._rename(str(value).strip()))
        name.setObjectName("Name")
        self.on_refresh(lambda _scene: name.set_value(self._name))

    def _add_kind(self, form: Form, scene: Scene) -> None:
        self.bind(form, "Material", ChoiceBox(material_choices(scene)), self._path("material"))
        self.bind(
            form,
            "Motion",
            ChoiceBox(MOTIONS),
            self._path("motion"),
            read=lambda s: self._body(s).motion_kind,
            write=lambda kind: MOTION_DEFAULTS[str(kind)],
        )
        self.bind(form, "Colour", ColourBox("automatic"), self._path("colour"))

    def _rename(self, new: str) -> str:
        def edit() -> None:
            scene = rename(self.document.scene, f"body.{self._name}", new)
            self.document.edit(f"rename {self._name}", scene, (new,))

        return attempt(edit)

    def _add_shape(self, body: Body) -> None:
        form = self.form("Shape")
        left_out = ("convex", "mesh", "revolved", *(HOLLOW_KINDS if body.motion == "free" else ()))
        kinds = [kind for kind in SHAPE_KINDS if kind not in left_out or kind == body.shape.kind]
        self.bind(
            form,
            "Kind",
            ChoiceBox([(kind, edits.SHAPE_LABELS[kind]) for kind in kinds]),
            self._path("shape"),
            read=lambda s: self._body(s).shape.kind,
            write=lambda kind: edits.as_kind(self.document.scene, self._body(self.document.scene).shape, str(kind)),
        )
        add_shape_rows(self, form, lambda rest: self._path(f"shape.{rest}"), body.shape)
        add_part_forms(self, lambda rest: self._path(f"shape.{rest}"), body.shape)

    def _add_pose(self) -> None:
        form = self.form("Initial pose")
        self.bind(form, "Position", VectorBox("m"), self._path("position"), "m", "Origin of its frame")
        add_rotation_rows(self, form, self._path("orientation"), f"rotate {self.heading(self.document.scene)}")

    def _add_motion(self) -> None:
        form = self.form("Initial state")
        self.bind(
            form,
            "Sleep",
            ChoiceBox(((False, "Awake"), (True, "Asleep until touched"))),
            self._path("asleep"),
            hint="A body asleep stands still and costs nothing; where all contacts are impulses it starts awake",
        )
        self.bind(
            form, "Velocity", VectorBox("m/s"), self._path("velocity"), "m/s", "Of its centre of mass, world axes"
        )
        self.bind(form, "Angular velocity", VectorBox("rad/s"), self._path("angular_velocity"), "rad/s", "World axes")

    def _add_mass(self, scene: Scene, body: Body) -> None:
        form = self.form("Mass")
        self.bind(form, "Mass", NumberBox("kg", True, "density × volume"), self._path("mass"), "kg")
        self.bind(form, "Density", NumberBox("kg/m3", True, "its material's"), self._path("density"), "kg/m3")
        for k in range(len(body.attached)):
            at = f"attached[{k}]"
            self.bind(form, f"Point mass {k + 1}", NumberBox("kg"), self._path(f"{at}.mass"), "kg", "Fixed to the body")
            self.bind(form, "    at", VectorBox("m"), self._path(f"{at}.position"), "m", "In the body's frame")
        if not body.attached:
            add_inertia_rows(self, form, self._path, body)

    def _add_script(self, body: Body) -> None:
        add_motion_rows(self, self.form("Motion"), self._path, body)

    def _add_more(self, body: Body) -> None:
        if body.motion_kind != "fixed":
            self._add_live(body)

    # --- now ----------------------------------------------------------------------------------------------------

    def _add_live(self, body: Body) -> None:
        form = self.form("Current state")
        self._live = {name: form.add_text(name) for name in _LIVE}
        for name, quantities in _PLOTTED.items():
            PlotRow(self._live[name], body.name, quantities, self.plot_wanted.emit)
        if body.motion == "free" and not any(body.name in joint.bodies for joint in self.document.scene.joint):
            self._add_now(body)

    def _add_now(self, body: Body) -> None:
        """What of the body can be changed in the run: for one that no joint ties."""
        scene, form = self.document.scene, self.form("Now, in the run")
        row = scene.index(body.name)
        self.add_now(
            form, "Velocity", VectorBox("m/s"), self._path("velocity")(), "m/s",
            lambda frame: tuple(round(float(x), 6) for x in frame.twists[row, :3]),
        )  # fmt: skip

        def mass(frame: Frame) -> float | None:
            gravity = math.hypot(*dict(frame.changes).get("world.gravity", self.document.scene.world.gravity))
            weight = None if frame.weights is None or row >= len(frame.weights) else float(frame.weights[row])
            if gravity and weight is not None:
                return float(f"{weight / gravity:.12g}")
            return dict(frame.changes).get(self._path("mass")(), (body.mass,))[0]

        self.add_now(form, "Mass", NumberBox("kg"), self._path("mass")(), "kg", mass)

    @property
    def live(self) -> dict[str, str]:
        """What is said of the body now, by name."""
        return {name: label.text() for name, label in self._live.items()}

    def show_live(self, frame: Any) -> None:
        """Shows the state of the body in a `Frame`."""
        scene = self.document.scene
        if not hasattr(self, "_live") or len(frame.poses) != len(scene.bodies):
            return
        super().show_live(frame)
        row = scene.index(self._name)
        position, twist = frame.poses[row, :3], frame.twists[row]
        touching = frame.touching
        count = "" if touching is None else str(np.sum((touching == row).any(axis=1)))
        texts = (
            "  ".join(f"{x:.4g}" for x in position) + " m",
            f"{math.hypot(*twist[:3]):.4g} m/s",
            f"{math.hypot(*twist[3:]):.4g} rad/s",
            count,
            "" if (states := states_of(frame)) is None else PARADIGMS[states[row]].word.lower(),
        )
        for label, text in zip(self._live.values(), texts):
            label.setText(text)
