"""Menus whose entries are found when they are opened: recent files, and the cameras of the scene."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QMenu

from app.document.settings import forget_recent, recent_files
from app.view.layouts import without_keys

_WIDEST = 300  # [px] of a name, and of a folder


def recent_menu(parent: QMenu, open_path: Callable[[Path], object]) -> QMenu:
    """Files that were open lately, newest first."""
    menu = QMenu("Open recent", parent)
    menu.setToolTipsVisible(True)
    menu.aboutToShow.connect(lambda: _fill_recent(menu, open_path))
    return menu


def cameras_menu(parent: QMenu, names: Callable[[], list[str]], use: Callable[[str], object]) -> QMenu:
    """The cameras that the scene has stored."""
    menu = QMenu("Cameras", parent)
    menu.aboutToShow.connect(lambda: _fill_cameras(menu, names(), use))
    return menu


def _fill_recent(menu: QMenu, open_path: Callable[[Path], object]) -> None:
    menu.clear()
    for path in recent_files():
        name, folder = (_shortened(menu, text) for text in (path.stem, str(path.parent)))
        _add(menu, f"{name}    {folder}", partial(open_path, path), tip=str(path))
    menu.addSeparator()
    _add(menu, "Clear recent files", forget_recent, enabled=bool(recent_files()))


def _fill_cameras(menu: QMenu, names: list[str], use: Callable[[str], object]) -> None:
    menu.clear()
    for name in names:
        _add(menu, name, partial(use, name))
    if not names:
        _add(menu, "No cameras in this scene", None, enabled=False)


def _shortened(menu: QMenu, text: str) -> str:
    """A text that may be long, without its middle then."""
    return menu.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, _WIDEST)


def _add(menu: QMenu, text: str, then: Callable[[], object] | None, enabled: bool = True, tip: str = "") -> None:
    action = menu.addAction(without_keys(text))
    if action is None:
        return
    action.setToolTip(tip)
    action.setEnabled(enabled)
    if then is not None:
        action.triggered.connect(lambda _checked=False: then())
