"""Scenes that go wrong, for the monkey: a crushed body, controllers that fail, files that are none."""

from __future__ import annotations

from pathlib import Path

from engine.control.trust import trust

_CRUSHED = """format = 1
title = "Crushed"

[[body]]
name = "floor"
shape = { plane = {} }
motion = "fixed"

[[body]]
name = "lift"
shape = { box = [1, 1, 0.1] }
position = [0, 0, 0.1]
motion = { keyframes = { keys = [{ time = 0 }, { time = 1, offset = [0, 0, 0.8] }] } }

[[body]]
name = "ceiling"
shape = { box = [2, 2, 0.1] }
position = [0, 0, 0.8]
motion = "fixed"

[[body]]
name = "squeezed"
shape = { sphere = { radius = 0.15 } }
position = [0, 0, 0.31]

[[body]]
name = "elsewhere"
shape = { sphere = { radius = 0.2 } }
position = [3, 0, 1]
"""
_DRIVEN = """format = 1
title = "A controller that fails"

[[body]]
name = "floor"
shape = { plane = {} }
motion = "fixed"

[[body]]
name = "ball"
shape = { sphere = { radius = 0.2 } }
position = [0, 0, 1]

[[controller]]
name = "pusher"
file = "FILE"
rate = 50
bodies = ["ball"]
"""
_RAISING = """class Controller:
    def act(self, world):
        if world.time > 0.1:
            world.body("nobody").push(force=(0.0, 0.0, 1.0))
"""
_NONE = "class Controller:\n    def act(self, world)\n        pass\n"


def write_faults(folder: Path) -> dict[str, Path]:
    """The scenes by what goes wrong in each, written into a folder; their controllers may run."""
    scenes = {
        "crushed": _CRUSHED,
        "raising": _DRIVEN.replace("FILE", "raising.py"),
        "unreadable_controller": _DRIVEN.replace("FILE", "none.py"),
        "broken": _CRUSHED.replace("radius = 0.2", "radius = -0.2").replace('motion = "fixed"', 'motion = "fix"'),
        "cut_off": _CRUSHED[:-40],
        "overlapping": _CRUSHED.replace("[0, 0, 0.31]", "[0, 0, 0.1]"),
        "binary": "\0\x01\xff",
    }
    for name, text in (("raising.py", _RAISING), ("none.py", _NONE)):
        (folder / name).write_text(text, encoding="utf-8")
        trust([folder / name])
    paths = {}
    for what, text in scenes.items():
        paths[what] = folder / f"{what}.toml"
        paths[what].write_text(text, encoding="utf-8")
    return paths
