"""Contact space against motion space (Redon 2002, 5): tables 1 and 2, and the condition of both formulations.

Dantzig's method works on A = J M⁻¹ Jᵀ, Wilhelmsen's on J_Q; both solve their linear systems by one and the same
Cholesky factor of an index set, to which rows are added and from which they are taken (`engine.solvers.index_set`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from engine.arrays import Floats
from engine.experiments.plot import Axis, Plot, Series
from engine.experiments.table import Cell, Column, Progress, Table
from engine.kernel import array_kernel
from engine.solvers.dantzig import solve_dantzig
from engine.solvers.rows import Rows, dense_rows, sparse_rows
from engine.solvers.solution import SOLVED, Solution, Trace, no_trace
from engine.solvers.wilhelmsen import solve_wilhelmsen

OBJECTS = (2, 7, 12, 17, 22)
CONSTRAINTS = (5, 15, 25, 35, 45)
PROBLEMS = 50
"""Problems behind a cell, as in the paper."""

RUNS = 3
"""A problem is run so often at the most, and its quickest run counts: the sum over the problems is steady already."""

TOLERANCE = 1e-5
"""The paper's, for both methods [1]."""

DENSE = (
    (0.60, 0.50, 0.51, 0.54, 0.52),
    (0.85, 1.08, 1.23, 1.47, 1.63),
    (0.85, 0.90, 1.07, 1.21, 1.05),
    (0.94, 0.93, 1.31, 1.15, 1.01),
    (1.01, 1.08, 1.50, 1.08, 1.03),
)
"""The paper's table 1: a row for each of CONSTRAINTS."""

SPARSE = (
    (0.51, 0.62, 0.80, 0.91, 0.93),
    (0.71, 1.19, 1.52, 1.95, 2.19),
    (0.70, 1.04, 1.60, 1.98, 1.90),
    (0.76, 1.11, 2.08, 2.20, 2.05),
    (0.78, 1.34, 2.44, 2.43, 2.20),
)
"""The paper's table 2."""

SHARES = (0.2, 0.4, 0.6, 0.8, 0.9)
"""Contacts beside degrees of freedom, for the conditions: with more than 1 A is singular, and often before."""

REGULAR = 1e7
"""J_Q with a larger condition counts as singular, and is left out [1]."""


def random_jacobian(rng: np.random.Generator, objects: int, rows: int) -> Floats:
    """J, (rows, 6 objects): two sets of six numbers a row, at two objects that may be one (Redon 2002, 5.3)."""
    J = np.zeros((rows, objects, 6))
    for row in J:
        for k in rng.integers(objects, size=2):
            row[k] = rng.normal(size=6)
    return J.reshape(rows, 6 * objects)


@array_kernel
def repeat_dantzig(A: Rows, b: Floats, times: int, trace: Trace) -> Solution:
    """Solve a problem so many times: what calling a kernel from outside costs is spread over them."""
    start = np.empty(0, np.int64)
    limit = 20 * b.shape[0] + 100
    for _ in range(times - 1):
        solve_dantzig(A, b, start, TOLERANCE, limit, trace)
    return solve_dantzig(A, b, start, TOLERANCE, limit, trace)


@array_kernel
def repeat_wilhelmsen(J: Rows, s: Floats, times: int, trace: Trace) -> Solution:
    """The same of the nearest point."""
    start, point = np.empty(0, np.int64), np.empty(s.shape[0])
    limit = 20 * J.starts.shape[0] + 100
    for _ in range(times - 1):
        solve_wilhelmsen(J, s, start, point, TOLERANCE, limit, trace)
    return solve_wilhelmsen(J, s, start, point, TOLERANCE, limit, trace)


def least_time(solve: Callable[[], Solution], runs: int) -> float:
    """Processor seconds of the quickest of `runs`; nan if there is no solution."""
    least = np.inf
    for _ in range(runs):
        began = time.thread_time()
        solution = solve()
        least = min(least, time.thread_time() - began)
        if solution.status != SOLVED:
            return np.nan
    return least


