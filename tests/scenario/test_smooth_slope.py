"""What friction there is none of does nothing, and what begins to move does so at once."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World
from engine.scene.schema import Scene
from tests.scenes import ball, body, scene


@pytest.mark.parametrize("contact", ["constraint", "hybrid"])
def test_a_ball_that_slides_down_a_smooth_sphere_does_not_spin(contact: str) -> None:
    """Warm starts of loads whose normal has turned since are no friction. It leaves where cos = 2/3."""
    globe = body("globe", {"sphere": {"radius": 1.0}}, motion="fixed")
    at = 1.1002 * np.array([np.sin(0.3), 0.0, np.cos(0.3)])
    world = World(scene(globe, ball("ball", at, radius=0.1), friction=0.0, restitution=0.0, contact=contact))
    borne_to = 1.0
    for k in range(1, 200):
        world.advance_to(0.005 * k)
        place = np.array(world.body("ball").position)
        assert np.abs(world.body("ball").angular_velocity).max() < 1e-9
        if k > 4 and np.linalg.norm(world.contacts()["force"].sum(axis=0)) > 0.0:
            borne_to = float(place[2] / np.linalg.norm(place))
    assert borne_to == pytest.approx(2.0 / 3.0 * np.cos(0.3), abs=0.02)


@pytest.mark.parametrize("degrees", np.linspace(5.0, 175.0, 15))
def test_a_pendulum_falls_from_the_first_step_on(degrees: float) -> None:
    angle = np.radians(degrees)
    bob = body("bob", {"sphere": {"radius": 0.05}}, (np.sin(angle), 0.0, -np.cos(angle)), mass=1.0)
    said = scene(bob).model_dump(exclude_unset=True, by_alias=True)
    hinge = {"name": "pin", "kind": "hinge", "bodies": ["bob"], "point": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]}
    world = World(Scene.model_validate(said | {"joint": [hinge]}))
    t = 0.002
    world.advance_to(t)
    inertia = 1.0 + 0.4 * 0.05**2
    assert np.linalg.norm(world.body("bob").velocity) == pytest.approx(9.81 * np.sin(angle) / inertia * t, rel=1e-3)
