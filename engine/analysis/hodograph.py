"""A collision looked into: the K and u that it met, and the path of u through compression and restitution.

The path is what `integrate_collision` makes of this very K and u (Mirtich 1996, 3.3). Sliding over p_z turns on K's
first two columns alone, so a collision of a greater K33, which ends where its own u_z is zero, ends on the same path:
of an approach that grows from zero it shows the path from its beginning on, and beyond its end.
"""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.collision.pair_table import pair_nodes
from engine.impulse.collision_matrix import K6, add_k, to_frame
from engine.impulse.integration import ROUGH, integrate_collision
from engine.impulse.pair_response import load_sides, pair_response
from engine.impulse.straight import diverging_ray, sticking_impulse
from engine.joints.tables import Linked, make_linked
from engine.kernel import kernel
from engine.maths.vectors import Vec3, any_perpendicular, cross, sub
from engine.model.model import MU_DYNAMIC, MU_STATIC, RESTITUTION, Ints, Model
from engine.model.state import BODY_A, BODY_B, IN_USE, PAIR_SURFACE, State
from engine.motion.arcs import evolve
from engine.motion.motion import Side, contact_velocity

POINTS = 160  # of a path
TWISTS = 9  # K takes 6 places, u 3, then v and ω of body a and of body b
_DIRECTIONS = 720  # in which one looks for rays
_HALVINGS = 60
_LONGER = 8


class Hit(NamedTuple):
    """What a hit met, in its contact frame: z along the normal from body b to body a; u = u_a - u_b."""

    k: K6
    u: Vec3  # before it [m/s]
    u_after: Vec3  # [m/s]
    p: Vec3  # the impulse on body a that the event says [N s]
    mu_static: float
    mu_dynamic: float
    restitution: float
    before: Floats  # (2, 6) v of the centre and ω of body a and of body b, world axes [m/s, rad/s]
    after: Floats  # (2, 6)

    @property
    def is_alone(self) -> bool:
        """Is its impulse that of a collision of this contact alone? Else others were hit at the same time, or it was
        a microcollision, which obeys another law."""
        p = integrate_collision(self.k, self.u, self.mu_static, self.mu_dynamic, self.restitution)[0]
        return float(np.linalg.norm(np.subtract(p, self.p))) <= 1e-6 * float(np.linalg.norm(self.p))

    @property
    def sticks(self) -> bool:
        """Is nothing left of the tangential velocity?"""
        return hypot(*self.u_after[:2]) <= 1e-6 * float(np.linalg.norm(self.u))


class Hodograph(NamedTuple):
    """The path of u from the start of a collision to its end, and a little beyond."""

    u: Floats  # (POINTS, 3) [m/s]
    p: Floats  # (POINTS, 3) [N s]
    compressed: int  # the first point of the restitution
    ended: int  # the first point beyond the engine's end
    ends: dict[str, Vec3]  # u where Newton's, Poisson's and Stronge's restitution ends; the engine's is Stronge's
    sticking: tuple[float, float]  # p_t over p_z that leaves u_t alone
    stays: bool  # sticking is stable: its ray is in the friction cone (Theorem 9)
    rays: tuple[tuple[float, float, bool], ...]  # unit directions of u_t that sliding keeps; does it grow along them?
    diverging: tuple[float, float] | None  # the one in which sliding resumes where sticking is unstable


