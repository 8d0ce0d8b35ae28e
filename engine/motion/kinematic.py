"""Bodies whose motion is a script: of which kind the script is, is asked here alone."""

from __future__ import annotations

from math import inf

from engine.kernel import kernel, linked_kernel
from engine.maths.rounding import TINY
from engine.maths.vectors import Vec3, sub
from engine.model.model import ACCELERATED, CYCLER, KEYFRAMES, KIND, SPINNER, Floats, Ints
from engine.motion.accelerated import (
    accelerated_travel,
    bound_accelerated,
    evolve_accelerated,
    most_acceleration,
    sweep_accelerated,
)
from engine.motion.keyframes import (
    bound_keyframes,
    evolve_keyframes,
    keyframes_acceleration,
    keyframes_travel,
    sweep_keyframes,
)
from engine.motion.motion import Motion
from engine.motion.scripted import (
    bound_cycler,
    bound_spinner,
    cycler_acceleration,
    cycler_speed,
    evolve_cycler,
    evolve_spinner,
    sweep_cycler,
)


@linked_kernel
def evolve_kinematic(bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float) -> Motion:
    """The motion of kinematic body i at time t."""
    kind = tags[i, KIND]
    if kind == SPINNER:
        return evolve_spinner(bodies, arcs, i, t)
    if kind == CYCLER:
        return evolve_cycler(bodies, arcs, i, t)
    if kind == KEYFRAMES:
        return evolve_keyframes(bodies, arcs, i, t)
    return evolve_accelerated(bodies, arcs, i, t)


@kernel
def bound_kinematic(
    bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float, v: Vec3, d: Vec3, slack: float
) -> tuple[float, float, float, float, float]:
    """Kinematic body i's TOI coefficients (A, B, Q, C, until) along the unit vector d (engine.motion.arcs)."""
    kind = tags[i, KIND]
    a = b = turn = c = 0.0
    until = inf
    if kind == SPINNER:
        a, b, turn = bound_spinner(bodies, arcs, i, v, d)
    elif kind == CYCLER:
        a, b, c = bound_cycler(bodies, i, t, v, d, slack)
    elif kind == KEYFRAMES:
        a, b, turn, until = bound_keyframes(bodies, i, t, v, d)
    elif kind == ACCELERATED:
        a, b, turn, until = bound_accelerated(bodies, arcs, i, t, v, d)
    return a, b, turn, c, until


@kernel
def sweep_kinematic(
    bodies: Floats, tags: Ints, arcs: Floats, i: int, t0: float, t1: float, axis: int
) -> tuple[float, float]:
    """Interval along a world axis that contains kinematic body i, which is no spinner, throughout [t0, t1]."""
    kind = tags[i, KIND]
    if kind == CYCLER:
        return sweep_cycler(bodies, arcs, i, t0, t1, axis)
    if kind == KEYFRAMES:
        return sweep_keyframes(bodies, arcs, i, t0, t1, axis)
    return sweep_accelerated(bodies, arcs, i, t0, t1, axis)


@kernel
def kinematic_travel(bodies: Floats, tags: Ints, i: int, distance: float, t: float) -> float:
    """A time [s] from t on in which body i, static or kinematic, moves at most `distance` along any axis.

    Inf if it never moves more. A spinner's box holds for ever: it is taken for one that never does.
    """
    kind = tags[i, KIND]
    if kind == CYCLER:
        return distance / max(cycler_speed(bodies, i), TINY)
    if kind == KEYFRAMES:
        return keyframes_travel(bodies, i, distance, t)
    if kind == ACCELERATED:
        return accelerated_travel(bodies, i, distance, t)
    return inf


@kernel
def kinematic_acceleration(bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float, d: Vec3) -> float:
    """An acceleration [m/s^2] along the unit vector d, or against it, that no point of kinematic body i exceeds at t.

    Of a keyframed one until its next key.
    """
    kind = tags[i, KIND]
    if kind == CYCLER:
        return cycler_acceleration(bodies, i, d)
    if kind == ACCELERATED:
        return most_acceleration(bodies, arcs, i, t, d)
    zero = (0.0, 0.0, 0.0)
    most = 0.0
    for sign in range(2):
        e = d if sign == 0 else (-d[0], -d[1], -d[2])
        a = turn = 0.0
        if kind == SPINNER:
            a, _, turn = bound_spinner(bodies, arcs, i, zero, e)
        elif kind == KEYFRAMES:
            a, _, turn, _ = bound_keyframes(bodies, i, t, zero, e)
        most = max(most, 2.0 * (a + turn))
    return most


@kernel
def point_acceleration(bodies: Floats, tags: Ints, arcs: Floats, i: int, t: float, point: Vec3, d: Vec3) -> float:
    """The acceleration [m/s^2] that comes and goes along the unit vector d at a point of kinematic body i at time t.

    The largest of a cycler's round, and of a keyframed body until its next key. What spins steadily has none: what
    draws its points to the axis turns with them.
    """
    kind = tags[i, KIND]
    if kind == CYCLER:
        return cycler_acceleration(bodies, i, d)
    if kind == KEYFRAMES:
        x, _, _, _ = evolve_keyframes(bodies, arcs, i, t)
        return keyframes_acceleration(bodies, i, t, sub(point, x), d)
    return 0.0
