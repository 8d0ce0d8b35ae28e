"""URDF, element by element: what becomes of each in the scene, and what is said of the rest, with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.importing.remarks import Remarks
from engine.importing.robot import Names
from engine.importing.urdf import UrdfReader
from engine.importing.urdf_files import find_mesh
from engine.scene.problems import SceneError
from engine.scene.schema import Body, Scene
from tests.robots import ROBOTS, read_urdf

EVERY = read_urdf(ROBOTS / "every.urdf")
SCENE = EVERY.scene


def body(name: str, scene: Scene = SCENE) -> Body:
    return scene.body[scene.index(name)]


def urdf(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "model.urdf"
    path.write_text(f'<robot name="model">\n{text}\n</robot>\n')
    return path


LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'


def test_links_become_bodies_and_what_is_fixed_to_one_is_part_of_it() -> None:
    assert [one.name for one in SCENE.body] == ["base", "upper", "slide", "wheel", "head", "puck", "ball"]
    base = body("base")
    assert base.mass == 5.0 and base.motion == "free" and base.colour == "#cc331a"
    assert base.shape.compound is not None
    assert [piece.shape.kind for piece in base.shape.compound.pieces] == ["box", "cylinder"]
    centre = (4.0 * np.array([0.01, 0.02, 0.05]) + np.array([0.1, 0.0, 0.4])) / 5.0
    np.testing.assert_allclose(base.centre_of_mass, centre, rtol=1e-11)
    assert base.material is not None
    surface = SCENE.material[base.material]
    assert (surface.friction, surface.rolling_resistance, surface.restitution) == (0.7, 0.001, 0.3)


def test_joints_have_what_the_format_gives_them() -> None:
    joints = {joint.name: joint for joint in SCENE.joint}
    assert {name: joint.kind for name, joint in joints.items()} == {
        "shoulder": "hinge",
        "rail": "slider",
        "wheel": "hinge",
        "neck": "ball",
        "table": "planar",
    }
    shoulder, rail, wheel = joints["shoulder"], joints["rail"], joints["wheel"]
    assert shoulder.bodies == ("base", "upper")
    assert (shoulder.limits, shoulder.damping, shoulder.friction) == ((-1.0, 2.0), 0.4, 0.2)
    assert (rail.limits, rail.position) == ((0.1, 0.4), 0.1)
    assert wheel.limits is None and wheel.axis == (0.0, 1.0, 0.0)


def test_shapes_that_are_not_said_are_made() -> None:
    wheel, head, slide = body("wheel"), body("head"), body("slide")
    np.testing.assert_allclose(np.diag(wheel.inertia.matrix)[1], 0.5 * 0.1**2, rtol=1e-9)  # type: ignore[union-attr]
    assert head.ignores == ("*",) and head.shape.sphere is not None
    moments = np.linalg.eigvalsh(head.inertia.matrix)  # type: ignore[union-attr]
    np.testing.assert_allclose(moments, [0.05, 0.05, 0.1], rtol=1e-6)
    assert slide.shape.convex is not None  # the inner point is none of its corners, and scales differ by axis
    assert len(slide.shape.convex.vertices) == 6
    np.testing.assert_allclose(np.max(slide.shape.convex.vertices, axis=0), [0.1, 0.2, 0.1])


def test_everything_else_is_remarked_with_its_line() -> None:
    lines = (ROBOTS / "every.urdf").read_text().splitlines()
    said = {(remark.element, remark.message.split(":")[0]) for remark in EVERY.remarks}
    for remark in EVERY.remarks:
        assert remark.line is not None and f"<{remark.element}" in lines[remark.line - 1], remark
    for element in ("mimic", "transmission", "gazebo", "heap"):
        assert (element, "left out") in said
    assert ("limit", "effort 10 and velocity 3 left out") in said
    assert str(EVERY.remarks[0]).endswith('every.urdf:4: link: the base "base" is floating, for it has mass')


def test_the_base_stands_or_floats_and_the_ground_is_under_it() -> None:
    fixed = read_urdf(ROBOTS / "every.urdf", "fixed", ground=True).scene
    assert body("base", fixed).motion == "fixed" and body("base", fixed).mass is None
    assert body("base", fixed).position == (0.0, 0.0, 0.0)
    floating = read_urdf(ROBOTS / "every.urdf", "floating", ground=True).scene
    assert body("ground", floating).position == (0.0, 0.0, 0.0)
    assert body("base", floating).position[2] == pytest.approx(0.101)
    apart = [np.subtract(one.point, was.point) for one, was in zip(floating.joint, SCENE.joint)]
    np.testing.assert_allclose(apart, np.tile([0.0, 0.0, 0.101], (len(apart), 1)), atol=1e-12)


def test_links_without_mass_take_a_share_or_are_left_out(tmp_path: Path) -> None:
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/></joint>'
    text = LINK.format("base") + '<link name="cross"/>' + LINK.format("arm") + '<link name="end"/>'
    text += (
        joint.format("one", "base", "cross") + joint.format("two", "cross", "arm") + joint.format("last", "arm", "end")
    )
    imported = read_urdf(urdf(tmp_path, text))
    scene = imported.scene
    assert [one.name for one in scene.body] == ["base", "cross", "arm"]
    assert body("cross", scene).mass == pytest.approx(1e-3) and body("arm", scene).mass == pytest.approx(0.999)
    assert [joint.name for joint in scene.joint] == ["one", "two"]
    said = " ".join(remark.message for remark in imported.remarks)
    assert '"end" is left out' in said and '"cross" has no mass' in said


def test_a_chain_of_links_without_mass_and_shape_is_left_out_from_its_end_on(tmp_path: Path) -> None:
    joint = '<joint name="to {1}" type="continuous"><parent link="{0}"/><child link="{1}"/></joint>\n'
    text = LINK.format("base") + '\n<link name="pan"/>\n<link name="tilt"/>\n<link name="camera"/>\n'
    text += joint.format("base", "pan") + joint.format("pan", "tilt") + joint.format("tilt", "camera")
    imported = read_urdf(urdf(tmp_path, text))
    assert [one.name for one in imported.scene.body] == ["base"] and not imported.scene.joint
    said = [remark.message for remark in imported.remarks if "left out" in remark.message]
    assert said == [f'"{name}" is left out: it has neither mass nor shape' for name in ("pan", "tilt", "camera")]


def test_what_may_not_be_negative_is_nothing_and_remarked(tmp_path: Path) -> None:
    text = LINK.format("base") + LINK.format("arm").replace(
        "</link>", '\n<contact><lateral_friction value="-1"/></contact></link>'
    )
    text += '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/>\n'
    text += '<dynamics damping="-1" friction="-0.5"/></joint>'
    imported = read_urdf(urdf(tmp_path, text))
    (joint,) = imported.scene.joint
    assert (joint.damping, joint.friction, imported.scene.material["surface"].friction) == (0.0, 0.0, 0.0)
    assert [(one.line, one.message) for one in imported.remarks if "least" in one.message] == [
        (3, '"arm" loses its lateral_friction of -1: 0 is the least that there is'),
        (4, '"j" loses its damping of -1: 0 is the least that there is'),
        (4, '"j" loses its friction of -0.5: 0 is the least that there is'),
    ]


def test_a_world_link_is_the_world(tmp_path: Path) -> None:
    text = '<link name="world"/>' + LINK.format("arm")
    text += '<joint name="pin" type="continuous"><parent link="world"/><child link="arm"/></joint>'
    scene = read_urdf(urdf(tmp_path, text)).scene
    assert [one.name for one in scene.body] == ["arm"] and scene.joint[0].bodies == ("arm",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<link/>", "<link> says no name"),
        ("", "has no links"),
        (LINK.format("a") + LINK.format("a"), 'another link is called "a" too'),
        (LINK.format("a") + LINK.format("b"), "more than one root: a, b"),
        (LINK.format("a") + '<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint>', 'no link "c"'),
        (
            LINK.format("a")
            + LINK.format("b")
            + '<joint name="j" type="gear"><parent link="a"/><child link="b"/></joint>',
            '"gear" is no kind of joint',
        ),
        ('<link name="a"><collision><geometry><sphere radius="x"/></geometry></collision></link>', 'says radius="x"'),
        ('<link name="a">', "is no XML"),
    ],
)
def test_what_cannot_be_imported_is_an_error_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SceneError) as caught:
        path = urdf(tmp_path, text)
        UrdfReader(path, Remarks(str(path)), Names()).read(None)
    assert said in str(caught.value) and caught.value.problems[0].line is not None


def test_meshes_are_found_beside_the_model_and_in_packages(tmp_path: Path) -> None:
    (tmp_path / "robot" / "meshes").mkdir(parents=True)
    (tmp_path / "robot" / "urdf").mkdir()
    (tmp_path / "robot" / "meshes" / "arm 1.stl").write_text("")
    model = tmp_path / "robot" / "urdf" / "arm.urdf"
    found = tmp_path / "robot" / "meshes" / "arm 1.stl"
    for name in ("../meshes/arm 1.stl", "package://robot/meshes/arm%201.stl", f"file://{found}", "meshes/arm 1.stl"):
        assert find_mesh(model, name).resolve() == found.resolve()
    with pytest.raises(ValueError, match="there is no file"):
        find_mesh(model, "package://other/arm.stl")
