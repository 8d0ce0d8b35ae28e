"""The View, Overlays, Analyse and Help menus: what is shown, and from where."""

from __future__ import annotations

from collections.abc import Callable

from app.actions.action import Action, scene_open
from app.actions.host import Host


def _looker(name: str) -> Callable[[Host], object]:
    return lambda h: h.looks.look_along(name)


def _panel(name: str, text: str, key: str, symbol: str) -> Action:
    return Action(
        f"view.panel.{name}",
        text,
        lambda h: h.looks.toggle_panel(name),
        (key,),
        symbol,
        scene_open,
        "panels",
        checked=lambda f: name in f.panels,
    )


def _overlay(name: str, text: str, key: str, symbol: str, hint: str = "", group: str = "") -> Action:
    return Action(
        f"overlays.{name}",
        text,
        lambda h: h.looks.toggle_overlay(name),
        (key,),
        symbol,
        scene_open,
        group,
        hint=hint,
        checked=lambda f: name in f.overlays,
    )


VIEW: tuple[Action, ...] = (
    Action(
        "view.frame",
        "Frame the selection",
        lambda h: h.looks.frame_selection(),
        ("F",),
        "mdi6.image-filter-center-focus",
        scene_open,
    ),
    Action(
        "view.frame_all",
        "Frame everything",
        lambda h: h.looks.frame_all(),
        ("Shift+F", "Home"),
        "mdi6.fit-to-page-outline",
        scene_open,
    ),
    Action("view.front", "From the front", _looker("front"), ("1",), enabled=scene_open, group="sides"),
    Action("view.side", "From the right", _looker("right"), ("3",), enabled=scene_open, group="sides"),
    Action("view.top", "From above", _looker("top"), ("7",), enabled=scene_open, group="sides"),
    Action(
        "view.store_camera",
        "Store this view in the scene",
        lambda h: h.looks.store_camera(),
        icon="mdi6.camera-plus-outline",
        enabled=scene_open,
        group="camera",
    ),
    _panel("left", "Scene and gallery", "Ctrl+1", "mdi6.dock-left"),
    _panel("right", "Inspector", "Ctrl+2", "mdi6.dock-right"),
    _panel("bottom", "Plots", "Ctrl+3", "mdi6.dock-bottom"),
    _panel("strip", "Paradigm switches", "Ctrl+4", "mdi6.timeline-outline"),
    Action(
        "view.paradigms",
        "Colour bodies by paradigm",
        lambda h: h.looks.toggle_overlay("paradigms"),
        ("Alt+B",),
        "mdi6.palette-outline",
        scene_open,
        "colours",
        hint="Free flight, impulses, constraint forces, both, penalty, asleep, static or kinematic",
        checked=lambda f: "paradigms" in f.overlays,
    ),
    Action(
        "view.light",
        "Light colours",
        lambda h: h.looks.toggle_theme(),
        ("Ctrl+T",),
        "mdi6.theme-light-dark",
        group="window",
        checked=lambda f: f.light,
    ),
    Action(
        "view.full_screen",
        "Full screen",
        lambda h: h.looks.toggle_full_screen(),
        ("F11",),
        "mdi6.fullscreen",
        group="window",
        checked=lambda f: f.full_screen,
    ),
)

OVERLAYS: tuple[Action, ...] = (
    _overlay("contacts", "Contact points and normals", "Alt+C", "mdi6.vector-point"),
    _overlay(
        "forces",
        "Contact forces",
        "Alt+F",
        "mdi6.arrow-up-bold-outline",
        "Impulses of collisions as means over a window",
    ),
    _overlay("velocities", "Velocities", "Alt+V", "mdi6.arrow-right-thin"),
    _overlay("pairs", "Closest points of the pairs checked next", "Alt+P", "mdi6.vector-line", "From the event queue"),
    _overlay("pieces", "Convex pieces", "Alt+I", "mdi6.puzzle-outline", "Of concave bodies, each in a colour"),
    _overlay(
        "impending",
        "Impending motion",
        "Alt+M",
        "mdi6.ray-start-arrow",
        "Accelerations of the paused scene's bodies from rest, by three formulations",
        group="impending",
    ),
    _overlay(
        "frictionless",
        "Impending motion without friction",
        "Alt+Shift+M",
        "mdi6.snowflake",
        "The three formulations are frictionless: ignore friction, or show nothing where there is some",
        group="impending",
    ),
    _overlay("shadows", "Shadows", "Alt+S", "mdi6.box-shadow", group="light"),
    _overlay("grid", "Ground grid", "Alt+G", "mdi6.grid", group="light"),
)

ANALYSE: tuple[Action, ...] = (
    Action(
        "analyse.contacts",
        "Contact card",
        lambda h: h.looks.show_contacts(),
        ("Ctrl+Shift+C",),
        "mdi6.card-text-outline",
        scene_open,
        hint="Every contact of the selected body: gap, forces, friction cone, sliding or sticking",
    ),
    Action(
        "analyse.microscope",
        "Solver microscope",
        lambda h: h.looks.show_microscope(),
        ("Ctrl+M",),
        "mdi6.microscope",
        scene_open,
        hint="Contact forces of the paused scene, by several solvers, pivot by pivot",
    ),
)

HELP: tuple[Action, ...] = (
    Action(
        "help.palette",
        "Find a command…",
        lambda h: h.looks.show_palette(),
        ("Ctrl+Shift+P",),
        "mdi6.magnify",
        hint="Everything that Carom can do, by name",
    ),
    Action("help.keys", "Keys and mouse", lambda h: h.looks.show_help(), ("F1",), "mdi6.keyboard-outline"),
    Action("help.about", "About Carom", lambda h: h.looks.show_about(), icon="mdi6.information-outline", group="about"),
)
