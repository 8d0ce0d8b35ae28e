"""Ambient occlusion, and edges where bodies meet: passes over facts about what the camera sees.

The bodies are drawn once more without colours: the normal and the number of what each pixel shows, and its depth. From
these come how open each place is to its surroundings, at half the size and then softened, and where the number changes.
The passes end in one texture, which the bodies and planes read when they are drawn in colour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from vispy import gloo

from app.view.viewport.gl import TRIANGLE_STRIP, Shaders, corners
from engine.arrays import Floats

_REACH = 1.1
"""Of the size of a typical body: what is further away takes no light."""
_LEAST, _MOST = 0.006, 0.09
"""Of the picture's height, at what the camera looks at: bounds of the reach."""
_WIDEST = 0.12
"""Of the picture's height: however near a place is, the samples lie no further apart."""


def occlusion_reach(radii: Floats, height: float) -> float:
    """How far [m] bodies of `radii` take light from each other in a picture of `height` [m]."""
    finite = radii[np.isfinite(radii)]
    typical = float(np.median(finite)) if len(finite) else 0.0
    return float(np.clip(_REACH * typical, _LEAST * height, _MOST * height))


class _Buffers:
    """Textures of one size."""

    def __init__(self, size: tuple[int, int]) -> None:
        width, height = size
        self.size = size
        self.half = ((width + 1) // 2, (height + 1) // 2)
        self.facts = gloo.Texture2D(shape=(height, width, 4))
        self.depths = gloo.Texture2D(shape=(height, width, 1), format="depth_component")
        self.seen = gloo.FrameBuffer(color=self.facts, depth=self.depths)
        small = (self.half[1], self.half[0], 4)
        self.rough, self.soft = gloo.Texture2D(shape=small), gloo.Texture2D(shape=small)
        self.ambient = gloo.Texture2D(shape=(height, width, 4))
        self.rough_target, self.soft_target = gloo.FrameBuffer(self.rough), gloo.FrameBuffer(self.soft)
        self.ambient_target = gloo.FrameBuffer(self.ambient)

    def delete(self) -> None:
        """Frees them at once."""
        for target in (self.seen, self.rough_target, self.soft_target, self.ambient_target):
            target.delete()
        for texture in (self.facts, self.depths, self.rough, self.soft, self.ambient):
            texture.delete()


class Ambient:
    """Draws the passes of one OpenGL context."""

    def __init__(self, shaders: Shaders) -> None:
        self._shaders = shaders
        self._square = {"a_corner": corners()}
        self._buffers: _Buffers | None = None

    def draw(
        self,
        context: Any,
        frame: Mapping[str, Any],
        size: tuple[int, int],
        samples: int,
        draw_facts: Callable[[Mapping[str, Any]], None],
    ) -> dict[str, Any]:
        """Draws all passes; returns the uniforms that read them.

        `frame` has u_lens, u_tangent, u_slope and u_reach; `draw_facts` draws bodies and planes as facts.
        """
        if self._buffers is None or self._buffers.size != size:
            if self._buffers is not None:
                self._buffers.delete()
            self._buffers = _Buffers(size)
        made = self._buffers
        context.set_depth_mask(True)
        with made.seen:
            context.set_viewport(0, 0, *size)
            context.set_state(depth_test=True, blend=False, cull_face=False)
            context.set_depth_func("lequal")
            context.set_clear_depth(1.0)
            context.set_clear_color((0.0, 0.0, 0.0, 0.0))
            context.clear(color=True, depth=True)
            draw_facts(frame)
        context.set_state(depth_test=False, blend=False, cull_face=False)
        uniforms = {
            **frame,
            "u_facts": made.facts,
            "u_depths": made.depths,
            "u_texel": (1.0 / size[0], 1.0 / size[1]),
            "u_half_texel": (1.0 / made.half[0], 1.0 / made.half[1]),
            "u_widest": _WIDEST * size[1],
            "u_edge_step": max(1.0, float(round(frame["u_pixel_ratio"]))),
        }
        self._pass(context, "occlusion.frag", made.rough_target, made.half, uniforms, SAMPLES=samples)
        self._pass(context, "soften.frag", made.soft_target, made.half, {**uniforms, "u_open": made.rough})
        self._pass(context, "ambient.frag", made.ambient_target, size, {**uniforms, "u_open": made.soft})
        return {"u_ambient": made.ambient, "u_texel": uniforms["u_texel"]}

    def _pass(
        self,
        context: Any,
        name: str,
        target: gloo.FrameBuffer,
        size: tuple[int, int],
        uniforms: Mapping[str, Any],
        **defines: int,
    ) -> None:
        shader = self._shaders.get("square.vert", name, **defines)
        with target:
            context.set_viewport(0, 0, *size)
            shader.set(uniforms)
            shader.bind(self._square)
            shader.draw(TRIANGLE_STRIP)
