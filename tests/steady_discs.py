"""Steady motions of a thick disc on a plane in closed form: rolling on a circle, and turning on the spot.

A disc of radius a and half thickness d leans by the angle `tilt` between its axis e3 and the vertical z, and its lower
rim touches the plane. In a steady motion the figure turns about z at the rate Omega and the disc about its axis at s
besides: omega = Omega z + s e3. The centre of mass runs on a circle of radius R about z, or stands (R = 0). With r from
it to the contact, rolling says Omega R + (omega x r) = 0 along the way, and Euler's equation about the centre of mass,

    Omega z x L = r x m (g z - Omega^2 R e_r),     L = I1 omega + (I3 - I1) (omega . e3) e3,

one equation along the way, is linear in Omega^2 (Routh 1905, art. 241; O'Reilly 1996).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Steady(NamedTuple):
    """Rate of the figure [rad/s], angular velocity (3,) [rad/s], centre of mass from the axis of the circle (3,) [m],
    its velocity (3,) [m/s], and the tilt of the axis about y [rad]."""

    rate: float
    omega: Floats
    centre: Floats
    velocity: Floats
    tilt: float


def steady_disc(radius: float, thickness: float, tilt: float, circle: float, g: float = 9.81) -> Steady:
    """A disc whose axis leans by `tilt` [rad] and whose contact runs on a circle of radius `circle` [m].

    At time 0 it is at x > 0 and leans inwards, above the plane z = 0. circle < 0: it turns on the spot, and its
    contact runs round under the centre of mass, which stands.
    """
    d = thickness / 2.0
    i1, i3 = radius**2 / 4.0 + thickness**2 / 12.0, radius**2 / 2.0
    z, axis = np.array([0.0, 0.0, 1.0]), np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    down = np.array([np.cos(tilt), 0.0, -np.sin(tilt)])
    r = radius * down - d * axis
    off = 0.0 if circle < 0.0 else circle - r[0]
    way = np.array([off, 0.0, 0.0])
    spin = -(off + np.cross(z, r)[1]) / np.cross(axis, r)[1]  # s / Omega
    turning = z + spin * axis
    momentum = i1 * turning + (i3 - i1) * (turning @ axis) * axis
    rate = float(np.sqrt(np.cross(r, g * z)[1] / (np.cross(z, momentum)[1] + np.cross(r, way)[1])))
    return Steady(rate, rate * turning, way - r[2] * z, rate * np.cross(z, way), tilt)
