"""From the keys of a path to the segments that `engine.motion.keyframes` follows.

Positions are joined by monotone cubics (Fritsch and Butland 1984): along each axis the body stays between neighbouring
keys, so it does not swing past a place where it is to wait. Turns go the shorter way about one axis a segment, their
angle by the same cubics; where the next segment has another axis, the turn pauses at the key.
"""

from __future__ import annotations

from itertools import pairwise
from math import acos, copysign, sqrt

import numpy as np

from engine.arrays import Floats
from engine.maths.quaternions import conjugate, multiply
from engine.model import model as m
from engine.scene.motions import Keyframes

Axis = tuple[float, float, float]


def make_segments(path: Keyframes) -> Floats:
    """The segments of a path, (keys - 1, BODY_WIDTH), in the columns SEGMENT_*."""
    times = np.array([key.time for key in path.keys])
    loops = path.end == "loop"
    steps = np.diff(times)
    moves = np.array([key.move for key in path.keys])
    rows = np.zeros((len(steps), m.BODY_WIDTH))
    rows[:, m.SEGMENT_START] = times[:-1]
    rows[:, m.SEGMENT_END] = times[1:]
    for axis in range(3):
        x = moves[:, axis]
        slopes = _slopes(steps, np.diff(x) / steps, loops)
        rows[:, m.SEGMENT_MOVE + axis :: 3][:, :4] = np.column_stack([x[:-1], _cubic(steps, np.diff(x), slopes)])
    turns = [key.quaternion for key in path.keys]
    ways = [_turn_between(a, b) for a, b in pairwise(turns)]
    angles = np.array([angle for _, angle in ways])
    slopes = _angle_slopes(steps, [axis for axis, _ in ways], angles, loops)
    rows[:, m.SEGMENT_TURN : m.SEGMENT_TURN + 4] = turns[:-1]
    rows[:, m.SEGMENT_AXIS : m.SEGMENT_AXIS + 3] = [axis for axis, _ in ways]
    rows[:, m.SEGMENT_ANGLE : m.SEGMENT_ANGLE + 3] = _cubic(steps, angles, slopes)
    return rows


def top_speed(segments: Floats) -> float:
    """A speed that a body on these segments never exceeds [m/s]."""
    start = segments[:, m.SEGMENT_MOVE + 3 : m.SEGMENT_MOVE + 6]
    square = segments[:, m.SEGMENT_MOVE + 6 : m.SEGMENT_MOVE + 9]
    cube = segments[:, m.SEGMENT_MOVE + 9 : m.SEGMENT_MOVE + 12]
    lasts = (segments[:, m.SEGMENT_END] - segments[:, m.SEGMENT_START])[:, None]
    end = start + lasts * (2.0 * square + 3.0 * lasts * cube)
    with np.errstate(divide="ignore", invalid="ignore"):
        when = -square / (3.0 * cube)
        middle = np.where((when > 0.0) & (when < lasts), start + square * when, 0.0)
    fastest = np.maximum(np.maximum(np.abs(start), np.abs(end)), np.abs(middle))
    return float(np.linalg.norm(fastest, axis=1).max())


def _cubic(steps: Floats, rises: Floats, slopes: tuple[Floats, Floats]) -> Floats:
    """Coefficients of s, s^2, s^3 of the cubics that rise by `rises` in `steps` with these slopes at their ends."""
    begin, end = slopes
    mean = rises / steps
    return np.column_stack([begin, (3.0 * mean - 2.0 * begin - end) / steps, (begin + end - 2.0 * mean) / steps**2])


def _slopes(steps: Floats, means: Floats, loops: bool) -> tuple[Floats, Floats]:
    """Slopes at both ends of each step: weighted harmonic means, 0 at rest or where it turns back."""
    count = len(steps)
    begin, end = np.zeros(count), np.zeros(count)
    for after in range(0 if loops else 1, count):
        slope = _mean_slope(steps[after - 1], means[after - 1], steps[after], means[after])
        end[after - 1] = begin[after] = slope
    return begin, end


def _mean_slope(step_a: float, mean_a: float, step_b: float, mean_b: float) -> float:
    if mean_a == 0.0 or mean_b == 0.0 or copysign(1.0, mean_a) != copysign(1.0, mean_b):
        return 0.0
    weight_a, weight_b = 2.0 * step_b + step_a, step_b + 2.0 * step_a
    return (weight_a + weight_b) / (weight_a / mean_a + weight_b / mean_b)


def _turn_between(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[Axis, float]:
    """Axis (world) and angle, at most half a turn, of the turn that leads from a to b."""
    w, x, y, z = multiply((b[0], b[1], b[2], b[3]), conjugate((a[0], a[1], a[2], a[3])))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = sqrt(x * x + y * y + z * z)
    if sine < 1e-15:
        return (0.0, 0.0, 1.0), 0.0
    angle = 2.0 * (acos(w) if w < 0.7 else float(np.arcsin(min(sine, 1.0))))
    return (x / sine, y / sine, z / sine), angle


def _angle_slopes(steps: Floats, axes: list[Axis], angles: Floats, loops: bool) -> tuple[Floats, Floats]:
    """Angular speeds at both ends of each step; 0 where the axis changes, so that the angular velocity never jumps."""
    begin, end = _slopes(steps, angles / steps, loops)
    for after in range(len(steps)):
        if float(np.dot(axes[after - 1], axes[after])) < 1.0 - 1e-9:
            end[after - 1] = begin[after] = 0.0
    return begin, end
