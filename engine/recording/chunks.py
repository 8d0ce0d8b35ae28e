"""A file of chunks that only grows: what was written before a program ended, at whatever moment, can be read.

After the signature chunk follows chunk, as in PNG: length of the data (4 bytes, big-endian), type (4 letters), data,
CRC-32 of type and data. What follows the last whole chunk is no part of the file.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

SIGNATURE = b"\x89CAROM\r\n"  # as PNG's: no text, and a transfer that takes it for text is noticed
_LENGTH, _CRC = struct.Struct(">I"), struct.Struct(">I")


class ChunkWriter:
    """Appends chunks to a new file. Each goes to the system whole, at once: only a power cut can lose one.

    OSError when the disk is full: the file then ends with its last whole chunk, and may go on when there is room again.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._end = 0
        self._append(SIGNATURE)

    def add(self, kind: bytes, data: bytes) -> None:
        body = kind + data
        self._append(_LENGTH.pack(len(data)) + body + _CRC.pack(zlib.crc32(body)))

    def _append(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:  # a disk that is nearly full takes a part
                left = left[self._file.write(left) :]
        except OSError as error:
            self._file.truncate(self._end)
            self._file.seek(self._end)
            raise OSError(error.errno, error.strerror, self._file.name) from error
        self._end += len(data)

    def close(self) -> None:
        self._file.close()


class ChunkReader:
    """Types and data of the chunks of a file, up to the first that is not whole. ValueError: it is no such file.

    told: is called with the share that has been read, after each. `lost`: how many bytes there are after the last whole
    one, in the end; what wrote them was ended amid a chunk, or they were damaged since.
    """

    def __init__(self, path: Path, told: Callable[[float], object] = lambda share: None) -> None:
        self._path, self._told = path, told
        self.lost = 0

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        with self._path.open("rb") as file:
            if file.read(len(SIGNATURE)) != SIGNATURE:
                raise ValueError(f"{self._path}: this is no recording of Carom")
            size = os.fstat(file.fileno()).st_size
            self.lost = size - file.tell()
            while len(head := file.read(8)) == 8:
                (length,) = _LENGTH.unpack(head[:4])
                if length > size - file.tell():
                    return
                data, crc = file.read(length), file.read(4)
                if crc != _CRC.pack(zlib.crc32(head[4:] + data)):
                    return
                self.lost = size - file.tell()
                yield head[4:], data
                self._told(file.tell() / size)
