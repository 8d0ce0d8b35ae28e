"""The simulation thread: commands are obeyed at once, frames are the newest, batches are complete and in order."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.simulation.messages import Batch, Frame, Mailbox, Step
from app.simulation.moving import FRAME
from app.simulation.simulation import AS_FAST_AS_POSSIBLE, Simulation
from app.simulation.worker import Worker
from app.view.window.playback import say_step
from engine import World
from engine.scene.reading import load_scene
from tests.app.fake_world import FakeScene, FakeWorld


class Bench:
    """A simulation over fake worlds, and what a window would do with it."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.worlds: list[FakeWorld] = []
        self.simulation = Simulation(make_world=self._make)
        self.failures: list[str] = []
        self.states: list[str] = []
        self.simulation.failed.connect(self.failures.append)
        self.simulation.state_changed.connect(self.states.append)

    def _make(self, scene: FakeScene) -> FakeWorld:
        self.worlds.append(FakeWorld(scene))
        return self.worlds[-1]

    def load(self, **behaviour: float) -> None:
        with self.qtbot.waitSignal(self.simulation.loaded):
            self.simulation.load(FakeScene(**behaviour))  # type: ignore[arg-type]

    def frame(self) -> Frame:
        frame = self.simulation.latest()
        assert frame is not None
        return frame

    def wait(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=10_000)

    def wait_for(self, state: str) -> None:
        self.wait(lambda: self.simulation.state == state and state in self.states)


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    bench = Bench(qtbot)
    yield bench
    bench.simulation.close()


def test_a_loaded_scene_stands_at_its_start(bench: Bench) -> None:
    assert bench.simulation.latest() is None
    bench.load()
    frame = bench.frame()
    assert (frame.time, frame.generation, frame.running) == (0.0, 1, False)
    assert frame.poses.shape == (2, 7) and frame.poses.dtype == np.float32
    assert frame.twists.shape == (2, 6)
    assert frame.energy["total"] == 3.0
    assert frame.heap is None
    assert not frame.poses.flags.writeable
    assert bench.simulation.state == "paused"
    (batch,) = bench.simulation.drain_events()
    assert batch.samples["time"].tolist() == [0.0]


def test_the_world_is_touched_by_its_own_thread_only(bench: Bench) -> None:
    bench.load()
    bench.simulation.play()
    bench.wait(lambda: bench.frame().time > 0.05)
    assert threading.get_ident() not in bench.worlds[0].threads
    assert len(bench.worlds[0].threads) == 1


def test_play_and_pause(bench: Bench) -> None:
    bench.load()
    bench.simulation.play()
    bench.wait(lambda: bench.frame().time > 0.3)
    assert bench.frame().running
    bench.simulation.pause()
    bench.wait_for("paused")
    frame = bench.frame()
    assert not frame.running
    bench.qtbot.wait(60)
    assert bench.frame() is frame, "nothing moves while it is paused"


def test_frames_come_at_the_rate_of_the_display(bench: Bench) -> None:
    bench.load()
    first, began = bench.frame().sequence, time.perf_counter()
    bench.simulation.play()
    bench.qtbot.wait(500)
    rate = (bench.frame().sequence - first) / (time.perf_counter() - began)
    assert 5 < rate < 90


def test_step_frame_goes_on_by_a_sixtieth(bench: Bench) -> None:
    bench.load()
    for _ in range(3):
        bench.simulation.step_frame()
    bench.wait(lambda: not bench.frame().running and bench.frame().time >= 3 * FRAME - 1e-12)
    assert bench.frame().time == pytest.approx(3 * FRAME)
    bench.wait_for("paused")


def test_step_event_goes_on_by_one_event(bench: Bench) -> None:
    bench.load(period=0.25)
    bench.simulation.drain_events()
    bench.simulation.step_event()
    bench.wait(lambda: bench.frame().time == 0.25)
    bench.simulation.step_event()
    bench.simulation.step_event()
    bench.wait(lambda: bench.frame().time == 0.75)
    bench.wait_for("paused")
    times = [time for batch in bench.simulation.drain_events() for time in batch.events["time"]]
    assert times == [0.25, 0.5, 0.75]


