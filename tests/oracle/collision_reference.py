"""A second, slow way through a collision: Mirtich 1996, Theorem 8, over p_z by scipy, phase by phase.

Only textbook facts are used: the equations over p_z, Theorem 9 by numpy's inverse, Stronge's law. Where sticking is
instable no ray is looked for: the slip restarts at a tiny value and finds its way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.collisions import Collision

Vector = NDArray[np.float64]

STUCK = 1e-9
RESTART = 1e-8


def reference(case: Collision) -> Vector:
    """u after the collision, to some 1e-8 of |u|."""
    k = case.k / case.k[2, 2]
    size = float(np.linalg.norm(case.u))
    y = np.append(case.u / size, 0.0)
    inverse = np.linalg.inv(k)
    mu = case.mu_dynamic
    hold = inverse[:, 2] / inverse[2, 2]
    stable = np.hypot(hold[0], hold[1]) <= max(case.mu_static, mu)
    least = 0.0
    sticks = False
    end = np.inf

    def slope(_: float, y: Vector) -> Vector:
        if sticks:
            impulse = hold
        elif mu == 0.0:
            impulse = np.array([0.0, 0.0, 1.0])
        else:
            slip = np.hypot(y[0], y[1])
            impulse = np.array([-mu * y[0] / slip, -mu * y[1] / slip, 1.0])
        return np.append(k @ impulse, y[2])

    def rises(_: float, y: Vector) -> float:
        return float(y[2])

    def falls(_: float, y: Vector) -> float:
        return float(y[2])

    def stops(_: float, y: Vector) -> float:
        return float(np.hypot(y[0], y[1])) - STUCK

    def done(_: float, y: Vector) -> float:
        return float(y[3]) - end

    rises.terminal = falls.terminal = stops.terminal = done.terminal = True  # type: ignore[attr-defined]
    rises.direction, falls.direction, stops.direction, done.direction = 1, -1, -1, 1  # type: ignore[attr-defined]
    for _ in range(40):
        if not sticks and np.hypot(y[0], y[1]) <= 1.01 * STUCK and not (mu == 0.0 and not stable):
            if stable:
                sticks = True
                y[:2] = 0.0
            else:
                # Along M⁻¹ s the slip grows, whenever sticking is instable.
                away = np.linalg.solve(k[:2, :2], k[:2, 2])
                y[:2] = RESTART * away / np.hypot(away[0], away[1])
        events = [rises if y[2] < 0.0 else falls] + ([] if sticks or mu == 0.0 else [stops])
        if y[2] >= 0.0:
            events.append(done)
        run = solve_ivp(slope, (0.0, 1e6), y, method="DOP853", rtol=1e-11, atol=1e-12, events=events)
        assert run.status == 1, run.message
        y = run.y[:, -1]
        names = [event.__name__ for event, times in zip(events, run.t_events, strict=True) if len(times)]
        if "done" in names:
            return np.asarray(y[:3] * size)
        if "rises" in names:
            y[2] = 0.0
            least = min(least, float(y[3]))
            end = (1.0 - case.e**2) * least
            if y[3] >= end:
                return np.asarray(y[:3] * size)
        if "falls" in names:
            y[2] = -1e-300
    raise AssertionError("the reference found no end")
