"""Moving and turning bodies: from where the cursor was and is, or from what is typed, to a displacement. No window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, ceil, degrees, log10
from typing import Literal

import numpy as np

from app.document.displacement import Displacement
from app.view.units import parse_quantity
from app.view.viewport.camera import (
    CameraState,
    Point,
    axes,
    on_facing_plane,
    pixel_ray,
    pixel_size,
    point,
    project,
)
from engine.arrays import Floats
from engine.geometry.shapes import rotation_matrix

Kind = Literal["move", "rotate"]
Size = tuple[int, int]

AXES: dict[str, Point] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
ANGLE_STEP = 15.0
"""Turns snap to it [deg] while Ctrl is held."""
FLAT = 0.2
"""What turns about an axis is seen from the side where the axis lies so much across the gaze: their cosine is less."""
_ANGLE_DIGITS = 1
"""Turns by the cursor are whole tenths of a degree."""


@dataclass(frozen=True)
class Transform:
    """A move or turn under way, about or along an axis of unit length, of bodies round a pivot [m].

    start: the cursor at the beginning. axis: "x", "y", "z" or "" for none: bodies then follow the cursor in the plane
    of the picture. along: its direction in the world. own: it is an axis of the body itself. typed: how far, or by what
    angle, as it is typed; the cursor means nothing while it is there. tangent: where a ring is held that is seen from
    the side, the way [pixels] that the point held goes in a turn by a radian; else the cursor goes round the pivot.
    """

    kind: Kind
    pivot: Point
    start: tuple[float, float]
    axis: str = ""
    along: Point = (0.0, 0.0, 0.0)
    own: bool = False
    typed: str = ""
    tangent: tuple[float, float] | None = None

    @property
    def unit(self) -> str:
        """What a number is in that is typed without one."""
        return "m" if self.kind == "move" else "deg"


class Mover:
    """Bodies that follow the cursor as one: what is being done to them, and where they are shown meanwhile.

    The last of the rows is the one whose own axes count. poses: theirs at the start (k, 7).
    """

    def __init__(self, rows: Sequence[int], poses: Floats, change: Transform) -> None:
        self.rows = tuple(rows)
        self.change = change
        self.displacement = Displacement()
        self.problem = ""
        """What is wrong with what is typed; bodies stay where they were at the start then."""
        self._poses = np.array(poses, dtype=float)
        self._cursor = change.start

    @property
    def poses(self) -> Floats:
        """Poses at the start (k, 7)."""
        return self._poses

    @property
    def moves_freely(self) -> bool:
        """Whether the cursor alone says where to."""
        return self.change.kind == "move" and not self.change.axis and not self.change.typed

    def follow(self, cursor: tuple[float, float], camera: CameraState, size: Size, step: float = 0.0) -> str:
        """Goes where the cursor puts it; returns what to tell the person. step: distances snap to it [m]; 0: none."""
        self._cursor = cursor
        self.displacement, said = transformed(self.change, cursor, camera, size, step)
        self.problem = ""
        if self.change.typed:
            try:
                parse_quantity(self.change.typed, self.change.unit)
            except ValueError as error:
                self.problem = str(error)
        return said

    def put(self, shift: Point) -> None:
        """Moves by a shift [m] that somebody else has found, instead of following the cursor."""
        self.displacement, self.problem = Displacement(shift=shift), ""

    def lock(self, axis: str, camera: CameraState, size: Size) -> str:
        """Keeps to "x", "y" or "z" of the world; the same again to the body's own, and once more frees it."""
        if self.change.axis != axis:
            along, own = AXES[axis], False
        elif not self.change.own:
            own_axes = rotation_matrix(self._poses[-1, 3:])
            along, own = point(own_axes[:, "xyz".index(axis)]), True
        else:
            axis, along, own = "", (0.0, 0.0, 0.0), False
        self.change = replace(self.change, axis=axis, along=along, own=own, tangent=None)
        return self.follow(self._cursor, camera, size)

    def type(self, text: str, camera: CameraState, size: Size) -> str:
        """Takes what is typed for how far it goes; a move that is free goes along x then. "": as the cursor says."""
        if text and self.change.kind == "move" and not self.change.axis:
            self.change = replace(self.change, axis="x", along=AXES["x"])
        self.change = replace(self.change, typed=text)
        return self.follow(self._cursor, camera, size)

    def applied_to(self, poses: Floats) -> Floats:
        """Poses (n, 7) with these bodies where the cursor holds them."""
        shown = poses.copy()
        shown[list(self.rows)] = self.displacement.applied(self._poses)
        return shown

    def guide(self, reach: float) -> Floats:
        """The line it is locked to, from end to end (1, 2, 3), `reach` [m] either way; (0, 2, 3) if it is free."""
        if not self.change.axis:
            return np.zeros((0, 2, 3))
        at, along = np.array(self.change.pivot), reach * np.array(self.change.along)
        return np.array([[at - along, at + along]])


