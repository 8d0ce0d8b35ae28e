"""A simulation from start to end without a window: progress, samples as a table, the end state as plain data."""

from __future__ import annotations

import io
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from app.simulation.table_file import table_file
from engine import World
from engine.recording.forces import split_forces
from engine.recording.observe import CAUSE_NAMES
from engine.replay import Recorder
from engine.scene.schema import Scene

COLUMNS = (
    ("time", "body", "x", "y", "z", "qw", "qx", "qy", "qz")
    + ("vx", "vy", "vz", "wx", "wy", "wz")
)  # fmt: skip
_ENERGIES = ("kinetic", "potential", "elastic", "interpolation", "total", "dissipated", "work")
_CHUNKS = 200
_LOOK = 0.05  # between two looks at the progress [s]


def run_scene(
    scene: Scene,
    until: float,
    progress: Callable[[float], bool] = lambda share: False,
    out: Path | None = None,
    rate: float = 100.0,
    record: Path | None = None,
) -> World:
    """The world of a scene at time `until` [s]; at 0 it is as it begins, and nothing has happened.

    `progress` is told the share that is done and may return True to cancel (KeyboardInterrupt). With `out`, poses and
    velocities are written `rate` times a second [Hz]: the file appears when it is complete, or not at all. With
    `record` the run goes into a file for `carom replay`, which is whole up to its last keyframe at any time. The
    kernels are ready before the world's own clock of the wall starts.
    """
    World(scene, python="off").advance_to(0.0)
    world = World(scene)
    with _sampler(world, out) as sample, _recorder(world, record) as advance_to:
        times = _times(until, rate) if out else [until * ((k + 1) / _CHUNKS) for k in range(_CHUNKS if until else 1)]
        _advance_in_thread(world, advance_to, times, sample, lambda: progress(world.time / until if until else 1.0))
    return world


def _times(until: float, rate: float) -> list[float]:
    """0, 1/rate, 2/rate, ... and `until`."""
    times = [k / rate for k in range(math.floor(until * rate * (1 + 1e-12)) + 1)]
    return times if times[-1] >= until else [*times, until]


def _advance_in_thread(
    world: World,
    advance_to: Callable[[float], None],
    times: list[float],
    sample: Callable[[], None],
    look: Callable[[], bool],
) -> None:
    """Advance in another thread, so that Ctrl+C is heard while a kernel runs."""
    stop, done = threading.Event(), threading.Event()  # Thread.join takes a thread for dead when Ctrl+C interrupts it
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for t in times:
                if stop.is_set():
                    return
                advance_to(min(t, times[-1]))
                sample()
        except BaseException as error:
            failures.append(error)
        finally:
            done.set()

    worker = threading.Thread(target=work, name="batch")
    try:
        worker.start()  # Ctrl+C may come before it says that it has
        ended = False
        while not ended:
            ended = done.wait(_LOOK)
            if look():
                raise KeyboardInterrupt
    finally:
        stop.set()
        while worker.is_alive() and not done.is_set():
            with suppress(KeyboardInterrupt):  # who is impatient still gets a whole file
                world.interrupt()
                done.wait(0.01)
    if failures:
        raise failures[0]


@contextmanager
def _recorder(world: World, path: Path | None) -> Iterator[Callable[[float], None]]:
    """How a world is advanced so that its run is recorded, if it is to be."""
    if path is None:
        yield world.advance_to
        return
    recorder = Recorder(world, path)
    try:
        yield recorder.advance_to
    finally:
        recorder.close()


# --- samples ------------------------------------------------------------------------------------------------------


@contextmanager
def _sampler(world: World, out: Path | None) -> Iterator[Callable[[], None]]:
    if out is None:
        yield lambda: None
        return
    with table_file(out, COLUMNS, texts=("body",)) as write:

        def sample() -> None:
            times = np.full(len(world.names), world.time)
            write([times, world.names, *world.poses().T, *world.twists().T])

        yield sample


