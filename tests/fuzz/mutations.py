"""Seeded mutations of texts and bytes: the same seed gives the same file, on every machine."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

NUMBERS = (
    "0", "-0.0", "1", "-1", "1e-12", "1e-300", "5e-324", "1e12", "1e30", "1e200", "1e308", "-1e308", "inf", "nan",
    "123456789012345678901234567890", "0x7fffffffffffffff", "1_000", "20000", "100001", "0.1e-7", "1e7", "-1e7", "1e9",
)  # fmt: skip
VALUES = (
    "true", '""', '"a"', "[]", "{}", "[0, 0, 0]", "[1, 0, 0, 0]", '"fixed"', '"free"', "1979-05-27", '"*"',
    "[[0, 0], [1, 0]]", '"../x"', '"a\\u0000b"', "[[0,0,0],[1,0,0],[0,1,0],[0,0,1e-12]]",
    "{ axis = [0, 0, 0], degrees = 1 }",
    '{ sphere = { radius = 1e-9 } }', "{ box = [1, 1, 1e-9] }", "{ plane = {} }", "{ ellipsoid = [1, 1e-6, 1e6] }",
    "{ cone = { radius = 1, height = 1e-7, top_radius = 1 } }", "{ prism = { sides = 1000, radius = 1, height = 1 } }",
    "{ keyframes = { keys = [{ time = 0 }, { time = 1e-12, offset = [10, 0, 0] }] } }",
    "{ mesh = { file = 'x.obj' } }", "{ count = [100, 100, 100], spacing = [0, 0, 0] }",
    "{ convex = { vertices = [[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0.5,0.5,1e-9]] } }",
    "{ extrusion = { height = 1, rings = [[[0,0],[1,0],[1,1],[0,1]],[[0.5,-1],[2,2],[0,2]]] } }",
)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")
_VALUE = re.compile(r"(?<== )[^\n#]+")
_KEY = re.compile(r"(?<!\w)[A-Za-z_]\w*(?= *=)")

Mutation = Callable[[random.Random, str], str]


def _spliced(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]


def _at(draw: random.Random, pattern: re.Pattern[str], text: str, new: str) -> str:
    places = list(pattern.finditer(text))
    return _spliced(text, draw.choice(places), new) if places else text + new


def _number(draw: random.Random, text: str) -> str:
    wild = draw.choice((draw.choice(NUMBERS), f"{draw.choice((-1, 1)) * 10 ** draw.uniform(-13, 13):.6g}"))
    return _at(draw, _NUMBER, text, wild)


def _value(draw: random.Random, text: str) -> str:
    return _at(draw, _VALUE, text, draw.choice(VALUES))


def _swapped_key(draw: random.Random, text: str) -> str:
    names = _KEY.findall(text) or ["a"]
    return _at(draw, _KEY, text, draw.choice((*names, "x", '"a b"', "a.b")))


def _swapped_values(draw: random.Random, text: str) -> str:
    values = [found[0] for found in _VALUE.finditer(text)] or ["1"]
    return _at(draw, _VALUE, text, draw.choice(values))


def _lines(draw: random.Random, text: str) -> str:
    rows = text.splitlines(keepends=True) or ["\n"]
    k, way = draw.randrange(len(rows)), draw.randrange(4)
    if way == 0:
        del rows[k]
    elif way == 1:
        rows.insert(k, draw.choice(rows))
    elif way == 2:
        rows[k:k] = rows[k : k + draw.randrange(1, 12)] * draw.randrange(1, 4)
    else:
        other = draw.randrange(len(rows))
        rows[k], rows[other] = rows[other], rows[k]
    return "".join(rows)


def _characters(draw: random.Random, text: str) -> str:
    k = draw.randrange(len(text) + 1)
    return text[:k] + draw.choice("[]{}\"'=,.#\n\\\0é-0e") * draw.choice((1, 1, 1, 3)) + text[k + draw.randrange(3) :]


def _cut_off(draw: random.Random, text: str) -> str:
    return text[: draw.randrange(len(text) + 1)]


def _deep(draw: random.Random, text: str) -> str:
    count = 10 ** draw.randrange(1, 6)
    new = draw.choice(
        ("[" * count, "[" * count + "]" * count, "{ a = " * count, "a." * count + "a = 1", '"' + "x" * count)
    )
    return _at(draw, _VALUE, text, new)


def _long(draw: random.Random, text: str) -> str:
    count = 10 ** draw.randrange(1, 6)
    new = draw.choice(
        ('"' + "n" * count + '"', "9" * count, "[" + "1, " * count + "]", "[" + "[0, 0, 0], " * count + "]")
    )
    return _at(draw, _VALUE, text, new)


MUTATIONS: tuple[tuple[Mutation, int], ...] = (
    (_number, 10), (_value, 6), (_swapped_values, 4), (_swapped_key, 3), (_lines, 4), (_characters, 3), (_cut_off, 1),
    (_deep, 1), (_long, 1),
)  # fmt: skip


def mutate_text(seed: int, texts: list[str]) -> str:
    """One of the texts with one to five changes."""
    draw = random.Random(seed)
    text = draw.choice(texts)
    ways, weights = zip(*MUTATIONS)
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3, 5))):
        text = draw.choices(ways, weights)[0](draw, text)
    return text


def mutate_bytes(seed: int, files: list[bytes]) -> bytes:
    """One of the files with bytes changed, cut out, doubled, or its end missing."""
    draw = random.Random(seed)
    data = bytearray(draw.choice(files))
    for _ in range(draw.choice((1, 2, 4, 16))):
        k, way = draw.randrange(len(data) + 1), draw.randrange(5)
        if way == 0:
            data[k : k + 1] = bytes([draw.randrange(256)])
        elif way == 1:
            data[k : k + 4] = draw.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\x80\x7f", b"\xff\xff\xff\x7f"))
        elif way == 2:
            del data[k : k + draw.randrange(1, 60)]
        elif way == 3:
            data[k:k] = data[k : k + draw.randrange(1, 60)]
        elif draw.randrange(8) == 0:
            del data[k:]
    return bytes(data)
