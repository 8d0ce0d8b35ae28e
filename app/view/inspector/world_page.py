"""The inspector's page for what holds for the whole scene."""

from __future__ import annotations

from PyQt6.QtWidgets import QPlainTextEdit

from app.document.document import Document
from app.view.forms.numbers import NumberBox, VectorBox
from app.view.forms.rows import ChoiceBox, Editor, TextBox
from app.view.inspector.page import Page, attempt
from app.view.inspector.shape_rows import whole
from engine.scene.schema import Scene, WorldSettings
from engine.scene.values import field_unit

_BROAD_PHASES = (
    ("hierarchical_hash", "Hierarchical hash"),
    ("counting_hash", "Hash with close counters"),
    ("standard_hash", "Standard hash"),
    ("sweep_prune", "Sweep and prune"),
    ("none", "None (all pairs)"),
)
_CONTACTS = (
    ("impulse", "Impulses"),
    ("constraint", "Constraint forces"),
    ("hybrid", "Hybrid"),
    ("penalty", "Penalty (springs)"),
)
_ORDERS = (
    (2, "Second: acceleration"),
    (1, "First: velocity"),
)
_IMPACTS = (
    ("sequential", "One after the other"),
    ("simultaneous", "All at once (Gauss)"),
    ("wave", "As a wave (stored energy)"),
)
_FRICTION = (
    ("coulomb", "Coulomb's cone"),
    ("lotstedt", "By the loads before (Lötstedt)"),
    ("dynamic", "Dynamic: fades where slow"),
    ("quadratic", "Two axes apart (quadratic)"),
)
_SOLVERS = (
    ("automatic", "Automatic"),
    ("sweeps", "Sweeps (Gauss-Seidel)"),
    ("newton", "Newton's method"),
)
_LAWS = (("carom", "Energy-limited"), ("thesis", "Mirtich's (3.5)"))
_ORDER_HINT = "In a world of first order nothing has momentum: what is not pushed stands still, and nothing bounces"
_DRAG_HINT = "Of a world of first order: velocity is force over mass times drag; gravity alone gives g / drag"
_CONTACT_HINT = "Model of lasting contacts; under penalty bodies overlap, for comparison"
_STIFFNESS_HINT = "Of each penalty contact point: force per depth; automatic: from the weight of the bodies"
_ENVELOPE_HINT = "Contact margin: gap under which two bodies count as touching"
_STEP_HINT = "Of contact groups: turning and gaps make it shorter; what slides may stop half a step's way too far"
_IMPACTS_HINT = "Law of impacts that reach several contacts; none creates energy. A contact alone is integrated"
_FRICTION_HINT = "Friction of lasting contacts: Coulomb's, or one of Baraff's three approximations (1992, 14.2)"
_SOLVER_HINT = "How the impulses of lasting contacts are found; heavy on light takes very long by sweeps alone"
_LAW_HINT = "Law of collisions slower than a fall through the envelope; the energy-limited one adds no energy"
_BROAD_PHASE_HINT = "How candidate pairs are found; all but the last give the same motion to the bit"
_THREADS_HINT = "How many threads share the steps of large contact groups; the motion is the same to the bit"
_UNTIL_HINT = "Length of a recorded video, and of a run without a window"


class _NoteBox(QPlainTextEdit):
    """A few lines of text, committed when it is left."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self.setPlaceholderText("What this scene is, and what to look for")
        self.setTabChangesFocus(True)
        self.setFixedHeight(110)

    def show_text(self, text: str) -> None:
        """Shows a text; what is being typed is not disturbed."""
        if not self.hasFocus() and text != self.toPlainText():
            self.setPlainText(text)

    def focusOutEvent(self, event: object) -> None:
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self.commit_text()

    def drop_text(self) -> None:
        """Forgets what was typed."""
        self.setPlainText(self._document.scene.note.text)

    def commit_text(self) -> None:
        """Takes what was typed, if anything was."""
        text = self.toPlainText()
        if text != self._document.scene.note.text:
            attempt(lambda: self._document.set_value("note.text", text, "change the note"))


class WorldPage(Page):
    """Title, note, gravity, contact."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        form = self.form("")
        self.bind(form, "Title", TextBox("Untitled"), lambda: "title", what="change the title")
        form = self.form("Physics")

        def add(name: str, editor: Editor, field: str, hint: str = "") -> None:
            write = whole if field == "threads" else None
            self.bind(form, name, editor, lambda: f"world.{field}", field_unit(WorldSettings, field), hint, write=write)

        add("Gravity", VectorBox("m/s2"), "gravity")
        add("Order", ChoiceBox(_ORDERS), "order", _ORDER_HINT)
        if document.scene.world.order == 1:
            add("Drag", NumberBox("1/s"), "drag", _DRAG_HINT)
        add("Contact", ChoiceBox(_CONTACTS), "contact", _CONTACT_HINT)
        if document.scene.world.contact == "penalty":
            add("Penalty stiffness", NumberBox("N/m", True, "automatic"), "penalty_stiffness", _STIFFNESS_HINT)
        add("Envelope", NumberBox("m", True, "automatic, by size"), "envelope", _ENVELOPE_HINT)
        add("Step", NumberBox("s", True, "1/240 s"), "step", _STEP_HINT)
        add("Impacts", ChoiceBox(_IMPACTS), "impacts", _IMPACTS_HINT)
        add("Friction", ChoiceBox(_FRICTION), "friction_model", _FRICTION_HINT)
        add("Solver", ChoiceBox(_SOLVERS), "solver", _SOLVER_HINT)
        add("Microcollisions", ChoiceBox(_LAWS), "microcollision", _LAW_HINT)
        add("Broad phase", ChoiceBox(_BROAD_PHASES), "broad_phase", _BROAD_PHASE_HINT)
        add("Threads", NumberBox(optional=True, automatic="all, up to 8"), "threads", _THREADS_HINT)
        add("End time", NumberBox("s", True, "no end"), "until", _UNTIL_HINT)
        self.add_now(self.form("Now, in the run"), "Gravity", VectorBox("m/s2"), "world.gravity", "m/s2")
        form = self.form("Note")
        note = _NoteBox(document)
        form.add_full(note)
        self.on_refresh(lambda scene: note.show_text(scene.note.text))
        look_for = form.add_paragraph()
        self.on_refresh(lambda scene: look_for.setText(_look_for_text(scene)))

    @staticmethod
    def signature(document: Document, scene: Scene) -> object:
        return scene.world.order, scene.world.contact == "penalty"

    def heading(self, scene: Scene) -> str:
        return scene.title or "World"

    def caption(self, scene: Scene) -> str:
        count = len(scene.bodies)
        return f"World of {count} {'body' if count == 1 else 'bodies'}"


def _look_for_text(scene: Scene) -> str:
    lines = [f"•  {line}" for line in scene.note.look_for]
    if scene.note.source:
        lines.append(f"Source: {scene.note.source}")
    return "\n\n".join(lines)
