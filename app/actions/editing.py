"""The Edit and Add menus: edits of the open scene."""

from __future__ import annotations

from collections.abc import Callable

from app.actions.action import Action, one_selected, scene_open, selected
from app.actions.host import Host
from app.document.edits import SHAPE_LABELS

SHAPES = {
    "sphere": "mdi6.circle-outline",
    "box": "mdi6.cube-outline",
    "rounded_box": "mdi6.square-rounded-outline",
    "capsule": "mdi6.pill",
    "cylinder": "mdi6.cylinder",
    "cone": "mdi6.cone",
    "ellipsoid": "mdi6.ellipse-outline",
    "superquadric": "mdi6.square-opacity",
    "prism": "mdi6.hexagon-outline",
    "extrusion": "mdi6.alpha-u-box-outline",
    "compound": "mdi6.shape-plus-outline",
    "plane": "mdi6.minus",
}
"""Kinds of shapes that bodies are added with, and their icons."""


def _adder(kind: str) -> Callable[[Host], object]:
    return lambda h: h.editing.add(kind)


EDIT: tuple[Action, ...] = (
    Action(
        "edit.undo",
        "Undo",
        lambda h: h.editing.undo(),
        ("Ctrl+Z",),
        "mdi6.undo",
        lambda f: f.scene_open and bool(f.undo_text),
        label=lambda f: f"Undo {f.undo_text}".rstrip(),
    ),
    Action(
        "edit.redo",
        "Redo",
        lambda h: h.editing.redo(),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "mdi6.redo",
        lambda f: f.scene_open and bool(f.redo_text),
        label=lambda f: f"Redo {f.redo_text}".rstrip(),
    ),
    Action(
        "edit.move",
        "Move",
        lambda h: h.editing.transform("move"),
        ("G",),
        "mdi6.arrow-all",
        one_selected,
        "body",
        hint="Then X, Y or Z for one axis; click or Enter to place, Esc to leave it",
    ),
    Action(
        "edit.rotate",
        "Rotate",
        lambda h: h.editing.transform("rotate"),
        ("R",),
        "mdi6.rotate-3d-variant",
        one_selected,
        "body",
        hint="Then X, Y or Z for the axis; click or Enter to place, Esc to leave it",
    ),
    Action(
        "edit.duplicate",
        "Duplicate",
        lambda h: h.editing.duplicate(),
        ("Shift+D",),
        "mdi6.content-duplicate",
        selected,
        "body",
    ),
    Action("edit.delete", "Delete", lambda h: h.editing.delete(), ("Del",), "mdi6.trash-can-outline", selected, "body"),
    Action("edit.rename", "Rename…", lambda h: h.editing.rename(), ("F2",), "mdi6.form-textbox", one_selected, "body"),
    Action(
        "edit.select_all",
        "Select all bodies",
        lambda h: h.editing.select_all(),
        ("Ctrl+A",),
        enabled=lambda f: f.scene_open and f.bodies > 0,
        group="select",
    ),
    Action(
        "edit.select_none",
        "Select nothing",
        lambda h: h.editing.select_none(),
        ("Ctrl+Shift+A",),
        enabled=selected,
        group="select",
    ),
)

ADD: tuple[Action, ...] = (
    *(
        Action(f"add.{kind}", SHAPE_LABELS[kind], _adder(kind), icon=symbol, enabled=scene_open)
        for kind, symbol in SHAPES.items()
    ),
    Action("add.mesh", "Mesh file…", lambda h: h.editing.add_mesh(), icon="mdi6.vector-triangle", enabled=scene_open),
    Action(
        "add.material",
        "Material",
        lambda h: h.editing.add_material(),
        icon="mdi6.texture-box",
        enabled=scene_open,
        group="surface",
    ),
    Action(
        "add.pair",
        "Pair of materials",
        lambda h: h.editing.add_pair(),
        icon="mdi6.set-center",
        enabled=lambda f: f.scene_open and f.free_pair,
        group="surface",
        hint="Coefficients where two materials touch, in place of the combined ones",
    ),
    Action(
        "add.menu",
        "Add at the pointer…",
        lambda h: h.editing.show_add_menu(),
        ("Shift+A",),
        enabled=scene_open,
        group="menu",
    ),
)
