"""Vector instructions: eight rows of a table side by side, and scalar products of six rows with one.

Reading six columns of eight rows number by number, and then as vectors, costs more than computing with them: the
processor waits until all numbers of a vector are written. So rows are read as vectors and turned over in registers.

A scalar product alone waits for its own sums: six take as long. Each is summed in four parts, the last few products in
the first of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing import signature
from numba.extending import intrinsic

from engine.arrays import Floats, Ints
from engine.kernel import intrinsic_or

LANES = 8
COLUMNS = 6
PRODUCTS = 6
PARTS = 4

_FOUR = ir.VectorType(ir.DoubleType(), PARTS)
_TWO = ir.VectorType(ir.DoubleType(), 2)
Places = tuple[int, int, int, int, int, int]
Move = Callable[[Floats, Ints, int, Floats, Any], None]


def _word(value: int) -> Any:
    return ir.Constant(ir.IntType(32), value)


def _shuffle(builder: Any, a: Any, b: Any, places: list[int]) -> Any:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
    return builder.shuffle_vector(a, b, mask)


def _load(builder: Any, at: Any, kind: Any) -> Any:
    return builder.load(builder.bitcast(at, kind.as_pointer()), align=8)


def _store(builder: Any, value: Any, at: Any) -> None:
    builder.store(value, builder.bitcast(at, value.type.as_pointer()), align=8)


def _turn_over(builder: Any, rows: list[Any]) -> list[Any]:
    """Four vectors of four, rows for columns."""
    even = [_shuffle(builder, rows[k], rows[k + 1], [0, 4, 2, 6]) for k in (0, 2)]
    odd = [_shuffle(builder, rows[k], rows[k + 1], [1, 5, 3, 7]) for k in (0, 2)]
    low, high = [0, 1, 4, 5], [2, 3, 6, 7]
    return [_shuffle(builder, pair[0], pair[1], half) for half in (low, high) for pair in (even, odd)]


def _places(context: Any, builder: Any, form: Any, arguments: Any) -> tuple[list[Any], Any]:
    """Where the eight rows begin in the table, and where their columns begin in the lanes."""
    table = context.make_array(form.args[0])(context, builder, arguments[0])
    rows = context.make_array(form.args[1])(context, builder, arguments[1]).data
    lanes = context.make_array(form.args[3])(context, builder, arguments[3]).data
    width = builder.extract_value(table.shape, 1)
    begins = []
    for lane in range(LANES):
        row = builder.load(builder.gep(rows, [builder.add(arguments[2], ir.Constant(arguments[2].type, lane))]))
        begins.append(builder.gep(table.data, [builder.mul(row, width)]))
    return begins, builder.gep(lanes, [arguments[4]])


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_gather(_context: Any, table: Any, rows: Any, first: Any, lanes: Any, into: Any) -> Any:
    def generate(context: Any, builder: Any, form: Any, arguments: Any) -> Any:
        begins, out = _places(context, builder, form, arguments)
        for half in (0, 4):
            four = _turn_over(builder, [_load(builder, begins[half + k], _FOUR) for k in range(4)])
            rest = [_load(builder, builder.gep(begins[half + k], [_word(4)]), _TWO) for k in range(4)]
            wide = [_shuffle(builder, rest[k], rest[k + 1], [0, 2, 1, 3]) for k in (0, 2)]
            four += [_shuffle(builder, wide[0], wide[1], places) for places in ([0, 1, 4, 5], [2, 3, 6, 7])]
            for column in range(COLUMNS):
                _store(builder, four[column], builder.gep(out, [_word(LANES * column + half)]))
        return context.get_dummy_value()

    return signature(types.none, table, rows, types.int64, lanes, into), generate


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_scatter(_context: Any, table: Any, rows: Any, first: Any, lanes: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, form: Any, arguments: Any) -> Any:
        begins, out = _places(context, builder, form, arguments)
        for half in (0, 4):
            columns = [
                _load(builder, builder.gep(out, [_word(LANES * column + half)]), _FOUR) for column in range(COLUMNS)
            ]
            rows_of_four = _turn_over(builder, columns[:4])
            pairs = [_shuffle(builder, columns[4], columns[5], places) for places in ([0, 4], [1, 5], [2, 6], [3, 7])]
            for k in range(4):
                _store(builder, rows_of_four[k], begins[half + k])
                _store(builder, pairs[k], builder.gep(begins[half + k], [_word(4)]))
        return context.get_dummy_value()

    return signature(types.none, table, rows, types.int64, lanes, source), generate


def _plain_gather(table: Floats, rows: Ints, first: int, lanes: Floats, into: Any) -> None:
    for lane in range(LANES):
        for column in range(COLUMNS):
            lanes[into + LANES * column + lane] = table[rows[first + lane], column]


def _plain_scatter(table: Floats, rows: Ints, first: int, lanes: Floats, source: Any) -> None:
    for lane in range(LANES):
        for column in range(COLUMNS):
            table[rows[first + lane], column] = lanes[source + LANES * column + lane]


gather_rows: Move = intrinsic_or(_compiled_gather, _plain_gather)
"""The first six columns of eight rows of a table, those that `rows` lists from `first` on, into lanes: a column of
eight after the other, from entry `into` on."""

scatter_rows: Move = intrinsic_or(_compiled_scatter, _plain_scatter)
"""Back: from there into the rows, later lanes after earlier ones."""


def _add_product(builder: Any, total: Any, x: Any, y: Any) -> None:
    builder.store(builder.fadd(builder.load(total), builder.fmul(x, y)), total)


def _part(builder: Any, parts: Any, k: int) -> Any:
    return builder.extract_element(parts, _word(k))


@intrinsic  # type: ignore[untyped-decorator]
def _compiled_products(_context: Any, values: Any, rows: Any, other: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, form: Any, arguments: Any) -> Any:
        data = context.make_array(form.args[0])(context, builder, arguments[0]).data
        left = [builder.gep(data, [builder.extract_value(arguments[1], r)]) for r in range(PRODUCTS)]
        right = builder.gep(data, [arguments[2]])
        width = ir.Constant(arguments[3].type, PARTS)
        vectors = builder.sdiv(arguments[3], width)
        totals = [cgutils.alloca_once_value(builder, ir.Constant(_FOUR, [0.0] * PARTS)) for _ in range(PRODUCTS)]
        with cgutils.for_range(builder, vectors) as loop:
            k = builder.mul(loop.index, width)
            y = _load(builder, builder.gep(right, [k]), _FOUR)
            for r in range(PRODUCTS):
                _add_product(builder, totals[r], _load(builder, builder.gep(left[r], [k]), _FOUR), y)
        sums = [builder.load(total) for total in totals]
        firsts = [cgutils.alloca_once_value(builder, _part(builder, parts, 0)) for parts in sums]
        done = builder.mul(vectors, width)
        with cgutils.for_range(builder, builder.sub(arguments[3], done)) as loop:
            k = builder.add(done, loop.index)
            y = builder.load(builder.gep(right, [k]))
            for r in range(PRODUCTS):
                _add_product(builder, firsts[r], builder.load(builder.gep(left[r], [k])), y)
        results = [
            builder.fadd(
                builder.fadd(builder.load(first), _part(builder, parts, 1)),
                builder.fadd(_part(builder, parts, 2), _part(builder, parts, 3)),
            )
            for first, parts in zip(firsts, sums, strict=True)
        ]
        return context.make_tuple(builder, form.return_type, results)

    return signature(types.UniTuple(types.float64, PRODUCTS), values, rows, types.int64, types.int64), generate


def _plain_products(values: Floats, rows: Places, other: int, count: int) -> Any:
    whole = count - count % PARTS
    results = []
    for row in rows:
        s = [0.0] * PARTS
        for k in range(count):
            s[k % PARTS if k < whole else 0] += values[row + k] * values[other + k]
        results.append((s[0] + s[1]) + (s[2] + s[3]))
    return tuple(results)


row_products: Callable[[Floats, Places, int, int], tuple[float, ...]] = intrinsic_or(
    _compiled_products, _plain_products
)
"""The scalar products of the `count` entries from each of six places in `values` on with those from `other` on."""
