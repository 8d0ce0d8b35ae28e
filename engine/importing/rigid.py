"""Making a robot's links bodies of a scene: what is fixed together becomes one, what has no mass is given some.

A scene's joint ties two bodies that have mass. Where a model has several joints between two links, or links without
mass, there are *carriers* between them: bodies that take a small share of the next link's mass, distributed as that is.
Mass, centre and inertia of both together are those of the model as long as the joints are where they start, and off by
no more than the share when they turn.
"""

from __future__ import annotations

import numpy as np

from engine.geometry.mass_properties import mass_properties
from engine.importing.remarks import Remarks
from engine.importing.robot import HERE, Link, Robot, Solid, Tie
from engine.importing.solids import joined, united
from engine.scene.body_shapes import make_shape
from engine.scene.joints import Joint
from engine.scene.schema import Body, Scene
from engine.scene.shapes import BodyShape

CARRIER_SHARE = 1e-3
"""Of a link's mass, what each carrier before it takes [1]: forces are true to a thousandth, and matrices well set."""

_WATER = 1000.0  # kg/m^3
_BARE = ("spring", "hard_spring", "damping", "friction", "limits", "motor", "position", "velocity")


def make_rigid(robot: Robot, remarks: Remarks) -> None:
    """Changes the robot until each link is a body that a scene can have, and each tie one joint."""
    _fill_inertia(robot)
    _merge_fixed(robot, remarks)
    _drop_empty(robot, remarks)
    for tie in list(robot.ties):
        _as_planar(tie, remarks)
    _lend_mass(robot, remarks)
    for tie in list(robot.ties):
        _add_carriers(robot, tie, remarks)


def _fill_inertia(robot: Robot) -> None:
    """Links that say a mass and no inertia have that of their shape, of even density."""
    for link in robot.links.values():
        if link.mass is None or link.mass.inertia.any() or not (link.solids or link.looks):
            continue
        shape = united(link.solids or link.looks)
        body = Body.model_validate({"name": link.name, "shape": shape})
        properties = mass_properties(make_shape(Scene(format=1), body))
        link.mass = link.mass._replace(inertia=link.mass.mass / properties.volume * properties.inertia)


def _merge_fixed(robot: Robot, remarks: Remarks) -> None:
    """Links that are fixed to another become one body with it, in its frame and under its name."""
    into: dict[str, str] = {}
    left = []
    for tie in robot.ties:
        parent = into.get(tie.parent, tie.parent) if tie.parent is not None else None
        if tie.joints or parent is None:
            left.append(Tie(parent, tie.child, tie.joints, tie.place))
            continue
        into[tie.child] = parent
        body, part = robot.links[parent], robot.links.pop(tie.child)
        frame = part.frame.seen_from(body.frame)
        body.solids += [Solid(shape, frame.then(at)) for shape, at in part.solids]
        body.looks += [Solid(shape, frame.then(at)) for shape, at in part.looks]
        if part.mass is not None:
            body.mass = joined([*([body.mass] if body.mass is not None else []), part.mass.inside(frame)])
        body.colour = body.colour or part.colour
        if body.surface is not None and part.surface not in (None, body.surface):
            remarks.add(part.place, "link", f'its surface is that of "{parent}", with which it is one body')
        body.surface = body.surface or part.surface
        remarks.add(tie.place, "joint", f'"{tie.child}" is fixed to "{parent}": they are one body, "{parent}"')
    robot.ties = left
    robot.loops = [_renamed(joint, into) for joint in robot.loops]
    robot.ignored = {frozenset(into.get(name, name) for name in pair) for pair in robot.ignored}
    robot.ignored = {pair for pair in robot.ignored if len(pair) == 2}


def _renamed(joint: Joint, names: dict[str, str]) -> Joint:
    return joint.model_copy(update={"bodies": tuple(names.get(name, name) for name in joint.bodies)})


def _drop_empty(robot: Robot, remarks: Remarks) -> None:
    """Ends without mass and shape are no bodies, nor is a base that stands still and has no shape."""
    inwards = [tie.child for tie in reversed(robot.ties)]  # so that what carries only such an end is one itself
    for name in dict.fromkeys([*inwards, *robot.links]):
        link = robot.links[name]
        if link.solids or link.looks or (link.mass is not None and not link.fixed):
            continue
        if link.fixed:
            robot.ties = [Tie(None, t.child, t.joints, t.place) if t.parent == name else t for t in robot.ties]
        elif all(tie.parent != name for tie in robot.ties):
            robot.ties = [tie for tie in robot.ties if tie.child != name]
            remarks.add(link.place, "link", f'"{name}" is left out: it has neither mass nor shape')
        else:
            continue
        del robot.links[name]


