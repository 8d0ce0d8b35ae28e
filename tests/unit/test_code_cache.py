"""Machine code is found again by what it was made of, wherever the sources lie, and where nothing can be written."""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from engine.code_cache import _OneFileEach
from engine.kernel import kernel
from engine.warm import PARTS, WarmUpError, warm_in_child

SOURCE = """
def twice(x: float) -> float:
    return 2.0 * x
"""


def made(folder: Path) -> Any:
    """A kernel whose source lies in a folder."""
    folder.mkdir()
    path = folder / "twice.py"
    path.write_text(textwrap.dedent(SOURCE))
    spec = spec_from_file_location("twice_of_a_test", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[[float], float] = module.twice
    return kernel(function)


def test_code_is_found_by_what_it_was_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "cache"))
    first = made(tmp_path / "here")
    assert first(1.5) == 3.0 and list((tmp_path / "cache").rglob("*.nbc"))
    second = made(tmp_path / "there")
    assert second(2.0) == 4.0
    assert sum(second.stats.cache_hits.values()) == 1 and not second.stats.cache_misses


def test_what_cannot_be_kept_runs_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It was kept beside the sources before."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "file"))
    # lint-imports silences the loggers that it finds
    monkeypatch.setattr(logging.getLogger("engine.code_cache"), "disabled", False)
    with caplog.at_level(logging.WARNING):
        assert made(tmp_path / "here")(1.5) == 3.0
    assert "cannot be kept" in caplog.text
    assert not list(tmp_path.rglob("*.nb?"))


def test_code_that_is_not_whole_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that ended early was an exception at every start."""
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "cache"))
    assert made(tmp_path / "here")(1.5) == 3.0
    (kept,) = (tmp_path / "cache").rglob("*.nbc")
    whole = kept.read_bytes()
    for half in (whole[:-100], whole[:10], b"", whole[:-1] + b"?"):
        kept.write_bytes(half)
        again = made(tmp_path / f"there{len(half)}")
        assert again(2.0) == 4.0 and not again.stats.cache_hits
        assert kept.read_bytes() == whole or len(kept.read_bytes()) > 100


def test_the_code_of_other_types_is_never_taken(tmp_path: Path) -> None:
    """An index named files by number: of two processes that wrote, one could find the code of the other."""
    one, other = _OneFileEach(str(tmp_path), "kernel"), _OneFileEach(str(tmp_path), "kernel")
    one.save("int", b"of int")
    other.save("float", b"of float")
    assert (other.load("int"), one.load("float")) == (b"of int", b"of float")
    path, another = one._path("int"), one._path("float")
    another.write_bytes(path.read_bytes())
    assert one.load("float") is None


def test_nothing_is_compiled_ahead_that_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(WarmUpError, match="set CAROM_CACHE_DIR to a folder that can be written"):
        list(warm_in_child(parts=list(PARTS)[:1]))
