"""Pictures of the gallery's cards, drawn without a window: `python -m app.view.gallery.thumbnails [NAME...]`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PyQt6.QtGui import QImage

from app.view.viewport.camera import CameraState, blend, frame
from app.view.viewport.meshes import body_set
from app.view.viewport.offscreen import OffscreenRenderer
from app.view.viewport.views import default_camera, frame_balls
from engine import World
from engine.arrays import Floats
from engine.resources import assets_dir
from engine.scene.gallery import bundled_scenes
from engine.scene.reading import load_scene
from engine.scene.schema import Scene

SIZE = (640, 360)
_CLOSENESS = {
    "block_on_ramp": 0.15,
    "pool_break": 0.2,
    "spinning_platter": 0.0,
    "vibrating_feeder": 0.1,
    "balls_in_dish": 0.1,
    "bowling": 0.1,
    "exploding_text": 0.0,
    "part_feeder_chute": 0.2,
    "impending": 0.6,
    "four_bar": 0.0,
    "brick_wall": 0.0,
    "painleve_rod": 0.0,
    "sphere_pile": 0.0,
    "convex_pile": 0.0,
}
"""How far from the scene's own view towards what moves a picture is taken; others: 0.55."""
_MOMENTS = {
    "pool_break": 0.9,
    "dominos": 1.2,
    "free_tumble": 0.6,
    "coins": 0.6,
    "block_drop": 0.35,
    "vibrating_feeder": 4.5,
    "bowling": 2.62,
    "exploding_text": 0.22,
    "part_feeder_chute": 0.6,
    "impending": 0.0,
    "tippe_top": 1.25,
    "four_bar": 0.5,
    "brick_wall": 0.0,
    "painleve_rod": 0.25,
    "sphere_pile": 0.14,
    "convex_pile": 0.3,
}
"""When a scene looks most like itself [s]; others are taken a third of the way."""


def draw(scene: Scene, time: float, closeness: float, target: Path) -> None:
    """Writes a picture of the scene at `time` [s], seen by its first camera but closer to what moves."""
    world = World(scene)
    world.advance_to(time)
    with OffscreenRenderer(scene, SIZE, closer(scene, world.poses(), closeness)) as renderer:
        pixels = np.ascontiguousarray(renderer.render(world.poses()))
    height, width = pixels.shape[:2]
    picture = QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
    if not picture.save(str(target), quality=88):
        raise OSError(f"cannot write {target}")


def closer(scene: Scene, poses: Floats, closeness: float) -> CameraState:
    """Between the scene's first camera and one that frames the bodies that move."""
    view = default_camera(scene, None, SIZE)
    rows = [row for row, body in enumerate(scene.bodies) if body.motion_kind != "fixed"]
    close = frame(view, *frame_balls(body_set(scene), poses, rows), SIZE, 0.6)
    return blend(view, close, closeness)


def main(names: list[str]) -> int:
    """Draws the thumbnails of the scenes called so, or of all."""
    folder = assets_dir() / "thumbnails"
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in bundled_scenes():
        if names and name not in names:
            continue
        scene = load_scene(path)
        time = _MOMENTS.get(name, (scene.world.until or 3.0) / 3)
        target = folder / f"{name}.jpg"
        draw(scene, time, _CLOSENESS.get(name, 0.55), target)
        print(f"{target}: t = {time:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
