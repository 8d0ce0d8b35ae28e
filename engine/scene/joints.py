"""What a scene says of joints, in world coordinates, as the bodies start."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from engine.scene.values import Direction, Name, Value, Vector, problem, quantity

JOINT_KINDS = ("ball", "hinge", "slider", "weld")  # by number in engine.model.joints
WITH_AXIS = ("hinge", "slider")


class Joint(Value):
    """What ties two bodies together, or one to the world: a ball lets them turn about a point, a hinge about an axis, a
    slider lets them move along one, a weld nothing at all."""

    name: Name = Field(description="name, unique in the scene")
    kind: Literal["ball", "hinge", "slider", "weld"] = Field(description="kind of joint")
    bodies: tuple[str, ...] = Field(description="the two bodies, or the one that is tied to the world")
    point: Vector = quantity(unit="m", description="where it is, in the world, as the bodies start")
    axis: Direction | None = quantity(None, description="axis of a hinge or slider, in the world")
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
        return self


def renamed_joints(joints: tuple[Joint, ...], old: str, new: str) -> tuple[Joint, ...]:
    """The joints, where the body `old` is called `new`."""
    return tuple(
        joint.model_copy(update={"bodies": tuple(new if name == old else name for name in joint.bodies)})
        if old in joint.bodies
        else joint
        for joint in joints
    )
