"""A copy of the run that goes on, so that a crash loses at most what came after its last keyframe.

It is a recording like any other, without the events. A keyframe that comes is appended; where the run goes over to
another way, or the file holds much more than the history does, it is written anew, and takes the place of the old one
when it is complete. All of it is the scribe's work: the simulation only says what is new.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from app.document.journal import Journal
from app.simulation.history import INPUT_BYTES, History, Keyframe, Line
from engine.recording.carom_file import Mark, RecordingWriter, Source
from engine.recording.events import EVENT
from engine.scene.schema import Scene
from engine.scene.text import scene_text
from engine.scene.writing import named_files

_MOST = 2.0  # times what the history holds that the file may hold
_SPARE = 32e6  # and so many bytes
_WAITING = 16  # jobs that the scribe may have

Place = tuple[float, int]  # time of a keyframe [s], and how many inputs there had been


class RunJournal:
    """One run at a time is kept, in the folder of the journal of the scene that runs."""

    def __init__(self, journal: Journal) -> None:
        self._journal, self._path, self._scribe = journal, journal.run_file, journal.scribe
        self._scene: Any = None
        self._line: Line | None = None  # the one that is kept, and up to where
        self._upto: Place = (-1.0, 0)
        self._size = 0.0  # of the file, about [bytes]
        self._time = 0  # counts how often the file is written anew
        self._writer: RecordingWriter | None = None  # the scribe's

    def begin(self, scene: Any) -> None:
        """Another scene is loaded: what there was of the one before is of no use. Called on the simulation's thread."""
        self._scene, self._line, self._upto = scene, None, (-1.0, 0)
        self._time += 1
        self._scribe.do(self._remove)

    def follow(self, history: History) -> None:
        """The run has gone on, or another way. Called on the simulation's thread, after everything that it does."""
        line = history.current
        if not line.keyframes or (line is self._line and _place(line.keyframes[-1]) == self._upto):
            return
        if self._line is None and len(line.keyframes) < 2 and not history.branches:
            return  # it has not gone anywhere
        if self._scribe.waiting > _WAITING:
            return  # a slow disk: what is new comes with what follows, and holds no memory meanwhile
        if line is not self._line or self._size > _MOST * history.held + _SPARE:
            self._write_anew(history)
        else:
            new = [frame for frame in line.keyframes if _place(frame) > self._upto]
            given = line.inputs[self._upto[1] : new[-1].given]
            self._size += _size_of(new, given)
            self._scribe.do(partial(self._append, self._time, given, self._upto[1], new))
        self._line, self._upto = line, _place(line.keyframes[-1])

    def _write_anew(self, history: History) -> None:
        lines = history.lines()
        self._size = sum(_size_of(line.keyframes, line.inputs) for line in lines)
        self._time += 1
        self._scribe.do(partial(self._write, self._time, self._scene, lines))

    # The scribe's

    def _remove(self) -> None:
        self._close()
        with suppress(FileNotFoundError):
            self._path.unlink()

    def _write(self, time: int, scene: Scene, lines: Sequence[Line]) -> None:
        if time != self._time:
            return  # it is to be written anew once more
        self._close()
        self._journal.hold()
        part = self._path.with_suffix(".part")
        writer = RecordingWriter(part, _source_of(scene, lines[0].keyframes[0].snapshot.model))
        try:
            for line in reversed(lines):  # what is appended belongs to the last
                writer.begin_line(line.number, shown=line is lines[0])
                _add(writer, line.inputs, 0, line.keyframes)
            os.replace(part, self._path)
        except BaseException:
            writer.close()
            raise
        self._writer = writer
        self._journal.run_is_kept()

    def _append(self, time: int, inputs: Sequence[Any], before: int, frames: Sequence[Keyframe]) -> None:
        if time == self._time and self._writer is not None:
            _add(self._writer, inputs, before, frames)

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _place(frame: Keyframe) -> Place:
    return frame.time, frame.given


def _size_of(frames: Sequence[Keyframe], inputs: Sequence[Any]) -> float:
    return float(sum(frame.size for frame in frames) + INPUT_BYTES * len(inputs))


def _source_of(scene: Scene, model: str) -> Source:
    folder = scene.folder or Path()
    return Source(scene_text(scene), {name: (folder / name).read_bytes() for name in named_files(scene)}, model)


def _add(writer: RecordingWriter, inputs: Sequence[Any], before: int, frames: Sequence[Keyframe]) -> None:
    """Write stretches: the inputs after the first `before` up to those of each keyframe, and the keyframe."""
    done = before
    for frame in frames:
        digest = frame.snapshot.unpack().digest
        mark = Mark(frame.time, round(frame.events), frame.given, -1, digest)
        writer.add(inputs[done - before : frame.given - before], [mark], np.zeros(0, dtype=EVENT), frame.snapshot)
        done = frame.given
