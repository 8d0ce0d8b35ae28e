"""What a scene says of joints, and what can be wrong with them. Said in world coordinates, as the bodies start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, model_validator

from engine.scene.messages import Finding, Loc, suggest
from engine.scene.values import Direction, Name, Value, Vector, problem, quantity

if TYPE_CHECKING:
    from engine.scene.schema import Body, Scene

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


def check_joints(document: Mapping[str, Any], bodies: Sequence[Body]) -> Iterator[Finding]:
    """Joints of bodies that do not exist, or of which none can move.

    document: may be wrong otherwise. bodies: of those of its parts that are right.
    """
    motions: dict[str, object] = {body.name: body.motion_kind for body in bodies}
    known = set(motions) | set(_said_names(document))
    rows = document.get("joint")
    for row, joint in enumerate(rows if isinstance(rows, (list, tuple)) else ()):
        names = joint.get("bodies") if isinstance(joint, Mapping) else None
        if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
            continue
        dangling = [k for k, name in enumerate(names) if name not in known]
        for k in dangling:
            loc: Loc = ("joint", row, "bodies", k)
            yield Finding(loc, f'there is no body "{names[k]}"', suggest(names[k], sorted(known), "bodies"))
        if not dangling and all(motions.get(name, "free") != "free" for name in names):
            said = " and ".join(f'"{name}"' for name in names)
            yield Finding(("joint", row, "bodies"), f"of {said} none is free to move", "a free body")


def _said_names(document: Mapping[str, Any]) -> Iterator[str]:
    rows = document.get("body")
    for body in rows if isinstance(rows, (list, tuple)) else ():
        if isinstance(body, Mapping) and isinstance(body.get("name"), str):
            yield body["name"]


def renamed_joints(joints: tuple[Joint, ...], old: str, new: str) -> tuple[Joint, ...]:
    """The joints, where the body `old` is called `new`."""
    return tuple(
        joint.model_copy(update={"bodies": tuple(new if name == old else name for name in joint.bodies)})
        if old in joint.bodies
        else joint
        for joint in joints
    )


def apart_pairs(scene: Scene) -> set[frozenset[str]]:
    """Names of the pairs of bodies that do not collide because a joint ties them."""
    return {frozenset(joint.bodies) for joint in scene.joint if len(joint.bodies) == 2 and not joint.collide}
