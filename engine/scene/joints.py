"""What a scene says of joints, in world coordinates, as the bodies are placed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from engine.scene.values import (
    Direction,
    Fraction,
    Name,
    NonNegative,
    Number,
    Positive,
    Value,
    Vector,
    problem,
    quantity,
)

JOINT_KINDS = ("ball", "hinge", "slider", "weld", "planar")  # by number in engine.model.joints
WITH_AXIS = ("hinge", "slider", "planar")
WITH_POSITION = ("hinge", "slider")
"""Kinds whose motion is one number: an angle, or a way."""


class Spring(Value):
    """A linear spring along a joint. A plain number is its stiffness."""

    stiffness: Positive = quantity(unit="N/m, N m/rad", description="force by position")
    rest: Number = quantity(0.0, unit="m, rad", description="the position in which it is slack")


class HardSpring(Value):
    """A spring that nothing presses through its end, as gas in a sealed cylinder: strength / (position - end)."""

    strength: Positive = quantity(unit="N m", description="force times distance from the end")
    end: Number = quantity(unit="m, rad", description="the position that it never lets the joint reach")


class Motor(Value):
    """A controller of a joint, of its position (PD, PID) or its velocity: a force by what is missing. One that is given
    its `effort` bears just that, until somebody says another.

    It acts at every instant, or at a rate: then it bears from tick to tick what it said last (Mirtich 1996, 5.4.1).
    """

    position: Number | None = quantity(None, unit="m, rad", description="the position that it seeks")
    velocity: Number | None = quantity(None, unit="m/s, rad/s", description="the velocity that it seeks")
    effort: Number | None = quantity(None, unit="N, N m", description="the force or torque that it bears")
    kp: NonNegative = quantity(0.0, unit="N/m, N m/rad", description="gain of what is missing in position")
    kv: NonNegative = quantity(0.0, unit="N s/m, N m s/rad", description="gain of what is missing in velocity")
    ki: NonNegative = quantity(0.0, description="gain of the integral of what is missing")
    limit: Positive | None = quantity(None, unit="N, N m", description="the most that it bears; none: any force")
    rate: Positive | None = quantity(None, unit="1/s", description="ticks in a second; none: it acts at every instant")

    @model_validator(mode="after")
    def _consistent(self) -> Motor:
        said = [name for name in ("position", "velocity", "effort") if getattr(self, name) is not None]
        if len(said) != 1:
            message = "says neither position nor velocity nor effort" if not said else f"says {' and '.join(said)}"
            raise problem(message, "one of them, which it is to seek")
        for field in ("kp", "kv", "ki", "rate"):
            if self.effort is not None and getattr(self, field):
                raise problem("is nothing of a motor that is given its effort", "a position or velocity", field)
        if self.velocity is not None and self.kp > 0.0:
            raise problem("is nothing that seeks a velocity", "kv, or a position", "kp")
        if self.ki > 0.0 and self.rate is None:
            raise problem("sums up what is missing at ticks, and it has none", "a rate", "ki")
        return self


def _as_spring(value: object) -> object:
    return {"stiffness": value} if isinstance(value, (int, float)) and not isinstance(value, bool) else value


class Joint(Value):
    """What ties two bodies together, or one to the world: a ball lets them turn about a point, a hinge about an axis, a
    slider lets them move along one, a planar joint across one and turn about it, a weld nothing at all.

    The position of a hinge is the angle of its second body against the first, about the axis; that of a slider is how
    far the second body is moved. Both are 0 where the scene places the bodies. Where a joint says another position or a
    velocity, that is how it starts: all that hangs from it is turned or moved, and gets that velocity.
    """

    name: Name = Field(description="name, unique in the scene")
    kind: Literal["ball", "hinge", "slider", "weld", "planar"] = Field(description="kind of joint")
    bodies: tuple[str, ...] = Field(description="the two bodies, or the one that is tied to the world")
    point: Vector = quantity(unit="m", description="where it is, in the world, as the bodies are placed")
    axis: Direction | None = quantity(
        None, description="axis of a hinge or slider, or square to a plane, in the world, as the bodies are placed"
    )
    position: Number = quantity(0.0, unit="m, rad", description="where it starts")
    velocity: Number = quantity(0.0, unit="m/s, rad/s", description="how fast it starts")
    spring: Annotated[Spring, BeforeValidator(_as_spring)] | None = Field(
        default=None, description="a spring along it: a stiffness, or a table"
    )
    hard_spring: HardSpring | None = Field(default=None, description="a sealed cylinder along it")
    damping: NonNegative = quantity(0.0, unit="N s/m, N m s/rad", description="viscous damping")
    friction: NonNegative = quantity(0.0, unit="N, N m", description="constant friction in it")
    limits: tuple[Number, Number] | None = quantity(None, unit="m, rad", description="least and largest position")
    limit_restitution: Fraction = quantity(0.0, description="restitution at its limits")
    motor: Motor | None = Field(default=None, description="a controller that drives it")
    collide: bool = Field(default=False, description="whether the two bodies collide with each other")

    @model_validator(mode="after")
    def _consistent(self) -> Joint:
        if len(self.bodies) not in (1, 2):
            count = f"names {len(self.bodies)} bodies"
            raise problem(count, 'two, such as ["crank", "rod"], or one that is tied to the world', "bodies")
        if len(set(self.bodies)) < len(self.bodies):
            raise problem(f'ties "{self.bodies[0]}" to itself', "two different bodies", "bodies")
        if self.axis is None and self.kind in WITH_AXIS:
            raise problem("is missing", f"the axis of the {self.kind}, such as [0, 1, 0]", "axis")
        if self.axis is not None and self.kind not in WITH_AXIS:
            raise problem(f"is nothing that a {self.kind} has", "no axis, or a hinge or slider", "axis")
        self._check_elements()
        return self

    def _check_elements(self) -> None:
        """Raises the problem of elements that its kind has not, or that contradict each other."""
        if self.kind not in WITH_POSITION:
            for field in ("position", "velocity", "spring", "hard_spring", "damping", "friction", "limits", "motor"):
                if getattr(self, field) and not (field == "damping" and self.kind == "ball"):
                    raise problem(f"is nothing that a {self.kind} has", "a hinge or slider", field)
        if self.limits is None:
            if self.limit_restitution:
                raise problem("says how it rebounds from limits that it has not", "limits, or 0", "limit_restitution")
        elif self.limits[0] >= self.limits[1]:
            raise problem(f"from {self.limits[0]:g} to {self.limits[1]:g} is no way", "the lesser one first", "limits")
        elif not self.limits[0] <= self.position <= self.limits[1]:
            low, high = self.limits
            raise problem(f"{self.position:g} is beyond its limits", f"from {low:g} to {high:g}", "position")
        if self.hard_spring is not None and self.hard_spring.end == self.position:
            raise problem("its end is where the joint starts", "an end away from there", "hard_spring")

    @property
    def stops(self) -> bool:
        """Can its motion stop at once: at a limit, or by friction?"""
        return self.limits is not None or self.friction > 0.0

    @property
    def acts(self) -> bool:
        """Does anything act along it?"""
        driven = self.motor is not None or self.spring is not None or self.hard_spring is not None
        return driven or self.stops or self.damping > 0.0


def renamed_joints(joints: tuple[Joint, ...], old: str, new: str) -> tuple[Joint, ...]:
    """The joints, where the body `old` is called `new`."""
    return tuple(
        joint.model_copy(update={"bodies": tuple(new if name == old else name for name in joint.bodies)})
        if old in joint.bodies
        else joint
        for joint in joints
    )