@kernel
def read_hit(
    model: Model, state: State, linked: Linked, a: int, b: int, at: Vec3, n: Vec3, t: float, out: Floats
) -> None:
    """K and u of bodies a and b at a point, in the frame of the normal n, and their twists, by their arcs at t."""
    bodies, tags, arcs = model.bodies, model.tags, state.arcs
    one, other = evolve(bodies, tags, arcs, a, t), evolve(bodies, tags, arcs, b, t)
    side_a, side_b = Side(a, one, sub(at, one.x)), Side(b, other, sub(at, other.x))
    load_sides(bodies, tags, arcs, linked, a, b, t)
    k_a, k_b = pair_response(bodies, tags, linked, side_a, side_b)
    t1 = any_perpendicular(n)
    t2 = cross(n, t1)
    matrix = to_frame(add_k(k_a, k_b), t1, t2, n)
    u = contact_velocity(side_a, side_b)
    for j in range(6):
        out[j] = matrix[j]
    out[6] = u[0] * t1[0] + u[1] * t1[1] + u[2] * t1[2]
    out[7] = u[0] * t2[0] + u[1] * t2[1] + u[2] * t2[2]
    out[8] = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
    for j in range(3):
        out[TWISTS + j], out[TWISTS + 3 + j] = one.v[j], one.w[j]
        out[TWISTS + 6 + j], out[TWISTS + 9 + j] = other.v[j], other.w[j]


@kernel
def trace_path(k: K6, u: Vec3, mu_static: float, mu_dynamic: float, approach: Floats, into: Floats) -> None:
    """The impulses, (m, 3), of collisions without restitution that approach at these speeds, (m,)."""
    for i in range(approach.shape[0]):
        p = integrate_collision(k, (u[0], u[1], -approach[i]), mu_static, mu_dynamic, 0.0)[0]
        for j in range(3):
            into[i, j] = p[j]


def look_at_hit(model: Model, before: State, after: State, event: np.void) -> Hit | None:
    """The hit that a collision or microcollision was, by the states before and after it; None of anything else.

    before: a state after all that came before the event.
    """
    a, b, t, n = int(event["body_a"]), int(event["body_b"]), float(event["time"]), event["normal"]
    row = _pair_of(model.tags, before.links, event)
    if row < 0 or not np.any(n):
        return None
    normal, point = _triple(n), _triple(event["point"])
    linked, was, then = make_linked(model.joints), np.zeros(TWISTS + 12), np.zeros(TWISTS + 12)
    read_hit(model, before, linked, a, b, point, normal, t, was)
    read_hit(model, after, linked, a, b, point, normal, t, then)
    t1 = any_perpendicular(normal)
    frame = np.array([t1, cross(normal, t1), normal])
    surface = before.pairs[row, PAIR_SURFACE:]
    return Hit(
        k=_six(was), u=_triple(was[6:9]), u_after=_triple(then[6:9]), p=_triple(frame @ event["impulse"]),
        mu_static=float(surface[MU_STATIC]), mu_dynamic=float(surface[MU_DYNAMIC]),
        restitution=float(surface[RESTITUTION]),
        before=was[TWISTS:].reshape(2, 6), after=then[TWISTS:].reshape(2, 6),
    )  # fmt: skip


def _pair_of(tags: Ints, links: Ints, event: np.void) -> int:
    """The row of the pair of pieces that an event is of; -1: there is none."""
    here = (links[:, IN_USE] == 1) & (links[:, BODY_A] == event["body_a"]) & (links[:, BODY_B] == event["body_b"])
    nodes = (int(event["node_a"]), int(event["node_b"]))
    return next((int(row) for row in np.flatnonzero(here) if pair_nodes(tags, links, int(row)) == nodes), -1)


def trace_hodograph(hit: Hit) -> Hodograph | None:
    """The path of a hit's u; None where it does not approach, or nothing ends it."""
    k, u, mu, e = hit.k, hit.u, hit.mu_dynamic, hit.restitution
    squeeze, _, _, _, status = integrate_collision(k, u, hit.mu_static, mu, 0.0)
    stronge, end, _, _, status_then = integrate_collision(k, u, hit.mu_static, mu, e)
    if max(status, status_then) > ROUGH or 1 in (status, status_then):
        return None
    most = max(stronge[2], (1.0 + e) * squeeze[2]) * 1.05
    path = _Path(hit, most)
    for _ in range(_LONGER):  # Newton's law may end late
        if path.at(path.reach)[1][2] < -e * u[2]:
            path = _Path(hit, most := 1.5 * most)
    newton = path.where(lambda p, v: v[2] + e * u[2], squeeze[2])
    poisson = path.where(lambda p, v: p[2] - (1.0 + e) * squeeze[2], squeeze[2])
    x, y, _ = sticking_impulse(k)
    stays = hypot(x, y) <= max(hit.mu_static, mu)
    p, points = path.follow(np.linspace(0.0, path.reach, POINTS))
    return Hodograph(
        u=points, p=p, compressed=int(np.searchsorted(p[:, 2], squeeze[2])),
        ended=int(np.searchsorted(p[:, 2], stronge[2], side="right")),
        ends={"Newton": newton, "Poisson": poisson, "Stronge": end},
        sticking=(x, y), stays=stays, rays=find_rays(k, mu),
        diverging=None if stays else diverging_ray(k, mu),
    )  # fmt: skip


