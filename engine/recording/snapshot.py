"""A snapshot: the arrays of a State, and what was said from outside that still holds: orders and controllers' memory.

Its digest names the bits; it comes back from disk the same.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import struct
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
import zstandard

from engine.control.orders import Order, pack_orders, unpack_orders
from engine.model.state import State, allocate_state, most_points

FORMAT = 5
_LENGTH = struct.Struct(">I")
_WHOLE = ("clock", "counts", "pull")


def digest_of(arrays: tuple[np.ndarray, ...]) -> str:
    """BLAKE2b of the arrays' bytes in their declared order."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)  # not a copy: that would hold every thread up
    return digest.hexdigest()


@cache
def _own_tables(points: int) -> State:
    """Of one body, whose contacts have so many points at most: how wide tables are."""
    return allocate_state(1, 1, points)


def _check_widths(state: State) -> State:
    """The same. ValueError if its tables have other columns than ours: kernels would read what is not there."""
    for name, array, own in zip(State._fields, state, _own_tables(most_points(state.patches)), strict=True):
        whole = name in _WHOLE and array.shape != own.shape
        table = own.ndim == 2 and own.shape[1] > 0 and array.shape[1:] != own.shape[1:]
        if whole or table or array.dtype != own.dtype:
            raise ValueError(f"a snapshot of another version of Carom: its {name} have other columns")
    return state


class Memory(NamedTuple):
    """What a controller has made of it so far."""

    name: str
    ticks: int  # how many there have been
    state: str | None  # its `self.state` as JSON; None before the first


class Said(NamedTuple):
    """What came from outside and still holds."""

    orders: tuple[Order, ...] = ()
    memories: tuple[Memory, ...] = ()
    changes: tuple[tuple[str, tuple[float, ...]], ...] = ()  # paths in the scene, and what is there
    given: int = 0  # how many inputs there had been

    def to_json(self) -> str:
        return json.dumps([pack_orders(self.orders), self.memories, self.changes, self.given])

    @staticmethod
    def from_json(text: str) -> Said:
        orders, memories, changes, *given = json.loads(text)  # older ones lack the last
        said = tuple((path, tuple(value)) for path, value in changes)
        return Said(unpack_orders(orders), tuple(Memory(*memory) for memory in memories), said, *map(int, given))

    def digest(self, state: str) -> str:
        """A digest of a State, and of the orders and changes that hold, not of what controllers remember: a replay runs
        none."""
        if not self.orders and not self.changes:
            return state
        said = json.dumps(pack_orders(self.orders)) + (json.dumps(self.changes) if self.changes else "")
        return hashlib.blake2b((state + said).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Snapshot:
    """A State that nobody changes any more, of the model whose digest is `model`."""

    state: State
    model: str
    said: Said = field(default_factory=Said)

    @property
    def time(self) -> float:
        return float(self.state.clock[0])

    @property
    def nbytes(self) -> int:
        """Memory of its arrays [bytes]."""
        return sum(array.nbytes for array in self.state)

    @property
    def digest(self) -> str:
        return self.said.digest(digest_of(self.state))

    def to_bytes(self) -> bytes:
        """The snapshot as a compressed numpy archive; reading it runs no code."""
        file = io.BytesIO()
        model, said = np.array(self.model), np.array(self.said.to_json())
        np.savez_compressed(file, format=np.array(FORMAT), model=model, said=said, **self.state._asdict())
        return file.getvalue()

    def pack(self) -> PackedSnapshot:
        """The same in about a tenth of its memory."""
        return pack(self.state, self.model, self.said)

    @staticmethod
    def from_bytes(data: bytes) -> Snapshot:
        """What `to_bytes` wrote. ValueError if it is something else."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                if int(archive["format"]) != FORMAT:
                    raise ValueError(f"a snapshot of format {int(archive['format'])} (this Carom reads {FORMAT})")
                state = State(**{name: archive[name] for name in State._fields})
                said = Said.from_json(str(archive["said"])) if "said" in archive else Said()
                return Snapshot(_check_widths(state), str(archive["model"]), said)
        except (KeyError, OSError, EOFError) as error:
            raise ValueError(f"this is no snapshot of Carom: {error}") from error


@dataclass(frozen=True)
class PackedSnapshot:
    """A snapshot as it is kept where there are many: compressed, since much of a State is room that nothing uses."""

    data: bytes
    shapes: tuple[tuple[tuple[int, ...], str], ...]  # of its arrays, and their types
    time: float  # [s]
    model: str
    said: Said

    @property
    def nbytes(self) -> int:
        """Memory that it takes [bytes]."""
        return len(self.data)

    def to_bytes(self) -> bytes:
        """The same for a file: what it takes to read it as JSON, after its length, then the data."""
        head = [FORMAT, self.shapes, self.time, self.model, self.said.to_json()]
        text = json.dumps(head).encode()
        return _LENGTH.pack(len(text)) + text + self.data

    @staticmethod
    def from_bytes(data: bytes) -> PackedSnapshot:
        """What `to_bytes` wrote. ValueError if it is something else."""
        try:
            begin = _LENGTH.size + _LENGTH.unpack_from(data)[0]
            number, shapes, time, model, said = json.loads(data[_LENGTH.size : begin])
            if number != FORMAT:
                raise ValueError(f"a snapshot of format {number} (this Carom reads {FORMAT})")
            known = tuple((tuple(map(int, shape)), str(kind)) for shape, kind in shapes)
            size = sum(math.prod(shape) * np.dtype(kind).itemsize for shape, kind in known)
            if len(known) != len(State._fields) or zstandard.frame_content_size(data[begin:]) != size:
                raise ValueError("this is no snapshot of Carom: its arrays have other sizes than it says")
            return PackedSnapshot(data[begin:], known, float(time), str(model), Said.from_json(said))
        except (struct.error, TypeError, KeyError, IndexError, zstandard.ZstdError) as error:
            raise ValueError(f"this is no snapshot of Carom: {error}") from error

    def unpack(self) -> Snapshot:
        """The snapshot, to the bit. Its arrays are not to be written to. ValueError: it was damaged in a file."""
        try:
            whole = zstandard.ZstdDecompressor().decompress(self.data)
        except zstandard.ZstdError as error:
            raise ValueError(f"this is no snapshot of Carom: {error}") from error
        arrays, at = [], 0
        for shape, kind in self.shapes:
            count = math.prod(shape)
            arrays.append(np.frombuffer(whole, dtype=kind, count=count, offset=at).reshape(shape))
            at += arrays[-1].nbytes
        return Snapshot(_check_widths(State(*arrays)), self.model, self.said)


def pack(state: State, model: str, said: Said) -> PackedSnapshot:
    """A State as it is now, packed without a copy of it in between."""
    arrays = [np.ascontiguousarray(array) for array in state]
    packer = zstandard.ZstdCompressor(level=1).compressobj(size=sum(array.nbytes for array in arrays))
    parts = [packer.compress(array.reshape(-1).view(np.uint8).data) for array in arrays if array.size]
    data = b"".join([*parts, packer.flush()])
    shapes = tuple((array.shape, array.dtype.str) for array in arrays)
    return PackedSnapshot(data, shapes, float(state.clock[0]), model, said)


def copy_state(state: State) -> State:
    return State(**{name: array.copy() for name, array in state._asdict().items()})
