"""Materials that can be had in every scene, with values from tables of handbooks, and giving a material to bodies."""

from __future__ import annotations

from collections.abc import Iterable

from engine.scene.paths import set_path
from engine.scene.schema import Material, Scene

STOCK = {
    "wood": Material(friction=0.5, restitution=0.4, density=700.0, look="wood", colour="#b98a56"),
    "steel": Material(friction=0.3, restitution=0.6, density=7850.0, look="metal", colour="#aab2bb"),
    "rubber": Material(friction=0.9, restitution=0.7, density=1100.0, look="rubber", colour="#2f3136"),
    "glass": Material(friction=0.3, restitution=0.65, density=2500.0, look="glass", colour="#bfe3ee"),
    "ice": Material(friction=0.03, restitution=0.3, density=917.0, look="gloss", colour="#d8eef8"),
    "felt": Material(friction=0.6, restitution=0.1, density=350.0, look="felt", colour="#3f7d58"),
}
"""Of two bodies of the material, dry; the scene's own of the same name goes before."""


def give_material(scene: Scene, name: str, bodies: Iterable[str]) -> Scene:
    """The scene with a material, its own or one of the stock, given to bodies and repeats by their names."""
    if name not in scene.material:
        scene = scene.model_copy(update={"material": {**scene.material, name: STOCK[name]}})
    single = {body.name for body in scene.body}
    for body in bodies:
        part = "body" if body in single else "repeat"
        scene = set_path(scene, f"{part}.{body}.material", name)
    return scene
