"""What is drawn over the scene: named sets of line segments, arrows and dots. Hidden parts shine through, faintly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, radians, sin, tan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from vispy import gloo

from app.view.viewport.gl import TRIANGLE_STRIP, TRIANGLES, Shaders, instance_buffer
from app.view.viewport.palette import rgb
from engine.arrays import Floats32

BEHIND = 0.28
"""How strongly the hidden part of an overlay shows."""
_HEAD = 3.2
"""Radius of an arrow's head over that of its shaft."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """Lines from first to second (m, 3), or arrows when `arrows`; `width` in pixels, colour as "#rrggbb".

    What lies behind bodies shows faintly; all of it as strongly when `through`.
    """

    first: Floats32
    second: Floats32
    colour: str
    width: float = 2.0
    arrows: bool = False
    opacity: float = 1.0
    through: bool = False


def segments_overlay(segments: ArrayLike, colour: str, width: float = 2.0, through: bool = False) -> Overlay:
    """Lines (m, 2, 3); a line of no length is a dot of the line's width."""
    ends = np.asarray(segments, dtype=np.float32).reshape(-1, 2, 3)
    first, second = np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])
    return Overlay(first, second, colour, width, through=through)


def arrows_overlay(
    origins: ArrayLike, vectors: ArrayLike, colour: str, width: float = 3.0, through: bool = False
) -> Overlay:
    """Arrows from origins (m, 3) along vectors (m, 3), in metres."""
    tails = np.ascontiguousarray(np.asarray(origins, dtype=np.float32).reshape(-1, 3))
    ways = np.ascontiguousarray(np.asarray(vectors, dtype=np.float32).reshape(-1, 3))
    return Overlay(tails, ways, colour, width, True, through=through)


class OverlayLayer:
    """Draws overlays by name; a name that is set again replaces what it had."""

    def __init__(self, shaders: Shaders) -> None:
        self._sets: dict[str, tuple[Overlay, gloo.VertexBuffer, gloo.VertexBuffer]] = {}
        self._line = shaders.get("line.vert", "line.frag")
        self._line.bind({"a_corner": gloo.VertexBuffer(np.array([(0, -1), (0, 1), (1, -1), (1, 1)], dtype=np.float32))})
        self._arrow = shaders.get("arrow.vert", "arrow.frag")
        position, normal, faces = arrow_mesh()
        self._arrow.bind({"a_position": gloo.VertexBuffer(position), "a_normal": gloo.VertexBuffer(normal)})
        self._arrow_index = gloo.IndexBuffer(faces.ravel())

    def set(self, name: str, overlay: Overlay | None) -> None:
        """Sets, replaces or (None, or nothing in it) removes an overlay."""
        if overlay is None or len(overlay.first) == 0:
            self._sets.pop(name, None)
            return
        known = self._sets.get(name)
        if known is not None and len(known[0].first) == len(overlay.first):
            known[1].set_data(overlay.first)
            known[2].set_data(overlay.second)
            self._sets[name] = (overlay, known[1], known[2])
        else:
            self._sets[name] = (overlay, instance_buffer(overlay.first), instance_buffer(overlay.second))

    @property
    def is_empty(self) -> bool:
        return not self._sets

    def draw(self, frame: Mapping[str, Any], context: Any) -> None:
        """Draws all of them, first what is hidden, then what is not."""
        for share, test in ((BEHIND, False), (1.0, True)):
            context.set_state(depth_test=test, blend=True, blend_func=("src_alpha", "one_minus_src_alpha"))
            for overlay, first, second in self._sets.values():
                colour = (*rgb(overlay.colour), (1.0 if overlay.through else share) * overlay.opacity)
                scale = float(frame["u_pixel_ratio"])
                if overlay.arrows:
                    # Only the arrows in front write depth, or they would cut each other.
                    context.set_depth_mask(test)
                    self._draw_arrows(frame, first, second, colour, 0.5 * overlay.width * scale)
                    context.set_depth_mask(False)
                else:
                    self._draw_lines(frame, first, second, colour, overlay.width * scale)

    def _draw_lines(
        self, frame: Mapping[str, Any], first: Any, second: Any, colour: tuple[float, ...], width: float
    ) -> None:
        self._line.set({**frame, "u_colour": colour, "u_width": width})
        self._line.bind({"i_from": first, "i_to": second})
        self._line.draw(TRIANGLE_STRIP)

    def _draw_arrows(
        self, frame: Mapping[str, Any], first: Any, second: Any, colour: tuple[float, ...], radius: float
    ) -> None:
        self._arrow.set({**frame, "u_colour": colour, "u_radius": radius})
        self._arrow.bind({"i_from": first, "i_vector": second})
        self._arrow.draw(TRIANGLES, self._arrow_index)


class GizmoLayer:
    """Draws overlays in front of all that has been drawn."""

    def __init__(self, shaders: Shaders) -> None:
        self._layer = OverlayLayer(shaders)
        self._shown: tuple[Overlay, ...] = ()

    def draw(self, context: Any, frame: Mapping[str, Any], gizmo: tuple[Overlay, ...]) -> None:
        """Draws these; nothing that was drawn before hides any of them."""
        if gizmo is not self._shown:
            for place in range(max(len(gizmo), len(self._shown))):
                self._layer.set(str(place), gizmo[place] if place < len(gizmo) else None)
            self._shown = gizmo
        context.set_depth_mask(True)
        context.clear(color=False, depth=True)
        self._layer.draw(frame, context)


def pixel_slope(fov: float, height: int) -> float:
    """Metres that a pixel covers at a depth of one metre."""
    return 2.0 * tan(0.5 * radians(fov)) / height


@lru_cache(maxsize=1)
def arrow_mesh(sides: int = 16) -> tuple[Floats32, Floats32, NDArray[np.uint32]]:
    """Vertices, normals and faces of the arrow that `arrow.vert` stretches: z is 0 tail, 1 neck, 2 tip."""
    ring = [(cos(2 * pi * k / sides), sin(2 * pi * k / sides)) for k in range(sides)]
    position: list[tuple[float, float, float]] = []
    normal: list[tuple[float, float, float]] = []
    for radius, level, slope in ((1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (_HEAD, 1.0, 0.45), (0.0, 2.0, 0.45)):
        position += [(radius * x, radius * y, level) for x, y in ring]
        normal += [(x * (1 - slope), y * (1 - slope), slope) for x, y in ring]
    for radius, level in ((_HEAD, 1.0), (1.0, 0.0)):  # the backs of the head and of the shaft
        position += [(radius * x, radius * y, level) for x, y in ring] + [(0.0, 0.0, level)]
        normal += [(0.0, 0.0, -1.0)] * (sides + 1)
    faces: list[tuple[int, int, int]] = []
    for low, high in ((0, sides), (2 * sides, 3 * sides)):
        for k in range(sides):
            n = (k + 1) % sides
            faces += [(low + k, low + n, high + k), (low + n, high + n, high + k)]
    for start in (4 * sides, 5 * sides + 1):
        faces += [(start + k, start + sides, start + (k + 1) % sides) for k in range(sides)]
    return np.array(position, np.float32), np.array(normal, np.float32), np.array(faces, np.uint32)
