"""How many points of a lasting contact a scene's state has room for."""

from __future__ import annotations

import pytest

from engine.collision.narrow.manifold import MOST_POINTS, OUTLINE_ROWS
from engine.model.state import most_points
from engine.scene.build import build
from engine.scene.schema import Scene

BALL = {"shape": {"sphere": {"radius": 0.1}}}
BOX = {"shape": {"box": [0.2, 0.2, 0.2]}}


def room(contact: str, *shapes: dict[str, object]) -> int:
    ground = {"name": "ground", "motion": "fixed", "shape": {"box": [4.0, 4.0, 0.2]}}
    bodies = [{"name": f"body{k}", "position": [0.5 * k, 0.0, 1.0]} | shape for k, shape in enumerate(shapes)]
    scene = Scene.model_validate({"format": 1, "world": {"contact": contact}, "body": [ground, *bodies]})
    return most_points(build(scene).state.patches)


@pytest.mark.parametrize(
    ("contact", "round_ones", "others"),
    [("impulse", 0, 0), ("hybrid", 1, MOST_POINTS), ("constraint", 1, MOST_POINTS), ("penalty", 1, OUTLINE_ROWS)],
)
def test_what_is_round_has_room_for_one_point(contact: str, round_ones: int, others: int) -> None:
    assert room(contact, BALL, BALL) == round_ones
    assert room(contact, BALL, BOX) == others
