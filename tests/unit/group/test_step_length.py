"""How long the next step of what is alone may be, a rule a test."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.model import state as s
from engine.tolerances import ALIKE
from tests.scenes import ball, body, floor, scene

H = 1.0 / 240.0
R, GAP, G = 0.1, 1e-4, 9.81
REST = {"keyframes": {"keys": [{"time": 0.0}, {"time": 9.0}]}}


def rolling(speed: float = 1.0, slip: float = 0.0, z: float = 0.0) -> dict[str, Any]:
    spin = [0.0, (speed - slip) / R, 0.0]
    return ball("ball", (0.0, 0.0, z + R + GAP), (speed, 0.0, 0.0), R, angular_velocity=spin)


def slab(**more: Any) -> dict[str, Any]:
    return body("slab", {"box": [4.0, 4.0, 0.1]}, (0.0, 0.0, -0.05), **more)


def lengths(*bodies: dict[str, Any], until: float = 1.0, **world: Any) -> list[float]:
    """Of the ball's steps that begin until then [s]."""
    run = World(scene(*bodies, contact="constraint", envelope=2.0 * GAP, sleep=False, **world))
    row, found = run.row("ball"), [0.0]
    while run.time < until:
        run.advance_events(1)
        arc = run._state.arcs[row]
        start, end = float(arc[s.T0]), float(arc[s.HELD_UNTIL])
        if arc[s.HELD] == s.STEPPING and end > start and (found[-1] != end):
            found.append(end)
    return np.diff(found).tolist()


def test_the_steps_of_what_rolls_double() -> None:
    found = lengths(floor(), rolling())
    assert found[0] == pytest.approx(H)
    for first, later in pairwise(found):
        assert later in (pytest.approx(H), pytest.approx(2.0 * first))
    assert found[-1] > 0.5


@pytest.mark.parametrize("below", [slab(motion=REST), slab(mass=500.0, asleep=True)], ids=["scripted", "asleep"])
def test_what_may_begin_to_move_is_looked_at_in_every_longest_step(below: dict[str, Any]) -> None:
    ground = body("ground", {"plane": {}}, (0.0, 0.0, -0.1 - GAP), motion="fixed")
    assert max(lengths(ground, below, rolling(), until=0.5)) <= H * (1.0 + 1e-9)


def test_slip_changes_by_no_more_than_its_part_in_a_step() -> None:
    """It falls by 7/2 mu g until the ball rolls."""
    mu, slip = 0.2, 5.0
    rate, at = 3.5 * mu * G, 0.0
    for h in lengths(floor(), rolling(5.0, slip), friction=mu, until=0.7):
        left = slip - rate * (at + h)
        assert h < H * (1.0 + 1e-9) or rate * h <= left / ALIKE * (1.0 + 1e-6)
        at += h


@pytest.mark.parametrize("finer", [1.0, 2.0, 4.0])
def test_where_forces_turn_steps_go_with_the_scenes_longest(finer: float) -> None:
    """A ball that rolls on a turntable: errors go as the square of `world.step`."""
    rate, ring = 2.2, 0.2
    orbit = 2.0 / 7.0 * rate
    table = slab(motion={"spinner": {"axis": [0.0, 0.0, 1.0], "rate": rate}})
    spin = [(rate - orbit) * ring / R, 0.0, 0.0]
    one = ball("ball", (ring, 0.0, R + GAP), (0.0, orbit * ring, 0.0), R, angular_velocity=spin)
    found = lengths(table, one, until=4.0, step=H / finer)
    assert 1.2 < np.mean(found[len(found) // 2 :]) * finer / H < 8.0


@pytest.mark.parametrize("step", [H, 0.1, 0.3, 1.0])
def test_what_slides_stops_within_half_a_steps_way_of_where_it_should(step: float) -> None:
    """As `world.step` is described: no step is made shorter for an end of sliding."""
    speed, mu = 1.0, 0.5
    block = body("block", {"box": [0.2, 0.2, 0.1]}, (0.0, 0.0, 0.05 + GAP), velocity=[speed, 0.0, 0.0])
    run = World(scene(floor(), block, friction=mu, envelope=2.0 * GAP, step=step))
    run.advance_to(3.0)
    slid = run.body("block").position[0]
    assert -1e-4 < slid - speed**2 / (2.0 * mu * G) < 0.5 * speed * step
    assert run.body("block").velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
