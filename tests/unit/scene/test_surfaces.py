"""How two materials meet."""

from __future__ import annotations

import pytest

from engine.scene.schema import DEFAULT_MATERIAL, Scene
from engine.scene.surfaces import Surface, meet

SCENE = Scene.model_validate(
    {
        "format": 1,
        "material": {
            "ice": {"friction": 0.04, "restitution": 0.1},
            "felt": {"friction": 0.25, "static_friction": 0.49, "restitution": 0.6, "spinning_resistance": 0.003},
            "glue": {"friction": 2.0, "rolling_resistance": 0.01},
        },
        "pair": [
            {"materials": ["glue", "ice"], "friction": 0.5},
            {"materials": ["glue", "felt"], "static_friction": 3.0, "restitution": 0.0, "rolling_resistance": 0.0},
        ],
    }
)


def test_two_materials_meet_in_the_geometric_mean_and_the_larger_bounce() -> None:
    surface = meet(SCENE, "ice", "felt")
    assert surface == meet(SCENE, "felt", "ice")
    assert surface.dynamic_friction == pytest.approx(0.1)
    assert surface.static_friction == pytest.approx(0.14)
    assert surface.restitution == 0.6
    assert surface.spinning_resistance == 0.003


def test_a_body_without_material_takes_that_of_the_other() -> None:
    assert meet(SCENE, "felt", None) == meet(SCENE, None, "felt") == Surface(0.49, 0.25, 0.6, 0.0, 0.003)
    default = DEFAULT_MATERIAL
    assert meet(SCENE, None, None) == Surface(default.friction, default.friction, default.restitution, 0.0, 0.0)


def test_equal_materials_keep_their_values_exactly() -> None:
    assert meet(SCENE, "ice", "ice") == Surface(0.04, 0.04, 0.1, 0.0, 0.0)


def test_a_pair_overrides_what_it_says() -> None:
    assert meet(SCENE, "ice", "glue") == Surface(0.5, 0.5, 0.2, 0.01, 0.0)
    surface = meet(SCENE, "felt", "glue")
    assert surface.static_friction == 3.0
    assert surface.dynamic_friction == pytest.approx(0.5**0.5)
    assert surface.restitution == 0.0
    assert (surface.rolling_resistance, surface.spinning_resistance) == (0.0, 0.003)
