"""What is plotted by choice: menus of quantities, drags of them, and what was chosen for each scene before."""

from __future__ import annotations

import hashlib

from PyQt6.QtCore import QObject, QPoint
from PyQt6.QtGui import QCursor
from PyQt6.QtWidgets import QMenu, QWidget

from app.document.document import Document
from app.document.settings import read_setting, settings
from app.simulation.simulation import Simulation
from app.view.plots.choices import Choice, Offer, offers_of, read_choices, write_choices
from app.view.plots.quantities import QuantityPanel
from app.view.window.workspace import Workspace

QUANTITIES = "Quantities"
"""Title of the tab."""
_HEIGHT = 260  # [px] that the tab is given at least


class PlotChoices(QObject):
    """Between the document, the panel of quantities and the simulation, which reads what is chosen."""

    def __init__(
        self, window: QWidget, document: Document, simulation: Simulation, panel: QuantityPanel, workspace: Workspace
    ) -> None:
        super().__init__(window)
        self._window, self._document = window, document
        self._panel, self._workspace = panel, workspace
        self._key = ""
        self._restoring = False
        panel.watch_wanted.connect(simulation.watch)
        panel.chosen.connect(self._store)
        panel.menu_wanted.connect(self.show_menu)
        panel.dropped_names.connect(self._choose_dropped)
        document.scene_changed.connect(lambda _scene, _what: self._show_document())
        self._show_document()

    def _show_document(self) -> None:
        self._panel.set_scene(self._document.scene)
        key = _key_of(self._document)
        if key != self._key:
            self._key = key
            self._restoring = True
            self._panel.set_choices(read_choices(read_setting(key, str, "[]")))
            self._restoring = False

    def _store(self) -> None:
        if self._restoring:
            return
        if self._panel.choices:
            settings().setValue(self._key, write_choices(self._panel.choices))
        else:
            settings().remove(self._key)

    # --- menus ----------------------------------------------------------------------------------------------------

    def show_at_pointer(self) -> None:
        """The menu of what can be plotted of the selection, at the pointer."""
        self.show_menu(QCursor.pos())

    def show_menu(self, at: QPoint) -> None:
        """The same somewhere else."""
        document = self._document
        names = [document.scene.bodies[row].name for row in document.selected_rows()[:4]]
        self._popup(offers_of(document.scene, names, document.focused_joint()), at)

    def _choose_dropped(self, kind: str, names: list[str], at: QPoint) -> None:
        scene = self._document.scene
        joints = [joint.name for joint in scene.joint]
        joint = joints.index(names[0]) if kind == "joint" and names[0] in joints else -1
        self._popup(offers_of(scene, [] if kind == "joint" else names[:4], joint), at)

    def _popup(self, offers: list[Offer], at: QPoint) -> None:
        menu = QMenu(self._window)
        menu.setObjectName("plot_menu")
        menu.aboutToHide.connect(menu.deleteLater)
        for offer in offers:
            self._fill(menu if len(offers) == 1 else menu.addMenu(" – ".join(offer.names)), offer)
        if not offers:
            nothing = menu.addAction("Select a body, two bodies, or a hinge or slider")
            if nothing is not None:
                nothing.setEnabled(False)
        menu.popup(at)

    def _fill(self, menu: QMenu | None, offer: Offer) -> None:
        """An entry for each quantity; those that have a curve have a tick, and lose it again."""
        group = None
        for quantity in () if menu is None else offer.quantities:
            assert menu is not None
            if group is not None and quantity.group != group:
                menu.addSeparator()
            group = quantity.group
            choice = offer.choice(quantity.name)
            action = menu.addAction(quantity.name, lambda choice=choice: self.toggle(choice))
            if action is not None:
                action.setCheckable(True)
                action.setChecked(choice in self._panel.choices)

    def toggle(self, choice: Choice) -> None:
        """A curve more, which is then seen, or one less."""
        if choice in self._panel.choices:
            self._panel.remove(choice)
        else:
            self._workspace.open_tab(QUANTITIES, _HEIGHT)
            self._panel.add(choice)


def _key_of(document: Document) -> str:
    """Where the settings keep what is plotted of a scene: by its file, else by its title."""
    name = document.title if document.path is None else str(document.path.resolve())
    return f"plotted/{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}"
