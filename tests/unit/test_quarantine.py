"""A body whose state is no longer finite is stopped and reported, and the rest runs on."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from engine import World
from engine.model import model as m
from engine.model import state as s
from engine.recording.events import EVENT_KINDS
from engine.recording.snapshot import Snapshot
from engine.scene.schema import BROAD_PHASES
from tests.scenes import ball, floor, scene

RADIUS = 0.1
BROKEN = {
    "velocity": (s.VELOCITY + 2, nan),
    "position": (s.POSITION, nan),
    "far": (s.POSITION, inf),
    "spin": (s.OMEGA, inf),
    "orientation": (s.ORIENTATION + 1, nan),
    "overflow": (s.VELOCITY, 1e308),
}


def some_balls() -> World:
    """One that lies, one that falls on it, one far away that bounces."""
    return World(
        scene(
            floor(),
            ball("lying", (0, 0, RADIUS + 1e-4), radius=RADIUS),
            ball("falling", (0, 0, 1.0), radius=RADIUS),
            ball("apart", (3, 0, 1.0), (0.5, 0, 0), radius=RADIUS),
        )
    )


def break_body(world: World, name: str, column: int, value: float) -> None:
    snapshot = world.snapshot()
    snapshot.state.arcs[world.row(name), column] = value
    world.restore(snapshot)


@pytest.mark.parametrize("where", BROKEN)
def test_it_stops_where_it_was_and_the_others_run_on(where: str) -> None:
    world, whole = some_balls(), some_balls()
    for each in (world, whole):
        each.advance_to(0.1)
        each.events()
    before = world.body("lying").position
    break_body(world, "lying", *BROKEN[where])
    world.advance_to(2.5)
    whole.advance_to(2.5)
    body = world.body("lying")
    assert world.stopped == (world.row("lying"),)
    assert body.paradigm == "stopped"
    # If its place is lost too, it stands in the middle of its box, which covers some radii of its way.
    assert body.position == pytest.approx(before, abs=4.0 * RADIUS)
    assert np.linalg.norm(body.orientation) == pytest.approx(1.0)
    assert np.abs([*body.velocity, *body.angular_velocity]).max() == 0.0
    # Nobody else has noticed, but for the one that falls on it: it does so as if onto something fixed.
    assert np.array_equal(world.body("apart").position, whole.body("apart").position)
    assert world.body("falling").position[2] > body.position[2] + 1.9 * RADIUS
    assert np.isfinite([*world.energy().values()]).all()
    events = world.events()
    stops = events[events["kind"] == EVENT_KINDS.index("stop")]
    assert len(stops) == 1
    assert (stops["body_a"][0], stops["body_b"][0]) == (world.row("lying"),) * 2
    assert 0.1 <= stops["time"][0] <= 2.1
    assert stops["point"][0] == pytest.approx(body.position)


def test_its_pairs_are_consistent() -> None:
    world = some_balls()
    world.advance_to(0.1)
    break_body(world, "lying", s.VELOCITY, nan)
    world.advance_to(1.0)
    state = world.snapshot().state
    used = state.links[state.links[:, s.IN_USE] == 1][:, [s.BODY_A, s.BODY_B]].tolist()
    assert [0, 1] not in used  # nothing moves either of them
    assert len(used) == state.counts[s.PAIRS]
    assert len({tuple(pair) for pair in used}) == len(used)
    assert world.model.tags[1, m.KIND] == m.FIXED
    with pytest.raises(ValueError, match="cannot be pulled"):
        world.pull("lying", (0, 0, 0), (0, 0, 1))


def test_a_pulled_body_is_let_go() -> None:
    world = some_balls()
    world.pull("apart", (0.0, 0.0, 0.0), (3.0, 0.0, 2.0))
    world.advance_to(0.1)
    break_body(world, "apart", s.OMEGA, nan)
    world.advance_to(0.5)
    assert world.pulled is None
    assert world.stopped == (world.row("apart"),)


def test_snapshots_and_chunks_keep_the_bits() -> None:
    def broken() -> World:
        world = some_balls()
        world.advance_to(0.1)
        break_body(world, "lying", s.VELOCITY, nan)
        return world

    at_once, in_pieces = broken(), broken()
    at_once.advance_to(2.0)
    for k in range(11, 201):
        in_pieces.advance_to(k / 100)
        if k == 90:
            in_pieces.restore(Snapshot.from_bytes(in_pieces.snapshot().to_bytes()))
    assert in_pieces.digest == at_once.digest
    at_once.restore(some_balls().snapshot())
    assert at_once.stopped == ()
    assert at_once.model.tags[1, m.KIND] == m.FREE


def test_all_broad_phases_go_on() -> None:
    for phase in BROAD_PHASES:
        plain = some_balls().scene
        world = World(plain.model_copy(update={"world": plain.world.model_copy(update={"broad_phase": phase})}))
        world.advance_to(0.1)
        break_body(world, "lying", s.VELOCITY, nan)
        world.advance_to(2.0)
        assert world.stopped == (1,)
        assert world.body("falling").position[2] > 3 * RADIUS - 0.06
