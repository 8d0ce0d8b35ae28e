"""A model as it is read, before it becomes a scene: links with frames in the world, and what ties them together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from engine.arrays import Floats
from engine.importing.xml_file import Place
from engine.scene.joints import Joint
from engine.scene.schema import Material
from engine.scene.shapes import BodyShape

Base = Literal["fixed", "floating"]


class Frame(NamedTuple):
    """A turn (3, 3) and an origin (3,) [m]: p in the frame is turn p + origin outside of it."""

    turn: Floats
    origin: Floats

    def then(self, inner: Frame) -> Frame:
        """The frame that stands at `inner` in this one."""
        return Frame(self.turn @ inner.turn, self.turn @ inner.origin + self.origin)

    def seen_from(self, outer: Frame) -> Frame:
        """This frame in the coordinates of another; both are of the same space."""
        return Frame(outer.turn.T @ self.turn, outer.turn.T @ (self.origin - outer.origin))


HERE = Frame(np.eye(3), np.zeros(3))


class Solid(NamedTuple):
    """A convex shape in a link's frame."""

    shape: BodyShape
    frame: Frame


class Mass(NamedTuple):
    """Mass [kg], its centre (3,) [m], and the inertia about that, (3, 3) [kg m^2], in some frame."""

    mass: float
    centre: Floats
    inertia: Floats

    def inside(self, frame: Frame) -> Mass:
        """The same, where it was said in `frame`, in the coordinates outside of it."""
        turn = frame.turn
        return Mass(self.mass, turn @ self.centre + frame.origin, turn @ self.inertia @ turn.T)

    def share(self, part: float) -> Mass:
        """A part of it, distributed as the whole."""
        return Mass(part * self.mass, self.centre, part * self.inertia)


@dataclass
class Link:
    """A rigid body: `frame` is in the world. `looks` are drawn, where there are no `solids`, which collide."""

    name: str
    frame: Frame
    place: Place | None
    mass: Mass | None = None
    solids: list[Solid] = field(default_factory=list)
    looks: list[Solid] = field(default_factory=list)
    colour: str | None = None
    surface: Material | None = None
    fixed: bool = False


@dataclass
class Tie:
    """How a link hangs from another, or from the world: by joints one after the other, outwards; by none: as one."""

    parent: str | None
    child: str
    joints: list[Joint]
    place: Place | None = None


@dataclass
class Robot:
    """A whole model. `ignored` are names of links that do not collide though no joint ties them."""

    title: str
    source: str
    links: dict[str, Link] = field(default_factory=dict)
    ties: list[Tie] = field(default_factory=list)
    loops: list[Joint] = field(default_factory=list)
    ignored: set[frozenset[str]] = field(default_factory=set)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    largest_friction: bool = False  # of two surfaces the larger coefficients count


class Names:
    """Names that scenes take, each once."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, str, str], str] = {}

    def of(self, kind: str, raw: str, source: str = "") -> str:
        """What the thing of that kind is called in the scene; the same each time. source: which things of the model
        have names of their own."""
        key = (kind, raw, source)
        if key not in self._taken:
            plain = re.sub(r"[^\w\- ]+", "_", raw).strip(" -") or kind
            others = {name for (of, *_), name in self._taken.items() if of == kind}
            name, number = plain, 2
            while name in others:
                name, number = f"{plain}_{number}", number + 1
            self._taken[key] = name
        return self._taken[key]
