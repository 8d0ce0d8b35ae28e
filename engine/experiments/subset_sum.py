"""Baraff's reduction of subset sum to contact forces: bodies that rest just when a subset has the sum (1992, ch. 11).

A block B can only move sideways between four frictionless wedges. A rod E leans on either side of it and slides so that
any push between them would pull it in (figure 11.1): contact forces exist only if B does not accelerate. Rods R_i of
mass m_i slide along its top, spinning (figure 10.2): each either leaves, without force, or stays, with the force m_i,
and then pushes B to the left with mu m_i. A force mu S pushes B to the right. So contact forces exist exactly when
some of the masses sum to S (figure 11.3); and whether they do, nobody knows how to tell without trying.

The plane is x, z. Angles, friction and spin are rational (a triangle of sides 7, 24, 25), near the thesis's 72 degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.analysis.contact_problem import ContactProblem, contact_matrix, free_acceleration, jacobian
from engine.analysis.methods import TOLERANCE, pivot_limit
from engine.arrays import Floats
from engine.experiments.table import Cell, Column, Progress, Table
from engine.solvers.dynamic_friction import fill_normal_problem, solve_dynamic_friction
from engine.solvers.enumeration import solve_enumeration
from engine.solvers.solution import RAY, SOLVED, Solution, no_trace

COS, SIN = 7 / 25, 24 / 25
"""Of the angle between a rod and what it slides on [1]."""
MU = (COS**2 + 1 / 8) / (COS * SIN)
"""The friction for which 16 (cos² - mu cos sin) = -2 (figure 10.1) [1]."""
SPIN = -5.0
"""Of the rods R_i, clockwise [rad/s]; spin² sin - gravity = 1 (10-1)."""
GRAVITY = 23.0
"""On the rods R_i [m/s²]."""
HEAVY = 100.0
"""B's mass, in those of the heaviest rod [1]."""
CRAWL = 1e-3
"""Slip above which the dynamic friction approximation has full friction [m/s] (Baraff 1992, sec. 14.2.2)."""

SETS = (
    ((5,), 5),
    ((5,), 4),
    ((3, 5, 7), 8),
    ((3, 5, 7), 9),
    ((2, 4, 6), 5),
    ((1, 2, 4, 8), 11),
    ((7, 11, 13, 17), 31),
    ((7, 11, 13, 17), 33),
    ((2, 3, 4, 5, 12, 34), 9),
    ((2, 3, 4, 5, 12, 34), 30),
)
"""Sets of positive integers, and the sum that is asked for."""


class Rod(NamedTuple):
    """A thin rod of length 2 that touches with its end, in the plane (x, z)."""

    mass: float
    end: tuple[float, float]
    """Where it touches [m]."""
    normal: tuple[float, float]
    """From what it touches to the rod."""
    spin: float
    """Counterclockwise [rad/s]."""
    gravity: float
    """Towards what it touches [m/s²]."""
    slip: float = -1.0
    """Velocity of the end along the tangent (n_z, -n_x) [m/s]; friction draws the rod the other way."""


class Block(NamedTuple):
    """What the rods touch, and what keeps it from anything but moving sideways."""

    mass: float
    force: float
    """Along x [N]."""
    wide: float
    """Half its width [m]; it is 2 m high, about the origin."""


def configuration(rods: Sequence[Rod], block: Block | None) -> ContactProblem:
    """Rods that touch the block in its wedges, or something fixed; contacts: rods first, then four wedges."""
    n, wedges = len(rods), [(x, z) for x in (-1, 1) for z in (-1, 1)] if block else []
    bodies, contacts = n + (block is not None), n + len(wedges)
    centre, velocity, force = np.zeros((bodies, 3)), np.zeros((bodies, 6)), np.zeros((bodies, 6))
    mass = np.zeros((bodies, 6, 6))
    point, frame = np.zeros((contacts, 3)), np.zeros((contacts, 3, 3))
    pair, curvature = np.full((contacts, 2), -1), np.zeros(contacts)
    for k, rod in enumerate(rods):
        normal, tangent = np.array(rod.normal), np.array([rod.normal[1], -rod.normal[0]])
        arm = -COS * tangent - SIN * normal
        end = np.array(rod.end)
        mass[k] = rod.mass * np.diag([1, 1, 1, 1 / 16, 1 / 16, 1 / 16])
        centre[k] = _in_space(end - arm)
        velocity[k, :3] = _in_space(rod.slip * tangent - rod.spin * np.array([-arm[1], arm[0]]))
        velocity[k, 4] = -rod.spin
        force[k, :3] = _in_space(-rod.gravity * rod.mass * normal)
        point[k], frame[k] = _in_space(end), _frame(normal)
        pair[k] = (k, n if block else -1)
        curvature[k] = -(rod.spin**2) * arm @ normal
    if block:
        mass[n] = block.mass * np.eye(6)
        force[n, 0] = block.force
        for k, (x, z) in enumerate(wedges, start=n):
            point[k], frame[k] = _in_space(np.array([x * block.wide, z])), _frame(np.array([0.0, -z]))
            pair[k, 0] = n
    return ContactProblem(
        bodies=np.arange(bodies),
        centre=centre,
        mass=mass,
        force=force,
        velocity=velocity,
        pair=pair,
        rows=np.where(pair >= 0, pair, bodies),
        nodes=np.where(pair >= 0, pair, bodies),
        point=point,
        frame=frame,
        gap=np.zeros(contacts),
        prescribed=np.zeros((contacts, 3)),
        curvature=curvature,
        friction=np.array([MU] * n + [0.0] * len(wedges)),
        restitution=np.zeros(contacts),
    )


