"""The story of someone who compares: pin a run, choose another contact mode, play, and see where they part."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.simulation.difference import apart, match
from app.view.overlays.compare_card import say_difference
from app.view.plots.chart import Chart
from app.view.plots.choices import Choice
from app.view.plots.energy import CURVES, LOSSES
from app.view.viewport.palette import rgb
from app.view.window import comparing
from app.view.window.main_window import MainWindow
from engine import World
from engine.scene.reading import load_scene
from tests.app.test_choices import choose
from tests.app.test_timeline import click_timeline, pull_by_mouse, run_until, settle, shoot

NONE = Qt.KeyboardModifier.NoModifier


def pin(qtbot, window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_K)
    qtbot.waitUntil(lambda: window.comparing.is_on, timeout=10_000)


def in_step(qtbot, window: MainWindow) -> float:
    """Waits until the ghost stands where the run does; when that is."""
    time = settle(qtbot, window)
    view = window.comparing

    def met() -> bool:
        frame = window.playback.frame
        return view._met is not None and view._met.time == frame.time and view._met.run == frame.run

    qtbot.waitUntil(met, timeout=30_000)
    qtbot.wait(150)
    return time


def test_hybrid_is_pinned_and_penalty_plays_over_it(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    run_until(qtbot, window, 0.5)
    assert window.viewport.ghosts is None and window.comparing.card.isHidden()
    pin(qtbot, window)
    in_step(qtbot, window)
    card = window.comparing.card
    assert card.isVisible() and card.title.text() == "Pinned: Block on a ramp, hybrid"
    assert window.comparing.apart is not None and window.comparing.apart.same
    assert "to the bit" in card.distance.text() and card.difference.text() == "The same events so far"

    choose(qtbot, window, "Contact", "penalty")
    ready()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time == 0.0, timeout=10_000)
    in_step(qtbot, window)
    assert window.comparing.apart.distance == 0.0
    window.viewport.setFocus()
    run_until(qtbot, window, 0.7)
    time = in_step(qtbot, window)
    scene = load_scene("block_on_ramp")
    penalty = scene.model_copy(update={"world": scene.world.model_copy(update={"contact": "penalty"})})
    ghost, body = World(scene), World(penalty)
    ghost.advance_to(time)
    body.advance_to(time)
    names = tuple(one.name for one in scene.bodies)
    expected = apart(body.poses(), ghost.poses(), match(names, names))
    assert window.comparing.apart == expected and expected.distance > 1e-7 and expected.name == "block"
    assert np.array_equal(window.viewport.ghosts.poses, ghost.poses().astype(np.float32))

    log = ghost.events()
    first = window.comparing.first.found
    assert first.pinned.tobytes() == log[0].tobytes(), "under penalty nothing is logged that was first here"
    assert say_difference(first, names) in card.difference.text() and "ramp – block" in card.difference.text()
    chart = window.plots.distance.charts[0]
    assert chart.history.at(time)[0] == expected.distance
    begin, _ = chart.history.span  # the very first may come before the plots have begun anew
    first_ghost, first_body = World(scene), World(penalty)
    first_ghost.advance_to(begin)
    first_body.advance_to(begin)
    at_first = apart(first_body.poses(), first_ghost.poses(), match(names, names))
    assert begin < 0.1 and chart.history.at(begin)[0] == at_first.distance
    times, kinetic = window.plots.energy.charts[0].beside(CURVES.index(next(c for c in CURVES if c.name == "kinetic")))
    begun = World(scene)
    begun.advance_to(float(times[-1]))
    assert kinetic[-1] == pytest.approx(begun.energy()["kinetic"], rel=1e-9) and times[-1] >= time - 0.05
    shoot(qtbot, window, "comparing_ramp")

    click_timeline(window, 0.3)
    earlier = in_step(qtbot, window)
    assert earlier < time
    again = World(scene)
    again.advance_to(earlier)
    assert np.array_equal(window.viewport.ghosts.poses, again.poses().astype(np.float32)), "in step when scrubbed, too"


def test_the_pinned_run_is_in_every_plot_that_can_show_it(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    """Dashed, with an entry in the legend, and what it shows is what the pinned scene does when it runs alone."""
    window.files.open_path("see_saw")
    ready()
    window.document.set_focus("joint.hinge")
    plots = window.plots
    for quantity in ("z", "speed"):
        plots.quantities.add(Choice("body", ("ball 1",), quantity))
    charts = [*plots.energy.charts, *plots.forces.charts, *plots.heap.charts, *plots.joint.charts]
    assert all(chart.beside_key.isHidden() for chart in charts)
    assert [chart._note.text() for chart in plots.joint.charts] == 3 * ["hinge, since it was selected"]
    run_until(qtbot, window, 0.6)
    pin(qtbot, window)
    in_step(qtbot, window)
    window.document.set_focus("world")
    choose(qtbot, window, "Contact", "constraint")
    ready()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time == 0.0, timeout=10_000)
    window.document.set_focus("joint.hinge")
    window.viewport.setFocus()
    run_until(qtbot, window, 0.8)
    in_step(qtbot, window)
    charts += plots.quantities.charts
    for chart in charts:
        assert not chart.beside_key.isHidden() and chart.beside_key.text == "the pinned run"
        assert all(line.opts["pen"].style() == Qt.PenStyle.DashLine for line in chart._beside_lines)
    assert all(chart.beside_key.isHidden() for chart in plots.stages.charts), "times of two threads say nothing"
    assert plots.energy.charts[0].beside_key.style_of_line == Qt.PenStyle.DashLine

    for tab in ("Contact forces", "Joint", "Quantities", "Events"):
        window.workspace.open_tab(tab, 260)
        qtbot.wait(150)
    world = World(load_scene("see_saw"))
    hinge = [joint.name for joint in world.scene.joint].index("hinge")

    def last(chart: Chart, curve: int) -> tuple[float, float]:
        x, y = chart.beside(curve)
        return float(x[-1]), float(y[-1])

    time, _ = last(plots.joint.charts[0], 0)
    assert time >= 0.75
    world.advance_to(time)
    position, velocity, _effort = world.joint(hinge)
    ball = world.body("ball 1")
    z, speed = (next(c for c in plots.quantities.charts if c.title == title) for title in ("z", "speed"))
    queue = next(chart for chart in plots.heap.charts if chart.title == "Queue length")
    for chart, expected in (
        (plots.joint.charts[0], position),
        (plots.joint.charts[1], velocity),
        (z, ball.position[2]),
        (speed, np.linalg.norm(ball.velocity)),
        (queue, world.counters["heap_size"]),
    ):
        assert last(chart, 0) == (time, pytest.approx(expected, rel=1e-9)), chart.title
    means = plots.forces.pinned.histories[0]
    assert means.span is not None and means.span[1] >= 0.75
    weight = plots.forces.charts[0].level
    assert weight is not None and 0.2 * weight < float(np.nanmean(means.stretch(0.3, 0.75, 1 << 16).high[0]))
    total, kinetic = (sum(world.energy()[name] for name in names) for names in ((c.name for c in LOSSES), ["kinetic"]))
    at_end = plots.energy.pinned.histories
    assert at_end[0].at(time)[0] == pytest.approx(kinetic, rel=1e-9)
    assert float(at_end[1].at(time).sum()) == pytest.approx(total, rel=1e-9, abs=1e-12)
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ShiftModifier)
    assert all(chart.beside_key.isHidden() for chart in charts)
    assert not any(len(chart.beside(0)[0]) for chart in charts if chart.isVisible())


def test_the_ghost_is_seen_where_the_runs_are_not_the_same(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    run_until(qtbot, window, 0.3)
    window.viewport.frame_all(glide=False)
    alone = window.viewport.picture().astype(float)
    pin(qtbot, window)
    in_step(qtbot, window)
    assert window.viewport.ghosts.rows == ()
    assert np.abs(window.viewport.picture().astype(float) - alone).max() <= 2.0, "what is the same to the bit has none"

    choose(qtbot, window, "Contact", "penalty")
    ready()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time == 0.0, timeout=10_000)
    window.viewport.setFocus()
    run_until(qtbot, window, 0.3)
    in_step(qtbot, window)
    assert [window.document.scene.bodies[row].name for row in window.viewport.ghosts.rows] == ["block"]
    seen = window.viewport.picture().astype(float)
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ShiftModifier)
    without = window.viewport.picture().astype(float)
    changed = np.abs(seen - without).max(axis=2) > 12.0
    assert changed.sum() > 50
    towards = (seen - without)[changed].mean(axis=0)
    wanted = 255.0 * np.array(rgb(window.viewport.look.ghost)) - without[changed].mean(axis=0)
    assert towards @ wanted > 0.9 * np.linalg.norm(towards) * np.linalg.norm(wanted), "of the ghost's colour"


def test_a_run_that_is_played_again_is_the_same_to_the_bit(
    qtbot, window: MainWindow, ready: Callable[[], None]
) -> None:
    window.files.open_path("pool_break")
    ready()
    run_until(qtbot, window, 0.4)
    pin(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: window.playback.frame.time == 0.0, timeout=10_000)
    run_until(qtbot, window, 0.5)
    in_step(qtbot, window)
    assert window.comparing.apart.same and window.comparing.first.found is None
    assert window.comparing.first.until > 0.4
    values = window.plots.distance.charts[0].history.stretch(0.0, 1.0, 1 << 16)
    assert len(values.begin) > 3 and not values.high.any()
    assert window.plots.distance.charts[0]._note.text().startswith("0 so far")


def test_a_pull_in_the_past_parts_from_the_pinned_run(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    ready()
    run_until(qtbot, window, 0.5)
    pin(qtbot, window)
    click_timeline(window, 0.3)
    parted = in_step(qtbot, window)
    pull_by_mouse(qtbot, window, "cue")
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.frame.time > 0.8, timeout=60_000)
    QTest.keyClick(window, Qt.Key.Key_Space)
    in_step(qtbot, window)
    assert window.comparing.apart.distance > 0.0
    assert window.comparing.first.found is not None and window.comparing.first.found.time > parted


def test_the_window_does_not_wait_for_a_slow_ghost(
    qtbot, window: MainWindow, ready: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(World):
        def advance_to(self, time: float) -> None:
            sleep(max(0.0, 4.0 * (time - self.time)))
            super().advance_to(time)

    monkeypatch.setattr(comparing, "checked_world", Slow)
    window.files.open_path("pool_break")
    ready()
    pin(qtbot, window)
    card = window.comparing.card
    shown: list[float] = []
    QTest.keyClick(window, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: window.playback.frame.time > 0.2, timeout=60_000)
    end = window.playback.frame.time + 0.5
    while window.playback.frame.time < end:
        qtbot.wait(20)
        shown.append(float(window.playback.frame.time - window._shown_time[1]))
    assert np.median(shown) < 0.3, "what is shown is hardly older than what is known, but for a busy moment"
    assert "lags" in card.distance.text()
    QTest.keyClick(window, Qt.Key.Key_Space)
    in_step(qtbot, window)
    assert "lags" not in card.distance.text() and window.comparing.apart.same
    shoot(qtbot, window, "comparing_pool")


def test_unpin_frees_it(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    action = window.actions_["analyse.unpin"]
    assert not action.isEnabled()
    pin(qtbot, window)
    in_step(qtbot, window)
    thread = window.comparing._run._simulation._thread
    assert thread.is_alive() and action.isEnabled()
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ShiftModifier)
    assert not window.comparing.is_on and window.viewport.ghosts is None and window.comparing.card.isHidden()
    assert not action.isEnabled()
    qtbot.waitUntil(lambda: not thread.is_alive())


def test_another_scene_is_compared_by_names(qtbot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("block_on_ramp")
    ready()
    pin(qtbot, window)
    window.files.open_path("coins")
    ready()
    card = window.comparing.card
    qtbot.waitUntil(lambda: "Left out" in card.note.text(), timeout=5000)
    out = window.comparing._matched.left_out
    assert {"plate", "ramp", "block"} <= set(out) and f"and {len(out) - 5} more" in card.note.text()
    run_until(qtbot, window, 0.1)
    in_step(qtbot, window)
    assert card.distance.text() == "No body has the same name in both"
    assert not window.viewport.ghosts.rows
