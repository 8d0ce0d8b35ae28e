"""What the microscope shows in the scene: the forces of the step that is looked at, and the contact that is read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.simulation.solving import Run
from engine.analysis.contact_problem import ContactProblem
from engine.arrays import Floats


@dataclass(frozen=True)
class Marks:
    """Of m contacts."""

    points: Floats  # (m, 3) [m]
    forces: Floats  # (m, 3) on bodies a, or on bodies b where a does not answer to forces [N]
    largest: float  # force of all steps [N]: arrows keep their scale from step to step
    contact: int | None  # that is read


def marks_of(problem: ContactProblem, run: Run | None, step: int, contact: int | None) -> Marks:
    """Marks of one step; without a run there are no forces yet."""
    if run is None:
        return Marks(problem.point, np.zeros_like(problem.point), 1.0, contact)
    sign = np.where(problem.pair[:, 0] >= 0, 1.0, -1.0)
    forces = (sign * np.nan_to_num(run.x[step]))[:, None] * problem.frame[:, 0]
    return Marks(problem.point, forces, float(np.max(np.abs(np.nan_to_num(run.x)), initial=0.0)) or 1.0, contact)
