"""What a person says of a body besides its shape: its inertia, and the forces and torques that are applied to it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from engine.arrays import Floats
from engine.scene.values import (
    NonNegative,
    Orientation,
    Size,
    Value,
    Vector,
    check_orientation,
    problem,
    quantity,
    rotated,
    unit_quaternion,
)

_ROUNDING = 1e-9
"""By so much of the largest entry a tensor may be uneven, and the triangle inequality fail: it was written rounded."""


class Inertia(Value):
    """The inertia of a body about its centre of mass: a whole tensor, or principal moments about some axes."""

    tensor: tuple[Vector, Vector, Vector] | None = quantity(
        None, unit="kg m2", description="the tensor in the body's frame, symmetric, by rows"
    )
    moments: Size | None = quantity(None, unit="kg m2", description="principal moments")
    axes: Orientation = Field(
        default=(1.0, 0.0, 0.0, 0.0), description="turn from the body's frame to the axes of the principal moments"
    )

    @model_validator(mode="after")
    def _is_one(self) -> Inertia:
        if (self.tensor is None) == (self.moments is None):
            said = "says neither tensor nor moments" if self.tensor is None else "says both tensor and moments"
            raise problem(said, "moments = [x, y, z], or tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]")
        check_orientation(self.axes, "axes")
        field = "moments" if self.tensor is None else "tensor"
        matrix = self.matrix
        if np.abs(matrix - matrix.T).max() > _ROUNDING * np.abs(matrix).max():
            raise problem("is not symmetric", "the same products of inertia above and below the diagonal", field)
        least, middle, most = np.linalg.eigvalsh(matrix)
        said = f"has principal moments {least:.6g}, {middle:.6g} and {most:.6g}"
        if not least > 0.0:
            raise problem(said, "all of them more than 0: nothing else turns as a body does", field)
        if least + middle < most * (1.0 - _ROUNDING):
            raise problem(said, f"none larger than the sum of the others, here {least + middle:.6g}", field)
        return self

    @property
    def matrix(self) -> Floats:
        """The tensor in the body's frame, (3, 3) [kg m^2]."""
        if self.tensor is not None:
            return np.array(self.tensor)
        turn = unit_quaternion(self.axes)
        axes = np.array([rotated(one, turn) for one in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]).T
        return np.asarray(axes @ np.diag(np.array(self.moments)) @ axes.T)


class ForceKey(Value):
    """A force at a time."""

    time: NonNegative = quantity(unit="s", description="time")
    value: Vector = quantity(unit="N", description="force then")


class TorqueKey(Value):
    """A torque at a time."""

    time: NonNegative = quantity(unit="s", description="time")
    value: Vector = quantity(unit="N m", description="torque then")


class Force(Value):
    """A force on a free body: constant, or through keys in straight lines; before and after them it holds.

    A plain list [x, y, z] is a constant force in world axes on the centre of mass.
    """

    value: Vector | None = quantity(None, unit="N", description="a constant force")
    keys: tuple[ForceKey, ...] = Field(default=(), description="a force that changes: times must rise")
    axes: Literal["world", "body"] = Field(default="world", description="axes of the force; those of the body turn")
    point: Vector | None = quantity(
        None, unit="m", description="where it acts, in the body's frame; default: the centre of mass"
    )

    @model_validator(mode="after")
    def _is_one(self) -> Force:
        _check_load(self.value, self.keys)
        return self


class Torque(Value):
    """A torque on a free body: constant, or through keys in straight lines; before and after them it holds.

    A plain list [x, y, z] is a constant torque in world axes.
    """

    value: Vector | None = quantity(None, unit="N m", description="a constant torque")
    keys: tuple[TorqueKey, ...] = Field(default=(), description="a torque that changes: times must rise")
    axes: Literal["world", "body"] = Field(default="world", description="axes of the torque; those of the body turn")

    @model_validator(mode="after")
    def _is_one(self) -> Torque:
        _check_load(self.value, self.keys)
        return self


def _check_load(value: Vector | None, keys: Sequence[ForceKey | TorqueKey]) -> None:
    if (value is None) == (not keys):
        said = "says neither value nor keys" if value is None else "says both value and keys"
        raise problem(said, "value = [x, y, z], or keys = [{ time = ..., value = [x, y, z] }, ...]")
    for row, (before, after) in enumerate(pairwise(keys), start=1):
        if after.time <= before.time:
            raise problem(
                f"key {row} is at {after.time:g} s", f"more than the {before.time:g} s of the key before", "keys"
            )


def _as_table(value: object) -> object:
    return {"value": value} if isinstance(value, (list, tuple)) else value


AppliedForce = Annotated[Force, BeforeValidator(_as_table)]
AppliedTorque = Annotated[Torque, BeforeValidator(_as_table)]


def load_keys(load: Force | Torque) -> Floats:
    """Times and values of a load, (k, 4) [s; N or N m]; a constant one has one key."""
    if load.value is not None:
        return np.array([(0.0, *load.value)])
    return np.array([(key.time, *key.value) for key in load.keys])
