"""A little of the fuzzer in every run of the tests; `make fuzz` goes on for as long as one likes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.recording.carom_file import read_recording
from tests.fuzz.fuzz import KINDS, feed_recording, hunt


@pytest.mark.parametrize(
    ("kind", "count"), [("scenes", 500), ("meshes", 1500), ("settings", 1500), ("recordings", 3000), ("worlds", 3)]
)
def test_what_is_fed_in_is_taken_or_refused(kind: str, count: int) -> None:
    assert set(KINDS) == {"scenes", "meshes", "settings", "recordings", "worlds"}
    counts, found = hunt(kind, range(count))
    assert counts["fed"] == count
    assert not found, "\n".join(f"{kind} {finding.seed}: {finding.what}\n{finding.trace}" for finding in found)


def test_a_chunk_that_says_it_is_longer_than_the_file(tmp_path: Path) -> None:
    """Such a length was asked for as memory."""
    feed_recording(9042)
    path = tmp_path / "run.carom"
    path.write_bytes(b"\x89CAROM\r\n" + b"\xff\xff\xff\xf0HEAD" + bytes(100))
    with pytest.raises(ValueError, match="ends before it begins"):
        read_recording(path)
