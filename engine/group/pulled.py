"""The body of a step that the mouse's spring pulls: the step bears that force as it bears a torque that is applied.

It acts where impulses do, evenly, by the stretch that the point will have halfway through the longest step if it goes
on as it moves: what rests feels the spring as it is, and what swings on it does so as by a leapfrog, to second order.
"""

from __future__ import annotations

from math import inf

from engine.group.work import FORCE, INV_I, INV_M, PAIRS_HELD, TORQUE, Q, V, W, Work, X
from engine.kernel import kernel
from engine.maths.quaternions import quat_at, rotate
from engine.maths.vectors import Vec3, add, add_scaled, cross, dot, point_velocity, scale, sub, vector_at
from engine.model.model import LINKAGE, LONGEST_STEP, Model
from engine.model.state import (
    COUPLE,
    LOCAL,
    PULL_BODY,
    PULL_NEXT,
    PULL_POINT,
    PULL_TARGET,
    State,
)
from engine.motion.pull import held_spring
from engine.tolerances import SHORTEST_STEP


@kernel
def pulled_row(state: State) -> int:
    """The row of the step's body that the spring pulls, if steps bear it; -1: there is none."""
    i = int(state.pull[PULL_BODY])
    return int(state.members[i, LOCAL]) if i >= 0 and state.pull[PULL_NEXT] == inf else -1


@kernel
def bear_pull(model: Model, state: State, work: Work, t: float) -> float:
    """Let the step from t on bear the spring, if that pulls one of its bodies; how long it may then be [s].

    What is tied to others and touches nothing swings: it is kicked again.
    """
    at = pulled_row(state)
    if at >= 0 and work.sizes[PAIRS_HELD] == 0 and model.tags[work.body[at], LINKAGE] >= 0:
        state.pull[PULL_NEXT] = t
        at = -1
    if at < 0:
        return inf
    longest = model.settings[LONGEST_STEP]
    k, c, h = held_spring(state.pull, point_mobility(state, work, at), SHORTEST_STEP * longest, longest)
    apply_spring(state, work, at, k, c + 0.5 * h * k)
    return h


@kernel
def apply_spring(state: State, work: Work, at: int, stiffness: float, damping: float) -> None:
    """The spring's force on row `at` at the step's start is applied to it, besides its loads; [N/m], [N s/m]."""
    r = _arm(state, work, at)
    target = (state.pull[PULL_TARGET], state.pull[PULL_TARGET + 1], state.pull[PULL_TARGET + 2])
    stretch = sub(target, add(vector_at(work.poses, at, X), r))
    u = point_velocity(vector_at(work.twists, at, V), vector_at(work.twists, at, W), r)
    force = add_scaled(scale(stretch, stiffness), u, -damping)
    couple = cross(r, force)
    for axis in range(3):
        work.poses[at, FORCE + axis] = force[axis]
        work.poses[at, TORQUE + axis] = state.loads[work.body[at], COUPLE + axis] + couple[axis]


@kernel
def point_mobility(state: State, work: Work, at: int) -> float:
    """No impulse at the point of row `at` that the spring holds gives that more speed for its size [1/kg]."""
    r = _arm(state, work, at)
    # The trace of the inverse inertia is at least its largest eigenvalue.
    spins = work.twists[at, INV_I] + work.twists[at, INV_I + 4] + work.twists[at, INV_I + 8]
    return float(work.twists[at, INV_M] + spins * dot(r, r))


@kernel
def _arm(state: State, work: Work, at: int) -> Vec3:
    """From the centre of mass to the point that the spring holds, world axes [m]."""
    point = (state.pull[PULL_POINT], state.pull[PULL_POINT + 1], state.pull[PULL_POINT + 2])
    return rotate(quat_at(work.poses, at, Q), point)
