"""Figure 7.10: pins that straight and hooking balls fell, by the place where they meet the pins (Mirtich 1996, 7.1)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.experiments.plot import Axis, Plot, Series, Span
from engine.experiments.pool import run_all
from engine.experiments.table import Cell, Column, Progress, Table
from engine.experiments.timing import find_example
from engine.scene.paths import set_path
from engine.scene.schema import Scene
from engine.world import World

THROWS = 320
"""Of each kind."""

WINDOW = 0.4
"""Width of the window from which they start, evenly spaced [m]."""

WIDE, NARROW = 0.02, 0.005
"""Bins of places on the pin line, of the table and of the figure [m]. The thesis averages over 5 mm."""

BETTER = (0.06, 0.12)
"""Where the thesis's hook beats its straight ball, between the head pin and the right pin of the second row [m]."""

HEAD, BESIDE = 0.01, (0.02, 0.06)
"""Dead on the head pin, and beside it where no split is made: distances from it to both sides [m]."""

BEFORE = 0.18
"""So far before the centre of the head pin nothing has been touched yet [m]."""


class Kind(NamedTuple):
    """How a ball is thrown: from x in `left` to `left` + WINDOW [m], with a velocity [m/s] and a spin [rad/s]."""

    name: str
    left: float
    velocity: tuple[float, float, float]
    angular_velocity: tuple[float, float, float]


STRAIGHT = Kind("straight", -0.2, (0.0, 8.0, 0.0), (0.0, 0.0, 0.0))

HOOK = Kind("hook", -0.515, (0.28, 8.0, 0.0), (0.0, -12.0, 0.0))
"""It crosses a third of a metre to the right of its start; further to the left it would start in the gutter."""

KINDS = (STRAIGHT, HOOK)


class Throw(NamedTuple):
    """A ball of the given kind that starts at x [m]."""

    kind: Kind
    x: float


class Outcome(NamedTuple):
    """Where the ball crossed the pin line, right of the head pin's centre [m], and how many of the ten pins fell."""

    place: float
    felled: int


def throws_of(kind: Kind, throws: int = THROWS) -> list[Throw]:
    """A batch: starts at the middles of equal parts of the window."""
    return [Throw(kind, kind.left + WINDOW * (k + 0.5) / throws) for k in range(throws)]


def throw_ball(throw: Throw) -> Outcome:
    """Run one throw for the scene's own time. RuntimeError if the scene is gone or a body passed through another."""
    scene = find_example("bowling", contact="impulse")
    if scene is None:
        raise RuntimeError("the scene bowling is not there")
    world = World(_aim(scene, throw))
    place = _cross(world)
    world.advance_to(scene.world.until or 4.0)
    if not world.smallest_gap > 0.0:
        raise RuntimeError(f"{throw}: the gap sank to {world.smallest_gap:g} m")
    return Outcome(place, count_felled(world))


def _aim(scene: Scene, throw: Throw) -> Scene:
    _x, y, z = scene.bodies[scene.index("ball")].position
    scene = set_path(scene, "body.ball.position", [throw.x, y, z])
    scene = set_path(scene, "body.ball.velocity", list(throw.kind.velocity))
    return set_path(scene, "body.ball.angular_velocity", list(throw.kind.angular_velocity))


def _cross(world: World) -> float:
    """Follow the ball until just before the pins: where its way from there crosses the line of the head pin [m]."""
    ball = world.body("ball")
    while ball.position[1] < -BEFORE - 1e-4 and ball.velocity[1] > 1.0:
        # Nothing drives it on, so that it is never too late.
        world.advance((-BEFORE - ball.position[1]) / ball.velocity[1])
        ball = world.body("ball")
    return float(ball.position[0] - ball.position[1] * ball.velocity[0] / ball.velocity[1])


def count_felled(world: World) -> int:
    """Pins that do not stand any more, or not on the lane."""
    pins = [row for row, name in enumerate(world.names) if name.startswith("row")]
    poses = world.poses()[pins]
    upright = 1.0 - 2.0 * (poses[:, 4] ** 2 + poses[:, 5] ** 2)
    return int(np.count_nonzero((upright < 0.95) | (np.abs(poses[:, 2]) > 0.01)))


