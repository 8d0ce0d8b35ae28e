"""A pair that is not checked at once when an arc begins is not near before the time that it is given."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import World
from engine.collision.pairs.look_again import bound_closing, time_to_close
from engine.geometry.shapes import rotation_matrix
from engine.model import state as s
from engine.model.model import FIXED, FREE, KIND, SPINNER
from engine.motion.arcs import evolve
from engine.scene.build import build
from engine.scene.schema import Scene
from engine.tolerances import FAR, GROUP_STEP, WRAP_WAIT
from tests.concave import L_SHAPE, grid, save
from tests.scenes import body, floor, scene


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_near_before_its_time(seed: int) -> None:
    """A box is thrown over a floor and kicked half a dozen times: its lowest corner stays above what is promised."""
    rng = np.random.default_rng(seed)
    thrown = body("box", {"box": [0.1, 0.2, 0.3]}, [0.0, 0.0, 2.0], velocity=rng.normal(size=3).tolist())
    built = build(scene(floor(), thrown, envelope=1e-3))
    model, arcs, pairs = built.model, built.state.arcs, built.state.pairs
    corners = built.shapes[1].vertices
    pairs[0, [s.PAIR_ENVELOPE, s.FLOOR, s.FLOOR_TIME, s.FALL_A, s.FALL_B]] = (1e-3, 2.0 - 0.19, 0.0, 20.0, 10.0)
    assert model.tags[1, KIND] == FREE

    def gap(t: float) -> float:
        x, q, _, _ = evolve(model.bodies, model.tags, arcs, 1, t)
        w, i, j, k = q
        up = (2 * (i * k - w * j), 2 * (j * k + w * i), 1 - 2 * (i * i + j * j))
        return float((corners @ np.array(up)).min() + x[2])

    t, waits = 0.0, 0
    for _ in range(6):
        arcs[1, s.POSITION : s.POSITION + 3] = evolve(model.bodies, model.tags, arcs, 1, t)[0]
        arcs[1, s.ORIENTATION : s.ORIENTATION + 4] = evolve(model.bodies, model.tags, arcs, 1, t)[1]
        arcs[1, s.VELOCITY : s.VELOCITY + 3] = rng.normal(size=3)
        arcs[1, s.OMEGA : s.OMEGA + 3] = spin = rng.normal(size=3)
        arcs[1, s.OMEGA_MAX] = 20.0 * np.linalg.norm(spin)
        arcs[1, s.T0] = t
        wait = time_to_close(pairs, 0, *bound_closing(model.bodies, model.tags, arcs, 0, 1, t), t)
        if wait == 0.0:
            break
        assert wait < inf
        waits += 1
        for share in np.linspace(0.0, 1.0, 50):
            assert gap(t + share * wait) >= 1e-3
        t += 0.3 * wait
    assert waits > 0


def test_what_is_near_or_moves_is_checked_at_once() -> None:
    built = build(scene(floor(), body("box", {"box": [0.1, 0.2, 0.3]}, [0.0, 0.0, 1.0]), envelope=1e-3))
    model, arcs, pairs = built.model, built.state.arcs, built.state.pairs
    pairs[0, [s.PAIR_ENVELOPE, s.FLOOR, s.FLOOR_TIME, s.FALL_A, s.FALL_B]] = (1e-3, 0.5, 0.0, 0.0, 0.0)
    fall = bound_closing(model.bodies, model.tags, arcs, 0, 1, 0.0)
    assert 0.0 < time_to_close(pairs, 0, *fall, 0.0) < inf
    model.tags[0, KIND] = SPINNER
    driven = bound_closing(model.bodies, model.tags, arcs, 0, 1, 0.0)
    assert driven[1] == inf, "of what follows a script it is not known how it moves on"
    assert time_to_close(pairs, 0, *driven, 0.0) == 0.0
    model.tags[0, KIND] = FIXED
    pairs[0, s.FLOOR] = 0.5 * FAR * 1e-3
    assert time_to_close(pairs, 0, *fall, 0.0) == 0.0
    pairs[0, s.FLOOR] = 0.5
    arcs[1, s.VELOCITY] = np.nan
    assert not time_to_close(pairs, 0, *bound_closing(model.bodies, model.tags, arcs, 0, 1, 0.0), 0.0) > 0.0


@pytest.mark.parametrize("seed", range(4))
def test_no_two_points_come_nearer_faster_than_bounded(seed: int) -> None:
    """Two boxes fly and tumble past each other over a floor: of any two points, wherever they are on the boxes."""
    rng = np.random.default_rng(seed)
    size = {"box": [0.1, 0.2, 0.3]}
    thrown = [
        body(
            name,
            size,
            [x, 0.0, 2.0],
            velocity=rng.normal(size=3).tolist(),
            angular_velocity=rng.normal(0.0, 3.0, 3).tolist(),
        )
        for name, x in (("one", 0.0), ("other", 1.0))
    ]
    built = build(scene(floor(), *thrown))
    model, arcs = built.model, built.state.arcs

    def corners(i: int, t: float) -> np.ndarray:
        x, q, _, _ = evolve(model.bodies, model.tags, arcs, i, t)
        return np.array(x) + (built.shapes[i].vertices if i else np.zeros((1, 3))) @ rotation_matrix(np.array(q)).T

    for start in (0.0, 0.3):
        for a, b in ((0, 1), (1, 2)):
            fall_a, fall_b = bound_closing(model.bodies, model.tags, arcs, a, b, start)
            before = corners(a, start)[:, None] - corners(b, start)[None]
            for tau in np.linspace(0.0, 0.4, 9)[1:]:
                way = corners(a, start + tau)[:, None] - corners(b, start + tau)[None] - before
                assert np.linalg.norm(way, axis=2).max() <= (fall_a * tau + fall_b) * tau + 1e-12
    together = build(scene(floor(), *(body(n, size, [k, 0.0, 2.0]) for k, n in enumerate("ab"))))
    assert bound_closing(together.model.bodies, together.model.tags, together.state.arcs, 1, 2, 0.2) == (0.0, 0.0)


def sleeper_on(ground: dict[str, Any], folder: Path, lean: float = 0.0) -> tuple[World, int]:
    """A concave body that sleeps on a ground through the origin, half a second on; how many pairs there are.

    lean: everything, gravity too, is turned by so many degrees about the y axis.
    """
    turn: dict[str, Any] = {"axis": [0.0, 1.0, 0.0], "degrees": lean}
    up = np.array([np.sin(np.radians(lean)), 0.0, np.cos(np.radians(lean))])
    sleeper = body("sleeper", L_SHAPE, 2e-4 * up, orientation=turn, asleep=True)
    made: Scene = scene(
        ground | {"orientation": turn}, sleeper, gravity=-9.81 * up, contact="hybrid", envelope=1e-3, friction=0.1
    )
    world = World(made.model_copy(update={"folder": folder}))
    world.advance_to(0.5)
    assert world.asleep()[1]
    return world, world.counters["pairs"]


def unwrapped_since(world: World) -> np.ndarray:
    """For how long each pair that is unwrapped has not been looked at [s]."""
    state = world._state
    rows = (state.links[:, s.IN_USE] == 1) & (state.links[:, s.PART] >= 0)
    return world.time - state.pairs[rows, s.CHECKED]


def test_what_slept_unwrapped_is_wrapped_when_it_is_lifted(tmp_path: Path) -> None:
    depth = 0.05 * np.sqrt(2.0)
    slab = body("slab", {"box": [4.0, 4.0, 0.2]}, (-depth, 0, -depth), motion="fixed")
    world, asleep = sleeper_on(slab, tmp_path, 45.0)
    assert asleep > 1
    world.pull("sleeper", (0.15, 0, 0.1), (1.0, 0, 1.0))
    world.advance(0.5)
    x, _, z = world.body("sleeper").position
    assert (x + z) / np.sqrt(2.0) > 0.05
    assert world.counters["pairs"] == 1, "the boxes meet, for the slab leans, but the hulls are far"


def test_every_unwrapped_pair_of_what_is_woken_is_looked_at_again(tmp_path: Path) -> None:
    """Of a sheet those parts too that it leaves behind while it goes on lying on others."""
    ground = {
        "name": "ground",
        "motion": "fixed",
        "material": "m",
        "shape": save(grid(16, 16, 0.2), tmp_path / "g.stl"),
    }
    world, asleep = sleeper_on(ground, tmp_path)
    assert asleep > 3 and unwrapped_since(world).max() > 0.4
    world.pull("sleeper", (0.15, 0, 0.05), (1.2, 0, 0.05))
    for _ in range(4):
        world.advance(0.1)
        assert not world.asleep()[1]
        assert unwrapped_since(world).max() <= WRAP_WAIT * GROUP_STEP * (1.0 + 1e-9)
    assert world.body("sleeper").position[0] > 0.4
