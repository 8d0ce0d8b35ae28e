"""Compiling every kernel before anyone waits for one: in child processes that fill the cache, with progress.

Numba compiles a kernel with all that it calls. Two lanes of about equal work run side by side, the narrow phase in one
and motion, collisions and reading in the other; the loop, which calls both, comes after them and finds them cached. The
solvers of contact forces, which call neither, are compiled beside it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from engine.kernel import cache_root, kernel_sizes, module_key, watch_compilation

if TYPE_CHECKING:
    from engine.world import World


ENTRANCES = ("engine.world", "engine.analysis.methods")
"""All kernels of the engine are in these modules and in what they import."""

HEARTBEAT = 0.2  # [s] without news after which a caller gets its turn all the same


class WarmUpError(RuntimeError):
    """A child could not compile the kernels; the text ends with what it said."""


@dataclass(frozen=True)
class Progress:
    """A kernel that has just been compiled, and how much of the work is done, 0 to 1 and never less than before."""

    kernel: str
    fraction: float


def is_warm() -> bool:
    """Has a warm-up of these very kernels been finished on this machine?"""
    return _marker().is_file()


def warm(progress: Callable[[str, float], None]) -> dict[str, float]:
    """Compile all kernels. Calls `progress` after each; returns the seconds that each took, without those it calls.

    Kernels that were in the cache already are not in the answer. Raises WarmUpError.
    """
    seconds: dict[str, float] = {}
    for done in warm_in_child(seconds):
        if done.kernel or done.fraction == 1.0:
            progress(done.kernel, done.fraction)
    return seconds


def warm_in_child(seconds: dict[str, float] | None = None) -> Iterator[Progress]:
    """Compile all kernels in child processes and yield after each; closing the iterator ends the children.

    A large kernel takes many seconds, so it also yields with no kernel, several times a second: a caller who has
    changed its mind need not wait. Fills `seconds` with what each kernel took. Raises WarmUpError.
    """
    tally = _Tally(seconds if seconds is not None else {})
    yield from _run_lanes(["narrow", "motion"], tally)
    yield from _run_lanes(["world", "solvers"], tally)
    marker = _marker()
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text(json.dumps(tally.seconds, indent=1), encoding="utf-8")
    yield Progress("", 1.0)


def _marker() -> Path:
    """The file that says that kernels of these sources have been compiled for this processor."""
    import llvmlite.binding

    digest = hashlib.blake2b(llvmlite.binding.get_host_cpu_name().encode(), digest_size=10)
    for module in (__name__, *ENTRANCES):
        digest.update(module_key(module).encode())
    return cache_root() / f"warm-{digest.hexdigest()}"


# --- the parent ----------------------------------------------------------------------------------------------------


@dataclass
class _Tally:
    """What the children have said so far."""

    seconds: dict[str, float]
    sizes: dict[str, int] = field(default_factory=dict)
    fraction: float = 0.0

    def take(self, line: str) -> Progress | None:
        """Note one line of a child."""
        said = json.loads(line)
        self.sizes.update(said.get("sizes", {}))
        if "kernel" not in said:
            return None
        name = said["kernel"]
        self.seconds[name] = self.seconds.get(name, 0.0) + said["seconds"]
        done = sum(self.sizes.get(kernel, 0) for kernel in self.seconds)
        self.fraction = max(self.fraction, min(done / max(sum(self.sizes.values()), 1), 0.99))
        return Progress(name, self.fraction)


def _run_lanes(lanes: list[str], tally: _Tally) -> Iterator[Progress]:
    """Run one child for each lane, side by side, until all have ended."""
    lines: queue.Queue[str | None] = queue.Queue()
    children = [_start_child(lane) for lane in lanes]
    readers = [threading.Thread(target=_read, args=(child.stdout, lines), daemon=True) for child in children]
    complaints = [_Complaint(child.stderr) for child in children]
    try:
        for reader in readers:
            reader.start()
        open_lanes = len(children)
        while open_lanes:
            try:
                line = lines.get(timeout=HEARTBEAT)
            except queue.Empty:
                yield Progress("", tally.fraction)
                continue
            if line is None:
                open_lanes -= 1
            elif (progress := tally.take(line)) is not None:
                yield progress
        for child, complaint in zip(children, complaints, strict=True):
            if child.wait() != 0:
                raise WarmUpError(f"the kernels could not be compiled: {complaint.text()}")
    finally:
        for child in children:
            if child.poll() is None:
                child.terminate()
            child.wait()
        for reader in readers:
            reader.join()
        for complaint in complaints:
            complaint.text()


def _start_child(lane: str) -> subprocess.Popen[str]:
    paths = [str(Path(__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-m", "engine.warm", lane],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)},
    )


def _read(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    assert stream is not None
    with stream:
        for line in stream:
            lines.put(line)
    lines.put(None)


class _Complaint:
    """Reads a child's error stream as it comes, so that the child never waits for it."""

    def __init__(self, stream: IO[str] | None) -> None:
        self._text = ""
        self._thread = threading.Thread(target=self._collect, args=(stream,), daemon=True)
        self._thread.start()

    def _collect(self, stream: IO[str] | None) -> None:
        assert stream is not None
        with stream:
            self._text = stream.read()

    def text(self) -> str:
        """The last line, once the child has ended."""
        self._thread.join()
        said = self._text.strip().splitlines()
        return said[-1] if said else "no reason given"