def measure_bowling(repeats: int, progress: Progress, throws: int = THROWS) -> Table:
    """Throw `throws` balls of each kind. The same every time, so `repeats` does not matter."""
    outcomes = run_all(throw_ball, [throw for kind in KINDS for throw in throws_of(kind, throws)], progress)
    found = {kind.name: outcomes[k * throws : (k + 1) * throws] for k, kind in enumerate(KINDS)}
    columns = (
        Column("place", "pin line [cm]"),
        Column("straight", "straight, pins", ".2f"),
        Column("hook", "hook, pins", ".2f"),
        Column("ahead", "hook ahead by", "+.2f"),
        Column("thesis", "thesis"),
    )
    places = [outcome.place for outcome in outcomes]
    rows: list[tuple[Cell, ...]] = []
    for k in range(math.floor(min(places) / WIDE), math.floor(max(places) / WIDE) + 1):
        begin, end = k * WIDE, (k + 1) * WIDE
        straight, hook = (_mean(found[kind.name], begin, end) for kind in KINDS)
        ahead = None if straight is None or hook is None else hook - straight
        rows.append((f"{100 * begin:g} to {100 * end:g}", straight, hook, ahead, _thesis(begin, end)))
    series = {
        f"{name}_{field}": [float(outcome[k]) for outcome in batch]
        for name, batch in found.items()
        for k, field in enumerate(Outcome._fields)
    }
    title = "Pins felled by straight and hooking balls (Mirtich 1996, figure 7.10)"
    return Table("figure_7_10", title, columns, rows, _notes(found), series, _plot(found))


def _thesis(begin: float, end: float) -> str | None:
    """What the thesis says of a stretch of the pin line; its curves are a picture."""
    if begin > BETTER[0] - 1e-9 and end < BETTER[1] + 1e-9:
        return "hook significantly better"
    return "straight dips" if abs(begin) < 1e-9 or abs(end) < 1e-9 else None


def _mean(batch: list[Outcome], begin: float, end: float) -> float | None:
    """Pins felled by the balls of [begin, end) [m], None if there is none."""
    felled = [outcome.felled for outcome in batch if begin <= outcome.place < end]
    return sum(felled) / len(felled) if felled else None


def _notes(found: dict[str, list[Outcome]]) -> tuple[str, ...]:
    """Do the thesis's two claims hold?"""
    notes = [f"{len(found['straight'])} throws of each kind."]
    straight, hook = (_mean(found[kind.name], *BETTER) for kind in KINDS)
    if straight is not None and hook is not None:
        verdict = "beats" if hook > straight else "does not beat"
        notes.append(
            f"From {100 * BETTER[0]:+g} to {100 * BETTER[1]:+g} cm the hook fells {hook:.2f} pins, the straight ball"
            f" {straight:.2f}: the hook {verdict} it; in the thesis it does."
        )
    head = _mean(found["straight"], -HEAD, HEAD)
    left, right = _mean(found["straight"], -BESIDE[1], -BESIDE[0]), _mean(found["straight"], *BESIDE)
    if head is not None and left is not None and right is not None:
        verdict = "dips" if head < min(left, right) else "does not dip"
        notes.append(
            f"Within {100 * HEAD:g} cm of the head pin's middle the straight ball fells {head:.2f}, from"
            f" {100 * BESIDE[0]:g} to {100 * BESIDE[1]:g} cm to the left of it {left:.2f}, to the right {right:.2f}:"
            f" it {verdict}; in the thesis it does."
        )
    return tuple(notes)


def _plot(found: dict[str, list[Outcome]]) -> Plot:
    curves = []
    for name, batch in found.items():
        bins: dict[int, list[int]] = {}
        for outcome in batch:
            bins.setdefault(math.floor(outcome.place / NARROW), []).append(outcome.felled)
        middles = [100.0 * NARROW * (k + 0.5) for k in sorted(bins)]
        curves.append(Series(name, middles, [sum(bins[k]) / len(bins[k]) for k in sorted(bins)]))
    span = Span("thesis: hook significantly better", 100.0 * BETTER[0], 100.0 * BETTER[1])
    x = Axis("ball on the pin line, right of the head pin [cm]")
    return Plot(x, Axis("pins felled, mean over 5 mm"), tuple(curves), (span,))