def transformed(
    change: Transform, cursor: tuple[float, float], camera: CameraState, size: Size, step: float
) -> tuple[Displacement, str]:
    """The displacement for a cursor, and what to tell the person. `step`: distances snap to it [m]; 0 for none."""
    if change.kind == "move":
        return _moved(change, cursor, camera, size, step)
    return _turned(change, cursor, camera, size, step > 0.0)


def _moved(
    change: Transform, cursor: tuple[float, float], camera: CameraState, size: Size, step: float
) -> tuple[Displacement, str]:
    at = np.array(change.pivot)
    step = step or resolution(change.pivot, camera, size)
    if change.axis:
        along = np.array(change.along)
        distance = _along_axis(at, along, cursor, camera, size) - _along_axis(at, along, change.start, camera, size)
        distance = _typed(change) if change.typed else _stepped(distance, step)
        said = f"Move along {_named(change)}   {distance:+.6g} m{_shown(change)}"
        return Displacement(shift=point(along * distance)), said
    free = on_facing_plane(*cursor, at, camera, size) - on_facing_plane(*change.start, at, camera, size)
    shift = point([_stepped(float(part), step) for part in free])
    parts = "  ".join(f"{name} {value:+.6g}" for name, value in zip("xyz", shift, strict=True))
    return Displacement(shift=shift), f"Move   {parts} m"


def _turned(
    change: Transform, cursor: tuple[float, float], camera: CameraState, size: Size, snap: bool
) -> tuple[Displacement, str]:
    gaze = axes(camera)[2]
    about = change.along if change.axis else point(-gaze)
    if change.typed:
        angle = _typed(change)
    else:
        angle = degrees(_swept(change, np.array(about), cursor, camera, size))
        angle = (angle + 180.0) % 360.0 - 180.0
        angle = _stepped(angle, ANGLE_STEP) if snap else round(angle, _ANGLE_DIGITS)
    where = f"about {_named(change)}" if change.axis else "in the picture"
    turn = Displacement(degrees=angle, axis=about, pivot=change.pivot)
    return turn, f"Rotate {where}   {angle:+.6g}°{_shown(change)}"


def _swept(change: Transform, about: Floats, cursor: tuple[float, float], camera: CameraState, size: Size) -> float:
    """The angle [rad] about an axis that the cursor has gone: in the plane across the axis, as far as that is seen."""
    if change.tangent is not None:
        across, down = change.tangent
        way = (cursor[0] - change.start[0]) * across + (cursor[1] - change.start[1]) * down
        return way / max(across * across + down * down, 1e-9)
    facing = -float(about @ axes(camera)[2])
    if abs(facing) > FLAT:
        pivot = np.array(change.pivot)
        before, now = (_across(pivot, about, place, camera, size) for place in (change.start, cursor))
        if before is not None and now is not None:
            return atan2(float(np.cross(before, now) @ about), float(before @ now))
    middle = project(change.pivot, camera, size)
    angle = _bearing(middle, cursor) - _bearing(middle, change.start)
    return angle if facing >= 0.0 else -angle  # an axis that points away from the eye turns the other way


def _across(
    pivot: Floats, about: Floats, cursor: tuple[float, float], camera: CameraState, size: Size
) -> Floats | None:
    """From the pivot to where the cursor's ray meets the plane across an axis; None if it does not."""
    origin, ray = pixel_ray(*cursor, camera, size)
    sinking = float(ray @ about)
    depth = float((pivot - origin) @ about) / sinking if sinking else -1.0
    return origin + depth * ray - pivot if depth > 0.0 else None


def _typed(change: Transform) -> float:
    """What is typed so far [m or degrees]; 0 while that is no number yet."""
    try:
        return parse_quantity(change.typed, change.unit)
    except ValueError:
        return 0.0


def _shown(change: Transform) -> str:
    return f"   “{change.typed}”" if change.typed else ""


def _named(change: Transform) -> str:
    return f"its own {change.axis.upper()}" if change.own else change.axis.upper()


def resolution(at: Point, camera: CameraState, size: Size) -> float:
    """A power of ten [m] of which a pixel covers at least ten: numbers by the cursor have no more digits."""
    return 10.0 ** -(ceil(-log10(pixel_size(at, camera, size))) + 1)


def _stepped(value: float, step: float) -> float:
    """The nearest multiple of a step, without the noise of the last digits."""
    return float(f"{round(value / step) * step:.12g}") + 0.0


def _along_axis(at: Floats, along: Floats, cursor: tuple[float, float], camera: CameraState, size: Size) -> float:
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
