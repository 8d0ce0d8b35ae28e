"""The inspector's pages for a material and for a pair of materials."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtWidgets import QPushButton

from app.document import edits
from app.document.document import Document
from app.view.forms.numbers import NumberBox, number_text
from app.view.forms.rows import ChoiceBox, ColourBox, TextBox
from app.view.inspector.page import Page, attempt
from engine.scene.paths import rename
from engine.scene.schema import MATERIAL_LOOKS, Pair, Scene
from engine.scene.surfaces import meet
from engine.scene.values import field_unit

_ROLLING = "Arm of the rolling resistance torque: torque per normal force; 0: none"
_TORSIONAL = "Arm of the torsional friction torque about the normal: torque per normal force; 0: none"

_LOOK = "Only what is seen: friction and restitution are said above"


class MaterialPage(Page):
    """A material."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._name = document.focus.removeprefix("material.")
        form = self.form("")
        name = TextBox()
        form.add("Name", name, lambda value, _gesture: self._rename(str(value).strip()))
        name.setObjectName("Name")
        self.on_refresh(lambda _scene: name.set_value(self._name))

        def path(field: str) -> str:
            return f"material.{self._name}.{field}"

        self.bind(form, "Friction", NumberBox(), lambda: path("friction"), hint="Coulomb coefficient, dynamic")
        self.bind(form, "Static friction", NumberBox("", True, "same as friction"), lambda: path("static_friction"))
        self.bind(form, "Restitution", NumberBox(), lambda: path("restitution"), hint="0: inelastic, 1: elastic")
        self.bind(form, "Rolling resistance", NumberBox("m"), lambda: path("rolling_resistance"), "m", _ROLLING)
        self.bind(form, "Spinning resistance", NumberBox("m"), lambda: path("spinning_resistance"), "m", _TORSIONAL)
        self.bind(form, "Density", NumberBox("kg/m3"), lambda: path("density"), "kg/m3")
        self.bind(form, "Colour", ColourBox("automatic"), lambda: path("colour"))
        looks = ChoiceBox([(look, look.capitalize()) for look in MATERIAL_LOOKS])
        self.bind(form, "Look", looks, lambda: path("look"), hint=_LOOK)
        now = self.form("Now, in the run")
        for label, field in (("Friction", "friction"), ("Restitution", "restitution")):
            self.add_now(now, label, NumberBox(), path(field))
        delete = QPushButton("Delete material")
        delete.clicked.connect(self._delete)
        self.form("").add_wide(delete)

    @staticmethod
    def signature(document: Document, scene: Scene) -> object:
        return document.focus

    def heading(self, scene: Scene) -> str:
        return self._name

    def caption(self, scene: Scene) -> str:
        count = sum(body.material == self._name for body in scene.bodies)
        return f"Material of {count} {'body' if count == 1 else 'bodies'}"

    def _rename(self, new: str) -> str:
        def edit() -> None:
            scene = rename(self.document.scene, f"material.{self._name}", new)
            self.document.edit(f"rename material {self._name}", scene, focus=f"material.{new}")

        return attempt(edit)

    def _delete(self) -> None:
        scene = edits.delete_material(self.document.scene, self._name)
        self.document.edit(f"delete material {self._name}", scene)


class PairPage(Page):
    """How two materials meet, where the rule for all does not hold."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._number = int(document.focus.removeprefix("pair[").removesuffix("]"))
        first, second = document.scene.pair[self._number].materials
        form = self.form("")
        for name, field, coefficient in (
            ("Friction", "friction", "dynamic_friction"),
            ("Static friction", "static_friction", "static_friction"),
            ("Restitution", "restitution", "restitution"),
            ("Rolling resistance", "rolling_resistance", "rolling_resistance"),
            ("Spinning resistance", "spinning_resistance", "spinning_resistance"),
        ):
            unit = field_unit(Pair, field)
            box = NumberBox(unit, True)
            self.bind(form, name, box, self._path(field), unit, what=f"change {name.lower()} of {first} on {second}")
            self.on_refresh(partial(self._show_otherwise, box, field, coefficient))
        delete = QPushButton("Delete pair")
        delete.clicked.connect(self._delete)
        form.add_wide(delete)

    def _show_otherwise(self, box: NumberBox, field: str, coefficient: str, scene: Scene) -> None:
        """Where nothing is typed stands what holds then: as the materials combine, or as the pair's friction says."""
        pair = scene.pair[self._number]
        without = pair.model_copy(update={field: None})
        pairs = tuple(without if other is pair else other for other in scene.pair)
        value = getattr(meet(scene.model_copy(update={"pair": pairs}), *pair.materials), coefficient)
        why = "as friction" if field == "static_friction" and pair.friction is not None else "combined"
        box.setPlaceholderText(f"{number_text(value)} ({why})")

    def _path(self, field: str) -> Callable[[], str]:
        return lambda: f"pair[{self._number}].{field}"

    @staticmethod
    def signature(document: Document, scene: Scene) -> object:
        number = int(document.focus.removeprefix("pair[").removesuffix("]"))
        return (document.focus, tuple(scene.material.items()), scene.pair[number].materials)

    def heading(self, scene: Scene) -> str:
        return " on ".join(scene.pair[self._number].materials)

    def caption(self, scene: Scene) -> str:
        return "Coefficients where these two materials touch; empty: combined from both"

    def _delete(self) -> None:
        self.document.edit("delete pair", edits.delete_pair(self.document.scene, self._number))
