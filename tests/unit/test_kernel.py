"""Kernels called past numba's dispatcher, and advances that call none."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.caching import NullCache

import engine.kernel
from engine import World, load_scene
from engine.kernel import (
    array_kernel,
    inner_kernel,
    is_compiled,
    kernel,
    machine_code,
    module_key,
    remove_old_versions,
    vector_kernel,
)


@kernel
def add_up(values: np.ndarray, factor: float) -> float:
    """The sum of some values, times a factor."""
    total = 0.0
    for k in range(values.shape[0]):
        total += values[k]
    return factor * total


@array_kernel
def doubled(values: np.ndarray) -> np.ndarray:
    """Twice the values, in a new array."""
    return 2.0 * values


@inner_kernel
def gain(values: np.ndarray, k: np.uint64, others: np.ndarray, lane: np.uint64) -> float:
    """A number of each."""
    return values[k] - others[lane] * others[lane]


@vector_kernel
def mix(values: np.ndarray, others: np.ndarray, first: np.uint64) -> None:
    """Eight values become others, and those follow."""
    for lane in range(8):
        k, other = first + np.uint64(lane), np.uint64(lane)
        new = gain(values, k, others, other)
        values[k] = new
        others[other] += 3.0 * new if new > 0.0 else new


@kernel
def mix_all(values: np.ndarray, others: np.ndarray) -> None:
    """All values, eight by eight."""
    for block in range(values.shape[0] // 8):
        mix(values, others, np.uint64(8 * block))


def test_arrays_of_a_vector_kernel_are_known_to_be_apart_where_it_is_inlined() -> None:
    values, others = np.linspace(-1.0, 1.0, 32), np.linspace(0.0, 0.5, 8)
    expected, follows = [], others.copy()
    for eight in values.reshape(4, 8):
        new = eight - follows * follows
        follows += np.where(new > 0.0, 3.0 * new, new)
        expected += new.tolist()
    mix_all(values, others)
    assert values.tolist() == expected
    assert others.tolist() == follows.tolist()
    if is_compiled():
        anew: Any = kernel(mix_all.py_func)  # type: ignore[attr-defined]
        anew._cache = NullCache()  # what is loaded from there is machine code alone
        anew.compile_for(values, others)
        code = next(iter(anew.overloads.values())).library.get_llvm_str()
        accesses = [line for line in code.splitlines() if "load double" in line or "store double" in line]
        assert accesses
        assert all("!alias.scope" in line and "!noalias" in line for line in accesses)


def test_machine_code_is_the_kernel() -> None:
    values = np.arange(5.0)
    assert add_up(values, 2.0) == 20.0
    direct = machine_code(add_up, values, 2.0)
    assert direct(values[1:].copy(), 3.0) == 30.0


def test_machine_code_is_made_for_types_that_it_was_not_called_with() -> None:
    whole = machine_code(add_up, np.arange(5), 2.0)
    assert whole(np.arange(4), 0.5) == 3.0


def test_a_kernel_that_makes_arrays_gives_them_away() -> None:
    assert doubled(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


def test_an_advance_to_before_the_next_event_only_moves_time() -> None:
    world, other = World(load_scene("pool_break")), World(load_scene("pool_break"))
    for one in (world, other):
        one.advance_to(0.2)
    t = 0.5 * (world.time + world.next_event_time)
    before = world.counters
    wall = world.wall
    world.advance_to(t)
    assert world.time == t
    assert world.counters == before
    assert world.wall == wall, "no kernel ran"
    world.advance_to(0.3)
    other.advance_to(0.3)
    assert world.digest == other.digest


def test_a_module_depends_on_all_that_it_imports() -> None:
    """The imports that are found in the text are those of the syntax tree."""
    root = Path(engine.kernel.__file__).parent
    for path in sorted(root.rglob("*.py")):
        names: set[str] = set()
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
        module = ".".join(("engine", *path.relative_to(root).with_suffix("").parts))
        expected = {one for one in names if one.startswith("engine.") and engine.kernel._is_module(one)}
        assert set(engine.kernel._imports(module.removesuffix(".__init__"))) == expected, module


def test_what_was_compiled_from_sources_that_are_no_more_goes_after_a_week(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAROM_CACHE_DIR", str(tmp_path))
    current = f"engine.kernel-{module_key('engine.kernel')}"
    folders = [
        engine.kernel.cache_root() / name for name in (current, "engine.kernel-0", "engine.gone-0", "engine.new-0")
    ]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "code.nbc").touch()
    for folder in folders[:3]:
        os.utime(folder, (time.time() - 8 * 86400,) * 2)
    remove_old_versions()
    assert [folder.exists() for folder in folders] == [True, False, False, True]
