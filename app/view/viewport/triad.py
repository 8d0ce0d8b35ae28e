"""Three small arrows in a corner of the picture: which way x, y and z point."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from vispy import gloo

from app.view.viewport.camera import CameraState, axes, point, projection_matrix, view_matrix
from app.view.viewport.gl import TRIANGLES, Shaders, instance_buffer
from app.view.viewport.overlays import BEHIND, arrow_mesh, pixel_slope
from app.view.viewport.palette import Look, rgb

SIZE = 88
"""Width and height [pixels of the user's]."""
_AWAY = 5.0
_FOV = 28.0
_WIDTH = 4.5  # of the shafts [pixels of the user's]


class Triad:
    """Draws the arrows, turned as the camera is: all three at once, each in its colour."""

    def __init__(self, shaders: Shaders) -> None:
        self._arrow = shaders.get("arrow.vert", "arrow.frag", TINTED=1)
        position, normal, faces = arrow_mesh()
        self._arrow.bind({"a_position": gloo.VertexBuffer(position), "a_normal": gloo.VertexBuffer(normal)})
        directions = np.eye(3, dtype=np.float32)
        self._arrow.bind({"i_from": instance_buffer(0.0 * directions), "i_vector": instance_buffer(directions)})
        self._index = gloo.IndexBuffer(faces.ravel())
        self._look: Look | None = None

    def draw(self, context: Any, frame: Mapping[str, Any], camera: CameraState, look: Look, pixel_ratio: float) -> None:
        """Draws into the lower left corner of a picture whose uniforms are `frame`."""
        if look != self._look:
            self._look = look
            tints = np.array([rgb(colour) for colour in look.axes], dtype=np.float32)
            self._arrow.bind({"i_tint": instance_buffer(tints)})
        side = max(round(SIZE * pixel_ratio), 8)
        self._arrow.set({**frame, **_turned(camera, side), "u_radius": 0.5 * _WIDTH * pixel_ratio})
        context.set_viewport(0, 0, side, side)
        context.set_depth_mask(True)
        context.clear(color=False, depth=True)
        for share, test in ((BEHIND, False), (1.0, True)):
            context.set_state(depth_test=test, blend=True, blend_func=("src_alpha", "one_minus_src_alpha"))
            context.set_depth_mask(test)
            self._arrow.set({"u_colour": (1.0, 1.0, 1.0, share)})
            self._arrow.draw(TRIANGLES, self._index)


@lru_cache(maxsize=8)
def _turned(camera: CameraState, side: int) -> dict[str, Any]:
    """A camera that looks from the same side, for a square of so many pixels; see `renderer.camera_uniforms`."""
    eye = CameraState(point(-_AWAY * axes(camera)[2]), (0.0, 0.0, 0.0), camera.up, _FOV)
    return {
        "u_view_projection": projection_matrix(_FOV, 1.0, 1.0, 10.0) @ view_matrix(eye),
        "u_eye": eye.position,
        "u_slope": pixel_slope(_FOV, side),
    }
