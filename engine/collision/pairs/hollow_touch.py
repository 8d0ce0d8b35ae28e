"""When a ball may touch a stretch of a hollow solid next: its surface bends towards the ball, so no plane parts them.

The distance of a point from a surface changes by no more than the point moves. Nearer than that: where a ball of
radius R touches the surface from the same side and meets it nowhere else, the distance of a point at D from it has
fallen by S, after a way u of which the part n goes to the surface, no sooner than

    2 (R - D) n + |u|^2 >= S (2 (R - D) + S),

for the point is then outside of that ball, less S. What rolls in a bowl is so looked at as seldom as on a plane.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.bands import room_at
from engine.collision.pairs.time_of_impact import first_root
from engine.geometry.pool import HEADER, KIND, RADIUS, SCALARS, VERTICES, vertex_of
from engine.geometry.shapes import BAND
from engine.kernel import kernel
from engine.maths.quaternions import rotate, rotate_inverse
from engine.maths.vectors import add, norm, scale, sub, vector_at
from engine.model import model as m
from engine.model.model import ARM, Ints, Model
from engine.model.state import GAP, NORMAL, SHAPE_A, SHAPE_B, State
from engine.motion.arcs import bound_any_way, bound_travel
from engine.motion.motion import Side

_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@kernel
def is_band(topology: Ints, shape: int) -> bool:
    """Is this leaf a stretch of a hollow solid?"""
    return topology[HEADER * shape + KIND] == BAND


@kernel
def bound_in_hollow(
    model: Model, state: State, row: int, t: float, side_a: Side, side_b: Side, slack: float
) -> tuple[float, float, float]:
    """The time before which pair `row`, of a ball and a stretch, cannot have closed by `slack` > 0.

    And A, B: its gap falls by A tau^2 + B tau from t on at most.
    """
    band_is_a = is_band(model.topology, state.links[row, SHAPE_A])
    ball, hollow = (side_b, side_a) if band_is_a else (side_a, side_b)
    fall, speed = bound_any_way(model.bodies, model.tags, state.arcs, ball.body, t)
    if model.tags[hollow.body, m.KIND] != m.FIXED:
        more, faster, lag, until = _bound_surface(model, state, hollow, t, slack)
        tau = first_root(fall + more, speed + faster, slack - lag)
        return min(t + tau, until), fall + more, inf if lag > 0.0 else speed + faster
    tau = first_root(fall, speed, slack)
    later = t + tau
    if model.bodies[ball.body, ARM] == 0.0:
        n = vector_at(state.pairs, row, NORMAL)
        towards = n if band_is_a else scale(n, -1.0)
        a, b, _, c, until = bound_travel(
            model.bodies, model.tags, state.arcs, ball.body, t, ball.motion.v, towards, slack
        )
        room = _room_left(model, state, row, ball, hollow, band_is_a)
        s = slack - c
        if room == inf:
            tau = first_root(a, b, s)
        elif room > 0.0:
            horizon = max(speed / fall, sqrt(s / fall)) if fall > 0.0 else inf
            way = speed + fall * horizon if fall > 0.0 else speed
            tau = min(first_root(2.0 * room * a + way * way, 2.0 * room * b, s * (2.0 * room + s)), horizon)
        later = max(later, min(t + tau, until))
    return later, fall, speed


@kernel
def _room_left(model: Model, state: State, row: int, ball: Side, hollow: Side, band_is_a: bool) -> float:
    """R - D for the ball's centre as it is now; not above 0: none is known."""
    shape, band = state.links[row, SHAPE_A], state.links[row, SHAPE_B]
    if band_is_a:
        shape, band = band, shape
    centre = add(ball.motion.x, rotate(ball.motion.q, vertex_of(model.geometry, model.topology, shape, 0)))
    p = rotate_inverse(hollow.motion.q, sub(centre, hollow.motion.x))
    room = room_at(model.geometry, model.topology[HEADER * band + VERTICES], p)
    return room - state.pairs[row, GAP] - model.geometry[SCALARS * shape + RADIUS]


@kernel
def _bound_surface(
    model: Model, state: State, hollow: Side, t: float, slack: float
) -> tuple[float, float, float, float]:
    """A, B, C, until: no point of a scripted body moves by more than A tau^2 + B tau + C from t on, up to until."""
    fall = speed = lag = most_turn = 0.0
    until = inf
    for axis in range(3):
        fall_here = speed_here = lag_here = 0.0
        for sign in range(2):
            d = _AXES[axis] if sign == 0 else scale(_AXES[axis], -1.0)
            a, b, turn, c, ends = bound_travel(
                model.bodies, model.tags, state.arcs, hollow.body, t, hollow.motion.v, d, slack / 8.0
            )
            fall_here, speed_here, lag_here = max(fall_here, a), max(speed_here, b), max(lag_here, c)
            most_turn, until = max(most_turn, turn), min(until, ends)
        fall, speed, lag = fall + fall_here, speed + speed_here, lag + lag_here
    arm = model.bodies[hollow.body, ARM]
    return fall + most_turn, speed + norm(hollow.motion.w) * arm, lag, until
