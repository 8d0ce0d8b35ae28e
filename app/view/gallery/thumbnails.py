"""Pictures of the gallery's cards, drawn without a window: `python -m app.view.gallery.thumbnails [NAME...]`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PyQt6.QtGui import QImage

from app.view.gallery.gallery import SCHEMES, thumbnail
from app.view.viewport.camera import CameraState, blend, frame
from app.view.viewport.meshes import body_set
from app.view.viewport.offscreen import OffscreenRenderer, Picture
from app.view.viewport.palette import DARK, LIGHT
from app.view.viewport.views import default_camera, frame_balls
from engine import World
from engine.arrays import Floats
from engine.scene.gallery import bundled_scenes
from engine.scene.reading import load_scene
from engine.scene.schema import Scene

SIZE = (640, 360)
QUALITY = 88  # of JPEG
_CLOSENESS = 0.55
_SHOTS: dict[str, tuple[float, float | None]] = {
    "balls_in_dish": (0.1, None),
    "block_drop": (_CLOSENESS, 0.35),
    "block_on_ramp": (0.15, None),
    "bowling": (0.1, 2.62),
    "brick_wall": (0.0, 0.0),
    "bicycle": (0.0, 2.75),
    "cart_pole": (0.0, 3.4),
    "coins": (_CLOSENESS, 0.6),
    "convex_pile": (0.0, 0.3),
    "creature_war": (0.0, 12.55),
    "dominos": (_CLOSENESS, 1.2),
    "exploding_text": (0.0, 0.22),
    "four_bar": (0.0, 0.5),
    "free_tumble": (_CLOSENESS, 0.6),
    "furniture": (0.25, 13.2),
    "impending": (0.6, 0.0),
    "painleve_rod": (0.0, 0.25),
    "part_feeder_chute": (0.2, 0.6),
    "part_sorter": (0.1, 0.57),
    "passive_walker": (0.6, 8.2),
    "pool_break": (0.2, 0.9),
    "see_saw": (0.1, 2.0),
    "sphere_pile": (0.0, 0.14),
    "spinning_platter": (0.0, None),
    "stacking_arm": (0.0, 20.75),
    "tippe_top": (_CLOSENESS, 1.25),
    "triple_pendulum": (0.1, 0.55),
    "vibrating_feeder": (0.1, 4.5),
}
"""How far from the scene's own view towards what moves a picture is taken, and when the scene looks most like itself
[s]; None: a third of the way."""


def draw(scene: Scene, time: float, closeness: float, targets: Mapping[str, Path]) -> None:
    """Writes pictures of the scene at `time` [s], seen by its first camera but closer to what moves, by scheme."""
    world = World(scene)
    world.advance_to(time)
    with OffscreenRenderer(scene, SIZE, closer(scene, world.poses(), closeness)) as renderer:
        for scheme, target in targets.items():
            renderer.renderer.options.look = LIGHT if scheme == "light" else DARK
            write(renderer.render(world.poses()), target)


def write(picture: Picture, target: Path) -> None:
    """Writes a picture (height, width, 3) as a file."""
    height, width = picture.shape[:2]
    pixels = np.ascontiguousarray(picture).tobytes()
    image = QImage(pixels, width, height, 3 * width, QImage.Format.Format_RGB888)
    if not image.save(str(target), quality=QUALITY):
        raise OSError(f"cannot write {target}")


def closer(scene: Scene, poses: Floats, closeness: float) -> CameraState:
    """Between the scene's first camera and one that frames the bodies that move."""
    view = default_camera(scene, None, SIZE)
    rows = [row for row, body in enumerate(scene.bodies) if body.motion_kind != "fixed"]
    close = frame(view, *frame_balls(body_set(scene), poses, rows), SIZE, 0.6)
    return blend(view, close, closeness)


def main(names: list[str]) -> int:
    """Draws the thumbnails of the scenes called so, or of all."""
    for name, path in bundled_scenes():
        if names and name not in names:
            continue
        scene = load_scene(path)
        closeness, moment = _SHOTS.get(name, (_CLOSENESS, None))
        time = (scene.world.until or 3.0) / 3 if moment is None else moment
        targets = {scheme: thumbnail(name, scheme) for scheme in SCHEMES}
        draw(scene, time, closeness, targets)
        print(f"{name}: t = {time:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
