"""Letters that fly apart in a closed room (Mirtich 1996, 7.1 and figure 7.14)."""

from __future__ import annotations

import numpy as np

from engine import World, load_scene


def test_the_letters_scatter_and_stay_in_the_room() -> None:
    scene = load_scene("exploding_text")
    world = World(scene)
    letters = [row for row, body in enumerate(scene.bodies) if body.motion == "free"]
    assert len(letters) == 26
    assert sum(len(world.shapes[row].pieces) > 1 for row in letters) >= 15  # concave
    start = world.poses()[letters, :3]
    world.advance_to(scene.world.until or 0.0)
    now = world.poses()[letters, :3]
    assert np.all((now > [-1.4, -2.5, 0.0]) & (now < [1.4, 0.7, 2.0]))
    assert np.median(np.linalg.norm(now - start, axis=1)) > 0.5
    events = world.events()
    met = {int(row) for row in np.concatenate([events["body_a"], events["body_b"]])}
    assert len(met.intersection(letters)) >= 24
    assert world.counters["unwraps"] > 0


def test_momentum_changes_only_at_the_walls() -> None:
    scene = load_scene("exploding_text")
    world = World(scene)
    moves = np.array([body.motion == "free" for body in scene.bodies])
    before = world.momentum()
    meetings, walls = 0, 0
    for k in range(1, 61):
        world.advance_to(0.01 * k)
        events, now = world.events(), world.momentum()
        among = moves[events["body_a"]] & moves[events["body_b"]]
        push = np.zeros(3)
        for event in events[~among]:
            push += event["impulse"] if moves[event["body_a"]] else -event["impulse"]
        assert np.abs(now[:3] - before[:3] - push).max() < 1e-12
        meetings, walls, before = meetings + among.sum(), walls + (~among).sum(), now
    assert meetings > 5 and walls > 5
