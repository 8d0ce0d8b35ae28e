"""The experiment of figure 7.10: a few throws, and all 640 of them when there is time."""

from __future__ import annotations

import itertools
import json
import math

import pytest

from engine.experiments import bowling
from engine.experiments.bowling import HOOK, STRAIGHT, Outcome
from engine.experiments.pool import run_all
from engine.experiments.table import Table


def ignore(share: float) -> None:
    assert 0.0 < share <= 1.0


def outcomes_of(table: Table, name: str) -> list[Outcome]:
    return [Outcome(*pair) for pair in zip(table.series[f"{name}_place"], table.series[f"{name}_felled"], strict=True)]


def mean(outcomes: list[Outcome], begin: float, end: float) -> float:
    felled = [outcome.felled for outcome in outcomes if begin <= outcome.place < end]
    assert felled
    return sum(felled) / len(felled)


def test_starts_fill_the_window() -> None:
    starts = [throw.x for throw in bowling.throws_of(HOOK)]
    assert len(starts) == 320
    assert min(starts) > HOOK.left and max(starts) < HOOK.left + 0.4
    assert all(b - a == pytest.approx(0.00125) for a, b in itertools.pairwise(starts))
    assert HOOK.velocity[0] / HOOK.velocity[1] == pytest.approx(math.tan(math.radians(2.0)), rel=0.005)


def test_a_few_throws_make_a_table_and_a_plot() -> None:
    table = bowling.measure_bowling(1, ignore, 3)
    assert table.name == "figure_7_10"
    assert all(len(row) == len(table.columns) for row in table.rows)
    json.dumps(table.to_json(), allow_nan=False)
    straight, hook = outcomes_of(table, "straight"), outcomes_of(table, "hook")
    for thrown, found in zip(bowling.throws_of(STRAIGHT, 3), straight, strict=True):
        assert found.place == pytest.approx(thrown.x, abs=1e-6)
    swerves = [found.place - thrown.x for thrown, found in zip(bowling.throws_of(HOOK, 3), hook, strict=True)]
    assert swerves == pytest.approx([0.332] * 3, abs=0.002)
    for found in straight + hook:
        assert 3 <= found.felled <= 10
    shown = [cell for row in table.rows for cell in row[1:3] if cell is not None]
    assert sum(map(float, shown)) == sum(found.felled for found in straight + hook), "each in a bin of its own"
    assert table.plot is not None
    assert [series.name for series in table.plot.series] == ["straight", "hook"]
    assert sum(y for series in table.plot.series for y in series.y) == sum(map(float, shown))
    assert table.notes[0] == "3 throws of each kind."


def test_processes_change_nothing() -> None:
    throws = bowling.throws_of(STRAIGHT, 4)
    told: list[float] = []
    apart = run_all(bowling.throw_ball, throws, told.append, processes=2)
    assert apart == run_all(bowling.throw_ball, throws, ignore, processes=1)
    assert told == sorted(told) and told[-1] == 1.0


def test_a_failing_run_ends_them_all() -> None:
    for processes in (1, 2):
        with pytest.raises(ValueError, match="math domain error"):
            run_all(math.sqrt, [4.0, 1.0, -1.0, 9.0], ignore, processes)


@pytest.mark.slow
def test_all_throws_say_what_the_thesis_says() -> None:
    table = bowling.measure_bowling(1, ignore)
    straight, hook = outcomes_of(table, "straight"), outcomes_of(table, "hook")
    assert len(straight) == len(hook) == 320
    assert mean(hook, 0.06, 0.12) > mean(straight, 0.06, 0.12) + 0.2
    for side in (-1.0, 1.0):
        assert mean(straight, -0.01, 0.01) < mean(straight, *sorted((0.02 * side, 0.06 * side))) - 0.5
    assert "the hook beats it" in table.notes[1] and "it dips" in table.notes[2]
