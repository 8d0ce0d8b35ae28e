"""Joints in scene files: read, checked, written back, and followed when bodies are renamed or removed."""

from __future__ import annotations

import pytest

from engine.scene.checks import find_problems
from engine.scene.paths import get_path, remove_body, rename, set_path
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene
from engine.scene.text import scene_text

HEAD = """format = 1
[[body]]
name = "crank"
shape = { box = [1, 0.1, 0.1] }
[[body]]
name = "rod"
shape = { box = [1, 0.1, 0.1] }
position = [1, 0, 0]
[[body]]
name = "wall"
shape = { box = [1, 1, 1] }
motion = "fixed"
position = [0, 0, 5]
[[repeat]]
name = "link"
shape = { sphere = { radius = 0.1 } }
position = [0, 5, 0]
grid = { count = [3, 1, 1], spacing = [0.3, 0, 0] }
"""
PIN = """# The pin.
[[joint]]
name = "pin"
kind = "hinge"
bodies = ["crank", "rod"]
point = [0.5, 0, 0]
axis = [0, 1, 0]
"""


def read(text: str) -> Scene:
    return parse_scene(text.encode(), "scene.toml", None, overlaps=False)


def problems(text: str) -> list[str]:
    with pytest.raises(SceneError) as caught:
        read(HEAD + text)
    return [str(problem) for problem in caught.value.problems]


def test_a_joint_is_read_and_written_back_to_the_letter() -> None:
    scene = read(HEAD + PIN)
    assert scene.joint[0].bodies == ("crank", "rod") and not scene.joint[0].collide
    assert scene_text(scene, HEAD + PIN) == HEAD + PIN
    assert read(scene_text(scene)) == scene
    moved = set_path(scene, "joint.pin.point[0]", 0.6)
    assert "# The pin." in scene_text(moved, HEAD + PIN)
    assert read(scene_text(moved, HEAD + PIN)) == moved


def test_links_of_a_repeat_and_the_world_can_be_tied() -> None:
    joint = '[[joint]]\nname = "{}"\nkind = "ball"\nbodies = {}\npoint = [0.15, 5, 0]\n'
    scene = read(HEAD + joint.format("a", '["link.0", "link.1"]') + joint.format("b", '["link.2"]'))
    assert find_problems(scene, overlaps=False) == []


@pytest.mark.parametrize(
    ("line", "wrong", "said"),
    [
        ('"crank", "rod"', '"crank", "rot"', 'there is no body "rot" (did you mean "rod"?)'),
        ('"crank", "rod"', '"crank", "crank"', 'joint.pin.bodies: ties "crank" to itself (two different bodies)'),
        ('"crank", "rod"', '"wall"', 'joint.pin.bodies: of "wall" none is free to move (a free body)'),
        ('"crank", "rod"', '"crank", "rod", "wall"', "joint.pin.bodies: names 3 bodies (two, such as"),
        ('"hinge"', '"hing"', 'joint.pin.kind: is "hing" (did you mean "hinge"?)'),
        ('"hinge"', '"weld"', "joint.pin.axis: is nothing that a weld has (no axis, or a hinge or slider)"),
        ("axis = [0, 1, 0]\n", "", "joint.pin.axis: is missing (the axis of the hinge, such as [0, 1, 0])"),
        ("axis = [0, 1, 0]", "axis = [0, 0, 0]", "joint.pin.axis: has no length"),
        ("point = [0.5, 0, 0]\n", "", "joint.pin.point: is missing (a list of 3 numbers in m)"),
        ("[0, 1, 0]\n", "[0, 1, 0]\nlimits = [1, 0.5]\n", "joint.pin.limits: from 1 to 0.5 is no way"),
        ("[0, 1, 0]\n", "[0, 1, 0]\nlimits = [1, 2]\n", "joint.pin.position: 0 is beyond its limits (from 1 to 2)"),
        ("[0, 1, 0]\n", "[0, 1, 0]\nlimit_restitution = 0.5\n", "joint.pin.limit_restitution: says how it rebounds"),
        ("[0, 1, 0]\n", "[0, 1, 0]\nspring = { stiffness = -1 }\n", "joint.pin.spring.stiffness: is -1"),
        ("[0, 1, 0]\n", "[0, 1, 0]\nspring = { rest = 1 }\n", "joint.pin.spring.stiffness: is missing"),
        ("[0, 1, 0]\n", "[0, 1, 0]\ndamping = -0.1\n", "joint.pin.damping: is -0.1"),
        (
            "[0, 1, 0]\n",
            "[0, 1, 0]\nhard_spring = { strength = 1, end = 0 }\n",
            "joint.pin.hard_spring: its end is where the joint starts",
        ),
        ("[0, 1, 0]\n", "[0, 1, 0]\nmotor = { kp = 1 }\n", "joint.pin.motor: says neither position nor velocity"),
        ("[0, 1, 0]\n", "[0, 1, 0]\nmotor = { position = 1, ki = 1 }\n", "joint.pin.motor.ki: sums up what is missing"),
        ('"hinge"', '"planar"\nfriction = 1', "joint.pin.friction: is nothing that a planar has (a hinge or slider)"),
    ],
)
def test_what_is_wrong_is_said(line: str, wrong: str, said: str) -> None:
    (problem,) = problems(PIN.replace(line, wrong))
    assert said in problem


