"""The table of actions as Qt's actions: what fills the menus, the tool bar and the context menus."""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMenu, QMenuBar, QWidget

from app.actions.action import MENUS, Action
from app.actions.host import Facts, Host
from app.actions.table import ACTIONS
from app.view.theme import icon, theme


class ActionSet(QObject):
    """One QAction for each row of the table, all in step with the facts."""

    begun = pyqtSignal()  # an action is about to be carried out

    def __init__(self, window: QWidget, host: Host) -> None:
        super().__init__(window)
        self._host = host
        self._actions: dict[str, QAction] = {}
        self._facts = Facts()
        for row in ACTIONS:
            self._actions[row.id] = self._make(window, row)
        theme().changed.connect(self._paint)
        self._paint()

    def __getitem__(self, identifier: str) -> QAction:
        return self._actions[identifier]

    @property
    def facts(self) -> Facts:
        return self._facts

    def _make(self, window: QWidget, row: Action) -> QAction:
        made = QAction(row.text, self)
        made.setObjectName(row.id)
        made.setShortcuts([QKeySequence(key) for key in row.keys])
        made.setCheckable(row.checked is not None)
        made.setIconVisibleInMenu(row.checked is None)  # a tick stands where the icon would
        made.setStatusTip(row.hint)
        made.setToolTip(tool_tip(row))
        made.setMenuRole(QAction.MenuRole.NoRole)
        made.triggered.connect(partial(self._run, row))
        window.addAction(made)
        return made

    def _run(self, row: Action, _checked: bool = False) -> None:
        self.begun.emit()
        row.run(self._host)
        self.refresh(self._facts)  # a tick that the action did not change must not stay toggled

    def run(self, identifier: str) -> None:
        """Starts an action as its menu entry would: not while it is greyed out."""
        self._actions[identifier].trigger()

    def refresh(self, facts: Facts) -> None:
        """Greys out, ticks and names every action after the facts."""
        changed = facts != self._facts
        self._facts = facts
        for row in ACTIONS:
            made = self._actions[row.id]
            made.setEnabled(row.enabled(facts))
            if row.checked is not None:
                made.setChecked(row.checked(facts))
            if row.label is not None:
                made.setText(row.label(facts))
        if changed:
            self._actions["simulation.play"].setIcon(icon("mdi6.pause" if facts.running else "mdi6.play"))

    def _paint(self, _colours: object = None) -> None:
        for row in ACTIONS:
            if row.icon:
                self._actions[row.id].setIcon(icon(row.icon))
        if self._facts.running:
            self._actions["simulation.play"].setIcon(icon("mdi6.pause"))

    # --- menus --------------------------------------------------------------------------------------------------

    def fill_menu_bar(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Adds all menus; returns them by title."""
        menus = {}
        for title in MENUS:
            menu = bar.addMenu(title)
            if menu is not None:
                menus[title] = menu
                self.fill_menu(menu, title)
        return menus

    def fill_menu(self, menu: QMenu, title: str) -> None:
        """Adds the actions of one menu, with lines between its groups."""
        group: str | None = None
        for row in (row for row in ACTIONS if row.menu == title):
            if group is not None and row.group != group:
                menu.addSeparator()
            group = row.group
            menu.addAction(self._actions[row.id])


def tool_tip(row: Action) -> str:
    """What the pointer shows: the text, the keys, the hint."""
    keys = f"  ({keys_text(row)})" if row.keys else ""
    return f"{row.text.removesuffix('…')}{keys}" + (f"\n{row.hint}" if row.hint else "")


def keys_text(row: Action) -> str:
    """The keys of an action as people read them: "Ctrl+Z", "Shift+→"."""
    text = " or ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in row.keys)
    return text.replace("Right", "→").replace("Left", "←").replace("Backspace", "⌫")
