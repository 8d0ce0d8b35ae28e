"""The one table of actions: menus, tool bar, keys, the command palette and the help all come from it.

A row says what an action is called, where it is found, which keys start it, when it can be used and what it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.actions.host import Facts, Host

MENUS = ("File", "Edit", "Add", "Simulation", "View", "Overlays", "Analyse", "Help")


def _always(_facts: Facts) -> bool:
    return True


def _scene(facts: Facts) -> bool:
    return facts.scene_open


def _ready(facts: Facts) -> bool:
    return facts.scene_open and facts.ready


def _selected(facts: Facts) -> bool:
    return facts.scene_open and facts.selected > 0


def _one_selected(facts: Facts) -> bool:
    return facts.scene_open and facts.selected == 1


@dataclass(frozen=True)
class Action:
    """One thing that a person can do."""

    id: str
    text: str
    menu: str
    run: Callable[[Host], object]
    keys: tuple[str, ...] = ()
    icon: str = ""
    enabled: Callable[[Facts], bool] = _always
    checked: Callable[[Facts], bool] | None = None
    label: Callable[[Facts], str] | None = None  # the text, where it depends on the facts
    toolbar: bool = False
    group: str = ""  # actions of one group stand together in their menu, between lines
    hint: str = ""  # one sentence, where the text does not say enough


def _file() -> tuple[Action, ...]:
    return (
        Action("file.new", "New scene", "File", lambda h: h.files.new(), ("Ctrl+N",), "mdi6.file-plus-outline"),
        Action("file.open", "Open…", "File", lambda h: h.files.open(), ("Ctrl+O",), "mdi6.folder-open-outline"),
        Action(
            "file.gallery",
            "Gallery",
            "File",
            lambda h: h.files.show_gallery(),
            ("Ctrl+G",),
            "mdi6.view-grid-outline",
            hint="Scenes that come with Carom",
        ),
        Action(
            "file.save",
            "Save",
            "File",
            lambda h: h.files.save(),
            ("Ctrl+S",),
            "mdi6.content-save-outline",
            enabled=_scene,
            group="save",
        ),
        Action(
            "file.save_as",
            "Save as…",
            "File",
            lambda h: h.files.save_as(),
            ("Ctrl+Shift+S",),
            enabled=_scene,
            group="save",
        ),
        Action(
            "file.record",
            "Record video…",
            "File",
            lambda h: h.files.record(),
            ("Ctrl+F12",),
            "mdi6.record-circle",
            enabled=_ready,
            group="picture",
            hint="Render an MP4 in simulation time, at any size and rate",
        ),
        Action(
            "file.screenshot",
            "Screenshot…",
            "File",
            lambda h: h.files.screenshot(),
            ("F12",),
            "mdi6.camera-outline",
            enabled=_scene,
            group="picture",
        ),
        Action("file.quit", "Quit", "File", lambda h: h.files.quit(), ("Ctrl+Q",), group="quit"),
    )


def _edit() -> tuple[Action, ...]:
    return (
        Action(
            "edit.undo",
            "Undo",
            "Edit",
            lambda h: h.editing.undo(),
            ("Ctrl+Z",),
            "mdi6.undo",
            enabled=lambda f: f.scene_open and bool(f.undo_text),
            label=lambda f: f"Undo {f.undo_text}".rstrip(),
        ),
        Action(
            "edit.redo",
            "Redo",
            "Edit",
            lambda h: h.editing.redo(),
            ("Ctrl+Shift+Z", "Ctrl+Y"),
            "mdi6.redo",
            enabled=lambda f: f.scene_open and bool(f.redo_text),
            label=lambda f: f"Redo {f.redo_text}".rstrip(),
        ),
        Action(
            "edit.move",
            "Move",
            "Edit",
            lambda h: h.editing.transform("move"),
            ("G",),
            "mdi6.arrow-all",
            enabled=_one_selected,
            group="body",
            hint="Then X, Y or Z for one axis; click or Enter to place, Esc to leave it",
        ),
        Action(
            "edit.rotate",
            "Rotate",
            "Edit",
            lambda h: h.editing.transform("rotate"),
            ("R",),
            "mdi6.rotate-3d-variant",
            enabled=_one_selected,
            group="body",
            hint="Then X, Y or Z for the axis; click or Enter to place, Esc to leave it",
        ),
        Action(
            "edit.duplicate",
            "Duplicate",
            "Edit",
            lambda h: h.editing.duplicate(),
            ("Shift+D",),
            "mdi6.content-duplicate",
            enabled=_selected,
            group="body",
        ),
        Action(
            "edit.delete",
            "Delete",
            "Edit",
            lambda h: h.editing.delete(),
            ("Del",),
            "mdi6.trash-can-outline",
            enabled=_selected,
            group="body",
        ),
        Action(
            "edit.rename",
            "Rename…",
            "Edit",
            lambda h: h.editing.rename(),
            ("F2",),
            "mdi6.form-textbox",
            enabled=_one_selected,
            group="body",
        ),
        Action(
            "edit.select_all",
            "Select all bodies",
            "Edit",
            lambda h: h.editing.select_all(),
            ("Ctrl+A",),
            enabled=lambda f: f.scene_open and f.bodies > 0,
            group="select",
        ),
        Action(
            "edit.select_none",
            "Select nothing",
            "Edit",
            lambda h: h.editing.select_none(),
            ("Ctrl+Shift+A",),
            enabled=_selected,
            group="select",
        ),
    )


_SHAPES = (
    ("sphere", "Sphere", "mdi6.circle-outline"),
    ("box", "Box", "mdi6.cube-outline"),
    ("rounded_box", "Rounded box", "mdi6.square-rounded-outline"),
    ("capsule", "Capsule", "mdi6.pill"),
    ("cylinder", "Cylinder", "mdi6.cylinder"),
    ("cone", "Cone", "mdi6.cone"),
    ("ellipsoid", "Ellipsoid", "mdi6.ellipse-outline"),
    ("superquadric", "Superquadric", "mdi6.square-opacity"),
    ("prism", "Prism", "mdi6.hexagon-outline"),
    ("extrusion", "Extrusion", "mdi6.alpha-u-box-outline"),
    ("compound", "Compound", "mdi6.shape-plus-outline"),
    ("plane", "Ground plane", "mdi6.minus"),
)


def _adder(kind: str) -> Callable[[Host], object]:
    return lambda h: h.editing.add(kind)


def _add() -> tuple[Action, ...]:
    shapes = tuple(
        Action(f"add.{kind}", text, "Add", _adder(kind), (), symbol, enabled=_scene) for kind, text, symbol in _SHAPES
    )
    return (
        *shapes,
        Action(
            "add.mesh", "Mesh file…", "Add", lambda h: h.editing.add_mesh(), (), "mdi6.vector-triangle", enabled=_scene
        ),
        Action(
            "add.material",
            "Material",
            "Add",
            lambda h: h.editing.add_material(),
            (),
            "mdi6.texture-box",
            enabled=_scene,
            group="surface",
        ),
        Action(
            "add.pair",
            "Pair of materials",
            "Add",
            lambda h: h.editing.add_pair(),
            (),
            "mdi6.set-center",
            enabled=lambda f: f.scene_open and f.free_pair,
            group="surface",
            hint="How two materials meet, where the usual rule does not hold",
        ),
        Action(
            "add.menu",
            "Add at the pointer…",
            "Add",
            lambda h: h.editing.show_add_menu(),
            ("Shift+A",),
            enabled=_scene,
            group="menu",
        ),
    )


def _simulation() -> tuple[Action, ...]:
    return (
        Action(
            "simulation.reset",
            "Reset to the start",
            "Simulation",
            lambda h: h.playback.reset(),
            ("Backspace",),
            "mdi6.skip-backward",
            enabled=_ready,
            toolbar=True,
        ),
        Action(
            "simulation.play",
            "Play",
            "Simulation",
            lambda h: h.playback.toggle(),
            ("Space",),
            "mdi6.play",
            enabled=_ready,
            label=lambda f: "Pause" if f.running else "Play",
            toolbar=True,
        ),
        Action(
            "simulation.step_frame",
            "Step one frame",
            "Simulation",
            lambda h: h.playback.step_frame(),
            ("Right",),
            "mdi6.step-forward",
            enabled=_ready,
            toolbar=True,
            hint="1/60 s",
        ),
        Action(
            "simulation.step_event",
            "Step one event",
            "Simulation",
            lambda h: h.playback.step_event(),
            ("Shift+Right",),
            "mdi6.debug-step-over",
            enabled=_ready,
            toolbar=True,
            hint="The next entry of the event heap: a check of one pair, a collision",
        ),
        Action(
            "simulation.slower",
            "Half the speed",
            "Simulation",
            lambda h: h.playback.change_speed(0.5),
            ("[",),
            "mdi6.tortoise",
            enabled=_scene,
            group="speed",
        ),
        Action(
            "simulation.faster",
            "Twice the speed",
            "Simulation",
            lambda h: h.playback.change_speed(2.0),
            ("]",),
            "mdi6.rabbit",
            enabled=_scene,
            group="speed",
        ),
        Action(
            "simulation.real_time",
            "Real time",
            "Simulation",
            lambda h: h.playback.normal_speed(),
            ("\\",),
            "mdi6.clock-outline",
            enabled=_scene,
            group="speed",
        ),
    )


def _looker(name: str) -> Callable[[Host], object]:
    return lambda h: h.looks.look_along(name)


def _panel(name: str, text: str, key: str, symbol: str) -> Action:
    return Action(
        f"view.panel.{name}",
        text,
        "View",
        lambda h: h.looks.toggle_panel(name),
        (key,),
        symbol,
        enabled=_scene,
        checked=lambda f: name in f.panels,
        group="panels",
    )


def _view() -> tuple[Action, ...]:
    return (
        Action(
            "view.frame",
            "Frame the selection",
            "View",
            lambda h: h.looks.frame_selection(),
            ("F",),
            "mdi6.image-filter-center-focus",
            enabled=_scene,
        ),
        Action(
            "view.frame_all",
            "Frame everything",
            "View",
            lambda h: h.looks.frame_all(),
            ("Shift+F", "Home"),
            "mdi6.fit-to-page-outline",
            enabled=_scene,
        ),
        Action("view.front", "From the front", "View", _looker("front"), ("1",), enabled=_scene, group="sides"),
        Action("view.side", "From the right", "View", _looker("right"), ("3",), enabled=_scene, group="sides"),
        Action("view.top", "From above", "View", _looker("top"), ("7",), enabled=_scene, group="sides"),
        Action(
            "view.store_camera",
            "Store this view in the scene",
            "View",
            lambda h: h.looks.store_camera(),
            (),
            "mdi6.camera-plus-outline",
            enabled=_scene,
            group="camera",
        ),
        _panel("left", "Scene and gallery", "Ctrl+1", "mdi6.dock-left"),
        _panel("right", "Inspector", "Ctrl+2", "mdi6.dock-right"),
        _panel("bottom", "Plots", "Ctrl+3", "mdi6.dock-bottom"),
        _panel("strip", "Switches of paradigm", "Ctrl+4", "mdi6.timeline-outline"),
        Action(
            "view.paradigms",
            "Colour bodies by paradigm",
            "View",
            lambda h: h.looks.toggle_overlay("paradigms"),
            ("Alt+B",),
            "mdi6.palette-outline",
            enabled=_scene,
            checked=lambda f: "paradigms" in f.overlays,
            group="colours",
            hint="Free flight, impulses, constraint forces, both, penalty, asleep, fixed or scripted",
        ),
        Action(
            "view.light",
            "Light colours",
            "View",
            lambda h: h.looks.toggle_theme(),
            ("Ctrl+T",),
            "mdi6.theme-light-dark",
            checked=lambda f: f.light,
            group="window",
        ),
        Action(
            "view.full_screen",
            "Full screen",
            "View",
            lambda h: h.looks.toggle_full_screen(),
            ("F11",),
            "mdi6.fullscreen",
            checked=lambda f: f.full_screen,
            group="window",
        ),
    )


def _overlay(name: str, text: str, key: str, symbol: str, hint: str = "", group: str = "") -> Action:
    return Action(
        f"overlay.{name}",
        text,
        "Overlays",
        lambda h: h.looks.toggle_overlay(name),
        (key,),
        symbol,
        enabled=_scene,
        checked=lambda f: name in f.overlays,
        group=group,
        hint=hint,
    )


def _overlays() -> tuple[Action, ...]:
    return (
        _overlay("contacts", "Contact points and normals", "Alt+C", "mdi6.vector-point"),
        _overlay(
            "forces",
            "Contact forces",
            "Alt+F",
            "mdi6.arrow-up-bold-outline",
            "Hits as impulses over a window",
        ),
        _overlay("velocities", "Velocities", "Alt+V", "mdi6.arrow-right-thin"),
        _overlay("pairs", "Closest points of the next pairs", "Alt+P", "mdi6.vector-line", "From the heap of events"),
        _overlay("pieces", "Convex pieces", "Alt+I", "mdi6.puzzle-outline", "Of concave bodies, each in a colour"),
        _overlay(
            "impending",
            "Impending motion",
            "Alt+M",
            "mdi6.ray-start-arrow",
            "How the bodies of the paused scene would set off from rest, by three formulations",
            group="impending",
        ),
        _overlay(
            "frictionless",
            "Impending motion without friction",
            "Alt+Shift+M",
            "mdi6.snowflake",
            "The three formulations know no friction: ignore it, or show nothing where there is some",
            group="impending",
        ),
        _overlay("shadows", "Shadows", "Alt+S", "mdi6.box-shadow", group="light"),
        _overlay("grid", "Ground grid", "Alt+G", "mdi6.grid", group="light"),
    )


def _analyse() -> tuple[Action, ...]:
    return (
        Action(
            "analyse.contacts",
            "Contact card",
            "Analyse",
            lambda h: h.looks.show_contacts(),
            ("Ctrl+Shift+C",),
            "mdi6.card-text-outline",
            enabled=_scene,
            hint="Every contact of the selected body: gap, forces, friction cone, sliding or sticking",
        ),
        Action(
            "analyse.microscope",
            "Solver microscope",
            "Analyse",
            lambda h: h.looks.show_microscope(),
            ("Ctrl+M",),
            "mdi6.microscope",
            enabled=_scene,
            hint="Contact forces of the paused scene, by several methods, pivot by pivot",
        ),
    )


def _help() -> tuple[Action, ...]:
    return (
        Action(
            "help.palette",
            "Find a command…",
            "Help",
            lambda h: h.looks.show_palette(),
            ("Ctrl+Shift+P",),
            "mdi6.magnify",
            hint="Everything that Carom can do, by name",
        ),
        Action(
            "help.keys", "Keys and mouse", "Help", lambda h: h.looks.show_help(), ("F1",), "mdi6.keyboard-outline"
        ),
        Action(
            "help.about", "About Carom", "Help", lambda h: h.looks.show_about(), (), "mdi6.information-outline",
            group="about",
        ),
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    *_file(),
    *_edit(),
    *_add(),
    *_simulation(),
    *_view(),
    *_overlays(),
    *_analyse(),
    *_help(),
)

MOUSE: tuple[tuple[str, str], ...] = (
    ("Drag", "Orbit"),
    ("Shift+drag, middle drag", "Pan"),
    ("Wheel", "Zoom"),
    ("Click", "Select a body; with Ctrl or Shift, add it"),
    ("Double click", "Select a body and frame it"),
    ("Ctrl+drag", "Pull a body by a spring while it runs"),
    ("X, Y, Z", "While moving or rotating: along, or about, one axis"),
    ("Drag a number's name", "Change the number; Shift: finely, Ctrl: coarsely"),
)
"""Gestures that are no actions, for the help."""


def action(identifier: str) -> Action:
    """The row with this id; KeyError if there is none."""
    for row in ACTIONS:
        if row.id == identifier:
            return row
    raise KeyError(identifier)
