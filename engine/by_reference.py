"""Tuples of tables that kernels hand on by their address.

Numba hands a tuple of arrays on as all that its arrays consist of, each a parameter: for a world some two thousand
numbers, which every call that is not taken in copies. A NamedTuple that is marked here is a table of those numbers
instead, and kernels hand on where it is. They read out of it what they need, and may take it that it does not change.
It is made when Python calls an entry with the tuple, or beforehand: a `Table`, of which the entry gets the address.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, lower_getattr_generic, unbox
from numba.np.numpy_support import as_dtype

T = TypeVar("T", bound=type)

_WORD = ir.IntType(64)


class Reference(types.Type):  # type: ignore[misc]
    """The address of a NamedTuple's members, one after the other, each number of an array's in a word of its own."""

    def __init__(self, form: type, members: tuple[Any, ...]) -> None:
        self.form: Any = form
        self.members = members
        self._hash = hash((form, members))
        super().__init__(name=f"{form.__qualname__}[{', '.join(str(one) for one in members)}]")

    def __hash__(self) -> int:
        """Looked up again and again, and some hundred types are in it."""
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        """Made anew where it is read: a hash is of one process."""
        return Reference, (self.form, self.members)

    @property
    def key(self) -> Any:
        """Types are the same if these are."""
        return self.form, self.members

    @property
    def mangling_args(self) -> tuple[str, tuple[Any, ...]]:
        """What names of machine code have of it: kernels get one type of each."""
        return self.form.__qualname__, ()

    def fits(self, value: Any) -> bool:
        """Is this the type of that tuple?"""
        return type(value) is self.form and all(_fits(*one) for one in zip(self.members, value, strict=True))

    def place_of(self, context: Any, name: str) -> tuple[Any, int]:
        """Type of a member, and its place [words]."""
        at = 0
        for one, member in zip(self.form._fields, self.members, strict=True):  # type: ignore[attr-defined]
            if one == name:
                return member, at
            at += _words(context, member)
        raise AttributeError(name)


def by_reference(form: T) -> T:
    """Let kernels hand NamedTuples of this class, of arrays and of others like it, on by their address."""

    known: list[Reference] = []  # numba takes ten times as long to tell an array's type as to see that it is the same

    @typeof_impl.register(form)  # type: ignore[untyped-decorator]
    def typeof(value: Any, context: Any) -> Reference:
        for one in known:
            if one.fits(value):
                return one
        known.append(Reference(form, tuple(typeof_impl(one, context) for one in value)))
        return known[-1]

    return form


_dtype_of = cache(as_dtype)


def _fits(member: Any, value: Any) -> bool:
    if type(member) is Reference:
        return member.fits(value)
    if type(member) is not types.Array or type(value) is not np.ndarray:
        return bool(typeof_impl(value, None) == member)
    plain = value.flags.carray and member.layout == "C" and member.mutable and member.aligned
    return plain and value.ndim == member.ndim and value.dtype == _dtype_of(member.dtype)


class Table:
    """A tuple as entries take it in its stead: by the `address` of its numbers, for as long as this lives.

    Its arrays are not looked at again. Raises TypeError for a tuple of another type.
    """

    def __init__(self, one: Reference, value: Any) -> None:
        if not one.fits(value):
            raise TypeError(f"a {type(value).__qualname__} whose members are not of the types that are in {one}")
        self.value = value
        self._others: list[Table] = []  # of marked tuples in tuples that are not
        words: list[int] = []
        self._add(one.members, value, words)
        self._words = np.array(words, dtype=np.int64)
        self.address = int(self._words.ctypes.data)

    def _add(self, kinds: Any, values: Any, words: list[int]) -> None:
        """Add what numba makes of some values. Nobody counts who uses their arrays."""
        for kind, value in zip(kinds, values, strict=True):
            if type(kind) is types.Array:
                words += (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
            elif type(kind) is Reference:
                self._add(kind.members, value, words)
            elif isinstance(kind, types.BaseTuple):
                self._add_loose(kind, value, words)
            else:
                words += np.atleast_1d(value).view(np.int64).tolist()

    def _add_loose(self, kinds: Any, values: Any, words: list[int]) -> None:
        """Add the values of a tuple that is not marked: it holds the address of one that is."""
        for kind, value in zip(kinds, values, strict=True):
            if type(kind) is Reference:
                self._others.append(Table(kind, value))
                words.append(self._others[-1].address)
            else:
                self._add((kind,), (value,), words)


@register_default(Reference)
class _ReferenceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, one: Reference) -> None:
        super().__init__(manager, one, _WORD.as_pointer())


@infer_getattr
class _ReferenceMembers(AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, typ: Any, attr: str) -> Any:  # type: ignore[override]
        """Type of a member; None: there is none of that name."""
        fields = typ.form._fields
        return typ.members[fields.index(attr)] if attr in fields else None


@lower_getattr_generic(Reference)  # type: ignore[untyped-decorator]
def _read_member(context: Any, builder: Any, one: Reference, value: Any, name: str) -> Any:
    member, at = one.place_of(context, name)
    if isinstance(member, Reference):
        return _at(builder, value, at)
    read = _read(builder, value, at, context.get_value_type(member))
    return impl_ret_borrowed(context, builder, member, read)


@unbox(Reference)  # type: ignore[untyped-decorator]
def _unbox_reference(one: Reference, value: Any, c: Any) -> NativeValue:
    """The table at an address, or one in the frame of who called the entry, filled from a NamedTuple, whose arrays
    outlive the call."""
    context = c.context.subtarget(enable_nrt=False)
    c = c._replace(context=context, pyapi=context.get_python_api(c.builder))
    own = cgutils.alloca_once(c.builder, _WORD, size=ir.Constant(_WORD, _words(c.context, one)))
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    given = c.builder.bitcast(c.pyapi.long_as_voidptr(value), own.type)
    table = cgutils.alloca_once_value(c.builder, given)
    with c.builder.if_then(cgutils.is_null(c.builder, given)):
        c.pyapi.err_clear()  # it is no number
        c.builder.store(own, table)
        _fill(one, value, own, failed, c)
    return NativeValue(c.builder.load(table), is_error=c.builder.load(failed))


def _fill(one: Reference, value: Any, table: Any, failed: Any, c: Any) -> None:
    at = 0
    for index, member in enumerate(one.members):
        item = c.pyapi.tuple_getitem(value, index)
        if isinstance(member, Reference):
            _fill(member, item, _at(c.builder, table, at), failed, c)
        else:
            native = c.unbox(member, item)
            with c.builder.if_then(native.is_error, likely=False):
                c.builder.store(cgutils.true_bit, failed)
            _write(c.builder, table, at, native.value)
        at += _words(c.context, member)


def _words(context: Any, member: Any) -> int:
    """How many words a member takes."""
    if isinstance(member, Reference):
        return sum(_words(context, one) for one in member.members)
    return sum(1 for _ in _leaves(context.get_value_type(member)))


def _leaves(form: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """The numbers of which a value consists: the type of each, and where in the value it is."""
    if isinstance(form, ir.ArrayType):
        for index in range(form.count):
            yield from _leaves(form.element, (*path, index))
    elif isinstance(form, ir.BaseStructType):
        for index, one in enumerate(form.elements):
            yield from _leaves(one, (*path, index))
    else:
        yield form, path


def _at(builder: Any, table: Any, at: int) -> Any:
    return builder.gep(table, [ir.Constant(_WORD, at)], inbounds=True) if at else table


def _read(builder: Any, table: Any, at: int, form: Any) -> Any:
    """A value of that type from there on; for the compiler, one that never changes."""
    constant = builder.module.add_metadata([])
    value = ir.Constant(form, ir.Undefined)
    for place, (leaf, path) in enumerate(_leaves(form)):
        read = builder.load(builder.bitcast(_at(builder, table, at + place), leaf.as_pointer()))
        read.set_metadata("invariant.load", constant)
        value = builder.insert_value(value, read, path) if path else read
    return value


def _write(builder: Any, table: Any, at: int, value: Any) -> None:
    for place, (leaf, path) in enumerate(_leaves(value.type)):
        part = builder.extract_value(value, path) if path else value
        builder.store(part, builder.bitcast(_at(builder, table, at + place), leaf.as_pointer()))
