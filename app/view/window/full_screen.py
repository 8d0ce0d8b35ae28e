"""The full screen: a scene's picture and nothing else, and the way back."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QMainWindow, QStackedWidget

from app.view.viewport.viewport import Viewport
from app.view.window.workspace import Workspace

_NOTICE = 4000  # [ms] that the picture says how to go back


class FullScreen(QObject):
    """Follows the state of a window, and which of its pages is seen: the gallery (0) or the workspace (1)."""

    changed = pyqtSignal()

    def __init__(self, window: QMainWindow, pages: QStackedWidget, workspace: Workspace, viewport: Viewport) -> None:
        super().__init__(window)
        self._window, self._pages = window, pages
        self._workspace, self._viewport = workspace, viewport
        self._alone = False
        window.installEventFilter(self)
        pages.currentChanged.connect(lambda _page: self._show())
        self._show()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.WindowStateChange:
            self._show()
            self.changed.emit()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._window.isFullScreen():
            if event.key() == Qt.Key.Key_Escape:  # nobody with the focus had a use for it
                self._window.setWindowState(self._window.windowState() & ~Qt.WindowState.WindowFullScreen)
                return True
        return super().eventFilter(watched, event)

    def _show(self) -> None:
        scene = self._pages.currentIndex() == 1
        alone = scene and self._window.isFullScreen()
        bar, status = self._window.menuBar(), self._window.statusBar()
        if bar is not None and status is not None:
            bar.setHidden(alone)
            status.setVisible(scene and not alone)
        self._workspace.show_only_picture(alone)
        if alone:
            self._viewport.setFocus()
            self._viewport.notify("F11 or Esc leads back", _NOTICE)
        elif self._alone:
            self._viewport.notify("", 0)
        self._alone = alone
