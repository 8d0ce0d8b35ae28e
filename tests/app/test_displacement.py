"""Bodies displaced as one, against matrices of scipy; and what is written then, as a person would write it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from app.document.displacement import Displacement, displaced
from app.document.edits import duplicate
from engine import World
from engine.scene.poses import start_poses
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene
from engine.scene.values import AxisAngle

SCENE = """
format = 1
[[body]]
name = "arm"
shape = { box = [0.2, 0.1, 0.1] }
position = [0.1, 0.2, 0.3]
[[body]]
name = "hand"
shape = { sphere = { radius = 0.05 } }
position = [0.4, 0.2, 0.3]
orientation = [0.8, 0.6, 0.0, 0.0]
[[body]]
name = "post"
shape = { box = [0.1, 0.1, 1.0] }
position = [1.0, 0.0, 0.5]
orientation = { axis = [0, 0, 2], degrees = 10 }
motion = "fixed"
[[repeat]]
name = "coin"
shape = { cylinder = { radius = 0.02, length = 0.004 } }
position = [2.0, 0.0, 0.1]
stack = { count = 3, step = [0.0, 0.0, 0.01] }
[[joint]]
name = "wrist"
kind = "hinge"
bodies = ["arm", "hand"]
point = [0.3, 0.2, 0.3]
axis = [0.0, 1.0, 0.0]
[[joint]]
name = "shoulder"
kind = "ball"
bodies = ["arm"]
point = [0.0, 0.2, 0.3]
"""


@pytest.fixture
def scene() -> Scene:
    return parse_scene(SCENE.encode(), "test", overlaps=False)


def matrices(scene: Scene) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions, and rotations as matrices."""
    return [(np.array(p[:3]), Rotation.from_quat(p[3:], scalar_first=True).as_matrix()) for p in start_poses(scene)]


def test_a_turn_is_rigid_about_its_pivot(scene: Scene) -> None:
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    pivot = (0.25, -0.1, 0.7)
    change = Displacement(degrees=37.0, axis=tuple(axis), pivot=pivot)
    after = displaced(scene, ("arm", "hand"), change)
    turn = Rotation.from_rotvec(np.radians(37.0) * axis).as_matrix()
    for row, ((x, r), (y, s)) in enumerate(zip(matrices(scene), matrices(after), strict=True)):
        if row < 2:
            assert y == pytest.approx(turn @ (x - pivot) + pivot, abs=1e-12)
            assert s == pytest.approx(turn @ r, abs=1e-12)
        else:
            assert (y == x).all() and (s == r).all()
    poses = np.array(start_poses(scene))[:2]
    shown = change.applied(poses)
    for (place, way), pose in zip(matrices(after)[:2], shown, strict=True):
        assert pose[:3] == pytest.approx(place, abs=1e-12)
        assert Rotation.from_quat(pose[3:], scalar_first=True).as_matrix() == pytest.approx(way, abs=1e-12)
    wrist, shoulder = after.joint
    assert wrist.point == pytest.approx(turn @ (np.array([0.3, 0.2, 0.3]) - pivot) + pivot, abs=1e-12)
    assert wrist.axis == pytest.approx(turn @ (0.0, 1.0, 0.0), abs=1e-12)
    assert shoulder == scene.joint[1], "the world stays where it is"


def test_numbers_have_no_noise(scene: Scene) -> None:
    after = displaced(scene, ("arm",), Displacement(shift=(0.2, 0.0, 0.0)))
    assert 0.1 + 0.2 != 0.3
    assert after.body[0].position == (0.3, 0.2, 0.3)
    assert after.joint[0].point == (0.3, 0.2, 0.3), "the hand has stayed"


def test_a_repeat_moves_as_a_whole(scene: Scene) -> None:
    after = displaced(scene, (), Displacement(shift=(0.0, 0.0, 0.5)), ("coin",))
    assert [body.position[2] for body in after.bodies[3:]] == pytest.approx([0.6, 0.61, 0.62])


def test_turns_about_one_axis_are_written_as_its_angle(scene: Scene) -> None:
    up = (0.0, 0.0, 1.0)
    post = displaced(scene, ("post",), Displacement(degrees=20.0, axis=up, pivot=(1.0, 0.0, 0.5))).body[2]
    assert post.orientation == AxisAngle(axis=(0.0, 0.0, 2.0), degrees=30.0)
    arm = displaced(scene, ("arm",), Displacement(degrees=-45.0, axis=(0.0, 1.0, 0.0))).body[0]
    assert arm.orientation == AxisAngle(axis=(0.0, 1.0, 0.0), degrees=-45.0)
    hand = displaced(scene, ("hand",), Displacement(degrees=20.0, axis=up)).body[1]
    assert isinstance(hand.orientation, tuple), "another axis: a quaternion"


def test_a_body_of_the_same_name_does_not_move_with_a_repeat(scene: Scene) -> None:
    alike = scene.model_copy(update={"body": (scene.body[0].model_copy(update={"name": "coin"}), *scene.body[1:])})
    change = Displacement(shift=(0.0, 0.0, 0.5))
    assert displaced(alike, (), change, ("coin",)).body[0].position == alike.body[0].position
    assert displaced(alike, ("coin",), change).repeat == alike.repeat


