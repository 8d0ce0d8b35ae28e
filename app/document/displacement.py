"""Moving and rotating bodies of a scene as one: the displacement itself, and the scene after it."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from engine.arrays import Floats
from engine.scene.joints import Joint
from engine.scene.motions import Motion, Scripted
from engine.scene.schema import Body, Repeat, Scene
from engine.scene.starts import Start, find_starts, triple
from engine.scene.values import AxisAngle, Quadruple, Triple, added, rotated, scaled, turned

_ORIGIN: Triple = (0.0, 0.0, 0.0)
_AS_SHOWN = 1e-6
"""Of a place [m/m]: pictures are drawn of numbers of seven digits."""
_PARALLEL = 1e-9
"""One less the cosine of two axes that count as one."""


@dataclass(frozen=True)
class Displacement:
    """A shift [m] in the world, or a turn by `degrees` about an axis of unit length through `pivot` [m]."""

    shift: Triple = _ORIGIN
    degrees: float = 0.0
    axis: Triple = (0.0, 0.0, 1.0)
    pivot: Triple = _ORIGIN

    @property
    def turn(self) -> Quadruple:
        """The turn as a quaternion w x y z."""
        half = math.radians(0.5 * self.degrees)
        return (math.cos(half), *scaled(self.axis, math.sin(half)))

    def moved(self, point: Triple) -> Triple:
        """Where a point of the world goes [m]."""
        if self.degrees:
            away = added(point, scaled(self.pivot, -1.0))
            point = added(self.pivot, rotated(away, self.turn))
        return added(point, self.shift)

    def applied(self, poses: Floats) -> Floats:
        """Poses (n, 7), x y z [m] and w x y z, after it."""
        after = poses.copy()
        if not self.degrees:
            after[:, :3] += self.shift
            return after
        for row, pose in enumerate(poses):
            after[row, :3] = self.moved(tuple(map(float, pose[:3])))  # type: ignore[arg-type]
            after[row, 3:] = turned(self.turn, tuple(map(float, pose[3:])))  # type: ignore[arg-type]
        return after


def displaced(scene: Scene, names: Collection[str], change: Displacement, repeats: Collection[str] = ()) -> Scene:
    """The scene with some bodies and repeats displaced, and the joints both of whose bodies are.

    A joint to the world stays, as the world does. A repeat is moved as a whole, and not turned. They are displaced as
    they are shown at the start: where joints have turned a body there, what is said of it changes by as much less. What
    turns about its own place stays there, though the pivot was read off a picture.
    """
    chosen = frozenset(names)
    starts = _outer_starts(scene, chosen)

    def said(name: str) -> Displacement:
        return _before(change, starts[name]) if name in starts else change

    return scene.model_copy(
        update={
            "body": tuple(_body(one, said(one.name), len(chosen)) if one.name in chosen else one for one in scene.body),
            "repeat": tuple(_repeat(one, change) if one.name in repeats else one for one in scene.repeat),
            "joint": tuple(
                _joint(joint, said(joint.bodies[0])) if _goes_along(joint, chosen) else joint for joint in scene.joint
            ),
        }
    )


def _outer_starts(scene: Scene, chosen: frozenset[str]) -> dict[str, Start]:
    """What joints do to bodies at the start, but for joints that go along: these do the same wherever they are."""
    if not any(joint.position for joint in scene.joint):
        return {}
    still = {"position": 0.0}
    joints = tuple(one.model_copy(update=still) if _goes_along(one, chosen) else one for one in scene.joint)
    return find_starts(scene.model_copy(update={"joint": joints}))


def _before(change: Displacement, start: Start) -> Displacement:
    """What of a body before its joints have turned and moved it becomes that displacement after it."""
    w, x, y, z = start.turn
    back = (w, -x, -y, -z)
    pivot = rotated(added(change.pivot, scaled(triple(start.shift), -1.0)), back)
    return replace(change, shift=rotated(change.shift, back), axis=rotated(change.axis, back), pivot=pivot)


def _body(body: Body, change: Displacement, count: int) -> Body:
    """One of so many."""
    if count == 1 and math.dist(body.position, change.pivot) <= _AS_SHOWN * (1.0 + math.hypot(*body.position)):
        change = replace(change, pivot=body.position)
    placed = body.model_copy(update=place_after(body, change))
    if not change.degrees:
        return placed
    return placed.model_copy(update={"orientation": _orientation(body, change)})


def _repeat(repeat: Repeat, change: Displacement) -> Repeat:
    if change.degrees:  # only its place turns about the pivot
        change = Displacement(added(change.moved(repeat.position), scaled(repeat.position, -1.0)))
    return repeat.model_copy(update=place_after(repeat, change))


def place_after(body: Body, change: Displacement) -> dict[str, object]:
    """What a body says of where it is after a displacement, but for its orientation."""
    return {
        "position": _tidy(change.moved(body.position), body.position),
        "motion": _motion(body.motion, change),
    }


def _motion(motion: Motion, change: Displacement) -> Motion:
    """The motion of a body that is displaced: the line that it turns about goes along where it says a point of it."""
    script = (motion.spinner or motion.accelerated) if isinstance(motion, Scripted) else None
    if not isinstance(motion, Scripted) or script is None or script.centre is None:
        return motion
    update = {"centre": _tidy(change.moved(script.centre), script.centre)}
    if change.degrees:
        update["axis"] = _tidy(rotated(script.axis, change.turn), script.axis)
    return motion.model_copy(update={motion.kind: script.model_copy(update=update)})


def _joint(joint: Joint, change: Displacement) -> Joint:
    update: dict[str, object] = {"point": _tidy(change.moved(joint.point), joint.point)}
    if joint.axis is not None and change.degrees:
        update["axis"] = _tidy(rotated(joint.axis, change.turn), joint.axis)
    return joint.model_copy(update=update)


def _goes_along(joint: Joint, chosen: frozenset[str]) -> bool:
    return len(joint.bodies) == 2 and chosen.issuperset(joint.bodies)


def _orientation(body: Body, change: Displacement) -> AxisAngle | Quadruple:
    """As an axis and an angle where both turns are about one axis, which is how a person would write it."""
    said = body.orientation
    if isinstance(said, AxisAngle) and said.degrees:
        axis, degrees = said.axis, said.degrees
    elif abs(body.quaternion[0]) == 1.0:
        axis, degrees = change.axis, 0.0
    else:
        return _unit(turned(change.turn, body.quaternion))
    along = sum(a * b for a, b in zip(axis, change.axis, strict=True)) / math.hypot(*axis)
    if abs(along) < 1.0 - _PARALLEL:
        return _unit(turned(change.turn, body.quaternion))
    return AxisAngle(axis=axis, degrees=_digits(degrees + math.copysign(1.0, along) * change.degrees))


def _unit(q: Quadruple) -> Quadruple:
    length = math.hypot(*q)
    return (q[0] / length, q[1] / length, q[2] / length, q[3] / length)


def _tidy(after: Triple, before: Triple) -> Triple:
    """Numbers without the noise of the last digits: 0.3 and not 0.30000000000000004. What has not changed stays."""
    x, y, z = (new if new == old else _digits(new) for new, old in zip(after, before, strict=True))
    return (x, y, z)


def _digits(value: float) -> float:
    return float(f"{value:.14g}") + 0.0
