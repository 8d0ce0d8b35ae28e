"""The page of an open scene: tool bar above, tree and inspector beside the viewport, strip and plots below."""

from __future__ import annotations

from collections.abc import Mapping

from PyQt6.QtCore import QByteArray, Qt
from PyQt6.QtWidgets import QSizePolicy, QSplitter, QTabWidget, QWidget

from app.document.settings import settings
from app.view.layouts import vbox


class Workspace(QWidget):
    """Lays out what it is given. `panels` can be hidden one by one; the borders between them can be dragged."""

    def __init__(
        self,
        toolbar: QWidget,
        left: Mapping[str, QWidget],
        centre: tuple[QWidget, QWidget],
        right: QWidget,
        strip: QWidget,
        timeline: QWidget,
        bottom: Mapping[str, QWidget],
    ) -> None:
        """left, bottom: tabs by their titles; centre: the banner and the viewport under it."""
        super().__init__()
        self._left, self.bottom = _tabs(left), _tabs(bottom)
        self._left.setObjectName("left")
        self._tabs = dict(bottom)
        self.panels = {"left": self._left, "right": right, "strip": strip, "timeline": timeline, "bottom": self.bottom}
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        for widget in (self._left, _column(*centre, grows=1), right):
            self.columns.addWidget(widget)
        self.columns.setSizes([250, 850, 340])
        self.rows = QSplitter(Qt.Orientation.Vertical)
        self.rows.addWidget(_column(self.columns, timeline, strip, grows=0))
        self.rows.addWidget(self.bottom)
        self.rows.setSizes([610, 220])
        for splitter in (self.columns, self.rows):
            splitter.setHandleWidth(3)
            splitter.setChildrenCollapsible(False)
        vbox(self, toolbar, (self.rows, 1), spacing=0)

    def shown_panels(self) -> frozenset[str]:
        """Names of the panels that are not hidden."""
        return frozenset(name for name, panel in self.panels.items() if not panel.isHidden())

    def toggle_panel(self, name: str) -> None:
        """Hides or shows a panel."""
        panel = self.panels[name]
        panel.setVisible(not panel.isVisible())

    def show_left(self, panel: QWidget) -> None:
        """Opens a tab beside the viewport."""
        self._left.show()
        self._left.setCurrentWidget(panel)

    def open_tab(self, title: str, height: int) -> None:
        """Opens a tab under the viewport, at least so many pixels high where there is room."""
        panel = self._tabs[title]
        self.bottom.show()
        self.bottom.setCurrentWidget(panel)
        above, below = self.rows.sizes()
        if below < height:
            whole = above + below
            height = min(height, 2 * whole // 5)  # the picture stays the larger
            self.rows.setSizes([whole - height, height])
        panel.setFocus()

    def restore_layout(self) -> None:
        """Puts the borders where they were left."""
        for name, splitter in (("columns", self.columns), ("rows", self.rows)):
            state = settings().value(f"layout/{name}")
            if isinstance(state, QByteArray):
                splitter.restoreState(state)

    def store_layout(self) -> None:
        """Keeps where the borders are."""
        for name, splitter in (("columns", self.columns), ("rows", self.rows)):
            settings().setValue(f"layout/{name}", splitter.saveState())


def _tabs(pages: Mapping[str, QWidget]) -> QTabWidget:
    """Tabs that need the room of the page that is seen, and not of the largest one."""
    tabs = QTabWidget()
    tabs.setDocumentMode(True)
    for title, page in pages.items():
        tabs.addTab(page, title)

    def fit(_place: int = 0) -> None:
        for page in pages.values():
            policy = QSizePolicy.Policy.Preferred if page is tabs.currentWidget() else QSizePolicy.Policy.Ignored
            page.setSizePolicy(policy, policy)

    tabs.currentChanged.connect(fit)
    fit()
    return tabs


def _column(*widgets: QWidget, grows: int) -> QWidget:
    """Widgets stacked without gaps; the one at `grows` takes the room that is left."""
    column = QWidget()
    vbox(column, *((widget, int(place == grows)) for place, widget in enumerate(widgets)), spacing=0)
    return column
