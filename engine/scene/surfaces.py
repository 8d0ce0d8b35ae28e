"""How two materials meet: friction, restitution and resistance of a pair of bodies."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.scene.schema import DEFAULT_MATERIAL, Material, Pair, Scene


class Surface(NamedTuple):
    """Coefficients of one pair of materials; resistances are levers [m]."""

    static_friction: float
    dynamic_friction: float
    restitution: float
    rolling_resistance: float
    spinning_resistance: float


def meet(scene: Scene, material_a: str | None, material_b: str | None) -> Surface:
    """Coefficients of two bodies by the names of their materials (None: the body sets none).

    If one side sets no material the other's values hold, and if neither does, the defaults of `Material`. Otherwise the
    frictions are the geometric mean, restitution and resistances the larger ones. A `[[pair]]` overrides what it says.
    """
    a = scene.material[material_a] if material_a is not None else None
    b = scene.material[material_b] if material_b is not None else None
    surface = _combine(a or b or DEFAULT_MATERIAL, b or a or DEFAULT_MATERIAL)
    for pair in scene.pair:
        if pair.materials in ((material_a, material_b), (material_b, material_a)):
            surface = _override(surface, pair)
    return surface


def meet_all(scene: Scene) -> Floats:
    """Coefficients of all pairs of materials, (k, k, 5); the first is that of bodies which set none."""
    materials: list[str | None] = [None, *scene.material]
    return np.array([[meet(scene, a, b) for b in materials] for a in materials], dtype=np.float64)


def _combine(a: Material, b: Material) -> Surface:
    if a is b:
        return Surface(_static(a), a.friction, a.restitution, a.rolling_resistance, a.spinning_resistance)
    return Surface(
        static_friction=math.sqrt(_static(a) * _static(b)),
        dynamic_friction=math.sqrt(a.friction * b.friction),
        restitution=max(a.restitution, b.restitution),
        rolling_resistance=max(a.rolling_resistance, b.rolling_resistance),
        spinning_resistance=max(a.spinning_resistance, b.spinning_resistance),
    )


def _static(material: Material) -> float:
    return material.friction if material.static_friction is None else material.static_friction


def _override(surface: Surface, pair: Pair) -> Surface:
    dynamic = surface.dynamic_friction if pair.friction is None else pair.friction
    if pair.static_friction is not None:
        static = pair.static_friction
    elif pair.friction is not None:
        static = pair.friction
    else:
        static = surface.static_friction
    said = pair.model_dump(include={"restitution", "rolling_resistance", "spinning_resistance"}, exclude_none=True)
    return surface._replace(static_friction=max(static, dynamic), dynamic_friction=dynamic, **said)
