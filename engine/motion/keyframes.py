"""Keyframed arcs: positions and turns at given times, joined by cubics whose bounds are known over any interval.

Velocity and angular velocity are continuous; acceleration is linear in time within a segment, which makes its bounds
exact. A segment turns about one axis. `engine.scene.tracks` makes the segments.
"""

from __future__ import annotations

from math import floor, inf, sqrt

from engine.kernel import kernel
from engine.maths.quaternions import from_axis_angle, multiply
from engine.maths.rounding import TINY
from engine.maths.vectors import Vec3, add_scaled, cross, dot
from engine.model.model import (
    ARM,
    EXTENT,
    SCRIPT,
    SEGMENT_ANGLE,
    SEGMENT_AXIS,
    SEGMENT_END,
    SEGMENT_MOVE,
    SEGMENT_START,
    SEGMENT_TURN,
    Floats,
)
from engine.model.state import POSITION
from engine.motion.motion import Motion
from engine.motion.scripted import read_start

# Where a keyframed body's numbers stand in SCRIPT.
_FIRST = 0
_COUNT = 1
_LOOPS = 2
_TOP_SPEED = 3


@kernel
def find_segment(bodies: Floats, i: int, t: float) -> tuple[int, float, float]:
    """Row of the segment in which body i is at time t, the time since its start, and how long it lasts from t on.

    Before the first segment and after the last one of a path that does not loop the body stands still: then the row is
    that segment's, the time is that of its nearer end, and the rest is negative.
    """
    first = int(bodies[i, SCRIPT + _FIRST])
    last = first + int(bodies[i, SCRIPT + _COUNT]) - 1
    begin = bodies[first, SEGMENT_START]
    end = bodies[last, SEGMENT_END]
    if t < begin:
        return first, 0.0, -1.0
    if bodies[i, SCRIPT + _LOOPS] != 0.0:
        t -= floor((t - begin) / (end - begin)) * (end - begin)
        t = min(max(t, begin), end)
    elif t >= end:
        return last, end - bodies[last, SEGMENT_START], -1.0
    low = first
    high = last
    while low < high:
        middle = (low + high + 1) >> 1
        if bodies[middle, SEGMENT_START] <= t:
            low = middle
        else:
            high = middle - 1
    return low, t - bodies[low, SEGMENT_START], bodies[low, SEGMENT_END] - t


@kernel
def segment_position(bodies: Floats, row: int, k: int, s: float) -> float:
    at = SEGMENT_MOVE + k
    return bodies[row, at] + s * (bodies[row, at + 3] + s * (bodies[row, at + 6] + s * bodies[row, at + 9]))


@kernel
def segment_velocity(bodies: Floats, row: int, k: int, s: float) -> float:
    at = SEGMENT_MOVE + k
    return bodies[row, at + 3] + s * (2.0 * bodies[row, at + 6] + 3.0 * s * bodies[row, at + 9])


@kernel
def segment_acceleration(bodies: Floats, row: int, k: int, s: float) -> float:
    at = SEGMENT_MOVE + k
    return 2.0 * bodies[row, at + 6] + 6.0 * s * bodies[row, at + 9]


@kernel
def segment_rate(bodies: Floats, row: int, s: float) -> float:
    """Angular speed about the segment's axis [rad/s]."""
    at = SEGMENT_ANGLE
    return bodies[row, at] + s * (2.0 * bodies[row, at + 1] + 3.0 * s * bodies[row, at + 2])


