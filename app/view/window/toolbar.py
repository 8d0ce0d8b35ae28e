"""The bar over the workspace: the clock, its speed, how well it is kept, and recording."""

from __future__ import annotations

import math

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from app.actions.table import ACTIONS
from app.simulation.messages import Frame
from app.view.commands.action_set import ActionSet
from app.view.layouts import Part, caption, hbox
from app.view.theme import colours, icon, scaled_font, theme
from app.view.window.playback import SPEEDS, Playback

_PLAY = "simulation.play"


class Toolbar(QFrame):
    """Built from the rows of the table that ask for a place in it."""

    def __init__(self, actions: ActionSet, playback: Playback) -> None:
        super().__init__()
        self.setObjectName("toolbar")
        self._actions, self._playback = actions, playback
        self._record = self._record_button()
        clock = [self._button(action.id) for action in ACTIONS if action.toolbar]
        left: list[Part] = [self._button("file.gallery"), _divider(), *clock, _divider(), 4, self._speed_row()]
        undo = [self._button("edit.undo"), self._button("edit.redo"), _divider()]
        hbox(self, *left, None, *undo, self._button("help.palette"), self._record, margins=(10, 5, 10, 5), spacing=3)
        playback.speed_changed.connect(self._show_speed)
        theme().changed.connect(self._paint)
        self._paint()

    def _button(self, identifier: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"button_{identifier}")
        action = self._actions[identifier]
        button.setDefaultAction(action)
        button.setIconSize(QSize(22, 22) if identifier != _PLAY else QSize(24, 24))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if identifier == _PLAY:
            self._play = button
            action.changed.connect(self._paint_play)
        return button

    def _record_button(self) -> QToolButton:
        """Follows its action, but keeps a text and an icon of its own."""
        action = self._actions["file.record"]
        button = QToolButton()
        button.setObjectName("button_file.record")
        button.setText("REC")
        button.setToolTip(action.toolTip())
        button.setIconSize(QSize(18, 18))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(action.trigger)
        action.changed.connect(lambda: button.setEnabled(action.isEnabled()))
        button.setEnabled(action.isEnabled())
        return button

    def _speed_row(self) -> QHBoxLayout:
        self.speed_box = QComboBox()
        self.speed_box.setObjectName("speed")
        self.speed_box.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        for speed in SPEEDS:
            self.speed_box.addItem(speed_text(speed), speed)
        self.speed_box.setMinimumContentsLength(5)
        self.speed_box.activated.connect(lambda at: self._playback.set_speed(self.speed_box.itemData(at)))
        self.speed_box.activated.connect(lambda _at: self.speed_box.clearFocus())  # the keys are the window's again
        self._show_speed(self._playback.speed)
        self._achieved = QLabel("")
        self._achieved.setFont(scaled_font(figures=True))
        self._achieved.setMinimumWidth(92)
        self._achieved.setToolTip("Real-time factor over the last half second")
        self._behind = QLabel("behind")
        self._behind.setObjectName("behind")
        self._behind.setToolTip("The simulation cannot keep up with this speed; no event is skipped")
        self._behind.hide()
        return hbox(None, caption("Speed"), self.speed_box, self._achieved, self._behind, spacing=8)

    def _show_speed(self, speed: float) -> None:
        at = next((row for row in range(self.speed_box.count()) if self.speed_box.itemData(row) == speed), -1)
        if at < 0:
            at = sum(self.speed_box.itemData(row) < speed for row in range(self.speed_box.count()))
            self.speed_box.insertItem(at, speed_text(speed), speed)
        self.speed_box.setCurrentIndex(at)

    def show_frame(self, frame: Frame | None, running: bool, behind: bool) -> None:
        """Shows how well the clock keeps its speed."""
        known = frame is not None and running and not math.isnan(frame.achieved)
        self._achieved.setText(f"achieved {achieved_text(frame.achieved)}" if known and frame is not None else "")
        self._behind.setVisible(running and behind)

    def _paint_play(self) -> None:
        """Its icon stands on the accent, not on the panel as in the menu."""
        name = "mdi6.pause" if self._actions.facts.running else "mdi6.play"
        self._play.setIcon(icon(name, colours().accent_text))

    def _paint(self, _colours: object = None) -> None:
        c = colours()
        self._paint_play()
        self._play.setStyleSheet(
            f"QToolButton {{ background: {c.accent}; padding: 4px 12px; }}"
            f"QToolButton:hover {{ border-color: {c.text}; }} QToolButton:disabled {{ background: {c.raised}; }}"
        )
        self._record.setIcon(icon("mdi6.record-circle", c.record))
        self._record.setFont(scaled_font(0.95, QFont.Weight.DemiBold))
        self._achieved.setStyleSheet(f"color: {c.muted};")
        self._behind.setStyleSheet(
            f"background: {c.warning}; color: {c.window}; border-radius: 4px; padding: 1px 7px; font-weight: 600;"
        )


def speed_text(speed: float) -> str:
    """A speed as it is written on the screen."""
    return "max" if math.isinf(speed) else f"{speed:g}×"


def achieved_text(speed: float) -> str:
    """A speed with as many digits as tell it from standing still: thousands of bodies take minutes a second."""
    return f"{speed:.2f}×" if speed >= 0.1 or speed == 0.0 else f"{speed:.4f}×"


def _divider() -> QWidget:
    line = QFrame()
    line.setObjectName("divider")
    line.setFixedHeight(24)
    holder = QWidget()
    hbox(holder, line, margins=(5, 0, 5, 0))
    return holder
