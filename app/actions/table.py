"""The one table of actions: menus, tool bar, keys, the command palette and the help all come from it.

A row says what an action is called, where it is found, which keys start it, when it can be used and what it does.
"""

from __future__ import annotations

from app.actions.action import Action
from app.actions.editing import ADD, EDIT
from app.actions.files import FILE
from app.actions.looks import ANALYSE, HELP, OVERLAYS, VIEW
from app.actions.playback import SIMULATION

ACTIONS = (*FILE, *EDIT, *ADD, *SIMULATION, *VIEW, *OVERLAYS, *ANALYSE, *HELP)

MOUSE: tuple[tuple[str, str], ...] = (
    ("Drag", "Orbit"),
    ("Shift+drag, middle drag", "Pan"),
    ("Wheel", "Zoom"),
    ("Click", "Select a body; with Ctrl or Shift, add it"),
    ("Double click", "Select a body and frame it"),
    ("Ctrl+drag", "Pull a body by a spring while it runs"),
    ("Drag on the timeline", "Go to another time; with Shift, choose a range to play again and again"),
    ("Wheel on the timeline", "Look closer, to a microsecond; with Shift, to the side"),
    ("Wheel on a plot", "Look closer at times; with Ctrl, at values"),
    ("Double click an event", "On the timeline or the strip of switches: look into it"),
    ("Click a branch on the timeline", "Go over to it"),
    ("Drag an arrow or a ring", "Move what is selected along, or rotate it about, one axis"),
    ("X, Y, Z", "While moving or rotating: along, or about, one axis; again: the body's own"),
    ("Digits", "While moving or rotating: how far, with a unit or without"),
    ("Ctrl, Shift", "While moving or rotating: in steps; onto the face under the pointer"),
    ("Drag a number's name, an x, y or z", "Change the number; Shift: finely, Ctrl: coarsely"),
)
"""Gestures that are no actions, for the help."""


def action(identifier: str) -> Action:
    """The row with this id; KeyError if there is none."""
    for row in ACTIONS:
        if row.id == identifier:
            return row
    raise KeyError(identifier)
