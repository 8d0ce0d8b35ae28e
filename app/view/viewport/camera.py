"""The camera as plain values: where it is, what it sees, and the way between points and pixels.

Pixels are counted from the top left corner, x to the right and y down; pixel centres lie at halves. Depths are along
the gaze, in metres.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import asin, cos, hypot, radians, sin, tan

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Floats

Point = tuple[float, float, float]

MAX_ELEVATION = radians(89.0)
MIN_DISTANCE = 1e-4
MAX_DISTANCE = 1e6
DEFAULT_GAZE = (-0.42, 0.80, -0.43)


@dataclass(frozen=True)
class CameraState:
    """An eye at `position` [m] looking at `target`; `fov` is the vertical field of view [deg]."""

    position: Point = (2.0, -4.0, 2.0)
    target: Point = (0.0, 0.0, 0.0)
    up: Point = (0.0, 0.0, 1.0)
    fov: float = 40.0

    @property
    def distance(self) -> float:
        """Distance from the eye to the target [m]."""
        return float(np.linalg.norm(np.subtract(self.target, self.position)))

    @property
    def height(self) -> float:
        """Height [m] of what a picture shows at the distance of the target."""
        return 2.0 * tan(0.5 * radians(self.fov)) * self.distance


def point(vector: ArrayLike) -> Point:
    """Any three numbers as a tuple of floats."""
    x, y, z = np.asarray(vector, dtype=float)
    return (float(x), float(y), float(z))


def axes(state: CameraState) -> tuple[Floats, Floats, Floats]:
    """Unit vectors to the right, up and forward of the picture, in the world."""
    (px, py, pz), (tx, ty, tz) = state.position, state.target
    forward = _unit((tx - px, ty - py, tz - pz))
    right = _cross(forward, state.up)
    if hypot(*right) < 1e-9:  # looking along `up`: any direction will do for the right
        right = _cross(forward, (0.0, 1.0, 0.0) if abs(forward[1]) < 0.9 else (1.0, 0.0, 0.0))
    right = _unit(right)
    return np.array(right), np.array(_cross(right, forward)), np.array(forward)


def view_matrix(state: CameraState) -> Floats:
    """World to eye, (4, 4), for column vectors; the eye looks along -z."""
    right, up, forward = axes(state)
    matrix = np.eye(4)
    matrix[:3, :3] = (right, up, -forward)
    matrix[:3, 3] = -matrix[:3, :3] @ np.asarray(state.position)
    return matrix


def projection_matrix(fov: float, aspect: float, near: float, far: float) -> Floats:
    """Eye to clip space, (4, 4), as OpenGL defines it; `aspect` is width over height."""
    focal = 1.0 / tan(0.5 * radians(fov))
    matrix = np.zeros((4, 4))
    matrix[0, 0] = focal / aspect
    matrix[1, 1] = focal
    matrix[2, 2] = (far + near) / (near - far)
    matrix[2, 3] = 2.0 * far * near / (near - far)
    matrix[3, 2] = -1.0
    return matrix


def orthographic_matrix(half_width: float, near: float, far: float) -> Floats:
    """Eye to clip space of parallel light, (4, 4): a square of 2 half_width, seen from near to far."""
    return np.array(
        [
            [1.0 / half_width, 0.0, 0.0, 0.0],
            [0.0, 1.0 / half_width, 0.0, 0.0],
            [0.0, 0.0, -2.0 / (far - near), -(far + near) / (far - near)],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def project(points: ArrayLike, state: CameraState, size: tuple[int, int]) -> Floats:
    """Pixels of world points: (..., 3) in, (..., 3) out as x, y, depth. Behind the eye the depth is not positive."""
    width, height = size
    right, up, forward = axes(state)
    away = np.asarray(points, dtype=float) - np.asarray(state.position)
    depth = away @ forward
    scale = 0.5 * height / tan(0.5 * radians(state.fov)) / np.where(np.abs(depth) < 1e-12, 1e-12, depth)
    return np.stack([0.5 * width + scale * (away @ right), 0.5 * height - scale * (away @ up), depth], axis=-1)


def pixel_ray(x: float, y: float, state: CameraState, size: tuple[int, int]) -> tuple[Floats, Floats]:
    """The ray through a pixel: origin and unit direction, in the world."""
    width, height = size
    right, up, forward = axes(state)
    slope = 2.0 * tan(0.5 * radians(state.fov)) / height
    direction = forward + right * ((x - 0.5 * width) * slope) + up * ((0.5 * height - y) * slope)
    return np.asarray(state.position, dtype=float), direction / np.linalg.norm(direction)


def on_facing_plane(x: float, y: float, through: ArrayLike, state: CameraState, size: tuple[int, int]) -> Floats:
    """Where the ray of a pixel meets the plane through a point that is parallel to the picture."""
    origin, direction = pixel_ray(x, y, state, size)
    forward = axes(state)[2]
    return origin + direction * (float((np.asarray(through) - origin) @ forward) / float(direction @ forward))


def pixel_size(at: ArrayLike, state: CameraState, size: tuple[int, int]) -> float:
    """Metres that one pixel covers at the depth of a point."""
    depth = abs(float((np.asarray(at, dtype=float) - np.asarray(state.position)) @ axes(state)[2]))
    return 2.0 * tan(0.5 * radians(state.fov)) * max(depth, 1e-9) / size[1]


def orbit(state: CameraState, turn: float, climb: float) -> CameraState:
    """The eye moved around the target: `turn` about `up`, `climb` towards it [rad]; it stops short of the poles."""
    up = np.asarray(state.up, dtype=float)
    up = up / np.linalg.norm(up)
    away = np.subtract(state.position, state.target)
    distance = float(np.linalg.norm(away))
    elevation = asin(float(np.clip(away @ up / distance, -1.0, 1.0)))
    outward = np.cross(axes(state)[0], up)  # level, from the target towards the eye
    side = np.cross(up, outward)
    elevation = float(np.clip(elevation + climb, -MAX_ELEVATION, MAX_ELEVATION))
    direction = cos(elevation) * (cos(turn) * outward + sin(turn) * side) + sin(elevation) * up
    return replace(state, position=point(np.asarray(state.target) + distance * direction))


def pan(state: CameraState, dx: float, dy: float, size: tuple[int, int]) -> CameraState:
    """The picture dragged by (dx, dy) pixels: what lies at the target's depth follows the cursor."""
    right, up, _ = axes(state)
    shift = (up * dy - right * dx) * pixel_size(state.target, state, size)
    return replace(state, position=point(state.position + shift), target=point(state.target + shift))


