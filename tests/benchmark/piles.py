"""Where the time of piles goes: `make piles`, or `python -m tests.benchmark.piles`. Kernels warm, one run a scene.

Every scene is run from its start for some simulated seconds, or until it has taken --wall seconds of computing; then
its real-time factor, and the share of each stage. With PEERS=FOLDER the scenes are those of the harness `peerbench`
that lies in FOLDER, and its other engines, as they are shipped, run each of them after ours, by the interpreter
PEER_PYTHON.

Times are for reading, not for tests: no test asserts a time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from engine import World, load_scene
from engine.scene.schema import Scene
from engine.stages import STAGES
from engine.warm import is_warm, warm
from tests.benchmark.peer_adapter import describe

OWN = {"sphere_pile": 0.4, "convex_pile": 0.6, "balls_in_dish": 1.0, "coins": 2.0, "brick_wall": 2.0, "dominos": 2.0}
"""Gallery scenes, and how far they are run [s]."""

HARNESS = (
    ("sphere_pile", 1000),
    ("convex_pile", 500),
    ("balls_in_dish", 1000),
    ("coins", 100),
    ("brick_wall", 20),
    ("dominos", 20),
)
PEERS = ("mujoco", "pybullet", "rapier")
SHOWN = {stage: stage.replace("_", " ") for stage in STAGES if stage != "broad_phase"} | {"broad_phase": "boxes"}


class Run(NamedTuple):
    """A scene's run: what was simulated and computed [s], seconds by stage, steps and sweeps of its groups."""

    simulated: float
    wall: float
    stages: dict[str, float]
    steps: int
    sweeps: int
    contacts: int


def run_scene(scene: Scene, until: float, wall: float) -> Run:
    """Run a scene from its start to `until` [s], or until it has taken `wall` seconds of computing."""
    world = World(scene)
    contacts = 0
    began = time.perf_counter()
    while world.time < until and time.perf_counter() - began < wall:
        world.advance_to(min(until, world.time + 0.02))
        contacts = max(contacts, len(world.contacts()))
    counts = world.counters
    return Run(world.time, world.wall, world.seconds, counts["group_steps"], counts["group_sweeps"], contacts)


def show_head() -> None:
    stages = "".join(f"{name:>10}" for name in SHOWN.values())
    print(f"{'':<20}{'':>35}{'% of computing':>{len(stages)}}")
    print(f"{'scene':<20}{'real time':>10}{'contacts':>9}{'ms/step':>9}{'sweeps':>7}{stages}", flush=True)


def show(name: str, run: Run) -> None:
    total = sum(run.stages.values()) or 1.0
    shares = "".join(f"{100.0 * run.stages[stage] / total:>10.1f}" for stage in SHOWN)
    each = 1e3 * run.wall / max(run.steps, 1)
    sweeps = run.sweeps / max(run.steps, 1)
    factor = run.simulated / run.wall
    print(f"{name:<20}{factor:>10.3g}{run.contacts:>9}{each:>9.3g}{sweeps:>7.1f}{shares}", flush=True)


def run_peer(folder: str, python: str, name: str, n: int, engine: str, wall: float) -> str:
    """What another engine says of a scene of the harness, in a word."""
    command = [python, "-m", "peerbench", name, "--engine", engine, "--n", str(n), "--max-wall", str(wall)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": folder}, capture_output=True, text=True, check=False, timeout=3600
    )
    try:
        told: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return f"{engine}: does not run here"
    if "error" in told:
        return f"{engine}: {told['error']}"
    return f"{engine} {told['version']}: {told['realtime']:.3g}"


def main(argv: Sequence[str] | None = None) -> None:
    """The table on standard output."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", help="names of scenes; all if none is given")
    parser.add_argument("--wall", type=float, default=60.0, help="seconds of computing a scene may take [60]")
    parser.add_argument("--peers", default=os.environ.get("PEERS", ""), help="folder of the harness peerbench")
    parser.add_argument("--python", default=os.environ.get("PEER_PYTHON", sys.executable), help="what runs its engines")
    parser.add_argument("--alone", action="store_true", help="scenes of the harness, without its engines")
    asked = parser.parse_args(argv)
    if not is_warm():
        warm(lambda kernel, fraction: None)
    show_head()
    if not asked.peers:
        for name, until in OWN.items():
            if not asked.scenes or name in asked.scenes:
                show(name, run_scene(load_scene(name), until, asked.wall))
        return
    sys.path.insert(0, asked.peers)
    from peerbench import scenes  # type: ignore[import-not-found, unused-ignore]

    for name, n in HARNESS:
        if asked.scenes and name not in asked.scenes:
            continue
        made = scenes.make(name, n)
        show(f"{name} {n}", run_scene(Scene.model_validate(describe(made, "default")), made["T"], asked.wall))
        for engine in () if asked.alone else PEERS:
            print(f"{'':<20}{run_peer(asked.peers, asked.python, name, n, engine, asked.wall)}", flush=True)


if __name__ == "__main__":
    main()
