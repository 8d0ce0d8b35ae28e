"""MJCF, element by element: what becomes of each in the scene, and what is said of the rest, with its line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

pytest.importorskip("mujoco")

from engine.importing.model_file import Imported, import_model, imported_text
from engine.scene.problems import SceneError
from engine.scene.reading import parse_scene
from tests.robots import ROBOTS, read_mjcf

EVERY = read_mjcf(ROBOTS / "every.xml")
SCENE = EVERY.scene
JOINTS = {joint.name: joint for joint in SCENE.joint}
BODIES = {body.name: body for body in SCENE.body}


def model(tmp_path: Path, text: str) -> Imported:
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco>\n{text}\n</mujoco>\n")
    return read_mjcf(path)


def test_bodies_and_the_world() -> None:
    assert SCENE.world.gravity == (0.0, 0.0, -9.8)
    assert BODIES["world floor"].shape.kind == "plane" and BODIES["world block"].position == (3.0, 0.0, 0.1)
    assert BODIES["shelf"].motion == "fixed"
    assert BODIES["cart"].mass == 2.0 and BODIES["cart"].colour == "#336699"
    assert BODIES["hand"].shape.compound is not None  # with the nail that is fixed to it
    assert [piece.shape.kind for piece in BODIES["hand"].shape.compound.pieces] == ["ellipsoid", "cylinder"]
    assert BODIES["free"].shape.kind == "convex"


def test_joints_have_what_the_format_gives_them() -> None:
    track, hinge = JOINTS["track"], JOINTS["hinge"]
    assert track.bodies == ("cart",) and track.limits == (-2.0, 2.0) and track.damping == 0.0
    assert hinge.limits == pytest.approx((-math.pi / 3, math.pi / 2)) and hinge.friction == 0.1
    assert hinge.spring is not None and hinge.spring.rest == pytest.approx(math.pi / 6)
    assert JOINTS["ball"].kind == "ball" and JOINTS["ball"].damping == 0.3
    assert JOINTS["turn"].kind == "planar" and JOINTS["turn"].axis == (0.0, 1.0, 0.0)
    chain = [JOINTS[name].bodies for name in ("yaw", "pitch", "roll")]
    assert chain == [("pole", "yaw carrier"), ("yaw carrier", "pitch carrier"), ("pitch carrier", "hand")]
    assert "free" not in [name for joint in SCENE.joint if joint.name not in ("ball", "knee") for name in joint.bodies]


def test_actuators_become_motors_where_they_seek_something() -> None:
    servo, brake = JOINTS["hinge"].motor, JOINTS["track"].motor
    assert servo is not None and brake is not None
    # torque = gear kp (ctrl - gear q) - gear kv gear q', the control clamped to 0.3, forces by gear
    assert (servo.position, servo.kp, servo.kv, servo.limit) == pytest.approx((0.1, 180.0, 18.0, 24.0))
    assert (brake.velocity, brake.kv, brake.limit) == (0.0, 4.0, None)
    assert JOINTS["yaw"].motor is None


def test_surfaces_meet_as_there() -> None:
    assert SCENE.material["surface"].spinning_resistance == 0.0  # of three dimensions of friction, none spins
    assert SCENE.material["surface 2"].rolling_resistance == 0.0001
    assert SCENE.pair[0].friction == 0.8  # the larger one counts


def test_who_collides_is_as_there() -> None:
    assert BODIES["pole"].ignores == ("hand",)  # parent and child, though carriers are between them
    assert BODIES["knob"].ignores == ("other",)  # as it says
    assert BODIES["yaw carrier"].ignores == ("*",)


def test_bits_of_contact_make_a_group(tmp_path: Path) -> None:
    arm = '<body name="{0}" pos="{1} 0 1"><joint/><geom size=".1" contype="1" conaffinity="0"/></body>'
    text = '<worldbody><geom type="plane" size="1 1 1" conaffinity="1"/>'
    text += "".join(arm.format(name, k) for k, name in enumerate("abc")) + "</worldbody>"
    scene = model(tmp_path, text).scene
    assert [body.group for body in scene.body] == [None, "robot", "robot", "robot"]
    assert not any(body.ignores for body in scene.body)


def test_loops_are_joints(tmp_path: Path) -> None:
    text = '<worldbody><body name="a"><joint axis="0 1 0"/><geom size=".1"/></body>'
    text += '<body name="b" pos="1 0 0"><joint axis="0 1 0"/><geom size=".1"/></body></worldbody>'
    text += '<equality>\n<connect name="pin" body1="a" body2="b" anchor="0.5 0 0"/>\n<joint joint1="0"/></equality>'
    text = text.replace("<joint axis", '<joint name="j" axis', 1).replace('joint1="0"', 'joint1="j"')
    imported = model(tmp_path, text)
    pin = imported.scene.joint[-1]
    assert (pin.name, pin.kind, pin.bodies, pin.point) == ("pin", "ball", ("a", "b"), (0.5, 0.0, 0.0))
    assert any(remark.element == "equality" and remark.line == 4 for remark in imported.remarks)


def test_everything_else_is_remarked_with_its_line() -> None:
    lines = (ROBOTS / "every.xml").read_text().splitlines()
    said = {(remark.line, remark.element): remark for remark in EVERY.remarks}
    wanted = {"option": 3, "texture": 10, "site": 19, "joint": 17, "fixed": 47, "actuator": 51, "jointpos": 54}
    for element, line in wanted.items():
        assert (line, element) in said
        assert element == "actuator" or f"<{element}" in lines[line - 1]


def said_of(imported: Imported, element: str) -> list[str]:
    return [f"{remark.line}: {remark.message}" for remark in imported.remarks if remark.element == element]


HINGED = (
    '<worldbody>\n<body name="arm" pos="0 0 1"><joint name="j" axis="0 1 0" {0}/><geom size=".1"/></body></worldbody>'
)


def test_what_may_not_be_negative_is_nothing_and_remarked(tmp_path: Path) -> None:
    text = HINGED.format('damping="-1" frictionloss="-2" stiffness="-3"').replace(
        'size=".1"', 'size=".1" friction="-1"'
    )
    imported = model(tmp_path, text.replace("<geom", '<geom name="ball"'))
    (joint,) = imported.scene.joint
    assert (joint.damping, joint.friction, joint.spring) == (0.0, 0.0, None)
    assert imported.scene.material["surface"].friction == 0.0
    lost = [("damping", -1), ("frictionloss", -2), ("stiffness", -3)]
    assert said_of(imported, "joint") == [
        f'3: "j" loses its {key} of {value}: 0 is the least that there is' for key, value in lost
    ]
    assert said_of(imported, "geom") == ['3: "ball" loses its friction of -1: 0 is the least that there is']


def test_what_joints_and_those_that_float_lose_is_remarked(tmp_path: Path) -> None:
    imported = model(tmp_path, HINGED.format('type="free" damping="1" frictionloss="2"').replace('axis="0 1 0"', ""))
    lost = [f'3: "j" loses its {key}: a free joint has none' for key in ("damping", "frictionloss")]
    assert said_of(imported, "joint") == lost
    assert not said_of(model(tmp_path, HINGED.format('damping="1" stiffness="3"')), "joint")


def test_of_polynomials_the_first_number_counts(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    if not hasattr(mujoco.MjModel, "jnt_stiffnesspoly"):
        pytest.skip("this MuJoCo has none")
    imported = model(tmp_path, HINGED.format('damping="1 2 3" stiffness="3 4"'))
    (joint,) = imported.scene.joint
    assert joint.damping == 1.0 and joint.spring is not None and joint.spring.stiffness == 3.0
    assert said_of(imported, "joint") == [
        '3: "j" keeps 1 of its damping of 1 2 3: here it is one number',
        '3: "j" keeps 3 of its stiffness of 3 4 0: here it is one number',
    ]


def test_what_actuators_lose_is_remarked(tmp_path: Path) -> None:
    text = HINGED.format('actuatorfrcrange="-1 2"') + "<actuator>\n"
    text += '<general name="m" joint="j" biastype="affine" gainprm="4" biasprm="0 -5 1" forcerange="-3 5"/></actuator>'
    imported = model(tmp_path, text)
    motor = imported.scene.joint[0].motor
    assert motor is not None and (motor.kp, motor.kv, motor.limit) == (5.0, 0.0, 2.0)
    assert said_of(imported, "actuator")[:3] == [
        '4: "m" loses its bias of 1 by speed: a motor brakes, and does not drive on',
        '4: "m" loses its forcerange of -3 to 5: it bears up to 5 in both directions',
        '4: "m" loses its actuatorfrcrange of -1 to 2: it bears up to 2 in both directions',
    ]


def test_a_weld_that_wants_another_pose_is_remarked(tmp_path: Path) -> None:
    body = '<body name="{0}" pos="{1} 0 0"><joint axis="0 1 0"/><geom size=".1"/></body>'
    text = f"<worldbody>{body.format('a', 0)}{body.format('b', 1)}</worldbody><equality>\n"
    text += '<weld name="w" body1="a" body2="b" anchor="0.1 0.2 0" {0}/></equality>'
    changed = ['3: "w" holds its bodies as they stand at the start, not at its relpose']
    for pose, said in (
        ("", []),
        ('relpose="1.1 0.2 0 1 0 0 0"', []),
        ('relpose="1.1 0.3 0 1 0 0 0"', changed),
        ('relpose="1.1 0.2 0 0.7 0.7 0 0"', changed),
    ):
        imported = model(tmp_path, text.format(pose))
        assert said_of(imported, "equality") == said
        assert [joint.kind for joint in imported.scene.joint] == ["hinge", "hinge", "weld"]


def test_friction_that_only_the_other_shape_asks_for_is_remarked(tmp_path: Path) -> None:
    """Of two that meet MuJoCo takes the larger condim; a scene's materials each have what their own says."""
    text = '<worldbody><geom name="floor" type="plane" size="1 1 1" condim="1" friction="0.9 {0} 0"/>\n'
    text += '<geom name="post" size=".1" pos="3 0 0" condim="4"/>'
    text += (
        '<body name="b" pos="0 0 1"><freejoint/><geom name="ball" size=".1" condim="4" friction="0.5 0.1 0"/></body>'
    )
    text += "</worldbody>"
    of = '2: "floor", of condim 1, loses its sliding friction of 0.9{0} where it meets "ball", of 4'
    assert said_of(model(tmp_path, text.format("0.05")), "geom") == [of.format("")]
    assert said_of(model(tmp_path, text.format("0.2")), "geom") == [of.format(" and spinning friction of 0.2")]
    assert not said_of(model(tmp_path, text.format("0.05").replace('condim="1"', 'condim="3"')), "geom")


