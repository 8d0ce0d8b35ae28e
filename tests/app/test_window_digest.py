"""The window changes nothing: a world that ran behind it ends in the same bits as one that ran in one go."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.simulation.simulation import AS_FAST_AS_POSSIBLE, Simulation
from engine import World, load_scene

UNTIL = 1.0


class Runner:
    """A simulation whose world the test can look into once its thread has ended."""

    def __init__(self, qtbot: QtBot, scene: Any) -> None:
        self.qtbot, self.scene = qtbot, scene
        self.worlds: list[World] = []
        self.simulation = Simulation(make_world=self._make)
        with qtbot.waitSignal(self.simulation.loaded, timeout=120_000):
            self.simulation.load(scene)

    def _make(self, scene: Any) -> World:
        self.worlds.append(World(scene))
        return self.worlds[-1]

    def wait_until(self, time: float) -> None:
        def reached() -> bool:
            self.simulation.drain_events()
            frame = self.simulation.latest()
            return frame is not None and frame.time >= time

        self.qtbot.waitUntil(reached, timeout=120_000)

    def end(self) -> World:
        self.simulation.close()
        return self.worlds[-1]


@pytest.fixture(scope="module")
def expected() -> str:
    world = World(load_scene("pool_break"))
    world.advance_to(UNTIL)
    return world.snapshot().digest


@pytest.mark.parametrize("speed", [1.0, 0.5, AS_FAST_AS_POSSIBLE])
def test_any_speed_any_slices(qtbot: QtBot, expected: str, speed: float) -> None:
    runner = Runner(qtbot, load_scene("pool_break"))
    runner.simulation.set_speed(speed)
    runner.simulation.request_table(True)
    runner.simulation.select_pair(0, 1)
    runner.simulation.play()
    runner.wait_until(0.3 if speed != AS_FAST_AS_POSSIBLE else 0.01)
    world = runner.end()
    if world.time < UNTIL:
        world.advance_to(UNTIL)
        assert world.snapshot().digest == expected
    else:
        world.advance_to(world.time)  # what an interrupt left to do at this instant
        again = World(load_scene("pool_break"))
        again.advance_to(world.time)
        assert world.snapshot().digest == again.snapshot().digest


def test_stepping_pausing_and_interrupting(qtbot: QtBot, expected: str) -> None:
    runner = Runner(qtbot, load_scene("pool_break"))
    simulation = runner.simulation
    for _ in range(10):
        simulation.step_event()
        simulation.step_frame()
    runner.wait_until(0.1)
    simulation.play()
    for k in range(200):  # each command interrupts the advance under way
        simulation.set_speed(1.0 + 0.001 * k)
        if k % 20 == 0:
            simulation.pause()
            simulation.play()
        qtbot.wait(1)
    runner.wait_until(0.2)
    world = runner.end()
    assert world.time < UNTIL
    world.advance_to(UNTIL)
    assert world.snapshot().digest == expected


def test_a_reset_begins_the_same_run(qtbot: QtBot, expected: str) -> None:
    runner = Runner(qtbot, load_scene("pool_break"))
    runner.simulation.play()
    runner.wait_until(0.2)
    runner.simulation.reset()
    qtbot.waitUntil(lambda: runner.simulation.state == "paused" and runner.simulation.latest().time == 0.0)
    runner.simulation.step_frame()
    runner.wait_until(0.01)
    world = runner.end()
    world.advance_to(UNTIL)
    assert world.snapshot().digest == expected


def test_a_pull_in_the_window_replays_without_it(qtbot: QtBot) -> None:
    scene = load_scene("pool_break")
    runner = Runner(qtbot, scene)
    simulation = runner.simulation
    ball = runner.worlds[0].row("cue")
    simulation.play()
    runner.wait_until(0.05)
    simulation.pull(ball, (0.0, 0.0, 0.0), (0.0, 0.0, 1.5))
    for k in range(30):
        simulation.move_pull((0.01 * k, 0.0, 1.5))
        qtbot.wait(3)
    simulation.release()
    runner.wait_until(simulation.latest().time + 0.05)
    world = runner.end()
    assert len(world.inputs) >= 3
    world.advance_to(world.time)
    again = World(scene)
    again.replay(world.inputs, world.time)
    assert again.snapshot().digest == world.snapshot().digest
