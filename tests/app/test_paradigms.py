"""Bodies in the colours of their paradigms, and the legend that says which is which."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.view.contacts.rows import contact_rows
from app.view.inspector.body_page import BodyPage
from app.view.paradigms import PARADIGMS, light_of
from app.view.theme import theme
from app.view.viewport.palette import rgb
from app.view.window.main_window import MainWindow
from engine.recording.touching import PARADIGMS as OF_THE_ENGINE

SCENE = Path(__file__).parent.parent / "data" / "lasting.toml"
SEEN_BY = {
    "all": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
"""What eyes without one kind of cone make of amounts of light (Machado, Oliveira and Fernandes 2009)."""


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear sRGB."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ light
    x, y, z = np.cbrt(np.maximum(xyz / (0.9505, 1.0, 1.089), 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", SEEN_BY)
def test_colours_are_far_apart_for_everybody(eyes: str) -> None:
    shown = [one for one in PARADIGMS if one.name != "stopped"]  # which is named in words, too
    matrix = np.asarray(SEEN_BY[eyes])
    seen = {one.name: lab(np.clip(matrix @ (np.array(rgb(one.colour)) ** 2.2), 0, 1)) for one in shown}
    for a, b in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[a] - seen[b]) > 24, (a, b)


def test_states_are_those_of_the_engine() -> None:
    assert tuple(one.name for one in PARADIGMS) == (*OF_THE_ENGINE, "asleep")


def test_neighbours_in_one_state_can_be_told_apart() -> None:
    light = light_of(np.zeros(4, dtype=np.int8))
    assert light.shape == (4, 3) and light.dtype == np.float32
    assert (abs(np.diff(light, axis=0)).max(axis=1) > 0.05).all()


def test_bodies_change_colour_as_they_settle(window: MainWindow, ready: Callable[[], None], qtbot: QtBot) -> None:
    window.files.open_path(str(SCENE))
    ready()
    assert window.viewport.painted is None
    window.actions_["view.paradigms"].trigger()
    legend = window.overlays.legend
    qtbot.waitUntil(lambda: sum(legend.counts().values()) == 4, timeout=5000)
    assert legend.isVisible() and legend.x() + legend.width() < window.viewport.width()
    assert legend.counts() | {"free": 3, "scripted": 1} == legend.counts()
    names, painted = [one.name for one in PARADIGMS], window.viewport.painted
    assert painted is not None
    np.testing.assert_allclose(painted[0], light_of(np.full(1, names.index("scripted"), np.int8))[0])
    window.playback.set_speed(10.0)
    window.playback.toggle()
    qtbot.waitUntil(lambda: legend.counts()["asleep"] == 3, timeout=20_000)
    window.playback.pause()
    window.document.select(("upper",))
    page = window.inspector.page
    assert isinstance(page, BodyPage)
    qtbot.waitUntil(lambda: page.live["Paradigm"] == "asleep", timeout=3000)
    window.actions_["view.paradigms"].trigger()
    assert window.viewport.painted is None and not legend.isVisible()


def test_penalty_contact_is_chosen_and_shown(window: MainWindow, ready: Callable[[], None], qtbot: QtBot) -> None:
    window.files.open_path(str(SCENE))
    ready()
    window.document.set_value("world.contact", "penalty")
    ready()
    window.actions_["view.paradigms"].trigger()
    legend = window.overlays.legend

    def kept_by() -> set[str]:
        frame = window.playback.frame
        return set() if frame is None or frame.contacts is None else set(contact_rows(frame, ()).kept_by)

    window.playback.toggle()
    # In one frame: what bounces is in contact in some and in the air in others.
    qtbot.waitUntil(lambda: legend.counts()["penalty"] == 3 and kept_by() == {"penalty"}, timeout=20_000)
    window.playback.pause()
    assert legend.counts() | {"impulse": 0, "constraint": 0, "scripted": 1} == legend.counts()
    assert window.plots.strip.words == "none: all contacts of this scene are penalty springs"


def test_legend_keeps_to_its_corner(window: MainWindow, ready: Callable[[], None], qtbot: QtBot) -> None:
    window.files.open_path(str(SCENE))
    ready()
    window.looks.toggle_overlay("paradigms")
    legend = window.overlays.legend
    theme().apply("light")
    window.looks.toggle_panel("right")
    qtbot.waitUntil(lambda: legend.geometry().right() + 13 == window.viewport.width(), timeout=3000)
    theme().apply("dark")
