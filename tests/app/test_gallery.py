"""Files that were open last stand in the gallery and in the menu, whatever they are called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QAbstractButton, QMenu, QPushButton

from app.document.settings import remember_file
from app.view.gallery.welcome import RecentButton
from app.view.theme import theme
from app.view.window.main_window import MainWindow


def remember(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / f"{name}.toml"
        path.touch()
        remember_file(path)


@pytest.mark.parametrize("length", [3, 60, 240])
@pytest.mark.parametrize("size", [(1440, 900), (1100, 700), (900, 600)])
def test_names_of_any_length_leave_the_gallery_its_width(
    qtbot, window: MainWindow, tmp_path: Path, size: tuple[int, int], length: int
) -> None:
    """Long ones pushed the buttons for a new scene and for opening one out of the window."""
    remember(tmp_path, *(f"{k} {'experiment with friction ' * 10}"[:length].strip() for k in range(3)))
    window.welcome.refresh()
    window.resize(*size)
    for scheme in ("light", "dark"):
        theme().apply(scheme)
        qtbot.wait(100)
        page, seen = window.gallery.widget(), window.gallery.viewport()
        assert page is not None and seen is not None and page.width() == seen.width(), "with its margin at the right"
        for button in window.welcome.findChildren(QAbstractButton):
            place = button.mapTo(window, button.rect().bottomRight())
            assert window.rect().contains(place), button.objectName() or button.toolTip()
        if pictures := os.environ.get("CAROM_PICTURES"):
            window.grab().save(f"{pictures}/gallery_{length}_{size[0]}_{scheme}.png")
    recent = window.welcome.findChildren(RecentButton)
    assert len(recent) == 3 and all(button.width() > 60 or length == 3 for button in recent)


def test_an_ampersand_in_a_name_is_one_in_the_gallery_and_in_the_menu(window: MainWindow, tmp_path: Path) -> None:
    """It was taken for the mark of a key."""
    remember(tmp_path, "salt & pepper")
    window.welcome.refresh()
    (button,) = window.welcome.findChildren(RecentButton)
    assert button.text() == "salt && pepper" and button.shortcut().isEmpty()
    assert button.accessibleName() == "salt & pepper"
    assert button.toolTip() == str(tmp_path / "salt & pepper.toml")
    assert "salt && pepper" in entries(window)[0][0]


def test_long_names_leave_the_menu_its_width(window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / ("a folder with a long name " * 5).strip()
    folder.mkdir()
    name = "experiment with friction " * 9
    remember(folder, name.strip(), "short")
    (short, _), (long, tip) = entries(window)[:2]
    assert short.startswith("short    ") and long.startswith("experiment") and "…" in long
    assert tip == str(folder / f"{name.strip()}.toml")
    assert window.fontMetrics().horizontalAdvance(long) < 700


def entries(window: MainWindow) -> list[tuple[str, str]]:
    """Texts and tips of File > Open recent."""
    (menu,) = (menu for menu in window.findChildren(QMenu) if menu.title() == "Open recent")
    menu.aboutToShow.emit()
    assert menu.toolTipsVisible()
    return [(action.text(), action.toolTip()) for action in menu.actions()]


def test_a_recent_file_opens_by_a_click(window: MainWindow, tmp_path: Path) -> None:
    window.files.open_path("block_drop")
    window.document.save_as(tmp_path / "mine.toml")
    window.files.new()
    window.welcome.refresh()
    (button,) = window.welcome.findChildren(RecentButton)
    assert isinstance(button, QPushButton)
    button.click()
    assert window.document.path == tmp_path / "mine.toml"
