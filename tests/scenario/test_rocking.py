"""What rolls and rocks without sliding keeps its energy and gap: contacts take nothing, and nothing must be lifted."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.paths import set_path
from engine.scene.schema import Scene


@pytest.mark.parametrize("contact", ["constraint", "hybrid"])
def test_a_rattleback_is_not_lifted_by_what_has_no_force(contact: str) -> None:
    """It turns round and rocks for six seconds; a push by pseudo-velocities would be a line of the books."""
    world = World(set_path(load_scene("rattleback"), "world.contact", contact))
    world.advance_to(6.0)
    energy = world.energy()
    assert abs(energy["numerics"]) < 1e-9 * energy["total"]
    assert energy["dissipated"] < 1e-3 * energy["total"]
    assert world.smallest_gap > 0.0


@pytest.mark.parametrize("contact", ["constraint", "hybrid"])
def test_a_tippe_top_pays_for_its_rise_by_its_spin_alone(contact: str) -> None:
    world = World(set_path(load_scene("tippe_top"), "world.contact", contact))
    world.advance_to(6.0)
    energy = world.energy()
    assert abs(energy["numerics"]) < 1e-3 * energy["dissipated"]


def test_a_coin_that_rocks_on_the_edge_of_another_goes_on() -> None:
    """On two edges, without sliding: what its points come in with at a step's start is no hit, and takes nothing."""
    coin = {"cylinder": {"radius": 0.01213, "length": 0.00175}}
    lean = np.degrees(np.arcsin(0.00175 / 0.0215))
    said = {
        "format": 1,
        "title": "Rocking",
        "world": {"envelope": 2e-4},
        "material": {"coin": {"friction": 0.4, "restitution": 0.0, "density": 7000}},
        "body": [
            {"name": "plate", "motion": "fixed", "shape": {"plane": {}}},
            {
                "name": "under",
                "motion": "fixed",
                "shape": coin,
                "material": "coin",
                "position": [-0.0165, 0, 0.000875],
            },
            {
                "name": "rocks",
                "shape": coin,
                "material": "coin",
                "position": [0.0, 0.0, 0.0021],
                "orientation": {"axis": [0, 1, 0], "degrees": float(lean)},
                "angular_velocity": [1.5, 0.0, 0.0],
            },
        ],
    }
    world = World(Scene.model_validate(said))
    world.advance_to(0.5)
    start = world.energy()
    sizes = []
    for k in range(100):
        world.advance_to(0.5 + 0.01 * k)
        sizes.append(np.linalg.norm(world.twists()[world.row("rocks"), 3:]))
    assert max(sizes[-30:]) > 0.5 * max(sizes[:30])
    assert start["total"] - world.energy()["total"] < 3e-8
