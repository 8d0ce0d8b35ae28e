"""Solving one contact problem by several methods on a thread of its own, with every iteration written down."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, pyqtSignal

from app.simulation.compiling import compiling
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.methods import METHODS, Frictionless, acceleration_problem
from engine.arrays import Floats, Ints
from engine.solvers.solution import RAY, Solution, Trace, lcp_residual, make_trace, no_trace

log = logging.getLogger(__name__)

Prepare = Callable[[ContactProblem], Frictionless]

MOST_ROWS = 2000  # iterations of a run that are kept one by one
MOST_NUMBERS = 2_000_000  # forces and accelerations that are kept of a run, 16 MB
NEGLIGIBLE = 1e-9  # beside the scales of a problem: rounding, and zero to a reader
REPEATED = 0.05  # [s] of computing up to which a run is done again, for its time alone

_SMALLEST = Frictionless(np.ones((1, 1)), np.full(1, -1.0), np.eye(1, 6), np.eye(1, 6)[0])


@dataclass(frozen=True, slots=True)
class Run:
    """One method's way to its answer, from x = 0: k steps on m contacts. Arrays are read-only."""

    method: str
    number: Ints  # (k,) pivots or sweeps done; before the last there may be some that were not kept
    x: Floats  # (k, m) normal forces [N]
    w: Floats  # (k, m) normal accelerations [m/s²]
    residual: Floats  # (k,) ‖min(x, w)‖∞ / (1 + ‖b‖∞)
    driven: Ints  # (k,) the contact that a pivot drives; -1 for none, or all
    status: int  # as in engine.solvers.solution
    iterations: int
    final_residual: float  # the solver's own
    seconds: float  # of the processor, without writing down [s]
    scales: tuple[float, float]  # the largest force [N] and acceleration [m/s²] that play a part; above zero
    moved: float = 0.0  # [m/s²] the b of motion space lies in the range of A: so far from b where b does not

    @property
    def pivots(self) -> bool:
        """Whether it goes from contact to contact instead of sweeping over all."""
        return bool(np.any(self.driven >= 0))

    @property
    def cut(self) -> bool:
        """Whether iterations were left out before the last step."""
        return bool(np.any(np.diff(self.number) > 1))


def rows_kept(contacts: int) -> int:
    """Iterations that are kept of a problem of so many contacts."""
    return min(MOST_ROWS, max(2, MOST_NUMBERS // (2 * max(contacts, 1))))


def same_problem(one: ContactProblem, other: ContactProblem | None) -> bool:
    """Whether two problems agree in every number."""
    return other is not None and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


def scales_of(problem: ContactProblem) -> tuple[float, float]:
    """The largest force from outside [N] and the largest acceleration by it [m/s²]: both above zero."""
    forces = np.linalg.norm(problem.force[:, :3], axis=1)
    accelerations = forces / problem.mass[:, 0, 0]
    return float(forces.max(initial=0.0)) or 1.0, float(accelerations.max(initial=0.0)) or 1.0


def watch(method: str, problem: Frictionless, scales: tuple[float, float]) -> Run:
    """Solve a problem by a method of the registry, and write every step down."""
    b = problem.b if METHODS[method].space == "contact" else -(problem.J_Q @ problem.s)
    trace = make_trace(rows_kept(len(b)), len(b))
    seconds, solution = _timed(method, problem, trace)
    if seconds < REPEATED:
        seconds = min(_timed(method, problem, no_trace())[0] for _ in range(2))
    rows = int(trace.rows[0])
    x, w, residual = trace.x[:rows], trace.w[:rows], trace.residual[:rows]
    driven, number = trace.driven[:rows], np.arange(1, rows + 1)
    if rows == 0 or x[0].any() or driven[0] >= 0:  # the start is the same for all
        nothing = np.zeros_like(b)
        x, w, residual = np.vstack([nothing, x]), np.vstack([b, w]), np.append(lcp_residual(nothing, b, b), residual)
        driven, number = np.append(-1, driven), np.append(0, number)
    else:
        number = number - 1
    if solution.status != RAY and not np.array_equal(solution.x, x[-1]):
        x, w = np.vstack([x, solution.x]), np.vstack([w, solution.w])
        residual, driven = np.append(residual, solution.residual), np.append(driven, -1)
        number = np.append(number, max(int(solution.iterations), int(number[-1])))  # polishing is no iteration
    return Run(
        method=method,
        number=_frozen(number),
        x=_frozen(x),
        w=_frozen(w),
        residual=_frozen(residual),
        driven=_frozen(driven),
        status=int(solution.status),
        iterations=int(solution.iterations),
        final_residual=float(solution.residual),
        seconds=seconds,
        scales=(_largest(x, scales[0]), _largest(w, scales[1])),
        moved=float(np.max(np.abs(b - problem.b), initial=0.0)),
    )


def _timed(method: str, problem: Frictionless, trace: Trace) -> tuple[float, Solution]:
    began = time.thread_time()
    solution = METHODS[method].solve(problem, trace)
    return time.thread_time() - began, solution


def _largest(values: Floats, least: float) -> float:
    return float(np.max(np.abs(np.nan_to_num(values, posinf=0.0, neginf=0.0)), initial=least))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


class Solving(QObject):
    """Solves one problem at a time, the newest asked for; every method's run comes as a signal, in order."""

    solved = pyqtSignal(int, object)  # the ticket that `solve` returned, a Run
    failed = pyqtSignal(int, str, str)  # the ticket, the method, what went wrong

    def __init__(self, parent: QObject | None = None, prepare: Prepare = acceleration_problem) -> None:
        super().__init__(parent)
        self._prepare = prepare
        self._jobs: queue.SimpleQueue[tuple[int, ContactProblem, tuple[str, ...]] | None] = queue.SimpleQueue()
        self._prepared_for: ContactProblem | None = None
        self._matrices: Frictionless
        self._loaded: set[str] = set()
        self._ticket = 0
        self._thread: threading.Thread | None = None

    def solve(self, problem: ContactProblem, methods: Sequence[str]) -> int:
        """Solve by these methods; whatever was asked for before is given up after the method under way."""
        self._ticket += 1
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="solving", daemon=True)
            self._thread.start()
        self._jobs.put((self._ticket, problem, tuple(methods)))
        return self._ticket

    def close(self) -> None:
        """End the thread after the method under way; nobody waits for it."""
        self._ticket += 1
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._obey(*job)

    def _obey(self, ticket: int, problem: ContactProblem, methods: tuple[str, ...]) -> None:
        compiling().wait_for("solvers")
        for method in methods:
            if ticket != self._ticket:
                return
            try:
                if method not in self._loaded:  # from the cache of kernels: no part of the time that is shown
                    METHODS[method].solve(_SMALLEST, no_trace())
                    self._loaded.add(method)
                if problem is not self._prepared_for:
                    self._matrices, self._prepared_for = self._prepare(problem), problem
                run = watch(method, self._matrices, scales_of(problem))
            except Exception as error:  # one method's fault must not end the thread
                log.warning("%s failed", method, exc_info=error)
                self.failed.emit(ticket, method, str(error) or type(error).__name__)
            else:
                self.solved.emit(ticket, run)
