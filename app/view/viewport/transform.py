"""Moving and turning a body: from where the cursor was and is, or from what is typed, to a pose. No window here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan2, cos, degrees, hypot, pi, radians, sin
from typing import Literal

import numpy as np

from app.view.units import parse_quantity
from app.view.viewport.camera import CameraState, Point, axes, on_facing_plane, pixel_ray, project
from engine.arrays import Floats

Kind = Literal["move", "rotate"]

AXES: dict[str, Point] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
ANGLE_STEP = radians(15.0)
"""Turns snap to it while Ctrl is held."""


@dataclass(frozen=True)
class Transform:
    """A move or turn under way: the body's pose at its start (7), the cursor then, and what it is locked to.

    axis: "x", "y", "z" of the world or "" for none: then it follows the cursor in the plane of the picture.
    typed: how far, or by what angle, as it is typed; the cursor means nothing while it is there.
    """

    kind: Kind
    pose: tuple[float, ...]
    start: tuple[float, float]
    axis: str = ""
    typed: str = ""


class Mover:
    """One body that follows the cursor: what is being done to it, and where it is shown meanwhile."""

    def __init__(self, row: int, kind: Kind, pose: Floats, cursor: tuple[float, float]) -> None:
        self.row = row
        self.change = Transform(kind, tuple(float(value) for value in pose), cursor)
        self.pose = self.change.pose
        self._cursor = cursor

    def follow(self, cursor: tuple[float, float], camera: CameraState, size: tuple[int, int], step: float = 0.0) -> str:
        """Goes where the cursor puts it; returns what to tell the person. `step` as in `transformed`."""
        self._cursor = cursor
        self.pose, said = transformed(self.change, cursor, camera, size, step)
        return said

    def lock(self, axis: str, camera: CameraState, size: tuple[int, int]) -> str:
        """Keeps to "x", "y" or "z" of the world; the same again frees it."""
        self.change = replace(self.change, axis="" if self.change.axis == axis else axis)
        return self.follow(self._cursor, camera, size)

    def type(self, text: str, camera: CameraState, size: tuple[int, int]) -> str:
        """Takes what is typed for how far it goes; a move that is free goes along x then. "" : as the cursor says."""
        axis = self.change.axis or ("x" if text and self.change.kind == "move" else "")
        self.change = replace(self.change, typed=text, axis=axis)
        return self.follow(self._cursor, camera, size)

    def applied_to(self, poses: Floats) -> Floats:
        """Poses (n, 7) with this body where the cursor holds it."""
        shown = poses.copy()
        shown[self.row] = self.pose
        return shown

    def guide(self, reach: float) -> Floats:
        """The line it is locked to, from end to end (1, 2, 3), `reach` [m] either way; (0, 2, 3) if it is free."""
        if not self.change.axis:
            return np.zeros((0, 2, 3))
        at, along = np.array(self.change.pose[:3]), reach * np.array(AXES[self.change.axis])
        return np.array([[at - along, at + along]])


def transformed(
    change: Transform, cursor: tuple[float, float], camera: CameraState, size: tuple[int, int], step: float
) -> tuple[tuple[float, ...], str]:
    """The pose (7) for a cursor, and what to tell the person. `step`: distances snap to it [m]; 0 for none."""
    if change.kind == "move":
        return _moved(change, cursor, camera, size, step)
    return _turned(change, cursor, camera, size, step > 0.0)


def _moved(
    change: Transform, cursor: tuple[float, float], camera: CameraState, size: tuple[int, int], step: float
) -> tuple[tuple[float, ...], str]:
    at = np.array(change.pose[:3])
    if change.axis:
        along = np.array(AXES[change.axis])
        distance = _along_axis(at, along, cursor, camera, size) - _along_axis(at, along, change.start, camera, size)
        if step > 0.0:
            distance = round(distance / step) * step
        if change.typed:
            distance = _typed(change, "m")
        shift = along * distance
        said = f"Move along {change.axis.upper()}   {distance:+.4g} m{_shown(change)}"
    else:
        shift = on_facing_plane(*cursor, at, camera, size) - on_facing_plane(*change.start, at, camera, size)
        if step > 0.0:
            shift = np.round(shift / step) * step
        said = "Move   " + "  ".join(f"{name} {value:+.4g}" for name, value in zip("xyz", shift, strict=True)) + " m"
    x, y, z = at + shift
    return (float(x), float(y), float(z), *change.pose[3:]), said


def _turned(
    change: Transform, cursor: tuple[float, float], camera: CameraState, size: tuple[int, int], snap: bool
) -> tuple[tuple[float, ...], str]:
    gaze = axes(camera)[2]
    about: Point = AXES[change.axis] if change.axis else (-float(gaze[0]), -float(gaze[1]), -float(gaze[2]))
    middle = project(change.pose[:3], camera, size)
    angle = _bearing(middle, cursor) - _bearing(middle, change.start)
    angle = (angle + pi) % (2.0 * pi) - pi
    if change.axis and float(np.array(about) @ gaze) > 0.0:
        angle = -angle  # the axis points away from the eye: turning the cursor one way turns it the other
    if snap:
        angle = round(angle / ANGLE_STEP) * ANGLE_STEP
    if change.typed:
        angle = radians(_typed(change, "deg"))
    turn = _turn_more(change.pose[3:], about, angle)
    where = f"about {change.axis.upper()}" if change.axis else "in the picture"
    return (*change.pose[:3], *turn), f"Rotate {where}   {degrees(angle):+.4g}°{_shown(change)}"


def _typed(change: Transform, unit: str) -> float:
    """What is typed so far [m or degrees]; 0 while that is no number yet."""
    try:
        return parse_quantity(change.typed, unit)
    except ValueError:
        return 0.0


def _shown(change: Transform) -> str:
    return f"   “{change.typed}”" if change.typed else ""


def _turn_more(start: tuple[float, ...], axis: Point, angle: float) -> tuple[float, ...]:
    """The quaternion `start` after a turn by `angle` about a world axis of unit length."""
    w, x, y, z = start
    a, s = cos(0.5 * angle), sin(0.5 * angle)
    b, c, d = s * axis[0], s * axis[1], s * axis[2]
    turned = (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )
    length = hypot(*turned)
    return tuple(part / length for part in turned)


def _along_axis(
    at: Floats, along: Floats, cursor: tuple[float, float], camera: CameraState, size: tuple[int, int]
) -> float:
    """Distance along a line through `at` of the point that the cursor's ray comes closest to."""
    origin, ray = pixel_ray(*cursor, camera, size)
    share = float(along @ ray)
    if 1.0 - share * share < 1e-6:  # one looks along the line
        return 0.0
    away = origin - at
    return float((away @ along - share * (away @ ray)) / (1.0 - share * share))


def _bearing(middle: Floats, cursor: tuple[float, float]) -> float:
    """Angle of the cursor round a pixel, counter-clockwise from the right."""
    return atan2(float(middle[1]) - cursor[1], cursor[0] - float(middle[0]))
