"""What is asked for while the run is on its way to another time counts from that time, not from where it comes by."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.simulation.breaks import Break
from app.simulation.messages import Frame, Mailbox
from app.simulation.moving import FRAME
from app.simulation.worker import Worker
from tests.app.fake_world import FakeScene, FakeWorld


class Hand:
    """A worker without a thread, on a clock that is put forward by hand. It has come to two seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.mailbox = Mailbox()
        names = ("on_state", "on_loaded", "on_failed", "on_stepped", "on_met", "on_noted")
        silent = SimpleNamespace(**dict.fromkeys(names, lambda _what: None))
        self.worker = Worker(FakeWorld, self.mailbox, silent, clock=lambda: self.now)  # type: ignore[arg-type]
        self.worker.load(FakeScene(period=0.1), 1)
        self.worker.play()
        while self.time < 2.0:
            self.go_on()
        self.worker.pause()

    @property
    def time(self) -> float:
        return self.frame().time

    def frame(self) -> Frame:
        assert self.mailbox.frame is not None
        return self.mailbox.frame

    def go_on(self) -> None:
        """A sixtieth of a second later."""
        self.now += FRAME
        self.worker._advance()

    def jump(self) -> None:
        """On until the run is on its way through the past."""
        while self.worker._goal.seek is None:
            self.go_on()

    def stand(self) -> float:
        """When it stands at last."""
        while not self.worker._goal.is_idle:
            self.go_on()
        return self.time


def test_a_frame_back_is_one_frame_however_often_it_is_asked_for() -> None:
    hand = Hand()
    began = hand.time
    for _ in range(4):
        hand.worker.step_frame_back()
        hand.go_on()  # it comes by somewhere
    assert hand.worker._goal.seek is not None, "it is still on its way"
    assert hand.stand() == pytest.approx(began - 4 * FRAME)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_pause_while_a_loop_jumps_stands_in_the_loop(backwards: bool) -> None:
    hand = Hand()
    hand.worker.set_loop((1.2, 1.7))
    hand.worker.seek(1.3)
    hand.stand()
    (hand.worker.play_back if backwards else hand.worker.play)()
    hand.jump()
    hand.worker.pause()
    assert 1.2 <= hand.stand() <= 1.7
    assert not hand.frame().running


def test_who_plays_on_at_once_plays_in_the_loop() -> None:
    hand = Hand()
    hand.worker.set_loop((1.2, 1.7))
    hand.worker.play()
    hand.jump()
    hand.worker.pause()
    hand.worker.play()
    while hand.worker._goal.seek is not None:
        hand.go_on()
    assert hand.worker._goal.running and 1.2 <= hand.worker._require().time <= 1.7


def test_a_pause_while_it_goes_to_what_met_a_condition_stands_there() -> None:
    hand = Hand()
    hand.worker.change_breaks(lambda _breaks: (Break("contact", (0, 1)),))
    hand.worker.seek(1.25)
    hand.stand()
    hand.worker.play()
    hand.jump()
    hand.worker.pause()
    assert hand.stand() == pytest.approx(1.3)


def test_what_is_on_its_way_can_be_called_off() -> None:
    hand = Hand()
    hand.worker.seek(1.7)
    hand.go_on()
    hand.worker.call_off()
    assert hand.worker._goal.is_idle and hand.time < 1.7


def test_backwards_before_a_loop_that_has_not_come_yet_ends_at_the_start() -> None:
    hand = Hand()
    hand.worker.set_loop((3.0, 4.0))
    hand.worker.seek(0.1)
    hand.stand()
    hand.worker.play_back()
    for _ in range(60):
        if not hand.worker._goal.is_idle:
            hand.go_on()
    assert hand.worker._goal.is_idle and hand.time == 0.0
