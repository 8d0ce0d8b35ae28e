"""How a body moves: it is dynamic ("free"), static ("fixed"), or kinematic, by a formula (Mirtich 1996, 2.5)."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from engine.scene.values import (
    Direction,
    NonNegative,
    Number,
    Orientation,
    Positive,
    Value,
    Vector,
    check_orientation,
    problem,
    quantity,
    unit_quaternion,
)

SCRIPTED_KINDS = ("spinner", "oscillator", "cycler", "keyframes", "accelerated")
MOTION_HINT = '"free", "fixed", or a table such as { spinner = {...} }: ' + ", ".join(SCRIPTED_KINDS)


class Spinner(Value):
    """Turns for ever about an axis through `centre` (world; default: the body's position)."""

    axis: Direction = quantity(description="axis of rotation, world axes")
    rate: Number = quantity(unit="rad/s", description="angular speed")
    centre: Vector | None = quantity(None, unit="m", description="a point of the axis, in the world")


class Oscillator(Value):
    """Moves by amplitude sin(2 pi frequency t + phase) along a direction about the body's position."""

    direction: Direction = quantity(description="direction of motion, world axes")
    amplitude: NonNegative = quantity(unit="m", description="amplitude")
    frequency: NonNegative = quantity(unit="Hz", description="frequency")
    phase: Number = quantity(0.0, unit="rad", description="phase at time 0")


class Cycler(Value):
    """Goes round an ellipse about the body's position, without turning.

    The offset is along cos(angle) + across sin(angle), the angle 2 pi frequency t + phase.
    """

    along: Vector = quantity(unit="m", description="offset at the angle 0, world axes")
    across: Vector = quantity(unit="m", description="offset a quarter of a turn later, world axes")
    frequency: Number = quantity(unit="Hz", description="turns a second; less than 0: the other way round")
    phase: Number = quantity(0.0, unit="rad", description="angle at time 0")


class Key(Value):
    """Where a body is at a time, as seen from its own position and orientation."""

    time: NonNegative = quantity(unit="s", description="time")
    offset: Vector | None = quantity(None, unit="m", description="offset from the body's position, world axes")
    turn: Orientation | None = Field(default=None, description="turn from the body's orientation, world axes")

    @model_validator(mode="after")
    def _turns(self) -> Key:
        if self.turn is not None:
            check_orientation(self.turn, "turn")
        return self

    @property
    def move(self) -> tuple[float, float, float]:
        """Its offset, zero if it says none [m]."""
        return self.offset or (0.0, 0.0, 0.0)

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """Its turn as a unit quaternion w, x, y, z."""
        return unit_quaternion(self.turn or (1.0, 0.0, 0.0, 0.0))


class Keyframes(Value):
    """A smooth path through keys. Before the first the body rests; after the last it rests, or the path begins anew.

    It never leaves the range of two neighbouring keys along any axis, and stands at a key from which it goes back. It
    turns the shorter way, and pauses its turn at a key where the axis changes.
    """

    keys: tuple[Key, ...] = Field(description="where the body is, and when: times must rise")
    end: Literal["hold", "loop"] = Field(default="hold", description="what comes after the last key")

    @model_validator(mode="after")
    def _follow_each_other(self) -> Keyframes:
        if len(self.keys) < 2:
            raise problem(f"has {len(self.keys)} of the keys that a path needs", "two or more", "keys")
        for row, (before, after) in enumerate(pairwise(self.keys), start=1):
            if after.time <= before.time:
                hint = f"more than the {before.time:g} s of the key before"
                raise problem(f"key {row} is at {after.time:g} s", hint, "keys")
            cosine = sum(a * b for a, b in zip(before.quaternion, after.quaternion))
            if abs(cosine) < 1e-6:
                raise problem(
                    f"key {row} is half a turn from the one before", "a key between, to say which way", "keys"
                )
        if self.end == "loop" and self.keys[0].time != 0.0:
            raise problem("the path loops, but its first key is not at its start", "time = 0 for the first key", "keys")
        if self.end == "loop" and not _same_place(self.keys[0], self.keys[-1]):
            raise problem(
                "the path loops, but its last key is not where its first is", "equal offsets and turns", "keys"
            )
        return self


def _same_place(a: Key, b: Key) -> bool:
    cosine = sum(x * y for x, y in zip(a.quaternion, b.quaternion))
    return a.move == b.move and abs(cosine) > 1.0 - 1e-12


class Accelerated(Value):
    """Travels and turns with constant acceleration, up to a time if it says one; then it goes on as it is.

    The axis that it turns about goes through `centre` (world; default: the body's position) and travels with it.
    """

    velocity: Vector = quantity((0.0, 0.0, 0.0), unit="m/s", description="velocity at the start, world axes")
    acceleration: Vector = quantity((0.0, 0.0, 0.0), unit="m/s2", description="acceleration, world axes")
    axis: Direction = quantity((0.0, 0.0, 1.0), description="axis of rotation, world axes")
    rate: Number = quantity(0.0, unit="rad/s", description="angular speed at the start")
    angular_acceleration: Number = quantity(0.0, unit="rad/s2", description="angular acceleration about the axis")
    centre: Vector | None = quantity(None, unit="m", description="a point of the axis at the start, in the world")
    until: Positive | None = quantity(None, unit="s", description="when it stops accelerating; default: never")


class Scripted(Value):
    """Kinematic motion by a formula: exactly one of these is set, and `motion.kind` names it."""

    spinner: Spinner | None = None
    oscillator: Oscillator | None = None
    cycler: Cycler | None = None
    keyframes: Keyframes | None = None
    accelerated: Accelerated | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Scripted:
        kinds = [kind for kind in SCRIPTED_KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise problem(f"says {' and '.join(kinds)}" if kinds else "says no motion", MOTION_HINT)
        return self

    @property
    def kind(self) -> str:
        """Name of the motion that is set: one of `SCRIPTED_KINDS`."""
        return next(kind for kind in SCRIPTED_KINDS if getattr(self, kind) is not None)


def _motion_tag(value: object) -> str | None:
    if isinstance(value, str):
        return "word"
    return "table" if isinstance(value, (dict, Scripted)) else None


Motion = Annotated[
    Annotated[Literal["free", "fixed"], Tag("word")] | Annotated[Scripted, Tag("table")],
    Discriminator(_motion_tag, custom_error_type="scene_motion", custom_error_message="must be a motion"),
]
