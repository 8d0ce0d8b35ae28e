"""Which Python files may run, and whether that is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.control import trust
from engine.resources import scenes_dir


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    forget(monkeypatch)


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a new start."""
    monkeypatch.setattr(trust, "_trusted_now", set())


def test_trust_lasts_for_what_was_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "driver.py"
    file.write_text("one")
    assert trust.untrusted([file, file]) == [file]
    trust.trust([file])
    file.write_text("two")
    assert trust.is_trusted(file)  # edited by the person who trusts it
    forget(monkeypatch)
    assert not trust.is_trusted(file)
    file.write_text("one")
    assert trust.is_trusted(file)


def test_bundled_files_are_trusted() -> None:
    assert trust.is_trusted(scenes_dir() / "anything.py")
    assert not trust.is_trusted(scenes_dir() / ".." / "anything.py")
