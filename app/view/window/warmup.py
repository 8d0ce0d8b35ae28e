"""The first start: kernels are compiled behind a progress bar, in child processes, while the window answers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from PyQt6.QtCore import QObject, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFont
from PyQt6.QtWidgets import QDialog, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.view.theme import scaled_font
from engine.warm import Progress, WarmUpError, is_warm, warm_in_child

log = logging.getLogger(__name__)

MINIMUM_FOR_ESTIMATE = 0.15  # fraction of the work after which the time left is worth saying


class WarmUp(QObject):
    """Runs the compilation on a thread of its own; its children end with it."""

    progressed = pyqtSignal(str, float)  # what is being compiled, fraction done
    finished = pyqtSignal(str)  # "" or what went wrong; also after `cancel`

    def __init__(self, parent: QObject | None, compile_all: Callable[[], Iterator[Progress]]) -> None:
        super().__init__(parent)
        self._compile_all = compile_all
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._run, name="warm-up", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cancel(self) -> None:
        """Stop at the next word from the children and end them; `finished` follows."""
        self._cancelled.set()

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for the thread's end; whether it has come."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        problem = ""
        steps = self._compile_all()
        try:
            for step in steps:
                if self._cancelled.is_set():
                    break
                self.progressed.emit(step.kernel, step.fraction)
        except (WarmUpError, OSError) as error:
            problem = str(error)
            log.warning("warm-up failed: %s", problem)
        finally:
            close = getattr(steps, "close", None)
            if close is not None:
                close()
        self.finished.emit(problem)


class WarmUpDialog(QDialog):
    """Says what is going on, how far it is and how long it has taken; cancelling means to quit."""

    def __init__(self, job: WarmUp, parent: QWidget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self.setObjectName("warm_up")
        self.setWindowTitle("Carom")
        self.setMinimumWidth(480)
        self._job, self._clock, self._began = job, clock, clock()
        self._fraction, self.problem = 0.0, ""
        self._build()
        job.setParent(self)
        job.progressed.connect(self._show_progress)
        job.finished.connect(self._finish)
        self._timer = QTimer(self)
        self._timer.setInterval(250)
        self._timer.timeout.connect(self._show_time)
        self._timer.start()
        job.start()

    def _build(self) -> None:
        head = QLabel("Getting ready for this computer")
        head.setFont(scaled_font(1.25, QFont.Weight.DemiBold))
        text = QLabel("The simulation is being compiled. This happens once, and again only after an update.")
        text.setObjectName("caption")
        text.setWordWrap(True)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.stage, self.seconds = QLabel("starting"), QLabel()
        for label in (self.stage, self.seconds):
            label.setObjectName("caption")
            label.setFont(scaled_font(0.92, figures=True))
        self.quit_button = QPushButton("Quit")
        self.quit_button.setAutoDefault(False)
        self.quit_button.clicked.connect(self.reject)
        line, foot = QHBoxLayout(), QHBoxLayout()
        line.addWidget(self.stage, 1)
        line.addWidget(self.seconds)
        foot.addStretch(1)
        foot.addWidget(self.quit_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 18)
        column.setSpacing(10)
        column.addWidget(head)
        column.addWidget(text)
        column.addSpacing(6)
        column.addWidget(self.bar)
        column.addLayout(line)
        column.addLayout(foot)
        self._show_time()

    def _show_progress(self, kernel: str, fraction: float) -> None:
        self._fraction = max(self._fraction, fraction)
        self.bar.setValue(round(1000 * self._fraction))
        if kernel and not self._job.is_cancelled:
            self.stage.setText(kernel.rpartition(".")[2].replace("_", " "))
        self._show_time()

    def _show_time(self) -> None:
        spent = self._clock() - self._began
        text = f"{spent:.0f} s"
        if MINIMUM_FOR_ESTIMATE <= self._fraction < 1.0:
            left = spent * (1.0 - self._fraction) / self._fraction
            text += f", about {max(1, round(left))} s left"
        self.seconds.setText(text)

    def _finish(self, problem: str) -> None:
        self._timer.stop()
        self.problem = problem
        if self._job.is_cancelled:
            super().reject()
        else:
            self.accept()

    def reject(self) -> None:
        """Quit, once the children have ended."""
        if self._job.is_cancelled:
            return
        self._job.cancel()
        self.stage.setText("stopping…")
        self.quit_button.setEnabled(False)


def warm_up(parent: QWidget | None = None) -> bool:
    """Have the kernels compiled unless they are. False: the person would rather quit.

    If compiling ahead fails, the app starts all the same: kernels are then compiled as they are needed.
    """
    if is_warm():
        return True
    dialog = WarmUpDialog(WarmUp(None, warm_in_child), parent)
    dialog.setWindowModality(Qt.WindowModality.ApplicationModal)
    return dialog.exec() == QDialog.DialogCode.Accepted
