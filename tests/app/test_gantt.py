"""Contacts over time: what pairs do is told where it changes, remembered within bounds, and painted as bars."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from arro3.io import read_parquet
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.simulation.ledger import Ledger
from app.simulation.messages import PAIR_STATE, SAMPLE, Batch
from app.simulation.pair_states import APART, ASLEEP, ROLL, SLIDE, STICK, PairStates, states_of_pairs
from app.view.plots.export import export
from app.view.plots.gantt import HEAD, LEFT, ROW, ContactGantt, columns_of, shade_of
from app.view.plots.live import LivePlots
from app.view.plots.pair_log import Bars, PairLog
from app.view.theme import colours
from engine import World
from engine.recording.events import EVENT, EVENT_KINDS
from tests.scenes import ball, body, floor, scene

FRAME = 1.0 / 60.0
G, MU = 9.81, 0.5


def changes(*told: tuple[float, int, int, int]) -> np.ndarray:
    return np.array(list(told), dtype=PAIR_STATE)


def hits(times: Sequence[float], a: int, b: int) -> np.ndarray:
    events = np.zeros(len(times), dtype=EVENT)
    events["time"], events["body_a"], events["body_b"] = times, a, b
    return events


NOTHING = np.zeros(0, dtype=EVENT)


def listed(bars: Bars) -> list[tuple[int, float, float, int]]:
    return [(int(row), float(a), float(b), int(state)) for row, a, b, state in zip(*bars, strict=True)]


def recorded(world: World, until: float) -> tuple[PairLog, np.ndarray]:
    """The log of a world that is read once a frame, and its events."""
    log, ledger = PairLog(), Ledger()
    ledger.start(world.time)
    events = []
    while world.time < until:
        world.advance_to(world.time + FRAME)
        now = world.events()
        events.append(now)
        ledger.sample(world, now, world.contacts())
    told = ledger.take()
    assert told is not None
    log.append(told[3], told[0])
    return log, np.concatenate(events)


# --- what pairs do, beside the world itself ------------------------------------------------------------------------


def test_a_block_that_slides_sticks_from_where_it_stops_on() -> None:
    """v / (mu g), and the velocity of the block itself, say when it stops."""
    speed = 2.0
    block = body("block", {"box": [0.4, 0.4, 0.05]}, (0, 0, 0.025), velocity=[speed, 0.0, 0.0])
    made = scene(floor(), block, friction=MU, restitution=0.0, sleep=False)
    log, _ = recorded(World(made), 0.8)
    pairs, number = log.choose((), 10)
    assert number == 1 and log.bodies[pairs].tolist() == [[0, 1]]
    told = listed(log.bars(pairs, 0.0, 0.8, 0.8))
    (begin,) = [bar[1] for bar in told if bar[3] == STICK]
    assert [bar[3] for bar in told] == [SLIDE, STICK]
    again = World(made)
    while np.linalg.norm(again.twists()[1, :3]) > 1e-4:
        again.advance_to(again.time + 1e-3)
    assert 0.0 <= begin - again.time <= FRAME + 1e-3
    assert begin == pytest.approx(speed / (MU * G), abs=1.5 * FRAME)
    assert told[0][2] == told[1][1], "the slide ends where it sticks"


def test_a_ball_slides_until_it_rolls() -> None:
    """A ball that is shot without spin rolls after 2 v / (7 mu g)."""
    speed = 2.0
    made = scene(floor(), ball("ball", (0, 0, 0.1), (speed, 0, 0)), friction=MU, restitution=0.0)
    log, _ = recorded(World(made), 0.6)
    told = listed(log.bars(log.choose((), 10)[0], 0.0, 0.6, 0.6))
    assert [bar[3] for bar in told] == [SLIDE, ROLL]
    assert told[1][1] == pytest.approx(2.0 * speed / (7.0 * MU * G), abs=1.5 * FRAME)


def test_what_bounces_has_a_mark_a_hit_and_then_lies_and_sleeps() -> None:
    made = scene(floor(), ball("ball", (0, 0, 0.3)), restitution=0.5)
    world = World(made)
    log, events = recorded(world, 3.0)
    pairs, _ = log.choose((), 10)
    _, times = log.hits_of(pairs, 0.0, 3.0)
    kinds = [EVENT_KINDS.index(kind) for kind in ("collision", "microcollision", "arrest")]
    assert times.tolist() == events["time"][np.isin(events["kind"], kinds)].tolist()
    assert times[0] == pytest.approx((2 * 0.2 / G) ** 0.5, abs=1e-3)
    told = listed(log.bars(pairs, 0.0, 3.0, 3.0))
    assert told[0][1] > times[0], "a bounce is not a stay"
    fell = events["time"][events["kind"] == EVENT_KINDS.index("sleep")]
    assert told[-1][3] == ASLEEP and 0.0 <= told[-1][1] - fell[-1] <= FRAME + 1e-9


def test_what_rolls_on_a_sleeper_rolls_and_what_that_lies_on_sleeps() -> None:
    slab = body("slab", {"box": [1.0, 0.3, 0.1]}, (0, 0, 0.0501), mass=5.0, asleep=True)
    turns = {"angular_velocity": [0.0, 4.0, 0.0]}
    world = World(scene(floor(), slab, ball("ball", (-0.3, 0, 0.2002), (0.4, 0, 0), **turns), contact="hybrid"))
    world.advance_to(0.3)
    assert world.asleep().tolist() == [False, True, False]
    keys, states = states_of_pairs(world.contacts(), world)
    told = {(int(key) >> 31, int(key) & 0x7FFFFFFF): int(state) for key, state in zip(keys, states, strict=True)}
    assert told == {(0, 1): ASLEEP, (1, 2): ROLL}


def test_what_lies_still_tells_nothing_more() -> None:
    boxes = [body(f"box {k}", {"box": [0.2] * 3}, (0, 0, 0.1 + 0.2 * k)) for k in range(3)]
    world = World(scene(floor(), *boxes, sleep=False))
    states, told = PairStates(), []
    for _ in range(10):
        world.advance_to(world.time + FRAME)
        told.append(states.read(world, world.contacts()))
    assert told[0][["body_a", "body_b"]].tolist() == [(-1, -1), (0, 1), (1, 2), (2, 3)]
    assert all(len(later) == 0 for later in told[1:])
    states.forget()
    assert len(states.read(world, world.contacts())) == 4, "it is told in full again"


# --- the log ------------------------------------------------------------------------------------------------------


def test_bars_of_pairs() -> None:
    log = PairLog()
    log.append(changes((0.0, -1, -1, 0), (0.0, 1, 0, SLIDE), (0.5, 2, 1, STICK), (1.0, 0, 1, STICK)), NOTHING)
    log.append(changes((2.0, 1, 2, APART)), hits([2.5], 1, 2))
    pairs, number = log.choose((), 10)
    assert number == 2 and log.bodies.tolist() == [[0, 1], [1, 2]]
    assert listed(log.bars(pairs, 0.0, 3.0, 3.0)) == [(0, 0, 1, SLIDE), (0, 1, 3, STICK), (1, 0.5, 2, STICK)]
    assert listed(log.bars(pairs[::-1], 1.5, 3.0, 4.0)) == [(0, 0.5, 2, STICK), (1, 1, 4, STICK)]
    assert log.choose((2,), 10)[0].tolist() == [1]
    assert log.hits_of(pairs, 0.0, 3.0)[0].tolist() == [1]
    log.cut(1.5)
    assert len(log.hits) == 0
    log.append(changes((1.6, -1, -1, 0), (1.6, 0, 1, SLIDE)), NOTHING)
    assert listed(log.bars(pairs, 0.0, 3.0, 2.0)) == [
        (0, 0, 1, SLIDE),
        (0, 1, 1.6, STICK),
        (0, 1.6, 2, SLIDE),
        (1, 0.5, 1.6, STICK),
    ], "another future: what touched before it is not taken to touch in it"
    log.clear()
    assert not len(log) and log.choose((), 10) == (pytest.approx([]), 0)


def test_what_lasts_is_not_told_again_and_stays_when_the_rest_is_cleared() -> None:
    log = PairLog()
    log.append(changes((0.0, -1, -1, 0), (0.0, 1, 0, SLIDE), (0.5, 2, 1, STICK), (1.0, 0, 1, STICK)), hits([1.0], 1, 2))
    log.append(changes((2.0, 1, 2, APART)), NOTHING)
    log.clear_until(3.0)
    pairs, number = log.choose((), 10)
    assert number == 1 and len(log.hits) == 0
    assert listed(log.bars(pairs, 0.0, 9.0, 4.0)) == [(0, 3.0, 4.0, STICK)]


def test_a_full_log_forgets_the_oldest_but_not_what_lasts() -> None:
    log = PairLog(capacity=64)
    log.append(changes((0.0, -1, -1, 0), (0.0, 0, 1, STICK)), NOTHING)
    for k in range(500):
        log.append(changes((0.1 * k, 1, 2, SLIDE if k % 2 else STICK)), hits([0.1 * k], 1, 2))
        assert len(log._changes.rows) <= 64 and len(log.hits) <= 256
    pairs, _ = log.choose((), 10)
    told = listed(log.bars(pairs, 0.0, 60.0, 60.0))
    assert told[0] == (0, 0.0, 60.0, STICK)
    mine = [bar for bar in told if bar[0] == 1]
    assert all(one[2] == other[1] for one, other in itertools.pairwise(mine)) and mine[-1][2] == 60.0


def test_busiest_pairs_come_first_where_there_is_no_room_for_all() -> None:
    log = PairLog()
    for pair in range(1, 9):
        log.append(changes((0.0, 0, pair, STICK)), hits([0.1] * (pair % 5), 0, pair))
    pairs, number = log.choose((), 3)
    assert number == 8 and log.bodies[pairs][:, 1].tolist() == [3, 4, 8]


def test_pixels_of_bars() -> None:
    told = ((0, 0.0, 1.0, STICK), (0, 1.0, 1.001, SLIDE), (1, 2.0, 9.0, ROLL))
    bars = Bars(*(np.array(column) for column in zip(*told)))
    seen = columns_of(bars, 0.0, 10.0, 2, 40)
    assert seen[0].tolist() == [STICK] * 10 + [SLIDE] + [APART] * 29, "the shortest bar has a pixel"
    assert seen[1].tolist() == [APART] * 20 + [ROLL] * 20


# --- the panel ----------------------------------------------------------------------------------------------------


@pytest.fixture
def plots(qtbot: QtBot) -> LivePlots:
    plots = LivePlots()
    qtbot.addWidget(plots.gantt)
    plots.gantt.resize(800, 200)
    plots.gantt.show()
    qtbot.waitExposed(plots.gantt)
    plots.set_scene(("floor", "left", "right"), "hybrid")
    samples = np.zeros(0, dtype=SAMPLE)
    pairs = changes((0.0, -1, -1, 0), (0.0, 0, 1, SLIDE), (1.0, 0, 1, STICK), (2.0, 1, 2, ROLL))
    plots.feed([Batch(1, 1, hits([3.0], 0, 2), samples, pairs=pairs)])
    plots.gantt.refresh(4.0)
    return plots


def shade_at(gantt: ContactGantt, time: float, row: int, below: int = 0) -> str:
    """The colour of a row in its middle, or some pixels below it."""
    image = gantt.grab().toImage()
    return image.pixelColor(int(gantt.place_of(time)), gantt.top_of(row) + ROW // 2 + below).name()


def test_rows_names_and_colours(plots: LivePlots) -> None:
    gantt, c = plots.gantt, colours()
    assert [gantt.name_of(row) for row in range(3)] == ["floor – left", "left – right", "floor – right"]
    for time, row, kind in ((0.5, 0, SLIDE), (1.5, 0, STICK), (3.9, 0, STICK), (2.5, 1, ROLL), (3.0, 2, "hit")):
        assert shade_at(gantt, time, row) == shade_of(kind, c), (time, row)
    assert shade_at(gantt, 1.53, 1) == c.plot_grid, "they do not touch"
    assert gantt.say(0, 0.5, 0.01) == "floor – left slide from 0.000 to 1.000 s: 1.00 s"
    assert gantt.say(2, 3.001, 0.01) == "floor – right hit each other at 3.000000 s"
    plots.set_selection((2,), ("right",))
    assert [gantt.name_of(row) for row in range(2)] == ["left – right", "floor – right"]


def test_what_a_pair_does_is_seen_below_its_hits(plots: LivePlots) -> None:
    gantt, c = plots.gantt, colours()
    many = hits(np.linspace(1.2, 1.8, 400).tolist(), 0, 1)
    plots.feed([Batch(1, 1, many, np.zeros(0, dtype=SAMPLE), pairs=changes())])
    gantt.refresh(4.0)
    assert shade_at(gantt, 1.5, 0) == shade_of("hit", c)
    assert shade_at(gantt, 1.5, 0, below=3) == shade_of(STICK, c)


def test_a_run_that_begins_anew_has_no_rows_of_the_last_one(plots: LivePlots) -> None:
    """The chart may be painted before anything of the new run has come."""
    assert len(plots.gantt.shown)
    plots.gantt.start_run()
    plots.gantt.grab()
    assert not len(plots.gantt.shown)


def test_a_click_goes_there_or_chooses_the_bodies(plots: LivePlots, qtbot: QtBot) -> None:
    gantt = plots.gantt
    with qtbot.waitSignal(plots.sought) as sought:
        QTest.mouseClick(gantt, Qt.MouseButton.LeftButton, pos=QPoint(int(gantt.place_of(2.0)), HEAD + 5))
    assert sought.args[0] == pytest.approx(2.0, abs=0.01)
    with qtbot.waitSignal(gantt.bodies_chosen) as chosen:
        QTest.mouseClick(gantt, Qt.MouseButton.LeftButton, pos=QPoint(LEFT - 30, gantt.top_of(1) + 5))
    assert chosen.args == [[1, 2]]
    plots.energy.show()
    gantt.hovered.emit(gantt.time_at(gantt.place_of(3.0)))
    assert gantt._cursor == pytest.approx(3.0, abs=0.02)
    plots.follow(2.0)
    assert gantt.window_shown == (2.0, 4.0), "in step with the other plots"
    gantt.cleared.emit()
    gantt.refresh(4.0)
    assert [gantt.name_of(row) for row in range(len(gantt.shown))] == ["floor – left", "left – right"]
    plots.forget_run()
    assert not len(gantt.log) and not len(gantt.shown)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_table_has_the_bars_and_hits_in_sight(plots: LivePlots, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"contacts{ending}"
    export(plots.gantt, path, plots.gantt.export_table)
    if ending == ".csv":
        header, *rows = list(csv.reader(path.open(encoding="utf-8", newline="")))
    else:
        table = read_parquet(path).read_all()
        header, rows = table.column_names, list(zip(*(table[name].to_pylist() for name in table.column_names)))
    assert list(header) == ["body", "other body", "state", "begin [s]", "end [s]"]
    assert [(a, b, state, float(begin), float(end)) for a, b, state, begin, end in rows] == [
        ("floor", "left", "slides", 0.0, 1.0),
        ("floor", "left", "sticks", 1.0, 4.0),
        ("left", "right", "rolls", 2.0, 4.0),
        ("floor", "right", "hit", 3.0, 3.0),
    ]


def test_the_gantt_chart_is_drawn_into_a_file(plots: LivePlots, tmp_path: Path) -> None:
    export(plots.gantt, tmp_path / "contacts.svg", plots.gantt.export_table)
    drawn = (tmp_path / "contacts.svg").read_text(encoding="utf-8")
    assert "floor – left" in drawn and "sticks" in drawn
    assert "Export what is shown…" in [action.text() for action in plots.gantt.build_menu().actions()]
