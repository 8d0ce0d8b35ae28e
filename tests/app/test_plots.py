"""Live plots: bounded memory that keeps peaks, honest averages and gaps, a chart that shows and exports them."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from arro3.io import read_parquet
from hypothesis import given, settings
from hypothesis import strategies as st
from PyQt6 import sip
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QColor, QFontMetrics, QImage, QWheelEvent
from PyQt6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from app.simulation.messages import LOAD, SAMPLE, Batch
from app.view.plots.axes import LOG, LOG_FROM_ZERO, DecadeAxis, SiAxis, format_si
from app.view.plots.chart import WHOLE_RUN, Chart
from app.view.plots.history import Averager, History, LoadLog, Loads, RateMeter, loads_of
from app.view.plots.legend import Curve
from app.view.plots.live import LivePlots, join_batches
from app.view.theme import DARK, LIGHT, theme
from engine.recording.events import EVENT
from engine.scene.joints import Joint
from engine.scene.schema import Scene


def points(history: History, times: np.ndarray, *values: np.ndarray) -> None:
    history.append(times, times, np.stack(values))


def events_at(times: np.ndarray, impulse: float = 1.0, bodies: tuple[int, int] = (0, 1)) -> np.ndarray:
    events = np.zeros(len(times), dtype=EVENT)
    events["time"], events["impulse"][:, 2], events["normal"][:, 2] = times, impulse, 1.0
    events["body_a"], events["body_b"] = bodies
    return events


def samples_at(times: np.ndarray, **columns: np.ndarray | float) -> np.ndarray:
    samples = np.zeros(len(times), dtype=SAMPLE)
    samples["time"] = times
    for name, values in columns.items():
        samples[name] = values
    return samples


# --- history ------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=30),
    st.integers(0, 1000),
    st.sampled_from([4, 16, 64, 1024]),
)
def test_a_full_history_gets_coarser_but_loses_no_extreme(parts: list[int], seed: int, capacity: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(2, sum(parts)))
    times = np.cumsum(rng.random(sum(parts)))
    history = History(2, capacity)
    for start, stop in itertools.pairwise([0, *np.cumsum(parts)]):
        history.append(times[start:stop], times[start:stop], values[:, start:stop])
    assert len(history) <= capacity
    assert history.span == (times[0], times[-1])
    for most in (1, 8, 10_000):
        part = history.stretch(times[0], times[-1], most)
        assert np.array_equal(part.low.min(axis=1), values.min(axis=1))
        assert np.array_equal(part.high.max(axis=1), values.max(axis=1))
        assert np.all(np.diff(part.begin) > 0)
        assert np.all(part.begin <= part.end)
    if capacity == 1024:
        part = history.stretch(times[0], times[-1], 10_000)
        groups = np.minimum.reduceat(values, np.arange(0, values.shape[1], history.stride), axis=1)
        assert np.array_equal(part.low, groups)


def test_one_collision_in_a_day_stays_in_sight() -> None:
    history = History(1)
    times = np.arange(0, 86_400, 0.05)
    values = np.zeros(len(times))
    values[1_000_007] = 5.0
    for start in range(0, len(times), 9_999):
        part = slice(start, start + 9_999)
        points(history, times[part], values[part])
    part = history.stretch(0, 86_400, 800)
    assert len(part.begin) <= 800
    peak = int(np.argmax(part.high[0]))
    assert part.high[0, peak] == 5.0
    assert part.begin[peak] <= times[1_000_007] <= part.end[peak]


def test_a_window_that_moves_does_not_regroup_what_it_shows() -> None:
    history = History(1)
    times = np.arange(10_000) / 60
    points(history, times, np.sin(37 * times))
    first = history.stretch(50.0, 150.0, 100)
    second = history.stretch(50.1, 150.1, 100)
    shared = np.intersect1d(first.begin, second.begin)
    assert len(shared) > 60
    inner = slice(2, -2)
    a = first.high[0][np.isin(first.begin, shared)][inner]
    b = second.high[0][np.isin(second.begin, shared)][inner]
    assert np.array_equal(a, b)


def test_gaps_survive_merging() -> None:
    history = History(1, capacity=64)
    times = np.arange(200.0)
    points(history, times, times)
    history.cut(1000.0, gap=True)
    points(history, times + 1000, times)
    part = history.stretch(0, 2000, 10)
    assert part.starts.sum() == 2, "one at the beginning, one at the break"
    assert part.begin[part.starts][1] >= 190


def test_cut_forgets_the_future() -> None:
    history = History(1)
    points(history, np.arange(10.0), np.arange(10.0))
    history.cut(4.5)
    assert history.span == (0.0, 4.0)
    points(history, np.array([4.5]), np.array([1.0]))
    assert history.span == (0.0, 4.5)
    assert history.stretch(0, 10, 100).starts.tolist() == [True, *5 * [False]], "what comes follows on what is left"


def test_reading_out() -> None:
    history = History(1)
    assert history.at(0.0) is None
    history.append(np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([[3.0, 4.0]]))
    assert history.at(-0.1) is None
    assert history.at(0.9) == pytest.approx(3.0)
    assert history.at(1.5) == pytest.approx(4.0)


def test_the_newest_value_is_read_out_after_merging_too() -> None:
    history = History(1, 8)
    points(history, np.arange(20.0), 20.0 - np.arange(20.0))
    assert history.stride > 1
    assert history.at(19.0) == pytest.approx(1.0)
    history.cut(12.5)
    assert history.at(19.0) == pytest.approx(20.0 - history.stretch(0, 20, 100).begin[-1])


# --- averages -----------------------------------------------------------------------------------------------------


def test_impulses_become_the_mean_force_of_their_window() -> None:
    averager = Averager(0.02, 1)
    averager.start(0.0)
    times, impulses = np.array([0.001, 0.019, 0.021]), np.array([[1.0, 2.0, 4.0]])
    begin, end, force = averager.add(times, impulses, until=0.05)
    assert begin.tolist() == pytest.approx([0.0, 0.02])
    assert end.tolist() == pytest.approx([0.02, 0.04])
    assert force[0].tolist() == pytest.approx([150.0, 200.0])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.001, 0.02, 0.5]))
def test_batches_do_not_matter_and_no_impulse_is_lost(seed: int, window: float) -> None:
    rng = np.random.default_rng(seed)
    times = np.sort(rng.random(200) * 3.0)
    impulses = rng.random((2, 200))
    whole, parts = History(2), History(2)
    averager = Averager(window, 2)
    averager.start(0.0)
    averager.fill(whole, times, impulses, 4.0)
    averager = Averager(window, 2)
    averager.start(0.0)
    now = 0.0
    for until in [*np.sort(rng.random(20) * 4.0), 4.0]:
        here = (times > now) & (times <= until)
        averager.fill(parts, times[here], impulses[:, here], until)
        now = until
    a, b = (history.stretch(0.0, 4.0, 1 << 20) for history in (whole, parts))
    assert np.allclose(a.high, b.high)
    assert np.allclose((a.high * (a.end - a.begin)).sum(axis=1), impulses.sum(axis=1))


def test_a_window_of_which_the_beginning_is_unknown_is_not_shown() -> None:
    averager = Averager(0.1, 1)
    averager.start(0.25)
    begin, _end, force = averager.add(np.array([0.26, 0.31]), np.array([[9.0, 1.0]]), until=0.4)
    assert begin.tolist() == pytest.approx([0.3])
    assert force[0].tolist() == pytest.approx([10.0])


def test_a_jump_of_a_year_takes_bounded_memory() -> None:
    history, averager = History(1), Averager(0.02, 1)
    averager.start(0.0)
    averager.fill(history, np.array([0.01, 1e5]), np.array([[1.0, 2.0]]), 1e5 + 1.0)
    part = history.stretch(0, 2e5, 1 << 20)
    assert len(history) <= 1 << 16
    assert part.high.max() == pytest.approx(100.0)


def test_rates_count_between_readings_only() -> None:
    meter = RateMeter(0.05)
    times = np.arange(0, 7) / 60
    counts = np.array([[0, 1, 2, 3, 30, 31, 32]], dtype=float)
    begin, end, rate = meter.add(times, counts)
    assert begin.tolist() == pytest.approx([0.0, 3 / 60])
    assert end.tolist() == pytest.approx([3 / 60, 6 / 60])
    assert rate[0].tolist() == pytest.approx([60.0, 29 * 20])
    begin, _end, rate = meter.add(np.array([7, 8, 9]) / 60, np.array([[32.0, 32.0, 38.0]]))
    assert begin.tolist() == pytest.approx([6 / 60])
    assert rate[0].tolist() == pytest.approx([6 * 20.0])


def loads_at(times: np.ndarray) -> Loads:
    """A hit and a reading of one held contact at each time."""
    held = np.zeros(len(times), dtype=LOAD)
    held["body_b"], held["normal"], held["friction"] = 1, times, 2.0
    return loads_of(events_at(times), samples_at(times, held=1), held)


def test_the_log_keeps_the_newest_loads_in_order() -> None:
    log = LoadLog(capacity=3200)
    for start in range(0, 3000, 30):
        log.append(loads_at(np.arange(start, start + 30, dtype=float)))
    loads = log.joined()
    assert loads is not None and loads.size == len(log) <= 3200
    assert log.since is not None and 1800 < log.since < 2100
    assert loads.times.tolist() == np.arange(log.since + 1, 3000).tolist() == loads.read.tolist()
    assert loads.read[loads.reading].tolist() == loads.forces[0].tolist(), "each force stays with its reading"
    assert loads.impulses.shape == (2, len(loads.times)) and loads.bodies.shape == (2, len(loads.times))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.001, 0.02, 0.5]), st.integers(1, 40))
def test_held_forces_hold_since_the_reading_before(seed: int, window: float, parts: int) -> None:
    rng = np.random.default_rng(seed)
    read = np.append(np.sort(rng.random(60)) * 3.0, 3.5)
    forces = rng.random((1, len(read)))
    averager, history = Averager(window, 1), History(1)
    averager.start(0.0)
    none = np.zeros(0), np.zeros((1, 0))
    for part in np.array_split(np.arange(len(read)), parts):
        if len(part):
            averager.fill(history, *none, float(read[part[-1]]), (read[part], forces[:, part]))
    got = history.stretch(0.0, 4.0, 1 << 20)
    knots, total = np.append(0.0, read), np.append(0.0, np.cumsum(forces * np.diff(read, prepend=0.0)))
    expected = (np.interp(got.end, knots, total) - np.interp(got.begin, knots, total)) / window
    assert np.allclose(got.high[0], expected, atol=1e-9 / window)
    assert len(got.end) and got.end[-1] == pytest.approx(3.5, abs=window)


def test_a_force_that_holds_for_a_year_takes_bounded_memory() -> None:
    history, averager = History(1), Averager(0.02, 1)
    averager.start(0.0)
    none = np.zeros(0), np.zeros((1, 0))
    averager.fill(history, *none, 1e5, (np.array([1.0, 1e5]), np.array([[3.0, 7.0]])))
    part = history.stretch(0, 2e5, 1 << 20)
    assert len(history) <= 1 << 16
    assert part.high[0, 0] == pytest.approx(7.0, abs=4.0) and part.low.min() == pytest.approx(3.0)
    assert part.low[0, -1] == pytest.approx(7.0)


# --- axes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0, "J", "0 J"),
        (1.25, "J", "1.250 J"),
        (0.0125, "J", "12.50 mJ"),
        (999.96, "J", "1.000 kJ"),
        (-2.5e-6, "m", "-2.500 µm"),
        (123456.0, "/s", "123.5 k/s"),
        (42.0, "", "42"),
        (1234567.0, "", "1\u2009234\u2009567"),
        (float("nan"), "J", "–"),
        (float("inf"), "J", "–"),
    ],
)
def test_numbers_are_written_with_si_prefixes(value: float, unit: str, text: str) -> None:
    assert format_si(value, unit) == text


def test_ticks_carry_their_unit(qtbot: QtBot) -> None:
    axis = SiAxis("left", "J")
    assert axis.tickStrings([0.0, 0.25, 0.5], 1.0, 0.25) == ["0", "250 mJ", "500 mJ"]
    axis = SiAxis("bottom", "s")
    assert axis.tickStrings([1.2345, 1.2346], 1.0, 0.0001) == ["1.2345 s", "1.2346 s"]
    assert axis.tickStrings([1000.0, 1500.0], 1.0, 500.0) == ["1000 s", "1500 s"]


def test_decades_and_zero(qtbot: QtBot) -> None:
    axis = DecadeAxis("left", "/s", LOG_FROM_ZERO)
    ((_, places),) = axis.tickValues(-0.1, LOG_FROM_ZERO.place(5e5), 200.0)
    assert sorted(zip(places, axis.tickStrings(places, 1.0, 1.0)))[0] == (0.0, "0")
    assert {"10 /s", "1 k/s", "100 k/s"} <= set(axis.tickStrings(places, 1.0, 1.0))
    axis = DecadeAxis("left", "s", LOG)
    ((_, places),) = axis.tickValues(-3.5, -2.5, 200.0)
    assert axis.tickStrings(places, 1.0, 1.0) == ["500 µs", "1 ms", "2 ms"]
    assert np.isnan(LOG.forward(np.array([0.0]))).all()


# --- charts -------------------------------------------------------------------------------------------------------


@pytest.fixture
def plots(qtbot: QtBot) -> Iterator[LivePlots]:
    plots = LivePlots()
    hinge = {"name": "hinge", "kind": "hinge", "bodies": ("rod",), "point": (0.0, 0.0, 0.0), "axis": (0.0, 1.0, 0.0)}
    plots.joint.set_joint(0, Joint.model_validate(hinge))  # the one that samples are of
    for panel in plots.panels:
        qtbot.addWidget(panel)
        panel.resize(900, 220)
        panel.show()
        qtbot.waitExposed(panel)
    yield plots
    # Now, and all of it: what the collector takes apart while Qt still paints it crashes.
    for panel in plots.panels:
        panel.close()
        sip.delete(panel)


class Feeder:
    """A run as the simulation thread would tell it."""

    def __init__(self, plots: LivePlots) -> None:
        self.plots, self.run, self.time = plots, 1, 0.0

    def start(self) -> None:
        self.run, self.time = self.run + 1, 0.0

    def play(self, seconds: float) -> None:
        times = np.linspace(self.time, self.time + seconds, round(seconds * 60) + 1)
        if self.time > 0:
            times = times[1:]
        hits = np.arange(np.floor(self.time / 0.01) + 1, np.floor(times[-1] / 0.01) + 0.5) * 0.01
        samples = samples_at(
            times,
            kinetic=1.0,
            potential=2.0,
            total=3.0,
            work=4.0,
            heap_size=7.0,
            pair_checks=600 * times,
            heap_pops=1000 * times,
        )
        samples["sliding"] = 0.1 * times
        samples["collisions"] = np.floor(times / 0.01)
        samples["seconds_closest"], samples["feature_steps"] = 0.25 * times, 40 * times
        samples["seconds_sweeps"], samples["seconds_group"] = 0.5 * times, 0.125 * times
        samples["held"] = 1
        held = np.zeros(len(samples), dtype=LOAD)
        held["body_a"], held["body_b"], held["normal"], held["friction"] = 3, 4, 30.0, 4.0
        self.plots.feed([Batch(1, self.run, events_at(hits, 0.5), samples, held)])
        for time in times:
            self.plots.add_distance(float(time), 1e-3)
        self.time = float(times[-1])
        self.plots.refresh()


def drawn(chart: Chart, curve: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = chart._lines[curve].getData()
    return np.asarray(x), np.asarray(y)


def test_energy_is_drawn_as_it_was_read(plots: LivePlots) -> None:
    Feeder(plots).play(2.0)
    chart, losses = plots.energy.charts
    assert [np.nanmax(drawn(losses, curve)[1]) for curve in range(5)] == pytest.approx([0.2] * 5), "one on the other"
    for curve, value in enumerate((1.0, 2.0, 0.0, 3.0)):
        x, y = drawn(chart, curve)
        kept = np.isfinite(y)
        assert np.allclose(y[kept], value)
        assert x[kept][0] == 0.0 and x[kept][-1] == pytest.approx(2.0)
    (low, high) = chart.plot.getViewBox().viewRange()[1]
    assert low <= 0.0 and high > 3.0


def test_forces_of_all_and_of_the_selected(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(1.0)
    (chart,) = plots.forces.charts
    assert not chart._keys[2].is_on
    assert np.nanmedian(drawn(chart, 0)[1]) == pytest.approx(80.0), "0.5 N s every 10 ms, and 30 N are held"
    assert np.nanmedian(drawn(chart, 1)[1]) == pytest.approx(4.0)
    plots.set_selection((1,), ("cue",))
    assert chart._keys[2].is_on and chart._keys[2].name == "cue, normal"
    assert np.nanmedian(drawn(chart, 2)[1]) == pytest.approx(50.0), "what was seen before counts too"
    plots.set_selection((3,), ("block",))
    assert np.nanmedian(drawn(chart, 2)[1]) == pytest.approx(30.0)
    assert np.nanmedian(drawn(chart, 3)[1]) == pytest.approx(4.0)
    plots.set_selection((5,), ("other",))
    assert np.nanmax(drawn(chart, 2)[1]) == 0.0
    plots.set_selection((), ())
    assert not chart._keys[2].is_on and not chart._keys[3].is_on


def test_the_averaging_window_can_be_changed_afterwards(plots: LivePlots) -> None:
    Feeder(plots).play(1.0)
    (chart,) = plots.forces.charts
    chart.window_chosen.emit(0.001)
    y = drawn(chart, 0)[1]
    assert np.nanmax(y) == pytest.approx(530.0), "a hit of 0.5 N s fills one millisecond in ten"
    assert np.nanmin(y) == pytest.approx(30.0)
    assert "1 ms" in chart._note.text()


def test_rates_and_steps_of_the_heap(plots: LivePlots) -> None:
    Feeder(plots).play(2.0)
    rates, size, step = plots.heap.charts
    assert np.nanmedian(LOG_FROM_ZERO.backward(drawn(rates, 0)[1])) == pytest.approx(600.0)
    assert np.nanmedian(LOG_FROM_ZERO.backward(drawn(rates, 1)[1])) == pytest.approx(100.0, rel=0.25)
    assert np.nanmax(drawn(rates, 2)[1]) == 0.0, "nothing happening is drawn at zero"
    assert np.nanmax(drawn(size, 0)[1]) == 7.0
    assert np.nanmedian(LOG.backward(drawn(step, 0)[1])) == pytest.approx(1e-3)


def test_computing_time_by_stage(plots: LivePlots) -> None:
    Feeder(plots).play(2.0)
    costs, groups, work = plots.stages.charts
    names = [curve.name for curve in costs.curves]
    assert np.nanmedian(drawn(costs, names.index("closest"))[1]) == pytest.approx(0.25)
    assert np.nanmax(drawn(costs, names.index("bound"))[1]) == 0.0
    parts = [curve.name for curve in groups.curves]
    assert np.nanmedian(drawn(groups, parts.index("sweeps"))[1]) == pytest.approx(0.5)
    assert np.nanmedian(drawn(groups, parts.index("other"))[1]) == pytest.approx(0.125)
    assert np.nanmedian(drawn(costs, names.index("groups"))[1]) == pytest.approx(0.625), "all of them together"
    steps = [curve.name for curve in work.curves].index("feature steps")
    assert np.nanmedian(LOG_FROM_ZERO.backward(drawn(work, steps)[1])) == pytest.approx(40.0)


def test_a_reset_clears_and_a_new_run_begins_at_zero(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(3.0)
    feeder.start()
    feeder.play(0.5)
    for panel in plots.panels:
        for chart in panel.charts:
            assert chart.history.span is not None
            assert chart.history.span[1] <= 0.5 + 1e-9
            assert chart.plot.getViewBox().viewRange()[0][0] == pytest.approx(0.0)


def test_a_chart_that_was_zoomed_shows_the_next_run(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(3.0)
    for chart in (chart for panel in plots.panels for chart in panel.charts):
        box = chart.plot.getViewBox()
        box.setXRange(2.0, 2.1, padding=0)
        box.sigRangeChangedManually.emit([True, False])
    feeder.start()
    feeder.play(0.5)
    for chart in (chart for panel in plots.panels for chart in panel.charts):
        assert chart.plot.getViewBox().viewRange()[0] == pytest.approx([0.0, 5.0])
        assert not chart._follow_button.isVisible()
    assert len(drawn(plots.energy.charts[0], 0)[0]) > 20


def test_another_scene_leaves_nothing_of_the_one_before(plots: LivePlots) -> None:
    Feeder(plots).play(3.0)
    plots.forget_run()
    for chart in (chart for panel in plots.panels for chart in panel.charts):
        assert chart.history.span is None
        assert all(len(drawn(chart, curve)[0]) == 0 for curve in range(len(chart.curves)))
    assert len(plots.strip.log) == 0


def test_time_that_jumps_back_cuts_the_future_off(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(3.0)
    feeder.time = 1.0
    feeder.play(0.5)
    assert plots.energy.charts[0].history.span == (0.0, pytest.approx(1.5))
    x, y = drawn(plots.energy.charts[0], 0)
    assert np.isnan(y).any(), "nothing connects the two"
    kept = x[np.isfinite(y)]
    assert np.all(np.diff(kept) > 0)


def test_a_window_that_was_held_up_takes_all_batches_as_one() -> None:
    def batch(run: int, *times: float) -> Batch:
        return Batch(1, run, events_at(np.array(times)), samples_at(np.array(times)))

    joined = join_batches([batch(1, 0.1, 0.2), batch(1, 0.3), batch(1), batch(2, 0.0), batch(2, 0.1), batch(2, 0.05)])
    assert [(part.run, part.samples["time"].tolist()) for part in joined] == [
        (1, [0.1, 0.2, 0.3]),
        (2, [0.0, 0.1]),
        (2, [0.05]),
    ]
    assert [len(part.events) for part in joined] == [3, 2, 1]


def test_clear_forgets_the_past_but_not_the_present(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(2.0)
    plots.energy.charts[0].cleared.emit()
    assert len(plots.energy.charts[0].history) == 0
    feeder.play(1.0)
    assert plots.energy.charts[0].history.span == (pytest.approx(2.0, abs=0.02), pytest.approx(3.0))
    assert np.nanmedian(drawn(plots.forces.charts[0], 0)[1]) == pytest.approx(80.0)


def test_following_the_newest_the_whole_run_or_neither(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(20.0)
    chart = plots.energy.charts[0]
    box = chart.plot.getViewBox()
    assert box.viewRange()[0] == pytest.approx([15.0, 20.0])
    plots.follow(WHOLE_RUN)
    assert box.viewRange()[0] == pytest.approx([0.0, 20.0])
    box.setXRange(3.0, 4.0, padding=0)
    box.sigRangeChangedManually.emit([True, False])
    feeder.play(1.0)
    assert box.viewRange()[0] == pytest.approx([3.0, 4.0]), "what a person chose stays"
    assert chart._follow_button.isVisible()
    chart._follow_button.click()
    assert box.viewRange()[0] == pytest.approx([0.0, 21.0])


def test_the_csv_is_what_is_shown(plots: LivePlots, tmp_path: Path) -> None:
    Feeder(plots).play(20.0)
    chart, _ = plots.energy.charts
    path = tmp_path / "energy.csv"
    rows = chart.export_table(path)
    with path.open(encoding="utf-8") as file:
        header, *body = list(csv.reader(file))
    assert header == ["time [s]", "kinetic [J]", "potential [J]", "elastic [J]", "total [J]", "work [J]"]
    assert len(body) == rows == 301
    assert [float(body[0][0]), float(body[-1][0])] == pytest.approx([15.0, 20.0])
    assert [float(text) for text in body[7][1:]] == [1.0, 2.0, 0.0, 3.0, 4.0]
    chart._keys[1].mousePressEvent(None)
    chart.export_table(path)
    assert path.read_text(encoding="utf-8").splitlines()[0] == "time [s],kinetic [J],elastic [J],total [J],work [J]"
    (forces,) = plots.forces.charts
    forces.export_table(path)
    assert path.read_text(encoding="utf-8").splitlines()[0] == "begin [s],end [s],normal [N],friction [N]"


def test_parquet_has_the_values_of_the_csv(plots: LivePlots, tmp_path: Path) -> None:
    Feeder(plots).play(20.0)
    for chart in (*plots.energy.charts, *plots.forces.charts):
        chart.export(tmp_path / "t.csv")
        chart.export(tmp_path / "t.parquet")
        with (tmp_path / "t.csv").open(encoding="utf-8") as file:
            header, *body = list(csv.reader(file))
        table = read_parquet(tmp_path / "t.parquet").read_all()
        assert table.column_names == header and len(body) > 100
        for name, column in zip(header, zip(*body)):
            assert np.array_equal(table[name].to_pylist(), np.array(column, dtype=float), equal_nan=True)


def read_columns(path: Path) -> dict[str, list[float]]:
    with path.open(encoding="utf-8") as file:
        header, *body = list(csv.reader(file))
    assert len(set(header)) == len(header)
    return {name: list(map(float, column)) for name, column in zip(header, zip(*body))}


def test_tables_have_the_pinned_run_beside_the_other(plots: LivePlots, tmp_path: Path) -> None:
    """In columns of its own, at its own times: a run says nothing of times at which only the other was read."""
    plots.set_pinned(Scene(format=1))
    Feeder(plots).play(4.0)
    pinned = plots.energy.pinned
    assert pinned is not None
    times = np.array([3.0, 3.0, 3.21, 9.0])
    pinned.histories[0].append(times, times, np.arange(20.0).reshape(5, 4))
    chart, _ = plots.energy.charts
    for ending in (".csv", ".parquet"):
        chart.export(tmp_path / f"t{ending}")
    told = read_columns(tmp_path / "t.csv")
    names = ["kinetic [J]", "potential [J]", "elastic [J]", "total [J]", "work [J]"]
    assert list(told) == ["time [s]", *names, *(f"pinned run, {name}" for name in names)]
    assert told["time [s]"] == sorted(told["time [s]"])
    own = [row for row, value in enumerate(told["kinetic [J]"]) if not np.isnan(value)]
    theirs = [row for row, value in enumerate(told["pinned run, kinetic [J]"]) if not np.isnan(value)]
    assert [told["time [s]"][row] for row in theirs] == [3.0, 3.0, 3.21], "what is not in sight is left out"
    assert [told["pinned run, potential [J]"][row] for row in theirs] == [4.0, 5.0, 6.0]
    assert len(set(own) & set(theirs)) == 1 and len(own) > 200, "one row where both were read"
    table = read_parquet(tmp_path / "t.parquet").read_all()
    assert table.column_names == list(told)
    for name, column in told.items():
        assert np.array_equal(table[name].to_pylist(), column, equal_nan=True)
    chart.compare(True)
    chart.export(tmp_path / "less.csv")
    less = read_columns(tmp_path / "less.csv")["pinned run, potential, less the start [J]"]
    assert [value for value in less if not np.isnan(value)] == [0.0, 1.0, 2.0], "less its own start"
    plots.set_pinned(None)
    chart.export(tmp_path / "alone.csv")
    assert len(read_columns(tmp_path / "alone.csv")) == 6


def test_a_pinned_run_whose_values_were_merged_has_columns_of_both_ends(qtbot: QtBot, tmp_path: Path) -> None:
    from app.view.plots.legend import Curve

    long, own = History(1, capacity=16), History(1)
    chart = Chart("Energy", [Curve("total", "J", 0)], own)
    qtbot.addWidget(chart)
    points(own, np.arange(4.0), np.arange(4.0))
    points(long, np.arange(32.0), np.arange(32.0))
    chart.show_beside(long)
    chart.show()
    chart.follow(WHOLE_RUN)
    chart.plot.setXRange(0.0, 40.0, padding=0)
    chart.export(tmp_path / "t.csv")
    told = read_columns(tmp_path / "t.csv")
    assert list(told) == [
        "begin [s]", "end [s]", "total [J]", "pinned run, total [J] min", "pinned run, total [J] max",
    ]  # fmt: skip
    lows, highs = told["pinned run, total [J] min"], told["pinned run, total [J] max"]
    assert (np.nanmin(lows), np.nanmax(highs)) == (0.0, 31.0)
    sip.delete(chart)


def test_the_dialog_of_the_export_takes_the_ending_from_the_kind(
    plots: LivePlots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Feeder(plots).play(4.0)
    chart, _ = plots.energy.charts
    kinds: list[str] = []

    def choose(_parent: QWidget, _title: str, _name: str, offered: str, *_more: object) -> tuple[str, str]:
        kinds[:] = offered.split(";;")
        return str(tmp_path / f"energy {len(os.listdir(tmp_path))}"), kinds[len(os.listdir(tmp_path))]

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    entry = next(one for one in chart.build_menu().actions() if one.text() == "Export what is shown…")
    for _ in range(4):
        entry.trigger()
    assert sorted(os.listdir(tmp_path)) == ["energy 0.csv", "energy 1.parquet", "energy 2.svg", "energy 3.png"]


def test_energy_is_drawn_against_its_start(qtbot: QtBot, tmp_path: Path) -> None:
    """However long the run, and however much its first values were merged with those after them."""
    from app.view.plots.legend import Curve

    history = History(1, capacity=16)
    chart = Chart("Energy", [Curve("total", "J", 0)], history, can_compare=True)
    qtbot.addWidget(chart)
    chart.show()
    times = np.arange(1000.0)
    points(history, times, 5.0 - 1e-6 * times)
    chart.follow(WHOLE_RUN)
    entry = next(one for one in chart.build_menu().actions() if one.text() == "Less the values at the start")
    entry.trigger()
    assert [np.nanmin(drawn(chart, 0)[1]), np.nanmax(drawn(chart, 0)[1])] == pytest.approx([-999e-6, 0.0], abs=1e-12)
    low, high = chart.plot.getViewBox().viewRange()[1]
    assert -1.2e-3 < low < -999e-6 and 0.0 <= high < 2e-4, "the little that has changed fills the chart"
    assert chart._title.text() == "Energy, less the start"
    chart.export_table(tmp_path / "t.csv")
    head, *body = (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()
    assert next(csv.reader([head])) == [
        "begin [s]", "end [s]", "total, less the start [J] min", "total, less the start [J] max",
    ]  # fmt: skip
    assert float(body[-1].split(",")[-2]) == pytest.approx(-999e-6, abs=1e-12)
    entry = next(one for one in chart.build_menu().actions() if one.text() == "Less the values at the start")
    assert entry.isChecked()
    entry.trigger()
    assert np.nanmax(drawn(chart, 0)[1]) == pytest.approx(5.0)
    sip.delete(chart)


@pytest.mark.parametrize(("values", "has_zero"), [((2.0, 8.0), True), ((7.0, 8.0), False), ((-1.0, 8.0), True)])
def test_the_axis_begins_at_zero_unless_that_would_flatten_the_curve(
    qtbot: QtBot, values: tuple[float, float], has_zero: bool
) -> None:
    from app.view.plots.legend import Curve

    history = History(1)
    chart = Chart("Energy", [Curve("total", "J", 0)], history)
    qtbot.addWidget(chart)
    chart.show()
    points(history, np.array([0.0, 1.0]), np.array(values))
    chart.follow(WHOLE_RUN)
    low, high = chart.plot.getViewBox().viewRange()[1]
    assert (low <= 0.0) == has_zero and low <= min(values) and high >= max(values)
    if values[0] == 2.0:
        assert low > -0.3, "zero is at the foot"
    sip.delete(chart)


def test_the_last_time_of_an_axis_is_whole(qtbot: QtBot) -> None:
    """Half of a label stands right of the times in sight; the widget must go on as far."""
    from PyQt6.QtGui import QFontMetricsF

    from app.view.plots.legend import Curve
    from app.view.plots.plot import FRAME

    chart = Chart("Energy", [Curve("total", "J", 0)], History(1))
    qtbot.addWidget(chart)
    chart.resize(800, 200)
    chart.show()
    qtbot.wait(20)
    box = chart.plot.getViewBox().sceneBoundingRect()
    font = chart.plot.getAxis("bottom").style["tickFont"]
    assert chart.plot.width() + FRAME - box.right() >= 0.5 * QFontMetricsF(font).horizontalAdvance("270.0 s")


def test_lines_are_as_wide_on_a_screen_of_twice_the_density(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    from PyQt6.QtCore import QEvent

    from app.view.plots.legend import Curve

    chart = Chart("Energy", [Curve("total", "J", 0)], History(1))
    qtbot.addWidget(chart)
    lines = (*chart._lines, *chart._beside_lines)
    assert [line.opts["pen"].widthF() for line in lines] == [chart.devicePixelRatioF()] * 2
    monkeypatch.setattr(Chart, "devicePixelRatioF", lambda _chart: 2.0)
    QApplication.sendEvent(chart, QEvent(QEvent.Type.DevicePixelRatioChange))
    assert [line.opts["pen"].widthF() for line in lines] == [2.0, 2.0]


def test_the_drawing_has_the_curves_as_lines_and_the_legend_as_text(plots: LivePlots, tmp_path: Path) -> None:
    Feeder(plots).play(4.0)
    chart, _ = plots.energy.charts
    chart.export(tmp_path / "energy.svg")
    drawn_file = (tmp_path / "energy.svg").read_text(encoding="utf-8")
    root = ElementTree.fromstring(drawn_file)
    texts = {"".join(node.itertext()).strip() for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"Energy", "kinetic", "potential", "total"} <= texts
    assert "<image" not in drawn_file, "nothing is pixels"
    lines = [node.get("points", "") for node in root.iter("{http://www.w3.org/2000/svg}polyline")]
    lines += [node.get("d", "") for node in root.iter("{http://www.w3.org/2000/svg}path")]
    assert max(map(len, lines)) > 200, "a curve of many points"


def test_the_picture_is_what_is_shown_twice_as_fine(plots: LivePlots, tmp_path: Path) -> None:
    Feeder(plots).play(4.0)
    chart, _ = plots.energy.charts
    chart.export(tmp_path / "energy.png")
    picture = QImage(str(tmp_path / "energy.png"))
    assert picture.size() == 2 * chart.size()
    shown = chart.grab().toImage().scaled(picture.size())
    ink, ground = QColor(theme().colours.series[0]), QColor(theme().colours.panel)
    for image in (picture, shown):
        seen = {image.pixelColor(x, y).rgb() for x in range(0, image.width(), 3) for y in range(image.height())}
        assert {ink.rgb(), ground.rgb()} <= seen


def test_ctrl_and_the_wheel_bring_values_nearer_till_the_newest_are_followed_again(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(4.0)
    chart, _ = plots.energy.charts
    box = chart.plot.getViewBox()
    before, times = box.viewRange()[1], box.viewRange()[0]
    spot = chart.plot.mapFromScene(box.mapViewToScene(QPointF(2.0, 3.0)))
    turn_wheel(chart.plot.viewport(), spot, 5, Qt.KeyboardModifier.ControlModifier)
    low, high = box.viewRange()[1]
    assert high - low == pytest.approx(0.8**5 * (before[1] - before[0]))
    assert (3.0 - low) / (high - low) == pytest.approx((3.0 - before[0]) / (before[1] - before[0]), abs=0.02)
    assert box.viewRange()[0] == pytest.approx(times), "times stay"
    feeder.play(1.0)
    assert box.viewRange()[1] == [low, high], "what a person chose stays"
    chart._follow_button.click()
    assert box.viewRange()[1] == pytest.approx(before)


def turn_wheel(widget: QWidget, spot: QPoint, notches: int, keys: Qt.KeyboardModifier) -> None:
    place = QPointF(spot)
    event = QWheelEvent(
        place, QPointF(widget.mapToGlobal(spot)), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, keys,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


def test_the_csv_of_merged_values_has_smallest_and_largest(qtbot: QtBot, tmp_path: Path) -> None:
    from app.view.plots.legend import Curve

    history = History(1, capacity=16)
    chart = Chart("Test", [Curve("height", "m", 0)], history)
    qtbot.addWidget(chart)
    chart.show()
    points(history, np.arange(100.0), np.arange(100.0) % 2)
    chart.follow(WHOLE_RUN)
    chart.export_table(tmp_path / "t.csv")
    lines = (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "begin [s],end [s],height [m] min,height [m] max"
    assert lines[1] == "0.0,7.0,0.0,1.0"
    sip.delete(chart)


def test_the_cursor_reads_all_charts(plots: LivePlots) -> None:
    Feeder(plots).play(2.0)
    plots.energy.hovered.emit(1.0)
    for panel in plots.panels:
        for chart in panel.charts:
            assert chart._mark.isVisible()
            assert chart._mark.value() == 1.0
    assert plots.energy.charts[0]._keys[3].value == "3.000 J"
    plots.energy.hovered.emit(None)
    assert not plots.energy.charts[0]._mark.isVisible()


def test_the_menu_offers_what_there_is(plots: LivePlots) -> None:
    menu = plots.forces.charts[0].build_menu()
    texts = [action.text() for action in menu.actions()]
    assert {"Average over 20 ms", "Average over 1 ms", "Show the whole run", "Clear"} <= set(texts)
    assert [action.text() for action in menu.actions() if action.isChecked()] == [
        "Follow the last 5 s",
        "Average over 20 ms",
    ]


def test_hidden_panels_draw_nothing_and_catch_up(plots: LivePlots, qtbot: QtBot) -> None:
    plots.energy.hide()
    feeder = Feeder(plots)
    feeder.play(1.0)
    assert drawn(plots.energy.charts[0], 0)[0].size == 0
    plots.energy.show()
    assert drawn(plots.energy.charts[0], 0)[0].size > 30


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_curves_are_in_the_colours_of_the_theme(plots: LivePlots, palette: object) -> None:
    Feeder(plots).play(2.0)
    theme().changed.emit(palette)
    plots.energy.resize(1600, 400)
    chart = plots.energy.charts[0]
    image = chart.plot.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert {line.opts["pen"].color().name() for line in chart._lines} <= colours
    theme().changed.emit(theme().colours)


def test_the_number_of_vertices_is_bounded_by_the_width(plots: LivePlots) -> None:
    feeder = Feeder(plots)
    feeder.play(600.0)
    plots.follow(WHOLE_RUN)
    for panel in plots.panels:
        for chart in panel.charts:
            for curve, key in enumerate(chart._keys):
                if key.is_on:
                    assert drawn(chart, curve)[0].size <= 3 * max(64, chart.plot.width()) + 10


@pytest.mark.parametrize("unit", ["J", "m/s", "rad/s"])
def test_labels_of_a_vertical_axis_have_room_whatever_their_unit(qtbot: QtBot, unit: str) -> None:
    """pyqtgraph leaves out those that have none."""
    chart = Chart("Joint velocity", [Curve("velocity", unit, 0)], History(1))
    qtbot.addWidget(chart)
    axis = chart.plot.getAxis("left")
    widest = QFontMetrics(axis.style["tickFont"]).horizontalAdvance(f"-200 m{unit}")
    assert widest <= axis.fixedWidth - axis.style["tickTextOffset"][0]
