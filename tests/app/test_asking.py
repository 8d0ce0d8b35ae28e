"""What a view asks for is in the next frame, whatever the simulation is about, and asking puts no frame off."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from app.simulation.messages import Frame, Mailbox
from app.simulation.moving import FRAME
from app.simulation.worker import Worker
from tests.app.fake_world import FakeScene, FakeWorld


class Hand:
    """A worker without a thread, on a clock that is put forward by hand; contact problems take a second."""

    def __init__(self) -> None:
        self.now = 0.0
        self.mailbox = Mailbox()
        names = ("on_state", "on_loaded", "on_failed", "on_noted")
        silent = SimpleNamespace(**dict.fromkeys(names, lambda _what: None))
        self.worker = Worker(self._make, self.mailbox, silent, clock=lambda: self.now)
        self.worker.load(FakeScene(), 1)

    def _make(self, scene: FakeScene) -> FakeWorld:
        world = FakeWorld(scene)
        look = world.contact_problem

        def look_long() -> object:
            self.now += 1.0
            return look()

        world.contact_problem = look_long  # type: ignore[method-assign, assignment]
        return world

    def go_on(self) -> Frame:
        """The frame that is there a sixtieth of a second later."""
        self.now += FRAME
        self.worker._advance()
        return self.frame()

    def frame(self) -> Frame:
        assert self.mailbox.frame is not None
        return self.mailbox.frame

    def crowd(self) -> None:
        """From now on samples take so long that there are none while it runs."""
        self.worker._sampling, self.worker._sampled_at = math.inf, self.now


def test_what_is_asked_for_while_it_stands_puts_no_picture_off() -> None:
    """However often, and however long it took to show that."""
    hand = Hand()
    for _ in range(3):
        hand.worker.request_problem(True)
    for _ in range(60):
        hand.worker.watch_joint(-1)
    hand.worker.play()
    times = [hand.go_on().time for _ in range(4)]
    assert hand.frame().running and times[0] > 0.0
    assert np.all(np.diff(times) > 0.0), "a picture each sixtieth of a second"


def test_whatever_is_asked_for_is_in_the_next_frame() -> None:
    """While it runs, while it goes to another time, and where it stands: nobody has to ask again."""
    hand = Hand()
    hand.worker.play()
    hand.go_on()
    hand.crowd()
    assert hand.go_on().contacts is None
    hand.worker.request_contacts(True)
    hand.worker.request_problem(True)
    frame = hand.go_on()
    assert frame.running and frame.problem is None
    assert frame.contacts is not None and frame.contacts["point"][0, 0] == frame.time
    hand.worker.pause()
    assert hand.frame().problem is not None and hand.frame().contacts is not None
    hand.worker.request_problem(False)
    hand.worker.request_contacts(False)
    assert hand.frame().problem is None
    there = 0.5 * hand.frame().end
    hand.worker.seek(there)
    hand.worker.request_problem(True)
    hand.worker.request_boxes(True)
    while not hand.worker._goal.is_idle:
        hand.go_on()
    frame = hand.frame()
    assert frame.time == there and frame.problem is not None and frame.boxes is not None
    assert frame.contacts is not None and frame.contacts["point"][0, 0] == there
    hand.worker.reset()
    assert hand.frame().time == 0.0 and hand.frame().problem is not None and hand.frame().contacts is not None
