"""Seven balls in a shallow dish settle as the thesis shows them (Mirtich 1996, 7.1 and figure 7.5)."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.paths import set_path


@pytest.mark.parametrize(
    ("contact", "until", "off", "slow"), [("impulse", 6.0, 0.05, 0.03), ("hybrid", 3.0, 0.5, 1e-9)]
)
def test_one_ball_rests_in_the_middle_and_six_around_it(contact: str, until: float, off: float, slow: float) -> None:
    """By impulses they tremble until they lie best; friction holds them before that, by half a radius."""
    scene = set_path(load_scene("balls_in_dish"), "world.contact", contact)
    world = World(scene)
    balls = [row for row, body in enumerate(scene.bodies) if body.motion == "free"]
    radius = scene.repeat[0].shape.value.radius
    world.advance_to(until)
    places = world.poses()[balls, :2]
    away = np.sort(np.hypot(*places.T))
    assert away[0] < off * radius
    assert np.abs(away[1:] / (2 * radius) - 1).max() < off
    outer = places[np.hypot(*places.T) > radius]
    turns = np.sort(np.arctan2(outer[:, 1], outer[:, 0]))
    assert np.abs(np.diff(turns) - np.pi / 3).max() < 0.05 + off
    assert np.abs(world.twists()[balls, :2]).max() < slow
    assert world.smallest_gap > 0.0
