"""The mouse's spring: a forced arc, as free flight between kicks.

A body that is pulled flies exact ballistic arcs; every KICK_PERIOD the spring's impulse over that time changes its
velocity (a splitting of the equations of motion, symplectic without the damper). So every bound of ballistic arcs holds
for it as it is, and there is nothing to integrate ahead and to interpolate.
"""

from __future__ import annotations

from engine.kernel import kernel
from engine.maths.quaternions import rotate
from engine.maths.vectors import add, cross, dot
from engine.model.model import FREE, KIND, Floats, Ints
from engine.model.state import (
    PULL_BODY,
    PULL_DAMPING,
    PULL_NEXT,
    PULL_POINT,
    PULL_STIFFNESS,
    PULL_TARGET,
    WORK,
)
from engine.motion.arcs import apply_impulse, evolve
from engine.motion.motion import Side
from engine.tolerances import KICK_PERIOD


@kernel
def kick_pull(bodies: Floats, tags: Ints, arcs: Floats, pull: Floats, clock: Floats, i: int, t: float) -> bool:
    """Give body i the spring's impulse of one period at time t; False if it cannot be moved.

    Books the kinetic energy that the kick adds as work put in.
    """
    pull[PULL_NEXT] = t + KICK_PERIOD
    if pull[PULL_BODY] != i or tags[i, KIND] != FREE:
        return False
    motion = evolve(bodies, tags, arcs, i, t)
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
    apply_impulse(bodies, tags, arcs, Side(i, motion, r), p, t)
    _, _, v_after, w_after = evolve(bodies, tags, arcs, i, t)
    u_after = add(v_after, cross(w_after, r))
    clock[WORK] += 0.5 * dot(add(u, u_after), p)
    return True