def test_steps_that_wait_are_all_taken_in_order(bench: Bench) -> None:
    bench.load(period=0.25)
    for _ in range(3):
        bench.simulation.step_event()
        bench.simulation.step_frame()
    bench.wait(lambda: not bench.frame().running and bench.frame().time == pytest.approx(0.75 + FRAME))
    bench.wait_for("paused")


def test_an_event_that_never_comes_ends_the_step(bench: Bench) -> None:
    bench.load(period=math.inf)
    bench.simulation.step_event()
    bench.wait(lambda: "stepping" in bench.states and bench.simulation.state == "paused")


def test_reset_goes_back_to_the_start(bench: Bench) -> None:
    bench.load()
    bench.simulation.play()
    bench.wait(lambda: bench.frame().time > 0.1)
    run = bench.frame().run
    bench.simulation.reset()
    bench.wait(lambda: bench.frame().time == 0.0)
    assert bench.frame().run == run + 1
    assert not bench.frame().running
    assert bench.frame().generation == 1


def test_no_event_is_lost_or_out_of_order(bench: Bench) -> None:
    bench.load(period=0.001)
    bench.simulation.set_speed(AS_FAST_AS_POSSIBLE)
    batches: list[Batch] = []
    bench.simulation.play()
    while bench.frame().time < 20.0:
        batches += bench.simulation.drain_events()
        bench.qtbot.wait(5)
    bench.simulation.pause()
    bench.wait_for("paused")
    batches += bench.simulation.drain_events()
    times = np.concatenate([batch.events["time"] for batch in batches])
    assert np.array_equal(times, 0.001 * np.arange(1, bench.worlds[0].ticks + 1))
    samples = np.concatenate([batch.samples["time"] for batch in batches])
    assert np.all(np.diff(samples) > 0)
    assert np.diff(samples).max() <= 1 / 60 + 1e-12, "the ledger is read at least 60 times a simulated second"


def test_events_before_a_reset_arrive_and_belong_to_the_run_before(bench: Bench) -> None:
    bench.load(period=0.01)
    bench.simulation.play()
    bench.wait(lambda: bench.frame().time > 0.2)
    bench.simulation.reset()
    bench.wait(lambda: bench.frame().run == 2)
    batches = bench.simulation.drain_events()
    first = np.concatenate([batch.events["time"] for batch in batches if batch.run == 1])
    assert np.allclose(first, 0.01 * np.arange(1, len(first) + 1))
    assert len(first) >= 20
    assert [batch.samples["time"].tolist() for batch in batches if batch.run == 2] == [[0.0]]


@pytest.mark.parametrize("command", ["pause", "reset", "close"])
def test_heavy_stepping_is_cut_short(bench: Bench, command: str) -> None:
    bench.load(cost=1e5)
    bench.simulation.play()
    bench.wait_for("running")
    bench.qtbot.wait(100)
    began = time.perf_counter()
    getattr(bench.simulation, command)()
    bench.wait(lambda: bench.simulation.state == ("closed" if command == "close" else "paused"))
    bench.wait(lambda: not bench.simulation._thread.is_alive() or command != "close")
    # One slice of the fake's stepping would take minutes; the margin is for a busy machine.
    assert time.perf_counter() - began < 2.0


def test_the_commands_themselves_never_wait(bench: Bench) -> None:
    bench.load(cost=1e5)
    simulation = bench.simulation
    simulation.play()
    bench.wait_for("running")
    began = time.perf_counter()
    for _ in range(100):
        simulation.move_pull((0.0, 0.0, 0.0))
        simulation.set_speed(1.0)
        simulation.latest()
        simulation.drain_events()
    assert time.perf_counter() - began < 1.0


def test_a_simulation_that_is_left_ends_by_itself(bench: Bench) -> None:
    bench.load()
    with bench.qtbot.waitSignal(bench.simulation.ended):
        bench.simulation.leave()
        assert bench.simulation.state == "closed"
    assert not bench.simulation._thread.is_alive()


