"""The warm-up: what the children say becomes progress, a finished one is remembered, a failed one is explained."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine import warm
from engine.kernel import kernel, kernel_sizes, watch_compilation


def _lane_that(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Children run `code` in place of compiling; `lane` in it is the lane's name."""

    def start(lane: str) -> subprocess.Popen[str]:
        program = f"import json, sys\nlane = sys.argv[1]\n{code}"
        return subprocess.Popen(
            [sys.executable, "-c", program, lane],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    monkeypatch.setattr(warm, "_start_child", start)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_progress_rises_to_one_and_is_remembered(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
print(json.dumps({"sizes": {"narrow": 30, "motion": 50, "world": 20, "solvers": 15, "never": 10}}))
print(json.dumps({"kernel": lane, "seconds": 2.0}))
"""
    _lane_that(code, monkeypatch)
    assert not warm.is_warm()
    seen: list[tuple[str, float]] = []
    seconds = warm.warm(lambda name, fraction: seen.append((name, fraction)))
    assert seconds == {"narrow": 2.0, "motion": 2.0, "world": 2.0, "solvers": 2.0}
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions)
    assert fractions[0] in (30 / 125, 50 / 125)
    assert fractions[1] == 80 / 125
    assert seen[-1] == ("", 1.0)
    assert warm.is_warm()


def test_a_child_that_fails_is_quoted(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _lane_that("raise SystemExit('the disk is full' if lane == 'motion' else 0)", monkeypatch)
    with pytest.raises(warm.WarmUpError, match="the disk is full"):
        warm.warm(lambda name, fraction: None)
    assert not warm.is_warm()


def test_closing_the_iterator_ends_the_children(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
import time
print(json.dumps({"sizes": {"k": 1}, "kernel": "k", "seconds": 0.5}), flush=True)
time.sleep(600)
"""
    _lane_that(code, monkeypatch)
    children: list[subprocess.Popen[str]] = []
    start = warm._start_child
    monkeypatch.setattr(warm, "_start_child", lambda lane: children.append(start(lane)) or children[-1])
    steps = warm.warm_in_child()
    assert next(step.kernel for step in steps if step.kernel) == "k"
    assert any(step.kernel == "" for step in steps), "while a child is busy the caller gets its turn"
    steps.close()
    assert len(children) == 2
    assert all(child.poll() is not None for child in children)
    assert not warm.is_warm()


def test_compilations_are_timed_without_their_callees(own_cache: Path) -> None:
    @kernel
    def inner(x: float) -> float:
        return x + 1.0

    @kernel
    def outer(x: float) -> float:
        return inner(x) * 2.0

    seen: dict[str, float] = {}
    with watch_compilation(lambda name, seconds: seen.update({name: seconds})):
        assert outer(1.0) == 4.0
    assert list(seen) == [f"{__name__}.inner", f"{__name__}.outer"]
    assert all(seconds > 0.0 for seconds in seen.values())
    assert kernel_sizes()[f"{__name__}.outer"] > 0


def test_children_speak_lines_that_the_parent_reads() -> None:
    """The real child: what it says before it compiles anything."""
    tally = warm._Tally({})
    program = "import engine.warm as w; w._drive_narrow_phase = lambda: None; w.main('narrow')"
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        assert tally.take(line) is None
    assert json.loads(said)["sizes"]["engine.pipeline.advance"] > 1000
    assert tally.sizes["engine.collision.narrow.closest.closest"] > 0


def test_other_kernels_are_not_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warm-up is finished no longer once a module of kernels, or one that it uses, has changed."""
    before = warm._marker()
    key = warm.module_key
    for changed in warm.ENTRANCES:
        monkeypatch.setattr(warm, "module_key", lambda name, changed=changed: key(name) + "!" * (name == changed))
        assert warm._marker() != before
