"""Where the bodies of a `[[repeat]]` stand: grids, stacks, rings, spirals, pours. Always the same when asked again."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import Annotated, NamedTuple

from pydantic import Field, Strict, model_validator

from engine.scene.values import NonNegative, Number, Positive, Quadruple, Size, Triple, Value, Vector, problem, quantity

MOST = 20_000
Count = Annotated[int, Strict(), Field(ge=1, le=MOST)]
Flag = Annotated[bool, Strict()]
_NO_TURN: Quadruple = (1.0, 0.0, 0.0, 0.0)


class Place(NamedTuple):
    """Where one of the bodies stands, as seen from the template."""

    offset: Triple  # [m], world axes
    turn: Quadruple = _NO_TURN  # world axes
    turns_velocity: bool = False  # whether its velocities are turned too


class Grid(Value):
    """Rows along x, y and z; the first body stands where the template says."""

    count: tuple[Count, Count, Count] = quantity(description="how many along x, y, z")
    spacing: Vector = quantity(unit="m", description="from one to the next along x, y, z")

    @model_validator(mode="after")
    def _not_too_many(self) -> Grid:
        if self.number > MOST:
            raise problem(f"makes {self.number} bodies", f"at most {MOST}", "count")
        return self

    @property
    def number(self) -> int:
        """How many bodies it makes."""
        return math.prod(self.count)

    def places(self) -> list[Place]:
        """In order: x fastest, z slowest."""
        nx, ny, nz = self.count
        dx, dy, dz = self.spacing
        return [Place((i * dx, j * dy, k * dz)) for k, j, i in product(range(nz), range(ny), range(nx))]


class Stack(Value):
    """One after the other, each a step further and turned a little more about the vertical."""

    count: Count = quantity(description="how many")
    step: Vector = quantity(unit="m", description="from one to the next")
    degrees: Number = quantity(0.0, unit="deg", description="turn about z from one to the next")

    @property
    def number(self) -> int:
        """How many bodies it makes."""
        return self.count

    def places(self) -> list[Place]:
        """From the first on."""
        x, y, z = self.step
        return [Place((k * x, k * y, k * z), _about_z(k * self.degrees)) for k in range(self.count)]


class Ring(Value):
    """A circle about the template's position, each body (and its velocity) turned by its place on the circle."""

    count: Count = quantity(description="how many")
    radius: NonNegative = quantity(unit="m", description="radius of the circle")

    @property
    def number(self) -> int:
        """How many bodies it makes."""
        return self.count

    def places(self) -> list[Place]:
        """Counter-clockwise, seen from above; the first lies along x."""
        turns = [360.0 * k / self.count for k in range(self.count)]
        return [Place(_polar(self.radius, turn), _about_z(turn), True) for turn in turns]


class Spiral(Value):
    """An Archimedean spiral about the template's position, counter-clockwise, from the first body on inwards.

    Bodies, and their velocities, are turned as on a circle: the y axis of the template lies along the way.
    """

    count: Count = quantity(description="how many")
    radius: Positive = quantity(unit="m", description="distance of the first body from the middle")
    pitch: Positive = quantity(unit="m", description="from one turn to the next")
    spacing: Positive = quantity(unit="m", description="from one body to the next, straight")

    @model_validator(mode="after")
    def _fits(self) -> Spiral:
        if (room := len(self.places())) < self.count:
            hint = "fewer, a larger radius or a smaller pitch or spacing"
            raise problem(f"{self.count} bodies do not fit: there is room for {room}", hint, "count")
        return self

    @property
    def number(self) -> int:
        """How many bodies it makes."""
        return self.count

    def places(self) -> list[Place]:
        """From the outermost on, at most `count`: none where the spiral would bend by more than a right angle."""
        slope = self.pitch / (2.0 * math.pi)
        found: list[Place] = []
        turn, radius = 0.0, self.radius
        while len(found) < self.count and radius > max(self.spacing, self.pitch):
            lean = math.atan(slope / radius)
            found.append(Place(_polar(radius, math.degrees(turn)), _about_z(math.degrees(turn + lean)), True))
            here = _polar(radius, math.degrees(turn))
            low, high = turn, turn + 2.0 * self.spacing / (radius - self.pitch / 2.0)
            for _ in range(60):  # halving: the chord grows with the turn
                turn = 0.5 * (low + high)
                there = _polar(self.radius - slope * turn, math.degrees(turn))
                low, high = (turn, high) if math.dist(here, there) < self.spacing else (low, turn)
            radius = self.radius - slope * turn
        return found


class Pour(Value):
    """At random in a box about the template's position, turned at random; the seed says which random ones.

    The box is cut into cells of at least `distance`, and no cell takes two bodies: their centres are that far apart.
    """

    count: Count = quantity(description="how many")
    size: Size = quantity(unit="m", description="size of the box along x, y, z")
    distance: Positive = quantity(unit="m", description="least distance of their centres")
    seed: Annotated[int, Strict(), Field(ge=0)] = quantity(0, description="which of the random pours")
    turned: Flag = quantity(True, description="whether each is turned at random")

    @model_validator(mode="after")
    def _fits(self) -> Pour:
        room = math.prod(self._cells)
        if room < self.count:
            hint = "fewer, a larger size or a smaller distance"
            raise problem(f"{self.count} bodies do not fit: there is room for {room}", hint, "count")
        return self

    @property
    def _cells(self) -> tuple[int, int, int]:
        nx, ny, nz = (max(1, math.floor(side / self.distance)) for side in self.size)
        return nx, ny, nz

    @property
    def number(self) -> int:
        """How many bodies it makes."""
        return self.count

    def places(self) -> list[Place]:
        """In the order in which they were drawn."""
        draw = random.Random(self.seed).random  # of `random`, this method alone is the same in every Python
        cells = self._cells
        room = math.prod(cells)
        swapped: dict[int, int] = {}  # cells by number in a row that is shuffled as far as it is needed
        found = []
        for k in range(self.count):
            other = k + int(draw() * (room - k))
            number = swapped.get(other, other)
            swapped[other] = swapped.get(k, k)
            across, z = divmod(number, cells[2])
            cell = (*divmod(across, cells[1]), z)
            offset = [self._spot(cell[axis], cells[axis], self.size[axis], draw()) for axis in range(3)]
            turn = _random_turn(draw(), draw(), draw()) if self.turned else _NO_TURN
            found.append(Place((offset[0], offset[1], offset[2]), turn))
        return found

    def _spot(self, cell: int, cells: int, side: float, chance: float) -> float:
        """A coordinate in one of the cells of a side, as far from its walls as the distance asks for."""
        width = side / cells
        slack = width - self.distance if cells > 1 else width
        return (cell + 0.5) * width - 0.5 * side + (chance - 0.5) * slack


def _polar(radius: float, degrees: float) -> Triple:
    turn = math.radians(degrees)
    return (radius * math.cos(turn), radius * math.sin(turn), 0.0)


def _about_z(degrees: float) -> Quadruple:
    half = math.radians(degrees) / 2
    return (math.cos(half), 0.0, 0.0, math.sin(half))


def _random_turn(a: float, b: float, c: float) -> Quadruple:
    """A turn, all being equally likely, from three numbers between 0 and 1 (Shoemake 1992)."""
    inner, outer = math.sqrt(1.0 - a), math.sqrt(a)
    first, second = 2.0 * math.pi * b, 2.0 * math.pi * c
    return (outer * math.cos(second), inner * math.sin(first), inner * math.cos(first), outer * math.sin(second))
