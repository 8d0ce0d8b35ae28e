"""What `carom bench` can measure, by name and part."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.experiments.bowling import measure_bowling
from engine.experiments.check_rate import measure_check_rate
from engine.experiments.coherence import measure_coherence
from engine.experiments.execution_times import measure_shares, measure_times
from engine.experiments.hashing import compare_hashes, compare_heaps, compare_sorting
from engine.experiments.integrals import measure_solids, measure_spheres
from engine.experiments.motion_space import measure_conditions, measure_dense, measure_sparse
from engine.experiments.ride import measure_lean, measure_speed
from engine.experiments.subset_sum import measure_subset_sums
from engine.experiments.table import Progress, Table


class Part(NamedTuple):
    """A table or figure: what is measured, and by what, from the number of repeats and where to tell progress.

    `drawn`: its table has a plot.
    """

    text: str
    measure: Callable[[int, Progress], Table]
    drawn: bool = False


THESIS = {
    "table_7_1": Part("execution times of all examples", measure_times),
    "table_7_2": Part("where the time of hybrid examples goes", measure_shares),
    "table_2_1": Part("standard against coherence hashing", compare_hashes),
    "figure_2_5": Part("closest features against turning between calls", measure_coherence, drawn=True),
    "figure_7_8": Part("collision checks through a pool break", measure_check_rate, drawn=True),
    "figure_2_16": Part("the heap with and without a broad phase", compare_heaps, drawn=True),
    "figure_7_21": Part("speed of the bicycle against the wanted one", measure_speed, drawn=True),
    "figure_7_22": Part("lean of the bicycle against the wanted one", measure_lean, drawn=True),
    "section_2_4_4": Part("hashing against sweep and prune on settling dice", compare_sorting),
    "table_6_1": Part("volume integrals of simple solids", measure_solids),
    "table_6_2": Part("volume integrals of spheres", measure_spheres),
}
"""Tables and figures of Mirtich 1996, measured again."""

BOWLING = {"figure_7_10": Part("pins felled by straight and hooking balls", measure_bowling, drawn=True)}
"""320 throws of each: minutes, and so apart from the other figures."""

SUBSET_SUM = {"figure_11_3": Part("bodies that rest exactly when a subset has the sum", measure_subset_sums)}
"""The construction of Baraff 1992, chapter 11."""

REDON = {
    "table_1": Part("Dantzig's time over Wilhelmsen's, dense", measure_dense),
    "table_2": Part("Dantzig's time over Wilhelmsen's, sparse", measure_sparse),
    "conditions": Part("conditions in contact space and motion space", measure_conditions, drawn=True),
}
"""Tables of Redon, Kheddar and Coquillart 2002, and their claim about conditions."""

BENCHES = {"thesis": THESIS, "bowling": BOWLING, "redon": REDON, "subset_sum": SUBSET_SUM}
