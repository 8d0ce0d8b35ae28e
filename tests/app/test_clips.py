"""The clip of a slow scene: it plays as soon as the scene is opened, and goes when it is closed or edited."""

from __future__ import annotations

import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.view.overlays.clip_card import ClipCard
from app.view.recording.clips import LENGTHS, PLAYED, RATE, clip
from app.view.recording.video import VideoFile
from app.view.window.main_window import MainWindow
from engine.scene.gallery import bundled_scenes


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Three pictures: black, grey, white."""
    path = tmp_path / "pool_break.mp4"
    with VideoFile(path, (64, 40), Fraction(RATE)) as file:
        for shade in (0, 128, 255):
            file.add(np.full((40, 64, 3), shade, dtype=np.uint8))
        file.finish()
    return path


def shade_of(card: ClipCard) -> int:
    return card.picture.pixmap().toImage().pixelColor(20, 20).red()


def test_a_clip_is_played_picture_by_picture_again_and_again(qtbot: QtBot, film: Path) -> None:
    parent = QWidget()
    parent.resize(800, 500)
    qtbot.addWidget(parent)
    parent.show()
    card = ClipCard(parent, PLAYED)
    card.play(film, "Recorded")
    card._timer.stop()
    seen = []
    for _ in range(5):
        before = card.picture.pixmap().cacheKey()

        def comes(before: int = before) -> bool:
            card.show_next()
            return card.picture.pixmap().cacheKey() != before

        qtbot.waitUntil(comes)
        seen.append(shade_of(card))
    assert seen == pytest.approx([0, 128, 255, 0, 128], abs=3)
    assert card.isVisible()
    card.close_button.click()
    assert card.isHidden()
    card.show_next()  # what the timer had still to say
    assert card.isHidden()
    card.play(film, "Recorded")
    qtbot.waitUntil(lambda: card.isVisible() and shade_of(card) > 100, timeout=5000)
    card.stop()
    qtbot.waitUntil(lambda: not any(thread.name == "film" for thread in threading.enumerate()))


def test_a_scene_that_has_a_clip_shows_it_until_it_is_edited(
    qtbot: QtBot, film: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.view.window.clip.clip", lambda name: film.with_name(f"{name}.mp4"))
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    window.files.open_path("pool_break")
    qtbot.waitUntil(lambda: window.document.name == "pool_break" and not window.clip.card.isHidden(), timeout=20_000)
    window.document.set_value("world.gravity", (0.0, 0.0, -1.0), "change gravity")
    assert window.clip.card.isHidden()
    window.document.undo_stack.setClean()  # or one is asked to save it
    window.files.open_path("impending")
    qtbot.waitUntil(lambda: window.document.name == "impending", timeout=20_000)
    assert window.clip.card.isHidden()


def test_every_clip_is_of_a_bundled_scene() -> None:
    assert set(LENGTHS) <= {name for name, _ in bundled_scenes()}
    for name in LENGTHS:
        assert clip(name).is_file()
