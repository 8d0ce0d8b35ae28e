"""Controllers in the window: trust, the tree and the inspector, mistakes, and a slider that drives a motor."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox, QPushButton, QSlider

from app.__main__ import main
from app.view.forms.numbers import NumberBox
from app.view.forms.rows import ChoiceBox, TextBox
from app.view.inspector.controller_page import ControllerPage
from app.view.inspector.drive_row import DriveRow
from app.view.recording.video import record
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.control import trust
from engine.control.orders import MotorOrder
from engine.control.python_file import ControllerError
from engine.scene.joints import Motor
from tests.app.test_joints import choose, type_into

SCENE = """
format = 1
[world]
gravity = [0, 0, 0]
[[body]]
name = "cart"
shape = { box = [0.2, 0.1, 0.1] }
mass = 1
[[joint]]
name = "rail"
kind = "slider"
bodies = ["cart"]
point = [0, 0, 0]
axis = [1, 0, 0]
limits = [-1, 1]
motor = { position = 0, kp = 100, kv = 20 }
[[controller]]
name = "driver"
file = "driver.py"
rate = 100
joints = ["rail"]
"""

CODE = """
class Controller:
    def act(self, world):
        world.joint("rail").seek_position(0.5)
"""


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(trust, "_trusted_now", set())


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    (tmp_path / "driver.py").write_text(CODE)
    (tmp_path / "scene.toml").write_text(SCENE)
    return tmp_path / "scene.toml"


def answer(text: str) -> None:
    """Clicks the button of that text in the dialog that is about to open."""

    def click() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox) and box.objectName() == "trust"
        if folder := os.environ.get("CAROM_PICTURES"):
            box.grab().save(f"{folder}/trust.png")
        next(button for button in box.buttons() if button.text().replace("&", "") == text).click()

    QTimer.singleShot(300, click)


def run_to(qtbot, window: MainWindow, time: float) -> None:
    window.simulation.play()
    qtbot.waitUntil(lambda: (f := window.playback.frame) is not None and f.time >= time, timeout=120_000)
    window.simulation.pause()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)


def place(window: MainWindow) -> float:
    frame = window.playback.frame
    assert frame is not None
    return float(frame.poses[0, 0])


def test_nothing_runs_before_it_is_trusted(qtbot, window: MainWindow, ready: Callable[[], None], scene: Path) -> None:
    answer("Open without it")
    window.files.open_path(scene)
    ready()
    run_to(qtbot, window, 0.3)
    assert place(window) == 0.0 and window.simulation.inputs() == ()

    choose(window, "driver")
    assert isinstance(window.inspector.page, ControllerPage)
    answer("Trust and run")
    window.inspector.page.findChild(QPushButton, "Trust").click()
    qtbot.waitUntil(lambda: window.playback.at_start, timeout=10_000)
    ready()
    run_to(qtbot, window, 1.0)
    assert place(window) == pytest.approx(0.5, abs=0.01)
    assert [entry.what for entry in window.simulation.inputs()] == ["control"]  # the same order is said once
    assert window.inspector.page is not None and window.inspector.page.findChild(QPushButton, "Trust") is None
    window.files.open_path(scene)  # asks no more
    ready()


def test_a_mistake_stops_the_simulation_and_not_the_app(
    qtbot, window: MainWindow, ready: Callable[[], None], scene: Path
) -> None:
    trust.trust([scene.parent / "driver.py"])
    window.files.open_path(scene)
    ready()
    run_to(qtbot, window, 0.2)
    (scene.parent / "driver.py").write_text(CODE + "        world.joint('rial')\n")
    window.simulation.play()
    qtbot.waitUntil(window.banner.isVisible, timeout=10_000)
    assert "driver.py:5: KeyError" in window.banner.text.text() and "A controller" in window.banner.text.text()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)
    if folder := os.environ.get("CAROM_PICTURES"):
        choose(window, "driver")
        qtbot.wait(300)
        window.grab().save(f"{folder}/mistake.png")
    (scene.parent / "driver.py").write_text(CODE)
    run_to(qtbot, window, 1.0)
    assert not window.banner.isVisible()
    assert place(window) == pytest.approx(0.5, abs=0.01)


def test_a_controller_is_found_and_switched_off(
    qtbot, window: MainWindow, ready: Callable[[], None], scene: Path
) -> None:
    trust.trust([scene.parent / "driver.py"])
    window.files.open_path(scene)
    ready()
    choose(window, "driver")
    assert window.document.focus == "controller.driver"
    acts = window.inspector.page.findChild(ChoiceBox, "Acts")
    acts.setCurrentIndex(1)
    acts.activated.emit(1)
    assert not window.document.scene.controller[0].enabled
    qtbot.wait(200)
    ready()
    run_to(qtbot, window, 0.5)
    assert place(window) == 0.0
    window.inspector.page.findChild(QPushButton, "Delete controller").click()
    assert window.document.scene.controller == () and window.document.focus == ""


def test_a_slider_drives_a_motor_and_is_replayed(
    qtbot, window: MainWindow, ready: Callable[[], None], scene: Path
) -> None:
    text = scene.read_text()
    scene.write_text(text[: text.index("[[controller]]")])
    window.files.open_path(scene)
    ready()
    choose(window, "rail")
    slider = window.inspector.page.findChild(QSlider, "Drive")
    window.simulation.play()
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: place(window) > 0.9, timeout=120_000)
    window.simulation.pause()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)
    inputs = window.simulation.inputs()
    assert [entry.what for entry in inputs] == ["order"] and window.document.scene.joint[0].motor.position == 0.0
    frame = window.playback.frame
    other = World(window.document.scene)
    other.replay(inputs, frame.time)
    assert np.array_equal(other.poses().astype(np.float32), frame.poses)


def test_the_slider_follows_a_controller_and_leaves_it_alone(
    qtbot, window: MainWindow, ready: Callable[[], None], scene: Path
) -> None:
    trust.trust([scene.parent / "driver.py"])
    window.files.open_path(scene)
    ready()
    choose(window, "rail")
    slider = window.inspector.page.findChild(QSlider, "Drive")
    assert not slider.isEnabled() and slider.value() == 500
    run_to(qtbot, window, 0.5)
    qtbot.waitUntil(lambda: slider.value() == 750, timeout=10_000)  # half way from the middle to the upper limit
    assert [entry.what for entry in window.simulation.inputs()] == ["control"], "what is shown is not said back"
    choose(window, "driver")
    acts = window.inspector.page.findChild(ChoiceBox, "Acts")
    acts.setCurrentIndex(1)
    acts.activated.emit(1)
    choose(window, "rail")
    assert window.inspector.page.findChild(QSlider, "Drive").isEnabled()


def test_a_slider_shows_what_a_motor_seeks_but_not_while_it_is_told_more(qtbot, scene: Path) -> None:
    row = DriveRow(load_scene(scene).joint[0])
    qtbot.addWidget(row)
    said: list[tuple[str, float]] = []
    row.driven.connect(lambda seeks, target: said.append((seeks, target)))
    row.follow(MotorOrder(0, "position", -0.5, 100.0, 20.0, 0.0))
    assert row.slider.value() == 250 and not said
    row.slider.setValue(1000)
    assert said == [("position", 1.0)]
    row.follow(MotorOrder(0, "position", -0.5, 100.0, 20.0, 0.0))  # of before it came there
    assert row.slider.value() == 1000
    row.follow(MotorOrder(0, "position", 1.0, 100.0, 20.0, 0.0))
    row.follow(MotorOrder(0, "effort", -5.0, 100.0, 20.0, 0.0))  # somebody else's
    assert row.slider.value() == 250 and row.value.text() == "-5 N" and said == [("position", 1.0)]
    row.slider.setValue(500)
    row.follow(MotorOrder(0, "effort", -5.0, 100.0, 20.0, 0.0), time.monotonic() + 2.0)  # it never came there
    assert row.slider.value() == 250


def test_a_controller_is_added_and_its_settings_are_edited(
    qtbot, window: MainWindow, ready: Callable[[], None], scene: Path
) -> None:
    text = scene.read_text()
    scene.write_text(text[: text.index("motor")])
    window.files.open_path(scene)
    ready()
    choose(window, "rail")
    window.actions_["add.controller"].trigger()
    assert window.document.focus == "controller.controller" and (scene.parent / "controller.py").is_file()
    said = window.document.scene
    assert said.controller[0].joints == ("rail",) and said.joint[0].motor == Motor(effort=0.0)
    for name, number in (("target", "0.5"), ("kp", "100"), ("kv", "20")):
        type_into(window, name, number)
    qtbot.wait(100)  # an edit waits a moment for the next one
    ready()
    run_to(qtbot, window, 1.0)
    assert not window.banner.isVisible(), window.banner.text.text()
    assert place(window) == pytest.approx(0.5, abs=0.01)
    if folder := os.environ.get("CAROM_PICTURES"):
        qtbot.wait(300)
        window.grab().save(f"{folder}/settings.png")

    for line, problem in (
        ("slow = true", ""),
        ("mode = left", ""),
        ("nonsense", "a setting is written as name = value"),
    ):
        new = window.inspector.page.findChild(TextBox, "New setting")
        new.setFocus()
        new.clear()
        QTest.keyClicks(new, line)
        QTest.keyClick(new, Qt.Key.Key_Return)
        assert bool(new.property("invalid")) == bool(problem)
    assert any(label.text() == problem for label in window.inspector.page.findChildren(QLabel, "error"))
    assert window.document.scene.controller[0].settings == {
        "target": 0.5, "kp": 100.0, "kv": 20.0, "slow": True, "mode": "left",
    }  # fmt: skip
    box = window.inspector.page.findChild(NumberBox, "kv")
    box.setFocus()
    box.selectAll()
    QTest.keyClick(box, Qt.Key.Key_Delete)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert "kv" not in window.document.scene.controller[0].settings
    while window.document.undo_stack.canUndo():
        window.document.undo()
    assert window.document.scene.controller == () and window.document.scene.joint[0].motor is None


def test_a_scene_without_a_file_is_saved_before_it_gets_a_controller(
    window: MainWindow, ready: Callable[[], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window.files.open_path("cart_pole")
    ready()
    choose(window, "drive 1")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: ("", ""))
    window.actions_["add.controller"].trigger()
    assert len(window.document.scene.controller) == 2 and "has to be saved first" in window.status.message
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: (str(tmp_path / "mine.toml"), ""))
    window.document.select(["cart 1", "rail 1"])
    window.actions_["add.controller"].trigger()
    made = window.document.scene.controller[-1]
    assert made.bodies == ("cart 1",) and made.settings == {"lift": 0.0}  # the rail cannot be pushed
    assert (tmp_path / "controller.py").is_file() and trust.is_trusted(tmp_path / "controller.py")


def test_undo_takes_the_file_of_a_new_controller_away(window: MainWindow, tmp_path: Path) -> None:
    """It was left behind. What was saved or changed since stays."""
    path, file = tmp_path / "mine.toml", tmp_path / "controller.py"
    document = window.document
    window.files.open_path("cart_pole")
    document.save_as(path)
    document.select(["cart 1"])
    window.actions_["add.controller"].trigger()
    assert file.is_file()
    content = file.read_bytes()
    document.undo()
    assert not file.exists()
    document.redo()
    assert file.read_bytes() == content and trust.is_trusted(file)
    document.save_as(path)
    document.undo()
    assert file.is_file(), "the scene that was saved needs it"
    document.redo()
    path.write_text(path.read_text().replace("controller.py", "another.py"))
    file.write_text("# mine\n")
    document.undo()
    assert file.read_text() == "# mine\n"


def test_the_gallery_scene_with_controllers_runs(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("cart_pole")
    ready()
    choose(window, "balance 1")
    run_to(qtbot, window, 0.5)
    assert sum(len(entry.orders) for entry in window.simulation.inputs()) >= 100
    if folder := os.environ.get("CAROM_PICTURES"):
        run_to(qtbot, window, 2.9)
        window.grab().save(f"{folder}/controllers.png")
        choose(window, "drive 1")
        qtbot.wait(300)
        window.inspector._scroll.verticalScrollBar().setValue(10_000)
        qtbot.wait(100)
        window.grab().save(f"{folder}/drive.png")


def test_the_command_line_runs_python_if_it_is_trusted(
    kernels: None, scene: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["run", str(scene), "--until", "0.05", "--json"]
    assert main(command) == 1
    assert "Python that you have not trusted: driver.py (look at it, then --trust runs it)" in capsys.readouterr().err
    assert main([*command, "--trust"]) == 0
    assert json.loads(capsys.readouterr().out)["joints"]["rail"]["position"] > 0.01
    monkeypatch.setattr(trust, "_trusted_now", set())  # as after a new start
    assert main(command) == 0
    capsys.readouterr()
    (scene.parent / "driver.py").write_text(CODE + "        1 / 0\n")
    assert main(command) == 1
    capsys.readouterr()
    assert main([*command, "--trust"]) == 1
    assert capsys.readouterr().err == "carom: driver.py:5: ZeroDivisionError: division by zero\n"


def test_a_video_is_made_of_what_was_ordered(kernels: None, scene: Path, tmp_path: Path) -> None:
    """Of a run that was seen, without Python; of more than that, with it."""
    said = load_scene(scene)
    world = World(said, python="run")
    world.advance_to(0.2)
    (scene.parent / "driver.py").write_text("raise RuntimeError('read')\n")
    record(said, tmp_path / "seen.mp4", 0.2, 20, (64, 48), inputs=world.inputs, python="off")
    with pytest.raises(ControllerError, match="read"):
        record(said, tmp_path / "more.mp4", 0.4, 20, (64, 48), inputs=world.inputs, python="run")
