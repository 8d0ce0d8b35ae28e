"""The past of a run comes back to the bit, from keyframes in bounded memory; a new input begins another future."""

from __future__ import annotations

import time

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.simulation.history import FIRST_SPACING, History
from app.simulation.packing import Packing
from app.simulation.rewind import StepBack
from app.simulation.simulation import Simulation
from engine import World, load_scene
from engine.recording.contacts import MOST_CHANGES
from engine.recording.snapshot import PackedSnapshot
from tests.app.fake_world import FakeScene, FakeSnapshot, FakeWorld

SLICE = 1 / 60


def play(world: World, history: History, until: float) -> dict[float, str]:
    """Digests by time, of a run that is followed."""
    digests = {}
    while world.time < until:
        history.advance_to(world, world.time + SLICE)
        history.note(world)
        digests[world.time] = world.digest
    return digests


@pytest.fixture
def world() -> World:
    return World(load_scene("coins"))


def test_any_time_comes_back_to_the_bit(world: World) -> None:
    history = History()
    history.start(world)
    digests = play(world, history, 2.0)
    world.pull(world.names[-1], (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    history.note(world)
    world.advance_to(world.time)  # all that happens at this instant
    digests[world.time] = world.digest
    digests |= play(world, history, 3.0)
    world.release()
    history.note(world)
    world.advance_to(world.time)  # all that happens at this instant
    digests[world.time] = world.digest
    digests |= play(world, history, 4.0)
    spent = []
    random = np.random.default_rng(3)
    for t in random.permutation(list(digests))[:40].tolist():
        began = time.perf_counter()
        history.jump(world, t)
        history.advance_to(world, t)
        spent.append(time.perf_counter() - began)
        assert world.digest == digests[t], f"t = {t}"
    print(f"{1e3 * np.mean(spent):.1f} ms a jump")
    history.jump(world, history.end)
    history.advance_to(world, history.end)
    assert not history.is_past(world) and len(world.inputs) == 2


def test_memory_stays_in_bounds_and_the_start_is_kept(world: World) -> None:
    history = History(megabytes=0.2)
    history.start(world)
    digests = play(world, history, 6.0)
    assert history.size <= 0.2e6 and 4 < len(history.times) < 6.0 / FIRST_SPACING, "every other one has gone"
    assert history.times[0] == 0.0
    first = next(iter(digests))
    history.jump(world, first)
    history.advance_to(world, first)
    assert world.digest == digests[first]


def test_a_new_input_in_the_past_begins_another_future(world: World) -> None:
    history = History()
    history.start(world)
    play(world, history, 1.5)
    history.jump(world, 0.5)
    history.advance_to(world, 0.5)
    assert history.is_past(world)
    world.pull(world.names[-1], (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    history.fork(world, 0)
    history.note(world)
    digests = play(world, history, 1.0)
    assert history.end == pytest.approx(1.0, abs=SLICE) and max(history.times) <= history.end
    again = World(world.scene)
    again.replay(world.inputs, world.time)
    assert again.digest == digests[world.time]


def test_single_events_of_the_past_keep_to_what_came_from_outside(world: World) -> None:
    history = History()
    history.start(world)
    play(world, history, 0.3)
    world.pull(world.names[-1], (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    world.advance_to(world.time)
    history.note(world)
    digests = play(world, history, 0.5)
    history.jump(world, 0.0)
    while world.next_event_time <= history.end or len(world.inputs) == 0:
        assert history.step_event(world) == 1
    world.advance_to(history.end)
    assert world.digest == digests[history.end]


def test_what_is_known_is_not_told_again(qtbot: QtBot) -> None:
    simulation = Simulation(make_world=World)

    def stands(time: float) -> bool:
        frame = simulation.latest()
        return frame is not None and simulation.state == "paused" and frame.time == time

    with qtbot.waitSignal(simulation.loaded, timeout=60_000):
        simulation.load(load_scene("coins"))
    for _ in range(40):
        simulation.step_frame()
    qtbot.waitUntil(lambda: simulation.state == "paused" and simulation.latest().time > 0.66, timeout=60_000)
    end = simulation.latest().time
    assert sum(len(batch.events) for batch in simulation.drain_events()) > 10
    for there in (0.25, 0.4, end):
        simulation.seek(there)
        qtbot.waitUntil(lambda there=there: stands(there), timeout=20_000)
        assert simulation.latest().end == end
        assert sum(len(batch.events) + len(batch.samples) for batch in simulation.drain_events()) == 0
    simulation.close()


class Reader:
    """Keeps what the simulation tells, as a plot does: what is gone another way is cut off."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.totals: dict[float, float] = {}
        self.hits: list[float] = []

    def read(self) -> None:
        for batch in self._simulation.drain_events():
            if len(batch.samples):
                start = float(batch.samples["time"][0])
                self.totals = {t: total for t, total in self.totals.items() if t < start}
                self.hits = [t for t in self.hits if t <= start]
            self.totals |= dict(zip(batch.samples["time"].tolist(), batch.samples["total"].tolist(), strict=True))
            self.hits += batch.events["time"][batch.events["kind"] == 0].tolist()


def stand(qtbot: QtBot, simulation: Simulation, reader: Reader, time: float) -> None:
    qtbot.waitUntil(
        lambda: simulation.state == "paused" and abs(simulation.latest().time - time) < 1e-12, timeout=60_000
    )
    reader.read()


def assert_drawn_as_before(now: dict[float, float], before: dict[float, float]) -> None:
    """The samples need not be at the same times, but where they are they agree; at the end there is one.

    At the instant of the pull some are before its first kick, and some after it.
    """
    assert max(now) == max(before) and len(now) > 0.5 * len(before)
    shared = (now.keys() & before.keys()) - {0.5}
    assert {t: now[t] for t in shared} == {t: before[t] for t in shared}


def test_the_old_future_is_a_branch_that_one_can_return_to(qtbot: QtBot) -> None:
    simulation = Simulation(make_world=World)
    scene = load_scene("coins")
    reader = Reader(simulation)
    with qtbot.waitSignal(simulation.loaded, timeout=60_000):
        simulation.load(scene)
    for _ in range(60):
        simulation.step_frame()
    stand(qtbot, simulation, reader, 1.0)
    first, hits, poses = dict(reader.totals), list(reader.hits), simulation.latest().poses
    simulation.seek(0.5)
    stand(qtbot, simulation, reader, 0.5)
    simulation.pull(len(scene.bodies) - 1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    for _ in range(15):
        simulation.step_frame()
    stand(qtbot, simulation, reader, 0.75)
    frame = simulation.latest()
    assert frame.branch == 2 and frame.end == frame.time
    (kept,) = frame.branches
    assert (kept.number, kept.start, kept.inputs) == (1, 0.5, 0) and abs(kept.end - 1.0) < 1e-12
    second, pulled = dict(reader.totals), frame.poses

    simulation.go_to_branch(1)
    stand(qtbot, simulation, reader, 1.0)
    np.testing.assert_array_equal(simulation.latest().poses, poses)
    assert reader.hits == hits and simulation.latest().branches[0].number == 2
    assert_drawn_as_before(reader.totals, first)
    simulation.go_to_branch(2)
    stand(qtbot, simulation, reader, 0.75)
    np.testing.assert_array_equal(simulation.latest().poses, pulled)
    assert_drawn_as_before(reader.totals, second)

    simulation.reset()
    stand(qtbot, simulation, reader, 0.0)
    assert [branch.number for branch in simulation.latest().branches] == [1, 2], "no pull is lost"
    simulation.go_to_branch(2)
    stand(qtbot, simulation, reader, 0.75)
    np.testing.assert_array_equal(simulation.latest().poses, pulled)
    simulation.close()


def test_back_at_the_start_what_came_at_the_start_has_not_come_yet(qtbot: QtBot) -> None:
    simulation = Simulation(make_world=World)
    reader = Reader(simulation)
    with qtbot.waitSignal(simulation.loaded, timeout=60_000):
        simulation.load(load_scene("block_drop"))
    simulation.change("world.gravity", (0.0, 0.0, -5.0))
    qtbot.waitUntil(lambda: len(simulation.latest().changes) == 1, timeout=20_000)
    simulation.reset()
    qtbot.waitUntil(lambda: not simulation.latest().changes, timeout=20_000)
    for _ in range(6):
        simulation.step_frame()
    stand(qtbot, simulation, reader, 0.1)
    assert simulation.inputs() == () and simulation.latest().inputs == ()
    simulation.close()


def test_a_future_begun_amid_a_pull_goes_on_without_it_unless_somebody_holds(qtbot: QtBot) -> None:
    simulation = Simulation(make_world=World)
    reader = Reader(simulation)
    with qtbot.waitSignal(simulation.loaded, timeout=60_000):
        simulation.load(load_scene("block_drop"))

    def go_on(frames: int) -> float:
        time = simulation.latest().time
        for _ in range(frames):
            simulation.step_frame()
        stand(qtbot, simulation, reader, time + frames / 60)
        return float(simulation.latest().poses[2, 2])

    rests = go_on(60)
    simulation.pull(2, (0.0, 0.0, 0.0), (0.0, 0.0, 0.8))
    lifted = go_on(60)
    assert lifted > rests + 0.2
    simulation.release()
    go_on(60)
    simulation.seek(2.0 - 1e-3)
    stand(qtbot, simulation, reader, 2.0 - 1e-3)
    simulation.change("world.gravity", (0.0, 0.0, -9.8))
    assert go_on(60) < lifted - 0.2, "nobody holds it"

    simulation.pull(2, (0.0, 0.0, 0.0), (0.0, 0.0, 0.8))
    assert go_on(120) > rests + 0.2
    simulation.seek(0.5)  # it is let go of where nothing is held
    stand(qtbot, simulation, reader, 0.5)
    simulation.release()
    end = simulation.latest().end
    simulation.seek(end)
    stand(qtbot, simulation, reader, end)
    assert go_on(60) < lifted - 0.2
    simulation.close()


def test_what_takes_long_to_compute_has_keyframes_closer_together() -> None:
    class Dear(FakeWorld):
        a_tick = 0.02

        @property
        def seconds(self) -> dict[str, float]:
            return {"closest": 0.25 * self.a_tick * self.ticks, "heap": 0.75 * self.a_tick * self.ticks}

    class Cheap(Dear):
        a_tick = 1e-6

    for kind, apart in ((Dear, 0.05), (Cheap, 0.25)):
        world, history = kind(FakeScene()), History()
        history.start(world)
        for k in range(1, 101):
            history.advance_to(world, 0.01 * k)
            history.note(world)
        assert np.diff(history.times) == pytest.approx(np.full(len(history.times) - 1, apart), abs=0.011)


def test_keeping_keyframes_takes_a_tenth_of_the_time() -> None:
    class Large(FakeWorld):
        @property
        def seconds(self) -> dict[str, float]:
            return {"group": 0.02 * self.ticks}

        def snapshot(self) -> FakeSnapshot:
            time.sleep(0.02)
            return super().snapshot()

    world, history = Large(FakeScene()), History()
    history.start(world)
    for k in range(1, 101):
        history.advance_to(world, 0.01 * k)
        history.note(world)
    assert np.diff(history.times).min() >= 0.099  # in which it has computed for ten times as long


def test_what_takes_long_to_keep_is_packed_by_another_thread(world: World) -> None:
    """It is there at once, and to the bit, while it is packed and afterwards."""
    history = History()
    history.start(world)
    history._keeping = 1.0  # as if there were ten thousand of them
    world.advance_to(20.0)
    history.note(world)
    kept, digest = history.current.keyframes[-1], world.digest
    assert kept.time == 20.0 and kept.size > 0 and isinstance(kept.snapshot, Packing)
    world.advance_to(21.0)
    for _ in range(2):
        history.restore(world, kept)
        assert world.digest == digest
        kept.snapshot.wait()
    assert kept.size == world.snapshot().pack().nbytes
    assert PackedSnapshot.from_bytes(kept.snapshot.to_bytes()).unpack().digest == digest


class SlowToTell(World):
    """As if it had ten thousand bodies."""

    def contacts(self, most: int = MOST_CHANGES) -> np.ndarray:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
        return super().contacts(most)


def test_what_is_told_of_a_crowd_is_what_happened_wherever_one_has_gone_meanwhile(qtbot: QtBot) -> None:
    """Samples are few then: none of what comes between them is lost to a look into the past."""
    simulation = Simulation(make_world=SlowToTell)
    with qtbot.waitSignal(simulation.loaded, timeout=60_000):
        simulation.load(load_scene("coins"))
    batches, shown = simulation.drain_events(), {}
    for there in (0.1, 0.25, 0.2):
        later = simulation.latest().end + 0.2
        simulation.play()
        qtbot.waitUntil(lambda later=later: simulation.latest().time > later, timeout=60_000)
        simulation.seek(there)
        qtbot.waitUntil(
            lambda there=there: simulation.state == "paused" and simulation.latest().time == there, timeout=60_000
        )
        shown[there] = simulation.latest().exact
        batches += simulation.drain_events()
    end = simulation.latest().end
    simulation.close()
    fresh = World(load_scene("coins"))
    for there in sorted(shown):
        fresh.advance_to(there)
        np.testing.assert_array_equal(shown[there], fresh.poses())
    fresh.advance_to(end)
    np.testing.assert_array_equal(np.concatenate([batch.events for batch in batches]), fresh.events())
    samples = np.concatenate([batch.samples["time"] for batch in batches])
    assert np.all(np.diff(samples) >= 0.0) and samples[-1] == end  # a command may come amid an instant


def test_what_was_told_amid_an_instant_is_not_told_again(qtbot: QtBot) -> None:
    """Event by event into the middle of an instant, back, and on: new is the rest of that instant, not all of it."""
    simulation = Simulation()
    with qtbot.waitSignal(simulation.loaded, timeout=60_000):
        simulation.load(load_scene("rows_and_rack"))
    for _ in range(130):
        simulation.step_event()
    qtbot.waitUntil(lambda: simulation.latest().counters["heap_pops"] >= 130, timeout=60_000)
    amid = simulation.latest()
    assert amid.time == pytest.approx(0.0541666667)
    simulation.seek(0.02)
    qtbot.waitUntil(lambda: simulation.state == "paused" and simulation.latest().time == 0.02, timeout=60_000)
    simulation.play()
    qtbot.waitUntil(lambda: simulation.latest().time > 0.1, timeout=60_000)
    simulation.pause()
    qtbot.waitUntil(lambda: simulation.state == "paused", timeout=60_000)
    batches = simulation.drain_events()
    end = simulation.latest().time
    simulation.close()
    fresh = World(load_scene("rows_and_rack"))
    fresh.advance_to(end)
    np.testing.assert_array_equal(np.concatenate([batch.events for batch in batches]), fresh.events())


def test_branches_share_the_memory_and_what_is_dropped_is_said(world: World) -> None:
    history = History(megabytes=0.2)
    history.start(world)
    play(world, history, 3.0)
    last = world.digest, world.time
    history.jump(world, 0.5)
    history.advance_to(world, 0.5)
    world.pull(world.names[-1], (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    history.fork(world, 0)
    play(world, history, 5.0)
    assert history.size <= 0.2e6 and history.news and "Branch 1" in history.news[0]
    assert history.switch(1)
    history.jump(world, last[1])
    history.advance_to(world, last[1])
    assert world.digest == last[0], "without its keyframes it is the same"


def test_steps_back_pass_every_event_and_every_input(world: World) -> None:
    """Down to the start the states are those of the way up, in reverse."""
    history = History()
    history.start(world)
    play(world, history, 0.2)
    world.pull(world.names[-1], (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    world.advance_to(world.time)
    history.note(world)
    play(world, history, 0.3)
    history.jump(world, 0.0)
    up = [(world.time, world.event)]
    while world.next_event_time <= history.end:
        history.step_event(world)
        up.append((world.time, world.event))
    down = []
    for _ in range(60):
        step = None
        back = StepBack(history, world, "event")
        while step is None:
            step = back.advance(world, lambda: True)
        assert step.time == world.time
        down.append((world.time, world.event))
    assert down == up[-61:-1][::-1]
    collision = StepBack(history, world, "collision").advance(world, lambda: True)
    assert collision is not None and collision.word == "collision"