def _as_planar(tie: Tie, remarks: Remarks) -> None:
    """Two sliders and a hinge square to both, all bare, are a planar joint."""
    kinds = sorted(joint.kind for joint in tie.joints)
    if kinds != ["hinge", "slider", "slider"] or any(getattr(one, key) for one in tie.joints for key in _BARE):
        return
    hinge = next(joint for joint in tie.joints if joint.kind == "hinge")
    ways = [np.array(joint.axis) for joint in tie.joints if joint.kind == "slider"]
    axis = np.array(hinge.axis)
    if abs(ways[0] @ ways[1]) > 1e-9 or max(abs(axis @ way) for way in ways) > 1e-9:
        return
    names = ", ".join(f'"{joint.name}"' for joint in tie.joints)
    remarks.add(tie.place, "joint", f'{names} of "{tie.child}" are one planar joint, "{hinge.name}"')
    tie.joints = [hinge.model_copy(update={"kind": "planar"})]


def _lend_mass(robot: Robot, remarks: Remarks) -> None:
    """Links without mass take a share of what hangs from them; those at the end have that of their shapes."""
    for tie in reversed(robot.ties):
        if (link := robot.links[tie.child]).mass is None:
            _lend(robot, link, remarks)
    for link in robot.links.values():
        if link.mass is None and not link.fixed:
            _lend(robot, link, remarks)


def _lend(robot: Robot, link: Link, remarks: Remarks) -> None:
    hanging = [robot.links[tie.child] for tie in robot.ties if tie.parent == link.name]
    heavy = [one for one in hanging if one.mass is not None]
    if not heavy:
        remarks.add(link.place, "link", f'"{link.name}" has no mass: its shapes have {_WATER:g} kg/m3')
        return
    _take_share(link, max(heavy, key=lambda one: one.mass.mass if one.mass is not None else 0.0))
    if not link.solids and not link.looks:
        link.looks.append(_pin(link))
    said = f'"{link.name}" has no mass: it takes {CARRIER_SHARE:g} of that of what hangs from it'
    remarks.add(link.place, "link", said)


def _take_share(carrier: Link, link: Link) -> None:
    assert link.mass is not None
    whole = link.mass.inside(link.frame)
    back = HERE.seen_from(carrier.frame)
    carrier.mass = whole.share(CARRIER_SHARE).inside(back)
    link.mass = link.mass.share(1.0 - CARRIER_SHARE)


def _add_carriers(robot: Robot, tie: Tie, remarks: Remarks) -> None:
    """A carrier between each two of the joints that a tie has one after the other."""
    link = robot.links[tie.child]
    if len(tie.joints) == 1 or link.mass is None:
        return
    robot.ties.remove(tie)
    parent = tie.parent
    for joint in tie.joints[:-1]:
        frame = HERE._replace(turn=link.frame.turn, origin=np.array(joint.point))
        carrier = Link(f"{joint.name} carrier", frame, link.place, colour=link.colour)
        _take_share(carrier, link)
        carrier.looks.append(_pin(carrier))
        robot.links[carrier.name] = carrier
        robot.ties.append(Tie(parent, carrier.name, [joint], tie.place))
        parent = carrier.name
    robot.ties.append(Tie(parent, tie.child, tie.joints[-1:], tie.place))
    names = ", ".join(f'"{joint.name}"' for joint in tie.joints)
    many = "a carrier takes" if len(tie.joints) == 2 else f"{len(tie.joints) - 1} carriers between them take"
    said = f'{names} of "{tie.child}" follow each other: {many} {CARRIER_SHARE:g} of its mass'
    remarks.add(tie.place, "joint", said)


def _pin(carrier: Link) -> Solid:
    """A ball at a carrier's joint, to be seen: three tenths as wide as a ball of water of the mass that it serves."""
    assert carrier.mass is not None
    served = carrier.mass.mass / CARRIER_SHARE
    radius = 0.3 * (3.0 * served / (4.0 * np.pi * _WATER)) ** (1.0 / 3.0)
    return Solid(BodyShape.model_validate({"sphere": {"radius": float(f"{radius:.3g}")}}), HERE)
