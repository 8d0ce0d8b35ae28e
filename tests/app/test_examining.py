"""Looking into an event: it happens again to the bit, its figures are the engine's, and the run stays what it was."""

from __future__ import annotations

import numpy as np
import pytest

from app.simulation.examining import examine
from app.simulation.history import History
from engine import World, load_scene
from engine.recording.events import EVENT_KINDS

COLLISION = EVENT_KINDS.index("collision")


@pytest.fixture(scope="module")
def played() -> tuple[World, History, np.ndarray]:
    """A run of the rods up to where they lie, as the simulation thread follows it."""
    world, history, parts = World(load_scene("painleve_rod")), History(), []
    history.start(world)
    while world.time < 0.6:
        history.advance_to(world, world.time + 0.02)
        parts.append(world.events())
        history.note(world)
    return world, history, np.concatenate(parts)


def test_every_collision_is_found_and_the_run_is_left_alone(played) -> None:
    world, history, events = played
    digest, hits = world.digest, events[events["kind"] == COLLISION]
    assert len(hits) >= 4
    for event in hits:
        seen = examine(history, world, event)
        assert seen is not None and seen.event == event and seen.hit is not None
        assert seen.together == np.sum(hits["time"] == event["time"])
        assert np.linalg.norm(seen.hit.p) == pytest.approx(np.linalg.norm(event["impulse"]))
    assert world.digest == digest


def test_velocities_and_losses_are_those_of_a_second_run(played) -> None:
    world, history, events = played
    event = events[events["kind"] == COLLISION][0]
    seen = examine(history, world, event)
    assert seen is not None
    again = World(load_scene("painleve_rod"))
    again.advance_to(np.nextafter(event["time"], 0.0))
    before, lost = again.twists(), again.energy()
    again.advance_to(event["time"])
    after, then = again.twists(), again.energy()
    for side, row in enumerate((event["body_a"], event["body_b"])):
        assert np.allclose(seen.hit.before[side], before[row], atol=1e-9)
        assert np.allclose(seen.hit.after[side], after[row], atol=1e-9)
    for cause, loss in seen.losses.items():
        assert loss == pytest.approx(then[cause] - lost[cause], abs=1e-9)
    assert sum(seen.losses.values()) > 0.1


class Interrupted(History):
    """Whose advances end early, as if commands had come amid them, and whose events are put off once."""

    put_off = False

    def advance_to(self, world: World, time: float) -> None:
        super().advance_to(world, max(world.time, min(time, world.next_event_time)))

    def step_event(self, world: World, most: int = 1) -> int:
        self.put_off = not self.put_off
        return 0 if self.put_off else super().step_event(world, most)


def test_an_interrupt_changes_nothing_that_is_found(played) -> None:
    """It once made losses count from the event before on."""
    world, history, events = played
    often = Interrupted()
    often.adopt(history.lines())
    for event in events[events["kind"] == COLLISION]:
        assert examine(often, world, event).losses == examine(history, world, event).losses


def test_who_is_called_away_stops_and_leaves_the_run_alone(played) -> None:
    world, history, events = played
    digest = world.digest
    assert examine(history, world, events[events["kind"] == COLLISION][-1], is_called=lambda: True) is None
    assert world.digest == digest


def test_what_is_no_hit_has_no_hodograph(played) -> None:
    world, history, events = played
    other = events[events["kind"] == EVENT_KINDS.index("to_constraint")][0]
    seen = examine(history, world, other)
    assert seen is not None and seen.hit is None and seen.hodograph is None


def test_an_event_of_another_run_is_not_found(played) -> None:
    world, history, events = played
    event = events[events["kind"] == COLLISION][0].copy()
    event["time"] += 0.01
    assert examine(history, world, event) is None
