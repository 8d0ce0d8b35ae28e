"""The broad phase decides what is looked at, not what happens: the same motion to the bit, however a run is cut up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import World, load_scene
from engine.collision.pair_table import next_pair
from engine.model.state import BODY_A, BODY_B, State
from engine.recording.snapshot import Snapshot, digest_of
from engine.scene.gallery import bundled_scenes
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from tests.scenes import ball, floor, scene

SAME = ("hierarchical_hash", "counting_hash", "standard_hash", "sweep_prune")
ALL = (*SAME, "none")
MANY = ("convex_pile", "domino_spiral", "sphere_pile")
SHORTER = {"convex_pile": 0.15, "sphere_pile": 0.13}
"""What thousands of bodies have time for [s]: they have begun to lie on each other."""


def motion_of(world: World) -> str:
    """Digest of what moves and of the ledger, without the broad phase's own arrays."""
    state = world.snapshot().state
    return digest_of((state.arcs, state.clock))


def rain() -> Scene:
    """Sixty balls of three sizes thrown into one corner of a floor."""
    rng = np.random.default_rng(7)
    balls = []
    for k in range(60):
        x, y, z = (k % 4) * 1.0, (k // 4 % 4) * 1.0, 1.0 + (k // 16) * 1.0
        aim = [-x, -y, 0.0] + rng.normal(0.0, 0.2, 3)
        balls.append(ball(f"b{k}", (x, y, z), tuple(4.0 * aim), radius=(0.06, 0.15, 0.3)[k % 3]))
    return scene(*balls, floor(), restitution=0.4)


def with_broad_phase(base: Scene, kind: str) -> Scene:
    return set_path(base, "world.broad_phase", kind)


@pytest.mark.parametrize("kind", ALL)
def test_however_it_is_cut_up(kind: str) -> None:
    base = with_broad_phase(rain(), kind)
    once, cut = World(base), World(base)
    once.advance_to(0.4)
    while cut.next_event_time <= 0.4:
        cut.advance_events(1 if cut.time < 0.1 else 97)
        if cut.time > 0.2:
            cut.restore(Snapshot.from_bytes(cut.snapshot().to_bytes()))
            cut.heap(), cut.contacts()
            break
    for k in range(1, 40):
        cut.advance_to(max(cut.time, 0.4 * k / 40))
    cut.advance_to(0.4)
    assert cut.digest == once.digest


@pytest.mark.parametrize("name", ["rain", *(name for name, _ in bundled_scenes())])
def test_the_same_motion_to_the_bit(name: str) -> None:
    base, until = (rain(), 0.5) if name == "rain" else (load_scene(name, overlaps=False), SHORTER.get(name, 0.3))
    worlds = [World(with_broad_phase(base, kind)) for kind in SAME]
    for world in worlds:
        world.advance_to(until)
    assert len({motion_of(world) for world in worlds}) == 1
    assert len({(world.counters["heap_pops"], world.counters["pairs_made"]) for world in worlds}) == 1


def test_pairs_stand_in_the_same_order() -> None:
    """A body's contacts are resolved as its pairs stand in its list, however the broad phase came upon them."""
    worlds = [World(with_broad_phase(rain(), kind)) for kind in SAME]
    for until in (0.1, 0.3, 0.5):
        orders = []
        for world in worlds:
            world.advance_to(until)
            state = world.snapshot().state
            orders.append([partners(state, i) for i in range(len(world.names))])
        assert all(order == orders[0] for order in orders)
        assert max(map(len, orders[0])) > 4


def partners(state: State, i: int) -> list[int]:
    """The bodies with which body i has a pair, in the order of its list."""
    found = []
    row = int(state.first_pair[i])
    while row >= 0:
        a, b = state.links[row, BODY_A], state.links[row, BODY_B]
        found.append(int(b if a == i else a))
        row = int(next_pair(state.links, row, i))
    return found


# Not those of hundreds of bodies: every pair of them is an event at the first instant, which counts as standing still.
@pytest.mark.parametrize("name", [name for name, _ in bundled_scenes() if name not in MANY])
def test_without_a_broad_phase_the_same_collisions(name: str) -> None:
    """Not the same bits: a pair that waits from the start is checked at other times on the way to its first hit, which
    is then found elsewhere in the half of the envelope where hits happen. The hits are the same ones."""
    base = load_scene(name, overlaps=False)
    runs = []
    for kind in ("hierarchical_hash", "none"):
        world = World(with_broad_phase(base, kind))
        world.advance_to(0.15)
        hits = world.events()
        runs.append(hits[hits["kind"] == 0][:10])
    with_one, without = runs
    for field in ("body_a", "body_b"):
        assert np.array_equal(with_one[field], without[field])
    assert np.allclose(with_one["time"], without["time"], rtol=0.0, atol=1e-3)


@pytest.mark.parametrize("kind", ["hierarchical_hash", "counting_hash"])
def test_plain_python_moves_the_same(kind: str) -> None:
    code = f"""
from engine import World
from tests.determinism.test_broad_phases import motion_of, rain, with_broad_phase
world = World(with_broad_phase(rain(), {kind!r}))
world.advance_events(500)
print(motion_of(world))
"""
    plain = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        timeout=300,
    )
    world = World(with_broad_phase(rain(), kind))
    world.advance_events(500)
    assert plain.stdout.strip() == motion_of(world)
