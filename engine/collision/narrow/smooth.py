"""Closest points of pairs of which at least one is a smooth convex solid (Baraff 1992, 5.2).

With the features and the normal of the last time, Newton finds the extremal points in a step or two and proves them.
Where that fails, the search by support points (GJK) finds the neighbourhood from any start, and Newton is tried on the
features that are there. Where the cores meet, the least depth is wanted: the largest of -h_a(-n) - h_b(n), which is
below 0 now and has many local maxima. The best of a fixed set of directions is improved like this: moved apart along n,
the cores have a distance again, and the direction of that is no worse than n. None of it depends on the start.

What is kept for the next time are two integers: a's feature with the normal (b's frame) packed above it, b's feature.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.collision.narrow.extremal import (
    PROVED,
    Extremal,
    end_normal,
    find_end,
    find_side,
    reach_from_end,
    room_on_end,
    settle_features,
)
from engine.collision.narrow.features import EDGE, FACE, VERTEX
from engine.collision.narrow.frames import Cores, place, turn, turn_back, unplace
from engine.collision.narrow.gjk import approach, reach_both
from engine.geometry.polyhedron import Floats, Ints
from engine.geometry.pool import (
    CORE_RADIUS,
    FACE_COUNT,
    HEADER,
    KIND,
    SCALARS,
    VERTEX_COUNT,
    VERTICES,
    support_from,
)
from engine.geometry.shapes import REVOLVED
from engine.geometry.smooth import out_of_axes
from engine.kernel import kernel
from engine.maths.rounding import EPSILON, QUOTIENT, ROOT, SUM
from engine.maths.vectors import Vec3, add_scaled, dot, norm, scale, sub
from engine.tolerances import ACCURACY

_ENOUGH = 8.0 * ROOT
"""The search by support points first stops at bounds this part of the size [1] apart, for Newton to try."""

_TOUCHING = 64.0 * QUOTIENT
"""Cores nearer than this part of the size [1] are measured as those that meet are."""

_MOST_FACES = 256
_MOST_MOVES = 60

_BITS = 20  # of each part of a packed normal
_FEATURE_BITS = 22
FEATURE = (1 << _FEATURE_BITS) - 1
"""The part of what is kept of a that is its feature."""

Found = tuple[float, Vec3, Vec3, Vec3, int, int, int]
"""Distance of the cores [m] (below 0: the depth), unit normal from b to a, points on a and b [m] (all in b's frame),
features to start from next time, steps."""


@kernel
def find_extremal(geometry: Floats, topology: Ints, cores: Cores, fa: int, fb: int) -> Found:
    """Closest points of the cores of two shapes, none a plane and at least one smooth.

    fa, fb: what the last answer said, -1 for nothing.
    """
    a, b, _, t = cores
    size = geometry[SCALARS * a + CORE_RADIUS] + geometry[SCALARS * b + CORE_RADIUS] + norm(t)
    distance = norm(t)
    n = scale(t, 1.0 / distance) if distance > 0.0 else (0.0, 0.0, 1.0)
    va = vb = 0
    if fa >= 0 and fb >= 0:
        n = unpack_normal(fa >> _FEATURE_BITS)
        fa &= FEATURE
        lower, upper, n_new, pa, pb, fa_new, fb_new = _follow(geometry, topology, cores, n, fa, fb, size)
        proved = upper - lower <= PROVED * size and lower > _TOUCHING * size
        if not proved and lower <= _TOUCHING * size and _is_least(geometry, topology, cores, fa, fb, lower, pa, pb):
            pa, pb = (add_scaled(pb, n_new, lower), pb) if fa & 3 == FACE else (pa, add_scaled(pa, n_new, -lower))
            proved = True
        if proved:
            return lower, n_new, pa, pb, _remember(fa_new, n_new), fb_new, 1
        va, vb = _vertex_of(topology, a, fa), _vertex_of(topology, b, fb)
    return _find_afresh(geometry, topology, cores, n, va, vb, size)


@kernel
def _follow(geometry: Floats, topology: Ints, cores: Cores, n: Vec3, fa: int, fb: int, size: float) -> Extremal:
    """Extremal points on features fa and fb, near direction n, and the features there. Bounds far apart: there are
    none."""
    if (fa & 3 == FACE and fb & 3 != VERTEX) or (fb & 3 == FACE and fa & 3 != VERTEX):
        return size, inf, n, n, n, fa, fb
    va, vb = _vertex_of(topology, cores[0], fa), _vertex_of(topology, cores[1], fb)
    lower, upper, n, pa, pb, va, vb = settle_features(geometry, topology, cores, fa, fb, va, vb, n, size)
    fa = 4 * va + VERTEX if fa & 3 == VERTEX else fa
    fb = 4 * vb + VERTEX if fb & 3 == VERTEX else fb
    return lower, upper, n, pa, pb, fa, fb


@kernel
def _find_afresh(geometry: Floats, topology: Ints, cores: Cores, n: Vec3, va: int, vb: int, size: float) -> Found:
    """Without features to start from, from direction n and vertices va, vb on."""
    lower, upper, n, pa, pb, fa, fb, steps = _measure(geometry, topology, cores, n, va, vb, size)
    if upper > _TOUCHING * size:
        return _agreed(lower, upper, size), n, pa, pb, _remember(fa, n), fb, steps
    d, n, pa, pb, fa, fb, more = _find_depth(geometry, topology, cores, size)
    return d, n, pa, pb, _remember(fa, n), fb, steps + more


@kernel
def _agreed(lower: float, upper: float, size: float) -> float:
    """One distance from two bounds: the lower one, which errs by the square of the normal's error, if it is proved."""
    return lower if upper - lower <= PROVED * size else 0.5 * (lower + upper)


@kernel
def _measure(
    geometry: Floats, topology: Ints, cores: Cores, n: Vec3, va: int, vb: int, size: float
) -> tuple[float, float, Vec3, Vec3, Vec3, int, int, int]:
    """Distance of two cores from below and above (above -1: they meet), normal, points, features, steps."""
    a, b, m, _ = cores
    steps = 0
    fa = fb = VERTEX
    lower, upper = 0.0, -1.0
    pa = pb = n
    tolerance = _ENOUGH * size
    for _ in range(2):
        n, lower, upper, pa, pb, va, vb, more = approach(geometry, topology, cores, n, va, vb, size, tolerance)
        steps += more
        fa, fb = 4 * va + VERTEX, 4 * vb + VERTEX
        if upper < 0.0:
            return lower, upper, n, pa, pb, fa, fb, steps
        down = turn_back(m, (-n[0], -n[1], -n[2]))
        side_a, side_b = find_side(geometry, topology, a, down, va), find_side(geometry, topology, b, n, vb)
        end_a, end_b = find_end(geometry, topology, a, down, va), find_end(geometry, topology, b, n, vb)
        for trial in range(6):
            fa, fb = _features_to_try(trial, va, vb, side_a, side_b, end_a, end_b)
            if fa < 0:
                continue
            lower_2, upper_2, n_2, pa_2, pb_2, va_2, vb_2 = settle_features(
                geometry, topology, cores, fa, fb, va, vb, n, size
            )
            steps += 1
            if upper_2 - lower_2 <= PROVED * size:
                fa = 4 * va_2 + VERTEX if fa & 3 == VERTEX else fa
                fb = 4 * vb_2 + VERTEX if fb & 3 == VERTEX else fb
                return lower_2, upper_2, n_2, pa_2, pb_2, fa, fb, steps
        lower, n = _face_on(geometry, topology, cores, n, va, vb, end_a, end_b, lower)
        if upper - lower <= PROVED * size:
            break
        tolerance = 0.0
    return lower, upper, n, pa, pb, 4 * va + VERTEX, 4 * vb + VERTEX, steps


@kernel
def _features_to_try(trial: int, va: int, vb: int, side_a: int, side_b: int, end_a: int, end_b: int) -> tuple[int, int]:
    """A pair of features around the found points, by number; -1: there is none of that number."""
    point_a, point_b = 4 * va + VERTEX, 4 * vb + VERTEX
    if trial == 0 and end_b >= 0:
        return point_a, 4 * end_b + FACE
    if trial == 1 and end_a >= 0:
        return 4 * end_a + FACE, point_b
    if trial == 2 and side_a >= 0 and side_b >= 0:
        return 4 * side_a + EDGE, 4 * side_b + EDGE
    if trial == 3 and side_a >= 0:
        return 4 * side_a + EDGE, point_b
    if trial == 4 and side_b >= 0:
        return point_a, 4 * side_b + EDGE
    if trial == 5:
        return point_a, point_b
    return -1, -1


@kernel
def _face_on(
    geometry: Floats,
    topology: Ints,
    cores: Cores,
    n: Vec3,
    va: int,
    vb: int,
    end_a: int,
    end_b: int,
    lower: float,
) -> tuple[float, Vec3]:
    """Where faces, ends and sides lie flat on each other, the exact normal is that of a face: is it better than n?"""
    if end_a >= 0:
        apart, ahead, _, _, _, _ = reach_from_end(geometry, topology, cores, end_a, True, va, vb)
        if apart > lower:
            lower, n = apart, ahead
    if end_b >= 0:
        apart, ahead, _, _, _, _ = reach_from_end(geometry, topology, cores, end_b, False, va, vb)
        if apart > lower:
            lower, n = apart, ahead
    return lower, n


@kernel
def _vertex_of(topology: Ints, shape: int, feature: int) -> int:
    """A vertex of the shape that a search may start from: the feature's own, if it is one."""
    vertex = feature >> 2
    return vertex if feature & 3 == VERTEX and vertex < topology[HEADER * shape + VERTEX_COUNT] else 0


# --- depth ----------------------------------------------------------------------------------------------------------


@kernel
def _is_least(geometry: Floats, topology: Ints, cores: Cores, fa: int, fb: int, d: float, pa: Vec3, pb: Vec3) -> bool:
    """Is the depth -d [m] along the normal n of a face, in which the other core is furthest at a point, the least?

    The face has room rho around that point on all sides. A direction at an angle theta to n has the depth
    -d cos(theta) + rho sin(theta) at least, which is no less up to tan(theta / 2) = rho / -d; against n, the other core
    would have to move by its own height.
    """
    a, b, m, t = cores
    if fb & 3 == FACE:
        shape, end = b, fb >> 2
        point, apex = pa, pa
        n = end_normal(geometry, topology, b, end)
        far = place(m, t, support_from(geometry, topology, a, turn_back(m, n), fa >> 2 if fa & 3 == VERTEX else 0)[0])
    elif fa & 3 == FACE:
        shape, end = a, fa >> 2
        point, apex = unplace(m, t, pb), pb
        n = turn(m, end_normal(geometry, topology, a, end))
        far = support_from(geometry, topology, b, n, fb >> 2 if fb & 3 == VERTEX else 0)[0]
    else:
        return False
    room, deep = room_on_end(geometry, topology, shape, end, point), abs(d)
    if room < 4.0 * deep:
        return False
    out = sub(far, apex)
    # From tan(theta / 2) = 4 on: there sin(theta) is less than 2 deep / room.
    cosine = (1.0 - 4.0 * 4.0) / (1.0 + 4.0 * 4.0)
    return -cosine * dot(out, n) >= 2.0 * deep * (1.0 + norm(out) / room)


@kernel
def _find_depth(geometry: Floats, topology: Ints, cores: Cores, size: float) -> Found:
    """Of cores that meet or touch: minus the least depth [m], the way out for a, points, features there, steps.

    The best few of a fixed set of directions are each improved until rounding stops it.
    """
    a, b, m, t = cores
    depth, n = -inf, (0.0, 0.0, 1.0)
    steps = 0
    for seed_depth, seed in _best_seeds(geometry, topology, cores):
        if seed_depth == -inf:
            break
        found, way, more = _dig(geometry, topology, cores, seed_depth, seed, size)
        steps += more
        if found > depth + 8.0 * SUM * size:
            depth, n = found, way
    apart = 2.0 * abs(depth) + 10.0 * ACCURACY * size
    shifted = Cores(a, b, m, add_scaled(t, n, apart))
    _, _, _, pa, _, fa, fb, _ = _measure(geometry, topology, shifted, n, 0, 0, size + apart)
    pa = add_scaled(pa, n, -apart)
    return depth, n, pa, add_scaled(pa, n, -depth), fa, fb, steps


@kernel
def _dig(geometry: Floats, topology: Ints, cores: Cores, depth: float, n: Vec3, size: float) -> tuple[float, Vec3, int]:
    """A local maximum of the distance along a direction, from n on: never worse than n (below: depth along n)."""
    a, b, m, t = cores
    steps = 0
    fa = fb = VERTEX
    for move in range(_MOST_MOVES):
        apart = 1.5 * max(-depth, 0.0) + ACCURACY * size
        shifted = Cores(a, b, m, add_scaled(t, n, apart))
        whole = size + apart
        lower, upper, ahead, _, _, fa_new, fb_new = _follow(geometry, topology, shifted, n, fa, fb, whole)
        if move > 0 and upper - lower <= PROVED * whole and lower > _TOUCHING * whole:
            fa, fb, more = fa_new, fb_new, 1
        else:
            _, upper, ahead, _, _, fa, fb, more = _measure(geometry, topology, shifted, n, 0, 0, whole)
        steps += more
        if upper < 0.0:
            break
        va, vb = _vertex_of(topology, a, fa), _vertex_of(topology, b, fb)
        pa, pb, _, _ = reach_both(geometry, topology, cores, ahead, va, vb)
        found = dot(ahead, sub(pa, pb))
        if found <= depth + 4.0 * EPSILON * size:
            break
        depth, n = found, ahead
    return depth, n, steps


Seed = tuple[float, Vec3]
"""How far cores are apart along a direction [m], below 0 where they meet, and that."""


@kernel
def _best_seeds(geometry: Floats, topology: Ints, cores: Cores) -> tuple[Seed, Seed, Seed]:
    """The three directions along which the cores are furthest apart, by different distances; -inf: there are fewer.

    Tried are the line of centres, 26 directions around each body and the normals of faces.
    """
    a, b, m, t = cores
    none = (-inf, (0.0, 0.0, 1.0))
    best = (none, none, none)
    distance = norm(t)
    if distance > 0.0:
        best = _with_seed(geometry, topology, cores, scale(t, 1.0 / distance), best)
    for number in range(27):
        if number != 13:
            d = _unit(float(number % 3 - 1), float(number // 3 % 3 - 1), float(number // 9 - 1))
            best = _with_seed(geometry, topology, cores, _in_axes(geometry, topology, b, d), best)
            best = _with_seed(geometry, topology, cores, turn(m, _in_axes(geometry, topology, a, d)), best)
    for face in range(min(topology[HEADER * a + FACE_COUNT], _MOST_FACES)):
        d = scale(turn(m, end_normal(geometry, topology, a, face)), -1.0)
        best = _with_seed(geometry, topology, cores, d, best)
    for face in range(min(topology[HEADER * b + FACE_COUNT], _MOST_FACES)):
        best = _with_seed(geometry, topology, cores, end_normal(geometry, topology, b, face), best)
    return best


@kernel
def _with_seed(
    geometry: Floats, topology: Ints, cores: Cores, d: Vec3, best: tuple[Seed, Seed, Seed]
) -> tuple[Seed, Seed, Seed]:
    """The best three of these and direction d."""
    pa, pb, _, _ = reach_both(geometry, topology, cores, d, 0, 0)
    height = dot(d, sub(pa, pb))
    if height > best[0][0]:
        return (height, d), best[0], best[1]
    if best[0][0] > height > best[1][0]:
        return best[0], (height, d), best[1]
    if best[1][0] > height > best[2][0]:
        return best[0], best[1], (height, d)
    return best


@kernel
def _in_axes(geometry: Floats, topology: Ints, shape: int, d: Vec3) -> Vec3:
    """A direction along a smooth solid's own axes, in its body frame; of other shapes along the body's."""
    if topology[HEADER * shape + KIND] >= REVOLVED:
        return out_of_axes(geometry, topology[HEADER * shape + VERTICES], d)
    return d


@kernel
def _unit(x: float, y: float, z: float) -> Vec3:
    s = 1.0 / sqrt(x * x + y * y + z * z)
    return (x * s, y * s, z * s)


# --- what is kept ---------------------------------------------------------------------------------------------------


@kernel
def _remember(feature: int, n: Vec3) -> int:
    """A feature and a normal in one integer; -1, which is nothing, for features of huge meshes."""
    if feature >= 1 << _FEATURE_BITS:
        return -1
    return (pack_normal(n) << _FEATURE_BITS) | feature


@kernel
def pack_normal(n: Vec3) -> int:
    """A unit vector to about 1e-6 in an integer: its shadow on the octahedron |x| + |y| + |z| = 1, unfolded."""
    s = 1.0 / (abs(n[0]) + abs(n[1]) + abs(n[2]))
    x, y = n[0] * s, n[1] * s
    if n[2] < 0.0:
        x, y = (1.0 - abs(y)) * (1.0 if x >= 0.0 else -1.0), (1.0 - abs(x)) * (1.0 if y >= 0.0 else -1.0)
    most = (1 << _BITS) - 1
    return (int((x + 1.0) * 0.5 * most + 0.5) << _BITS) | int((y + 1.0) * 0.5 * most + 0.5)


@kernel
def unpack_normal(packed: int) -> Vec3:
    """The unit vector that `pack_normal` was given, nearly."""
    most = (1 << _BITS) - 1
    x = 2.0 * float((packed >> _BITS) & most) / most - 1.0
    y = 2.0 * float(packed & most) / most - 1.0
    z = 1.0 - abs(x) - abs(y)
    if z < 0.0:
        x, y = (1.0 - abs(y)) * (1.0 if x >= 0.0 else -1.0), (1.0 - abs(x)) * (1.0 if y >= 0.0 else -1.0)
    return _unit(x, y, z)
