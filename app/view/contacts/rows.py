"""What the contact card knows of each contact: from the step, and from solvers of the same instant. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.simulation.messages import Records
from app.simulation.pair_states import SLIDE, answers_to_forces, slip_of, states_of_contacts
from app.simulation.solving import NEGLIGIBLE, Run
from app.view.force_arrows import on_first
from app.view.microscope.words import ALIKE
from engine.analysis.contact_problem import ContactProblem
from engine.analysis.independent_parts import split_problem
from engine.arrays import Bools, Floats, Floats32, Ints
from engine.recording.forces import split_forces, total_forces
from engine.solvers.solution import SOLVED

MOST_ROWS = 500
"""Contacts that are listed; of more, those with the largest forces."""


class Instant(Protocol):
    """What has to be known of a world: a `Frame`, or what a video sees of it."""

    @property
    def poses(self) -> Floats32 | Floats: ...
    @property
    def twists(self) -> Floats32 | Floats: ...
    @property
    def contacts(self) -> Records | None: ...
    @property
    def paradigms(self) -> NDArray[np.int8] | None: ...
    @property
    def asleep(self) -> Bools | None: ...


@dataclass(frozen=True)
class ContactRows:
    """k contacts of the bodies `of`, or of all if there are none.

    Forces are those on body `on` of each contact (`force_arrows.RULE`).
    """

    of: tuple[int, ...]
    on: Ints  # (k,) rows of the bodies that the forces act on
    other: Ints  # (k,) the bodies that they come from
    ordinal: Ints  # (k,) which contact of the same two bodies it is, from 1 on; 0 where it is the only one
    nodes: Ints  # (k, 2) the pieces that touch, of body a and body b
    kept_by: NDArray[np.str_]  # (k,) "impulse", "constraint" or "penalty"
    gap: Floats  # (k,) [m]
    point: Floats  # (k, 3) [m]
    force: Floats  # (k, 3) [N]
    normal: Floats  # (k,) forces along the normal, pressing [N]
    friction: Floats  # (k,) sizes of the forces across it [N]
    slip: Floats  # (k,) speeds across it [m/s]
    states: Ints  # (k,) places in pair_states.STATES, of those that hits keep apart, too
    used: Floats  # (k,) |f_t| / (mu f_n); nan where nothing presses or nothing rubs
    along: Floats  # (k, 3) normals that press the body `on`
    mu: Floats  # (k,) coefficients of friction that count: the static one where bodies do not slide
    left_out: int  # contacts that are not among them
    total: tuple[float, float]  # sums of normal forces and of sizes of friction forces, of these and those left out [N]
    sum: Floats  # (3,) of the forces of these and those left out; of one body it is what its contacts do to it [N]
    averaged: bool  # some of these or those left out are hit, and their forces are means over a window

    def __len__(self) -> int:
        return len(self.gap)


def contact_rows(frame: Instant, selected: Sequence[int], most: int | None = None) -> ContactRows:
    """The contacts of the selected bodies, of all if none is selected, at most `most`, which is MOST_ROWS by itself."""
    contacts = frame.contacts
    assert contacts is not None
    of = tuple(selected)
    a, b = contacts["body_a"], contacts["body_b"]
    moves = moving(frame)
    bodies = np.stack([a, b], axis=1)
    on_a = on_first(bodies, moves[bodies], contacts["normal"], of)
    here = np.flatnonzero((np.isin(bodies, of) if of else moves[bodies]).any(axis=1))
    total, sum_ = total_forces(contacts[here]), _forces(contacts[here], on_a[here]).sum(axis=0)
    averaged = bool((contacts["paradigm"][here] == "impulse").any())
    most = MOST_ROWS if most is None else most
    left_out = max(0, len(here) - most)
    if left_out:
        sizes = np.linalg.norm(contacts["force"][here], axis=1)
        here = np.sort(here[np.argsort(-sizes, kind="stable")[:most]])
    spins = np.asarray(frame.twists[:, 3:], dtype=float)
    awake = moves if frame.asleep is None else moves & ~frame.asleep
    states = states_of_contacts(contacts[here], spins, awake)
    return _of(contacts[here], on_a[here], of, states, left_out=left_out, total=total, sum_=sum_, averaged=averaged)


def moving(frame: Instant) -> Bools:
    """Whether each body answers to forces."""
    if frame.paradigms is None:
        return np.ones(len(frame.poses), dtype=bool)
    return answers_to_forces(frame.paradigms)


def _forces(contacts: Records, on_a: Bools) -> Floats:
    """On body a, or on the other one."""
    return np.where(on_a, 1.0, -1.0)[:, None] * contacts["force"]


def _of(
    contacts: Records,
    on_a: Bools,
    of: tuple[int, ...],
    states: Ints,
    *,
    left_out: int,
    total: tuple[float, float],
    sum_: Floats,
    averaged: bool,
) -> ContactRows:
    normal = contacts["normal"]
    pressing, across = split_forces(contacts["force"], normal)
    mu = np.where(states == SLIDE, contacts["friction"][:, 1], contacts["friction"][:, 0])
    limit = mu * pressing
    known = limit > 1e-12 * max(float(np.abs(pressing).max(initial=0.0)), 1e-300)
    return ContactRows(
        of=of,
        on=np.where(on_a, contacts["body_a"], contacts["body_b"]),
        other=np.where(on_a, contacts["body_b"], contacts["body_a"]),
        ordinal=_ordinals(contacts),
        nodes=np.stack([contacts["node_a"], contacts["node_b"]], axis=1),
        kept_by=contacts["paradigm"].copy(),
        gap=contacts["gap"].copy(),
        point=contacts["point"].copy(),
        force=_forces(contacts, on_a),
        normal=pressing,
        friction=across,
        slip=slip_of(contacts),
        states=states,
        used=np.divide(across, limit, out=np.full_like(across, np.nan), where=known),
        along=np.where(on_a, 1.0, -1.0)[:, None] * normal,
        mu=mu,
        left_out=left_out,
        total=total,
        sum=sum_,
        averaged=averaged,
    )


def _ordinals(contacts: Records) -> Ints:
    """Counts the contacts of the same two bodies."""
    keys = (contacts["body_a"] << 31) | contacts["body_b"]
    _, place, many = np.unique(keys, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    first = np.cumsum(many) - many
    ordinal = np.empty(len(keys), dtype=np.int64)
    ordinal[order] = np.arange(len(keys)) - first[place[order]] + 1
    return np.where(many[place] > 1, ordinal, 0)


def problem_of(problem: ContactProblem, selected: Sequence[int]) -> ContactProblem:
    """The part of a scene's problem in which the selected bodies are; the whole if they are in several or in none."""
    if not selected:
        return problem
    parts = [part for part in split_problem(problem) if np.isin(part.bodies, selected).any()]
    return parts[0] if len(parts) == 1 else problem


