"""Figure 2.5: what tracking closest features costs when a body turns further between calls (Mirtich 1996, 2.2.1)."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import trimesh

from engine.arrays import Floats, Ints
from engine.collision.narrow.closest import closest
from engine.experiments.plot import Axis, Plot, Series
from engine.experiments.table import Cell, Column, Progress, Table
from engine.geometry.pool import ShapePool, build_pool
from engine.geometry.shapes import box, convex
from engine.kernel import kernel
from engine.maths.quaternions import Quat, multiply

LEVELS = (1, 2, 3)
"""Subdivisions of an icosahedron: 80, 320 and 1280 facets. From the least to the most it is 16-fold, as there."""

HEIGHT = 1.6
"""Of the centre of the unit sphere over the middle of the cube, whose side is 1 [m]: the gap is 0.1."""


@kernel
def track_features(
    geometry: Floats, topology: Ints, height: float, start: Quat, turn: Quat, calls: int, coherent: bool
) -> tuple[int, float]:
    """Turn shape 0 by `turn` before each of `calls` measurements of its gap to shape 1, at rest `height` [m] below.

    Returns the feature steps of all calls and the last gap [m]. Without `coherent` every search starts from nowhere.
    """
    q = start
    steps = 0
    gap = 0.0
    fa = fb = -1
    for _ in range(calls):
        q = multiply(turn, q)
        found = closest(
            geometry, topology, 0, (0.0, 0.0, height, q[0], q[1], q[2], q[3]),
            1, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), fa, fb,
        )  # fmt: skip
        gap = found[0]
        steps += found[12]
        if coherent:
            fa, fb = found[10], found[11]
    return steps, gap


def measure_coherence(
    repeats: int, progress: Progress, degrees: Sequence[int] = tuple(range(1, 21)), calls: int = 2000
) -> Table:
    """A row for each turn between calls; the last is without coherence. Steps and processor time by call."""
    pools = [build_pool([convex(trimesh.creation.icosphere(level).vertices), box((1.0, 1.0, 1.0))]) for level in LEVELS]
    columns = [Column("degrees", "degrees a call")]
    for level in LEVELS:
        facets = 20 * 4**level
        columns += [
            Column(f"steps_{facets}", f"steps, {facets} facets", ".2f"),
            Column(f"us_{facets}", "time [us]", ".3f"),
        ]
    rows: list[tuple[Cell, ...]] = []
    track_features(*pools[0], HEIGHT, (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), 1, True)  # compiled from here on
    cases = [(degree, True) for degree in degrees] + [(degrees[0], False)]
    for k, (degree, coherent) in enumerate(cases):
        row: list[Cell] = [degree if coherent else "no coherence"]
        for pool in pools:
            row += _cost(pool, float(degree), repeats, calls, coherent)
        rows.append(tuple(row))
        progress((k + 1) / len(cases))
    slower = _number(rows[0][6]) / _number(rows[0][2])
    notes = (
        f"At {degrees[0]} degree a call, 16 times the facets take {100.0 * (slower - 1.0):.0f} % more time;"
        " in the thesis 15 %.",
        f"Least of {repeats} times {calls} calls. A unit sphere turns over a cube about an axis parallel to its top.",
    )
    title = "Coherence (Mirtich 1996, figure 2.5)"
    return Table("figure_2_5", title, tuple(columns), rows, notes, plot=_plot(rows[:-1]))


def _plot(rows: Sequence[Sequence[Cell]]) -> Plot:
    """Times of the calls with coherence; what the thesis says of its finest sphere, by the measure of our coarsest."""
    degrees = [_number(row[0]) for row in rows]
    curves = [
        Series(f"{20 * 4**level} facets", degrees, [_number(row[2 + 2 * k]) for row in rows])
        for k, level in enumerate(LEVELS)
    ]
    thesis = Series("thesis: 16 times the facets, 15 % more time", degrees[:1], [1.15 * curves[0].y[0]], "paper")
    return Plot(Axis("turn between calls [degrees]"), Axis("time of a call [µs]"), (*curves, thesis))


def _number(cell: Cell) -> float:
    assert isinstance(cell, (int, float))
    return float(cell)


def _cost(pool: ShapePool, degrees: float, repeats: int, calls: int, coherent: bool) -> tuple[float, float]:
    """Steps a call, and microseconds a call in the quickest of `repeats` stretches."""
    half = math.radians(degrees) / 2.0
    axis = (math.cos(0.3), math.sin(0.3))  # parallel to the cube's top, and to none of its edges
    turn = (math.cos(half), math.sin(half) * axis[0], math.sin(half) * axis[1], 0.0)
    tilt = (math.cos(0.2), 0.0, 0.0, math.sin(0.2))
    least = math.inf
    steps = 0
    for _ in range(repeats):
        began = time.thread_time()
        steps, _gap = track_features(*pool, HEIGHT, tilt, turn, calls, coherent)
        least = min(least, time.thread_time() - began)
    return steps / calls, 1e6 * least / calls
