"""Carom's engine: rigid-body contact without a window.

from engine import World, load_scene
world = World(load_scene("pool_break"))
world.advance_to(1.0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.scene.reading import load_scene
    from engine.world import World

__all__ = ["World", "load_scene"]


def __getattr__(name: str) -> Any:
    """Import the façade when it is asked for: a kernel module must not pull in the whole engine."""
    if name == "World":
        from engine.world import World

        return World
    if name == "load_scene":
        from engine.scene.reading import load_scene

        return load_scene
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
