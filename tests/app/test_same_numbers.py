"""What the window says of forces, energies and counts is what `carom run --json` says of the same instant."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from app.simulation.pair_states import STILL
from app.view.contacts.rows import MOST_ROWS
from app.view.contacts.table import CONE
from app.view.inspector.body_page import BodyPage
from app.view.window.main_window import MainWindow
from engine.model.model import MASS
from engine.recording.observe import CAUSE_NAMES
from tests.app.instants import Instant, legend, number, run_past, said, second_source, vector
from tests.app.test_timeline import click_timeline, settle

SCENES = {
    "block_on_ramp": 0.6,  # slides
    "coins": 0.9,  # rattle
    "see_saw": 0.8,  # hangs on a joint
    "stack_of_books": 0.3,  # at rest
    "vibrating_feeder": 0.25,  # shaken
    "part_sorter": 0.4,  # springs and dampers
    "rows_and_rack": 0.3,
    "balls_in_dish": 0.5,  # true round surfaces
}
"""Scenes, and when they are looked at [s]."""
MORE = (
    "assembly", "bicycle", "block_drop", "bowl", "bowling", "brick_wall", "butterfly", "card_house", "cart_pole",
    "chain_of_balls", "coin_shower", "collapsing_structure", "columns", "creature_war", "discs", "domino_spiral",
    "dominos", "exploding_text", "four_bar", "four_legged_table", "free_tumble", "furniture", "impending",
    "jack_on_stairs", "newtons_cradle", "painleve_rod", "part_feeder_chute", "passive_walker", "pool_break",
    "rattleback", "sliders", "spinning_platter", "stacking_arm", "stone_arch", "superquadric_dice", "tippe_top",
    "trap_doors", "triple_pendulum",
)  # fmt: skip
"""The rest of the gallery, but for what takes minutes."""
MORE_TIME = 0.35  # [s]
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def open_and_run(qtbot: Any, window: MainWindow, ready: Callable[[], None], name: str, time: float) -> None:
    """Lets a scene run to a time with all that says numbers, and pauses."""
    window.files.open_path(name)
    ready()
    QTest.keyClick(window, Qt.Key.Key_C, CTRL_SHIFT)
    for overlay in ("forces", "paradigms", "cones"):
        window.looks.toggle_overlay(overlay)
    run_past(qtbot, window, time)
    qtbot.wait(300)  # texts follow ten times a second


def check_all(instant: Instant) -> None:
    check_status(instant)
    check_card(instant)
    check_card_of_one(instant)
    check_arrows(instant)
    check_cones(instant)
    check_paradigms(instant)
    check_energies(instant)
    check_body(instant)


@pytest.mark.parametrize("name", SCENES)
def test_forces_energies_and_counts_agree(
    qtbot: Any, window: MainWindow, ready: Callable[[], None], capsys: Any, name: str
) -> None:
    open_and_run(qtbot, window, ready, name, SCENES[name])
    check_all(second_source(window, capsys))


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE)
def test_they_agree_in_the_rest_of_the_gallery(
    qtbot: Any, window: MainWindow, ready: Callable[[], None], capsys: Any, name: str
) -> None:
    open_and_run(qtbot, window, ready, name, MORE_TIME)
    check_all(second_source(window, capsys))


@pytest.mark.parametrize("name", ["block_on_ramp", "coins", "see_saw"])
def test_they_agree_where_the_run_has_gone_back(
    qtbot: Any, window: MainWindow, ready: Callable[[], None], capsys: Any, name: str
) -> None:
    """Between two samples of the run, too: what is shown is of the instant, and not of the sample before."""
    open_and_run(qtbot, window, ready, name, SCENES[name])
    click_timeline(window, 0.567 * SCENES[name])
    settle(qtbot, window)
    qtbot.wait(300)
    frame = window.playback.frame
    assert frame is not None and frame.time < 0.6 * SCENES[name]
    check_all(second_source(window, capsys))


def check_status(instant: Instant) -> None:
    window, told = instant.window, instant.told
    contacts, bodies = len(told["contacts"]), len(told["bodies"])
    assert window.status._time.text() == f"t = {told['time']:.6f} s"
    assert window.status._contacts.text() == f"{contacts} {'contact' if contacts == 1 else 'contacts'}"
    assert window.status._bodies.text() == f"{bodies} bodies"


def check_card(instant: Instant) -> None:
    """Row by row: the bodies, the gap, the forces along and across, the share of the cone; and their sums."""
    window, told = instant.window, instant.told
    card, contacts = window.contact_card, told["contacts"]
    rows, texts, names = card.rows, card.table.contacts, window._names
    assert rows is not None and len(rows) + rows.left_out == len(contacts)
    heading = card.heading.text()
    assert re.match(rf"The whole scene: {len(contacts) or 'no'} contacts?\b", heading), heading
    sums = told["forces"]
    if len(contacts):
        normal, friction = (number(part, "N") for part in card.caption.text().split(", "))
        assert normal == said(sums["normal"]) and friction == said(sums["friction"], sums["normal"])
    if len(contacts) > MOST_ROWS:
        return  # those with the largest forces are listed
    assert texts.rowCount() == len(contacts)
    largest = max((contact["normal_force"] for contact in contacts), default=0.0)
    shares = shares_of_cones(instant)
    for row, (contact, share) in enumerate(zip(contacts, shares, strict=True)):
        assert {names[rows.on[row]], names[rows.other[row]]} == set(contact["bodies"])
        model, gap, normal_text, friction_text = (texts.text(row, column) for column in range(1, 5))
        assert model == ("impulses" if contact["paradigm"] == "impulse" else contact["paradigm"])
        assert number(gap, "m") == said(contact["gap"])
        assert number(normal_text, "N") == said(contact["normal_force"], largest)
        assert number(friction_text, "N") == said(contact["friction_force"], largest)
        cone = texts.text(row, CONE)
        assert np.isnan(share) if cone == "–" else float(cone.split()[0]) == pytest.approx(100.0 * share, abs=0.6)


def shares_of_cones(instant: Instant) -> np.ndarray:
    """How much friction is used of what each contact allows; nan where nothing presses or nothing rubs."""
    contacts = instant.world.contacts()
    u, n = contacts["velocity"], contacts["normal"]
    slides = np.linalg.norm(np.cross(u, n), axis=1) > STILL
    mu = contacts["friction"][np.arange(len(contacts)), slides.astype(int)]
    pressing = np.array([contact["normal_force"] for contact in instant.told["contacts"]], dtype=float)
    across = np.array([contact["friction_force"] for contact in instant.told["contacts"]], dtype=float)
    most = mu * pressing
    known = most > 1e-12 * np.abs(pressing).max(initial=1e-300)
    return np.where(known, across / np.where(known, most, 1.0), np.nan)


def check_card_of_one(instant: Instant) -> None:
    """Of a body that is selected: its contacts, what they do to it together, and its weight beside that."""
    window, told, name = instant.window, instant.told, instant.busiest
    mine = instant.of_body(name)
    if not mine:
        return
    window.document.select((name,))
    card = window.contact_card
    assert card.heading.text() == f"{name}: {len(mine)} contact{'' if len(mine) == 1 else 's'}"
    total = sum(np.multiply(1.0 if one["bodies"][0] == name else -1.0, one["force"]) for one in mine)
    text = card.caption.text()
    assert vector(text, "sum of forces") == pytest.approx(total, rel=6e-4, abs=2e-4 * np.abs(total).max())
    body = window.document.scene.body[window.document.scene.index(name)]
    scene = window.document.scene
    tied = any(name in one.bodies for one in (*scene.joint, *scene.controller))
    if "other forces" in text and body.force is None and not tied:
        weight = instant.world.model.bodies[told_row(told, name), MASS] * np.array(window.document.scene.world.gravity)
        assert vector(text, "other forces") == pytest.approx(weight, rel=6e-4)
    window.document.select(())


def told_row(told: dict[str, Any], name: str) -> int:
    return list(told["bodies"]).index(name)


def check_arrows(instant: Instant) -> None:
    """The arrows of forces are as long to each other as the forces are, and the legend says the largest."""
    window = instant.window
    forces = np.array([contact["force"] for contact in instant.told["contacts"]]).reshape(-1, 3)
    sizes = np.sort(np.linalg.norm(forces, axis=1))[::-1]
    drawn = window.viewport.overlays.get("forces")
    text = window.overlays.forces.legend.length.text()
    if drawn is None:
        assert not len(sizes) or sizes.max() < 1e-9
        return
    lengths = np.sort(np.linalg.norm(drawn.second, axis=1))[::-1]
    expected = sizes[: len(lengths)]
    np.testing.assert_allclose(lengths / lengths[0], expected / expected[0], rtol=1e-4, atol=1e-4)
    assert (sizes[len(lengths) :] <= 1e-3 * window.overlays._force_scale.largest).all(), (
        "none is left out that can be seen"
    )
    assert text.startswith("longest ") and number(text, "N") == pytest.approx(sizes[0], rel=6e-3)


def check_cones(instant: Instant) -> None:
    shares = shares_of_cones(instant)
    text = instant.window.overlays.cones.legend.most.text()
    if np.isnan(shares).all():
        assert text == "no contact presses and rubs"
    else:
        assert float(text.split()[1].rstrip(":")) == pytest.approx(np.nanmax(shares), abs=6e-3)


def check_paradigms(instant: Instant) -> None:
    counts = instant.window.overlays.legend.counts()
    words = ["asleep" if body["asleep"] else body["paradigm"] for body in instant.told["bodies"].values()]
    assert {name: count for name, count in counts.items() if count} == {word: words.count(word) for word in set(words)}


def check_energies(instant: Instant) -> None:
    """The values in the legends of the charts, as they are written there."""
    window, energy = instant.window, instant.told["energy"]
    window.workspace.open_tab("Energy", 240)
    window.plots.refresh()
    curves, losses = (legend(chart) for chart in window.plots.energy.charts)
    kept = ("kinetic", "potential", "elastic", "total", "work")
    assert {name: number(curves[name], "J") for name in curves} == {name: said(energy[name]) for name in kept}
    lost = energy["dissipated_by"]
    assert {name: number(losses[name], "J") for name in losses} == {name: said(lost[name]) for name in CAUSE_NAMES}


def check_body(instant: Instant) -> None:
    """What the inspector says of a body now."""
    window, name = instant.window, instant.busiest
    if not name:
        return
    window.document.select((name,))
    page, body = window.inspector.page, instant.told["bodies"][name]
    assert isinstance(page, BodyPage)
    page.show_live(window.playback.frame)
    texts = page.live
    assert [float(word) for word in texts["Position"].split()[:3]] == pytest.approx(
        body["position"], rel=1e-3, abs=1e-6
    )
    assert float(texts["Speed"].split()[0]) == pytest.approx(np.linalg.norm(body["velocity"]), rel=1e-3, abs=1e-9)
    assert float(texts["Angular speed"].split()[0]) == pytest.approx(
        np.linalg.norm(body["angular_velocity"]), rel=1e-3, abs=1e-9
    )
    assert int(texts["Contacts"]) == len(instant.of_body(name))
    window.document.select(())
