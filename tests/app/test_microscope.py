"""The solver microscope: runs that are true step by step, a panel that shows them, and words that say what is seen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6 import sip
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.simulation.messages import Frame
from app.simulation.solving import MOST_NUMBERS, Run, Solving, rows_kept, scales_of, watch
from app.view.microscope.bars import ACCELERATION, FORCE, Bars, HalfAxis
from app.view.microscope.method_table import method_rows
from app.view.microscope.panel import SolverMicroscope
from app.view.microscope.residuals import PowerAxis
from app.view.microscope.words import contact_name, say_agreement, say_contact, say_nothing, say_step
from app.view.theme import DARK, LIGHT, theme
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.methods import METHODS, Frictionless, acceleration_problem
from engine.solvers.solution import ITERATION_LIMIT, SOLVED, lcp_residual
from tests.contact_problems import random_problem

LEFT = Qt.MouseButton.LeftButton
NAMES = ("block", "wedge", "ball", "cone", "ground")


def problem_of(seed: int = 3, bodies: int = 4, contacts: int = 9) -> ContactProblem:
    return random_problem(seed, bodies, contacts, at_rest=True)


def frame(problem: ContactProblem | None, time: float = 0.25) -> Frame:
    return Frame(
        generation=1,
        run=1,
        sequence=1,
        time=time,
        poses=np.zeros((5, 7), dtype=np.float32),
        twists=np.zeros((5, 6), dtype=np.float32),
        energy={},
        counters={},
        contacts=None,
        heap=None,
        heap_time=time,
        pair=None,
        running=False,
        speed=1.0,
        achieved=1.0,
        behind=False,
        published=0.0,
        problem=problem,
    )


def made_run(x: list[list[float]], w: list[list[float]], **more: object) -> Run:
    forces, accelerations = np.array(x), np.array(w)
    steps = len(forces)
    settings: dict[str, object] = {
        "method": "lemke",
        "number": np.arange(steps),
        "driven": np.full(steps, -1),
        "residual": np.array([lcp_residual(f, a, np.ones(len(f))) for f, a in zip(forces, accelerations)]),
        "status": SOLVED,
        "iterations": steps - 1,
        "final_residual": 0.0,
        "seconds": 1e-5,
        "scales": (10.0, 10.0),
    }
    return Run(x=forces, w=accelerations, **(settings | more))  # type: ignore[arg-type]


# --- runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_every_step_of_a_run_is_true(kernels: None, name: str) -> None:
    problem = problem_of()
    lcp = acceleration_problem(problem)
    run = watch(name, lcp, scales_of(problem))
    assert run.status == SOLVED
    assert np.all(run.x[0] == 0.0) and np.allclose(run.w[0], lcp.b), "all begin without forces"
    assert np.allclose(run.w, run.x @ lcp.A + lcp.b, atol=1e-9)
    assert np.allclose(run.residual, [lcp_residual(x, w, lcp.b) for x, w in zip(run.x, run.w)], atol=1e-9)
    assert run.residual[0] > 0.1 > 1e-8 > run.residual[-1]
    assert np.all(np.diff(run.number)[:-1] == 1) and not run.cut
    assert run.number[-1] == run.iterations, "the cursor says as many pivots as the words do"
    assert np.all(run.driven < len(lcp.b))
    assert not run.x.flags.writeable


def test_a_long_run_keeps_its_beginning_and_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(problem: Frictionless, trace: object) -> object:
        from engine.solvers.solution import Solution, note_iteration

        x = np.zeros(3)
        for k in range(5000):
            x = np.full(3, 1.0 + k)
            note_iteration(trace, x, x, 1.0 / (1 + k), -1)  # type: ignore[arg-type]
        return Solution(x, x, ITERATION_LIMIT, 1e-3, 5000)

    name = next(iter(METHODS))
    monkeypatch.setitem(METHODS, name, METHODS[name]._replace(solve=slow))
    run = watch(name, acceleration_problem(problem_of(contacts=3)), (1.0, 1.0))
    kept = rows_kept(3)
    assert len(run.number) == kept + 2, "the start, what was kept, the answer"
    assert run.number[-2:].tolist() == [kept, 5000] and run.cut
    assert run.x[-1, 0] == 5000.0
    text = say_step(run, kept + 1).replace("\u2009", "")
    assert text.startswith("solution after 5000 iterations, of which the first 2000 are recorded")


def test_memory_is_bounded() -> None:
    for contacts in (0, 1, 200, 5000, 100_000):
        assert 2 <= rows_kept(contacts) <= 2000
        assert 2 * contacts * rows_kept(contacts) <= max(MOST_NUMBERS, 4 * contacts)


def test_only_the_newest_problem_is_solved_to_its_end(qtbot: QtBot, kernels: None) -> None:
    solving = Solving()
    got: list[tuple[int, str]] = []
    solving.solved.connect(lambda ticket, run: got.append((ticket, run.method)))
    tickets = [solving.solve(problem_of(seed), list(METHODS)) for seed in range(30)]
    qtbot.waitUntil(lambda: got[-len(METHODS) :] == [(tickets[-1], name) for name in METHODS], timeout=60_000)
    assert len(got) < 30 * len(METHODS)
    solving.close()


def test_a_method_that_breaks_down_says_so_and_the_rest_goes_on(qtbot: QtBot, panel: SolverMicroscope) -> None:
    first = next(iter(METHODS))

    def prepare(problem: ContactProblem) -> Frictionless:
        raise ValueError("no such matrix")

    panel.solving._prepare = prepare
    panel.set_frame(frame(problem_of()), "paused")
    panel.refresh()
    model = panel.table.methods
    qtbot.waitUntil(lambda: model.data(model.index(0, 4)) == "failed", timeout=10_000)
    assert panel.run is None and panel.method == first
    assert model.data(model.index(0, 4), Qt.ItemDataRole.ToolTipRole) == "no such matrix"


# --- words --------------------------------------------------------------------------------------------------------


def test_a_contact_is_read_out_in_words() -> None:
    run = made_run([[4.2, 0.0, 1.0, 0.0, -1.0]], [[0.0, 2.0, 3.0, -9.81, 0.0]])
    assert say_contact(run, 0, 0) == "f = 4.200 N, a = 0 m/s²: active"
    assert say_contact(run, 0, 1).endswith("separating")
    assert "violates f a = 0" in say_contact(run, 0, 2)
    assert say_contact(run, 0, 3) == "f = 0 N, a = -9.810 m/s²: would penetrate"
    assert say_contact(run, 0, 4).endswith("would pull")
    rounding = made_run([[1e-12]], [[-1e-13]])
    assert say_contact(rounding, 0, 0) == "f = 0 N, a = 0 m/s²: degenerate: touching without force"


def test_a_contact_is_named_by_its_bodies() -> None:
    problem = problem_of()
    a, b = problem.rows[2]
    assert contact_name(problem, 2, NAMES) == f"point 3: {NAMES[a]} – {NAMES[b]}"
    assert contact_name(problem, 2, ()) == f"point 3: #{a} – #{b}"


def test_steps_say_what_they_do() -> None:
    run = made_run([[0, 0], [1, 0], [1, 1]], [[-1, -2], [0, -2], [0, 0]], driven=np.array([-1, 0, 1]))
    assert say_step(run, 0) == "start: zero forces · residual 1.0e+00, worst at point 2"
    assert say_step(run, 1) == "pivot 1 of 2 · drives point 1 · residual 1.0e+00, worst at point 2"
    assert say_step(run, 2) == "solution after 2 pivots · drives point 2 · residual 0.0e+00"


def test_forces_that_are_not_unique_are_told_from_answers_that_differ() -> None:
    one, other = made_run([[2.0, 0.0]], [[0.0, 0.0]]), made_run([[1.0, 1.0]], [[0.0, 0.0]])
    assert say_agreement([one, other]).startswith("The forces are not unique") and "1.00 N" in say_agreement(
        [one, other]
    )
    assert say_agreement([one, one]).startswith("2 solvers agree")
    assert say_agreement([one, made_run([[9.0, 9.0]], [[0.0, 0.0]], status=ITERATION_LIMIT)]) == ""
    assert say_agreement([one, made_run([[2.0, 0.0]], [[0.0, 1.0]])]).startswith("The solvers disagree")
    moved = made_run([[2.0, 0.0]], [[0.0, 0.3]], moved=0.25)
    assert say_agreement([one, one, moved]).startswith("2 solvers agree")
    assert say_agreement([one, moved]).endswith("off by up to 250 mm/s²")


def test_nothing_to_see_is_explained() -> None:
    assert "Pause" in say_nothing("running", None)
    assert "cannot run" in say_nothing("failed", None)
    assert "Nothing touches at t = 0.500000 s" in say_nothing("paused", 0.5)


def test_ticks_are_powers_of_ten(qtbot: QtBot) -> None:
    axis = PowerAxis("left", "")
    ((_, places),) = axis.tickValues(-17.5, 0.4, 200.0)
    assert axis.tickStrings(places, 1.0, 1.0)[-1] == "1" and len(places) <= 10
    assert axis.tickStrings([-12.0], 1.0, 1.0) == ["10⁻¹²"]


def test_both_halves_have_ticks_that_keep_apart(qtbot: QtBot) -> None:
    axis = HalfAxis("left", "m/s²")
    for low, high in ((-20.0, 6.0), (6.0, -20.0)):
        ((_, places),) = axis.tickValues(low, high, 120.0)
        assert places == [-15.0, -10.0, -5.0, 0.0, 5.0]


# --- the panel ----------------------------------------------------------------------------------------------------


@pytest.fixture
def panel(qtbot: QtBot, kernels: None) -> Iterator[SolverMicroscope]:
    panel = SolverMicroscope()
    panel.resize(1300, 380)
    panel.show()
    qtbot.waitExposed(panel)
    panel._timer.stop()  # the test says when
    panel.set_names(NAMES)
    yield panel
    panel.close_solving()
    panel.close()
    sip.delete(panel)  # now: what the collector takes apart while Qt still paints it crashes


def show(qtbot: QtBot, panel: SolverMicroscope, problem: ContactProblem, time: float = 0.25) -> None:
    panel.set_frame(frame(problem, time), "paused")
    panel.refresh()
    qtbot.waitUntil(lambda: set(panel.runs) == set(METHODS), timeout=60_000)


def heights(panel: SolverMicroscope) -> np.ndarray:
    return np.stack([panel.bars._bars[half].opts["height"] for half in (FORCE, ACCELERATION)])


def test_the_answer_shows_first_and_is_complementary(qtbot: QtBot, panel: SolverMicroscope) -> None:
    show(qtbot, panel, problem_of())
    assert panel.stepper.at_end
    shown = heights(panel)
    assert shown.min() > -1e-6
    assert np.all(shown.min(axis=0) < 1e-6), "one bar a contact"
    assert shown.max(axis=1).min() > 0.1
    assert panel.caption.text() == "t = 0.250000 s · 7 contacts, 9 points of 4 bodies"
    assert panel.step_text.text().startswith("solution after")


def test_steps_by_buttons_keys_and_clicks(qtbot: QtBot, panel: SolverMicroscope) -> None:
    show(qtbot, panel, problem_of())
    run = panel.run
    assert run is not None
    qtbot.mouseClick(panel.stepper.buttons["first"], LEFT)
    assert panel.step_text.text().startswith("start: zero forces")
    assert np.all(heights(panel)[FORCE] == 0.0)
    assert not panel.stepper.buttons["previous"].isEnabled()
    qtbot.keyClick(panel, Qt.Key.Key_Right)
    assert np.array_equal(heights(panel), np.stack([run.x[1], run.w[1]]))
    assert panel.bars._driven_bands[FORCE].isVisible()
    assert panel.bars._driven_bands[FORCE].getRegion() == (run.driven[1] + 0.5, run.driven[1] + 1.5)
    qtbot.keyClick(panel.table, Qt.Key.Key_End)
    assert panel.stepper.at_end
    qtbot.keyClick(panel, Qt.Key.Key_Left)
    qtbot.keyClick(panel, Qt.Key.Key_Home)
    assert panel.stepper.step == 0
    panel.residuals.step_wanted.emit(2.2)
    assert panel.stepper.step == 2
    assert panel.residuals._mark.value() == pytest.approx(panel.residuals._place(2))


def test_playing_ends_at_the_answer(qtbot: QtBot, panel: SolverMicroscope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.view.microscope.stepper._PLAYED", 200)
    show(qtbot, panel, problem_of())
    qtbot.mouseClick(panel.stepper.buttons["play"], LEFT)
    assert panel.stepper.step == 0
    qtbot.waitUntil(lambda: panel.stepper.at_end and not panel.stepper._timer.isActive(), timeout=15_000)


def test_methods_are_chosen_and_compared(qtbot: QtBot, panel: SolverMicroscope) -> None:
    show(qtbot, panel, problem_of())
    rows = method_rows()
    assert (
        len({(row.look.colour, row.look.symbol) for row in rows}) == len({row.look.symbol for row in rows}) == len(rows)
    )
    last = rows[-1].name
    spot = panel.table.visualRect(panel.table.methods.index(len(rows) - 1, 0)).center() + QPoint(30, 0)
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=spot)
    assert panel.method == last and panel.run is panel.runs[last]
    assert panel.stepper.slider.maximum() == len(panel.runs[last].number) - 1
    panel.table.methods.tick(last, False)
    assert panel.method != last or len(rows) == 1, "what is looked at is ticked"
    assert panel.residuals._curves[last].isVisible() == (len(rows) == 1)
    panel.choose_method(last)
    assert last in panel.table.methods.on
    ends = [panel.residuals._curves[name].getData()[1][-1] for name in METHODS]
    assert max(ends) < -8, "all residuals go to zero"
    ModelTester(None).check(panel.table.methods)


def test_contacts_are_read_and_kept(qtbot: QtBot, panel: SolverMicroscope) -> None:
    problem = problem_of()
    show(qtbot, panel, problem)
    clicked: list[tuple[int, int]] = []
    panel.contact_clicked.connect(lambda a, b: clicked.append((a, b)))
    marks: list[object] = []
    panel.marks_changed.connect(marks.append)
    spot = panel.bars.place_of(4).toPoint()
    assert panel.bars.contact_at(panel.bars.place_of(4)) == 4
    qtbot.mouseClick(panel.bars.view.viewport(), LEFT, pos=spot)
    assert panel.contact == 4 and clicked == [tuple(problem.rows[4])]
    assert panel.contact_text.text().startswith(contact_name(problem, 4, NAMES) + "   f = ")
    assert marks[-1].contact == 4  # type: ignore[attr-defined]
    assert np.allclose(np.linalg.norm(marks[-1].forces, axis=1), panel.run.x[-1])  # type: ignore[attr-defined,union-attr]
    panel.bars.hovered.emit(0)
    assert panel.contact_text.text().startswith("point 1: ")
    panel.bars.hovered.emit(None)
    assert panel.contact_text.text().startswith("point 5: ")
    show(qtbot, panel, problem._replace(force=0.5 * problem.force), 0.5)
    assert panel.contact == 4, "the same contact at another time"
    qtbot.mouseClick(panel.bars.view.viewport(), LEFT, pos=spot)
    assert panel.contact is None
    panel.hide()
    assert marks[-1] is None, "nobody keeps them true any more"


def test_parts_of_the_scene_are_problems_of_their_own(qtbot: QtBot, panel: SolverMicroscope) -> None:
    problem = random_problem(1, 4, 4, at_rest=True)
    apart = problem._replace(
        pair=np.array([[0, 1], [1, -1], [2, -1], [1, 0]]), rows=np.array([[0, 1], [1, 4], [2, 4], [1, 0]])
    )
    show(qtbot, panel, apart)
    texts = [panel.part_box.itemText(k) for k in range(panel.part_box.count())]
    assert texts == ["Whole scene", "block, wedge: 3 contacts", "ball: 1 contact"]
    panel.choose_part(2)
    qtbot.waitUntil(lambda: set(panel.runs) == set(METHODS), timeout=60_000)
    assert heights(panel).shape == (2, 1)
    show(qtbot, panel, apart._replace(force=2.0 * apart.force))
    assert panel.part_box.currentIndex() == 2, "the same bodies stay chosen"


def test_the_last_problem_stays_while_the_scene_runs(qtbot: QtBot, panel: SolverMicroscope) -> None:
    panel.set_frame(frame(None, 0.1), "running")
    panel.refresh()
    assert "Pause" in panel.empty.text() and panel.pages.currentWidget() is panel.empty
    show(qtbot, panel, problem_of())
    assert panel.pages.currentWidget() is panel.columns and panel.stale.isHidden()
    marks: list[object] = []
    panel.marks_changed.connect(marks.append)
    panel.set_frame(frame(None, 1.0), "running")
    assert marks == [None], "bodies leave the forces behind"
    panel.refresh()
    assert panel.caption.text().startswith("t = 0.250000 s") and panel.stale.isVisible()
    panel.set_frame(frame(random_problem(0, 4, 0), 1.5), "paused")
    panel.refresh()
    assert "Nothing touches at t = 1.500000 s" in panel.empty.text()
    panel.set_names(("other",))
    assert panel.problem is None and panel.caption.text().startswith("t = 0.25")


def test_large_problems_stay_legible(qtbot: QtBot, panel: SolverMicroscope) -> None:
    show(qtbot, panel, problem_of(5, 60, 220))
    axis, box = panel.bars.contact_axis, panel.bars.halves[FORCE].box
    ((_, places),) = axis.tickValues(*box.viewRange()[0], panel.bars.view.width())
    assert 3 <= len(places) <= 30
    panel.bars.halves[FORCE].box.setXRange(10, 20, padding=0)
    panel.choose_contact(150)
    low, high = box.viewRange()[0]
    assert low <= 151 <= high, "the chosen contact comes into view"


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_bars_are_in_the_colours_of_the_theme(qtbot: QtBot, panel: SolverMicroscope, palette: object) -> None:
    show(qtbot, panel, problem_of())
    theme().changed.emit(palette)
    panel.stepper.go("first")
    shown = colours_of(panel.bars)
    assert palette.error in shown, "without forces bodies would penetrate"  # type: ignore[attr-defined]
    panel.stepper.go("last")
    shown = colours_of(panel.bars)
    assert set(palette.series[:2]) <= shown and palette.error not in shown  # type: ignore[attr-defined]
    theme().changed.emit(theme().colours)


def colours_of(widget: QWidget) -> set[str]:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    bits = image.constBits()
    assert bits is not None
    pixels = np.frombuffer(bits.asarray(image.sizeInBytes()), dtype=np.uint32)
    return {f"#{pixel & 0xFFFFFF:06x}" for pixel in np.unique(pixels).tolist()}


def test_titles_of_the_halves_are_not_written_over_each_other(qtbot: QtBot, kernels: None) -> None:
    bars = Bars()
    bars.resize(400, 300)
    bars.show()
    qtbot.waitExposed(bars)
    labels = [half.axes["left"].label for half in bars.halves]

    def shown() -> list[str]:
        return [label.toPlainText().strip() for label in labels if label.opacity()]

    qtbot.waitUntil(lambda: shown() == ["force", "acceleration"], timeout=2000)
    bars.resize(400, 120)
    qtbot.waitUntil(lambda: shown() == ["force"], timeout=2000)
    sip.delete(bars)
