"""Joints in the window: in the tree, in the inspector, drawn, plotted."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QPushButton

from app.document.document import Document
from app.view.forms.numbers import NumberBox
from app.view.forms.rows import ChoiceBox, TextBox
from app.view.inspector.joint_page import JointPage
from app.view.overlays.joints import AXES, HANDS, WAYS, make_marks, place_marks
from app.view.window.main_window import MainWindow
from engine import World
from engine.scene.joints import Motor, Spring
from engine.scene.schema import Scene
from engine.scene.writing import save_scene
from tests.linkages import joint, linked_scene, rod

LEFT = Qt.MouseButton.LeftButton


def arm(**more: object) -> Scene:
    """Two rods: one hangs from the world by a hinge, the other slides along it."""
    rods = [rod("upper", (0, 0, 0), (0.5, 0, 0)), rod("lower", (0.5, 0, 0), (1.0, 0, 0))]
    joints = [
        joint("shoulder", "hinge", ["upper"], (0, 0, 0), (0, 1, 0)) | more,
        joint("elbow", "slider", ["upper", "lower"], (0.5, 0, 0), (1, 0, 0)) | {"limits": [-0.1, 0.2], "spring": 50.0},
    ]
    return linked_scene(rods, joints)


def test_marks_go_with_the_bodies_that_they_belong_to() -> None:
    scene = arm(limits=[-1.0, 1.0], position=0.4)
    marks = make_marks(scene, 0.2)
    world = World(scene)
    for t in (0.0, 0.2):
        world.advance_to(t)
        poses, joints = world.poses(), world.joints()
        for number in (0, 1):
            (axis, dot) = place_marks(marks, poses, (marks.joint == number) & (marks.kind == AXES))[:2]
            assert np.abs(dot[0] - dot[1]).max() < 1e-9
            along = (axis[1] - axis[0]) / np.linalg.norm(axis[1] - axis[0])
            assert np.abs(along - joints["axis"][number]).max() < 1e-6
        hand = place_marks(marks, poses, (marks.joint == 0) & (marks.kind == HANDS))[0]
        arc = place_marks(marks, poses, (marks.joint == 0) & (marks.kind == WAYS))
        way, start = hand[1] - hand[0], arc[0, 0] - hand[0]
        turned = np.arccos(way @ start / np.linalg.norm(way) / np.linalg.norm(start))
        assert turned == pytest.approx(joints["position"][0] + 1.0, abs=1e-4)  # from the lower limit


def test_a_document_knows_the_joint_that_is_looked_at() -> None:
    document = Document()
    document.restore(arm(), None, "arm")
    assert document.focused_joint() == -1
    document.set_focus("joint.elbow")
    assert document.focused_joint() == 1


def choose(window: MainWindow, name: str) -> None:
    """A click on a joint in the tree."""
    (item,) = window.tree.findItems(name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    window.tree.scrollToItem(item)
    QTest.mouseClick(window.tree.viewport(), LEFT, pos=window.tree.visualItemRect(item).center())


def type_into(window: MainWindow, name: str, text: str) -> None:
    """A number into a box of the inspector."""
    box = window.inspector.page.findChild(NumberBox, name)
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, text)
    QTest.keyClick(box, Qt.Key.Key_Return)


def test_a_joint_is_found_limited_driven_and_plotted(
    qtbot, window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    save_scene(arm(), tmp_path / "arm.toml")
    window.files.open_path(tmp_path / "arm.toml")
    ready()
    choose(window, "shoulder")
    assert window.document.focus == "joint.shoulder"
    page = window.inspector.page
    assert isinstance(page, JointPage)
    assert page.caption(window.document.scene) == "Hinge between the world and upper"

    type_into(window, "Upper", "0.6")
    assert window.document.scene.joint[0].limits == (-0.6, 0.6)
    type_into(window, "Lower", "-0.2")
    type_into(window, "Damping", "0.1")
    type_into(window, "Spring", "4")
    assert window.document.scene.joint[0].spring == Spring(stiffness=4.0)
    motor = window.inspector.page.findChild(ChoiceBox, "Controls")
    motor.setCurrentIndex(1)
    motor.activated.emit(1)
    type_into(window, "kp", "30")
    said = window.document.scene.joint[0]
    assert said.limits == (-0.2, 0.6) and said.damping == 0.1 and said.motor is not None and said.motor.kp == 30.0
    window.document.undo()
    assert window.document.scene.joint[0].motor == Motor(position=0.0, kp=10.0, kv=1.0)
    window.document.redo()
    ready()

    QTest.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.AltModifier)
    assert "joints" in window.overlays.on
    window.workspace.open_tab("Joint", 240)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.time >= 0.5, timeout=120_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)
    qtbot.wait(200)
    for number, chart in enumerate(window.plots.joint.charts):
        assert chart.export_table(tmp_path / f"{number}.csv") > 10
    angles = np.genfromtxt(tmp_path / "0.csv", delimiter=",", skip_header=1)[:, -1]
    assert np.abs(angles).max() > 0.02 and angles.max() <= 0.6 + 1e-6
    if folder := os.environ.get("CAROM_PICTURES"):
        window.grab().save(f"{folder}/joints.png")

    choose(window, "elbow")
    assert window.inspector.page is not page and window.document.focused_joint() == 1
    window.inspector.page.findChild(QPushButton, "Delete joint").click()
    assert len(window.document.scene.joint) == 1 and window.document.focus == ""


def test_a_row_says_what_holds_where_nothing_comes_of_what_is_typed(
    window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    """No spring, so there is no place where it is slack; of one that there is, that place stays."""
    save_scene(arm(), tmp_path / "arm.toml")
    window.files.open_path(tmp_path / "arm.toml")
    ready()
    choose(window, "shoulder")
    type_into(window, "Slack at", "0.5")
    assert window.document.scene.joint[0].spring is None and window.document.undo_stack.isClean()
    said = [label.text() for label in window.inspector.page.findChildren(QLabel, "error") if not label.isHidden()]
    assert any("there is no spring" in text for text in said)
    choose(window, "elbow")
    box = window.inspector.page.findChild(NumberBox, "Slack at")
    shown = box.text()
    box.setFocus()
    box.selectAll()
    QTest.keyClick(box, Qt.Key.Key_Delete)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert window.document.scene.joint[1].spring == Spring(stiffness=50.0)
    assert box.text() == shown != ""


def test_undo_of_a_new_name_leaves_the_page_open(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> None:
    save_scene(arm(), tmp_path / "arm.toml")
    window.files.open_path(tmp_path / "arm.toml")
    ready()
    choose(window, "shoulder")
    name = window.inspector.page.findChild(TextBox, "Name")
    name.setFocus()
    name.selectAll()
    QTest.keyClicks(name, "neck")
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert window.document.focus == "joint.neck"
    window.document.undo()
    assert window.document.focus == "joint.shoulder" and isinstance(window.inspector.page, JointPage)
    window.document.redo()
    assert window.document.focus == "joint.neck"


def test_bodies_are_tied_from_the_menu(window: MainWindow, ready: Callable[[], None], tmp_path: Path) -> None:
    blocks = [{"name": n, "shape": {"box": [0.1] * 3}, "position": [x, 0, 1]} for n, x in (("a", 0.0), ("b", 0.3))]
    blocks.append({"name": "wall", "shape": {"box": [1, 1, 1]}, "motion": "fixed", "position": [0, 0, -3]})
    save_scene(linked_scene(blocks, []), tmp_path / "two.toml")
    window.files.open_path(tmp_path / "two.toml")
    ready()
    window.document.select(["a", "b"])
    window.actions_["add.joint_hinge"].trigger()
    (said,) = window.document.scene.joint
    assert (said.name, said.bodies, said.point, said.axis) == ("hinge", ("a", "b"), (0.15, 0.0, 1.0), (0.0, 1.0, 0.0))
    assert window.document.focus == "joint.hinge" and isinstance(window.inspector.page, JointPage)
    window.document.select(["a"])
    window.actions_["add.joint_ball"].trigger()
    assert window.document.scene.joint[1].bodies == ("a",) and window.document.scene.joint[1].name == "ball"
    window.document.select(["wall"])
    window.actions_["add.joint_weld"].trigger()
    assert len(window.document.scene.joint) == 2 and "none is free to move" in window.status.message
    window.document.undo()
    assert len(window.document.scene.joint) == 1
