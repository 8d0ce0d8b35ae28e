"""What a scene file may say: immutable values, SI units, z up. Reading, writing and paths follow these classes.

A `Scene` is what a person edits and saves. It holds no numbers that were computed from it, and nothing that moves.
Every field has a default wherever a sensible one exists, so that a small scene is a short file.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, Strict, model_validator

from engine.scene.controllers import Controller
from engine.scene.joints import Joint
from engine.scene.layouts import Count, Grid, Pour, Ring, Spiral, Stack
from engine.scene.loads import AppliedForce, AppliedTorque, Inertia
from engine.scene.motions import Motion
from engine.scene.shapes import HOLLOW_KINDS, BodyShape
from engine.scene.values import (
    Colour,
    Direction,
    Fraction,
    Name,
    NonNegative,
    Orientation,
    Positive,
    Text,
    Value,
    Vector,
    added,
    check_orientation,
    problem,
    quantity,
    rotated,
    turned,
    unit_quaternion,
)

FORMAT = 1
ContactMode = Literal["impulse", "constraint", "hybrid", "penalty"]
BroadPhase = Literal["hierarchical_hash", "counting_hash", "standard_hash", "sweep_prune", "none"]
ImpactLaw = Literal["sequential", "simultaneous", "wave"]
FrictionModel = Literal["coulomb", "lotstedt", "dynamic", "quadratic"]
Solver = Literal["automatic", "sweeps", "newton"]
MaterialLook = Literal["plain", "gloss", "metal", "wood", "felt", "glass", "rubber"]
CONTACT_MODES, BROAD_PHASES = get_args(ContactMode), get_args(BroadPhase)  # by number in engine.model.model
MATERIAL_LOOKS = get_args(MaterialLook)
IMPACT_LAWS, FRICTION_MODELS, SOLVERS = get_args(ImpactLaw), get_args(FrictionModel), get_args(Solver)  # likewise
LAYOUT_KINDS = ("grid", "stack", "ring", "spiral", "pour")


class Material(Value):
    """Friction, restitution and density of bodies. Two materials meet by the rule of `engine.scene.surfaces`."""

    friction: NonNegative = quantity(0.5, description="coefficient of dynamic friction")
    static_friction: NonNegative | None = quantity(None, description="static friction; default: friction")
    restitution: Fraction = quantity(0.2, description="coefficient of restitution")
    rolling_resistance: NonNegative = quantity(0.0, unit="m", description="rolling torque by normal force")
    spinning_resistance: NonNegative = quantity(0.0, unit="m", description="spinning torque by normal force")
    density: Positive = quantity(1000.0, unit="kg/m3", description="density")
    colour: Colour | None = Field(default=None, description="colour of its bodies, #rrggbb")
    look: MaterialLook = Field(default="plain", description="what its bodies look like; nothing that moves knows it")

    @model_validator(mode="after")
    def _static_is_larger(self) -> Material:
        _check_static(self.static_friction, self.friction)
        return self


class Pair(Value):
    """How two materials meet, where the rule for all materials does not hold; what it leaves out follows that rule."""

    materials: tuple[str, str] = Field(description="the two materials")
    friction: NonNegative | None = quantity(None, description="coefficient of dynamic friction")
    static_friction: NonNegative | None = quantity(None, description="coefficient of static friction")
    restitution: Fraction | None = quantity(None, description="coefficient of restitution")
    rolling_resistance: NonNegative | None = quantity(None, unit="m", description="rolling torque by normal force")
    spinning_resistance: NonNegative | None = quantity(None, unit="m", description="spinning torque by normal force")

    @model_validator(mode="after")
    def _static_is_larger(self) -> Pair:
        _check_static(self.static_friction, self.friction)
        return self


def _check_static(static: float | None, dynamic: float | None) -> None:
    if static is not None and dynamic is not None and static < dynamic:
        raise problem(f"{static:g} is less than friction {dynamic:g}", f"at least {dynamic:g}", "static_friction")


class Attached(Value):
    """A point mass that is part of a body. It changes the centre of mass and the inertia; nothing can touch it."""

    mass: Positive = quantity(unit="kg", description="mass, besides that of the body")
    position: Vector = quantity(unit="m", description="where it is, in the body's frame")


class Body(Value):
    """One rigid body. Its pose is that of its authored frame, its velocity that of its centre of mass.

    A free body's mass is `mass`, or `density` (else its material's) times its volume, and the masses attached to it.
    `centre_of_mass` and `inertia` say these of the whole body, whatever its shape; what only one of them says, the
    other has as of the shape. Static and kinematic bodies ("fixed" and scripted ones) use no velocity, mass or force.

    One that is `asleep` stands still where it is, on something or not, and costs nothing until something touches or
    pulls it; what lies on it then sleeps on as long as it is held. Where contacts are impulses only, or nothing may
    sleep (`world.sleep`), it makes no difference, and the body starts awake.
    """

    name: Name = Field(description="name, unique in the scene")
    shape: BodyShape = Field(description="shape")
    motion: Motion = Field(default="free", description="free, fixed, or scripted")
    material: str | None = Field(
        default=None, description="name of a material; none: takes over that of whatever it meets"
    )
    position: Vector = quantity((0.0, 0.0, 0.0), unit="m", description="origin of its frame in the world")
    orientation: Orientation = Field(default=(1.0, 0.0, 0.0, 0.0), description="{ axis, degrees } or [w, x, y, z]")
    velocity: Vector = quantity((0.0, 0.0, 0.0), unit="m/s", description="velocity of its centre of mass")
    angular_velocity: Vector = quantity((0.0, 0.0, 0.0), unit="rad/s", description="angular velocity, world axes")
    asleep: bool = Field(
        default=False,
        strict=True,
        description="whether it sleeps until something touches it; no difference where all contacts are impulses",
    )
    mass: Positive | None = quantity(None, unit="kg", description="mass; default: density times volume")
    density: Positive | None = quantity(None, unit="kg/m3", description="density; default: its material's")
    attached: tuple[Attached, ...] = Field(default=(), description="point masses attached to it")
    centre_of_mass: Vector | None = quantity(
        None, unit="m", description="centre of mass, in its frame; default: as its shape and density have it"
    )
    inertia: Inertia | None = Field(
        default=None, description="inertia about the centre of mass; default: as its shape and density have it"
    )
    force: AppliedForce | None = Field(default=None, description="a force on it, [x, y, z] or a table")
    torque: AppliedTorque | None = Field(default=None, description="a torque on it, [x, y, z] or a table")
    colour: Colour | None = Field(default=None, description="colour, #rrggbb; default: its material's, or chosen")
    group: Name | None = Field(default=None, description="bodies of one group do not collide with each other")
    ignores: tuple[str, ...] = Field(
        default=(), description='bodies that it does not collide with, nor they with it; ["*"]: all'
    )

    @model_validator(mode="after")
    def _consistent(self) -> Body:
        if self.mass is not None and self.density is not None:
            raise problem("says both mass and density", "one of them; the other follows from the volume", "mass")
        check_orientation(self.orientation, "orientation")
        if self.shape.plane is not None and self.motion != "fixed":
            raise problem("a plane has no end and cannot move", '"fixed"', "motion")
        if self.shape.kind in HOLLOW_KINDS and self.motion == "free":
            raise problem(f"a {self.shape.kind} is hollow and cannot be free", '"fixed", or a script', "motion")
        if self.attached and (self.centre_of_mass is not None or self.inertia is not None):
            field = "inertia" if self.inertia is not None else "centre_of_mass"
            raise problem("is said of the whole body, which has masses attached too", "one of them", field)
        if self.asleep:
            self._check_sleep()
        return self

    def _check_sleep(self) -> None:
        """Raises the problem of a body that cannot be asleep."""
        if self.motion != "free":
            raise problem(f"a {self.motion_kind} body does not sleep", "false; only free bodies sleep", "asleep")
        for field in ("velocity", "angular_velocity"):
            if any(getattr(self, field)):
                raise problem("a body that starts asleep stands still", "[0, 0, 0], or asleep = false", field)
        for field in ("force", "torque"):
            if getattr(self, field) is not None:
                raise problem("nothing moves a body that starts asleep", "asleep = false", field)

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """Its orientation as a unit quaternion w, x, y, z, body to world."""
        return unit_quaternion(self.orientation)

    @property
    def motion_kind(self) -> str:
        """One of "free", "fixed", and `SCRIPTED_KINDS`."""
        return self.motion if isinstance(self.motion, str) else self.motion.kind


class Repeat(Body):
    """A body many times over, called `die.0`, `die.1`, ... after its own name: exactly one layout says where.

    Its position is that of the first body of a grid or stack, and of the middle of a ring, spiral or pour.
    """

    grid: Grid | None = None
    stack: Stack | None = None
    ring: Ring | None = None
    spiral: Spiral | None = None
    pour: Pour | None = None

    @model_validator(mode="after")
    def _one_layout(self) -> Repeat:
        kinds = [kind for kind in LAYOUT_KINDS if getattr(self, kind) is not None]
        if len(kinds) != 1:
            said = f"says {' and '.join(kinds)}" if kinds else "says no layout"
            raise problem(said, "one of " + ", ".join(LAYOUT_KINDS))
        return self

    @property
    def layout_kind(self) -> str:
        """Name of the layout that is set: one of `LAYOUT_KINDS`."""
        return next(kind for kind in LAYOUT_KINDS if getattr(self, kind) is not None)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies that it stands for, in order."""
        return _lay_out(self)


