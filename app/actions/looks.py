"""The View, Overlays, Analyse and Help menus: what is shown, and from where."""

from __future__ import annotations

from app.actions.action import Action, Menu, ready, scene_open
from app.actions.host import Comparing, Host, Looks


def _looks(host: Host) -> Looks:
    return host.looks


def _comparing(host: Host) -> Comparing:
    return host.comparing


_compare = Menu("analyse", _comparing)
_view, _overlays, _analyse, _help = (Menu(name, _looks) for name in ("view", "overlays", "analyse", "help"))
_PARADIGMS = "Free flight, impulses, constraint forces, both, penalty, asleep, static or kinematic"
_IMPENDING = "Accelerations of the paused scene's bodies from rest, by three formulations"
_FRICTIONLESS = "The three formulations are frictionless: ignore friction, or show nothing where there is some"
_AMBIENT = "Darker where bodies are near each other, a line where two meet; in motion where the machine is fast enough"
_SWEPT = "Of the broad phase: what contains each body for a while, and until when"
_TILES = "In which the boxes of the broad phase lie, a colour for each size"
_CARD = "Every contact of the selected body: gap, forces, friction cone, sliding or sticking"
_PLOT = "A curve of any quantity of the selected body, of a pair or of a joint"
_EVENT = "The event inspector: impulse, energy lost, velocities, and the hodograph of a collision"
_PIN = "Another run plays over it as a ghost: the distance between them, and the first event that differs"
_MICROSCOPE = "Contact forces of the paused scene, by several solvers, pivot by pivot"


LAYOUTS = {
    "all": frozenset(("left", "right", "timeline", "strip", "bottom")),
    "edit": frozenset(("left", "right", "timeline")),
    "plots": frozenset(("timeline", "strip", "bottom")),
    "picture": frozenset(("timeline",)),
}
"""Panels that are shown together, the picture always beside them."""


def _layout(name: str, text: str, key: str, symbol: str) -> Action:
    return _view(
        f"layout.{name}", f"Layout: {text}", lambda v: v.use_layout(LAYOUTS[name]), key, symbol, scene_open, "layouts",
        checked=lambda f: f.panels == LAYOUTS[name],
    )  # fmt: skip


def _side(name: str, text: str, key: str, side: str) -> Action:
    return _view(name, text, lambda v: v.look_along(side), key, "", scene_open, "sides")


def _panel(name: str, text: str, key: str, symbol: str) -> Action:
    return _view(
        f"panel.{name}", text, lambda v: v.toggle_panel(name), key, symbol, scene_open, "panels",
        checked=lambda f: name in f.panels,
    )  # fmt: skip


def _overlay(name: str, text: str, key: str, symbol: str, hint: str = "", group: str = "") -> Action:
    return _overlays(
        name, text, lambda v: v.toggle_overlay(name), key, symbol, scene_open, group, hint,
        checked=lambda f: name in f.overlays,
    )  # fmt: skip


VIEW: tuple[Action, ...] = (
    _view("frame", "Frame the selection", lambda v: v.frame_selection(), "F", "mdi6.image-filter-center-focus",
          scene_open),
    _view("frame_all", "Frame everything", lambda v: v.frame_all(), "Shift+F", "mdi6.fit-to-page-outline",
          scene_open),
    _side("front", "From the front", "1", "front"),
    _side("side", "From the right", "3", "right"),
    _side("top", "From above", "7", "top"),
    _view("store_camera", "Store this view in the scene", lambda v: v.store_camera(), "", "mdi6.camera-plus-outline",
          scene_open, "camera"),
    _panel("left", "Scene and gallery", "Ctrl+1", "mdi6.dock-left"),
    _panel("right", "Inspector", "Ctrl+2", "mdi6.dock-right"),
    _panel("bottom", "Plots", "Ctrl+3", "mdi6.dock-bottom"),
    _panel("strip", "Paradigm switches", "Ctrl+4", "mdi6.timeline-outline"),
    _panel("timeline", "Timeline", "Ctrl+5", "mdi6.timeline-clock-outline"),
    _layout("all", "all panels", "F5", "mdi6.view-dashboard-outline"),
    _layout("edit", "scene and inspector", "F6", "mdi6.view-column-outline"),
    _layout("plots", "plots", "F7", "mdi6.chart-line"),
    _layout("picture", "picture", "F8", "mdi6.image-outline"),
    _view("paradigms", "Colour bodies by paradigm", lambda v: v.toggle_overlay("paradigms"), "Alt+B",
          "mdi6.palette-outline", scene_open, "colours", _PARADIGMS, checked=lambda f: "paradigms" in f.overlays),
    _view("light", "Light colours", lambda v: v.toggle_theme(), "Ctrl+T", "mdi6.theme-light-dark",
          group="window", checked=lambda f: f.light),
    _view("full_screen", "Full screen", lambda v: v.toggle_full_screen(), "F11", "mdi6.fullscreen",
          group="window", hint="Nothing but the picture; Esc leads back", checked=lambda f: f.full_screen),
)  # fmt: skip

