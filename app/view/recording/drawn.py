"""What is drawn over the bodies in a video, and the legends that say what it is: those of the window."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.document.copies import names_of
from app.document.placement import typical_size
from app.simulation.messages import Records, WorldLike
from app.view.contacts.arrows import ForceScale, contact_overlays, force_arrows, signs, velocity_overlay
from app.view.contacts.rows import contact_rows
from app.view.overlays.boxes import swept_overlays, tile_overlays, tiles_in_use
from app.view.overlays.cones import cone_overlays
from app.view.overlays.joints import joint_overlays, make_marks
from app.view.overlays.pair_legend import PAIRS, pair_overlay
from app.view.paradigms import light_of, states_of
from app.view.recording.legends import Legends
from app.view.theme import Colours
from app.view.viewport.overlays import Overlay, arrows_overlay
from app.view.viewport.renderer import Options
from engine.arrays import Bools, Floats
from engine.scene.schema import Scene


@dataclass(frozen=True, eq=False)
class Seen:
    """A world at one instant."""

    time: float
    poses: Floats
    twists: Floats
    contacts: Records
    paradigms: NDArray[np.int8]
    asleep: Bools
    boxes: Records | None = None
    heap: Records | None = None


def see(world: WorldLike, names: Collection[str]) -> Seen:
    """A world as it is now, with what overlays of these names need."""
    return Seen(
        world.time,
        world.poses(),
        world.twists(),
        world.contacts(),
        world.paradigm_codes(),
        world.asleep(),
        world.swept_boxes() if {"swept", "tiles"} & set(names) else None,
        world.heap(PAIRS) if "pairs" in names else None,
    )


class Drawn:
    """Draws a world's overlays picture by picture; `height`: what the picture shows at its target [m]."""

    def __init__(self, names: Collection[str], scene: Scene, height: float, c: Colours, legends: Legends) -> None:
        self._names, self._height, self._colours = frozenset(names), height, c
        self._bodies, self._size = names_of(scene), typical_size(scene)
        self._marks = make_marks(scene, self._size)
        self._scale = ForceScale()
        self._legends = legends

    def draw(self, world: WorldLike, options: Options) -> None:
        """Has the overlays of the world as it is now, and tells the legends what they show."""
        seen = see(world, self._names)
        drawn = self._of_bodies(seen) | self._of_contacts(seen)
        options.overlays = {name: overlay for name, overlay in drawn.items() if len(overlay.first)}
        states = states_of(seen) if "paradigms" in self._names else None
        options.painted = None if states is None else light_of(states)
        if states is not None:
            self._legends.show_paradigms(states)

    def _of_bodies(self, seen: Seen) -> dict[str, Overlay]:
        names, c, drawn = self._names, self._colours, dict[str, Overlay]()
        if "velocities" in names:
            drawn["velocities"] = velocity_overlay(seen, self._size, c)
        if "joints" in names:
            drawn |= joint_overlays(self._marks, seen.poses, c)
        if seen.heap is not None:
            drawn["pairs points"] = pair_overlay(seen.heap, c)
            self._legends.pairs.show_first(seen.heap, seen.time, self._bodies)
        if "swept" in names and seen.boxes is not None:
            drawn |= swept_overlays(seen.boxes, (), c)
            self._legends.boxes.show_boxes(seen.boxes, seen.time, self._bodies)
        if "tiles" in names and seen.boxes is not None:
            sides, places = tiles_in_use(seen.boxes)
            drawn |= tile_overlays(sides, places, c)
            self._legends.boxes.show_tiles(sides)
        return drawn

    def _of_contacts(self, seen: Seen) -> dict[str, Overlay]:
        drawn, contacts = dict[str, Overlay](), seen.contacts
        if "contacts" in self._names:
            drawn |= contact_overlays(seen, (), self._height, self._colours)
        if "cones" in self._names:
            drawn |= cone_overlays(contact_rows(seen, ()), self._height, self._colours)
            self._legends.show_cones(contact_rows(seen, (), len(contacts)), self._bodies)
        if "forces" in self._names:
            forces = signs(seen) * contacts["force"]
            shown, arrows = force_arrows(forces, self._scale.follow(forces), self._height)
            drawn["forces"] = arrows_overlay(contacts["point"][shown], arrows, self._colours.series[5], 5.0)
            self._legends.show_forces(forces[shown])
        return drawn