class _Path:
    """The path of a hit's u over p_z, up to a p_z of `most`."""

    def __init__(self, hit: Hit, most: float) -> None:
        k = hit.k
        self._hit = hit
        self._more = k[2] + 2.0 * hit.mu_dynamic * hypot(k[4], k[3])
        self._k = (k[0], k[1], k[2] + self._more, k[3], k[4], k[5])
        # u_z of the greater K33 grows by at least K33 and at most thrice `more` over p_z.
        self.reach = most * (k[2] + self._more + hit.mu_dynamic * hypot(k[4], k[3]))
        low, high = 0.0, self.reach
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.at(middle)[0][2] < most else (low, middle)
        self.reach = high

    def follow(self, approach: Floats) -> tuple[Floats, Floats]:
        """p and u, (m, 3), at approaches (m,)."""
        p = np.zeros((len(approach), 3))
        trace_path(self._k, self._hit.u, self._hit.mu_static, self._hit.mu_dynamic, approach, p)
        return p, np.array(self._hit.u) + p @ matrix_of(self._hit.k)

    def at(self, approach: float) -> tuple[Floats, Floats]:
        p, u = self.follow(np.array([approach]))
        return p[0], u[0]

    def where(self, missing, after: float) -> Vec3:  # type: ignore[no-untyped-def]
        """u where a law ends: `missing` of p and u is zero there. Not before p_z is `after`."""
        low, high = 0.0, self.reach
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            p, u = self.at(middle)
            low, high = (middle, high) if p[2] < after or missing(p, u) < 0.0 else (low, middle)
        return _triple(self.at(high)[1])


def find_rays(k: K6, mu: float) -> tuple[tuple[float, float, bool], ...]:
    """Unit directions of u_t in which sliding goes on straight, each with: does it grow there? (Theorems 10 to 14)."""
    angles = (np.arange(_DIRECTIONS + 1) + 0.37) * 2.0 * np.pi / _DIRECTIONS
    side = np.array([_turning(k, mu, angle)[1] for angle in angles])
    rays = []
    for i in np.flatnonzero(side[:-1] * side[1:] < 0.0):
        low, high = angles[i], angles[i + 1]
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _turning(k, mu, middle)[1] * side[i] > 0.0 else (low, middle)
        rays.append((float(np.cos(low)), float(np.sin(low)), bool(_turning(k, mu, low)[0] > 0.0)))
    return tuple(rays)


def _turning(k: K6, mu: float, angle: float) -> tuple[float, float]:
    """How |u_t| grows over p_z, and u_t across, while it slides at an angle."""
    x, y = np.cos(angle), np.sin(angle)
    change = matrix_of(k)[:2] @ np.array([-mu * x, -mu * y, 1.0])
    return float(change[0] * x + change[1] * y), float(change[1] * x - change[0] * y)


def matrix_of(k: K6) -> Floats:
    """K as a matrix, (3, 3)."""
    xx, yy, zz, yz, xz, xy = k
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _triple(values: Floats) -> Vec3:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _six(values: Floats) -> K6:
    a, b, c, d, e, f = (float(value) for value in values[:6])
    return a, b, c, d, e, f
