"""What is shown and from where: cameras, overlays, panels, colours."""

from __future__ import annotations

from typing import Literal

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import QWidget

from app.document import edits
from app.document.document import Document
from app.document.settings import settings
from app.view.commands.action_set import ActionSet
from app.view.commands.help import HelpOverlay
from app.view.commands.palette import CommandPalette
from app.view.overlays.overlays import Overlays
from app.view.theme import theme
from app.view.viewport.viewport import Viewport
from app.view.window.dialogs import AboutDialog, ask
from app.view.window.workspace import Workspace
from engine.scene.schema import Camera

CONTACTS, MICROSCOPE, EVENT = "Contacts", "Solver microscope", "Event"
"""Titles of the tabs that have commands of their own."""
_CONTACTS_HEIGHT, _MICROSCOPE_HEIGHT, _EVENT_HEIGHT = 240, 380, 300  # [px] that they are then given at least


class LookActions(QObject):
    """Carries the actions of the View, Overlays and Help menus out; dialogs stand over `window`."""

    said = pyqtSignal(str)
    preferences_wanted = pyqtSignal()
    event_wanted = pyqtSignal()  # the last one is to be seen
    changed = pyqtSignal()  # what is on or shown

    def __init__(
        self,
        window: QWidget,
        document: Document,
        viewport: Viewport,
        overlays: Overlays,
        workspace: Workspace,
        actions: ActionSet,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._viewport = window, document, viewport
        self._overlays, self._workspace, self._actions = overlays, workspace, actions

    def frame_selection(self) -> None:
        self._viewport.frame_selection()

    def frame_all(self) -> None:
        self._viewport.frame_all()

    def look_along(self, name: str) -> None:
        self._viewport.look_along(name)

    def use_camera(self, name: str) -> None:
        """Glides to one of the scene's cameras; the menu may have been open while another scene came."""
        if name in self._viewport.camera_names():
            self._viewport.use_camera(name)
        else:
            self.said.emit(f"This scene has no camera “{name}”")

    def store_camera(self) -> None:
        """Adds the view as a camera of the scene."""
        document, state = self._document, self._viewport.camera
        names = {camera.name for camera in document.scene.camera}
        name = next(name for n in range(1, len(names) + 2) if (name := f"view {n}") not in names)
        camera = Camera(name=name, position=state.position, target=state.target, up=state.up, fov=state.fov)
        document.edit(f"store camera {name}", edits.with_camera(document.scene, camera))
        self.said.emit(f"Stored as camera “{name}”: View, Cameras")

    def toggle_overlay(self, name: str) -> None:
        self._overlays.toggle(name)
        self.changed.emit()

    def toggle_panel(self, name: str) -> None:
        self._workspace.toggle_panel(name)
        self.changed.emit()

    def use_layout(self, panels: frozenset[str]) -> None:
        """Shows these panels around the picture, and no others."""
        self._workspace.use_layout(panels)
        self.changed.emit()

    def show_microscope(self) -> None:
        """Opens the solver microscope under the viewport, with room to read it."""
        self._workspace.open_tab(MICROSCOPE, _MICROSCOPE_HEIGHT)
        self.changed.emit()

    def show_contacts(self) -> None:
        """Opens the contact card under the viewport."""
        self._workspace.open_tab(CONTACTS, _CONTACTS_HEIGHT)
        self.changed.emit()

    def show_event(self) -> None:
        """Opens the last event up to now."""
        self.event_wanted.emit()

    def show_event_tab(self) -> None:
        """Opens the event inspector under the viewport, with room for the hodograph."""
        self._workspace.open_tab(EVENT, _EVENT_HEIGHT)
        self.changed.emit()

    def toggle_theme(self) -> None:
        self.set_theme("dark" if theme().scheme == "light" else "light")

    def set_theme(self, scheme: Literal["dark", "light"]) -> None:
        settings().setValue("scheme", scheme)
        theme().change(scheme)
        self.changed.emit()

    def show_preferences(self) -> None:
        self.preferences_wanted.emit()

    def toggle_full_screen(self) -> None:
        window = self._window
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)  # maximized before, and after it

    def show_palette(self) -> None:
        CommandPalette(self._window, self._actions).open_over(self._window)

    def show_help(self) -> None:
        HelpOverlay(self._window).open_over(self._window)

    def show_about(self) -> None:
        ask(AboutDialog(self._window))