@lru_cache(maxsize=64)
def _lay_out(repeat: Repeat) -> tuple[Body, ...]:
    template = {field: getattr(repeat, field) for field in Body.model_fields}
    bodies = []
    for number, place in enumerate(getattr(repeat, repeat.layout_kind).places()):
        values = template | {"name": f"{repeat.name}.{number}", "position": added(repeat.position, place.offset)}
        if place.turn != (1.0, 0.0, 0.0, 0.0):
            values["orientation"] = turned(place.turn, repeat.quaternion)
        if place.turns_velocity:
            values["velocity"] = rotated(repeat.velocity, place.turn)
            values["angular_velocity"] = rotated(repeat.angular_velocity, place.turn)
        bodies.append(Body.model_construct(**values))
    return tuple(bodies)


class Camera(Value):
    """A view that the gallery, the window and `record --camera` offer by name."""

    name: Name = Field(default="main", description="name, unique in the scene")
    position: Vector = quantity(unit="m", description="where the eye is")
    target: Vector = quantity((0.0, 0.0, 0.0), unit="m", description="what it looks at")
    up: Direction = quantity((0.0, 0.0, 1.0), description="the direction that is up in the picture")
    fov: Annotated[float, Strict(), Field(allow_inf_nan=False, ge=1, le=150)] = quantity(
        40.0, unit="deg", description="vertical field of view"
    )

    @model_validator(mode="after")
    def _sees(self) -> Camera:
        gaze = [t - p for t, p in zip(self.target, self.position, strict=True)]
        if math.hypot(*gaze) < 1e-9:
            raise problem("is the same point as position", "another point", "target")
        return self


