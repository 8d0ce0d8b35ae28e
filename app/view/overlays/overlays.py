"""What is drawn over the bodies: contacts, forces, velocities, the closest points of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.document import placement
from app.document.copies import names_of
from app.document.document import Document
from app.simulation.messages import Frame
from app.simulation.simulation import Simulation
from app.view.contacts.arrows import ForceScale, contact_overlays, signs, velocity_overlay
from app.view.contacts.card import CardArrows
from app.view.force_arrows import on_first
from app.view.microscope.marks import Marks
from app.view.overlays.boxes import BoxLayer
from app.view.overlays.cones import ConeLayer
from app.view.overlays.force_layer import STEP, ForceLayer, Forces, picture_height
from app.view.overlays.impending import Impending
from app.view.overlays.joints import Marks as JointMarks
from app.view.overlays.joints import joint_overlays, make_marks, place_marks
from app.view.overlays.pair_legend import PairLegend, pair_overlay
from app.view.overlays.paradigm_legend import ParadigmLegend
from app.view.paradigms import PARADIGMS, light_of, states_of
from app.view.theme import colours
from app.view.viewport.viewport import Viewport
from engine.arrays import Floats
from engine.geometry.shapes import rotation_matrix
from engine.scene.schema import Scene

_SQUARE = 0.12  # of the picture's height: half of the square that marks a selected plane
BOXES = frozenset({"swept", "tiles"})
CONTACTS = frozenset({"contacts", "forces", "cones"})


_CORNERS = np.array([(1.0, 1.0, 0.0), (-1.0, 1.0, 0.0), (-1.0, -1.0, 0.0), (1.0, -1.0, 0.0)])
PLANE_MARK = np.concatenate([np.stack([_CORNERS, np.roll(_CORNERS, -1, axis=0)], 1), [[(0, 0, 0), (0, 0, 1.0)]]])
"""Lines (5, 2, 3) of a square about the origin and of its normal."""


class Overlays:
    """Switches overlays on and off, and draws those that are on from each frame."""

    def __init__(self, document: Document, simulation: Simulation, viewport: Viewport) -> None:
        self._document, self._simulation, self._viewport = document, simulation, viewport
        self._on = {"shadows", "ambient", "grid", "handles", "frictionless"}
        self.impending = Impending(document, viewport)
        self.impending.set_frictionless(True)
        self.legend = ParadigmLegend(viewport)
        self.forces = ForceLayer(viewport)
        self.cones = ConeLayer(document, viewport)
        self.boxes = BoxLayer(document, viewport)
        self.pairs = PairLegend(viewport)
        self._selected: tuple[int, ...] = ()
        self._force_scale = ForceScale()
        self._seen: frozenset[str] = frozenset()
        self._painters: dict[str, Callable[[Frame], None]] = {
            "contacts": self._draw_contacts,
            "forces": self._draw_forces,
            "velocities": self._draw_velocities,
            "pairs": self._draw_pairs,
            "paradigms": self._paint_paradigms,
            "joints": self._draw_joints,
            "cones": self.cones.draw,
            "swept": self.boxes.draw_boxes,
            "tiles": self.boxes.draw_tiles,
        }
        self._marks: tuple[Scene, JointMarks] | None = None
        viewport.camera_changed.connect(lambda _state: self._draw_chosen_planes())

    @property
    def on(self) -> frozenset[str]:
        """Names of the overlays that are on."""
        return frozenset(self._on)

    def toggle(self, name: str) -> None:
        """Switches an overlay."""
        self._on ^= {name}
        if name == "shadows":
            self._viewport.set_shadows(name in self._on)
        elif name == "ambient":
            self._viewport.set_ambient(name in self._on)
        elif name == "grid":
            self._viewport.set_grid(name in self._on)
        elif name == "pieces":
            self._viewport.set_pieces(name in self._on)
        elif name == "paradigms":
            self.legend.setVisible(name in self._on)
            if name not in self._on:
                self._viewport.set_painted(None)
        elif name == "impending":
            self.impending.set_on(name in self._on)
            self._request_problem()
        elif name == "frictionless":
            self.impending.set_frictionless(name in self._on)
        elif name not in self._on:
            self._clear(name)
        if name in BOXES:
            self._simulation.request_boxes(bool(self._on & BOXES))
        if name in CONTACTS:
            self._request_contacts()
        self._request_table()

    def see(self, what: str, seen: bool) -> None:
        """Whether the "table" of the heap, the solver "microscope" or the contact "card" can be seen."""
        self._seen = self._seen | {what} if seen else self._seen - {what}
        if what == "table":
            self._request_table()
            return
        self._request_problem()
        if what == "card":
            self._request_contacts()

    def show_pair(self, segments: Floats) -> None:
        """Draws the closest points of the pair that was chosen in the table, whatever is on."""
        self._viewport.set_overlay_segments("chosen pair", segments, colours().warning, 3.0)
        ends = np.repeat(segments.reshape(-1, 1, 3), 2, axis=1)
        self._viewport.set_overlay_segments("chosen pair points", ends, colours().warning, 8.0)

    def set_selection(self, rows: Sequence[int]) -> None:
        """The bodies that are selected: forces are drawn on them rather than on others."""
        self._selected = tuple(rows)
        self.cones.set_selection(rows)
        self.boxes.set_selection(rows)
        self._draw_chosen_planes()

    def _draw_chosen_planes(self) -> None:
        """A square in each selected plane, which has no rim, with a stem along its normal."""
        view, bodies = self._viewport, self._document.scene.bodies
        known = min(len(bodies), len(view.poses))  # while another scene opens, the selection is still the old one's
        planes = [row for row in self._selected if row < known and bodies[row].shape.kind == "plane"]
        lines = PLANE_MARK * (_SQUARE * picture_height(view))
        placed = [lines @ rotation_matrix(view.poses[row, 3:]).T + view.poses[row, :3] for row in planes]
        drawn = np.concatenate(placed) if placed else None
        view.set_overlay_segments("chosen plane", drawn, colours().warning, 4.0, through=True)

    def show_marks(self, marks: Marks | None) -> None:
        """Draws the forces that the solver microscope looks at, and the contact that is read there, whatever is on."""
        if marks is None:
            self._clear("microscope")
            return
        on_a = on_first(marks.bodies, marks.moves, marks.normals, self._selected)
        forces = np.where(on_a, 1.0, -1.0)[:, None] * marks.forces
        self.forces.set(
            "microscope",
            Forces("of the solver microscope", marks.points, forces, marks.largest, 0, 5.0, least=1e-6),
        )
        read = marks.points[[] if marks.contact is None else [marks.contact]]
        self._viewport.set_overlay_segments("microscope points", np.stack([read, read], 1), colours().warning, 12.0)

    def show_card(self, arrows: CardArrows | None) -> None:
        """Draws the forces that the contact card lists, whatever is on: thick those of the step, thin a solver's."""
        if arrows is None:
            self._clear("card")
            self._clear("card solver")
            return
        for name, word, points, forces, series, width in (
            ("card", STEP, arrows.points, arrows.forces, 5, 7.0),
            ("card solver", "of the solver", arrows.found_points, arrows.found_forces, arrows.colour % 6, 4.0),
        ):
            self.forces.set(name, Forces(word, points, forces, arrows.largest, series, width, True, 1e-4))
        ends = np.stack([arrows.chosen, arrows.chosen], 1)
        self._viewport.set_overlay_segments("card points", ends, colours().warning, 12.0, through=True)

    def _request_table(self) -> None:
        """Asks the simulation for the heap's rows only while somebody looks at them."""
        self._simulation.request_table("pairs" in self._on or "table" in self._seen)

    def _request_contacts(self) -> None:
        """Asks the simulation for contacts in every frame only while somebody looks at them."""
        self._simulation.request_contacts("card" in self._seen or bool(self._on & CONTACTS))

    def _request_problem(self) -> None:
        """Asks the simulation for contact problems only while somebody looks at them."""
        self._simulation.request_problem(bool(self._seen & {"microscope", "card"}) or "impending" in self._on)

    def draw(self, frame: Frame | None) -> None:
        """Draws what is on."""
        self.impending.show_frame(frame)
        self._draw_chosen_joint(frame)
        for name, painter in self._painters.items():
            if name in self._on:
                if frame is None:
                    self._clear(name)
                else:
                    painter(frame)

    def _joint_marks(self) -> JointMarks:
        """Marks of the document's joints, made when it has others."""
        scene = self._document.scene
        if self._marks is None or self._marks[0] is not scene:
            self._marks = (scene, make_marks(scene, self._size()))
        return self._marks[1]

    def _draw_joints(self, frame: Frame) -> None:
        marks = self._joint_marks()
        if len(marks.body) and marks.body.max() >= len(frame.poses):
            return  # a frame of the scene before
        for name, overlay in joint_overlays(marks, frame.poses, colours()).items():
            self._viewport.set_overlay(name, overlay)

    def _draw_chosen_joint(self, frame: Frame | None) -> None:
        """The joint that the inspector shows, whatever is on."""
        chosen = self._document.focused_joint()
        lines = None
        if chosen >= 0 and frame is not None:
            marks = self._joint_marks()
            if marks.body.max() < len(frame.poses):
                lines = place_marks(marks, frame.poses, marks.joint == chosen)
        self._viewport.set_overlay_segments("chosen joint", lines, colours().warning, 4.0, through=True)

    def _clear(self, name: str) -> None:
        if name == "cones":
            self.cones.clear()
            return
        if name in BOXES:
            self.boxes.clear(name)
            return
        if name == "pairs":
            self.pairs.hide()
        self.forces.set(name, None)
        self._viewport.set_overlay_arrows(name, None, None, "#000000")
        self._viewport.set_overlay_segments(f"{name} points", None, "#000000")
        if name == "joints":
            for part in ("joint ways", "joint hands"):
                self._viewport.set_overlay_segments(part, None, "#000000")

    def _size(self) -> float:
        return placement.typical_size(self._document.scene)

    def _draw_contacts(self, frame: Frame) -> None:
        if frame.contacts is None or not len(frame.contacts):
            self._clear("contacts")
            return
        drawn = contact_overlays(frame, self._selected, picture_height(self._viewport), colours())
        for name, overlay in drawn.items():
            self._viewport.set_overlay(name, overlay)

    def _draw_forces(self, frame: Frame) -> None:
        contacts = frame.contacts
        if contacts is None or not len(contacts):
            self._clear("forces")
            return
        forces = signs(frame, self._selected) * contacts["force"]
        self.forces.set("forces", Forces(STEP, contacts["point"], forces, self._force_scale.follow(forces), 5, 5.0))

    def _draw_velocities(self, frame: Frame) -> None:
        self._viewport.set_overlay("velocities", velocity_overlay(frame, self._size(), colours()))

    def _paint_paradigms(self, frame: Frame) -> None:
        states = states_of(frame)
        if states is not None:
            self._viewport.set_painted(light_of(states))
            self.legend.show_counts(np.bincount(states, minlength=len(PARADIGMS)).tolist())

    def _draw_pairs(self, frame: Frame) -> None:
        if frame.heap is None or not len(frame.heap):
            self._clear("pairs")
            return
        self.pairs.show_first(frame.heap, frame.heap_time, names_of(self._document.scene))
        self._viewport.set_overlay("pairs points", pair_overlay(frame.heap, colours()))
