"""The page of an open scene: tool bar above, tree and inspector beside the viewport, strip and plots below."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from PyQt6.QtCore import QByteArray, Qt, QTimer
from PyQt6.QtWidgets import QSizePolicy, QSplitter, QTabWidget, QWidget

from app.document.settings import read_setting, settings
from app.view.layouts import vbox

_COLUMNS, _ROWS = (230, 900, 310), (650, 220)
"""Shares of the width and of the height: the picture is the largest thing."""
_BREATH = 1  # [ms] before it is painted
_NARROWEST = 172  # [px] in which the titles of the tabs at the left have room


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
        self._toolbar = toolbar
        self._kept: frozenset[str] | None = None  # the panels that come back when the picture is no longer alone
        self._left, self.bottom = _tabs(left), _tabs(bottom)
        self._left.setObjectName("left")
        self._left.setMinimumWidth(_NARROWEST)
        self._tabs = dict(bottom)
        self.panels = {"left": self._left, "right": right, "strip": strip, "timeline": timeline, "bottom": self.bottom}
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        for widget in (self._left, _column(*centre, grows=1), right):
            self.columns.addWidget(widget)
        self.rows = QSplitter(Qt.Orientation.Vertical)
        self.rows.addWidget(_column(self.columns, timeline, strip, grows=0))
        self.rows.addWidget(self.bottom)
        self._place_borders()
        for splitter in (self.columns, self.rows):
            splitter.setHandleWidth(3)
            splitter.setChildrenCollapsible(False)
        vbox(self, toolbar, (self.rows, 1), spacing=0)
        self._painting = QTimer(self)
        self._painting.setSingleShot(True)
        self._painting.timeout.connect(lambda: self.setUpdatesEnabled(True))

    def paint_later(self) -> None:
        """To lay all of it out and to paint it are work for a turn each."""
        self.setUpdatesEnabled(False)
        self._painting.start(_BREATH)

    def shown_panels(self) -> frozenset[str]:
        """Names of the panels that are not hidden."""
        return frozenset(name for name, panel in self.panels.items() if not panel.isHidden())

    def toggle_panel(self, name: str) -> None:
        """Hides or shows a panel."""
        panel = self.panels[name]
        panel.setVisible(not panel.isVisible())

    def use_layout(self, panels: Collection[str]) -> None:
        """Shows these panels and no others, with the borders where the picture is the largest thing."""
        self._show(panels)
        self._place_borders()

    def show_only_picture(self, alone: bool) -> None:
        """Nothing but the picture, or again what was beside it."""
        if alone == (self._kept is not None):
            return
        self._kept, kept = (self.shown_panels() if alone else None), self._kept
        self._show(kept or ())
        self._toolbar.setHidden(alone)

    def _show(self, panels: Collection[str]) -> None:
        for name, panel in self.panels.items():
            panel.setVisible(name in panels)

    def _place_borders(self) -> None:
        self.columns.setSizes(_COLUMNS)
        self.rows.setSizes(_ROWS)

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
        """Puts the borders where they were left, and shows what was shown."""
        for name, splitter in self._splitters.items():
            splitter.restoreState(read_setting(f"layout/{name}", QByteArray, QByteArray()))
        self._show(read_setting("layout/panels", str, " ".join(self.shown_panels())).split())
        for name, tabs in self._tabbed.items():
            place = read_setting(f"layout/{name}", int, 0)
            tabs.setCurrentIndex(place if 0 <= place < tabs.count() else 0)

    def store_layout(self) -> None:
        """Keeps where the borders are, and what is shown."""
        for name, splitter in self._splitters.items():
            settings().setValue(f"layout/{name}", splitter.saveState())
        shown = self.shown_panels() if self._kept is None else self._kept
        settings().setValue("layout/panels", " ".join(sorted(shown)))
        for name, tabs in self._tabbed.items():
            settings().setValue(f"layout/{name}", tabs.currentIndex())

    @property
    def _splitters(self) -> dict[str, QSplitter]:
        return {"columns": self.columns, "rows": self.rows}

    @property
    def _tabbed(self) -> dict[str, QTabWidget]:
        return {"left_tab": self._left, "bottom_tab": self.bottom}


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
