"""The line at the foot of the window: what the simulation does, when it is, what touches, what is not saved."""

from __future__ import annotations

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QLabel, QStatusBar

from app.simulation.messages import Frame
from app.view.layouts import TextLine
from app.view.theme import scaled_font

_STAY = 6000  # [ms] that a message stays
_STATES = {
    "empty": "",
    "loading": "loading…",
    "compiling": "compiling…",
    "starting": "plays when compiled",
    "paused": "paused",
    "stepping": "stepping",
    "running": "running",
    "failed": "cannot run",
    "closed": "",
}


class StatusBar(QStatusBar):
    """Shows facts on the left and messages on the right; messages hide nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setContentsMargins(10, 0, 10, 0)
        self._state, self._time, self._contacts, self._bodies, self._saved = (QLabel() for _ in range(5))
        for label, width in (
            (self._state, 70),
            (self._time, 130),
            (self._contacts, 90),
            (self._bodies, 80),
            (self._saved, 130),
        ):
            label.setFont(scaled_font(figures=True))
            label.setMinimumWidth(width)
            self.addWidget(label)
        self._compiling = QLabel()
        self._compiling.setObjectName("compiling")
        self._compiling.setFont(scaled_font(figures=True))
        self.addPermanentWidget(self._compiling)
        self._message = TextLine(name="status_message")
        self._message.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addPermanentWidget(self._message, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._message.clear)

    def say(self, text: str) -> None:
        """Shows a message for a few seconds."""
        self._message.setText(text)
        self._timer.start(_STAY)

    @property
    def message(self) -> str:
        """The message that is shown now."""
        return self._message.text()

    def show_compiling(self, text: str) -> None:
        """Shows how far the engine is compiled; nothing when it is there."""
        _set(self._compiling, text)

    def show_facts(self, state: str, bodies: int, modified: bool, saved: bool) -> None:
        """Shows what changes now and then; `saved`: the scene has a file."""
        _set(self._state, _STATES.get(state, state))
        _set(self._bodies, f"{bodies} {'body' if bodies == 1 else 'bodies'}")
        _set(self._saved, "not saved" if modified else ("saved" if saved else ""))

    def show_frame(self, frame: Frame | None) -> None:
        """Shows what changes with every frame."""
        _set(self._time, "" if frame is None else f"t = {frame.time:.6f} s")
        contacts = 0 if frame is None or frame.contacts is None else len(frame.contacts)
        unknown = frame is None or (frame.time == 0.0 and not contacts)  # the engine has looked for none yet
        _set(self._contacts, "" if unknown else f"{contacts} {'contact' if contacts == 1 else 'contacts'}")


def _set(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
