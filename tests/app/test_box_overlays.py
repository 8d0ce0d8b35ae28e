"""Swept boxes and hash tiles over the picture: what is drawn and counted is what the world itself says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.view.overlays.boxes import box_lines, renewed, tiles_in_use
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.recording.boxes import SWEPT_BOX

ALT = Qt.KeyboardModifier.AltModifier


def test_a_box_has_twelve_edges() -> None:
    lines = box_lines(np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 4.0, 6.0]]))
    assert lines.shape == (12, 2, 3)
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    assert sorted(lengths) == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    assert lines.reshape(-1, 3).min(axis=0).tolist() == [1.0, 2.0, 3.0]
    assert len(np.unique(np.sort(lines.reshape(12, 6), axis=1), axis=0)) <= 12


def test_tiles_that_bodies_share_are_counted_once() -> None:
    boxes = np.zeros(4, dtype=SWEPT_BOX)
    boxes["until"] = 1.0, 2.0, 3.0, np.inf  # the last one stays for ever
    boxes["tile"] = 0.5, 0.5, 1.0, 1.0
    boxes["first"], boxes["last"] = 0, 0
    boxes["last"][0] = (1, 0, 0)
    sides, places = tiles_in_use(boxes)
    assert sides.tolist() == [0.5, 0.5, 1.0]
    assert places.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert renewed(boxes).tolist() == [0, 1, 2]


def test_boxes_and_tiles_of_the_pool_break(qtbot: QtBot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    qtbot.waitUntil(lambda: len(window.document.scene.bodies) == 21)
    ready()
    frame = window.playback.frame
    assert frame is not None and frame.boxes is None  # nobody asked
    QTest.keyClick(window, Qt.Key.Key_X, ALT)
    QTest.keyClick(window, Qt.Key.Key_H, ALT)
    legend = window.overlays.boxes.legend
    qtbot.waitUntil(lambda: all(label.text() for label in legend.said.values()))
    world = World(load_scene("pool_break"))
    boxes = world.swept_boxes()
    rows = renewed(boxes)
    assert legend.said["swept"].text() == f"{len(rows)} swept boxes" == "16 swept boxes"  # all the balls
    first = world.names[int(rows[0])]
    assert legend.said["until"].text().endswith(first)
    until = min(float(end) for end in boxes["until"] if np.isfinite(end))
    assert f"{1e3 * until:.3g} ms" in legend.said["until"].text()
    sides, _places = tiles_in_use(boxes)
    assert legend.said["tiles"].text().startswith(f"{len(sides)} tiles")
    drawn = window.viewport.overlays["swept boxes"]
    assert len(drawn.first) == 12 * 16
    ends = np.concatenate([drawn.first, drawn.second])
    assert ends.max(axis=0).tolist() == np.float32(boxes["high"][rows].max(axis=0)).tolist()
    tiles = [overlay for name, overlay in window.viewport.overlays.items() if name.startswith("hash tiles")]
    assert sum(len(overlay.first) for overlay in tiles) == 12 * len(sides)
    QTest.keyClick(window, Qt.Key.Key_X, ALT)
    QTest.keyClick(window, Qt.Key.Key_H, ALT)
    assert not legend.isVisible()
    assert not any(name.startswith(("hash tiles", "swept")) for name in window.viewport.overlays)
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.boxes is None)


def test_pairs_are_safe_until_the_first_is_checked(qtbot: QtBot, window: MainWindow, ready: Callable[[], None]) -> None:
    window.files.open_path("pool_break")
    qtbot.waitUntil(lambda: len(window.document.scene.bodies) == 21)
    ready()
    QTest.keyClick(window, Qt.Key.Key_P, ALT)
    legend = window.overlays.pairs
    qtbot.waitUntil(legend.isVisible)
    world = World(load_scene("pool_break"))
    first = world.heap(1)[0]
    a, b = world.names[int(first["body_a"])], world.names[int(first["body_b"])]
    assert legend.pair.text() == f"first {a} and {b}, not checked yet"
    world.advance_to(0.2)
    rows = world.heap(10)
    legend.show_first(rows, world.time, world.names)
    left = float(rows[0]["time"]) - world.time
    unit = {"ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[legend.safe.text().split()[3].rstrip(",")]
    assert float(legend.safe.text().split()[2]) * unit == pytest.approx(left, rel=0.006)
    # Nothing touches before: a world that goes there has made no collision more.
    before = world.counters["collisions"]
    world.advance_to(world.time + left * (1.0 - 1e-9))
    assert world.counters["collisions"] == before
    QTest.keyClick(window, Qt.Key.Key_P, ALT)
    assert not legend.isVisible()


def test_pairs_that_come_no_nearer_are_safe_for_good(qtbot: QtBot, window: MainWindow) -> None:
    world = World(load_scene("pool_break"))
    world.advance_to(0.1)
    rows = world.heap(10)
    assert np.isinf(rows["time"]).all()
    window.overlays.pairs.show_first(rows, world.time, world.names)
    assert window.overlays.pairs.safe.text() == "safe: none come nearer"