# --- the end state ------------------------------------------------------------------------------------------------


def describe(world: World) -> dict[str, Any]:
    """A world as `carom run --json` prints it: plain data, None for what is not finite."""
    energy = world.energy()
    return {
        "time": world.time,
        "bodies": _describe_bodies(world),
        "joints": _describe_joints(world),
        "contacts": _describe_contacts(world),
        "forces": {key: _finite(force) for key, force in world.forces().items()},
        "energy": {key: energy[key] for key in _ENERGIES}
        | {"dissipated_by": {cause: energy[cause] for cause in CAUSE_NAMES}},
        "smallest_gap": _finite(world.smallest_gap),
        "stopped": {world.names[row]: world.why_stopped(row) for row in world.stopped},
        "counters": {**world.counters, "seconds": world.seconds},
        "wall": world.wall,
        "digest": world.digest,
    }


def _describe_bodies(world: World) -> dict[str, dict[str, Any]]:
    moving = zip(world.poses().tolist(), world.twists().tolist(), strict=True)
    states = zip(world.paradigms(), world.asleep().tolist(), strict=True)
    rows = ((name, *motion, *state) for name, motion, state in zip(world.names, moving, states, strict=True))
    return {
        name: {
            "position": [_finite(value) for value in pose[:3]],
            "orientation": [_finite(value) for value in pose[3:]],
            "velocity": [_finite(value) for value in twist[:3]],
            "angular_velocity": [_finite(value) for value in twist[3:]],
            "paradigm": paradigm,
            "asleep": asleep,
        }
        for name, pose, twist, paradigm, asleep in rows
    }


def _describe_contacts(world: World) -> list[dict[str, Any]]:
    contacts = world.contacts()
    pressing, across = split_forces(contacts["force"], contacts["normal"])
    return [
        {
            "bodies": [world.names[row["body_a"]], world.names[row["body_b"]]],
            "point": [_finite(value) for value in row["point"]],
            "gap": _finite(row["gap"]),
            "normal_force": _finite(normal),
            "friction_force": _finite(friction),
            "force": [_finite(value) for value in row["force"]],
            "paradigm": str(row["paradigm"]),
        }
        for row, normal, friction in zip(contacts, pressing, across, strict=True)
    ]


def _describe_joints(world: World) -> dict[str, dict[str, Any]]:
    rows = zip(world.scene.joint, world.joints(), strict=True)
    return {
        joint.name: {
            "position": _finite(row["position"]),
            "velocity": _finite(row["velocity"]),
            "point": [_finite(value) for value in row["point"]],
            "force": [_finite(value) for value in row["force"]],
            "couple": [_finite(value) for value in row["couple"]],
        }
        for joint, row in rows
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def summary_text(world: World, title: str) -> str:
    """A world in a few lines for people."""
    energy, counters = world.energy(), world.counters
    speed = world.time / world.wall if world.wall > 0 else math.inf
    text = io.StringIO()
    print(f"{title}: {world.time:g} s in {world.wall:.3g} s ({speed:.3g} x real time)", file=text)
    print(f"  energy    {energy['total']:.6g} J, of which kinetic {energy['kinetic']:.6g} J", file=text)
    print(f"  dissipated {energy['dissipated']:.6g} J", file=text)
    print("  contacts  normal {normal:.6g} N, friction {friction:.6g} N".format(**world.forces()), file=text)
    print(f"  events    {counters['collisions']} collisions, {counters['microcollisions']} microcollisions", file=text)
    for row in world.stopped:
        print(f"  stopped   {world.names[row]}: {world.why_stopped(row)}", file=text)
    if math.isfinite(world.smallest_gap):
        print(f"  smallest gap {world.smallest_gap:.3g} m", file=text)
    print(f"  digest    {world.digest}", file=text)
    return text.getvalue().rstrip()
