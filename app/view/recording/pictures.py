"""Pictures of a world for a video: the bodies, and if wanted what is drawn over them, and a plot below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.document.placement import typical_size
from app.view.viewport.camera import CameraState
from app.view.viewport.offscreen import OffscreenRenderer, Picture
from engine.scene.schema import Scene
from engine.world import World

if TYPE_CHECKING:
    from app.view.contacts.arrows import Drawn
    from app.view.recording.plot_below import PlotBelow

OVERLAYS = ("contacts", "forces", "velocities", "paradigms")
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
        self._is_painted = "paradigms" in extras.overlays
        self._plot: PlotBelow | None = None
        if extras.light:
            from app.view.viewport.palette import LIGHT

            self._renderer.renderer.options.look = LIGHT
        if extras.overlays:  # what is imported here wants Qt, which plain videos go without
            from app.view import theme
            from app.view.contacts.arrows import Drawn

            shades = theme.LIGHT if extras.light else theme.DARK
            self._drawn = Drawn(extras.overlays, self._renderer.camera.height, typical_size(scene), shades)
        if below:
            from app.view.recording.plot_below import PlotBelow

            self._plot = PlotBelow(extras.plot, (width, below), extras.light, start, until)

    def take(self, world: World) -> Picture:
        """The picture (height, width, 3) of the world as it is now."""
        if self._drawn is not None:
            from app.view.contacts.arrows import see
            from app.view.paradigms import light_of, states_of

            seen, options = see(world), self._renderer.renderer.options
            options.overlays = self._drawn.draw(seen)
            states = states_of(seen) if self._is_painted else None
            options.painted = None if states is None else light_of(states)
        picture = self._renderer.render(world.poses())
        return picture if self._plot is None else np.concatenate([picture, self._plot.take(world)])

    def close(self) -> None:
        """Lets go of the context."""
        self._renderer.close()

    def __enter__(self) -> Pictures:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