class WorldSettings(Value):
    """What holds for the whole scene.

    Where `contact` is "penalty", bodies overlap while they touch: springs and dashpots push them apart, and energy may
    drift. Nothing sleeps there. By default a body that rests on one point under its own weight sinks by 1/10000 of its
    size (`engine.tolerances.PENALTY_SINK`), on four points by a quarter of that; of two bodies the stiffer one counts.
    A point is a corner of what touches: a box lies on four, a coin on twelve.

    `friction_model` and `solver` are about lasting contacts, of "constraint" and "hybrid". Coulomb's friction is alike
    in all directions; "lotstedt" bounds it by the loads of the step before, "dynamic" lets it fade where sliding is
    slow, so that what it holds creeps, and "quadratic" holds along two axes apart. `solver` is "sweeps" (Gauss-Seidel),
    "newton" (sweeps, and Newton's method as soon as a few are not enough), or "automatic": that in groups at rest only,
    where sweeps alone are slow. Newton's method knows Coulomb's friction only, and no joints: the rest is swept.

    Where `order` is 1, force is not mass times acceleration but `drag` times mass times velocity, and likewise torque:
    what is not pushed stands still at once, and nothing bounces, for nothing has momentum (Redon 2002, note 11).
    Contacts bear what keeps bodies from each other, with friction. `contact`, `impacts`, restitution and velocities
    that bodies begin with mean nothing there, nothing sleeps, and no joints hold.
    """

    gravity: Vector = quantity((0.0, 0.0, -9.81), unit="m/s2", description="gravity")
    contact: ContactMode = Field(default="hybrid", description="kind of contact")
    order: Literal[1, 2] = Field(default=2, description="what force gives: acceleration (2), or velocity (1)")
    drag: Positive = quantity(
        10.0, unit="1/s", description="of a first-order world: force over mass and velocity, so that v = F / (m drag)"
    )
    step: Positive | None = quantity(
        None,
        unit="s",
        description="step of contact groups: turning and gaps make it shorter, steady motion longer; what slides may "
        "stop half a step's way too far; default: 1/240 s",
    )
    penalty_stiffness: Positive | None = quantity(
        None,
        unit="N/m",
        description="of penalty contact: force by depth of a contact point; default: by weight and size",
    )
    envelope: Positive | None = quantity(None, unit="m", description="gap at which bodies touch; default: by size")
    impacts: ImpactLaw = Field(default="sequential", description="how impacts of many contacts are resolved")
    friction_model: FrictionModel = Field(
        default="coulomb", description="friction of lasting contacts: Coulomb's, or one of Baraff's approximations"
    )
    solver: Solver = Field(default="automatic", description="how the impulses of lasting contacts are found")
    threads: Count | None = Field(
        default=None,
        description="how many threads compute the steps of contact groups; default: the processors, 8 at most",
    )
    microcollision: Literal["carom", "thesis"] = Field(default="carom", description="law of microcollisions")
    broad_phase: BroadPhase = Field(default="hierarchical_hash", description="how pairs that may touch are found")
    sleep: bool = Field(default=True, description="whether contact groups at rest fall asleep")
    until: Positive | None = quantity(None, unit="s", description="how long the scene is worth watching")


