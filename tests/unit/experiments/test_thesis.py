"""The thesis's tables, each measured once and small: right rows, sane numbers. No test knows a time."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.experiments import catalogue, check_rate, coherence, execution_times, hashing, integrals, replay, ride
from engine.experiments.table import Column, Table, cell_text
from engine.experiments.timing import find_example, time_scene
from engine.world import World


def rows_of(table: Table) -> list[dict[str, float]]:
    """Its rows, once what is printed and what is written are whole."""
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert all(len(texts) == len(table.columns) for texts in table.texts())
    assert catalogue.THESIS[table.name].drawn == (table.plot is not None)
    if table.plot is not None:
        assert all(len(series.x) == len(series.y) > 0 for series in table.plot.series)
    rows: list[dict[str, float]] = json.loads(json.dumps(table.to_json(), allow_nan=False))["rows"]
    return rows


def ignore(share: float) -> None:
    assert 0.0 <= share <= 1.0


def test_cells_are_printed_by_their_columns() -> None:
    table = Table("t", "T", (Column("a", "A", ".1f"), Column("b", "B", ",d")), [(0.25, 1000), ("none", None)])
    assert table.texts() == [["0.2", "1,000"], ["none", ""]]
    assert table.to_json()["rows"] == [{"a": 0.25, "b": 1000}, {"a": "none", "b": None}]
    assert cell_text(2.0, "") == "2.0"


def test_every_part_is_known_by_its_own_name() -> None:
    assert set(catalogue.BENCHES) == {"thesis", "bowling", "redon", "subset_sum"}
    measured = integrals.measure_solids(1, ignore)
    assert catalogue.THESIS[measured.name].measure is integrals.measure_solids


def test_repeats_are_of_one_run() -> None:
    scene = find_example("chain_of_balls", contact="impulse")
    assert scene is not None
    told: list[float] = []
    once, thrice = time_scene(scene, 0.2, 1, ignore), time_scene(scene, 0.2, 3, told.append)
    assert once.counts == thrice.counts
    assert once.counts["heap_pops"] > 100
    assert sum(once.shares.values()) == pytest.approx(1.0)
    assert told == sorted(told) and told[-1] == 1.0


def test_table_7_1() -> None:
    assert sum(example.thesis for example in execution_times.EXAMPLES) == pytest.approx(201.5 + 231.0 + 3936.0)
    assert len(execution_times.EXAMPLES) == 18
    missing = execution_times.Example("juggler", "juggler", 1.0, 1.0)
    few = [example for example in execution_times.EXAMPLES if example.name in ("block drop", "part sorter")]
    rows = rows_of(execution_times.measure_times(1, ignore, [*few, missing]))
    for example, row in zip(few, rows[:2], strict=True):
        assert row["faster"] == pytest.approx(1e3 * example.thesis / row["ours_ms"])
        assert row["real_time_factor"] == pytest.approx(1e3 * example.simulated / row["ours_ms"])
        assert row["events"] > 100
    assert rows[0]["impulse_faster"] == pytest.approx(1e3 * few[0].thesis / rows[0]["impulse_ms"])
    assert rows[1]["impulse_ms"] is None, "its joints are no impulses in the thesis either"
    assert rows[2]["ours_ms"] == "no such scene"


def test_table_7_2() -> None:
    examples = [execution_times.Example("juggler", "juggler", 1.0, 1.0), execution_times.PASSIVE[2]]
    runs = [rows_of(execution_times.measure_shares(1, ignore, examples)) for _ in range(3)]
    kinds = (*execution_times.WORK, "control")
    for missing, pendulum in runs:
        assert missing["dynamics"] == "no such scene"
        assert sum(pendulum[kind] for kind in kinds) == pytest.approx(100.0)
        assert pendulum["control"] == pytest.approx(0.0, abs=1e-9)
    # The shares of a run are those of the wall: where another process interrupts one, that is much of it.
    dynamics, detection = (sorted(run[1][kind] for run in runs)[1] for kind in ("dynamics", "detection"))
    assert dynamics > detection > 0.0
    cart = execution_times.Example("cart", "cart_pole", 0.5, 1.0, "hybrid")
    (driven,) = rows_of(execution_times.measure_shares(1, ignore, [cart]))
    assert driven["control"] > 0.0
    assert sum(driven[kind] for kind in kinds) == pytest.approx(100.0)
    for shares in execution_times.THESIS_SHARES.values():
        assert sum(shares) == pytest.approx(100.0, abs=0.15)


def test_table_2_1() -> None:
    coins = [example for example in hashing.EXAMPLES if example.scene == "coins"]
    rows = rows_of(hashing.compare_hashes(1, ignore, coins))
    assert [row["scheme"] for row in rows] == list(hashing.SCHEMES)
    standard, counting, hierarchical = (row["buckets"] for row in rows)
    assert counting < hierarchical < standard
    assert rows[0]["boxes"] == rows[1]["boxes"] == rows[2]["boxes"] > 100
    assert rows[1]["thesis_faster"] == pytest.approx(6.2, abs=0.05)


def test_a_replay_leaves_the_boxes_where_the_run_left_them() -> None:
    scene = find_example("coins", broad_phase="hierarchical_hash")
    assert scene is not None
    record = replay.record_boxes(scene, 0.3, ignore)
    world = World(scene)
    state, n = world.snapshot().state, len(world.names)
    found = np.zeros(3 * n + 3, dtype=np.int64)
    assert replay.store_from(world.model, state, record.rows, record.boxes, 0, found) == len(record.rows) > n
    while world.next_event_time <= 0.3:
        world.advance_events(replay.EVENTS)
    assert np.array_equal(state.boxes, world.snapshot().state.boxes)


def test_figure_2_5() -> None:
    rows = rows_of(coherence.measure_coherence(1, ignore, (1, 20), 500))
    for facets in (80, 320, 1280):
        slow, fast, cold = (row[f"steps_{facets}"] for row in rows)
        assert 0.0 < slow < fast < cold, "the further it turns the more steps; most without coherence"
    assert rows[0]["steps_80"] < rows[0]["steps_1280"]


def test_the_sphere_keeps_its_gap_while_it_turns() -> None:
    pool = coherence.build_pool(
        [coherence.convex(coherence.trimesh.creation.icosphere(2).vertices), coherence.box((1.0, 1.0, 1.0))]
    )
    turn = (0.9998476951563913, 0.01745240643728351, 0.0, 0.0)
    tracked = coherence.track_features(*pool, coherence.HEIGHT, (1.0, 0.0, 0.0, 0.0), turn, 50, True)
    cold = coherence.track_features(*pool, coherence.HEIGHT, (1.0, 0.0, 0.0, 0.0), turn, 50, False)
    assert tracked[1] == pytest.approx(cold[1], abs=1e-12)
    assert 0.1 <= tracked[1] < 0.12


def test_figure_7_8() -> None:
    table = check_rate.measure_check_rate(1, ignore, 1.1)
    rows = rows_of(table)
    rates = table.series["rates_hz"]
    assert len(rates) == 110
    assert max(rates) == max(row["most_hz"] for row in rows)
    assert rows[-1]["span"] == "all after 1" and rows[-1]["thesis_hz"] == 3000.0
    assert rows[-1]["mean_hz"] == pytest.approx(sum(rates[100:]) / 10)
    assert rows[-1]["mean_hz"] < rows[0]["mean_hz"], "after the break there is less to check"


def test_figures_7_21_and_7_22() -> None:
    start, slalom = rows_of(ride.measure_lean(1, ignore, 3.2))
    assert start["stretch"] == "start" and slalom["begin_s"] == pytest.approx(2.1, abs=0.1)
    assert slalom["least"] < -15.0 and slalom["rms"] < slalom["worst"] < 2.0
    table = ride.measure_speed(1, ignore, 0.2)
    assert rows_of(table)[0]["worst"] < 0.01
    assert len(table.series["speed"]) == len(table.series["wanted_speed"]) == len(table.series["time_s"]) == 5


def test_figure_2_16() -> None:
    with_it, without = rows_of(hashing.compare_heaps(1, ignore, 0.5))
    assert without["pairs_mean"] == without["pairs_most"] == 36.0, "nine bodies, every pair"
    assert with_it["pairs_mean"] < without["pairs_mean"]
    assert with_it["heap_mean"] < without["heap_mean"]


def test_section_2_4_4() -> None:
    rows = rows_of(hashing.compare_sorting(1, ignore, (9, 36), 1000))
    assert [row["dice"] for row in rows] == [9, None, 36, None]
    assert rows[0]["exchanges"] == rows[2]["exchanges"] == 0.0
    assert rows[1]["exchanges"] < rows[3]["exchanges"], "sorting does more for each event the more dice there are"
    assert rows[1]["buckets"] == rows[3]["buckets"] == 0.0


def test_tables_6_1_and_6_2() -> None:
    solids = rows_of(integrals.measure_solids(1, ignore))
    assert all(row["error"] < 1e-14 for row in solids)
    spheres = rows_of(integrals.measure_spheres(1, ignore, (0, 2)))
    for row in spheres:
        assert row["volume"] == pytest.approx(row["thesis_volume"], abs=6e-4)
        assert row["second"] == pytest.approx(row["thesis_second"], abs=6e-5)
    assert [row["faces"] for row in spheres] == [20, 320]
