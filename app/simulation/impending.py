"""The impending motion of a contact problem, on a thread of its own: nobody waits for a large one."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QObject, pyqtSignal

from app.simulation.compiling import compiling
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.impending import ImpendingMotion, impending_motion

log = logging.getLogger(__name__)

MOST_POINTS = 400
"""Larger problems are not solved: three methods would take seconds."""


@dataclass(frozen=True, slots=True)
class ImpendingResult:
    """What is known of one problem: the impending motion, or in words why there is none."""

    problem: ContactProblem
    motion: ImpendingMotion | None
    reason: str = ""

    @property
    def moving(self) -> bool:
        """Whether the bodies move already, so that the motion is one from rest that is not there."""
        return bool(np.any(self.problem.velocity)) or bool(np.any(self.problem.prescribed))


def solve_impending(problem: ContactProblem, frictionless: bool) -> ImpendingResult:
    """The impending motion of a problem; `frictionless`: also where there is friction, as if there were none."""
    points, rough = len(problem.gap), int(np.count_nonzero(problem.friction > 0.0))
    if not points:
        return ImpendingResult(problem, None, "No dynamic body touches anything.")
    if rough and not frictionless:
        places = f"Friction acts at {f'all {points}' if rough == points else f'{rough} of {points}'} points of contact"
        return ImpendingResult(problem, None, f"{places}. All three formulations are frictionless.")
    if points > MOST_POINTS:
        return ImpendingResult(
            problem, None, f"{points} points of contact are too many: up to {MOST_POINTS} are solved here."
        )
    return ImpendingResult(problem, impending_motion(problem))


class ImpendingSolver(QObject):
    """Works out one problem at a time, the newest asked for."""

    solved = pyqtSignal(int, object)  # the ticket that `ask` returned, an ImpendingResult

    def __init__(
        self, parent: QObject | None = None, work: Callable[[ContactProblem, bool], ImpendingResult] = solve_impending
    ) -> None:
        super().__init__(parent)
        self._work = work
        self._jobs: queue.SimpleQueue[tuple[int, ContactProblem, bool] | None] = queue.SimpleQueue()
        self._ticket = 0
        self._thread: threading.Thread | None = None

    def ask(self, problem: ContactProblem, frictionless: bool) -> int:
        """Begin with this problem; what was asked for before and has not begun is given up."""
        self._ticket += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="impending motion", daemon=True)
            self._thread.start()
        self._jobs.put((self._ticket, problem, frictionless))
        return self._ticket

    def close(self) -> None:
        """End the thread after the problem under way; nobody waits for it."""
        self._ticket += 1
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            ticket, problem, frictionless = job
            compiling().wait_for("solvers")
            if ticket != self._ticket:
                continue
            try:
                result = self._work(problem, frictionless)
            except Exception as error:  # one problem's fault must not end the thread
                log.warning("the impending motion failed", exc_info=error)
                result = ImpendingResult(problem, None, f"It could not be solved: {error or type(error).__name__}.")
            if ticket == self._ticket:
                self.solved.emit(ticket, result)
