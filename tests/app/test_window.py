"""The window by keys and clicks, where the story does not go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PyQt6.QtGui import QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QPushButton, QWidget

from app.document.settings import recent_files
from app.view.commands.palette import CommandPalette
from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox
from app.view.start import Catcher
from app.view.theme import theme
from app.view.window.dialogs import CrashDialog, ProblemsDialog
from app.view.window.main_window import MainWindow
from app.view.window.toolbar import achieved_text
from engine.scene.paths import get_path

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    window.dropEvent(
        QDropEvent(QPointF(200, 200), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0))
    )


def when_modal(kind: type[QWidget], act: Callable[[QWidget], None], tries: int = 50) -> None:
    """Does something to a dialog once it is there."""
    widget = QApplication.activeModalWidget()
    if isinstance(widget, kind):
        act(widget)
    elif tries:
        QTimer.singleShot(100, lambda: when_modal(kind, act, tries - 1))


def test_duplicate_delete_and_undo_by_keys(window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    count = len(window.document.scene.body)
    window.document.select(["cue"])
    QTest.keyClick(window, Qt.Key.Key_D, SHIFT)
    assert len(window.document.scene.body) == count + 1
    copy = window.document.selection[0]
    assert copy != "cue"
    QTest.keyClick(window, Qt.Key.Key_Delete)
    assert len(window.document.scene.body) == count
    QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert window.document.selection == (copy,)
    QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
    QTest.keyClick(window, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert len(window.document.scene.body) == count + 1
    ready()
    assert not window.banner.isVisible(), "a copy overlaps nothing"


def test_a_duplicate_is_moved_from_where_its_original_is(window: MainWindow, ready: Callable[[], None]) -> None:
    """Shift+D X 0.25 Enter: exactly so far from it, as one step of undo; left with Esc it stands beside."""
    window.files.open_path("pool_break")
    ready()
    window.document.select(["cue", "ball1"])
    QTest.keyClick(window, Qt.Key.Key_D, SHIFT)
    surface = window.viewport.surface
    QTest.keyClicks(surface, "z0.25")
    QTest.keyClick(surface, Qt.Key.Key_Return)
    scene = window.document.scene
    first, second = (scene.body[scene.index(name)] for name in window.document.selection)
    cue, ball = (scene.body[scene.index(name)] for name in ("cue", "ball1"))
    for copy, original in ((first, cue), (second, ball)):
        x, y, z = original.position
        assert copy.position == pytest.approx((x, y, z + 0.25), abs=1e-12)
    assert window.document.undo_stack.undoText() == "duplicate 2 bodies"
    QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
    assert len(window.document.scene.body) == len(scene.body) - 2 and not window.document.undo_stack.canUndo()


def test_step_event_and_frame_and_reset_by_keys(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()

    def time() -> float:
        frame = window.playback.frame
        return -1.0 if frame is None else frame.time

    def events() -> float:
        frame = window.playback.frame
        return -1.0 if frame is None else frame.counters["heap_pops"]

    before = events()
    QTest.keyClick(window, Qt.Key.Key_Right, SHIFT)
    qtbot.waitUntil(lambda: events() == before + 1, timeout=20_000)
    QTest.keyClick(window, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: abs(time() - 1 / 60) < 1e-3, timeout=20_000)
    QTest.keyClick(window, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: time() == 0 and events() == before, timeout=20_000)


def test_moving_a_body_by_keys(window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    window.document.select(["cue"])
    QTest.keyClick(window, Qt.Key.Key_G)
    assert window.viewport.transforming
    surface = window.viewport.findChild(QWidget, "viewport-surface")
    QTest.keyClick(surface, Qt.Key.Key_Z)
    QTest.mouseMove(surface, surface.rect().center())
    QTest.keyClick(surface, Qt.Key.Key_Return)
    assert not window.viewport.transforming
    assert window.document.undo_stack.undoText() == "move cue"
    x, y, _ = window.document.scene.body[window.document.scene.index("cue")].position
    assert (x, y) == (-0.635, 0.0), "Z keeps the others"


def test_errors_are_shown_beside_the_number(window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    window.document.select(["cue"])
    box = window.inspector.page.findChild(NumberBox, "Radius")
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "-2")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert box.property("invalid") and not window.document.is_modified
    box.selectAll()
    QTest.keyClicks(box, "0.057/2")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert not box.property("invalid")
    assert window.document.scene.body[window.document.scene.index("cue")].shape.value.radius == 0.0285


def test_enter_gives_the_keys_back_to_the_picture(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    window.document.select(["cue"])
    before = window.document.scene
    box = window.inspector.page.findChild(VectorBox, "Velocity").boxes[0]
    for bad in ("2 apples", ""):
        QTest.mouseDClick(box, Qt.MouseButton.LeftButton)
        QTest.keyClicks(QApplication.focusWidget(), bad or "7")
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
        assert box.hasFocus() == bool(bad), "what is wrong is to be mended"
    assert window.viewport.surface.hasFocus()
    assert window.document.scene.body[window.document.scene.index("cue")].velocity[0] == 7.0
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Z, CONTROL)
    assert window.document.scene == before
    ready()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.is_running, timeout=10_000)


def test_what_is_chosen_from_a_list_leaves_the_keys_to_the_window(window: MainWindow) -> None:
    window.files.open_path("pool_break")
    window.document.select(["ball1"])
    for box in (window.inspector.page.findChild(ChoiceBox, "Sleep"), window.toolbar.speed_box):
        box.setFocus()
        box.showPopup()
        QTest.keyClick(box.view(), Qt.Key.Key_Up)
        QTest.keyClick(box.view(), Qt.Key.Key_Return)
        assert not box.hasFocus()


def test_arrow_keys_in_a_box_are_one_step_of_undo(window: MainWindow) -> None:
    window.files.open_path("pool_break")
    window.document.select(["cue"])
    box = window.inspector.page.findChild(VectorBox, "Velocity").boxes[0]
    box.setFocus()
    for _ in range(3):
        QTest.keyClick(box, Qt.Key.Key_Up)
    assert window.document.scene.body[window.document.scene.index("cue")].velocity[0] == 8.3
    assert window.document.undo_stack.count() == 1


def test_a_body_can_be_put_to_sleep_unless_it_moves(window: MainWindow) -> None:
    window.files.open_path("pool_break")
    for name, sleeps in (("cue", False), ("ball15", True)):
        window.document.select([name])
        box = window.inspector.page.findChild(ChoiceBox, "Sleep")
        assert box.currentText() == "Awake"
        box.activated.emit(1)
        assert window.document.scene.body[window.document.scene.index(name)].asleep is sleeps
    assert window.document.undo_stack.count() == 1


def test_a_pair_says_what_holds_where_nothing_is_typed(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "pair.toml"
    path.write_text(
        "format = 1\n[material.a]\nfriction = 0.03\n[material.b]\nfriction = 0.4\n"
        "[[pair]]\nmaterials = ['a', 'b']\nfriction = 0.2\n"
    )
    window.files.open_path(path)
    window.document.set_focus("pair[0]")

    def said(name: str) -> str:
        return window.inspector.page.findChild(NumberBox, name).placeholderText()

    assert said("Static friction") == "0.2 (as friction)" and said("Friction") == "0.1095445 (combined)"
    window.document.set_value("pair[0].friction", None)
    assert said("Static friction") == "0.1095445 (combined)"


def test_keys_that_type_do_not_play(window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    window.document.select(["cue"])
    box = window.inspector.page.findChild(QLineEdit, "Name")
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "big g")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert window.document.selection == ("big g",)
    assert not window.playback.is_running and not window.viewport.transforming


def test_a_broken_file_is_explained_and_nothing_is_lost(window: MainWindow, tmp_path: Path) -> None:
    window.files.open_path("pool_break")
    window.document.set_value("body.cue.velocity", [1, 0, 0])
    bad = tmp_path / "bad.toml"
    bad.write_text('format = 1\n[[body]]\nname = "a"\nshape = { sphere = { radius = -1 } }\nweight = 2\n')
    lines: list[str] = []

    def read(dialog: QWidget) -> None:
        assert isinstance(dialog, ProblemsDialog)
        rows = dialog.table.topLevelItemCount()
        lines.extend(dialog.table.topLevelItem(row).text(0) for row in range(rows))
        dialog.reject()

    QTimer.singleShot(100, lambda: when_modal(ProblemsDialog, read))
    drop(window, bad)
    assert sorted(lines) == ["4", "5"]
    assert window.document.title == "Pool break" and window.document.is_modified


def test_a_scene_that_cannot_run_says_so_and_recovers(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    cue = window.document.scene.body[window.document.scene.index("cue")]
    window.document.set_value("body.ball1.position", list(cue.position))
    qtbot.waitUntil(window.banner.isVisible, timeout=20_000)
    assert "inside" in window.banner.text.text()
    QTest.keyClick(window, Qt.Key.Key_Z, CONTROL)
    qtbot.waitUntil(lambda: not window.banner.isVisible(), timeout=20_000)
    ready()


def test_a_scene_with_overlaps_opens_with_the_banner(qtbot, window: MainWindow, tmp_path: Path) -> None:
    window.files.open_path("pool_break")
    cue = window.document.scene.body[window.document.scene.index("cue")]
    window.document.set_value("body.ball1.position", list(cue.position))
    window.document.save_as(tmp_path / "overlapping.toml")
    saved = window.document.scene
    window.files.new()
    assert window.files.open_path(tmp_path / "overlapping.toml")
    assert window.document.scene == saved
    qtbot.waitUntil(window.banner.isVisible, timeout=20_000)
    assert "inside" in window.banner.text.text()
    (apart,) = (button for button in window.banner.findChildren(QPushButton) if button.text() == "Push apart")
    assert apart.isVisible()
    QTest.mouseClick(apart, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.banner.isVisible(), timeout=20_000)
    assert window.document.scene.body[window.document.scene.index("ball1")].position != cue.position


def test_what_was_plotted_goes_when_another_scene_opens(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    window.playback.toggle()
    energy = window.plots.energy.charts[0].history
    qtbot.waitUntil(lambda: len(energy) > 10, timeout=20_000)
    window.files.open_path("block_drop")
    window._tick()
    assert len(energy) <= 1  # the start of the other scene, if that is there by now
    ready()
    qtbot.waitUntil(lambda: len(energy) == 1, timeout=5000)


def test_colours_and_names_change_without_a_reset(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    QTest.keyClick(window, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: not window.playback.at_start, timeout=20_000)
    window.document.set_value("body.cue.colour", "#ff0000")
    window.document.set_value("title", "Mine")
    qtbot.wait(200)
    assert not window.playback.at_start


def test_a_dropped_scene_is_opened_and_remembered(
    window: MainWindow, ready: Callable[[], None], tmp_path: Path
) -> None:
    window.files.open_path("dominos")
    window.document.save_as(tmp_path / "mine.toml")
    window.files.open_path("pool_break")
    drop(window, tmp_path / "mine.toml")
    ready()
    assert window.document.path == tmp_path / "mine.toml"
    assert recent_files() == [tmp_path / "mine.toml"]


def test_the_palette_starts_what_it_finds(qtbot, window: MainWindow) -> None:
    window.files.open_path("pool_break")
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), CommandPalette), timeout=5000)
    field = QApplication.activePopupWidget().findChild(QLineEdit, "palette_field")
    QTest.keyClicks(field, "capsule")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.document.scene.body[-1].shape.kind == "capsule"


def test_a_selected_plane_is_marked_and_keeps_its_colour(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "plane.toml").write_text(
        'format = 1\n[[body]]\nname = "floor"\nmotion = "fixed"\nshape = { plane = {} }\n'
    )
    window.files.open_path(tmp_path / "plane.toml")
    before = window.viewport.picture((320, 200))
    window.document.select(["floor"])
    marked = window.viewport.picture((320, 200))
    other = np.any(before != marked, axis=2)
    assert len(window.viewport.overlays["chosen plane"].first) == 5
    assert 0 < other.mean() < 0.05
    window.document.select([])
    assert "chosen plane" not in window.viewport.overlays


def test_enter_opens_a_card_and_escape_goes_back(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    QTest.keyClick(window.gallery, Qt.Key.Key_Escape)
    assert window.pages.currentIndex() == 0, "there is nothing to go back to"
    card = window.gallery.card("block_drop")
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert window.pages.currentIndex() == 1 and window.document.name == "block_drop"
    window.actions_["file.gallery"].trigger()
    assert window.pages.currentIndex() == 0
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert window.pages.currentIndex() == 1 and window.document.name == "block_drop"


def test_the_title_says_the_file(window: MainWindow, tmp_path: Path) -> None:
    window.files.open_path("pool_break")
    assert window.windowTitle() == "Pool break[*] – Carom"
    window.document.save_as(tmp_path / "mine.toml")
    assert window.windowTitle() == "mine.toml[*] – Pool break – Carom"


def test_what_is_on_has_a_tick_in_its_menu(window: MainWindow) -> None:
    window.files.open_path("block_drop")
    for identifier, on in (("overlays.shadows", True), ("overlays.forces", False), ("view.panel.left", True)):
        action = window.actions_[identifier]
        assert action.isCheckable() and action.isChecked() == on and not action.isIconVisibleInMenu()
    window.actions_["overlays.forces"].trigger()
    assert window.actions_["overlays.forces"].isChecked()


def test_both_colour_schemes(qtbot, window: MainWindow) -> None:
    window.files.open_path("pool_break")
    QTest.keyClick(window, Qt.Key.Key_T, CONTROL)
    qtbot.waitUntil(lambda: theme().colours.scheme == "light" and window.updatesEnabled())
    window.document.select(["cue"])
    QTest.keyClick(window, Qt.Key.Key_T, CONTROL)
    qtbot.waitUntil(lambda: theme().colours.scheme == "dark" and window.updatesEnabled())


def test_an_unexpected_error_is_shown_and_the_document_stays(window: MainWindow) -> None:
    window.files.open_path("pool_break")
    catcher = Catcher(window)
    shown: list[str] = []

    def read(dialog: QWidget) -> None:
        shown.append(dialog.windowTitle())
        dialog.close()

    QTimer.singleShot(100, lambda: when_modal(CrashDialog, read))
    catcher._catch(ValueError, ValueError("no such thing"), None)
    assert shown == ["Something went wrong"]
    assert window.document.title == "Pool break"


def test_fields_of_all_forms_stand_under_each_other(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    """Whatever their names, such as "Microcollisions" and "Title"."""
    window.files.open_path("coins")
    ready()
    page = window.inspector.page
    qtbot.waitUntil(page.isVisible)
    boxes = [box for box in page.findChildren(QLineEdit) if box.isVisible() and not isinstance(box.parent(), VectorBox)]
    assert {"Title", "End time"} <= {box.objectName() for box in boxes}
    assert len({box.mapTo(page, QPoint()).x() for box in boxes}) == 1


def test_scripted_motions_and_repeats_in_the_inspector(window: MainWindow, tmp_path: Path) -> None:
    document = window.document
    document.load(_repeats(tmp_path))
    document.select(("lift",))
    boxes = {box.objectName() for box in window.inspector.page.findChildren(VectorBox)}
    assert {"Offset", "Position", "Axis"} <= boxes
    _press(window, "Add key")
    assert [key.time for key in get_path(document.scene, "body.lift.motion.keyframes.keys")] == [0.0, 1.0, 2.0]
    _press(window, "Remove last key")
    document.set_value("body.lift.motion", {"cycler": {"along": [1.0, 0, 0], "across": [0, 1.0, 0], "frequency": 2.0}})
    assert window.inspector.page.findChild(VectorBox, "Along") is not None
    document.pick(3)
    assert document.focus == "repeat.die"
    assert document.selected_rows() == [1, 2, 3, 4]
    page = window.inspector.page
    assert page is not None and page.caption(document.scene) == "4 bodies in a stack: Box, dynamic body"
    box = window.inspector.page.findChild(NumberBox, "Count")
    box.selectAll()
    QTest.keyClicks(box, "6")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert len(document.scene.bodies) == 7
    assert document.selected_rows() == [1, 2, 3, 4, 5, 6]
    _press(window, "Delete all of them")
    assert [body.name for body in document.scene.bodies] == ["lift"]
    document.undo()
    assert len(document.scene.bodies) == 7


def test_loads_and_inertia_in_the_inspector(window: MainWindow, tmp_path: Path) -> None:
    document = window.document
    document.load(_repeats(tmp_path))
    document.pick(3)
    document.set_value("repeat.die.mass", 2.0)

    def fill(name: str, *values: str) -> None:
        box = window.inspector.page.findChild(VectorBox, name)
        for part, value in zip(box.boxes, values):
            if not value:
                continue
            part.selectAll()
            QTest.keyClicks(part, value)
            QTest.keyClick(part, Qt.Key.Key_Return)

    fill("Force", "0", "0", "3")
    assert get_path(document.scene, "repeat.die.force.value") == (0.0, 0.0, 3.0)
    axes = window.inspector.page.findChild(ChoiceBox, "    in")
    axes.committed.emit("body", None)
    assert document.scene.bodies[2].force.axes == "body"
    fill("Force", "0", "0", "0")
    force = document.scene.bodies[2].force
    assert force is not None and (force.value, force.axes) == ((0.0, 0.0, 0.0), "body"), "part by part, through zero"
    window.inspector.page.findChild(ChoiceBox, "    in").committed.emit("world", None)
    fill("Force", "0", "0", "0")
    assert document.scene.bodies[2].force is None, "none where it is zero"
    choice = window.inspector.page.findChild(ChoiceBox, "Inertia")
    choice.committed.emit("moments", None)
    before = get_path(document.scene, "repeat.die.inertia.moments")
    fill("    moments", "", "", repr(1.5 * before[2]))
    assert get_path(document.scene, "repeat.die.inertia.moments")[2] == 1.5 * before[2]
    fill("    moments", "", "", repr(5.0 * before[2]))
    assert get_path(document.scene, "repeat.die.inertia.moments")[2] == 1.5 * before[2], "no body is like that"
    window.inspector.page.findChild(ChoiceBox, "Inertia").committed.emit("tensor", None)
    fill("    row x", "", repr(0.1 * before[0]), "")
    assert get_path(document.scene, "repeat.die.inertia.tensor")[1][0] == 0.1 * before[0]
    window.inspector.page.findChild(ChoiceBox, "Centre of mass").committed.emit(True, None)
    assert get_path(document.scene, "repeat.die.centre_of_mass") is not None
    document.select(("lift",))
    document.set_value("body.lift.motion", {"accelerated": {"acceleration": [1.0, 0.0, 0.0]}})
    fill("Acceleration", "", "", "2")
    assert get_path(document.scene, "body.lift.motion.accelerated.acceleration") == (1.0, 0.0, 2.0)


def _press(window: MainWindow, text: str) -> None:
    page = window.inspector.page
    assert page is not None
    next(button for button in page.findChildren(QPushButton) if button.text() == text).click()


def _repeats(folder: Path) -> Path:
    path = folder / "repeats.toml"
    path.write_text(
        """\
format = 1
[[body]]
name = "lift"
shape = { box = [1, 1, 0.1] }
motion = { keyframes = { keys = [{ time = 0 }, { time = 1, offset = [0, 0, 0.5] }] } }
[[repeat]]
name = "die"
shape = { box = [0.1, 0.1, 0.1] }
position = [0, 0, 0.2]
stack = { count = 4, step = [0, 0, 0.2] }
"""
    )
    return path


@pytest.mark.parametrize(
    ("speed", "text"), [(1.0, "1.00×"), (0.314, "0.31×"), (0.0042, "0.0042×"), (0.0, "0.00×"), (250.0, "250.00×")]
)
def test_a_slow_scene_does_not_seem_to_stand_still(speed: float, text: str) -> None:
    assert achieved_text(speed) == text


def test_a_camera_that_the_next_scene_has_not_is_told_of(window: MainWindow, ready: Callable[[], None]) -> None:
    """The menu of cameras may still be open when another scene is there."""
    window.files.open_path("coins")
    ready()
    said: list[str] = []
    window.looks.said.connect(said.append)
    before = window.viewport.camera
    window.looks.use_camera("from the moon")
    assert said == ["This scene has no camera “from the moon”"] and window.viewport.camera == before
