"""From the schema's validation errors to sentences for people: what is wrong, and what would be right."""

from __future__ import annotations

import difflib
import math
import re
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from engine.scene.motions import MOTION_HINT
from engine.scene.values import field_unit

Loc = tuple[str | int, ...]

_TAGGED = ("motion", "orientation", "turn", "axes")  # fields that say themselves which of their forms they hold

_UNITS = {
    "m": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "km": 1e3, "in": 0.0254, "inch": 0.0254, "ft": 0.3048},
    "kg": {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237, "oz": 0.028349523125},
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0},
    "m/s": {"m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3, "km/h": 1 / 3.6, "mph": 0.44704, "ft/s": 0.3048},
    "rad/s": {"rad/s": 1.0, "deg/s": math.pi / 180, "rpm": math.pi / 30},
    "rad": {"rad": 1.0, "deg": math.pi / 180},
    "deg": {"deg": 1.0, "degrees": 1.0, "rad": 180 / math.pi},
    "kg/m3": {"kg/m3": 1.0, "g/cm3": 1e3},
    "m/s2": {"m/s2": 1.0, "g": 9.80665},
    "Hz": {"hz": 1.0, "khz": 1e3, "rpm": 1 / 60},
}
_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-zµ°/23]*)\s*")


_MOST_NAMES, _MOST_LETTERS = 1000, 100
"""What is like what is looked for among so many names at most: the time that it takes grows with both."""


class Finding(NamedTuple):
    """Something wrong at a place in a document."""

    loc: Loc
    message: str
    hint: str


def suggest(word: object, known: Iterable[str], what: str) -> str:
    """`did you mean "cue"?`, or a list of what there is."""
    names = list(known)
    if len(names) > _MOST_NAMES or len(str(word)) > _MOST_LETTERS:
        return what
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    if close:
        return f'did you mean "{close[0]}"?'
    if not names:
        return "there are none"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"{what}: {shown}"


def show(value: object) -> str:
    """A value as the file might say it, cut short."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = '"' + value.encode("unicode_escape").decode() + '"'
    elif isinstance(value, dict):
        text = "a table"
    elif isinstance(value, (list, tuple)) and len(value) > 6:
        text = f"a list of {len(value)}"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(show(item) for item in value) + "]"
    else:
        text = _digits(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _digits(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # Python refuses to write integers of thousands of digits
        return "a huge number"


def findings(error: ValidationError, model: type[BaseModel], at: Loc = ()) -> list[Finding]:
    """What a validation of `model` found, `at` being where the validated value stands in the document."""
    found: dict[Finding, None] = {}
    for item in error.errors(include_url=False):
        steps = _untag(item["loc"])
        finding = _describe(dict(item), steps, model)
        found[finding._replace(loc=at + finding.loc)] = None
    return list(found)


def _untag(loc: Loc) -> Loc:
    """The place without the names of a union's alternatives, which pydantic puts into it."""
    return tuple(step for row, step in enumerate(loc) if row == 0 or loc[row - 1] not in _TAGGED)


def _describe(item: dict[str, Any], steps: Loc, model: type[BaseModel]) -> Finding:
    kind, value, context = item["type"], item["input"], item.get("ctx", {})
    if steps and steps[-1] == "[key]":
        steps = steps[:-1]
    if kind == "scene":
        field = (context["field"],) if context["field"] else ()
        return Finding((*steps, *field), context["message"], context["hint"])
    if steps == ("format",):
        said = "is missing" if kind == "missing" else f"is {show(value)}"
        return Finding(steps, said, "format = 1, the only one that this version reads")
    if kind == "missing" and steps and isinstance(steps[-1], int):
        return _count(steps[:-1], value, model)
    if kind == "too_long":
        return _count(steps, value, model)
    if kind == "extra_forbidden":
        return Finding(steps, "unknown key", suggest(steps[-1], _keys(model, steps[:-1]), "known keys"))
    if kind in ("float_type", "finite_number", "int_type"):
        return Finding(steps, *_number(kind, value, _unit(model, steps)))
    return Finding(steps, *_by_kind(kind, value, context, item["msg"], model, steps))


def _by_kind(
    kind: str, value: object, context: dict[str, Any], message: str, model: type[BaseModel], steps: Loc
) -> tuple[str, str]:
    unit = _unit(model, steps)
    got = f"is {show(value)}"
    simple: dict[str, Callable[[], tuple[str, str]]] = {
        "missing": lambda: ("is missing", _expected(model, steps)),
        "greater_than": lambda: (got, f"more than {context['gt']:g}{unit}"),
        "greater_than_equal": lambda: (got, f"{context['ge']:g}{unit} or more"),
        "less_than": lambda: (got, f"less than {context['lt']:g}{unit}"),
        "less_than_equal": lambda: (got, f"at most {context['le']:g}{unit}"),
        "literal_error": lambda: (got, _choice(value, model, steps, context["expected"])),
        "scene_motion": lambda: (got, MOTION_HINT),
        "scene_orientation": lambda: (got, "{ axis = [x, y, z], degrees = angle } or [w, x, y, z]"),
        "bool_type": lambda: (got, "true or false"),
        "string_type": lambda: (got, "text in quotes"),
        "model_type": lambda: (got, _expected(model, steps)),
        "dict_type": lambda: (got, _expected(model, steps)),
        "tuple_type": lambda: (got, _expected(model, steps)),
    }
    return simple[kind]() if kind in simple else (f"{got}: {message}", "")


