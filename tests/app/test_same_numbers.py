"""What the window says of forces, energies and counts is what `carom run --json` says of the same instant.

Another world makes the second set of numbers: it runs the scene from its file, without a window, to the time at which
the window stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.__main__ import main
from app.view.contacts.rows import MOST_ROWS
from app.view.inspector.body_page import BodyPage
from app.view.plots.axes import format_si
from app.view.plots.chart import Chart
from app.view.plots.pair_log import HITS
from app.view.window.main_window import MainWindow
from engine import World, load_scene
from engine.recording.events import EVENT_KINDS
from engine.recording.observe import CAUSE_NAMES
from tests.app.test_timeline import run_until

SCENES = {
    "coins": 0.9,
    "block_on_ramp": 0.6,
    "see_saw": 0.8,
    "stack_of_books": 0.3,
    "vibrating_feeder": 0.25,
}
"""Scenes, and when they are looked at [s]: in flight, sliding, with joints, at rest, shaken."""


@pytest.fixture(params=SCENES)
def stood(
    request: pytest.FixtureRequest, qtbot: Any, window: MainWindow, ready: Callable[[], None], capsys: Any
) -> tuple[MainWindow, dict[str, Any]]:
    """The window, paused in the midst of a scene, and what the command line says of that instant."""
    window.files.open_path(request.param)
    ready()
    QTest.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    for overlay in ("forces", "paradigms", "cones"):
        window.looks.toggle_overlay(overlay)
    run_until(qtbot, window, SCENES[request.param])
    qtbot.wait(300)  # texts follow ten times a second
    frame = window.playback.frame
    assert frame is not None and frame.contacts is not None
    assert main(["run", request.param, "--until", repr(frame.time), "--json", "--trust"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["time"] == frame.time
    return window, told


def test_forces_energies_and_counts_agree(stood: tuple[MainWindow, dict[str, Any]]) -> None:
    window, told = stood
    check_status(window, told)
    check_card(window, told)
    check_arrows(window, told)
    check_paradigms(window, told)
    check_energies(window, told)
    check_events(window, told)
    check_bodies(window, told)


def check_status(window: MainWindow, told: dict[str, Any]) -> None:
    contacts, bodies = len(told["contacts"]), len(told["bodies"])
    assert window.status._time.text() == f"t = {told['time']:.6f} s"
    assert window.status._contacts.text() == f"{contacts} {'contact' if contacts == 1 else 'contacts'}"
    assert window.status._bodies.text() == f"{bodies} bodies"


def check_card(window: MainWindow, told: dict[str, Any]) -> None:
    """Row by row: the bodies, the gap, the forces along and across, and their sums."""
    rows, names = window.contact_card.rows, window._names
    assert rows is not None and len(rows) + rows.left_out == len(told["contacts"]) <= MOST_ROWS
    listed = [frozenset((names[on], names[other])) for on, other in zip(rows.on, rows.other)]
    assert listed == [frozenset(contact["bodies"]) for contact in told["contacts"]]
    for field, key in (("gap", "gap"), ("normal", "normal_force"), ("friction", "friction_force")):
        np.testing.assert_array_equal(getattr(rows, field), [contact[key] for contact in told["contacts"]])
    assert [str(word) for word in rows.kept_by] == [contact["paradigm"] for contact in told["contacts"]]
    np.testing.assert_allclose(rows.total, (told["forces"]["normal"], told["forces"]["friction"]), rtol=1e-12)
    said = window.contact_card.heading.text()
    assert said.startswith("The whole scene: " + (str(len(rows)) if len(rows) else "no contacts"))


def check_arrows(window: MainWindow, told: dict[str, Any]) -> None:
    """The arrows of forces are as long to each other as the forces are, and one for each of them."""
    forces = np.array([contact["force"] for contact in told["contacts"]]).reshape(-1, 3)
    sizes = np.linalg.norm(forces, axis=1)
    drawn = window.viewport.overlays.get("forces")
    if drawn is None:
        assert not len(sizes) or sizes.max() < 1e-9
        return
    lengths = np.sort(np.linalg.norm(drawn.second, axis=1))[::-1]
    expected = np.sort(sizes)[::-1][: len(lengths)]
    np.testing.assert_allclose(lengths / lengths[0], expected / expected[0], rtol=1e-4, atol=1e-4)
    assert (np.sort(sizes)[::-1][len(lengths) :] < 1e-3 * sizes.max()).all(), "none is left out that can be seen"


def check_paradigms(window: MainWindow, told: dict[str, Any]) -> None:
    said = window.overlays.legend.counts()
    words = ["asleep" if body["asleep"] else body["paradigm"] for body in told["bodies"].values()]
    assert {name: count for name, count in said.items() if count} == {word: words.count(word) for word in set(words)}


def check_energies(window: MainWindow, told: dict[str, Any]) -> None:
    """The values in the legends of the charts, as they are written there."""
    energy = told["energy"]
    window.workspace.open_tab("Energy", 240)
    window.plots.refresh()
    curves, losses = window.plots.energy.charts
    kept = ("kinetic", "potential", "elastic", "total")
    assert legend(curves) == {name: format_si(energy[name], "J") for name in kept}
    assert legend(losses) == {cause: format_si(energy["dissipated_by"][cause], "J") for cause in CAUSE_NAMES}


def legend(chart: Chart) -> dict[str, str]:
    chart.refresh(chart._now)
    return {key.name: key._value.text() for key in chart._keys}


def check_events(window: MainWindow, told: dict[str, Any]) -> None:
    """Marks of the strip, of the timeline and of the chart of contacts, beside the counters of a world of its own."""
    world = World(load_scene(window.document.name), python="off" if not window.document.scene.controller else "ask")
    world.advance_to(told["time"])
    events = world.events()
    assert world.digest == told["digest"]
    kinds = np.bincount(events["kind"], minlength=len(EVENT_KINDS))
    counted = dict(zip(EVENT_KINDS, kinds.tolist()))
    assert counted["collision"] == told["counters"]["collisions"]
    strip = window.plots.strip
    assert len(strip.log) == kinds[EVENT_KINDS.index("to_constraint") : EVENT_KINDS.index("to_constraint") + 5].sum()
    assert counted["to_constraint"] + counted["to_impulse"] == told["counters"]["switches"]
    assert len(window.plots.gantt.log.hits) == kinds[:HITS].sum()
    collisions = window.timeline._times_of((EVENT_KINDS.index("collision"),))
    assert len(collisions) == counted["collision"]


def check_bodies(window: MainWindow, told: dict[str, Any]) -> None:
    """What the inspector says of a body now."""
    name = next(body.name for body in window.document.scene.body if body.motion_kind != "fixed")
    window.document.select((name,))
    page, body = window.inspector.page, told["bodies"][name]
    assert isinstance(page, BodyPage)
    page.show_live(window.playback.frame)
    said = list(page.live.values())
    assert [float(word) for word in said[0].split()[:3]] == pytest.approx(body["position"], rel=1e-3, abs=1e-9)
    assert float(said[1].split()[0]) == pytest.approx(np.linalg.norm(body["velocity"]), rel=1e-3, abs=1e-9)
    assert float(said[2].split()[0]) == pytest.approx(np.linalg.norm(body["angular_velocity"]), rel=1e-3, abs=1e-9)
    assert int(said[3]) == sum(name in contact["bodies"] for contact in told["contacts"])
