"""The shadow map: the scene as the lamp sees it, kept on what the camera looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from OpenGL import GL
from vispy import gloo

from app.view.viewport.camera import CameraState, orthographic_matrix, view_matrix
from engine.arrays import Floats

SPREAD = 0.07
"""Half of the lamp's width over its distance: a penumbra is wider by twice this as what casts it is further away."""
WIDEST = 0.03
"""Of the map: half of the widest penumbra."""
SOFT = 9
"""From more comparisons a point on shadows are soft."""


def lamp_matrix(lamp: Floats, centre: Floats, radius: float, depth: float, texels: int) -> Floats:
    """World to the lamp's clip space, (4, 4): a square of 2 radius about the centre, `depth` to either side.

    The square moves in whole texels, so that shadows do not swim while the camera does.
    """
    eye = CameraState(position=(float(lamp[0]), float(lamp[1]), float(lamp[2])), target=(0.0, 0.0, 0.0))
    turned = view_matrix(eye)
    turned[:3, 3] = 0.0
    at = turned[:3, :3] @ centre
    texel = 2.0 * radius / texels
    turned[:3, 3] = (-round(at[0] / texel) * texel, -round(at[1] / texel) * texel, -at[2])
    return orthographic_matrix(radius, -depth, depth) @ turned


def cast_box(matrix: Floats, poses: Floats, radii: Floats) -> tuple[float, float, float, float]:
    """The part of the map, in its coordinates 0..1, that balls of `radii` at `poses` cover, and a little more."""
    finite = np.flatnonzero(np.isfinite(radii))
    if not len(finite):
        return (0.0, 0.0, 0.0, 0.0)
    at = 0.5 + 0.5 * (matrix[:2, :3] @ np.ascontiguousarray(poses[:, :3].T).take(finite, axis=1) + matrix[:2, 3:4])
    reach = 0.5 * radii[finite] * float(np.linalg.norm(matrix[0, :3])) + 0.004 + WIDEST
    low, high = np.maximum((at - reach).min(axis=1), 0.0), np.minimum((at + reach).max(axis=1), 1.0)
    return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))


class ShadowMap:
    """A square depth texture that the lamp draws into and the surfaces compare with.

    soft: the same depths are kept as colours, too, to be read as they are; they tell how far away is what casts.
    """

    def __init__(self, texels: int, soft: bool) -> None:
        self.texels, self.soft = texels, soft
        shape = (texels, texels)
        self._texture = gloo.Texture2D(
            shape=(*shape, 1), format="depth_component", interpolation="linear", wrapping="clamp_to_edge"
        )
        self._depths = gloo.Texture2D(shape=(*shape, 1), format="red", internalformat="r32f") if soft else None
        self._target = gloo.FrameBuffer(color=self._depths or gloo.RenderBuffer(shape, "color"), depth=self._texture)
        self._compares = False

    def draw(self, draw_depth: Callable[[Mapping[str, Any]], None], matrix: Floats, context: Any) -> dict[str, Any]:
        """Fills the map by `draw_depth`; returns the uniforms that read it."""
        with self._target:
            context.set_viewport(0, 0, self.texels, self.texels)
            context.set_state(depth_test=True, blend=False, cull_face=False)
            context.set_depth_mask(True)
            context.set_clear_depth(1.0)
            context.set_clear_color((1.0, 1.0, 1.0, 1.0))
            context.clear(color=self.soft, depth=True)
            draw_depth({"u_shadow_matrix": matrix, "u_shadow_texel": 1.0 / self.texels})
        if not self._compares:
            self._compare(context)
        uniforms = {"u_shadow_map": self._texture, "u_shadow_matrix": matrix, "u_shadow_texel": 1.0 / self.texels}
        if self._depths is not None:
            across, deep = (float(np.linalg.norm(matrix[row, :3])) for row in (0, 2))
            uniforms |= {
                "u_shadow_depths": self._depths,
                "u_shadow_spread": SPREAD * across / deep,
                "u_shadow_widest": WIDEST,
                "u_shadow_squeeze": (deep / across) ** 2,
            }
        return uniforms

    def _compare(self, context: Any) -> None:
        """Lets the card compare depths when it reads the texture, four at a time; gloo has no word for it."""
        context.flush_commands()
        parser = context.shared.parser
        GL.glBindTexture(GL.GL_TEXTURE_2D, parser.get_object(self._texture.id).handle)
        GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_COMPARE_MODE, GL.GL_COMPARE_REF_TO_TEXTURE)
        GL.glTexParameteri(GL.GL_TEXTURE_2D, GL.GL_TEXTURE_COMPARE_FUNC, GL.GL_LEQUAL)
        GL.glBindTexture(GL.GL_TEXTURE_2D, 0)
        self._compares = True
