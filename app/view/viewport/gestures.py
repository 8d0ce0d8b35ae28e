"""What the mouse and keys do in the viewport: orbit, pan, zoom, click, pull, and move or rotate bodies."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt
from PyQt6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

CLICK_REACH = 4.0
"""A press that moved no further than so many pixels is a click."""
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_AXIS_KEYS: dict[int, str] = {Qt.Key.Key_X: "x", Qt.Key.Key_Y: "y", Qt.Key.Key_Z: "z"}


class Stage(Protocol):
    """What gestures act on. Positions are in the widget's pixels."""

    @property
    def transforming(self) -> bool: ...
    def orbit(self, dx: float, dy: float) -> None: ...
    def pan(self, dx: float, dy: float) -> None: ...
    def zoom(self, at: QPointF, notches: float) -> None: ...
    def click(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None: ...
    def double_click(self, at: QPointF) -> None: ...
    def hover(self, at: QPointF | None) -> None: ...
    def start_pull(self, at: QPointF) -> bool: ...
    def move_pull(self, at: QPointF) -> None: ...
    def end_pull(self) -> None: ...
    def grab_handle(self, at: QPointF) -> bool: ...
    def preview_transform(self, at: QPointF, snap: bool, onto: bool) -> None: ...
    def lock_axis(self, axis: str) -> None: ...
    @property
    def typed_transform(self) -> str: ...
    def type_transform(self, text: str) -> None: ...
    def confirm_transform(self) -> None: ...
    def cancel_transform(self) -> None: ...


class Drag(Enum):
    """What the button that is down does."""

    NONE = auto()
    ORBIT = auto()
    PAN = auto()
    PULL = auto()
    HANDLE = auto()
    SWALLOW = auto()  # the press ended a transform: its release means nothing


class Gestures(QObject):
    """Turns events of the drawing surface into calls of a stage."""

    def __init__(self, stage: Stage, parent: QObject) -> None:
        super().__init__(parent)
        self._stage = stage
        self._drag = Drag.NONE
        self._button = Qt.MouseButton.NoButton
        self._pressed = QPointF()
        self._last = QPointF()
        self._strayed = False

    @property
    def pulling(self) -> bool:
        return self._drag is Drag.PULL

    def stop(self) -> None:
        """Ends whatever is under way, as when the scene changes beneath it."""
        if self._drag is Drag.PULL:
            self._stage.end_pull()
        elif self._drag is Drag.HANDLE:
            self._stage.cancel_transform()
        self._drag = Drag.NONE

    def eventFilter(self, _watched: QObject | None, event: QEvent | None) -> bool:
        """Takes the events that mean something here; others go their way."""
        match event:
            case QMouseEvent():
                return self._mouse(event)
            case QWheelEvent():
                notches = (event.angleDelta().y() or event.angleDelta().x()) / 120.0
                self._stage.zoom(event.position(), notches)
                return True
            case QKeyEvent():
                return self._key(event)
            case QEvent() if event.type() == QEvent.Type.Leave:
                self._stage.hover(None)
            case QEvent() if event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide):
                self.stop()
        return False

    # --- mouse ----------------------------------------------------------------------------------------------------

    def _mouse(self, event: QMouseEvent) -> bool:
        match event.type():
            case QEvent.Type.MouseButtonPress:
                self._press(event)
            case QEvent.Type.MouseMove:
                self._move(event)
            case QEvent.Type.MouseButtonRelease:
                self._release(event)
            case QEvent.Type.MouseButtonDblClick:
                self._drag, self._button = Drag.SWALLOW, event.button()
                if event.button() == Qt.MouseButton.LeftButton and not self._stage.transforming:
                    self._stage.double_click(event.position())
            case _:
                return False
        return True

    def _press(self, event: QMouseEvent) -> None:
        if self._drag is not Drag.NONE:
            return
        self._button = event.button()
        self._pressed = self._last = event.position()
        self._strayed = False
        left = event.button() == Qt.MouseButton.LeftButton
        if self._stage.transforming and event.button() != Qt.MouseButton.MiddleButton:
            if left:
                self._stage.confirm_transform()
            else:
                self._stage.cancel_transform()
            self._drag = Drag.SWALLOW
        elif event.button() == Qt.MouseButton.MiddleButton:
            self._drag = Drag.PAN
        elif left and self._stage.grab_handle(event.position()):
            self._drag = Drag.HANDLE
        elif left and event.modifiers() & _CTRL and self._stage.start_pull(event.position()):
            self._drag = Drag.PULL
        elif left:
            self._drag = Drag.PAN if event.modifiers() & _SHIFT else Drag.ORBIT
        self._stage.hover(None)

    def _move(self, event: QMouseEvent) -> None:
        at = event.position()
        step = at - self._last
        self._last = at
        if not self._strayed and self._drag in (Drag.ORBIT, Drag.PAN, Drag.HANDLE):
            off = at - self._pressed
            if max(abs(off.x()), abs(off.y())) <= CLICK_REACH:
                return
            self._strayed = True
            step = off
        match self._drag:
            case Drag.ORBIT:
                self._stage.orbit(step.x(), step.y())
            case Drag.PAN:
                self._stage.pan(step.x(), step.y())
            case Drag.PULL:
                self._stage.move_pull(at)
            case Drag.HANDLE | Drag.NONE if self._stage.transforming:
                held = event.modifiers()
                self._stage.preview_transform(at, bool(held & _CTRL), bool(held & _SHIFT))
            case Drag.NONE:
                self._stage.hover(at)

    def _release(self, event: QMouseEvent) -> None:
        if event.button() != self._button:
            return
        drag, self._drag = self._drag, Drag.NONE
        if drag is Drag.PULL:
            self._stage.end_pull()
        elif drag is Drag.HANDLE and self._stage.transforming:
            self._end_handle()
        elif drag in (Drag.ORBIT, Drag.PAN) and not self._strayed and event.button() == Qt.MouseButton.LeftButton:
            self._stage.click(event.position(), event.modifiers())

    def _end_handle(self) -> None:
        """A handle that was dragged, or for which a number was typed, places; one that was clicked does not."""
        if self._strayed or self._stage.typed_transform:
            self._stage.confirm_transform()
        else:
            self._stage.cancel_transform()

    # --- keys -----------------------------------------------------------------------------------------------------

    def _key(self, event: QKeyEvent) -> bool:
        """While a body is being moved, a few keys belong to that and not to the window's shortcuts."""
        key = event.key()
        typed = self._stage.transforming and not event.modifiers() & _CTRL and self._means_number(event)
        ours = typed or key in _AXIS_KEYS or key in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        busy = self._stage.transforming or (self.pulling and key == Qt.Key.Key_Escape)
        if not (ours and busy):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            if self.pulling:
                self.stop()
            elif key in _AXIS_KEYS:
                self._stage.lock_axis(_AXIS_KEYS[key])
            elif typed:
                so_far = self._stage.typed_transform
                erases = key == Qt.Key.Key_Backspace
                self._stage.type_transform(so_far[:-1] if erases else so_far + event.text())
            elif key == Qt.Key.Key_Escape:
                self._stage.cancel_transform()
            else:
                self._stage.confirm_transform()
        return True

    def _means_number(self, event: QKeyEvent) -> bool:
        """Is this a key of a number, or of the unit after one? Before a number letters mean something else."""
        begun, text = self._stage.typed_transform != "", event.text()
        if event.key() == Qt.Key.Key_Backspace:
            return True
        return text != "" and (text in "0123456789.,-" or (begun and text.isprintable()))