def subset_sum_configuration(numbers: Sequence[int], total: int) -> ContactProblem:
    """Figure 11.3; its contacts are R_1 ... R_n, the two rods E, and four wedges."""
    wide = 3.0 * len(numbers)
    rods = [Rod(number, (3.0 * k - wide / 2, 1.0), (0.0, 1.0), SPIN, GRAVITY) for k, number in enumerate(numbers)]
    for side in (-1.0, 1.0):
        rods.append(Rod(1.0, (side * wide, 0.0), (side, 0.0), 0.0, 0.0))
    return configuration(rods, Block(HEAVY * max(numbers), MU * total, wide))


class Frictional(NamedTuple):
    """Accelerations w = A f + b of m contacts with friction, forces f by normal, tangent, tangent."""

    A: Floats
    """(3 m, 3 m)."""
    b: Floats
    """(3 m,) accelerations without contact forces [m/s²]."""
    mu: Floats
    """(m,)."""
    slip: Floats
    """(m, 2) tangential velocities [m/s]; exactly zero: static friction."""


def frictional(problem: ContactProblem) -> Frictional:
    """The problem of contact forces with friction at this instant.

    Slip below 1e-9 m/s is none: rounding must not choose a direction. What velocities alone add to tangential
    accelerations is left out; only friction that sticks, where it is zero or small, would ask for it.
    """
    J = jacobian(problem)
    b = J @ free_acceleration(problem)
    b[::3] += problem.curvature
    slip = (J @ problem.velocity.reshape(-1)).reshape(-1, 3)[:, 1:] + problem.prescribed[:, 1:]
    slip[np.hypot(slip[:, 0], slip[:, 1]) < 1e-9] = 0.0
    return Frictional(contact_matrix(problem, J), b, problem.friction, slip)


def solve_by_lemke(case: Frictional) -> Solution:
    """Contact forces, or a ray of contact impulses, with friction that is always dynamic."""
    A, b, mu, slip = case
    return solve_dynamic_friction(A, b, mu, slip, CRAWL, TOLERANCE, pivot_limit(len(mu)), no_trace())


def solve_by_trying(problem: ContactProblem) -> Solution:
    """Normal forces by enumeration, (m,): SOLVED if the configuration is consistent, else INFEASIBLE."""
    A, b, mu, slip = frictional(problem)
    m = len(mu)
    M, q = np.zeros((m, m)), np.zeros(m)
    fill_normal_problem(A, b, mu, slip, CRAWL, M, q)
    return solve_enumeration(M, q, TOLERANCE, 2**m, no_trace())


def has_subset(numbers: Sequence[int], total: int) -> bool:
    """Whether some of the numbers sum to the total, in integers."""
    sums = {0}
    for number in numbers:
        sums |= {number + other for other in sums}
    return total in sums


def measure_subset_sums(repeats: int, progress: Progress) -> Table:
    """The ten sets: whether the bodies can rest, beside whether a subset has the sum, and what Lemke's answer is."""
    columns = (
        Column("set", "set"),
        Column("sum", "sum", "d"),
        Column("truth", "a subset has it"),
        Column("consistent", "forces exist"),
        Column("subset", "rods that stay"),
        Column("tried", "index sets tried", ",d"),
        Column("lemke", "Lemke"),
    )
    words = {SOLVED: "forces", RAY: "impulses"}
    rows: list[tuple[Cell, ...]] = []
    for k, (numbers, total) in enumerate(SETS):
        problem = subset_sum_configuration(numbers, total)
        forces = solve_by_trying(problem)
        consistent = forces.status == SOLVED
        staying = [str(a) for a, f in zip(numbers, forces.x) if f > 0.5 * a] if consistent else []
        lemke = solve_by_lemke(frictional(problem))
        answers = ("yes" if has_subset(numbers, total) else "no", "yes" if consistent else "no")
        named = (", ".join(map(str, numbers)), total, *answers, " + ".join(staying))
        rows.append((*named, forces.iterations, words.get(lemke.status, "failure")))
        progress((k + 1) / len(SETS))
    notes = (
        "Enumeration stops at the first index set that solves it; to say no it has to try all of them.",
        "Lemke's algorithm may answer with contact impulses where forces exist too (Baraff 1992, sec. 13.2).",
    )
    return Table(
        "figure_11_3", "Contact forces that decide subset sum (Baraff 1992, figure 11.3)", columns, rows, notes
    )


def _in_space(v: Floats) -> Floats:
    return np.array([v[0], 0.0, v[1]])


def _frame(normal: Floats) -> Floats:
    """Rows: the normal, the tangent in the plane, the one across it."""
    n, t = _in_space(normal), _in_space(np.array([normal[1], -normal[0]]))
    return np.array([n, t, np.cross(n, t)])
