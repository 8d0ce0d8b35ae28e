"""Redon's tables, measured once and small: right rows, the right trend said. No test knows a time."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.experiments import catalogue, motion_space
from engine.experiments.table import Table


def rows_of(table: Table) -> list[dict[str, float]]:
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert table.name in catalogue.REDON
    rows: list[dict[str, float]] = json.loads(json.dumps(table.to_json(), allow_nan=False))["rows"]
    return rows


def ignore(share: float) -> None:
    assert 0.0 <= share <= 1.0


def test_jacobians_are_those_of_the_paper() -> None:
    J = motion_space.random_jacobian(np.random.default_rng(0), 4, 200)
    assert J.shape == (200, 24)
    touched = (J.reshape(200, 4, 6) != 0).all(axis=2).sum(axis=1)
    assert set(touched) == {1, 2}
    assert 25 <= (touched == 1).sum() <= 80  # the same object twice: a quarter of the rows


@pytest.mark.parametrize("sparse", [False, True])
def test_ratios_beside_the_paper(sparse: bool) -> None:
    table = motion_space.measure_ratios(sparse, 1, ignore, (2, 7), (5, 15), 2)
    rows = rows_of(table)
    assert [row["constraints"] for row in rows] == [5, 15]
    assert [row["paper_7"] for row in rows] == ([0.62, 1.19] if sparse else [0.50, 1.08])
    assert all(row[key] > 0 for row in rows for key in ("ours_2", "ours_7"))
    assert ("trend" in table.notes[1]) == sparse


def test_trend_is_what_most_columns_do() -> None:
    rising, falling = np.array([[1.0], [1.5], [1.4], [2.0]]), np.array([[2.0], [1.5], [1.4], [1.0]])
    assert motion_space.rising_columns(np.hstack([rising, falling])) == 1
    assert "holds here" in motion_space.trend(np.hstack([rising, rising, falling]), rising, True)
    assert "does not hold" in motion_space.trend(np.hstack([rising, falling, falling]), rising, True)
    assert motion_space.rising_columns(np.array(motion_space.SPARSE)) == 5


def test_condition_in_contact_space_is_the_square() -> None:
    table = motion_space.measure_conditions(2, ignore)
    assert len(rows_of(table)) == len(motion_space.SHARES)
    below, above = np.array(table.series["motion"]), np.array(table.series["contact"])
    np.testing.assert_allclose(above, below**2, rtol=1e-3)
    assert table.plot is not None and table.plot.series[0].style == "points"
