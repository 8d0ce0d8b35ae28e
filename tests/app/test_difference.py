"""Two runs compared: the first event that differs is the one that reading both logs line by line finds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from app.simulation.difference import Difference, FirstDifference, apart, match, parted
from app.view.overlays.compare_card import say_difference
from engine import World
from engine.recording.events import EVENT
from engine.scene.reading import load_scene
from engine.scene.schema import Scene

UNTIL = 0.4


def scene_of(name: str, contact: str) -> Scene:
    scene = load_scene(name)
    return scene.model_copy(update={"world": scene.world.model_copy(update={"contact": contact})})


def run(scene: Scene, until: float = UNTIL) -> tuple[World, np.ndarray]:
    world = World(scene)
    world.advance_to(until)
    return world, world.events()


def names(scene: Scene) -> tuple[str, ...]:
    return tuple(body.name for body in scene.bodies)


def feed(first: FirstDifference, own: np.ndarray, pinned: np.ndarray, seed: int) -> None:
    """As the window does: now a part of one, now a part of the other, each as far as it goes."""
    rng = np.random.default_rng(seed)
    cuts = [np.sort(rng.uniform(0.0, UNTIL, size=9)) for _ in (own, pinned)]
    parts = []
    for which, (events, times) in enumerate(zip((own, pinned), cuts, strict=True)):
        begin = -1.0
        for end in (*times, UNTIL):
            here = events[(events["time"] > begin) & (events["time"] <= end)]
            parts.append((which, here, float(end)))
            begin = float(end)
    order = rng.permutation([part[0] for part in parts])
    queues = {which: iter([part for part in parts if part[0] == which]) for which in (0, 1)}
    for which in order:
        _, events, end = next(queues[int(which)])
        (first.feed if which == 0 else first.feed_pinned)(events, end)


@pytest.mark.parametrize("contact", ["impulse", "penalty", "constraint"])
def test_the_first_difference_is_where_the_logs_part(kernels: None, contact: str) -> None:
    pinned_scene, scene = scene_of("pool_break", "hybrid"), scene_of("pool_break", contact)
    _, pinned = run(pinned_scene)
    _, own = run(scene)
    shared = 0
    while shared < len(own) and own[shared].tobytes() == pinned[shared].tobytes():
        shared += 1
    following = [log[shared] for log in (own, pinned) if shared < len(log)]  # under penalty nothing is logged
    for seed in range(5):
        first = FirstDifference(match(names(scene), names(pinned_scene)), 0.0)
        feed(first, own, pinned, seed)
        found = first.found
        assert found is not None
        assert found.time == min(event["time"] for event in following)
        for event, log in ((found.event, own), (found.pinned, pinned)):
            assert event is None or event.tobytes() == log[shared].tobytes()
        assert found.event is not None or found.pinned is not None


def test_a_run_is_the_same_as_itself_to_the_bit(kernels: None) -> None:
    scene = scene_of("pool_break", "hybrid")
    (one, own), (other, pinned) = run(scene), run(scene)
    first = FirstDifference(match(names(scene), names(scene)), 0.0)
    feed(first, own, pinned, 1)
    assert first.found is None and first.until == UNTIL and len(own) > 20
    there = apart(one.poses(), other.poses(), match(names(scene), names(scene)))
    assert there.same and there.distance == 0.0


def test_an_event_that_is_missing_counts_once_the_other_run_is_beyond_it(kernels: None) -> None:
    scene = scene_of("pool_break", "hybrid")
    _, events = run(scene)
    gone = len(events) - 1
    first = FirstDifference(match(names(scene), names(scene)), 0.0)
    first.feed_pinned(events, UNTIL)
    first.feed(events[:gone], float(events["time"][gone]))
    assert first.found is None, "it may come at this very instant"
    first.feed(events[:0], UNTIL)
    assert first.found is not None and first.found.event is None
    assert first.found.pinned.tobytes() == events[gone].tobytes()


def test_another_way_from_a_time_on_is_compared_from_there(kernels: None) -> None:
    scene = scene_of("pool_break", "hybrid")
    _, pinned = run(scene)
    parted = 0.2
    world = World(scene)
    world.advance_to(parted)
    world.events()
    world.change("world.gravity", (0.5, 0.0, -9.81))
    world.advance_to(UNTIL)
    other = world.events()
    first = FirstDifference(match(names(scene), names(scene)), 0.0)
    feed(first, pinned, pinned, 2)
    first.restart(parted)
    assert first.found is None
    first.feed(other, UNTIL)
    assert first.found is not None and first.found.time > parted
    found = first.found
    first.restart(found.time + 1e-3)
    assert first.found is found, "what differs before stays so"
    first.restart(parted)
    first.feed(pinned[pinned["time"] > parted], UNTIL)
    assert first.found is None and first.until == UNTIL


def test_bodies_are_compared_by_their_names(kernels: None) -> None:
    """The same bodies in another order, and one more that only one run has."""
    scene = scene_of("pool_break", "hybrid")
    fixed = [body for body in scene.body if body.motion_kind == "fixed"]
    rest = [body for body in scene.body if body.motion_kind != "fixed"]
    turned = scene.model_copy(update={"body": [*fixed, *rest[:0:-1], rest[0]]})
    fewer = scene.model_copy(update={"body": [body for body in scene.body if body.name != "ball5"]})
    matched = match(names(turned), names(scene))
    there, here = World(scene).poses(), World(turned).poses()
    moved = here.copy()
    moved[turned.index("ball3"), :3] += (0.03, 0.0, 0.04)
    assert apart(here, there, matched).same
    far = apart(moved, there, matched)
    assert far.name == "ball3" and far.distance == pytest.approx(0.05) and not far.same
    assert match(names(fewer), names(scene)).left_out == ("ball5",)
    assert match(names(scene), names(fewer)).left_out == ("ball5",)
    assert apart(here, there, match((), names(scene))).name == ""


def test_names_are_gone_through_a_few_times_however_many_there_are() -> None:
    class Names(tuple[str, ...]):
        seen = 0

        def __iter__(self) -> Iterator[str]:
            Names.seen += 1
            return super().__iter__()

    own, pinned = Names(f"ball{k}" for k in range(100)), Names(f"ball{k}" for k in range(50, 150))
    assert len(match(own, pinned).left_out) == 100
    assert Names.seen <= 6


def test_a_difference_says_its_impulses_and_times() -> None:
    own, pinned = np.zeros(2, dtype=EVENT)
    own["time"] = pinned["time"] = 0.5
    own["impulse"], pinned["impulse"] = (0.0, 3.0, 4.0), (0.0, 0.0, 2.5)
    said = say_difference(Difference(0.5, own, pinned), ("a",))
    assert said == "t = 0.500000 s, collision: a, with 5.000 N s instead of 2.500 N s"
    pinned["time"] = 0.502
    assert "2.000 ms earlier" in say_difference(Difference(0.5, own, pinned), ("a",))


def test_bodies_part_by_a_single_bit() -> None:
    """And a zero of the other sign is another pose: it is how the same bits are told."""
    pinned = np.arange(28.0).reshape(4, 7)
    run_ = pinned[[3, 1, 0]].copy()
    run_[1, 2] = np.nextafter(run_[1, 2], np.inf)
    run_[2, 0] = -0.0
    matched = match(("d", "b", "a"), ("a", "b", "c", "d"))
    assert parted(run_, pinned, matched).tolist() == [1, 0]
    assert parted(run_, pinned, match(("x",), ("y",))).tolist() == []
