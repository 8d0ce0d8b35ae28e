"""A loaded ball turns upside down, as a tippe top does (Cohen 1977; Ueda, Sasaki and Watanabe 2005)."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.geometry.shapes import rotation_matrix
from engine.scene.paths import set_path
from engine.scene.schema import Scene

RADIUS, KNOB, KNOB_PLACE = 0.02, 0.006, 0.0175
"""Of the ball and its knob, and the knob's place on the axis [m]."""
RING = [(0.005, 0.0, -0.005), (0.0, 0.005, -0.005), (-0.005, 0.0, -0.005), (0.0, -0.005, -0.005)]
"""Where the weights are, 15 g each [m]."""


class Top:
    """Its mass [kg], height of the centre of mass over the ball's middle [m], moments across and along its axis."""

    def __init__(self, places: list[tuple[float, float, float]], knob: bool) -> None:
        radii = np.array([RADIUS, KNOB] if knob else [RADIUS])
        balls = 700.0 * 4.0 / 3.0 * np.pi * radii**3
        masses = np.concatenate([balls, np.full(4, 0.015)])
        at = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, KNOB_PLACE)][: len(radii)] + places)
        self.mass = float(masses.sum())
        centre = masses @ at / masses.sum()
        away = at - centre
        self.centre = float(centre[2])
        own = float(0.4 * balls @ radii**2)
        self.across = own + float(masses @ (away[:, 1] ** 2 + away[:, 2] ** 2))
        self.along = own + float(masses @ (away[:, 0] ** 2 + away[:, 1] ** 2))

    def jellett(self, turn: np.ndarray, spin: np.ndarray) -> float:
        """Angular momentum times the way from the contact to the centre of mass [kg m³/s]: friction keeps it."""
        momentum = turn @ (np.array([self.across, self.across, self.along]) * (turn.T @ spin))
        return float(momentum @ (np.array([0.0, 0.0, RADIUS]) + self.centre * turn[:, 2]))

    def lowest(self, jellett: float) -> float:
        """Cosine of the tilt at which a ball without a knob has the least energy that this integral allows."""
        cosine = np.linspace(-1.0, 1.0, 20001)
        reach = self.across * RADIUS**2 * (1.0 - cosine**2) + self.along * (RADIUS * cosine + self.centre) ** 2
        energy = jellett**2 / (2.0 * reach) + self.mass * 9.81 * self.centre * cosine
        return float(cosine[energy.argmin()])


def turn_of(world: World) -> np.ndarray:
    return np.asarray(rotation_matrix(world.poses()[world.names.index("top"), 3:]))


def spin_of(world: World) -> np.ndarray:
    return np.asarray(world.twists()[world.names.index("top"), 3:])


def with_friction(scene: Scene, friction: float) -> Scene:
    for name in ("table", "wood"):
        scene = set_path(scene, f"material.{name}.friction", friction)
    return scene


def ball_only(places: list[tuple[float, float, float]]) -> Scene:
    """The scene's top without its knob, other weights in it, on a table of more friction."""
    scene = set_path(load_scene("tippe_top"), "body.top.shape", {"sphere": {"radius": RADIUS}})
    weights = [{"mass": 0.015, "position": list(place)} for place in places]
    return with_friction(set_path(scene, "body.top.attached", weights), 0.2)


def test_it_stands_up_on_its_knob() -> None:
    top, world = Top(RING, True), World(load_scene("tippe_top"))
    assert 1.0 + top.centre / RADIUS < top.across / top.along < 1.0 - top.centre / RADIUS
    kept = top.jellett(turn_of(world), spin_of(world))
    low, least, upright = world.energy()["potential"], world.energy()["total"], turn_of(world)[2, 2]
    hop = top.mass * 9.81 * 2e-5  # what a microcollision may lift by: the envelope
    ball = 0
    for k in range(1, 41):
        world.advance_to(0.1 * k)
        assert world.energy()["total"] < least + hop
        least = min(least, world.energy()["total"])
        if turn_of(world)[2, 2] > -0.78:  # from -0.8 on the knob is what touches
            ball += 1
            assert top.jellett(turn_of(world), spin_of(world)) == pytest.approx(kept, rel=0.01)
    assert ball > 10
    assert world.smallest_gap > 0.0
    cosine = turn_of(world)[2, 2]
    assert cosine < -0.96  # it wobbles there, in ever finer steps as well
    lift = (world.energy()["potential"] - low) / (9.81 * top.mass)
    assert lift == pytest.approx(KNOB - cosine * (KNOB_PLACE - top.centre) - RADIUS - top.centre * upright, rel=0.02)


def test_without_friction_it_stays_as_it_was() -> None:
    world = World(with_friction(load_scene("tippe_top"), 0.0))
    for k in range(1, 21):
        world.advance_to(0.1 * k)
        assert turn_of(world)[2, 2] > 0.95


@pytest.mark.parametrize(
    ("places", "turns"),
    [
        (RING, "over"),
        ([(0.0, 0.0, -0.012)] * 2 + [(0.0, 0.0, 0.002)] * 2, "partly"),
        ([(2.6 * x, 2.6 * y, z) for x, y, z in RING], "never"),
    ],
)
def test_the_moments_decide_how_far_a_ball_turns(places: list[tuple[float, float, float]], turns: str) -> None:
    """Three kinds of tops, of one centre of mass (Ueda, Sasaki and Watanabe 2005)."""
    top, world = Top(places, False), World(ball_only(places))
    lowest = top.lowest(top.jellett(turn_of(world), spin_of(world)))
    world.advance_to(4.0)
    found = turn_of(world)[2, 2]
    if turns == "over":
        assert lowest == -1.0 and found < -0.97
    elif turns == "partly":
        assert -0.5 < lowest < 0.5
        assert found == pytest.approx(lowest, abs=0.12)
    else:
        assert top.across / top.along < 1.0 + top.centre / RADIUS, "there is a way down only beyond a rise"
        assert found > 0.99
