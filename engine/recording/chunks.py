"""A file of chunks that only grows: what was written before a program ended, at whatever moment, can be read.

After the signature chunk follows chunk, as in PNG: length of the data (4 bytes, big-endian), type (4 letters), data,
CRC-32 of type and data. What follows the last whole chunk is no part of the file.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

SIGNATURE = b"\x89CAROM\r\n"  # as PNG's: no text, and a transfer that takes it for text is noticed
_LENGTH, _CRC = struct.Struct(">I"), struct.Struct(">I")


class ChunkWriter:
    """Appends chunks to a new file. Each goes to the system whole, at once: only a power cut can lose one."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb", buffering=0)
        self._file.write(SIGNATURE)

    def add(self, kind: bytes, data: bytes) -> None:
        body = kind + data
        self._file.write(_LENGTH.pack(len(data)) + body + _CRC.pack(zlib.crc32(body)))

    def close(self) -> None:
        self._file.close()


def read_chunks(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Types and data of the chunks of a file, up to the first that is not whole. ValueError: it is no such file."""
    with path.open("rb") as file:
        if file.read(len(SIGNATURE)) != SIGNATURE:
            raise ValueError(f"{path}: this is no recording of Carom")
        while len(head := file.read(8)) == 8:
            (length,) = _LENGTH.unpack(head[:4])
            data, crc = file.read(length), file.read(4)
            if len(data) < length or crc != _CRC.pack(zlib.crc32(head[4:] + data)):
                return
            yield head[4:], data
