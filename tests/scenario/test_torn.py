"""Joints that contradict each other: what they tie is stopped where they still held, and told of; the rest goes on."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from app.simulation.batch import describe
from engine import World
from engine.recording.events import EVENT_KINDS, REASONS
from engine.scene.schema import Scene
from tests.scenes import ball, body, scene


def pulled(links: int, contact: str, *, others: bool = True) -> Scene:
    """A row of links between a fixed block and one that moves away by 0.3 m, or to where the links are stretched."""
    away = {"keyframes": {"keys": [{"time": 0.0}, {"time": 1.0, "offset": [0.3, 0.0, 0.0]}]}}
    bodies = [
        body("fixed", {"box": [0.2, 0.2, 0.2]}, (-0.5, 0, 1), motion="fixed"),
        body("moving", {"box": [0.2, 0.2, 0.2]}, (-0.1 + 0.4 * links, 0, 1), motion=away),
    ]
    bodies += [body(f"link {k}", {"box": [0.3, 0.1, 0.1]}, (-0.1 + 0.4 * k, 0, 1), mass=1.0) for k in range(links)]
    if others:
        bodies += [
            body("ground", {"box": [2, 2, 0.2]}, (5, 0, -0.1), motion="fixed"),
            ball("bouncing", (5, 0, 1), mass=1.0),
        ]
    names = ["fixed", *(f"link {k}" for k in range(links)), "moving"]
    plain = scene(*bodies, contact=contact).model_dump(mode="json", exclude_unset=True)
    joints: list[dict[str, Any]] = [
        {"name": f"joint {k}", "kind": "ball", "bodies": [a, b], "point": [-0.3 + 0.4 * k, 0.0, 1.0]}
        for k, (a, b) in enumerate(pairwise(names))
    ]
    return Scene.model_validate(plain | {"joint": joints})


@pytest.mark.parametrize("contact", ["hybrid", "impulse", "constraint"])
@pytest.mark.parametrize("links", [1, 3])
def test_links_that_are_pulled_apart_are_stopped_and_told_of(links: int, contact: str) -> None:
    world = World(pulled(links, contact))
    alone = World(scene(*(b for b in plain_bodies(pulled(0, contact))), contact=contact))
    world.advance_to(2.0)
    alone.advance_to(2.0)
    stopped = {world.names[i]: world.why_stopped(i) for i in world.stopped}
    assert stopped == {f"link {k}": "torn: no motion satisfies its joints" for k in range(links)}
    assert describe(world)["stopped"] == stopped
    events = world.events()
    told = events[events["kind"] == EVENT_KINDS.index("stop")]
    assert [REASONS[event["reason"]] for event in told] == list(stopped.values())
    row, other = world.row("bouncing"), alone.row("bouncing")
    assert np.array_equal(world.poses()[row], alone.poses()[other])


def plain_bodies(made: Scene) -> list[dict[str, Any]]:
    """The bodies of a scene that no joint ties."""
    plain = made.model_dump(mode="json", exclude_unset=True)
    return [entry for entry in plain["body"] if entry["name"] in ("ground", "bouncing")]


@pytest.mark.parametrize(("way", "torn"), [(0.3999, False), (0.401, True)])
def test_a_hanging_chain_is_torn_where_it_is_too_short(way: float, torn: bool) -> None:
    """Two links of 0.5 m whose ends begin 0.6 m apart and come to be `way` further."""
    away = {"keyframes": {"keys": [{"time": 0.0}, {"time": 2.0, "offset": [way, 0.0, 0.0]}]}}
    plain = scene(
        body("fixed", {"box": [0.1, 0.1, 0.1]}, (0, 0, 1), motion="fixed"),
        ball("first", (0.15, 0, 0.8), mass=1.0),
        ball("second", (0.45, 0, 0.8), mass=1.0),
        body("moving", {"box": [0.1, 0.1, 0.1]}, (0.6, 0, 1), motion=away),
    ).model_dump(mode="json", exclude_unset=True)
    plain["joint"] = [
        {"name": "left", "kind": "ball", "bodies": ["fixed", "first"], "point": [0.0, 0.0, 1.0]},
        {"name": "middle", "kind": "hinge", "bodies": ["first", "second"], "point": [0.3, 0, 0.6], "axis": [0, 1, 0]},
        {"name": "right", "kind": "ball", "bodies": ["second", "moving"], "point": [0.6, 0.0, 1.0]},
    ]
    world = World(Scene.model_validate(plain))
    world.advance_to(3.0)
    assert (len(world.stopped) == 2) == torn
    if not torn:
        assert world.joints()["gap"].max() < 1e-9
