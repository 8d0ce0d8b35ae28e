"""The decorators of kernels: nogil, no fastmath, cached outside the install.

A kernel's cache lives in a folder named after a hash of its own module and of every engine module that it imports,
directly or not. An edit therefore recompiles exactly what depends on it, and a stale binary can never be loaded:
numba's own index only looks at the file that holds the function.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding
import numba
import numpy
import platformdirs
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from engine.by_reference import Reference, Table
from engine.compiler import Kernel, deferred_links

__all__ = [
    "array_kernel",
    "compile_for",
    "deferred_links",
    "inner_kernel",
    "intrinsic_or",
    "is_compiled",
    "kernel",
    "linked_kernel",
    "load_linked",
    "machine_code",
    "read_ticks",
    "remove_old_versions",
    "vector_kernel",
]

F = TypeVar("F", bound=Callable[..., object])

_PACKAGE = __name__.partition(".")[0]

# Parsing all sources would take a third of the time in which the engine is imported.
_IMPORT = re.compile(r"^(?:from ([\w.]+) import (\([^)]*\)|[^(\n]*)|import ([\w.]+))", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as \w+)?")


def cache_root() -> Path:
    """The folder of compiled kernels: `CAROM_CACHE_DIR`, else the user's cache folder; one per toolchain."""
    root = os.environ.get("CAROM_CACHE_DIR") or platformdirs.user_cache_dir("carom")
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    tools = f"{python}-numba{numba.__version__}-llvmlite{llvmlite.__version__}-numpy{numpy.__version__}"
    return Path(root) / "kernels" / tools


@cache
def _module_source(module: str) -> tuple[str, bytes] | None:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return spec.origin, Path(spec.origin).read_bytes()


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Engine modules that `module` imports at its top level."""
    source = _module_source(module)
    if source is None:
        return ()
    found: set[str] = set()
    for package, names, alone in _IMPORT.findall(source[1].decode()):
        found.update((package or alone, *(f"{package}.{name}" for name in _NAME.findall(names))))
    return tuple(sorted(name for name in found if name.startswith(f"{_PACKAGE}.") and _is_module(name)))


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@cache
def module_key(module: str) -> str:
    """Hash of a module's source and of the sources of all engine modules it reaches by imports."""
    reached: set[str] = set()
    frontier = [module]
    while frontier:
        name = frontier.pop()
        if name not in reached:
            reached.add(name)
            frontier.extend(_imports(name))
    digest = hashlib.blake2b(digest_size=10)
    for name in sorted(reached):
        source = _module_source(name)
        if source is not None:
            digest.update(name.encode() + b"\0" + source[1] + b"\0")
    return digest.hexdigest()


@cache
def _cache_dir(root: Path, module: str) -> Path:
    return root / f"{module}-{module_key(module)}"


def remove_old_versions() -> None:
    """Delete what was compiled from sources that are no more, unless it was less than a week ago."""
    root = cache_root()
    for folder in root.glob("*-*/"):
        module = folder.name.rpartition("-")[0]
        if module.startswith(f"{_PACKAGE}.") and _is_module(module) and folder == _cache_dir(root, module):
            continue
        with suppress(FileNotFoundError):  # another process may do the same
            if time.time() - folder.stat().st_mtime > timedelta(weeks=1).total_seconds():
                shutil.rmtree(folder, ignore_errors=True)


def kernel(function: F) -> F:
    """Compile `function` with numba when it is first called: no GIL, IEEE arithmetic, cached by content.

    It makes no array, and so does without reference counts. With them each call counts every array that it is given up
    and down, with atomic instructions: a third of a run's time where whole States are passed on.
    """
    return _compile(function, _nrt=False)


def array_kernel(function: F) -> F:
    """A kernel that makes arrays, or gets arrays that another kernel made."""
    return _compile(function, _nrt=True)


def inner_kernel(function: F) -> F:
    """A kernel of innermost loops, which its callers always take in: a call that hands on arrays takes as long as it
    does."""
    return _compile(function, _nrt=False, inner=True)


def vector_kernel(function: F) -> F:
    """An inner kernel whose arrays share no memory: its loops over them, with no branches, become vectors."""
    return _compile(function, _nrt=False, inner=True, noalias=True)


