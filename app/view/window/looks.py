"""What is shown and from where: cameras, overlays, panels, colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QCursor
from PyQt6.QtWidgets import QMenu, QWidget

from app.document import edits
from app.document.settings import settings
from app.view.commands.help import HelpOverlay
from app.view.commands.palette import CommandPalette
from app.view.theme import theme
from app.view.window.dialogs import AboutDialog
from engine.scene.schema import Camera

if TYPE_CHECKING:
    from app.view.window.main_window import MainWindow

MICROSCOPE_HEIGHT = 380  # [px] that the microscope is given when it is opened by name
CARD_HEIGHT = 240


class LookActions:
    """Carries the actions of the View, Overlays and Help menus out."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def frame_selection(self) -> None:
        self._window.viewport.frame_selection()

    def frame_all(self) -> None:
        self._window.viewport.frame_all()

    def look_along(self, name: str) -> None:
        self._window.viewport.look_along(name)

    def use_camera(self, name: str) -> None:
        """Glides to one of the scene's cameras."""
        self._window.viewport.use_camera(name)

    def store_camera(self) -> None:
        """Adds the view as a camera of the scene."""
        document, state = self._window.document, self._window.viewport.camera
        names = {camera.name for camera in document.scene.camera}
        name = next(name for n in range(1, len(names) + 2) if (name := f"view {n}") not in names)
        camera = Camera(name=name, position=state.position, target=state.target, up=state.up, fov=state.fov)
        document.edit(f"store camera {name}", edits.with_camera(document.scene, camera))
        self._window.say(f"Stored as camera “{name}”: View, Cameras")

    def toggle_overlay(self, name: str) -> None:
        self._window.overlays.toggle(name)
        self._window.refresh_facts()

    def toggle_panel(self, name: str) -> None:
        panel = self._window.panels[name]
        panel.setVisible(not panel.isVisible())
        self._window.refresh_facts()

    def show_microscope(self) -> None:
        """Opens the solver microscope under the viewport, with room to read it."""
        self._show_below(self._window.microscope, MICROSCOPE_HEIGHT)

    def show_contacts(self) -> None:
        """Opens the contact card under the viewport."""
        self._show_below(self._window.contact_card, CARD_HEIGHT)

    def _show_below(self, panel: QWidget, height: int) -> None:
        window = self._window
        window.bottom.show()
        window.bottom.setCurrentWidget(panel)
        above, below = window.rows.sizes()
        if below < height:
            whole = above + below
            height = min(height, whole // 2)
            window.rows.setSizes([whole - height, height])
        panel.setFocus()
        window.refresh_facts()

    def toggle_theme(self) -> None:
        scheme = "dark" if theme().colours.scheme == "light" else "light"
        settings().setValue("scheme", scheme)
        theme().apply("light" if scheme == "light" else "dark")
        self._window.refresh_facts()

    def toggle_full_screen(self) -> None:
        window = self._window
        window.showNormal() if window.isFullScreen() else window.showFullScreen()
        window.refresh_facts()

    def show_add_menu(self) -> None:
        """The Add menu at the pointer; what is chosen goes to where the pointer is."""
        window = self._window
        at = QCursor.pos()
        view = window.viewport
        inside = view.mapFromGlobal(at)
        if not view.rect().contains(inside):
            inside = view.rect().center()
            at = view.mapToGlobal(inside)
        window.editing.place = inside
        menu = QMenu(window)
        menu.setObjectName("add_menu")
        window.actions_.fill_menu(menu, "Add")
        menu.removeAction(window.actions_["add.menu"])
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, window.editing.forget_place))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def show_palette(self) -> None:
        CommandPalette(self._window, self._window.actions_).open_over(self._window)

    def show_help(self) -> None:
        HelpOverlay(self._window).open_over(self._window)

    def show_about(self) -> None:
        AboutDialog(self._window).exec()
