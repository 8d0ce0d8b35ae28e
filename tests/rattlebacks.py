"""A rattleback by its differential equations: an ellipsoid with a point mass aslant, on a plane that it touches always.

Its centre of mass is r above the contact, r = R (p - c): p is the ellipsoid's furthest point down, in its own axes, and
c its centre of mass. Put down spinning, it slides first, F = N (z - mu u / |u|), until the contact's velocity
u = v + w x r is nothing; then it rolls, v = -w x r, by whatever force that takes (Garcia and Hubbard 1988).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from tests.linkages import cross_matrix, turn_matrix

Floats = NDArray[np.float64]
WEIGHT = np.array([0.0, 0.0, -9.81])
ROLLS = 1e-7
"""A contact that slides no faster rolls [m/s]."""


class Rattleback:
    """An ellipsoid with these half axes [m] and mass [kg], and a point mass at a place in it."""

    def __init__(self, axes: Floats, mass: float, attached: float, place: Floats, friction: float) -> None:
        self.squares = axes**2
        self.friction = friction
        self.mass = mass + attached
        self.centre = attached * place / self.mass
        self.inertia = mass / 5.0 * np.diag(self.squares.sum() - self.squares)
        for part, at in ((mass, self.centre), (attached, self.centre - place)):
            self.inertia -= part * cross_matrix(at) @ cross_matrix(at)

    def contact(self, turn: Floats, spin: Floats) -> tuple[Floats, Floats]:
        """From the centre of mass to the contact, as a matrix of its cross product, and how fast that changes (3,)."""
        down = -turn[2]
        change = cross_matrix(down) @ (turn.T @ spin)
        length = np.sqrt(down @ (self.squares * down))
        furthest = self.squares * down / length
        slides = self.squares * change / length - furthest * (furthest @ change) / length
        r = turn @ (furthest - self.centre)
        return cross_matrix(r), cross_matrix(spin) @ r + turn @ slides

    def rolling(self, _: float, y: Floats) -> Floats:
        q, spin = y[:4], y[4:7]
        turn = turn_matrix(q)
        r, change = self.contact(turn, spin)
        inertia = turn @ self.inertia @ turn.T
        pull = cross_matrix(spin) @ change + WEIGHT
        moment = -cross_matrix(spin) @ inertia @ spin - self.mass * r @ pull
        return np.concatenate([quaternion_rate(q, spin), np.linalg.solve(inertia - self.mass * r @ r, moment)])

    def sliding(self, _: float, y: Floats) -> Floats:
        q, spin, v = y[:4], y[4:7], y[7:]
        turn = turn_matrix(q)
        r, change = self.contact(turn, spin)
        inertia = turn @ self.inertia @ turn.T
        slip = (v - r @ spin)[:2]
        way = np.array([*(-self.friction * slip / np.linalg.norm(slip)), 1.0])
        alone, pressed = np.linalg.solve(inertia, np.array([-cross_matrix(spin) @ inertia @ spin, r @ way]).T).T
        # The contact's height stays: no part along z of v' + w' x r + w x r'.
        falls = (WEIGHT - r @ alone + cross_matrix(spin) @ change)[2]
        normal = -falls / (way / self.mass - r @ pressed)[2]
        turns, moves = alone + normal * pressed, WEIGHT + normal / self.mass * way
        return np.concatenate([quaternion_rate(q, spin), turns, moves])

    def put_down(self, spin: float) -> tuple[float, Floats]:
        """From when on it rolls [s], and how: put down level, spun about the vertical, its centre of mass at rest."""

        def slip(_: float, y: Floats) -> float:
            r, _rate = self.contact(turn_matrix(y[:4]), y[4:7])
            return float(np.linalg.norm((y[7:] - r @ y[4:7])[:2])) - ROLLS

        slip.terminal = True  # type: ignore[attr-defined]
        start = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, spin, 0.0, 0.0, 0.0])
        first = solve_ivp(self.sliding, (0.0, 1.0), start, rtol=1e-9, atol=1e-11, max_step=1e-4, events=slip)
        return float(first.t[-1]), first.y[:7, -1]

    def reversal(self, spin: float, until: float = 10.0) -> float:
        """When it turns round [s]."""

        def turning(_: float, y: Floats) -> float:
            return float(y[6])

        turning.terminal = True  # type: ignore[attr-defined]
        at, y = self.put_down(spin)
        then = solve_ivp(self.rolling, (at, until), y, "DOP853", rtol=1e-8, atol=1e-10, events=turning)
        return float(then.t_events[0][0])

    def spins(self, spin: float, times: Floats) -> Floats:
        """How fast it turns about the vertical at times when it rolls [rad/s]."""
        at, y = self.put_down(spin)
        then = solve_ivp(self.rolling, (at, times[-1]), y, "DOP853", t_eval=times, rtol=1e-8, atol=1e-10)
        return np.asarray(then.y[6])


def quaternion_rate(q: Floats, spin: Floats) -> Floats:
    return 0.5 * np.array([-q[1:] @ spin, *(q[0] * spin + cross_matrix(spin) @ q[1:])])
