"""Gallery scenes with controllers do what their notes say."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene

CARTS, POLES = [0, 3], [1, 4]  # joints


def lean(world: World) -> np.ndarray:
    """How far the poles are from upright [rad]."""
    angles = world.joints()["position"][POLES]
    return np.asarray(np.arctan2(np.sin(angles - np.pi), np.cos(angles - np.pi)))


@pytest.mark.slow
def test_poles_are_swung_up_balanced_and_caught_again() -> None:
    world = World(load_scene("cart_pole"))
    assert (np.abs(lean(world)) > 3.0).all()
    world.advance_to(8.0)
    assert (np.abs(lean(world)) < 1e-2).all()
    assert (np.abs(world.joints()["position"][CARTS]) < 1e-2).all()
    energy = world.energy()
    start = World(world.scene, python="off").energy()["total"]
    assert energy["total"] + energy["dissipated"] - energy["work"] == pytest.approx(start, abs=1e-9)
    assert abs(energy["numerics"]) < 1e-9
    world.pull("ball 1", (0, 0, 0), (0.4, -0.39, 1.5), 8.0)
    world.advance_to(8.4)
    world.release()
    assert np.abs(lean(world)[0]) > 0.02
    world.advance_to(16.0)
    assert (np.abs(lean(world)) < 1e-2).all()
    other = World(world.scene, python="off")
    other.replay(world.inputs, 16.0)
    assert other.digest == world.digest