def test_the_text_has_the_remarks_and_reads_back_as_the_scene() -> None:
    text = imported_text(EVERY)
    assert all(f"# {remark}\n" in text for remark in EVERY.remarks)
    assert parse_scene(text.encode(), "every.toml", None, overlaps=False) == SCENE


def test_includes_keep_their_lines(tmp_path: Path) -> None:
    (tmp_path / "inner.xml").write_text("<mujoco>\n\n<visual/>\n<worldbody><light/></worldbody></mujoco>")
    imported = model(
        tmp_path, '<include file="inner.xml"/>\n<worldbody><body><joint/><geom size="1"/></body></worldbody>'
    )
    assert [(Path(one.file).name, one.line) for one in imported.remarks if one.element in ("visual", "light")] == [
        ("inner.xml", 3),
        ("inner.xml", 4),
    ]


def test_what_mujoco_does_not_take_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="MuJoCo does not take it"):
        model(tmp_path, "<worldbody><body><geom/></body></worldbody>")


def test_flags_are_heeded_or_remarked(tmp_path: Path) -> None:
    text = '<option gravity="0 0 -5">\n<flag gravity="disable" contact="disable" limit="enable"/></option>'
    text += '<worldbody><body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody>'
    imported = model(tmp_path, text)
    assert imported.scene.world.gravity == (0.0, 0.0, 0.0)
    (remark,) = (remark for remark in imported.remarks if remark.element == "flag")
    assert remark.line == 3 and "contact" in str(remark)


def test_a_joint_and_a_loop_of_one_name_are_two(tmp_path: Path) -> None:
    text = '<worldbody><body name="a"><joint name="knee" axis="0 1 0"/><geom size=".1"/></body>'
    text += '<body name="b" pos="1 0 0"><joint name="hip" axis="0 1 0"/><geom size=".1"/></body></worldbody>'
    text += '<equality><connect name="knee" body1="a" body2="b" anchor="0.5 0 0"/></equality>'
    assert [joint.name for joint in model(tmp_path, text).scene.joint] == ["knee", "hip", "knee_2"]


def test_options_of_urdf_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text('<mujoco><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>')
    with pytest.raises(SceneError, match="what is fixed, and where"):
        import_model(path, ground=True)
