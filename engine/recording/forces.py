"""What contacts bear in all, and what they bear where no step has found it: under bodies that have slept all along.

A group that sleeps keeps what its last step found. One that sleeps since the scene began never made a step: what its
contacts bear follows from its rest. They are a contact problem at the level of accelerations (Baraff 1992, 8-7) with
static friction. Gradient descent from nothing finds, where loads are not unique, those that are shared evenly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.analysis.contact_problem import free_acceleration, jacobian_blocks
from engine.analysis.snapshot_problem import gather_pairs
from engine.arrays import Floats, Ints
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Model
from engine.model.state import State
from engine.solvers.operator import block_operator
from engine.solvers.projected_gradient import solve_projected_gradient
from engine.solvers.solution import no_trace
from engine.tolerances import CONTACT_REACH

_RESIDUAL = 1e-7  # of accelerations, beside those that gravity gives [1]
_ITERATIONS = 20_000


def split_forces(force: Floats, normal: Floats) -> tuple[Floats, Floats]:
    """The parts of forces or impulses (k, 3) along their contacts' normals, pressing, and the sizes of those across."""
    pressing = np.einsum("kc,kc->k", force, normal)
    return pressing, np.linalg.norm(force - pressing[:, None] * normal, axis=1)


def total_forces(contacts: NDArray[np.void]) -> tuple[float, float]:
    """Sums over contacts of a world of the normal forces and of the sizes of the friction forces [N]."""
    pressing, across = split_forces(contacts["force"], contacts["normal"])
    return float(pressing.sum()), float(across.sum())


class SleeperLoads:
    """Forces of contacts of sleepers that no step has found: found when asked for, kept until their group changes."""

    def __init__(self) -> None:
        self._of = np.zeros((0, 7), dtype=np.int64)  # by pair row: whose forces these are
        self._force = np.zeros((0, 3))
        self._centre = np.zeros((0, 3))

    def read(self, model: Model, state: State, rows: Ints) -> tuple[Ints, Floats, Floats]:
        """Which of the lasting pairs `rows` are such, (j,), the forces on their bodies a [N], centres of pressure [m].

        (j, 3) each; a centre is nan where nothing presses.
        """
        links, (a, b) = state.links, state.links[rows][:, [s.BODY_A, s.BODY_B]].T
        first = np.where(model.tags[a, m.KIND] == m.FREE, a, b)
        asleep = state.arcs[first, s.HELD] == s.ASLEEP
        leader = state.members[first, s.LEADER]
        unknown = asleep & (state.patches[rows, s.PATCH_POINTS] == 0.0)
        mine = np.flatnonzero(asleep & np.isin(leader, leader[unknown]))
        rows, leader = rows[mine], leader[mine]
        if not len(rows):
            return mine, np.zeros((0, 3)), np.zeros((0, 3))
        self._make_room(len(links))
        size = np.bincount(leader, minlength=len(model.tags))[leader]  # who joins a group changes its loads
        of = np.column_stack(
            [links[rows][:, [s.BODY_A, s.BODY_B, s.SHAPE_A, s.SHAPE_B]], leader, state.members[leader, s.MEMBERS], size]
        )
        stale = np.isin(leader, leader[(self._of[rows] != of).any(axis=1)])
        if stale.any():
            self._force[rows[stale]], self._centre[rows[stale]] = _find_loads(model, state, rows[stale])
            self._of[rows[stale]] = of[stale]
        return mine, self._force[rows], self._centre[rows]

    def _make_room(self, count: int) -> None:
        more = count - len(self._of)
        if more > 0:
            self._of = np.concatenate([self._of, np.full((more, 7), -1, dtype=np.int64)])
            self._force = np.concatenate([self._force, np.zeros((more, 3))])
            self._centre = np.concatenate([self._centre, np.zeros((more, 3))])


def _find_loads(model: Model, state: State, rows: Ints) -> tuple[Floats, Floats]:
    """Forces on bodies a of pairs that rest, and their centres of pressure, (k, 3) each."""
    problem, owner = gather_pairs(model, state, rows, state.clock.item(s.TIME), CONTACT_REACH)
    place = np.full(len(state.links), -1)
    place[rows] = np.arange(len(rows))
    of = place[owner]
    blocks = jacobian_blocks(problem)
    free = free_acceleration(problem).reshape(-1, 6)
    there = problem.pair >= 0
    b = np.einsum("msri,msi->mr", blocks, np.where(there[:, :, None], free[problem.pair], 0.0)).reshape(-1)
    static = state.pairs[owner, s.PAIR_SURFACE + m.MU_STATIC]
    N = block_operator(problem.pair, blocks, np.asarray(np.linalg.inv(problem.mass), dtype=np.float64))
    x = solve_projected_gradient(N, b, static, np.zeros_like(b), _RESIDUAL, _ITERATIONS, 0, no_trace()).x.reshape(-1, 3)
    force, pressed = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
    np.add.at(force, of, np.einsum("mr,mrc->mc", x, problem.frame))
    np.add.at(pressed, of, x[:, :1] * problem.point)
    load = np.bincount(of, weights=x[:, 0], minlength=len(rows))
    return force, pressed / np.where(load > 0.0, load, np.nan)[:, None]
