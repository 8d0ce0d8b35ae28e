"""`carom import` as a person uses it: a report, a scene that checks, and one line for what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.__main__ import main
from engine.scene.reading import load_scene
from tests.robots import ROBOTS


def test_a_robot_becomes_a_scene_that_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "robot.toml"
    assert main(["import", str(ROBOTS / "every.urdf"), str(out), "--fixed", "--ground"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1] == f"{out}: 8 bodies, 5 joints"
    assert any(f"{ROBOTS / 'every.urdf'}:32: mimic: left out" in line for line in printed)
    assert all(f"# {line}" in out.read_text() for line in printed[:-1])
    assert load_scene(out).body[1].motion == "fixed"
    assert main(["check", str(out)]) == 0


def test_what_starts_inside_something_is_lifted_or_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><collision>'
    link += '<geometry><sphere radius="0.3"/></geometry></collision></link>'
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="0.1 0 0"/></joint>'
    text = "".join(link.format(name) for name in "abc") + joint.format("j", "a", "b") + joint.format("k", "b", "c")
    (tmp_path / "chain.urdf").write_text(f'<robot name="chain">{text}</robot>')
    assert main(["import", str(tmp_path / "chain.urdf"), str(tmp_path / "chain.toml")]) == 0
    assert '"a" and "c" start 0.4 m inside each other: they do not collide' in capsys.readouterr().out
    scene = load_scene(tmp_path / "chain.toml")
    assert scene.body[1].ignores == ("c",) and scene.body[0].name == "ground"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.urdf", "<world/>", "<world> is no model (a URDF (<robot>) or MJCF (<mujoco>) file)"),
        ("cut.urdf", "<robot>", "is no XML: no element found (a whole XML file)"),
    ],
)
def test_what_is_no_model_is_one_line(
    name: str, text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text)
    assert main(["import", str(tmp_path / name), str(tmp_path / "out.toml")]) == 1
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1 and not (tmp_path / "out.toml").exists()
