"""The contact card: rows of a frame, what solvers add to them, and the arrows in the scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.simulation.messages import Frame
from app.simulation.solving import scales_of, watch
from app.view.contacts import rows as card_rows
from app.view.contacts.card import ContactCard
from app.view.contacts.rows import ContactRows, Found, contact_rows, found_forces, problem_of, run_arrows
from app.view.contacts.table import COLUMNS, CONE, NORMAL, SLIP, ContactModel
from app.view.contacts.words import MOST_SOLVED, say_forces, say_heading, say_sum, vector
from app.view.force_arrows import RULE, on_first
from app.view.microscope.method_table import method_rows
from app.view.microscope.words import say_contacts
from app.view.overlays.force_layer import picture_height
from app.view.window.main_window import MainWindow
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.methods import METHODS, acceleration_problem
from engine.recording.contacts import CONTACT
from tests.contact_problems import hand_made_problem, random_problem

PLANK = """
format = 1
[[body]]
name = "post"
motion = "fixed"
shape = { box = [0.1, 0.4, 0.4] }
position = [0.9, 0, 0.2]
[[body]]
name = "plank"
shape = { box = [2, 0.2, 0.1] }
mass = 2
position = [0, 0, 0.45001]
[[joint]]
name = "hinge"
kind = "hinge"
bodies = ["plank"]
point = [-1, 0, 0.45]
axis = [0, 1, 0]
"""
SCENE = Path(__file__).parent.parent / "data" / "lasting.toml"
NAMES = ("ground", "table", "block")
UP = (0.0, 0.0, 1.0)


def frame_of(*contacts: dict[str, Any], codes: tuple[int, ...] = (4, 2, 2)) -> Frame:
    """A frame of three bodies, the first of which nothing moves."""
    records = np.zeros(len(contacts), dtype=CONTACT)
    records["normal"], records["friction"], records["paradigm"] = UP, 0.5, "constraint"
    for record, contact in zip(records, contacts):
        for name, value in contact.items():
            record[name] = value
    n = len(codes)
    return Frame(
        0, 0, 0, 1.0, np.zeros((n, 7), np.float32), np.zeros((n, 6), np.float32), {}, {}, records,
        None, 1.0, None, False, 1.0, 1.0, False, 0.0,
        paradigms=np.array(codes, np.int8), asleep=np.zeros(n, bool),
    )  # fmt: skip


def test_forces_are_drawn_on_the_selected_or_moving_or_upper_body() -> None:
    bodies = np.array([[0, 1], [1, 2], [2, 1], [3, 4]])
    moves = np.array([[False, True], [True, True], [True, True], [True, True]])
    normals = np.array([[0.0, 0, -1], [0, 0, -1], [0, 0, 1], [1, 0, 0]])  # 1 on 0, 2 on 1, 3 beside 4
    assert on_first(bodies, moves, normals, ()).tolist() == [False, False, True, True]
    assert on_first(bodies, moves, normals, (1, 4)).tolist() == [False, True, False, False]
    assert on_first(bodies, moves, normals, (0, 1, 2)).tolist() == [False, False, True, True]


def table_on_four_legs() -> tuple[Frame, ContactProblem]:
    """A body of 4 kg on four legs, each a piece of its own, as a frame and as a problem."""
    feet = [(x, y, 0.0) for x in (-1.0, 1.0) for y in (-1.0, 1.0)]
    nodes = np.array([(1 + k, 0) for k in range(4)])
    problem = hand_made_problem([4.0], [(0, 0, 1)], [(0, -1, foot, UP) for foot in feet])
    problem = problem._replace(bodies=np.array([1]), rows=np.tile([1, 0], (4, 1)), nodes=nodes)
    frame = frame_of(
        *(
            {"body_a": 1, "body_b": 0, "node_a": 1 + k, "node_b": 0, "point": foot, "force": (0.0, 0.0, 9.81)}
            for k, foot in enumerate(feet)
        )
    )
    return frame, problem


def runs_of(problem: ContactProblem) -> dict[str, Any]:
    return {name: watch(name, acceleration_problem(problem), scales_of(problem)) for name in METHODS}


def test_forces_are_those_on_the_selected_body() -> None:
    frame = frame_of(
        {"body_a": 0, "body_b": 1, "normal": (0, 0, -1), "force": (3.0, 0.0, -20.0)},
        {"body_a": 2, "body_b": 1, "force": (0.0, 0.0, 5.0), "node_a": 2, "node_b": 1},
        {"body_a": 2, "body_b": 0, "force": (0.0, 0.0, 1.0), "node_a": 2},
    )
    rows = contact_rows(frame, (1,))
    assert len(rows) == 2 and rows.other.tolist() == [0, 2] and rows.on.tolist() == [1, 1]
    np.testing.assert_allclose(rows.force, [(-3.0, 0.0, 20.0), (0.0, 0.0, -5.0)])
    np.testing.assert_allclose(rows.sum, (-3.0, 0.0, 15.0))
    np.testing.assert_allclose(rows.normal, (20.0, 5.0))
    np.testing.assert_allclose(rows.friction, (3.0, 0.0))
    np.testing.assert_allclose(rows.used, (3.0 / (0.5 * 20.0), 0.0))


def test_without_a_selection_all_contacts_show_and_push_up() -> None:
    frame = frame_of(
        {"body_a": 0, "body_b": 1, "normal": (0, 0, -1), "force": (0.0, 0.0, -20.0)},
        {"body_a": 1, "body_b": 2, "normal": (0, 0, -1), "force": (0.0, 0.0, -5.0)},
    )
    rows = contact_rows(frame, ())
    assert rows.on.tolist() == [1, 2] and (rows.force[:, 2] > 0).all()
    assert say_heading(rows, NAMES) == "The whole scene: 2 contacts"


def test_sliding_and_sticking_contacts_have_their_own_coefficients() -> None:
    both = {"body_a": 1, "body_b": 0, "friction": (0.5, 0.25), "force": (1.0, 0.0, 4.0)}
    rows = contact_rows(frame_of(both, both | {"velocity": (0.3, 0.0, -9.0)}), (1,))
    np.testing.assert_allclose(rows.used, (0.5, 1.0))
    np.testing.assert_allclose(rows.slip, (0.0, 0.3))
    model = ContactModel()
    model.set_names(NAMES)
    model.set_rows(rows, Found())
    assert [model.text(row, SLIP) for row in (0, 1)] == ["sticks", "slides 300 mm/s"]
    assert [model.text(row, CONE) for row in (0, 1)] == ["50 %", "100 %"]
    assert [model.text(row, 0) for row in (0, 1)] == ["ground · 1", "ground · 2"]
    assert model.text(0, NORMAL) == "4.000 N" and model.columnCount() == len(COLUMNS)


def test_what_rolls_does_not_slide_and_hits_have_a_speed_only() -> None:
    """The point of a contact lies between two surfaces: what turns seems to slide a little there."""
    creeps = {"body_a": 1, "body_b": 0, "friction": (0.2, 0.1), "force": (0.069, 0.0, 0.5), "velocity": (1.89e-3, 0, 0)}
    creeps["gap"] = 1e-3
    frame = frame_of(creeps, creeps | {"paradigm": "impulse"}, creeps | {"body_a": 2})
    frame.twists[1, 3:] = 2.6, 0.0, 0.0
    model = ContactModel()
    model.set_names(NAMES)
    model.set_rows(contact_rows(frame, (1,)), Found())
    assert [model.text(row, SLIP) for row in (0, 1)] == ["rolls", "1.89 mm/s"]
    assert [model.text(row, CONE) for row in (0, 1)] == ["69 %", "69 %"], "of static friction"
    model.set_rows(contact_rows(frame, (2,)), Found())
    assert (model.text(0, SLIP), model.text(0, CONE)) == ("slides 1.89 mm/s", "138 %"), "this one does not turn"


def test_a_smooth_contact_and_one_without_force_use_no_cone() -> None:
    smooth = {"body_a": 1, "body_b": 0, "friction": (0.0, 0.0), "force": (0.0, 0.0, 4.0)}
    rows = contact_rows(frame_of(smooth, smooth | {"friction": (0.5, 0.5), "force": (0.0, 0.0, 0.0)}), (1,))
    assert np.isnan(rows.used).all()


def test_of_very_many_the_strongest_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_rows, "MOST_ROWS", 2)
    frame = frame_of(*({"body_a": 1, "body_b": 0, "node_b": k, "force": (0, 0, f)} for k, f in enumerate((1, 9, 5))))
    rows = contact_rows(frame, (1,))
    assert rows.normal.tolist() == [9.0, 5.0] and rows.left_out == 1
    assert say_heading(rows, NAMES) == "table: 3 contacts, the 2 with the largest forces are shown"


def test_what_contacts_do_to_a_body_is_the_sum_of_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_rows, "MOST_ROWS", 3)
    frame, _ = table_on_four_legs()
    np.testing.assert_allclose(contact_rows(frame, (1,)).sum, (0.0, 0.0, 4 * 9.81))
    np.testing.assert_allclose(contact_rows(frame, (0,)).sum, (0.0, 0.0, -4 * 9.81))


def test_four_legs_are_not_unique_and_three_are() -> None:
    frame, problem = table_on_four_legs()
    rows = contact_rows(frame, (1,))
    found = found_forces(rows, problem, runs_of(problem))
    assert set(found.forces) == set(METHODS) and found.loose.all() and not found.shared.any()
    for forces in found.forces.values():
        np.testing.assert_allclose(forces.sum(), 4.0 * 9.81, rtol=1e-7)
    three = [0, 1, 2]
    part = problem._replace(
        **{n: getattr(problem, n)[three] for n in CONTACT_FIELDS}, centre=np.array([[-0.5, -0.5, 1]])
    )
    stable = found_forces(rows, part, runs_of(part))
    assert not stable.loose.any() and np.isnan(stable.forces["dantzig"][3])


CONTACT_FIELDS = (
    "pair",
    "rows",
    "nodes",
    "point",
    "frame",
    "gap",
    "prescribed",
    "curvature",
    "friction",
    "restitution",
)


def test_points_of_one_contact_share_a_force_that_is_unique() -> None:
    frame, problem = table_on_four_legs()
    problem = problem._replace(nodes=np.tile([1, 0], (4, 1)))
    one = replace(frame, contacts=frame.contacts[:1])  # type: ignore[index]
    rows = contact_rows(one, (1,))
    found = found_forces(rows, problem, runs_of(problem))
    assert not found.loose[0] and found.shared[0]
    np.testing.assert_allclose(found.forces["lemke"], 4.0 * 9.81, rtol=1e-9)
    model = ContactModel()
    model.set_names(NAMES)
    model.set_methods(method_rows())
    model.set_rows(rows, found)
    assert model.text(0, len(COLUMNS)) == "sum only"
    assert model.text(0, model.columnCount() - 1) == "39.24 N"


def test_arrows_push_the_selected_body() -> None:
    frame, problem = table_on_four_legs()
    run = runs_of(problem)["conjugate_gradient"]
    _, up = run_arrows(contact_rows(frame, (1,)), problem, run)
    _, down = run_arrows(contact_rows(frame, (0,)), problem, run)
    np.testing.assert_allclose(up, -down)
    assert (up[:, 2] > 0).all() and len(up) == 4


def test_the_part_with_the_selected_body_is_solved() -> None:
    two = hand_made_problem([1.0, 1.0], [(0, 0, 1), (5, 0, 1)], [(0, -1, (0, 0, 0), UP), (1, -1, (5, 0, 0), UP)])
    assert problem_of(two, (1,)).bodies.tolist() == [1]
    assert len(problem_of(two, ()).pair) == len(problem_of(two, (0, 1)).pair) == 2


def test_words_about_what_is_solved() -> None:
    frame, problem = table_on_four_legs()
    assert "Pause" in say_forces(replace(frame, running=True), problem, {}, 0)
    assert "no dynamic body" in say_forces(frame, None, {}, 0)
    many = random_problem(1, bodies=3, contacts=MOST_SOLVED + 1)
    assert "too many" in say_forces(frame, many, {}, 0)
    assert "not unique" in say_forces(frame, problem, runs_of(problem), 0)
    rough = problem._replace(friction=np.full(4, 0.5))
    assert "friction ignored" in say_forces(frame, rough, {}, 0)
    assert vector(np.array([1e-9, -2.0, 30.0])) == "(0, -2, 30) N"
    said = say_sum(contact_rows(frame, (1,)), problem)
    assert said.startswith("normal 39.24 N, friction 0 N; sum of forces (0, 0, 39.24) N, other forces")
    assert said.endswith(": a = 0 m/s²"), said
    assert say_sum(contact_rows(frame, ()), problem) == "normal 39.24 N, friction 0 N"


def test_an_acceleration_is_told_where_all_forces_are_known_and_of_the_instant() -> None:
    frame, problem = table_on_four_legs()
    jointed = say_sum(contact_rows(frame, (1,)), problem, jointed=(0, 1))
    assert "a =" not in jointed and jointed.endswith("other forces (0, 0, -39.24) N, and those of its joints")
    assert "a =" in say_sum(contact_rows(frame, (1,)), problem, jointed=(0, 2))
    assert frame.contacts is not None
    hit = frame.contacts.copy()
    hit["paradigm"][2] = "impulse"
    averaged = say_sum(contact_rows(replace(frame, contacts=hit), (1,)), problem)
    assert "a =" not in averaged and "sum of forces (0, 0, 39.24) N (mean of 20 ms), other forces" in averaged


def test_the_card_knows_which_bodies_joints_tie(
    window: MainWindow, ready: Callable[[], None], qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "plank.toml").write_text(PLANK)
    window.files.open_path(tmp_path / "plank.toml")
    ready()
    window.actions_["analyse.contacts"].trigger()
    window.document.select(("plank",))
    window.playback.step_frame()
    qtbot.waitUntil(lambda: "those of its joints" in window.contact_card.caption.text(), timeout=20_000)


def test_forces_of_an_instant_are_shown_of_no_other(qtbot: QtBot) -> None:
    """At once, and not when the card is read next: what stands has a problem, what runs has none."""
    frame, problem = table_on_four_legs()
    stands = [replace(frame, problem=problem, sequence=k) for k in (0, 2)]
    card = ContactCard()
    qtbot.addWidget(card)
    card.set_names(NAMES)
    card.show()
    card.set_frame(stands[0])
    assert card.problem is not None
    card.set_frame(replace(frame, running=True, sequence=1))
    assert card.problem is None and "Pause" in card.said.text()
    card.set_frame(stands[1])
    assert card.problem is not None and card.shown is stands[1]


@pytest.fixture
def card(window: MainWindow, ready: Callable[[], None], qtbot: QtBot) -> MainWindow:
    """Boxes at rest on each other, and the card open on the instant that stands."""

    def shows_what_stands() -> bool:
        frame = window.playback.frame
        return frame is not None and frame.time > 1.5 and not frame.running and window.contact_card.shown is frame

    window.files.open_path(str(SCENE))
    ready()
    window.looks.toggle_panel("left")
    window.actions_["analyse.contacts"].trigger()
    window.playback.set_speed(10.0)
    window.playback.toggle()
    qtbot.waitUntil(lambda: window.playback.frame is not None and window.playback.frame.time > 1.5, timeout=20_000)
    window.playback.pause()
    qtbot.waitUntil(shows_what_stands, timeout=5000)
    return window


def rows_of(window: MainWindow) -> ContactRows:
    rows = window.contact_card.rows
    assert rows is not None
    return rows


def test_card_of_a_stack(card: MainWindow, qtbot: QtBot) -> None:
    panel = card.contact_card
    assert panel.isVisible() and panel.heading.text() == "The whole scene: 3 contacts"
    card.document.select(("upper",))
    assert panel.heading.text() == "upper: 2 contacts"
    weight = 0.2 * 0.2 * 0.1 * 700.0 * 9.81
    plotted = card.plots.forces.own.histories[0].at(1.4)
    assert plotted is not None
    np.testing.assert_allclose(plotted[2:], rows_of(card).total, atol=0.01 * weight)
    np.testing.assert_allclose(sorted(rows_of(card).normal), (weight, 2.0 * weight), rtol=1e-3)
    assert "card" in card.viewport.overlays and "card solver" not in card.viewport.overlays
    panel.solve_box.click()
    qtbot.waitUntil(lambda: set(panel.runs) == set(METHODS), timeout=20_000)
    for forces in panel.found.forces.values():
        np.testing.assert_allclose(forces, rows_of(card).normal, rtol=2e-3)
    assert len(card.viewport.overlays["card solver"].first) >= 4
    panel.table.doubleClicked.emit(panel.table.contacts.index(0, 0))
    assert card.document.selection != ("upper",)


@pytest.mark.parametrize("name", ["", "upper", "lower"])
def test_one_force_is_drawn_in_one_way_everywhere(card: MainWindow, qtbot: QtBot, name: str) -> None:
    card.document.select((name,) if name else ())
    card.overlays.toggle("forces")
    card.overlays.draw(card.playback.frame)
    drawn = card.viewport.overlays
    step, listed = drawn["forces"], drawn["card"]
    rows = rows_of(card)
    assert len(listed.first) == len(rows) > 0
    for point, arrow in zip(listed.first, listed.second):
        same = np.argmin(np.linalg.norm(step.first - point, axis=1))
        np.testing.assert_allclose(step.second[same], arrow, rtol=1e-5, atol=1e-9)
    if not name:
        assert (listed.second[:, 2] > 0.0).all(), "on the body that is pushed up"
    forces = card.overlays.forces
    assert forces.legend.isVisible() and "selected body" in RULE
    longest = np.linalg.norm(step.second, axis=1).max()
    height = picture_height(card.viewport)
    assert longest == pytest.approx(0.2 * height, rel=0.3)
    camera = card.viewport.camera
    away = 2.0 * np.subtract(camera.position, camera.target) + camera.target
    card.viewport.camera = replace(camera, position=tuple(away))
    grown = np.linalg.norm(card.viewport.overlays["forces"].second, axis=1).max()
    assert grown == pytest.approx(2.0 * longest, rel=1e-3), "as long in the picture as before"
    card.overlays.toggle("forces")
    card.workspace.bottom.setCurrentWidget(card.plots.energy)
    assert not forces.legend.isVisible()


def test_the_card_and_the_microscope_count_alike(card: MainWindow, qtbot: QtBot) -> None:
    whole = card.contact_card._whole
    assert whole is not None
    assert card.contact_card.heading.text() == "The whole scene: 3 contacts"
    assert say_contacts(whole.nodes) == f"3 contacts, {len(whole.pair)} points"
    card.playback.reset()
    qtbot.waitUntil(lambda: card.playback.at_start, timeout=5000)
    qtbot.waitUntil(lambda: "first step" in card.contact_card.heading.text(), timeout=5000)
    assert "2 contacts, 8 points" in card.contact_card.heading.text()


def test_one_copy_of_a_repeat_can_be_looked_at(window: MainWindow, ready: Callable[[], None], qtbot: QtBot) -> None:
    window.files.open_path("coin_shower")
    ready()
    window.actions_["analyse.contacts"].trigger()
    scene = window.document.scene
    copy = next(row for row in range(len(scene.bodies)) if scene.owner(row)[0] == "repeat")
    window.viewport.body_clicked.emit(copy, Qt.KeyboardModifier.NoModifier)
    assert window.document.focus.startswith("repeat.")
    qtbot.waitUntil(lambda: window.contact_card.heading.text().startswith(scene.bodies[copy].name), timeout=3000)
    window.viewport.body_clicked.emit(-1, Qt.KeyboardModifier.NoModifier)
    qtbot.waitUntil(lambda: window.contact_card.heading.text().startswith("The whole scene"), timeout=3000)


def test_card_draws_nothing_when_it_is_put_away(card: MainWindow, qtbot: QtBot) -> None:
    card.contact_card.table.selectRow(1)
    assert len(card.viewport.overlays["card points"].first) == 1
    card.workspace.bottom.setCurrentWidget(card.plots.energy)
    assert not {"card", "card solver", "card points"} & set(card.viewport.overlays)


def test_solvers_wait_while_the_scene_runs(card: MainWindow, qtbot: QtBot) -> None:
    panel = card.contact_card
    panel.solve_box.click()
    qtbot.waitUntil(lambda: bool(panel.runs), timeout=20_000)
    card.playback.set_speed(0.1)
    card.playback.toggle()
    qtbot.waitUntil(lambda: "Pause" in panel.said.text(), timeout=5000)
    assert not panel.runs and "card solver" not in card.viewport.overlays
    header = panel.table.contacts.headerData(len(COLUMNS) + 1, Qt.Orientation.Horizontal)
    assert header == method_rows()[0].title
