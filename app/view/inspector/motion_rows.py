"""The inspector's rows for motions by a formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox, Form
from app.view.inspector.key_rows import add_key_buttons, add_key_forms
from app.view.inspector.page import Page, Place
from engine.scene.motions import Key
from engine.scene.paths import get_path
from engine.scene.schema import Body, Scene
from engine.scene.values import AxisAngle, unit_quaternion

MOTIONS = (
    ("free", "Free (dynamic)"),
    ("fixed", "Fixed (static)"),
    ("spinner", "Spinner (kinematic)"),
    ("oscillator", "Oscillator (kinematic)"),
    ("cycler", "Cycler (kinematic)"),
    ("keyframes", "Keyframes (kinematic)"),
    ("accelerated", "Accelerated (kinematic)"),
)
MOTION_WORDS = {
    "free": "dynamic body",
    "fixed": "static body",
    "spinner": "kinematic spinner",
    "oscillator": "kinematic oscillator",
    "cycler": "kinematic cycler",
    "keyframes": "keyframed kinematic body",
    "accelerated": "kinematic body, accelerated",
}
MOTION_DEFAULTS: dict[str, object] = {
    "free": "free",
    "fixed": "fixed",
    "spinner": {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 1.0}},
    "oscillator": {"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": 0.1, "frequency": 1.0}},
    "cycler": {"cycler": {"along": [0.1, 0.0, 0.0], "across": [0.0, 0.1, 0.0], "frequency": 1.0}},
    "keyframes": {"keyframes": {"keys": [{"time": 0.0}, {"time": 1.0, "offset": [0.0, 0.0, 0.1]}]}},
    "accelerated": {"accelerated": {"acceleration": [1.0, 0.0, 0.0]}},
}
_ENDS = (("hold", "Hold the last pose"), ("loop", "Loop"))
_TWO_KEYS = "A path needs two keys"
_SHORTER = "A path that loops then returns to its start at the time of the key before"


def add_motion_rows(page: Page, form: Form, path: Place, body: Body) -> None:
    """Rows for the scripted motion of `body`; `path("motion.spinner.rate")()` is where a value of it stands."""

    def number(name: str, field: str, unit: str) -> None:
        page.bind(form, name, NumberBox(unit), path(f"motion.{body.motion_kind}.{field}"), unit)

    def vector(name: str, field: str, unit: str = "", hint: str = "") -> None:
        page.bind(form, name, VectorBox(unit), path(f"motion.{body.motion_kind}.{field}"), unit, hint)

    match body.motion_kind:
        case "spinner":
            vector("Axis", "axis")
            number("Rate", "rate", "rad/s")
            _add_centre(page, form, path, "spinner")
        case "oscillator":
            vector("Direction", "direction")
            number("Amplitude", "amplitude", "m")
            number("Frequency", "frequency", "Hz")
            number("Phase", "phase", "rad")
        case "cycler":
            vector("Along", "along", "m", "Offset at 0°")
            vector("Across", "across", "m", "Offset at 90°")
            number("Frequency", "frequency", "Hz")
            number("Phase", "phase", "rad")
        case "keyframes":
            _add_keys(page, form, path, body)
        case "accelerated":
            vector("Velocity", "velocity", "m/s", "At the start")
            vector("Acceleration", "acceleration", "m/s2")
            vector("Axis", "axis")
            number("Rate", "rate", "rad/s")
            number("Angular acceleration", "angular_acceleration", "rad/s2")
            _add_centre(page, form, path, "accelerated")
            until = path("motion.accelerated.until")
            page.bind(form, "Until", NumberBox("s", True, "for ever"), until, "s", "Then it goes on as it is")


def _add_centre(page: Page, form: Form, path: Place, kind: str) -> None:
    place = path(f"motion.{kind}.centre")
    page.bind(form, "Centre", VectorBox("m"), place, "m", "A point of the axis", read=_spin_centre(path, kind))


def _add_keys(page: Page, form: Form, path: Place, body: Body) -> None:
    keys, end = path("motion.keyframes.keys"), path("motion.keyframes.end")
    page.bind(form, "At the end", ChoiceBox(_ENDS), end)

    def add_values(key: Form, at: Place) -> None:
        offset = at("offset")
        page.bind(key, "Offset", VectorBox("m"), offset, "m", "From the body's position", read=_offset_at(offset))
        add_rotation_rows(page, key, at("turn"))

    def shortened(keys: list[Any]) -> list[Any]:
        """Without the last key. A path that loops stays closed: its last key is its return."""
        if get_path(page.document.scene, end()) == "loop":
            return [*keys[:-2], {**keys[-1], "time": keys[-2]["time"]}]
        return keys[:-1]

    count = len(_keys_of(body))
    add_key_forms(page, "Key", keys, count, add_values)
    add_key_buttons(page, keys, "" if count > 2 else _TWO_KEYS, _SHORTER, shortened)


def _offset_at(path: Callable[[], str]) -> Callable[[Scene], object]:
    return lambda scene: get_path(scene, path()) or (0.0, 0.0, 0.0)


def _keys_of(body: Body) -> tuple[Key, ...]:
    keyframes = getattr(body.motion, "keyframes", None)
    return () if keyframes is None else keyframes.keys


def _spin_centre(path: Place, kind: str) -> Callable[[Scene], Sequence[float]]:
    """Where the axis goes through: as written, else the body's position."""

    def read(scene: Scene) -> Sequence[float]:
        centre = get_path(scene, path(f"motion.{kind}.centre")())
        return tuple(get_path(scene, path("position")()) if centre is None else centre)

    return read


def motion_signature(body: Body) -> object:
    """What of a motion decides which rows it has."""
    return (body.motion_kind, len(_keys_of(body)) if body.motion_kind == "keyframes" else 0)


def axis_angle(orientation: AxisAngle | tuple[float, float, float, float]) -> tuple[tuple[float, float, float], float]:
    """A rotation as (axis, degrees), as it was written or from its quaternion."""
    if isinstance(orientation, AxisAngle):
        return orientation.axis, orientation.degrees
    w, x, y, z = unit_quaternion(orientation)
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.hypot(x, y, z)
    if sine < 1e-12:
        return (0.0, 0.0, 1.0), 0.0
    return (x / sine, y / sine, z / sine), math.degrees(2 * math.atan2(sine, w))


def rotation_data(axis: Any, degrees: Any) -> dict[str, object]:
    """A rotation as a scene file says it."""
    return {"axis": list(axis), "degrees": float(degrees)}


def add_rotation_rows(
    page: Page, form: Form, path: Callable[[], str], what: str = "", axes: str = "world axes"
) -> None:
    """Rows for the axis and the angle of the rotation at `path()`; axes: those that the axis is given in."""

    def rotation(scene: Scene) -> tuple[tuple[float, float, float], float]:
        return axis_angle(get_path(scene, path()) or (1.0, 0.0, 0.0, 0.0))

    page.bind(
        form,
        "Axis",
        VectorBox(),
        path,
        hint=f"Rotation axis, {axes}",
        read=lambda s: rotation(s)[0],
        write=lambda axis: rotation_data(axis, rotation(page.document.scene)[1]),
        what=what,
    )
    page.bind(
        form,
        "Angle",
        NumberBox("deg"),
        path,
        "deg",
        read=lambda s: rotation(s)[1],
        write=lambda degrees: rotation_data(rotation(page.document.scene)[0], degrees),
        what=what,
    )
