"""The page that Carom opens on: what it is, what to open, the gallery."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QPushButton, QWidget

from app.document.settings import recent_files
from app.view.commands.action_set import ActionSet
from app.view.layouts import caption, hbox, heading, vbox
from app.view.theme import scaled_font

_MOST_SHOWN = 3


class WelcomeHead(QWidget):
    """Stands over the gallery's cards."""

    def __init__(self, actions: ActionSet, open_path: Callable[[Path], object]) -> None:
        super().__init__()
        self._open_path = open_path
        line = caption("A laboratory for rigid-body contact. Pick a scene, press Space, and look closely.")
        line.setFont(scaled_font(1.15))
        row = hbox(None, (vbox(None, heading("Carom", 2.6), line, spacing=2), 1), spacing=10)
        for identifier in ("file.new", "file.open"):
            action = actions[identifier]
            button = QPushButton(action.icon(), action.text())
            button.setObjectName(f"welcome_{identifier}")
            button.clicked.connect(action.trigger)
            action.changed.connect(lambda button=button, action=action: button.setIcon(action.icon()))
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        self._recent = hbox(None, spacing=8)
        vbox(self, row, self._recent, spacing=12)
        self.refresh()

    def refresh(self) -> None:
        """Shows the files that were open last."""
        while (item := self._recent.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        paths = recent_files()[:_MOST_SHOWN]
        if not paths:
            return
        self._recent.addWidget(caption("Recent"))
        for path in paths:
            button = QPushButton(path.stem)
            button.setToolTip(str(path))
            button.setFlat(True)
            button.clicked.connect(lambda _checked=False, chosen=path: self._open_path(chosen))
            self._recent.addWidget(button)
        self._recent.addStretch(1)