def test_a_simulation_that_cannot_keep_up_says_so(bench: Bench) -> None:
    bench.load(cost=20.0)
    bench.simulation.play()
    bench.wait(lambda: bench.simulation.behind and bench.frame().behind)
    bench.wait(lambda: math.isfinite(bench.frame().achieved))
    assert bench.frame().achieved < 0.1
    bench.simulation.pause()
    bench.wait_for("paused")
    assert not bench.simulation.behind


def test_one_slice_that_lasts_for_ever_counts_as_behind(bench: Bench) -> None:
    bench.load(cost=1e7)
    bench.simulation.play()
    bench.wait(lambda: bench.simulation.behind)


def test_telling_of_thousands_takes_the_smaller_part_of_the_time(bench: Bench) -> None:
    bench.load(cost=50.0, telling=0.02)
    bench.simulation.play()
    bench.wait_for("running")
    bench.qtbot.wait(500)  # until it knows what telling takes
    began, told, passed = time.perf_counter(), bench.worlds[-1].told, bench.worlds[-1].time
    bench.qtbot.wait(1500)
    wall = time.perf_counter() - began
    telling = 0.02 * (bench.worlds[-1].told - told)  # of the thread's own time, whatever else runs on the machine
    assert telling < 0.35 * wall
    assert 50.0 * (bench.worlds[-1].time - passed) > 2.0 * telling


def watch(bench: Bench, seconds: float) -> tuple[list[Frame], list[Batch]]:
    """Every frame that can be seen for a time, and all that is told meanwhile."""
    frames, batches = [bench.frame()], list[Batch]()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        bench.qtbot.wait(5)
        batches += bench.simulation.drain_events()
        if bench.frame() is not frames[-1]:
            frames.append(bench.frame())
    return frames, batches


def test_pictures_of_a_crowd_go_on_between_samples(bench: Bench) -> None:
    """Each is of one instant, and what is told stays whole: every event, up to the last sample."""
    bench.load(period=0.0005, cost=20.0, telling=0.06)
    bench.simulation.play()
    bench.wait_for("running")
    before = watch(bench, 0.5)[1]  # until it knows what telling takes
    frames, batches = watch(bench, 2.0)
    samples = sum(len(batch.samples) for batch in batches)
    assert 2 <= samples <= 10 and len({frame.time for frame in frames}) > 3 * samples
    for frame in frames:
        assert frame.touching is not None and frame.poses[0, 0] == np.float32(frame.time)
        assert frame.contacts is None or frame.contacts["point"][0, 0] == frame.time
    assert sum(frame.contacts is None for frame in frames) > samples
    bench.simulation.pause()
    bench.wait_for("paused")
    told = before + batches + bench.simulation.drain_events()
    assert told[-1].samples["time"][-1] == bench.frame().time, "where it stands it is told of"
    assert bench.frame().contacts is not None
    times = np.concatenate([batch.events["time"] for batch in told])
    assert np.array_equal(times, 0.0005 * np.arange(1, bench.worlds[0].ticks + 1))
    assert all(batch.events["time"].max(initial=0.0) <= batch.samples["time"][-1] for batch in told)


def test_contacts_that_somebody_looks_at_are_of_the_instant_of_the_picture(bench: Bench) -> None:
    bench.load(cost=20.0, telling=0.02)
    bench.simulation.request_contacts(True)
    bench.simulation.play()
    bench.wait_for("running")
    watch(bench, 0.5)
    frames, _ = watch(bench, 2.0)  # one picture a sample, which takes a ninth of the time: some eleven
    assert len(frames) > 5
    for frame in frames:
        assert frame.contacts is not None and frame.contacts["point"][0, 0] == frame.time


def test_a_frame_of_what_stands_has_the_contacts_of_now(bench: Bench) -> None:
    """Not those that the last sample of the run has read."""
    bench.load(cost=50.0)
    bench.simulation.play()
    bench.wait(lambda: bench.frame().time > 0.005)
    bench.simulation.pause()
    bench.wait_for("paused")
    bench.worlds[-1].scene = FakeScene(period=0.03)
    bench.simulation.set_loop((0.0, 1.0))
    bench.wait(lambda: bench.frame().contacts is not None and bench.frame().contacts["gap"][0] == 0.03)


