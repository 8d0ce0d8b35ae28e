"""Handles over what is selected: an arrow along each axis, a ring about it, and a dot for moving freely.

They are as large on the screen from near and from far, and lie over the bodies. Plain functions of the camera.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import tau

import numpy as np

from app.view.viewport.camera import CameraState, Point, pixel_size, project
from app.view.viewport.overlays import Overlay, arrows_overlay, segments_overlay
from app.view.viewport.palette import Look
from app.view.viewport.transform import AXES, FLAT, Kind, Size
from engine.arrays import Floats

ARROW = (20.0, 104.0)
"""Where arrows begin and end, from the middle [pixels]."""
RING = 76.0
"""Radius of the rings [pixels]."""
DOT = 9.0
REACH = 7.0
"""A handle is met by a cursor that is no further away [pixels]."""
_HIDDEN = 0.985  # an arrow that one looks along so much is a dot: it is not there
_BACK = 0.12  # so much of its radius a ring goes on behind the middle
_CORNERS = 72


@dataclass(frozen=True)
class Handle:
    """One of them: what dragging it does, and along or about which axis; "" for the dot."""

    kind: Kind
    axis: str = ""


@dataclass(frozen=True, eq=False)
class Gizmo:
    """The handles round a pivot [m], as a camera sees them in a picture of `size` pixels. turns: with rings."""

    pivot: Point
    camera: CameraState
    size: Size
    turns: bool = True

    @cached_property
    def scale(self) -> float:
        """Metres that a pixel covers there."""
        return pixel_size(self.pivot, self.camera, self.size)

    @cached_property
    def gaze(self) -> Floats:
        """Unit vector from the eye to the pivot."""
        away = np.subtract(self.pivot, self.camera.position)
        return np.asarray(away / max(float(np.linalg.norm(away)), 1e-12))

    @cached_property
    def lines(self) -> dict[Handle, Floats]:
        """The handles that can be seen, as points (m, 3) of a line in the world."""
        middle = np.array(self.pivot)
        found: dict[Handle, Floats] = {Handle("move"): middle[None, :]}
        for name, axis in AXES.items():
            along = np.array(axis)
            if abs(float(along @ self.gaze)) < _HIDDEN:
                found[Handle("move", name)] = middle + self.scale * np.outer(ARROW, along)
            if self.turns:
                found[Handle("rotate", name)] = self._ring(along)
        return found

    def _ring(self, along: Floats) -> Floats:
        """The part of a ring in front, in one piece."""
        first, second = np.roll(along, 1), np.roll(along, 2)
        middle = np.array(self.pivot)
        # It begins where it is farthest from the eye, so that what is left out is its ends.
        turn = np.arctan2(second @ self.gaze, first @ self.gaze)
        angles = turn + np.linspace(0.0, tau, _CORNERS + 1)
        points = self.scale * RING * (np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second))
        front = points @ self.gaze <= _BACK * RING * self.scale
        return middle + points[front]

    def at(self, cursor: tuple[float, float]) -> Handle | None:
        """The handle under a cursor; the dot before arrows, arrows before rings."""
        near: list[tuple[bool, float, Handle]] = []
        for handle, line in self.lines.items():
            pixels = project(line, self.camera, self.size)
            if (pixels[:, 2] <= 0.0).any():
                continue
            distance = _distance(np.array(cursor), pixels[:, :2])
            if not handle.axis and distance <= DOT:
                return handle
            if handle.axis and distance <= REACH:
                near.append((handle.kind == "rotate", distance, handle))
        return min(near, key=lambda found: found[:2])[2] if near else None

    def tangent(self, handle: Handle, cursor: tuple[float, float]) -> tuple[float, float] | None:
        """How far [pixels a radian] the point of a ring under the cursor goes as it turns; None where it goes round."""
        along = np.array(AXES[handle.axis]) if handle.axis else self.gaze
        if handle.kind == "move" or abs(float(along @ self.gaze)) > FLAT:
            return None
        line = self.lines[handle]
        pixels = project(line, self.camera, self.size)[:, :2]
        held = line[np.argmin(np.hypot(*(pixels - cursor).T))]
        step = 1e-3
        ahead = held + step * np.cross(along, held - self.pivot)
        moved = project(np.array([held, ahead]), self.camera, self.size)[:, :2]
        across, down = (moved[1] - moved[0]) / step
        return float(across), float(down)

    def overlays(self, look: Look, chosen: Handle | None) -> tuple[Overlay, ...]:
        """What to draw; the chosen handle is brighter than the others."""
        drawn = []
        for handle, line in self.lines.items():
            bright = handle == chosen
            colour = look.selection if bright else look.axes["xyz".index(handle.axis)] if handle.axis else look.hover
            if handle.kind == "rotate":
                segments = np.stack([line[:-1], line[1:]], axis=1)
                drawn.append(segments_overlay(segments, colour, 3.6 if bright else 2.2))
            elif handle.axis:
                drawn.append(arrows_overlay(line[:1], line[1:] - line[:1], colour, 6.0 if bright else 4.4))
            else:
                drawn.append(segments_overlay([[line[0], line[0]]], colour, 13.0 if bright else 10.0))
        return tuple(drawn)


def _distance(at: Floats, line: Floats) -> float:
    """From a pixel to a line through pixels (m, 2)."""
    if len(line) < 2:
        return float(np.hypot(*(line[0] - at)))
    start, way = line[:-1], np.diff(line, axis=0)
    length = np.maximum((way**2).sum(axis=1), 1e-12)
    share = np.clip(((at - start) * way).sum(axis=1) / length, 0.0, 1.0)
    return float(np.hypot(*(start + share[:, None] * way - at).T).min())
