"""Bodies of another run, drawn over those of the scene: translucent, in one colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.view.viewport.bodies import BodyLayer
from app.view.viewport.gl import Shaders
from app.view.viewport.meshes import BodySet
from app.view.viewport.palette import rgb
from engine.arrays import Floats

OPACITY = 0.75  # at the rim
BEHIND = 0.3  # how strongly what is hidden shows


@dataclass(frozen=True, eq=False)
class Ghosts:
    """Some rows of a scene's bodies, at poses (n, 7) of all of them; `poses` x y z [m], w x y z."""

    bodies: BodySet
    rows: tuple[int, ...]
    poses: Floats


class GhostLayer:
    """Draws ghosts with the buffers of the bodies that they were drawn with last."""

    def __init__(self, shaders: Shaders) -> None:
        self._shaders = shaders
        self._bodies: BodySet | None = None
        self._layer: BodyLayer | None = None
        self._shown: Ghosts | None = None

    def draw(self, context: Any, frame: dict[str, Any], ghosts: Ghosts | None, colour: str) -> None:
        """Draws them over what is there, and faintly where it hides them; None lets the buffers go."""
        if ghosts is None:
            self._bodies = self._layer = self._shown = None
            return
        if ghosts.bodies is not self._bodies:
            self._bodies = ghosts.bodies
            self._layer = BodyLayer(ghosts.bodies, self._shaders) if ghosts.bodies.meshes else None
        if self._layer is None or not self._layer.choose(ghosts.rows):
            return
        if ghosts is not self._shown:
            self._layer.set_poses(ghosts.poses)
            self._shown = ghosts
        context.set_depth_mask(False)
        context.set_cull_face("back")
        for share, test in ((BEHIND, False), (1.0, True)):
            context.set_state(
                depth_test=test, blend=True, blend_func=("src_alpha", "one_minus_src_alpha"), cull_face=True
            )
            self._layer.draw_ghosts(frame, (*rgb(colour), share * OPACITY))
        context.set_state(cull_face=False)
