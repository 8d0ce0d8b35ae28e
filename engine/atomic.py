"""Numbers that several threads change at once: atomic operations on int64 arrays, and ways to wait for them.

All of them are sequentially consistent: what a thread wrote before it changes such a number is seen by whoever has read
the change. Python itself, where kernels are not compiled, has one thread in a kernel at a time and needs none of this.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing import signature
from numba.extending import intrinsic

from engine.arrays import Ints
from engine.kernel import intrinsic_or

_ORDER = "seq_cst"


def _entry(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Where an entry of a one-dimensional array is."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [index])


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_add(_context: Any, array: Any, index: Any, more: Any) -> Any:
    def generate(context: Any, builder: Any, form: Any, arguments: Any) -> Any:
        at = _entry(context, builder, form.args[0], arguments[0], arguments[1])
        return builder.atomic_rmw("add", at, arguments[2], _ORDER)

    return signature(types.int64, array, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_load(_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, form: Any, arguments: Any) -> Any:
        at = _entry(context, builder, form.args[0], arguments[0], arguments[1])
        return builder.load_atomic(at, _ORDER, 8)

    return signature(types.int64, array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_store(_context: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, form: Any, arguments: Any) -> Any:
        at = _entry(context, builder, form.args[0], arguments[0], arguments[1])
        builder.store_atomic(arguments[2], at, _ORDER, 8)
        return context.get_dummy_value()

    return signature(types.none, array, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_exchange(_context: Any, array: Any, index: Any, expected: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, form: Any, arguments: Any) -> Any:
        at = _entry(context, builder, form.args[0], arguments[0], arguments[1])
        pair = builder.cmpxchg(at, arguments[2], arguments[3], _ORDER, _ORDER)
        return builder.extract_value(pair, 1)

    return signature(types.boolean, array, types.int64, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_pause(_context: Any) -> Any:
    hint = {"x86_64": "pause", "amd64": "pause", "arm64": "yield", "aarch64": "yield"}
    word = hint.get(platform.machine().lower(), "")

    def generate(context: Any, builder: Any, _form: Any, _arguments: Any) -> Any:
        if word:
            builder.asm(ir.FunctionType(ir.VoidType(), ()), word, "~{memory}", (), side_effect=True)
        return context.get_dummy_value()

    return types.none(), generate


def _call_system(name: str, *values: int) -> Any:
    """A kernel that calls a function of the system's C library with some numbers."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(_context: Any) -> Any:
        def generate(context: Any, builder: Any, _form: Any, _arguments: Any) -> Any:
            word = ir.IntType(32)
            form = ir.FunctionType(word, [word] * len(values))
            function = cgutils.get_or_insert_function(builder.module, form, name)
            builder.call(function, [word(value) for value in values])
            return context.get_dummy_value()

        return types.none(), generate

    return call


def _plain_add(array: Ints, index: int, more: int) -> int:
    before = int(array[index])
    array[index] += more
    return before


def _plain_load(array: Ints, index: int) -> int:
    return int(array[index])


def _plain_store(array: Ints, index: int, value: int) -> None:
    array[index] = value


def _plain_exchange(array: Ints, index: int, expected: int, value: int) -> bool:
    if array[index] != expected:
        return False
    array[index] = value
    return True


def _plain_rest() -> None:
    time.sleep(0.0)


def _system(name: str, *values: int) -> Any:
    return _call_system(name, *values) if os.name == "posix" else _compiled_pause


add_atomic: Callable[[Ints, int, int], int] = intrinsic_or(_compiled_add, _plain_add)
"""Add to an entry of an array; what it was before."""

load_atomic: Callable[[Ints, int], int] = intrinsic_or(_compiled_load, _plain_load)
"""An entry of an array as it is now."""

store_atomic: Callable[[Ints, int, int], None] = intrinsic_or(_compiled_store, _plain_store)
"""Set an entry of an array."""

exchange_atomic: Callable[[Ints, int, int, int], bool] = intrinsic_or(_compiled_exchange, _plain_exchange)
"""Set an entry of an array to a value if it is what was expected; False if it is not."""

pause: Callable[[], None] = intrinsic_or(_compiled_pause, _plain_rest)
"""A moment's rest for a thread that looks at a number again and again."""

yield_thread: Callable[[], None] = intrinsic_or(_system("sched_yield"), _plain_rest)
"""Let other threads have the processor, if any wants it."""

sleep_briefly: Callable[[], None] = intrinsic_or(_system("usleep", 50), _plain_rest)
"""Sleep for about 50 us."""
