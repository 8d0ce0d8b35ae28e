"""The ground: planes without end, a grid where a scene has none, and the gradient behind everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import floor, log10
from typing import Any

import numpy as np

from app.view.viewport.camera import CameraState
from app.view.viewport.gl import TRIANGLE_STRIP, Shader, Shaders, corners
from engine.geometry.shapes import rotation_matrix

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


@lru_cache(maxsize=8)
def _place(camera: CameraState, pose: tuple[float, ...]) -> dict[str, Any]:
    """Where a plane lies; the same objects while neither it nor the camera moves, so that they are sent once."""
    turn = rotation_matrix(np.array(pose[3:7]))
    axis_x, axis_y, normal = turn.T
    origin = np.array(pose[:3])
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


class FloorLayer:
    """Draws planes and the grid."""

    def __init__(self, shaders: Shaders) -> None:
        self._shaders = shaders
        self._square = {"a_corner": corners()}

    def draw_plane(
        self,
        frame: Mapping[str, Any],
        camera: CameraState,
        pose: Sequence[float],
        colours: tuple[Sequence[float], Sequence[float]],
        opacity: float,
        defines: Mapping[str, int],
    ) -> None:
        """A solid ground: z = 0 of the frame `pose` (7), in its stored `colours` in light and in shadow.

        `defines` as for bodies.
        """
        shader = self._shaders.get("floor.vert", "floor.frag", SOLID=1, **defines)
        shader.set({**frame, **_place(camera, tuple(pose)), "u_strength": 0.30})
        shader.set({"u_lit": colours[0], "u_dark": colours[1], "u_opacity": opacity})
        self._draw(shader)

    def draw_facts(self, frame: Mapping[str, Any], camera: CameraState, pose: Sequence[float]) -> None:
        """A plane as `ambient.py` asks: its normal, and that it is one."""
        shader = self._shaders.get("floor.vert", "surface_plane.frag")
        shader.set({**frame, **_place(camera, tuple(pose))})
        self._draw(shader)

    def draw_grid(self, frame: Mapping[str, Any], camera: CameraState, height: float, shadows: int) -> None:
        """Lines and shadows only, at z = height."""
        shader = self._shaders.get("floor.vert", "floor.frag", SHADOWS=shadows)
        level = (0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0)
        shader.set({**frame, **_place(camera, level), "u_strength": 0.5})
        self._draw(shader)

    def _draw(self, shader: Shader) -> None:
        shader.bind(self._square)
        shader.draw(TRIANGLE_STRIP)


class Backdrop:
    """The gradient behind everything."""

    def __init__(self, shaders: Shaders) -> None:
        self._shader = shaders.get("backdrop.vert", "backdrop.frag")
        self._shader.bind({"a_corner": corners()})

    def draw(self, frame: Mapping[str, Any]) -> None:
        """Fills what nothing else covers."""
        self._shader.set(frame)
        self._shader.draw(TRIANGLE_STRIP)
