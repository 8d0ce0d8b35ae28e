"""Tuples of tables that kernels hand on by their address: they read what Python sees, and write where it is."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.typing.typeof import typeof

from engine.arrays import Floats, Ints
from engine.by_reference import Reference, Table, by_reference
from engine.kernel import array_kernel, is_compiled, kernel, machine_code


@by_reference
class Inner(NamedTuple):
    """Two tables, and a number."""

    values: Floats
    rows: Floats
    factor: float


@by_reference
class Outer(NamedTuple):
    """Tables, and other tables between them."""

    first: Ints
    inner: Inner
    last: Floats


class Loose(NamedTuple):
    """A tuple of numba's own kind that holds what is handed on by its address."""

    inner: Inner
    last: Floats


@kernel
def read_inner(inner: Inner, at: int) -> float:
    """A number of each table."""
    return inner.factor * inner.values[at] + inner.rows[at, 1]


@kernel
def read_loose(loose: Loose, at: int) -> float:
    """The same, within another tuple."""
    return read_inner(loose.inner, at) + loose.last[at]


@by_reference
class Holder(NamedTuple):
    """Another tuple of numba's own kind within what is handed on by its address."""

    loose: Loose
    first: Ints


@kernel
def read_outer(outer: Outer, at: int) -> float:
    """All of them; a loose tuple of them is made on the way."""
    return read_loose(Loose(outer.inner, outer.last), at) + outer.first[at]


@kernel
def read_holder(holder: Holder, at: int) -> float:
    """All of them."""
    return read_loose(holder.loose, at) + holder.first[at]


@kernel
def write_outer(outer: Outer, at: int) -> float:
    """What is written is there at once."""
    for k in range(outer.inner.rows.shape[0]):
        outer.inner.rows[k, 1] = outer.first[k]
    return read_outer(outer, at)


@array_kernel
def take_rows(outer: Outer) -> Floats:
    """An array of its own, out of tables that are not."""
    return outer.inner.rows[:, 1] + outer.last


def tables() -> Outer:
    inner = Inner(np.array([1.0, 2.0, 3.0]), np.arange(6.0).reshape(3, 2), 10.0)
    return Outer(np.array([100, 200, 300]), inner, np.array([0.1, 0.2, 0.3]))


def test_kernels_read_what_is_there() -> None:
    assert read_outer(tables(), 1) == pytest.approx(10.0 * 2.0 + 3.0 + 0.2 + 200.0)
    assert read_loose(Loose(tables().inner, tables().last), 2) == pytest.approx(10.0 * 3.0 + 5.0 + 0.3)


def test_kernels_write_where_it_is() -> None:
    one = tables()
    assert write_outer(one, 2) == pytest.approx(10.0 * 3.0 + 300.0 + 0.3 + 300.0)
    assert one.inner.rows[:, 1].tolist() == [100.0, 200.0, 300.0]


def test_arrays_of_other_sizes_are_of_the_same_type() -> None:
    one = tables()
    longer = one._replace(last=np.arange(9.0))
    assert read_outer(longer, 1) == pytest.approx(10.0 * 2.0 + 3.0 + 1.0 + 200.0)


def test_nobody_holds_on_to_arrays() -> None:
    one = tables()
    before = [sys.getrefcount(array) for array in (one.first, one.inner.rows, one.last)]
    for _ in range(10):
        read_outer(one, 0)
        assert take_rows(one).tolist() == [1.1, 3.2, 5.3]
    assert [sys.getrefcount(array) for array in (one.first, one.inner.rows, one.last)] == before


@pytest.mark.skipif(not is_compiled(), reason="nothing is typed")
def test_what_is_no_table_is_an_error_of_python() -> None:
    found: Any = typeof(tables())
    assert isinstance(found, Reference)
    read_outer(tables(), 0)
    code = read_outer.overloads[found, typeof(0)].entry_point
    with pytest.raises(TypeError, match="array"):
        code(tables()._replace(last="nothing"), 0)


@pytest.mark.skipif(not is_compiled(), reason="nothing is typed")
def test_names_of_machine_code_stay_short() -> None:
    read_outer(tables(), 0)
    name = next(iter(read_outer.overloads.values())).fndesc.mangled_name
    assert len(name) < 200


@pytest.mark.skipif(not is_compiled(), reason="nothing is typed")
def test_a_table_made_beforehand_is_the_tuple() -> None:
    one = tables()
    kind: Any = typeof(one)
    assert write_outer(one, 2) == read_outer(one, 2)
    code = read_outer.overloads[kind, typeof(0)].entry_point
    table = Table(kind, one)
    assert code(table.address, 2) == read_outer(one, 2)
    one.inner.values[2] = 7.0
    assert code(table.address, 2) == read_outer(one, 2), "arrays are where they were"


@pytest.mark.skipif(not is_compiled(), reason="nothing is typed")
def test_a_table_in_another_tuple_is_found_there() -> None:
    holder = Holder(Loose(tables().inner, tables().last), tables().first)
    code = machine_code(read_holder, holder, 0)
    assert code(holder, 1) == read_loose(holder.loose, 1) + 200.0
    other = holder._replace(first=np.array([1, 2, 3, 4]))
    assert code(other, 1) == read_loose(holder.loose, 1) + 2.0
    assert code(holder, 1) == read_holder(holder, 1)


@pytest.mark.skipif(not is_compiled(), reason="nothing is typed")
@pytest.mark.parametrize(
    "wrong",
    [
        {"first": np.array([1.0, 2.0])},
        {"last": np.zeros((2, 2))},
        {"last": np.arange(6.0)[::2]},
        {"last": [1.0, 2.0]},
        {"inner": (np.zeros(2), np.zeros((2, 2)), 1.0)},
        {"inner": tables().inner._replace(factor=1)},
    ],
    ids=str,
)
def test_a_table_of_another_type_is_an_error(wrong: dict[str, Any]) -> None:
    code = machine_code(read_outer, tables(), 0)
    with pytest.raises(TypeError, match="Outer whose members are not"):
        code(tables()._replace(**wrong), 0)


def test_what_cannot_be_written_is_another_type() -> None:
    one = tables()
    one.last.flags.writeable = False
    assert typeof(one) != typeof(tables())
    assert typeof(tables()) == typeof(tables()._replace(last=np.zeros(0)))
    assert hash(typeof(tables())) == hash(typeof(tables()))
