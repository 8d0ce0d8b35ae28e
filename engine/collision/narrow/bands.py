"""How near a ball's centre is to one stretch of a hollow solid of revolution, exactly: a question of plane geometry.

In the half plane through the axis and the centre, the stretch is a line or an arc, and the closest point of that is the
closest point of the whole surface (`engine.geometry.hollow` tells what its numbers are). Where a stretch surrounds the
axis, two more of its leaves look a third of a turn to either side of a ball inside: they measure the distance from the
plane that is tangent there. All of the inside lies on one side of such a plane, so what they say is never wrong, and it
matters only for a ball that is wedged in all around.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.features import EDGE, FACE, VERTEX
from engine.geometry.hollow import ARC, ARC_RADIUS, BEYOND, ENDS, OWNS, TURN
from engine.geometry.polyhedron import Floats
from engine.geometry.smooth import PARTS, centre_at, into_axes, out_of_axes
from engine.kernel import kernel
from engine.maths.rounding import SINE
from engine.maths.vectors import Vec3, sub

BESIDE = VERTEX
"""The feature of a closest point beside which another stretch is nearer, or as near and has the edge."""

_NEARER = SINE
"""The outline goes on towards the ball if it rises this much against the normal [1]."""


@kernel
def reach_band(geometry: Floats, k: int, p: Vec3) -> tuple[float, Vec3, int]:
    """Distance [m] of the point p (body frame) from the stretch at place k, unit normal to it, where that stands.

    FACE: inside of the stretch; 4 * end + EDGE: at one of its ends; BESIDE.
    """
    x = into_axes(geometry, k, sub(p, centre_at(geometry, k)))
    at = k + PARTS
    rho = sqrt(x[0] * x[0] + x[1] * x[1])
    ahead = (x[0] / rho, x[1] / rho) if rho > 0.0 else (1.0, 0.0)
    d, out, up, end = _in_half_plane(geometry, at, rho, x[2])
    c, s = geometry[at + TURN], geometry[at + TURN + 1]
    if c != 1.0:
        aside, out_aside, up_aside, end_aside = _in_half_plane(geometry, at, c * rho, x[2])
        if out >= 0.0 or aside < d:  # the ball is outside
            n = out_of_axes(geometry, k, (out * ahead[0], out * ahead[1], up))
            return max(d, aside), n, BESIDE
        d, out, up, end = aside, out_aside, up_aside, end_aside
        ahead = (c * ahead[0] - s * ahead[1], s * ahead[0] + c * ahead[1])
    n = out_of_axes(geometry, k, (out * ahead[0], out * ahead[1], up))
    if end < 0:
        return d, n, FACE
    on = at + BEYOND + 2 * end
    beside = geometry[at + OWNS + end] == 0.0 or geometry[on] * out + geometry[on + 1] * up > _NEARER
    return d, n, BESIDE if beside else 4 * end + EDGE


@kernel
def _in_half_plane(geometry: Floats, at: int, rho: float, z: float) -> tuple[float, float, float, int]:
    """Distance of (rho, z) from the stretch, the direction to it from there, and at which end that is (-1: neither)."""
    r_0, z_0 = geometry[at + ENDS], geometry[at + ENDS + 1]
    r_1, z_1 = geometry[at + ENDS + 2], geometry[at + ENDS + 3]
    radius = geometry[at + ARC_RADIUS]
    if radius > 0.0:
        r_c, z_c = geometry[at + ARC], geometry[at + ARC + 1]
        r, h = rho - r_c, z - z_c
        way = 1.0 if (r_0 - r_c) * (z_1 - z_c) - (z_0 - z_c) * (r_1 - r_c) > 0.0 else -1.0
        after = way * ((r_0 - r_c) * h - (z_0 - z_c) * r)
        before = way * (r * (z_1 - z_c) - h * (r_1 - r_c))
        length = sqrt(r * r + h * h)
        if after >= 0.0 and before >= 0.0 and length > 0.0:
            if length <= radius:
                return radius - length, -r / length, -h / length, -1
            return length - radius, r / length, h / length, -1
    else:
        along_r, along_z = r_1 - r_0, z_1 - z_0
        length = sqrt(along_r * along_r + along_z * along_z)
        if length > 0.0:
            along_r, along_z = along_r / length, along_z / length
        on = (rho - r_0) * along_r + (z - z_0) * along_z
        if 0.0 <= on <= length and length > 0.0:
            off = (z - z_0) * along_r - (rho - r_0) * along_z  # to the left: outside of the solid
            way = 1.0 if off >= 0.0 else -1.0
            return abs(off), -way * along_z, way * along_r, -1
    first = (rho - r_0) * (rho - r_0) + (z - z_0) * (z - z_0)
    last = (rho - r_1) * (rho - r_1) + (z - z_1) * (z - z_1)
    end = 0 if first < last else 1
    r, h = (rho - r_0, z - z_0) if end == 0 else (rho - r_1, z - z_1)
    d = sqrt(r * r + h * h)
    if d == 0.0:
        return 0.0, 0.0, 1.0, end
    return d, r / d, h / d, end


@kernel
def room_at(geometry: Floats, k: int, p: Vec3) -> float:
    """The radius [m] of a ball that touches the stretch where p is closest, on p's side, and meets it nowhere else.

    inf for a half space; 0 where no such ball is known: at ends, and for leaves that look aside. A ball that touches a
    surface of revolution from within has its centre on the axis at the furthest (Meusnier), and that of an arc at the
    arc's centre.
    """
    at = k + PARTS
    if geometry[at + TURN] != 1.0:
        return 0.0
    x = into_axes(geometry, k, sub(p, centre_at(geometry, k)))
    rho = sqrt(x[0] * x[0] + x[1] * x[1])
    d, out, _, end = _in_half_plane(geometry, at, rho, x[2])
    if end >= 0:
        return 0.0
    room = inf
    radius = geometry[at + ARC_RADIUS]
    if radius > 0.0:
        r, h = rho - geometry[at + ARC], x[2] - geometry[at + ARC + 1]
        if sqrt(r * r + h * h) <= radius:
            room = radius
            if geometry[at + ARC] == 0.0:
                return room
    if out < 0.0:
        room = min(room, (rho - d * out) / -out)
    return room
