"""What the microscope shows in the scene: the forces of the step that is looked at, and the contact that is read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.simulation.solving import Run
from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Marks:
    """Of m contacts."""

    points: Floats  # (m, 3) [m]
    forces: Floats  # (m, 3) on the first body of each [N]
    normals: Floats  # (m, 3) towards the first body
    bodies: Ints  # (m, 2) rows of the bodies that touch
    moves: Bools  # (m, 2) whether they answer to forces
    largest: float  # force of all steps [N]: arrows keep their scale from step to step
    contact: int | None  # that is read


def marks_of(problem: ContactProblem, run: Run | None, step: int, contact: int | None) -> Marks:
    """Marks of one step; without a run there are no forces yet."""
    normals, moves = problem.frame[:, 0], problem.pair >= 0
    x = np.zeros(len(normals)) if run is None else np.nan_to_num(run.x[step])
    largest = 0.0 if run is None else float(np.max(np.abs(np.nan_to_num(run.x)), initial=0.0))
    return Marks(problem.point, x[:, None] * normals, normals, problem.rows, moves, largest or 1.0, contact)
