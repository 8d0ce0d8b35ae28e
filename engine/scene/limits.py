"""What a scene may say at most: sizes of files, depth, counts, and how large and how small its quantities may be.

Here is every such number. They are far from what anybody simulates, and near enough to it that whatever they let
through is read in seconds and computed with to the precision that the engine is made for.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from engine.scene.messages import Finding, Loc, show
from engine.scene.motions import Keyframes, Oscillator
from engine.scene.values import field_unit

if TYPE_CHECKING:
    from engine.scene.schema import Scene

# --- files ------------------------------------------------------------------------------------------------------------

SCENE_BYTES = 8 << 20
MESH_BYTES = 256 << 20
DEPTH = 32
"""Levels of lists and tables in each other, and of names in a dotted key."""
KEYS = 200_000
ENTRIES = 500_000

# --- counts -----------------------------------------------------------------------------------------------------------

BODIES = 100_000
LETTERS = 200
"""Of a name, whether of a body or of a file."""
POINTS = 20_000
"""Of a convex shape, of an outline, of a profile; pieces of a compound; keys of a path."""
TRIANGLES = 2_000_000
PROBLEMS = 200
"""That are told of one scene."""

# --- foreign geometry code --------------------------------------------------------------------------------------------

GEOMETRY_SECONDS = 1000.0
"""Of computing, on all cores together, to cut a mesh into pieces."""
LOOK_SECONDS = 10.0
"""Of computing, to see whether a mesh can be used."""
PATIENCE = 4.0
"""Of these times it may take so many in all."""
GEOMETRY_BYTES = 2 << 30


class Range(NamedTuple):
    """`least` holds for what must be more than 0, `most` for every amount."""

    least: float
    most: float


SPEED = Range(1e-12, 1e6)
ANY = Range(1e-15, 1e15)
RANGES = {
    "m": Range(1e-8, 1e7),
    "rad": Range(1e-12, 1e6),
    "deg": Range(1e-12, 1e8),
    "s": Range(1e-9, 1e8),
    "m/s": SPEED,
    "rad/s": SPEED,
    "m/s2": Range(1e-12, 1e6),
    "rad/s2": Range(1e-12, 1e9),
    "Hz": Range(1e-12, 1e6),
    "1/s": Range(1e-12, 1e6),
    "kg": Range(1e-15, 1e15),
    "kg/m3": Range(1e-6, 1e9),
    "kg m2": Range(1e-30, 1e24),
}
"""By unit. Of fields of two units ("m, rad") the first counts, what has no line here may be ANY."""

MASS_RATIO = 1e9
"""Of two free bodies: contact forces are found to about 1e-9 of the largest."""
CORNERS = 5_000
"""Of all outlines of an extrusion: whether they cross is asked of every two sides."""
SHAPE_RATIO = 1e7
"""Of the largest and the least side of one shape: thinner ones are flat to the tolerances of its collision tests."""

_SKIPPED = re.compile(rb'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL)
_BRACKETS = re.compile(rb"[\[{]|[\]}]")
_LONG_KEY = re.compile(rb"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){%d}" % DEPTH)


class TooMuch(ValueError):
    """A file goes beyond a limit, in some line of it."""

    def __init__(self, line: int | None, message: str, hint: str) -> None:
        super().__init__(message)
        self.line, self.message, self.hint = line, message, hint


def check_file(path: Path, most: int) -> None:
    """TooMuch for what is no regular file, and for more than so many bytes; OSError if it cannot be looked at.

    A pipe would keep its reader waiting, and a device may have no end.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise TooMuch(None, "is a folder", "a file")
    if not stat.S_ISREG(found.st_mode):
        raise TooMuch(None, "is a pipe or a device", "a regular file")
    if found.st_size > most:
        raise TooMuch(None, f"has {found.st_size:,} bytes", f"at most {most:,}")


def check_text(source: bytes) -> None:
    """TooMuch for text that no parser should be given: too long, too deep, too many keys or entries."""
    if len(source) > SCENE_BYTES:
        raise TooMuch(None, f"has {len(source):,} bytes", f"at most {SCENE_BYTES:,}")
    bare = _SKIPPED.sub(lambda found: b"k" + b"\n" * found[0].count(b"\n"), source)
    depth = 0
    for bracket in _BRACKETS.finditer(bare):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEPTH:
            raise TooMuch(_line(bare, bracket.start()), "is nested too deeply", f"at most {DEPTH} levels")
    if found := _LONG_KEY.search(bare):
        raise TooMuch(_line(bare, found.start()), "is nested too deeply", f"at most {DEPTH} names in a key")
    for sign, most, what in ((b"=", KEYS, "keys"), (b",", ENTRIES, "entries")):
        if (count := bare.count(sign)) > most:
            raise TooMuch(_densest_line(bare, sign), f"has {count:,} {what}", f"at most {most:,}")


