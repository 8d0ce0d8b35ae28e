"""The direction in which potential energy falls most steeply in the kinetic norm (Baraff and Mattikalli 1993, sec. 5).

    max g · y  with  G y >= 0  and  ‖y‖ = 1                                                  (their problem 52)

in motion space, where the kinetic norm is the length of y. A direction counts by energy lost over length, so the
steepest is, up to its length, the shortest y that loses one unit of energy:

    min ½ ‖y‖²  with  g · y >= 1  and  G y >= 0

which Goldfarb and Idnani's dual method (1983) solves: from the shortest y without contacts on, contacts that y breaks
join the working set one by one, on orthogonal factors that are updated. Bodies that must rest have no such y.
Nothing of it is shared with the solvers for contact forces or for the nearest point.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr_delete, qr_insert, solve_triangular

from engine.arrays import Floats
from engine.solvers.solution import ITERATION_LIMIT, SOLVED

REST = 1e-6
"""Bodies whose steepest way loses energy at less than this part of the rate without contacts [1] rest."""

SLIP = 1e-12
"""A contact is broken by more than this part of the length of y [1]: less is rounding."""

DEPENDENT = 1e-9
"""A unit row of which no more than this lies outside the working set [1] depends on it."""


class Descent(NamedTuple):
    """The steepest way down."""

    direction: Floats
    """(d,) unit; zero at rest."""
    steepness: float
    """g · direction as a part of ‖g‖, 0 to 1; zero at rest."""
    status: int
    """SOLVED or ITERATION_LIMIT."""
    iterations: int
    """Contacts and the energy that joined or left the working set."""


class _Working:
    """Rows that hold as equations, and their orthogonal factors: rowsᵀ = Q R."""

    def __init__(self, d: int) -> None:
        self.rows: list[int] = []
        self.multipliers = np.zeros(0)
        self._d = d
        self._reset()

    def _reset(self) -> None:
        self.Q: Floats = np.eye(self._d)
        self.R: Floats = np.zeros((self._d, 0))

    def split(self, row: Floats) -> tuple[Floats, Floats]:
        """The part of a row outside the span of the rows here, and its coefficients inside."""
        q = len(self.rows)
        c = self.Q.T @ row
        inside = solve_triangular(self.R[:q], c[:q]) if q else np.zeros(0)
        return self.Q[:, q:] @ c[q:], inside

    def add(self, k: int, row: Floats, multiplier: float) -> None:
        if self.rows:
            self.Q, self.R = qr_insert(self.Q, self.R, row, len(self.rows), "col")
        else:
            self.Q, self.R = np.linalg.qr(row[:, None], mode="complete")
        self.rows.append(k)
        self.multipliers = np.append(self.multipliers, multiplier)

    def drop(self, place: int) -> None:
        del self.rows[place]
        self.multipliers = np.delete(self.multipliers, place)
        if self.rows:
            self.Q, self.R = qr_delete(self.Q, self.R, place, 1, "col")
        else:
            self._reset()

    def shortest(self, values: Floats) -> Floats:
        """The shortest y at which the rows here have these values."""
        q = len(self.rows)
        return np.asarray(self.Q[:, :q] @ solve_triangular(self.R[:q], values, trans="T"))


def descend_steepest(g: Floats, G: Floats) -> Descent:
    """Solve problem (52) for g (d,), the fall of energy, and contacts G (m, d)."""
    g_norm = float(np.linalg.norm(g))
    sizes = np.linalg.norm(G, axis=1)
    if g_norm == 0.0:
        return Descent(np.zeros(len(g)), 0.0, SOLVED, 0)
    rows = np.vstack([g / g_norm, G[sizes > 0.0] / sizes[sizes > 0.0, None]])
    values = np.zeros(len(rows))
    values[0] = 1.0
    working = _Working(len(g))
    y = np.zeros(len(g))
    iterations = 0
    while iterations <= 20 * len(rows):
        broken = rows @ y - values
        broken[working.rows] = 0.0
        worst = int(np.argmin(broken))
        if broken[worst] >= -SLIP * float(np.linalg.norm(y)) and working.rows:
            length = float(np.linalg.norm(y))
            return Descent(y / length, 1.0 / length, SOLVED, iterations)
        taken, open_ = _take_in(working, rows, worst, values, y)
        iterations += taken
        if open_:
            y = working.shortest(values[working.rows])
        if not open_ or float(np.linalg.norm(y)) * REST >= 1.0:
            return Descent(np.zeros(len(g)), 0.0, SOLVED, iterations)
    return Descent(np.zeros(len(g)), 0.0, ITERATION_LIMIT, iterations)


def _take_in(working: _Working, rows: Floats, k: int, values: Floats, y: Floats) -> tuple[int, bool]:
    """Make row k hold, dropping rows whose multipliers would fall below zero.

    Changes to the working set, and whether y exists: if not, the rows contradict each other.
    """
    multiplier = 0.0
    changes = 0
    while True:
        changes += 1
        outside, inside = working.split(rows[k])
        falling = inside > 0.0
        blocking, short = -1, inf
        if falling.any():
            ratios = np.where(falling, np.maximum(working.multipliers, 0.0) / np.where(falling, inside, 1.0), inf)
            blocking = int(np.argmin(ratios))
            short = float(ratios[blocking])
        full = inf
        squared = float(outside @ outside)
        if squared > DEPENDENT**2:
            full = (values[k] - float(rows[k] @ y)) / squared
        step = min(short, full)
        if step == inf:
            return changes, False
        working.multipliers = working.multipliers - step * inside
        multiplier += step
        if full < inf:
            y = y + step * outside
        if step == full:
            working.add(k, rows[k], multiplier)
            return changes, True
        working.drop(blocking)