# --- a child -------------------------------------------------------------------------------------------------------


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def main(lane: str) -> None:
    """Compile one lane and say so, line by line, on standard output."""
    drives = {
        "narrow": _drive_narrow_phase,
        "motion": _drive_motion,
        "world": _drive_world,
        "solvers": _drive_solvers,
    }
    for module in ENTRANCES:
        importlib.import_module(module)  # all kernels: their sizes are known before the first is done
    _say(sizes=kernel_sizes())
    with watch_compilation(lambda kernel, seconds: _say(kernel=kernel, seconds=seconds)):
        drives[lane]()


def _drive_narrow_phase() -> None:
    """Gaps, contact patches and boxes of shapes of every kind."""
    import numpy as np

    from engine.collision.narrow.closest import closest
    from engine.collision.narrow.manifold import MOST_POINTS, POINT_WIDTH, SCRATCH_ROWS, find_manifold
    from engine.geometry import shapes
    from engine.geometry.pool import build_pool, swept_extent

    pool = build_pool([shapes.sphere(0.1), shapes.box((0.1, 0.2, 0.3))])
    here, there = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    closest(*pool, 0, here, 1, there, -1, -1)
    scratch, points = np.zeros((SCRATCH_ROWS, 3)), np.zeros((MOST_POINTS, POINT_WIDTH))
    find_manifold(*pool, 0, here, 1, there, (-1.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.9, 0.0, 0.0), 1.0, scratch, points)
    swept_extent(*pool, 1, (1.0, 0.0, 0.0, 0.0))


def _drive_motion() -> None:
    """Building a world, moving and colliding its bodies, and reading it: all but the narrow phase and the loop."""
    from engine.impulse.contact import resolve_contact
    from engine.motion.pull import kick_pull

    world = _make_world()
    _read_state(world)
    model, state = world.model, world.snapshot().state
    q, zero, down, arm = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 0.0, -0.1)
    resolve_contact(
        model.bodies, model.tags, model.settings, state.pairs, state.clock, state.counts,
        0, 1, 0, q, zero, zero, zero, q, down, zero, arm, 0.0,
    )  # fmt: skip
    kick_pull(model.bodies, model.tags, state.arcs, state.pull, state.clock, 1, 0.0)


