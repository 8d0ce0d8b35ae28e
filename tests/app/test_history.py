"""The past of a run comes back to the bit, from keyframes in bounded memory; a new input begins another future."""

from __future__ import annotations

import time

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.simulation.history import History
from app.simulation.simulation import Simulation
from engine import World, load_scene

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
    history = History(megabytes=1.0)
    history.start(world)
    digests = play(world, history, 6.0)
    assert history.size <= 1e6 and len(history.times) > 4
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
