"""Between frames that come seldom, instants are read and shown: a slow crowd moves evenly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.simulation.instants import PICTURE, Instants
from app.simulation.messages import Frame, Instant
from app.view.window.between import LATEST, Between
from app.view.window.main_window import MainWindow
from tests.app.fake_world import FakeScene, FakeWorld
from tests.app.test_simulation import Bench, watch

PERIOD = 0.5  # [s] of the wall between the frames of these runs
PACE = 0.01  # simulated seconds a second


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    bench = Bench(qtbot)
    bench.simulation.request_instants(True)
    yield bench
    bench.simulation.close()


class Clock:
    """That goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def poses_at(time: float) -> np.ndarray:
    poses = np.zeros((2, 7), dtype=np.float32)
    poses[:, 0] = time
    return poses


def frame(number: int, count: int = 10, **more: object) -> Frame:
    """The frame `number` of a slow run, with `count` instants on the way to it."""
    time = PACE * PERIOD * number
    times = np.linspace(PACE * PERIOD * (number - 1), time, count + 2)[1:-1]
    made = Frame(
        generation=1,
        run=1,
        sequence=number,
        time=time,
        poses=poses_at(time),
        twists=np.zeros((2, 6), dtype=np.float32),
        energy={},
        counters={},
        contacts=None,
        heap=None,
        heap_time=0.0,
        pair=None,
        running=True,
        speed=1.0,
        achieved=PACE,
        behind=True,
        published=0.0,
        between=tuple(Instant(float(at), poses_at(float(at))) for at in times),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def play(between: Between, clock: Clock, frames: list[Frame], tick: float = 0.01) -> list[float]:
    """The times that are shown at each tick, each frame coming PERIOD after the one before."""
    shown = []
    for newest in frames:
        for _ in range(round(PERIOD / tick)):
            now = between.at(newest)
            assert now is not None and now.poses[0, 0] == np.float32(now.time)
            shown.append(now.time)
            clock.now += tick
    return shown


def test_a_slow_run_is_shown_at_an_even_pace() -> None:
    clock = Clock()
    between = Between(clock)
    shown = np.array(play(between, clock, [frame(k) for k in range(1, 9)]))
    assert np.all(np.diff(shown) >= 0.0)
    later = shown[100:]  # once it is known how seldom frames come
    ticks = np.arange(len(later))
    line = np.polyval(np.polyfit(ticks, later, 1), ticks)
    assert np.polyfit(ticks, later, 1)[0] == pytest.approx(0.01 * PACE, rel=0.05)
    assert np.abs(later - line).max() < 2.0 * PACE * PERIOD / 11.0  # an instant apart
    assert len(set(later)) > 60, "ten pictures for a frame and not one"


def test_pictures_are_not_late_by_more_than_they_must_be() -> None:
    clock = Clock()
    between = Between(clock)
    play(between, clock, [frame(k) for k in range(1, 6)])
    newest = frame(6)
    clock.now += 3.0 * LATEST  # no frame for a long time
    between.at(newest)
    clock.now += LATEST
    shown = between.at(newest)
    assert shown is newest


def test_what_pauses_is_shown_at_once() -> None:
    clock = Clock()
    between = Between(clock)
    play(between, clock, [frame(k) for k in range(1, 6)])
    paused = frame(6, running=False, between=None)
    assert between.at(paused) is paused


def test_another_run_is_shown_at_once() -> None:
    clock = Clock()
    between = Between(clock)
    play(between, clock, [frame(k) for k in range(1, 6)])
    begun = frame(0, run=2, between=())
    assert between.at(begun) is begun


def test_frames_that_come_often_are_shown_at_once() -> None:
    clock = Clock()
    between = Between(clock)
    for k in range(1, 60):
        newest = frame(k)
        assert between.at(newest) is newest
        clock.now += PICTURE


def test_after_frames_that_were_shown_at_once_nothing_older_is_shown() -> None:
    """As when a pinned run is let go."""
    clock = Clock()
    between = Between(clock)
    play(between, clock, [frame(k) for k in range(1, 6)])
    for k in range(6, 20):
        newest = frame(k)
        assert between.at(newest, at_once=True) is newest
        clock.now += PERIOD
    newest = frame(20)
    assert between.at(newest) is newest
    shown = play(between, clock, [frame(21)])
    assert min(shown) >= newest.time


def test_where_contacts_are_looked_at_each_frame_is_shown_at_once() -> None:
    clock = Clock()
    between = Between(clock)
    frames = [frame(k, between=None) for k in range(1, 6)]
    assert play(between, clock, frames) == [one.time for one in frames for _ in range(50)]


def test_instants_are_read_as_often_as_pictures_are_shown() -> None:
    clock, world = Clock(), FakeWorld(FakeScene())
    instants = Instants(clock)
    for k in range(1, 5):
        instants.take(PACE * PERIOD * k)
        clock.now += PERIOD
    instants.take(PACE * PERIOD * 5)
    world.time = PACE * PERIOD * 5
    for _ in range(1000):
        world.time += PACE * PERIOD / 1000.0
        instants.read(world)
    clock.now += PERIOD
    read = instants.take(PACE * PERIOD * 6.001)
    assert len(read) == pytest.approx(PERIOD / PICTURE, abs=1.5)
    assert all(instant.poses[0, 0] == np.float32(instant.time) for instant in read)
    instants.forget()
    assert instants.due == np.inf


def test_instants_come_with_the_frames_of_a_slow_crowd(bench: Bench) -> None:
    bench.load(period=0.004, heavy=0.2)
    bench.simulation.play()
    bench.wait_for("running")
    watch(bench, 0.5)
    frames, _ = watch(bench, 2.0)
    pairs = list(pairwise(frames[1:]))
    assert sum(len(after.between or ()) for _, after in pairs) > 2 * len(pairs) > 0
    for before, after in pairs:
        assert after.between is not None
        times = [before.time, *(instant.time for instant in after.between), after.time]
        assert np.all(np.diff(times) > 0.0)
        assert all(instant.poses[0, 0] == np.float32(instant.time) for instant in after.between)
    bench.simulation.pause()
    bench.wait_for("paused")
    assert bench.frame().between is None


@pytest.mark.parametrize("asked", ["contacts", "nothing"])
def test_where_somebody_looks_at_contacts_or_nobody_asks_pictures_are_frames(bench: Bench, asked: str) -> None:
    bench.load(period=0.004, heavy=0.2)
    bench.simulation.request_contacts(asked == "contacts")
    bench.simulation.request_instants(asked == "contacts")
    bench.simulation.play()
    bench.wait_for("running")
    frames, _ = watch(bench, 1.0)
    assert all(one.between is None for one in frames[1:])


def test_the_window_shows_an_instant_as_it_was(
    qtbot: QtBot, window: MainWindow, ready: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bodies and the time in the status bar, while the newest frame is further on."""
    window.files.open_path("scenes/dominos.toml")
    ready()  # type: ignore[operator]
    window._timer.stop()
    stands = window.playback.frame
    assert stands is not None
    clock = Clock()
    window.viewport.is_quick = True
    window._between = Between(clock)

    def at(time: float, **more: object) -> Frame:
        poses = stands.poses.copy()
        poses[:, 0] += time
        return replace(stands, time=time, poses=poses, running=True, **more)

    newest = [at(0.001 * k, sequence=1000 + k, between=()) for k in range(1, 4)]
    way = tuple(Instant(0.003 + 1e-4 * k, at(0.003 + 1e-4 * k).poses) for k in range(1, 10))
    newest.append(at(0.004, sequence=1004, between=way))
    for one in newest:
        monkeypatch.setattr(window.simulation, "latest", lambda one=one: one)
        window._tick()
        clock.now += PERIOD
    clock.now -= 0.5 * PERIOD
    window._readings._due = 0.0
    window._tick()
    shown = window.viewport._poses
    times = shown[:, 0] - stands.poses[:, 0]
    assert np.ptp(times) < 1e-6 and 0.003 < times[0] < 0.004
    assert window.status._time.text() == f"t = {round(float(times[0]), 4):.6f} s"


def test_nothing_is_read_on_the_way_to_another_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a loop begins again: no frame takes what would be read there."""
    bench.load(period=0.004, heavy=0.2)
    bench.simulation.play()
    bench.wait_for("running")
    watch(bench, 1.0)
    read: list[float] = []
    keep = Instants.read
    monkeypatch.setattr(Instants, "read", lambda self, world: (read.append(world.time), keep(self, world)))
    watch(bench, 0.5)
    assert read
    bench.worlds[0].scene = FakeScene(period=0.004)
    end = bench.frame().time + 2.0
    bench.simulation.seek(0.0)
    bench.wait_for("paused")
    read.clear()
    bench.simulation._worker.send(lambda worker: worker.go_on_to(end))
    bench.wait(lambda: bench.frame().time == end)
    assert read == []
