"""The Edit and Add menus: edits of the open scene."""

from __future__ import annotations

from collections.abc import Callable

from app.actions.action import Action, Menu, one_selected, scene_open, selected
from app.actions.host import Editing, Facts
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
    "bowl": "mdi6.bowl-outline",
    "funnel": "mdi6.filter-outline",
    "ring": "mdi6.ring",
    "plane": "mdi6.minus",
}
"""Kinds of shapes that bodies are added with, and their icons."""


JOINTS = {
    "hinge": ("Hinge", "mdi6.rotate-3d-variant"),
    "slider": ("Slider", "mdi6.arrow-left-right"),
    "ball": ("Ball joint", "mdi6.circle-double"),
    "planar": ("Planar joint", "mdi6.arrow-all"),
    "weld": ("Weld", "mdi6.link-lock"),
}
"""Kinds of joints that bodies are tied with, their names and icons."""

MOTORS = {
    "position": ("Motor: position", "mdi6.target"),
    "velocity": ("Motor: velocity", "mdi6.speedometer"),
    "effort": ("Motor: effort", "mdi6.engine-outline"),
}
"""What a motor can seek, the names of their entries and icons."""

_edit = Menu("edit", lambda host: host.editing)
_add = Menu("add", lambda host: host.editing)
_MOVE = "Then X, Y or Z for one axis, a number for how far; click or Enter to place, Esc to leave it"
_ROTATE = "Then X, Y or Z for the axis, a number for the angle; click or Enter to place, Esc to leave it"
_DROP = "Straight down, all that is selected as one, until it stands on something"
_REPEAT = "Many of it from one template: a grid, a stack, a ring, a spiral or a pour, as the inspector says"
_PUSH_APART = "By as little as it takes: what is selected, or all bodies that move"
_DUPLICATE = "The copies follow the pointer as in a move; Esc leaves them beside"
_PAIR = "Coefficients where two materials touch, in place of the combined ones"


_DRIVE = "For the joint that is selected; its gains and its target stand in the inspector"
_CONTROL = "A Python file beside the scene that drives the selected joint, or pushes the selected bodies"
_TIE = "Between the two selected bodies, half way, or between one and the world"


def _may_tie(facts: Facts) -> bool:
    return facts.scene_open and facts.selected in (1, 2)


def _tier(kind: str) -> Callable[[Editing], object]:
    return lambda e: e.add_joint(kind)


def _driver(seeks: str) -> Callable[[Editing], object]:
    return lambda e: e.add_motor(seeks)


def _adder(kind: str) -> Callable[[Editing], object]:
    return lambda e: e.add(kind)


EDIT: tuple[Action, ...] = (
    _edit("undo", "Undo", lambda e: e.undo(), "Ctrl+Z", "mdi6.undo",
          lambda f: f.scene_open and bool(f.undo_text), label=lambda f: f"Undo {f.undo_text}".rstrip()),
    _edit("redo", "Redo", lambda e: e.redo(), "Ctrl+Shift+Z Ctrl+Y", "mdi6.redo",
          lambda f: f.scene_open and bool(f.redo_text), label=lambda f: f"Redo {f.redo_text}".rstrip()),
    _edit("move", "Move", lambda e: e.transform("move"), "G", "mdi6.arrow-all",
          lambda f: selected(f) or (f.scene_open and f.repeat), "body", _MOVE),
    _edit("rotate", "Rotate", lambda e: e.transform("rotate"), "R", "mdi6.rotate-3d-variant", selected, "body",
          _ROTATE),
    _edit("drop", "Drop to what is below", lambda e: e.drop(), "Shift+G", "mdi6.arrow-collapse-down",
          lambda f: selected(f) or (f.scene_open and f.repeat), "body", _DROP),
    _edit("push_apart", "Push apart what overlaps", lambda e: e.push_apart(), "", "mdi6.arrow-expand-horizontal",
          lambda f: f.scene_open and f.bodies > 1, "body", _PUSH_APART),
    _edit("duplicate", "Duplicate", lambda e: e.duplicate(), "Shift+D", "mdi6.content-duplicate", selected, "body",
          _DUPLICATE),
    _edit("repeat", "Repeat", lambda e: e.repeat(), "", "mdi6.dots-grid", one_selected, "body", _REPEAT),
    _edit("take_apart", "Make single bodies", lambda e: e.take_apart(), "", "mdi6.dots-hexagon",
          lambda f: f.scene_open and f.repeat, "body", "Of the repeat that is looked at"),
    _edit("delete", "Delete", lambda e: e.delete(), "Del", "mdi6.trash-can-outline", selected, "body"),
    _edit("rename", "Rename…", lambda e: e.rename(), "F2", "mdi6.form-textbox", one_selected, "body"),
    _edit("select_all", "Select all bodies", lambda e: e.select_all(), "Ctrl+A", "",
          lambda f: f.scene_open and f.bodies > 0, "select"),
    _edit("select_none", "Select nothing", lambda e: e.select_none(), "Ctrl+Shift+A", "", selected, "select"),
    Action("edit.preferences", "Preferences…", lambda host: host.looks.show_preferences(), ("Ctrl+,",),
           "mdi6.cog-outline", group="preferences", hint="Colours, memory for the past of a run, trusted Python"),
)  # fmt: skip

ADD: tuple[Action, ...] = (
    *(_add(kind, SHAPE_LABELS[kind], _adder(kind), "", symbol, scene_open) for kind, symbol in SHAPES.items()),
    _add("mesh", "Mesh file…", lambda e: e.add_mesh(), "", "mdi6.vector-triangle", scene_open),
    _add("material", "Material", lambda e: e.add_material(), "", "mdi6.texture-box", scene_open, "surface"),
    _add("pair", "Pair of materials", lambda e: e.add_pair(), "", "mdi6.set-center",
         lambda f: f.scene_open and f.free_pair, "surface", _PAIR),
    *(_add(f"joint_{kind}", name, _tier(kind), "", symbol, _may_tie, "joint", _TIE)
      for kind, (name, symbol) in JOINTS.items()),
    *(_add(f"motor_{seeks}", name, _driver(seeks), "", symbol, lambda f: f.scene_open and f.drivable, "control", _DRIVE)
      for seeks, (name, symbol) in MOTORS.items()),
    _add("controller", "Controller", lambda e: e.add_controller(), "", "mdi6.language-python",
         lambda f: f.scene_open and (f.drivable or f.selected > 0), "control", _CONTROL),
    _add("menu", "Add at the pointer…", lambda e: e.show_add_menu(), "Shift+A", "", scene_open, "menu"),
)  # fmt: skip
