"""The line at the foot of the window: what the simulation does, when it is, what touches, what is not saved."""

from __future__ import annotations

import time
from collections.abc import Callable

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QLabel, QProgressBar, QStatusBar, QToolButton, QWidget

from app.simulation.compiling import Compiling
from app.simulation.messages import Frame
from app.view.layouts import TextLine, hbox
from app.view.theme import scaled_font
from engine.scene.schema import Scene

_PATIENCE = 0.3  # [s] without a word
_STEPS = 1000  # of a bar
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


def compiling_words(engine: Compiling, scene: Scene) -> str:
    """How long a scene has to wait for the engine, or how much of the rest is left to compile; "" if nothing is."""
    left = engine.seconds_left(scene)
    if engine.is_done:
        return ""
    if engine.can_run(scene):
        return f"compiling the rest: {engine.fraction:.0%}"
    if left is None:
        return "compiling the engine, this once"
    return f"compiling the engine, this once: about {max(1, round(left))} s until this scene can move"


class StatusBar(QStatusBar):
    """Shows facts on the left and messages on the right; messages hide nothing."""

    def __init__(self, stop: Callable[[], object] = lambda: None) -> None:
        """stop: has the simulation stand where it is."""
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setContentsMargins(10, 0, 10, 0)
        self._unkept = ""
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
        self.again = Again(stop)
        self.addPermanentWidget(self.again)
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

    def show_unkept(self, why: str) -> None:
        """Why what is not saved could not be copied for the case of a crash; "" where it could."""
        self._unkept = why
        self._saved.setToolTip(f"A crash would lose what is not saved; its copy failed: {why}" if why else "")

    def show_facts(self, state: str, bodies: int, modified: bool, saved: bool) -> None:
        """Shows what changes now and then; `saved`: the scene has a file."""
        _set(self._state, _STATES.get(state, state))
        _set(self._bodies, f"{bodies} {'body' if bodies == 1 else 'bodies'}")
        unsaved = "not saved, copy failed" if self._unkept else "not saved"
        _set(self._saved, unsaved if modified else ("saved" if saved else ""))

    def show_frame(self, frame: Frame | None) -> None:
        """Shows what changes with every frame."""
        self.again.show_frame(frame)
        _set(self._time, "" if frame is None else f"t = {frame.time:.6f} s")
        contacts = 0 if frame is None or frame.touching is None else len(frame.touching)
        unknown = frame is None or (frame.time == 0.0 and not contacts)  # the engine has looked for none yet
        _set(self._contacts, "" if unknown else f"{contacts} {'contact' if contacts == 1 else 'contacts'}")


class Again(QWidget):
    """How far a run is gone through again, where that takes a while; it can be called off."""

    def __init__(self, stop: Callable[[], object]) -> None:
        super().__init__()
        self._text, self._bar, cancel = QLabel(), QProgressBar(), QToolButton()
        self._text.setFont(scaled_font(figures=True))
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(110, 8)
        cancel.setText("Cancel")
        cancel.setToolTip("Stand where it is; End goes on")
        cancel.clicked.connect(lambda: stop())
        hbox(self, self._text, self._bar, cancel, spacing=8)
        self._since: float | None = None  # wall time at which it began [s]
        self.hide()

    def show_frame(self, frame: Frame | None) -> None:
        """Shown when it has taken so long that one wonders."""
        if frame is None or frame.sought is None:
            self._since = None
            self.hide()
            return
        now = time.monotonic()
        self._since = self._since or now
        begin, end = frame.sought
        share = (frame.time - begin) / (end - begin) if end > begin else 1.0
        self._bar.setValue(round(_STEPS * share))
        _set(self._text, f"running again to {end:.2f} s: {share:.0%}")
        if now >= self._since + _PATIENCE:
            self.show()


def _set(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
