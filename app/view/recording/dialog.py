"""The record dialog: how large, how fast, from when until when, seen from where; then progress, with a way out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QCloseEvent, QDesktopServices
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from app.actions.table import action
from app.simulation.simulation import python_of
from app.view.forms.numbers import NumberBox, number_text
from app.view.forms.saving import may_replace, with_ending
from app.view.layouts import caption, hbox, heading, vbox
from app.view.recording.job import RecordJob
from app.view.recording.pictures import OVERLAYS, Extras
from app.view.recording.video import VideoError, shot_count
from app.view.theme import theme
from app.view.units import parse_quantity
from app.view.viewport.offscreen import SIZES as POSSIBLE
from app.view.viewport.views import named_camera
from engine.recording.inputs import Input
from engine.scene.schema import Scene

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (1080, 1080), (640, 360))
Inputs = Callable[[], Sequence[Input]]
RATES = (24, 25, 30, 50, 60, 120)
SPEEDS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_ACTIONS = {"paradigms": "view.paradigms"}  # the others are in the menu of overlays
FILTER = "MP4 video (*.mp4)"
PLOTS = (("", "none"), ("energy", "Energy"), ("forces", "Contact forces"))


class RecordDialog(QDialog):
    """Renders the open scene from its start into an MP4, in simulation time, in a process of its own."""

    def __init__(
        self,
        parent: QWidget,
        scene: Scene,
        view: object,
        span: tuple[float, float],
        out: Path,
        inputs: Inputs,
        seen: float = 0.0,
        overlays: Collection[str] = (),
    ) -> None:
        """`view` is the camera of the viewport; `span` [s] and `out` are proposals; `inputs` tells what to replay.

        What has been `seen` [s] is done again by what came from outside; for more than that controllers run. overlays:
        names of those that are on.
        """
        super().__init__(parent)
        self.setObjectName("record")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Record video")
        self.setMinimumWidth(520)
        self._scene, self._view, self._inputs, self._seen = scene, view, inputs, seen
        self._overlays = tuple(name for name in OVERLAYS if name in overlays)
        self._job: RecordJob | None = None
        text = caption(
            "The scene is simulated again from its start, with what the mouse did in this run, and every picture is "
            "taken in simulation time.",
            wrapped=True,
        )
        self._form = QWidget()
        self._fill_form(*span, out)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.status = caption(wrapped=True)
        parts = (heading("Record video", 1.25), text, self._form, self.bar, self.status, self._buttons())
        vbox(self, *parts, margins=(22, 20, 22, 18), spacing=10)
        self.bar.hide()
        self._describe()

    def _fill_form(self, start: float, until: float, out: Path) -> None:
        form = QFormLayout(self._form)
        form.setContentsMargins(0, 8, 0, 4)
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        self.size_box, self.other_size = QComboBox(), QLineEdit("800 × 600")
        for width, height in SIZES:
            self.size_box.addItem(f"{width} × {height}", (width, height))
        self.size_box.addItem("Another", None)
        self.other_size.hide()
        self.rate_box = QComboBox()
        for rate in RATES:
            self.rate_box.addItem(f"{rate} frames a second", rate)
        self.rate_box.setCurrentIndex(RATES.index(60))
        self.start_box, self.until_box = NumberBox("s"), NumberBox("s")
        for name, box, time in (("from", self.start_box, start), ("until", self.until_box, until)):
            box.setObjectName(name)
            box.set_value(time)
        self.speed_box = QComboBox()
        for speed in SPEEDS:
            self.speed_box.addItem(f"{speed:g}×", speed)
        self.speed_box.setCurrentIndex(SPEEDS.index(1.0))
        self.camera_box = QComboBox()
        self.camera_box.addItem("The view in the window", self._view)
        for camera in self._scene.camera:
            self.camera_box.addItem(camera.name, camera.name)
        self.overlays_box = QCheckBox("Those of the window, with their legends")
        self.overlays_box.setObjectName("overlays")
        self.overlays_said = caption(
            ", ".join(action(_ACTIONS.get(name, f"overlays.{name}")).text for name in self._overlays), wrapped=True
        )
        self.plot_box = QComboBox()
        for name, text in PLOTS:
            self.plot_box.addItem(text, name)
        self.out_box = QLineEdit(str(out))
        self.out_box.setObjectName("out")
        choose = QPushButton("Choose…")
        choose.setAutoDefault(False)
        choose.clicked.connect(self._choose)
        form.addRow("Size", hbox(None, (self.size_box, 1), (self.other_size, 1), spacing=8))
        form.addRow("Rate", self.rate_box)
        form.addRow("From", hbox(None, (self.start_box, 1), QLabel("until"), (self.until_box, 1), spacing=8))
        form.addRow("Speed", self.speed_box)
        form.addRow("Camera", self.camera_box)
        form.addRow("Overlays", self.overlays_box)
        form.addRow("", self.overlays_said)
        for overlays in (self.overlays_box, self.overlays_said):  # rows all the same: what is in none outlives the form
            form.setRowVisible(overlays, bool(self._overlays))
        form.addRow("Plot below", self.plot_box)
        form.addRow("File", hbox(None, (self.out_box, 1), choose, spacing=8))
        for box in (self.start_box, self.until_box):
            box.committed.connect(lambda _value, _gesture: self._describe())
            box.textEdited.connect(lambda _text: self._describe())
        for choice in (self.size_box, self.rate_box, self.speed_box):
            choice.currentIndexChanged.connect(lambda _row: self._describe())
        self.other_size.textEdited.connect(lambda _text: self._describe())

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

    def _time(self, box: NumberBox) -> float:
        """What is typed [s]; below 0 if it is no time."""
        try:
            return parse_quantity(box.text(), "s")
        except ValueError:
            return -1.0

    @property
    def _span(self) -> tuple[float, float]:
        return self._time(self.start_box), self._time(self.until_box)

    @property
    def _size(self) -> tuple[int, int] | None:
        """Width and height; None if what is typed is no size, or none that can be."""
        if self.size_box.currentData() is not None:
            width, height = self.size_box.currentData()
            return width, height
        typed = re.fullmatch(r"\s*(\d{1,5})\s*[x×*]\s*(\d{1,5})\s*", self.other_size.text())
        size = (int(typed[1]), int(typed[2])) if typed else (0, 0)
        return size if size[0] in POSSIBLE and size[1] in POSSIBLE else None

    def _describe(self) -> None:
        self.other_size.setVisible(self.size_box.currentData() is None)
        start, until = self._span
        rate, text, possible = self.rate_box.currentData(), "", False
        if until <= 0:
            text = "Until when? A time in seconds."
        elif start < 0:
            text = "From when? A time in seconds."
        elif self._size is None:
            text = f"How large? From {POSSIBLE[0]} × {POSSIBLE[0]} to {POSSIBLE[-1]} × {POSSIBLE[-1]} pixels."
        else:
            try:
                count = shot_count(start, until, self.speed_box.currentData(), rate)
                text, possible = f"{count:,} frames, {count / rate:,.4g} s of video", True
            except VideoError as error:
                text = f"{str(error)[:1].upper()}{str(error)[1:]}."
        self.start_button.setEnabled(possible)
        self.status.setText(text)

    def _choose(self) -> None:
        asks_later = QFileDialog.Option.DontConfirmOverwrite  # when it starts, of what was typed, too
        name, _ = QFileDialog.getSaveFileName(self, "Video file", self.out_box.text(), FILTER, options=asks_later)
        if name:
            self.out_box.setText(str(with_ending(Path(name), FILTER)))

    # --- recording ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts the process that records."""
        chosen = self.camera_box.currentData()
        camera = named_camera(self._scene, chosen) if isinstance(chosen, str) else chosen
        out = Path(os.path.expanduser(self.out_box.text()))  # a home that nobody has is a folder that is not there
        (start, until), size = self._span, self._size
        assert size is not None
        if not may_replace(self, "Record video", out):
            return
        job = RecordJob(
            self._scene,
            out,
            until,
            self.rate_box.currentData(),
            size,
            camera,
            self._inputs(),
            "off" if until <= self._seen else python_of(self._scene),
            start,
            self.speed_box.currentData(),
            Extras(
                self._overlays if self.overlays_box.isChecked() else (),
                self.plot_box.currentData(),
                theme().scheme == "light",
            ),
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
        self.status.setText(f"{100 * share:.0f} % of {number_text(self._span[1])} s")

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