def total_bodies(scene: Scene) -> int:
    """How many bodies there are, counted without making them."""
    return len(scene.body) + sum(int(getattr(one, one.layout_kind).number) for one in scene.repeat)


def _line(text: bytes, place: int) -> int:
    return text.count(b"\n", 0, place) + 1


def _densest_line(text: bytes, sign: bytes) -> int:
    counts = [line.count(sign) for line in text.split(b"\n")]
    return counts.index(max(counts)) + 1


# --- values -----------------------------------------------------------------------------------------------------------


def check_limits(value: BaseModel, loc: Loc = ()) -> Iterator[Finding]:
    """Numbers of a part of a scene that are beyond the range of their unit, names and lists that are too long."""
    for name in type(value).model_fields:
        if name in value.model_fields_set:
            yield from _check(getattr(value, name), _range(type(value), name), (*loc, name))
    if isinstance(value, Keyframes):
        yield from _check_path(value, loc)
    elif isinstance(value, Oscillator) and (speed := 6.3 * value.frequency * value.amplitude) > SPEED.most:
        yield Finding((*loc, "frequency"), f"makes it {speed:.3g} m/s fast", f"at most {SPEED.most:g} m/s")


def _check(value: Any, limits: tuple[Range, bool, str], loc: Loc) -> Iterator[Finding]:
    if isinstance(value, BaseModel):
        yield from check_limits(value, loc)
    elif isinstance(value, float):
        yield from _check_number(value, limits, loc)
    elif isinstance(value, str):
        if len(value) > LETTERS and loc[-1] not in ("text", "title", "source") and "look_for" not in loc:
            yield Finding(loc, f"has {len(value):,} letters", f"at most {LETTERS}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _check(str(key), limits, (*loc, key))
            yield from _check(item, limits, (*loc, key))
    elif isinstance(value, tuple):
        if len(value) > POINTS and len(loc) > 1:
            yield Finding(loc, f"has {len(value):,} entries", f"at most {POINTS:,}")
            return
        for row, item in enumerate(value):
            yield from _check(item, limits, (*loc, row))


def _check_number(value: float, limits: tuple[Range, bool, str], loc: Loc) -> Iterator[Finding]:
    (least, most), positive, unit = limits
    if value > most:
        yield Finding(loc, f"is {show(value)}", f"at most {most:g}{unit}")
    elif value < -most:
        yield Finding(loc, f"is {show(value)}", f"{-most:g}{unit} or more")
    elif positive and value < least:
        yield Finding(loc, f"is {show(value)}", f"{least:g}{unit} or more")


@cache
def _range(model: type[BaseModel], name: str) -> tuple[Range, bool, str]:
    """The range of a field, whether it must be more than 0, and its unit after a space."""
    unit = field_unit(model, name)
    field = model.model_fields[name]
    return RANGES.get(unit.split(",")[0], ANY), _positive(field), f" {unit}" if unit else ""


def _positive(kind: Any) -> bool:
    if isinstance(kind, FieldInfo):
        return any(map(_above, kind.metadata)) or _positive(kind.annotation)
    return _above(kind) or any(_positive(part) for part in get_args(kind) if part is not kind)


def _above(constraint: Any) -> bool:
    return getattr(constraint, "gt", None) is not None


def _check_path(path: Keyframes, loc: Loc) -> Iterator[Finding]:
    """Keys between which a body would jump."""
    for row, (before, after) in enumerate(pairwise(path.keys), start=1):
        time = after.time - before.time
        way = max(abs(b - a) for a, b in zip(before.move, after.move))
        if time < RANGES["s"].least:
            yield Finding(
                (*loc, "keys", row, "time"), f"is {time:.3g} s after the key before", f"{RANGES['s'].least:g} s or more"
            )
        elif way > SPEED.most * time:
            message = f"is {way:.3g} m away from the key before, {time:.3g} s later"
            yield Finding((*loc, "keys", row), message, f"at most {SPEED.most:g} m/s")
