"""Tables 6.1 and 6.2: volume integrals of polyhedra, their errors and what they cost (Mirtich 1996, 6.4)."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
import trimesh

from engine.arrays import Floats, Ints
from engine.experiments.table import Cell, Column, Progress, Table
from engine.geometry.mass_properties import face_arrays, integrate_volume, polyhedron_integrals
from engine.geometry.polyhedron import Loops
from engine.geometry.shapes import box, convex
from engine.kernel import kernel

SOLIDS = (
    ("cube", box((20.0, 20.0, 20.0)), (8000, 0, 0, 0, 8e5 / 3, 8e5 / 3, 8e5 / 3, 0, 0, 0), 110.0),
    (
        "tetrahedron",
        convex([[0, 0, 0], [5, 0, 0], [0, 4, 0], [0, 0, 3]]),
        (10, 12.5, 10, 7.5, 25, 16, 9, 10, 6, 7.5),
        64.0,
    ),
)
"""Name, solid, its integrals (table 6.1), microseconds in the thesis."""

SPHERES = (
    (2.536, -2.8e-17, 0.3670, -3.1e-17, 500.0),
    (3.659, 1.4e-16, 0.6692, 1.5e-17, 1200.0),
    (4.047, -3.2e-16, 0.7911, -6.1e-18, 4900.0),
    (4.153, 3.0e-16, 0.8258, 7.8e-18, 21000.0),
    (4.180, -3.8e-17, 0.8347, 2.1e-17, 82000.0),
    (4.187, 5.6e-16, 0.8370, 6.4e-18, 350000.0),
)
"""T_1, T_x, T_xx, T_yz and microseconds of table 6.2, from 20 to 20480 faces."""


@kernel
def integrate_often(vertices: Floats, ring: Ints, bounds: Ints, normals: Floats, offsets: Floats, times: int) -> float:
    """The volume, after computing all ten integrals `times` times."""
    volume = 0.0
    for _ in range(times):
        volume = integrate_volume(vertices, ring, bounds, normals, offsets)[0]
    return volume


def measure_solids(repeats: int, progress: Progress) -> Table:
    """Table 6.1: two solids with integrals known by hand."""
    columns = (
        Column("solid", "solid"),
        Column("volume", "T_1", ".6g"),
        Column("first", "T_x", ".6g"),
        Column("second", "T_xx", ".6g"),
        Column("mixed", "T_yz", ".6g"),
        Column("error", "largest error", ".1e"),
        Column("thesis_us", "thesis [us]", ".0f"),
        Column("integrals_us", "ours [us]", ".3f"),
        Column("faster", "times faster", ".0f"),
    )
    rows: list[tuple[Cell, ...]] = []
    for k, (name, solid, exact, thesis) in enumerate(SOLIDS):
        t = np.array(polyhedron_integrals(solid.vertices, solid.faces))
        wanted = np.array(exact, dtype=np.float64)
        error = float((np.abs(t - wanted) / np.where(wanted == 0.0, wanted[0], wanted)).max())
        spent = _time_integrals(solid.vertices, solid.faces, repeats)
        rows.append((name, t[0], t[1], t[4], t[8], error, thesis, spent, thesis / spent))
        progress((k + 1) / len(SOLIDS))
    notes = (
        "The error is relative, of all ten (to the volume where the integral is 0); the thesis: 15 digits.",
        "Face planes are given, as there.",
    )
    return Table("table_6_1", "Volume integrals of simple solids (Mirtich 1996, table 6.1)", columns, rows, notes)


def measure_spheres(repeats: int, progress: Progress, levels: Sequence[int] = tuple(range(len(SPHERES)))) -> Table:
    """Table 6.2: ever finer approximations of a unit sphere."""
    columns = (
        Column("faces", "faces", "d"),
        Column("thesis_volume", "T_1, thesis", ".3f"),
        Column("volume", "ours", ".6f"),
        Column("thesis_second", "T_xx, thesis", ".4f"),
        Column("second", "ours", ".6f"),
        Column("thesis_first", "T_x, thesis", ".0e"),
        Column("first", "ours", ".0e"),
        Column("thesis_mixed", "T_yz, thesis", ".0e"),
        Column("mixed", "ours", ".0e"),
        Column("thesis_us", "thesis [us]", ",.0f"),
        Column("integrals_us", "ours [us]", ",.2f"),
        Column("faster", "times faster", ".0f"),
    )
    rows: list[tuple[Cell, ...]] = []
    for k, level in enumerate(levels):
        volume, first, second, mixed, thesis = SPHERES[level]
        mesh = trimesh.creation.icosphere(level)
        faces = tuple(tuple(int(v) for v in face) for face in mesh.faces)
        vertices = np.asarray(mesh.vertices, dtype=np.float64)
        t = polyhedron_integrals(vertices, faces)
        spent = _time_integrals(vertices, faces, repeats)
        numbers = (volume, t[0], second, t[4], first, t[1], mixed, t[8], thesis, spent, thesis / spent)
        rows.append((len(faces), *numbers))
        progress((k + 1) / len(levels))
    exact = f"A sphere: T_1 = {4.0 / 3.0 * math.pi:.6f}, T_xx = {4.0 / 15.0 * math.pi:.6f}, T_x = T_yz = 0."
    return Table("table_6_2", "Volume integrals of spheres (Mirtich 1996, table 6.2)", columns, rows, (exact,))


def _time_integrals(vertices: Floats, faces: Loops, repeats: int) -> float:
    """Microseconds for all ten integrals, face planes given: the least of `repeats` stretches of about 20,000 faces."""
    arrays = face_arrays(vertices, faces)
    times = max(1, 20_000 // len(faces))
    integrate_often(*arrays, 1)  # compiled from here on
    least = math.inf
    for _ in range(repeats):
        began = time.thread_time()
        integrate_often(*arrays, times)
        least = min(least, time.thread_time() - began)
    return 1e6 * least / times
