"""A run as a file, `.carom`: the scene with its files, what came from outside, keyframes, digests, what happened.

It is written stretch by stretch, each ended by a keyframe: a file whose writer was killed holds all whole stretches.
Where a run went on in several ways, each is there from its start on, one after the other.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.recording.chunks import ChunkReader, ChunkWriter
from engine.recording.events import EVENT
from engine.recording.inputs import Input, from_json, to_json
from engine.recording.snapshot import PackedSnapshot

FORMAT = 6
_HEAD, _LINE, _INPUTS, _MARKS, _EVENTS, _KEYFRAME = b"HEAD", b"LINE", b"INPT", b"MARK", b"EVNT", b"KEYF"


class Mark(NamedTuple):
    """Where a run was, and the digest of the State there."""

    time: float  # [s]
    event: int  # how many events there had been
    given: int  # how many inputs
    happened: int  # how many records of World.events(); -1: they were not counted, and are not in the file
    digest: str


class Source(NamedTuple):
    """The scene that ran, complete."""

    text: str  # of its file
    files: Mapping[str, bytes]  # meshes and controllers by their names
    model: str  # digest of the Model that was built of it


class Way(NamedTuple):
    """One of the ways that a run went: enough to run it again."""

    number: int
    inputs: Sequence[Input]
    end: float  # [s]


@dataclass
class Recording:
    """What a file holds. `keyframes`: snapshots as bytes, by the place of their mark; `branches`: the other ways that
    the run went, likewise."""

    source: Source
    number: int = 1
    inputs: list[Input] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    keyframes: dict[int, bytes] = field(default_factory=dict)
    events: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, dtype=EVENT))
    branches: list[Recording] = field(default_factory=list)
    lost: int = 0  # bytes at the end of the file that can't be read

    @property
    def time(self) -> float:
        """Until when it goes [s]."""
        return self.marks[-1].time if self.marks else 0.0


class RecordingWriter:
    """Writes a recording while it is made."""

    def __init__(self, path: Path, source: Source) -> None:
        self._chunks = ChunkWriter(path)
        files = {name: base64.b64encode(data).decode() for name, data in source.files.items()}
        head = {"format": FORMAT, "scene": source.text, "files": files, "model": source.model}
        self._chunks.add(_HEAD, zlib.compress(json.dumps(head).encode()))

    def begin_line(self, number: int, shown: bool = False) -> None:
        """What follows is another way that the run went, from its start on; or the first one, if that has a number.

        shown: it is the one that is to be seen first, wherever it stands in the file.
        """
        self._chunks.add(_LINE, json.dumps([number, shown]).encode())

    def add(
        self, inputs: Sequence[Input], marks: Sequence[Mark], events: NDArray[np.void], keyframe: PackedSnapshot
    ) -> None:
        """A stretch: what is new in it, and the snapshot at its last mark."""
        if inputs:
            self._chunks.add(_INPUTS, zlib.compress(to_json(list(inputs)).encode()))
        if len(events):
            self._chunks.add(_EVENTS, zlib.compress(events.tobytes()))
        self._chunks.add(_MARKS, zlib.compress(json.dumps(marks).encode()))
        self._chunks.add(_KEYFRAME, keyframe.to_bytes())

    def close(self) -> None:
        self._chunks.close()


def read_recording(path: Path, told: Callable[[float], object] = lambda share: None) -> Recording:
    """The recording in a file, up to its last keyframe. told: is called with the share that has been read.

    ValueError: it is none, or damaged; OSError.
    """
    try:
        return _read(path, told)
    except (KeyError, TypeError, AttributeError, zlib.error, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this recording is damaged ({type(error).__name__})") from error


def read_source(path: Path) -> Source:
    """The scene of a recording, of which nothing else is read. ValueError, OSError."""
    try:
        return _read_head(path, iter(ChunkReader(path)))
    except (KeyError, TypeError, AttributeError, zlib.error, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this recording is damaged ({type(error).__name__})") from error


def _read(path: Path, told: Callable[[float], object]) -> Recording:
    reader = ChunkReader(path, told)
    chunks = iter(reader)
    lines = _split_lines(_read_head(path, chunks), chunks)
    lines[0].branches += lines[1:]
    lines[0].lost = reader.lost
    return lines[0]


def _read_head(path: Path, chunks: Iterator[tuple[bytes, bytes]]) -> Source:
    kind, data = next(chunks, (b"", b""))
    if kind != _HEAD:
        raise ValueError(f"{path}: this recording ends before it begins")
    head = json.loads(zlib.decompress(data))
    if head["format"] != FORMAT:
        raise ValueError(f"{path}: a recording of format {head['format']} (this Carom reads {FORMAT})")
    files = {name: base64.b64decode(text) for name, text in head["files"].items()}
    return Source(head["scene"], files, head["model"])


def _split_lines(source: Source, chunks: Iterable[tuple[bytes, bytes]]) -> list[Recording]:
    """The ways that the run went; of the last, what there is of it. The first is there if it is empty, too."""
    lines: list[tuple[Recording, list[tuple[bytes, bytes]]]] = [(Recording(source), [])]
    first = lines[0][0]
    for kind, data in chunks:
        if kind != _LINE:
            lines[-1][1].append((kind, data))
            continue
        number, shown = json.loads(data)
        if lines[-1][1]:
            lines.append((Recording(source, number), []))
        else:
            lines[-1][0].number = number
        first = lines[-1][0] if shown else first
    for recording, own in lines:
        happened = list(_take_stretches(recording, own))
        if happened:
            recording.events = np.concatenate(happened)
    ways = [recording for recording, _ in lines if recording.marks] or [first]
    return sorted(ways, key=lambda recording: recording is not first)


def _take_stretches(recording: Recording, chunks: Iterable[tuple[bytes, bytes]]) -> Iterable[NDArray[np.void]]:
    """Take in all stretches that are whole, up to the first that is not; their events, one after the other."""
    waiting: dict[bytes, bytes] = {}
    for kind, data in chunks:
        waiting[kind] = data
        if kind != _KEYFRAME:
            continue
        if _MARKS not in waiting:
            return
        if _INPUTS in waiting:
            recording.inputs += from_json(zlib.decompress(waiting[_INPUTS]).decode())
        recording.marks += [Mark(*mark) for mark in json.loads(zlib.decompress(waiting[_MARKS]))]
        recording.keyframes[len(recording.marks) - 1] = data
        if _EVENTS in waiting:
            yield np.frombuffer(zlib.decompress(waiting[_EVENTS]), dtype=EVENT)
        waiting = {}
