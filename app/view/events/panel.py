"""The event inspector: one event of the run with all that is known of it, and the hodograph of a collision."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QCheckBox, QGridLayout, QLabel, QScrollArea, QToolButton, QWidget

from app.document.copies import names_of
from app.document.document import Document
from app.simulation.examining import EventLog, Examined
from app.simulation.messages import COLLISION, MICROCOLLISION, Records
from app.simulation.simulation import Simulation
from app.view.events.hodograph import HodographView
from app.view.events.words import Rows, say_event, say_figures, say_note
from app.view.layouts import TextLine, caption, hbox, vbox
from app.view.plots.strip import SwitchStrip
from app.view.plots.timeline import Timeline
from app.view.theme import Colours, scaled_font, theme

_NOTHING = "No event is open. Double-click one in the timeline or in the strip of switches, or press E for the last one"

_HITS = (COLLISION, MICROCOLLISION)


class EventInspector(QWidget):
    """`opened`: an event is to be seen. ← and → go from event to event; from microcollision to microcollision, too, if
    that is asked for."""

    opened = pyqtSignal()

    def __init__(self, document: Document, simulation: Simulation, timeline: Timeline, strip: SwitchStrip) -> None:
        """timeline, strip: where events are double-clicked."""
        super().__init__()
        self._document, self._simulation = document, simulation
        self._timeline = timeline
        self.event_shown: np.void | None = None
        self.seen: Examined | None = None
        self.figures: Rows = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Event inspector")
        self._build()
        timeline.event_wanted.connect(self.open_near)
        strip.event_wanted.connect(self.open_near)
        simulation.examined.connect(self._show_examined)
        document.opened.connect(self.close_event)
        theme().changed.connect(self.set_colours)
        self.close_event()

    def _build(self) -> None:
        self.heading, self.note, self.legend = TextLine(), caption(wrapped=True), caption(wrapped=True)
        self.heading.setFont(scaled_font(1.05))
        for label in (self.note, self.legend):
            label.setFont(scaled_font(0.88))
        self.earlier, self.later = QToolButton(), QToolButton()
        for button, arrow, way in ((self.earlier, "‹", -1), (self.later, "›", 1)):
            button.setText(arrow)
            button.setToolTip("The event before (←)" if way < 0 else "The next event (→)")
            button.clicked.connect(lambda _checked=False, way=way: self.go(way))
        self.quiet = QCheckBox("Microcollisions")
        self.quiet.setToolTip("Open them, too, and stop at them with ‹ and ›; the newest 65 536 events are known")
        self.hodograph = HodographView()
        self._table = QWidget()
        self._table.setObjectName("panel")
        self._grid = QGridLayout(self._table)
        self._grid.setContentsMargins(0, 2, 8, 2)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(2)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignTop)
        scroll = QScrollArea()
        scroll.setWidget(self._table)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        left, right = QWidget(), QWidget()
        vbox(left, hbox(None, self.earlier, self.later, 6, (self.heading, 1), self.quiet), self.note, (scroll, 1))
        vbox(right, (self.hodograph, 1), self.legend, spacing=2)
        hbox(self, (left, 5), (right, 6), margins=(10, 6, 10, 6), spacing=10)

    @property
    def log(self) -> EventLog:
        """The events among which one goes."""
        return self._timeline.every if self.quiet.isChecked() else self._timeline.log

    # --- opening --------------------------------------------------------------------------------------------------

    def close_event(self) -> None:
        """Nothing is open."""
        self.event_shown = self.seen = None
        self._show()

    def open_near(self, time: float) -> None:
        """Open the event nearest to a time [s]; of those of one instant the collision with the largest impulse."""
        rows = self.log.rows
        if len(rows):
            away = abs(rows["time"] - time)
            self.open_event(_main_one(rows[away == away.min()]))

    def open_last(self) -> None:
        """Open the last event up to where the run stands; a collision, if there was one."""
        frame = self._simulation.latest()
        rows = self.log.rows
        rows = rows[rows["time"] <= (frame.time if frame is not None else np.inf)]
        hits = rows[np.isin(rows["kind"], _HITS)]
        if len(rows):
            last = hits if len(hits) else rows
            self.open_event(_main_one(last[last["time"] == last["time"][-1]]))
        else:
            self.opened.emit()

    def open_event(self, event: np.void) -> None:
        """Show an event, and ask for what can be found out about it."""
        self.event_shown, self.seen = event, None
        self._show()
        self.opened.emit()
        self._simulation.examine(event)

    def go(self, way: int) -> None:
        """On to the event before or after the one that is open."""
        rows, event = self.log.rows, self.event_shown
        if event is None or not len(rows):
            return
        here = np.flatnonzero([row.tobytes() == event.tobytes() for row in rows[rows["time"] == event["time"]]])
        first = int(np.searchsorted(rows["time"], event["time"]))
        place = first + (int(here[0]) if len(here) else 0) + way
        if 0 <= place < len(rows):
            self.open_event(rows[place])

    # --- showing --------------------------------------------------------------------------------------------------

    def _show_examined(self, seen: Examined | None) -> None:
        event = self.event_shown
        if event is None:
            return
        if seen is None:
            self.note.setText("It could not be looked into just now: the run was told something else. Open it again")
        elif seen.event.tobytes() == event.tobytes():
            self.seen = seen
            self._show()

    def _show(self) -> None:
        event, seen, names = self.event_shown, self.seen, names_of(self._document.scene)
        self.heading.setText("Event" if event is None else say_event(event, names))
        self.figures = [] if event is None else say_figures(event, seen, names)
        note = _NOTHING if event is None else "Looking into it …" if seen is None else say_note(seen)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.earlier.setEnabled(event is not None)
        self.later.setEnabled(event is not None)
        self._fill_grid()
        self.hodograph.setVisible(seen is not None and seen.hodograph is not None)
        path = None if seen is None else seen.hodograph
        self.hodograph.show_path(path, ends_there=path is not None and seen is not None and seen.hit.is_alone)
        self._show_legend()

    def _show_legend(self) -> None:
        self.legend.setText("&nbsp;&nbsp; ".join(self.hodograph.words()))

    def _fill_grid(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for row, (name, value) in enumerate(self.figures):
            figure, what = QLabel(value), caption(name)
            what.setFont(scaled_font(0.9))
            figure.setFont(scaled_font(0.9, figures=True))
            figure.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            figure.setWordWrap(True)  # in a narrow window long ones go on in a second line
            self._grid.addWidget(what, row, 0)
            self._grid.addWidget(figure, row, 1)
        self._grid.setRowStretch(len(self.figures), 1)
        self._grid.setColumnStretch(1, 1)

    def set_colours(self, palette: Colours) -> None:
        self.hodograph.set_colours(palette)
        self._show_legend()

    # --- keys -----------------------------------------------------------------------------------------------------

    def event(self, event: QEvent | None) -> bool:
        """← and → step frames elsewhere; here they go from event to event."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _way(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is None or not _way(event):
            super().keyPressEvent(event)
        else:
            self.go(_way(event))


def _main_one(events: Records) -> np.void:
    """Of events of one instant the hit with the largest impulse, else the first."""
    sizes = np.linalg.norm(events["impulse"], axis=1) * np.isin(events["kind"], _HITS)
    return np.asarray(events)[int(np.argmax(sizes))]  # type: ignore[no-any-return]


def _way(event: QKeyEvent) -> int:
    plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
    return (event.key() == Qt.Key.Key_Right) - (event.key() == Qt.Key.Key_Left) if plain else 0
