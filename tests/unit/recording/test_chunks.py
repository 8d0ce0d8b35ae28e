"""A file of chunks gives back what was written, however it was cut short."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from engine.recording.chunks import ChunkReader, ChunkWriter

CHUNKS = [(b"HEAD", b"abc"), (b"MARK", b""), (b"KEYF", bytes(range(256)))]


def written(path: Path) -> bytes:
    writer = ChunkWriter(path)
    for chunk in CHUNKS:
        writer.add(*chunk)
    writer.close()
    return path.read_bytes()


def test_cut_anywhere_the_whole_chunks_are_there(tmp_path: Path) -> None:
    path = tmp_path / "x.carom"
    whole = written(path)
    assert list(ChunkReader(path)) == CHUNKS
    seen = set()
    for size in range(8, len(whole)):
        path.write_bytes(whole[:size])
        found = list(ChunkReader(path))
        assert found == CHUNKS[: len(found)]
        seen.add(len(found))
    assert seen == {0, 1, 2}


def test_a_flipped_bit_ends_the_file_there(tmp_path: Path) -> None:
    path = tmp_path / "x.carom"
    whole = bytearray(written(path))
    whole[-10] ^= 4
    path.write_bytes(whole)
    reader = ChunkReader(path)
    assert list(reader) == CHUNKS[:2]
    assert reader.lost == 12 + len(CHUNKS[2][1])


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text("format = 1\n")
    with pytest.raises(ValueError, match="no recording"):
        list(ChunkReader(path))


def test_a_full_disk_costs_the_chunk_that_it_has_no_room_for(tmp_path: Path) -> None:
    path = tmp_path / "run"
    writer = ChunkWriter(path)
    writer.add(b"AAAA", b"first")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(OSError, match=str(path)):
            writer.add(b"BBBB", bytes(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(ChunkReader(path)) == [(b"AAAA", b"first")]
    writer.add(b"CCCC", b"third")
    writer.close()
    assert list(ChunkReader(path)) == [(b"AAAA", b"first"), (b"CCCC", b"third")]
