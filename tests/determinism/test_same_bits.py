"""The same scene, inputs and machine give the same bits, however the run is cut up and wherever it happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import World, load_scene
from engine.recording.inputs import from_json, to_json
from engine.recording.snapshot import Snapshot
from engine.scene.paths import get_path, set_path

UNTIL = 1.0
SCENE = "pool_break"


def run_fresh(code: str, *arguments: str) -> str:
    """Standard output of a new Python process that runs `code`."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=300,
    )
    return done.stdout.strip()


def digest_after(world: World, chunks: int) -> str:
    for k in range(1, chunks + 1):
        world.advance_to(UNTIL * k / chunks)
    return world.digest


def test_two_processes_agree() -> None:
    code = f"""
from engine import World, load_scene
world = World(load_scene({SCENE!r}))
world.advance_to({UNTIL})
print(world.digest)
"""
    assert run_fresh(code) == run_fresh(code)


def test_one_advance_or_a_thousand() -> None:
    scene = load_scene(SCENE)
    once = digest_after(World(scene), 1)
    assert digest_after(World(scene), 1000) == once
    stepped = World(scene)
    while stepped.next_event_time <= UNTIL:
        stepped.advance_events(7 if stepped.time < 0.5 * UNTIL else 1)
        if stepped.time < 0.3:
            stepped.poses(), stepped.contacts(), stepped.heap()
    stepped.advance_to(UNTIL)
    assert stepped.digest == once


@pytest.mark.parametrize(
    "name", ["pool_break", "coins", "dominos", "collapsing_structure", "see_saw", "superquadric_dice"]
)
def test_a_world_that_has_run_runs_again_to_the_same_bits(name: str) -> None:
    """Nothing of a run is left where the next one would find it."""
    scene = load_scene(name)
    world = World(scene)
    start = world.snapshot()
    world.advance_to(0.35)
    digest = world.digest
    world.restore(start)
    world.advance_to(0.35)
    assert world.digest == digest


def test_one_ulp_changes_the_digest() -> None:
    scene = load_scene(SCENE)
    vx, vy, vz = get_path(scene, "body.cue.velocity")
    nudged = set_path(scene, "body.cue.velocity", (float(np.nextafter(vx, 2 * vx)), vy, vz))
    assert digest_after(World(nudged), 1) != digest_after(World(scene), 1)


def test_a_snapshot_restored_in_a_fresh_process_runs_on_to_the_same_bits(tmp_path: Path) -> None:
    world = World(load_scene(SCENE))
    world.advance_to(0.4)
    file = tmp_path / "middle.carom"
    file.write_bytes(world.snapshot().to_bytes())
    world.advance_to(UNTIL)
    code = f"""
import sys
from pathlib import Path
from engine import World, load_scene
from engine.recording.snapshot import Snapshot
world = World(load_scene({SCENE!r}))
world.restore(Snapshot.from_bytes(Path(sys.argv[1]).read_bytes()))
world.advance_to({UNTIL})
print(world.digest)
"""
    assert run_fresh(code, str(file)) == world.digest


def test_a_snapshot_keeps_its_digest_through_bytes() -> None:
    world = World(load_scene(SCENE))
    world.advance_to(0.2)
    snapshot = world.snapshot()
    assert Snapshot.from_bytes(snapshot.to_bytes()).digest == snapshot.digest == world.digest
    world.advance_to(0.5)
    assert snapshot.digest != world.digest
    world.restore(snapshot)
    assert snapshot.digest == world.digest


def test_a_recorded_pull_replays() -> None:
    scene = load_scene(SCENE)
    world = World(scene)
    world.advance_to(0.1)
    world.pull("cue", (0.0, 0.0, 0.02), (0.0, 0.3, 0.2))
    for k in range(20):
        world.advance(0.01)
        world.move_pull((0.01 * k, 0.3, 0.2))
    world.release()
    world.advance_to(UNTIL)
    assert world.counters["kicks"] > 150
    again = World(scene)
    again.replay(from_json(to_json(world.inputs)), UNTIL)
    assert again.digest == world.digest
    assert digest_after(World(scene), 1) != world.digest
