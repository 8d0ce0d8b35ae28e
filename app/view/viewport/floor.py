"""The ground: planes without end, a grid where a scene has none, and the gradient behind everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vispy import gloo

from app.view.viewport.camera import CameraState
from app.view.viewport.gl import corners, load_program, set_uniforms
from engine.geometry.shapes import rotation_matrix

Floats = NDArray[np.float64]

REACH = 14.0
"""The ground has faded away at so many times the camera's distance from its target."""
CELLS = 9.0
"""So many fine cells lie, about, between the camera and its target."""


def cell_size(distance: float) -> tuple[float, float]:
    """Spacing of the fine lines [m], a power of ten, and how far they have faded into the next one, 0..1."""
    level = log10(max(distance, 1e-9) / CELLS)
    whole = floor(level)
    share = level - whole
    return 10.0**whole, float(np.clip((share - 0.3) / 0.6, 0.0, 1.0))


class FloorLayer:
    """Draws planes and the grid."""

    def __init__(self) -> None:
        self._square = corners()
        self._programs: dict[tuple[bool, int], gloo.Program] = {}

    def draw_plane(
        self,
        frame: Mapping[str, Any],
        camera: CameraState,
        pose: Sequence[float],
        colours: tuple[Sequence[float], Sequence[float]],
        opacity: float,
        shadows: int,
    ) -> None:
        """A solid ground: z = 0 of the frame `pose` (7), in its stored `colours` in light and in shadow."""
        program = self._program(True, shadows)
        set_uniforms(program, {**frame, **self._place(camera, np.asarray(pose, dtype=float)), "u_strength": 0.30})
        set_uniforms(program, {"u_lit": colours[0], "u_dark": colours[1], "u_opacity": opacity})
        self._draw(program)

    def draw_grid(self, frame: Mapping[str, Any], camera: CameraState, height: float, shadows: int) -> None:
        """Lines and shadows only, at z = height."""
        program = self._program(False, shadows)
        level = np.array([0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0])
        set_uniforms(program, {**frame, **self._place(camera, level), "u_strength": 0.5})
        self._draw(program)

    def _place(self, camera: CameraState, pose: Floats) -> dict[str, Any]:
        turn = rotation_matrix(pose[3:7])
        axis_x, axis_y, normal = turn.T
        origin = pose[:3]
        height = abs(float((np.asarray(camera.position) - origin) @ normal))
        distance = max(camera.distance, 0.35 * height)
        about = np.asarray(camera.target) - origin
        cell, blend = cell_size(distance)
        return {
            "u_origin": origin,
            "u_axis_x": axis_x,
            "u_axis_y": axis_y,
            "u_normal": normal,
            "u_centre": (float(about @ axis_x), float(about @ axis_y)),
            "u_reach": REACH * distance,
            "u_cell": cell,
            "u_blend": blend,
        }

    def _program(self, solid: bool, shadows: int) -> gloo.Program:
        key = (solid, shadows)
        if key not in self._programs:
            defines = ({"SOLID": 1} if solid else {}) | ({"SHADOWS": shadows} if shadows else {})
            self._programs[key] = load_program("floor.vert", "floor.frag", defines)
        return self._programs[key]

    def _draw(self, program: gloo.Program) -> None:
        program["a_corner"] = self._square
        program.draw("triangle_strip")


class Backdrop:
    """The gradient behind everything."""

    def __init__(self) -> None:
        self._program = load_program("backdrop.vert", "backdrop.frag")
        self._program["a_corner"] = corners()

    def draw(self, frame: Mapping[str, Any]) -> None:
        """Fills what nothing else covers."""
        set_uniforms(self._program, frame)
        self._program.draw("triangle_strip")
