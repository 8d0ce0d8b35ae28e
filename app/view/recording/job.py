"""A video being made for the window, in a process of its own: the window stays quick, and cancelling is certain."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from PyQt6.QtCore import QObject, QProcess, QProcessEnvironment, pyqtSignal

import app
from app.view.recording.pictures import Extras
from app.view.recording.worker import describe_job
from app.view.viewport.camera import CameraState
from engine.recording.inputs import Input
from engine.scene.schema import Scene


class RecordJob(QObject):
    """Makes one video; arguments as for `video.record`. Exactly one of `finished`, `failed` and `cancelled` ends it."""

    progress = pyqtSignal(float)  # 0..1
    finished = pyqtSignal(str)  # path of the video
    failed = pyqtSignal(str)  # why, for the person
    cancelled = pyqtSignal()

    def __init__(
        self,
        scene: Scene,
        out: Path,
        until: float,
        fps: float = 60,
        size: tuple[int, int] = (1280, 720),
        camera: CameraState | None = None,
        inputs: Sequence[Input] = (),
        python: Literal["run", "off"] = "off",
        start: float = 0.0,
        speed: float = 1.0,
        extras: Extras | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._out = out.resolve()
        self._job = describe_job(scene, self._out, until, fps, size, camera, inputs, python, start, speed, extras)
        self._answer = ""
        self._cancelling = False
        self._ended = False
        self._process = QProcess(self)
        self._process.setProcessEnvironment(_environment())
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._end)
        self._process.errorOccurred.connect(self._on_error)

    def start(self) -> None:
        """Starts the process; returns at once."""
        self._process.start(sys.executable, ["-m", "app.view.recording.worker"])
        self._process.write(self._job.encode())
        self._process.closeWriteChannel()

    def cancel(self) -> None:
        """Stops; nothing is left on the disk."""
        self._cancelling = True
        self._process.kill()

    def _read(self) -> None:
        while self._process.canReadLine():
            line = self._process.readLine().data().decode(errors="replace").strip()
            try:
                self.progress.emit(float(line))
            except ValueError:
                self._answer = line

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._end()

    def _end(self) -> None:
        if self._ended:
            return
        self._read()
        self._ended = True
        if self._answer == "done":
            self.finished.emit(str(self._out))
            return
        with suppress(OSError):  # where there can be no such file, none was left
            self._out.with_name(f"{self._out.name}.part").unlink()
        if self._cancelling:
            self.cancelled.emit()
        elif self._answer.startswith("failed: "):
            self.failed.emit(self._answer.removeprefix("failed: "))
        else:
            said = self._process.readAllStandardError().data().decode(errors="replace").strip().splitlines()
            self.failed.emit(said[-1] if said else "the process that records ended early")


def _environment() -> QProcessEnvironment:
    """Ours, with the place of this very package first."""
    environment = QProcessEnvironment.systemEnvironment()
    root = str(Path(app.__file__).resolve().parent.parent)
    paths = [root, *filter(None, environment.value("PYTHONPATH", "").split(os.pathsep))]
    environment.insert("PYTHONPATH", os.pathsep.join(paths))
    environment.insert("PYTHONUNBUFFERED", "1")
    environment.insert("QT_QPA_PLATFORM", "offscreen")  # plots are painted, and never shown
    return environment
