"""Linkages with loops against the closed forms of what they are built for."""

from __future__ import annotations

from math import asin, cos, sin, sqrt

import numpy as np
import pytest

from engine import World
from tests.linkages import joint, linked_scene, rod
from tests.scenes import Vector

Y = (0.0, 1.0, 0.0)


def hinge(name: str, bodies: list[str], point: Vector) -> dict[str, object]:
    return joint(name, "hinge", bodies, point, Y)


def test_a_slider_crank_stands_where_geometry_says() -> None:
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a), round and round."""
    crank, reach, start = 0.12, 0.4, 0.4
    pin = (crank * cos(start), 0.0, crank * sin(start))
    end = (pin[0] + sqrt(reach**2 - pin[2] ** 2), 0.0, 0.0)
    slider = {"name": "slider", "shape": {"box": [0.05, 0.05, 0.05]}, "mass": 0.5, "position": list(end)}
    wheel = rod("crank", (0, 0, 0), pin, 5.0, angular_velocity=[0.0, -14.0, 0.0])
    joints = [
        hinge("axle", ["crank"], (0, 0, 0)),
        hinge("pin", ["crank", "rod"], pin),
        hinge("wrist", ["rod", "slider"], end),
        joint("rail", "slider", ["slider"], end, (1, 0, 0)),
    ]
    world = World(linked_scene([wheel, rod("rod", pin, end), slider], joints))
    turned = 0.0
    for _ in range(60):
        world.advance(0.031)
        seen = world.joints()
        angle = start - float(seen["position"][0])
        lean = asin(crank / reach * sin(angle))
        x, speed = world.body("slider").position[0], -float(seen["velocity"][0])
        assert x == pytest.approx(crank * cos(angle) + reach * cos(lean), abs=1e-8)
        moves = -crank * speed * (sin(angle) + cos(angle) * np.tan(lean))
        assert world.body("slider").velocity[0] == pytest.approx(moves, abs=3e-7)
        turned = max(turned, abs(speed))
        assert seen["gap"].max() < 1e-8
    assert turned > 5.0


def test_peaucelliers_linkage_draws_a_straight_line() -> None:
    """Two long arms from the ground, a rhombus, and a crank as long as its pivot is from theirs (Peaucellier 1864).

    Of the corners on the line of symmetry one goes round on the crank's circle through the ground, the other straight:
    their distances from the ground have the product l^2 - s^2.
    """
    arm, side, crank = 0.5, 0.3, 0.15
    tilt = 0.3  # of the crank, from the axis of x
    inner = np.array([crank * (1.0 + cos(tilt)), crank * sin(tilt)])
    near = float(np.linalg.norm(inner))
    along = inner / near
    outer = (arm**2 - side**2) / near * along
    middle = 0.5 * (inner + outer)
    across = sqrt(side**2 - float(np.sum((outer - middle) ** 2))) * np.array([-along[1], along[0]])
    at = {"o": (0, 0, 0), "c": (crank, 0, 0)}
    for name, point in (("p", inner), ("q", outer), ("u", middle + across), ("d", middle - across)):
        at[name] = (float(point[0]), 0.0, float(point[1]))
    ends = {"ou": "ou", "od": "od", "pu": "pu", "pd": "pd", "qu": "qu", "qd": "qd", "cp": "cp"}
    bodies = [rod(name, at[pair[0]], at[pair[1]], mass=0.2, width=0.01) for name, pair in ends.items()]
    ties = [["ou"], ["od"], ["cp"], ["cp", "pu"], ["cp", "pd"], ["ou", "pu"], ["ou", "qu"], ["od", "pd"], ["od", "qd"]]
    points = ["o", "o", "c", "p", "p", "u", "u", "d", "d", "q"]
    joints = [hinge(f"j{k}", pair, at[points[k]]) for k, pair in enumerate([*ties, ["qu", "qd"]])]
    world = World(linked_scene(bodies, joints, gravity=(9.81, 0, 0)))
    line = (arm**2 - side**2) / (2.0 * crank)
    heights = []
    for _ in range(60):
        world.advance(0.02)
        seen = world.joints()
        assert seen["point"][-1, 0] == pytest.approx(line, abs=1e-8)
        heights.append(float(seen["point"][-1, 2]))
        assert seen["gap"].max() < 1e-8
    assert max(heights) - min(heights) > 0.1