def test_what_turns_about_its_own_place_stays_there(scene: Scene) -> None:
    """The pivot is read off a picture, which is drawn of numbers of seven digits."""
    body = scene.body[0].model_copy(update={"position": (0.1, 0.2, 0.7)})
    placed = scene.model_copy(update={"body": (body, *scene.body[1:])})
    x, y, z = (float(np.float32(c)) for c in body.position)
    after = displaced(placed, (body.name,), Displacement(degrees=30.0, axis=(0.0, 0.0, 1.0), pivot=(x, y, z)))
    assert after.body[0].position == body.position


@pytest.mark.parametrize("names", [("arm",), ("hand",), ("arm", "hand")])
@pytest.mark.parametrize(
    "change",
    [
        Displacement(shift=(0.1, -0.2, 0.3)),
        Displacement(degrees=40.0, axis=(0.0, 0.0, 1.0), pivot=(0.2, 0.1, 0.0)),
        Displacement(degrees=-70.0, axis=(0.6, 0.0, 0.8), pivot=(0.0, 0.3, 0.1)),
    ],
)
def test_what_joints_turn_at_the_start_goes_where_it_is_shown_to_go(
    names: tuple[str, ...], change: Displacement
) -> None:
    """As the picture shows it: each chosen body by the displacement, the others not at all."""
    said = SCENE.replace("axis = [0.0, 1.0, 0.0]", "axis = [0.0, 1.0, 0.0]\nposition = 1.0")
    said = said.replace('kind = "ball"', 'kind = "hinge"\naxis = [0.0, 0.0, 1.0]\nposition = -0.7')
    scene = parse_scene(said.encode(), "test", overlaps=False)
    before, after = np.array(start_poses(scene)), np.array(start_poses(displaced(scene, names, change)))
    chosen = [body.name in names for body in scene.bodies]
    wanted = np.where(np.array(chosen)[:, None], change.applied(before), before)
    same = np.sign((wanted[:, 3:] * after[:, 3:]).sum(axis=1))[:, None]
    np.testing.assert_allclose(after[:, :3], wanted[:, :3], atol=1e-12)
    np.testing.assert_allclose(same * after[:, 3:], wanted[:, 3:], atol=1e-12)


ORBIT = """
format = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "moon"
shape = { box = [0.1, 0.1, 0.1] }
position = [0.5, 0.2, 1.0]
motion = { spinner = { axis = [0, 0, 1], rate = 2.0, centre = [0.2, 0.2, 1.0] } }
[[repeat]]
name = "ring"
shape = { box = [0.1, 0.1, 0.1] }
position = [0.5, 5.0, 1.0]
motion = { accelerated = { rate = 1.0, centre = [0.0, 5.0, 1.0] } }
stack = { count = 2, step = [0.0, 0.0, 0.5] }
"""


@pytest.mark.parametrize(
    "change",
    [
        Displacement(shift=(0.1, -0.2, 0.3)),
        Displacement(degrees=40.0, axis=(0.0, 0.0, 1.0), pivot=(0.2, 0.1, 0.0)),
        Displacement(degrees=-70.0, axis=(0.6, 0.0, 0.8), pivot=(0.5, 0.2, 1.0)),
    ],
)
def test_what_a_body_turns_about_goes_along(change: Displacement) -> None:
    """Where it gets by its motion is displaced as its start is."""
    scene = parse_scene(ORBIT.encode(), "test")
    before, after = World(scene), World(displaced(scene, ("moon",), change))
    for world in (before, after):
        world.advance_to(0.7)
    wanted = change.applied(before.poses()[:1])
    np.testing.assert_allclose(after.poses()[:1], wanted, atol=1e-9)


@pytest.mark.parametrize("degrees", [0.0, 90.0])
def test_what_a_repeat_turns_about_goes_along(degrees: float) -> None:
    """As far as its copies go, which are not turned."""
    scene = parse_scene(ORBIT.encode(), "test")
    change = Displacement(shift=(0.0, 0.0, 2.0), degrees=degrees, pivot=(0.5, 0.0, 0.0))
    (moved,) = displaced(scene, (), change, ("ring",)).repeat
    x, y, z = moved.position
    accelerated = moved.motion.accelerated  # type: ignore[union-attr]
    assert accelerated.centre == pytest.approx((x - 0.5, y, z), abs=1e-12) and accelerated.axis == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("beside", [False, True])
def test_a_copy_turns_about_a_centre_of_its_own(beside: bool) -> None:
    scene, (name,) = duplicate(parse_scene(ORBIT.encode(), "test"), ["moon"], beside)
    moon, copy = scene.body[0], scene.body[scene.index(name)]
    assert (copy.position != moon.position) is beside
    away = np.subtract(copy.position, moon.position)
    centre = copy.motion.spinner.centre  # type: ignore[union-attr]
    assert centre == pytest.approx(np.add((0.2, 0.2, 1.0), away), abs=1e-12)
