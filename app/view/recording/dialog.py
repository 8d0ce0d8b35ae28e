"""The record dialog: how large, how fast, until when, from where; then progress, with a way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QCloseEvent, QDesktopServices
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from app.simulation.simulation import python_of
from app.view.forms.numbers import NumberBox, number_text
from app.view.layouts import caption, hbox, heading, vbox
from app.view.recording.job import RecordJob
from app.view.recording.video import VideoError, frame_count
from app.view.units import parse_quantity
from app.view.viewport.views import named_camera
from engine.recording.inputs import Input
from engine.scene.schema import Scene

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (1080, 1080), (640, 360))
Inputs = Callable[[], Sequence[Input]]
RATES = (24, 25, 30, 50, 60, 120)


class RecordDialog(QDialog):
    """Renders the open scene from its start into an MP4, in simulation time, in a process of its own."""

    def __init__(
        self, parent: QWidget, scene: Scene, view: object, until: float, out: Path, inputs: Inputs, seen: float = 0.0
    ) -> None:
        """`view` is the camera of the viewport; `until` [s] and `out` are proposals; `inputs` tells what to replay.

        What has been `seen` [s] is done again by what came from outside; for more than that controllers run.
        """
        super().__init__(parent)
        self.setObjectName("record")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Record video")
        self.setMinimumWidth(520)
        self._scene, self._view, self._inputs, self._seen = scene, view, inputs, seen
        self._job: RecordJob | None = None
        text = caption(
            "The scene is simulated again from its start, with what the mouse did in this run, and every picture is "
            "taken in simulation time.",
            wrapped=True,
        )
        self._form = QWidget()
        self._fill_form(until, out)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.status = caption(wrapped=True)
        parts = (heading("Record video", 1.25), text, self._form, self.bar, self.status, self._buttons())
        vbox(self, *parts, margins=(22, 20, 22, 18), spacing=10)
        self.bar.hide()
        self._describe()

    def _fill_form(self, until: float, out: Path) -> None:
        form = QFormLayout(self._form)
        form.setContentsMargins(0, 8, 0, 4)
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        self.size_box = QComboBox()
        for width, height in SIZES:
            self.size_box.addItem(f"{width} × {height}", (width, height))
        self.rate_box = QComboBox()
        for rate in RATES:
            self.rate_box.addItem(f"{rate} frames a second", rate)
        self.rate_box.setCurrentIndex(RATES.index(60))
        self.until_box = NumberBox("s")
        self.until_box.setObjectName("until")
        self.until_box.set_value(until)
        self.camera_box = QComboBox()
        self.camera_box.addItem("The view in the window", self._view)
        for camera in self._scene.camera:
            self.camera_box.addItem(camera.name, camera.name)
        self.out_box = QLineEdit(str(out))
        self.out_box.setObjectName("out")
        choose = QPushButton("Choose…")
        choose.setAutoDefault(False)
        choose.clicked.connect(self._choose)
        for name, editor in (
            ("Size", self.size_box),
            ("Rate", self.rate_box),
            ("Until", self.until_box),
            ("Camera", self.camera_box),
        ):
            form.addRow(name, editor)
        form.addRow("File", hbox(None, (self.out_box, 1), choose, spacing=8))
        self.until_box.committed.connect(lambda _value, _gesture: self._describe())
        self.until_box.textEdited.connect(lambda _text: self._describe())
        self.rate_box.currentIndexChanged.connect(lambda _row: self._describe())

    def _buttons(self) -> QHBoxLayout:
        self.start_button = QPushButton("Record")
        self.start_button.setObjectName("start")
        self.start_button.setDefault(True)
        self.start_button.clicked.connect(self.start)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setObjectName("cancel")
        self.cancel_button.clicked.connect(self.reject)
        self.show_button = QPushButton("Show in folder")
        self.show_button.clicked.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(self.out_box.text()).parent)))
        )
        self.show_button.hide()
        return hbox(None, self.show_button, None, self.cancel_button, self.start_button)

    @property
    def is_recording(self) -> bool:
        return self._job is not None

    def _until(self) -> float:
        """The length asked for [s]; 0 if what is typed is no length."""
        try:
            return max(0.0, parse_quantity(self.until_box.text(), "s"))
        except ValueError:
            return 0.0

    def _describe(self) -> None:
        until, possible = self._until(), False
        text = "Until when? A time in seconds."
        if until > 0:
            try:
                text, possible = f"{frame_count(until, self.rate_box.currentData()):,} frames", True
            except VideoError as error:
                text = f"{str(error)[:1].upper()}{str(error)[1:]}."
        self.start_button.setEnabled(possible)
        self.status.setText(text)

    def _choose(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Video file", self.out_box.text(), "MP4 video (*.mp4)")
        if name:
            self.out_box.setText(name if name.endswith(".mp4") else f"{name}.mp4")

    # --- recording ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts the process that records."""
        chosen = self.camera_box.currentData()
        camera = named_camera(self._scene, chosen) if isinstance(chosen, str) else chosen
        out = Path(self.out_box.text()).expanduser()
        job = RecordJob(
            self._scene,
            out,
            self._until(),
            self.rate_box.currentData(),
            self.size_box.currentData(),
            camera,
            self._inputs(),
            python="off" if self._until() <= self._seen else python_of(self._scene),
            parent=self,
        )
        job.progress.connect(self._show_progress)
        job.finished.connect(self._show_finished)
        job.failed.connect(lambda why: self._stop(f"Not recorded: {why}"))
        job.cancelled.connect(lambda: self._stop("Cancelled; nothing was written."))
        self._job = job
        self._form.setEnabled(False)
        self.start_button.hide()
        self.show_button.hide()
        self.bar.setValue(0)
        self.bar.show()
        self.status.setText("Starting…")
        job.start()

    def _show_progress(self, share: float) -> None:
        self.bar.setValue(round(1000 * share))
        self.status.setText(f"{100 * share:.0f} % of {number_text(self._until())} s")

    def _show_finished(self, path: str) -> None:
        self._stop(f"Written to {path}")
        self.bar.setValue(1000)
        self.bar.show()
        self.show_button.show()
        self.start_button.setText("Record again")
        self.cancel_button.setText("Close")

    def _stop(self, text: str) -> None:
        """Back to the form."""
        if self._job is not None:
            self._job.deleteLater()
        self._job = None
        self.bar.hide()
        self._form.setEnabled(True)
        self.start_button.show()
        self.status.setText(text)

    def reject(self) -> None:
        """Cancels a recording; closes the dialog when there is none."""
        if self._job is None:
            super().reject()
        else:
            self.status.setText("Cancelling…")
            self._job.cancel()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        if event is not None and self._job is not None:
            self._job.cancel()
            event.ignore()
            return
        super().closeEvent(event)
