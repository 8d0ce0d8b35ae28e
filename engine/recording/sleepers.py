"""What contacts bear where no step has found it: under bodies that have slept since the scene began.

A group that sleeps keeps what its last step found. One that sleeps since the scene began never made a step: what its
contacts bear follows from its rest. They are a contact problem at the level of accelerations (Baraff 1992, 8-7) with
static friction, in which joints have taken their part already. Gradient descent from nothing finds, where loads are not
unique, those that are shared evenly.
"""

from __future__ import annotations

import numpy as np

from engine.analysis.contact_problem import (
    ContactProblem,
    contact_matrix,
    free_acceleration,
    jacobian,
    jacobian_blocks,
    masses_solve,
)
from engine.analysis.snapshot_problem import gather_pairs
from engine.arrays import Floats, Ints
from engine.geometry.shapes import rotation_matrix
from engine.model import joints as j
from engine.model import model as m
from engine.model import state as s
from engine.model.model import Model
from engine.model.state import State
from engine.motion.arcs import evolve
from engine.solvers.operator import Operator, block_operator, dense_operator
from engine.solvers.projected_gradient import solve_projected_gradient
from engine.solvers.solution import no_trace
from engine.tolerances import CONTACT_REACH

_RESIDUAL = 1e-7  # of accelerations, beside those that gravity gives [1]
_ITERATIONS = 20_000


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
    t = state.clock.item(s.TIME)
    leaders = state.members[state.links[rows][:, [s.BODY_A, s.BODY_B]], s.LEADER]
    members = np.flatnonzero(np.isin(state.members[:, s.LEADER], leaders[leaders >= 0]))
    problem, owner = gather_pairs(model, state, rows, t, CONTACT_REACH, members)
    held = _joint_rows(model, state, problem, t)
    N, b = _held_problem(problem, held) if len(held) else _loose_problem(problem)
    static = state.pairs[owner, s.PAIR_SURFACE + m.MU_STATIC]
    x = solve_projected_gradient(N, b, static, np.zeros_like(b), _RESIDUAL, _ITERATIONS, 0, no_trace()).x.reshape(-1, 3)
    place = np.full(len(state.links), -1)
    place[rows] = np.arange(len(rows))
    of = place[owner]
    force, pressed = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
    np.add.at(force, of, np.einsum("mr,mrc->mc", x, problem.frame))
    np.add.at(pressed, of, x[:, :1] * problem.point)
    load = np.bincount(of, weights=x[:, 0], minlength=len(rows))
    return force, pressed / np.where(load > 0.0, load, np.nan)[:, None]


def _loose_problem(problem: ContactProblem) -> tuple[Operator, Floats]:
    """N and b of accelerations at contacts, w = N x + b, three rows a contact."""
    blocks = jacobian_blocks(problem)
    free = free_acceleration(problem).reshape(-1, 6)
    there = problem.pair >= 0
    b = np.einsum("msri,msi->mr", blocks, np.where(there[:, :, None], free[problem.pair], 0.0)).reshape(-1)
    return block_operator(problem.pair, blocks, np.asarray(np.linalg.inv(problem.mass), dtype=np.float64)), b


def _held_problem(problem: ContactProblem, held: Floats) -> tuple[Operator, Floats]:
    """The same of bodies whose joints allow no acceleration along rows `held`, (r, 6 n): they are eliminated."""
    J, free = jacobian(problem), free_acceleration(problem)
    both = np.asarray(J @ masses_solve(problem, held))
    inverse = np.asarray(np.linalg.pinv(contact_matrix(problem, held), hermitian=True))
    A = contact_matrix(problem, J) - both @ inverse @ both.T
    return dense_operator(0.5 * (A + A.T)), np.asarray(J @ free - both @ inverse @ (held @ free))


def _joint_rows(model: Model, state: State, problem: ContactProblem, t: float) -> Floats:
    """Along what generalised velocities of a problem's bodies its joints allow none, (r, 6 n)."""
    place = {int(body): k for k, body in enumerate(problem.bodies)}
    rows: list[Floats] = []
    for frames, joint in zip(model.joints.frames, model.joints.joints.tolist(), strict=True):
        a, b = (int(model.joints.entries[joint[column], j.ENTRY_BODY]) for column in (j.ENTRY_A, j.ENTRY_B))
        if a not in place and b not in place:
            continue
        x, q, _, _ = evolve(model.bodies, model.tags, state.arcs, a, t) if a >= 0 else _WORLD
        turn = rotation_matrix(q)
        at = np.array(x) + turn @ frames[j.ANCHOR_A : j.ANCHOR_A + 3]
        axes = frames[j.AXES_A : j.AXES_A + 9].reshape(3, 3) @ turn.T
        for count, moves in ((joint[j.LINEAR], True), (joint[j.ANGULAR], False)):
            for axis in axes[:count]:
                row = np.zeros((len(problem.bodies), 6))
                for body, sign in ((a, 1.0), (b, -1.0)):
                    if body in place:
                        lever = np.cross(at - problem.centre[place[body]], axis)
                        row[place[body]] += sign * np.array([*axis, *lever] if moves else [0.0, 0.0, 0.0, *axis])
                rows.append(row.reshape(-1))
    return np.array(rows).reshape(len(rows), 6 * len(problem.bodies))


_WORLD = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), None, None)
