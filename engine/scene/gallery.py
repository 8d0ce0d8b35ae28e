"""The bundled scenes, found by bare name from a checkout and from an installed package alike."""

from __future__ import annotations

from pathlib import Path

from engine.resources import scenes_dir


def bundled_scenes() -> list[tuple[str, Path]]:
    """Name and file of every bundled scene, by name."""
    return [(path.stem, path) for path in sorted(scenes_dir().glob("*.toml"))]
