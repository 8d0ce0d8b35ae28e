"""Runs as the window keeps them in files: all ways that they went, with what the past needs to come back at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from app.simulation.files import whole_file
from app.simulation.history import Keyframe, Line
from engine.recording.carom_file import Recording, Way, read_recording
from engine.recording.counters import read_counters
from engine.recording.snapshot import PackedSnapshot
from engine.scene.schema import Scene

SUFFIX = ".carom"


class Run(NamedTuple):
    scene: Scene
    lines: list[Line]  # the one that was shown first


def save_run(scene: Scene, ways: Sequence[Way], path: Path, progress: Callable[[float], bool | None]) -> None:
    """Run it again and write it. progress(share) -> cancel?, as KeyboardInterrupt; then nothing stays."""
    from engine.replay import record_ways  # here, in another thread: importing the kernels takes a moment

    with whole_file(path) as part:
        record_ways(scene, ways, part, progress)


def renamed(way: Way, before: Scene, after: Scene) -> Way:
    """A way of a scene whose bodies have got other names: changes on it speak of these."""
    called = {f"body.{old.name}": f"body.{new.name}" for old, new in zip(before.body, after.body, strict=True)}

    def follow(path: str) -> str:
        body, _, what = path.rpartition(".")
        return f"{called[body]}.{what}" if body in called else path

    return way._replace(inputs=[replace(entry, path=follow(entry.path)) for entry in way.inputs])


def open_run(path: Path, folder: Path, told: Callable[[float], object] = lambda share: None) -> Run:
    """A run from a file, up to its last keyframe. The files of its scene go into a folder. ValueError, OSError.

    told: is called with the share that is done; what it raises ends the work.
    """
    from engine.replay import unpack

    recording = read_recording(path, lambda share: told(0.5 * share))
    if not recording.marks:
        raise ValueError(f"{path}: this recording ends before it begins")
    lines = (recording, *recording.branches)
    whole, done = sum(len(line.keyframes) for line in lines), 0
    read = []
    for line in lines:
        read.append(Line(line.number, [], list(line.inputs), line.time))
        for keyframe in _keyframes_of(line):
            read[-1].keyframes.append(keyframe)
            done += 1
            told(0.5 + 0.5 * done / whole)
    return Run(unpack(recording.source, folder), read)


def _keyframes_of(recording: Recording) -> Iterator[Keyframe]:
    for place, data in recording.keyframes.items():
        mark, packed = recording.marks[place], PackedSnapshot.from_bytes(data)
        collisions = read_counters(packed.unpack().state)["collisions"]
        yield Keyframe(mark.time, mark.given, packed, mark.event, collisions)