def zoom(state: CameraState, factor: float, anchor: ArrayLike) -> CameraState:
    """Distances to the anchor times `factor`; the anchor keeps its pixel."""
    factor = float(np.clip(factor, MIN_DISTANCE / state.distance, MAX_DISTANCE / state.distance))
    fixed = np.asarray(anchor, dtype=float)
    return replace(
        state,
        position=point(fixed + factor * (np.asarray(state.position) - fixed)),
        target=point(fixed + factor * (np.asarray(state.target) - fixed)),
    )


def frame(
    state: CameraState, centres: ArrayLike, radii: ArrayLike, size: tuple[int, int], fill: float = 0.86
) -> CameraState:
    """The same gaze from where balls about `centres` (m, 3) of `radii` (m,) fill a share of the picture.

    Each side of the picture touches a ball, as far as the other pair of sides lets it.
    """
    middle, reach = np.asarray(centres, dtype=float).reshape(-1, 3), np.asarray(radii, dtype=float).reshape(-1)
    right, up, forward = axes(state)
    tall = fill * tan(0.5 * radians(state.fov))
    wide = tall * size[0] / max(size[1], 1)
    depth = middle @ forward
    backs = []
    for axis, slope in ((right, wide), (up, tall)):
        # A ball is inside both sides if s x + slope (eye depth - depth) + reach sqrt(1 + slope^2) <= s eye x, s = +-1.
        across, margin = middle @ axis, reach * hypot(1.0, slope)
        low, high = float((margin - across - slope * depth).max()), float((margin + across - slope * depth).max())
        backs.append(-0.5 * (high + low) / slope)
    back = min(*backs, float((depth - reach).min()) - 10 * MIN_DISTANCE)
    eye = back * forward
    for axis in (right, up):
        eye = eye + axis * _balance(middle @ axis, depth - back, reach)
    distance = max(float(np.mean(depth)) - back, 10 * MIN_DISTANCE)
    return replace(state, position=point(eye), target=point(eye + distance * forward))


def _balance(across: Floats, ahead: Floats, reach: Floats) -> float:
    """Where the eye must be for as much to show on either side of it; `ahead` are depths, all positive."""
    at = float(np.mean(across))
    nearest = float(ahead.min())
    for _ in range(30):
        high, low = float(((across - at + reach) / ahead).max()), float(((across - at - reach) / ahead).min())
        at += 0.5 * (high + low) * nearest
    return at


def blend(a: CameraState, b: CameraState, share: float) -> CameraState:
    """A camera on the way from a to b, at `share` of it in 0..1."""

    def between(p: Point, q: Point) -> Point:
        return point(np.asarray(p) * (1.0 - share) + np.asarray(q) * share)

    away = between(point(np.subtract(a.position, a.target)), point(np.subtract(b.position, b.target)))
    length = hypot(*away)
    wanted = a.distance ** (1.0 - share) * b.distance**share
    target = between(a.target, b.target)
    if length < 1e-9 * wanted:
        return b
    position = point(np.asarray(target) + np.asarray(away) * (wanted / length))
    return CameraState(position, target, between(a.up, b.up), a.fov + share * (b.fov - a.fov))


def _unit(vector: Point) -> Point:
    length = hypot(*vector)
    return (vector[0] / length, vector[1] / length, vector[2] / length)


def _cross(a: Point, b: Point) -> Point:
    """Of plain numbers: numpy takes fifty times as long for three of them."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
