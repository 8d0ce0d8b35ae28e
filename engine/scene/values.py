"""What the parts of a scene are made of: immutable values, numbers with units, names, turns."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Strict, StringConstraints, Tag
from pydantic_core import PydanticCustomError

Triple = tuple[float, float, float]
Quadruple = tuple[float, float, float, float]

_NAME = re.compile(r"\w(?:[\w \-]*[\w\-])?")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def problem(message: str, hint: str, field: str = "") -> PydanticCustomError:
    """A validation error that reads as `field: message (hint)`; the hint says what would be right."""
    return PydanticCustomError("scene", "{message}", {"message": message, "hint": hint, "field": field})


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise problem(f'"{name}" cannot be a name', "letters, digits, _ and -, with spaces inside only")
    return name


def _check_colour(colour: str) -> str:
    if not _COLOUR.fullmatch(colour):
        raise problem(f'"{colour}" is not a colour', 'six hex digits such as "#d9822b"')
    return colour


def _check_direction(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    if math.hypot(*vector) < 1e-12:
        raise problem("has no length, so it gives no direction", "for example [0, 0, 1]")
    return vector


def _check_tiny(number: float) -> float:
    if number < _SMALLEST:
        raise problem(f"is {number:g}", f"{_SMALLEST:g} or more")
    return number


# Whatever is made of a few such numbers is a number too. What each may be, by its unit, is in `engine.scene.limits`.
_LARGEST, _SMALLEST = 1e30, 1e-30
Number = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=-_LARGEST, le=_LARGEST)]
Positive = Annotated[float, Strict(), Field(allow_inf_nan=False, gt=0, le=_LARGEST), AfterValidator(_check_tiny)]
NonNegative = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=0, le=_LARGEST)]
Fraction = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=0, le=1)]
Vector = tuple[Number, Number, Number]
Size = tuple[Positive, Positive, Positive]
Direction = Annotated[Vector, AfterValidator(_check_direction)]
Quaternion = tuple[Number, Number, Number, Number]
Name = Annotated[str, AfterValidator(_check_name)]
Text = Annotated[str, StringConstraints(strip_whitespace=False)]
Colour = Annotated[str, AfterValidator(_check_colour)]


def quantity(default: Any = ..., unit: str = "", description: str = "") -> Any:
    """A field with its unit and meaning, for the inspector: `field_unit(Body, "velocity") == "m/s"`."""
    return Field(default, description=description, json_schema_extra={"unit": unit})


class Value(BaseModel):
    """Base of all parts of a scene: immutable, and a key it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def field_unit(model: type[BaseModel], field: str) -> str:
    """Unit of a field, "" if it has none."""
    extra = model.model_fields[field].json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


class AxisAngle(Value):
    """A turn about an axis."""

    axis: Direction = quantity(description="axis of the turn")
    degrees: Number = quantity(unit="deg", description="angle of the turn")


def _orientation_tag(value: object) -> str | None:
    if isinstance(value, (list, tuple)):
        return "list"
    return "table" if isinstance(value, (dict, AxisAngle)) else None


Orientation = Annotated[
    Annotated[Quaternion, Tag("list")] | Annotated[AxisAngle, Tag("table")],
    Discriminator(_orientation_tag, custom_error_type="scene_orientation", custom_error_message="must be a turn"),
]


def check_orientation(orientation: tuple[float, float, float, float] | AxisAngle, field: str) -> None:
    """Raises the problem of a quaternion that is no turn."""
    if not isinstance(orientation, AxisAngle) and math.hypot(*orientation) < 1e-6:
        raise problem("[0, 0, 0, 0] is no turn", "[1, 0, 0, 0] for none", field)


def unit_quaternion(orientation: tuple[float, float, float, float] | AxisAngle) -> tuple[float, float, float, float]:
    """An orientation as a unit quaternion w, x, y, z."""
    if isinstance(orientation, AxisAngle):
        half = math.radians(orientation.degrees) / 2
        scale = math.sin(half) / math.hypot(*orientation.axis)
        x, y, z = orientation.axis
        return (math.cos(half), scale * x, scale * y, scale * z)
    length = math.hypot(*orientation)
    w, x, y, z = orientation
    return (w, x, y, z) if length == 1.0 else (w / length, x / length, y / length, z / length)


def scaled(v: Triple, factor: float) -> Triple:
    return (factor * v[0], factor * v[1], factor * v[2])


def added(a: Triple, b: Triple) -> Triple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def turned(turn: Quadruple, q: Quadruple) -> Quadruple:
    """The orientation q after a turn about world axes: the product turn q, (w, x, y, z)."""
    w, x, y, z = turn
    a, b, c, d = q
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )


def rotated(v: Triple, turn: Quadruple) -> Triple:
    """A vector after a turn."""
    w, x, y, z = turn
    _, a, b, c = turned(turned(turn, (0.0, *v)), (w, -x, -y, -z))
    return (a, b, c)
