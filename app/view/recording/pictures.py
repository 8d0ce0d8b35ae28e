"""Pictures of a world for a video: the bodies, and if wanted what is drawn over them, and a plot below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.view.viewport.camera import CameraState
from app.view.viewport.offscreen import OffscreenRenderer, Picture
from engine.scene.schema import Scene
from engine.world import World

if TYPE_CHECKING:
    from app.view.recording.drawn import Drawn
    from app.view.recording.legends import Legends
    from app.view.recording.plot_below import PlotBelow

OVERLAYS = ("contacts", "forces", "cones", "velocities", "paradigms", "joints", "pairs", "swept", "tiles")
"""What can be drawn over the bodies, by the names that the window has for it."""
PLOTS = ("energy", "forces")
"""What can be plotted below."""
_PLOT_SHARE = 0.28  # of the picture's height


@dataclass(frozen=True)
class Extras:
    """What pictures show beside the bodies, and whether in light colours."""

    overlays: Sequence[str] = ()  # of OVERLAYS
    plot: str = ""  # of PLOTS, or none
    light: bool = False


class Pictures:
    """Takes pictures of `size` (width, height); the plot's axis is from `start` to `until` [s]."""

    def __init__(
        self,
        scene: Scene,
        size: tuple[int, int],
        camera: CameraState | None,
        extras: Extras,
        start: float,
        until: float,
    ) -> None:
        width, height = size
        below = round(_PLOT_SHARE * height) if extras.plot else 0
        self._renderer = OffscreenRenderer(scene, (width, height - below), camera)
        self._drawn: Drawn | None = None
        self._legends: Legends | None = None
        self._plot: PlotBelow | None = None
        if extras.light:
            from app.view.viewport.palette import LIGHT

            self._renderer.renderer.options.look = LIGHT
        if extras.overlays:  # what is imported here wants Qt, which plain videos go without
            from app.view import theme
            from app.view.recording.drawn import Drawn
            from app.view.recording.legends import Legends

            self._legends = Legends((width, height - below), extras.light)
            shades = theme.LIGHT if extras.light else theme.DARK
            self._drawn = Drawn(extras.overlays, scene, self._renderer.camera.height, shades, self._legends)
        if below:
            from app.view.recording.plot_below import PlotBelow

            self._plot = PlotBelow(extras.plot, (width, below), extras.light, start, until)

    def take(self, world: World) -> Picture:
        """The picture (height, width, 3) of the world as it is now."""
        if self._drawn is not None:
            self._drawn.draw(world, self._renderer.renderer.options)
        picture = self._renderer.render(world.poses())
        if self._legends is not None:
            picture = self._legends.over(picture)
        return picture if self._plot is None else np.concatenate([picture, self._plot.take(world)])

    def close(self) -> None:
        """Lets go of the context."""
        if self._legends is not None:
            self._legends.close()
        self._renderer.close()

    def __enter__(self) -> Pictures:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
