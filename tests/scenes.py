"""Small scenes for tests, written as a person would write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.scene.schema import Scene

Vector = Sequence[float]


def body(name: str, shape: dict[str, Any], position: Vector = (0, 0, 0), **more: Any) -> dict[str, Any]:
    return {"name": name, "shape": shape, "position": floats(position), "material": "m", **more}


def ball(name: str, position: Vector, velocity: Vector = (0, 0, 0), radius: float = 0.1, **more: Any) -> dict[str, Any]:
    return body(name, {"sphere": {"radius": radius}}, position, velocity=floats(velocity), **more)


def floor(**more: Any) -> dict[str, Any]:
    return body("floor", {"plane": {}}, motion="fixed", **more)


def scene(
    *bodies: dict[str, Any],
    friction: float = 0.5,
    restitution: float = 0.5,
    gravity: Vector = (0, 0, -9.81),
    **world: Any,
) -> Scene:
    """A scene of one material."""
    return Scene.model_validate(
        {
            "format": 1,
            "world": {"gravity": floats(gravity), **world},
            "material": {"m": {"friction": friction, "restitution": restitution}},
            "body": list(bodies),
        }
    )


def floats(values: Vector) -> list[float]:
    return [float(value) for value in values]