OVERLAYS: tuple[Action, ...] = (
    _overlay("contacts", "Contact points and normals", "Alt+C", "mdi6.vector-point"),
    _overlay("forces", "Contact forces", "Alt+F", "mdi6.arrow-up-bold-outline",
             "Impulses of collisions as means over a window"),
    _overlay("cones", "Friction cones", "Alt+U", "mdi6.cone",
             "Coloured by the share of friction that is used, green to red"),
    _overlay("velocities", "Velocities", "Alt+V", "mdi6.arrow-right-thin"),
    _overlay("pairs", "Closest points of the pairs checked next", "Alt+P", "mdi6.vector-line", "From the event queue"),
    _overlay("joints", "Joints", "Alt+J", "mdi6.vector-link", "Their axes, and the ways that limits leave them"),
    _overlay("pieces", "Convex pieces", "Alt+I", "mdi6.puzzle-outline", "Of concave bodies, each in a colour"),
    _overlay("swept", "Swept boxes", "Alt+X", "mdi6.cube-outline", _SWEPT, "broad"),
    _overlay("tiles", "Tiles of the spatial hash", "Alt+H", "mdi6.grid-large", _TILES, "broad"),
    _overlay("handles", "Handles for moving and rotating", "Alt+T", "mdi6.axis-arrow",
             "On what is selected, while the scene stands at its start", "handles"),
    _overlay("impending", "Impending motion", "Alt+M", "mdi6.ray-start-arrow", _IMPENDING, "impending"),
    _overlay("frictionless", "Impending motion without friction", "Alt+Shift+M", "mdi6.snowflake",
             _FRICTIONLESS, "impending"),
    _overlay("shadows", "Shadows", "Alt+S", "mdi6.box-shadow", group="light"),
    _overlay("ambient", "Ambient occlusion and edges", "Alt+O", "mdi6.brightness-4", _AMBIENT, "light"),
    _overlay("grid", "Ground grid", "Alt+G", "mdi6.grid", group="light"),
)  # fmt: skip

ANALYSE: tuple[Action, ...] = (
    _analyse("contacts", "Contact card", lambda v: v.show_contacts(), "Ctrl+Shift+C", "mdi6.card-text-outline",
             scene_open, hint=_CARD),
    Action("analyse.plot", "Plot a quantity…", lambda host: host.plotting.show_at_pointer(), ("Alt+Q",),
           "mdi6.chart-line", scene_open, hint=_PLOT),
    _analyse("microscope", "Solver microscope", lambda v: v.show_microscope(), "Ctrl+M", "mdi6.microscope",
             scene_open, hint=_MICROSCOPE),
    _analyse("event", "Last event", lambda v: v.show_event(), "E", "mdi6.vector-curve", scene_open, hint=_EVENT),
    _compare("pin", "Pin this run", lambda c: c.pin(), "K", "mdi6.pin-outline", ready, "compare", _PIN),
    _compare("unpin", "Unpin", lambda c: c.unpin(), "Shift+K", "mdi6.pin-off-outline", lambda f: f.pinned, "compare"),
)  # fmt: skip

HELP: tuple[Action, ...] = (
    _help("palette", "Find a command…", lambda v: v.show_palette(), "Ctrl+Shift+P", "mdi6.magnify",
          hint="Everything that Carom can do, by name"),
    _help("keys", "Keys and mouse", lambda v: v.show_help(), "F1", "mdi6.keyboard-outline"),
    _help("about", "About Carom", lambda v: v.show_about(), "", "mdi6.information-outline", group="about"),
)  # fmt: skip
