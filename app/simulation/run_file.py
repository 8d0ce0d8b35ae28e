"""Runs as the window keeps them in files: all ways that they went, with what the past needs to come back at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from app.simulation.files import whole_file
from app.simulation.history import Keyframe, Line
from engine.recording.carom_file import Recording, Way, read_recording
from engine.recording.counters import read_counters
from engine.recording.snapshot import Snapshot
from engine.scene.schema import Scene

SUFFIX = ".carom"


class Run(NamedTuple):
    scene: Scene
    lines: list[Line]  # the one that was shown first


def save_run(scene: Scene, ways: Sequence[Way], path: Path, progress: Callable[[float], bool]) -> None:
    """Run it again and write it. progress(share) -> cancel?, as KeyboardInterrupt; then nothing stays."""
    from engine.replay import record_ways  # here, in another thread: importing the kernels takes a moment

    with whole_file(path) as part:
        record_ways(scene, ways, part, progress)


def open_run(path: Path, folder: Path) -> Run:
    """A run from a file, up to its last keyframe. The files of its scene go into a folder. ValueError, OSError."""
    from engine.replay import unpack

    recording = read_recording(path)
    if not recording.marks:
        raise ValueError(f"{path}: this recording ends before it begins")
    return Run(unpack(recording.source, folder), [_line_of(line) for line in (recording, *recording.branches)])


def _line_of(recording: Recording) -> Line:
    keyframes = []
    for place, data in recording.keyframes.items():
        mark, snapshot = recording.marks[place], Snapshot.from_bytes(data)
        collisions = read_counters(snapshot.state)["collisions"]
        keyframes.append(Keyframe(mark.time, mark.given, snapshot.pack(), mark.event, collisions))
    return Line(recording.number, keyframes, list(recording.inputs), recording.time)