class Note(Value):
    """What the gallery shows about a scene."""

    text: Text = Field(default="", description="what the scene is")
    look_for: tuple[str, ...] = Field(default=(), description="what to look for, one sentence each")
    source: Text = Field(default="", description="where it comes from")


class Scene(Value):
    """A whole scene. `folder` is where its file lies (mesh files are relative to it); it is no part of its value."""

    format: Literal[1] = Field(description="version of the file format")
    title: Text = Field(default="", description="title")
    note: Note = Note()
    world: WorldSettings = WorldSettings()
    material: dict[Name, Material] = Field(default={})
    pair: tuple[Pair, ...] = ()
    body: tuple[Body, ...] = ()
    repeat: tuple[Repeat, ...] = ()
    joint: tuple[Joint, ...] = ()
    controller: tuple[Controller, ...] = ()
    camera: tuple[Camera, ...] = ()
    folder: Path | None = Field(default=None, exclude=True, repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scene):
            return NotImplemented
        return all(getattr(self, part) == getattr(other, part) for part in SCENE_PARTS)

    __hash__ = None  # type: ignore[assignment]

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All bodies: those that the scene says one by one, then those that are repeated."""
        return sum((repeat.bodies for repeat in self.repeat), self.body)

    def owner(self, row: int) -> tuple[str, int]:
        """Where in the scene the body of a row is said: ("body", row) or ("repeat", which one)."""
        row -= len(self.body)
        if row < 0:
            return "body", row + len(self.body)
        for which, repeat in enumerate(self.repeat):
            row -= len(repeat.bodies)
            if row < 0:
                return "repeat", which
        raise IndexError(row)

    def index(self, name: str) -> int:
        """Row of the body called `name`, as in `World.poses()`; KeyError if there is none."""
        for row, body in enumerate(self.bodies):
            if body.name == name:
                return row
        raise KeyError(name)


SCENE_PARTS = (
    ("format", "title", "note", "world", "material", "pair")
    + ("body", "repeat", "joint", "controller", "camera")
)  # fmt: skip
DEFAULT_MATERIAL = Material()
