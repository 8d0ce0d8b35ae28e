"""The inspector's page for a body that is repeated: its template, and where the copies stand."""

from __future__ import annotations

from PyQt6.QtWidgets import QPushButton

from app.document.document import Document
from app.document.repeats import remove_repeat, with_layout
from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox
from app.view.inspector.body_page import BodyPage
from app.view.inspector.page import attempt
from app.view.inspector.shape_rows import whole
from engine.scene.paths import rename
from engine.scene.schema import LAYOUT_KINDS, Body, Repeat, Scene

_TURNED = ((True, "Random"), (False, "Same as the template"))


class RepeatPage(BodyPage):
    """The template of a `[[repeat]]`: what is changed here changes all of its bodies."""

    part = "repeat"

    @classmethod
    def signature(cls, document: Document, scene: Scene) -> object:
        (kind,) = (one.layout_kind for one in scene.repeat if one.name == cls._name_of(document))
        return (kind, super().signature(document, scene))

    @staticmethod
    def _name_of(document: Document) -> str:
        return document.focus.removeprefix("repeat.")

    def caption(self, scene: Scene) -> str:
        body = self._body(scene)
        assert isinstance(body, Repeat)
        return f"{len(body.bodies)} bodies in a {body.layout_kind}: {super().caption(scene)}"

    def _rename(self, new: str) -> str:
        def edit() -> None:
            scene = rename(self.document.scene, f"repeat.{self._name}", new)
            self.document.edit(f"rename {self._name}", scene, focus=f"repeat.{new}")

        return attempt(edit)

    def _add_more(self, body: Body) -> None:
        assert isinstance(body, Repeat)
        kind = body.layout_kind
        form = self.form("Layout")
        choices = ChoiceBox([(one, one.capitalize()) for one in LAYOUT_KINDS])
        choices.setObjectName("Layout")
        form.add("Layout", choices, lambda chosen, _gesture: self._lay_out(str(chosen)))
        choices.set_value(kind)

        def number(name: str, field: str, unit: str = "") -> None:
            write = None if unit else whole
            self.bind(form, name, NumberBox(unit), self._path(f"{kind}.{field}"), unit, write=write)

        match kind:
            case "grid":
                self.bind(form, "Count", VectorBox(), self._path("grid.count"), write=_all_whole)
                self.bind(form, "Spacing", VectorBox("m"), self._path("grid.spacing"), "m")
            case "stack":
                number("Count", "count")
                self.bind(form, "Step", VectorBox("m"), self._path("stack.step"), "m")
                number("Rotation", "degrees", "deg")
            case "ring":
                number("Count", "count")
                number("Ring radius", "radius", "m")
            case "spiral":
                number("Count", "count")
                number("Outer radius", "radius", "m")
                number("Pitch", "pitch", "m")
                number("Spacing", "spacing", "m")
            case _:
                number("Count", "count")
                self.bind(form, "Box", VectorBox("m"), self._path("pour.size"), "m")
                number("Distance", "distance", "m")
                number("Seed", "seed")
                self.bind(form, "Orientation", ChoiceBox(_TURNED), self._path("pour.turned"))
        delete = QPushButton("Delete all of them")
        delete.clicked.connect(self._delete)
        form.add_wide(delete)

    def _lay_out(self, kind: str) -> str:
        scene = self.document.scene
        what = f"lay {self._name} out in a {kind}"
        return attempt(lambda: self.document.edit(what, with_layout(scene, self._name, kind)))

    def _delete(self) -> None:
        self.document.edit(f"delete {self._name}", remove_repeat(self.document.scene, self._name))


def _all_whole(values: object) -> object:
    return [whole(value) for value in values]  # type: ignore[attr-defined]
