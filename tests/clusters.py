"""Clusters of contacts made by hand or by chance, and the laws of impacts run on them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.impulse import cluster as cl
from engine.impulse.cluster import Cluster, make_cluster
from engine.impulse.sequential import sequential_round
from engine.impulse.simultaneous import simultaneous_round, stop_approach
from engine.impulse.wave import wave_round
from engine.kernel import kernel
from engine.model.joints import no_joints
from engine.model.model import SEQUENTIAL, SIMULTANEOUS

Floats = NDArray[np.float64]


@kernel
def run_law(c: Cluster, law: int) -> None:
    """An impact of a cluster whose contacts are all in its tables."""
    going = True
    while going:
        if law == SEQUENTIAL:
            going = sequential_round(c)
        elif law == SIMULTANEOUS:
            going = simultaneous_round(c)
        else:
            going = wave_round(c)
    stop_approach(c)


def add_body(c: Cluster, mass: float, inertia: Floats, twist: Floats) -> int:
    """A free body with its inertia [kg m²] and twist [m/s, rad/s] in world axes."""
    at = int(c.sizes[cl.BODIES])
    c.sizes[cl.BODIES] += 1
    c.body[at] = (at, 1, 1, 0, 0, at, -1, 0)
    c.twists[at, cl.V : cl.V + 6] = c.twists[at, cl.V_FIRST : cl.V_FIRST + 6] = twist
    c.twists[at, cl.INV_M] = 1.0 / mass
    c.twists[at, cl.INV_I : cl.INV_I + 9] = np.linalg.inv(inertia).ravel()
    return at


def add_contact(
    c: Cluster, a: int, b: int, normal: Floats, arm_a: Floats, arm_b: Floats, mu: float, e: float, pair: int = -1
) -> int:
    """A contact of bodies a and b (-1: the world) with the normal from b to a; a pair of its own, or one more of it."""
    k = int(c.sizes[cl.CONTACTS])
    c.sizes[cl.CONTACTS] += 1
    c.contact[k] = (a, b, k if pair < 0 else pair, -1, 0, a, b)
    row = c.contacts[k]
    row[:] = 0.0
    t1 = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    t1 /= np.linalg.norm(t1)
    frame = np.array([normal, t1, np.cross(normal, t1)])
    row[cl.NORMAL_AT : cl.NORMAL_AT + 9] = frame.ravel()
    row[cl.ARM_A : cl.ARM_A + 3], row[cl.ARM_B : cl.ARM_B + 3] = arm_a, arm_b
    K = np.zeros((3, 3))
    turned = frame[[1, 2, 0]]
    for at, r, share in ((a, arm_a, cl.SHARE_A), (b, arm_b, cl.SHARE_B)):
        if at >= 0:
            lever = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
            inverse = c.twists[at, cl.INV_I : cl.INV_I + 9].reshape(3, 3)
            own = turned @ (c.twists[at, cl.INV_M] * np.eye(3) - lever @ inverse @ lever) @ turned.T
            row[share : share + 2] = own[2, 2], np.linalg.eigvalsh(own[:2, :2])[1]
            K += own
    row[cl.K_AT : cl.K_AT + 6] = (K[0, 0], K[1, 1], K[2, 2], K[1, 2], K[0, 2], K[0, 1])
    row[cl.STATIC] = row[cl.DYNAMIC] = mu
    row[cl.RESTITUTION_AT] = e
    return k


def reset(c: Cluster) -> None:
    """As it was before the impact."""
    bodies, contacts = int(c.sizes[cl.BODIES]), int(c.sizes[cl.CONTACTS])
    c.twists[:bodies, cl.V : cl.V + 6] = c.twists[:bodies, cl.V_FIRST : cl.V_FIRST + 6]
    c.contacts[:contacts, cl.IMPULSE_AT : cl.WORK_AT + 1] = 0.0
    c.contacts[:contacts, cl.SQUASH] = 0.0
    c.contact[:contacts, cl.HITS] = 0
    c.sizes[cl.ROUNDS] = 0
    c.scales[:] = 0.0


def random_cluster(rng: np.random.Generator, c: Cluster) -> None:
    """Up to five bodies of all masses and shapes, up to nine contacts with friction, some of them of one pair."""
    c.sizes[:] = 0
    bodies = int(rng.integers(1, 6))
    for _ in range(bodies):
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        mass = 10.0 ** rng.uniform(-1.0, 1.0)
        gyration = rng.uniform(0.3, 1.0, 3) ** 2
        moments = mass * (gyration.sum() - gyration)  # of a body that can be
        add_body(c, mass, axes @ np.diag(moments) @ axes.T, rng.normal(size=6))
    for pair in range(int(rng.integers(1, 6))):
        a = int(rng.integers(bodies))
        b = int(rng.integers(-1, bodies))
        b = -1 if b == a else b
        mu, e = rng.uniform(0.0, 1.5) * rng.integers(2), rng.uniform(0.0, 1.0)
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        for _ in range(int(rng.integers(1, 3))):
            add_contact(c, a, b, normal, rng.normal(size=3), rng.normal(size=3), mu, e, pair)
    reset(c)


def new_cluster() -> Cluster:
    return make_cluster(8, 16, no_joints())


def kinetic_energy(c: Cluster, column: int = cl.V) -> float:
    """Of all bodies [J], with the twists in this column."""
    rows = c.twists[: c.sizes[cl.BODIES]]
    v, w = rows[:, column : column + 3], rows[:, column + 3 : column + 6]
    spin = np.linalg.solve(rows[:, cl.INV_I : cl.INV_I + 9].reshape(-1, 3, 3), w[:, :, None])[:, :, 0]
    return 0.5 * float(((v * v).sum(axis=1) / rows[:, cl.INV_M] + (w * spin).sum(axis=1)).sum())


def normal_velocities(c: Cluster, column: int = cl.V) -> Floats:
    """u_n of all contacts [m/s]."""
    count = int(c.sizes[cl.CONTACTS])
    twists = np.vstack([c.twists[: c.sizes[cl.BODIES], column : column + 6], np.zeros(6)])
    contacts, sides = c.contacts[:count], c.contact[:count]
    u = np.zeros((count, 3))
    for sign, side, arm in ((1.0, cl.SIDE_A, cl.ARM_A), (-1.0, cl.SIDE_B, cl.ARM_B)):
        twist = twists[sides[:, side]]  # -1: the row of zeros
        u += sign * (twist[:, :3] + np.cross(twist[:, 3:], contacts[:, arm : arm + 3]))
    return np.asarray((u * contacts[:, cl.NORMAL_AT : cl.NORMAL_AT + 3]).sum(axis=1))


def impulses(c: Cluster) -> Floats:
    """(m, 3) normal and tangents [N s]."""
    return c.contacts[: c.sizes[cl.CONTACTS], cl.IMPULSE_AT : cl.IMPULSE_AT + 3].copy()