def _drive_solvers() -> None:
    """Every method of the registry, watched or not, on a box that stands on a floor."""
    import numpy as np

    from engine.analysis.contact_problem import ContactProblem
    from engine.analysis.methods import METHODS, acceleration_problem
    from engine.solvers.solution import make_trace, no_trace

    corners = np.array([[x, y, 0.0] for x in (-1.0, 1.0) for y in (-1.0, 1.0)])
    nothing = np.zeros(4)
    box = ContactProblem(
        bodies=np.zeros(1, dtype=np.int64),
        centre=np.array([[0.0, 0.0, 1.0]]),
        mass=np.eye(6)[None],
        force=np.array([[0.0, 0.0, -9.81, 0.0, 0.0, 0.0]]),
        velocity=np.zeros((1, 6)),
        pair=np.tile(np.array([0, -1]), (4, 1)),
        rows=np.tile(np.array([0, 1]), (4, 1)),
        nodes=np.tile(np.array([0, 1]), (4, 1)),
        point=corners,
        frame=np.tile(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), (4, 1, 1)),
        gap=nothing,
        given=np.zeros((4, 3)),
        curvature=nothing,
        friction=nothing,
        restitution=nothing,
    )
    problem = acceleration_problem(box)
    for method in METHODS.values():
        method.solve(problem, make_trace(4, 4))
        method.solve(problem, no_trace())


def _drive_world() -> None:
    """Half a second of shapes of every kind, at rest and in flight, one of them pulled, and one that is stopped."""
    from engine.model.state import POSITION
    from engine.tolerances import BOX_HORIZON

    world = _make_world()
    world.advance_to(0.3)
    world.pull("ball", (0.0, 0.0, 0.1), (0.0, 0.0, 1.0))
    world.advance_events(200)
    world.release()
    world.advance_to(world.time + 0.1)
    read_everything(world)
    broken = world.snapshot()
    broken.state.arcs[0, POSITION] = nan
    world.restore(broken)
    world.advance_to(world.time + BOX_HORIZON)


def _make_world() -> World:
    from engine.scene.schema import Scene
    from engine.world import World

    shapes: list[dict[str, Any]] = [
        {"name": "ball", "shape": {"sphere": {"radius": 0.1}}},
        {"name": "pill", "shape": {"capsule": {"radius": 0.05, "length": 0.2}}},
        {"name": "box", "shape": {"box": [0.1, 0.2, 0.3]}},
        {"name": "die", "shape": {"rounded_box": {"size": [0.2, 0.2, 0.2], "radius": 0.02}}},
        {
            "name": "tetrahedron",
            "shape": {"convex": {"vertices": [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.2]]}},
        },
    ]
    free = [body | {"position": [0.4 * k, 0.0, 0.3], "velocity": [-1.0, 0.0, 0.0]} for k, body in enumerate(shapes)]
    moved: list[dict[str, Any]] = [
        {"name": "ground", "motion": "fixed", "shape": {"plane": {}}},
        {
            "name": "platter",
            "motion": {"spinner": {"axis": [0.0, 0.0, 1.0], "rate": 1.0}},
            "shape": {"box": [0.5, 0.5, 0.1]},
            "position": [-1.0, 0.0, 0.1],
        },
        {
            "name": "piston",
            "motion": {"oscillator": {"direction": [0.0, 0.0, 1.0], "amplitude": 0.1, "frequency": 1.0}},
            "shape": {"box": [0.5, 0.5, 0.1]},
            "position": [-2.0, 0.0, 0.3],
        },
        {
            "name": "lift",
            "motion": {"keyframes": {"keys": [{"time": 0.0}, {"time": 1.0, "offset": [0.0, 0.0, 0.1]}]}},
            "shape": {"box": [0.5, 0.5, 0.1]},
            "position": [-3.0, 0.0, 0.3],
        },
    ]
    return World(Scene.model_validate({"format": 1, "title": "Warm-up", "body": free + moved}))


def read_everything(world: World) -> None:
    """Ask a world for all that the window asks of it."""
    _read_state(world)
    world.contact_problem()


def _read_state(world: World) -> None:
    """What needs no narrow phase."""
    world.poses()
    world.twists()
    world.energy()
    world.momentum()
    world.contacts()
    world.heap()
    world.events()
    world.restore(world.snapshot())


if __name__ == "__main__":
    main(sys.argv[1])