def linked_kernel(function: F) -> F:
    """A kernel that is compiled by itself, for all kernels that call it: a joint at which the engine comes apart into
    parts that compile side by side. Its result is typed by its annotation, its arguments have one type each."""
    return _compile(function, linked=True, _nrt=False)


def _compile(function: F, *, _nrt: bool, linked: bool = False, inner: bool = False, noalias: bool = False) -> F:
    settings: Any = config
    if settings.DISABLE_JIT:
        return function
    options = {"nopython": True, "nogil": True, "error_model": "numpy", "_nrt": _nrt, "forceinline": inner}
    made: Any = Kernel(function, options, linked, noalias)
    previous = settings.CACHE_DIR
    settings.CACHE_DIR = str(_cache_dir(cache_root(), function.__module__))
    try:
        made.enable_caching()
    finally:
        settings.CACHE_DIR = previous
    compiled: F = made
    return compiled


def is_compiled() -> bool:
    """Do kernels run as machine code, and not as plain Python?"""
    settings: Any = config
    return not settings.DISABLE_JIT


def intrinsic_or(compiled: Any, plain: Any) -> Any:
    """An intrinsic, or where kernels run as plain Python the function that stands for it."""
    return compiled if is_compiled() else plain


def compile_for(compiled: Callable[..., object], *arguments: object) -> None:
    """Compile a kernel for arguments of the types of these, or load it from the cache, without calling it."""
    if isinstance(compiled, Kernel):
        compiled.compile_for(*arguments)


def load_linked(compiled: Callable[..., object]) -> None:
    """Compile or load a linked kernel that entries loaded among `deferred_links` are waiting for."""
    if isinstance(compiled, Kernel):
        compiled.load()


class MachineCode:
    """A kernel as it is compiled for arguments of some types; to be called with nothing else.

    It does without the dispatcher, which looks at every array of a State to find out what types it is called with, and
    keeps the tables of what it was called with last: an array that is replaced in it must be replaced in a new one.
    """

    def __init__(self, compiled: Kernel, arguments: tuple[object, ...]) -> None:
        kinds = tuple(numba.typeof(one) for one in arguments)
        if kinds not in compiled.overloads:
            compiled.compile(kinds)
        made: Any = compiled.overloads[kinds]
        self._entry = made.entry_point
        self._tables = {k: Table(one, arguments[k]) for k, one in enumerate(kinds) if isinstance(one, Reference)}
        self._references = {k: kinds[k] for k in self._tables}

    def __call__(self, *arguments: Any) -> Any:
        """Run it. Raises TypeError where what is handed on by its address is of another type."""
        handed, tables = list(arguments), self._tables
        for k, one in self._references.items():
            if tables[k].value is not arguments[k]:
                tables = {**tables, k: Table(one, arguments[k])}
            handed[k] = tables[k].address
        self._tables = tables  # this call goes on with its own, whatever another thread puts here
        return self._entry(*handed)


def machine_code(compiled: F, *arguments: object) -> F:
    """A kernel as it is compiled for arguments of these types: a `MachineCode`."""
    code: Any = MachineCode(compiled, arguments) if isinstance(compiled, Kernel) else compiled
    result: F = code
    return result


def _make_read_ticks() -> Any:
    """The processor's own clock as a kernel of some thirty cycles; its unit is the caller's to find out.

    Everything before it is finished first: processors reach for their clock ahead of what is still being computed.
    """
    settings: Any = config
    if settings.DISABLE_JIT:
        return time.perf_counter_ns
    counters = {
        "x86": ("lfence\nrdtsc\nshlq $$32, %rdx\norq %rdx, %rax", "={rax},~{rdx},~{flags},~{memory}"),
        "arm": ("isb\nmrs $0, cntvct_el0", "=r,~{memory}"),
    }
    machine = platform.machine().lower()
    llvmlite.binding.initialize_native_asmparser()
    family = "x86" if machine in ("x86_64", "amd64") else "arm" if machine in ("arm64", "aarch64") else ""

    @intrinsic  # type: ignore[untyped-decorator]
    def read_ticks(_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, _arguments: Any) -> Any:
            form = ir.FunctionType(ir.IntType(64), ())
            if family:
                return builder.asm(form, *counters[family], (), side_effect=True)
            return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), form), ())

        return types.int64(), generate

    return read_ticks


read_ticks = _make_read_ticks()
