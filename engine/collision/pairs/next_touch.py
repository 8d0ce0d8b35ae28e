"""When a pair must be looked at again: before its gap can have fallen by what may be used up of it."""

from __future__ import annotations

from math import inf

import numpy as np

from engine.collision.pairs.checks import schedule_check
from engine.collision.pairs.hollow_touch import bound_in_hollow, is_band
from engine.collision.pairs.time_of_impact import Turning, bound_fall, bound_in_frame, first_root
from engine.kernel import kernel
from engine.maths.vectors import Vec3, dot, norm, sub, vector_at
from engine.model.model import ARM, FREE, KIND, Floats, Ints, Model
from engine.model.state import (
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
from engine.motion.arcs import bound_any_way, bound_travel, is_held, surface_spin
from engine.motion.ballistic import gravity_of
from engine.motion.held import moves_with
from engine.motion.motion import Side, contact_velocity
from engine.tolerances import BAND_LOW, SAFETY


@kernel
def bound_next_touch(
    model: Model, state: State, row: int, t: float, side_a: Side, side_b: Side, slack: float, rising: bool
) -> None:
    """Check pair `row` again before its gap can have fallen by `slack`; `rising`: it has just been hit."""
    arcs, pairs = state.arcs, state.pairs
    a, b = side_a.body, side_b.body
    normal = vector_at(pairs, row, NORMAL)
    towards_b = (-normal[0], -normal[1], -normal[2])
    if is_band(model.topology, state.links[row, SHAPE_A]) or is_band(model.topology, state.links[row, SHAPE_B]):
        pairs[row, FLOOR], pairs[row, FLOOR_TIME] = pairs[row, GAP], t
        later, fall, speed = bound_in_hollow(model, state, row, t, side_a, side_b, slack)
        pairs[row, FALL_A], pairs[row, FALL_B] = fall, speed
        if rising and pairs[row, GAP] < BAND_LOW * pairs[row, PAIR_ENVELOPE] and fall > 0.0:
            later = min(later, t + SAFETY * max(dot(contact_velocity(side_a, side_b), normal), 0.0) / (2.0 * fall))
        _check_later(model, state, row, t, later)
        return
    v_a, v_b = side_a.motion.v, side_b.motion.v
    a_a, b_a, turn_a, c_a, until_a = bound_travel(model.bodies, model.tags, arcs, a, t, v_a, towards_b, slack)
    a_b, b_b, turn_b, c_b, until_b = bound_travel(model.bodies, model.tags, arcs, b, t, v_b, normal, slack)
    spin_a = surface_spin(model.bodies, model.tags, arcs, a, side_a.motion, t)
    spin_b = surface_spin(model.bodies, model.tags, arcs, b, side_b.motion, t)
    fall, speed = a_a + a_b, b_a + b_b
    turning_a = Turning(
        state.links[row, SHAPE_A], state.links[row, BOUND_A], side_a.motion.q, spin_a, towards_b, turn_a
    )
    turning_b = Turning(state.links[row, SHAPE_B], state.links[row, BOUND_B], side_b.motion.q, spin_b, normal, turn_b)
    tau, start_a, start_b = bound_fall(
        model.geometry, model.topology, turning_a, turning_b, fall, speed, slack - c_a - c_b
    )
    state.links[row, BOUND_A], state.links[row, BOUND_B] = start_a, start_b
    if turn_a > 0.0 and turn_b > 0.0 and until_a == inf and until_b == inf and both_free(model.tags, a, b):
        turning_a = Turning(turning_a.shape, start_a, turning_a.q, spin_a, towards_b, turn_a)
        turning_b = Turning(turning_b.shape, start_b, turning_b.q, spin_b, normal, turn_b)
        seen = bound_in_frames(model, turning_a, turning_b, side_a, side_b, slack)
        tau = max(tau, seen)
    if rising and pairs[row, GAP] < BAND_LOW * pairs[row, PAIR_ENVELOPE] and fall > 0.0:
        # The gap sinks by GAP_FALL with every hit. Near the apex of the flight it is larger: what is bounded from there
        # meets again higher up.
        tau = min(tau, SAFETY * max(dot(contact_velocity(side_a, side_b), normal), 0.0) / (2.0 * fall))
    pairs[row, FLOOR] = pairs[row, GAP]
    pairs[row, FLOOR_TIME] = t
    pairs[row, FALL_A] = fall + turn_a + turn_b
    pairs[row, FALL_B] = speed + norm(spin_a) * model.bodies[a, ARM] + norm(spin_b) * model.bodies[b, ARM]
    later = min(t + tau, until_a, until_b)
    if arcs[a, HELD] != 0.0 or arcs[b, HELD] != 0.0:
        later = max(later, bound_by_speeds(model.bodies, model.tags, arcs, pairs, row, a, b, t, slack))
    _check_later(model, state, row, t, later)


@kernel
def _check_later(model: Model, state: State, row: int, t: float, later: float) -> None:
    if not later > t:
        state.counts[STALLS] += 1
        later = np.nextafter(t, inf)
    schedule_check(model, state, row, later)


@kernel
def bound_in_frames(
    model: Model, turning_a: Turning, turning_b: Turning, side_a: Side, side_b: Side, slack: float
) -> float:
    """The same of two free bodies, by the better of what is seen from either; see `bound_in_frame`."""
    arm_a, arm_b = model.bodies[side_a.body, ARM], model.bodies[side_b.body, ARM]
    fall = norm(sub(gravity_of(model.bodies, side_a.body), gravity_of(model.bodies, side_b.body)))
    offset, u = sub(side_a.motion.x, side_b.motion.x), sub(side_a.motion.v, side_b.motion.v)
    from_b = bound_in_frame(model.geometry, model.topology, turning_a, arm_a, turning_b, arm_b, offset, u, fall, slack)
    offset, u = sub(side_b.motion.x, side_a.motion.x), sub(side_b.motion.v, side_a.motion.v)
    from_a = bound_in_frame(model.geometry, model.topology, turning_b, arm_b, turning_a, arm_a, offset, u, fall, slack)
    return max(from_b, from_a)


@kernel
def both_free(tags: Ints, a: int, b: int) -> bool:
    return tags[a, KIND] == FREE and tags[b, KIND] == FREE


@kernel
def bound_by_speeds(
    bodies: Floats, tags: Ints, arcs: Floats, pairs: Floats, row: int, a: int, b: int, t: float, slack: float
) -> float:
    """The time before which pair `row`, of which one body is held at least, cannot have closed by `slack`.

    It holds beyond the step of the held ones, by their speed bounds. Notes with the pair how fast its gap falls at
    most.
    """
    fall_a = fall_b = 0.0
    for side in range(2):
        more_a, more_b = bound_any_way(bodies, tags, arcs, a if side == 0 else b, t)
        fall_a += more_a
        fall_b += more_b
    pairs[row, FALL_A] = fall_a
    pairs[row, FALL_B] = fall_b
    return t + first_root(fall_a, fall_b, slack)


@kernel
def closes_unseen(tags: Ints, arcs: Floats, side_a: Side, side_b: Side, normal: Vec3, least: float, t: float) -> bool:
    """Does a gap close, by `least` [m/s], although the velocities there do not close it? Pseudo-velocities move held
    bodies all the same.
    """
    a, motion_a, r_a = side_a
    b, motion_b, r_b = side_b
    if is_held(tags, arcs, a):
        motion_a = moves_with(arcs, a, motion_a, t)
    elif not is_held(tags, arcs, b):
        return False
    if is_held(tags, arcs, b):
        motion_b = moves_with(arcs, b, motion_b, t)
    return dot(contact_velocity(Side(a, motion_a, r_a), Side(b, motion_b, r_b)), normal) < -least
