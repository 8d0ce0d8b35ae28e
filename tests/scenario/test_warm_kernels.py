"""After the warm-up nobody waits for a compiler: not the gallery's scenes, not the mouse, not a snapshot."""

from __future__ import annotations

import subprocess
import sys

from engine.warm import is_warm, warm

PROGRAM = """
from app.view.viewport.meshes import body_set
from app.view.viewport.picking import Picker
from engine import World, load_scene
from engine.compiler import watch
from engine.scene.gallery import bundled_scenes
from engine.warm import read_everything

with watch(lambda name, seconds: print(name)):
    for name, _ in bundled_scenes():
        world = World(load_scene(name))
        world.advance_events(300)
        free = next(i for i, body in enumerate(world.scene.bodies) if body.motion == "free")
        world.pull(free, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
        world.advance_events(300)
        world.release()
        read_everything(world)
        Picker.of(body_set(world.scene)).cast((0.0, 0.0, 5.0), (0.0, 0.0, -1.0), world.poses())
"""


def test_nothing_is_left_to_compile() -> None:
    if not is_warm():
        warm(lambda kernel, fraction: None)
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    assert said.stdout.split() == []
