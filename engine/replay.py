"""Runs as files: a world that is recorded while it runs, and a recording that is run again and compared.

Marks hold the digest of the State after every so many events, and before and after every input. A run that differs is
told by the first mark that does; what happened between it and the mark before is then gone through event by event.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.recording.carom_file import Mark, Recording, RecordingWriter, Source, Way
from engine.recording.events import EVENT, EVENT_KINDS
from engine.recording.inputs import Input
from engine.recording.snapshot import Snapshot
from engine.scene.reading import parse_scene
from engine.scene.schema import Scene
from engine.scene.text import scene_text
from engine.scene.writing import named_files
from engine.world import World

EVENTS_A_MARK = 256
STRETCH = 1.0  # [s] of simulation between keyframes

Progress = Callable[[float], bool | None]


def source_of(world: World) -> Source:
    """The scene of a world, with the files that it names."""
    scene, folder = world.scene, world.scene.folder or Path()
    return Source(
        scene_text(scene), {name: (folder / name).read_bytes() for name in named_files(scene)}, world.model_digest
    )


class Recorder:
    """Lets a world run, from its start on, and writes the run into a file while it does.

    What the world is told meanwhile is recorded; its events are read here, and nowhere else.
    """

    def __init__(
        self, world: World, into: Path | RecordingWriter, every: int = EVENTS_A_MARK, stretch: float = STRETCH
    ) -> None:
        """into: a new file, or one of which this becomes a part; every: events between two marks; stretch: time between
        two keyframes [s]."""
        self._world, self._every, self._stretch = world, every, stretch
        self._writer = into if isinstance(into, RecordingWriter) else RecordingWriter(into, source_of(world))
        self._marks: list[Mark] = []
        self._events: list[NDArray[np.void]] = []
        self._last: Mark | None = None
        self._given = self._happened = 0
        self._begun = world.time
        world.on_input = self._mark
        self._end_stretch()

    def advance_to(self, t: float) -> None:
        """Run up to and including time t [s]."""
        happened = self._every
        while happened >= self._every:
            happened = self._world.advance_events(self._every, t)
            self._mark()
            if self._world.time >= self._begun + self._stretch:
                self._end_stretch()

    def end(self) -> None:
        """Write what is left; the file stays open."""
        self._world.on_input = lambda: None
        self._end_stretch()

    def close(self) -> None:
        """Write what is left, and no more."""
        self.end()
        self._writer.close()

    def _mark(self) -> None:
        happened = self._world.events()
        self._happened += len(happened)
        self._events.append(happened)
        world = self._world
        if self._last is None or self._last[:3] != (world.time, world.event, len(world.inputs)):
            self._last = Mark(world.time, world.event, len(world.inputs), self._happened, world.digest)
            self._marks.append(self._last)

    def _end_stretch(self) -> None:
        self._mark()
        world = self._world
        if self._marks:
            events = np.concatenate([np.zeros(0, dtype=EVENT), *self._events])
            self._writer.add(world.inputs[self._given :], self._marks, events, world.snapshot().pack())
        self._given, self._begun = len(world.inputs), world.time
        self._marks.clear()
        self._events.clear()


def record_ways(scene: Scene, ways: Sequence[Way], path: Path, progress: Progress = lambda share: False) -> None:
    """Run all ways that a run went again, and write them into a file. progress(share) -> cancel?, as KeyboardInterrupt.

    None of the scene's Python runs: what it said is among the inputs.
    """
    writer = RecordingWriter(path, source_of(World(scene, python="off")))
    whole, done = sum(way.end for way in ways) or 1.0, 0.0
    try:
        for way in ways:
            writer.begin_line(way.number)
            world = World(scene, python="off")
            recorder = Recorder(world, writer)
            for entry in [*way.inputs, None]:
                until = way.end if entry is None else entry.time
                while world.time < until:
                    recorder.advance_to(min(until, world.time + STRETCH))
                    if progress((done + world.time) / whole):
                        raise KeyboardInterrupt
                if entry is not None:
                    world.give(entry)
            world.advance_to(world.time)  # all that happens at this instant
            recorder.end()
            done += way.end
    finally:
        writer.close()


@contextmanager
def world_of(recording: Recording) -> Iterator[World]:
    """The world of a recording at its start, wherever the file has come from; none of its Python runs.

    ValueError: this Carom makes something else of its scene.
    """
    with tempfile.TemporaryDirectory(prefix="carom-") as name:
        folder = Path(name).resolve()
        world = World(unpack(recording.source, folder), python="off")
        if world.model_digest != recording.source.model:
            raise ValueError("this Carom builds another model of the scene than the one that was recorded")
        yield world


def unpack(source: Source, folder: Path) -> Scene:
    """The scene that was recorded, with its files in a folder. SceneError, ValueError: it cannot be read."""
    folder = folder.resolve()
    for name, data in source.files.items():
        path = folder / name
        if not path.resolve().is_relative_to(folder):
            raise ValueError(f"the recording holds a file outside its folder: {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return parse_scene(source.text.encode(), "the recorded scene", folder, overlaps=False)


@dataclass(frozen=True)
class Verdict:
    """What came of running a recording again."""

    time: float  # until when it was compared [s]
    marks: int  # how many digests agreed
    event: int  # how many events there had been
    difference: str = ""  # the first that differs, in words; "": all is the same to the bit
    differs_at: int | None = None  # the number of the event, or of the one that an input follows


def verify(recording: Recording, progress: Progress = lambda share: False) -> Verdict:
    """Run a recording again, with all its branches, and name the first event or input after which one differs.

    progress(share) -> cancel?, as KeyboardInterrupt. What is the same is told of all together.
    """
    lines = (recording, *recording.branches)
    whole, done = sum(line.time for line in lines) or 1.0, 0.0
    verdicts: list[Verdict] = []
    for line in lines:
        share, before = line.time / whole, done
        verdict = _verify_line(line, partial(_part, progress, before, share))
        if verdict.difference:
            of = f"branch {line.number}: " if len(lines) > 1 else ""
            return replace(verdict, difference=of + verdict.difference)
        verdicts.append(verdict)
        done += share
    return Verdict(max(v.time for v in verdicts), sum(v.marks for v in verdicts), sum(v.event for v in verdicts))


def _part(progress: Progress, before: float, share: float, done: float) -> bool | None:
    return progress(before + done * share)


def _verify_line(recording: Recording, progress: Progress) -> Verdict:
    with world_of(recording) as world:
        before: tuple[Mark | None, Snapshot] = (None, world.snapshot())
        for number, mark in enumerate(recording.marks):
            now = _run_to(world, recording.inputs, mark, before[0])
            if now != mark:
                world.restore(before[1])
                return _name_difference(world, recording, before[0], now, number)
            before = (mark, world.snapshot())
            if progress(mark.time / recording.time if recording.time else 1.0):
                raise KeyboardInterrupt
        last = before[0]
        return Verdict(world.time, len(recording.marks), last.event if last else 0)


def _run_to(world: World, inputs: Sequence[Input], mark: Mark, before: Mark | None) -> Mark:
    """Let a world run from one mark to the next; where it is then."""
    given, happened = (before.given, before.happened) if before else (0, 0)
    world.events()
    for entry in inputs[given : mark.given]:
        world.advance_to(max(entry.time, world.time))
        world.give(entry)
    if world.time < mark.time or world.event < mark.event:
        world.advance_events(max(mark.event - world.event, 1), mark.time)
    happened = -1 if mark.happened < 0 else happened + len(world.events())
    return Mark(world.time, world.event, mark.given, happened, world.digest)


def _name_difference(world: World, recording: Recording, before: Mark | None, now: Mark, number: int) -> Verdict:
    """The world stands at the last mark that agrees: what is the first that differs after it?"""
    mark = recording.marks[number]
    given, happened, event = (before.given, before.happened, before.event) if before else (0, 0, 0)
    time = before.time if before else 0.0
    if before is None or mark.given > given:
        entry = recording.inputs[given] if mark.given > given else None
        said = "the start" if entry is None else _say_input(world, entry, given)
        return Verdict(time, number, event, f"{said} differs", event)
    place = None
    if mark.happened >= 0:
        place = _first_unlike(world, recording.events[happened : mark.happened], mark)
    if place is not None:
        here, was = place
        return Verdict(time, number, event, f"event {here}: {was}", here)
    span = f"event {mark.event}" if mark.event == event + 1 else f"one of the events {event + 1} to {mark.event}"
    more = ", no collision and no switch does" if mark.happened >= 0 else ""
    text = f"{span} (t = {time!r} to {mark.time!r} s): the states differ{more}"
    return Verdict(time, number, event, text, event + 1)


def _first_unlike(world: World, recorded: NDArray[np.void], mark: Mark) -> tuple[int, str] | None:
    """The number of the first event with another outcome than was recorded, and what both say; None: all are alike."""
    done = 0
    world.events()
    while True:
        went_on = world.advance_events(1, mark.time)
        for now in world.events():
            was = recorded[done] if done < len(recorded) else None
            if was is None or now.tobytes() != was.tobytes():
                return world.event, f"{_say_event(world, now)}; recorded: {_say_event(world, was)}"
            done += 1
        if not went_on:
            break
    left = recorded[done] if done < len(recorded) else None
    return None if left is None else (world.event, f"nothing happens; recorded: {_say_event(world, left)}")


def _say_event(world: World, row: np.void | None) -> str:
    if row is None:
        return "nothing"
    who = " and ".join(dict.fromkeys(world.names[row[side]] for side in ("body_a", "body_b")))
    impulse = ", ".join(map(repr, row["impulse"].tolist()))
    return f"{EVENT_KINDS[row['kind']]} of {who} at t = {float(row['time'])!r} s with ({impulse}) N s"


def _say_input(world: World, entry: Input, number: int) -> str:
    who = f" of {world.names[entry.body]}" if 0 <= entry.body < len(world.names) else ""
    return f"input {number + 1} ({entry.what}{who} at t = {entry.time!r} s, after event {world.event})"