def test_slow_motion_and_fast_forward(bench: Bench) -> None:
    bench.load()
    simulation = bench.simulation
    simulation.set_speed(0.001)
    bench.wait(lambda: bench.frame().speed == 0.01)
    simulation.set_speed(1000.0)
    bench.wait(lambda: bench.frame().speed == 10.0)
    simulation.play()
    bench.wait(lambda: bench.frame().time > 2.0)
    simulation.set_speed(AS_FAST_AS_POSSIBLE)
    bench.wait(lambda: bench.frame().speed == math.inf and bench.frame().achieved > 10.0)


def test_a_scene_that_cannot_be_built_is_reported_and_survived(bench: Bench) -> None:
    with bench.qtbot.waitSignal(bench.simulation.failed) as blocker:
        bench.simulation.load(FakeScene(fails_to_build=True))
    assert blocker.args == ["scene.toml:3: body.cue.mass: must be above zero (a mass in kg)"]
    assert bench.simulation.state == "failed"
    bench.simulation.play()
    bench.load()
    assert bench.simulation.state == "paused"
    assert bench.frame().generation == 2


def test_a_world_that_fails_while_stepping_is_reported_and_can_be_reset(bench: Bench) -> None:
    bench.load(fails_at=0.2)
    bench.simulation.play()
    bench.wait_for("failed")
    bench.wait(lambda: bool(bench.failures))  # what is wrong is told after the state
    assert bench.failures == ["t = 0.2 s: the heap is full; raise world.heap_capacity"]
    bench.simulation.reset()
    bench.wait_for("paused")
    assert bench.frame().time == 0.0


def test_of_many_scenes_only_the_last_is_built(bench: Bench) -> None:
    gate = threading.Event()
    bench.simulation._worker.send(lambda _worker: gate.wait(10.0))
    for pairs in range(1, 30):
        bench.simulation.load(FakeScene(pairs=pairs))
    gate.set()
    bench.wait(lambda: bench.simulation.latest() is not None and bench.frame().generation == 29)
    assert [world.scene.pairs for world in bench.worlds] == [29]


def test_a_pull_arrives_in_order_and_its_last_target_counts(bench: Bench) -> None:
    bench.load()
    gate = threading.Event()
    bench.simulation._worker.send(lambda _worker: gate.wait(10.0))
    bench.simulation.pull(1, (0.1, 0.0, 0.0), (1.0, 0.0, 0.0))
    for x in range(50):
        bench.simulation.move_pull((float(x), 0.0, 0.0))
    bench.simulation.release()
    gate.set()
    bench.wait(lambda: len(bench.worlds[0].pulls) == 3)
    assert bench.worlds[0].pulls == [
        ("pull", (1, (0.1, 0.0, 0.0), (1.0, 0.0, 0.0))),
        ("move", (49.0, 0.0, 0.0)),
        ("release", ()),
    ]


def test_what_is_said_to_a_scene_is_not_heard_by_the_next(bench: Bench) -> None:
    """Another scene is loaded before the pull is heard: its world has other bodies in these rows."""
    bench.load()
    gate = threading.Event()
    bench.simulation._worker.send(lambda _worker: gate.wait(10.0))
    bench.simulation.load(FakeScene(pairs=7))
    bench.simulation.pull(1, (0.1, 0.0, 0.0), (1.0, 0.0, 0.0))
    bench.simulation.drive("hinge", "position", 1.0)
    bench.simulation.change("world.gravity", (0.0, 0.0, -1.0))
    last = bench.simulation.load(FakeScene(pairs=8))
    bench.simulation.pull(0, (0.2, 0.0, 0.0), (2.0, 0.0, 0.0))
    gate.set()
    bench.wait(lambda: bench.simulation.latest() is not None and bench.frame().generation == last)
    bench.wait(lambda: bool(bench.worlds[-1].pulls))
    assert bench.worlds[-1].scene.pairs == 8
    assert bench.worlds[-1].pulls == [("pull", (0, (0.2, 0.0, 0.0), (2.0, 0.0, 0.0)))]
    assert not bench.failures


def test_a_simulation_that_was_closed_holds_nothing_of_its_run(bench: Bench) -> None:
    bench.load()
    bench.simulation.play()
    bench.wait(lambda: bench.frame().time > 0.2)
    history = bench.simulation._worker._history
    assert history.size > 0
    bench.simulation.close()
    assert history.size == 0 and bench.simulation._worker._world is None


