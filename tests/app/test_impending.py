"""Impending motion in the window: arrows of three formulations over the paused scene, and a card that compares them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.simulation.impending import MOST_POINTS, ImpendingResult, ImpendingSolver, solve_impending
from app.view.overlays.impending import NAMES
from app.view.overlays.impending_card import power_of_ten
from app.view.window.main_window import MainWindow
from engine.analysis.contact_problem import ContactProblem
from tests.contact_problems import hand_made_problem, random_problem


def arrows(window: MainWindow) -> list[str]:
    return [name for name in NAMES if name in window.viewport.overlays]


@pytest.fixture
def shown(window: MainWindow, ready: Callable[[], None], qtbot: QtBot) -> Callable[[str], None]:
    """Opens a scene with the overlay on, and waits until something is known of it."""

    def show(name: str) -> None:
        window.files.open_path(name)
        ready()
        if "impending" not in window.overlays.on:
            window.looks.toggle_overlay("impending")
        known(window, qtbot)

    return show


def known(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.overlays.impending.result is not None, timeout=20_000)


def test_three_arrows_at_each_body_lie_side_by_side(window: MainWindow, shown: Callable[[str], None]) -> None:
    shown("impending")
    result, overlays = window.overlays.impending.result, window.viewport.overlays
    assert result is not None and result.motion is not None
    assert arrows(window) == list(NAMES)
    forces, gauss, descent = (overlays[name] for name in NAMES)
    assert len(forces.first) == 7  # of nine bodies: two stay
    np.testing.assert_allclose(forces.second, gauss.second, atol=1e-6)
    np.testing.assert_allclose(forces.second, descent.second, atol=1e-6)
    np.testing.assert_allclose(forces.first + descent.first, 2 * gauss.first, atol=1e-6)
    near, far = (np.array([window.viewport.project(tail)[:2] for tail in one.first]) for one in (forces, gauss))
    np.testing.assert_allclose(np.linalg.norm(far - near, axis=1), 11, atol=1)
    assert len({one.colour for one in (forces, gauss, descent)}) == 3
    assert len(overlays["impending rest"].first) == 2
    card = window.overlays.impending.card
    assert card.isVisible()
    assert len({value.text() for value in card.values}) == 1
    assert "× 10⁻¹" in card.disagreement.text()
    assert card.said.text() == "9 bodies, 11 contacts, 34 points."


def test_arrows_turn_with_the_camera(window: MainWindow, shown: Callable[[str], None]) -> None:
    shown("impending")
    before = window.viewport.overlays[NAMES[0]].first.copy()
    window.viewport.look_along("top", glide=False)
    assert abs(window.viewport.overlays[NAMES[0]].first - before).max() > 1e-3


def test_card_tells_of_the_body_that_is_selected(window: MainWindow, shown: Callable[[str], None]) -> None:
    shown("impending")
    window.document.select(("wedge",))
    card = window.overlays.impending.card
    assert card.head.text() == "wedge, m/s²"
    assert all(value.text().startswith("2.93") for value in card.values)


def test_nothing_is_shown_of_what_runs(window: MainWindow, shown: Callable[[str], None], qtbot: QtBot) -> None:
    shown("impending")
    window.playback.toggle()
    qtbot.waitUntil(lambda: not arrows(window), timeout=5000)
    assert "paused" in window.overlays.impending.card.said.text()
    window.playback.toggle()
    known(window, qtbot)
    assert "as if released from rest" in window.overlays.impending.card.said.text()
    window.looks.toggle_overlay("impending")
    assert not arrows(window)
    assert not window.overlays.impending.card.isVisible()


def test_friction_is_ignored_or_said(window: MainWindow, shown: Callable[[str], None], qtbot: QtBot) -> None:
    shown("block_on_ramp")
    card = window.overlays.impending.card
    assert arrows(window) == list(NAMES)
    card.friction.click()
    qtbot.waitUntil(lambda: not arrows(window), timeout=5000)
    assert "Friction acts at all 4 points of contact" in card.said.text()
    assert not window.actions_.facts.overlays & {"frictionless"}
    window.actions_["overlays.frictionless"].trigger()
    qtbot.waitUntil(lambda: arrows(window) == list(NAMES), timeout=5000)
    assert card.friction.isChecked()


def test_reasons_why_nothing_is_shown() -> None:
    alone = solve_impending(hand_made_problem([1.0], [(0, 0, 0)], []), True)
    assert alone.motion is None and "touches" in alone.reason
    many = solve_impending(random_problem(1, bodies=3, contacts=MOST_POINTS + 1, at_rest=True), True)
    assert many.motion is None and str(MOST_POINTS) in many.reason
    assert solve_impending(random_problem(1, bodies=3, contacts=5, at_rest=True), True).motion is not None


def test_only_the_newest_problem_is_worked_out(qtbot: QtBot) -> None:
    begun, go_on = threading.Event(), threading.Event()
    problems = [random_problem(seed, bodies=1, contacts=2) for seed in range(3)]
    worked: list[int] = []

    def work(problem: ContactProblem, _frictionless: bool) -> ImpendingResult:
        begun.set()
        go_on.wait(10)
        worked.append(next(k for k, one in enumerate(problems) if one is problem))
        return ImpendingResult(problem, None, "said")

    solver = ImpendingSolver(work=work)
    heard: list[int] = []
    solver.solved.connect(lambda ticket, _result: heard.append(ticket))
    solver.ask(problems[0], True)
    assert begun.wait(10)
    solver.ask(problems[1], True)
    last = solver.ask(problems[2], True)
    go_on.set()
    qtbot.waitUntil(lambda: heard == [last], timeout=5000)
    assert worked == [0, 2]
    solver.close()


def test_a_failure_is_told(qtbot: QtBot) -> None:
    def fail(_problem: ContactProblem, _frictionless: bool) -> ImpendingResult:
        raise ArithmeticError("no luck")

    solver = ImpendingSolver(work=fail)
    with qtbot.waitSignal(solver.solved, timeout=5000) as heard:
        solver.ask(random_problem(1, bodies=1, contacts=1), True)
    assert "no luck" in heard.args[1].reason
    solver.close()


def test_small_numbers_as_powers_of_ten() -> None:
    assert power_of_ten(0.0) == "0"
    assert power_of_ten(2.04e-14) == "2.0 × 10⁻¹⁴"
    assert power_of_ten(9.99e-3) == "1.0 × 10⁻²"
    assert power_of_ten(31.0) == "3.1 × 10¹"
