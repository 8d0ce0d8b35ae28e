"""Clips of bundled scenes that compute slower than they run, shown while they do: `python -m app.view.recording.clips`.

A clip is a video of the scene from its start, in slow motion: RATE pictures a simulated second, shown at PLAYED.
"""

from __future__ import annotations

import sys
from pathlib import Path

from app.view.recording.video import record
from engine.resources import assets_dir
from engine.scene.reading import load_scene

LENGTHS = {"sphere_pile": 0.4, "convex_pile": 0.6}
"""How long the clips of scenes are [s]: of those that run far below real time."""

RATE, PLAYED = 90, 30
SIZE = (480, 300)


def clip(name: str) -> Path:
    """Where the clip of a bundled scene is, if there is one."""
    return assets_dir() / "clips" / f"{name}.mp4"


def main(names: list[str]) -> int:
    """Records the clips of the scenes called so, or of all."""
    for name in names or LENGTHS:
        clip(name).parent.mkdir(exist_ok=True)
        pictures = record(load_scene(name), clip(name), until=LENGTHS[name], fps=RATE, size=SIZE, python="run")
        print(f"{name}: {pictures} pictures, {clip(name).stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
