"""What is chosen in the preferences counts at once and at the next start, and what they tell is so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QSettings, Qt

from app.document.settings import history_megabytes
from app.view.theme import theme
from app.view.window.main_window import MainWindow
from app.view.window.preferences import PreferencesDialog
from engine.control.trust import is_trusted, trust, trusted_files


@pytest.fixture
def preferences(qtbot, window: MainWindow) -> PreferencesDialog:
    """Opened by their key."""
    qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    dialog = window.preferences
    qtbot.waitUntil(lambda: dialog.isVisible() and dialog.windowHandle().isExposed(), timeout=5000)
    return dialog


def typed(qtbot, dialog: PreferencesDialog, text: str) -> None:
    dialog.memory.selectAll()
    qtbot.keyClicks(dialog.memory, text)
    qtbot.keyClick(dialog.memory, Qt.Key.Key_Return)


def test_memory_of_the_past_is_told_and_what_is_too_much_of_it_goes(
    qtbot, window: MainWindow, ready: Callable[[], None], preferences: PreferencesDialog
) -> None:
    assert preferences.memory.value == 256.0
    window.files.open_path("domino_spiral")
    ready()
    history = window.simulation._worker._history
    history._spacing = 0.02  # [s]: keyframes, soon
    window.playback.toggle()
    qtbot.waitUntil(lambda: len(window.playback.frame.keyframes) > 10, timeout=60_000)
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.simulation.state == "paused", timeout=10_000)
    many, taken = len(window.playback.frame.keyframes), window.playback.frame.held
    assert taken == history.size > 2e6
    preferences.refresh()
    assert preferences.taken.text().startswith(f"{many} keyframes of ")
    assert preferences.taken.text().endswith(f": {taken / 1e6:.3g} MB now")
    least = 0.6 * taken / 1e6
    typed(qtbot, preferences, f"{least:.3f}")
    qtbot.waitUntil(lambda: window.playback.frame.held < taken, timeout=5000)
    assert window.playback.frame.held == history.size <= 1e6 * least
    assert len(window.playback.frame.keyframes) < many


def test_memory_is_kept_for_the_next_start_and_what_cannot_be_is_not(
    qtbot, window: MainWindow, stored: QSettings, preferences: PreferencesDialog
) -> None:
    typed(qtbot, preferences, "64")
    assert history_megabytes() == 64.0
    qtbot.waitUntil(lambda: window.simulation._worker._history._most == 64e6, timeout=5000)
    typed(qtbot, preferences, "0")
    assert preferences.memory.property("invalid")
    assert preferences.taken.text() == "The past may take from 1 to 65536 MB"
    assert history_megabytes() == 64.0
    typed(qtbot, preferences, "65")
    assert not preferences.memory.property("invalid")
    assert history_megabytes() == 65.0
    stored.setValue("history_megabytes", "many")
    assert history_megabytes() == 256.0


def test_colours_change_at_once_and_follow_the_menu(
    qtbot, window: MainWindow, stored: QSettings, preferences: PreferencesDialog
) -> None:
    assert preferences.colours.currentText() == "Dark"
    qtbot.keyClick(preferences.colours, Qt.Key.Key_Down)
    assert theme().scheme == stored.value("scheme") == "light"
    qtbot.waitUntil(lambda: theme().colours.scheme == "light")
    window.looks.toggle_theme()
    assert preferences.colours.currentText() == "Dark"


def test_what_is_trusted_can_be_forgotten(
    qtbot, preferences: PreferencesDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.control.trust._store", lambda: tmp_path / "trusted")
    (tmp_path / "walker.py").write_text(f"# {tmp_path}\n", encoding="utf-8")
    trust([tmp_path / "walker.py"])
    preferences.refresh()
    assert trusted_files() == 1
    assert preferences.trusted.text() == "1 file"
    qtbot.mouseClick(preferences.forget, Qt.MouseButton.LeftButton)
    assert trusted_files() == 0
    assert preferences.trusted.text() == "none"
    assert not preferences.forget.isEnabled()
    assert is_trusted(tmp_path / "walker.py"), "until this process ends"
