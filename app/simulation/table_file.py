"""Tables as files, a few rows after the other: CSV, or Parquet, by the ending of the name.

Parquet is written by arro3, which is a fifth of pyarrow's size: 34 MB, of which nothing is loaded before a table is
written. It asks for rows, and here they are given to it, so that it writes in a thread of its own.
"""

from __future__ import annotations

import csv
import io
import queue
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.simulation.files import whole_file
from engine.arrays import Floats

if TYPE_CHECKING:
    from arro3.core import RecordBatch, Schema

Column = Floats | Sequence[str]
Write = Callable[[Sequence[Column]], None]
_WAITING = 16  # parts that may wait to be written
_GROUP = 1 << 17  # rows that are packed together


@contextmanager
def table_file(path: Path, header: Sequence[str], texts: Collection[str] = ()) -> Iterator[Write]:
    """Write columns of one length under those before; the file appears when it is complete, or not at all.

    header: names of the columns, without two of one name; texts: those of them that hold text. Numbers keep every bit.
    Raises OSError.
    """
    kind = _parquet if path.suffix.lower() == ".parquet" else _csv
    with whole_file(path) as partial, kind(partial, header, texts) as write:
        yield write


def write_table(path: Path, header: Sequence[str], columns: Sequence[Column], texts: Collection[str] = ()) -> None:
    """A table that is there as a whole. Raises OSError."""
    with table_file(path, header, texts) as write:
        write(columns)


@contextmanager
def _csv(path: Path, header: Sequence[str], texts: Collection[str]) -> Iterator[Write]:
    """With digits enough to read the same numbers back."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)

        def write(columns: Sequence[Column]) -> None:
            told = [
                column if name in texts else map(repr, _numbers(column).tolist())
                for name, column in zip(header, columns, strict=True)
            ]
            writer.writerows(zip(*told, strict=True))

        yield write


@contextmanager
def _parquet(path: Path, header: Sequence[str], texts: Collection[str]) -> Iterator[Write]:
    from arro3.core import Array, DataType, Field, RecordBatch, Schema

    kinds = [DataType.utf8() if name in texts else DataType.float64() for name in header]
    schema = Schema([Field(name, kind, nullable=False) for name, kind in zip(header, kinds)])
    with _Patient(path, "wb") as file:
        writer = _ParquetWriter(file, schema)

        def write(columns: Sequence[Column]) -> None:
            arrays = [
                Array(list(column), kind) if name in texts else Array.from_numpy(_numbers(column))
                for name, kind, column in zip(header, kinds, columns, strict=True)
            ]
            writer.write(RecordBatch.from_arrays(arrays, schema=schema))

        try:
            yield write
        finally:
            writer.end()
        writer.check()


def _numbers(column: Column) -> Floats:
    return np.ascontiguousarray(column, dtype=np.float64)


class _ParquetWriter:
    """The thread that writes, and what it is given."""

    def __init__(self, file: _Patient, schema: Schema) -> None:
        self._file = file
        self._schema = schema
        self._parts: queue.Queue[RecordBatch | None] = queue.Queue(_WAITING)
        self._ended = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="parquet", daemon=True)
        self._thread.start()

    def write(self, part: RecordBatch) -> None:
        self._parts.put(part)

    def end(self) -> None:
        self._parts.put(None)
        self._thread.join()

    def check(self) -> None:
        """Raise what went wrong."""
        if (error := self._file.error or self._error) is not None:
            raise error

    def _run(self) -> None:
        from arro3.core import RecordBatchReader
        from arro3.io import write_parquet

        try:
            parts = RecordBatchReader.from_batches(self._schema, self._given())
            with io.BufferedWriter(self._file) as file:
                write_parquet(parts, file, compression="zstd(3)", max_row_group_size=_GROUP)
        except BaseException as error:
            self._error = error
        for _ in self._given():  # whoever gives rows does not wait for one who has failed
            pass

    def _given(self) -> Iterator[RecordBatch]:
        while not self._ended:
            part = self._parts.get()
            if part is None:
                self._ended = True
            else:
                yield part


class _Patient(io.FileIO):
    """A file that remembers what went wrong in it: arro3 ends in a panic where a disk is full."""

    error: OSError | None = None

    def write(self, data: Any) -> int:
        if self.error is None:
            try:
                return super().write(data)
            except OSError as error:
                self.error = error
        return memoryview(data).nbytes
