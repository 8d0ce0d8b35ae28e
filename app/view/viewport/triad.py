"""Three small arrows in a corner of the picture: which way x, y and z point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from app.view.viewport.camera import CameraState, axes, point, projection_matrix, view_matrix
from app.view.viewport.gl import Shaders
from app.view.viewport.overlays import OverlayLayer, arrows_overlay, pixel_slope
from app.view.viewport.palette import Look

SIZE = 88
"""Width and height [pixels of the user's]."""
_AWAY = 5.0
_FOV = 28.0


class Triad:
    """Draws the arrows, turned as the camera is."""

    def __init__(self, shaders: Shaders) -> None:
        self._layer = OverlayLayer(shaders)
        self._look: Look | None = None

    def draw(self, context: Any, frame: Mapping[str, Any], camera: CameraState, look: Look, pixel_ratio: float) -> None:
        """Draws into the lower left corner of a picture whose uniforms are `frame`."""
        if look != self._look:
            self._look = look
            for name, along, colour in zip("xyz", np.eye(3), look.axes, strict=True):
                self._layer.set(name, arrows_overlay([np.zeros(3)], [along], colour, 4.5))
        side = max(round(SIZE * pixel_ratio), 8)
        gaze = axes(camera)[2]
        eye = CameraState(point(-_AWAY * gaze), (0.0, 0.0, 0.0), camera.up, _FOV)
        turned = {
            "u_view_projection": projection_matrix(_FOV, 1.0, 1.0, 10.0) @ view_matrix(eye),
            "u_eye": eye.position,
            "u_pixel": (2.0 / side, 2.0 / side),
            "u_slope": pixel_slope(_FOV, side),
        }
        context.set_viewport(0, 0, side, side)
        context.set_depth_mask(True)
        context.clear(color=False, depth=True)
        self._layer.draw({**frame, **turned}, context)
