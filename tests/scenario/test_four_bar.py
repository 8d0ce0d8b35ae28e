"""The four-bar linkage of the gallery: a treadle that nothing rubs."""

from __future__ import annotations

from math import acos, atan2, hypot

import numpy as np
import pytest

from engine import World, load_scene

CRANK, ROD, PEDAL = 0.06, 0.6, 0.3
AXLE, PIVOT = np.array([0.0, 0.75]), np.array([-0.28, 0.15])


def pedal_angle(crank: float) -> float:
    """Of the pedal with the horizontal, for the crank's angle with it (Grashof 1883): the lower of two crossings."""
    pin = AXLE + CRANK * np.array([np.cos(crank), np.sin(crank)])
    x, z = pin - PIVOT
    reach = hypot(x, z)
    return atan2(z, x) - acos((reach**2 + PEDAL**2 - ROD**2) / (2 * reach * PEDAL))


def test_the_wheel_turns_for_ever_and_the_pedal_rocks() -> None:
    world = World(load_scene("four_bar"))
    begin = world.energy()["total"]
    swing: list[float] = []
    turns, last = 0.0, 0.0
    for _ in range(400):
        world.advance(0.0137)
        joints = world.joints()
        assert joints["gap"].max() < 1e-10 and joints["tilt"].max() < 1e-10
        crank = -float(joints["position"][0])
        turns += ((crank - last + np.pi) % (2 * np.pi) - np.pi) / (2 * np.pi)
        last = crank
        pedal = pedal_angle(0.0) - float(joints["position"][4])
        assert pedal == pytest.approx(pedal_angle(crank), abs=3e-9)
        swing.append(pedal)
        assert world.energy()["total"] == pytest.approx(begin, abs=1e-9 * abs(begin))
        assert world.energy()["total"] <= begin + 1e-10 * abs(begin)
    assert turns < -3.0
    assert max(swing) - min(swing) == pytest.approx(0.42, abs=0.05)
    assert world.counters["collisions"] == 0
