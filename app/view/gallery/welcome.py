"""The page that Carom opens on: what it is, what to open, the gallery."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QPaintEvent
from PyQt6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget

from app.document.settings import recent_files
from app.view.commands.action_set import ActionSet
from app.view.layouts import caption, hbox, heading, vbox, without_keys
from app.view.theme import scaled_font

_MOST_SHOWN = 3
_WIDEST, _NARROWEST = 260, 90  # [px] that a name takes


class RecentButton(QPushButton):
    """The name of a file, which loses its middle where there is no room: it never widens what it stands in."""

    def __init__(self, path: Path) -> None:
        super().__init__(without_keys(path.stem))
        self._name = path.stem
        self.setAccessibleName(path.stem)
        self.setToolTip(str(path))
        self.setFlat(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(min(hint.width(), _WIDEST), hint.height())

    def minimumSizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(min(hint.width(), _NARROWEST), hint.height())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        option, painter = QStyleOptionButton(), QStylePainter(self)
        self.initStyleOption(option)
        style = self.style()
        assert style is not None
        room = style.subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()
        option.text = without_keys(self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, room))
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)


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
            button = RecentButton(path)
            button.clicked.connect(lambda _checked=False, chosen=path: self._open_path(chosen))
            self._recent.addWidget(button)
        self._recent.addStretch(1)