@kernel
def evolve_keyframes(bodies: Floats, arcs: Floats, i: int, t: float) -> Motion:
    """Pose and twist of a body on a keyframed path."""
    x0, q0 = read_start(arcs, i)
    row, s, rest = find_segment(bodies, i, t)
    x = (
        x0[0] + segment_position(bodies, row, 0, s),
        x0[1] + segment_position(bodies, row, 1, s),
        x0[2] + segment_position(bodies, row, 2, s),
    )
    at = SEGMENT_ANGLE
    angle = s * (bodies[row, at] + s * (bodies[row, at + 1] + s * bodies[row, at + 2]))
    axis = (bodies[row, SEGMENT_AXIS], bodies[row, SEGMENT_AXIS + 1], bodies[row, SEGMENT_AXIS + 2])
    at = SEGMENT_TURN
    before = (bodies[row, at], bodies[row, at + 1], bodies[row, at + 2], bodies[row, at + 3])
    q = multiply(multiply(from_axis_angle(axis, angle), before), q0)
    if rest < 0.0:
        return Motion(x, q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    v = (
        segment_velocity(bodies, row, 0, s),
        segment_velocity(bodies, row, 1, s),
        segment_velocity(bodies, row, 2, s),
    )
    rate = segment_rate(bodies, row, s)
    return Motion(x, q, v, (rate * axis[0], rate * axis[1], rate * axis[2]))


@kernel
def bound_keyframes(bodies: Floats, i: int, t: float, v: Vec3, d: Vec3) -> tuple[float, float, float, float]:
    """TOI coefficients (A, B, Q), see bound_ballistic, and the time until which they hold: the end of the segment."""
    row, s, rest = find_segment(bodies, i, t)
    if rest < 0.0:
        begin = bodies[int(bodies[i, SCRIPT + _FIRST]), SEGMENT_START]
        return 0.0, 0.0, 0.0, begin if t < begin else inf
    end = s + rest
    now = 0.0
    later = 0.0
    for k in range(3):
        now += d[k] * segment_acceleration(bodies, row, k, s)
        later += d[k] * segment_acceleration(bodies, row, k, end)
    turn = 0.0
    if bodies[i, ARM] > 0.0:
        axis = (bodies[row, SEGMENT_AXIS], bodies[row, SEGMENT_AXIS + 1], bodies[row, SEGMENT_AXIS + 2])
        along = dot(axis, d)
        across = sqrt(max(0.0, 1.0 - along * along))
        fastest, abrupt = bound_turn(bodies, row, s, end)
        # A point is drawn to the axis and driven round it, at right angles to each other and to the axis.
        turn = 0.5 * bodies[i, ARM] * across * sqrt(fastest**4 + abrupt * abrupt)
    return 0.5 * max(now, later), dot(v, d), turn, t + rest


@kernel
def keyframes_acceleration(bodies: Floats, i: int, t: float, arm: Vec3, d: Vec3) -> float:
    """The largest acceleration [m/s^2] along d, or against it, from t to the next key.

    Of the point at `arm` from the centre, as if it stayed where it is now.
    """
    row, s, rest = find_segment(bodies, i, t)
    if rest < 0.0:
        return 0.0
    now = later = 0.0
    for k in range(3):
        now += d[k] * segment_acceleration(bodies, row, k, s)
        later += d[k] * segment_acceleration(bodies, row, k, s + rest)
    axis = (bodies[row, SEGMENT_AXIS], bodies[row, SEGMENT_AXIS + 1], bodies[row, SEGMENT_AXIS + 2])
    fastest, abrupt = bound_turn(bodies, row, s, s + rest)
    drawn = abs(dot(add_scaled(arm, axis, -dot(arm, axis)), d))
    return max(abs(now), abs(later)) + fastest * fastest * drawn + abrupt * abs(dot(cross(axis, arm), d))


@kernel
def bound_turn(bodies: Floats, row: int, s0: float, s1: float) -> tuple[float, float]:
    """Largest angular speed [rad/s] and angular acceleration [rad/s^2] of a segment between s0 and s1; both are met."""
    fastest = max(abs(segment_rate(bodies, row, s0)), abs(segment_rate(bodies, row, s1)))
    square = bodies[row, SEGMENT_ANGLE + 1]
    cube = bodies[row, SEGMENT_ANGLE + 2]
    if cube != 0.0:
        top = -square / (3.0 * cube)
        if s0 < top < s1:
            fastest = max(fastest, abs(segment_rate(bodies, row, top)))
    return fastest, max(abs(2.0 * square + 6.0 * cube * s0), abs(2.0 * square + 6.0 * cube * s1))


@kernel
def sweep_segment(bodies: Floats, row: int, axis: int, s0: float, s1: float) -> tuple[float, float]:
    """Least and greatest coordinate of a segment between s0 and s1: at its ends or where it turns back."""
    x0 = segment_position(bodies, row, axis, s0)
    x1 = segment_position(bodies, row, axis, s1)
    low = min(x0, x1)
    high = max(x0, x1)
    a = 3.0 * bodies[row, SEGMENT_MOVE + 9 + axis]
    b = bodies[row, SEGMENT_MOVE + 6 + axis]
    c = bodies[row, SEGMENT_MOVE + 3 + axis]
    discriminant = b * b - a * c
    if discriminant >= 0.0:
        # Roots of a s^2 + 2 b s + c without cancellation.
        half = -(b + sqrt(discriminant)) if b >= 0.0 else -(b - sqrt(discriminant))
        for root in (half / a if a != 0.0 else inf, c / half if half != 0.0 else inf):
            if s0 < root < s1:
                x = segment_position(bodies, row, axis, root)
                low = min(low, x)
                high = max(high, x)
    return low, high


@kernel
def sweep_keyframes(bodies: Floats, arcs: Floats, i: int, t0: float, t1: float, axis: int) -> tuple[float, float]:
    """Interval along a world axis that contains keyframed body i throughout [t0, t1]."""
    first = int(bodies[i, SCRIPT + _FIRST])
    count = int(bodies[i, SCRIPT + _COUNT])
    row, s, rest = find_segment(bodies, i, t0)
    low, high = sweep_segment(bodies, row, axis, s, s)
    left = t1 - t0
    if rest < 0.0 and t0 < bodies[first, SEGMENT_START]:
        left = t1 - bodies[first, SEGMENT_START]
        rest = bodies[row, SEGMENT_END] - bodies[row, SEGMENT_START]
    for _ in range(count + 1):
        if left <= 0.0 or rest < 0.0:
            break
        a, b = sweep_segment(bodies, row, axis, s, s + min(left, rest))
        low = min(low, a)
        high = max(high, b)
        left -= rest
        row += 1
        if row == first + count:
            if bodies[i, SCRIPT + _LOOPS] == 0.0:
                break
            row = first
        s = 0.0
        rest = bodies[row, SEGMENT_END] - bodies[row, SEGMENT_START]
    x = arcs[i, POSITION + axis]
    return x + low + bodies[i, EXTENT + axis], x + high + bodies[i, EXTENT + 3 + axis]


@kernel
def keyframes_travel(bodies: Floats, i: int, distance: float, t: float) -> float:
    """A time [s] from t on in which keyframed body i moves at most `distance` along any axis; inf if it rests for good.

    At its speed in the segment that it is in, and at the top speed of the whole path from the next one on.
    """
    top = max(bodies[i, SCRIPT + _TOP_SPEED], TINY)
    row, s, rest = find_segment(bodies, i, t)
    if rest < 0.0:
        begin = bodies[int(bodies[i, SCRIPT + _FIRST]), SEGMENT_START]
        return begin - t + distance / top if t < begin else inf
    speed = TINY
    for k in range(3):
        speed = max(speed, _fastest_along(bodies, row, k, s, s + rest))
    return distance / speed if distance <= speed * rest else rest + (distance - speed * rest) / top


@kernel
def _fastest_along(bodies: Floats, row: int, axis: int, s0: float, s1: float) -> float:
    """The largest speed [m/s] along an axis in a segment between s0 and s1: at its ends, or where it is extreme."""
    fastest = max(abs(segment_velocity(bodies, row, axis, s0)), abs(segment_velocity(bodies, row, axis, s1)))
    cube = bodies[row, SEGMENT_MOVE + 9 + axis]
    if cube != 0.0:
        extreme = -bodies[row, SEGMENT_MOVE + 6 + axis] / (3.0 * cube)
        if s0 < extreme < s1:
            fastest = max(fastest, abs(segment_velocity(bodies, row, axis, extreme)))
    return fastest