def _number(kind: str, value: object, unit: str) -> tuple[str, str]:
    if kind == "finite_number":
        return f"is {show(value)}", f"a finite number{' of' * bool(unit)}{unit}"
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(value)
        factor = _UNITS.get(unit.strip(), {}).get(match[2].lower()) if match and match[2] else None
        if match and factor is not None:
            return f"is {show(value)}", f"a bare number in{unit}: {float(match[1]) * factor:.12g}"
        if match and not match[2]:
            return f"is {show(value)}", f"a number without quotes: {match[1]}"
    what = "a whole number" if kind == "int_type" else "a number"
    return f"is {show(value)}", f"{what}{' in' * bool(unit)}{unit}"


def _count(steps: Loc, value: object, model: type[BaseModel]) -> Finding:
    length = len(value) if isinstance(value, (list, tuple)) else 0
    noun = "entry" if length == 1 else "entries"
    return Finding(steps, f"has {length} {noun}", _expected(model, steps))


def _choice(value: object, model: type[BaseModel], steps: Loc, expected: str) -> str:
    options = [show(option) for option in _literals(model, steps)] or [expected]
    close = difflib.get_close_matches(str(value), [option.strip('"') for option in options], n=1, cutoff=0.6)
    return f'did you mean "{close[0]}"?' if close else " or ".join(options)


# --- what the schema says about a place ----------------------------------------------------------------------------


def _unwrap(kind: Any) -> Iterator[Any]:
    """Every plain type that an annotation may stand for."""
    origin = get_origin(kind)
    if origin is Annotated:
        yield from _unwrap(get_args(kind)[0])
    elif origin in (Union, types.UnionType):
        for option in get_args(kind):
            yield from _unwrap(option)
    elif kind is not type(None):
        yield kind


def _step(kinds: Sequence[Any], step: str | int) -> list[Any]:
    found: list[Any] = []
    for kind in kinds:
        origin, arguments = get_origin(kind), get_args(kind)
        if isinstance(kind, type) and issubclass(kind, BaseModel) and step in kind.model_fields:
            found.extend(_unwrap(kind.model_fields[str(step)].annotation))
        elif origin is dict:
            found.extend(_unwrap(arguments[1]))
        elif origin is tuple and isinstance(step, int):
            found.extend(_unwrap(arguments[0] if Ellipsis in arguments else arguments[min(step, len(arguments) - 1)]))
    return found


def types_at(model: type[BaseModel], steps: Loc) -> list[Any]:
    """The types that the schema allows at a place."""
    kinds: list[Any] = [model]
    for step in steps:
        kinds = _step(kinds, step)
    return kinds


def _models(model: type[BaseModel], steps: Loc) -> list[type[BaseModel]]:
    return [kind for kind in types_at(model, steps) if isinstance(kind, type) and issubclass(kind, BaseModel)]


def _keys(model: type[BaseModel], steps: Loc) -> list[str]:
    return [name for kind in _models(model, steps) for name, field in kind.model_fields.items() if not field.exclude]


def _literals(model: type[BaseModel], steps: Loc) -> list[object]:
    return [option for kind in types_at(model, steps) if get_origin(kind) is Literal for option in get_args(kind)]


def _unit(model: type[BaseModel], steps: Loc) -> str:
    """Unit at a place with a space before it, "" if it has none; an entry of a list has the unit of the list."""
    for end in range(len(steps), 0, -1):
        for parent in _models(model, steps[: end - 1]):
            name = steps[end - 1]
            if isinstance(name, str) and name in parent.model_fields:
                unit = field_unit(parent, name)
                return f" {unit}" if unit else ""
    return ""


def _expected(model: type[BaseModel], steps: Loc) -> str:
    """What would be right at a place."""
    said = [_sketch(kind) for kind in types_at(model, steps)]
    if said == ["a list of tables"] and len(steps) == 1:
        return f"a table [[{steps[-1]}]] for each"
    return " or ".join(dict.fromkeys(text for text in said if text)) + _of_unit(model, steps)


def _of_unit(model: type[BaseModel], steps: Loc) -> str:
    unit = _unit(model, steps)
    return f" in{unit}" if unit else ""


def _sketch(kind: Any) -> str:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(show(option) for option in arguments)
    if origin is tuple:
        inner = next(iter(_unwrap(arguments[0])))
        if Ellipsis in arguments:
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                return "a list of tables"
            return "a list of texts in quotes" if inner is str else "a list of lists of numbers"
        return f"a list of {len(arguments)} " + {float: "numbers", int: "whole numbers"}.get(inner, "names")
    if origin is dict:
        return "tables by name"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _sketch_model(kind)
    return {float: "a number", int: "a whole number", bool: "true or false", str: "text in quotes"}.get(kind, "")


def _sketch_model(kind: type[BaseModel]) -> str:
    required = [name for name, field in kind.model_fields.items() if field.is_required()]
    if required:
        return "{ " + ", ".join(f"{name} = ..." for name in required) + " }"
    if kind.__name__ == "BodyShape":
        return "a table such as { sphere = { radius = 0.1 } } or { box = [0.3, 0.2, 0.1] }"
    return "a table"
