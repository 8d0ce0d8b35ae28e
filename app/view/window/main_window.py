"""The window: where everything has its place, and how the parts hear of each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QByteArray, Qt, QTimer
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QMainWindow, QStackedWidget

from app.actions.host import Facts
from app.document import control, edits
from app.document.copies import names_of
from app.document.document import Document
from app.document.journal import Journal
from app.document.settings import history_megabytes, read_setting, settings
from app.simulation.compiling import compiling
from app.simulation.messages import Frame
from app.simulation.run_journal import RunJournal
from app.simulation.simulation import Simulation
from app.view.commands.action_set import ActionSet
from app.view.contacts.card import ContactCard
from app.view.events.panel import EventInspector
from app.view.forms.typed import take_typed
from app.view.gallery.gallery import GalleryView, gallery_entries
from app.view.gallery.welcome import WelcomeHead
from app.view.inspector.inspector import Inspector
from app.view.microscope.panel import SolverMicroscope
from app.view.overlays.overlays import Overlays
from app.view.plots.heap_table import HeapTable
from app.view.plots.live import LivePlots
from app.view.plots.timeline import Timeline
from app.view.theme import Colours, theme
from app.view.viewport.viewport import Viewport
from app.view.window.banner import Banner
from app.view.window.between import Between
from app.view.window.breaks_dialog import BreaksDialog
from app.view.window.clip import Clip
from app.view.window.comparing import Comparing
from app.view.window.composer import Composer
from app.view.window.dialogs import ProblemsDialog, ask
from app.view.window.editing import EditActions
from app.view.window.files import FileActions
from app.view.window.full_screen import FullScreen
from app.view.window.looks import CONTACTS, EVENT, MICROSCOPE, LookActions
from app.view.window.menus import cameras_menu, recent_menu
from app.view.window.own_keys import OwnKeys
from app.view.window.playback import Playback, checked_world
from app.view.window.plotting import QUANTITIES, PlotChoices
from app.view.window.preferences import PreferencesDialog
from app.view.window.readings import Readings
from app.view.window.shelf import Shelf
from app.view.window.status import StatusBar, compiling_words
from app.view.window.stopped import Stopped
from app.view.window.toolbar import Toolbar
from app.view.window.tree import SceneTree
from app.view.window.workspace import Workspace
from engine.scene.schema import Scene

TICK = 16  # [ms] between looks at the simulation
MESH_SUFFIXES = (".obj", ".stl", ".ply", ".glb", ".gltf")


class MainWindow(QMainWindow):
    """Carom's window. `files`, `editing`, `playback` and `looks` carry the actions out, and tell it what they did."""

    def __init__(self, document: Document | None = None, simulation: Simulation | None = None) -> None:
        super().__init__()
        self.setObjectName("carom")
        self.setAcceptDrops(True)
        self.document = document or Document(self)
        self.journal = Journal(self.document)
        self.simulation = simulation or Simulation(
            None, checked_world, compiling().can_run, history_megabytes(), RunJournal(self.journal)
        )
        self.viewport = Viewport()
        self.playback = Playback(self.document, self.simulation)
        self.overlays = Overlays(self.document, self.simulation, self.viewport)
        self.plots = LivePlots(self)
        self.timeline = Timeline()
        self.comparing = Comparing(self.document, self.simulation, self.viewport, self.plots)
        self.events = EventInspector(self.document, self.simulation, self.timeline, self.plots.strip)
        self.clip = Clip(self.document, self.viewport)
        self.heap_table = HeapTable()
        self.microscope = SolverMicroscope()
        self.contact_card = ContactCard()
        self.tree = SceneTree(self.document)
        self.inspector = Inspector(self.document)
        self.actions_ = ActionSet(self, self)
        self.files = FileActions(self, self.document, self.simulation, self.playback, self.viewport, self.overlays)
        self.editing = EditActions(
            self, self.document, self.playback, self.viewport, self.tree, self.actions_, self.files.save
        )
        self.breaks = BreaksDialog(self, self.document, self.playback)
        self._opening = False
        self._is_shut = False
        self._between = Between()
        self.simulation.request_instants(self.viewport.is_quick)
        self._shown: tuple[int, int, float] = (-1, -1, 0.0)  # run, sequence and time of the frame that is drawn
        self._shown_time: tuple[int, float] = (-1, 0.0)  # its run and time
        self._names: tuple[str, ...] = ()
        self._looked_at: tuple[object, ...] = (None, None, None)  # scene, selection and focus that are shown
        self._readings = Readings(self.plots, self.timeline, self._show_texts)
        self._own_keys = OwnKeys(self)
        self._composer = Composer(self)
        self._build()
        self._connect()
        self.resize(1440, 900)
        self._restore_layout()
        self.show_gallery()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK)

    # --- building -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        entries = gallery_entries()
        self.status = StatusBar(self.playback.call_off)
        self.toolbar = Toolbar(self.actions_, self.playback)
        self.banner = Banner()
        self._stopped = Stopped(self.banner, self.viewport, self.say)
        self.shelf = Shelf(self.document, self.editing, self.viewport.surface)
        self.small_gallery = GalleryView(entries, compact=True)
        self.workspace = Workspace(
            self.toolbar,
            left={"Scene": self.tree, "Shelf": self.shelf, "Gallery": self.small_gallery},
            centre=(self.banner, self.viewport),
            right=self.inspector,
            strip=self.plots.strip,
            timeline=self.timeline,
            bottom={
                "Energy": self.plots.energy,
                "Contact forces": self.plots.forces,
                "Contacts over time": self.plots.gantt,
                QUANTITIES: self.plots.quantities,
                "Joint": self.plots.joint,
                "Distance": self.plots.distance,
                "Events": self.plots.heap,
                "Event queue": self.heap_table,
                "Profiler": self.plots.stages,
                CONTACTS: self.contact_card,
                MICROSCOPE: self.microscope,
                EVENT: self.events,
            },
        )
        self.looks = LookActions(self, self.document, self.viewport, self.overlays, self.workspace, self.actions_)
        self.plotting = PlotChoices(self, self.document, self.simulation, self.plots.quantities, self.workspace)
        self.inspector.plot_wanted.connect(self.plotting.show_menu)
        self.preferences = PreferencesDialog(self, self.simulation, self.playback, self.looks)
        self.looks.event_wanted.connect(self.events.open_last)
        self.events.opened.connect(self.looks.show_event_tab)
        self.welcome = WelcomeHead(self.actions_, self.files.open_path)
        self.gallery = GalleryView(entries, head=self.welcome)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.gallery)
        self.pages.addWidget(self.workspace)
        self.setCentralWidget(self.pages)
        self.setStatusBar(self.status)
        self.full_screen = FullScreen(self, self.pages, self.workspace, self.viewport)
        bar = self.menuBar()
        if bar is not None:
            self.menus = self.actions_.fill_menu_bar(bar)
            file, view = self.menus["File"], self.menus["View"]
            file.insertMenu(self.actions_["file.gallery"], recent_menu(file, self.files.open_path))
            cameras = cameras_menu(view, self.viewport.camera_names, self.looks.use_camera)
            view.insertMenu(self.actions_["view.store_camera"], cameras)

    def _connect(self) -> None:
        document, view, simulation = self.document, self.viewport, self.simulation
        document.opened.connect(self._note_opening)
        document.scene_changed.connect(self._show_document)
        document.selection_changed.connect(lambda _names: self._show_selection())
        document.focus_changed.connect(lambda _path: self._show_selection())
        document.file_changed.connect(self.refresh_facts)
        self.journal.failed.connect(self._show_unkept)
        document.undo_stack.indexChanged.connect(self.refresh_facts)
        self.playback.changed.connect(self.refresh_facts)
        for speaker in (self.playback, self.files, self.editing, self.looks, self.comparing):
            speaker.said.connect(self.say)
        self.files.scene_wanted.connect(self.show_scene)
        self.files.gallery_wanted.connect(self.show_gallery)
        self.actions_.begun.connect(partial(take_typed, self))
        for changing in (self.looks, self.comparing, self.full_screen):
            changing.changed.connect(self.refresh_facts)
        compiling().changed.connect(simulation.look_again)
        compiling().progressed.connect(self._show_compiling)
        compiling().failed.connect(self._show_compile_failure)
        simulation.failed.connect(self._show_failure)
        simulation.loaded.connect(lambda _generation: self.banner.hide())
        simulation.state_changed.connect(lambda state: self._stopped.show() if state == "running" else None)
        self.banner.details_wanted.connect(self.show_problems)
        self.banner.apart_wanted.connect(self.editing.push_apart)
        view.body_clicked.connect(self._clicked)
        view.body_activated.connect(lambda _row: view.frame_selection())
        view.pull_started.connect(self.playback.pull)
        view.pull_moved.connect(simulation.move_pull)
        view.pull_ended.connect(simulation.release)
        self.tree.renamed.connect(self.editing.rename_to)
        self.tree.needed.connect(lambda: self.workspace.show_left(self.tree))
        self.tree.menu_wanted.connect(self.editing.show_menu)
        self.tree.activated_body.connect(lambda _name: view.frame_selection())
        self.inspector.finished.connect(view.setFocus)
        self.inspector.driven.connect(self.playback.drive)
        self.inspector.changed.connect(self.playback.change)
        self.inspector.trust_wanted.connect(self._trust)
        self.inspector.delete_wanted.connect(self.editing.delete)
        self.inspector.duplicate_wanted.connect(self.editing.duplicate)
        self.gallery.chosen.connect(self.files.open_path)
        self.gallery.left.connect(self._leave_gallery)
        self.small_gallery.chosen.connect(self.files.open_path)
        self.overlays.impending.card.frictionless_changed.connect(lambda: self.looks.toggle_overlay("frictionless"))
        self._connect_panels()
        theme().changed.connect(self._recolour)
        self._recolour(theme().colours)

    def _connect_panels(self) -> None:
        """What is under the picture."""
        simulation, table = self.simulation, self.heap_table
        table.wanted.connect(partial(self.overlays.see, "table"))
        table.pair_selected.connect(simulation.select_pair)
        table.pair_cleared.connect(simulation.clear_pair)
        table.segments_changed.connect(self.overlays.show_pair)
        self.contact_card.wanted.connect(partial(self.overlays.see, "card"))
        self.contact_card.arrows_changed.connect(self.overlays.show_card)
        self.contact_card.body_chosen.connect(self._select_rows)
        self.microscope.wanted.connect(partial(self.overlays.see, "microscope"))
        self.microscope.marks_changed.connect(self.overlays.show_marks)
        self.microscope.contact_clicked.connect(self._select_rows)
        self.timeline.sought.connect(simulation.seek)
        self.timeline.ranged.connect(self.playback.set_loop)
        self.timeline.branch_wanted.connect(self.playback.go_to_branch)
        self.plots.sought.connect(simulation.seek)
        self.plots.gantt.bodies_chosen.connect(lambda rows: self._select_rows(*rows))
        self.plots.strip.bodies_chosen.connect(lambda rows: self._select_rows(*rows))

    def _recolour(self, colours: Colours) -> None:
        self.timeline.set_colours(colours)
        self.viewport.set_light(colours.scheme == "light")

    # --- showing --------------------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """A message in the status bar."""
        self.status.say(text)

    def show_gallery(self) -> None:
        """The gallery fills the window; the simulation waits."""
        self.playback.pause()
        self.welcome.refresh()
        self.pages.setCurrentIndex(0)
        self.gallery.setFocus()
        self.setWindowTitle("Carom")
        self.refresh_facts()

    def _leave_gallery(self) -> None:
        """Back to the scene that was open, if one was."""
        if self.simulation.generation > 0:
            self.show_scene()

    def show_scene(self) -> None:
        """The workspace, with whatever the document holds."""
        if self.pages.currentIndex() == 0:
            self.workspace.paint_later()
        self.pages.setCurrentIndex(1)
        self.viewport.setFocus()
        self.refresh_facts()

    def _note_opening(self) -> None:
        self._opening = True
        self.banner.hide()

    def _show_document(self, scene: Scene, _what: str) -> None:
        self.viewport.set_scene(scene, keep_camera=not self._opening)
        self._opening = False
        self._shown, self._shown_time = (-1, -1, 0.0), (-1, 0.0)
        names = names_of(scene)
        if names != self._names:
            self._names = names
            self.heap_table.set_names(names)
            self.microscope.set_names(names)
            self.contact_card.set_names(names)
        tied = {name for joint in scene.joint for name in joint.bodies}
        self.contact_card.set_jointed(row for row, name in enumerate(names) if name in tied)
        self.plots.set_scene(names, "first order" if scene.world.order == 1 else scene.world.contact)
        self._show_selection()
        self.refresh_facts()

    def _show_selection(self) -> None:
        document = self.document
        looked_at = (document.scene, document.selection, document.focus)
        if all(now is before for now, before in zip(looked_at, self._looked_at, strict=True)):
            return  # an edit that selects tells of both
        self._looked_at = looked_at
        rows, names = document.selected_rows(), names_of(document.scene)
        self._outline(rows)
        self.plots.set_selection(rows, [names[row] for row in rows])
        number = document.focused_joint()
        self.plots.joint.set_joint(number, document.scene.joint[number] if number >= 0 else None)
        self.simulation.watch_joint(number)
        self.overlays.draw(self.playback.frame)
        self.refresh_facts()

    def _outline(self, rows: Sequence[int]) -> None:
        """Shows the forces on these bodies, and their rims."""
        self.overlays.set_selection(rows)
        self.viewport.set_selection(rows)
        self.contact_card.set_selection(rows)

    def _show_compiling(self) -> None:
        """How long the scene has to wait for the engine, or how much of the rest is left to compile."""
        self.status.show_compiling(compiling_words(compiling(), self.document.scene))

    def _show_compile_failure(self, text: str) -> None:
        self.banner.show_text("The engine could not be compiled ahead", text)

    def _show_failure(self, text: str) -> None:
        lines = text.splitlines() or ["unknown"]
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        # After a controller's mistake it is paused; a scene that cannot run may be on its way to the next state.
        paused = self.simulation.state == "paused"
        why = "A controller has stopped the simulation" if paused else "This scene cannot run"
        self.banner.show_text(f"{why}: {lines[0]}{more}", text)
        self.refresh_facts()

    def _show_unkept(self, why: str) -> None:
        """A copy for the case of a crash could not be made, or could again."""
        self.status.show_unkept(why)
        lost = f"A copy of what is not saved failed; a crash would lose it: {why}"
        self.say(lost if why else "What is not saved is copied again")
        self.refresh_facts()

    def _trust(self) -> None:
        self.files.trust_scene()
        self.inspector.refresh(anew=True)

    def _clicked(self, row: int, modifiers: Qt.KeyboardModifier) -> None:
        adding = modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        if not adding:
            self._select_rows(*([row] if row >= 0 else []))
        elif 0 <= row < len(self.document.scene.body):
            self.document.toggle(self.document.scene.body[row].name)

    def _select_rows(self, *rows: int) -> None:
        """Selects bodies; of copies that a repeat makes, the repeat, and outlines these copies only."""
        copies = [row for row in rows if self.document.scene.owner(row)[0] == "repeat"]
        if copies:
            self.document.pick(copies[0])
            self._outline(rows)
        elif not rows and self.document.focus.startswith("repeat."):
            self.document.set_focus("")
        else:
            self.document.select(self._names[row] for row in rows)

    # --- every tick -----------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        generation = self.simulation.generation
        self._readings.follow(generation)
        batches = [batch for batch in self.simulation.drain_events() if batch.generation == generation]
        self.comparing.hear(batches)
        frame = self.comparing.in_step(self.playback.frame)
        frame = self._between.at(frame, at_once=self.comparing.is_on or not self.viewport.is_quick)
        new = frame is not None and (frame.run, frame.sequence, frame.time) != self._shown
        if frame is not None and new:
            self._show_frame(frame)
        self._stopped.look(batches, frame, self._names)
        self._readings.look(batches, frame, new)

    def _show_frame(self, frame: Frame) -> None:
        if len(frame.poses) != len(self.document.scene.bodies):
            return
        moved = (frame.run, frame.time) != self._shown_time
        self._shown, self._shown_time = (frame.run, frame.sequence, frame.time), (frame.run, frame.time)
        if moved:
            self.viewport.set_poses(frame.poses)
        self.overlays.draw(frame)
        self.heap_table.set_frame(frame)
        self.contact_card.set_frame(frame)

    def _show_texts(self, frame: Frame | None) -> None:
        if self.pages.currentIndex() == 0:
            return
        self.microscope.set_frame(frame, self.simulation.state)
        self.status.show_frame(frame)
        self.toolbar.show_frame(frame, self.playback.is_running, self.simulation.behind)
        if frame is not None:
            self.inspector.show_live(frame)
        if self.playback.at_start != self.actions_.facts.at_start:
            self.refresh_facts()

    # --- facts ----------------------------------------------------------------------------------------------------

    def refresh_facts(self, _index: int = 0) -> None:
        """Greys out and ticks what can be done now; the title and the status bar follow."""
        document, scene, stack = self.document, self.document.scene, self.document.undo_stack
        open_, bodies = self.pages.currentIndex() == 1, len(names_of(scene))
        facts = Facts(
            scene_open=open_,
            ready=self.playback.is_ready,
            running=self.playback.is_running,
            at_start=self.playback.at_start,
            selected=len(document.selection),
            repeat=document.focus.startswith("repeat."),
            bodies=bodies,
            materials=len(scene.material),
            free_pair=edits.free_pair(scene) is not None,
            drivable=control.can_drive(scene, document.focused_joint()),
            undo_text=stack.undoText() if stack.canUndo() else "",
            redo_text=stack.redoText() if stack.canRedo() else "",
            modified=document.is_modified,
            pinned=self.comparing.is_on,
            overlays=self.overlays.on,
            panels=self.workspace.shown_panels(),
            light=theme().scheme == "light",
            full_screen=self.isFullScreen(),
        )
        self.actions_.refresh(facts)
        self.viewport.set_handles(facts.at_start and not facts.running and "handles" in facts.overlays)
        if open_:
            file = "" if document.path is None else f"{document.path.name}[*] – "
            self.setWindowTitle(f"{file}{document.title}{'' if file else '[*]'} – Carom")
        self.setWindowModified(open_ and document.is_modified)
        self.status.show_facts(self.simulation.state, bodies, document.is_modified, document.path is not None)

    # --- the window itself ----------------------------------------------------------------------------------------

    def _restore_layout(self) -> None:
        self.workspace.restore_layout()
        self.restoreGeometry(read_setting("layout/window", QByteArray, QByteArray()))

    def _store_layout(self) -> None:
        self.workspace.store_layout()
        settings().setValue("layout/window", self.saveGeometry())

    def closeEvent(self, event: QCloseEvent | None) -> None:
        if event is None or self._is_shut:  # a second click on the frame's button comes when all has ended
            return
        if not self.files.may_leave():
            event.ignore()
            return
        self.journal.close()
        self.shut()
        event.accept()

    def shut(self) -> None:
        """Ends all that runs. Unsaved work stays where it is: in the journal, too, if that is not closed."""
        self._is_shut = True
        self._timer.stop()
        self.clip.card.stop()
        self._store_layout()
        self.document.undo_stack.blockSignals(True)  # it speaks up once more when it is destroyed
        self.microscope.close_solving()
        self.contact_card.close_solving()
        self.overlays.impending.close()
        self.comparing.close()
        self.simulation.close()
        self.viewport.close_view()

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        if event is not None and _dropped_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        if event is None:
            return
        event.acceptProposedAction()
        for path in _dropped_files(event)[:1]:
            if path.suffix.lower() in MESH_SUFFIXES and self.pages.currentIndex() == 1:
                self.editing.add_mesh_file(path)
            else:
                self.files.open_path(path)

    def show_problems(self, text: str) -> None:
        """All that is wrong with the scene that is open, one line each."""
        from engine.scene.problems import Problem

        problems = [Problem(None, None, "", line, "") for line in text.splitlines()]
        ask(ProblemsDialog(self, self.document.title, problems))


def _dropped_files(event: QDropEvent | QDragEnterEvent) -> list[Path]:
    data = event.mimeData()
    return [] if data is None else [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
