"""Impending motion: how the scene's bodies set off is what three formulations foretell (Baraff and Mattikalli 1993)."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import pytest

from engine import World, load_scene
from engine.analysis.impending import ImpendingMotion, impending_motion
from engine.model.model import MASS

G = 9.81
MICRO = 0.09
"""Speed of a microcollision in this scene, sqrt(2 g envelope) [m/s]: velocities under impulses waver by it."""


@pytest.fixture(scope="module")
def world() -> World:
    return World(load_scene("impending"))


@pytest.fixture(scope="module")
def motion(world: World) -> ImpendingMotion:
    return impending_motion(world.contact_problem())


def acceleration(world: World, motion: ImpendingMotion, name: str) -> np.ndarray:
    bodies = world.contact_problem().bodies.tolist()
    return motion.gauss[bodies.index(world.row(name))]


def test_everything_touches_and_the_formulations_agree(world: World, motion: ImpendingMotion) -> None:
    problem = world.contact_problem()
    assert len(problem.bodies) == 9
    assert len(problem.gap) == 34
    assert not problem.friction.any()
    np.testing.assert_allclose(problem.gap, 2e-4, atol=1e-9)
    assert motion.disagreement < 1e-12
    assert motion.rest == (False, False, False)


def test_wedge_and_block_obey_the_textbook(world: World, motion: ImpendingMotion) -> None:
    M, m = (world.model.bodies[world.row(name), MASS] for name in ("wedge", "block"))
    tilt = radians(30)
    pushed = m * G * sin(tilt) * cos(tilt) / (M + m * sin(tilt) ** 2)
    assert pushed == pytest.approx(2.93, abs=0.01)  # as the scene says
    np.testing.assert_allclose(acceleration(world, motion, "wedge"), (-pushed, 0, 0, 0, 0, 0), atol=1e-9)
    relative = (M + m) * G * sin(tilt) / (M + m * sin(tilt) ** 2)
    fall = (relative * cos(tilt) - pushed, 0, -relative * sin(tilt), 0, 0, 0)
    np.testing.assert_allclose(acceleration(world, motion, "block"), fall, atol=1e-9)


def test_ball_parts_the_wedges_alike(world: World, motion: ImpendingMotion) -> None:
    left, right, ball = (acceleration(world, motion, name) for name in ("left wedge", "right wedge", "ball"))
    np.testing.assert_allclose(left, -right, atol=1e-9)
    M, m = (world.model.bodies[world.row(name), MASS] for name in ("left wedge", "ball"))
    assert ball[2] == pytest.approx(-m * G / (m + 2 * M))  # at 45 degrees the ball falls as fast as the wedges part
    assert right[0] == pytest.approx(-ball[2])


def test_plank_turns_and_the_stack_stays(world: World, motion: ImpendingMotion) -> None:
    plank, buttress = acceleration(world, motion, "plank"), acceleration(world, motion, "buttress")
    assert plank[0] < -1 and plank[2] < -1 and abs(plank[4]) > 5
    assert buttress[0] > 1
    momentum = sum(
        world.model.bodies[world.row(name), MASS] * a[0] for name, a in (("plank", plank), ("buttress", buttress))
    )
    assert momentum == pytest.approx(0, abs=1e-9)  # the table pushes straight up
    for name in ("lower", "upper"):
        np.testing.assert_allclose(acceleration(world, motion, name), 0, atol=1e-9)


def test_played_the_bodies_set_off_as_foretold(motion: ImpendingMotion) -> None:
    """A tenth of a second under impulses; the plank has turned by then, and is left out."""
    played = World(load_scene("impending"))
    bodies = played.contact_problem().bodies.tolist()
    played.advance_to(0.1)
    for name in ("wedge", "block", "left wedge", "right wedge", "ball", "lower", "upper"):
        foretold = 0.1 * motion.forces[bodies.index(played.row(name)), :3]
        np.testing.assert_allclose(played.body(name).velocity, foretold, atol=0.5 * MICRO, err_msg=name)


def test_the_stack_keeps_still_while_the_rest_moves() -> None:
    played = World(load_scene("impending"))
    start = {name: played.body(name).position for name in ("lower", "upper")}
    played.advance_to(1.2)
    for name, x in start.items():
        np.testing.assert_allclose(played.body(name).position, x, atol=2e-3)
    assert played.smallest_gap > 0