def measure_cell(make: Callable[..., Rows], objects: int, constraints: int, problems: int, runs: int) -> float:
    """Dantzig's time beside Wilhelmsen's, summed over problems (13); nan if one of them fails."""
    rng = np.random.default_rng([objects, constraints])
    spent = [0.0, 0.0]
    contacts = objects * constraints
    times = max(1, 1000 // contacts)
    for k in range(problems + 1):
        J = random_jacobian(rng, objects, contacts)
        s = rng.normal(size=6 * objects)
        A, J_Q, b = make(J @ J.T), make(J), -(J @ s)
        dantzig = least_time(partial(repeat_dantzig, A, b, times, no_trace()), runs)
        wilhelmsen = least_time(partial(repeat_wilhelmsen, J_Q, s, times, no_trace()), runs)
        if k > 0:  # the first one loads kernels and fills caches
            spent[0] += dantzig
            spent[1] += wilhelmsen
    return spent[0] / spent[1]


def measure_ratios(
    sparse: bool,
    repeats: int,
    progress: Progress,
    objects: Sequence[int] = OBJECTS,
    constraints: Sequence[int] = CONSTRAINTS,
    problems: int = PROBLEMS,
) -> Table:
    """Table 1 or 2: a row for each number of constraints an object, ours and the paper's for each number of objects."""
    paper = SPARSE if sparse else DENSE
    make = sparse_rows if sparse else dense_rows
    columns = [Column("constraints", "p", "d")]
    for n in objects:
        columns += [Column(f"ours_{n}", f"n = {n}", ".2f"), Column(f"paper_{n}", "paper", ".2f")]
    ours, theirs = np.empty((len(constraints), len(objects))), np.empty((len(constraints), len(objects)))
    whole, done = sum(n * p for n in objects for p in constraints), 0
    for i, p in enumerate(constraints):
        for j, n in enumerate(objects):
            ours[i, j] = measure_cell(make, n, p, problems, min(repeats, RUNS))
            theirs[i, j] = paper[CONSTRAINTS.index(p)][OBJECTS.index(n)]
            done += n * p
            progress(done / whole)
    rows: list[tuple[Cell, ...]] = []
    for i, p in enumerate(constraints):
        pairs = [cell for j in range(len(objects)) for cell in (_number(ours[i, j]), float(theirs[i, j]))]
        rows.append((p, *pairs))
    kind = "sparse" if sparse else "dense"
    title = f"Dantzig's time over Wilhelmsen's, {kind} (Redon 2002, table {2 if sparse else 1})"
    notes = (
        f"{problems} problems a cell, n objects and n p contacts, M = 1; processor time, the quickest of"
        f" {min(repeats, RUNS)}. Both keep one Cholesky factor and change it row by row; the paper factored anew.",
        trend(ours, theirs, sparse),
    )
    return Table(f"table_{2 if sparse else 1}", title, tuple(columns), rows, notes)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def trend(ours: Floats, theirs: Floats, sparse: bool) -> str:
    """Whether the ratio rises with the contacts an object, as the paper says that it does where matrices are sparse."""
    rises, said = rising_columns(ours), rising_columns(theirs)
    whole = ours.shape[1]
    counts = f"The ratio rises with p in {rises} of {whole} columns (in the paper in {said})"
    holds = rises > whole / 2
    if not sparse:
        return f"{counts}; the paper sees no significant behaviour in it."
    verdict = "holds" if holds else "does not hold"
    return f"{counts}: the trend {verdict} here. Motion space is ahead in {int((ours > 1).sum())} of {ours.size} cells."


def rising_columns(ratios: Floats) -> int:
    """Columns where the order by ratio is that by p: Spearman's coefficient above 0.5, and the last above the first."""
    n = ratios.shape[0]
    ranks = np.argsort(np.argsort(ratios, axis=0), axis=0)
    spearman = 1.0 - 6.0 * ((ranks - np.arange(n)[:, None]) ** 2).sum(axis=0) / max(n * (n * n - 1), 1)
    return int(((spearman > 0.5) & (ratios[-1] > ratios[0])).sum())


measure_dense = partial(measure_ratios, False)
measure_sparse = partial(measure_ratios, True)


def measure_conditions(repeats: int, progress: Progress) -> Table:
    """cond(J M⁻¹ Jᵀ) against cond(J_Q) over random contacts of bodies of random masses (Redon 2002, 5.2)."""
    rng = np.random.default_rng(52)
    rows: list[tuple[Cell, ...]] = []
    below: list[float] = []
    above: list[float] = []
    for i, share in enumerate(SHARES):
        motion, contact = [], []
        for objects in OBJECTS:
            for _ in range(repeats):
                J = random_jacobian(rng, objects, max(1, round(6 * objects * share)))
                J_Q = J / np.sqrt(random_masses(rng, objects))
                condition = float(np.linalg.cond(J_Q))
                if condition > REGULAR:
                    continue
                motion.append(condition)
                contact.append(float(np.linalg.cond(J_Q @ J_Q.T)))
        rows.append((share, float(np.median(motion)), max(motion), float(np.median(contact)), max(contact)))
        below += motion
        above += contact
        progress((i + 1) / len(SHARES))
    power = float(np.polyfit(np.log(below), np.log(above), 1)[0])
    ends = [min(below), max(below)]
    plot = Plot(
        Axis("cond(J_Q), motion space [1]", log=True),
        Axis("cond(J M⁻¹ Jᵀ), contact space [1]", log=True),
        (Series("random contacts", below, above, "points"), Series("square", ends, [c * c for c in ends], "paper")),
    )
    columns = (
        Column("share", "contacts / degrees of freedom", ".1f"),
        Column("motion_median", "cond(J_Q), median", ".3g"),
        Column("motion_worst", "worst", ".3g"),
        Column("contact_median", "cond(J M⁻¹ Jᵀ), median", ".3g"),
        Column("contact_worst", "worst", ".3g"),
    )
    notes = (
        f"{len(below)} problems of {OBJECTS[0]} to {OBJECTS[-1]} bodies, singular ones left out."
        f" Fit: cond(J M⁻¹ Jᵀ) ~ cond(J_Q)^{power:.3f}; by theory 2.",
    )
    title = "Condition of both formulations (Redon 2002, 5.2)"
    series = {"motion": below, "contact": above}
    return Table("conditions", title, columns, rows, notes, series, plot)


def random_masses(rng: np.random.Generator, objects: int) -> Floats:
    """The diagonal of M, (6 objects,): masses of 0.1 to 10 kg, radii of gyration of 0.1 to 1 m."""
    mass = 10.0 ** rng.uniform(-1, 1, (objects, 1))
    inertia = mass * 10.0 ** rng.uniform(-2, 0, (objects, 3))
    return np.concatenate([np.repeat(mass, 3, axis=1), inertia], axis=1).reshape(-1)