def test_elements_are_read_and_written_back() -> None:
    elements = """spring = { stiffness = 50 }
hard_spring = { strength = 2.0, end = -0.1 }
damping = 0.1
friction = 0.2
limits = [-0.05, 1.5]
limit_restitution = 0.5
position = 0.25
velocity = -1.0
"""
    scene = read(HEAD + PIN + elements)
    (pin,) = scene.joint
    assert pin.spring is not None and (pin.spring.stiffness, pin.spring.rest) == (50.0, 0.0)
    assert pin.limits == (-0.05, 1.5) and pin.stops and pin.acts
    assert scene_text(scene, HEAD + PIN + elements) == HEAD + PIN + elements
    assert read(scene_text(scene)) == scene
    assert read(HEAD + PIN + "spring = 50\n").joint[0].spring == pin.spring
    slack = set_path(scene, "joint.pin.spring.rest", 0.2)
    assert get_path(slack, "joint.pin.spring.rest") == 0.2 and read(scene_text(slack)) == slack


def test_a_joint_in_a_loop_starts_where_its_bodies_are() -> None:
    loop = PIN + PIN.replace('"pin"', '"other"').replace("[0.5, 0, 0]", "[0.5, 0.1, 0]") + "position = 0.1\n"
    (problem,) = problems(loop)
    assert "joint.other.position: other joints close a loop with it" in problem
    scene = read(HEAD + PIN + PIN.replace('"pin"', '"other"').replace("[0.5, 0, 0]", "[0.5, 0.1, 0]"))
    with pytest.raises(SceneError, match="close a loop"):
        set_path(scene, "joint.other.velocity", 1.0)


def test_two_joints_of_one_name_are_told_apart() -> None:
    assert any('another joint is called "pin" too' in problem for problem in problems(PIN + PIN))


def test_joints_follow_their_bodies() -> None:
    scene = read(HEAD + PIN)
    assert rename(scene, "body.rod", "coupler").joint[0].bodies == ("crank", "coupler")
    assert remove_body(scene, "rod").joint == ()
    assert remove_body(scene, "wall").joint == scene.joint
    assert get_path(rename(scene, "joint.pin", "bolt"), "joint.bolt.kind") == "hinge"
    with pytest.raises(SceneError, match='there is no body "rode"'):
        set_path(scene, "joint.pin.bodies", ["crank", "rode"])


@pytest.mark.parametrize(("path", "value"), [("world.order", 1), ("world.contact", "penalty")])
def test_a_world_that_cannot_hold_joints_is_not_chosen_for_them(path: str, value: object) -> None:
    with pytest.raises(SceneError, match="cannot hold joints"):
        set_path(read(HEAD + PIN), path, value)
    assert get_path(set_path(read(HEAD), path, value), path) == value


def test_bodies_that_a_joint_ties_may_overlap() -> None:
    text = HEAD.replace("position = [1, 0, 0]", "position = [0.9, 0, 0]")
    assert any("inside" in str(problem) for problem in find_problems(read(text)))
    assert find_problems(read(text + PIN)) == []
    assert any("inside" in str(problem) for problem in find_problems(read(text + PIN + "collide = true\n")))