def test_a_body_that_refuses_a_pull_is_told_of_and_all_goes_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_world: FakeWorld, *_what: object) -> None:
        raise ValueError("ball is no free body, so it cannot be pulled")

    monkeypatch.setattr(FakeWorld, "pull", refuse)
    bench.load()
    noted: list[str] = []
    bench.simulation.noted.connect(noted.append)
    bench.simulation.pull(1, (0.1, 0.0, 0.0), (1.0, 0.0, 0.0))
    bench.wait(lambda: noted == ["ball is no free body, so it cannot be pulled"])
    assert bench.simulation.state == "paused" and not bench.failures


def test_the_heap_comes_when_asked_for(bench: Bench) -> None:
    bench.load(pairs=5)
    bench.simulation.request_table(True)
    bench.wait(lambda: bench.frame().heap is not None)
    heap = bench.frame().heap
    assert heap is not None and len(heap) == 5
    bench.simulation.request_table(False)
    bench.wait(lambda: bench.frame().heap is None)


def test_the_selected_pair_is_followed_beyond_the_rows_shown(bench: Bench) -> None:
    bench.load(pairs=1000)
    bench.simulation.request_table(True)
    bench.simulation.select_pair(900, 0)
    bench.wait(lambda: bench.frame().pair is not None)
    frame = bench.frame()
    assert frame.pair is not None and frame.pair["body_b"] == 900
    assert frame.heap is not None and len(frame.heap) < 900
    bench.simulation.clear_pair()
    bench.wait(lambda: bench.frame().pair is None)


def test_stepping_waits_for_a_window_that_does_not_drain(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.simulation.worker.MOST_BACKLOG", 100)
    bench.load(period=0.001)
    bench.simulation.play()
    bench.wait(lambda: bench.simulation.behind)
    time_before = bench.frame().time
    bench.simulation.drain_events()
    bench.wait(lambda: bench.frame().time > time_before)


def test_the_contact_problem_comes_with_frames_of_a_world_that_stands(bench: Bench) -> None:
    bench.load(touching=5)
    assert bench.frame().problem is None, "nobody asked"
    bench.simulation.request_problem(True)
    bench.wait(lambda: bench.frame().problem is not None)
    problem = bench.frame().problem
    assert problem is not None and len(problem.pair) == 5
    bench.simulation.play()
    bench.wait(lambda: bench.frame().running)
    assert bench.frame().problem is None
    bench.simulation.pause()
    bench.wait(lambda: not bench.frame().running and bench.frame().problem is not None)
    bench.simulation.request_problem(False)
    bench.wait(lambda: bench.frame().problem is None)


def noted(_what: object) -> None:
    """Nothing comes of it here."""


def test_a_step_says_which_event_it_was(kernels: None) -> None:
    scene = load_scene("pool_break")
    names = [body.name for body in scene.bodies]
    world = World(scene)
    heard: list[Step] = []
    reports = SimpleNamespace(on_state=noted, on_loaded=noted, on_failed=noted, on_stepped=heard.append)
    bench = Worker(lambda _scene: world, Mailbox(), reports)
    bench.load(scene, 1)
    bench.step_event()
    bench._advance()
    assert len(heard[0].bodies) == 2 and heard[0].more
    assert say_step(heard[0], names).startswith("Contact held by constraint forces")
    assert say_step(heard[0], names).endswith("; more at this time")
    assert say_step(Step(1.0, "nothing", (), 0.0, False), ()) == "Nothing more will happen at t = 1.000000 s"
    check = Step(0.25, "check", (0, 1), 0.002, False)
    assert say_step(check, ("a", "b")) == "Check a – b, gap 2.000 mm at t = 0.250000 s"
    bench.step_collision()
    while not bench._goal.is_idle:
        bench._advance()
    hit = heard[-1]
    assert hit.word == "collision" and len(hit.bodies) == 2 and hit.time == world.time
    assert world.counters["collisions"] > 0
    assert say_step(hit, names).startswith("Collision ")
