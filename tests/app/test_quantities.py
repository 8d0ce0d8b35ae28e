"""Quantities by choice: read with the samples, plotted by unit, chosen by menus and drags, kept for each scene."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt
from PyQt6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.simulation.ledger import Ledger
from app.simulation.messages import Batch
from app.simulation.watching import QUANTITIES, Subject, read_watched
from app.view.inspector.body_page import BodyPage
from app.view.inspector.plot_rows import PlotRow
from app.view.plots.choices import Choice, drag_data, offers_of, read_choices, write_choices
from app.view.plots.history import History
from app.view.plots.quantities import QuantityPanel
from app.view.window.main_window import MainWindow
from engine import World
from engine.scene.schema import Scene
from tests.scenes import ball, body, floor, scene

G = 9.81
PLACES = {kind: [quantity.name for quantity in rows] for kind, rows in QUANTITIES.items()}


def read(world: World, *subjects: Subject) -> dict[tuple[int, str], float]:
    """Values by the place of their subject and their name."""
    rows = read_watched(world, world.contacts(), subjects)
    return {
        (k, name): float(value)
        for k, (subject, row) in enumerate(zip(subjects, rows, strict=True))
        for name, value in zip(PLACES[subject.kind], row["values"])
    }


def test_what_is_read_of_a_body_is_what_the_world_says() -> None:
    spin = [3.0, -5.0, 2.0]
    plank = body("plank", {"box": [0.1, 0.2, 0.4]}, (0, 0, 2), velocity=[1.0, 2.0, 0.0], angular_velocity=spin)
    plank["orientation"] = {"axis": [1, 2, 3], "degrees": 40}
    plank["attached"] = [{"mass": 0.7, "position": [0.03, 0.05, 0.1]}]
    world = World(scene(floor(), plank))
    world.advance_to(0.3)
    told = read(world, Subject("body", 1), Subject("body", 0))
    seen = world.body("plank")
    assert [told[0, axis] for axis in "xyz"] == seen.position.tolist()
    assert [told[0, f"velocity {axis}"] for axis in "xyz"] == seen.velocity.tolist()
    assert told[0, "speed"] == pytest.approx(np.linalg.norm(seen.velocity))
    assert told[0, "angular speed"] == pytest.approx(np.linalg.norm(seen.angular_velocity))
    assert told[0, "kinetic energy"] == pytest.approx(world.energy()["kinetic"], rel=1e-12)
    assert told[1, "kinetic energy"] == 0.0


def test_what_is_read_of_a_pair() -> None:
    block = body("block", {"box": [0.4, 0.4, 0.05]}, (0, 0, 0.025), velocity=[2.0, 0, 0], mass=3.0)
    world = World(scene(floor(), block, ball("far", (0, 3, 0.6), radius=0.1), friction=0.5, restitution=0.0))
    world.advance_to(0.1)
    told = read(world, Subject("pair", 1, 0), Subject("pair", 2, 0))
    assert told[0, "normal force"] == pytest.approx(3.0 * G, rel=0.01)
    assert told[0, "friction force"] == pytest.approx(1.5 * G, rel=0.01)
    assert told[0, "slip"] == pytest.approx(2.0 - 0.5 * G * 0.1, rel=0.02)
    assert told[0, "gap"] < 1e-3
    assert told[1, "gap"] == pytest.approx(0.5 - 0.5 * G * 0.01, abs=1e-6)
    assert told[1, "normal force"] == 0.0 and math.isnan(told[1, "slip"])


def test_rows_of_another_scene_are_left_out() -> None:
    world = World(scene(floor(), ball("one", (0, 0, 1))))
    assert len(read_watched(world, world.contacts(), (Subject("body", 7), Subject("pair", 0, 9)))) == 0


def test_a_history_takes_more_curves_and_less() -> None:
    history = History(2, 64)
    times = np.arange(100.0)
    history.append(times, times, np.stack([times, -times]))
    other = history.rearranged([1, -1])
    part = other.stretch(0.0, 100.0, 1000)
    assert np.array_equal(part.low[0], history.stretch(0.0, 100.0, 1000).low[1]) and np.isnan(part.low[1]).all()
    other.append(times + 100, times + 100, np.stack([times, times]))
    assert other.at(199.0) is not None and other.at(199.0).tolist() == [99.0, 99.0]  # type: ignore[union-attr]
    assert len(other) <= 64 and history.span == (0.0, 99.0)


def test_choices_are_written_and_read() -> None:
    choices = [Choice("body", ("a",), "speed"), Choice("pair", ("a", "b"), "gap"), Choice("joint", ("h",), "effort")]
    assert read_choices(write_choices(choices)) == choices
    assert read_choices("no json") == read_choices("[1]") == read_choices('[["body", ["a"], "colour"]]') == []
    made = scene(floor(), ball("a", (0, 0, 1)), ball("b", (1, 0, 1)))
    assert [offer.kind for offer in offers_of(made, ["a", "b"], -1)] == ["pair", "body", "body"]
    assert offers_of(made, [], -1) == []


# --- the panel ----------------------------------------------------------------------------------------------------

MADE = scene(floor(), ball("a", (0, 0, 5)), ball("b", (1, 0, 5), velocity=(2, 0, 0)))


def fed(panel: QuantityPanel, made: Scene, until: float) -> None:
    """What a run of the scene tells the panel."""
    world, ledger = World(made), Ledger()
    ledger.start(0.0)
    panel.watch_wanted.connect(lambda subjects: setattr(ledger, "subjects", subjects))
    panel._watch()
    while world.time < until:
        world.advance_to(world.time + 1.0 / 60.0)
        ledger.sample(world, world.events(), world.contacts())
    told = ledger.take()
    assert told is not None
    panel.feed(Batch(1, 1, *told))
    panel.refresh(world.time)


@pytest.fixture
def panel(qtbot: QtBot) -> QuantityPanel:
    panel = QuantityPanel()
    qtbot.addWidget(panel)
    panel.resize(700, 400)
    panel.show()
    panel.set_scene(MADE)
    return panel


def test_a_pane_for_each_unit(panel: QuantityPanel) -> None:
    for name, quantity in (("a", "z"), ("b", "speed"), ("b", "z"), ("a", "speed"), ("nobody", "z")):
        panel.add(Choice("body", (name,), quantity))
    assert [[choice.text for choice in pane.choices] for pane in panel.panes] == [
        ["a, z", "b, z"],
        ["b, speed", "a, speed"],
    ]
    fed(panel, MADE, 0.5)
    time = panel.panes[0].history.span[1]  # type: ignore[index]
    heights, speeds = (pane.history.at(time) for pane in panel.panes)
    assert heights is not None and speeds is not None
    np.testing.assert_allclose(heights, 5.0 - 0.5 * G * time**2, rtol=1e-9)
    np.testing.assert_allclose(speeds, [math.hypot(2.0, G * time), G * time], rtol=1e-9)
    shown = [chart.plot.getViewBox().viewRange()[0] for chart in panel.charts]
    assert shown[0] == shown[1], "they share their times"
    panel.remove(Choice("body", ("b",), "z"))
    kept = panel.panes[0].history.at(time)
    assert kept is not None and kept.tolist() == heights[:1].tolist(), "what is left keeps its past"
    panel.set_scene(scene(floor(), ball("b", (0, 0, 1))))
    assert [choice.text for choice in panel.choices] == ["b, speed"], "a body that is gone has no curve"
    panel.set_choices([])
    assert panel.charts == [] and panel.panes == []


def test_many_panes_are_seen_at_once_where_there_is_room(panel: QuantityPanel, qtbot: QtBot) -> None:
    chosen = [Choice("body", ("a",), name) for name in ("z", "speed", "kinetic energy", "angular speed")]
    panel.set_choices(chosen)
    for width, columns in ((1500, 2), (700, 1), (1500, 2)):
        panel.resize(width, 240)
        qtbot.wait(30)
        places = [chart.geometry() for chart in panel.charts]
        assert len({place.left() for place in places}) == columns
        whole = panel._scroll.viewport()
        assert whole is not None
        assert (max(place.bottom() for place in places) <= whole.height()) == (columns == 2)
        shown = [chart.plot.getAxis("bottom").style["showValues"] for chart in panel.charts]
        assert shown == [False, columns == 2, False, True], "times under the last of each column"
    panel.set_choices(chosen[:2])
    qtbot.wait(30)
    assert len({chart.x() for chart in panel.charts}) == 1, "few stand one above the other"


def test_a_menu_takes_a_curve_away(panel: QuantityPanel) -> None:
    panel.add(Choice("pair", ("a", "b"), "gap"))
    fed(panel, MADE, 0.2)
    (action,) = (one for one in panel.charts[0].build_menu().actions() if one.text() == "Remove a – b, gap")
    action.trigger()
    assert panel.choices == []


def drop(panel: QuantityPanel, data: QMimeData, on: QWidget | None = None) -> None:
    """As it comes from Qt: to what is under the pointer, which leaves it to what it is in."""
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    action, target = Qt.DropAction.CopyAction, on or panel
    entering = QDragEnterEvent(QPoint(10, 10), action, data, button, keys)
    QApplication.sendEvent(target, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(target, QDropEvent(QPointF(10, 10), action, data, button, keys))


def test_drops(panel: QuantityPanel, qtbot: QtBot) -> None:
    drop(panel, drag_data("body", ["a"], ["x", "y"]))
    assert [choice.text for choice in panel.choices] == ["a, x", "a, y"]
    with qtbot.waitSignal(panel.dropped_names) as asked:
        drop(panel, drag_data("body", ["a", "b"]), panel.charts[0].plot.viewport())
    assert asked.args[:2] == ["body", ["a", "b"]]


# --- the window ---------------------------------------------------------------------------------------------------


def menu_of(window: MainWindow) -> QMenu:
    (menu,) = (one for one in window.findChildren(QMenu, "plot_menu") if one.isVisible())
    return menu


def test_a_chosen_quantity_is_plotted_and_comes_back_with_its_scene(
    window: MainWindow, ready: Callable[[], None], qtbot: QtBot
) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    window.document.select(("block",))
    window.actions_["analyse.plot"].trigger()
    menu = menu_of(window)
    (speed,) = (action for action in menu.actions() if action.text() == "speed")
    speed.trigger()
    menu.close()
    panel = window.plots.quantities
    assert panel.isVisible() and [choice.text for choice in panel.choices] == ["block, speed"]
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time > 0.5, timeout=20_000)
    window.playback.pause()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=5000)
    qtbot.wait(100)
    frame, history = window.playback.frame, panel.panes[0].history
    assert frame is not None and history.at(frame.time) == pytest.approx(np.linalg.norm(frame.twists[1, :3]), rel=1e-5)
    window.files.open_path("coins")
    ready()
    assert panel.choices == []
    window.files.open_path("block_on_ramp")
    ready()
    assert [choice.text for choice in panel.choices] == ["block, speed"]


def test_the_tree_carries_bodies_to_the_plots(window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    window.document.select(("block",))
    data = window.tree.mimeData(window.tree.selectedItems())
    drop(window.plots.quantities, data)
    menu = menu_of(window)
    assert [action.text() for action in menu.actions() if action.text()][:4] == ["x", "y", "z", "speed"]
    menu.close()


def test_rows_of_the_inspector_are_dragged_and_right_clicked(
    window: MainWindow, ready: Callable[[], None], qtbot: QtBot
) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    window.document.select(("block",))
    page = window.inspector.page
    assert isinstance(page, BodyPage)
    label = page._live["Position"]
    (row,) = label.findChildren(PlotRow)
    data = row.drag().mimeData()
    assert data is not None
    drop(window.plots.quantities, data)
    assert [choice.text for choice in window.plots.quantities.choices] == ["block, x", "block, y", "block, z"]
    at = label.rect().center()
    QApplication.sendEvent(label, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, label.mapToGlobal(at)))
    menu = menu_of(window)
    (ticked,) = ([action.text() for action in menu.actions() if action.isChecked()],)
    assert ticked == ["x", "y", "z"]
    menu.close()
