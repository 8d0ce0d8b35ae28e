"""The inspector: whatever is selected, as rows that can be edited. Every edit is one step of undo.

A page belongs to one thing (a body, a material, ...) and is built anew only when its rows would be others; otherwise
only its values are refreshed, so that a box keeps the focus while it is typed in.
"""

from __future__ import annotations

from PyQt6.QtCore import QCoreApplication, QEvent, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFont, QKeyEvent
from PyQt6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget

from app.document.document import Document
from app.simulation.messages import Frame
from app.view.forms.typed import drop_typed
from app.view.inspector.bodies_page import BodiesPage
from app.view.inspector.body_page import BodyPage
from app.view.inspector.controller_page import ControllerPage
from app.view.inspector.joint_page import JointPage
from app.view.inspector.page import Page
from app.view.inspector.repeat_page import RepeatPage
from app.view.inspector.surface_pages import MaterialPage, PairPage
from app.view.inspector.world_page import WorldPage
from app.view.layouts import TextLine, hbox, vbox
from app.view.theme import Colours, scaled_font, theme
from engine.scene.schema import Scene

_BREATH = 1  # [ms] before a page is made, and before it is shown


class Inspector(QWidget):
    """Shows the page of what the document has selected. `live_page` is fed with the state of the simulation."""

    delete_wanted = pyqtSignal()
    duplicate_wanted = pyqtSignal()
    driven = pyqtSignal(str, str, float)  # see JointPage
    changed = pyqtSignal(str, object)  # see Page
    trust_wanted = pyqtSignal()
    plot_wanted = pyqtSignal(QPoint)  # see Page
    finished = pyqtSignal()  # Enter: what was typed is taken

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._document = document
        self._page: Page | None = None
        self._due: tuple[type[Page], object, object] | None = None  # the page that is about to be made
        self._shown: tuple[type[Page], object, object] | None = None  # the one that was seen last, or is
        self._old: list[Page] = []
        self._place = 0  # to which the page is scrolled that is about to be shown
        self._reveal = QTimer(self)
        self._reveal.setSingleShot(True)
        self._reveal.timeout.connect(self._go_on)
        self._heading, self._kind = TextLine(), TextLine(name="caption")
        self._heading.setFont(scaled_font(1.15, QFont.Weight.DemiBold))
        head = vbox(None, self._heading, self._kind, margins=(14, 12, 14, 8), spacing=1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        holder = QWidget()  # a page that is taken out of a scroll area has all its styles resolved once more
        self._pages = vbox(holder)
        self._scroll.setWidget(holder)
        holder.setAutoFillBackground(False)
        viewport = self._scroll.viewport()
        if viewport is not None:
            viewport.setAutoFillBackground(False)
        vbox(self, head, (self._scroll, 1), self._buttons(), spacing=0)
        self.setMinimumWidth(270)
        document.scene_changed.connect(lambda _scene, _what: self.refresh())
        document.selection_changed.connect(lambda _names: self.refresh())
        document.focus_changed.connect(lambda _path: self.refresh())
        theme().follow(self, self._recolour)
        self.refresh()

    @property
    def page(self) -> Page | None:
        """The page that is shown, or is about to be."""
        self._make_page()
        return self._page

    def _buttons(self) -> QWidget:
        self._footer = QWidget()
        duplicate = QPushButton("Duplicate")
        duplicate.clicked.connect(self.duplicate_wanted)
        delete = QPushButton("Delete")
        delete.clicked.connect(self.delete_wanted)
        hbox(self._footer, duplicate, delete, margins=(14, 8, 14, 12))
        return self._footer

    def refresh(self, anew: bool = False) -> None:
        """Shows the document as it is now."""
        scene = self._document.scene
        page, key = self._wanted(scene)
        wanted = page, key, self._shape_of(page, scene)
        if anew or self._shown != wanted:
            self._hold_picture(stay=self._shown == wanted)
            self._put_away()
            self._due = self._shown = wanted
            self._reveal.start(_BREATH)
        elif self._page is not None:
            self._show_values(self._page)

    def _hold_picture(self, stay: bool) -> None:
        """Making a page takes as long as laying it out and painting it: a turn for each, and the old picture till
        then, whatever comes in between."""
        bar = self._scroll.verticalScrollBar()
        self._place = bar.value() if stay and bar is not None else 0
        self._scroll.setUpdatesEnabled(False)

    def _go_on(self) -> None:
        if self._due is None:
            self._show_page()
        else:
            self._make_page()
            self._reveal.start(_BREATH)

    def _make_page(self) -> None:
        if self._due is None:
            return
        kind, self._due = self._due[0], None
        page = kind(self._document)
        page.changed.connect(self.changed)
        page.plot_wanted.connect(self.plot_wanted)
        if isinstance(page, JointPage):
            page.driven.connect(self.driven)
        elif isinstance(page, ControllerPage):
            page.trust_wanted.connect(self.trust_wanted)
        page.hide()
        self._pages.addWidget(page)
        page.lower()  # whoever looks for a row comes upon it before that of the old page
        self._page = page
        self._show_values(page)

    def _show_values(self, page: Page) -> None:
        scene = self._document.scene
        page.refresh(scene)
        self._heading.setText(page.heading(scene))
        self._kind.setText(page.caption(scene))
        self._footer.setVisible(bool(self._document.selection))

    def _show_page(self) -> None:
        bar = self._scroll.verticalScrollBar()
        if self._page is not None and bar is not None:
            self._page.align()
            self._page.show()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)  # what is painted has its place
            bar.setValue(self._place)
        self._scroll.setUpdatesEnabled(True)
        while self._old:
            self._old.pop().deleteLater()

    def _put_away(self) -> None:
        """Lets go of the old page later: it may be one of its own boxes that is being listened to."""
        page, self._page = self._page, None
        if page is not None:
            drop_typed(page)  # its thing is gone, and hiding it leaves the field
            self._pages.removeWidget(page)
            page.hide()
            self._old.append(page)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Fields leave Enter to whom they stand in, when they have taken what was typed, or said what is wrong."""
        focus = self.focusWidget()
        if event is None or event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif focus is None or not focus.property("invalid"):
            self.finished.emit()

    def _recolour(self, _colours: Colours) -> None:
        self.refresh(anew=True)
        self._make_page()

    def show_live(self, frame: Frame) -> None:
        """Shows what holds now in the run that is seen."""
        if self._page is not None and len(frame.poses) == len(self._document.scene.bodies):
            self._page.show_live(frame)

    def _wanted(self, scene: Scene) -> tuple[type[Page], object]:
        names, focus = self._document.selection, self._document.focus
        if len(names) == 1:
            return BodyPage, None
        if names:
            return BodiesPage, None
        if focus.startswith("material."):
            return MaterialPage, focus
        if focus.startswith("repeat."):
            return RepeatPage, focus
        if focus.startswith("joint."):
            return JointPage, focus
        if focus.startswith("controller."):
            return ControllerPage, focus
        if focus.startswith("pair["):
            return PairPage, focus
        return WorldPage, None

    def _shape_of(self, page: type[Page], scene: Scene) -> object:
        return page.signature(self._document, scene)
