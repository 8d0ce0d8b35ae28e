"""A few kills in every run of the tests; `make kills` does a thousand of each kind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("kind", "count"), [("save", 12), ("record", 4), ("keep", 30), ("compile", 1)])
def test_nothing_is_lost_or_half_when_a_writer_is_killed(kind: str, count: int) -> None:
    command = [sys.executable, "-m", "tests.fuzz.kills", kind, "--count", str(count)]
    told = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, cwd=Path(__file__).parents[2]
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert f"{kind}: {count} kills" in told.stdout
