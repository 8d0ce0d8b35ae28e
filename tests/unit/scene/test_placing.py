"""Bodies put on what is below them, and pushed apart: gaps by closed forms, and by the distance of a world."""

from __future__ import annotations

from math import cos, radians, sqrt

import pytest

from engine.scene.overlaps import overlapping
from engine.scene.paths import set_path
from engine.scene.placing import drop, push_apart
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene
from engine.world import World

FLOOR = '[[body]]\nname = "floor"\nshape = { plane = {} }\nmotion = "fixed"\n'
RAMP = """[[body]]
name = "ramp"
shape = { box = [2.0, 2.0, 0.2] }
motion = "fixed"
orientation = { axis = [0, 1, 0], degrees = 30 }
"""


def made(*parts: str) -> Scene:
    return parse_scene(("format = 1\n" + "".join(parts)).encode(), "test", overlaps=False)


def ball(name: str, *position: float, radius: float = 0.1, more: str = "") -> str:
    shape = f"{{ sphere = {{ radius = {radius} }} }}"
    return f'[[body]]\nname = "{name}"\nshape = {shape}\nposition = {list(position)}\n{more}\n'


def moved(scene: Scene, name: str, shift: tuple[float, float, float]) -> Scene:
    position = scene.bodies[scene.index(name)].position
    return set_path(scene, f"body.{name}.position", [a + b for a, b in zip(position, shift, strict=True)])


def after(scene: Scene, name: str) -> tuple[Scene, float]:
    """The scene once a body is dropped, and how far it went down."""
    shift = drop(scene, {scene.index(name)})
    assert shift is not None and shift[:2] == (0.0, 0.0)
    return moved(scene, name, shift), -shift[2]


def test_a_ball_drops_to_the_floor() -> None:
    scene, way = after(made(FLOOR, ball("a", 0.3, 0.2, 1.0)), "a")
    assert way == pytest.approx(0.9, abs=2e-4)
    assert 0.0 < World(scene).distance("a", "floor") < 2e-4


def test_a_ball_drops_to_a_slope() -> None:
    """Its middle comes to rest at (0.1 + r) / cos 30 degrees over the slope's."""
    scene, way = after(made(FLOOR, RAMP, ball("a", 0.0, 0.0, 1.0)), "a")
    assert way == pytest.approx(1.0 - 0.2 / cos(radians(30.0)), abs=5e-4)
    assert 0.0 < World(scene).distance("a", "ramp") < 2e-4


def test_a_ball_grazes_another_and_stops_where_it_does() -> None:
    """0.19 m beside it, where they touch 0.06 m above: sqrt(0.2^2 - 0.19^2)."""
    scene, way = after(made(FLOOR, ball("low", 0.0, 0.0, 0.1), ball("a", 0.19, 0.0, 1.0)), "a")
    assert way == pytest.approx(0.9 - sqrt(0.2**2 - 0.19**2), abs=1e-3)
    assert 0.0 < World(scene).distance("a", "low") < 2e-4


def test_a_ball_that_passes_another_goes_to_the_floor() -> None:
    _, way = after(made(FLOOR, ball("low", 0.0, 0.0, 0.1), ball("a", 0.21, 0.0, 1.0)), "a")
    assert way == pytest.approx(0.9, abs=2e-4)


def test_into_a_bowl_and_past_it() -> None:
    bowl = (
        '[[body]]\nname = "bowl"\nmotion = "fixed"\nposition = [0, 0, 0.5]\n'
        "shape = { bowl = { radius = 0.4, depth = 0.2, thickness = 0.02 } }\n"
    )
    scene, _ = after(made(FLOOR, bowl, ball("a", 0.1, 0.0, 1.5)), "a")
    world = World(scene)
    assert 0.0 < world.distance("a", "bowl") < 2e-4 and world.distance("a", "floor") > 0.1
    _, way = after(made(FLOOR, bowl, ball("a", 0.6, 0.0, 1.5)), "a")
    assert way == pytest.approx(1.4, abs=2e-4)


def test_several_drop_as_one_and_nothing_is_below_what_falls_for_ever() -> None:
    scene = made(FLOOR, ball("a", 0.0, 0.0, 1.0), ball("b", 1.0, 0.0, 2.0))
    shift = drop(scene, {1, 2})
    assert shift is not None and shift[2] == pytest.approx(-0.9, abs=2e-4)
    assert drop(made(ball("a", 0.0, 0.0, 1.0), ball("b", 1.0, 0.0, 0.0)), {0}) is None


def test_down_is_where_gravity_goes() -> None:
    wall = '[[body]]\nname = "wall"\nshape = { box = [0.2, 4, 4] }\nmotion = "fixed"\nposition = [2, 0, 0]\n'
    shift = drop(made("[world]\ngravity = [3, 0, 0]\n", wall, ball("a", 0.0, 0.0, 0.0)), {1})
    assert shift == pytest.approx((1.8, 0.0, 0.0), abs=2e-4)


def test_two_balls_part_by_half_each() -> None:
    scene = made(ball("a", 0.0, 0.0, 0.0), ball("b", 0.15, 0.0, 0.0))
    shifts, left = push_apart(scene, {0, 1})
    assert left == 0
    assert shifts["a"] == pytest.approx((-0.025, 0.0, 0.0), abs=2e-4)
    assert shifts["b"] == pytest.approx((0.025, 0.0, 0.0), abs=2e-4)


def test_what_is_fixed_or_not_chosen_stays() -> None:
    scene = made(FLOOR, ball("a", 0.0, 0.0, 0.05), ball("b", 0.15, 0.0, 0.11))
    shifts, left = push_apart(scene, {1})
    assert set(shifts) == {"a"} and left == 0
    assert push_apart(scene, set()) == ({}, 2)


def test_a_heap_of_forty_is_parted_and_can_be_simulated() -> None:
    balls = [ball(f"b{k}", 0.07 * (k % 5), 0.07 * (k // 5 % 4), 0.1 + 0.07 * (k // 20)) for k in range(40)]
    scene = made(FLOOR, *balls)
    shifts, left = push_apart(scene, set(range(41)))
    assert left == 0 and "floor" not in shifts
    for name, shift in shifts.items():
        scene = moved(scene, name, shift)
    assert overlapping(scene) == []
    World(scene).advance_to(0.05)


def test_what_joints_tie_moves_together_and_what_hangs_from_the_world_does_not() -> None:
    hinge = '[[joint]]\nname = "j"\nkind = "ball"\nbodies = ["b", "c"]\npoint = [0.3, 0, 0]\n'
    parts = (ball("a", 0.0, 0.0, 0.0), ball("b", 0.15, 0.0, 0.0), ball("c", 0.45, 0.0, 0.0))
    shifts, left = push_apart(made(*parts, hinge), {0, 1, 2})
    assert left == 0 and shifts["b"] == shifts["c"] and shifts["a"][0] < 0.0 < shifts["b"][0]
    held = '[[joint]]\nname = "k"\nkind = "ball"\nbodies = ["c"]\npoint = [0.45, 0, 0]\n'
    shifts, left = push_apart(made(*parts, hinge, held), {0, 1, 2})
    assert set(shifts) == {"a"} and left == 0
