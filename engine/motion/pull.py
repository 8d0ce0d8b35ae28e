"""The mouse's spring: a forced arc, as free flight between kicks.

A body that is pulled flies exact ballistic arcs; every KICK_PERIOD the spring's impulse over that time changes its
velocity (a splitting of the equations of motion, symplectic without the damper). So every bound of ballistic arcs holds
for it as it is, and there is nothing to integrate ahead and to interpolate.
"""

from __future__ import annotations

from engine.kernel import kernel
from engine.maths.quaternions import rotate
from engine.maths.vectors import Vec3, add, cross
from engine.model.model import FREE, KIND, Floats, Ints
from engine.model.state import (
    PULL_BODY,
    PULL_DAMPING,
    PULL_NEXT,
    PULL_POINT,
    PULL_STIFFNESS,
    PULL_TARGET,
)
from engine.motion.arcs import evolve
from engine.motion.motion import Side
from engine.tolerances import KICK_PERIOD


@kernel
def pull_impulse(bodies: Floats, tags: Ints, arcs: Floats, pull: Floats, i: int, t: float) -> tuple[bool, Side, Vec3]:
    """The spring's impulse of one period on body i at time t [N s], and where; False if it cannot be moved."""
    pull[PULL_NEXT] = t + KICK_PERIOD
    motion = evolve(bodies, tags, arcs, i, t)
    if pull[PULL_BODY] != i or tags[i, KIND] != FREE:
        return False, Side(i, motion, (0.0, 0.0, 0.0)), (0.0, 0.0, 0.0)
    x, q, v, w = motion
    r = rotate(q, (pull[PULL_POINT], pull[PULL_POINT + 1], pull[PULL_POINT + 2]))
    u = add(v, cross(w, r))
    k = pull[PULL_STIFFNESS]
    c = pull[PULL_DAMPING]
    p = (
        KICK_PERIOD * (k * (pull[PULL_TARGET] - x[0] - r[0]) - c * u[0]),
        KICK_PERIOD * (k * (pull[PULL_TARGET + 1] - x[1] - r[1]) - c * u[1]),
        KICK_PERIOD * (k * (pull[PULL_TARGET + 2] - x[2] - r[2]) - c * u[2]),
    )
    return True, Side(i, motion, r), p
