"""How a body moves at one instant, and one side of a contact: tuples that kernels pass on in registers."""

from __future__ import annotations

from typing import NamedTuple

from engine.kernel import kernel
from engine.maths.quaternions import Quat
from engine.maths.rounding import LARGEST
from engine.maths.vectors import Vec3, point_velocity, sub


class Motion(NamedTuple):
    """Pose and twist of a body."""

    x: Vec3  # centre of mass [m]
    q: Quat  # turns body into world axes
    v: Vec3  # of the centre of mass [m/s]
    w: Vec3  # angular velocity, world axes [rad/s]


class Side(NamedTuple):
    """One side of a contact."""

    body: int  # its row
    motion: Motion
    r: Vec3  # from the centre of mass to the contact point, world axes [m]


@kernel
def contact_velocity(a: Side, b: Side) -> Vec3:
    """u = u_a - u_b of the points in contact [m/s]."""
    u_a = point_velocity(a.motion.v, a.motion.w, a.r)
    return sub(u_a, point_velocity(b.motion.v, b.motion.w, b.r))


@kernel
def is_finite_motion(motion: Motion) -> bool:
    """Are all numbers of a motion finite, and small enough that their squares are?"""
    x, q, v, w = motion
    total = x[0] + x[1] + x[2] + q[0] + q[1] + q[2] + q[3] + v[0] + v[1] + v[2] + w[0] + w[1] + w[2]
    return abs(total) < LARGEST
