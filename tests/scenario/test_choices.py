"""The scenes that show what a choice changes: laws of impacts, models of friction, solvers, the order of the world."""

from __future__ import annotations

import numpy as np
import pytest

from engine import World, load_scene
from engine.scene.paths import set_path


def chosen(name: str, path: str, value: object) -> World:
    return World(set_path(load_scene(name), path, value))


def speeds(world: World, *names: str) -> np.ndarray:
    return np.asarray(world.twists()[[world.row(name) for name in names], 0])


ROW = ("one", "row1", "row2", "row3", "row4")
SHORT = ("two a", "two b", "short1", "short2", "short3")


@pytest.mark.parametrize(
    ("law", "row", "short"),
    [
        ("sequential", [0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 1.0]),
        ("simultaneous", [-0.6, 0.4, 0.4, 0.4, 0.4], [-0.2, -0.2, 0.8, 0.8, 0.8]),
        ("wave", [-0.07, -0.03, -0.01, 0.12, 0.99], [-0.11, -0.04, 0.21, 0.80, 1.14]),
    ],
)
def test_what_leaves_a_row_depends_on_the_law_of_impacts(law: str, row: list[float], short: list[float]) -> None:
    """All at once, two touching rows are two bodies: the striker and what it strikes."""
    world = chosen("rows_and_rack", "world.impacts", law)
    before = world.energy()["kinetic"]
    world.advance_to(0.6)
    np.testing.assert_allclose(speeds(world, *ROW), row, atol=1e-6 if law != "wave" else 0.01)
    np.testing.assert_allclose(speeds(world, *SHORT), short, atol=1e-6 if law != "wave" else 0.01)
    assert world.energy()["kinetic"] == pytest.approx(before, rel=1e-6)
    rack = world.twists()[[world.row(name) for name in ("rack2", "rack3")], :2]
    np.testing.assert_allclose(rack[0], rack[1] * [1, -1], atol=1e-9)


def ways(world: World) -> np.ndarray:
    """How far each counter gets, as a part of v^2 / 2 mu g, (24, 2)."""
    rows = [world.row(f"counter.{k}") for k in range(24)]
    start = world.poses()[rows, :2]
    world.advance_to(1.5)
    assert np.abs(world.twists()[rows]).max() < 1e-3
    return np.asarray((world.poses()[rows, :2] - start) / (1.8**2 / (2 * 0.3 * 9.81)))


def test_counters_stop_on_a_square_or_on_a_circle() -> None:
    square = ways(World(load_scene("sliders")))
    np.testing.assert_allclose(np.abs(square).sum(axis=1), 1.0, atol=0.02)
    circle = ways(chosen("sliders", "world.friction_model", "coulomb"))
    np.testing.assert_allclose(np.hypot(*circle.T), 1.0, atol=0.02)


@pytest.mark.parametrize(("model", "creeps"), [("coulomb", False), ("quadratic", False), ("dynamic", True)])
def test_the_block_stands_but_where_friction_is_dynamic_only(model: str, creeps: bool) -> None:
    world = chosen("sliders", "world.friction_model", model)
    block = world.row("block")
    world.advance_to(1.0)
    before = world.poses()[block, :3]
    world.advance_to(2.0)
    went = np.linalg.norm(world.poses()[block, :3] - before)
    assert 5e-4 < went < 2e-3 if creeps else went < 1e-6
    assert world.body("block").asleep is not creeps


@pytest.mark.parametrize("solver", ["automatic", "sweeps", "newton"])
def test_columns_stand_whoever_finds_their_loads(solver: str) -> None:
    world = chosen("columns", "world.solver", solver)
    free = [world.row(name) for name in world.names if name != "ground"]
    start = world.poses()[free, :3]
    world.advance_to(4.0 if solver == "sweeps" else 2.0)  # sweeps alone take one to two, by the length of steps
    assert np.abs(world.poses()[free, :3] - start).max() < (2e-3 if solver == "sweeps" else 1e-5)
    assert all(world.body(world.names[row]).asleep for row in free)


def test_newtons_method_takes_fewer_sweeps_than_sweeps_alone() -> None:
    sweeps = {}
    for solver in ("automatic", "sweeps", "newton"):
        world = chosen("columns", "world.solver", solver)
        world.advance_to(1.0)
        sweeps[solver] = world.counters["group_sweeps"]
    assert sweeps["newton"] <= sweeps["automatic"] < 0.25 * sweeps["sweeps"]


def blocks(world: World) -> list[int]:
    return [world.row(f"block.{k}") for k in range(12)]


def test_what_a_bar_pushes_stops_with_it_in_a_world_of_first_order() -> None:
    world = World(load_scene("assembly"))
    world.advance_to(0.6)
    assert world.twists()[blocks(world), 0].min() > 0.5
    np.testing.assert_allclose(world.twists()[blocks(world), 0], world.body("bar").velocity[0], rtol=0.02)
    world.advance_to(0.82)
    stands = world.poses()
    assert np.abs(world.twists()[blocks(world)]).max() < 1e-5
    world.advance_to(1.6)
    np.testing.assert_allclose(world.poses()[blocks(world)], stands[blocks(world)], atol=1e-6)
    far = stands[blocks(world), 0].max()
    faster = chosen("assembly", "world.order", 2)
    faster.advance_to(1.6)
    assert faster.poses()[blocks(faster), 0].max() > far + 0.02, "with momentum they slide on"


def test_a_peg_finds_its_slot_in_a_world_of_first_order() -> None:
    world = World(load_scene("assembly"))
    start = world.energy()
    world.advance_to(2.0)
    x, y, _ = world.body("peg").position
    assert x == pytest.approx(0.115, abs=1e-3), "at the slot's end"
    assert abs(y + 0.3) < 0.005
    assert np.abs(world.twists()[world.row("peg")]).max() < 1e-5
    energy = world.energy()
    balance = energy["total"] + energy["dissipated"] - energy["work"] - start["total"]
    assert abs(balance) < 1e-9 * energy["dissipated"]
    assert abs(energy["numerics"]) < 1e-6 * energy["dissipated"]
    assert energy["kinetic"] == 0.0
