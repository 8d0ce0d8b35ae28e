"""The warm-up: what the children say becomes progress, a finished one is remembered, a failed one is explained."""

from __future__ import annotations

import itertools
import queue
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from engine import load_scene, warm
from engine.compiler import watch
from engine.kernel import kernel
from engine.scene.paths import set_path


def _child_that(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Children run `code` for each part that they are given, `part` in it, in place of compiling it."""

    def start(complaint: IO[str]) -> subprocess.Popen[str]:
        lines = "\n    ".join(code.strip().splitlines())
        program = f"import json, sys, time\nfor line in sys.stdin:\n    part = line.strip()\n    {lines}"
        return subprocess.Popen(
            [sys.executable, "-uc", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaint,
            text=True,
        )

    monkeypatch.setattr(warm, "_start_child", start)


DO_PART = """
print(json.dumps({"part": part, "kernel": part, "seconds": 2.0}))
print(json.dumps({"part": part, "done": True}))
"""


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_progress_rises_to_one_and_is_remembered(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _child_that(DO_PART, monkeypatch)
    assert not warm.is_warm()
    seen: list[tuple[str, float]] = []
    seconds = warm.warm(lambda name, fraction: seen.append((name, fraction)))
    assert seconds == dict.fromkeys(warm.PARTS, 2.0)
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions)
    assert 0.0 < fractions[0] < 0.5
    assert seen[-1] == ("", 1.0)
    assert warm.is_warm()


def test_a_part_waits_for_those_that_it_needs(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm.os, "cpu_count", lambda: len(warm.PARTS))
    _child_that("time.sleep(0.3 * (part == 'narrow'))" + DO_PART, monkeypatch)
    seen = [step.ready for step in warm.warm_in_child()]
    assert all({"loop", "narrow"} <= ready for ready in seen if "world" in ready)
    assert all(before <= after for before, after in itertools.pairwise(seen))
    assert seen[-1] == frozenset(warm.PARTS)


def test_a_part_goes_to_the_child_that_has_compiled_its_kin(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that has not leaves it to that one, as long as there is something else to do."""
    _child_that("pass", monkeypatch)
    kin = warm.PARTS["first_order"].kin
    one, other = (warm._Child(queue.SimpleQueue()) for _ in range(2))
    try:
        everything = frozenset(warm.PARTS)
        assert one.give([kin], everything)
        left = ["first_order", "solvers"]
        assert other.give(left, everything) and left == ["first_order"]
        assert one.give(["first_order", "solvers"], everything) and one._given == {kin, "first_order"}
        left = ["first_order"]
        assert other.give(left, everything) and other._given == {"solvers", "first_order"} and not left
    finally:
        for child in (one, other):
            child.end()


def test_parts_that_are_there_are_not_compiled_again(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm.os, "cpu_count", lambda: 1)  # one child, which takes them in order
    _child_that("if part == 'solvers': raise SystemExit('no more')" + DO_PART, monkeypatch)
    with pytest.raises(warm.WarmUpError, match="no more"):
        warm.warm(lambda name, fraction: None)
    before = warm.ready_parts()
    assert before == set(warm.PARTS) - {"solvers"}
    _child_that(DO_PART, monkeypatch)
    assert set(warm.warm(lambda name, fraction: None)) == set(warm.PARTS) - before
    assert warm.is_warm()


def test_only_the_parts_that_are_asked_for_are_compiled(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _child_that(DO_PART, monkeypatch)
    seen: list[float] = []
    assert set(warm.warm(lambda name, fraction: seen.append(fraction), {"narrow"})) == {"narrow"}
    assert seen[-1] == 1.0
    assert warm.ready_parts() == {"narrow"}


def test_closing_the_iterator_ends_the_children(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _child_that("print(json.dumps({'part': part, 'kernel': 'k', 'seconds': 0.5}))\ntime.sleep(600)", monkeypatch)
    children: list[subprocess.Popen[str]] = []
    start = warm._start_child
    monkeypatch.setattr(warm, "_start_child", lambda complaint: children.append(start(complaint)) or children[-1])
    steps = warm.warm_in_child()
    assert next(step.kernel for step in steps if step.kernel) == "k"
    assert any(step.kernel == "" for step in steps), "while a child is busy the caller gets its turn"
    steps.close()
    assert children
    assert all(child.poll() is not None for child in children)
    assert not warm.is_warm()


@pytest.mark.parametrize(
    ("contact", "step"),
    [
        ("hybrid", {"group", "tasks"}),
        ("constraint", {"group", "tasks"}),
        ("penalty", {"penalty"}),
        ("impulse", set()),
    ],
)
def test_a_scene_needs_the_step_of_its_way_of_contact(contact: str, step: set[str]) -> None:
    scene = set_path(load_scene("pool_break", overlaps=False), "world.contact", contact)
    assert warm.parts_of(scene) == {"loop", "narrow", "world"} | step
    first = set_path(scene, "world.order", 1)
    assert warm.parts_of(first) == {"loop", "narrow", "world", "first_order", "tasks"}


def test_compilations_are_timed_without_their_callees(own_cache: Path) -> None:
    @kernel
    def inner(x: float) -> float:
        return x + 1.0

    @kernel
    def outer(x: float) -> float:
        return inner(x) * 2.0

    seen: list[tuple[str, float]] = []
    with watch(lambda name, seconds: seen.append((name, seconds))):
        assert outer(1.0) == 4.0
        assert outer(2.0) == 6.0
    assert [name for name, _ in seen] == [f"{__name__}.inner", f"{__name__}.outer"]
    assert all(seconds > 0.0 for _, seconds in seen)


STOP = """
import sys
from engine import World, warm
from engine.compiler import Kernel
from engine.scene.schema import Scene

def known():
    modules = [module for name, module in sys.modules.items() if name.startswith("engine.")]
    kernels = {id(k): k for module in modules for k in vars(module).values() if isinstance(k, Kernel)}
    return {(k.__module__, k.__name__, str(one)) for k in kernels.values() for one in k.signatures}

warm._compile_world()
keys = [{"time": 0.0}, {"time": 1.0, "offset": [0.0, 0.0, 0.8]}]
plate = {"shape": {"box": [1.0, 1.0, 0.1]}}
bodies = [
    plate | {"name": "lift", "motion": {"keyframes": {"keys": keys}}},
    plate | {"name": "ceiling", "motion": "fixed", "position": [0.0, 0.0, 0.8]},
    {"name": "ball", "shape": {"sphere": {"radius": 0.15}}, "position": [0.0, 0.0, 0.21]},
]
world = World(Scene.model_validate({"format": 1, "world": {"contact": "impulse"}, "body": bodies}))
before = known()
world.advance_to(1.0)
assert world.stopped == (2,) and before
print(sorted(known() - before))
"""


def test_the_first_body_that_is_crushed_waits_for_no_compiler() -> None:
    told = subprocess.run([sys.executable, "-c", STOP], capture_output=True, text=True, timeout=120, check=False)
    assert told.returncode == 0, told.stderr
    assert told.stdout.strip() == "[]"


def test_other_kernels_are_not_warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A warm-up is finished no longer once a module of kernels, or one that it uses, has changed."""
    before = warm._marker("loop")
    key = warm.module_key
    for changed in warm.ENTRANCES:
        monkeypatch.setattr(warm, "module_key", lambda name, changed=changed: key(name) + "!" * (name == changed))
        assert warm._marker("loop") != before