@dataclass(frozen=True)
class Found:
    """What solvers say of the contacts of the card. Without friction they know normal forces only."""

    forces: Mapping[str, Floats] = field(default_factory=dict)  # by method: (k,) normal forces [N]; nan: not there
    loose: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    """(k,) methods that solve the problem give different forces: they are not unique."""
    shared: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))
    """(k,) the force is the same, and its shares at the points of the contact are not."""


def found_forces(rows: ContactRows, problem: ContactProblem, runs: Mapping[str, Run]) -> Found:
    """The forces of each method, summed over the points of each contact of the card."""
    place = _places(rows, problem)
    there = place >= 0
    forces = {}
    for name, run in runs.items():
        sums = np.bincount(place[there], weights=np.nan_to_num(run.x[-1][there]), minlength=len(rows))
        forces[name] = np.where(np.bincount(place[there], minlength=len(rows)) > 0, sums, np.nan)
    good = [run for run in runs.values() if run.status == SOLVED and run.moved <= ALIKE * run.scales[1]]
    loose = shared = np.zeros(len(rows), dtype=bool)
    if len(good) > 1:
        least = ALIKE * good[0].scales[0]
        loose = np.nan_to_num(np.ptp([forces[run.method] for run in good], axis=0)) > least
        spread = np.ptp([run.x[-1] for run in good], axis=0) > least
        shared = (np.bincount(place[there], weights=spread[there], minlength=len(rows)) > 0) & ~loose
    return Found(forces, loose, shared)


def _places(rows: ContactRows, problem: ContactProblem) -> Ints:
    """Which contact of the card each contact of a problem is a point of, (m,); -1 for none."""
    if not len(rows):
        return np.full(len(problem.nodes), -1)
    keys, wanted = _key(rows.nodes), _key(problem.nodes)
    order = np.argsort(keys)
    at = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    return np.where(keys[at] == wanted, at, -1)


def _key(nodes: Ints) -> Ints:
    return (nodes[:, 0] << 31) | nodes[:, 1]


def run_arrows(rows: ContactRows, problem: ContactProblem, run: Run) -> tuple[Floats, Floats]:
    """Points and forces of a run at the contacts of the card, on the same bodies as the card's forces, (j, 3) each."""
    place = _places(rows, problem)
    there = np.flatnonzero(place >= 0)
    there = there[np.nan_to_num(run.x[-1][there]) > NEGLIGIBLE * run.scales[0]]
    sign = np.where(problem.rows[there, 0] == rows.on[place[there]], 1.0, -1.0)
    return problem.point[there], (sign * run.x[-1][there])[:, None] * problem.frame[there, 0]
