"""When a pair must be looked at again: before its gap can have fallen by what may be used up of it."""

from __future__ import annotations

from math import inf

import numpy as np

from engine.collision.pairs.checks import schedule_check
from engine.collision.pairs.time_of_impact import bound_fall, bound_in_frame, first_root
from engine.kernel import inlined_kernel, kernel
from engine.maths.quaternions import Quat
from engine.maths.vectors import Vec3, dot, norm, point_velocity, sub, vector_at
from engine.model.model import ARM, FREE, KIND, Floats, Ints, Model
from engine.model.state import (
    BODY_A,
    BODY_B,
    BOUND_A,
    BOUND_B,
    FALL_A,
    FALL_B,
    FLOOR,
    FLOOR_TIME,
    GAP,
    HELD,
    NORMAL,
    PAIR_ENVELOPE,
    SHAPE_A,
    SHAPE_B,
    STALLS,
    State,
)
from engine.motion.arcs import bound_any_way, bound_travel, surface_spin
from engine.motion.held import moves_with
from engine.tolerances import APEX, LOW_GAP, RESTING_APPROACH


@inlined_kernel
def bound_next_touch(
    model: Model,
    state: State,
    row: int,
    t: float,
    xa: Vec3,
    qa: Quat,
    va: Vec3,
    wa: Vec3,
    ra: Vec3,
    xb: Vec3,
    qb: Quat,
    vb: Vec3,
    wb: Vec3,
    rb: Vec3,
    slack: float,
    rising: bool,
) -> None:
    """Check pair `row` again before its gap can have fallen by `slack`, its bodies being at t as told."""
    links, bodies, tags = state.links, model.bodies, model.tags
    a = links[row, BODY_A]
    b = links[row, BODY_B]
    gap = state.pairs[row, GAP]
    normal = vector_at(state.pairs, row, NORMAL)
    towards_b = (-normal[0], -normal[1], -normal[2])
    a_a, b_a, turn_a, c_a, until_a = bound_travel(bodies, tags, state.arcs, a, t, va, towards_b, slack)
    a_b, b_b, turn_b, c_b, until_b = bound_travel(bodies, tags, state.arcs, b, t, vb, normal, slack)
    spin_a = surface_spin(bodies, tags, state.arcs, a, qa, wa, t)
    spin_b = surface_spin(bodies, tags, state.arcs, b, qb, wb, t)
    tau, links[row, BOUND_A], links[row, BOUND_B] = bound_fall(
        model.geometry,
        model.topology,
        links[row, SHAPE_A],
        qa,
        spin_a,
        towards_b,
        links[row, BOUND_A],
        links[row, SHAPE_B],
        qb,
        spin_b,
        normal,
        links[row, BOUND_B],
        a_a + a_b,
        b_a + b_b,
        turn_a,
        turn_b,
        slack - c_a - c_b,
    )
    if turn_a > 0.0 and turn_b > 0.0 and until_a == inf and until_b == inf and both_free(tags, a, b):
        seen_from_b = bound_in_frame(
            model.geometry, model.topology, links[row, SHAPE_A], qa, spin_a, links[row, BOUND_A],
            bodies[a, ARM], turn_a, sub(xa, xb), sub(va, vb), spin_b, 2.0 * turn_b / bodies[b, ARM], towards_b, slack,
        )  # fmt: skip
        seen_from_a = bound_in_frame(
            model.geometry, model.topology, links[row, SHAPE_B], qb, spin_b, links[row, BOUND_B],
            bodies[b, ARM], turn_b, sub(xb, xa), sub(vb, va), spin_a, 2.0 * turn_a / bodies[a, ARM], normal, slack,
        )  # fmt: skip
        tau = max(tau, seen_from_b, seen_from_a)
    if rising and gap < LOW_GAP * state.pairs[row, PAIR_ENVELOPE] and a_a + a_b > 0.0:
        # The gap sinks by GAP_FALL with every hit. Near the apex of the flight it is larger: what is bounded from there
        # meets again higher up.
        u = sub(point_velocity(va, wa, ra), point_velocity(vb, wb, rb))
        tau = min(tau, APEX * max(dot(u, normal), 0.0) / (2.0 * (a_a + a_b)))
    state.pairs[row, FLOOR] = gap
    state.pairs[row, FLOOR_TIME] = t
    state.pairs[row, FALL_A] = a_a + a_b + turn_a + turn_b
    state.pairs[row, FALL_B] = b_a + b_b + norm(spin_a) * bodies[a, ARM] + norm(spin_b) * bodies[b, ARM]
    later = min(t + tau, until_a, until_b)
    if state.arcs[a, HELD] != 0.0 or state.arcs[b, HELD] != 0.0:
        later = max(later, keep_promises(model, state, row, a, b, t, slack))
    if not later > t:
        state.counts[STALLS] += 1
        later = np.nextafter(t, inf)
    schedule_check(model, state, row, later)


@kernel
def both_free(tags: Ints, a: int, b: int) -> bool:
    return tags[a, KIND] == FREE and tags[b, KIND] == FREE


@kernel
def keep_promises(model: Model, state: State, row: int, a: int, b: int, t: float, slack: float) -> float:
    """The time before which pair `row`, of which one body is held at least, cannot have closed by `slack`.

    It holds beyond the step of the held ones, by their promises. Notes with the pair how fast its gap falls at most.
    """
    fall_a = fall_b = 0.0
    for side in range(2):
        i = a if side == 0 else b
        more_a, more_b = bound_any_way(model.bodies, model.tags, state.arcs, i, t)
        fall_a += more_a
        fall_b += more_b
    state.pairs[row, FALL_A] = fall_a
    state.pairs[row, FALL_B] = fall_b
    return t + first_root(fall_a, fall_b, slack)


@kernel
def closes_unseen(
    bodies: Floats,
    tags: Ints,
    arcs: Floats,
    a: int,
    b: int,
    qa: Quat,
    va: Vec3,
    wa: Vec3,
    ra: Vec3,
    qb: Quat,
    vb: Vec3,
    wb: Vec3,
    rb: Vec3,
    normal: Vec3,
    t: float,
) -> bool:
    """Does a gap close although the velocities there do not? Pushes are none, and move bodies all the same."""
    if tags[a, KIND] == FREE and arcs[a, HELD] != 0.0:
        va, wa = moves_with(arcs, a, qa, va, wa, t)
    elif tags[b, KIND] != FREE or arcs[b, HELD] == 0.0:
        return False
    if tags[b, KIND] == FREE and arcs[b, HELD] != 0.0:
        vb, wb = moves_with(arcs, b, qb, vb, wb, t)
    return dot(sub(point_velocity(va, wa, ra), point_velocity(vb, wb, rb)), normal) < -RESTING_APPROACH
